//! Durable appends: one client, many clients, batches (goals A1, A2, A3, A6 of the design).
//!
//! A write here is what a user writes: about 600 bytes of text and a source, sealed, chained, in
//! the tree, durable. The floor and the peers store the same number of bytes without any of that.

use memledger::format::Seq;
use memledger::{Command, Content, Ledger, Proposal, Submission, Terms};

use crate::floor::{self, Committer};
use crate::measure::{Spread, cpu_seconds, goal, percentile, time, title};
use crate::peers::{self, Redb, Sqlite, Store as _};
use crate::postgres::Postgres;
use crate::world::{Numbers, create, scope, write};

const TEXT: usize = 600;
/// Log and payload bytes of one such write, rounded: what floor and peers store.
const STORED: usize = 1_150;

/// All three parts, or the one that is named.
pub(crate) fn run(rounds: u64, part: Option<&str>) {
    let wanted = |name| part.is_none_or(|part| part == name);
    if wanted("one") {
        one_client();
    }
    if wanted("many") {
        many_clients(rounds);
    }
    if wanted("batch") {
        batches(rounds);
    }
}

/// Operations of all variants one by one in turn; the 10th percentile tells the path, the median
/// tells the neighbours too.
fn one_client() {
    title("A1: durable append, one client, 1,200 operations in turn (microseconds)");
    let dir = tempfile::tempdir().unwrap();
    let (ledger, _) = create(&dir.path().join("ledger"));
    let mut floor = Committer::new(&dir.path().join("floor"), 4 << 20);
    let mut sqlite = Sqlite::new(&dir.path().join("sqlite"));
    let mut redb = Redb::new(&dir.path().join("redb"));
    let mut numbers = Numbers::new(3);
    let (mut ours, mut bare, mut lite, mut red) = (vec![], vec![], vec![], vec![]);
    let blob = [vec![7; STORED]];
    for _ in 0..1_200 {
        let submission = write(numbers.text(TEXT), None, None);
        ours.push(time(|| ledger.submit(submission).unwrap()).1.as_secs_f64() * 1e6);
        bare.push(time(|| floor.commit(&blob[0])).1.as_secs_f64() * 1e6);
        lite.push(time(|| sqlite.commit(&blob)).1.as_secs_f64() * 1e6);
        red.push(time(|| redb.commit(&blob)).1.as_secs_f64() * 1e6);
    }
    println!("| | p10 | p50 | p99 |\n|---|---|---|---|");
    for (name, values) in [
        ("memledger", &mut ours),
        ("floor", &mut bare),
        ("SQLite WAL FULL", &mut lite),
        ("redb", &mut red),
    ] {
        let (p10, p50, p99) =
            (percentile(values, 0.1), percentile(values, 0.5), percentile(values, 0.99));
        println!("| {name} | {p10:.0} | {p50:.0} | {p99:.0} |");
    }
    println!();
    let p10 = percentile(&mut ours, 0.1);
    goal("A1 p10 / floor", "<= 1.3", &format!("{:.2}", p10 / percentile(&mut bare, 0.1)));
    goal("A1 p10 / SQLite", "<= 1.0", &format!("{:.2}", p10 / percentile(&mut lite, 0.1)));
    ledger.close().unwrap();
}

fn many_clients(rounds: u64) {
    title("A2, A3: 1, 8, 64 and 256 clients through the facade, alternating rounds");
    println!(
        "| clients | memledger/s | records per flush | / floor | / SQLite grouping | CPU per record, us |\n|---|---|---|---|---|---|"
    );
    let mut single = 0.0;
    let postgres = Postgres::start(STORED);
    for clients in [1, 8, 64, 256] {
        let each = (8_000 / clients).max(24);
        let (mut rates, mut per_flush) = (vec![], vec![]);
        let (mut to_floor, mut to_sqlite, mut to_postgres) = (vec![], vec![], vec![]);
        let mut cpu = vec![];
        for _ in 0..rounds {
            let dir = tempfile::tempdir().unwrap();
            let (ledger, _) = create(&dir.path().join("ledger"));
            let before = cpu_seconds();
            let (batches, took) = time(|| facade_clients(&ledger, clients, each));
            let total = (clients * each) as f64;
            cpu.push((cpu_seconds() - before) * 1e6 / total);
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
        let (rate, flush) = (Spread::of(rates), Spread::of(per_flush));
        println!(
            "| {clients} | {rate} | {flush} | {} | {} | {} |",
            Spread::of(to_floor),
            Spread::of(to_sqlite),
            Spread::of(cpu)
        );
        if clients == 1 {
            single = rate.median;
        } else {
            let share = if clients == 8 {
                0.5
            } else if clients == 64 {
                0.7
            } else {
                0.65
            };
            goal(
                &format!("A2 records per flush at {clients}"),
                &format!(">= {:.0}", share * clients as f64),
                &flush,
            );
        }
        if clients == 64 {
            goal("A3 rate at 64 / own rate at 1", ">= 15", &format!("{:.1}", rate.median / single));
            match &postgres {
                Ok(_) => goal("A3 / PostgreSQL, no chain", ">= 3", &Spread::of(to_postgres)),
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

fn batches(rounds: u64) {
    title("A6: batches of 1,000 in one submission, alternating rounds");
    let (mut to_floor, mut to_sqlite, mut to_redb, mut rates) = (vec![], vec![], vec![], vec![]);
    for _ in 0..rounds {
        let dir = tempfile::tempdir().unwrap();
        let (ledger, _) = create(&dir.path().join("ledger"));
        let mut floor = Committer::new(&dir.path().join("floor"), 16 << 20);
        let mut sqlite = Sqlite::new(&dir.path().join("sqlite"));
        let mut redb = Redb::new(&dir.path().join("redb"));
        let blobs = vec![vec![7; STORED]; 1_000];
        let bytes = blobs.concat();
        ledger.submit(many(1)).unwrap();
        for _ in 0..10 {
            let submission = many(1_000);
            let (_, ours) = time(|| ledger.submit(submission).unwrap());
            let (_, bare) = time(|| floor.commit(&bytes));
            let (_, lite) = time(|| sqlite.commit(&blobs));
            let (_, red) = time(|| redb.commit(&blobs));
            rates.push(1_000.0 / ours.as_secs_f64());
            to_floor.push(bare.as_secs_f64() / ours.as_secs_f64());
            to_sqlite.push(lite.as_secs_f64() / ours.as_secs_f64());
            to_redb.push(red.as_secs_f64() / ours.as_secs_f64());
        }
        ledger.close().unwrap();
    }
    println!("memledger: {} records/s", Spread::of(rates));
    goal("A6 rate / floor", ">= 0.8", &Spread::of(to_floor));
    goal("A6 rate / SQLite", ">= 1.6", &Spread::of(to_sqlite));
    goal("A6 rate / redb", ">= 2", &Spread::of(to_redb));
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
