//! Owns turning a judged command into a record: ids, resolved times, aliases, body, extensions.
//!
//! May not: judge.

use ledger_format::event::{duty, memory as body};
use ledger_format::payload::Sealed;
use ledger_format::{
    ActorKind, AliasId, AliasKind, BodyType, CloseKind, Event, Extension, Kind, MemoryId, Reach,
    RecordHash, RecordHeader, Seq, SourceKind, Tag, Trust, Verdict,
};
use ledger_policy::Rule;
use ledger_replay::State;
use ledger_store::NewRecord;

use crate::command::{Command, Content, Proposal, SourceEvent, Terms};
use crate::error::{Error, ErrorKind, Result};
use crate::gate::Ruling;
use crate::life;
use crate::writer::bind::Binder;
use crate::writer::judge::other_scope;
use crate::writer::prepare::body_and_layer;
use crate::writer::stamp::Stamp;

/// A header by the system itself.
pub(crate) fn header(kind: Kind, stamp: Stamp, policy: u32) -> RecordHeader {
    let mut header = RecordHeader::new(kind, Seq(0), RecordHash::ZERO, stamp.recorded_at);
    header.wall_time = stamp.wall;
    header.clock = stamp.flags;
    header.policy = policy;
    header
}

/// Composes records of one submission.
pub(crate) struct Composer<'a, 'b> {
    pub(crate) state: &'a State,
    pub(crate) binder: &'a mut Binder<'b>,
    pub(crate) terms: &'a Terms,
}

impl Composer<'_, '_> {
    /// The record of one command. New aliases are left with the binder.
    pub(crate) fn record(
        &mut self,
        command: &Command,
        ruling: Option<&Ruling>,
        payloads: Vec<Sealed>,
        mut extensions: Vec<Extension>,
    ) -> Result<(NewRecord, Event)> {
        let (event, scope) = match (command, ruling) {
            (Command::Write(proposal), Some(ruling)) => self.write(proposal, ruling)?,
            (Command::Planned(planned), _) => life::compose(planned, self.state, self.binder)?,
            _ => self.event(command)?,
        };
        if let Command::Write(proposal) = command
            && let Some(task) = &proposal.task
        {
            extensions.push(Extension::alias(Tag::Task, self.task(task)?));
        }
        if let (Event::Write(write), Some(ruling)) = (&event, ruling) {
            extensions.extend(Extension::gate(ruling.beside(write).list()));
        }
        self.framed(command, event, scope, payloads, extensions)
    }

    /// The record of a proposal that the gate did not let through. It keeps no word of it.
    pub(crate) fn turned_away(
        &mut self,
        command: &Command,
        ruling: &Ruling,
        extensions: Vec<Extension>,
    ) -> Result<(NewRecord, Event)> {
        let decision = &ruling.decision;
        let (verdict, rule) = if ruling.refuses() || ruling.is_elsewhere() {
            (decision.verdict, decision.rule)
        } else {
            (Verdict::Refused, Rule::Together)
        };
        let duplicate_of = decision.duplicate_of.and(ruling.same);
        let event = Event::Verdict(duty::Verdict {
            verdict,
            reason: rule.number(),
            rule: ruling.document_rule(),
            memory: None,
            duplicate_of,
            trust: None,
            ttl_until: None,
            signals: ruling.case.whole().list().to_vec(),
        });
        let scope = match command {
            Command::Write(proposal) => self.binder.known_scope(&proposal.scope),
            _ => AliasId::ZERO,
        };
        self.framed(command, event, scope, Vec::new(), extensions)
    }

    /// The record of a command that nothing spoke against, but that goes with one that was refused.
    pub(crate) fn held_back(
        &mut self,
        command: &Command,
        extensions: Vec<Extension>,
    ) -> Result<(NewRecord, Event)> {
        let event = Event::Verdict(duty::Verdict {
            verdict: Verdict::Refused,
            reason: Rule::Together.number(),
            rule: 0,
            memory: None,
            duplicate_of: None,
            trust: None,
            ttl_until: None,
            signals: Vec::new(),
        });
        self.framed(command, event, AliasId::ZERO, Vec::new(), extensions)
    }

    fn framed(
        &mut self,
        command: &Command,
        event: Event,
        scope: AliasId,
        payloads: Vec<Sealed>,
        extensions: Vec<Extension>,
    ) -> Result<(NewRecord, Event)> {
        let kind = event.kind().expect("the facade composes known kinds only");
        let mut header = header(kind, self.binder.stamp, self.binder.policy);
        header.scope = scope;
        let by = match command {
            Command::Write(proposal) => proposal.by.as_ref().or(self.terms.by.as_ref()),
            _ => self.terms.by.as_ref(),
        };
        if let Some(actor) = by {
            header.actor = self.binder.actor(actor)?;
            header.actor_kind = actor.kind;
        } else {
            header.actor_kind = ActorKind::System;
        }
        let body = event.encode()?;
        Ok((NewRecord { header, body, payloads, extensions }, event))
    }

