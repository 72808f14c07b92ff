//! Owns the list of commits that touched a file, oldest first, and what each says as a revision.

use memledger::civil::format_utc;
use memledger::format::Micros;
use memledger::{Error, Result};

use super::command::Git;
use crate::document::{Revision, one_line};

/// Hash, author time, commit time, first line of the message.
const FORMAT: &str = "--format=tformat:%H%x00%at%x00%ct%x00%s";
const FIELDS: usize = 4;

/// A commit as git lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) hash: String,
    author: String,
    commit: String,
    subject: String,
}

/// The commits up to HEAD that touched `path`: parents before children.
pub(crate) fn commits(git: &Git, path: &str) -> Result<Vec<Commit>> {
    let pathspec = format!(":(top,literal){path}");
    let arguments =
        ["log", "--topo-order", "--reverse", "--no-mailmap", "-z", FORMAT, "HEAD", "--", &pathspec];
    match git.output(&arguments)? {
        Ok(listed) => parse(&listed),
        Err(message) if message.contains("bad revision 'HEAD'") => {
            Err(Error::invalid("the repository has no commit yet: there is nothing to import"))
        }
        Err(message) => Err(Error::invalid(format!("git log cannot list the history: {message}"))),
    }
}

/// Fields and commits both end with NUL, which no message can hold.
fn parse(listed: &[u8]) -> Result<Vec<Commit>> {
    let text = String::from_utf8_lossy(listed);
    let Some(fields) = text.strip_suffix('\0') else {
        return if text.is_empty() { Ok(Vec::new()) } else { Err(unexpected()) };
    };
    let fields: Vec<&str> = fields.split('\0').collect();
    let (commits, rest) = fields.as_chunks::<FIELDS>();
    if !rest.is_empty() {
        return Err(unexpected());
    }
    let owned = |[hash, author, commit, subject]: &[&str; FIELDS]| Commit {
        hash: (*hash).to_owned(),
        author: (*author).to_owned(),
        commit: (*commit).to_owned(),
        subject: (*subject).to_owned(),
    };
    Ok(commits.iter().map(owned).collect())
}

fn unexpected() -> Error {
    Error::invalid(
        "git log answered in a form that is not understood; it should end each field with NUL",
    )
}

impl Commit {
    /// The revision, or why there is none.
    pub(crate) fn revision(&self, path: &str, order: u64) -> std::result::Result<Revision, String> {
        let short = self.hash.get(..12).unwrap_or(&self.hash);
        Ok(Revision {
            author: seconds("author date", &self.author)?,
            claim: seconds("commit date", &self.commit)?,
            order,
            name: self.hash.clone(),
            label: short.to_owned(),
            origin: format!("{}@{}", one_line(path), self.hash),
            subject: self.subject.clone(),
        })
    }
}

/// Git counts seconds; years that no calendar of ours has are refused.
fn seconds(what: &str, text: &str) -> std::result::Result<Micros, String> {
    let micros = text.parse::<i64>().ok().and_then(|seconds| seconds.checked_mul(1_000_000));
    let micros =
        micros.map(Micros).ok_or_else(|| format!("the {what} {text:?} is no number of seconds"))?;
    if memledger::civil::parse_instant(&format_utc(micros)).is_err() {
        return Err(format!("the {what} {} is beyond the calendar", format_utc(micros)));
    }
    Ok(micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_data() {
        let listed = b"aa\x001\x002\x00first\nline \xff\0bb\x00-5\x007\x00\0";
        let commits = parse(listed).unwrap();
        assert_eq!(commits.len(), 2);
        assert_eq!(commits[0].subject, "first\nline \u{fffd}");
        let revision = commits[1].revision("a\nb", 1).unwrap();
        assert_eq!((revision.author, revision.claim), (Micros(-5_000_000), Micros(7_000_000)));
        assert_eq!(revision.origin, "a%0Ab@bb");
        assert_eq!(parse(b"").unwrap(), []);
        assert!(parse(b"aa\x001\x002\0").is_err(), "a field is missing");
        assert!(parse(b"aa\x001\x002\x00s").is_err(), "cut off");
    }

    #[test]
    fn dates_beyond_the_calendar_are_refused() {
        for wrong in ["", "x", "9223372036854775807", "253402300800", "-999999999999"] {
            assert!(seconds("author date", wrong).is_err(), "{wrong}");
        }
        assert!(seconds("author date", "253402300799").is_ok());
    }
}
