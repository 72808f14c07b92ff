//! Owns the short form of a birth. Names stand in it as the numbers of their groups, which are a
//! fifth as long, and give the names back.

use ledger_format::bytes::Reader;
use ledger_format::event::memory::FactKey;
use ledger_format::{ActorKind, AliasId, BodyType, MemoryId, Micros, Seq, SourceKind};
use ledger_replay::Birth;

use crate::error::{Broken, ViewError};
use crate::group::Group;
use crate::number::{put_short, take_short};
use crate::rows::group;
use crate::source::Source;

/// Groups with their numbers.
pub(crate) type Numbers = Vec<(Group, u64)>;

const CLAIMED: u8 = 1;
const KEY: u8 = 1 << 1;
const FACT: u8 = 1 << 2;
const DOMAIN: u8 = 1 << 3;
const TASK: u8 = 1 << 4;

/// A birth with numbers in the place of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Short {
    birth: Birth,
    scope: u64,
    key: Option<u64>,
    fact: Option<(u64, u64)>,
    domain: Option<u64>,
    subjects: Vec<u64>,
    tags: Vec<u64>,
}

/// Appends the short form. `numbers` has all groups of the memory.
pub(crate) fn encode(out: &mut Vec<u8>, birth: &Birth, numbers: &Numbers) {
    // Named one by one, so that a new field cannot be left out.
    let Birth {
        id,
        seq: _,
        recorded_at,
        claimed_at,
        body,
        source,
        actor_kind,
        scope,
        key,
        fact,
        domain,
        subjects,
        tags,
        task,
        derived_from,
        supersedes,
    } = birth;
    let number = |group: Group| {
        numbers.iter().find(|(found, _)| *found == group).map_or(u64::MAX, |(_, number)| *number)
    };
    let flag = |set: bool, bit: u8| if set { bit } else { 0 };
    out.push(
        flag(claimed_at.is_some(), CLAIMED)
            | flag(key.is_some(), KEY)
            | flag(fact.is_some(), FACT)
            | flag(domain.is_some(), DOMAIN)
            | flag(task.is_some(), TASK),
    );
    out.extend([body.number(), source.number(), actor_kind.number()]);
    out.extend(id.0);
    out.extend(recorded_at.0.to_le_bytes());
    claimed_at.iter().for_each(|time| out.extend(time.0.to_le_bytes()));
    task.iter().for_each(|task| out.extend(task.0));
    put_short(out, number(Group::Scope(*scope)));
    key.iter().for_each(|key| put_short(out, number(Group::Key(*key))));
    if let Some(FactKey { subject, predicate }) = fact {
        put_short(out, number(Group::Subject(*subject)));
        put_short(out, number(Group::Predicate(*predicate)));
    }
    domain.iter().for_each(|domain| put_short(out, number(Group::Domain(*domain))));
    put_short(out, subjects.len() as u64);
    subjects.iter().for_each(|person| put_short(out, number(Group::Person(*person))));
    put_short(out, tags.len() as u64);
    tags.iter().for_each(|tag| put_short(out, number(Group::Tag(*tag))));
    for list in [derived_from, supersedes] {
        put_short(out, list.len() as u64);
        list.iter().for_each(|id| out.extend(id.0));
    }
}

/// Decodes exactly a short form.
pub(crate) fn decode(bytes: &[u8], born: Seq) -> Result<Short, Broken> {
    let mut reader = Reader::new("a birth", bytes);
    let [flags, body, source, actor] = reader.array()?;
    if flags & !(CLAIMED | KEY | FACT | DOMAIN | TASK) != 0 {
        return Err(Broken("a birth with unknown parts"));
    }
    let has = |bit: u8| flags & bit != 0;
    let id = MemoryId(reader.array()?);
    let recorded_at = Micros(i64::from_le_bytes(reader.array()?));
    let claimed_at = match has(CLAIMED) {
        true => Some(Micros(i64::from_le_bytes(reader.array()?))),
        false => None,
    };
    let task = match has(TASK) {
        true => Some(AliasId(reader.array()?)),
        false => None,
    };
    let mut number = |present: bool| present.then(|| take_short(&mut reader)).transpose();
    let scope = number(true)?.unwrap_or_default();
    let key = number(has(KEY))?;
    let fact = number(has(FACT))?.zip(number(has(FACT))?);
    let domain = number(has(DOMAIN))?;
    let short = Short {
        scope,
        key,
        fact,
        domain,
        subjects: list(&mut reader, take_short)?,
        tags: list(&mut reader, take_short)?,
        birth: Birth {
            id,
            seq: born,
            recorded_at,
            claimed_at,
            body: BodyType::from_number(body).ok_or(Broken("an unknown body"))?,
            source: SourceKind::from_number(source).ok_or(Broken("an unknown source"))?,
            actor_kind: ActorKind::from_number(actor).ok_or(Broken("an unknown actor"))?,
            scope: AliasId::ZERO,
            key: None,
            fact: None,
            domain: None,
            subjects: Vec::new(),
            tags: Vec::new(),
            task,
            derived_from: list(&mut reader, memory)?,
            supersedes: list(&mut reader, memory)?,
        },
    };
    reader.end()?;
    Ok(short)
}

fn memory(reader: &mut Reader<'_>) -> Result<MemoryId, Broken> {
    Ok(MemoryId(reader.array()?))
}

/// The count is not trusted with an allocation: items arrive one by one or bytes run out.
fn list<T>(
    reader: &mut Reader<'_>,
    take: fn(&mut Reader<'_>) -> Result<T, Broken>,
) -> Result<Vec<T>, Broken> {
    let mut items = Vec::new();
    for _ in 0..take_short(reader)? {
        items.push(take(reader)?);
    }
    Ok(items)
}

impl Short {
    /// The birth with its names.
    pub(crate) fn name<S: Source>(self, source: &S) -> Result<Birth, ViewError> {
        let name = |number: u64| group::alias(source, number);
        let names = |numbers: Vec<u64>| -> Result<Vec<AliasId>, ViewError> {
            numbers.into_iter().map(name).collect()
        };
        Ok(Birth {
            scope: name(self.scope)?,
            key: self.key.map(name).transpose()?,
            fact: match self.fact {
                Some((subject, predicate)) => {
                    Some(FactKey { subject: name(subject)?, predicate: name(predicate)? })
                }
                None => None,
            },
            domain: self.domain.map(name).transpose()?,
            subjects: names(self.subjects)?,
            tags: names(self.tags)?,
            ..self.birth
        })
    }
}
