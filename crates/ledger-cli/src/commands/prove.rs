//! Owns `prove` and `prove check`.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use memledger::format::{Kind, RecordView, Seq};
use memledger::proof::{ConsistencyFile, ProofError, SignedCheckpoint, TlogProof, VerifierKey};
use serde_json::{Value, json};

use super::proof::{checkpoint_in, keys, policy_in, read, seconds};
use super::{Done, reading};
use crate::args::{Position, ProveArgs, ProveCheckArgs, ProveVerb};
use crate::context::{Context, Opened};
use crate::exit::{Code, Failure};
use crate::output::json::hex;

/// Makes or checks a proof.
pub(crate) fn prove(ctx: &Context<'_>, args: &ProveArgs) -> Done {
    match &args.verb {
        Some(ProveVerb::Check(args)) => check(ctx, args),
        None => reading(ctx, |ctx, opened| make(ctx, opened, args)),
    }
}

fn make(ctx: &Context<'_>, opened: &Opened, args: &ProveArgs) -> Done {
    let ledger = &opened.ledger;
    let kept = |size: u64| {
        ledger.stored_checkpoint(size)?.ok_or_else(|| {
            Failure::not_found(format!("no checkpoint of {size} records is kept here"))
                .hint("`memledger checkpoint list` shows which there are")
        })
    };
    let checkpoint = match (&args.checkpoint, args.size.or(args.to)) {
        (Some(path), _) => Some(checkpoint_in(path)?),
        (None, Some(size)) => Some(kept(size)?),
        (None, None) => None,
    };
    let (text, what) = if let Some(old) = args.from {
        let proof = ledger.prove_consistency(old, checkpoint)?;
        let new = proof.checkpoint.checkpoint().size;
        (proof.to_string(), format!("the log of {new} records begins with the one of {old}"))
    } else {
        let seq = match args.seq {
            Some(Position::At(seq)) => Seq(seq),
            Some(Position::Head) => {
                ledger.head_to_keep("").map_or(Seq(0), |head| Seq(head.size.saturating_sub(1)))
            }
            None => {
                return Err(Failure::usage("what is to be proven is missing")
                    .hint("name a record, or two sizes with --from and --to"));
            }
        };
        let proof = ledger.prove(seq, checkpoint)?;
        let size = proof.checkpoint.checkpoint().size;
        (proof.to_string(), format!("record {seq} is in the log of {size} records"))
    };
    match &args.output {
        None => ctx.out.raw(&text)?,
        Some(path) => {
            write(path, &text)?;
            if ctx.json() {
                ctx.out.object(&json!({ "file": path.display().to_string(), "proves": what }))?;
            } else {
                ctx.out.line(&format!("{}: {what}", path.display()))?;
            }
        }
    }
    Ok(Code::Ok)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    File::create(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| Failure::file(format!("'{}': {error}", path.display())))
}

/// Checks a proof without a ledger.
fn check(ctx: &Context<'_>, args: &ProveCheckArgs) -> Done {
    let bytes = read(&args.file)?;
    let keys = keys(&args.key)?;
    let proof = if bytes.starts_with(b"old ") {
        ConsistencyFile::parse(&bytes).map(Proof::Consistency)
    } else {
        TlogProof::parse(&bytes).map(Proof::Inclusion)
    };
    let proof = proof.map_err(|error| refused(&args.file, &error))?;
    let signer = proof.checkpoint().verify(&keys).map_err(|error| refused(&args.file, &error))?;
    let vouched = match &args.witness_policy {
        Some(path) => {
            let policy = policy_in(path)?;
            let vouched = policy.check(proof.checkpoint(), seconds(ctx), None);
            vouched.map_err(|error| refused(&args.file, &error))?
        }
        None => Vec::new(),
    };
    let shown = match &proof {
        Proof::Inclusion(proof) => included(args, proof)?,
        Proof::Consistency(proof) => continued(args, proof)?,
    };
    say(ctx, &proof, signer, &vouched, &shown)
}

enum Proof {
    Inclusion(TlogProof),
    Consistency(ConsistencyFile),
}

impl Proof {
    const fn checkpoint(&self) -> &SignedCheckpoint {
        match self {
            Self::Inclusion(proof) => &proof.checkpoint,
            Self::Consistency(proof) => &proof.checkpoint,
        }
    }
}

