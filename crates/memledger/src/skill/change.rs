//! Owns the decisions about a skill: canary, promotion, rollback. Each is one submission, judged against
//! the head it was decided on.

use ledger_format::names::SkillPhase;
use ledger_format::{ActorKind, CloseKind, MemoryId};

use super::{Skill, SkillVersion};
use crate::basis::Question;
use crate::command::{Command, Submission, Terms};
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::Ledger;
use crate::outcome::Outcome;
use crate::scope::{Actor, Scope};

/// How often a decision is made again because something was recorded in between.
const TRIES: u32 = 8;

/// Who decides, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Act {
    /// Who.
    pub by: Option<Actor>,
    /// Why.
    pub reason: Option<String>,
}

/// A decision that was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillChange {
    /// The version it is about.
    pub version: u32,
    /// Its phase from now on.
    pub phase: SkillPhase,
    /// The version in general use afterwards.
    pub in_use: Option<u32>,
    /// What spoke for it.
    pub evidence: String,
    /// The records.
    pub outcomes: Vec<Outcome>,
}

/// What a decision comes to, seen from one head.
struct Plan {
    version: u32,
    phase: SkillPhase,
    in_use: Option<u32>,
    evidence: String,
    commands: Vec<Command>,
}

impl Ledger {
    /// Puts a version into general use; the one before it steps aside. None: the newest version.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] when it is not earned, unless a person says why; [`ErrorKind::NotFound`] and
    /// [`ErrorKind::Conflict`] when there is nothing to promote.
    pub fn promote_skill(
        &self,
        scope: &Scope,
        name: &str,
        version: Option<u32>,
        act: &Act,
    ) -> Result<SkillChange> {
        self.decide(scope, name, act, |ledger, skill| promotion(ledger, skill, version, act))
    }

    /// Tries a version on low-risk tasks first; the one in general use stays. None: the newest version.
    ///
    /// # Errors
    /// As [`Ledger::promote_skill`]; nothing has to be earned.
    pub fn canary_skill(
        &self,
        scope: &Scope,
        name: &str,
        version: Option<u32>,
        act: &Act,
    ) -> Result<SkillChange> {
        self.decide(scope, name, act, |_, skill| {
            let one = chosen(skill, version)?;
            if matches!(one.phase, Some(SkillPhase::Canary | SkillPhase::Promoted)) {
                return Err(already(one));
            }
            let predecessor = skill.in_use.and_then(|version| skill.version(version));
            let evidence = said(one);
            let mut plan = plan(one, SkillPhase::Canary, predecessor, act, &evidence);
            plan.in_use = skill.in_use;
            plan.commands.extend(reopened(one, act));
            Ok(plan)
        })
    }

    /// Withdraws the version that is tried or in general use; the last good version before it applies
    /// again.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`] when none is; otherwise as [`Ledger::submit`].
    pub fn rollback_skill(&self, scope: &Scope, name: &str, act: &Act) -> Result<SkillChange> {
        self.decide(scope, name, act, |_, skill| rollback(skill, act))
    }

    /// Decides on the skill as it is, and again where something came in between.
    fn decide(
        &self,
        scope: &Scope,
        name: &str,
        act: &Act,
        decide: impl Fn(&Self, &Skill) -> Result<Plan>,
    ) -> Result<SkillChange> {
        let mut tries = 0;
        loop {
            let now = self.snapshot(&Question::now(self.zone()))?;
            let skill = now.skill(scope, name)?.ok_or_else(|| none_such(scope, name))?;
            let Plan { version, phase, in_use, evidence, commands } = decide(self, &skill)?;
            let terms =
                Terms { by: act.by.clone(), expected_head: now.basis().seq, ..Terms::default() };
            match self.submit(Submission { commands, terms }) {
                Err(error) if error.kind() == ErrorKind::Conflict && tries < TRIES => tries += 1,
                Err(error) => return Err(error),
                Ok(outcomes) => {
                    return Ok(SkillChange { version, phase, in_use, evidence, outcomes });
                }
            }
        }
    }
}

