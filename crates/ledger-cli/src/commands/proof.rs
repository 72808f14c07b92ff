//! Owns `checkpoint`, `key show`, `key rotate`, and reading what a ledger is compared with.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use memledger::Ledger;
use memledger::format::LedgerId;
use memledger::proof::{
    GivenCheckpoint, Heads, MadeCheckpoint, SignedCheckpoint, VerifierKey, WitnessPolicy,
};
use serde_json::{Value, json};

use super::witnessed::{Said, Witnesses};
use super::{Done, reading, writing};
use crate::args::{AgainstArgs, CheckpointArgs, CheckpointVerb};
use crate::context::{Context, Opened};
use crate::exit::{Code, Failure};
use crate::output::human;

/// Longest proof, note, key or policy that is read from a file, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// Makes or shows checkpoints.
pub(crate) fn checkpoint(ctx: &Context<'_>, args: &CheckpointArgs) -> Done {
    match (&args.verb, &args.witness_policy) {
        (None, None) => writing(ctx, make),
        (None, Some(policy)) => {
            // Read before anything is made.
            let witnesses = Witnesses::meant(policy, &args.witness)?;
            make_witnessed(ctx, witnesses)
        }
        (Some(CheckpointVerb::List), _) => reading(ctx, list),
        (Some(CheckpointVerb::Show { size }), _) => {
            reading(ctx, |ctx, opened| show(ctx, opened, *size))
        }
    }
}

fn make(ctx: &Context<'_>, ledger: &Ledger) -> Done {
    let made = ledger.checkpoint()?;
    if ctx.json() {
        ctx.out.object(&made_object(&made, &made.signed))?;
        return Ok(Code::Ok);
    }
    note_new(ctx, &made);
    ctx.out.raw(&made.signed.to_string())?;
    Ok(Code::Ok)
}

/// Signs and keeps the checkpoint, lets go of the ledger, and only then asks.
fn make_witnessed(ctx: &Context<'_>, witnesses: Witnesses) -> Done {
    let (made, questions) = writing(ctx, |_, ledger| {
        let made = ledger.checkpoint()?;
        let questions = witnesses.questions(ledger, &made.signed)?;
        Ok((made, questions))
    })?;
    let mut witnessed = witnesses.ask(ctx, questions);
    let failure = witnessed.failure();
    if ctx.json() {
        let mut object = made_object(&made, &witnessed.signed);
        if let Value::Object(fields) = &mut object {
            let said: Vec<Value> = witnessed.said.iter().map(Said::object).collect();
            fields.insert("witnesses".to_owned(), said.into());
            fields.insert("quorum".to_owned(), witnessed.quorum.is_ok().into());
            let names = witnessed.quorum.as_deref().unwrap_or_default();
            fields.insert("witnessed_by".to_owned(), json!(names));
        }
        ctx.out.object(&object)?;
    } else {
        note_new(ctx, &made);
        // A missed quorum says all this itself.
        for said in witnessed.said.iter().filter(|_| failure.is_none()) {
            ctx.out.note(&said.to_string());
        }
        ctx.out.raw(&witnessed.signed.to_string())?;
    }
    failure.map_or(Ok(Code::Ok), Err)
}

fn note_new(ctx: &Context<'_>, made: &MadeCheckpoint) {
    if !made.new {
        ctx.out.note("nothing was added since this checkpoint was made");
    }
}

fn made_object(made: &MadeCheckpoint, signed: &SignedCheckpoint) -> Value {
    let mut object = as_object(signed);
    if let Value::Object(fields) = &mut object {
        fields.insert("seq".to_owned(), json!(made.seq.0));
        fields.insert("new".to_owned(), json!(made.new));
    }
    object
}

fn list(ctx: &Context<'_>, opened: &Opened) -> Done {
    let stored = opened.ledger.checkpoints()?;
    if stored.is_empty() {
        return Err(Failure::not_found("no checkpoint is kept here")
            .hint("`memledger checkpoint` makes one"));
    }
    let mut code = Code::Ok;
    for one in &stored {
        match &one.note {
            Ok(signed) if ctx.json() => ctx.out.object(&as_object(signed))?,
            Ok(signed) => {
                let head = signed.checkpoint();
                let signatures = signed.note().signatures().len() as u64;
                let records = human::count(head.size, "record", "records");
                let signed = human::count(signatures, "signature", "signatures");
                ctx.out.line(&format!("{}  {records}  root {}  {signed}", one.file, head.root))?;
            }
            Err(why) => {
                code = Code::Damaged;
                ctx.out.note(&format!("{} is no checkpoint: {why}", one.file));
            }
        }
    }
    Ok(code)
}

fn show(ctx: &Context<'_>, opened: &Opened, size: Option<u64>) -> Done {
    let found = match size {
        Some(size) => opened.ledger.stored_checkpoint(size)?,
        None => opened.ledger.newest_stored()?.and_then(|stored| stored.note.ok()),
    };
    let found = found.ok_or_else(|| {
        Failure::not_found("there is no such checkpoint here")
            .hint("`memledger checkpoint list` shows which there are")
    })?;
    if ctx.json() {
        ctx.out.object(&as_object(&found))?;
    } else {
        ctx.out.raw(&found.to_string())?;
    }
    Ok(Code::Ok)
}

