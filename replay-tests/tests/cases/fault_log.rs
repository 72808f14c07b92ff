//! What can be wrong with the bytes of a log: the verdict is the one that fits, and never a shorter
//! ledger that says nothing.

use ledger_format::RecordView;
use ledger_format::key_page::KeyPage;
use ledger_format::segment::SegmentHeader;
use ledger_store::storage::{RelPath, Storage as _};
use memledger::ErrorKind;
use memledger::verify::{CheckVerdict, VerifyLevel};
use replay_tests::crash::check::whole;
use replay_tests::stand::Stand;
use replay_tests::tail::{Tail, hashes};

/// The last batch is gone, that is said, and all before it is there.
fn dropped(tail: &Tail, stand: &mut Stand, what: &str) {
    let ledger = stand.open().unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(hashes(&ledger), tail.hashes[..tail.before], "{what}");
    let said = ledger.notices().iter().any(|notice| notice.contains("was taken out"));
    assert!(said, "{what}: {:?}", ledger.notices());
    ledger.close().unwrap();
}

#[test]
fn fault_02_the_last_batch_cut_at_any_byte_is_dropped_and_nothing_else() {
    let tail = Tail::new();
    for cut in tail.start + 1..tail.end {
        let mut stand = tail.edited(|bytes| bytes.truncate(cut as usize));
        let ledger = stand.open().unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
        assert_eq!(hashes(&ledger), tail.hashes[..tail.before], "cut at {cut}");
        let bytes = format!("{} bytes from offset {}", cut - tail.start, tail.start);
        let notices = ledger.notices().join("\n");
        // A rest of zeros is no batch that was begun: nothing is kept of it.
        assert!(notices.contains(&bytes) || notices.contains("taken out"), "{cut}: {notices}");
        if cut % 64 == 0 {
            whole(&ledger).unwrap();
        }
    }
}

#[test]
fn fault_03_a_later_part_without_an_earlier_one_is_no_batch() {
    let tail = Tail::new();
    let length = tail.end - tail.start;
    for part in 1..length / 32 {
        let until = (tail.start + part * 32) as usize;
        let mut stand = tail.edited(|bytes| bytes[tail.start as usize..until].fill(0));
        dropped(&tail, &mut stand, &format!("zeros up to {until}"));
    }
}

#[test]
fn fault_04_zeros_decode_as_nothing() {
    let tail = Tail::new();
    let (start, end) = (tail.start as usize, tail.end as usize);
    let mut stand = tail.edited(|bytes| bytes[start..end].fill(0));
    let ledger = stand.open().unwrap();
    assert_eq!(hashes(&ledger), tail.hashes[..tail.before]);
    for length in [1, 64, 512, 4096, 65_535] {
        let zeros = vec![0; length];
        assert!(RecordView::decode(&zeros).is_err(), "{length}");
        assert!(SegmentHeader::decode(&zeros).is_err(), "{length}");
        assert!(KeyPage::decode(&zeros).is_err(), "{length}");
    }
}

#[test]
fn fault_05_old_bytes_behind_the_tail_are_not_taken_for_new() {
    let tail = Tail::new();
    let (earlier, start, end) = (tail.earlier as usize, tail.start as usize, tail.end as usize);
    for (what, from, to) in [("the last batch", start, end), ("the one before", earlier, start)] {
        let mut stand = tail.edited(|bytes| {
            let old = bytes[from..to].to_vec();
            bytes.truncate(end);
            bytes.extend(old);
        });
        match stand.open() {
            Ok(ledger) => {
                assert_eq!(hashes(&ledger), tail.hashes, "{what}");
                let notices = ledger.notices().join("\n");
                assert!(notices.contains("was taken out"), "{what}: {notices}");
                whole(&ledger).unwrap();
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::Damaged, "{what}: {error}"),
        }
    }
}

#[test]
fn fault_06_a_flipped_bit_is_named_with_its_file_and_nothing_is_cut() {
    let tail = Tail::new();
    let log = RelPath::new("log").unwrap();
    let names = tail.stand(|_| ()).disk.list(&log).unwrap();
    // What lies above the anchor may be dropped; that is fault 2.
    for name in &names[..names.len() - 1] {
        let path = log.join(name).unwrap();
        let length = tail.stand(|_| ()).disk.contents(&path).unwrap().len() as u64;
        for at in (0..128).step_by(13).chain((4096..length).step_by(41)) {
            let mut stand = tail.stand(|disk| disk.flip_bit(&path, at, (at % 8) as u8).unwrap());
            let before = stand.disk.contents(&path);
            named(&mut stand, path.as_str(), &format!("{name} at {at}"));
            assert_eq!(stand.disk.contents(&path), before, "{name} at {at}");
        }
    }
}

