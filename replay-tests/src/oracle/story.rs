//! Owns the story of one memory: every event that did something to it, in the order of the log.

use ledger_format::event::{duty, memory as body};
use ledger_format::names::Decision;
use ledger_format::{CloseKind, Event, JobId, Layer, MemoryId, Micros, Reach, Seq, Trust, Verdict};
use ledger_replay::Sequenced;

use super::Moment;

/// Something that happened to a memory.
#[derive(Clone, Debug)]
pub struct Deed<'a> {
    pub seq: Seq,
    /// When it was recorded.
    pub at: Micros,
    pub what: What<'a>,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum What<'a> {
    Born(&'a Sequenced, &'a body::Write),
    Closed {
        kind: CloseKind,
        from: Option<Micros>,
        until: Option<Micros>,
        by: Option<MemoryId>,
    },
    Reopened {
        from: Option<Micros>,
        until: Option<Micros>,
    },
    /// A forgetting was taken back: what reopening something forgotten comes to.
    Remembered,
    Confirmed {
        ttl: Option<Micros>,
        review: Option<Micros>,
    },
    Used,
    PushedDown(Reach),
    Lifted(Option<Seq>),
    Contested,
    Resolved(Seq),
    Pinned(bool),
    Forgotten,
    Ranked(Option<Trust>, Option<Layer>),
    Expired,
    Restricted(Option<JobId>),
    Unrestricted(Option<JobId>),
    Stale,
    /// It has a new phase, which changes nothing else about it.
    Phase,
    Decided(Decision),
    /// One person agreed, and another one has to.
    Agreed,
    Erased,
}

/// The first forgetting that was not taken back.
#[must_use]
pub(super) fn forgotten(story: &[Deed<'_>]) -> Option<Seq> {
    story.iter().fold(None, |forgotten, deed| match deed.what {
        What::Forgotten => forgotten.or(Some(deed.seq)),
        What::Remembered => None,
        _ => forgotten,
    })
}

/// Whether an instant lies between two optional ends, the first inside, the second not.
#[must_use]
pub fn inside(at: Micros, from: Option<Micros>, until: Option<Micros>) -> bool {
    from.is_none_or(|from| from <= at) && until.is_none_or(|until| at < until)
}

impl<'a> Moment<'a> {
    /// Everything that happened to a memory; nothing when it does not exist.
    #[must_use]
    pub fn story(&self, id: MemoryId) -> Vec<Deed<'a>> {
        let Some((born, write)) = self.birth(id) else {
            return Vec::new();
        };
        let first = What::Born(born, write);
        let mut story = vec![Deed { seq: born.seq(), at: born.header.recorded_at, what: first }];
        for event in self.events.iter().filter(|event| event.seq() > born.seq()) {
            if let Some(mut what) = self.done_to(id, event) {
                if matches!(what, What::Reopened { .. }) && forgotten(&story).is_some() {
                    what = What::Remembered;
                }
                let at = event.header.recorded_at;
                story.push(Deed { seq: event.seq(), at, what });
            }
        }
        story
    }

    /// The first write of an id: another one does not change the memory.
    #[must_use]
    pub fn birth(&self, id: MemoryId) -> Option<(&'a Sequenced, &'a body::Write)> {
        self.writes().find(|(_, write)| write.memory == id)
    }

    /// The writes among the events.
    pub(super) fn writes(&self) -> impl Iterator<Item = (&'a Sequenced, &'a body::Write)> + '_ {
        self.events.iter().filter_map(|event| match &event.event {
            Event::Write(write) => Some((*event, write)),
            _ => None,
        })
    }

    /// What an event does to a memory, by naming it or by what it stands for.
    fn done_to(&self, id: MemoryId, event: &'a Sequenced) -> Option<What<'a>> {
        let seq = event.seq();
        match &event.event {
            Event::Write(write) => {
                let counts = write.verdict != Verdict::Pending && self.is_first(write, seq);
                (counts && write.supersedes.contains(&id)).then(|| superseded(write))
            }
            Event::Resolve(resolve) => {
                let members = self.contest_before(resolve.contest, seq)?;
                members.contains(&id).then_some(What::Resolved(resolve.contest))
            }
            Event::Approval(approval) => self.approved(id, approval, seq),
            Event::EraseIntent(intent) => {
                let told = self.erasure(intent.erasure);
                let complete = told.intended == Some(seq);
                (complete && told.names_memory(id)).then_some(What::Erased)
            }
            other => {
                let (named, what) = named(other)?;
                named.contains(&id).then_some(what)
            }
        }
    }

    /// What an approval does to a memory: to the one that waited, or to one it closes.
    fn approved(&self, id: MemoryId, approval: &duty::Approval, seq: Seq) -> Option<What<'a>> {
        let write = self.waiting_for(approval, seq)?;
        if !approval.complete {
            return (write.memory == id).then_some(What::Agreed);
        }
        if write.memory == id {
            return Some(What::Decided(approval.decision));
        }
        let closes = approval.decision == Decision::Approve && write.supersedes.contains(&id);
        closes.then(|| superseded(write))
    }

    /// The write that still waits when an approval comes.
    fn waiting_for(&self, approval: &duty::Approval, seq: Seq) -> Option<&'a body::Write> {
        let (_, write) = self
            .writes()
            .find(|(event, _)| event.seq() == approval.pending && event.seq() < seq)?;
        let waits = write.verdict == Verdict::Pending && self.is_first(write, approval.pending);
        let decided_before = self.events.iter().any(|event| {
            let earlier = approval.pending < event.seq() && event.seq() < seq;
            matches!(&event.event, Event::Approval(other)
                if earlier && other.complete && other.pending == approval.pending)
        });
        (waits && !decided_before).then_some(write)
    }

    fn is_first(&self, write: &body::Write, seq: Seq) -> bool {
        self.birth(write.memory).is_some_and(|(born, _)| born.seq() == seq)
    }

    /// The members of a contest that is open just before record `seq`.
    pub(super) fn contest_before(&self, contest: Seq, seq: Seq) -> Option<&'a [MemoryId]> {
        let opened = self.events.iter().find(|event| event.seq() == contest && contest < seq)?;
        let Event::Contest(body) = &opened.event else {
            return None;
        };
        let resolved = self.events.iter().any(|event| {
            let earlier = contest < event.seq() && event.seq() < seq;
            matches!(&event.event, Event::Resolve(r) if earlier && r.contest == contest)
        });
        (!resolved).then_some(body.memories.as_slice())
    }
}

