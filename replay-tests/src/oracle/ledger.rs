//! Owns what the events tell about the ledger itself: identity, policy, names, tasks, keys.

use ledger_format::{
    AliasId, AliasKind, Digest16, Event, LedgerId, MemoryId, PayloadId, Role, Seq,
};
use ledger_replay::Sequenced;

use super::Moment;

/// What is told about an alias.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliasTold {
    pub kind: AliasKind,
    pub parent: Option<AliasId>,
    pub bound: Seq,
    pub name: Option<PayloadId>,
    pub erased: Option<Seq>,
}

/// What is told about a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskTold {
    pub started: Seq,
    pub parent: Option<AliasId>,
    pub ended: Option<Seq>,
}

impl Moment<'_> {
    /// The last thing that some events say.
    fn last<T>(&self, of: impl Fn(&Sequenced) -> Option<T>) -> Option<T> {
        self.events.iter().rev().find_map(|event| of(event))
    }

    /// The ledger, once its first record is known.
    #[must_use]
    pub fn ledger(&self) -> Option<LedgerId> {
        self.events.iter().find_map(|event| match &event.event {
            Event::Genesis(genesis) if event.seq() == Seq(0) => Some(genesis.ledger),
            _ => None,
        })
    }

    #[must_use]
    pub fn epoch(&self) -> u64 {
        let epoch = self.last(|event| match &event.event {
            Event::Epoch(epoch) => Some(epoch.epoch),
            _ => None,
        });
        epoch.unwrap_or(0)
    }

    #[must_use]
    pub fn policy(&self) -> u32 {
        let policy = self.last(|event| match &event.event {
            Event::PolicySet(policy) => Some(policy.version),
            _ => None,
        });
        policy.unwrap_or(0)
    }

    /// The first receipt number that is not taken.
    #[must_use]
    pub fn receipts(&self) -> u64 {
        let counters = self.events.iter().filter_map(|event| match &event.event {
            Event::Receipt(receipt) => Some(receipt.counter.saturating_add(1)),
            _ => None,
        });
        counters.max().unwrap_or(0)
    }

    /// The first record that state cannot be told without and that nobody here can read.
    #[must_use]
    pub fn unknown_critical(&self) -> Option<Seq> {
        let unread = |event: &&&Sequenced| event.event.kind().is_none() && critical(event);
        self.events.iter().find(unread).map(|event| event.seq())
    }

    /// The first use of an idempotency key: its proposal and its record.
    #[must_use]
    pub fn idempotent(&self, key: Digest16) -> Option<(Digest16, Seq)> {
        self.events.iter().find_map(|event| {
            let (used, proposal) = event.idempotency?;
            (used == key).then_some((proposal, event.seq()))
        })
    }

    /// The members of a contest, if it is open.
    #[must_use]
    pub fn open_contest(&self, contest: Seq) -> Option<&[MemoryId]> {
        self.contest_before(contest, Seq(u64::MAX))
    }

    /// The aliases that are bound, in the order of their ids.
    #[must_use]
    pub fn aliases(&self) -> Vec<AliasId> {
        let mut ids: Vec<AliasId> = self
            .events
            .iter()
            .filter_map(|event| match &event.event {
                Event::AliasBound(bound) => Some(bound.alias),
                _ => None,
            })
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// An alias as its binding and the erasures tell it.
    #[must_use]
    pub fn alias(&self, alias: AliasId) -> Option<AliasTold> {
        let bound = self.binding(alias)?;
        Some(AliasTold { erased: self.alias_erased(alias, bound.bound), ..bound })
    }

    /// The first binding of an alias: another one does not change it.
    pub(super) fn binding(&self, alias: AliasId) -> Option<AliasTold> {
        self.events.iter().find_map(|event| match &event.event {
            Event::AliasBound(bound) if bound.alias == alias => Some(AliasTold {
                kind: bound.kind,
                parent: bound.parent,
                bound: event.seq(),
                name: event.payloads.iter().find(|p| p.role == Role::Name).map(|p| p.id),
                erased: None,
            }),
            _ => None,
        })
    }

    /// A task: its last start, and its last end after that.
    #[must_use]
    pub fn task(&self, task: AliasId) -> Option<TaskTold> {
        let (started, parent) = self.last(|event| match &event.event {
            Event::TaskStarted(body) if body.task == task => Some((event.seq(), body.parent)),
            _ => None,
        })?;
        let ended = self.last(|event| match &event.event {
            Event::TaskEnded(body) if body.task == task && event.seq() > started => {
                Some(event.seq())
            }
            _ => None,
        });
        Some(TaskTold { started, parent, ended })
    }

    /// The tasks that events name.
    #[must_use]
    pub fn tasks(&self) -> Vec<AliasId> {
        let named = self.events.iter().filter_map(|event| match &event.event {
            Event::TaskStarted(body) => Some(body.task),
            Event::TaskEnded(body) => Some(body.task),
            _ => None,
        });
        named.collect()
    }
}

const fn critical(event: &Sequenced) -> bool {
    matches!(&event.event, Event::Unknown { critical: true, .. })
}
