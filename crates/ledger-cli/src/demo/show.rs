//! Owns how the demonstration looks: one question after the other, each with the command that asks
//! it. At most two screens in all.

use std::path::Path;

use memledger::answer::Item;
use memledger::civil::{Day, When, Zone};
use memledger::format::Seq;
use memledger::transfer::RawRecord;
use memledger::verify::{CheckVerdict, VerifyLevel, VerifyReport};
use memledger::{Filter, Ledger, Question};

use super::story;
use super::tamper::Found;
use super::tell::Told;
use crate::commands::diff::change;
use crate::context::Context;
use crate::exit::Failure;
use crate::output::human;
use crate::output::width::one_line;

type Shown = Result<(), Failure>;

/// Columns for the words of a memory.
const WORDS: usize = 64;
/// Columns of a line.
const LINE: usize = 100;

pub(super) fn opening(ctx: &Context<'_>, dir: &Path, master: &str) -> Shown {
    ctx.out.line(&format!("A ledger in {}; its master key: {master}.", dir.display()))?;
    ctx.out
        .line("Its times are declared by the story. All that follows is what the ledger answers.")
}

/// The story as it was recorded.
pub(super) fn told(ctx: &Context<'_>, told: &Told) -> Shown {
    heading(ctx, "What happened", "log")?;
    rows(ctx, &told.rows)
}

fn third_of_march() -> Result<Question, Failure> {
    let day = Day::new(2026, 3, 3).map_err(memledger::Error::from)?;
    Ok(Question { known: When::Date(day), ..Question::now(Zone::UTC) })
}

/// What was known on March 3, from the views and from the archive.
pub(super) fn march(ctx: &Context<'_>, ledger: &Ledger) -> Shown {
    heading(ctx, "What did the agents know on March 3?", "list --as-of 2026-03-03")?;
    let march = third_of_march()?;
    let snapshot = ledger.snapshot(&march)?;
    ctx.out.line(&snapshot.basis().line())?;
    let items = snapshot.list(&Filter::default())?.items;
    rows(ctx, &items.iter().map(item).collect::<Vec<_>>())?;
    let archive = ledger.snapshot(&Question { from_archive: true, ..march })?;
    if archive.list(&Filter::default())?.items != items {
        return Err(Failure::unproven("views and archive differ")
            .hint("run `memledger verify` on the demonstration's ledger, and report this"));
    }
    ctx.out.line("The raw archive, replayed without the views, gives the same answer.")
}

fn item(item: &Item) -> Vec<String> {
    let words = one_line(&human::words(&item.text), WORDS);
    let source = item.source.clone().unwrap_or_default();
    vec![human::short_name(item), item.layer.to_string(), words, one_line(&source, 30)]
}

/// What became of it.
pub(super) fn became(ctx: &Context<'_>, ledger: &Ledger) -> Shown {
    heading(ctx, "And what became of it?", "diff 2026-03-04..head")?;
    let everything = Filter::default();
    let (_, after, differences) =
        ledger.diff(&third_of_march()?, &Question::now(Zone::UTC), &everything)?;
    ctx.out.line(&after.line())?;
    let shown = |one| {
        let mut row = human::difference(one, change(one));
        // The layer and the scope are in the answer above.
        row.truncate(5);
        row
    };
    rows(ctx, &differences.iter().map(shown).collect::<Vec<_>>())
}

/// Every claim that was checked, with how much of it.
pub(super) fn verified(ctx: &Context<'_>, ledger: &Ledger) -> Shown {
    heading(ctx, "Is it all there, and unchanged?", "verify")?;
    let report = ledger.verify(VerifyLevel::Views, &|_, _, _| {})?;
    if report.verdict() != CheckVerdict::Ok {
        for line in human::verify(&report) {
            ctx.out.line(&line)?;
        }
        return Ok(());
    }
    for line in claims(&report) {
        ctx.out.line(&line)?;
    }
    Ok(())
}

fn claims(report: &VerifyReport) -> Vec<String> {
    let mut lines = vec![String::from("ok:")];
    for check in &report.checks {
        let claim = format!(" {} {} of {} ·", check.name, check.checked, check.expected);
        match lines.last_mut() {
            Some(line) if line.chars().count() + claim.chars().count() <= LINE => {
                line.push_str(&claim)
            }
            _ => lines.push(format!("   {claim}")),
        }
    }
    let end = |line: &String| line.trim_end_matches(" ·").to_owned();
    let last = lines.last().map(end);
    lines.pop();
    lines.into_iter().chain(last).collect()
}

/// What a changed byte leads to.
pub(super) fn changed(ctx: &Context<'_>, found: &Found, record: &RawRecord) -> Shown {
    heading(ctx, "And if somebody changes the past?", "verify, on a copy that is gone again")?;
    ctx.out.line(&format!(
        "One bit flipped at byte {} of {}, in the record that changed the refund rule (#{}):",
        found.offset, found.file, record.seq
    ))?;
    if found.findings.is_empty() {
        return Err(Failure::unproven("verify did not find the change")
            .hint("this must not happen: please report it"));
    }
    found.findings.iter().try_for_each(|line| ctx.out.line(line))
}

/// What to try with the ledger that stays.
pub(super) fn next(ctx: &Context<'_>, dir: &Path, told: &Told, handed: Seq) -> Shown {
    ctx.out.line("")?;
    let now = human::short_time(ctx.now(), &Zone::UTC);
    ctx.out.line(&format!(
        "The ledger stays, and goes by the machine's clock from #{handed} on ({now}). Try next:"
    ))?;
    let dir = quoted(dir);
    for rest in [
        format!("blame m{}", told.record(story::NEWEST)),
        format!("history m{}", told.record(story::MISLED)),
        format!("list --as-of 2026-05-01 --valid-at 2026-03-03 --scope {}", story::DESK),
    ] {
        ctx.out.line(&format!("  memledger -C {dir} {rest}"))?;
    }
    Ok(())
}

/// A path as a shell reads it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+@:,".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

fn heading(ctx: &Context<'_>, question: &str, command: &str) -> Shown {
    ctx.out.line("")?;
    ctx.out.line(&format!("{question}   (memledger {command})"))
}

fn rows(ctx: &Context<'_>, rows: &[Vec<String>]) -> Shown {
    human::aligned(rows).iter().try_for_each(|line| ctx.out.line(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_would_stumble() {
        assert_eq!(quoted(Path::new("/a/b-c.d")), "/a/b-c.d");
        assert_eq!(quoted(Path::new("/a b")), "'/a b'");
        assert_eq!(quoted(Path::new("/it's")), "'/it'\\''s'");
    }
}
