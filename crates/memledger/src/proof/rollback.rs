//! Owns what is said of a log that lacks a head which somebody kept.
//!
//! Invariant: it is a rollback when the log is shorter, and also when it says itself that it was
//! restored from a backup below that head; a fork is what nothing in the log explains.

use ledger_format::Seq;

/// The log is shorter than a head. `restored` is the record that tells of a restore below it, and how
/// many records the backup had.
pub(super) fn shorter(name: &str, here: u64, size: u64, restored: Option<(Seq, u64)>) -> String {
    let text = format!("{name}: a rollback: the log has {here} records and once had {size}");
    match restored {
        None => text,
        Some(restored) => format!("{text}, and {}", told(restored)),
    }
}

/// The first records of the log are not those of a head.
pub(super) fn other(name: &str, size: u64, restored: Option<(Seq, u64)>) -> String {
    match restored {
        Some(restored) => format!(
            "{name}: a rollback: the first {size} records here are not the ones of that head, and {}",
            told(restored)
        ),
        None => format!(
            "{name}: a fork: the first {size} records here are not the ones of that head; two histories carry this ledger's id"
        ),
    }
}

fn told((seq, kept): (Seq, u64)) -> String {
    format!(
        "record {seq} says that it was restored from a backup of {kept} records: what that lacked is not in this history"
    )
}
