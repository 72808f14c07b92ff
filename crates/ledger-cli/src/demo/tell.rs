//! Owns telling the story to a ledger: each scene becomes a submission at its own time, and is shown
//! as the ledger has recorded it.

use std::collections::BTreeMap;

use memledger::civil::{Zone, parse_instant};
use memledger::clock::DeclaredClock;
use memledger::format::{MemoryId, Seq};
use memledger::{Actor, Command, Content, Ledger, Proposal, Result, Submission, Terms};

use super::story::{Act, Name, STORY, Words};
use crate::output::human;

/// What was told.
pub(super) struct Told {
    /// One row for each scene.
    pub(super) rows: Vec<Vec<String>>,
    /// The memories of the story, each with the record that wrote it.
    memories: BTreeMap<Name, (MemoryId, Seq)>,
}

impl Told {
    /// The record that wrote a memory of the story.
    pub(super) fn record(&self, name: Name) -> Seq {
        self.memories.get(name).map(|(_, seq)| *seq).unwrap_or_default()
    }

    fn id(&self, name: Name) -> MemoryId {
        self.memories.get(name).map(|(id, _)| *id).unwrap_or_default()
    }

    /// The short name of a memory: m and the record that wrote it.
    fn short(&self, id: &MemoryId) -> String {
        let known = self.memories.values().find(|(known, _)| known == id);
        known.map(|(_, seq)| format!("m{seq}")).unwrap_or_default()
    }
}

/// Records the whole story.
pub(super) fn tell(ledger: &Ledger, clock: &DeclaredClock) -> Result<Told> {
    let mut told = Told { rows: Vec::new(), memories: BTreeMap::new() };
    for scene in STORY {
        clock.set(parse_instant(scene.at)?);
        let command = command(ledger, scene.at, &scene.act, &told)?;
        for outcome in ledger.submit(Submission::of(command, terms(&scene.act)?))? {
            if let (Act::Write(words), Some(id)) = (&scene.act, outcome.id) {
                told.memories.insert(words.name, (id, outcome.seq));
            }
            let row = row(ledger, outcome.seq, &told)?;
            told.rows.extend(row);
        }
    }
    Ok(told)
}

/// A record as the log has it: when, who, what, which memory, in which words.
fn row(ledger: &Ledger, seq: Seq, told: &Told) -> Result<Option<Vec<String>>> {
    let Some(entry) = ledger.show(seq)? else { return Ok(None) };
    let words = entry.payloads.iter().map(|(_, _, text)| human::words(text));
    let mut said = words.into_iter().find(|words| !words.is_empty()).unwrap_or_default();
    let (about, closed): (Vec<String>, Vec<String>) = {
        let mut names = entry.memories.iter().map(|id| told.short(id));
        (names.next().into_iter().collect(), names.collect())
    };
    if !closed.is_empty() {
        said.push_str(&format!(" (closes {})", closed.join(", ")));
    }
    Ok(Some(vec![
        human::short_time(entry.recorded_at, &Zone::UTC).chars().take(10).collect(),
        entry.by.map(|by| by.to_string()).unwrap_or_default(),
        entry.event,
        about.join(", "),
        said,
    ]))
}

fn terms(act: &Act) -> Result<Terms> {
    let by = match act {
        Act::Write(words) => words.by,
        Act::Use(..) => "agent:coder",
        Act::Confirm(..) | Act::PushDown(..) => "person:priya",
        Act::Forget(..) => "person:noor",
    };
    let by: Actor = by.parse()?;
    Ok(Terms { by: Some(by), ..Terms::default() })
}

fn command(ledger: &Ledger, at: &str, act: &Act, told: &Told) -> Result<Command> {
    Ok(match act {
        Act::Write(words) => Command::Write(Box::new(proposal(words, at, told)?)),
        Act::Confirm(name, reason) => Command::Confirm {
            memories: vec![told.id(name)],
            ttl_until: None,
            reason: Some((*reason).to_owned()),
        },
        Act::Use(name, reason) => {
            Command::Use { memories: vec![told.id(name)], reason: Some((*reason).to_owned()) }
        }
        Act::PushDown(name, reason, evidence) => Command::PushDown {
            memory: told.id(name),
            query: None,
            evidence: Some((*evidence).to_owned()),
            reason: Some((*reason).to_owned()),
        },
        Act::Forget(person, reason) => Command::Forget {
            memories: ledger.subject_memories(person)?,
            subject: Some((*person).to_owned()),
            reason: Some((*reason).to_owned()),
        },
    })
}

/// What is said in the story holds from the day on which it is said.
fn proposal(words: &Words, at: &str, told: &Told) -> Result<Proposal> {
    let mut proposal = Proposal::new(Content::Text(words.text.to_owned()), words.scope.parse()?);
    proposal.by = Some(words.by.parse()?);
    proposal.source = Some(words.source.parse()?);
    proposal.layer = Some(words.layer);
    proposal.body = Some(words.body);
    proposal.trust = words.trust;
    proposal.valid_from = Some(parse_instant(at)?);
    proposal.supersedes.extend(words.closes.map(|name| told.id(name)));
    proposal.subjects.extend(words.about.map(ToOwned::to_owned));
    Ok(proposal)
}
