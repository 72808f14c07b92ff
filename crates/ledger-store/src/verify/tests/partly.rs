//! Checks that look at less than everything, and say so: the fast level, and checks that begin with a
//! head that was checked before.

use std::cell::RefCell;

use super::heads::root;
use super::*;
use crate::layout;

const DEEPER: [&str; 6] = ["records", "tree", "keys", "payload files", "payloads", "content"];

fn fast() -> VerifyOptions<'static> {
    VerifyOptions { digest: true, ..at_level(VerifyLevel::Fast) }
}

fn head(made: &Made, size: u64) -> RememberedHead {
    RememberedHead { size, root: root(made, size) }
}

/// Where the middle one of the three records of the last batch begins.
fn inner_record(made: &Made) -> (RelPath, u64) {
    let reader = crate::Reader::open(Arc::clone(&made.storage), LEDGER).unwrap();
    let last = reader.segments().last().unwrap().file.clone();
    let end = made.head.segment_end;
    let lengths: Vec<u64> = reader
        .stream(Seq(made.head.head.seq.0 - 2), crate::Check::None)
        .map(|record| record.unwrap().bytes.len() as u64)
        .collect();
    let trailer = ledger_format::batch::TRAILER_BYTES as u64;
    (last, end - trailer - lengths[2] - 2 - lengths[1] + 100)
}

fn with_three_in_a_batch() -> (MemStorage, Made) {
    let (storage, made) = made_in_memory();
    let mut holder = Holder::reopen(made);
    let mut batch = holder.appender.begin();
    for kind in [Kind::Pin, Kind::Unpin, Kind::Pin] {
        batch.push(plain(kind, vec![1; 90], Vec::new())).unwrap();
    }
    holder.appender.commit(batch).unwrap();
    (storage, holder.close())
}

#[test]
fn the_fast_level_says_what_it_leaves_out() {
    let (_, made) = made_in_memory();
    for threads in [1, 3] {
        let report = check_with(&made, None, VerifyOptions { threads, ..fast() });
        assert_eq!(report.findings, [], "{}", text(&report));
        for claim in &report.claims {
            let left_out = DEEPER.contains(&claim.name);
            let expected = if left_out { Verdict::NotChecked } else { Verdict::Ok };
            assert_eq!(claim.verdict, expected, "{claim:?}");
            assert!(left_out || claim.checked == claim.expected, "{claim:?}");
        }
        assert!(report.claim("bytes").is_none(), "nothing to hold them against");
        assert_eq!(report.head, Some(made.head));
        let mark = report.mark.unwrap();
        assert_eq!((mark.segment, mark.end), (made.head.segment, made.head.segment_end));
        assert_eq!(Some(mark), check_with(&made, None, fast()).mark, "the same every time");
    }
}

/// The framing is covered by itself; what lies inside a batch shows against a mark only.
#[test]
fn the_fast_level_finds_damage_of_framing_and_with_a_mark_every_other() {
    let (storage, made) = with_three_in_a_batch();
    let before = check_with(&made, None, fast());
    let mark = before.mark;
    let (file, inside) = inner_record(&made);
    storage.flip_bit(&file, inside, 3).unwrap();
    let report = check_with(&made, None, fast());
    assert_eq!(report.verdict(), Verdict::Ok, "it does not claim this: {}", text(&report));
    let report = check_with(&made, None, VerifyOptions { mark, ..fast() });
    assert_eq!(report.claim("bytes").unwrap().verdict, Verdict::Damaged, "{}", text(&report));
    assert_eq!(damage(&report).len(), 1, "{}", text(&report));
    storage.flip_bit(&file, inside, 3).unwrap();
    let report = check_with(&made, None, VerifyOptions { mark, ..fast() });
    let bytes = report.claim("bytes").unwrap();
    assert_eq!((bytes.verdict, bytes.checked), (Verdict::Ok, bytes.expected), "{}", text(&report));
    // A record that ends a batch, a length, a header, a root.
    let trailer = ledger_format::batch::TRAILER_BYTES as u64;
    for back in [1, 40, trailer + 1, trailer + 20] {
        let at = made.head.segment_end - back;
        storage.flip_bit(&file, at, 0).unwrap();
        let report = check_with(&made, None, fast());
        assert_eq!(report.verdict(), Verdict::Damaged, "byte -{back}: {}", text(&report));
        storage.flip_bit(&file, at, 0).unwrap();
    }
}

#[test]
fn a_mark_holds_for_what_came_before_it_and_the_log_may_have_grown() {
    let (storage, made) = made_in_memory();
    let mark = check_with(&made, None, fast()).mark;
    let mut holder = Holder::reopen(made);
    holder.write(&["later"]).unwrap();
    let made = holder.close();
    let options = VerifyOptions { mark, ..fast() };
    let report = check_with(&made, None, options);
    assert_eq!(report.verdict(), Verdict::Ok, "{}", text(&report));
    assert_ne!(report.mark, mark);
    let first = layout::segment(ledger_format::SegmentNo(0));
    // In the body of record 0 of a batch of one the batch hash shows it as well.
    storage.flip_bit(&first, 4_096 + 300, 0).unwrap();
    let report = check_with(&made, None, options);
    assert_eq!(report.claim("bytes").unwrap().verdict, Verdict::Damaged, "{}", text(&report));
    storage.flip_bit(&first, 4_096 + 300, 0).unwrap();
    // A log that ends before the mark was not compared.
    let mut far = mark.unwrap();
    far.end += 1;
    let report = check_with(&made, None, VerifyOptions { mark: Some(far), ..fast() });
    assert_eq!(report.claim("bytes").unwrap().verdict, Verdict::CannotCheck, "{}", text(&report));
}

