//! Durable appends: one client, many clients, batches (goals A1, A2, A3, A6 of the design).
//!
//! A write here is what a user writes: about 600 bytes of text and a source, sealed, chained, in
//! the tree, durable. The floor and the peers store the same number of bytes without any of that.

use std::time::Duration;

use memledger::format::Seq;
use memledger::{Command, Content, Ledger, Proposal, Submission, Terms};

use crate::floor::{self, Committer};
use crate::measure::{Spread, cpu, cpu_seconds, percentile, time, title};
use crate::peers::{self, Fjall, Redb, Sqlite, Store as _};
use crate::postgres::Postgres;
use crate::rows::{OURS, Rows};
use crate::world::{Numbers, create, scope, write};

const TEXT: usize = 600;
/// Operations of one client in one round.
const OPERATIONS: usize = 1_200;
/// Log and payload bytes of one such write, rounded: what floor and peers store.
const STORED: usize = 1_150;

/// All three parts, or the one that is named.
pub(crate) fn run(rounds: u64, part: Option<&str>, rows: &mut Rows) {
    let wanted = |name| part.is_none_or(|part| part == name);
    if wanted("one") {
        rows.part("one client", |rows| one_client(rounds, rows));
    }
    if wanted("many") {
        rows.part("many clients", |rows| many_clients(rounds, rows));
    }
    if wanted("batch") {
        rows.part("batches", |rows| batches(rounds, rows));
    }
}

/// Operations of all variants one by one in turn; the 10th percentile tells the path, the median
/// tells the neighbours too.
fn one_client(rounds: u64, rows: &mut Rows) {
    title("A1: durable append, one client, 1,200 operations in turn, in each round");
    let mut all: [Vec<f64>; 5] = Default::default();
    let mut ratios: [Vec<f64>; 4] = Default::default();
    let mut cpus = vec![];
    for _ in 0..rounds {
        let (mut taken, cpu) = one_round();
        cpus.push(cpu);
        let p10s: Vec<f64> = taken.iter_mut().map(|values| percentile(values, 0.1)).collect();
        ratios.iter_mut().zip(&p10s[1..]).for_each(|(all, peer)| all.push(p10s[0] / peer));
        all.iter_mut().zip(taken).for_each(|(all, mut values)| all.append(&mut values));
    }
    for (mut values, name) in all.into_iter().zip([OURS, "floor", "SQLite", "redb", "fjall"]) {
        rows.figure(
            "A1 one durable append: p50 [p10..p99]",
            name,
            "us",
            Spread::middle(&mut values),
        );
    }
    rows.figure("A1 CPU of one append, all threads", OURS, "us", Spread::of(cpus));
    let [floor, sqlite, redb, fjall] = ratios.map(Spread::of);
    rows.goal("A1 p10 / floor", "<= 1.3", floor);
    rows.goal("A1 p10 / SQLite", "<= 1.0", sqlite);
    rows.figure("A1 p10 / redb", OURS, "", redb);
    rows.figure("A1 p10 / fjall", OURS, "", fjall);
}

/// Microseconds of every operation: ours, floor, SQLite, redb, fjall; and processor time of ours.
fn one_round() -> ([Vec<f64>; 5], f64) {
    let dir = tempfile::tempdir().unwrap();
    let (ledger, _) = create(&dir.path().join("ledger"));
    let mut floor = Committer::new(&dir.path().join("floor"), 4 << 20);
    let mut sqlite = Sqlite::new(&dir.path().join("sqlite"));
    let mut redb = Redb::new(&dir.path().join("redb"));
    let mut fjall = Fjall::new(&dir.path().join("fjall"));
    let mut numbers = Numbers::new(3);
    let mut all: [Vec<f64>; 5] = Default::default();
    let blob = [vec![7; STORED]];
    let micros = |(_, took): ((), Duration)| took.as_secs_f64() * 1e6;
    for _ in 0..OPERATIONS {
        let submission = write(numbers.text(TEXT), None, None);
        all[0].push(micros(time(|| drop(ledger.submit(submission).unwrap()))));
        all[1].push(micros(time(|| floor.commit(&blob[0]))));
        all[2].push(micros(time(|| sqlite.commit(&blob))));
        all[3].push(micros(time(|| redb.commit(&blob))));
        all[4].push(micros(time(|| fjall.commit(&blob))));
    }
    let submissions: Vec<_> =
        (0..OPERATIONS).map(|_| write(numbers.text(TEXT), None, None)).collect();
    let ((), spent) = cpu(|| {
        submissions.into_iter().for_each(|submission| drop(ledger.submit(submission).unwrap()));
    });
    ledger.close().unwrap();
    (all, spent.as_secs_f64() * 1e6 / OPERATIONS as f64)
}

