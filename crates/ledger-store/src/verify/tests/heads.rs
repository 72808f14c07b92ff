//! Heads from elsewhere: notes, remembered sizes and roots; and anchors that cannot be read.

use ledger_format::TreeRoot;
use ledger_format::tree::Frontier;

use super::*;
use crate::Check;

/// The root over the first records of a ledger, by the reader and not by the check.
pub(super) fn root(made: &Made, size: u64) -> TreeRoot {
    let reader = crate::Reader::open(Arc::clone(&made.storage), LEDGER).unwrap();
    let mut tree = Frontier::new();
    for record in reader.stream(Seq(0), Check::None).take(usize::try_from(size).unwrap()) {
        tree.push(&record.unwrap().bytes);
    }
    assert_eq!(tree.size(), size);
    tree.root()
}

fn remembering(made: &Made, heads: &[RememberedHead]) -> VerifyReport {
    let options = VerifyOptions { remembered: heads, ..at_level(VerifyLevel::Log) };
    check_with(made, None, options)
}

#[test]
fn every_size_has_its_root_and_no_other() {
    let (_, made) = made_in_memory();
    let records = made.head.head.seq.0 + 1;
    let heads: Vec<_> =
        (0..=records).map(|size| RememberedHead { size, root: root(&made, size) }).collect();
    let report = remembering(&made, &heads);
    assert_eq!(report.findings, [], "{}", text(&report));
    let claim = report.claim("checkpoints").unwrap();
    assert_eq!((claim.checked, claim.expected), (records + 1, records + 1));
    for head in &heads {
        let mut forked = *head;
        forked.root.0[5] ^= 1;
        let report = remembering(&made, &[forked]);
        assert_eq!(report.verdict(), Verdict::Damaged, "{}", text(&report));
        assert!(damage(&report)[0].what.ends_with("a fork"), "{}", text(&report));
    }
}

#[test]
fn a_log_that_was_longer_was_rolled_back() {
    let (storage, made) = made_in_memory();
    let records = made.head.head.seq.0 + 1;
    let head = RememberedHead { size: records + 1, root: TreeRoot([1; 32]) };
    let report = remembering(&made, &[head]);
    assert_eq!(report.verdict(), Verdict::Damaged);
    assert!(damage(&report)[0].what.ends_with("a rollback"), "{}", text(&report));
    // Behind damage nobody can tell.
    storage.flip_bit(&path("log/0000000002.seg"), 4_200, 0).unwrap();
    let report = remembering(&made, &[head]);
    assert!(!damage(&report).iter().any(|one| one.claim == "checkpoints"), "{}", text(&report));
    assert_eq!(report.claim("checkpoints").unwrap().verdict, Verdict::CannotCheck);
}

fn put(made: &Made, file: &str, bytes: &[u8]) {
    made.storage.create_dir(&path("checkpoints")).unwrap();
    made.storage.create_exclusive(&path(file)).unwrap().write_all_at(bytes, 0).unwrap();
}

#[test]
fn a_note_says_what_the_log_says() {
    let (_, made) = made_in_memory();
    let size = 5;
    let digits = |byte: u8| {
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".as_bytes()
            [usize::from(byte)] as char
    };
    let mut text = String::new();
    for group in root(&made, size).0.chunks(3) {
        let bits = group.iter().fold(0u32, |all, byte| all << 8 | u32::from(*byte))
            << (8 * (3 - group.len()));
        for at in 0..4 {
            let digit = digits(u8::try_from(bits >> (18 - 6 * at) & 63).unwrap());
            text.push(if at > group.len() { '=' } else { digit });
        }
    }
    let note = format!("example.org/a\n{size}\n{text}\n\n\u{2014} example.org/a AAECAwQ=\n");
    put(&made, "checkpoints/5.note", note.as_bytes());
    let report = check(&made);
    assert_eq!(report.findings, [], "{}", super::text(&report));
    assert_eq!(report.claim("checkpoints").unwrap().checked, 1);
    put(&made, "checkpoints/6.note", note.as_bytes());
    put(&made, "checkpoints/7.note", note.replace("\n5\n", "\n7\n").as_bytes());
    let report = check(&made);
    let wrong: Vec<_> = damage(&report).iter().map(|one| one.file.to_string()).collect();
    assert_eq!(wrong, ["checkpoints/6.note", "checkpoints/7.note"]);
}

