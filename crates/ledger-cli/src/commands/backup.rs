//! Owns `backup` and `restore`.
//!
//! Invariants: every result says that the keys are not in a backup, and where they lie; a restore says
//! up to which record erasures are known.

use std::path::Path;

use memledger::backup::{BackupReport, KeyPlaces, RestoreRequest, Restored};
use memledger::machine::Machine;
use memledger::{Error, ErrorKind, Ledger};
use serde_json::{Value, json};

use super::verify::show_progress;
use super::{Done, lifecycle};
use crate::args::{BackupArgs, RestoreArgs};
use crate::context::{Context, whole};
use crate::exit::{Code, Failure};
use crate::output::human::{self, Fields};

/// Takes a backup.
pub(crate) fn backup(ctx: &Context<'_>, args: &BackupArgs) -> Done {
    let to = whole(&args.dir)?;
    // A ledger that lacks what this user saw of it is not made the only copy.
    let opened = ctx.open_archive()?;
    opened.ledger.close()?;
    let watch = |what: &str, done, total| show_progress(ctx, what, done, total);
    let taken = Ledger::backup(&ctx.dir, &to, &ctx.options(), &Machine::default(), &watch);
    ctx.out.progress_done();
    let report = taken.map_err(failure)?;
    if ctx.json() {
        ctx.out.object(&backup_object(&report, &to))?;
        return Ok(Code::Ok);
    }
    let records = human::count(report.head.size(), "record", "records");
    ctx.out.line(&format!("{}: a whole backup of {records}, checked", to.display()))?;
    let copied = report.copied;
    let mut fields = Fields::default();
    fields
        .put("last record", format!("#{}  {}", report.head.last, report.head.hash))
        .put("root", report.head.root)
        .maybe("before it", report.before.map(|seq| format!("a backup up to #{seq}")))
        .put("copied", files(copied.files, copied.bytes))
        .put("kept", format!("{}, the same", files(copied.kept, copied.kept_bytes)));
    ctx.out.line(&fields.show("  "))?;
    not_in_it(ctx, &report.keys)?;
    Ok(Code::Ok)
}

fn files(count: u64, bytes: u64) -> String {
    format!("{}, {} bytes", human::count(count, "file", "files"), human::grouped(bytes))
}

/// What no backup holds.
fn not_in_it(ctx: &Context<'_>, keys: &KeyPlaces) -> Result<(), Failure> {
    let master = keys.master.as_deref().unwrap_or("not found here");
    let signing = keys.signing.as_ref().map(|path| path.display().to_string());
    let mut fields = Fields::default();
    fields.put("master key", master).maybe("signing key", signing);
    ctx.out.line("not in it, and without the master key nothing in it can be read:")?;
    ctx.out.line(&fields.show("  "))
}

fn keys_object(keys: &KeyPlaces) -> Value {
    let signing = keys.signing.as_ref().map(|path| path.display().to_string());
    json!({ "in_backup": false, "master": keys.master, "signing_key": signing })
}

fn backup_object(report: &BackupReport, to: &Path) -> Value {
    json!({
        "dir": to.display().to_string(),
        "ledger": report.head.ledger.to_string(),
        "seq": report.head.last.0,
        "hash": report.head.hash.to_string(),
        "root": report.head.root.to_string(),
        "size": report.head.size(),
        "before": report.before.map(|seq| seq.0),
        "files": report.files,
        "bytes": report.bytes,
        "copied_files": report.copied.files,
        "copied_bytes": report.copied.bytes,
        "kept_files": report.copied.kept,
        "kept_bytes": report.copied.kept_bytes,
        "resumed": report.resumed,
        "keys": keys_object(&report.keys),
    })
}

/// Makes a ledger of a backup.
pub(crate) fn restore(ctx: &Context<'_>, args: &RestoreArgs) -> Done {
    lifecycle::reason_given("restore", Some(&args.reason))?;
    if ctx.dir_is_flag() {
        return Err(Failure::usage("-C means nothing for `restore`: it makes a new directory")
            .hint("write `memledger restore BACKUP DIR --reason R`"));
    }
    let (backup, dir) = (whole(&args.backup)?, whole(&args.dir)?);
    let watch = |what: &str, done, total| show_progress(ctx, what, done, total);
    let machine = Machine::default();
    let request = RestoreRequest {
        backup: &backup,
        backup_machine: &machine,
        dir: &dir,
        reason: &args.reason,
    };
    let restored = Ledger::restore(request, &ctx.options(), &watch);
    ctx.out.progress_done();
    let restored = restored.map_err(failure)?;
    print(ctx, &restored, &dir)?;
    settle_head(ctx, &dir)?;
    Ok(Code::Ok)
}

fn print(ctx: &Context<'_>, restored: &Restored, dir: &Path) -> Result<(), Failure> {
    let head = restored.head;
    if ctx.json() {
        return ctx.out.object(&json!({
            "dir": dir.display().to_string(),
            "ledger": head.ledger.to_string(),
            "seq": restored.seq.0,
            "epoch": restored.epoch,
            "last": head.last.0,
            "hash": head.hash.to_string(),
            "root": head.root.to_string(),
            "size": head.size(),
            "erasures_through": head.last.0,
            "keys_erased": restored.erased,
            "resumed": restored.resumed,
            "keys": keys_object(&restored.keys),
        }));
    }
    let records = human::count(head.size(), "record", "records");
    ctx.out.line(&format!("{}: restored, {records}", dir.display()))?;
    let mut fields = Fields::default();
    fields
        .put("last record", format!("#{}  {}", head.last, head.hash))
        .put("root", head.root)
        .put("recorded as", format!("#{}, epoch {}", restored.seq, restored.epoch));
    if restored.erased > 0 {
        let keys = human::count(restored.erased, "key", "keys");
        fields.put("erased again", format!("{keys} that erasures in the log cover"));
    }
    ctx.out.line(&fields.show("  "))?;
    ctx.out.line(&format!(
        "Erasures are known up to #{}. What was erased from the ledger after that is not known here and\n\
         may be readable again: erase it again before anybody reads. Record #{} says so for good.",
        head.last, restored.seq
    ))
}

/// Remembers the restored head where it continues what this user saw, and says so where it does not.
fn settle_head(ctx: &Context<'_>, dir: &Path) -> Result<(), Failure> {
    let ledger = Ledger::open_archive(dir, ctx.options())?;
    let (id, head) = (ledger.id(), ledger.head_to_keep("the head"));
    let known = ctx.remembered(id)?;
    let lacks = known.as_ref().is_some_and(|known| ledger.hold_to(known).is_err());
    if let (Some(known), true, false) = (&known, lacks, ctx.accept_head) {
        ctx.out.note(&format!(
            "this user saw {} records of this ledger: commands will call the restored one rolled back (exit 3) until one is run with --accept-head, which makes its head the one to remember",
            known.size
        ));
    } else {
        ctx.remember(id, head);
    }
    Ok(ledger.close()?)
}

/// What went wrong, with a hint of these verbs.
fn failure(error: Error) -> Failure {
    let kind = error.kind();
    let failure = Failure::from(error);
    match kind {
        ErrorKind::Conflict => {
            failure.hint("each backup directory holds one history of one ledger")
        }
        ErrorKind::Unavailable => {
            failure.hint("run the same command again: it goes on where it was")
        }
        ErrorKind::Unproven => failure.hint("`memledger key check` says where keys are looked for"),
        _ => failure,
    }
}
