//! Owns asking one ledger in two ways at once, and the oracle about the same records.

use ledger_format::{Event, MemoryId, Micros, Seq};
use ledger_replay::Sequenced;
use memledger::civil::{When, Zone};
use memledger::{Basis, Filter, Ledger, Question};

use crate::asking;
use crate::oracle::{Moment, Oracle};
use crate::rng::Rng;
use crate::workload::{boundaries_of, time};

/// Two ways to ask about one ledger, and what is known about it.
#[derive(Debug)]
pub struct Witness<'a> {
    pub views: &'a Ledger,
    pub archive: &'a Ledger,
    pub oracle: Oracle,
    pub events: Vec<Sequenced>,
    memories: Vec<MemoryId>,
    instants: Vec<Micros>,
    filters: Vec<Filter>,
    /// How many values were compared so far.
    pub compared: usize,
}

impl<'a> Witness<'a> {
    /// `archive` may be the same opening as `views`, or one of its own.
    #[must_use]
    pub fn new(views: &'a Ledger, archive: &'a Ledger) -> Self {
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

    /// The end of one of the lifetimes; none: no event names one.
    pub fn some_lifetime(&self, rng: &mut Rng) -> Option<Micros> {
        let ends = self.events.iter().filter_map(|event| match &event.event {
            Event::Write(write) => write.ttl_until,
            Event::Confirm(confirm) => confirm.ttl_until,
            _ => None,
        });
        let ends: Vec<Micros> = ends.collect();
        (!ends.is_empty()).then(|| ends[rng.index(ends.len())])
    }

    /// One of the instants that events name, or a neighbour.
    pub fn some_instant(&self, rng: &mut Rng) -> Micros {
        self.instants[rng.index(self.instants.len())]
    }

    /// Both ways and the oracle about one question. Panics at the first difference.
    pub fn ask(&mut self, question: &Question, rng: &mut Rng) {
        let truth = Question { from_archive: true, ..question.clone() };
        let views = self.views.snapshot(question).unwrap();
        let archive = self.archive.snapshot(&truth).unwrap();
        self.compared += asking::bases(&views, &archive);
        let with_history = Filter { include_history: true, ..Filter::default() };
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
        let basis = views.basis();
        let moment = self.moment(question, basis);
        let mut told = 0;
        if !self.memories.is_empty() {
            let id = self.memories[rng.index(self.memories.len())];
            told += asking::memory(&views, &archive, &id);
            told += asking::life(&views, &moment, &id);
        }
        let near = time::around([basis.known_at, basis.valid_at, self.some_instant(rng)]);
        told += asking::oracle(basis, &all.items, &current.items, &moment, &near);
        self.compared += all.items.len() + current.items.len() + some.items.len() + told;
    }

    /// The records with their times.
    #[must_use]
    pub fn records(&self) -> Vec<(Seq, Micros)> {
        let record = |event: &Sequenced| (event.seq(), event.header.recorded_at);
        self.events.iter().map(record).collect()
    }

    /// Both ways about what changed between two moments, and about the records themselves. Panics at
    /// the first difference.
    pub fn compare_changes(&mut self, rng: &mut Rng) {
        let records = self.events.len();
        assert_eq!(
            self.views.log(Seq(0), records + 1).unwrap(),
            self.archive.log(Seq(0), records + 1).unwrap()
        );
        let from_archive =
            |question: &Question| Question { from_archive: true, ..question.clone() };
        for _ in 0..10 {
            let [one, other] = [(); 2].map(|()| at(When::Seq(rng.below(records as u64)), None));
            let filter = &self.filters[rng.index(self.filters.len())];
            let (.., views) = self.views.diff(&one, &other, filter).unwrap();
            let (one, other) = (from_archive(&one), from_archive(&other));
            let (.., archive) = self.archive.diff(&one, &other, filter).unwrap();
            assert_eq!(views, archive, "{one:?} {other:?} {filter:?}");
            self.compared += views.len() + 1;
        }
    }

    /// The same moment by the oracle, which also resolves instants.
    fn moment(&self, question: &Question, basis: &Basis) -> Moment<'_> {
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
#[must_use]
pub fn events(ledger: &Ledger) -> Vec<Sequenced> {
    let records = ledger.records(Seq(0), false).map(Result::unwrap);
    let events = records.map(|raw| Sequenced::from_bytes(&raw.bytes, raw.hash).unwrap());
    events.collect()
}

/// A question about what was known at one time to hold at another.
#[must_use]
pub fn at(known: When, valid: Option<When>) -> Question {
    Question { known, valid, ..Question::now(Zone::UTC) }
}
