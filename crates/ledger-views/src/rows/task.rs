//! Owns tasks. A row is replaced when its task ends.

use ledger_format::AliasId;
use ledger_replay::Task;

use crate::error::{Broken, ViewError};
use crate::key::{Key, KeyReader, Kind};
use crate::rows::Rows;
use crate::source::Source;
use crate::squeeze::{squeeze, stretch};

fn key(id: AliasId) -> Key {
    Key::new(Kind::Task).alias(id)
}

pub(crate) fn put<S: Source>(
    rows: &mut Rows<'_, S>,
    id: AliasId,
    task: &Task,
) -> Result<(), ViewError> {
    let mut value = Vec::new();
    squeeze(&mut value, &task.encode());
    rows.replace(key(id), value)
}

/// A task as it stands now.
pub(crate) fn get<S: Source>(source: &S, id: AliasId) -> Result<Option<Task>, ViewError> {
    source.get(key(id).as_slice(), decode)
}

fn decode(value: &[u8]) -> Result<Task, Broken> {
    Ok(Task::decode(&stretch(value)?)?)
}

pub(crate) fn check(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    let mut reader = KeyReader::new(Kind::Task, key)?;
    reader.array::<16>()?;
    reader.end()?;
    decode(value).map(|_| ())
}
