//! The `deps` command: what the dependencies may be, checked offline and in seconds.
//!
//! Holds the resolved graph against the table in `allow.rs`: licences, sources, who may use what,
//! pinned and wildcard requirements, duplicate versions, and the dated advisory exceptions. It knows no
//! advisory database: `.cargo/deny.toml` says the same to cargo-deny, for those who have it.

mod allow;
mod graph;
mod licence;
mod workspace;

use crate::metadata::Metadata;
use crate::repo::Repo;
use crate::report::{Finding, conclude};

/// The page a reader has to edit to allow something.
const TABLE: &str = "tools/xtask/src/deps/allow.rs";

/// Runs the command.
pub(crate) fn run(repo: &Repo) -> Result<(), String> {
    let metadata = Metadata::resolved(repo)?;
    let mut findings = graph::licences(&metadata);
    findings.extend(graph::sources(&metadata));
    findings.extend(graph::banned(&metadata, allow::BANNED));
    findings.extend(graph::users(&metadata, allow::USERS));
    findings.extend(graph::duplicates(&metadata, allow::DUPLICATES));
    findings.extend(workspace::requirements(&metadata, allow::PINNED));
    match repo.commit_date() {
        Some(today) => findings.extend(graph::exceptions(allow::EXCEPTIONS, &today)),
        None => println!("deps: no commit yet, so the dates of the exceptions are not checked"),
    }
    for note in graph::unused(&metadata, allow::EXCEPTIONS, allow::DUPLICATES) {
        println!("deps: note: {note}");
    }
    conclude("deps", findings)
}

/// A finding whose remedy is in the lock file or the table.
fn finding(rule: &'static str, message: String) -> Finding {
    Finding::new("Cargo.lock", 1, rule, message)
}

#[cfg(test)]
mod tests {
    use super::allow::{BANNED, EXCEPTIONS, LICENCES, USERS};

    /// cargo-deny's configuration may not drift from the table that CI uses.
    #[test]
    fn the_configuration_of_cargo_deny_says_the_same() {
        let deny = include_str!("../../../../.cargo/deny.toml");
        let licences = LICENCES.iter().map(|name| format!("\"{name}\","));
        let users = USERS.iter().map(|(name, users, _)| {
            let users: Vec<String> = users.iter().map(|user| format!("\"{user}\"")).collect();
            format!("crate = \"{name}\", wrappers = [{}]", users.join(", "))
        });
        let banned = BANNED.iter().map(|banned| format!("crate = \"{}", banned.name));
        let exceptions =
            EXCEPTIONS.iter().map(|exception| format!("id = \"{}\"", exception.advisory));
        let dates = EXCEPTIONS.iter().map(|exception| format!("until {}", exception.until));
        for line in licences.chain(users).chain(banned).chain(exceptions).chain(dates) {
            assert!(deny.contains(&line), "deny.toml lacks `{line}`");
        }
    }
}