fn many_clients(rounds: u64, rows: &mut Rows) {
    title("A2, A3: 1, 8, 64 and 256 clients through the facade, alternating rounds");
    let mut single = 0.0;
    let postgres = Postgres::start(STORED);
    for clients in [1, 8, 64, 256] {
        let each = (8_000 / clients).max(24);
        let (mut rates, mut per_flush) = (vec![], vec![]);
        let (mut to_floor, mut to_sqlite, mut to_postgres) = (vec![], vec![], vec![]);
        let mut cpus = vec![];
        for _ in 0..rounds {
            let dir = tempfile::tempdir().unwrap();
            let (ledger, _) = create(&dir.path().join("ledger"));
            let before = cpu_seconds();
            let (batches, took) = time(|| facade_clients(&ledger, clients, each));
            let total = (clients * each) as f64;
            cpus.push((cpu_seconds() - before) * 1e6 / total);
            let rate = total / took.as_secs_f64();
            let (_, floor) =
                time(|| floor::clients(&dir.path().join("floor"), clients, each, STORED));
            let sqlite = Sqlite::new(&dir.path().join("sqlite"));
            let (_, lite) = time(|| peers::clients(sqlite, clients, each, STORED));
            rates.push(rate);
            per_flush.push(total / batches as f64);
            to_floor.push(floor.as_secs_f64() / took.as_secs_f64());
            to_sqlite.push(lite.as_secs_f64() / took.as_secs_f64());
            if let (64, Ok(server)) = (clients, &postgres) {
                to_postgres.push(rate / server.rate(clients, each));
            }
            ledger.close().unwrap();
        }
        let rate = Spread::of(rates);
        if clients == 1 {
            single = rate.median;
        }
        rows.figure(&format!("A3 rate at {clients}"), OURS, "records/s", rate);
        rows.figure(&format!("A3 CPU per record at {clients}"), OURS, "us", Spread::of(cpus));
        let flush = Spread::of(per_flush);
        let wanted = match clients {
            1 => "1",
            8 => ">= 4",
            64 => ">= 45",
            _ => ">= 166",
        };
        rows.goal(&format!("A2 records per flush at {clients}"), wanted, flush);
        let goals = if clients == 64 { [">= 0.8", ">= 1.2"] } else { ["", ""] };
        rows.goal(&format!("A3 / floor at {clients}"), goals[0], Spread::of(to_floor));
        rows.goal(&format!("A3 / SQLite grouping at {clients}"), goals[1], Spread::of(to_sqlite));
        if clients == 64 {
            let own = Spread::one(rate.median / single);
            rows.goal("A3 rate at 64 / own rate at 1", ">= 15", own);
            match &postgres {
                Ok(_) => rows.goal("A3 / PostgreSQL, no chain", ">= 3", Spread::of(to_postgres)),
                Err(why) => println!("A3 / PostgreSQL: not measured: {why}"),
            }
        }
    }
}

/// Returns how many batches were committed.
fn facade_clients(ledger: &Ledger, clients: u64, each: u64) -> u64 {
    let before = batches_of(ledger);
    std::thread::scope(|scope| {
        for client in 0..clients {
            scope.spawn(move || {
                let mut numbers = Numbers::new(client);
                for _ in 0..each {
                    ledger.submit(write(numbers.text(TEXT), None, None)).unwrap();
                }
            });
        }
    });
    batches_of(ledger) - before
}

fn batches_of(ledger: &Ledger) -> u64 {
    let head = ledger.status().unwrap().head.map_or(0, |(seq, _)| seq.0);
    let last = ledger.records(Seq(head), false).next();
    last.map_or(0, |record| record.unwrap().batch.0 + 1)
}

fn batches(rounds: u64, rows: &mut Rows) {
    title("A6: batches of 1,000 in one submission, alternating rounds");
    let (mut to_floor, mut to_sqlite, mut to_redb) = (vec![], vec![], vec![]);
    let (mut to_fjall, mut rates) = (vec![], vec![]);
    for _ in 0..rounds {
        let dir = tempfile::tempdir().unwrap();
        let (ledger, _) = create(&dir.path().join("ledger"));
        let mut floor = Committer::new(&dir.path().join("floor"), 16 << 20);
        let mut sqlite = Sqlite::new(&dir.path().join("sqlite"));
        let mut redb = Redb::new(&dir.path().join("redb"));
        let mut fjall = Fjall::new(&dir.path().join("fjall"));
        let blobs = vec![vec![7; STORED]; 1_000];
        let bytes = blobs.concat();
        ledger.submit(many(1)).unwrap();
        for _ in 0..10 {
            let submission = many(1_000);
            let (_, ours) = time(|| ledger.submit(submission).unwrap());
            let (_, bare) = time(|| floor.commit(&bytes));
            let (_, lite) = time(|| sqlite.commit(&blobs));
            let (_, red) = time(|| redb.commit(&blobs));
            let (_, fja) = time(|| fjall.commit(&blobs));
            rates.push(1_000.0 / ours.as_secs_f64());
            to_floor.push(bare.as_secs_f64() / ours.as_secs_f64());
            to_sqlite.push(lite.as_secs_f64() / ours.as_secs_f64());
            to_redb.push(red.as_secs_f64() / ours.as_secs_f64());
            to_fjall.push(fja.as_secs_f64() / ours.as_secs_f64());
        }
        ledger.close().unwrap();
    }
    rows.figure("A6 rate in batches of 1,000", OURS, "records/s", Spread::of(rates));
    rows.goal("A6 rate / floor", ">= 0.8", Spread::of(to_floor));
    rows.goal("A6 rate / SQLite", ">= 1.6", Spread::of(to_sqlite));
    rows.goal("A6 rate / redb", ">= 2", Spread::of(to_redb));
    rows.figure("A6 rate / fjall", OURS, "", Spread::of(to_fjall));
}

fn many(count: usize) -> Submission {
    let mut numbers = Numbers::new(9);
    let one = || {
        let mut proposal = Proposal::new(Content::Text(String::new()), scope());
        proposal.source = Some("chat:bench#1".parse().unwrap());
        proposal
    };
    let commands = (0..count)
        .map(|_| {
            Command::Write(Box::new(Proposal {
                content: Content::Text(numbers.text(TEXT)),
                ..one()
            }))
        })
        .collect();
    Submission { commands, terms: Terms::default() }
}
