//! One directory of the model: its entries for readers, on the medium, and the changes in between.

use std::collections::BTreeMap;

use super::change::ChangeLog;
use super::node::NodeId;
use super::survive::Survival;

#[derive(Clone, Debug)]
pub(super) enum EntryChange {
    Link(String, NodeId),
    Unlink(String),
}

pub(super) type Entries = BTreeMap<String, NodeId>;

#[derive(Clone, Debug)]
pub(super) struct DirNode {
    live: Entries,
    base: Entries,
    log: ChangeLog<EntryChange>,
}

impl DirNode {
    pub(super) fn new() -> Self {
        Self::durable(Entries::new())
    }

    /// A directory whose entries are all on the medium.
    pub(super) fn durable(entries: Entries) -> Self {
        Self { live: entries.clone(), base: entries, log: ChangeLog::new() }
    }

    pub(super) fn entries(&self) -> &Entries {
        &self.live
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.live.keys().cloned().collect()
    }

    pub(super) fn change(&mut self, id: u64, change: EntryChange) {
        change.apply(&mut self.live);
        self.log.push(id, change);
    }

    pub(super) fn sync(&mut self) {
        for change in self.log.sync() {
            change.apply(&mut self.base);
        }
    }

    pub(super) fn abandon(&mut self) {
        self.log.abandon();
    }

    /// The entries that a crash leaves.
    pub(super) fn survivors(&self, how: Survival) -> Entries {
        let mut entries = self.base.clone();
        for pending in self.log.iter() {
            if pending.is_durable() || how.keeps_entry(pending.id) {
                pending.change.apply(&mut entries);
            }
        }
        entries
    }
}

impl EntryChange {
    fn apply(&self, entries: &mut Entries) {
        match self {
            Self::Link(name, node) => {
                entries.insert(name.clone(), *node);
            }
            Self::Unlink(name) => {
                entries.remove(name);
            }
        }
    }
}
