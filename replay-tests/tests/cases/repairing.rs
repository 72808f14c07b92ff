//! Repair takes nothing away: what may not be mended is not touched, and what is mended answers as it
//! did, with what was taken out kept.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use memledger::Ledger;
use memledger::repair::{RepairNeed, RepairPart};
use memledger::verify::{CheckVerdict, VerifyLevel};
use replay_tests::small;
use replay_tests::tamper::verify;

const PARTS: [RepairPart; 3] = [RepairPart::Tail, RepairPart::Anchor, RepairPart::Views];

/// Every file of the ledger but the lock and the views, which a look opens, with its bytes.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if name == "views" || name == "lock" {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            found.insert(path, bytes);
        }
    }
    found
}

#[test]
fn field_b12_a_repair_destroys_nothing() {
    let place = small::ledger();
    let truth = small::truth(&place);
    let (dir, options, watch) = (place.path(), place.options(), |_: &str, _, _| ());
    let whole = files(&dir);
    let mut anchors = 0;
    for (path, bytes) in whole.iter().filter(|(_, bytes)| !bytes.is_empty()) {
        let mut changed = bytes.clone();
        let middle = changed.iter().rposition(|byte| *byte != 0).unwrap_or(0);
        changed[middle] ^= 4;
        fs::write(path, &changed).unwrap();
        let damaged = files(&dir);
        let is_anchor = path.file_name().unwrap().to_string_lossy().starts_with("anchor.");
        for part in PARTS {
            let need = Ledger::plan_repair(&dir, part, &options, &watch);
            assert_eq!(files(&dir), damaged, "{part} of {}", path.display());
            match need {
                Ok(RepairNeed::Plan(plan)) => {
                    assert!(
                        is_anchor && part == RepairPart::Anchor,
                        "{}: {plan:?}",
                        path.display()
                    );
                    anchors += 1;
                }
                Ok(RepairNeed::Nothing(_)) => panic!("{}: something is wrong", path.display()),
                Err(_) => {}
            }
        }
        fs::write(path, bytes).unwrap();
    }
    assert_eq!(anchors, 2, "one of two copies may be written again, whichever it is");
    let path = dir.join("anchor.b");
    let mut changed = fs::read(&path).unwrap();
    changed[500] ^= 1;
    fs::write(&path, &changed).unwrap();
    let need = Ledger::plan_repair(&dir, RepairPart::Anchor, &options, &watch).unwrap();
    let RepairNeed::Plan(plan) = need else { panic!("a copy is damaged") };
    Ledger::repair(&dir, &plan, "a bad sector", &options, &watch).unwrap().ledger.close().unwrap();
    let kept = files(&dir.join("quarantine"));
    assert!(kept.values().any(|bytes| *bytes == changed), "what it held is kept");
    for (path, bytes) in whole.iter().filter(|(path, _)| path.starts_with(dir.join("log"))) {
        assert_eq!(&fs::read(path).unwrap(), bytes, "the log goes on in a segment of its own");
    }
    assert_eq!(verify(&dir, VerifyLevel::Views).verdict(), CheckVerdict::Ok);
    let ledger = place.open();
    let now = small::answers(&ledger, false).unwrap();
    assert_eq!(now.len(), truth.len() + 2, "an epoch, and the record of the repair");
    assert!(now.starts_with(&truth), "at every record the answers are what they were");
    ledger.close().unwrap();
}
