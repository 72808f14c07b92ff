//! Owns PostgreSQL as a peer: a server of its own on a local socket, with `synchronous_commit` and
//! `fsync` on, and `pgbench` as its clients, each with a session of its own and no hash chain.
//!
//! Only what is installed is used. May not: install anything, or touch another server.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

pub(crate) struct Postgres {
    bin: PathBuf,
    dir: TempDir,
}

impl Postgres {
    /// Starts a server; or why there is none.
    pub(crate) fn start(bytes: usize) -> Result<Self, String> {
        let bin = installed()?;
        let dir = tempfile::tempdir().unwrap();
        let server = Self { bin, dir };
        if is_root() {
            // The server refuses to run as root.
            done(Command::new("chown").arg("postgres").arg(server.dir.path()))?;
        }
        let data = server.data();
        done(server.command("initdb").args(["-A", "trust", "-U", "bench", "-D"]).arg(&data))?;
        let options = format!(
            "-c listen_addresses= -c unix_socket_directories={} -c synchronous_commit=on -c fsync=on -c max_connections=300 -c shared_buffers=128MB",
            server.dir.path().display()
        );
        let log = server.dir.path().join("log");
        done(
            server
                .command("pg_ctl")
                .args(["start", "-w", "-D"])
                .arg(&data)
                .arg("-l")
                .arg(&log)
                .args(["-o", &options]),
        )?;
        let table = "CREATE TABLE record(seq BIGSERIAL PRIMARY KEY, body BYTEA);";
        done(server.client("psql").args(["-q", "-d", "postgres", "-c", table]))?;
        let insert =
            format!("INSERT INTO record(body) VALUES (decode(repeat('07', {bytes}), 'hex'));\n");
        std::fs::write(server.script(), insert).unwrap();
        Ok(server)
    }

    /// Durable inserts per second of `clients` sessions, `each` of them.
    pub(crate) fn rate(&self, clients: u64, each: u64) -> f64 {
        let mut bench = self.client("pgbench");
        bench.args(["-n", "-M", "prepared", "-j", "2", "-c", &clients.to_string()]);
        bench.args(["-t", &each.to_string(), "-f"]).arg(self.script()).arg("postgres");
        let output = done(&mut bench).unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text.lines().find(|line| line.starts_with("tps = ")).unwrap();
        line.split_whitespace().nth(2).unwrap().parse().unwrap()
    }

    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    fn script(&self) -> PathBuf {
        self.dir.path().join("insert.sql")
    }

    fn command(&self, name: &str) -> Command {
        let program = self.bin.join(name);
        if !is_root() {
            return Command::new(program);
        }
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--"]).arg(program).current_dir(self.dir.path());
        command
    }

    fn client(&self, name: &str) -> Command {
        let mut command = self.command(name);
        command.arg("-h").arg(self.dir.path()).args(["-U", "bench"]);
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _ = self.command("pg_ctl").args(["stop", "-m", "fast", "-D"]).arg(self.data()).output();
    }
}

/// The directory of the newest server that is installed.
fn installed() -> Result<PathBuf, String> {
    let mut found: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path().join("bin"))
        .collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    found.extend(std::env::split_paths(&path));
    let complete = |dir: &Path| {
        ["initdb", "pg_ctl", "psql", "pgbench"].iter().all(|name| dir.join(name).is_file())
    };
    found
        .into_iter()
        .rev()
        .find(|dir| complete(dir))
        .ok_or_else(|| "initdb, pg_ctl, psql and pgbench are not installed".to_owned())
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self")
        .is_ok_and(|proc| std::os::unix::fs::MetadataExt::uid(&proc) == 0)
}

fn done(command: &mut Command) -> Result<Output, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)))
}
