//! Random histories of every kind of event, put into a real log, read back, and held against views
//! that were made from them in several ways: at every record the views say what replaying the log to
//! that record says, and what the oracle says.

use std::path::Path;

use ledger_format::{Kind, LedgerId, Micros, Seq};
use ledger_replay::{Birth, Change, Changes, Instants, Sequenced, State, apply};
use ledger_views::{Fold, OpenOptions, Rebuild, Views};
use replay_tests::oracle::Oracle;
use replay_tests::rng::Rng;
use replay_tests::sabotage::Sabotage;
use replay_tests::workload::{self, History, Op, Swarm, boundaries_of, time};
use replay_tests::{place, seed, stored, test_path, viewing};

/// A step may be odd in every way but one: no log takes a time that lies before the one before.
fn ops(seed: u64, length: usize) -> Vec<Op> {
    let wild = |op: Op| Op { odd: op.odd & !8, ..op };
    let ops = match seed % 3 {
        0 => Swarm::everything().ops(&mut Rng::part(seed, 7), length),
        _ => workload::ops(seed, length),
    };
    ops.into_iter().map(wild).collect()
}

/// A log and everything that replaying it gives.
struct Told {
    ledger: LedgerId,
    events: Vec<Sequenced>,
    changes: Vec<Changes>,
    /// The state after each record.
    states: Vec<State>,
    births: Vec<Birth>,
}

impl Told {
    /// Puts a history into a log and reads it back.
    fn of(history: &History, dir: &Path, rng: &mut Rng) -> Self {
        stored::write(dir, history, rng);
        let events = stored::read(dir, history.ledger);
        assert_eq!(events, history.events(), "the log gives back what was put in");
        Self::replayed(history.ledger, events)
    }

    fn replayed(ledger: LedgerId, events: Vec<Sequenced>) -> Self {
        let mut state = State::default();
        let (mut changes, mut states, mut births) = (Vec::new(), Vec::new(), Vec::new());
        for event in &events {
            let change = apply(&mut state, event);
            births.extend(change.list.iter().filter_map(|change| match change {
                Change::Born(birth) => Some(birth.clone()),
                _ => None,
            }));
            changes.push(change);
            states.push(state.clone());
        }
        Self { ledger, events, changes, states, births }
    }

    fn rebuilt(&self, dir: &Path) -> Views {
        let mut rebuild = Rebuild::begin(dir, OpenOptions::new(self.ledger)).unwrap();
        for change in &self.changes {
            rebuild.push(change).unwrap();
        }
        rebuild.finish().unwrap()
    }

    /// Views that grew piece by piece, and were closed and opened now and then.
    fn grown(&self, dir: &Path, rng: &mut Rng) -> Views {
        let options = OpenOptions::new(self.ledger);
        let mut views = Rebuild::begin(dir, options).unwrap().finish().unwrap();
        let mut rest = self.changes.as_slice();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(1 + rng.index(12)));
            views.apply(now).unwrap();
            rest = later;
            match rng.index(8) {
                0 => views.flush().unwrap(),
                1 => {
                    views.close().unwrap();
                    views = Views::open(dir, options).ready().unwrap();
                }
                _ => {}
            }
        }
        views
    }

    /// The instants a record and its neighbours name, one microsecond before and after each too.
    fn near(&self, seq: Seq) -> Vec<Micros> {
        let at = seq.0 as usize;
        let close = &self.events[at.saturating_sub(1)..=at];
        let named = close.iter().flat_map(|event| boundaries_of(&event.event));
        time::around(named.chain([self.events[at].header.recorded_at]))
    }
}

#[test]
fn views_replay_and_oracle_agree_at_every_record_of_a_log() {
    let path = test_path!(views_replay_and_oracle_agree_at_every_record_of_a_log);
    seed::each(&path, 24, |seed| {
        let mut rng = Rng::part(seed, 8);
        let dir = place::fast_dir();
        let history = workload::build(&ops(seed, 60));
        let told = Told::of(&history, &dir.path().join("log"), &mut rng);
        let rebuilt = told.rebuilt(&dir.path().join("rebuilt"));
        let grown = told.grown(&dir.path().join("grown"), &mut rng);
        let mut fold = Fold::new(told.ledger);
        for change in &told.changes {
            fold.push(change).unwrap();
        }
        assert_eq!(grown.digest(), fold.digest());
        assert_eq!(rebuilt.digest(), fold.digest());
        for views in [rebuilt, grown] {
            let compared = agree(&views, &told, &mut rng).unwrap_or_else(|why| panic!("{why}"));
            println!("{} records, compared {compared}", told.events.len());
            assert!(compared > 1_000, "{compared}");
            views.close().unwrap();
        }
    });
}

/// The comparison can fail: views made by a replay with a mistake are found out.
#[test]
fn views_of_a_mistaken_replay_are_found_out() {
    for sabotage in Sabotage::ALL {
        // A record that nobody can read changes no view: the archive says so, see `unknown.rs`.
        if sabotage == Sabotage::CriticalIgnored {
            continue;
        }
        let found = (0..12).any(|seed| {
            let swarm = Swarm::valid().with(Kind::PushDown, 30).with(Kind::Lift, 15);
            let history = workload::build(&swarm.ops(&mut Rng::new(seed), 60));
            let mut told = Told::replayed(history.ledger, history.events());
            let mut state = State::default();
            let wrongly = |event| sabotage.apply(&mut state, event);
            told.changes = told.events.iter().map(wrongly).collect();
            let dir = place::fast_dir();
            let views = told.rebuilt(dir.path());
            agree(&views, &told, &mut Rng::new(seed)).is_err()
        });
        assert!(found, "{sabotage:?} goes unnoticed");
    }
}

/// At every record: every memory, every group, at several pairs of instants.
fn agree(views: &Views, told: &Told, rng: &mut Rng) -> viewing::Compared {
    let oracle = Oracle::new(told.events.clone());
    let named = told.events.iter().flat_map(|event| boundaries_of(&event.event));
    let recorded = told.events.iter().map(|event| event.header.recorded_at);
    let boundaries = time::around(named.chain(recorded));
    let groups = viewing::groups(&told.births);
    let mut compared = viewing::times(views, &oracle, &boundaries)?;
    for state in &told.states {
        let head = state.head().unwrap();
        let moment = oracle.at(head.seq);
        let known = |valid| Instants { known: head.recorded_at, valid };
        let mut instants: Vec<Instants> = told.near(head.seq).into_iter().map(known).collect();
        instants.extend((0..6).map(|_| Instants {
            known: boundaries[rng.index(boundaries.len())],
            valid: boundaries[rng.index(boundaries.len())],
        }));
        compared += viewing::memories(views, state, &moment, &told.births, &instants)?;
        compared += viewing::members(views, head.seq, &moment, &groups)?;
    }
    Ok(compared + viewing::lives(views, &oracle.head(), &told.births)?)
}
