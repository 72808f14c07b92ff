//! Owns the peers: SQLite (WAL, synchronous=FULL), redb and fjall, each with a hash chain over the
//! same bytes, each durable when a commit returns, and, for many clients, with the same grouping
//! writer.

use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};

use redb::ReadableDatabase as _;
use rusqlite::{Connection, params};

const TABLE: redb::TableDefinition<'_, u64, &[u8]> = redb::TableDefinition::new("records");

pub(crate) trait Store: Send {
    /// Makes blobs durable together.
    fn commit(&mut self, blobs: &[Vec<u8>]);

    /// Bytes of one blob.
    fn read(&self, number: u64) -> usize;
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
                 CREATE TABLE IF NOT EXISTS record(seq INTEGER PRIMARY KEY, prev BLOB, body BLOB);",
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

    fn read(&self, number: u64) -> usize {
        let mut query =
            self.connection.prepare_cached("SELECT body FROM record WHERE seq = ?1").unwrap();
        query.query_row(params![number as i64], |row| row.get::<_, Vec<u8>>(0)).unwrap().len()
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

    fn read(&self, number: u64) -> usize {
        let table = self.database.begin_read().unwrap().open_table(TABLE).unwrap();
        table.get(number).unwrap().unwrap().value().len()
    }
}

pub(crate) struct Fjall {
    database: fjall::Database,
    records: fjall::Keyspace,
    head: blake3::Hash,
    next: u64,
}

impl Fjall {
    pub(crate) fn new(path: &Path) -> Self {
        let database = fjall::Database::builder(path).open().unwrap();
        let records = database.keyspace("records", fjall::KeyspaceCreateOptions::default).unwrap();
        Self { database, records, head: blake3::hash(b""), next: 0 }
    }
}

impl Store for Fjall {
    fn commit(&mut self, blobs: &[Vec<u8>]) {
        let mut batch = self.database.batch().durability(Some(fjall::PersistMode::SyncData));
        for blob in blobs {
            let mut value = self.head.as_bytes().to_vec();
            value.extend_from_slice(blob);
            self.head = blake3::hash(&value);
            batch.insert(&self.records, self.next.to_be_bytes(), value);
            self.next += 1;
        }
        batch.commit().unwrap();
    }

    fn read(&self, number: u64) -> usize {
        self.records.get(number.to_be_bytes()).unwrap().unwrap().len()
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
