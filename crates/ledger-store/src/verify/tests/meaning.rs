//! What damage, loss, erasure and missing means to check are called.

use super::*;
use crate::layout;

fn claim(report: &VerifyReport, name: &str) -> Verdict {
    report.claim(name).unwrap().verdict
}

#[test]
fn damage_in_one_segment_does_not_hide_that_in_another() {
    let (storage, made) = made_in_memory();
    storage.flip_bit(&path("log/0000000000.seg"), 4_096 + 300, 0).unwrap();
    storage.flip_bit(&path("log/0000000002.seg"), 4_096 + 300, 0).unwrap();
    let report = check(&made);
    let files: BTreeSet<_> = damage(&report).iter().map(|one| one.file.clone()).collect();
    assert!(files.contains(&path("log/0000000000.seg")));
    assert!(files.contains(&path("log/0000000002.seg")));
    let records = report.claim("records").unwrap();
    assert!(records.checked > 0 && records.checked < records.expected);
    assert_eq!(records.expected, made.head.head.seq.0 + 1);
    let segments = report.claim("segments").unwrap();
    assert_eq!((segments.checked, segments.expected), (1, 3));
    // The payloads that could be reached are whole; that there are others is said.
    assert_eq!(claim(&report, "payloads"), Verdict::CannotCheck);
    assert_eq!(report.head, None);
}

#[test]
fn a_log_that_ends_below_its_anchor_has_lost_records() {
    let (storage, made) = made_in_memory();
    storage.remove_file(&path("log/0000000002.seg")).unwrap();
    let report = check(&made);
    assert_eq!(claim(&report, "head"), Verdict::Damaged, "{}", text(&report));
    let records = report.claim("records").unwrap();
    assert_eq!(records.expected, made.head.head.seq.0 + 1);
    assert!(records.checked < records.expected);
    let said = damage(&report).iter().any(|one| one.what == "the end of the log");
    assert!(said, "{}", text(&report));
}

#[test]
fn cutting_whole_batches_off_is_seen_by_the_anchor_alone() {
    let (storage, made) = made_in_memory();
    let segment = layout::segment(made.head.segment);
    storage.edit(&segment, |bytes| bytes.truncate(4_096)).unwrap();
    let report = check(&made);
    assert_eq!(claim(&report, "batches"), Verdict::CannotCheck, "{}", text(&report));
    assert_eq!(claim(&report, "head"), Verdict::Damaged);
}

#[test]
fn a_missing_segment_in_the_middle_is_one_gap() {
    let (storage, made) = made_in_memory();
    storage.remove_file(&path("log/0000000001.seg")).unwrap();
    let report = check(&made);
    let gap: Vec<_> = damage(&report).into_iter().filter(|one| one.claim == "segments").collect();
    assert_eq!(gap.len(), 1, "{}", text(&report));
    assert_eq!(gap[0].file, path("log/0000000001.seg"));
    assert_eq!(report.claim("segments").unwrap().checked, 2);
    assert_eq!(report.claim("segments").unwrap().expected, 3);
    // The last segment agrees with the last anchor; the one before it is in the gap.
    let head = report.claim("head").unwrap();
    assert_eq!((head.checked, head.expected, head.verdict), (1, 2, Verdict::CannotCheck));
}

#[test]
fn a_segment_of_another_history_does_not_continue_this_one() {
    let (storage, made) = made_in_memory();
    let other = MemStorage::new();
    let mut holder = Holder::create(Arc::new(other.clone()));
    holder.write(&["the first words", "and a second text beside them"]).unwrap();
    holder.write(&["mere words"]).unwrap();
    holder.write(&["text that will be erased", "text that stays"]).unwrap();
    holder.erase(PayloadId(4)).unwrap();
    holder.close();
    let first = path("log/0000000000.seg");
    let bytes = other.contents(&first).unwrap();
    // Whole by itself and as long as the one it takes the place of.
    assert_eq!(storage.contents(&first).unwrap().len(), bytes.len());
    storage.edit(&first, |old| *old = bytes).unwrap();
    let report = check_with(&made, None, at_level(VerifyLevel::Log));
    let found = damage(&report);
    assert_eq!(found.len(), 1, "{}", text(&report));
    assert_eq!(found[0].file, path("log/0000000001.seg"));
    assert_eq!(found[0].what, "the record hash that a segment continues");
    assert_eq!(report.head, None);
}

