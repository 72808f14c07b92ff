//! Owns `witness`: making one and running it. Needs no ledger.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use ledger_server::{Decision, ServerError, ServerErrorKind, Witness, WitnessDir, serve};
use serde_json::json;

use super::Done;
use super::proof::keys;
use crate::args::{WitnessArgs, WitnessVerb};
use crate::context::Context;
use crate::exit::{Code, Failure};

/// Makes or runs a witness.
pub(crate) fn witness(ctx: &Context<'_>, args: &WitnessArgs) -> Done {
    match &args.verb {
        WitnessVerb::Init { dir, name } => init(ctx, dir, name),
        WitnessVerb::Serve { dir, logs, listen } => run(ctx, dir, logs, *listen),
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
    serve(witness, listen, now, ready, |decision| ctx.out.note(&said(decision)))?;
    told.map(|()| Code::Ok)
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
