//! Owns the ledgers and texts that are measured.

use std::path::Path;
use std::sync::Arc;

use memledger::clock::DeclaredClock;
use memledger::format::{MemoryId, Micros};
use memledger::{
    Command, Content, InitOptions, Ledger, MasterEnv, OpenOptions, Proposal, Scope, Submission,
    Terms, Ticket,
};

/// A deterministic stream of numbers (SplitMix64; Steele, Lea and Flood 2014).
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Hex text of `bytes` characters, which does not compress below half.
    pub(crate) fn text(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 16);
        while text.len() < bytes {
            text.push_str(&format!("{:016x}", self.next()));
        }
        text.truncate(bytes);
        text
    }
}

pub(crate) const START: i64 = 1_700_000_000_000_000;

pub(crate) fn create(dir: &Path) -> (Ledger, Arc<DeclaredClock>) {
    let clock = Arc::new(DeclaredClock::new(Micros(START)));
    let options =
        InitOptions { clock: clock.clone(), master: keys_beside(dir), ..InitOptions::default() };
    (Ledger::init(dir, options).unwrap().ledger, clock)
}

pub(crate) fn reopen(dir: &Path) -> Ledger {
    let clock = Arc::new(DeclaredClock::new(Micros(START)));
    Ledger::open(dir, OpenOptions { clock, master: keys_beside(dir), ..OpenOptions::default() })
        .unwrap()
}

/// The master key lies beside the ledger and goes with it.
fn keys_beside(ledger: &Path) -> MasterEnv {
    let keys = ledger.parent().map(|parent| parent.join("keys"));
    MasterEnv { key_dir: keys, ..MasterEnv::default() }
}

pub(crate) fn scope() -> Scope {
    "org/acme/project/web".parse().unwrap()
}

pub(crate) fn write(text: String, supersedes: Option<MemoryId>, key: Option<String>) -> Submission {
    let mut proposal = Proposal::new(Content::Text(text), scope());
    proposal.source = Some("chat:bench#1".parse().unwrap());
    proposal.supersedes.extend(supersedes);
    proposal.key = key;
    Submission::of(Command::Write(Box::new(proposal)), Terms::default())
}

/// Fills a ledger with `records` writes over `keys` keys, each write superseding the one before it
/// under its key, one microsecond apart. Returns the newest memory of every key.
pub(crate) fn fill(
    ledger: &Ledger,
    clock: &DeclaredClock,
    records: u64,
    keys: u64,
) -> Vec<MemoryId> {
    let mut numbers = Numbers::new(1);
    let mut newest: Vec<Option<MemoryId>> = vec![None; keys as usize];
    let mut tickets: Vec<(usize, Ticket)> = Vec::new();
    for record in 0..records {
        let key = (record % keys) as usize;
        if tickets.len() >= keys.min(512) as usize {
            settle(&mut tickets, &mut newest);
        }
        clock.set(Micros(START + 1 + record as i64));
        let submission = write(numbers.text(60), newest[key], Some(format!("k{key}")));
        tickets.push((key, ledger.enqueue(submission).unwrap()));
    }
    settle(&mut tickets, &mut newest);
    newest.into_iter().flatten().collect()
}

fn settle(tickets: &mut Vec<(usize, Ticket)>, newest: &mut [Option<MemoryId>]) {
    for (key, ticket) in tickets.drain(..) {
        newest[key] = ticket.wait().unwrap()[0].id;
    }
}
