//! Owns the peers: SQLite (WAL, synchronous=FULL, with a hash-chain column) and redb, each with the
//! same bytes and, for many clients, the same grouping writer.

use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};

use redb::ReadableDatabase as _;
use rusqlite::{Connection, params};

const TABLE: redb::TableDefinition<'_, u64, &[u8]> = redb::TableDefinition::new("records");

pub(crate) trait Store: Send {
    /// Makes blobs durable together.
    fn commit(&mut self, blobs: &[Vec<u8>]);
}

pub(crate) struct Sqlite {
    connection: Connection,
    head: blake3::Hash,
    next: i64,
}

impl Sqlite {
    pub(crate) fn new(path: &Path) -> Self {
        let connection = Connection::open(path).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
                 CREATE TABLE record(seq INTEGER PRIMARY KEY, prev BLOB, body BLOB);",
            )
            .unwrap();
        Self { connection, head: blake3::hash(b""), next: 0 }
    }
}

impl Store for Sqlite {
    fn commit(&mut self, blobs: &[Vec<u8>]) {
        let transaction = self.connection.transaction().unwrap();
        for blob in blobs {
            let mut insert =
                transaction.prepare_cached("INSERT INTO record VALUES (?1, ?2, ?3)").unwrap();
            insert.execute(params![self.next, self.head.as_bytes().as_slice(), blob]).unwrap();
            self.head = blake3::Hasher::new().update(self.head.as_bytes()).update(blob).finalize();
            self.next += 1;
        }
        transaction.commit().unwrap();
    }
}

pub(crate) struct Redb {
    database: redb::Database,
    head: blake3::Hash,
    next: u64,
}

impl Redb {
    pub(crate) fn new(path: &Path) -> Self {
        let database = redb::Database::create(path).unwrap();
        // Opened once for reading so that creation is not part of the first commit.
        drop(database.begin_read());
        Self { database, head: blake3::hash(b""), next: 0 }
    }
}

impl Store for Redb {
    fn commit(&mut self, blobs: &[Vec<u8>]) {
        let transaction = self.database.begin_write().unwrap();
        {
            let mut table = transaction.open_table(TABLE).unwrap();
            for blob in blobs {
                let mut value = self.head.as_bytes().to_vec();
                value.extend_from_slice(blob);
                table.insert(self.next, value.as_slice()).unwrap();
                self.head = blake3::hash(&value);
                self.next += 1;
            }
        }
        transaction.commit().unwrap();
    }
}

/// `clients` threads hand `each` blobs to one thread that groups what waits.
pub(crate) fn clients(mut store: impl Store + 'static, clients: u64, each: u64, bytes: usize) {
    let (jobs, waiting) = sync_channel::<(Vec<u8>, SyncSender<()>)>(4_096);
    let thread = std::thread::spawn(move || {
        while let Ok((blob, answer)) = waiting.recv() {
            let (mut blobs, mut answers) = (vec![blob], vec![answer]);
            while let Ok((blob, answer)) = waiting.try_recv() {
                blobs.push(blob);
                answers.push(answer);
            }
            store.commit(&blobs);
            answers.into_iter().for_each(|answer| answer.send(()).unwrap());
        }
    });
    std::thread::scope(|scope| {
        for _ in 0..clients {
            let jobs = jobs.clone();
            scope.spawn(move || {
                for _ in 0..each {
                    let (answer, done) = sync_channel(1);
                    jobs.send((vec![7; bytes], answer)).unwrap();
                    done.recv().unwrap();
                }
            });
        }
    });
    drop(jobs);
    thread.join().unwrap();
}
