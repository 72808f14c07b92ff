//! The visible top level is exactly what the README explains.

use std::collections::BTreeSet;

use crate::report::Finding;

const TOP_LEVEL: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "crates",
    "ledger-format",
    "replay-tests",
    "tools",
];

pub(crate) fn check(files: &[String]) -> Vec<Finding> {
    let seen: BTreeSet<&str> = files
        .iter()
        .filter_map(|path| path.split('/').next())
        .filter(|name| !name.starts_with('.'))
        .collect();
    let extra = seen.iter().filter(|name| !TOP_LEVEL.contains(name)).map(|name| {
        let message =
            "the top level is fixed: move it into crates, ledger-format, replay-tests or tools";
        Finding::new(*name, 1, "top-level", message)
    });
    let missing = TOP_LEVEL
        .iter()
        .filter(|name| !seen.contains(*name))
        .map(|name| Finding::new(*name, 1, "top-level", "missing: the top level needs it"));
    extra.chain(missing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(more: &[&str]) -> Vec<String> {
        TOP_LEVEL.iter().chain(more).map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn the_eight_names_and_hidden_ones_pass() {
        assert_eq!(check(&files(&[".ci/run", ".clippy.toml", "tools/a/b.rs"])), []);
    }

    #[test]
    fn one_name_more_or_less_is_found() {
        let more = check(&files(&["docs/a.md"]));
        assert_eq!(more.first().map(|finding| finding.path.as_str()), Some("docs"));
        let all = files(&[]);
        let fewer = check(all.get(1..).expect("there are eight"));
        assert_eq!(fewer.first().map(|finding| finding.path.as_str()), Some("Cargo.lock"));
    }
}