fn promotion(ledger: &Ledger, skill: &Skill, version: Option<u32>, act: &Act) -> Result<Plan> {
    let one = chosen(skill, version)?;
    if one.is_in_use() {
        return Err(already(one));
    }
    let needed = ledger.policy(&Question::now(ledger.zone()))?.policy.skills.successes;
    let earned = one.score.in_a_row.len() as u64 >= u64::from(needed);
    let by_person = act.by.as_ref().is_some_and(|by| by.kind == ActorKind::Person);
    let why = act.reason.as_deref().is_some_and(|reason| !reason.trim().is_empty());
    let evidence = said(one);
    let approved = by_person && why;
    if !earned && !approved {
        return Err(Error::new(
            ErrorKind::Refused,
            format!(
                "{} version {} has not earned it: {evidence}, {needed} are needed; a person can approve it with a reason",
                skill.name, one.version
            ),
        ));
    }
    let before = skill.in_use.and_then(|version| skill.version(version));
    let mut plan = plan(one, SkillPhase::Promoted, before, act, &evidence);
    plan.in_use = Some(one.version);
    plan.commands.extend(reopened(one, act));
    plan.commands.extend(before.map(|before| closed(before, Some(one.item.id), act)));
    Ok(plan)
}

fn rollback(skill: &Skill, act: &Act) -> Result<Plan> {
    let stands = |one: &&SkillVersion| {
        let tried = matches!(one.phase, Some(SkillPhase::Canary | SkillPhase::Promoted));
        tried && one.item.status.in_force()
    };
    // A canary is withdrawn before what it should have replaced.
    let order = |one: &&SkillVersion| (one.phase == Some(SkillPhase::Canary), one.version);
    let Some(bad) = skill.versions.iter().filter(stands).max_by_key(order) else {
        return Err(Error::new(
            ErrorKind::Conflict,
            format!("no version of {} is tried or in use; nothing to roll back", skill.name),
        ));
    };
    // The last good version: promoted once, never withdrawn. A canary leaves it as it is.
    let others = skill.versions.iter().filter(|one| one.version != bad.version);
    let good = others
        .filter(|one| one.phase == Some(SkillPhase::Promoted))
        .max_by_key(|one| (one.is_in_use(), one.version));
    let evidence = said(bad);
    let mut plan = plan(bad, SkillPhase::RolledBack, good, act, &evidence);
    plan.in_use = good.map(|one| one.version);
    plan.commands.push(closed(bad, good.map(|one| one.item.id), act));
    plan.commands.extend(good.and_then(|one| reopened(one, act)));
    Ok(plan)
}

fn chosen(skill: &Skill, version: Option<u32>) -> Result<&SkillVersion> {
    let found = match version {
        Some(version) => skill.version(version),
        None => skill.versions.iter().max_by_key(|one| one.version),
    };
    found.ok_or_else(|| {
        let all: Vec<_> = skill.versions.iter().map(|one| one.version.to_string()).collect();
        Error::new(
            ErrorKind::NotFound,
            format!("{} has no such version; it has {}", skill.name, all.join(", ")),
        )
    })
}

fn plan(
    one: &SkillVersion,
    phase: SkillPhase,
    before: Option<&SkillVersion>,
    act: &Act,
    evidence: &str,
) -> Plan {
    let command = Command::Skill {
        memory: one.item.id,
        phase,
        predecessor: before.map(|before| before.item.id),
        evidence: Some(evidence.to_owned()),
        reason: act.reason.clone(),
    };
    let (version, evidence) = (one.version, evidence.to_owned());
    Plan { version, phase, in_use: None, evidence, commands: vec![command] }
}

fn closed(one: &SkillVersion, replaced_by: Option<MemoryId>, act: &Act) -> Command {
    Command::Close {
        memory: one.item.id,
        kind: CloseKind::Changed,
        from: None,
        until: None,
        replaced_by,
        reason: act.reason.clone(),
    }
}

/// What stepped aside applies again from now on.
fn reopened(one: &SkillVersion, act: &Act) -> Option<Command> {
    (!one.item.status.in_force()).then(|| Command::Reopen {
        memory: one.item.id,
        from: None,
        until: None,
        reason: act.reason.clone(),
    })
}

fn said(one: &SkillVersion) -> String {
    let score = &one.score;
    format!(
        "{} verified in a row, of {} ok, {} failed, {} partial",
        score.in_a_row.len(),
        score.ok,
        score.failed,
        score.partial
    )
}

fn already(one: &SkillVersion) -> Error {
    let phase = one.phase.map_or("new", SkillPhase::name);
    Error::new(
        ErrorKind::Conflict,
        format!("version {} is {phase} already; nothing to change", one.version),
    )
}

fn none_such(scope: &Scope, name: &str) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!("there is no skill {name:?} in scope {scope}; `skill list` shows which there are"),
    )
}