#[test]
fn fault_07_a_hostile_length_neither_allocates_nor_aborts() {
    let tail = Tail::new();
    let hostile = [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    for at in (tail.start..tail.end - 4).step_by(2) {
        let value = hostile[at as usize / 2 % hostile.len()];
        let mut stand = tail.edited(|bytes| {
            bytes[at as usize..at as usize + 4].copy_from_slice(&value.to_le_bytes());
        });
        let ledger = stand.open().unwrap_or_else(|error| panic!("{value:#x} at {at}: {error}"));
        let found = hashes(&ledger);
        // The last batch is whole (where the field held this value) or gone.
        assert!(found == tail.hashes || found == tail.hashes[..tail.before], "{at}");
    }
}

#[test]
fn fault_08_damage_in_any_segment_counts() {
    let tail = Tail::new();
    let names = tail.stand(|_| ()).disk.list(&RelPath::new("log").unwrap()).unwrap();
    assert!(names.len() >= 4, "{names:?}");
    for name in &names {
        let path = RelPath::new(format!("log/{name}")).unwrap();
        let mut stand = tail.stand(|disk| disk.flip_bit(&path, 4096 + 200, 3).unwrap());
        named(&mut stand, path.as_str(), name);
    }
}

/// Opening refuses and names the file, or verify does.
fn named(stand: &mut Stand, file: &str, what: &str) {
    match stand.open() {
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Damaged, "{what}: {error}");
            assert!(error.to_string().contains(file), "{what}: {error}");
        }
        Ok(ledger) => {
            let report = ledger.verify(VerifyLevel::Content, &|_, _, _| ()).unwrap();
            assert_eq!(report.verdict(), CheckVerdict::Damaged, "{what}");
            let findings = report.checks.iter().flat_map(|check| &check.findings);
            assert!(findings.into_iter().any(|found| found.contains(file)), "{what}: {report:#?}");
        }
    }
}

#[test]
fn fault_10_a_right_block_at_a_wrong_place_is_wrong() {
    let tail = Tail::new();
    let first = RelPath::new("log/0000000001.seg").unwrap();
    for shift in [32, 512] {
        let mut stand = tail.stand(|disk| {
            disk.edit(&first, |bytes| {
                let block = bytes[4096..4096 + 256].to_vec();
                bytes[4096 + shift..4096 + shift + 256].copy_from_slice(&block);
            })
            .unwrap();
        });
        named(&mut stand, first.as_str(), &format!("{shift} bytes on"));
    }
    // A whole batch of the same log, where another one of it was.
    let other = tail.stand(|_| ()).disk.contents(&first).unwrap();
    let second = RelPath::new("log/0000000002.seg").unwrap();
    let mut stand = tail.stand(|disk| {
        disk.edit(&second, |bytes| {
            let length = bytes.len().min(other.len());
            bytes[4096..length].copy_from_slice(&other[4096..length]);
        })
        .unwrap();
    });
    named(&mut stand, second.as_str(), "a batch of another segment");
}

#[test]
fn fault_15_a_segment_without_content_is_tolerated_only_as_the_last() {
    let tail = Tail::new();
    let names = tail.stand(|_| ()).disk.list(&RelPath::new("log").unwrap()).unwrap();
    let next = RelPath::new(format!("log/{:010}.seg", names.len())).unwrap();
    // The one before was closed: that is done before the next one is made.
    let mut stand = tail.edited(|bytes| bytes.truncate(tail.end as usize));
    drop(stand.disk.create_exclusive(&next).unwrap());
    let ledger = stand.open().unwrap();
    assert_eq!(hashes(&ledger), tail.hashes);
    ledger.close().unwrap();
    assert_eq!(stand.disk.contents(&next), None, "it is taken away");
    // The last one is what a stop while it was made would leave.
    for name in &names[..names.len() - 1] {
        let path = RelPath::new(format!("log/{name}")).unwrap();
        let mut stand = tail.stand(|disk| disk.edit(&path, Vec::clear).unwrap());
        let error = stand.open().expect_err(name);
        assert_eq!(error.kind(), ErrorKind::Damaged, "{name}: {error}");
        assert!(error.to_string().contains(path.as_str()), "{name}: {error}");
    }
}
