//! Where the compiler starts reading: the crate roots of the tree.
//!
//! Members of the workspace say it themselves through cargo metadata. A package outside the workspace
//! (fuzz targets, clients) is read by convention and by the `path = "….rs"` lines of its manifest.

use super::modules::{Root, folder, join};
use crate::metadata::Metadata;
use crate::repo::{Repo, Texts};

pub(crate) fn find(repo: &Repo, metadata: &Metadata, texts: &Texts) -> Vec<Root> {
    let mut roots = Vec::new();
    let mut manifests = Vec::new();
    for package in metadata.workspace() {
        manifests.extend(repo.relative(&package.manifest_path));
        for target in &package.targets {
            let tests = matches!(target.kind.as_str(), "test" | "bench" | "example");
            roots.extend(repo.relative(&target.path).map(|path| Root { path, tests }));
        }
    }
    for (manifest, text) in texts.iter().filter(|(path, _)| path.ends_with("/Cargo.toml")) {
        if !manifests.contains(manifest) {
            roots.extend(outside(folder(manifest), text, texts));
        }
    }
    roots
}

/// The roots of a package that cargo metadata does not list.
fn outside(home: &str, manifest: &str, texts: &Texts) -> Vec<Root> {
    let named = manifest
        .lines()
        .filter_map(|line| line.split_once('='))
        .filter(|(key, _)| key.trim() == "path")
        .map(|(_, value)| join(home, value.trim().trim_matches('"')))
        .filter(|path| path.ends_with(".rs"));
    let usual = ["src/lib.rs", "src/main.rs", "build.rs"].map(|path| join(home, path));
    let loose = texts.keys().filter(|path| {
        let inner = path.strip_prefix(home).unwrap_or("");
        let parts: Vec<&str> = inner.trim_start_matches('/').split('/').collect();
        matches!(parts.as_slice(), ["src", "bin", _] | ["tests" | "benches" | "examples", _])
    });
    let all = named.chain(usual).chain(loose.cloned());
    all.filter(|path| texts.contains_key(path)).map(|path| Root { path, tests: false }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_outside_the_workspace_is_read_by_convention() {
        let manifest = "[[bin]]\nname = \"a\"\npath = \"targets/a.rs\"\n[dependencies]\nb = { path = \"../b\" }\n";
        let files =
            ["t/targets/a.rs", "t/targets/dead.rs", "t/src/lib.rs", "t/src/bin/c.rs", "t/src/d.rs"];
        let texts: Texts = files.iter().map(|path| ((*path).to_owned(), String::new())).collect();
        let found: Vec<String> =
            outside("t", manifest, &texts).into_iter().map(|root| root.path).collect();
        assert_eq!(found, ["t/targets/a.rs", "t/src/lib.rs", "t/src/bin/c.rs"]);
    }
}
