//! The rows of the page against what the crates really do.

use super::parse::Row;
use super::{Observed, finding};
use crate::report::Finding;

/// Every difference between the page and the crates.
pub(crate) fn compare(page: &str, rows: &[Row], crates: &[Observed]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for seen in crates {
        match rows.iter().find(|row| row.name == seen.name) {
            Some(row) => compare_one(row, seen, &mut findings),
            None => findings.push(finding(
                1,
                format!("crate `{}` has no row: add one to the table in {page}", seen.name),
            )),
        }
    }
    for row in rows.iter().filter(|row| !crates.iter().any(|seen| seen.name == row.name)) {
        findings.push(finding(
            row.line,
            format!("there is no crate `{}` in the workspace: remove its row", row.name),
        ));
    }
    findings
}

fn compare_one(row: &Row, seen: &Observed, findings: &mut Vec<Finding>) {
    let columns = [
        (&row.inside, &seen.inside, "may depend on (workspace)"),
        (&row.outside, &seen.outside, "outside crates"),
    ];
    for (listed, used, column) in columns {
        for name in used.iter().filter(|name| !listed.contains(name)) {
            findings.push(finding(
                row.line,
                format!(
                    "crate `{}` depends on `{name}`, which its row does not allow: remove the dependency, \
                     or add it to the column \"{column}\" if the direction is meant",
                    row.name
                ),
            ));
        }
        for name in listed.iter().filter(|name| !used.contains(name)) {
            findings.push(finding(
                row.line,
                format!(
                    "the row of `{}` lists `{name}` under \"{column}\", but its Cargo.toml has no such \
                     dependency outside of tests: remove it from the row",
                    row.name
                ),
            ));
        }
    }
    compare_std(row, seen, findings);
}

fn compare_std(row: &Row, seen: &Observed, findings: &mut Vec<Finding>) {
    if row.std && seen.no_std {
        let message = format!(
            "the row of `{}` says std = yes, but its lib.rs holds #![no_std]: write no",
            row.name
        );
        findings.push(finding(row.line, message));
    }
    if row.std {
        return;
    }
    if !seen.no_std {
        let message = format!(
            "the row of `{}` says std = no, but its lib.rs lacks #![no_std]: add it, so that clocks and \
             files stay compile errors",
            row.name
        );
        findings.push(finding(row.line, message));
    }
    for (path, line) in &seen.std_claims {
        let message = format!(
            "crate `{}` is free of std: remove `extern crate std`, or put it behind #[cfg(test)]",
            row.name
        );
        findings.push(Finding::new(path, *line, "rooms", message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row {
            line: 9,
            name: "a".into(),
            inside: vec!["b".into()],
            outside: vec!["x".into()],
            std: false,
        }
    }

    fn seen() -> Observed {
        Observed {
            name: "a".into(),
            inside: vec!["b".into()],
            outside: vec!["x".into()],
            no_std: true,
            std_claims: Vec::new(),
        }
    }

    fn messages(rows: &[Row], crates: &[Observed]) -> String {
        let found = compare("page", rows, crates);
        found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_table_that_tells_the_truth_passes() {
        assert_eq!(messages(&[row()], &[seen()]), "");
    }

    #[test]
    fn a_dependency_the_row_does_not_list_is_found() {
        let more = Observed { outside: vec!["x".into(), "sled".into()], ..seen() };
        assert!(messages(&[row()], &[more]).contains(":9: rooms: crate `a` depends on `sled`"));
    }

    #[test]
    fn a_listed_dependency_that_is_gone_is_found() {
        let fewer = Observed { inside: Vec::new(), ..seen() };
        assert!(messages(&[row()], &[fewer]).contains("the row of `a` lists `b`"));
    }

    #[test]
    fn crates_and_rows_come_in_pairs() {
        assert!(messages(&[], &[seen()]).contains("crate `a` has no row"));
        assert!(messages(&[row()], &[]).contains("no crate `a` in the workspace"));
    }

    #[test]
    fn std_is_held_both_ways() {
        let with_std = Observed { no_std: false, ..seen() };
        assert!(messages(&[row()], &[with_std]).contains("lacks #![no_std]"));
        let claims = Observed { std_claims: vec![("a/src/lib.rs".into(), 4)], ..seen() };
        assert!(
            messages(&[row()], &[claims])
                .contains("a/src/lib.rs:4: rooms: crate `a` is free of std")
        );
        assert!(messages(&[Row { std: true, ..row() }], &[seen()]).contains("says std = yes"));
    }
}
