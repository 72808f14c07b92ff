//! The rules about what our own manifests declare.

use super::TABLE;
use crate::metadata::{Dependency, Metadata};
use crate::report::Finding;

/// Every requirement names a version, and pinned packages an exact one.
pub(crate) fn requirements(metadata: &Metadata, pinned: &[(&str, &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in metadata.workspace() {
        for dependency in &package.dependencies {
            if let Some(problem) = problem(dependency, pinned) {
                let text = format!("`{}`: {problem}", package.name);
                findings.push(Finding::new("Cargo.toml", 1, "requirement", text));
            }
        }
    }
    findings
}

fn problem(dependency: &Dependency, pinned: &[(&str, &str)]) -> Option<String> {
    let Dependency { name, requirement, local, .. } = dependency;
    if *local {
        return None;
    }
    if requirement.contains('*') {
        return Some(format!("`{name}` = \"{requirement}\" takes any version: name one"));
    }
    let (_, reason) = pinned.iter().find(|(pinned, _)| pinned == name)?;
    (!requirement.starts_with('=')).then(|| {
        format!("`{name}` = \"{requirement}\" must be pinned with `=` (see {TABLE}): {reason}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(requirement: &str, local: bool) -> Option<String> {
        let requirement = requirement.to_owned();
        problem(&Dependency { name: "a".into(), requirement, dev: false, local }, &[("a", "so")])
    }

    #[test]
    fn pinned_and_local_requirements_pass() {
        assert_eq!(found("=1.0.0", false), None);
        assert_eq!(found("*", true), None);
    }

    #[test]
    fn wildcards_and_loose_pins_are_found() {
        assert!(found("*", false).is_some_and(|text| text.contains("takes any version")));
        assert!(found("^1.0.0", false).is_some_and(|text| text.contains("must be pinned")));
    }
}
