//! Owns what a summary has to keep: the words of what is pinned among it, and of what an earlier
//! generation had to keep already.
//!
//! The words are compared in the caller's thread, because the writer sees none. That what is pinned is
//! named at all is judged by the writer, too (`writer/judge.rs`): a pin that is set in between counts.

use ledger_format::{BodyType, MemoryId};
use serde_json::Value;

use super::pinned_in;
use crate::answer::{Item, Text};
use crate::basis::Question;
use crate::body::{check_summary as check, ids};
use crate::command::{Command, Content, Proposal, Submission};
use crate::error::{Error, Result};
use crate::ledger::Ledger;
use crate::read::Snapshot;
use crate::writer::{body_and_layer, drops_pinned};

impl Ledger {
    /// Refuses a submission with a summary that drops what has to survive in it.
    pub(crate) fn admit_summaries(&self, submission: &Submission) -> Result<()> {
        let summaries = submission.commands.iter().filter_map(|command| match command {
            Command::Write(proposal) if body_and_layer(proposal).0 == BodyType::Summary => {
                Some(proposal)
            }
            _ => None,
        });
        let mut now = None;
        for proposal in summaries {
            if now.is_none() {
                now = Some(self.snapshot(&Question::now(self.zone()))?);
            }
            if let Some(now) = &now {
                admit(now, proposal)?;
            }
        }
        Ok(())
    }
}

fn admit(now: &Snapshot<'_>, proposal: &Proposal) -> Result<()> {
    let mut covers = proposal.derived_from.clone();
    let (mut named, mut text) = (Vec::new(), String::new());
    match &proposal.content {
        Content::Body(body) => {
            check(body)?;
            covers.extend(ids(body, "covers"));
            named = ids(body, "pinned");
            text = body.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        }
        Content::Text(words) => text.clone_from(words),
        _ => {}
    }
    let mut may = covers.clone();
    for covered in covers {
        // A memory that is not there is refused by the writer, with what to do.
        let Some(item) = now.get(&covered)? else { continue };
        let before =
            if item.body_type == BodyType::Summary { pinned_in(&item) } else { Vec::new() };
        may.extend(&before);
        for id in before.into_iter().chain(item.pinned.then_some(covered)) {
            let kept = now.get(&id)?.is_some_and(|one| one.pinned && one.status.in_force());
            if kept && !named.contains(&id) {
                return Err(drops_pinned(id));
            }
        }
    }
    for id in named {
        if !may.contains(&id) {
            return Err(stranger(id));
        }
        if now.get(&id)?.is_some_and(|one| one.status.in_force() && !holds(&text, &one)) {
            return Err(drops_pinned(id));
        }
    }
    Ok(())
}

/// Whether the words of a memory are in a summary.
pub(super) fn survives(one: &Item, summary: &Item) -> bool {
    match &summary.text {
        Text::Words(text) => holds(text, one),
        // What cannot be read cannot be held against it.
        _ => true,
    }
}

/// Whether a text holds the words of a memory: all of them, or subject and object of a fact. Case and
/// white space make no difference.
fn holds(text: &str, one: &Item) -> bool {
    let Text::Words(words) = &one.text else { return true };
    let text = plain(text);
    let part = |name: &str| one.body.as_ref()?.get(name)?.as_str().map(plain);
    match (one.body_type, part("subject"), part("object")) {
        (BodyType::Fact, Some(subject), Some(object)) => {
            text.contains(&subject) && text.contains(&object)
        }
        _ => text.contains(&plain(words)),
    }
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn stranger(id: MemoryId) -> Error {
    Error::invalid(format!(
        "memory {} is named under \"pinned\" and is not among what the summary covers",
        id.hyphenated()
    ))
}
