//! Owns `witness`: making one, running it and looking at it. Needs no ledger.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use ledger_server::{Decision, Limits, ServerError, ServerErrorKind, Witness, WitnessDir, serve};
use memledger::civil::format_utc;
use memledger::format::Micros;
use serde_json::json;

use super::Done;
use super::proof::keys;
use crate::args::{WitnessArgs, WitnessVerb};
use crate::context::Context;
use crate::exit::{Code, Failure};
use crate::output::human;

/// Makes or runs a witness.
pub(crate) fn witness(ctx: &Context<'_>, args: &WitnessArgs) -> Done {
    match &args.verb {
        WitnessVerb::Init { dir, name } => init(ctx, dir, name),
        WitnessVerb::Serve { dir, logs, listen } => run(ctx, dir, logs, *listen),
        WitnessVerb::Show { dir } => show(ctx, dir),
    }
}

fn init(ctx: &Context<'_>, dir: &Path, name: &str) -> Done {
    let made = WitnessDir::init(dir, name)?;
    let key = made.key().public().to_string();
    if ctx.json() {
        ctx.out.object(&json!({ "key": key, "dir": dir.display().to_string() }))?;
    } else {
        ctx.out.line(&key)?;
        ctx.out.note("give this line to whoever is to count this witness");
    }
    Ok(Code::Ok)
}

fn run(ctx: &Context<'_>, dir: &Path, logs: &[String], listen: SocketAddr) -> Done {
    let witness = Witness::new(WitnessDir::open(dir)?, keys(logs)?)?;
    let key = witness.public().to_string();
    let clock = Arc::clone(&ctx.clock);
    let now = Arc::new(move || u64::try_from(clock.now().wall.0 / 1_000_000).unwrap_or(0));
    let mut told = Ok(());
    let ready = |address: SocketAddr| {
        told = if ctx.json() {
            ctx.out.object(&json!({ "url": format!("http://{address}"), "key": key }))
        } else {
            ctx.out.line(&format!("{key} at http://{address}"))
        }
        .and_then(|()| ctx.out.flush());
    };
    serve(witness, listen, Limits::default(), now, ready, |decision| {
        ctx.out.note(&said(decision))
    })?;
    told.map(|()| Code::Ok)
}

fn show(ctx: &Context<'_>, dir: &Path) -> Done {
    let view = WitnessDir::look(dir)?;
    let mut code = Code::Ok;
    if !ctx.json() {
        ctx.out.line(&view.key.to_string())?;
    }
    for seen in &view.seen {
        match &seen.head {
            Ok((head, at)) => {
                let at = i64::try_from(*at).unwrap_or(i64::MAX).saturating_mul(1_000_000);
                let at = format_utc(Micros(at));
                if ctx.json() {
                    ctx.out.object(&json!({
                        "key": view.key.to_string(),
                        "origin": head.origin,
                        "size": head.size,
                        "root": head.root.to_string(),
                        "cosigned_at": at,
                        "file": seen.file,
                    }))?;
                } else {
                    let records = human::count(head.size, "record", "records");
                    ctx.out.line(&format!(
                        "  {}  {records}  root {}  cosigned {at}",
                        head.origin, head.root
                    ))?;
                }
            }
            Err(why) => {
                code = Code::Damaged;
                ctx.out.note(&format!(
                    "{}: {why}; put back the file that this witness wrote",
                    seen.file
                ));
            }
        }
    }
    if view.seen.is_empty() {
        if ctx.json() {
            ctx.out.object(&json!({ "key": view.key.to_string() }))?;
        }
        ctx.out.note("it has cosigned nothing yet");
    }
    Ok(code)
}

fn said(decision: &Decision) -> String {
    let origin = decision.origin.as_deref().unwrap_or("unreadable request");
    let what = decision.why.as_deref().unwrap_or("cosigned");
    format!("{} {origin}, {} records: {what}", decision.status, decision.size)
}

impl From<ServerError> for Failure {
    fn from(error: ServerError) -> Self {
        let message = error.to_string();
        match error.kind() {
            ServerErrorKind::Invalid => Self::usage(message),
            ServerErrorKind::Damaged => Self::broken(message),
            _ => Self::ambiguous(message),
        }
    }
}
