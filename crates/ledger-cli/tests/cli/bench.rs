//! A directory with a ledger, and running the program in it.

use std::cell::Cell;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_memledger");

/// A temporary home with one ledger in it.
pub(crate) struct Bench {
    root: TempDir,
    verifies: Cell<bool>,
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// The objects on stdout.
    pub(crate) fn objects(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The only object on stdout.
    #[track_caller]
    pub(crate) fn object(&self) -> Value {
        let mut objects = self.objects();
        assert_eq!(objects.len(), 1, "{self:?}");
        objects.remove(0)
    }

    /// The error object on stderr, which is its last line.
    #[track_caller]
    pub(crate) fn error(&self) -> Value {
        let last = self.err.lines().last().unwrap_or_else(|| panic!("no error: {self:?}"));
        serde_json::from_str::<Value>(last).unwrap()["error"].take()
    }

    /// It ended with this code.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// It ended with this code and says all this on stderr.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, parts: &[&str]) -> Self {
        let ran = self.ends(code);
        for part in parts {
            assert!(ran.err.contains(part), "{part:?} is missing in {ran:#?}");
        }
        assert!(!ran.err.contains("panicked"), "{ran:#?}");
        ran
    }

    /// Stdout holds all this.
    #[track_caller]
    pub(crate) fn shows(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.out.contains(part), "{part:?} is missing in {self:#?}");
        }
        self
    }
}

impl Bench {
    /// A home without a ledger.
    pub(crate) fn empty() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("ledger")).unwrap();
        Self { root, verifies: Cell::new(false) }
    }

    /// A ledger in UTC.
    pub(crate) fn new() -> Self {
        Self::in_zone("UTC")
    }

    pub(crate) fn in_zone(zone: &str) -> Self {
        let bench = Self::empty();
        bench.run(["init", "--tz", zone, "--quiet"]).ends(0);
        bench.verifies.set(true);
        bench
    }

    /// The test damages the ledger, so it is not verified at the end.
    pub(crate) fn stays_damaged(&self) {
        self.verifies.set(false);
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn dir(&self) -> PathBuf {
        self.root.path().join("ledger")
    }

    /// The program, with an environment that leads nowhere else.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .env_clear()
            .env("HOME", self.root.path().join("home"))
            .env("XDG_DATA_HOME", self.root.path().join("data"))
            .env("MEMLEDGER_DIR", self.dir())
            .current_dir(self.root.path());
        command
    }

    pub(crate) fn run<I, S>(&self, args: I) -> Ran
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        self.run_with(args, b"")
    }

    /// Runs with bytes on stdin.
    pub(crate) fn run_with<I, S>(&self, args: I, stdin: &[u8]) -> Ran
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let mut command = self.command();
        command.args(args);
        run(command, stdin)
    }

    /// Writes a text with flags and gives its id.
    #[track_caller]
    pub(crate) fn write(&self, text: &str, flags: &[&str]) -> String {
        let mut args = vec!["write", "--json"];
        args.extend(flags);
        args.extend(["--", text]);
        let written = self.run(args).ends(0).object();
        assert_eq!(written["verdict"], "committed", "{written}");
        written["id"].as_str().unwrap().to_owned()
    }

    /// One memory as it stands, with flags.
    #[track_caller]
    pub(crate) fn get(&self, id: &str, flags: &[&str]) -> Value {
        let mut args = vec!["get", id, "--json"];
        args.extend(flags);
        self.run(args).ends(0).object()
    }

    /// Ids of a listing, with flags.
    pub(crate) fn ids(&self, flags: &[&str]) -> Vec<String> {
        let mut args = vec!["list", "--json"];
        args.extend(flags);
        let objects = self.run(args).objects();
        objects.iter().filter_map(|item| Some(item["id"].as_str()?.to_owned())).collect()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        if self.verifies.get() && !std::thread::panicking() {
            self.run(["verify"]).ends(0);
        }
    }
}

/// Runs a command to its end.
pub(crate) fn run(mut command: Command, stdin: &[u8]) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let bytes = stdin.to_vec();
    // A program that does not read all of it is no failure of the test.
    let feeding = std::thread::spawn(move || drop(input.write_all(&bytes)));
    let output = child.wait_with_output().unwrap();
    feeding.join().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}
