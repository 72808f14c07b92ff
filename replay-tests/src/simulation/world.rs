//! Owns one simulated world: the machine, the caller, and what the caller may rely on.

use ledger_format::{Micros, RecordHash, Seq};
use ledger_store::storage::{Fault, FaultPlan, Survival};
use memledger::answer::Item;
use memledger::civil::When;
use memledger::{Error, ErrorKind, Filter, Ledger, Question};

use super::{Met, digest};
use crate::caller::Caller;
use crate::crash::check::whole;
use crate::crash::truth::{confirmed, confirmed_at};
use crate::rng::Rng;
use crate::stand::{Stand, honest};
use crate::witness::at;
use crate::workload::time;

const HOUR: i64 = 3_600_000_000;
/// The shortest part of a write that a fault leaves: a sector is written whole.
const SECTOR: u64 = 512;

/// A world of one seed.
#[derive(Debug)]
pub struct World {
    rng: Rng,
    stand: Stand,
    caller: Caller,
    ledger: Option<Ledger>,
    now: i64,
    /// Every record that must be there.
    kept: Vec<RecordHash>,
    /// Whether a submission failed since then, of which all or nothing may be there.
    unsure: bool,
    /// Whether a fault may have met what follows an answer, of which the next submission is told.
    lurking: bool,
    met: Met,
}

