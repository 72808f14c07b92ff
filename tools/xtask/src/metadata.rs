//! `cargo metadata` as plain structs: the packages, what they declare, and what was resolved.
//!
//! The only module that knows cargo's JSON. A field that is missing or of another type is an error
//! that names it.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::repo::{Repo, output_of};

/// What cargo knows about the workspace, and about everything below it where that was asked for.
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    /// For every package id, the ids it really uses; empty without the resolved graph.
    pub(crate) edges: BTreeMap<String, Vec<String>>,
}

/// One package.
#[derive(Clone, Debug, Default)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    /// SPDX expression as written in the manifest.
    pub(crate) license: Option<String>,
    /// Where it came from; nothing for a folder.
    pub(crate) source: Option<String>,
    pub(crate) manifest_path: String,
    /// Whether it belongs to this workspace.
    pub(crate) member: bool,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) targets: Vec<Target>,
}

/// One declared dependency.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Version requirement, `*` for any.
    pub(crate) requirement: String,
    /// Only for tests, benches and examples.
    pub(crate) dev: bool,
    /// A folder rather than a registry.
    pub(crate) local: bool,
}

/// One crate root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Target {
    /// `lib`, `bin`, `test`, `bench`, `example`, `custom-build`, ….
    pub(crate) kind: String,
    pub(crate) path: String,
}

impl Metadata {
    /// The members of the workspace only; reads nothing outside it.
    pub(crate) fn members(repo: &Repo) -> Result<Self, String> {
        Self::ask(repo, &["--no-deps"])
    }

    /// Members and everything they resolve to on this machine's platform.
    ///
    /// Needs no network where the workspace was built before, and Cargo.lock must be up to date.
    pub(crate) fn resolved(repo: &Repo) -> Result<Self, String> {
        let version = output_of(Command::new("rustc").arg("-vV"))?;
        let host = version
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .ok_or("rustc -vV names no host")?;
        Self::ask(repo, &["--locked", "--filter-platform", host])
    }

    fn ask(repo: &Repo, options: &[&str]) -> Result<Self, String> {
        let mut command = Command::new(cargo());
        command.args(["metadata", "--format-version", "1"]).args(options);
        let json = output_of(command.current_dir(repo.root()))?;
        Self::parse(&json).map_err(|error| format!("cargo metadata: {error}"))
    }

    /// Reads the JSON of format version 1.
    pub(crate) fn parse(json: &str) -> Result<Self, String> {
        let root: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let members: BTreeSet<String> =
            list(&root, "workspace_members")?.iter().filter_map(as_text).collect();
        let packages = list(&root, "packages")?
            .iter()
            .map(|value| package(value, &members))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self { packages, edges: edges(&root)? })
    }

    pub(crate) fn workspace(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.member)
    }

    pub(crate) fn by_id(&self, id: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.id == id)
    }
}

/// The cargo that runs this tool, or the one on the path.
pub(crate) fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn package(value: &Value, members: &BTreeSet<String>) -> Result<Package, String> {
    let id = text(value, "id")?;
    Ok(Package {
        member: members.contains(&id),
        id,
        name: text(value, "name")?,
        version: text(value, "version")?,
        license: value.get("license").and_then(as_text),
        source: value.get("source").and_then(as_text),
        manifest_path: text(value, "manifest_path")?,
        dependencies: list(value, "dependencies")?
            .iter()
            .map(dependency)
            .collect::<Result<_, _>>()?,
        targets: list(value, "targets")?.iter().map(target).collect::<Result<_, _>>()?,
    })
}

fn dependency(value: &Value) -> Result<Dependency, String> {
    Ok(Dependency {
        name: text(value, "name")?,
        requirement: text(value, "req")?,
        dev: value.get("kind").and_then(Value::as_str) == Some("dev"),
        local: value.get("path").is_some_and(Value::is_string),
    })
}

fn target(value: &Value) -> Result<Target, String> {
    let kind = list(value, "kind")?.first().and_then(as_text);
    Ok(Target { kind: kind.ok_or("a target without a kind")?, path: text(value, "src_path")? })
}

fn edges(root: &Value) -> Result<BTreeMap<String, Vec<String>>, String> {
    let Some(resolve) = root.get("resolve").filter(|resolve| resolve.is_object()) else {
        return Ok(BTreeMap::new());
    };
    let mut found = BTreeMap::new();
    for node in list(resolve, "nodes")? {
        let uses = list(node, "dependencies")?.iter().filter_map(as_text).collect();
        found.insert(text(node, "id")?, uses);
    }
    Ok(found)
}

fn list<'a>(value: &'a Value, field: &str) -> Result<&'a Vec<Value>, String> {
    value.get(field).and_then(Value::as_array).ok_or_else(|| format!("no list `{field}`"))
}

fn text(value: &Value, field: &str) -> Result<String, String> {
    value.get(field).and_then(as_text).ok_or_else(|| format!("no text `{field}`"))
}

fn as_text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = r#"{"workspace_members": ["a 0.1"], "packages": [
        {"id": "a 0.1", "name": "a", "version": "0.1.0", "license": "MIT", "source": null,
         "manifest_path": "/r/a/Cargo.toml",
         "dependencies": [{"name": "b", "req": "=1", "kind": "dev", "path": null}],
         "targets": [{"kind": ["lib"], "src_path": "/r/a/src/lib.rs"}]}],
        "resolve": {"nodes": [{"id": "a 0.1", "dependencies": ["b 1"]}]}}"#;

    #[test]
    fn the_fields_the_checks_need_are_read() {
        let metadata = Metadata::parse(SAMPLE).expect("the sample is complete");
        let package = metadata.by_id("a 0.1").expect("it has one package");
        assert!(package.member && package.source.is_none());
        assert_eq!(package.license.as_deref(), Some("MIT"));
        let dependency = package.dependencies.first().expect("it has one dependency");
        assert!(dependency.dev && !dependency.local);
        assert_eq!(metadata.edges.get("a 0.1"), Some(&vec!["b 1".to_owned()]));
    }

    #[test]
    fn a_missing_field_is_named() {
        let broken = SAMPLE.replace("\"version\"", "\"vversion\"");
        assert_eq!(Metadata::parse(&broken).err(), Some("no text `version`".to_owned()));
    }

    #[test]
    fn this_workspace_can_be_read() {
        let repo = Repo::open().expect("the tests run inside the repository");
        let metadata = Metadata::members(&repo).expect("cargo reads the workspace");
        assert!(metadata.workspace().any(|package| package.name == "xtask"));
    }
}
