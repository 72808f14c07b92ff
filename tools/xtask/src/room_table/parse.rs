//! The Markdown table between `<!-- rooms:begin -->` and `<!-- rooms:end -->`.
//!
//! Text around the table, backticks and the table's alignment row are tolerated; a row with other
//! columns, an unknown word in the std column, or a second row for one crate is a finding.

use super::finding;
use crate::report::Finding;

const BEGIN: &str = "<!-- rooms:begin -->";
const END: &str = "<!-- rooms:end -->";
const COLUMNS: &str = "`crate | may depend on (workspace) | outside crates | std`";

/// One row: what the page says of one crate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) inside: Vec<String>,
    pub(crate) outside: Vec<String>,
    pub(crate) std: bool,
}

/// Reads the table; what cannot be read is a finding and no row.
pub(crate) fn table(page: &str, text: &str) -> (Vec<Row>, Vec<Finding>) {
    let begins = text.lines().position(|line| line.trim() == BEGIN);
    let ends = text.lines().position(|line| line.trim() == END);
    let (Some(begin), Some(end)) = (begins, ends) else {
        let missing =
            format!("{page} needs its table with the columns {COLUMNS} between {BEGIN} and {END}");
        return (Vec::new(), vec![finding(1, missing)]);
    };
    let (mut rows, mut findings) = (Vec::<Row>::new(), Vec::new());
    for (at, text) in text.lines().enumerate().take(end).skip(begin + 1) {
        let line = at + 1;
        match row(line, text) {
            None => {}
            Some(Ok(row)) if rows.iter().any(|other| other.name == row.name) => {
                findings.push(finding(line, format!("`{}` has two rows: merge them", row.name)));
            }
            Some(Ok(row)) => rows.push(row),
            Some(Err(problem)) => findings.push(finding(line, problem)),
        }
    }
    (rows, findings)
}

/// One line of the table; nothing for text, the heading and the alignment row.
fn row(line: usize, text: &str) -> Option<Result<Row, String>> {
    let inner = text.trim().strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let cells: Vec<String> =
        inner.split('|').map(|cell| cell.replace('`', "").trim().to_owned()).collect();
    let first = cells.first().map_or("", String::as_str);
    if first == "crate" || (!first.is_empty() && first.chars().all(|c| "-:".contains(c))) {
        return None;
    }
    let [name, inside, outside, std] = cells.as_slice() else {
        return Some(Err(format!(
            "a row has the four columns {COLUMNS}, this one has {}",
            cells.len()
        )));
    };
    Some(read(line, name, inside, outside, std))
}

fn read(line: usize, name: &str, inside: &str, outside: &str, std: &str) -> Result<Row, String> {
    let std = match std {
        "yes" => true,
        "no" => false,
        other => {
            return Err(format!("the std column of `{name}` says `{other}`: write yes or no"));
        }
    };
    if !is_name(name) {
        return Err(format!("`{name}` is no crate name"));
    }
    Ok(Row {
        line,
        name: name.to_owned(),
        inside: names(name, inside)?,
        outside: names(name, outside)?,
        std,
    })
}

/// The names in a cell, separated by commas or spaces; `-`, `—` and `none` stand for no name.
fn names(row: &str, cell: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for name in cell.split([',', ' ']).filter(|name| !["", "-", "—", "–", "none"].contains(name))
    {
        if !is_name(name) {
            return Err(format!("the row of `{row}` lists `{name}`, which is no crate name"));
        }
        found.push(name.to_owned());
    }
    Ok(found)
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(rows: &str) -> (Vec<Row>, Vec<String>) {
        let page = format!(
            "# Crates\n| not | this | table | here |\n{BEGIN}\nSome words.\n\n\
             | crate | may depend on (workspace) | outside crates | std |\n|---|:--|---|---|\n{rows}\n{END}\n"
        );
        let (rows, findings) = table("page", &page);
        (rows, findings.into_iter().map(|finding| finding.message).collect())
    }

    #[test]
    fn rows_are_read_and_other_text_is_not() {
        let (rows, findings) = parse("| `a` | `b`, c | — | no |\n| b | none | `x` `y` | yes |");
        assert!(findings.is_empty(), "{findings:?}");
        let [first, second] = rows.as_slice() else { panic!("two rows: {rows:?}") };
        assert_eq!((first.line, first.name.as_str(), first.std), (8, "a", false));
        assert_eq!(first.inside, ["b", "c"]);
        assert!(first.outside.is_empty() && second.inside.is_empty());
        assert_eq!(second.outside, ["x", "y"]);
    }

    #[test]
    fn what_cannot_be_read_is_a_finding() {
        assert!(parse("| a | b | c |").1.concat().contains("this one has 3"));
        assert!(
            parse("| a | - | - | maybe |").1.concat().contains("says `maybe`: write yes or no")
        );
        assert!(parse("| a | - | b (only here) | no |").1.concat().contains("no crate name"));
        assert!(parse("| a | - | - | no |\n| a | - | - | no |").1.concat().contains("two rows"));
    }

    #[test]
    fn a_page_without_the_table_is_a_finding() {
        let (_, findings) = table("page", "# Crates\n");
        assert!(findings.iter().any(|finding| finding.message.contains("needs its table")));
    }
}
