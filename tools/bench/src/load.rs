//! Owns the load that grows a ledger: which write comes at which place, the same at every place of
//! the log and in every run, so that a build that was stopped goes on where it ended.
//!
//! A tenth of the writes begin a key of their own; each of the others supersedes what one key said
//! last, and that key is any of all there are: the state grows, the mix does not change, and no
//! cache is flattered. Writes of one group are in flight together and never touch the same key.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use ledger_format::{Event, LedgerId, MemoryId, Seq};
use ledger_replay::Sequenced;
use ledger_store::storage::{FsStorage, Storage};
use ledger_store::{Check, Reader};
use memledger::Ledger;
use memledger::clock::DeclaredClock;
use memledger::format::Micros;

use crate::world::{Numbers, START, write};

/// Writes in flight together.
pub(crate) const GROUP: u64 = 500;
/// One write in so many begins a key.
const KEY_EVERY: u64 = 10;
/// Microseconds for each write.
const PACE: i64 = 100;
/// Bytes of text of one write.
const TEXT: usize = 60;

/// The keys of all writes, in order.
pub(crate) struct Picks {
    next: u64,
    keys: u64,
    group: std::vec::IntoIter<u64>,
}

impl Picks {
    pub(crate) fn new() -> Self {
        Self { next: 0, keys: 0, group: Vec::new().into_iter() }
    }

    fn refill(&mut self) {
        let before = self.keys;
        let mut taken = HashSet::new();
        let group = (self.next..self.next + GROUP).map(|write| {
            let mut numbers = Numbers::new(write);
            let begins = before == 0 || numbers.below(KEY_EVERY) == 0;
            let key = if begins { self.keys } else { numbers.below(before) };
            let key = if taken.insert(key) { key } else { self.keys };
            if key == self.keys {
                self.keys += 1;
                taken.insert(key);
            }
            key
        });
        self.group = group.collect::<Vec<_>>().into_iter();
        self.next += GROUP;
    }
}

impl Iterator for Picks {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.group.len() == 0 {
            self.refill();
        }
        self.group.next()
    }
}

/// When a write is recorded: what is in flight together has one time.
pub(crate) const fn time_of(write: u64) -> Micros {
    let group = write - write % GROUP;
    Micros(START + 1 + group as i64 * PACE)
}

/// A load under way.
pub(crate) struct Load {
    picks: Picks,
    /// The newest memory of every key.
    newest: Vec<MemoryId>,
    done: u64,
}

impl Load {
    /// Goes on behind what a log holds already.
    pub(crate) fn resume(path: &Path, id: LedgerId) -> Self {
        let mut load = Self { picks: Picks::new(), newest: Vec::new(), done: 0 };
        writes(path, id, |_, memory| {
            let key = load.picks.next().unwrap();
            load.settle(key, memory);
            load.done += 1;
        });
        load
    }

    pub(crate) const fn done(&self) -> u64 {
        self.done
    }

    /// Makes the next writes, and waits until they are durable.
    pub(crate) fn go_on(&mut self, ledger: &Ledger, clock: &DeclaredClock, writes: u64) {
        let end = self.done + writes;
        while self.done < end {
            let group = (end - self.done).min(GROUP - self.done % GROUP);
            let mut tickets = Vec::new();
            clock.set(time_of(self.done));
            for number in self.done..self.done + group {
                let key = self.picks.next().unwrap();
                let text = Numbers::new(!number).text(TEXT);
                let newest = self.newest.get(key as usize).copied();
                let submission = write(text, newest, Some(format!("k{key}")));
                tickets.push((key, ledger.enqueue(submission).unwrap()));
            }
            for (key, ticket) in tickets {
                self.settle(key, ticket.wait().unwrap()[0].id.unwrap());
            }
            self.done += group;
        }
    }

    fn settle(&mut self, key: u64, memory: MemoryId) {
        match self.newest.get_mut(key as usize) {
            Some(newest) => *newest = memory,
            None => self.newest.push(memory),
        }
    }
}

/// Hands over every write of a log in order: its record and its memory.
pub(crate) fn writes(path: &Path, id: LedgerId, mut each: impl FnMut(Seq, MemoryId)) {
    for event in events(path, id) {
        if let Event::Write(write) = &event.event {
            each(event.seq(), write.memory);
        }
    }
}

/// All events of a log, verified against the chain.
pub(crate) fn events(path: &Path, id: LedgerId) -> impl Iterator<Item = Sequenced> + use<> {
    let storage: Arc<dyn Storage> = Arc::new(FsStorage::open_read_only(path).unwrap());
    let reader = Reader::open(storage, id).unwrap();
    let stream = reader.stream(Seq(0), Check::Chain);
    stream.map(|stored| {
        let stored = stored.unwrap();
        Sequenced::from_bytes(&stored.bytes, stored.hash).unwrap()
    })
}
