//! Owns the events that bring one memory from how it stands to how it stood before.

use ledger_format::event::memory as body;
use ledger_format::names::ExpireCause;
use ledger_format::{CloseKind, Event, MemoryId, Micros, Reach};
use ledger_replay::{Closure, Interval, Lifecycle, Validity};

use crate::error::{Error, ErrorKind, Result};

/// What brings a memory back.
#[derive(Debug)]
pub(super) struct Back {
    pub(super) events: Vec<Event>,
    /// What that means for it, in a few words; none: nothing that readers go by changes.
    pub(super) does: Option<&'static str>,
}

/// The events from `now` to `before`, in their order. `cause` says why it had been expired before.
pub(super) fn restore(
    memory: MemoryId,
    before: &Lifecycle,
    now: &Lifecycle,
    cause: Option<ExpireCause>,
) -> Result<Back> {
    refuse_what_stays(memory, before, now)?;
    let mut way = Way {
        memory,
        before,
        events: Vec::new(),
        expired: now.expired,
        closed: now.closed.clone(),
    };
    let mut does = way.remembering(now);
    does = does.or(way.validity(now));
    way.lifetimes(now);
    way.expiry(now, cause);
    way.closure();
    way.rank(now);
    way.push_downs(now)?;
    if before.pinned != now.pinned {
        way.events.push(if before.pinned {
            Event::Pin(body::Pin { memory })
        } else {
            Event::Unpin(body::Unpin { memory })
        });
    }
    if before.forgotten.is_some() && now.forgotten.is_none() {
        does = Some("forgotten again");
        way.events.push(Event::Forget(body::Forget { memories: vec![memory], subject: None }));
    }
    let changed = !way.events.is_empty() || before.contest != now.contest;
    Ok(Back { events: way.events, does: does.or(changed.then_some("as it was")) })
}

fn refuse_what_stays(memory: MemoryId, before: &Lifecycle, now: &Lifecycle) -> Result<()> {
    let stays = [
        (before.erased != now.erased, "its content was destroyed"),
        (before.pending != now.pending, "it was decided about"),
        (before.rejected != now.rejected, "it was decided about"),
        (before.restricted != now.restricted, "a hold on it came or went"),
    ];
    match stays.into_iter().find(|(differs, _)| *differs) {
        None => Ok(()),
        Some((_, why)) => Err(Error::new(
            ErrorKind::Conflict,
            format!("memory {} cannot be put back: {why}", memory.hyphenated()),
        )),
    }
}

struct Way<'a> {
    memory: MemoryId,
    before: &'a Lifecycle,
    events: Vec<Event>,
    /// As it will be after these events.
    expired: bool,
    closed: Option<Closure>,
}

