//! Acknowledged is durable, as the system sees it: between the write of a byte to log or payloads
//! and the answer on stdout lies a completed flush of the file it went to.
//!
//! Needs `strace` and the right to trace; without them the test says so and checks nothing.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::bench::{Bench, PROGRAM};

const WRITES: usize = 25;

/// A system call of the trace, begun or ended.
enum Step<'a> {
    Begins(&'a str, Call),
    Ends(&'a str),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Call {
    /// Content, not zeros laid ahead, to this file.
    Content(String),
    Flush(String),
    Answer,
    Other,
}

#[test]
fn every_answer_follows_a_completed_flush_of_both_files() {
    let bench = Bench::new();
    let trace = bench.root().join("trace");
    if !can_trace(bench.root()) {
        eprintln!("skipped: strace is missing or may not trace here");
        return;
    }
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-s", "24", "-e", "trace=pwrite64,fdatasync,fsync,write", "-o"]);
    strace.arg(&trace).arg(PROGRAM).args(["write", "--stdin", "--json"]);
    for (name, value) in bench.command().get_envs() {
        value.map(|value| strace.env(name, value));
    }
    let mut child = strace.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    // One at a time: when an answer comes, nothing else is on its way.
    for number in 0..WRITES {
        writeln!(input, "{{\"text\":\"number {number}\"}}").unwrap();
        let answer = answers.next().unwrap().unwrap();
        assert!(answer.contains("\"verdict\":\"committed\""), "{answer}");
    }
    drop(input);
    assert!(child.wait().unwrap().success());
    let (answered, flushes) = check(&std::fs::read_to_string(&trace).unwrap());
    assert_eq!(answered, WRITES);
    assert_eq!(flushes.len(), 2, "one segment and one payload file: {flushes:?}");
    for (file, count) in flushes {
        assert!(count >= WRITES, "{count} flushes of {file} for {WRITES} answers");
    }
}

pub(crate) fn can_trace(dir: &Path) -> bool {
    let probe = Command::new("strace").args(["-o"]).arg(dir.join("probe")).arg("true").output();
    probe.is_ok_and(|output| output.status.success())
}

/// Walks the trace. Gives the answers, and the flushes of each file that content went to.
fn check(trace: &str) -> (usize, BTreeMap<String, usize>) {
    let mut under_way: BTreeMap<&str, (Call, usize)> = BTreeMap::new();
    // When the last content began to be written to each file, and the begin of the last flush that
    // is complete.
    let mut written: BTreeMap<String, usize> = BTreeMap::new();
    let mut flushed: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut answered = 0;
    for (at, line) in trace.lines().enumerate() {
        let Some((process, text)) = line.split_once(' ') else { continue };
        for step in steps(process, text.trim_start()) {
            match step {
                Step::Begins(process, call) => {
                    if let Call::Content(file) = &call {
                        written.insert(file.clone(), usize::MAX);
                    }
                    if call == Call::Answer {
                        answered += 1;
                        assert!(!written.is_empty(), "an answer before anything was written");
                        for (file, written) in &written {
                            let flush = flushed.get(file).map_or(0, |(begun, _)| *begun);
                            assert!(
                                flush > *written,
                                "answer {answered} at line {} of the trace: {file} holds content that no completed flush covers\n{trace}",
                                at + 1
                            );
                        }
                    }
                    under_way.insert(process, (call, at));
                }
                Step::Ends(process) => match under_way.remove(process) {
                    Some((Call::Content(file), _)) => {
                        written.insert(file, at);
                    }
                    Some((Call::Flush(file), begun)) => {
                        let count = flushed.get(&file).map_or(0, |(_, count)| *count);
                        flushed.insert(file, (begun, count + 1));
                    }
                    _ => {}
                },
            }
        }
    }
    let counts = flushed.into_iter().filter(|(file, _)| written.contains_key(file));
    (answered, counts.map(|(file, (_, count))| (file, count)).collect())
}

/// What a line of the trace says: a call that begins, one that ends, or both.
fn steps<'a>(process: &'a str, text: &str) -> Vec<Step<'a>> {
    if text.starts_with("<...") {
        return vec![Step::Ends(process)];
    }
    let begins = Step::Begins(process, call(text));
    if text.contains("<unfinished ...>") { vec![begins] } else { vec![begins, Step::Ends(process)] }
}

fn call(text: &str) -> Call {
    let Some((name, arguments)) = text.split_once('(') else { return Call::Other };
    let file = arguments.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    let Some((file, rest)) = file else { return Call::Other };
    let stored = file.ends_with(".seg") || file.ends_with(".pay");
    match name {
        "fdatasync" | "fsync" if stored => Call::Flush(file.to_owned()),
        // Zeros laid ahead may be on their way at any time; nobody was promised anything of them.
        "pwrite64" if stored && !rest.starts_with(", \"\\0\\0\\0\\0") => {
            Call::Content(file.to_owned())
        }
        "write" if arguments.starts_with("1<") => Call::Answer,
        _ => Call::Other,
    }
}

/// The check itself, on traces as they must not be.
#[test]
fn a_trace_with_an_answer_too_early_is_found() {
    let good = "1 pwrite64(3</l/0.seg>, \"ML\", 2, 0) = 2\n1 fdatasync(3</l/0.seg>) = 0\n2 write(1<pipe:[7]>, \"a\", 1) = 1\n";
    assert_eq!(check(good), (1, BTreeMap::from([("/l/0.seg".to_owned(), 1)])));
    let unflushed = good.replace("1 fdatasync(3</l/0.seg>) = 0\n", "");
    let unfinished =
        good.replace("fdatasync(3</l/0.seg>) = 0", "fdatasync(3</l/0.seg> <unfinished ...>");
    let other_file = good.replace("fdatasync(3</l/0.seg>", "fdatasync(4</l/0.pay>");
    let too_early = "1 pwrite64(3</l/0.seg>, \"ML\", 2, 0 <unfinished ...>\n2 fdatasync(3</l/0.seg>) = 0\n1 <... pwrite64 resumed>) = 2\n2 write(1<pipe:[7]>, \"a\", 1) = 1\n";
    for bad in [&unflushed, &unfinished, &other_file, too_early] {
        assert!(std::panic::catch_unwind(|| check(bad)).is_err(), "not found in\n{bad}");
    }
}