#[test]
fn a_closed_segment_that_became_longer_is_damage() {
    let (storage, made) = made_in_memory();
    storage.edit(&path("log/0000000000.seg"), |bytes| bytes.push(0)).unwrap();
    let report = check_with(&made, None, at_level(VerifyLevel::Log));
    assert_eq!(damage(&report).len(), 1, "{}", text(&report));
    assert_eq!(damage(&report)[0].what, "the length of the segment before");
}

#[test]
fn an_unclean_stop_excuses_the_last_batch_above_the_anchor_and_no_other() {
    let storage = MemStorage::new();
    let mut holder = Holder::create(Arc::new(storage.clone()));
    holder.write(&["one"]).unwrap();
    holder.appender.anchor().unwrap();
    let anchored = holder.appender.position().unwrap();
    holder.write(&["two"]).unwrap();
    let middle = holder.appender.position().unwrap();
    holder.write(&["three"]).unwrap();
    let made = holder.leave();
    let segment = layout::segment(made.head.segment);
    for (at, excused) in [
        (anchored.segment_end - 200, false),
        (anchored.segment_end - 10, false),
        (middle.segment_end - 200, false),
        (middle.segment_end - 10, false),
        (made.head.segment_end - 200, true),
        (made.head.segment_end - 10, true),
    ] {
        storage.flip_bit(&segment, at, 4).unwrap();
        let report = check(&made);
        assert!(report.findings.iter().any(|one| one.file == segment), "byte {at}");
        assert_eq!(damage(&report).is_empty(), excused, "byte {at}: {}", text(&report));
        storage.flip_bit(&segment, at, 4).unwrap();
    }
    // The same for its payloads.
    for (end, excused) in [(middle.payload_end, false), (made.head.payload_end, true)] {
        let payloads = layout::payload_file(made.head.payload_file);
        storage.flip_bit(&payloads, end - 20, 4).unwrap();
        let report = check(&made);
        assert_eq!(damage(&report).is_empty(), excused, "payload to {end}: {}", text(&report));
        storage.flip_bit(&payloads, end - 20, 4).unwrap();
    }
}

#[test]
fn without_anchors_it_cannot_be_told_whether_the_log_is_complete() {
    let (storage, made) = made_in_memory();
    for file in ["anchor.a", "anchor.b"] {
        storage.flip_bit(&path(file), 20, 0).unwrap();
    }
    let report = check(&made);
    assert_eq!(claim(&report, "anchors"), Verdict::CannotCheck);
    assert_eq!(claim(&report, "head"), Verdict::CannotCheck);
    assert_eq!(claim(&report, "records"), Verdict::Ok);
}

#[test]
fn another_history_of_the_same_ledger_is_not_the_anchored_one() {
    let (storage, made) = made_in_memory();
    let other = MemStorage::new();
    let mut holder = Holder::create(Arc::new(other.clone()));
    holder.write(&["the first words", "and a second text beside them"]).unwrap();
    holder.write(&["other words"]).unwrap();
    holder.write(&["text that will be erased", "text that stays"]).unwrap();
    holder.erase(PayloadId(4)).unwrap();
    let mut holder = Holder::reopen(holder.close());
    holder.write(&["another text"]).unwrap();
    holder.write(&["another end"]).unwrap();
    holder.close();
    for (file, bytes) in other.snapshot() {
        let anchor = file.as_str().starts_with("anchor");
        let keys = file.as_str().starts_with("keys");
        if anchor || keys || storage.contents(&file).is_none() {
            continue;
        }
        storage.edit(&file, |old| *old = bytes).unwrap();
    }
    let report = check(&made);
    let head: Vec<_> = damage(&report).into_iter().filter(|one| one.claim == "head").collect();
    assert!(!head.is_empty(), "{}", text(&report));
    assert!(head[0].expected.starts_with("batch hash"), "{}", head[0]);
}

#[test]
fn a_log_that_was_rolled_back_with_its_anchors_has_forgotten_an_erasure() {
    let storage = MemStorage::new();
    let mut holder = Holder::create(Arc::new(storage.clone()));
    holder.write(&["one", "two"]).unwrap();
    let closed = holder.close();
    let old = storage.snapshot();
    let mut holder = Holder::reopen(closed);
    holder.erase(PayloadId(1)).unwrap();
    let mut made = holder.close();
    for (file, _) in storage.snapshot() {
        let keys = file.as_str().starts_with("keys");
        match old.get(&file) {
            Some(bytes) if !keys => storage.edit(&file, |now| now.clone_from(bytes)).unwrap(),
            Some(_) => {}
            None => storage.remove_file(&file).unwrap(),
        }
    }
    made.erased.clear();
    let report = check_with(&made, None, at_level(VerifyLevel::Log));
    let found = damage(&report);
    assert_eq!(found.len(), 1, "{}", text(&report));
    assert_eq!(found[0].what, "the last erasure carried out");
}

