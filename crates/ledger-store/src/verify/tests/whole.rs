//! A whole ledger passes, with honest counts.

use std::cell::RefCell;

use super::*;

#[test]
fn a_whole_ledger_passes_at_every_level() {
    on_both(|storage| {
        let made = made(storage);
        let keys = open_keys(&made.storage);
        for level in [VerifyLevel::Log, VerifyLevel::Payloads, VerifyLevel::Content] {
            for threads in [0, 1, 4] {
                let options = VerifyOptions { level, threads, ..VerifyOptions::default() };
                let report = check_with(&made, Some(&keys), options);
                assert_eq!(report.findings, [], "{}", text(&report));
                assert_eq!(report.verdict(), Verdict::Ok, "{}", text(&report));
                assert_eq!(report.head, Some(made.head));
            }
        }
    });
}

#[test]
fn every_claim_counts_what_there_is() {
    let (storage, made) = made_in_memory();
    let report = check(&made);
    let count = |name: &str| {
        let claim = report.claim(name).unwrap();
        assert_eq!(claim.checked, claim.expected, "{name}");
        claim.checked
    };
    let segments = storage.list(&path("log")).unwrap().len() as u64;
    assert!(segments >= 3);
    assert_eq!(count("segments"), segments);
    assert_eq!(count("anchors"), 2);
    assert_eq!(count("batches"), 7);
    assert_eq!(count("tree"), 7);
    assert_eq!(count("records"), 1 + 3 * 2 + 1 + 2 * 2);
    assert_eq!(count("records"), made.head.head.seq.0 + 1);
    assert_eq!(count("config"), 1);
    assert_eq!(count("keys"), 4);
    let files = storage.list(&path("payloads")).unwrap().len() as u64;
    assert!(files >= 2);
    assert_eq!(count("payload files"), files);
    assert_eq!(count("payloads"), 7);
    assert_eq!(count("content"), 7);
    assert!(count("head") >= 1);
    assert_eq!(report.claims.len(), 12);
}

#[test]
fn what_the_level_leaves_out_is_said_to_be_unchecked() {
    let (_, made) = made_in_memory();
    let report = check_with(&made, None, at_level(VerifyLevel::Log));
    for claim in &report.claims {
        let left_out = ["payload files", "payloads", "content"].contains(&claim.name);
        let expected = if left_out { Verdict::NotChecked } else { Verdict::Ok };
        assert_eq!(claim.verdict, expected, "{}", claim.name);
    }
    assert_eq!(report.verdict(), Verdict::Ok);
}

#[test]
fn without_the_master_key_content_cannot_be_checked_and_nothing_is_damaged() {
    let (_, made) = made_in_memory();
    let keyless = KeyStore::open(Arc::clone(&made.storage), LEDGER, None).unwrap();
    for keys in [None, Some(&keyless)] {
        let report = check_with(&made, keys, at_level(VerifyLevel::Content));
        assert_eq!(damage(&report), [] as [&Finding; 0], "{}", text(&report));
        let content = report.claim("content").unwrap();
        assert_eq!(content.verdict, Verdict::CannotCheck);
        // Of an erased payload it is known that nothing is left.
        assert_eq!((content.checked, content.expected), (1, 7));
        assert_eq!(report.claim("payloads").unwrap().verdict, Verdict::Ok);
        assert_eq!(report.verdict(), Verdict::CannotCheck);
        assert_eq!(check_with(&made, keys, at_level(VerifyLevel::Payloads)).verdict(), Verdict::Ok);
    }
}

#[test]
fn progress_ends_at_the_total() {
    let (_, made) = made_in_memory();
    let seen = RefCell::new(Vec::new());
    let progress = |at: Progress| seen.borrow_mut().push(at);
    let options = VerifyOptions { threads: 3, ..VerifyOptions::default() };
    let erased = |id: PayloadId| made.erased.contains(&id);
    let report = verify(&made.storage, LEDGER, None, options, &erased, &progress);
    assert_eq!(report.verdict(), Verdict::Ok);
    let seen = seen.into_inner();
    assert!(seen.is_sorted_by_key(|at| at.bytes));
    let last = seen.last().unwrap();
    assert_eq!(last.bytes, last.total);
    assert!(last.total > 3 * 4_096);
}

#[test]
fn a_ledger_before_its_first_batch_passes() {
    let storage: Arc<dyn Storage> = Arc::new(MemStorage::new());
    KeyStore::create(Arc::clone(&storage), LEDGER, &master()).unwrap();
    LedgerConfig::from_genesis(&genesis()).unwrap().write(&*storage).unwrap();
    let appender = Appender::create(Arc::clone(&storage), LEDGER, 1, options()).unwrap();
    drop(appender);
    let report = verify(&storage, LEDGER, None, VerifyOptions::default(), &|_| false, &|_| {});
    // There is no record 0 yet that `ledger.toml` could be compared with.
    assert_eq!(report.verdict(), Verdict::CannotCheck);
    let open: Vec<_> = report.claims.iter().filter(|claim| claim.verdict != Verdict::Ok).collect();
    assert_eq!(open.len(), 2, "{}", text(&report));
}

#[test]
fn up_to_a_durable_head_a_ledger_in_use_passes() {
    let storage = MemStorage::new();
    let mut holder = Holder::create(Arc::new(storage.clone()));
    holder.write(&["one", "two"]).unwrap();
    let upto = holder.appender.position().unwrap();
    let middle = holder.write(&["three"]).and_then(|()| holder.write(&["four"]));
    middle.unwrap();
    let head = holder.appender.position().unwrap();
    let made = holder.leave();
    // Somebody is in the middle of a write.
    storage.edit(&crate::layout::segment(head.segment), |bytes| bytes.push(7)).unwrap();
    storage.edit(&crate::layout::payload_file(head.payload_file), |bytes| bytes.push(7)).unwrap();
    assert_eq!(check_with(&made, None, VerifyOptions::default()).findings.len(), 2);
    for (upto, records) in [(upto, 3), (head, 7)] {
        let options = VerifyOptions { upto: Some(upto), ..VerifyOptions::default() };
        let report = check_with(&made, None, options);
        assert_eq!(report.verdict(), Verdict::Ok, "{}", text(&report));
        assert_eq!(report.head, Some(upto));
        assert_eq!(report.claim("records").unwrap().expected, records);
    }
}
