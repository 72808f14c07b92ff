//! Owns what the gate judges: a proposal without its words.
//!
//! Invariant: whatever a verdict depends on is either in the record that it led to or among the
//! signals recorded with it, so the same case can be put together again from the log:
//! [`Case::recorded`] and [`Case::turned_away`].

use ledger_format::event::memory::Write;
use ledger_format::{ActorKind, BodyType, Layer, MemoryId, Micros, SourceKind, Trust};
use ledger_replay::State;

use crate::signal::{Seen, Signals};

/// What a memory was made from, as far as trust goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lineage {
    /// How many memories.
    pub count: usize,
    /// The least trust among them.
    pub trust: Option<Trust>,
    /// Whether all of them are summaries.
    pub summaries: bool,
    /// Whether the message of a person is among them.
    pub person_said: bool,
}

impl Lineage {
    /// The lineage of what is made from these memories.
    #[must_use]
    pub fn of(state: &State, derived_from: &[MemoryId]) -> Self {
        let mut lineage = Self {
            count: derived_from.len(),
            summaries: !derived_from.is_empty(),
            ..Self::default()
        };
        for memory in derived_from.iter().filter_map(|id| state.memory(id)) {
            let trust = memory.lifecycle.trust;
            lineage.trust = Some(lineage.trust.map_or(trust, |least| least.min(trust)));
            lineage.summaries &= memory.body == BodyType::Summary;
            lineage.person_said |=
                memory.body == BodyType::Message && memory.actor_kind == ActorKind::Person;
        }
        lineage
    }
}

/// A proposal without its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Who was authenticated.
    pub actor: ActorKind,
    /// Shape of the content.
    pub body: BodyType,
    /// Layer asked for.
    pub layer: Layer,
    /// Kind of the source.
    pub source: SourceKind,
    /// What it was made from.
    pub lineage: Lineage,
    /// Whether it names what it supersedes.
    pub corrects: bool,
    /// Whether it is about what a foreign system knew.
    pub claimed: bool,
    /// The writer's confidence in parts of 10,000.
    pub confidence: Option<u16>,
    /// Trust vouched for.
    pub trust: Option<Trust>,
    /// End of life asked for.
    pub ttl_until: Option<Micros>,
    /// Review date asked for.
    pub review_by: Option<Micros>,
    /// End of the civil day of the record in the ledger's zone.
    pub day_end: Micros,
    /// What was seen in the words and around them.
    pub signals: Signals,
}

impl Case {
    /// A proposal with nothing but what every proposal has.
    #[must_use]
    pub fn new(actor: ActorKind, body: BodyType, layer: Layer, source: SourceKind) -> Self {
        Self {
            actor,
            body,
            layer,
            source,
            lineage: Lineage::default(),
            corrects: false,
            claimed: false,
            confidence: None,
            trust: None,
            ttl_until: None,
            review_by: None,
            day_end: Micros::MAX,
            signals: Signals::default(),
        }
    }

    /// The signals to record beside a write that was let through: what the record does not say itself.
    /// `given` is the write as recorded.
    #[must_use]
    pub fn beside(&self, given: &Write) -> Signals {
        let mut signals = self.signals.clone();
        let other = |asked: i64, recorded: i64| (asked != recorded).then_some(asked);
        signals
            .set(Seen::AskedLayer, other(self.layer.number().into(), given.layer.number().into()));
        signals.set(Seen::AskedTrust, self.trust.map(|trust| trust.number().into()));
        signals.set(Seen::AskedTtl, self.ttl_until.map(|end| end.0));
        signals.set(Seen::AskedReview, self.review_by.map(|due| due.0));
        // Only an end that the policy set and that is not a number of days of its own needs the day.
        let by_day = [given.ttl_until, given.review_by].contains(&Some(self.day_end));
        signals.set(Seen::DayEnd, by_day.then_some(self.day_end.0));
        // What it was made from can rise or fall later, and within the same submission.
        signals.set(Seen::LineageTrust, self.lineage.trust.map(|trust| trust.number().into()));
        signals
    }