#[test]
fn garbage_among_the_checkpoints_is_damage_and_another_name_is_noted() {
    let (_, made) = made_in_memory();
    put(&made, "checkpoints/3.note", b"garbage");
    put(&made, "checkpoints/readme", b"hello");
    let report = check(&made);
    assert_eq!(report.findings.len(), 2, "{}", text(&report));
    assert_eq!(damage(&report)[0].file, path("checkpoints/3.note"));
    assert_eq!(report.claim("checkpoints").unwrap().verdict, Verdict::Damaged);
}

#[test]
fn without_an_anchor_that_can_be_read_the_end_cannot_be_checked() {
    type Spoil = fn(&MemStorage, &RelPath);
    let spoilers: [Spoil; 4] = [
        |storage, file| storage.flip_bit(file, 20, 1).unwrap(),
        |storage, file| storage.remove_file(file).unwrap(),
        |storage, file| storage.edit(file, |bytes| bytes.fill(0)).unwrap(),
        |storage, file| storage.edit(file, |bytes| bytes.truncate(100)).unwrap(),
    ];
    for (one, first) in spoilers.iter().enumerate() {
        for (other, second) in spoilers.iter().enumerate() {
            let (storage, made) = made_in_memory();
            first(&storage, &path("anchor.a"));
            let report = check(&made);
            assert_eq!(report.verdict(), Verdict::Damaged, "{one}: {}", text(&report));
            second(&storage, &path("anchor.b"));
            let report = check(&made);
            assert_eq!(report.verdict(), Verdict::CannotCheck, "{one} {other}: {}", text(&report));
            // Damage elsewhere is damage all the same.
            storage.flip_bit(&path("log/0000000001.seg"), 4_300, 0).unwrap();
            assert_eq!(check(&made).verdict(), Verdict::Damaged);
        }
    }
}

#[test]
fn anchors_that_contradict_each_other_count_as_none() {
    let (storage, made) = made_in_memory();
    let newest = crate::read_anchors(&storage).unwrap().latest().unwrap().clone();
    let mut other = newest.clone();
    other.recorded_at.0 += 1;
    for (file, anchor) in [("anchor.a", &newest), ("anchor.b", &other)] {
        storage.edit(&path(file), |bytes| *bytes = anchor.encode().to_vec()).unwrap();
    }
    let report = check(&made);
    assert_eq!(report.verdict(), Verdict::CannotCheck, "{}", text(&report));
}

#[test]
fn one_payload_file_may_have_been_begun_and_no_other() {
    let storage = MemStorage::new();
    let mut holder = Holder::create(Arc::new(storage.clone()));
    holder.write(&["one"]).unwrap();
    let (upto, made) = (holder.appender.position().unwrap(), holder.leave());
    assert_eq!(upto.payload_file, 0);
    let copy = storage.contents(&path("payloads/0000000000.pay")).unwrap();
    for (number, verdict) in [(1, Verdict::Ok), (2, Verdict::Damaged), (7, Verdict::Damaged)] {
        let file = crate::layout::payload_file(number);
        let stray = storage.create_exclusive(&file).unwrap();
        stray.write_all_at(&copy, 0).unwrap();
        for upto in [None, Some(upto)] {
            let report =
                check_with(&made, None, VerifyOptions { upto, ..VerifyOptions::default() });
            assert_eq!(report.verdict(), verdict, "{number} {upto:?}: {}", text(&report));
        }
        storage.remove_file(&file).unwrap();
    }
}