    fn event(&mut self, command: &Command) -> Result<(Event, AliasId)> {
        let now = self.binder.stamp.recorded_at;
        let about = |state: &State, id: &MemoryId| {
            state.memory(id).map_or(AliasId::ZERO, |memory| memory.scope)
        };
        Ok(match command {
            Command::Close { memory, kind, from, until, replaced_by, .. } => {
                let wrong = *kind == CloseKind::Wrong;
                let close = body::Close {
                    memory: *memory,
                    kind: *kind,
                    from: if wrong { None } else { Some(from.unwrap_or(now)) },
                    until: if wrong { None } else { *until },
                    replaced_by: *replaced_by,
                };
                (Event::Close(close), about(self.state, memory))
            }
            Command::Reopen { memory, from, until, .. } => {
                let from = Some(from.unwrap_or(now));
                let reopen = body::Reopen { memory: *memory, from, until: *until };
                (Event::Reopen(reopen), about(self.state, memory))
            }
            Command::PushDown { memory, query, .. } => {
                let reach = if query.is_some() { Reach::Like } else { Reach::Everything };
                let push = body::PushDown { memory: *memory, reach, receipt: None, tag: None };
                (Event::PushDown(push), about(self.state, memory))
            }
            Command::Lift { memory, .. } => {
                let lift = body::Lift { memory: *memory, push_down: None };
                (Event::Lift(lift), about(self.state, memory))
            }
            Command::Pin { memory, set: true } => {
                (Event::Pin(body::Pin { memory: *memory }), about(self.state, memory))
            }
            Command::Pin { memory, set: false } => {
                (Event::Unpin(body::Unpin { memory: *memory }), about(self.state, memory))
            }
            Command::Rank { memory, trust, layer, up, .. } => {
                (rank(*memory, *trust, *layer, *up), about(self.state, memory))
            }
            Command::Skill { memory, phase, predecessor, .. } => {
                let (memory, predecessor) = (*memory, *predecessor);
                let skill = body::SkillState { memory, phase: *phase, predecessor };
                (Event::SkillState(skill), about(self.state, &memory))
            }
            Command::Summary { memory, phase, in_force, .. } => {
                let (memory, in_force) = (*memory, *in_force);
                let summary = body::SummaryState { memory, phase: *phase, in_force };
                (Event::SummaryState(summary), about(self.state, &memory))
            }
            other => return self.many(other),
        })
    }

    /// Commands that name a list of memories.
    fn many(&mut self, command: &Command) -> Result<(Event, AliasId)> {
        let scope = |state: &State, ids: &[MemoryId]| {
            let first = ids.first().and_then(|id| state.memory(id));
            first.map_or(AliasId::ZERO, |memory| memory.scope)
        };
        Ok(match command {
            Command::Confirm { memories, ttl_until, .. } => {
                let now = self.binder.stamp.recorded_at;
                let at = scope(self.state, memories);
                let memories = sorted(memories);
                (
                    Event::Confirm(body::Confirm {
                        memories,
                        ttl_until: ttl_until.map(|end| end.instant(now)),
                        review_by: None,
                    }),
                    at,
                )
            }
            Command::Stale { memories, source, .. } => {
                let at = scope(self.state, memories);
                let source = self.optional(AliasKind::Source, AliasId::ZERO, source.as_deref())?;
                (Event::Stale(body::Stale { memories: sorted(memories), source }), at)
            }
            Command::Source { name, scope, event, .. } => {
                let scope = self.binder.scope(scope)?;
                let source = self.binder.alias(AliasKind::Source, AliasId::ZERO, name)?;
                (source_event(source, *event), scope)
            }
            Command::Use { memories, .. } => {
                let at = scope(self.state, memories);
                (Event::Use(body::Use { memories: sorted(memories), receipt: None }), at)
            }
            Command::Contest { memories, .. } => {
                let at = scope(self.state, memories);
                (Event::Contest(body::Contest { memories: sorted(memories), rule: 0 }), at)
            }
            Command::Resolve { contest, kept, .. } => {
                let resolve = body::Resolve { contest: *contest, kept: sorted(kept), rule: 0 };
                (Event::Resolve(resolve), scope(self.state, kept))
            }
            Command::Forget { memories, subject, .. } => {
                let at = scope(self.state, memories);
                let subject = match subject {
                    Some(name) => {
                        Some(self.binder.alias(AliasKind::Person, AliasId::ZERO, name)?)
                    }
                    None => None,
                };
                (Event::Forget(body::Forget { memories: sorted(memories), subject }), at)
            }
            _ => return Err(Error::invalid("this command names no list of memories")),
        })
    }

    /// A task that has begun and not ended.
    fn task(&self, name: &str) -> Result<AliasId> {
        let known = self.binder.names.known(AliasKind::Task, AliasId::ZERO, name);
        let task = known.ok_or_else(|| life::no_task(name))?;
        life::under_way(self.state, task).map(|_| task)
    }

