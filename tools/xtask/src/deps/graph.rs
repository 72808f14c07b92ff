//! The rules about the resolved graph, each a pure function from it and a table to findings.

use std::collections::{BTreeMap, BTreeSet};

use super::allow::{Banned, Exception, LICENCES};
use super::{TABLE, finding, licence};
use crate::metadata::{Metadata, Package};
use crate::report::Finding;

/// How cargo writes its default registry, in halves so that this file does not name the host.
const REGISTRY: &str = concat!("registry+https://github.com/rust-lang/crates", ".io-index");

/// Every package is under an allowed licence.
pub(crate) fn licences(metadata: &Metadata) -> Vec<Finding> {
    let problem = |package: &Package| match package.license.as_deref() {
        Some(expression) if licence::allowed(expression, LICENCES) => None,
        Some(expression) => Some(format!(
            "{} is under `{expression}`: replace it, or allow the licence in {TABLE} if it is permissive",
            label(package)
        )),
        None => Some(format!("{} states no SPDX licence: replace it", label(package))),
    };
    metadata.packages.iter().filter_map(problem).map(|text| finding("licence", text)).collect()
}

/// Every package comes from the crates registry or from this repository.
pub(crate) fn sources(metadata: &Metadata) -> Vec<Finding> {
    let problem = |package: &Package| match package.source.as_deref() {
        Some(REGISTRY) => None,
        None if package.member => None,
        Some(source) => Some(format!("{} comes from {source}", label(package))),
        None => Some(format!("{} is a folder outside the workspace", label(package))),
    };
    let found = metadata.packages.iter().filter_map(problem);
    found
        .map(|text| finding("source", format!("{text}: take it from the crates registry")))
        .collect()
}

/// No banned package is in the graph.
pub(crate) fn banned(metadata: &Metadata, table: &[Banned]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for banned in table {
        let hit = |package: &&Package| {
            package.name == banned.name && package.version.starts_with(banned.version)
        };
        for package in metadata.packages.iter().filter(hit) {
            let text = format!("{} is banned: {}", label(package), banned.reason);
            findings.push(finding("banned", text));
        }
    }
    findings
}

/// Restricted packages are used directly by the listed ones only.
pub(crate) fn users(metadata: &Metadata, table: &[(&str, &[&str], &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, allowed, reason) in table {
        for (user, uses) in &metadata.edges {
            let uses_it =
                uses.iter().filter_map(|id| metadata.by_id(id)).any(|used| used.name == *name);
            let Some(user) = metadata.by_id(user).filter(|_| uses_it) else {
                continue;
            };
            if !allowed.contains(&user.name.as_str()) {
                let text = format!(
                    "`{}` depends on `{name}`, which only {} may: {reason}",
                    user.name,
                    allowed.join(" and ")
                );
                findings.push(finding("user", text));
            }
        }
    }
    findings
}

/// No package is in the graph in two versions, but those in the table.
pub(crate) fn duplicates(metadata: &Metadata, table: &[(&str, &str)]) -> Vec<Finding> {
    let doubled = versions(metadata).into_iter().filter(|(_, versions)| versions.len() > 1);
    doubled
        .filter(|(name, _)| !table.iter().any(|(allowed, _)| allowed == name))
        .map(|(name, versions)| {
            let versions: Vec<&str> = versions.into_iter().collect();
            let text = format!(
                "`{name}` is in the graph as {}: agree on one version (cargo tree -d), or give the reason in {TABLE}",
                versions.join(" and ")
            );
            finding("duplicate", text)
        })
        .collect()
}

/// No exception outlives its date. `today` is the day of the newest commit.
pub(crate) fn exceptions(table: &[Exception], today: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for exception in table {
        let Exception { advisory, package, until, reason } = exception;
        if !is_date(until) {
            let text =
                format!("the exception for {advisory} has no date but `{until}`: write YYYY-MM-DD");
            findings.push(Finding::new(TABLE, 1, "exception", text));
        } else if today > *until {
            let text = format!(
                "the exception for {advisory} ({package}) ended on {until}, the newest commit is of {today}: \
                 judge anew whether \"{reason}\" still holds, then move the date or drop the package"
            );
            findings.push(Finding::new(TABLE, 1, "exception", text));
        }
    }
    findings
}

/// Rows that allow something that is not in the graph; worth a note, no failure.
pub(crate) fn unused(
    metadata: &Metadata,
    exceptions: &[Exception],
    duplicates: &[(&str, &str)],
) -> Vec<String> {
    let versions = versions(metadata);
    let gone = exceptions.iter().filter(|exception| !versions.contains_key(exception.package));
    let single = duplicates
        .iter()
        .filter(|(name, _)| versions.get(name).is_none_or(|found| found.len() < 2));
    let gone =
        gone.map(|row| format!("{TABLE}: {} ({}) excuses nothing", row.advisory, row.package));
    let single = single.map(|(name, _)| format!("{TABLE}: `{name}` is no duplicate"));
    gone.chain(single).collect()
}

fn versions(metadata: &Metadata) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in &metadata.packages {
        found.entry(&package.name).or_default().insert(&package.version);
    }
    found
}

