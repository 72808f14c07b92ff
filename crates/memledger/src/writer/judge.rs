//! Owns what a submission is judged by before it is recorded: that what it names exists and that
//! it would change something. Whether it may be stored is for the gate to say.
//!
//! Closing and reopening of a claimed submission need not change anything at the head. It is about
//! the claimed axis, where records count in the order of the log but not all of them: what a later
//! claim, recorded earlier, has done already is still missing at every claim in between. On the
//! recorded axis such a record makes a version with the same validity, and is its closure's last word.
//!
//! May not: change anything.

use ledger_format::{ActorKind, BodyType, CloseKind, Layer, MemoryId, Micros, Trust};
use ledger_replay::{Interval, Memory, State, Validity};

use crate::body::ids;
use crate::civil::format_utc;
use crate::command::{Command, Content, Proposal, Terms};
use crate::error::{Error, ErrorKind, Result};
use crate::life::judge_plan;
use crate::writer::prepare::body_and_layer;

/// Judges one submission against the state before it.
pub(crate) fn judge(
    state: &State,
    commands: &[&Command],
    terms: &Terms,
    now: Micros,
) -> Result<()> {
    if let Some(expected) = terms.expected_head {
        let found = state.head().map(|head| head.seq);
        if found != Some(expected) {
            let found = found.map_or_else(|| "nothing".to_owned(), |seq| format!("record {seq}"));
            return Err(conflict(format!(
                "the ledger ends with {found}, not with record {expected} as expected; read again, then decide"
            )));
        }
    }
    for command in commands {
        let judge = Judge { state, terms, now };
        judge.command(command)?;
    }
    Ok(())
}

struct Judge<'a> {
    state: &'a State,
    terms: &'a Terms,
    now: Micros,
}

