//! Erasures and copies: what a backup holds that was taken at any step of an erasure, and what a
//! restore of an older one says.

use std::path::Path;

use ledger_format::{Micros, Seq};
use ledger_store::storage::MemStorage;
use memledger::Ledger;
use memledger::answer::Text;
use memledger::verify::{CheckVerdict, VerifyLevel};
use replay_tests::copies::{back_up, event, options, restore, twin};
use replay_tests::erasing::Erasing;
use replay_tests::small;
use replay_tests::stand::{Stand, honest};
use replay_tests::workload::time;

const SECRET: &str = "the words that have to go";

/// A closed ledger, and the record whose words are to go.
fn ledger() -> (MemStorage, Seq) {
    let mut stand = Stand::new(11, Micros(time::BASE), honest());
    let ledger = stand.init().unwrap();
    small::write(&ledger, "stays", None);
    let id = small::write(&ledger, SECRET, None);
    small::write(&ledger, "stays as well", None);
    let answers = small::answers(&ledger, true).unwrap();
    let seq = answers.last().unwrap().iter().find(|item| item.id == id).unwrap().seq;
    ledger.close().unwrap();
    (stand.disk, seq)
}

/// What the ledger says of the words.
fn words(disk: &MemStorage, seq: Seq) -> Text {
    let ledger = Ledger::open(Path::new("x"), options(disk)).unwrap();
    let report = ledger.verify(VerifyLevel::Content, &|_, _, _| ()).unwrap();
    assert!(report.verdict() < CheckVerdict::CannotCheck, "{:?}", report.checks);
    let answers = small::answers(&ledger, true).unwrap();
    let item = answers.last().unwrap().iter().find(|item| item.seq == seq).unwrap().clone();
    ledger.close().unwrap();
    item.text
}

/// Steps of an erasure, in each order in which a stop can leave them done.
const STEPS: [&[&str]; 6] = [
    &[],
    &["keys"],
    &["bytes"],
    &["keys", "bytes"],
    &["bytes", "keys"],
    &["keys", "bytes", "note"],
];

#[test]
fn fault_23_a_backup_at_any_step_of_an_erasure_stays_erased_when_restored() {
    for steps in STEPS {
        let (disk, seq) = ledger();
        let (backup, older) = (MemStorage::new(), MemStorage::new());
        back_up(&disk, &backup).unwrap();
        back_up(&disk, &older).unwrap();
        let erasing = Erasing::of(&disk, seq);
        assert_eq!(erasing.left_on(&backup), ["keys", "bytes"], "it can be seen");
        let intent = erasing.intend(&disk);
        for step in steps {
            match *step {
                "keys" => erasing.destroy_keys(&disk),
                "bytes" => erasing.destroy_bytes(&disk),
                _ => erasing.note(&disk, intent),
            }
        }
        // What is gone from the ledger goes from a backup that is brought up to date.
        back_up(&disk, &backup).unwrap();
        assert_eq!(erasing.left_on(&backup), erasing.left_on(&disk), "{steps:?}");
        // And what is not carried out yet is carried out before anything is decrypted.
        let target = MemStorage::new();
        let restored = restore(&backup, &target).unwrap();
        assert_eq!(erasing.left_on(&target), [""; 0], "{steps:?}");
        assert_eq!(words(&target, seq), Text::Erased(intent), "{steps:?}");
        assert_eq!(restored.erased > 0, !steps.contains(&"keys"), "{steps:?}");
        assert!(event(&target).erasures_through >= Some(intent));
    }
}

/// A backup from before an erasure brings the words back: nobody can know better there. It is said in
/// the log up to where erasures are known, so it is not silent.
#[test]
fn fault_23_a_restore_of_an_older_backup_says_up_to_where_erasures_are_known() {
    let (disk, seq) = ledger();
    let backup = MemStorage::new();
    back_up(&disk, &backup).unwrap();
    let erasing = Erasing::of(&disk, seq);
    let intent = erasing.intend(&disk);
    erasing.destroy_keys(&disk);
    erasing.destroy_bytes(&disk);
    erasing.note(&disk, intent);
    let target = MemStorage::new();
    let restored = restore(&twin(&backup), &target).unwrap();
    assert_eq!(words(&target, seq), Text::Words(SECRET.into()));
    let known = event(&target).erasures_through.unwrap();
    assert_eq!(known, restored.head.last);
    assert!(known < intent, "the erasure at {intent} is not known at {known}");
}
