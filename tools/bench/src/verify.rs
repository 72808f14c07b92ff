//! Verification against a reference loop of the same work (goals V1, V2, V3, V4).

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ledger_format::tree::Frontier;
use ledger_format::{LedgerId, RecordView, Seq, hash};
use ledger_store::storage::{FsStorage, Storage};
use ledger_store::verify::{VerifyLevel, VerifyOptions, verify};
use ledger_store::{Check, Reader};

use crate::measure::{Spread, cpu, forget_peak, peak_bytes, resident_bytes, time, title};
use crate::rows::{OURS, Rows};
use crate::world::Site;

/// Records hashed at a time by the reference loop.
const CHUNK: usize = 100_000;

pub(crate) fn run(site: &Site, rows: &mut Rows) {
    title(&format!("V: verifying {} records (files in the page cache)", site.size));
    let bench = Bench::new(&site.ledger(), site.id());
    let mut shares: [Vec<f64>; 9] = Default::default();
    for _ in 0..site.rounds.max(3) {
        // Records that are in memory already are hashed, and what holds them is read beside that.
        let (records, reference) = bench.reference();
        let ((), pages) = cpu(|| bench.rest());
        forget_peak();
        let before = resident_bytes();
        let ((), single) = cpu(|| bench.verify(VerifyLevel::Log, 1));
        let peak = peak_bytes().saturating_sub(before);
        let (((), wall_two), double) = cpu(|| time(|| bench.verify(VerifyLevel::Log, 2)));
        let ((), wall_one) = time(|| bench.verify(VerifyLevel::Log, 1));
        let ((), bulk) = cpu(|| bench.bulk());
        let ((), fast) = cpu(|| bench.verify(VerifyLevel::Fast, 1));
        let values = [
            (reference + pages).as_secs_f64() / single.as_secs_f64(),
            wall_one.as_secs_f64() / wall_two.as_secs_f64(),
            double.as_secs_f64() / single.as_secs_f64(),
            bulk.as_secs_f64() / fast.as_secs_f64(),
            fast.as_secs_f64() / single.as_secs_f64(),
            single.as_secs_f64() * 1e9 / records as f64,
            reference.as_secs_f64() / single.as_secs_f64(),
            machine(),
            peak as f64 / 1e6,
        ];
        shares.iter_mut().zip(values).for_each(|(all, value)| all.push(value));
    }
    let [one, two, total, bulk, fast, each, chain, machine, peak] = shares.map(Spread::of);
    rows.goal("V1 speed / reference (read, chain, tree, keys), CPU", ">= 0.9", one);
    rows.figure("V1 against chain and tree alone, CPU", OURS, "", chain);
    rows.goal("V2 two threads / one, wall", ">= 1.7", two);
    rows.figure("what two threads gain here that share nothing, wall", OURS, "", machine);
    rows.goal("V2 CPU of two threads / of one", "<= 1.05", total);
    rows.goal("V3 fast level, speed / read and BLAKE3 of the segments, CPU", ">= 0.85", bulk);
    rows.figure("fast level / whole verification, CPU", OURS, "", fast);
    rows.figure("verify, CPU per record", OURS, "ns", each);
    rows.goal("V memory of a verification", "<= 256", peak);
    bench.cold(site, rows);
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
    segments: Vec<PathBuf>,
    keys: PathBuf,
}

impl Bench {
    fn new(path: &Path, id: LedgerId) -> Self {
        let storage: Arc<dyn Storage> = Arc::new(FsStorage::open(path).unwrap());
        let log = std::fs::read_dir(path.join("log")).unwrap();
        let segments = log.map(|entry| entry.unwrap().path()).collect();
        Self { id, storage, segments, keys: path.join("keys") }
    }

    /// How many records there are, and the processor time of hashing them, a chunk at a time: what
    /// it takes to fetch a chunk is not counted.
    fn reference(&self) -> (u64, Duration) {
        let reader = Reader::open(Arc::clone(&self.storage), self.id).unwrap();
        let mut records =
            reader.stream(Seq(0), Check::None).map(|record| record.unwrap().bytes).peekable();
        let hasher = hash::RecordHasher::new(&self.id);
        let mut tree = Frontier::new();
        let mut last = ledger_format::RecordHash::ZERO;
        let (mut count, mut spent) = (0, Duration::ZERO);
        while records.peek().is_some() {
            let chunk: Vec<Vec<u8>> = records.by_ref().take(CHUNK).collect();
            count += chunk.len() as u64;
            let ((), took) = cpu(|| {
                for record in &chunk {
                    assert_eq!(RecordView::decode(record).unwrap().header.prev, last);
                    last = hasher.hash(record);
                    tree.push(record);
                }
            });
            spent += took;
        }
        std::hint::black_box(tree.root());
        (count, spent)
    }

    /// What else `verify` does at every level: it reads the segments, and checks the key pages.
    fn rest(&self) {
        for segment in &self.segments {
            std::hint::black_box(std::fs::read(segment).unwrap());
        }
        for file in ["slots.a", "slots.b"] {
            let mut file = std::fs::File::open(self.keys.join(file)).unwrap();
            let mut pages = vec![0; 256 * 4_096];
            loop {
                let length = file.read(&mut pages).unwrap();
                for page in pages[..length].chunks(4_096) {
                    std::hint::black_box(hash::check(page));
                }
                if length == 0 {
                    break;
                }
            }
        }
    }

    fn verify(&self, level: VerifyLevel, threads: usize) {
        let options = VerifyOptions { level, threads, ..VerifyOptions::default() };
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
    fn cold(&self, site: &Site, rows: &mut Rows) {
        let mut shares = Vec::new();
        for _ in 0..site.rounds.max(3) {
            self.forget();
            let ((), read) = time(|| {
                self.segments.iter().for_each(|path| drop(std::fs::read(path).unwrap()));
            });
            let ((), warm) = time(|| self.verify(VerifyLevel::Log, 1));
            self.forget();
            let ((), cold) = time(|| self.verify(VerifyLevel::Log, 1));
            shares.push(read.max(warm).as_secs_f64() / cold.as_secs_f64());
        }
        rows.goal(
            "V4 cold / the slower of cold read and warm verify",
            ">= 0.8",
            Spread::of(shares),
        );
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
