//! `where`: the six steps that choose a ledger and a scope, and what is wrong with each.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::bench::{Bench, Ran, run};

/// A home in which nothing chooses, and a working directory in it.
struct Home {
    bench: Bench,
    here: PathBuf,
}

impl Home {
    fn new() -> Self {
        let bench = Bench::new();
        let here = bench.root().join("work/acme/web");
        fs::create_dir_all(&here).unwrap();
        fs::create_dir_all(bench.root().join("home/.config/memledger")).unwrap();
        Self { bench, here }
    }

    fn put(&self, path: &str, text: &str) {
        fs::write(self.bench.root().join(path), text).unwrap();
    }

    fn config(&self, text: &str) {
        self.put("home/.config/memledger/config.toml", text);
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.bench.command();
        command.env_remove("MEMLEDGER_DIR").current_dir(&self.here).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        run(self.command(args), b"")
    }

    /// Value and step of one of the two choices.
    #[track_caller]
    fn chosen(&self, what: &str) -> (String, String) {
        let found = self.run(&["where", "--json"]).ends(0).object();
        let part = |name: &str| found[what][name].as_str().unwrap().to_owned();
        (part("value"), part("step"))
    }

    #[track_caller]
    fn scope_is(&self, scope: &str, step: &str) {
        assert_eq!(self.chosen("scope"), (scope.to_owned(), step.to_owned()));
    }

    #[track_caller]
    fn ledger_is(&self, dir: &Path, step: &str) {
        let dir = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_path_buf());
        let (found, by) = self.chosen("ledger");
        let found = fs::canonicalize(&found).unwrap_or_else(|_| found.into());
        assert_eq!((found, by.as_str()), (dir, step));
    }
}

#[test]
fn each_step_decides_where_those_before_it_say_nothing() {
    let home = Home::new();
    let root = home.bench.root().to_path_buf();
    home.ledger_is(&home.here, "fallback");
    home.scope_is("/", "fallback");
    home.config("[default]\nledger = \"~/usual\"\nscope = \"org/usual\"\n");
    home.ledger_is(&root.join("home/usual"), "default");
    home.scope_is("org/usual", "default");
    let prefix = root.join("work").display().to_string();
    home.config(&format!(
        "[default]\nledger = \"~/usual\"\nscope = \"org/usual\"\n[[path]]\nprefix = {prefix:?}\nledger = \"near\"\nscope = \"org/prefix\"\n"
    ));
    home.ledger_is(&root.join("home/.config/memledger/near"), "prefix");
    home.scope_is("org/prefix", "prefix");
    home.put("work/.memledger.toml", "ledger = \"../ledger\"\nscope = \"org/dotfile\"\n");
    home.ledger_is(&home.bench.dir(), "dotfile");
    home.scope_is("org/dotfile", "dotfile");
    // The nearest with the field counts: this one says nothing about the ledger.
    home.put("work/acme/.memledger.toml", "scope = \"org/acme\"\n");
    home.ledger_is(&home.bench.dir(), "dotfile");
    home.scope_is("org/acme", "dotfile");
    let mut command = home.command(&["where", "--json"]);
    command.env("MEMLEDGER_SCOPE", "org/env").env("MEMLEDGER_DIR", "/env");
    let found = run(command, b"").ends(0).object();
    assert_eq!(
        (&found["scope"]["value"], &found["scope"]["step"]),
        (&"org/env".into(), &"environment".into())
    );
    assert_eq!(
        (&found["ledger"]["value"], &found["ledger"]["step"]),
        (&"/env".into(), &"environment".into())
    );
    let mut command = home.command(&["where", "--json", "-C", "/flag", "--scope", "org/flag"]);
    command.env("MEMLEDGER_SCOPE", "org/env").env("MEMLEDGER_DIR", "/env");
    let found = run(command, b"").ends(0).object();
    assert_eq!(
        (&found["scope"]["value"], &found["scope"]["step"]),
        (&"org/flag".into(), &"flag".into())
    );
    assert_eq!(
        (&found["ledger"]["value"], &found["ledger"]["step"]),
        (&"/flag".into(), &"flag".into())
    );
    assert_eq!(found["scope"]["steps"].as_array().unwrap().len(), 6);
}

#[test]
fn a_write_and_the_status_name_the_step() {
    let home = Home::new();
    home.put("work/.memledger.toml", "ledger = \"../ledger\"\nscope = \"org/acme\"\n");
    let written = home.run(&["write", "x", "--json"]).ends(0).object();
    assert_eq!(
        (&written["scope"], &written["scope_step"]),
        (&"org/acme".into(), &"dotfile".into())
    );
    home.run(&["write", "y"]).ends(0).shows(&["scope org/acme (dotfile)"]);
    let status: Value = home.run(&["status", "--json"]).ends(0).object();
    assert_eq!(
        (&status["dir_step"], &status["scope_step"]),
        (&"dotfile".into(), &"dotfile".into())
    );
    home.run(&["status"]).ends(0).shows(&["chosen by", "org/acme (dotfile)"]);
    home.run(&["where"]).ends(0).shows(&["*  scope", "dotfile", "org/acme"]);
    assert_eq!(home.run(&["list", "--json"]).ends(0).objects().len(), 2);
}