#[test]
fn zeros_without_an_erasure_are_damage() {
    let (storage, made) = made_in_memory();
    let (id, file, offset, length) = made.payloads[0];
    let payload = layout::payload_file(file);
    let range =
        usize::try_from(offset).unwrap()..usize::try_from(offset).unwrap() + length as usize;
    storage.edit(&payload, |bytes| bytes[range].fill(0)).unwrap();
    let report = check(&made);
    let found = damage(&report);
    assert_eq!(found.len(), 1, "{}", text(&report));
    assert_eq!((found[0].file.clone(), found[0].offset), (payload, Some(offset)));
    assert!(found[0].what.contains(&id.to_string()));
    assert!(found[0].found.contains("no erasure"));
    assert_eq!(report.claim("payloads").unwrap().checked, 6);
    assert_eq!(report.claim("payloads").unwrap().expected, 7);
}

#[test]
fn an_empty_slot_without_an_erasure_is_damage() {
    let (_, made) = made_in_memory();
    open_keys(&made.storage).erase(&[PayloadId(2)]).unwrap();
    let report = check_with(&made, None, at_level(VerifyLevel::Payloads));
    let found = damage(&report);
    assert_eq!(found.len(), 1, "{}", text(&report));
    assert_eq!(found[0].found, "an empty slot, and no erasure");
    open_keys(&made.storage).erase(&[PayloadId(0)]).unwrap();
    let report = check_with(&made, None, at_level(VerifyLevel::Log));
    assert_eq!(damage(&report)[0].what, "the pepper in slot 0");
}

#[test]
fn an_erased_payload_whose_bytes_or_key_are_left_is_damage() {
    let (_, mut made) = made_in_memory();
    made.erased.insert(PayloadId(1));
    let report = check(&made);
    assert_eq!(damage(&report).len(), 1, "{}", text(&report));
    assert_eq!(damage(&report)[0].found, "bytes that are not zero");
    let (storage, mut made) = made_in_memory();
    let (id, file, offset, length) = made.payloads[0];
    made.erased.insert(id);
    let from = usize::try_from(offset).unwrap();
    let zero = |bytes: &mut Vec<u8>| bytes[from..from + length as usize].fill(0);
    storage.edit(&layout::payload_file(file), zero).unwrap();
    let report = check(&made);
    assert_eq!(damage(&report).len(), 1, "{}", text(&report));
    assert_eq!(damage(&report)[0].found, "zeros, and its key is still there");
}

#[test]
fn an_erasure_that_goes_on_is_no_damage() {
    let storage = MemStorage::new();
    let mut holder = Holder::create(Arc::new(storage));
    holder.write(&["one", "two"]).unwrap();
    let id = PayloadId(2);
    let seq = holder.intend(id).unwrap();
    let report = |holder: &Holder| {
        let erased = |one: PayloadId| holder.erased.contains(&one);
        let options =
            VerifyOptions { upto: holder.appender.position(), ..at_level(VerifyLevel::Payloads) };
        verify(&holder.storage, LEDGER, None, options, &erased, &|_| {})
    };
    let first = report(&holder);
    assert_eq!(first.verdict(), Verdict::Ok, "{}", text(&first));
    assert_eq!(first.findings[0].severity, Severity::Residue);
    holder.keys.erase(&[id]).unwrap();
    assert_eq!(report(&holder).verdict(), Verdict::Ok);
    let (_, file, offset, length) = holder.payloads[1];
    holder.appender.erase_payload(file, offset, length).unwrap();
    holder.keys.set_erasures_through(seq).unwrap();
    let last = report(&holder);
    assert_eq!((last.verdict(), last.findings.len()), (Verdict::Ok, 0), "{}", text(&last));
}

