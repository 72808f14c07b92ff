//! Owns telling the story to a ledger: each scene becomes a submission at its own time.

use std::collections::BTreeMap;

use memledger::civil::parse_instant;
use memledger::format::MemoryId;
use memledger::{
    Actor, Command, Content, DeclaredClock, Ledger, Proposal, Result, Submission, Terms,
};

use super::story::{Act, Name, STORY, Words};

/// Records the whole story and returns how many records it took.
pub(super) fn tell(ledger: &Ledger, clock: &DeclaredClock) -> Result<u64> {
    let mut known: BTreeMap<Name, MemoryId> = BTreeMap::new();
    for scene in STORY {
        clock.set(parse_instant(scene.at)?);
        let command = command(ledger, &scene.act, &known)?;
        let outcomes = ledger.submit(Submission::of(command, terms(&scene.act)?))?;
        if let (Act::Write(words), Some(id)) =
            (&scene.act, outcomes.first().and_then(|outcome| outcome.id))
        {
            known.insert(words.name, id);
        }
    }
    Ok(ledger.status()?.size)
}

fn terms(act: &Act) -> Result<Terms> {
    let by = match act {
        Act::Write(words) => words.by,
        Act::Confirm(..) | Act::PushDown(..) => "person:priya",
        Act::Forget(..) => "person:privacy-office",
    };
    let by: Actor = by.parse()?;
    Ok(Terms { by: Some(by), ..Terms::default() })
}

fn command(ledger: &Ledger, act: &Act, known: &BTreeMap<Name, MemoryId>) -> Result<Command> {
    let id = |name: &Name| known.get(name).copied().unwrap_or_default();
    Ok(match act {
        Act::Write(words) => {
            Command::Write(Box::new(proposal(words, words.closes.map(|name| id(&name)))?))
        }
        Act::Confirm(name, reason) => Command::Confirm {
            memories: vec![id(name)],
            ttl_until: None,
            reason: Some((*reason).to_owned()),
        },
        Act::PushDown(name, reason, evidence) => Command::PushDown {
            memory: id(name),
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

fn proposal(words: &Words, closes: Option<MemoryId>) -> Result<Proposal> {
    let mut proposal = Proposal::new(Content::Text(words.text.to_owned()), words.scope.parse()?);
    proposal.source = Some(words.source.parse()?);
    proposal.layer = Some(words.layer);
    proposal.body = Some(words.body);
    proposal.trust = words.trust;
    proposal.supersedes.extend(closes);
    proposal.subjects.extend(words.about.map(ToOwned::to_owned));
    Ok(proposal)
}