#[test]
fn what_is_wrong_at_a_step_is_an_error_and_no_later_step_is_asked() {
    let home = Home::new();
    home.config("[default]\nscope = \"org/usual\"\n");
    let dotfiles = [
        ("scope = \"org\"\n", "pairs of type and name"),
        ("scope = 3\n", "line 1"),
        ("scop = \"org/a\"\n", "unknown field `scop`"),
        ("ledger = \"\"\n", "`ledger` is empty"),
        ("scope = \"org/a\n", "line 1"),
    ];
    for (text, says) in dotfiles {
        home.put("work/.memledger.toml", text);
        for verb in [&["where"][..], &["list"], &["write", "x"]] {
            home.run(verb).fails(2, &[".memledger.toml", says]);
        }
    }
    // It is a step behind the flags: nothing is read that cannot decide.
    let dir = home.bench.dir();
    home.run(&["-C", dir.to_str().unwrap(), "--scope", "org/a", "status"]).ends(0);
    fs::remove_file(home.bench.root().join("work/.memledger.toml")).unwrap();
    fs::create_dir(home.bench.root().join("work/.memledger.toml")).unwrap();
    home.run(&["list"]).fails(2, &["it is no file"]);
    fs::remove_dir(home.bench.root().join("work/.memledger.toml")).unwrap();

    let twice = format!(
        "[[path]]\nprefix = {0:?}\nscope = \"org/a\"\n[[path]]\nprefix = {0:?}\nscope = \"org/b\"\n",
        home.here
    );
    let configs = [
        ("[default]\nscope = \"org\"\n", "pairs of type and name"),
        ("[defaults]\n", "unknown field `defaults`"),
        ("[[path]]\nprefix = \"work\"\nscope = \"org/a\"\n", "no path from the root"),
        ("[[path]]\nprefix = \"/work\"\n", "neither ledger nor scope"),
        ("[[path]]\nscope = \"org/a\"\n", "missing field `prefix`"),
        (twice.as_str(), "which one counts"),
    ];
    for (text, says) in configs {
        home.config(text);
        home.run(&["where"]).fails(2, &["config.toml", says]);
        home.run(&["list"]).fails(2, &["config.toml", says]);
    }
    home.config("");
    for (name, value, says) in [
        ("MEMLEDGER_DIR", "", "set and empty"),
        ("MEMLEDGER_SCOPE", "org", "pairs of type and name"),
        ("MEMLEDGER_CONFIG", "", "set and empty"),
        ("MEMLEDGER_CONFIG", "/no/such/file", "is not there"),
    ] {
        let mut command = home.command(&["where"]);
        command.env(name, value);
        run(command, b"").fails(2, &[name, says]);
    }
    let ran = home.run(&["where", "--scope", "org"]);
    ran.fails(2, &["--scope"]);
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_prefixes_are_whole_components() {
    use std::os::unix::fs::symlink;
    let home = Home::new();
    let root = home.bench.root().to_path_buf();
    let prefixed = |dir: &Path, scope: &str| {
        format!("[[path]]\nprefix = {:?}\nscope = {scope:?}\n", dir.display().to_string())
    };
    // `/srv/ac` is no prefix of `/srv/acme`, and a longer prefix beats a shorter one.
    home.config(
        &[prefixed(&root.join("work/ac"), "org/ac"), prefixed(&root.join("work"), "org/work")]
            .concat(),
    );
    fs::create_dir(root.join("work/ac")).unwrap();
    home.scope_is("org/work", "prefix");
    home.config(
        &[prefixed(&home.here, "org/web"), prefixed(&root.join("work"), "org/work")].concat(),
    );
    home.scope_is("org/web", "prefix");
    // A working directory that was reached through a link lies where the link leads to, and so does a
    // prefix that is one.
    symlink(&home.here, root.join("link")).unwrap();
    let linked = Home { here: root.join("link"), bench: home.bench };
    linked.scope_is("org/web", "prefix");
    linked.config(&prefixed(&root.join("link"), "org/link"));
    linked.scope_is("org/link", "prefix");
    linked.put("work/.memledger.toml", "scope = \"org/above\"\n");
    linked.put(".memledger.toml", "scope = \"org/beside\"\n");
    linked.scope_is("org/above", "dotfile");
    symlink(root.join("gone"), linked.here.join(".memledger.toml")).unwrap();
    linked.run(&["where"]).fails(2, &["leads nowhere"]);
}