/// A checkpoint for programs.
pub(super) fn as_object(signed: &SignedCheckpoint) -> Value {
    let head = signed.checkpoint();
    let signatures = signed.note().signatures().iter();
    let names: Vec<&str> = signatures.map(memledger::proof::SignatureLine::name).collect();
    json!({
        "origin": head.origin,
        "size": head.size,
        "root": head.root.to_string(),
        "signed_by": names,
        "note": signed.to_string(),
    })
}

/// The signing keys that the log names.
pub(crate) fn show_keys(ctx: &Context<'_>, opened: &Opened) -> Done {
    let keys = opened.ledger.signing_keys()?;
    let Some(last) = keys.last() else {
        return Err(Failure::not_found("this ledger has no signing key yet")
            .hint("`memledger key rotate` makes one and records it"));
    };
    for key in &keys {
        let in_force = key.since == last.since;
        if ctx.json() {
            ctx.out.object(&json!({
                "key": key.key.to_string(),
                "since": key.since.0,
                "in_force": in_force,
                "at_hand": key.at_hand,
            }))?;
            continue;
        }
        let state = match (in_force, key.at_hand) {
            (true, true) => "in force",
            (true, false) => "in force, its private half is not at hand",
            (false, _) => "replaced",
        };
        ctx.out.line(&key.key.to_string())?;
        ctx.out.line(&format!("  {state}, since record {}", key.since))?;
    }
    Ok(Code::Ok)
}

/// Puts a new signing key in force.
pub(crate) fn rotate_key(ctx: &Context<'_>, ledger: &Ledger) -> Done {
    let done = ledger.rotate_signing_key()?;
    let before = done.before.map(|key| key.to_string());
    if ctx.json() {
        ctx.out.object(&json!({
            "key": done.key.to_string(),
            "seq": done.seq.0,
            "before": before,
            "file": done.file.display().to_string(),
        }))?;
        return Ok(Code::Ok);
    }
    let what = if before.is_some() { "a new signing key is" } else { "the first signing key is" };
    ctx.out.line(&format!("#{}  {what} in force", done.seq))?;
    let mut fields = human::Fields::default();
    fields.put("key", done.key).maybe("before", before).put("file", done.file.display());
    ctx.out.line(&fields.show("  "))?;
    Ok(Code::Ok)
}

/// What a ledger is compared with: what the flags name, and what this user saw last.
pub(super) fn heads(
    ctx: &Context<'_>,
    ledger: LedgerId,
    args: &AgainstArgs,
) -> Result<Heads, Failure> {
    let mut heads = Heads { now: seconds(ctx), ..Heads::default() };
    if !ctx.accept_head {
        heads.heads.extend(ctx.remembered(ledger)?);
    }
    for path in &args.checkpoint {
        let signed = checkpoint_in(path)?;
        heads.checkpoints.push(GivenCheckpoint { name: path.display().to_string(), signed });
    }
    heads.keys = keys(&args.key)?;
    heads.policy = args.witness_policy.as_deref().map(policy_in).transpose()?;
    Ok(heads)
}

/// The present in seconds since 1970.
pub(super) fn seconds(ctx: &Context<'_>) -> u64 {
    u64::try_from(ctx.now().0 / 1_000_000).unwrap_or(0)
}

/// A checkpoint in a file.
pub(super) fn checkpoint_in(path: &Path) -> Result<SignedCheckpoint, Failure> {
    let bytes = read(path)?;
    SignedCheckpoint::parse(&bytes).map_err(|error| in_file(path, &error))
}

/// A policy in a file.
pub(super) fn policy_in(path: &Path) -> Result<WitnessPolicy, Failure> {
    text(path)?.parse().map_err(|error| in_file(path, &error))
}

/// Keys as they were typed, or in files.
pub(super) fn keys(typed: &[String]) -> Result<Vec<VerifierKey>, Failure> {
    typed
        .iter()
        .map(|typed| {
            let path = Path::new(typed);
            if typed.contains('+') && !path.exists() {
                return typed
                    .parse()
                    .map_err(|error| Failure::usage(format!("--key {typed}: {error}")));
            }
            text(path)?.trim().parse().map_err(|error| in_file(path, &error))
        })
        .collect()
}

fn text(path: &Path) -> Result<String, Failure> {
    String::from_utf8(read(path)?).map_err(|_| in_file(path, &"it is not UTF-8"))
}

/// A file that somebody gave; - is stdin.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        io::stdin().take(MAX_FILE).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(MAX_FILE).read_to_end(&mut bytes))
    };
    read.map_err(|error| in_file(path, &error))?;
    Ok(bytes)
}

pub(super) fn in_file(path: &Path, why: &dyn std::fmt::Display) -> Failure {
    Failure::file(format!("'{}': {why}", path.display()))
}
