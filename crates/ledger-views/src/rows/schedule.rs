//! Owns recurring jobs. A row is replaced whenever its job ran or got another schedule.

use ledger_format::names::Job;
use ledger_replay::Schedule;

use crate::error::{Broken, ViewError};
use crate::key::{Key, KeyReader, Kind};
use crate::rows::Rows;
use crate::source::Source;
use crate::squeeze::{squeeze, stretch};

fn key(job: Job) -> Key {
    Key::new(Kind::Schedule).number(u64::from(job.number()))
}

pub(crate) fn put<S: Source>(
    rows: &mut Rows<'_, S>,
    job: Job,
    schedule: &Schedule,
) -> Result<(), ViewError> {
    let mut value = Vec::new();
    squeeze(&mut value, &schedule.encode());
    rows.replace(key(job), value)
}

/// A job as it stands now.
pub(crate) fn get<S: Source>(source: &S, job: Job) -> Result<Option<Schedule>, ViewError> {
    source.get(key(job).as_slice(), decode)
}

fn decode(value: &[u8]) -> Result<Schedule, Broken> {
    Ok(Schedule::decode(&stretch(value)?)?)
}

pub(crate) fn check(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    let job = KeyReader::new(Kind::Schedule, key)?.last_number()?;
    let known = u16::try_from(job).ok().and_then(Job::from_number);
    known.ok_or(Broken("a schedule of no known job"))?;
    decode(value).map(|_| ())
}
