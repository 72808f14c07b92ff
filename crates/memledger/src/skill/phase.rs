//! Owns finding the phase of a skill: the last record at the basis that gave it one.

use ledger_format::names::SkillPhase;
use ledger_format::{Event, MemoryId};

use crate::error::Result;
use crate::read::Assembler;

/// The phase of a skill; none where no record gave it one.
pub(super) fn of(assembler: &Assembler<'_>, id: &MemoryId) -> Result<Option<SkillPhase>> {
    let Some(birth) = assembler.past.birth(id)? else { return Ok(None) };
    for life in assembler.past.versions(birth.seq)?.iter().rev() {
        if let Event::SkillState(skill) = assembler.vault.load(life.since)?.event.event {
            return Ok(Some(skill.phase));
        }
    }
    Ok(None)
}