fn label(package: &Package) -> String {
    format!("`{}` {}", package.name, package.version)
}

/// `YYYY-MM-DD`, so that comparing text compares days.
fn is_date(text: &str) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "0000-00-00"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, version: &str) -> Package {
        Package {
            id: format!("{name} {version}"),
            name: name.to_owned(),
            version: version.to_owned(),
            license: Some("MIT".to_owned()),
            source: Some(REGISTRY.to_owned()),
            ..Package::default()
        }
    }

    fn graph(packages: Vec<Package>) -> Metadata {
        Metadata { packages, edges: BTreeMap::new() }
    }

    fn joined(findings: &[Finding]) -> String {
        findings.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_licence_outside_the_table_is_found() {
        assert_eq!(licences(&graph(vec![package("a", "1")])), []);
        let copyleft = Package { license: Some("GPL-3.0".to_owned()), ..package("a", "1") };
        let silent = Package { license: None, ..package("b", "1") };
        let found = joined(&licences(&graph(vec![copyleft, silent])));
        assert!(
            found.contains("`a` 1 is under `GPL-3.0`") && found.contains("`b` 1 states no"),
            "{found}"
        );
    }

    #[test]
    fn another_source_than_the_registry_is_found() {
        let member = Package { source: None, member: true, ..package("m", "1") };
        assert_eq!(sources(&graph(vec![package("a", "1"), member])), []);
        let git =
            Package { source: Some("git+https://a.example/b".to_owned()), ..package("b", "1") };
        let loose = Package { source: None, ..package("c", "1") };
        assert_eq!(sources(&graph(vec![git, loose])).len(), 2);
    }

    #[test]
    fn a_banned_version_is_found_and_others_pass() {
        let table = [Banned { name: "a", version: "3", reason: "broken" }];
        assert_eq!(banned(&graph(vec![package("a", "2.3.0")]), &table), []);
        let found = joined(&banned(&graph(vec![package("a", "3.0.0")]), &table));
        assert_eq!(found, "`a` 3.0.0 is banned: broken");
    }

    #[test]
    fn a_restricted_package_has_its_users_only() {
        let mut metadata = graph(vec![package("a", "1"), package("b", "1"), package("x", "1")]);
        metadata.edges.insert("a 1".to_owned(), vec!["x 1".to_owned()]);
        let table: [(&str, &[&str], &str); 1] = [("x", &["a"], "so")];
        assert_eq!(users(&metadata, &table), []);
        metadata.edges.insert("b 1".to_owned(), vec!["x 1".to_owned()]);
        assert_eq!(joined(&users(&metadata, &table)), "`b` depends on `x`, which only a may: so");
    }

    #[test]
    fn a_second_version_needs_a_row() {
        let metadata = graph(vec![package("a", "1"), package("a", "2")]);
        assert!(joined(&duplicates(&metadata, &[])).contains("`a` is in the graph as 1 and 2"));
        assert_eq!(duplicates(&metadata, &[("a", "so")]), []);
    }

    #[test]
    fn an_exception_ends_with_its_day() {
        let row = |until| [Exception { advisory: "R-1", package: "a", until, reason: "so" }];
        assert_eq!(exceptions(&row("2027-05-31"), "2027-05-31"), []);
        assert!(
            joined(&exceptions(&row("2027-05-31"), "2027-06-01")).contains("ended on 2027-05-31")
        );
        assert!(joined(&exceptions(&row("never"), "2027-06-01")).contains("write YYYY-MM-DD"));
    }

    #[test]
    fn rows_that_allow_nothing_are_noted() {
        let metadata = graph(vec![package("a", "1")]);
        let row =
            [Exception { advisory: "R-1", package: "gone", until: "2027-05-31", reason: "so" }];
        assert_eq!(unused(&metadata, &row, &[("a", "so")]).len(), 2);
        let row = [Exception { package: "a", ..row.into_iter().next().expect("one row") }];
        assert_eq!(unused(&metadata, &row, &[]), Vec::<String>::new());
    }
}
