//! Owns withdrawing what came from a source, or was let in under a policy, with everything made from it.

use std::collections::{BTreeMap, BTreeSet};

use ledger_format::event::memory as body;
use ledger_format::{AliasId, CloseKind, Event, MemoryId, Micros, Role, Seq, limits};
use ledger_replay::{Birth, Interval, Lifecycle};

use super::plan::{Act, Plan, PlanKind};
use super::standing::all_scopes;
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::Ledger;
use crate::read::{Members, Snapshot};

/// What is withdrawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RevokeWhat {
    /// Everything from a source, as `kind:uri`, with every span of it.
    Source(String),
    /// Everything that was let in under a version of the policy.
    Policy(u32),
}

/// How it is withdrawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokeHow {
    /// It stops applying from now on.
    Close,
    /// It was never true.
    Wrong,
    /// It is gone from every ordinary read.
    Forget,
}

impl Ledger {
    /// The plan of withdrawing what came from a source, or was let in under a policy, and everything
    /// made from it.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when nothing that stands came from there; otherwise when a record cannot
    /// be read.
    pub fn plan_revoke(&self, what: &RevokeWhat, how: RevokeHow) -> Result<Plan> {
        let snapshot = self.snapshot(&crate::Question::now(self.zone()))?;
        let mut plan = Plan::new(PlanKind::Revoke, snapshot.basis.seq);
        let origin = origins(&snapshot, what)?;
        let lineage = lineage(&snapshot, &origin)?;
        let (mut acts, now) = (Vec::new(), snapshot.basis.known_at);
        let mut forgets: BTreeMap<AliasId, Vec<MemoryId>> = BTreeMap::new();
        for born in &lineage {
            let past = snapshot.past();
            let (Some(birth), Some(life)) = (past.birth_at(*born)?, past.version(*born)?) else {
                continue;
            };
            if !withdraws(&life, how, now) {
                continue;
            }
            plan.step(birth.id, if origin.contains(born) { "from there" } else { "made from it" });
            match how {
                RevokeHow::Forget => forgets.entry(birth.scope).or_default().push(birth.id),
                RevokeHow::Close => acts.push(close(&birth, CloseKind::Changed, Some(now))),
                RevokeHow::Wrong => acts.push(close(&birth, CloseKind::Wrong, None)),
            }
        }
        for (scope, mut ids) in forgets {
            ids.sort_unstable();
            for part in ids.chunks(limits::TARGETS) {
                let forget = body::Forget { memories: part.to_vec(), subject: None };
                acts.push(Act::event(Event::Forget(forget), scope));
            }
        }
        if acts.is_empty() {
            return Err(Error::new(
                ErrorKind::NotFound,
                "nothing that stands came from there; `memledger list --include-history` shows what there is",
            ));
        }
        if let RevokeWhat::Source(source) = what {
            let memories = plan.steps.len() as u64;
            plan.acts.push(Act::RevokeSource { source: source.clone(), memories });
        }
        plan.acts.append(&mut acts);
        Ok(plan)
    }
}

fn close(birth: &Birth, kind: CloseKind, from: Option<Micros>) -> Act {
    let (memory, until, replaced_by) = (birth.id, None, None);
    Act::event(Event::Close(body::Close { memory, kind, from, until, replaced_by }), birth.scope)
}

fn withdraws(life: &Lifecycle, how: RevokeHow, now: Micros) -> bool {
    if life.forgotten.is_some() || life.erased.is_some() || life.rejected {
        return false;
    }
    let mut after = life.validity.clone();
    after.subtract(Interval::new(Some(now), None));
    match how {
        RevokeHow::Forget => true,
        RevokeHow::Wrong => !life.validity.is_never(),
        RevokeHow::Close => after != life.validity,
    }
}

/// Births of the memories that came from there themselves.
fn origins(snapshot: &Snapshot<'_>, what: &RevokeWhat) -> Result<BTreeSet<Seq>> {
    let past = snapshot.past();
    let mut found = BTreeSet::new();
    for scope in all_scopes(past)? {
        for born in past.members(Members::Scope(scope), false)? {
            let loaded = snapshot.vault.load(born)?;
            let comes = match what {
                RevokeWhat::Policy(version) => loaded.event.header.policy == *version,
                RevokeWhat::Source(source) => {
                    let said = snapshot.assembler()?.plain(&loaded, Role::Source)?;
                    said.is_some_and(|said| is_of(&said, source))
                }
            };
            if comes {
                found.insert(born);
            }
        }
    }
    Ok(found)
}

/// The source itself, or a span of it.
fn is_of(said: &str, source: &str) -> bool {
    said.strip_prefix(source).is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
}

/// Births of these memories and of everything made from them.
fn lineage(snapshot: &Snapshot<'_>, origins: &BTreeSet<Seq>) -> Result<BTreeSet<Seq>> {
    let past = snapshot.past();
    let mut all = origins.clone();
    let mut next: Vec<Seq> = origins.iter().copied().collect();
    while let Some(born) = next.pop() {
        let Some(birth) = past.birth_at(born)? else { continue };
        for derived in past.derived(&birth.id)? {
            if all.insert(derived) {
                next.push(derived);
            }
        }
    }
    Ok(all)
}