impl Way<'_> {
    fn remembering(&mut self, now: &Lifecycle) -> Option<&'static str> {
        (now.forgotten.is_some() && self.before.forgotten.is_none()).then(|| {
            let reopen = body::Reopen { memory: self.memory, from: None, until: None };
            self.events.push(Event::Reopen(reopen));
            "remembered"
        })
    }

    fn validity(&mut self, now: &Lifecycle) -> Option<&'static str> {
        let (lost, gained) = (
            difference(&self.before.validity, &now.validity),
            difference(&now.validity, &self.before.validity),
        );
        for cut in gained.intervals() {
            self.close(CloseKind::Changed, Some(*cut), None);
        }
        for more in lost.intervals() {
            self.reopen(*more);
        }
        match (lost.is_never(), gained.is_never()) {
            (false, _) => Some("open again"),
            (true, false) => Some("closed again"),
            (true, true) => None,
        }
    }

    fn reopen(&mut self, more: Interval) {
        let (from, until) = ends(more);
        self.events.push(Event::Reopen(body::Reopen { memory: self.memory, from, until }));
        (self.expired, self.closed) = (false, None);
    }

    fn close(&mut self, kind: CloseKind, cut: Option<Interval>, replaced_by: Option<MemoryId>) {
        let (from, until) = cut.map_or((None, None), ends);
        let memory = self.memory;
        self.events.push(Event::Close(body::Close { memory, kind, from, until, replaced_by }));
        // Which record closed it is history: all that counts is that one did.
        self.closed = Some(Closure { seq: ledger_format::Seq(0), kind, by: replaced_by });
    }

    /// Lifetime and review date, and the mark that a confirmation takes away.
    fn lifetimes(&mut self, now: &Lifecycle) {
        let before = self.before;
        let unmarks = now.stale && !before.stale;
        let dates = before.ttl_until != now.ttl_until || before.review_by != now.review_by;
        if dates || unmarks {
            let (ttl_until, review_by) = (before.ttl_until, before.review_by);
            let memories = vec![self.memory];
            self.events.push(Event::Confirm(body::Confirm { memories, ttl_until, review_by }));
            self.expired = false;
        }
        if before.stale && (!now.stale || dates) {
            let memories = vec![self.memory];
            self.events.push(Event::Stale(body::Stale { memories, source: None }));
        }
    }

    fn expiry(&mut self, now: &Lifecycle, cause: Option<ExpireCause>) {
        if self.expired && !self.before.expired {
            // What holds already is opened: that changes nothing but the mark.
            if let Some(held) = self.before.validity.intervals().first() {
                self.reopen(*held);
            }
        } else if !self.expired && self.before.expired {
            let basis = now.ttl_until.unwrap_or(Micros(0));
            let (memories, cause) = (vec![self.memory], cause.unwrap_or(ExpireCause::Ttl));
            self.events.push(Event::Expire(body::Expire { memories, basis, cause }));
            self.expired = true;
        }
    }

    /// A closure that is told again: it takes away an interval that is not there.
    fn closure(&mut self) {
        let Some(closure) = self.before.closed.clone() else { return };
        let same = |now: &Closure| (now.kind, now.by) == (closure.kind, closure.by);
        if self.closed.as_ref().is_some_and(same) {
            return;
        }
        let held = self.before.validity.intervals();
        match (closure.kind, held.first(), held.last()) {
            (CloseKind::Wrong, None, _) => self.close(CloseKind::Wrong, None, closure.by),
            (CloseKind::Wrong, ..) => {}
            (kind, _, Some(last)) if last.until != Micros::MAX => {
                let cut = Interval { from: last.until, until: Micros::MAX };
                self.close(kind, Some(cut), closure.by);
            }
            (kind, Some(first), _) if first.from != Micros::MIN => {
                let cut = Interval { from: Micros::MIN, until: first.from };
                self.close(kind, Some(cut), closure.by);
            }
            (kind, None, _) => self.close(kind, None, closure.by),
            _ => {}
        }
    }

    fn rank(&mut self, now: &Lifecycle) {
        let before = self.before;
        let trust = (before.trust != now.trust).then_some(before.trust);
        let layer = (before.layer != now.layer).then_some(before.layer);
        if trust.is_none() && layer.is_none() {
            return;
        }
        let memory = self.memory;
        self.events.push(if before.trust < now.trust {
            Event::Demote(body::Demote { memory, trust, layer })
        } else {
            Event::Promote(body::Promote { memory, trust, layer, approval: None })
        });
    }

    fn push_downs(&mut self, now: &Lifecycle) -> Result<()> {
        let memory = self.memory;
        for push in now.pushed_down.iter().filter(|push| !self.before.pushed_down.contains(push)) {
            let push_down = Some(push.seq);
            self.events.push(Event::Lift(body::Lift { memory, push_down }));
        }
        for push in self.before.pushed_down.iter().filter(|push| !now.pushed_down.contains(push)) {
            if push.reach != Reach::Everything {
                return Err(Error::new(
                    ErrorKind::Conflict,
                    format!(
                        "memory {} was pushed down for one question by record {}; push it down again for that question instead",
                        memory.hyphenated(),
                        push.seq
                    ),
                ));
            }
            let (receipt, tag) = (None, None);
            self.events.push(Event::PushDown(body::PushDown {
                memory,
                reach: push.reach,
                receipt,
                tag,
            }));
        }
        Ok(())
    }
}

/// The instants of one set that are not in the other.
fn difference(all: &Validity, without: &Validity) -> Validity {
    let mut left = all.clone();
    without.intervals().iter().for_each(|cut| left.subtract(*cut));
    left
}

fn ends(interval: Interval) -> (Option<Micros>, Option<Micros>) {
    let from = (interval.from != Micros::MIN).then_some(interval.from);
    (from, (interval.until != Micros::MAX).then_some(interval.until))
}
