//! Owns reading the versions of a file: one `git cat-file --batch` for all of them.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use memledger::{Error, Result};

use super::command::{Git, not_run};
use crate::document::{Bodies, Body, read_body};

/// Mode of a symbolic link in a tree.
const LINK: &str = "120000";

/// The versions of one file.
pub(crate) struct Blobs<'a> {
    git: &'a Git,
    path: &'a str,
    commits: Vec<String>,
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// Ends a question: NUL where the path itself holds a line feed.
    end: u8,
}

impl<'a> Blobs<'a> {
    pub(crate) fn start(git: &'a Git, path: &'a str, commits: Vec<String>) -> Result<Self> {
        let by_nul = path.contains('\n');
        let mut command = git.command();
        command.args(["cat-file", "--batch"]);
        if by_nul {
            command.arg("-z");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| not_run(&error))?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::invalid("git cat-file gave no pipes to talk through"));
        };
        let answers = BufReader::new(answers);
        let end = if by_nul { 0 } else { b'\n' };
        Ok(Self { git, path, commits, child, questions: Some(questions), answers, end })
    }

    /// Refuses a path that is a folder in the revision with this index.
    pub(crate) fn refuse_folder(&mut self, index: usize) -> Result<()> {
        let is_folder = match self.body(index)? {
            Body::Bad { reason, .. } => reason.starts_with(FOLDER),
            _ => false,
        };
        if is_folder {
            return Err(Error::invalid(format!(
                "{} is a folder in this repository; name a file, and import each file on its own",
                self.path
            )));
        }
        Ok(())
    }

    fn ask(&mut self, commit: &str) -> std::io::Result<Answer> {
        let name = format!("{commit}:{}", self.path);
        if let Some(questions) = &mut self.questions {
            questions.write_all(name.as_bytes())?;
            questions.write_all(&[self.end])?;
            questions.flush()?;
        }
        let mut line = Vec::new();
        self.answers.read_until(b'\n', &mut line)?;
        if let Some((kind, size)) = found(&line) {
            let body = read_body(&mut self.answers, size)?;
            self.answers.read_exact(&mut [0])?;
            return Ok(Answer::Found(kind, body));
        }
        // The name is repeated in full, line feeds included.
        let missing = format!("{name} missing\n").into_bytes();
        let rest = missing.len().saturating_sub(line.len()) as u64;
        (&mut self.answers).take(rest).read_to_end(&mut line)?;
        if line == missing {
            Ok(Answer::Missing)
        } else {
            Err(std::io::ErrorKind::InvalidData.into())
        }
    }

    /// The mode of the file in a commit's tree; none: it is not there.
    fn mode(&self, commit: &str) -> Result<Option<String>> {
        let ask = ["--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--", self.path];
        let listed = self.git.output(&ask)?;
        let listed = listed.map_err(|message| {
            Error::invalid(format!("git ls-tree cannot read commit {commit}: {message}"))
        })?;
        let mode = listed.split(|byte| *byte == b' ').next().unwrap_or_default();
        Ok((!listed.is_empty()).then(|| String::from_utf8_lossy(mode).into_owned()))
    }
}

const FOLDER: &str = "a folder, not a file,";

enum Answer {
    Found(String, Body),
    Missing,
}

/// Kind and size from `<hash> <kind> <size>`.
fn found(line: &[u8]) -> Option<(String, u64)> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let mut words = line.split(' ');
    let (hash, kind, size) = (words.next()?, words.next()?, words.next()?);
    let is_hash = hash.len() >= 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hash && words.next().is_none()).then_some(())?;
    Some((kind.to_owned(), size.parse().ok()?))
}

fn bad(reason: String) -> Body {
    Body::Bad { reason, raw: None }
}

impl Bodies for Blobs<'_> {
    fn body(&mut self, index: usize) -> Result<Body> {
        let Some(commit) = self.commits.get(index).cloned() else { return Ok(Body::Removed) };
        let answer = self.ask(&commit).map_err(|error| {
            Error::invalid(format!(
                "git cat-file stopped at commit {commit}: {error}; run `git fsck` there"
            ))
        })?;
        Ok(match answer {
            // A text without a line end may be the target of a link.
            Answer::Found(kind, Body::Text(text)) if kind == "blob" && !text.contains('\n') => {
                match self.mode(&commit)?.as_deref() {
                    Some(LINK) => {
                        bad(format!("a symbolic link to {text:?} in this commit; import that file"))
                    }
                    _ => Body::Text(text),
                }
            }
            Answer::Found(kind, body) if kind == "blob" => body,
            Answer::Found(kind, _) if kind == "tree" => bad(format!("{FOLDER} in this commit")),
            Answer::Found(kind, _) => bad(format!("a {kind}, not a file, in this commit")),
            Answer::Missing => match self.mode(&commit)?.as_deref() {
                None => Body::Removed,
                Some("160000") => bad("a submodule, not a file, in this commit".to_owned()),
                Some(_) => {
                    bad("its content is not in this clone (a partial or damaged one)".to_owned())
                }
            },
        })
    }
}

impl Drop for Blobs<'_> {
    /// Closing its input ends git.
    fn drop(&mut self) {
        self.questions.take();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_answer_is_a_find() {
        let hash = "a".repeat(40);
        assert_eq!(found(format!("{hash} blob 12\n").as_bytes()), Some(("blob".to_owned(), 12)));
        for other in [
            format!("{hash}:blob 12 missing\n"),
            format!("{hash} blob\n"),
            format!("{hash} blob x\n"),
            format!("{hash} blob 1 2\n"),
            format!("{hash} blob 12"),
            "short blob 12\n".to_owned(),
        ] {
            assert_eq!(found(other.as_bytes()), None, "{other}");
        }
    }
}
