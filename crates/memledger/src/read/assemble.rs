//! Owns making an item: fixed part, version and words, put together; `questions` and `ranks` judge it.

use std::cell::OnceCell;

use ledger_format::event::memory::Write;
use ledger_format::{AliasId, BodyType, CloseKind, Event, MemoryId, Role, Seq};
use ledger_policy::{Fading, decay};
use ledger_replay::{Birth, Instants, Lifecycle, Status};
use serde_json::Value;

use crate::answer::{Holds, Item, ItemClosure, Level, Text};
use crate::civil::Zone;
use crate::error::Result;
use crate::names::Names;
use crate::read::body_text;
use crate::read::past::Past;
use crate::read::questions;
use crate::read::ranks::{Chain, Ranks};
use crate::scope::Actor;
use crate::vault::{Loaded, Opened, Vault};

/// What answers are made from.
pub(crate) struct Assembler<'a> {
    pub(crate) past: &'a dyn Past,
    pub(crate) vault: &'a Vault,
    pub(crate) names: &'a Names,
    pub(crate) at: Instants,
    /// Whether any failure contradicts anything, once it was asked for.
    pub(crate) contradictions: OnceCell<bool>,
    /// The zone that times are told in.
    pub(crate) zone: Zone,
    /// Where memories stand under the policy of the basis.
    pub(crate) ranks: Ranks,
}

