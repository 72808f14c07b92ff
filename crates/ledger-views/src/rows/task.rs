//! Owns tasks. A row is a task as it stood from its record until the next row's: a task that ends, or is
//! begun again, gets another one.

use ledger_format::{AliasId, Seq};
use ledger_replay::Task;

use crate::error::{Broken, ViewError};
use crate::key::{Key, KeyReader, Kind};
use crate::rows::Rows;
use crate::source::Source;
use crate::squeeze::{squeeze, stretch};

fn of(id: AliasId) -> Key {
    Key::new(Kind::Task).alias(id)
}

pub(crate) fn put<S: Source>(rows: &mut Rows<'_, S>, id: AliasId, seq: Seq, task: &Task) {
    let mut value = Vec::new();
    squeeze(&mut value, &task.encode());
    rows.put(of(id).number(seq.0), value);
}

/// A task as it stood after a record.
pub(crate) fn at<S: Source>(source: &S, id: AliasId, seq: Seq) -> Result<Option<Task>, ViewError> {
    let (from, to) = (of(id), of(id).number(seq.0));
    source.last(from.as_slice(), to.as_slice(), |_, value| decode(value))
}

fn decode(value: &[u8]) -> Result<Task, Broken> {
    Ok(Task::decode(&stretch(value)?)?)
}

pub(crate) fn check(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    let mut reader = KeyReader::new(Kind::Task, key)?;
    reader.array::<16>()?;
    reader.last_number()?;
    decode(value).map(|_| ())
}
