//! Owns what the events tell about erasures: an intent is told in parts, and only a whole one counts.

use ledger_format::event::duty::EraseIntent;
use ledger_format::{AliasId, Event, JobId, MemoryId, PayloadId, Seq};

use super::Moment;

/// What is told about one erasure.
#[derive(Clone, Debug)]
pub struct Told<'a> {
    /// The parts that fit: each is the next one and counts the parts as the first did.
    pub parts: Vec<&'a EraseIntent>,
    /// The record that completed the intent.
    pub intended: Option<Seq>,
    /// The last record that says a complete intent was carried out.
    pub done: Option<Seq>,
}

impl Told<'_> {
    /// Whether it takes a memory's content.
    #[must_use]
    pub fn names_memory(&self, id: MemoryId) -> bool {
        self.parts.iter().any(|part| part.memories.contains(&id))
    }

    fn names_alias(&self, alias: AliasId) -> bool {
        self.parts.iter().any(|part| part.aliases.contains(&alias))
    }

    fn names_payload(&self, id: PayloadId) -> bool {
        let mut ranges = self.parts.iter().flat_map(|part| &part.payloads);
        ranges.any(|range| range.first <= id && id <= range.last)
    }
}

impl<'a> Moment<'a> {
    /// The erasures of which a part is told, in the order of their ids.
    #[must_use]
    pub fn erasures(&self) -> Vec<JobId> {
        let mut ids: Vec<JobId> = self.intents().map(|(_, intent)| intent.erasure).collect();
        ids.sort_unstable();
        ids.dedup();
        ids.retain(|id| !self.erasure(*id).parts.is_empty());
        ids
    }

    /// What is told about an erasure.
    #[must_use]
    pub fn erasure(&self, id: JobId) -> Told<'a> {
        let mut told = Told { parts: Vec::new(), intended: None, done: None };
        for (seq, intent) in self.intents().filter(|(_, intent)| intent.erasure == id) {
            let next = intent.part as usize == told.parts.len();
            let same = told.parts.first().is_none_or(|first| first.parts == intent.parts);
            if told.intended.is_none() && next && same {
                told.parts.push(intent);
                if told.parts.len() == intent.parts as usize {
                    told.intended = Some(seq);
                }
            }
        }
        told.done = told.intended.and_then(|intended| self.done_after(id, intended));
        told
    }

    /// The first complete intent that names an alias which exists by then.
    pub(super) fn alias_erased(&self, alias: AliasId, bound: Seq) -> Option<Seq> {
        let told = self.complete().into_iter().filter(|(_, told)| told.names_alias(alias));
        told.map(|(seq, _)| seq).filter(|seq| *seq > bound).min()
    }

    /// Whether a complete intent names a payload.
    #[must_use]
    pub fn payload_erased(&self, id: PayloadId) -> bool {
        self.complete().iter().any(|(_, told)| told.names_payload(id))
    }

    fn complete(&self) -> Vec<(Seq, Told<'a>)> {
        let told = self.erasures().into_iter().map(|id| self.erasure(id));
        told.filter_map(|told| told.intended.map(|seq| (seq, told))).collect()
    }

    fn intents(&self) -> impl Iterator<Item = (Seq, &'a EraseIntent)> + '_ {
        self.events.iter().filter_map(|event| match &event.event {
            Event::EraseIntent(intent) => Some((event.seq(), intent)),
            _ => None,
        })
    }

    fn done_after(&self, id: JobId, intended: Seq) -> Option<Seq> {
        let mut done = self
            .events
            .iter()
            .filter(|event| matches!(&event.event, Event::EraseDone(done) if done.erasure == id));
        done.rfind(|event| event.seq() > intended).map(|event| event.seq())
    }
}