impl Assembler<'_> {
    /// The item of a memory in a version.
    pub(crate) fn item(&self, birth: &Birth, life: &Lifecycle) -> Result<Item> {
        let erased = match life.erased {
            Some(seq) => Some(seq),
            None => self.past.erased(birth.seq)?,
        };
        let status = if erased.is_some() { Status::Erased } else { life.status(self.at) };
        let loaded = self.vault.load(birth.seq)?;
        let (text, body) = self.words(&loaded, life, erased)?;
        let source = if erased.is_some() { None } else { self.plain(&loaded, Role::Source)? };
        let closed = if status == Status::Closed { Some(self.closure(life)?) } else { None };
        let mut item = self.shell(birth, life, &loaded, status)?;
        item.text = text;
        item.body = body;
        item.source = source;
        item.closed = closed;
        item.erased_at = erased;
        self.contradictions(&mut item, birth)?;
        self.answer_questions(&mut item, birth, life)?;
        Ok(item)
    }

    /// Level, source and validity, and what time took from it.
    fn answer_questions(&self, item: &mut Item, birth: &Birth, life: &Lifecycle) -> Result<()> {
        let policy = &*self.ranks.policy;
        let Chain { links, sourced } = self.chain(birth, life)?;
        item.authority = self.rank(birth, life)?;
        item.source_chain = links;
        item.holds = questions::holds(item, policy, self.at);
        item.hint = questions::hint(item, sourced, policy, self.at, &self.zone);
        item.level = questions::level(item, sourced, policy);
        let fading = Fading {
            layer: item.layer,
            body: item.body_type,
            trust: item.trust,
            pinned: item.pinned,
            untouched_since: item.holds.untouched_since,
        };
        item.decay = decay(&fading, policy, self.at.known);
        Ok(())
    }

    /// Everything but words and judgement.
    fn shell(
        &self,
        birth: &Birth,
        life: &Lifecycle,
        loaded: &Loaded,
        status: Status,
    ) -> Result<Item> {
        let write = match &loaded.event.event {
            Event::Write(write) => Some(write),
            _ => None,
        };
        Ok(Item {
            id: birth.id,
            seq: birth.seq,
            hash: loaded.stored.hash,
            recorded_at: birth.recorded_at,
            claimed_at: birth.claimed_at,
            version: life.since,
            status,
            text: Text::Locked,
            body: None,
            body_type: birth.body,
            layer: life.layer,
            trust: life.trust,
            authority: u8::MAX,
            level: Level::Background,
            hint: None,
            source_chain: Vec::new(),
            holds: Holds::default(),
            decay: None,
            source_kind: birth.source,
            source: None,
            by: self.actor(loaded.event.header.actor)?,
            actor_kind: birth.actor_kind,
            scope: self.names.scope(self.vault, self.past, birth.scope)?,
            key: self.name(birth.key)?,
            task: self.name(birth.task)?,
            domain: self.name(birth.domain)?,
            tags: self.all_names(&birth.tags)?,
            subjects: self.all_names(&birth.subjects)?,
            validity: life.validity.intervals().to_vec(),
            observed_at: write.and_then(|write| write.observed_at),
            ttl_until: life.ttl_until,
            review_by: life.review_by,
            last_confirmed: life.last_confirmed,
            last_used: life.last_used,
            confidence: write.and_then(|write| write.confidence),
            closed: None,
            supersedes: birth.supersedes.clone(),
            derived_from: birth.derived_from.clone(),
            conflict_group: life.contest,
            generation: write.map_or(0, |write| write.generation),
            contradicts: Vec::new(),
            contradicted_by: Vec::new(),
            stale: life.stale || self.sources_gone(&birth.derived_from)?,
            pinned: life.pinned,
            erased_at: None,
        })
    }

    /// A closed source marks what was made from it.
    fn sources_gone(&self, sources: &[MemoryId]) -> Result<bool> {
        for source in sources {
            let Some(birth) = self.past.birth(source)? else { continue };
            let version = self.past.version(birth.seq)?;
            // The end of a session stops the use of a message, not its archive.
            let ended = |status: Status| match birth.body {
                BodyType::Message => !status.in_force() && status != Status::Expired,
                _ => !status.in_force(),
            };
            if version.is_some_and(|life| ended(life.status(self.at))) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn words(
        &self,
        loaded: &Loaded,
        life: &Lifecycle,
        erased: Option<Seq>,
    ) -> Result<(Text, Option<Value>)> {
        if let Some(seq) = erased {
            return Ok((Text::Erased(seq), None));
        }
        if let Some(seq) = life.forgotten {
            return Ok((Text::Forgotten(seq), None));
        }
        if let Some(opened) = self.vault.open(loaded, Role::Text)? {
            return Ok((opened.into_text(None), None));
        }
        match self.vault.open(loaded, Role::Body)? {
            Some(Opened::Plain(bytes)) => {
                let body: Option<Value> = serde_json::from_slice(&bytes).ok();
                let shape = write_of(loaded).map_or(BodyType::Note, |write| write.body);
                let words = body.as_ref().map_or_else(
                    || String::from_utf8_lossy(&bytes).into_owned(),
                    |body| body_text(shape, body),
                );
                Ok((Text::Words(words), body))
            }
            Some(opened) => Ok((opened.into_text(None), None)),
            None => Ok((Text::Words(String::new()), None)),
        }
    }

    fn closure(&self, life: &Lifecycle) -> Result<ItemClosure> {
        let ended = life.validity.ended_by(self.at.valid);
        let Some(closed) = &life.closed else {
            return Ok(ItemClosure {
                seq: None,
                at: ended.map(|interval| interval.until),
                kind: CloseKind::Changed,
                reason: None,
                superseded_by: None,
            });
        };
        let loaded = self.vault.load(closed.seq)?;
        Ok(ItemClosure {
            seq: Some(closed.seq),
            at: ended.map(|interval| interval.until),
            kind: closed.kind,
            reason: self.plain(&loaded, Role::Reason)?,
            superseded_by: closed.by,
        })
    }

    /// The words under a role, where they can be read and are text.
    pub(crate) fn plain(&self, loaded: &Loaded, role: Role) -> Result<Option<String>> {
        Ok(match self.vault.open(loaded, role)? {
            Some(Opened::Plain(bytes)) => String::from_utf8(bytes).ok(),
            _ => None,
        })
    }

    /// The actor behind an alias.
    pub(crate) fn actor(&self, alias: AliasId) -> Result<Option<Actor>> {
        if alias.is_zero() {
            return Ok(None);
        }
        let name = self.names.name(self.vault, self.past, alias)?;
        Ok(name.and_then(|name| name.parse().ok()))
    }

    fn name(&self, alias: Option<AliasId>) -> Result<Option<String>> {
        match alias {
            Some(alias) => Ok(Some(self.name_or_alias(alias)?)),
            None => Ok(None),
        }
    }

    fn all_names(&self, aliases: &[AliasId]) -> Result<Vec<String>> {
        let mut names =
            aliases.iter().map(|alias| self.name_or_alias(*alias)).collect::<Result<Vec<_>>>()?;
        names.sort_unstable();
        Ok(names)
    }

    /// A pseudonym stays when the name is erased or locked.
    fn name_or_alias(&self, alias: AliasId) -> Result<String> {
        let name = self.names.name(self.vault, self.past, alias)?;
        Ok(name.unwrap_or_else(|| format!("alias:{alias}")))
    }
}

fn write_of(loaded: &Loaded) -> Option<&Write> {
    match &loaded.event.event {
        Event::Write(write) => Some(write),
        _ => None,
    }
}
