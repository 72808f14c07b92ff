//! As-of reads: one memory, one scope, at growing sizes and depths (goals T1, T2).

use memledger::civil::{When, Zone};
use memledger::format::Micros;
use memledger::{Filter, Question};
use rusqlite::{Connection, params};

use crate::measure::{goal, percentile, time, title};
use crate::world::{Numbers, START, create, fill};

pub(crate) fn run(records: u64) {
    point(records);
    depth();
}

fn point(records: u64) {
    title(&format!("T1: as-of point read at {records} records (microseconds)"));
    let dir = tempfile::tempdir().unwrap();
    let (ledger, clock) = create(&dir.path().join("ledger"));
    let keys = (records / 10).max(1);
    let newest = fill(&ledger, &clock, records, keys);
    let sqlite = bitemporal(&dir.path().join("sqlite"), records, keys);
    let mut numbers = Numbers::new(5);
    let (mut whole, mut lite, mut seek) = (vec![], vec![], vec![]);
    let views = ledger_views_of(&ledger, &dir.path().join("ledger"));
    let mut query = sqlite
        .prepare("SELECT body FROM version WHERE k = ?1 AND sys_from <= ?2 AND sys_to > ?2 AND valid_from <= ?3 AND valid_to > ?3 ORDER BY sys_from DESC LIMIT 1")
        .unwrap();
    for _ in 0..5_000 {
        let at = START + (records / 10 + numbers.below(records * 9 / 10)) as i64;
        let key = numbers.below(keys);
        let id = newest[key as usize];
        let when = When::Instant(Micros(at));
        let question = Question { known: when, ..Question::now(Zone::UTC) };
        whole.push(
            time(|| views.0.snapshot(&question).unwrap().get(&id).unwrap()).1.as_secs_f64() * 1e6,
        );
        let probe = 2 + numbers.below(records);
        seek.push(time(|| views.1(probe)).1.as_secs_f64() * 1e6);
        let row =
            || query.query_row(params![key as i64, at, at], |row| row.get::<_, Vec<u8>>(0)).ok();
        lite.push(time(row).1.as_secs_f64() * 1e6);
    }
    println!("| | p50 | p99 |\n|---|---|---|");
    for (name, values) in [
        ("memledger version at a record (views seek)", &mut seek),
        ("memledger item: time, version, record, two opened payloads", &mut whole),
        ("SQLite bitemporal index, row", &mut lite),
    ] {
        println!("| {name} | {:.1} | {:.1} |", percentile(values, 0.5), percentile(values, 0.99));
    }
    println!();
    let ratio = percentile(&mut seek, 0.5) / percentile(&mut lite, 0.5);
    goal("T1 version seek p50 / SQLite bitemporal p50", "<= 1.0", &format!("{ratio:.2}"));
}

type Seek = Box<dyn Fn(u64)>;

/// The facade for whole items, and the bare seek through the views crate on a copy of its tables.
fn ledger_views_of<'a>(
    ledger: &'a memledger::Ledger,
    path: &std::path::Path,
) -> (&'a memledger::Ledger, Seek) {
    use ledger_format::Seq;
    use ledger_replay::{Sequenced, State, apply};
    use ledger_views::{OpenOptions, Rebuild};
    let copy = path.with_extension("views-copy");
    let mut rebuild = Rebuild::begin(&copy, OpenOptions::new(ledger.id())).unwrap();
    let mut state = State::default();
    let mut births = Vec::new();
    for record in ledger.records(Seq(0), false) {
        let record = record.unwrap();
        let event = Sequenced::from_bytes(&record.bytes, record.hash).unwrap();
        if record.kind == "write" {
            births.push(record.seq);
        }
        rebuild.push(&apply(&mut state, &event)).unwrap();
    }
    let views = rebuild.finish().unwrap();
    let head = state.head().unwrap().seq;
    let seek = move |probe: u64| {
        let born = births[(probe as usize) % births.len()];
        let at = Seq(born.0 + (probe * 7) % (head.0 - born.0 + 1));
        assert!(views.version_at(born, at).unwrap().is_some());
    };
    (ledger, Box::new(seek))
}

fn bitemporal(path: &std::path::Path, records: u64, keys: u64) -> Connection {
    let mut connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;
             CREATE TABLE version(k INTEGER, sys_from INTEGER, sys_to INTEGER, valid_from INTEGER, valid_to INTEGER, body BLOB);",
        )
        .unwrap();
    let transaction = connection.transaction().unwrap();
    for record in 0..records {
        let from = START + 1 + record as i64;
        let mut insert = transaction
            .prepare_cached("INSERT INTO version VALUES (?1, ?2, ?3, ?2, 9223372036854775807, ?4)")
            .unwrap();
        insert
            .execute(params![(record % keys) as i64, from, from + keys as i64, vec![1_u8; 60]])
            .unwrap();
    }
    transaction.commit().unwrap();
    connection.execute_batch("CREATE INDEX by_key ON version(k, sys_from DESC);").unwrap();
    connection
}

/// A scope of 100 keys with 3, 30 and 300 superseding memories per key.
fn depth() {
    title(
        "T2: as-of listing of a scope with 100 keys (microseconds, with words; half way through)",
    );
    let mut medians = vec![];
    for versions in [3, 30, 300] {
        let dir = tempfile::tempdir().unwrap();
        let (ledger, clock) = create(&dir.path().join("ledger"));
        let records = 100 * versions;
        fill(&ledger, &clock, records, 100);
        let mut times = vec![];
        for probe in 0..200 {
            let at = Micros(START + records as i64 / 2 + probe);
            let question = Question { known: When::Instant(at), ..Question::now(Zone::UTC) };
            let snapshot = ledger.snapshot(&question).unwrap();
            let (listing, took) = time(|| {
                snapshot
                    .list(&Filter { scope: crate::world::scope(), ..Filter::default() })
                    .unwrap()
            });
            assert_eq!(listing.items.len(), 100);
            times.push(took.as_secs_f64() * 1e6);
        }
        let median = percentile(&mut times, 0.5);
        println!("{versions:>4} per key: p50 {median:.0}, p99 {:.0}", percentile(&mut times, 0.99));
        medians.push(median);
        ledger.close().unwrap();
    }
    goal("T2 growth 3 -> 300 per key", "<= 3.5", &format!("{:.2}", medians[2] / medians[0]));
}
