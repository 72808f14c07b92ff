//! Owns the table of a history: `index.tsv`, one row per revision.

use std::path::{Component, Path};

use memledger::civil::parse_instant;
use memledger::{Error, Result};

use crate::document::{Revision, one_line};

/// Name of the table in the folder of a history.
pub(crate) const INDEX: &str = "index.tsv";
/// What stands for the file where the document was removed.
const REMOVED: &str = "(deleted)";

const COLUMNS: [&str; 10] = [
    "seq",
    "commit",
    "author_date",
    "commit_date",
    "bytes",
    "lines_added",
    "lines_removed",
    "same_as_seq",
    "file",
    "subject",
];

/// A row that says what a revision should.
#[derive(Clone, Debug)]
pub(crate) struct IndexRow {
    pub(crate) revision: Revision,
    /// The file with its text and how long that is; none: removed.
    pub(crate) file: Option<(String, u64)>,
}

/// A row that does not: its line, why, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadRow<'a> {
    pub(crate) line: usize,
    pub(crate) reason: String,
    pub(crate) raw: &'a [u8],
}

/// Reads the table. `path` is where it lies, for messages; `place` names it in source references.
///
/// Lines end with LF only: texts hold other line ends.
pub(crate) fn read<'a>(
    path: &Path,
    place: &str,
    bytes: &'a [u8],
) -> Result<(Vec<IndexRow>, Vec<BadRow<'a>>)> {
    let mut lines =
        bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let header = String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
    check_header(path, &header)?;
    let (mut rows, mut bad) = (Vec::new(), Vec::new());
    for (at, raw) in lines.enumerate().filter(|(_, raw)| !raw.is_empty()) {
        match row(raw, place, at as u64) {
            Ok(row) => rows.push(row),
            Err(reason) => bad.push(BadRow { line: at + 2, reason, raw }),
        }
    }
    Ok((rows, bad))
}

fn check_header(path: &Path, header: &str) -> Result<()> {
    let found: Vec<&str> = header.trim_start_matches('\u{feff}').split('\t').collect();
    if found == COLUMNS {
        return Ok(());
    }
    let problem = match COLUMNS.iter().find(|column| !found.contains(column)) {
        Some(missing) => format!("the column {missing:?} is missing"),
        None => match found.iter().find(|column| !COLUMNS.contains(column)) {
            Some(other) => format!("the column {other:?} is not known"),
            None => "the columns are in another order".to_owned(),
        },
    };
    Err(Error::invalid(format!(
        "{}:1: {problem}; the header is, separated by tabs: {}",
        path.display(),
        COLUMNS.join(" ")
    )))
}

fn row(raw: &[u8], place: &str, order: u64) -> std::result::Result<IndexRow, String> {
    let text = std::str::from_utf8(raw).map_err(|_| "not valid UTF-8".to_owned())?;
    let cells: Vec<&str> = text.splitn(COLUMNS.len(), '\t').collect();
    let [seq, commit, author, claimed, bytes, _, _, _, file, subject] = cells.as_slice() else {
        return Err(format!("{} columns instead of {}", cells.len(), COLUMNS.len()));
    };
    if commit.is_empty() || seq.parse::<u64>().is_err() {
        return Err(format!("{seq:?} and {commit:?} are no number and commit of a revision"));
    }
    let date =
        |what: &str, text: &str| parse_instant(text).map_err(|error| format!("{what}: {error}"));
    let file = match *file {
        REMOVED => None,
        name if is_plain(name) => {
            let size = bytes.parse().map_err(|_| format!("{bytes:?} is no number of bytes"))?;
            Some((name.to_owned(), size))
        }
        name => return Err(format!("{name:?} is no file of this folder")),
    };
    let revision = Revision {
        author: date("author_date", author)?,
        claim: date("commit_date", claimed)?,
        order,
        name: format!("{commit}#{seq}"),
        label: format!("{} (row {seq})", commit.get(..12).unwrap_or(commit)),
        origin: one_line(&format!("{place}@{commit}")),
        subject: (*subject).to_owned(),
    };
    Ok(IndexRow { revision, file })
}

/// One name in the folder itself: no other folder can be reached by it.
fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!(parts.next(), Some(Component::Normal(_)))
        && parts.next().is_none()
        && !name.contains('\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "7\tabc\t2018-04-19T15:46:13-07:00\t2018-04-20T00:00:00Z\t12\t1\t0\t\ta.md\tSay\tmore";

    fn read_rows(body: &str) -> (Vec<IndexRow>, Vec<String>) {
        let table = format!("{}\n{body}", COLUMNS.join("\t"));
        let (rows, bad) = read(Path::new("index.tsv"), "terms", table.as_bytes()).unwrap();
        (rows, bad.into_iter().map(|bad| format!("{}: {}", bad.line, bad.reason)).collect())
    }

    #[test]
    fn a_row_is_a_revision() {
        let deleted = GOOD.replace("a.md", REMOVED).replace("7\tabc", "8\tabd");
        let (rows, bad) = read_rows(&format!("{GOOD}\r\n\n{deleted}\n"));
        assert_eq!(bad, Vec::<String>::new());
        let revision = &rows[0].revision;
        assert_eq!(revision.author, parse_instant("2018-04-19T22:46:13Z").unwrap());
        assert_eq!((revision.name.as_str(), revision.origin.as_str()), ("abc#7", "terms@abc"));
        assert_eq!(revision.subject, "Say\tmore");
        assert_eq!(rows[0].file, Some(("a.md".to_owned(), 12)));
        assert_eq!(rows[1].file, None);
        assert!(rows[0].revision.order < rows[1].revision.order);
    }

    #[test]
    fn every_kind_of_bad_row_is_named() {
        for (from, to, reason) in [
            ("7\t", "x\t", "no number"),
            ("abc", "", "no number"),
            ("13-07:00", "13", "author_date"),
            ("00:00:00Z", "25:00:00Z", "commit_date"),
            ("2018-04-20T00:00:00Z", "2018-04-20", "commit_date"),
            ("\t12\t", "\tmany\t", "bytes"),
            ("a.md", "../secret", "no file of this folder"),
            ("a.md", "/etc/passwd", "no file of this folder"),
            ("a.md", "", "no file of this folder"),
            ("a.md", "..", "no file of this folder"),
            ("\t1\t0\t\ta.md\tSay\tmore", "", "columns"),
        ] {
            let (rows, bad) = read_rows(&GOOD.replacen(from, to, 1));
            assert!(rows.is_empty(), "{to:?}");
            assert!(bad[0].starts_with("2: ") && bad[0].contains(reason), "{bad:?}");
        }
        let mut table = COLUMNS.join("\t").into_bytes();
        table.extend(b"\n\xff\n");
        let (_, bad) = read(Path::new("x"), "terms", &table).unwrap();
        assert_eq!((bad[0].line, bad[0].raw), (2, b"\xff".as_slice()));
    }

    #[test]
    fn a_wrong_header_says_which_column() {
        for (header, problem) in [
            (COLUMNS.join("\t").replace("commit_date\t", ""), "\"commit_date\" is missing"),
            (COLUMNS.join("\t") + "\tauthor", "\"author\" is not known"),
            (COLUMNS.join("\t").replace("seq\tcommit\t", "commit\tseq\t"), "another order"),
            (String::new(), "\"seq\" is missing"),
        ] {
            let error =
                read(Path::new("d/index.tsv"), "d", header.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with("d/index.tsv:1: ") && error.contains(problem), "{error}");
        }
    }
}