    /// The case of a recorded write. `before` is the state before it.
    #[must_use]
    pub fn recorded(
        before: &State,
        actor: ActorKind,
        claimed: bool,
        write: &Write,
        signals: Signals,
    ) -> Self {
        let layer = signals.get(Seen::AskedLayer).and_then(layer_of).unwrap_or(write.layer);
        Self {
            actor,
            body: write.body,
            layer,
            source: write.source,
            lineage: Lineage {
                trust: signals.get(Seen::LineageTrust).and_then(trust_of),
                ..Lineage::of(before, &write.derived_from)
            },
            corrects: !write.supersedes.is_empty(),
            claimed,
            confidence: write.confidence,
            trust: signals.get(Seen::AskedTrust).and_then(trust_of),
            ttl_until: signals.get(Seen::AskedTtl).map(Micros),
            review_by: signals.get(Seen::AskedReview).map(Micros),
            day_end: signals.get(Seen::DayEnd).map_or(Micros::MAX, Micros),
            signals: seen_only(signals),
        }
    }

    /// Every signal of a proposal that was turned away: no record says anything else about it.
    #[must_use]
    pub fn whole(&self) -> Signals {
        let mut signals = self.signals.clone();
        signals.set(Seen::Body, Some(self.body.number().into()));
        signals.set(Seen::Source, Some(self.source.number().into()));
        signals.set(Seen::AskedLayer, Some(self.layer.number().into()));
        signals.count(Seen::Corrects, self.corrects.into());
        signals.count(Seen::Claimed, self.claimed.into());
        signals.set(Seen::Confidence, self.confidence.map(i64::from));
        signals.set(Seen::AskedTrust, self.trust.map(|trust| trust.number().into()));
        signals.count(Seen::LineageCount, i64::try_from(self.lineage.count).unwrap_or(i64::MAX));
        signals.set(Seen::LineageTrust, self.lineage.trust.map(|trust| trust.number().into()));
        signals.count(Seen::LineageCompressed, self.lineage.summaries.into());
        signals.count(Seen::PersonSaid, self.lineage.person_said.into());
        signals
    }

    /// The case of a proposal that was turned away. None when the signals are not whole.
    #[must_use]
    pub fn turned_away(actor: ActorKind, signals: Signals) -> Option<Self> {
        let word = |seen| signals.get(seen).and_then(|number| u8::try_from(number).ok());
        let body = word(Seen::Body).and_then(BodyType::from_number)?;
        let source = word(Seen::Source).and_then(SourceKind::from_number)?;
        let layer = signals.get(Seen::AskedLayer).and_then(layer_of)?;
        let confidence = signals.get(Seen::Confidence);
        let count = signals.get(Seen::LineageCount).unwrap_or(0);
        Some(Self {
            lineage: Lineage {
                count: usize::try_from(count).unwrap_or(0),
                trust: signals.get(Seen::LineageTrust).and_then(trust_of),
                summaries: signals.has(Seen::LineageCompressed),
                person_said: signals.has(Seen::PersonSaid),
            },
            corrects: signals.has(Seen::Corrects),
            claimed: signals.has(Seen::Claimed),
            confidence: confidence.and_then(|parts| u16::try_from(parts).ok()),
            trust: signals.get(Seen::AskedTrust).and_then(trust_of),
            signals: seen_only(signals),
            ..Self::new(actor, body, layer, source)
        })
    }

    /// The score of a signal, zero where it was not seen.
    pub(crate) fn score(&self, seen: Seen) -> u16 {
        let score = self.signals.get(seen).unwrap_or(0);
        u16::try_from(score.clamp(0, 10_000)).unwrap_or(0)
    }
}

/// The signals that were seen in the words and around them, and not in the request itself.
fn seen_only(mut signals: Signals) -> Signals {
    for seen in [
        Seen::PersonSaid,
        Seen::LineageCount,
        Seen::LineageTrust,
        Seen::LineageCompressed,
        Seen::Corrects,
        Seen::Claimed,
        Seen::AskedLayer,
        Seen::AskedTrust,
        Seen::AskedTtl,
        Seen::AskedReview,
        Seen::Body,
        Seen::Source,
        Seen::Confidence,
        Seen::DayEnd,
        Seen::Rule,
    ] {
        signals.set(seen, None);
    }
    signals
}

fn layer_of(number: i64) -> Option<Layer> {
    u8::try_from(number).ok().and_then(Layer::from_number)
}

fn trust_of(number: i64) -> Option<Trust> {
    u8::try_from(number).ok().and_then(Trust::from_number)
}
