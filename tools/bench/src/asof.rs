//! As-of reads at growing sizes: one memory and everything (goal T1), against SQLite's bitemporal
//! index over the same versions and against replaying the log.

use std::path::Path;

use ledger_format::{MemoryId, Seq};
use ledger_replay::{State, apply};
use ledger_views::{Group, OpenOptions, Views};
use memledger::civil::{When, Zone};
use memledger::{Filter, Question};
use rusqlite::{Connection, params};

use crate::chart;
use crate::load::{Picks, events, time_of, writes};
use crate::measure::{Spread, time, title};
use crate::rows::{OURS, Rows};
use crate::world::{Numbers, Site};

/// Memories that are asked for.
const PROBES: usize = 5_000;
/// Items of one page of a listing with words.
const PAGE: usize = 10_000;
const LITE: &str = "SQLite bitemporal";

/// A memory and a later moment.
struct Probe {
    key: u64,
    memory: MemoryId,
    born: Seq,
    /// The write at whose time it is asked for.
    at: u64,
}

pub(crate) fn run(site: &Site, rows: &mut Rows) {
    title(&format!("T1: as-of reads at {} records", site.size));
    let scratch = site.scratch();
    let probes = probes(site);
    let sqlite = bitemporal(&scratch.path().join("sqlite"), site.size);
    let mut whole = items(site, &probes);
    points(site, &probes, &sqlite, rows);
    rows.figure(
        "as-of item: time, version, record, two opened payloads",
        OURS,
        "us",
        Spread::middle(&mut whole),
    );
    listing(site, &sqlite, rows);
}

