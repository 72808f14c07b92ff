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
    Decided(Decision),
    Erased,
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
        let mut story = vec![Deed {
            seq: born.seq(),
            at: born.header.recorded_at,
            what: first,
        }];
        for event in self.events.iter().filter(|event| event.seq() > born.seq()) {
            for what in self.done_to(id, event) {
                story.push(Deed {
                    seq: event.seq(),
                    at: event.header.recorded_at,
                    what,
                });
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

    fn done_to(&self, id: MemoryId, event: &'a Sequenced) -> Vec<What<'a>> {
        let seq = event.seq();
        let one = |named: MemoryId, what: What<'a>| if named == id { vec![what] } else { vec![] };
        // A list may name a memory twice; saying something twice says no more.
        let any = |named: &[MemoryId], what: What<'a>| {
            if named.contains(&id) {
                vec![what]
            } else {
                vec![]
            }
        };
        match &event.event {
            Event::Write(write)
                if write.verdict != Verdict::Pending && self.is_first(write, seq) =>
            {
                any(&write.supersedes, superseded(write))
            }
            Event::Close(b) => {
                let by = b.replaced_by;
                one(
                    b.memory,
                    What::Closed {
                        kind: b.kind,
                        from: b.from,
                        until: b.until,
                        by,
                    },
                )
            }
            Event::Reopen(b) => one(
                b.memory,
                What::Reopened {
                    from: b.from,
                    until: b.until,
                },
            ),
            Event::Confirm(b) => any(
                &b.memories,
                What::Confirmed {
                    ttl: b.ttl_until,
                    review: b.review_by,
                },
            ),
            Event::Use(b) => any(&b.memories, What::Used),
            Event::Answer(b) => any(&b.cited, What::Used),
            Event::PushDown(b) => one(b.memory, What::PushedDown(b.reach)),
            Event::Lift(b) => one(b.memory, What::Lifted(b.push_down)),
            Event::Contest(b) => any(&b.memories, What::Contested),
            Event::Resolve(b) => any(
                self.contest_before(b.contest, seq).unwrap_or(&[]),
                What::Resolved(b.contest),
            ),
            Event::Pin(b) => one(b.memory, What::Pinned(true)),
            Event::Unpin(b) => one(b.memory, What::Pinned(false)),
            Event::Forget(b) => any(&b.memories, What::Forgotten),
            Event::Promote(b) => one(b.memory, What::Ranked(b.trust, b.layer)),
            Event::Demote(b) => one(b.memory, What::Ranked(b.trust, b.layer)),
            Event::Expire(b) => any(&b.memories, What::Expired),
            Event::Restrict(b) => any(&b.memories, What::Restricted(b.hold)),
            Event::Unrestrict(b) => any(&b.memories, What::Unrestricted(b.hold)),
            Event::Stale(b) => any(&b.memories, What::Stale),
            Event::Approval(b) => self.approved(id, b, seq),
            Event::EraseIntent(b) => {
                let told = self.erasure(b.erasure);
                let complete = told.intended == Some(seq);
                if complete && told.names_memory(id) {
                    vec![What::Erased]
                } else {
                    vec![]
                }
            }
            _ => vec![],
        }
    }

    /// What an approval does to a memory: to the one that waited, or to one it closes.
    fn approved(&self, id: MemoryId, approval: &duty::Approval, seq: Seq) -> Vec<What<'a>> {
        let Some(write) = self.waiting_for(approval, seq) else {
            return vec![];
        };
        if write.memory == id {
            return vec![What::Decided(approval.decision)];
        }
        let closes = approval.decision == Decision::Approve && write.supersedes.contains(&id);
        if closes {
            vec![superseded(write)]
        } else {
            vec![]
        }
    }

    /// The write that still waits when a complete approval comes.
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
        (approval.complete && waits && !decided_before).then_some(write)
    }

    fn is_first(&self, write: &body::Write, seq: Seq) -> bool {
        self.birth(write.memory)
            .is_some_and(|(born, _)| born.seq() == seq)
    }

    /// The members of a contest that is open just before record `seq`.
    pub(super) fn contest_before(&self, contest: Seq, seq: Seq) -> Option<&'a [MemoryId]> {
        let opened = self
            .events
            .iter()
            .find(|event| event.seq() == contest && contest < seq)?;
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

const fn superseded(write: &body::Write) -> What<'_> {
    What::Closed {
        kind: CloseKind::Changed,
        from: write.supersede_from,
        until: write.supersede_until,
        by: Some(write.memory),
    }
}
