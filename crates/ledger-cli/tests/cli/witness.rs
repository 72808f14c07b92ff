//! Witnesses as processes of their own, and a ledger that asks them.

#![allow(clippy::disallowed_methods, reason = "how long something takes is what is tested")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench::{Bench, Ran};
use crate::foreign;

/// A witness that runs.
pub(crate) struct Serving {
    child: Child,
    pub(crate) address: String,
}

impl Drop for Serving {
    /// By SIGKILL: what was answered is kept all the same.
    fn drop(&mut self) {
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }
}

impl Serving {
    pub(crate) fn start(bench: &Bench, dir: &str, key: &str) -> Self {
        let mut command = bench.command();
        command.args(["witness", "serve", dir, "--listen", "127.0.0.1:0", "--log", key, "--quiet"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().rsplit_once("http://").unwrap().1.to_owned();
        Self { child, address }
    }

    fn ask(&self, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        let head = "POST /add-checkpoint HTTP/1.1\r\nhost: w\r\ncontent-length";
        write!(stream, "{head}: {length}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

/// A ledger, three witnesses `w1` to `w3` of it, and policies `two`, `three` over them.
struct Trio {
    bench: Bench,
    key: String,
    public: Vec<String>,
    serving: Vec<Option<Serving>>,
}

impl Trio {
    fn new() -> Self {
        let bench = Bench::empty();
        bench.run(["init", "--origin", "support.example", "--quiet"]).ends(0);
        bench.write("one", &[]);
        let key = bench.run(["key", "show"]).ends(0).out.lines().next().unwrap().to_owned();
        let public = ["w1", "w2", "w3"].map(|dir| {
            let name = format!("{dir}.example");
            let made = bench.run(["witness", "init", dir, "--name", &name, "--quiet"]);
            made.ends(0).out.trim().to_owned()
        });
        let mut trio = Self { bench, key, public: public.into(), serving: Vec::new() };
        for number in 1..=3 {
            let serving = Serving::start(&trio.bench, &format!("w{number}"), &trio.key);
            trio.serving.push(Some(serving));
        }
        trio.write_policies();
        trio
    }

    /// One that is stopped keeps the place where it was.
    fn write_policies(&self) {
        let mut text = String::new();
        for (at, (public, serving)) in self.public.iter().zip(&self.serving).enumerate() {
            let address = serving.as_ref().map_or("127.0.0.1:9", |serving| &serving.address);
            text.push_str(&format!("witness w{} {public} http://{address}\n", at + 1));
        }
        for (name, needed) in [("two", "2"), ("three", "all")] {
            let rule = format!("group trio {needed} w1 w2 w3\nquorum trio\n");
            fs::write(self.bench.root().join(name), format!("{text}{rule}")).unwrap();
        }
    }

    fn stop(&mut self, number: usize) {
        self.serving[number - 1] = None;
        self.write_policies();
    }

    fn start(&mut self, number: usize) {
        let serving = Serving::start(&self.bench, &format!("w{number}"), &self.key);
        self.serving[number - 1] = Some(serving);
        self.write_policies();
    }

    fn witnessed(&self, policy: &str) -> Ran {
        self.bench.run(["checkpoint", "--witness-policy", policy])
    }

    fn verify(&self, note: &str, policy: &str) -> Ran {
        let level = ["verify", "--level", "log", "--accept-head"];
        let given = ["--checkpoint", note, "--witness-policy", policy];
        self.bench.run(level.into_iter().chain(given))
    }

    fn keep(&self, name: &str, note: &str) {
        fs::write(self.bench.root().join(name), note).unwrap();
    }

    /// The ledger and what this user remembers of it, to go back to.
    fn copy(&self, name: &str) {
        copy(&self.bench.dir(), &self.bench.root().join(name));
    }

    /// Puts a copy in the place of the ledger. Nothing on this machine remembers what was there.
    fn put_back(&self, name: &str) {
        fs::remove_dir_all(self.bench.dir()).unwrap();
        copy(&self.bench.root().join(name), &self.bench.dir());
        fs::remove_dir_all(self.bench.root().join("home")).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-r").args([from, to]).status().unwrap().success());
}

fn signers(note: &str) -> Vec<&str> {
    let lines = note.lines().filter_map(|line| line.strip_prefix("\u{2014} "));
    lines.map(|line| line.split_once(' ').unwrap().0).collect()
}

#[test]
fn two_of_three_witnesses_are_enough_and_all_three_are_not_there() {
    let mut trio = Trio::new();
    let note = trio.witnessed("three").ends(0);
    for line in ["w1: cosigned", "w2: cosigned", "w3: cosigned"] {
        assert!(note.err.contains(line), "{note:?}");
    }
    trio.keep("all.note", &note.out);
    trio.verify("all.note", "three").ends(0).shows(&["witnesses"]);

    trio.bench.write("two", &[]);
    trio.stop(3);
    let two = trio.witnessed("two").ends(0);
    assert!(two.err.contains("w3: it cannot be reached"), "{two:?}");
    assert_eq!(signers(&two.out), ["support.example", "w1.example", "w2.example"]);
    trio.keep("two.note", &two.out);
    trio.verify("two.note", "two").ends(0);
    trio.verify("two.note", "three").ends(4).shows(&["the quorum is 3 of (w1, w2, w3)"]);

    trio.bench.write("three", &[]);
    let missed = ["the quorum is 3 of (w1, w2, w3), and only w1, w2 vouched", "w3: it cannot be"];
    let missed = trio.witnessed("three").fails(4, &missed);
    assert_eq!(trio.bench.run(["checkpoint", "show"]).ends(0).out, missed.out, "it is kept");
    // It comes back, and the same checkpoint is asked for again.
    trio.start(3);
    let again = trio.witnessed("three").ends(0);
    assert!(again.err.contains("nothing was added"), "{again:?}");
    assert_eq!(signers(&again.out).len(), 4, "{}", again.out);
    trio.bench.run(["verify"]).ends(0);
}

#[test]
fn a_witness_that_was_set_back_says_where_it_stands_and_is_led_on() {
    let mut trio = Trio::new();
    trio.witnessed("three").ends(0);
    let heads = trio.bench.root().join("w2/heads");
    let older = trio.bench.root().join("older-heads");
    copy(&heads, &older);
    let stood = trio.bench.run(["checkpoint", "show", "--json"]).ends(0).object()["size"].clone();
    trio.bench.write("two", &[]);
    trio.witnessed("three").ends(0);
    trio.stop(2);
    fs::remove_dir_all(&heads).unwrap();
    copy(&older, &heads);
    trio.start(2);
    trio.bench.write("three", &[]);
    trio.bench.run(["checkpoint"]).ends(0);
    let size = trio.bench.run(["checkpoint", "show", "--json"]).ends(0).object()["size"].clone();
    // Asked from where it stood before it was set back, it does not go along.
    let from_there = trio.bench.run(["prove", "--from", &size.to_string()]).ends(0).out;
    let answer = trio.serving[1].as_ref().unwrap().ask(&from_there);
    assert!(answer.starts_with("HTTP/1.1 409"), "{answer}");
    assert!(answer.ends_with(&format!("\r\n\r\n{stood}\n")), "{answer}");
    let led = trio.witnessed("three").ends(0);
    assert_eq!(signers(&led.out).len(), 4);
}

#[test]
fn an_older_copy_and_a_fork_are_refused_and_say_what_that_means() {
    let trio = Trio::new();
    trio.witnessed("three").ends(0);
    trio.copy("older");
    trio.bench.write("two", &[]);
    let kept = trio.witnessed("three").ends(0).out;
    trio.keep("kept.note", &kept);

    trio.put_back("older");
    let rollback = ["w1: a rollback", "w2: a rollback", "an older copy", "the other one"];
    let older = trio.bench.run(["checkpoint", "--witness-policy", "two", "--json"]);
    let older = older.fails(4, &rollback);
    // The cosignatures that it got before are still on it.
    assert_eq!(older.object()["witnesses"][0]["cosigned"], false);

    // Another history of the same length, then a longer one, both with the right key.
    trio.bench.write("another two", &[]);
    let fork = ["w1: a fork", "two histories carry this ledger's name", "only"];
    trio.witnessed("two").fails(4, &fork[..2]);
    trio.bench.write("another three", &[]);
    let longer = trio.witnessed("two").fails(4, &fork[..2]);
    assert_eq!(signers(&longer.out), ["support.example"]);
    trio.keep("forked.note", &longer.out);
    trio.verify("forked.note", "two").ends(4).shows(&["nobody of it vouches"]);
    // What the message sends them to do: hold this copy to the checkpoint of the other.
    trio.verify("kept.note", "two").ends(3).shows(&["a fork"]);
}

#[test]
fn a_killed_witness_keeps_its_state_and_its_cosignature_counts() {
    let bench = Bench::new();
    bench.write("one", &[]);
    let note = bench.run(["checkpoint", "--quiet"]).ends(0).out;
    let key = bench.run(["key", "show"]).ends(0).out.lines().next().unwrap().to_owned();
    let witness = bench.run(["witness", "init", "w", "--name", "witness.example"]).ends(0).out;
    bench.run(["witness", "init", "w", "--name", "witness.example"]).fails(2, &["already"]);
    let first = bench.run(["prove", "--from", "0"]).ends(0).out;

    let serving = Serving::start(&bench, "w", &key);
    bench.run(["witness", "serve", "w", "--log", &key]).fails(6, &["another process"]);
    let answer = serving.ask(&first);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let line = answer.split_once("\r\n\r\n").unwrap().1;
    fs::write(bench.root().join("cosigned.note"), format!("{note}{line}")).unwrap();
    fs::write(bench.root().join("policy"), format!("witness w {witness}quorum w\n")).unwrap();
    let verify = ["verify", "--level", "log", "--checkpoint", "cosigned.note", "--witness-policy"];
    bench.run(verify.into_iter().chain(["policy"])).ends(0).shows(&["witnesses"]);

    drop(serving);
    let serving = Serving::start(&bench, "w", &key);
    let again = serving.ask(&first);
    assert!(again.starts_with("HTTP/1.1 409"), "{again}");
}

#[test]
fn sigterm_ends_a_witness_cleanly_whoever_is_connected() {
    let mut trio = Trio::new();
    trio.witnessed("three").ends(0);
    let mut serving = trio.serving[0].take().unwrap();
    let mut half = TcpStream::connect(&serving.address).unwrap();
    write!(half, "POST /add-checkpoint HTTP/1.1\r\nhost: w\r\n").unwrap();
    let begun = Instant::now();
    let id = serving.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(serving.child.wait().unwrap().code(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(12), "{:?}", begun.elapsed());
    // Its lock is free and its state is there.
    trio.start(1);
    trio.bench.write("two", &[]);
    trio.witnessed("three").ends(0);
}

#[test]
fn a_witness_shows_what_it_saw_and_which_note_is_not_its_own() {
    let trio = Trio::new();
    trio.bench.run(["witness", "show", "w1"]).ends(0).shows(&[&trio.public[0]]);
    trio.witnessed("three").ends(0);
    let size = trio.bench.run(["checkpoint", "show", "--json"]).ends(0).object()["size"].clone();
    let shown = trio.bench.run(["witness", "show", "w1"]).ends(0);
    let shown = shown.shows(&[&trio.public[0], &format!("support.example  {size} records  root")]);
    assert!(!shown.out.contains("PRIVATE"), "{shown:?}");
    let object = trio.bench.run(["witness", "show", "w1", "--json"]).ends(0).object();
    assert_eq!((&object["origin"], &object["size"]), (&"support.example".into(), &size));
    let note = trio.bench.root().join("w1/heads/support.example.note");
    let text = fs::read_to_string(&note).unwrap();
    fs::write(&note, text.replace(&format!("\n{size}\n"), "\n1\n")).unwrap();
    trio.bench.run(["witness", "show", "w1"]).fails(3, &["heads/support.example.note"]);
    trio.bench.run(["witness", "show", "nowhere"]).fails(2, &["witness init"]);
}

/// Waits until somebody comes, and not for ever.
fn visitor(listener: &TcpListener) -> TcpStream {
    listener.set_nonblocking(true).unwrap();
    let begun = Instant::now();
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).unwrap();
                return stream;
            }
            Err(_) if begun.elapsed() < Duration::from_secs(20) => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(error) => panic!("nobody came: {error}"),
        }
    }
}

impl Trio {
    /// Begins a checkpoint that is cosigned by the first witness, whose place this listener takes.
    fn begin_witnessed(&self, listener: &TcpListener, flags: &[&str]) -> Child {
        let address = listener.local_addr().unwrap();
        let policy = format!("witness w1 {} http://{address}\nquorum w1\n", self.public[0]);
        self.keep("slow", &policy);
        let mut command = self.bench.command();
        command.args(["checkpoint", "--witness-policy", "slow"]).args(flags);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }
}

/// Hands a request on to a witness, and its answer back.
fn hand_on(asked: &mut TcpStream, address: &str) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    asked.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    while let Ok(count @ 1..) = asked.read(&mut buffer) {
        request.extend_from_slice(&buffer[..count]);
    }
    let mut witness = TcpStream::connect(address).unwrap();
    witness.write_all(&request).unwrap();
    witness.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    while let Ok(count @ 1..) = witness.read(&mut buffer) {
        asked.write_all(&buffer[..count]).unwrap();
    }
}

#[test]
fn nobody_waits_for_a_witness_that_is_asked() {
    let trio = Trio::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let checkpoint = trio.begin_witnessed(&listener, &[]);
    let mut asked = visitor(&listener);
    trio.bench.run(["write", "meanwhile", "--wait", "0"]).ends(0);
    hand_on(&mut asked, &trio.serving[0].as_ref().unwrap().address);
    let ended = checkpoint.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    let note = String::from_utf8(ended.stdout).unwrap();
    assert_eq!(signers(&note), ["support.example", "w1.example"]);
    assert_eq!(trio.bench.run(["checkpoint", "show"]).ends(0).out, note, "it is kept");
    trio.bench.run(["verify"]).ends(0);
}

#[test]
fn cosignatures_that_cannot_be_kept_are_shown_and_asked_for_again() {
    let trio = Trio::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let checkpoint = trio.begin_witnessed(&listener, &["--wait", "0"]);
    let mut asked = visitor(&listener);
    let mut holding = trio.bench.command();
    holding.args(["write", "--stdin", "--wait", "0"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut holding = holding.spawn().unwrap();
    writeln!(holding.stdin.as_mut().unwrap(), "{{\"text\":\"meanwhile\"}}").unwrap();
    let mut answered = String::new();
    BufReader::new(holding.stdout.take().unwrap()).read_line(&mut answered).unwrap();
    hand_on(&mut asked, &trio.serving[0].as_ref().unwrap().address);
    let ended = checkpoint.wait_with_output().unwrap();
    drop(holding.stdin.take());
    assert!(holding.wait().unwrap().success());
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(6), "{said}");
    assert!(said.contains("only on the note that is printed"), "{said}");
    assert!(said.contains("run the command again"), "{said}");
    let note = String::from_utf8(ended.stdout).unwrap();
    assert_eq!(signers(&note), ["support.example", "w1.example"]);
    let kept = trio.bench.run(["checkpoint", "show"]).ends(0).out;
    assert_eq!(signers(&kept), ["support.example"]);
}

#[test]
fn who_is_asked_is_settled_before_anything_is_made() {
    let trio = Trio::new();
    trio.bench.run(["checkpoint", "--witness", "http://127.0.0.1:9"]).fails(2, &["policy"]);
    let nobody = format!("witness w1 {}\nquorum w1\n", trio.public[0]);
    trio.keep("nobody", &nobody);
    trio.witnessed("nobody").fails(2, &["no witness in it has a URL"]);
    trio.keep("broken", "quorum 2\n");
    trio.witnessed("broken").fails(2, &["line 1", "not defined above"]);
    trio.bench.run(["checkpoint", "list", "--witness-policy", "two"]).ends(2);
    trio.bench.run(["checkpoint", "list"]).fails(1, &["no checkpoint is kept"]);

    // A witness that the flag names is known by its answer.
    let there = format!("http://{}", trio.serving[0].as_ref().unwrap().address);
    let asked = ["checkpoint", "--witness-policy", "nobody", "--witness", &there];
    let asked = trio.bench.run(asked).ends(0);
    assert_eq!(signers(&asked.out), ["support.example", "w1.example"]);
    let ftp = ["checkpoint", "--witness-policy", "two", "--witness", "ftp://w.example", "--json"];
    let object = trio.bench.run(ftp).ends(0).object();
    assert_eq!(
        object["witnessed_by"],
        serde_json::json!(["w1.example", "w2.example", "w3.example"])
    );
    assert!(object["witnesses"][3]["why"].as_str().unwrap().contains("https://"), "{object}");
}

#[test]
fn a_live_cosignature_verifies_in_another_program_and_no_changed_byte_does() {
    let trio = Trio::new();
    let note = trio.witnessed("three").ends(0).out.into_bytes();
    for public in &trio.public {
        assert!(foreign::cosigned(public, &note), "{public}");
    }
    // The signature of the log and those of the other witnesses are not this one's business.
    let text = note.windows(2).position(|two| two == b"\n\n").unwrap();
    let line = "\u{2014} w1.example ".as_bytes();
    let line = note.windows(line.len()).position(|part| *part == *line).unwrap();
    let end = line + note[line..].iter().position(|byte| *byte == b'\n').unwrap();
    for at in (0..text).chain(line..end) {
        let mut changed = note.clone();
        changed[at] ^= 1;
        assert!(!foreign::cosigned(&trio.public[0], &changed), "byte {at}");
    }
}
