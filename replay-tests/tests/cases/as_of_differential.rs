//! The central promise: for every record of every log, the answer from the views is the answer from
//! replaying the raw archive to that record, and both are what the oracle says of the same records.
//!
//! Histories are lived through the facade, so everything between a command and an answer takes part.
//! The archive is asked in an opening of its own, which shares nothing in memory with the one that
//! has the views; now and then both ways are asked of one opening, while it writes too.

use std::collections::BTreeSet;

use ledger_format::{MemoryId, Micros, Seq};
use ledger_replay::Sequenced;
use memledger::civil::{When, Zone};
use memledger::{Filter, Ledger, Question};
use replay_tests::oracle::{Moment, Oracle};
use replay_tests::player::play;
use replay_tests::rng::Rng;
use replay_tests::workload::{boundaries_of, time};
use replay_tests::{asking, seed, test_path};

const STEPS: usize = 45;

/// Two ways to ask about one ledger, and what is known about it.
struct Witness<'a> {
    views: &'a Ledger,
    archive: &'a Ledger,
    oracle: Oracle,
    events: Vec<Sequenced>,
    memories: Vec<MemoryId>,
    instants: Vec<Micros>,
    filters: Vec<Filter>,
    compared: usize,
}

impl<'a> Witness<'a> {
    fn new(views: &'a Ledger, archive: &'a Ledger) -> Self {
        let events = events(views);
        let named = events.iter().flat_map(|event| boundaries_of(&event.event));
        let recorded = events.iter().map(|event| event.header.recorded_at);
        let oracle = Oracle::new(events.clone());
        Self {
            views,
            archive,
            memories: oracle.head().memories(),
            instants: time::around(named.chain(recorded)),
            filters: asking::filters(),
            oracle,
            events,
            compared: 0,
        }
    }

    fn some_instant(&self, rng: &mut Rng) -> Micros {
        self.instants[rng.index(self.instants.len())]
    }

    /// Both ways and the oracle about one question.
    fn ask(&mut self, question: &Question, rng: &mut Rng) {
        let truth = Question {
            from_archive: true,
            ..question.clone()
        };
        let views = self.views.snapshot(question).unwrap();
        let archive = self.archive.snapshot(&truth).unwrap();
        self.compared += asking::bases(&views, &archive);
        let with_history = Filter {
            include_history: true,
            ..Filter::default()
        };
        let all = asking::listing(&views, &archive, &with_history);
        let current = asking::listing(&views, &archive, &Filter::default());
        let filter = Filter {
            include_history: rng.chance(1, 2),
            ..self.filters[rng.index(self.filters.len())].clone()
        };
        let some = asking::listing(&views, &archive, &filter);
        asking::paged(&views, &filter, &some, 3);
        if rng.chance(1, 6) {
            asking::paged(&views, &with_history, &all, 3);
            asking::paged(&archive, &filter, &some, 1);
        }
        if !self.memories.is_empty() {
            let id = self.memories[rng.index(self.memories.len())];
            self.compared += asking::memory(&views, &archive, &id);
        }
        let basis = views.basis();
        let moment = self.moment(question, basis);
        let near = time::around([basis.known_at, basis.valid_at, self.some_instant(rng)]);
        let told = asking::oracle(basis, &all.items, &current.items, &moment, &near);
        self.compared += all.items.len() + current.items.len() + some.items.len() + told;
    }

    /// The same moment by the oracle, which also resolves instants.
    fn moment(&self, question: &Question, basis: &memledger::Basis) -> Moment<'_> {
        if question.claimed {
            return self.oracle.claimed(basis.known_at);
        }
        let moment = match question.known {
            When::Seq(seq) => self.oracle.at(Seq(seq)),
            When::Size(0) => self.oracle.known(Micros::MIN),
            When::Size(size) => self.oracle.at(Seq(size - 1)),
            _ => self.oracle.known(basis.known_at),
        };
        let last = moment.events().last().map(|event| event.seq());
        assert_eq!(basis.seq, last, "{}", basis.line());
        moment
    }
}

/// The ledger's own records as events.
fn events(ledger: &Ledger) -> Vec<Sequenced> {
    let records = ledger.records(Seq(0), false).map(Result::unwrap);
    let events = records.map(|raw| Sequenced::from_bytes(&raw.bytes, raw.hash).unwrap());
    events.collect()
}

fn at(known: When, valid: Option<When>) -> Question {
    Question {
        known,
        valid,
        ..Question::now(Zone::UTC)
    }
}

#[test]
fn both_ways_and_the_oracle_agree_at_every_record() {
    let path = test_path!(both_ways_and_the_oracle_agree_at_every_record);
    seed::each(&path, 6, |seed| {
        let played = play(seed, STEPS, |_, _| ());
        let views = played.place.open();
        let archive = played.place.archive_at(&played.place.path()).unwrap();
        let mut witness = Witness::new(&views, &archive);
        let mut rng = Rng::part(seed, 5);
        for (seq, recorded) in witness.events.iter().map(|event| (event.seq(), event.header.recorded_at)).collect::<Vec<_>>() {
            let valid = witness.some_instant(&mut rng);
            let mut questions = vec![
                at(When::Seq(seq.0), Some(When::Instant(valid))),
                at(When::Instant(recorded), None),
                at(When::Instant(Micros(recorded.0 - 1)), Some(When::Head)),
            ];
            if rng.chance(1, 2) {
                questions.push(at(When::Size(seq.0), Some(When::Instant(recorded))));
            }
            for question in &questions {
                witness.ask(question, &mut rng);
            }
        }
        println!("seed {seed}: {} records, {} memories, {}+{} submissions, {} repeated, {} openings, compared {}", witness.events.len(), played.memories.len(), played.accepted, played.refused, played.repeated, played.openings, witness.compared);
        assert!(witness.compared > 1_000, "{}", witness.compared);
        views.close().unwrap();
    });
}

#[test]
fn both_ways_and_the_oracle_agree_on_the_claimed_axis() {
    let path = test_path!(both_ways_and_the_oracle_agree_on_the_claimed_axis);
    seed::each(&path, 6, |seed| {
        let played = play(seed, STEPS, |_, _| ());
        let views = played.place.open();
        let archive = played.place.archive_at(&played.place.path()).unwrap();
        let mut witness = Witness::new(&views, &archive);
        let mut rng = Rng::part(seed, 6);
        let claims = witness.events.iter().filter_map(|event| event.claimed_at);
        let claims: BTreeSet<Micros> = time::around(claims).into_iter().collect();
        for claim in claims {
            let valid = witness.some_instant(&mut rng);
            let question = Question {
                claimed: true,
                ..at(When::Instant(claim), Some(When::Instant(valid)))
            };
            witness.ask(&question, &mut rng);
        }
        println!("seed {seed}: compared {}", witness.compared);
        views.close().unwrap();
    });
}
