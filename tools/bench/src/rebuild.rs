//! Rebuilding the views, against storing the same rows event by event (goal R1), and opening (R2).

use rusqlite::{Connection, params};

use crate::measure::{Spread, goal, time, title};
use crate::world::{create, fill, reopen};

pub(crate) fn run(records: u64) {
    title(&format!("R1, R2: rebuild the views of {records} events; open"));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger");
    let (ledger, clock) = create(&path);
    let keys = (records / 10).max(1);
    fill(&ledger, &clock, records, keys);
    let id = ledger.id();
    ledger.close().unwrap();
    crate::stages::print(id, &path, &dir.path().join("beside"));
    let (mut to_sled, mut to_sqlite, mut rates) = (vec![], vec![], vec![]);
    for round in 0..3 {
        std::fs::remove_dir_all(path.join("views")).unwrap();
        let (ledger, ours) = time(|| reopen(&path));
        let (_, sled) =
            time(|| sled_inserts(&dir.path().join(format!("sled{round}")), records, keys));
        let (_, sqlite) =
            time(|| sqlite_upserts(&dir.path().join(format!("lite{round}")), records, keys));
        rates.push(records as f64 / ours.as_secs_f64());
        to_sled.push(sled.as_secs_f64() / ours.as_secs_f64());
        to_sqlite.push(sqlite.as_secs_f64() / ours.as_secs_f64());
        ledger.close().unwrap();
    }
    println!("memledger: {} events/s (chain verified, all rows)", Spread::of(rates));
    goal("R1 speed / one sled insert per event", ">= 3.2", &Spread::of(to_sled));
    goal("R1 speed / one SQLite upsert per event", ">= 6", &Spread::of(to_sqlite));
    let mut opens = vec![];
    for _ in 0..5 {
        let (ledger, took) = time(|| reopen(&path));
        opens.push(took.as_secs_f64() * 1e3);
        ledger.close().unwrap();
    }
    println!("open after a clean close, for reading: {} ms", Spread::of(opens));
    let (_, first) = time(|| {
        let ledger = reopen(&path);
        ledger.submit(crate::world::write("first".into(), None, None)).unwrap();
        ledger.close().unwrap();
    });
    println!("open, first write (state is read), close: {:.0} ms", first.as_secs_f64() * 1e3);
}

/// A keyed view of 200-byte values: one insert per event.
fn sled_inserts(path: &std::path::Path, records: u64, keys: u64) {
    let db = sled::Config::new()
        .path(path)
        .flush_every_ms(None)
        .cache_capacity(64 << 20)
        .open()
        .unwrap();
    for record in 0..records {
        db.insert((record % keys).to_be_bytes(), vec![record as u8; 200]).unwrap();
    }
    db.flush().unwrap();
}

/// The same in SQLite, in transactions of 10,000.
fn sqlite_upserts(path: &std::path::Path, records: u64, keys: u64) {
    let mut connection = Connection::open(path).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode=WAL; CREATE TABLE view(k INTEGER PRIMARY KEY, v BLOB);")
        .unwrap();
    let mut record = 0;
    while record < records {
        let transaction = connection.transaction().unwrap();
        for _ in 0..10_000.min(records - record) {
            let mut upsert = transaction
                .prepare_cached(
                    "INSERT INTO view VALUES (?1, ?2) ON CONFLICT(k) DO UPDATE SET v = ?2",
                )
                .unwrap();
            upsert.execute(params![(record % keys) as i64, vec![record as u8; 200]]).unwrap();
            record += 1;
        }
        transaction.commit().unwrap();
    }
}