/// What was shown, for people and for programs.
struct Shown {
    line: String,
    fields: Value,
}

fn included(args: &ProveCheckArgs, proof: &TlogProof) -> Result<Shown, Failure> {
    let given = args.record.as_deref().map(read).transpose()?;
    let record = given.as_ref().or(proof.extra.as_ref()).ok_or_else(|| {
        Failure::unproven("the proof does not carry the record's bytes")
            .hint("name the file that holds them with --record")
    })?;
    proof.check(record).map_err(|error| refused(&args.file, &error))?;
    // A log of another program holds other records: then there is nothing to say about this one.
    let view = RecordView::decode(record).ok().filter(|view| view.header.seq.0 == proof.index);
    let kind = view.map(|view| {
        Kind::from_number(view.header.kind).map_or("an event of a kind unknown here", Kind::name)
    });
    Ok(Shown {
        line: match kind {
            Some(kind) => {
                format!("record {} is in the log: {kind}, {} bytes", proof.index, record.len())
            }
            None => format!("entry {} is in the log: {} bytes", proof.index, record.len()),
        },
        fields: json!({ "index": proof.index, "kind": kind, "record": hex(record) }),
    })
}

fn continued(args: &ProveCheckArgs, proof: &ConsistencyFile) -> Result<Shown, Failure> {
    let old = args.old.as_deref().ok_or_else(|| {
        Failure::usage("a consistency proof is checked against an earlier checkpoint")
            .hint("name its file with --old")
    })?;
    let old = checkpoint_in(old)?;
    let keys = keys(&args.key)?;
    old.verify(&keys).map_err(|error| refused(&args.file, &error).within("--old"))?;
    let head = old.checkpoint();
    if head.size != proof.old {
        return Err(Failure::unproven(format!(
            "the proof begins with {} records, and the checkpoint of --old is of {}",
            proof.old, head.size
        )));
    }
    proof.check(&head.root).map_err(|error| refused(&args.file, &error))?;
    let new = proof.checkpoint.checkpoint().size;
    Ok(Shown {
        line: format!("the log of {new} records begins with the one of {}", proof.old),
        fields: json!({ "old": proof.old }),
    })
}

fn say(
    ctx: &Context<'_>,
    proof: &Proof,
    signer: &VerifierKey,
    vouched: &[(String, u64)],
    shown: &Shown,
) -> Done {
    let head = proof.checkpoint().checkpoint();
    if ctx.json() {
        let mut fields = shown.fields.clone();
        if let Value::Object(fields) = &mut fields {
            fields.insert("verified".to_owned(), json!(true));
            fields.insert("origin".to_owned(), json!(head.origin));
            fields.insert("size".to_owned(), json!(head.size));
            fields.insert("root".to_owned(), json!(head.root.to_string()));
            fields.insert("key".to_owned(), json!(signer.to_string()));
            let names: Vec<&str> = vouched.iter().map(|(name, _)| name.as_str()).collect();
            fields.insert("witnesses".to_owned(), json!(names));
        }
        ctx.out.object(&fields)?;
        return Ok(Code::Ok);
    }
    ctx.out.line(&format!("verified  {}", shown.line))?;
    ctx.out.line(&format!("          checkpoint of {}, {} records", head.origin, head.size))?;
    ctx.out.line(&format!("          signed by {signer}"))?;
    let names: Vec<&str> = vouched.iter().map(|(name, _)| name.as_str()).collect();
    if names.is_empty() {
        return ctx.out.line("          no witness was asked for").map(|()| Code::Ok);
    }
    ctx.out.line(&format!("          witnessed by {}", names.join(", "))).map(|()| Code::Ok)
}

/// A proof that does not hold is an integrity failure; one that lacks a trusted signature shows
/// nothing either way.
fn refused(path: &Path, error: &ProofError) -> Failure {
    let message = format!("'{}': {error}", path.display());
    match error {
        ProofError::UnknownKey { .. }
        | ProofError::WrongOrigin { .. }
        | ProofError::QuorumMissed { .. } => Failure::unproven(message),
        _ => Failure::broken(message).hint("the proof, the record or the key was changed"),
    }
}
