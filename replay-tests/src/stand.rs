//! Owns a machine that can be taken away at any moment: a disk in memory, a clock set by hand, and
//! chance and keys that come from a seed. No file, no clock and no random source of the real machine
//! is touched, so the same calls give the same bytes.

use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ledger_format::Micros;
use ledger_store::storage::{MemStorage, Storage};
use ledger_store::{Entropy, StoreError, StoreOptions};
use memledger::clock::{Chance, Clock, Reading};
use memledger::machine::Machine;
use memledger::{InitOptions, Ledger, MasterEnv, OpenOptions, Result};

use crate::rng::Rng;

/// The ledger has no directory: this name is shown in messages.
const NOWHERE: &str = "in-memory";
/// 64 hex digits.
const MASTER: &str = "6d61737465726b65796f66612073696d756c617465646d656d6f72796c656467";

/// A wall clock that does what it is told, beside a steady one that counts how often it was asked.
#[derive(Debug)]
pub struct HandClock {
    wall: AtomicI64,
    asked: AtomicU64,
}

impl HandClock {
    /// Puts the wall clock to an instant.
    pub fn set(&self, at: Micros) {
        self.wall.store(at.0, Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Reading {
        let asked = self.asked.fetch_add(1, Ordering::SeqCst);
        let wall = Micros(self.wall.load(Ordering::SeqCst));
        Reading { wall, steady: Duration::from_millis(asked) }
    }
}

/// Chance and keys of one process.
#[derive(Debug)]
struct Dice(Mutex<Rng>);

impl Dice {
    fn roll(&self, bytes: &mut [u8]) {
        let mut rng = self.0.lock().unwrap();
        bytes.iter_mut().for_each(|byte| *byte = rng.byte());
    }
}

impl Chance for Dice {
    fn fill(&self, bytes: &mut [u8]) -> std::result::Result<(), String> {
        self.roll(bytes);
        Ok(())
    }
}

impl Entropy for Dice {
    fn fill(&self, bytes: &mut [u8]) -> std::result::Result<(), StoreError> {
        self.roll(bytes);
        Ok(())
    }
}

/// How the disk looks to the ledger: as it is, or through something that lies.
pub type Lens = Arc<dyn Fn(&MemStorage) -> Arc<dyn Storage> + Send + Sync>;

/// The disk as it is.
#[must_use]
pub fn honest() -> Lens {
    Arc::new(|disk| Arc::new(disk.clone()))
}

/// A machine with one ledger.
pub struct Stand {
    pub disk: MemStorage,
    pub clock: Arc<HandClock>,
    /// Whether a process that opens accepts a clock that is far ahead.
    pub confirm_clock: bool,
    lens: Lens,
    seed: u64,
    /// Processes so far: each has chance and keys of its own.
    processes: u64,
}

impl std::fmt::Debug for Stand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stand").field("disk", &self.disk).field("seed", &self.seed).finish()
    }
}

impl Stand {
    /// An empty machine.
    #[must_use]
    pub fn new(seed: u64, at: Micros, lens: Lens) -> Self {
        Self::on(MemStorage::new(), seed, at, lens)
    }

    /// A machine with this disk.
    #[must_use]
    pub fn on(disk: MemStorage, seed: u64, at: Micros, lens: Lens) -> Self {
        let clock = HandClock { wall: AtomicI64::new(at.0), asked: AtomicU64::new(0) };
        let confirm_clock = true;
        Self { disk, clock: Arc::new(clock), confirm_clock, lens, seed, processes: 0 }
    }

    /// Makes the ledger.
    ///
    /// # Errors
    /// As [`Ledger::init`].
    pub fn init(&mut self) -> Result<Ledger> {
        let dice = self.dice();
        let options = InitOptions {
            origin: Some("crash.example".into()),
            clock: self.clock.clone(),
            chance: dice.clone(),
            store: small(),
            master: master(),
            machine: Machine::simulated((self.lens)(&self.disk), dice),
            ..InitOptions::default()
        };
        Ok(Ledger::init(Path::new(NOWHERE), options)?.ledger)
    }

    /// Opens the ledger in a new process.
    ///
    /// # Errors
    /// As [`Ledger::open`].
    pub fn open(&mut self) -> Result<Ledger> {
        let options = self.options();
        Ledger::open(Path::new(NOWHERE), options)
    }

    /// Opens the ledger for reading beside whoever holds it.
    ///
    /// # Errors
    /// As [`Ledger::open_archive`].
    pub fn open_archive(&mut self) -> Result<Ledger> {
        let options = self.options();
        Ledger::open_archive(Path::new(NOWHERE), options)
    }

    /// How a new process opens the ledger.
    pub fn options(&mut self) -> OpenOptions {
        let dice = self.dice();
        OpenOptions {
            clock: self.clock.clone(),
            chance: dice.clone(),
            store: small(),
            master: master(),
            machine: Machine::simulated((self.lens)(&self.disk), dice),
            confirm_clock: self.confirm_clock,
            ..OpenOptions::default()
        }
    }

    fn dice(&mut self) -> Arc<Dice> {
        self.processes += 1;
        Arc::new(Dice(Mutex::new(Rng::part(self.seed, self.processes))))
    }
}

/// The key of every ledger on such a machine.
#[must_use]
pub fn master() -> MasterEnv {
    MasterEnv { key: Some(MASTER.as_bytes().to_vec().into()), ..MasterEnv::default() }
}

/// Files so small that a few batches fill them, and anchors every few submissions.
#[must_use]
pub fn small() -> StoreOptions {
    StoreOptions {
        segment_bytes: 4096 + 6000,
        payload_file_bytes: 6000,
        fill_first: 1024,
        fill_most: 4096,
        anchor_millis: 7,
        ..StoreOptions::sequential()
    }
}