/// Memories at random places of the log, each with a random later moment.
fn probes(site: &Site) -> Vec<Probe> {
    let mut numbers = Numbers::new(5);
    let mut wanted: Vec<u64> = (0..PROBES).map(|_| numbers.below(site.size)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut wanted = wanted.into_iter().peekable();
    let (mut picks, mut place, mut probes) = (Picks::new(), 0, Vec::new());
    writes(&site.ledger(), site.id(), |born, memory| {
        let key = picks.next().unwrap();
        if wanted.next_if_eq(&place).is_some() {
            let at = place + numbers.below(site.size - place);
            probes.push(Probe { key, memory, born, at });
        }
        place += 1;
    });
    // Neighbours would find their pages in the cache.
    for at in (1..probes.len()).rev() {
        probes.swap(at, numbers.below(at as u64 + 1) as usize);
    }
    probes
}

/// Microseconds of one whole item through the facade.
fn items(site: &Site, probes: &[Probe]) -> Vec<f64> {
    let ledger = site.open();
    let ask = |probe: &Probe| {
        let known = When::Instant(time_of(probe.at));
        let question = Question { known, ..Question::now(Zone::UTC) };
        let (found, took) =
            time(|| ledger.snapshot(&question).unwrap().get(&probe.memory).unwrap());
        assert!(found.is_some(), "the memory was known then");
        took.as_secs_f64() * 1e6
    };
    let taken = probes.iter().map(ask).collect();
    ledger.close().unwrap();
    taken
}

/// The version at a record in the views, the row at that time in SQLite, in turn.
fn points(site: &Site, probes: &[Probe], sqlite: &Connection, rows: &mut Rows) {
    let views = views(site);
    let mut query = sqlite
        .prepare("SELECT body FROM version WHERE k = ?1 AND sys_from <= ?2 AND sys_to > ?2 AND valid_from <= ?2 AND valid_to > ?2 ORDER BY sys_from DESC LIMIT 1")
        .unwrap();
    let (mut seek, mut lite) = (vec![], vec![]);
    for probe in probes {
        let until = views.time_to_seq(time_of(probe.at)).unwrap().unwrap();
        let (found, took) = time(|| views.version_at(probe.born, until).unwrap());
        assert!(found.is_some());
        seek.push(took.as_secs_f64() * 1e6);
        let at = time_of(probe.at).0;
        let row = || query.query_row(params![probe.key as i64, at], |row| row.get::<_, Vec<u8>>(0));
        let (found, took) = time(row);
        assert!(found.is_ok());
        lite.push(took.as_secs_f64() * 1e6);
    }
    views.close().unwrap();
    let (ours, peer) = (Spread::middle(&mut seek), Spread::middle(&mut lite));
    rows.figure(chart::POINT, OURS, "us", ours);
    rows.figure(chart::POINT, LITE, "us", peer);
    let ratio = Spread::one(ours.median / peer.median);
    rows.goal("T1 version seek p50 / SQLite bitemporal p50", "<= 1.0", ratio);
    let (_, naive) = time(|| {
        let mut state = State::default();
        let half = events(&site.ledger(), site.id()).take(site.size as usize / 2);
        half.for_each(|event| drop(apply(&mut state, &event)));
    });
    let times = Spread::one(naive.as_secs_f64() * 1e6 / ours.median);
    rows.goal("T1 naive replay to the middle / version seek p50", ">= 10000 at 1M", times);
}

/// Everything that held half way through, by version in the views, by row in SQLite, and with words
/// through the facade.
fn listing(site: &Site, sqlite: &Connection, rows: &mut Rows) {
    let half = time_of(site.size / 2);
    let views = views(site);
    let until = views.time_to_seq(half).unwrap().unwrap();
    let scope = views.birth_at(probe_birth(&views)).unwrap().unwrap().scope;
    let (mut ours, mut lite, mut words) = (vec![], vec![], vec![]);
    for _ in 0..site.rounds.max(3) {
        let (count, took) = time(|| {
            let live = views.live_at(Group::Scope(scope), until).unwrap();
            live.iter().for_each(|born| drop(views.version_at(*born, until).unwrap().unwrap()));
            live.len()
        });
        ours.push(took.as_secs_f64() * 1e6 / count as f64);
        let (found, took) = time(|| rows_at(sqlite, half.0));
        assert_eq!(found, count, "both know the same");
        lite.push(took.as_secs_f64() * 1e6 / count as f64);
    }
    views.close().unwrap();
    let ledger = site.open();
    let question = Question { known: When::Instant(half), ..Question::now(Zone::UTC) };
    let snapshot = ledger.snapshot(&question).unwrap();
    let (count, took) = time(|| {
        let mut filter = Filter { limit: PAGE, ..Filter::default() };
        let mut count = 0;
        loop {
            let page = snapshot.list(&filter).unwrap();
            count += page.items.len();
            filter.after = page.next;
            if filter.after.is_none() {
                return count;
            }
        }
    });
    words.push(took.as_secs_f64() * 1e6 / count as f64);
    ledger.close().unwrap();
    rows.figure(chart::WHOLE, OURS, "us", Spread::of(ours));
    rows.figure(chart::WHOLE, LITE, "us", Spread::of(lite));
    rows.figure("whole-state listing with words, per item", OURS, "us", Spread::of(words));
}

fn rows_at(sqlite: &Connection, at: i64) -> usize {
    let mut query = sqlite
        .prepare_cached("SELECT body FROM version WHERE sys_from <= ?1 AND sys_to > ?1 AND valid_from <= ?1 AND valid_to > ?1")
        .unwrap();
    let mut rows = query.query(params![at]).unwrap();
    let mut count = 0;
    while let Some(row) = rows.next().unwrap() {
        std::hint::black_box(row.get::<_, Vec<u8>>(0).unwrap());
        count += 1;
    }
    count
}

/// The record of some memory.
fn probe_birth(views: &Views) -> Seq {
    let last = views.applied().unwrap().seq;
    (0..=last.0).map(Seq).find(|seq| views.birth_at(*seq).unwrap().is_some()).unwrap()
}

pub(crate) fn views(site: &Site) -> Views {
    let options = OpenOptions::new(site.id());
    Views::open(&site.ledger().join("views"), options).ready().unwrap()
}

fn bitemporal(path: &Path, records: u64) -> Connection {
    let mut connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;
             CREATE TABLE version(k INTEGER, sys_from INTEGER, sys_to INTEGER, valid_from INTEGER, valid_to INTEGER, body BLOB);",
        )
        .unwrap();
    let transaction = connection.transaction().unwrap();
    for (record, (key, end)) in ends(records).into_iter().enumerate() {
        let mut insert = transaction
            .prepare_cached("INSERT INTO version VALUES (?1, ?2, ?3, ?2, 9223372036854775807, ?4)")
            .unwrap();
        let from = time_of(record as u64).0;
        insert.execute(params![key, from, end, vec![1_u8; 60]]).unwrap();
    }
    transaction.commit().unwrap();
    connection
        .execute_batch(
            "CREATE INDEX by_key ON version(k, sys_from DESC); CREATE INDEX by_time ON version(sys_from, sys_to);",
        )
        .unwrap();
    connection
}

/// Key of every write, and when the next one under that key came: twelve bytes a write.
fn ends(records: u64) -> Vec<(u32, i64)> {
    let mut all: Vec<(u32, i64)> =
        Picks::new().take(records as usize).map(|key| (key as u32, i64::MAX)).collect();
    let mut next = std::collections::HashMap::new();
    for (record, (key, end)) in all.iter_mut().enumerate().rev() {
        *end = next.insert(*key, time_of(record as u64).0).unwrap_or(i64::MAX);
    }
    all
}
