//! Opening a closed ledger: to read, to write, and after the views are gone (goals R1, R2), against
//! storing one row for every event.

use rusqlite::{Connection, params};

use crate::chart;
use crate::measure::{Spread, cpu, time, title};
use crate::rows::{OURS, Rows};
use crate::world::{Numbers, Site, write};

pub(crate) fn run(site: &Site, rows: &mut Rows) {
    title(&format!("R2: opening {} records", site.size));
    let (mut opens, mut spent, mut first, mut closes) = (vec![], vec![], vec![], vec![]);
    for round in 0..site.rounds.max(3) {
        let ((ledger, wall), used) = cpu(|| time(|| site.open()));
        opens.push(wall.as_secs_f64() * 1e3);
        spent.push(used.as_secs_f64() * 1e3);
        let text = format!("after opening {round}");
        let (_, wall) = time(|| ledger.submit(write(text, None, None)).unwrap());
        first.push(wall.as_secs_f64() * 1e3);
        let (_, wall) = time(|| ledger.close().unwrap());
        closes.push(wall.as_secs_f64() * 1e3);
    }
    rows.figure(chart::OPEN, OURS, "ms", Spread::of(opens));
    rows.figure("open for reading, CPU", OURS, "ms", Spread::of(spent));
    rows.figure("first write: state and names are read", OURS, "ms", Spread::of(first));
    rows.figure("close after few writes", OURS, "ms", Spread::of(closes));
}

/// Rebuilding the views against storing the same rows event by event.
pub(crate) fn rebuild(site: &Site, rows: &mut Rows) {
    title(&format!("R1: rebuilding the views of {} records", site.size));
    let mut ratios: [Vec<f64>; 4] = Default::default();
    let (mut rates, mut each) = (vec![], vec![]);
    for _ in 0..site.rounds {
        let scratch = site.scratch();
        std::fs::remove_dir_all(site.ledger().join("views")).unwrap();
        let ((ledger, ours), our_cpu) = cpu(|| time(|| site.open()));
        ledger.close().unwrap();
        let ((_, sled), sled_cpu) =
            cpu(|| time(|| sled_inserts(&scratch.path().join("sled"), site.size)));
        let ((_, lite), lite_cpu) =
            cpu(|| time(|| sqlite_upserts(&scratch.path().join("sqlite"), site.size)));
        rates.push(site.size as f64 / ours.as_secs_f64());
        each.push(our_cpu.as_secs_f64() * 1e6 / site.size as f64);
        let values = [
            sled.as_secs_f64() / ours.as_secs_f64(),
            lite.as_secs_f64() / ours.as_secs_f64(),
            sled_cpu.as_secs_f64() / our_cpu.as_secs_f64(),
            lite_cpu.as_secs_f64() / our_cpu.as_secs_f64(),
        ];
        ratios.iter_mut().zip(values).for_each(|(all, value)| all.push(value));
    }
    rows.figure("rebuild, chain verified, all rows", OURS, "events/s", Spread::of(rates));
    rows.figure("rebuild, CPU per event", OURS, "us", Spread::of(each));
    let [sled, lite, sled_cpu, lite_cpu] = ratios.map(Spread::of);
    rows.goal("R1 speed / one sled insert per event", ">= 3.2", sled);
    rows.goal("R1 speed / one SQLite upsert per event", ">= 6", lite);
    rows.goal("R1 speed / one sled insert per event, CPU", ">= 3.2", sled_cpu);
    rows.goal("R1 speed / one SQLite upsert per event, CPU", ">= 6", lite_cpu);
}

/// A tenth as many keys as events, in no order.
fn keys(records: u64) -> impl Iterator<Item = u64> {
    (0..records).map(move |record| Numbers::new(record).below((records / 10).max(1)))
}

/// A keyed view of 200-byte values: one insert per event.
fn sled_inserts(path: &std::path::Path, records: u64) {
    let config = sled::Config::new().path(path).flush_every_ms(None).cache_capacity(64 << 20);
    let db = config.open().unwrap();
    for key in keys(records) {
        db.insert(key.to_be_bytes(), vec![key as u8; 200]).unwrap();
    }
    db.flush().unwrap();
}

/// The same in SQLite, in transactions of 10,000.
fn sqlite_upserts(path: &std::path::Path, records: u64) {
    let mut connection = Connection::open(path).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode=WAL; CREATE TABLE view(k INTEGER PRIMARY KEY, v BLOB);")
        .unwrap();
    let mut keys = keys(records).peekable();
    while keys.peek().is_some() {
        let transaction = connection.transaction().unwrap();
        for key in keys.by_ref().take(10_000) {
            let mut upsert = transaction
                .prepare_cached(
                    "INSERT INTO view VALUES (?1, ?2) ON CONFLICT(k) DO UPDATE SET v = ?2",
                )
                .unwrap();
            upsert.execute(params![key as i64, vec![key as u8; 200]]).unwrap();
        }
        transaction.commit().unwrap();
    }
}
