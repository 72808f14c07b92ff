//! The repository as the checks see it: its root and the files git would commit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the repository is. Holds no file content: every check reads what it needs.
pub(crate) struct Repo {
    root: PathBuf,
}

/// Every readable text file by its path from the root, with `/` between the parts.
pub(crate) type Texts = BTreeMap<String, String>;

impl Repo {
    /// Finds the root from the working directory.
    pub(crate) fn open() -> Result<Self, String> {
        let here = Self { root: PathBuf::from(".") };
        let root = here.git(&["rev-parse", "--show-toplevel"])?;
        Ok(Self { root: PathBuf::from(root.trim_end()) })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Tracked files and files that would be tracked, sorted; a file deleted on disk is left out.
    pub(crate) fn files(&self) -> Result<Vec<String>, String> {
        let listed = self.git(&["ls-files", "-z", "-co", "--exclude-standard"])?;
        let mut files: Vec<String> = listed
            .split('\0')
            .filter(|path| !path.is_empty() && self.root.join(path).is_file())
            .map(str::to_owned)
            .collect();
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// The text of every listed file that is text: UTF-8 without a zero byte.
    pub(crate) fn texts(&self, files: &[String]) -> Result<Texts, String> {
        let mut texts = Texts::new();
        for path in files {
            let bytes = std::fs::read(self.root.join(path))
                .map_err(|error| format!("{path}: cannot be read: {error}"))?;
            if let Ok(text) = String::from_utf8(bytes)
                && !text.contains('\0')
            {
                texts.insert(path.clone(), text);
            }
        }
        Ok(texts)
    }

    /// Whether git tracks anything under `folder`, or it exists in the work tree.
    pub(crate) fn knows(&self, folder: &str) -> Result<bool, String> {
        let tracked = self.git(&["ls-files", "--", folder])?;
        Ok(!tracked.is_empty() || self.root.join(folder).exists())
    }

    /// The UTC date of the newest commit as `YYYY-MM-DD`, or nothing before the first commit.
    ///
    /// Dated exceptions are held against this and never against the clock, so that one commit
    /// always gives one answer.
    pub(crate) fn commit_date(&self) -> Option<String> {
        let format = ["log", "-1", "--date=format-local:%Y-%m-%d", "--format=%cd"];
        let date = self.git(&format).ok()?;
        Some(date.trim().to_owned()).filter(|date| !date.is_empty())
    }

    /// `path` from the root, where it lies under it.
    pub(crate) fn relative(&self, path: &str) -> Option<String> {
        Path::new(path).strip_prefix(&self.root).ok()?.to_str().map(str::to_owned)
    }

    fn git(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(&self.root).env("TZ", "UTC");
        output_of(&mut command)
    }
}

/// Runs a command to its end and returns its standard output.
pub(crate) fn output_of(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: cannot be started: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{name}: {}: {}", output.status, said.trim_end()));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{name}: output: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_file_is_among_the_files() {
        let repo = Repo::open().expect("the tests run inside the repository");
        let files = repo.files().expect("git lists its files");
        assert!(files.contains(&"tools/xtask/src/repo.rs".to_owned()));
        assert!(!files.iter().any(|path| path.starts_with("target/")), "ignored files stay out");
    }

    #[test]
    fn a_failing_command_gives_its_name_and_words() {
        let repo = Repo::open().expect("the tests run inside the repository");
        let error = repo.git(&["no-such-verb"]).expect_err("git has no such verb");
        assert!(error.starts_with("git: exit status: 1: "), "{error}");
    }

    #[test]
    fn a_path_outside_the_root_is_not_relative_to_it() {
        let repo = Repo { root: PathBuf::from("/a/b") };
        assert_eq!(repo.relative("/a/b/c/d.rs"), Some("c/d.rs".to_owned()));
        assert_eq!(repo.relative("/a/bc/d.rs"), None);
    }
}
