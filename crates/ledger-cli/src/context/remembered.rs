//! Owns the heads that this user saw last, one for each ledger: whoever comes back to a ledger that
//! lacks the head it once had is told, whatever else the ledger says.
//!
//! They lie in the user's own state directory, away from the ledger, so that whoever replaces a
//! ledger does not replace them with it. Invariant: a head is only ever replaced by a later one, or
//! when the user says so.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use memledger::Ledger;
use memledger::format::{LedgerId, RecordHash, TreeRoot};
use memledger::proof::{GivenHead, parse_root};

use super::Context;
use crate::exit::{Code, Failure};

/// Names the directory of remembered heads.
const VAR_STATE: &str = "MEMLEDGER_STATE_DIR";
const FIRST: &str = "memledger head v1";
/// What a remembered head is called in what is said of it.
const NAME: &str = "the head this user saw last";

impl Context<'_> {
    /// The head that was seen last; none where none was, or there is no place to keep one.
    ///
    /// # Errors
    /// When it cannot be read: then nothing is known about it.
    pub(crate) fn remembered(&self, ledger: LedgerId) -> Result<Option<GivenHead>, Failure> {
        let Some(path) = file(ledger) else { return Ok(None) };
        match fs::read_to_string(&path) {
            Ok(text) => parse(&text).map(Some).ok_or_else(|| unreadable(&path, "it holds no head")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unreadable(&path, &error.to_string())),
        }
    }

    /// Refuses a ledger that lacks the head that was seen last, unless the user accepts it.
    ///
    /// # Errors
    /// An integrity failure that names what happened.
    pub(crate) fn hold_to_remembered(&self, ledger: &Ledger) -> Result<(), Failure> {
        if self.accept_head {
            return Ok(());
        }
        let Some(head) = self.remembered(ledger.id())? else { return Ok(()) };
        ledger.hold_to(&head).map_err(|error| {
            let failure = Failure::from(error);
            if failure.code() != Code::Damaged {
                return failure;
            }
            failure.hint(
                "put the newer copy back; if you restored this one on purpose, run the command once with --accept-head, which makes its head the one to remember",
            )
        })
    }

    /// Remembers a head. A place that takes no file is said, and is no failure of what was done.
    pub(crate) fn remember(&self, ledger: LedgerId, head: Option<GivenHead>) {
        let (Some(path), Some(head)) = (file(ledger), head) else { return };
        let known = self.remembered(ledger).ok().flatten();
        if known.is_some_and(|known| {
            known.size == head.size && known.record == head.record
                || known.size > head.size && !self.accept_head
        }) {
            return;
        }
        if let Err(error) = write(&path, &head) {
            self.out.note(&format!(
                "the head of this ledger cannot be remembered in '{}': {error}; set {VAR_STATE} to a directory that can be written to",
                path.display()
            ));
        }
    }
}

/// Where this user keeps something about a ledger, apart from the ledger; none where there is no place.
pub(crate) fn state_file(folder: &str, ledger: LedgerId, ending: &str) -> Option<PathBuf> {
    // An empty base directory means "not set" by the XDG specification, and a relative one is
    // passed over.
    let base = |name: &str, below: &str| {
        let base = env::var_os(name).filter(|value: &OsString| !value.is_empty());
        base.map(PathBuf::from).filter(|base| base.is_absolute()).map(|base| base.join(below))
    };
    let dir = base(VAR_STATE, "")
        .or_else(|| base("XDG_STATE_HOME", "memledger"))
        .or_else(|| base("HOME", ".local/state/memledger"))?;
    Some(dir.join(folder).join(format!("{ledger}.{ending}")))
}

fn file(ledger: LedgerId) -> Option<PathBuf> {
    state_file("heads", ledger, "head")
}

fn parse(text: &str) -> Option<GivenHead> {
    let mut lines = text.lines();
    lines.next().filter(|line| *line == FIRST)?;
    let size = lines.next()?.strip_prefix("size ")?.parse().ok()?;
    let root = parse_root(lines.next()?.strip_prefix("root ")?)?;
    let TreeRoot(record) = parse_root(lines.next()?.strip_prefix("record ")?)?;
    let (root, record) = (Some(root), Some(RecordHash(record)));
    lines.next().is_none().then(|| GivenHead { name: NAME.to_owned(), size, root, record })
}

/// Beside the old one, flushed, then in its place.
fn write(path: &Path, head: &GivenHead) -> io::Result<()> {
    let (Some(root), Some(record), Some(dir)) = (head.root, head.record, path.parent()) else {
        return Ok(());
    };
    fs::create_dir_all(dir)?;
    let fresh = path.with_extension(format!("new{}", std::process::id()));
    let mut file = File::create(&fresh)?;
    file.write_all(
        format!("{FIRST}\nsize {}\nroot {root}\nrecord {record}\n", head.size).as_bytes(),
    )?;
    file.sync_data()?;
    fs::rename(&fresh, path)
}

fn unreadable(path: &Path, why: &str) -> Failure {
    Failure::unproven(format!("the remembered head in '{}' cannot be read: {why}", path.display()))
        .hint("remove the file to begin anew; until then a rollback before now cannot be told")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/heads/x.head");
        let head = GivenHead {
            name: NAME.to_owned(),
            size: 12,
            root: Some(TreeRoot([1; 32])),
            record: Some(RecordHash([2; 32])),
        };
        write(&path, &head).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(parse(&text), Some(head));
        for bad in ["", "memledger head v2\n", &text.replace("12", "x"), &format!("{text}more")] {
            assert_eq!(parse(bad), None, "{bad:?}");
        }
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing left over");
    }
}
