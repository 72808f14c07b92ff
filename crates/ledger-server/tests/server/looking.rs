//! What a witness shows of itself.

use std::fs;

use ledger_server::{ServerErrorKind, WitnessDir};

use crate::support::{NOW, ORIGIN, fresh, opened, request, status};

#[test]
fn a_witness_is_looked_at_while_it_runs() {
    let root = tempfile::tempdir().unwrap();
    let dir = fresh(root.path());
    assert!(WitnessDir::look(&dir).unwrap().seen.is_empty());
    let running = opened(&dir);
    assert_eq!(status(&running, &request(0, 9, "a")), 200);
    let view = WitnessDir::look(&dir).unwrap();
    assert_eq!(&view.key, running.public());
    let (head, at) = view.seen[0].head.as_ref().unwrap();
    assert_eq!((head.origin.as_str(), head.size, *at), (ORIGIN, 9, NOW));
    assert_eq!(view.seen[0].file, "heads/support.example%2Flog.note");
}

#[test]
fn a_note_that_is_changed_moved_or_not_its_own_says_so() {
    let root = tempfile::tempdir().unwrap();
    let dir = fresh(root.path());
    assert_eq!(status(&opened(&dir), &request(0, 9, "a")), 200);
    let note = dir.join("heads/support.example%2Flog.note");
    let good = fs::read_to_string(&note).unwrap();
    let own = good.lines().last().unwrap().to_owned();
    let found = |name: &str, text: &str| {
        fs::remove_dir_all(dir.join("heads")).unwrap();
        fs::create_dir(dir.join("heads")).unwrap();
        fs::write(dir.join("heads").join(name), text).unwrap();
        WitnessDir::look(&dir).unwrap().seen.remove(0).head
    };
    let name = "support.example%2Flog.note";
    assert!(found(name, &good.replace("\n9\n", "\n8\n")).unwrap_err().contains("does not verify"));
    assert!(found(name, &good.replace(&format!("{own}\n"), "")).unwrap_err().contains("did not"));
    assert!(found("other.note", &good).unwrap_err().contains("belongs to"));
    assert!(found(name, "").is_err());
    assert!(found(name, &good).is_ok());
}

#[test]
fn nothing_is_made_where_no_witness_is() {
    let root = tempfile::tempdir().unwrap();
    let refused = WitnessDir::look(root.path()).unwrap_err();
    assert_eq!(refused.kind(), ServerErrorKind::Invalid);
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
}