/// What lies before the head is neither read nor counted.
#[test]
fn a_check_since_a_head_looks_at_the_rest_and_counts_it() {
    let (storage, made) = made_in_memory();
    let records = made.head.head.seq.0 + 1;
    let keys = open_keys(&made.storage);
    let whole = check_with(&made, Some(&keys), at_level(VerifyLevel::Content));
    let mut begun = BTreeSet::new();
    for size in 0..=records {
        let since = Some(head(&made, size));
        let options = VerifyOptions { since, ..at_level(VerifyLevel::Content) };
        let report = check_with(&made, Some(&keys), options);
        assert_eq!(report.findings, [], "{size}: {}", text(&report));
        assert_eq!(report.verdict(), Verdict::Ok, "{size}: {}", text(&report));
        assert!(report.from.0 <= size.saturating_sub(1), "{size}: from {}", report.from);
        begun.insert(report.from);
        let count = |report: &VerifyReport, name| {
            let claim = report.claim(name).unwrap();
            assert_eq!(claim.checked, claim.expected, "{size}: {name}");
            claim.checked
        };
        assert_eq!(count(&report, "records"), records - report.from.0);
        assert_eq!(count(&report, "checkpoints"), 1);
        for name in ["segments", "batches", "payloads", "content", "payload files", "keys"] {
            let (part, all) = (count(&report, name), count(&whole, name));
            assert!(part <= all && (report.from > Seq(0) || part == all), "{size}: {name}");
        }
        let config = report.claim("config").unwrap().verdict;
        assert_eq!(config == Verdict::Ok, report.from == Seq(0), "{size}");
    }
    assert!(begun.len() > 2, "{begun:?}");
    let since = Some(head(&made, records));
    storage.flip_bit(&layout::segment(ledger_format::SegmentNo(0)), 4_096 + 200, 0).unwrap();
    let options = VerifyOptions { since, ..at_level(VerifyLevel::Log) };
    let report = check_with(&made, None, options);
    assert_eq!(report.verdict(), Verdict::Ok, "it is not read: {}", text(&report));
    assert!(report.from > Seq(0));
    let report = check_with(&made, None, at_level(VerifyLevel::Log));
    assert_eq!(report.verdict(), Verdict::Damaged);
}

#[test]
fn a_check_since_a_head_of_another_history_says_so() {
    let (_, made) = made_in_memory();
    let records = made.head.head.seq.0 + 1;
    for size in 1..=records + 3 {
        let mut since = head(&made, size.min(records));
        since.size = size;
        if size <= records {
            since.root.0[0] ^= 1;
        }
        let options = VerifyOptions { since: Some(since), ..at_level(VerifyLevel::Log) };
        let report = check_with(&made, None, options);
        assert_eq!(report.verdict(), Verdict::Damaged, "{size}: {}", text(&report));
        let word = if size <= records { "a fork" } else { "a rollback" };
        assert!(damage(&report)[0].what.ends_with(word), "{size}: {}", text(&report));
    }
}

/// Whoever is interrupted goes on where a segment ended, and the two checks together see everything.
#[test]
fn what_was_told_to_be_whole_can_be_gone_on_from() {
    let (storage, made) = made_in_memory();
    let run = |options| {
        let told = RefCell::new(Vec::new());
        let erased = |id: PayloadId| made.erased.contains(&id);
        let progress = |at: Progress| told.borrow_mut().extend(at.whole);
        let report = verify(&made.storage, LEDGER, None, options, &erased, &progress);
        (report, told.into_inner())
    };
    let (report, told) = run(at_level(VerifyLevel::Payloads));
    assert_eq!(told.len() as u64, report.claim("segments").unwrap().checked);
    assert_eq!(told.last(), Some(&made.head));
    for at in told {
        let since = RememberedHead { size: at.head.seq.0 + 1, root: at.head.root };
        let options = VerifyOptions { since: Some(since), ..at_level(VerifyLevel::Payloads) };
        let (report, _) = run(options);
        assert_eq!(report.verdict(), Verdict::Ok, "{}", text(&report));
        assert!(report.from <= at.head.seq);
    }
    storage.flip_bit(&layout::segment(ledger_format::SegmentNo(1)), 4_300, 0).unwrap();
    let (report, told) = run(at_level(VerifyLevel::Log));
    assert_eq!(report.verdict(), Verdict::Damaged);
    assert_eq!(told.len(), 1, "nothing behind damage is told to be whole: {told:?}");
}
