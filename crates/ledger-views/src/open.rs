//! Owns the decision whether stored views can be used. It changes nothing but the clean mark: who
//! finds them unusable rebuilds.

use std::path::Path;
use std::time::Duration;
use std::{fmt, thread};

use ledger_format::LedgerId;

use crate::check::recount;
use crate::error::ViewError;
use crate::guard::{Clean, Fault, Place, watched};
use crate::maker::Maker;
use crate::meta::{Meta, Schemas, Stored};
use crate::table::{NotOpened, Table};
use crate::views::{OpenOptions, Views};

/// Shortest time that opening may take before it counts as hanging, in seconds.
const LIMIT_BASE: u64 = 60;
/// A scan slower than this counts as hanging, in bytes a second: a hundredth of what is usual.
const LIMIT_RATE: u64 = 1 << 20;
/// How often a database that another handle still closes is asked for again, and how long between.
const IN_USE_TRIES: u32 = 40;
const IN_USE_WAIT: Duration = Duration::from_millis(25);

/// What opening came to.
#[derive(Debug)]
pub enum Opened {
    /// The rows are whole. The caller compares [`Views::applied`] with the log.
    Ready(Box<Views>),
    /// They cannot be used: rebuild.
    Unusable(Unusable),
}

impl Opened {
    /// The views, if they can be used.
    pub fn ready(self) -> Result<Views, Unusable> {
        match self {
            Self::Ready(views) => Ok(*views),
            Self::Unusable(why) => Err(why),
        }
    }
}

/// Why views cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unusable {
    /// There are none.
    Missing,
    /// They are of another ledger.
    OtherLedger {
        /// Whose they are.
        found: LedgerId,
    },
    /// They were made by a version with other rows.
    OtherSchema {
        /// Its number for the rows of this crate.
        views: u16,
        /// Its number for the values from replay.
        replay: u16,
    },
    /// Another process has them open.
    InUse,
    /// They do not read.
    Damaged {
        /// What was found.
        found: String,
    },
    /// Opening them panicked.
    Panicked {
        /// What the panic said.
        found: String,
    },
    /// Opening them did not end.
    TimedOut,
    /// They read, but are not what was written.
    Mismatch {
        /// What differs.
        what: &'static str,
    },
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("there are no views"),
            Self::OtherLedger { found } => write!(f, "the views are of ledger {found}"),
            Self::OtherSchema { views, replay } => {
                write!(
                    f,
                    "the views have schema {views}.{replay}, this program has {}.{}",
                    Schemas::NOW.views,
                    Schemas::NOW.replay
                )
            }
            Self::InUse => f.write_str("another process has the views open"),
            Self::Damaged { found } => write!(f, "the views do not read: {found}"),
            Self::Panicked { found } => write!(f, "opening the views failed: {found}"),
            Self::TimedOut => f.write_str("opening the views did not end"),
            Self::Mismatch { what } => write!(f, "the views are not what was written: {what}"),
        }
    }
}

impl std::error::Error for Unusable {}

impl From<ViewError> for Unusable {
    fn from(error: ViewError) -> Self {
        Self::Damaged { found: error.to_string() }
    }
}

impl Views {
    /// Opens the generation in force. With a clean mark the bytes of all files are compared with it;
    /// without one, or when they differ, all rows are counted and summed.
    #[must_use]
    pub fn open(dir: &Path, options: OpenOptions) -> Opened {
        match open(dir, options) {
            Ok(views) => Opened::Ready(Box::new(views)),
            Err(why) => Opened::Unusable(why),
        }
    }
}

fn open(dir: &Path, options: OpenOptions) -> Result<Views, Unusable> {
    let place = Place::current(dir)?.ok_or(Unusable::Missing)?;
    let Schemas { views, replay } = place.schemas;
    if place.schemas != Schemas::NOW {
        return Err(Unusable::OtherSchema { views, replay });
    }
    let clean = Clean::take(&place)?;
    let bytes = place.bytes()?;
    if bytes == 0 {
        return Err(Unusable::Damaged { found: "the generation in force has no files".into() });
    }
    // Other bytes are a reason to scan, and not yet a reason to give up.
    let clean = match clean {
        Some(clean) if clean.has_files_of(&place)? => Some(clean),
        _ => None,
    };
    let limit = Duration::from_secs(LIMIT_BASE + bytes / LIMIT_RATE);
    let path = place.rows();
    let (table, maker) = watched(limit, move || examine(&path, options, clean.as_ref()))
        .unwrap_or_else(|fault| Err(unusable(fault)))?;
    Ok(Views::new(table, place, maker, options.cache_bytes))
}

fn unusable(fault: Fault) -> Unusable {
    match fault {
        Fault::Panicked(found) => Unusable::Panicked { found },
        Fault::TimedOut => Unusable::TimedOut,
        Fault::NoThread(found) => Unusable::Damaged { found },
    }
}

fn examine(
    path: &Path,
    options: OpenOptions,
    clean: Option<&Clean>,
) -> Result<(Table, Maker), Unusable> {
    let table = open_table(path, options.cache_bytes)?;
    let stored = table.meta(Meta::decode)?;
    let meta = match stored {
        None => return Err(Unusable::Mismatch { what: "the row about the rows is missing" }),
        Some(Stored::Other(Schemas { views, replay })) => {
            return Err(Unusable::OtherSchema { views, replay });
        }
        Some(Stored::Here(meta)) => meta,
    };
    if meta.ledger != options.ledger {
        return Err(Unusable::OtherLedger { found: meta.ledger });
    }
    if !clean.is_some_and(|clean| clean.speaks_of(&meta)) {
        let (rows, sum) = recount(&table, |_, _| Ok(()))?;
        if rows != meta.rows {
            return Err(Unusable::Mismatch { what: "the number of rows" });
        }
        if sum != meta.sum {
            return Err(Unusable::Mismatch { what: "the digest of the rows" });
        }
    }
    let maker = Maker::resume(meta, &table)?;
    Ok((table, maker))
}

/// A handle that was dropped a moment ago may still be closing on another thread.
fn open_table(path: &Path, cache_bytes: u64) -> Result<Table, Unusable> {
    for _ in 0..IN_USE_TRIES {
        match Table::open(path, cache_bytes) {
            Ok(table) => return Ok(table),
            Err(NotOpened::Failed(found)) => return Err(Unusable::Damaged { found }),
            Err(NotOpened::InUse) => thread::sleep(IN_USE_WAIT),
        }
    }
    Err(Unusable::InUse)
}
