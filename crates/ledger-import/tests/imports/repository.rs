//! A git repository made for a test: fixed people, fixed dates.

use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) struct Repository(pub(super) PathBuf);

impl Repository {
    pub(super) fn new(path: PathBuf) -> Self {
        std::fs::create_dir_all(&path).unwrap();
        let repository = Self(path);
        repository.git(&["init", "--quiet", "--initial-branch=main"], None);
        repository
    }

    /// Runs git with both dates set to days of January 2026.
    pub(super) fn git(&self, arguments: &[&str], days: Option<(u32, u32)>) {
        let date = |day: u32| format!("2026-01-{day:02}T12:00:00+02:00");
        let (author, committer) = days.unwrap_or((1, 1));
        let output = Command::new("git")
            .arg("-C")
            .arg(&self.0)
            .args(["-c", "user.name=Test", "-c", "user.email=test@example.org"])
            .args(["-c", "commit.gpgsign=false"])
            .args(arguments)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_AUTHOR_DATE", date(author))
            .env("GIT_COMMITTER_DATE", date(committer))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Commits a file with this content, or its removal.
    pub(super) fn commit(
        &self,
        path: &str,
        content: Option<&[u8]>,
        days: (u32, u32),
        subject: &str,
    ) {
        let file = self.0.join(path);
        match content {
            Some(content) => {
                std::fs::create_dir_all(file.parent().unwrap_or(Path::new("."))).unwrap();
                std::fs::write(&file, content).unwrap();
            }
            None => std::fs::remove_file(&file).unwrap(),
        }
        self.git(&["add", "--all"], None);
        self.git(&["commit", "--quiet", "--allow-empty-message", "-m", subject], Some(days));
    }
}
