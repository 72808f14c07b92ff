//! Owns finding the memory that a prefix of an id means. An id is never guessed: one match or none.

use memledger::format::MemoryId;
use memledger::{Ledger, Question, Snapshot};

use crate::context::Context;
use crate::exit::Failure;
use crate::output::human::words;
use crate::output::width::one_line;

/// Fewest hex digits of a prefix.
const FEWEST: usize = 8;
/// Most characters of what was typed that are repeated.
const QUOTED: usize = 60;
/// Most matches that are listed.
const LISTED: usize = 8;

/// Whether a text is an id or a prefix of one.
pub(crate) fn looks_like_id(text: &str) -> bool {
    let digits = text.bytes().filter(|byte| *byte != b'-');
    let count = digits.clone().count();
    (FEWEST..=32).contains(&count) && digits.clone().all(|byte| byte.is_ascii_hexdigit())
}

/// The memory that `text` means at the basis of a snapshot.
///
/// # Errors
/// A usage failure when it is no id, not found when nothing begins with it, a conflict that lists
/// the matches when several do.
pub(crate) fn resolve(
    ctx: &Context<'_>,
    at: &Snapshot<'_>,
    text: &str,
) -> Result<MemoryId, Failure> {
    let id = anywhere(at, text)?;
    within_scope(ctx, at, id)?;
    Ok(id)
}

fn anywhere(at: &Snapshot<'_>, text: &str) -> Result<MemoryId, Failure> {
    MemoryId::parse(text).map_or_else(|| unique(at, text), Ok)
}

/// The memories that several texts mean, now, in whatever scope: for a write, `--scope` says where
/// it goes and nothing about what it names.
///
/// # Errors
/// As [`resolve`].
pub(crate) fn resolve_anywhere(
    ledger: &Ledger,
    texts: &[String],
) -> Result<Vec<MemoryId>, Failure> {
    if let Some(ids) = texts.iter().map(|text| MemoryId::parse(text)).collect() {
        return Ok(ids);
    }
    let now = ledger.snapshot(&Question::now(ledger.zone()))?;
    texts.iter().map(|text| anywhere(&now, text)).collect()
}

/// The memories that several texts mean, now.
///
/// # Errors
/// As [`resolve`].
pub(crate) fn resolve_all<T: AsRef<str>>(
    ctx: &Context<'_>,
    ledger: &Ledger,
    texts: &[T],
) -> Result<Vec<MemoryId>, Failure> {
    let whole = |text: &T| MemoryId::parse(text.as_ref());
    // Whole ids need no look, and the writer says what is wrong with one.
    if ctx.scope_limit().is_none()
        && let Some(ids) = texts.iter().map(whole).collect()
    {
        return Ok(ids);
    }
    let now = ledger.snapshot(&Question::now(ledger.zone()))?;
    texts.iter().map(|text| resolve(ctx, &now, text.as_ref())).collect()
}

/// `m12`: the memory that record 12 wrote, the name that listings show.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('m').unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The first two of several names that were written as one.
fn list(text: &str) -> Option<String> {
    let (first, rest) = text.split_once(',')?;
    let second = rest.split(',').next()?;
    let named = |part: &str| is_number(part) || looks_like_id(part);
    (named(first) && named(second)).then(|| format!("{first} {second}"))
}

/// What was typed, shortened where it is long.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("\"{}…\"", text.get(..end).unwrap_or_default().escape_debug()),
        None => format!("{text:?}"),
    }
}

fn unique(at: &Snapshot<'_>, text: &str) -> Result<MemoryId, Failure> {
    if let Some(several) = list(text) {
        return Err(Failure::usage(format!("{} is no memory", quoted(text)))
            .hint(format!("write ids apart, with spaces and not commas: {several} …")));
    }
    if !is_number(text) && !looks_like_id(text) {
        return Err(Failure::usage(format!("{} is no memory", quoted(text))).hint(
            "write its short name (m12, as `memledger list` prints it), its id, or the first 8 hex digits of it or more",
        ));
    }
    let found = at.find(text)?;
    match found.as_slice() {
        [] if is_number(text) => Err(Failure::not_found(format!(
            "there is no memory {text}: no memory known at this basis was written by that record"
        ))
        .hint("`memledger list --include-history` shows what there is")),
        [] => Err(Failure::not_found(format!("no memory's id begins with {text}"))
            .hint("`memledger list --include-history` shows what there is")),
        [id] => Ok(*id),
        several => Err(ambiguous(at, text, several)?),
    }
}

fn ambiguous(at: &Snapshot<'_>, text: &str, several: &[MemoryId]) -> Result<Failure, Failure> {
    let mut message = format!("the ids of {} memories begin with {text}:", several.len());
    for id in several.iter().take(LISTED) {
        let shown = at.get(id)?.map(|item| one_line(&words(&item.text), 40)).unwrap_or_default();
        message.push_str(&format!("\n  {}  {shown}", id.hyphenated()));
    }
    if several.len() > LISTED {
        message.push_str("\n  …");
    }
    message.push_str("\n  ");
    Ok(Failure::ambiguous(message).hint("write more of the id"))
}

/// With `--scope`, a memory elsewhere is not to be found: scope is checked on every path.
fn within_scope(ctx: &Context<'_>, at: &Snapshot<'_>, id: MemoryId) -> Result<(), Failure> {
    let Some(scope) = ctx.scope_limit() else {
        return Ok(());
    };
    match at.get(&id)? {
        Some(item) if item.scope.within(scope) => Ok(()),
        _ => Err(Failure::not_found(format!(
            "there is no memory {} in scope {scope}",
            id.hyphenated()
        ))
        .hint("leave out --scope, or name another one")),
    }
}