#[test]
fn a_key_of_another_payload_does_not_open_it() {
    let (_, made) = made_in_memory();
    let keys = open_keys(&made.storage);
    // Fresh keys for all payloads: whole pages, and not the keys they were sealed with.
    keys.reset_unreferenced(PayloadId(1)).unwrap();
    keys.erase(&[PayloadId(4)]).unwrap();
    let report = check(&made);
    assert_eq!(claim(&report, "payloads"), Verdict::Ok);
    assert_eq!(claim(&report, "content"), Verdict::Damaged);
    assert_eq!(damage(&report).len(), 6, "{}", text(&report));
}

#[test]
fn two_payloads_with_one_key_are_damage() {
    let storage = MemStorage::new();
    let mut holder = Holder::create(Arc::new(storage));
    let given = holder.keys.reserve(1).unwrap();
    let (id, key) = &given[0];
    for nonce in [1, 2] {
        let sealed = seal(&LEDGER, *id, Role::Text, b"twice", key, &[nonce; 24]).unwrap();
        let mut batch = holder.appender.begin();
        batch.push(plain(Kind::Pin, vec![1], vec![sealed])).unwrap();
        holder.appender.commit(batch).unwrap();
    }
    let report = check(&holder.close());
    assert_eq!(damage(&report).len(), 1, "{}", text(&report));
    assert_eq!(damage(&report)[0].found, "1 a second time");
}

#[test]
fn a_holder_that_checks_its_own_keys_excuses_nothing() {
    let storage = MemStorage::new();
    let mut holder = Holder::create(Arc::new(storage.clone()));
    holder.write(&["one"]).unwrap();
    holder.appender.anchor().unwrap();
    let options = VerifyOptions { upto: holder.appender.position(), ..VerifyOptions::default() };
    let report =
        || verify(&holder.storage, LEDGER, Some(&holder.keys), options, &|_| false, &|_| {});
    assert_eq!(report().findings, []);
    storage.flip_bit(&path("keys/slots.b"), 5_000, 1).unwrap();
    assert_eq!(claim(&report(), "keys"), Verdict::Damaged);
    holder.keys.repair(PayloadId(u64::MAX)).unwrap();
    assert_eq!(report().findings, []);
}

#[test]
fn names_that_no_ledger_makes_are_noted_or_refused() {
    let (storage, made) = made_in_memory();
    for name in ["notes.txt", "log/readme", "payloads/x", "keys/slots.c"] {
        storage.create_exclusive(&path(name)).unwrap();
    }
    let report = check(&made);
    assert_eq!(report.findings.len(), 4, "{}", text(&report));
    assert!(report.findings.iter().all(|one| one.severity == Severity::Note));
    assert_eq!(report.verdict(), Verdict::Ok);
    storage.create_exclusive(&path("log/3.seg")).unwrap();
    storage.create_exclusive(&path("payloads/0000000007.pay")).unwrap();
    let report = check(&made);
    assert_eq!(damage(&report).len(), 2, "{}", text(&report));
}

#[test]
fn key_files_that_do_not_open_are_damage_and_content_cannot_be_checked() {
    let (storage, made) = made_in_memory();
    for file in ["keys/slots.a", "keys/slots.b"] {
        storage.flip_bit(&path(file), 30, 0).unwrap();
    }
    let report = check(&made);
    assert_eq!(claim(&report, "keys"), Verdict::Damaged);
    assert_eq!(claim(&report, "content"), Verdict::CannotCheck);
    assert_eq!(claim(&report, "payloads"), Verdict::CannotCheck);
    let keys = report.claim("keys").unwrap();
    assert_eq!((keys.checked, keys.expected), (0, 4));
}

#[test]
fn a_ledger_of_another_name_is_foreign_in_every_file() {
    let (_, made) = made_in_memory();
    let other = LedgerId([1; 16]);
    let report = verify(&made.storage, other, None, VerifyOptions::default(), &|_| false, &|_| {});
    for name in ["anchors", "segments", "keys", "config"] {
        assert_eq!(claim(&report, name), Verdict::Damaged, "{name}: {}", text(&report));
    }
}

#[test]
fn the_list_of_findings_is_bounded_and_says_so() {
    let (storage, made) = made_in_memory();
    for number in 0..1_500 {
        storage.create_exclusive(&path(&format!("log/{number}.seg"))).unwrap();
    }
    let report = check(&made);
    assert_eq!(report.findings.len(), 1_000);
    assert_eq!(report.omitted, 500);
    assert_eq!(claim(&report, "segments"), Verdict::Damaged);
}