impl World {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut stand = Stand::new(seed, Micros(time::BASE), honest());
        let ledger = stand.init().unwrap();
        let mut world = Self {
            rng: Rng::part(seed, 21),
            stand,
            caller: Caller::new(Rng::part(seed, 22), 5),
            ledger: Some(ledger),
            now: time::BASE,
            kept: Vec::new(),
            unsure: false,
            lurking: false,
            met: Met::default(),
        };
        world.kept = hashes(world.ledger());
        world
    }

    /// One thing happens.
    pub fn step(&mut self) {
        self.met.steps += 1;
        match self.rng.below(100) {
            0..58 => self.submit(),
            58..68 => self.read(),
            68..76 => self.clock(),
            76..82 => self.close(),
            82..86 => self.kill(),
            86..93 => self.power_cut(),
            93..97 => self.look_at_one(),
            _ => whole(self.ledger()).unwrap_or_else(|what| panic!("{what}")),
        }
    }

    /// Everything is checked once more, after a last restart.
    #[must_use]
    pub fn end(mut self) -> Met {
        self.close();
        let ledger = self.ledger.take().unwrap();
        whole(&ledger).unwrap_or_else(|what| panic!("{what}"));
        confirmed(&ledger);
        self.met.records = self.kept.len() as u64;
        ledger.close().unwrap();
        self.met.digest = digest(&self.stand.disk);
        self.met
    }

    fn ledger(&self) -> &Ledger {
        self.ledger.as_ref().unwrap()
    }

    fn submit(&mut self) {
        self.now += self.rng.below(HOUR as u64) as i64;
        self.stand.clock.set(Micros(self.now));
        let submission = self.caller.submission();
        let fresh = self.rng.chance(1, 6);
        let meets = fresh || self.lurking;
        if fresh {
            self.put_fault(40);
        }
        let done = self.ledger().submit(submission.clone());
        self.stand.disk.set_fault(FaultPlan::none());
        self.lurking = meets;
        match done {
            Ok(outcomes) => {
                self.met.answered += 1;
                self.caller.recorded(submission, &outcomes);
                if let Some(last) = outcomes.last().filter(|last| !last.repeated) {
                    self.take_in(last.head, last.head_hash);
                }
            }
            Err(error) => self.failed(&error, meets),
        }
        if self.stand.disk.is_stopped() {
            self.power_cut();
        }
    }

    /// What was answered is kept from now on, and so is all that lies before it.
    fn take_in(&mut self, head: Seq, hash: RecordHash) {
        if self.stand.disk.is_stopped() {
            // It can be read when the machine is on again; its hash is known now.
            let length = head.0 as usize + 1;
            self.kept.resize(length.max(self.kept.len()), RecordHash::ZERO);
            self.kept[head.0 as usize] = hash;
            return;
        }
        let records = self.ledger().records(Seq(self.kept.len() as u64), false);
        let more: Vec<RecordHash> = records.map(|record| record.unwrap().hash).collect();
        self.kept.extend(more);
        assert_eq!(self.kept.len() as u64, head.0 + 1);
        assert_eq!(self.kept.last(), Some(&hash));
    }

    fn failed(&mut self, error: &Error, meets: bool) {
        let said =
            [ErrorKind::Conflict, ErrorKind::NotFound, ErrorKind::Invalid, ErrorKind::Refused];
        if said.contains(&error.kind()) {
            self.met.refused += 1;
            return;
        }
        self.met.failed += 1;
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        let by_clock = error.to_string().contains("--confirm-clock");
        assert!(meets || by_clock, "nothing was in the way: {error}");
        self.unsure = meets;
        if self.stand.disk.is_stopped() {
            return;
        }
        if by_clock || self.rng.chance(3, 4) {
            self.ledger = None;
            self.reopen();
        } else {
            self.power_cut();
        }
    }

    fn read(&mut self) {
        let size = self.kept.len() as u64;
        let question = at(When::Seq(self.rng.below(size)), None);
        let good = list(self.ledger(), &question).unwrap();
        let entry = Seq(self.rng.below(size));
        let record = self.ledger().show(entry).unwrap();
        self.put_fault_of(&[Fault::Io, Fault::Short { bytes: 1 }], 12);
        let (again, shown) = (list(self.ledger(), &question), self.ledger().show(entry));
        self.stand.disk.set_fault(FaultPlan::none());
        // All of it, or an error: never a part.
        match again {
            Ok(items) => assert_eq!(items, good),
            Err(_) => self.met.reads_failed += 1,
        }
        match shown {
            Ok(found) => assert_eq!(found, record),
            Err(_) => self.met.reads_failed += 1,
        }
    }

    fn clock(&mut self) {
        let jump = [-HOUR, HOUR, 30 * HOUR, 24 * 40 * HOUR, -48 * HOUR, 0];
        self.now += jump[self.rng.index(jump.len())];
        self.stand.clock.set(Micros(self.now));
    }

    fn close(&mut self) {
        let fresh = self.rng.chance(1, 4);
        let meets = fresh || self.lurking;
        if fresh {
            self.put_fault(12);
        }
        let closed = self.ledger.take().unwrap().close();
        self.stand.disk.set_fault(FaultPlan::none());
        assert!(closed.is_ok() || meets, "{closed:?}");
        if self.stand.disk.is_stopped() {
            return self.power_cut();
        }
        self.reopen();
        let notices = self.ledger().notices();
        assert!(meets || notices.is_empty(), "{notices:?}");
    }

    fn kill(&mut self) {
        self.ledger = None;
        self.reopen();
    }

    fn power_cut(&mut self) {
        self.met.cuts += 1;
        self.ledger = None;
        let how = match self.rng.below(5) {
            0 => Survival::Nothing,
            1 => Survival::Everything,
            _ => Survival::Seeded(self.rng.number()),
        };
        self.stand.disk = self.stand.disk.crash(how);
        self.reopen();
    }

    /// A new process. One that meets a fault is followed by another; without one it opens.
    fn reopen(&mut self) {
        loop {
            self.met.openings += 1;
            let meets = self.rng.chance(1, 6);
            if meets {
                self.put_fault(80);
            }
            let opened = self.stand.open();
            self.stand.disk.set_fault(FaultPlan::none());
            let stopped = self.stand.disk.is_stopped();
            match opened {
                Ok(ledger) if !stopped => {
                    self.ledger = Some(ledger);
                    break;
                }
                Ok(ledger) => drop(ledger),
                Err(error) => assert!(meets, "it does not open: {error}"),
            }
            self.met.openings_failed += 1;
            if stopped {
                self.stand.disk = self.stand.disk.crash(Survival::Seeded(self.rng.number()));
            }
        }
        self.compare();
    }

    /// What is there is what was kept, and nothing but one batch that failed.
    fn compare(&mut self) {
        let found = hashes(self.ledger());
        assert!(found.len() >= self.kept.len(), "{} of {}", found.len(), self.kept.len());
        for (seq, (kept, found)) in self.kept.iter().zip(&found).enumerate() {
            assert!(kept == found || *kept == RecordHash::ZERO, "record {seq} is another one");
        }
        let more = found.len() - self.kept.len();
        assert!(more == 0 || self.unsure, "{more} records that nobody asked for");
        self.met.surprises += u64::from(more > 0);
        self.kept = found;
        (self.unsure, self.lurking) = (false, false);
    }

    fn look_at_one(&mut self) {
        let seq = self.rng.below(self.kept.len() as u64);
        confirmed_at(self.ledger(), seq);
    }

    /// Something fails within the next operations.
    fn put_fault(&mut self, within: u64) {
        let bytes = SECTOR * (1 + self.rng.below(6));
        let kinds = [
            Fault::Io,
            Fault::NoSpace,
            Fault::Short { bytes },
            Fault::Stop,
            Fault::StopInside { bytes },
        ];
        self.put_fault_of(&kinds, within);
    }

    fn put_fault_of(&mut self, kinds: &[Fault], within: u64) {
        self.met.faults += 1;
        let kind = kinds[self.rng.index(kinds.len())];
        let op = self.stand.disk.ops() + self.rng.below(within);
        self.stand.disk.set_fault(FaultPlan::at(op, kind));
    }
}

fn hashes(ledger: &Ledger) -> Vec<RecordHash> {
    ledger.records(Seq(0), false).map(|record| record.unwrap().hash).collect()
}

fn list(ledger: &Ledger, question: &Question) -> memledger::Result<Vec<Item>> {
    let filter = Filter { include_history: true, ..Filter::default() };
    Ok(ledger.snapshot(question)?.list(&filter)?.items)
}
