//! A witness as a process of its own.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use crate::bench::Bench;

struct Serving(Child, String);

impl Drop for Serving {
    /// By SIGKILL: what was answered is kept all the same.
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn serve(bench: &Bench, key: &str) -> Serving {
    let mut command = bench.command();
    command.args(["witness", "serve", "w", "--listen", "127.0.0.1:0", "--log", key, "--quiet"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().rsplit_once("http://").unwrap().1.to_owned();
    Serving(child, address)
}

fn ask(serving: &Serving, body: &str) -> String {
    let mut stream = TcpStream::connect(&serving.1).unwrap();
    let length = body.len();
    write!(
        stream,
        "POST /add-checkpoint HTTP/1.1\r\nhost: w\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
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

    let serving = serve(&bench, &key);
    bench.run(["witness", "serve", "w", "--log", &key]).fails(6, &["another process"]);
    let answer = ask(&serving, &first);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let line = answer.split_once("\r\n\r\n").unwrap().1;
    fs::write(bench.root().join("cosigned.note"), format!("{note}{line}")).unwrap();
    fs::write(bench.root().join("policy"), format!("quorum 1\nwitness {witness}")).unwrap();
    let verify = ["verify", "--level", "log", "--checkpoint", "cosigned.note", "--witness-policy"];
    bench.run(verify.into_iter().chain(["policy"])).ends(0).shows(&["witnesses"]);

    drop(serving);
    let serving = serve(&bench, &key);
    let again = ask(&serving, &first);
    assert!(again.starts_with("HTTP/1.1 409"), "{again}");
}
