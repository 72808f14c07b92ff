//! Changes that are not durable yet, in the order they were made.
//!
//! Owns the fate of each. Invariant: only a leading run of synced changes is handed out for
//! folding, so that a change whose flush failed keeps its place before the ones that followed it.

/// What a later crash may do with a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// Not flushed yet: the next flush makes it durable.
    Open,
    /// Its flush failed: no later flush covers it.
    Abandoned,
    /// Flushed, but something before it was not.
    Synced,
}

#[derive(Clone, Debug)]
pub(super) struct Pending<C> {
    /// Changes that stand or fall together share an id.
    pub(super) id: u64,
    pub(super) change: C,
    fate: Fate,
}

impl<C> Pending<C> {
    pub(super) fn is_durable(&self) -> bool {
        self.fate == Fate::Synced
    }
}

#[derive(Clone, Debug)]
pub(super) struct ChangeLog<C> {
    pending: Vec<Pending<C>>,
}

impl<C> ChangeLog<C> {
    pub(super) fn new() -> Self {
        Self { pending: Vec::new() }
    }

    pub(super) fn push(&mut self, id: u64, change: C) {
        self.pending.push(Pending { id, change, fate: Fate::Open });
    }

    pub(super) fn abandon(&mut self) {
        self.settle(Fate::Abandoned);
    }

    /// Marks what was open as durable and returns what can be folded into the base, in order.
    pub(super) fn sync(&mut self) -> Vec<C> {
        self.settle(Fate::Synced);
        let durable = self.pending.iter().take_while(|pending| pending.is_durable()).count();
        self.pending.drain(..durable).map(|pending| pending.change).collect()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Pending<C>> {
        self.pending.iter()
    }

    pub(super) fn clear(&mut self) {
        self.pending.clear();
    }

    fn settle(&mut self, fate: Fate) {
        for pending in &mut self.pending {
            if pending.fate == Fate::Open {
                pending.fate = fate;
            }
        }
    }
}
