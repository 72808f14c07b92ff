//! The README's console blocks, run and compared: what it shows is what the program prints.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::bench::PROGRAM;

/// One command of the README with the lines it shows.
struct Step {
    command: String,
    shown: Vec<String>,
}

fn readme() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    fs::read_to_string(path).unwrap()
}

fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside && let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { command: command.to_owned(), shown: Vec::new() });
        } else if inside {
            steps.last_mut().expect("a block begins with a command").shown.push(line.to_owned());
        }
    }
    steps
}

/// Whether a printed line is what the README shows, where `…` stands for anything.
fn matches(shown: &str, printed: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = printed.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.is_empty()
}

/// The port of a witness that nobody chose a port for.
const PORT: &str = "7380";

/// A command that ends with `&`: it runs until the README is read through.
struct Background(Child);

impl Background {
    /// Started, and answering on a port.
    fn start(mut command: Command, port: &str) -> Self {
        let running = Self(command.stdout(Stdio::null()).spawn().unwrap());
        let answers = || TcpStream::connect(format!("127.0.0.1:{port}")).is_ok();
        assert!(
            (0..400).any(|_| {
                thread::sleep(Duration::from_millis(50));
                answers()
            }),
            "{command:?} does not answer"
        );
        running
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.0.kill();
        self.0.wait().unwrap();
    }
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let home = tempfile::tempdir().unwrap();
    let bin = Path::new(PROGRAM).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut dir: PathBuf = home.path().to_path_buf();
    // The usual port may be taken on the machine that tests.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let mut background = Vec::new();
    let steps = steps(&readme());
    assert!(steps.len() > 12, "the README lost its first five minutes");
    for step in steps {
        if let Some(to) = step.command.strip_prefix("cd ") {
            dir.push(to);
            continue;
        }
        let typed = step.command.replace(PORT, &port);
        let shell = |line: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", line]).current_dir(&dir).env_clear();
            command.env("PATH", &path).env("HOME", home.path());
            command
        };
        if let Some(typed) = typed.strip_suffix(" &") {
            let command = shell(&format!("exec 2>/dev/null {typed}"));
            background.push(Background::start(command, &port));
            continue;
        }
        let ran = shell(&format!("exec 2>&1; {typed}")).output().unwrap();
        let printed = String::from_utf8(ran.stdout).unwrap();
        let printed: Vec<&str> = printed.lines().collect();
        let same = printed.len() == step.shown.len()
            && step.shown.iter().zip(&printed).all(|(shown, printed)| matches(shown, printed));
        assert!(same, "$ {}\nREADME: {:#?}\nprinted: {printed:#?}", step.command, step.shown);
    }
}

#[test]
fn an_ellipsis_stands_for_anything_and_nothing_else_does() {
    assert!(matches("id …", "id 7"));
    assert!(matches("a … b … c", "a 1 b 2 c"));
    assert!(!matches("a … b", "a 1 c"));
    assert!(!matches("exact", "exactly"));
    assert!(!matches("… 5", "x 6"));
}