impl Judge<'_> {
    fn command(&self, command: &Command) -> Result<()> {
        match command {
            Command::Write(proposal) => self.write(proposal),
            Command::Planned(planned) => judge_plan(planned, self.terms),
            Command::Close { memory, kind, from, until, replaced_by, .. } => {
                let cut = Interval::new(Some(from.unwrap_or(self.now)), *until);
                self.close(*memory, *kind, cut)?;
                match replaced_by {
                    Some(by) if by == memory => {
                        Err(Error::invalid("a memory cannot take its own place"))
                    }
                    Some(by) => self.memory(*by).map(|_| ()),
                    None => Ok(()),
                }
            }
            Command::Reopen { memory, from, until, .. } => {
                let more = Interval::new(Some(from.unwrap_or(self.now)), *until);
                self.reopen(*memory, more)
            }
            Command::Confirm { memories, .. }
            | Command::Use { memories, .. }
            | Command::Stale { memories, .. }
            | Command::Contest { memories, .. } => self.all_stand(memories),
            Command::Source { .. } => Ok(()),
            Command::Skill { memory, predecessor, .. } => {
                self.of_body(*memory, *predecessor, BodyType::Skill)
            }
            Command::Summary { memory, in_force, .. } => {
                self.of_body(*memory, *in_force, BodyType::Summary)
            }
            Command::PushDown { memory, .. } => self.standing(*memory).map(|_| ()),
            Command::Rank { memory, trust, layer, up, .. } => {
                self.rank(*memory, *trust, *layer, *up)
            }
            Command::Lift { memory, .. } => {
                if self.standing(*memory)?.lifecycle.pushed_down.is_empty() {
                    return Err(conflict(format!(
                        "memory {} is not pushed down",
                        memory.hyphenated()
                    )));
                }
                Ok(())
            }
            Command::Resolve { contest, kept, .. } => {
                let members = self.state.contest(*contest).ok_or_else(|| {
                    Error::new(
                        ErrorKind::NotFound,
                        format!("record {contest} is no open contest; `log` shows which are"),
                    )
                })?;
                match kept.iter().find(|id| !members.contains(id)) {
                    Some(stranger) => Err(Error::invalid(format!(
                        "memory {} is not part of the contest of record {contest}",
                        stranger.hyphenated()
                    ))),
                    None => Ok(()),
                }
            }
            Command::Pin { memory, set } => {
                if self.standing(*memory)?.lifecycle.pinned == *set {
                    let word = if *set { "pinned already" } else { "not pinned" };
                    return Err(conflict(format!("memory {} is {word}", memory.hyphenated())));
                }
                Ok(())
            }
            Command::Forget { memories, .. } => {
                memories.iter().try_for_each(|id| self.standing(*id).map(|_| ()))
            }
        }
    }

    fn write(&self, proposal: &Proposal) -> Result<()> {
        let from = proposal.supersede_from.or(proposal.valid_from).unwrap_or(self.now);
        let cut = Interval::new(Some(from), proposal.supersede_until);
        // Where nothing is superseded the time of the record may be the last there is.
        if !proposal.supersedes.is_empty() && cut.is_empty() {
            return Err(Error::invalid("supersede_until is not after supersede_from"));
        }
        self.pinned_survive(proposal)?;
        for target in &proposal.supersedes {
            self.close(*target, CloseKind::Changed, cut)?;
        }
        for source in &proposal.derived_from {
            let memory = self.memory(*source)?;
            if let Some(seq) = memory.lifecycle.erased {
                return Err(Error::new(
                    ErrorKind::Refused,
                    format!(
                        "memory {} was erased by record {seq}: nothing new may be derived from it",
                        source.hyphenated()
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Trust has an order, so its direction is checked; layers are kinds of use and have none.
    fn rank(
        &self,
        id: MemoryId,
        trust: Option<Trust>,
        layer: Option<Layer>,
        up: bool,
    ) -> Result<()> {
        let by = self.terms.by.as_ref().map(|actor| actor.kind);
        let lasts = layer.is_some_and(is_long_term) || trust == Some(Trust::Approved);
        if up && lasts && matches!(by, Some(ActorKind::Agent | ActorKind::Service)) {
            return Err(Error::new(
                ErrorKind::Refused,
                "only a person promotes to what lasts or is approved; ask one to, and name the memory",
            ));
        }
        self.refuse_own_promotion(up, layer)?;
        let now = &self.standing(id)?.lifecycle;
        let other = |trust: &Trust| if up { *trust < now.trust } else { *trust > now.trust };
        if let Some(wrong) = trust.filter(other) {
            let (does, instead) = if up { ("raises", "demote") } else { ("lowers", "promote") };
            return Err(conflict(format!(
                "memory {} is {}: to make it {} {does} nothing; use `{instead}`",
                id.hyphenated(),
                now.trust.name(),
                wrong.name()
            )));
        }
        if trust.is_none_or(|trust| trust == now.trust) && layer.is_none_or(|to| to == now.layer) {
            return Err(conflict(format!(
                "memory {} has this trust and layer already; nothing to change",
                id.hyphenated()
            )));
        }
        Ok(())
    }

    /// Agents propose. What counts more, or longer, is for persons to say.
    fn refuse_own_promotion(&self, up: bool, layer: Option<Layer>) -> Result<()> {
        let agent = self.terms.by.as_ref().is_some_and(|by| by.kind == ActorKind::Agent);
        let passing =
            |layer| matches!(layer, Layer::Session | Layer::Day | Layer::Episodic | Layer::Summary);
        if agent && (up || layer.is_some_and(|layer| !passing(layer))) {
            return Err(Error::new(
                ErrorKind::Refused,
                "an agent raises no trust and moves nothing into a lasting layer; a person does, with --by person:NAME",
            ));
        }
        Ok(())
    }

    fn close(&self, id: MemoryId, kind: CloseKind, cut: Interval) -> Result<()> {
        let memory = self.standing(id)?;
        if cut.is_empty() {
            return Err(Error::invalid("the end of the closure is not after its beginning"));
        }
        let validity = &memory.lifecycle.validity;
        let changes = match kind {
            CloseKind::Wrong => !validity.is_never(),
            _ => {
                let mut after = validity.clone();
                after.subtract(cut);
                after != *validity
            }
        };
        if changes || self.claimed() {
            return Ok(());
        }
        Err(conflict(already_closed(id, memory, cut, validity)))
    }

    fn reopen(&self, id: MemoryId, more: Interval) -> Result<()> {
        let memory = self.standing(id)?;
        if more.is_empty() {
            return Err(Error::invalid("the end of the reopening is not after its beginning"));
        }
        let mut after = memory.lifecycle.validity.clone();
        after.add(more);
        if after == memory.lifecycle.validity && !self.claimed() {
            return Err(conflict(format!(
                "memory {} holds already in the whole interval; nothing to reopen",
                id.hyphenated()
            )));
        }
        Ok(())
    }

    /// Whether the head is not the moment that the submission is about.
    const fn claimed(&self) -> bool {
        self.terms.claimed_at.is_some()
    }

    /// A memory and the one beside it are of a type.
    fn of_body(&self, id: MemoryId, other: Option<MemoryId>, body: BodyType) -> Result<()> {
        for id in std::iter::once(id).chain(other) {
            let found = self.standing(id)?.body;
            if found != body {
                return Err(Error::invalid(format!(
                    "memory {} is a {found} and no {body}",
                    id.hyphenated()
                )));
            }
        }
        Ok(())
    }

    /// What is pinned survives in a summary that covers it: it is named there.
    fn pinned_survive(&self, proposal: &Proposal) -> Result<()> {
        let (body, _) = body_and_layer(proposal);
        if body != BodyType::Summary {
            return Ok(());
        }
        let named = match &proposal.content {
            Content::Body(body) => ids(body, "pinned"),
            _ => Vec::new(),
        };
        let lost = proposal.derived_from.iter().find(|id| {
            let memory = self.state.memory(id);
            memory.is_some_and(|memory| memory.lifecycle.pinned) && !named.contains(id)
        });
        match lost {
            Some(id) => Err(drops_pinned(*id)),
            None => Ok(()),
        }
    }

    fn all_stand(&self, ids: &[MemoryId]) -> Result<()> {
        ids.iter().try_for_each(|id| self.standing(*id).map(|_| ()))
    }

    fn memory(&self, id: MemoryId) -> Result<&Memory> {
        self.state.memory(&id).ok_or_else(|| {
            Error::new(
                ErrorKind::NotFound,
                format!(
                    "there is no memory {}; `list --include-history` shows which there are",
                    id.hyphenated()
                ),
            )
        })
    }

    /// A memory that events can still be about.
    fn standing(&self, id: MemoryId) -> Result<&Memory> {
        let memory = self.memory(id)?;
        if let Some(expected) = self.terms.expected_version
            && memory.lifecycle.since != expected
        {
            return Err(conflict(format!(
                "memory {} was changed by record {}, not by record {expected} as expected; read again, then decide",
                id.hyphenated(),
                memory.lifecycle.since
            )));
        }
        let gone = memory
            .lifecycle
            .erased
            .map(|seq| ("erased", seq))
            .or(memory.lifecycle.forgotten.map(|seq| ("forgotten", seq)));
        match gone {
            None => Ok(memory),
            Some((word, seq)) => Err(conflict(format!(
                "memory {} was {word} by record {seq}; write a new one instead",
                id.hyphenated()
            ))),
        }
    }
}

/// Layers whose memories outlive the work that they were written in.
const fn is_long_term(layer: Layer) -> bool {
    !matches!(layer, Layer::Session | Layer::Day | Layer::Episodic | Layer::Summary)
}

/// The scope check needs resolved aliases, so the caller makes it where it has them.
pub(crate) fn other_scope(id: MemoryId) -> Error {
    conflict(format!(
        "memory {} belongs to another scope; a write supersedes only in its own scope",
        id.hyphenated()
    ))
}

fn already_closed(id: MemoryId, memory: &Memory, cut: Interval, validity: &Validity) -> String {
    let since = memory.lifecycle.closed.as_ref().map_or_else(
        || "never held in that interval".to_owned(),
        |closure| format!("is closed already, by record {}", closure.seq),
    );
    let ends = validity
        .ended_by(cut.from)
        .map_or_else(String::new, |interval| format!(", since {}", format_utc(interval.until)));
    format!("memory {} {since}{ends}; nothing to close", id.hyphenated())
}

/// A summary that leaves out what has to survive in it.
pub(crate) fn drops_pinned(id: MemoryId) -> Error {
    Error::new(
        ErrorKind::Refused,
        format!(
            "memory {} is pinned and would not survive in this summary: repeat its words in the text and name it under \"pinned\" of a typed body, or unpin it",
            id.hyphenated()
        ),
    )
}

fn conflict(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Conflict, message)
}
