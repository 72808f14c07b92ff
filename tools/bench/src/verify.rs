//! Verification against a reference loop of the same work (goals V1, V2, V3).

use std::sync::Arc;

use ledger_format::tree::Frontier;
use ledger_format::{RecordView, Seq, hash};
use ledger_store::storage::{FsStorage, Storage};
use ledger_store::verify::{VerifyLevel, VerifyOptions, verify};
use ledger_store::{Check, Reader};

use crate::measure::{Spread, goal, time, title};
use crate::world::{create, fill};

pub(crate) fn run(records: u64) {
    title(&format!("V: verify {records} records (files in the page cache)"));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger");
    let (ledger, clock) = create(&path);
    fill(&ledger, &clock, records, (records / 10).max(1));
    let id = ledger.id();
    ledger.close().unwrap();
    let storage: Arc<dyn Storage> = Arc::new(FsStorage::open(&path).unwrap());
    let reader = Reader::open(Arc::clone(&storage), id).unwrap();
    let all: Vec<Vec<u8>> =
        reader.stream(Seq(0), Check::None).map(|record| record.unwrap().bytes).collect();
    let bytes: usize = all.iter().map(Vec::len).sum();
    let log = std::fs::read_dir(path.join("log")).unwrap();
    let segments: Vec<_> = log.map(|entry| entry.unwrap().path()).collect();
    let (mut one, mut two, mut fast) = (vec![], vec![], vec![]);
    for _ in 0..5 {
        let (_, reference) = time(|| {
            let hasher = hash::RecordHasher::new(&id);
            let mut tree = Frontier::new();
            let mut last = ledger_format::RecordHash::ZERO;
            for record in &all {
                assert_eq!(RecordView::decode(record).unwrap().header.prev, last);
                last = hasher.hash(record);
                tree.push(record);
            }
            tree.root()
        });
        let (_, bulk) = time(|| {
            for segment in &segments {
                blake3::hash(&std::fs::read(segment).unwrap());
            }
        });
        let run = |threads| {
            let options = VerifyOptions { level: VerifyLevel::Log, threads, upto: None };
            time(|| {
                let report = verify(&storage, id, None, options, &|_| false, &|_| {});
                assert!(report.findings.is_empty(), "{:?}", report.findings);
            })
            .1
        };
        let (single, double) = (run(1), run(2));
        one.push(reference.as_secs_f64() / single.as_secs_f64());
        two.push(single.as_secs_f64() / double.as_secs_f64());
        fast.push(bulk.as_secs_f64() / single.as_secs_f64());
    }
    println!(
        "{} records, {} MB of records in {} segments",
        all.len(),
        bytes / 1_000_000,
        segments.len()
    );
    goal("V1 speed / reference loop (chain, tree), one thread", ">= 0.9", &Spread::of(one));
    goal("V2 two threads / one", ">= 1.7", &Spread::of(two));
    println!(
        "for orientation: bulk BLAKE3 of the segments / verify on one thread: {}",
        Spread::of(fast)
    );
}
