//! Owns the canonical bytes of a submission: what "the same body" means for an idempotency key.
//!
//! Stable across versions, because its digest is stored: fields are only ever added at the end, and
//! an absent one adds nothing.

use ledger_format::{MemoryId, Micros};

use crate::command::{Command, Content, Proposal};

/// The canonical bytes of some commands.
pub(crate) fn bytes(commands: &[Command]) -> Vec<u8> {
    let mut out = Fields(Vec::new());
    for command in commands {
        put_command(&mut out, command);
    }
    out.0
}

/// Fields as name, length, bytes.
struct Fields(Vec<u8>);

impl Fields {
    fn put(&mut self, name: &str, bytes: &[u8]) {
        for part in [name.as_bytes(), bytes] {
            self.0.extend_from_slice(&(part.len() as u64).to_le_bytes());
            self.0.extend_from_slice(part);
        }
    }

    fn text(&mut self, name: &str, text: Option<&String>) {
        if let Some(text) = text {
            self.put(name, text.as_bytes());
        }
    }

    fn time(&mut self, name: &str, time: Option<Micros>) {
        if let Some(time) = time {
            self.put(name, &time.0.to_le_bytes());
        }
    }

    fn ids(&mut self, name: &str, ids: &[MemoryId]) {
        for id in ids {
            self.put(name, &id.0);
        }
    }
}

fn put_command(out: &mut Fields, command: &Command) {
    match command {
        Command::Write(proposal) => {
            out.put("command", b"write");
            put_proposal(out, proposal);
        }
        Command::Close { memory, kind, from, until, replaced_by, reason } => {
            out.put("command", b"close");
            out.ids("memory", &[*memory]);
            out.put("kind", kind.name().as_bytes());
            out.time("from", *from);
            out.time("until", *until);
            out.ids("replaced_by", replaced_by.as_slice());
            out.text("reason", reason.as_ref());
        }
        Command::Reopen { memory, from, until, reason } => {
            out.put("command", b"reopen");
            out.ids("memory", &[*memory]);
            out.time("from", *from);
            out.time("until", *until);
            out.text("reason", reason.as_ref());
        }
        Command::PushDown { memory, query, evidence, reason } => {
            out.put("command", b"push_down");
            out.ids("memory", &[*memory]);
            out.text("query", query.as_ref());
            out.text("evidence", evidence.as_ref());
            out.text("reason", reason.as_ref());
        }
        other => put_simple(out, other),
    }
}

fn put_simple(out: &mut Fields, command: &Command) {
    match command {
        Command::Confirm { memories, ttl_until, reason } => {
            out.put("command", b"confirm");
            out.ids("memory", memories);
            out.time("ttl_until", *ttl_until);
            out.text("reason", reason.as_ref());
        }
        Command::Use { memories, reason } => named(out, "use", memories, reason.as_ref()),
        Command::Lift { memory, reason } => named(out, "lift", &[*memory], reason.as_ref()),
        Command::Contest { memories, reason } => named(out, "contest", memories, reason.as_ref()),
        Command::Resolve { contest, kept, reason } => {
            named(out, "resolve", kept, reason.as_ref());
            out.put("contest", &contest.0.to_le_bytes());
        }
        Command::Pin { memory, set } => {
            named(out, if *set { "pin" } else { "unpin" }, &[*memory], None)
        }
        Command::Forget { memories, subject, reason } => {
            named(out, "forget", memories, reason.as_ref());
            out.text("subject", subject.as_ref());
        }
        Command::Rank { memory, trust, layer, up, reason } => {
            named(out, if *up { "promote" } else { "demote" }, &[*memory], reason.as_ref());
            out.text("trust", trust.map(|trust| trust.name().to_owned()).as_ref());
            out.text("layer", layer.map(|layer| layer.name().to_owned()).as_ref());
        }
        _ => {}
    }
}

fn named(out: &mut Fields, command: &str, memories: &[MemoryId], reason: Option<&String>) {
    out.put("command", command.as_bytes());
    out.ids("memory", memories);
    out.text("reason", reason);
}

fn put_proposal(out: &mut Fields, proposal: &Proposal) {
    match &proposal.content {
        Content::Text(text) => out.put("text", text.as_bytes()),
        Content::Bytes(bytes) => out.put("bytes", bytes),
        Content::Body(value) => out.put("body", value.to_string().as_bytes()),
        Content::Fact { subject, predicate, object } => {
            out.put("subject", subject.as_bytes());
            out.put("predicate", predicate.as_bytes());
            out.put("object", object.as_bytes());
        }
    }
    out.text("body_type", proposal.body.map(|body| body.name().to_owned()).as_ref());
    out.text("layer", proposal.layer.map(|layer| layer.name().to_owned()).as_ref());
    out.text("source", proposal.source.as_ref().map(ToString::to_string).as_ref());
    out.put("scope", proposal.scope.to_string().as_bytes());
    out.ids("supersedes", &proposal.supersedes);
    out.time("supersede_from", proposal.supersede_from);
    out.time("supersede_until", proposal.supersede_until);
    out.time("valid_from", proposal.valid_from);
    out.time("valid_until", proposal.valid_until);
    out.time("observed_at", proposal.observed_at);
    proposal.subjects.iter().for_each(|name| out.put("about", name.as_bytes()));
    proposal.tags.iter().for_each(|name| out.put("tag", name.as_bytes()));
    out.text("domain", proposal.domain.as_ref());
    out.text("key", proposal.key.as_ref());
    out.ids("derived_from", &proposal.derived_from);
    if let Some(parts) = proposal.confidence {
        out.put("confidence", &parts.to_le_bytes());
    }
}