    fn write(&mut self, proposal: &Proposal, ruling: &Ruling) -> Result<(Event, AliasId)> {
        let decision = &ruling.decision;
        let now = self.binder.stamp.recorded_at;
        let scope = self.binder.scope(&proposal.scope)?;
        for target in &proposal.supersedes {
            if self.state.memory(target).is_some_and(|memory| memory.scope != scope) {
                return Err(other_scope(*target));
            }
        }
        let (body_type, _) = body_and_layer(proposal);
        if body_type == BodyType::Skill {
            self.is_new_version(proposal, scope)?;
        }
        let source = proposal.source.as_ref().map_or(SourceKind::None, |source| source.kind);
        let supersede_from = (!proposal.supersedes.is_empty())
            .then(|| proposal.supersede_from.or(proposal.valid_from).unwrap_or(now));
        let mut write = body::Write {
            memory: self.binder.memory_id()?,
            layer: decision.layer,
            body: body_type,
            trust: decision.trust,
            verdict: decision.verdict,
            source,
            marks: decision.marks,
            generation: ruling.generation,
            confidence: proposal.confidence,
            observed_at: proposal.observed_at,
            valid_from: proposal.valid_from,
            valid_until: proposal.valid_until,
            ttl_until: decision.ttl_until,
            review_by: decision.review_by,
            supersede_from,
            supersede_until: proposal.supersede_until,
            key: self.optional(AliasKind::Key, scope, proposal.key.as_deref())?,
            fact: self.fact_key(proposal, body_type)?,
            domain: self.optional(AliasKind::Domain, AliasId::ZERO, proposal.domain.as_deref())?,
            subjects: self.all(AliasKind::Person, &proposal.subjects)?,
            tags: self.all(AliasKind::Tag, &proposal.tags)?,
            supersedes: proposal.supersedes.clone(),
            derived_from: sorted(&proposal.derived_from),
        };
        ruling.slot.fill(&mut write);
        Ok((Event::Write(write), scope))
    }

    /// The slot of a version is bound with its first write, and no other memory may take it.
    fn is_new_version(&self, proposal: &Proposal, scope: AliasId) -> Result<()> {
        let Some(key) = &proposal.key else { return Ok(()) };
        if !self.binder.is_bound(AliasKind::Key, scope, key) {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Conflict,
            format!(
                "{key:?} is taken in scope {}: a version of a skill is never written twice; write the next one",
                proposal.scope
            ),
        ))
    }

    fn fact_key(
        &mut self,
        proposal: &Proposal,
        body_type: BodyType,
    ) -> Result<Option<body::FactKey>> {
        let terms = match &proposal.content {
            Content::Fact { subject, predicate, .. } => {
                Some((subject.as_str(), predicate.as_str()))
            }
            Content::Body(value) if body_type == BodyType::Fact => value
                .get("subject")
                .and_then(serde_json::Value::as_str)
                .zip(value.get("predicate").and_then(serde_json::Value::as_str)),
            _ => None,
        };
        let Some((subject, predicate)) = terms else { return Ok(None) };
        let subject = self.binder.alias(AliasKind::Term, AliasId::ZERO, subject)?;
        let predicate = self.binder.alias(AliasKind::Term, AliasId::ZERO, predicate)?;
        Ok(Some(body::FactKey { subject, predicate }))
    }

    fn optional(
        &mut self,
        kind: AliasKind,
        parent: AliasId,
        name: Option<&str>,
    ) -> Result<Option<AliasId>> {
        name.map(|name| self.binder.alias(kind, parent, name)).transpose()
    }

    fn all(&mut self, kind: AliasKind, names: &[String]) -> Result<Vec<AliasId>> {
        let mut aliases = names
            .iter()
            .map(|name| self.binder.alias(kind, AliasId::ZERO, name))
            .collect::<Result<Vec<_>>>()?;
        aliases.sort_unstable();
        aliases.dedup();
        Ok(aliases)
    }
}

fn source_event(source: AliasId, event: SourceEvent) -> Event {
    match event {
        SourceEvent::Registered(kind) => {
            let (owner, group) = (None, None);
            Event::SourceRegistered(duty::SourceRegistered { source, kind, owner, group })
        }
        SourceEvent::Synced { present, written, closed, stale } => {
            Event::SourceSynced(duty::SourceSynced { source, present, written, closed, stale })
        }
        SourceEvent::Revoked(memories) => {
            Event::SourceRevoked(duty::SourceRevoked { source, memories })
        }
    }
}

fn rank(
    memory: MemoryId,
    trust: Option<Trust>,
    layer: Option<ledger_format::Layer>,
    up: bool,
) -> Event {
    if up {
        Event::Promote(body::Promote { memory, trust, layer, approval: None })
    } else {
        Event::Demote(body::Demote { memory, trust, layer })
    }
}

fn sorted(ids: &[MemoryId]) -> Vec<MemoryId> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    ids
}