/// The memories an event names, and what it says of each of them.
fn named(event: &Event) -> Option<(&[MemoryId], What<'_>)> {
    use std::slice::from_ref;
    Some(match event {
        Event::Close(b) => {
            let (kind, from, until, by) = (b.kind, b.from, b.until, b.replaced_by);
            (from_ref(&b.memory), What::Closed { kind, from, until, by })
        }
        Event::Reopen(b) => (from_ref(&b.memory), What::Reopened { from: b.from, until: b.until }),
        Event::Confirm(b) => {
            (&b.memories, What::Confirmed { ttl: b.ttl_until, review: b.review_by })
        }
        Event::Use(b) => (&b.memories, What::Used),
        Event::PushDown(b) => (from_ref(&b.memory), What::PushedDown(b.reach)),
        Event::Lift(b) => (from_ref(&b.memory), What::Lifted(b.push_down)),
        Event::Contest(b) => (&b.memories, What::Contested),
        Event::Pin(b) => (from_ref(&b.memory), What::Pinned(true)),
        Event::Unpin(b) => (from_ref(&b.memory), What::Pinned(false)),
        Event::Forget(b) => (&b.memories, What::Forgotten),
        Event::Promote(b) => (from_ref(&b.memory), What::Ranked(b.trust, b.layer)),
        Event::Demote(b) => (from_ref(&b.memory), What::Ranked(b.trust, b.layer)),
        Event::Expire(b) => (&b.memories, What::Expired),
        Event::Restrict(b) => (&b.memories, What::Restricted(b.hold)),
        Event::Unrestrict(b) => (&b.memories, What::Unrestricted(b.hold)),
        Event::Stale(b) => (&b.memories, What::Stale),
        Event::SkillState(b) => (from_ref(&b.memory), What::Phase),
        Event::SummaryState(b) => (from_ref(&b.memory), What::Phase),
        _ => return None,
    })
}

const fn superseded(write: &body::Write) -> What<'_> {
    What::Closed {
        kind: CloseKind::Changed,
        from: write.supersede_from,
        until: write.supersede_until,
        by: Some(write.memory),
    }
}
