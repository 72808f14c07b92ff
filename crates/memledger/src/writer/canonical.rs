//! Owns the canonical bytes of a submission: what "the same request" means for an idempotency key.
//!
//! Invariant: everything the caller said is in them, each field under its name. Left out is what is not
//! part of the request: `job` names the run that brings it, and what was expected of the ledger was
//! found the first time. Stable across versions, because its digest is stored: fields are only ever
//! added at the end, and an absent one adds nothing.

use ledger_format::{MemoryId, Micros};

use crate::command::{Command, Content, Deadline, Proposal, SourceEvent, Submission, Terms};

/// The canonical bytes of a submission.
pub(crate) fn bytes(submission: &Submission) -> Vec<u8> {
    let mut out = Fields(Vec::new());
    let Submission { commands, terms } = submission;
    for command in commands {
        put_command(&mut out, command);
    }
    // Named one by one, here and below, so that a new field cannot be left out by mistake.
    let Terms { by, claimed_at, idempotency_key: _, job: _, expected_head: _, expected_version: _ } =
        terms;
    out.text("terms_by", by.as_ref().map(ToString::to_string).as_ref());
    out.time("claimed_at", *claimed_at);
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

    fn deadline(&mut self, name: &str, deadline: Option<Deadline>) {
        match deadline {
            Some(Deadline::At(at)) => self.time(name, Some(at)),
            Some(Deadline::After(length)) => {
                self.put(name, b"after");
                self.put("length", &length.as_nanos().to_le_bytes());
            }
            None => {}
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
        Command::Confirm { .. }
        | Command::Use { .. }
        | Command::Lift { .. }
        | Command::Contest { .. }
        | Command::Resolve { .. }
        | Command::Pin { .. }
        | Command::Forget { .. }
        | Command::Planned(_)
        | Command::Rank { .. }
        | Command::Skill { .. }
        | Command::Summary { .. }
        | Command::Stale { .. }
        | Command::Source { .. } => put_simple(out, command),
    }
}

fn put_simple(out: &mut Fields, command: &Command) {
    match command {
        Command::Confirm { memories, ttl_until, reason } => {
            out.put("command", b"confirm");
            out.ids("memory", memories);
            out.deadline("ttl_until", *ttl_until);
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
        Command::Skill { memory, phase, predecessor, evidence, reason } => {
            named(out, "skill", &[*memory], reason.as_ref());
            out.put("phase", phase.name().as_bytes());
            out.ids("predecessor", predecessor.as_slice());
            out.text("evidence", evidence.as_ref());
        }
        Command::Summary { memory, phase, in_force, reason } => {
            named(out, "summary", &[*memory], reason.as_ref());
            out.put("phase", phase.name().as_bytes());
            out.ids("in_force", in_force.as_slice());
        }
        Command::Stale { memories, source, reason } => {
            named(out, "stale", memories, reason.as_ref());
            out.text("source", source.as_ref());
        }
        Command::Source { name, scope, event, reason } => {
            named(out, "source", &[], reason.as_ref());
            out.put("source", name.as_bytes());
            out.put("scope", scope.to_string().as_bytes());
            put_source(out, *event);
        }
        // A plan takes no idempotency key.
        Command::Planned(_)
        | Command::Write(_)
        | Command::Close { .. }
        | Command::Reopen { .. }
        | Command::PushDown { .. } => {}
    }
}

fn put_source(out: &mut Fields, event: SourceEvent) {
    match event {
        SourceEvent::Registered(kind) => out.put("registered", kind.name().as_bytes()),
        SourceEvent::Synced { present, written, closed, stale } => {
            out.put("present", &[present.into()]);
            for (name, count) in [("written", written), ("closed", closed), ("stale", stale)] {
                out.put(name, &count.to_le_bytes());
            }
        }
        SourceEvent::Revoked(memories) => out.put("revoked", &memories.to_le_bytes()),
    }
}

fn named(out: &mut Fields, command: &str, memories: &[MemoryId], reason: Option<&String>) {
    out.put("command", command.as_bytes());
    out.ids("memory", memories);
    out.text("reason", reason);
}

fn put_proposal(out: &mut Fields, proposal: &Proposal) {
    let Proposal {
        content,
        body,
        layer,
        source,
        by,
        scope,
        supersedes,
        supersede_from,
        supersede_until,
        valid_from,
        valid_until,
        observed_at,
        ttl_until,
        review_by,
        subjects,
        tags,
        domain,
        key,
        derived_from,
        confidence,
        trust,
        task,
    } = proposal;
    put_content(out, content);
    out.text("body_type", body.map(|body| body.name().to_owned()).as_ref());
    out.text("layer", layer.map(|layer| layer.name().to_owned()).as_ref());
    out.text("source", source.as_ref().map(ToString::to_string).as_ref());
    out.put("scope", scope.to_string().as_bytes());
    out.ids("supersedes", supersedes);
    out.time("supersede_from", *supersede_from);
    out.time("supersede_until", *supersede_until);
    out.time("valid_from", *valid_from);
    out.time("valid_until", *valid_until);
    out.time("observed_at", *observed_at);
    subjects.iter().for_each(|name| out.put("about", name.as_bytes()));
    tags.iter().for_each(|name| out.put("tag", name.as_bytes()));
    out.text("domain", domain.as_ref());
    out.text("key", key.as_ref());
    out.ids("derived_from", derived_from);
    if let Some(parts) = confidence {
        out.put("confidence", &parts.to_le_bytes());
    }
    out.deadline("ttl_until", *ttl_until);
    out.deadline("review_by", *review_by);
    out.text("trust", trust.map(|trust| trust.name().to_owned()).as_ref());
    out.text("by", by.as_ref().map(ToString::to_string).as_ref());
    out.text("task", task.as_ref());
}

fn put_content(out: &mut Fields, content: &Content) {
    match content {
        Content::Text(text) => out.put("text", text.as_bytes()),
        Content::Bytes(bytes) => out.put("bytes", bytes),
        Content::Body(value) => out.put("body", value.to_string().as_bytes()),
        Content::Fact { subject, predicate, object } => {
            out.put("subject", subject.as_bytes());
            out.put("predicate", predicate.as_bytes());
            out.put("object", object.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests;
