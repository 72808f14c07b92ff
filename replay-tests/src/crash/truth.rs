//! Owns what a life is when nothing disturbs it: the records, where submissions end, and the answers
//! about every record, which the oracle has confirmed.

use std::sync::{Arc, Mutex};

use ledger_format::{Micros, RecordHash, Seq};
use ledger_store::storage::TraceEntry;
use memledger::Ledger;

use super::lens::{Planted, lens};
use super::life::{Told, live};
use crate::oracle::Oracle;
use crate::small::{self, Answer};
use crate::stand::Stand;
use crate::witness::{at, events};
use crate::workload::time;
use memledger::civil::When;
use memledger::{Filter, Question};

/// The seed of every life of a sweep.
pub const SEED: u64 = 7;

/// A life that nothing disturbed.
#[derive(Clone, Debug)]
pub struct Truth {
    pub hashes: Vec<RecordHash>,
    /// Numbers of records that submissions ended with.
    pub ends: Vec<usize>,
    pub answers: Vec<Answer>,
    /// Every operation of the disk.
    pub trace: Vec<TraceEntry>,
}

impl Truth {
    /// Lives once, without a mistake, and holds every answer against the oracle.
    ///
    /// # Panics
    /// When an answer is not that of the oracle.
    #[must_use]
    pub fn new() -> Self {
        let mut stand = stand_seen(None).0;
        let mut told = Told::default();
        let mut ends = Vec::new();
        live(&mut stand, &mut told, |ledger, _| {
            ends.push(size(ledger));
            Ok(())
        })
        .unwrap();
        let ledger = stand.open().unwrap();
        assert_eq!(ledger.notices(), &[] as &[String]);
        confirmed(&ledger);
        let hashes = ledger.records(Seq(0), false).map(|record| record.unwrap().hash).collect();
        let answers = small::answers(&ledger, true).unwrap();
        ends.insert(0, 2);
        // Looking at the ledger costs operations: those that are stopped are of a life without.
        let mut stand = stand_seen(None).0;
        live(&mut stand, &mut Told::default(), |_, _| Ok(())).unwrap();
        let trace = stand.disk.take_trace();
        Self { hashes, ends, answers, trace }
    }
}

impl Default for Truth {
    fn default() -> Self {
        Self::new()
    }
}

/// The machine of every life of a sweep, and what another process saw on it.
#[must_use]
pub fn stand_seen(planted: Option<Planted>) -> (Stand, super::lens::Seen) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let lens = lens(planted, &seen);
    (Stand::new(SEED, Micros(time::BASE), lens), seen)
}

/// Records of a ledger.
pub fn size(ledger: &Ledger) -> usize {
    ledger.status().unwrap().size as usize
}

/// The archive says of every record what the oracle says.
pub fn confirmed(ledger: &Ledger) {
    (0..size(ledger) as u64).for_each(|seq| confirmed_at(ledger, seq));
}

/// The archive says of one record what the oracle says.
pub fn confirmed_at(ledger: &Ledger, seq: u64) {
    let history = Filter { include_history: true, ..Filter::default() };
    let question = Question { from_archive: true, ..at(When::Seq(seq), None) };
    let snapshot = ledger.snapshot(&question).unwrap();
    let all = snapshot.list(&history).unwrap();
    let current = snapshot.list(&Filter::default()).unwrap();
    let oracle = Oracle::new(events(ledger));
    let basis = snapshot.basis();
    let instants = time::around([basis.known_at, basis.valid_at]);
    let moment = oracle.at(Seq(seq));
    crate::asking::oracle(basis, &all.items, &current.items, &moment, &instants);
}
