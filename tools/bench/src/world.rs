//! Owns the ledgers and texts that are measured.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ledger_format::LedgerId;
use memledger::clock::DeclaredClock;
use memledger::format::{MemoryId, Micros};
use memledger::{
    Command, Content, InitOptions, Ledger, MasterEnv, OpenOptions, Proposal, Scope, Submission,
    Terms,
};
use tempfile::TempDir;

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

pub(crate) fn reopen(dir: &Path) -> (Ledger, Arc<DeclaredClock>) {
    let clock = Arc::new(DeclaredClock::new(Micros(START)));
    let master = keys_beside(dir);
    let options = OpenOptions { clock: clock.clone(), master, ..OpenOptions::default() };
    (Ledger::open(dir, options).unwrap(), clock)
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

/// A ledger that the parts measure, in a directory that may have been there before.
pub(crate) struct Site {
    pub(crate) dir: PathBuf,
    /// Writes that it is to hold.
    pub(crate) size: u64,
    /// How often what varies is measured.
    pub(crate) rounds: u64,
}

impl Site {
    pub(crate) fn ledger(&self) -> PathBuf {
        self.dir.join("ledger")
    }

    /// An empty directory beside the ledger, for what is thrown away.
    pub(crate) fn scratch(&self) -> TempDir {
        tempfile::tempdir_in(&self.dir).unwrap()
    }

    pub(crate) fn id(&self) -> LedgerId {
        let ledger = self.open();
        let id = ledger.id();
        ledger.close().unwrap();
        id
    }

    pub(crate) fn open(&self) -> Ledger {
        reopen(&self.ledger()).0
    }
}

/// Bytes of all files below a directory.
pub(crate) fn bytes_below(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    let of = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.unwrap();
        let metadata = entry.metadata().unwrap();
        if metadata.is_dir() { bytes_below(&entry.path()) } else { metadata.len() }
    };
    entries.map(of).sum()
}
