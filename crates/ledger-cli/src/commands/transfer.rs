//! Owns `import` and `export`.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

use ledger_import::{ImportReport, Progress, git, history, jsonl, triples};
use memledger::format::ActorKind;
use memledger::{Actor, Ledger};
use serde_json::json;

use super::{Done, writing};
use crate::args::{ImportArgs, ImportVerb, JsonlArgs};
use crate::context::{Context, Opened};
use crate::exit::{Code, Failure};
use crate::output::human;

/// Rows between two updates of the progress line.
const SHOW_EVERY: u64 = 100;

/// Brings data in.
pub(crate) fn import(ctx: &Context<'_>, verb: &ImportVerb) -> Done {
    if let ImportVerb::Jsonl(args) = verb {
        return carry_in(ctx, args);
    }
    writing(ctx, |ctx, ledger| {
        let imported = foreign(ctx, ledger, verb);
        ctx.out.progress_done();
        let (format, report) = imported?;
        print(ctx, format, &report)
    })
}

/// Imports rows of another system.
fn foreign(
    ctx: &Context<'_>,
    ledger: &Ledger,
    verb: &ImportVerb,
) -> Result<(&'static str, ImportReport), Failure> {
    let scope = ctx.scope.clone();
    let mut watch = |at: Progress<'_>| progress(ctx, at);
    Ok(match verb {
        ImportVerb::Git(args) => {
            let options = git::GitOptions {
                repo: args.repo.clone(),
                path: args.path.clone(),
                scope,
                document: args.document.clone(),
                by: by(&args.how),
                quarantine: args.how.quarantine.clone(),
            };
            ("git", git::import(ledger, &options, &mut watch)?)
        }
        ImportVerb::History(args) => {
            let options = history::HistoryOptions {
                dir: args.dir.clone(),
                scope,
                document: args.document.clone(),
                by: by(&args.how),
                quarantine: args.how.quarantine.clone(),
            };
            ("history", history::import(ledger, &options, &mut watch)?)
        }
        ImportVerb::Triples(args) => {
            let options = triples::TriplesOptions {
                file: args.file.clone(),
                scope,
                by: by(&args.how),
                trust: args.trust,
                quarantine: args.how.quarantine.clone(),
            };
            ("triples", triples::import(ledger, &options, &mut watch)?)
        }
        // Whole ledgers do not come into an open one.
        ImportVerb::Jsonl(_) => return Err(Failure::internal()),
    })
}

/// Carries a whole ledger in: into a new directory, or as the continuation of the same ledger.
fn carry_in(ctx: &Context<'_>, args: &JsonlArgs) -> Done {
    let name = args.file.display().to_string();
    let mut from: Box<dyn BufRead> = if name == "-" {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let file = File::open(&args.file)
            .map_err(|error| Failure::file(format!("{name} cannot be read: {error}")))?;
        Box::new(BufReader::new(file))
    };
    let name = if name == "-" { "stdin" } else { &name };
    let mut watch = |at: Progress<'_>| progress(ctx, at);
    let imported = jsonl::import(&ctx.dir, ctx.options(), &mut *from, name, &mut watch);
    ctx.out.progress_done();
    print(ctx, "jsonl", &imported?)
}

/// Who imports, where nobody is named.
fn by(args: &ImportArgs) -> Actor {
    let importer = || Actor { kind: ActorKind::Service, name: "memledger-import".to_owned() };
    args.by.clone().unwrap_or_else(importer)
}

fn progress(ctx: &Context<'_>, at: Progress<'_>) {
    if !at.done.is_multiple_of(SHOW_EVERY) {
        return;
    }
    let done = human::grouped(at.done);
    match at.total {
        Some(total) => {
            ctx.out.progress(&format!("{}: {done} of {}", at.what, human::grouped(total)))
        }
        None => ctx.out.progress(&format!("{}: {done}", at.what)),
    }
}

/// What became of the rows. Rows that were not taken are no failure: the file says which.
fn print(ctx: &Context<'_>, format: &str, report: &ImportReport) -> Done {
    let quarantine = report.quarantine.as_ref().map(|path| path.display().to_string());
    if ctx.json() {
        ctx.out.object(&json!({
            "format": format,
            "rows": report.rows(),
            "appended": report.appended,
            "present": report.present,
            "unchanged": report.unchanged,
            "refused": report.refused,
            "documents": report.documents,
            "quarantine": quarantine,
            "notes": report.notes,
        }))?;
    } else {
        let count = |number: u64| human::grouped(number);
        let place = quarantine.map_or_else(String::new, |path| format!("  (see {path})"));
        let mut fields = human::Fields::default();
        fields
            .put("appended", count(report.appended))
            .put("present", format!("{}  (recorded by an earlier run)", count(report.present)))
            .put("unchanged", format!("{}  (said nothing new)", count(report.unchanged)))
            .put("refused", format!("{}{place}", count(report.refused)));
        ctx.out.line(&format!("{} rows read from {format}", count(report.rows())))?;
        ctx.out.line(&fields.show("  "))?;
        report.notes.iter().try_for_each(|note| ctx.out.line(&format!("note: {note}")))?;
    }
    Ok(if report.rows() == 0 { Code::NotFound } else { Code::Ok })
}

/// Takes every record out.
pub(crate) fn export(ctx: &Context<'_>, opened: &Opened, sealed: bool) -> Done {
    let mut pipe = ctx.out.pipe();
    let mut watch = |at: Progress<'_>| progress(ctx, at);
    let exported = jsonl::export(&opened.ledger, &mut pipe, sealed, &mut watch);
    ctx.out.progress_done();
    if let Some(failure) = pipe.failure() {
        return Err(failure);
    }
    let records = human::count(exported?.records, "record", "records");
    ctx.out.note(&if sealed {
        format!("{records} written, sealed: their content cannot be read from them")
    } else {
        format!("{records} written with their keys: whoever has them can read the content")
    });
    Ok(Code::Ok)
}
