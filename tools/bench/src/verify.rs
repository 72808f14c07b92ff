//! Verification against a reference loop of the same work (goals V1, V2, V4).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ledger_format::tree::Frontier;
use ledger_format::{LedgerId, RecordView, Seq, hash};
use ledger_store::storage::{FsStorage, Storage};
use ledger_store::verify::{VerifyLevel, VerifyOptions, verify};
use ledger_store::{Check, Reader};

use crate::measure::{Spread, cpu, goal, time, title};
use crate::world::{create, fill};

const ROUNDS: usize = 7;

pub(crate) fn run(records: u64) {
    title(&format!("V: verify {records} records (files in the page cache)"));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger");
    let (ledger, clock) = create(&path);
    fill(&ledger, &clock, records, (records / 10).max(1));
    let id = ledger.id();
    ledger.close().unwrap();
    let bench = Bench::new(&path, id);
    let mut shares: [Vec<f64>; 7] = Default::default();
    for _ in 0..ROUNDS {
        // Records that are in memory already are hashed, and what holds them is read beside that.
        let (_, reference) = cpu(|| bench.reference());
        let ((), pages) = cpu(|| bench.rest());
        let ((), single) = cpu(|| bench.verify(1));
        let (((), wall_two), double) = cpu(|| time(|| bench.verify(2)));
        let ((), wall_one) = time(|| bench.verify(1));
        let ((), bulk) = cpu(|| bench.bulk());
        let values = [
            (reference + pages).as_secs_f64() / single.as_secs_f64(),
            wall_one.as_secs_f64() / wall_two.as_secs_f64(),
            double.as_secs_f64() / single.as_secs_f64(),
            bulk.as_secs_f64() / single.as_secs_f64(),
            single.as_secs_f64() * 1e9 / bench.records.len() as f64,
            reference.as_secs_f64() / single.as_secs_f64(),
            machine(),
        ];
        shares.iter_mut().zip(values).for_each(|(all, value)| all.push(value));
    }
    let [one, two, total, fast, each, chain, machine] = shares.map(Spread::of);
    println!("{} records, {} MB of log", bench.records.len(), bench.bytes() / 1_000_000);
    goal("V1 speed / reference (read, chain, tree, keys), CPU", ">= 0.9", &one);
    println!("the same against chain and tree alone: {chain}");
    goal("V2 two threads / one, wall", ">= 1.7", &two);
    println!("what two threads gain here that share nothing: {machine}");
    goal("V2 CPU of two threads / of one", "<= 1.05", &total);
    println!("nanoseconds of CPU for a record: {each}");
    println!("for orientation: read and BLAKE3 of the segments / verify, CPU: {fast}");
    bench.cold();
}

/// How much faster two threads hash than one, at this moment: what is to be had at most.
fn machine() -> f64 {
    let work = || {
        for _ in 0..20 {
            std::hint::black_box(ledger_format::tree::leaf(&[7; 500_000]));
        }
    };
    let (_, one) = time(|| {
        work();
        work();
    });
    let (_, two) = time(|| {
        std::thread::scope(|scope| {
            scope.spawn(work);
            scope.spawn(work);
        });
    });
    one.as_secs_f64() / two.as_secs_f64()
}

struct Bench {
    id: LedgerId,
    storage: Arc<dyn Storage>,
    records: Vec<Vec<u8>>,
    segments: Vec<PathBuf>,
    keys: PathBuf,
}

impl Bench {
    fn new(path: &Path, id: LedgerId) -> Self {
        let storage: Arc<dyn Storage> = Arc::new(FsStorage::open(path).unwrap());
        let reader = Reader::open(Arc::clone(&storage), id).unwrap();
        let records =
            reader.stream(Seq(0), Check::None).map(|record| record.unwrap().bytes).collect();
        let log = std::fs::read_dir(path.join("log")).unwrap();
        let segments = log.map(|entry| entry.unwrap().path()).collect();
        Self { id, storage, records, segments, keys: path.join("keys") }
    }

    fn bytes(&self) -> u64 {
        self.segments.iter().map(|path| std::fs::metadata(path).unwrap().len()).sum()
    }

    fn reference(&self) -> ledger_format::TreeRoot {
        let hasher = hash::RecordHasher::new(&self.id);
        let mut tree = Frontier::new();
        let mut last = ledger_format::RecordHash::ZERO;
        for record in &self.records {
            assert_eq!(RecordView::decode(record).unwrap().header.prev, last);
            last = hasher.hash(record);
            tree.push(record);
        }
        tree.root()
    }

    /// What else `verify` does at every level: it reads the segments, and checks the key pages.
    fn rest(&self) {
        for segment in &self.segments {
            std::hint::black_box(std::fs::read(segment).unwrap());
        }
        for file in ["slots.a", "slots.b"] {
            let bytes = std::fs::read(self.keys.join(file)).unwrap();
            for page in bytes.chunks(4_096) {
                std::hint::black_box(hash::check(page));
            }
        }
    }

    fn verify(&self, threads: usize) {
        let options =
            VerifyOptions { level: VerifyLevel::Log, threads, ..VerifyOptions::default() };
        let report = verify(&self.storage, self.id, None, options, &|_| false, &|_| {});
        assert!(report.findings.is_empty(), "{:?}", report.findings);
    }

    /// Reads and hashes the segments as they are, and knows nothing of what is in them.
    fn bulk(&self) {
        for segment in &self.segments {
            std::hint::black_box(blake3::hash(&std::fs::read(segment).unwrap()));
        }
    }

    /// Verification of files that are not in the page cache, against reading them and against
    /// verifying them from the cache: whichever is slower bounds it.
    fn cold(&self) {
        let mut shares = Vec::new();
        for _ in 0..5 {
            self.forget();
            let ((), read) = time(|| {
                self.segments.iter().for_each(|path| drop(std::fs::read(path).unwrap()));
            });
            let ((), warm) = time(|| self.verify(1));
            self.forget();
            let ((), cold) = time(|| self.verify(1));
            shares.push(read.max(warm).as_secs_f64() / cold.as_secs_f64());
        }
        goal("V4 cold / the slower of cold read and warm verify", ">= 0.8", &Spread::of(shares));
    }

    /// Asks the system to drop the segments from its cache.
    fn forget(&self) {
        for path in &self.segments {
            let file = std::fs::File::open(path).unwrap();
            file.sync_all().unwrap();
            rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
        }
    }
}
