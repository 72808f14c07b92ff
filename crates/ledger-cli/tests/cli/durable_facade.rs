//! Acknowledged is durable for callers of the facade, many at once: between the moment at which a caller
//! asks and the moment at which the caller is answered, its bytes were written to log and payloads, and
//! a flush of each file that began after that was completed.
//!
//! Needs `strace` and the right to trace; without them the test says so and checks nothing.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use memledger::{
    Command as Recorded, Content, InitOptions, Ledger, MasterEnv, Proposal, Scope, Submission,
    Terms,
};

use crate::durable::can_trace;

/// Set for the process that is traced: where it makes its ledger.
const CHILD: &str = "MEMLEDGER_TEST_FACADE_IN";
const CALLERS: usize = 6;
const EACH: usize = 15;

/// Not a test of its own: what the traced process does.
#[test]
fn callers_of_the_traced_process() {
    let Some(dir) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    let master = MasterEnv { key_dir: Some(dir.join("keys")), ..MasterEnv::default() };
    let options = InitOptions { master, ..InitOptions::default() };
    let ledger = Ledger::init(&dir.join("ledger"), options).unwrap().ledger;
    std::thread::scope(|scope| {
        for caller in 0..CALLERS {
            let ledger = &ledger;
            scope.spawn(move || {
                for number in (0..EACH).map(|number| caller * EACH + number) {
                    let words = Content::Text(format!("words, number {number}"));
                    let proposal = Proposal::new(words, Scope::root());
                    let write = Recorded::Write(Box::new(proposal));
                    say(&format!("asked {number}\n"));
                    ledger.submit(Submission::of(write, Terms::default())).unwrap();
                    say(&format!("answered {number}\n"));
                }
            });
        }
    });
    ledger.close().unwrap();
}

/// One system call, so that the trace shows when.
fn say(line: &str) {
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

#[test]
fn every_caller_of_the_facade_is_answered_after_a_flush_that_covers_it() {
    let home = tempfile::tempdir().unwrap();
    if !can_trace(home.path()) {
        eprintln!("skipped: strace is missing or may not trace here");
        return;
    }
    let trace = home.path().join("trace");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-s", "24", "-e", "trace=pwrite64,fdatasync,fsync,write", "-o"]);
    strace.arg(&trace).arg(std::env::current_exe().unwrap());
    strace.args(["durable_facade::callers_of_the_traced_process", "--exact", "--nocapture"]);
    let ended = strace.env(CHILD, home.path()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(ended.unwrap().success());
    let answered = check(&std::fs::read_to_string(&trace).unwrap()).unwrap();
    assert_eq!(answered, CALLERS * EACH);
}

/// When a call began and ended, as lines of the trace.
#[derive(Clone, Copy, Debug)]
struct Span {
    begun: usize,
    ended: usize,
}

/// What was done to one file.
#[derive(Debug, Default)]
struct File {
    content: Vec<Span>,
    flushes: Vec<Span>,
}

/// Walks the trace. Gives the number of answers.
fn check(trace: &str) -> Result<usize, String> {
    let mut under_way: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    let mut files: BTreeMap<String, File> = BTreeMap::new();
    let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
    let mut answered = 0;
    for (at, line) in trace.lines().enumerate() {
        let Some((process, text)) = line.split_once(' ') else { continue };
        let text = text.trim_start();
        let whole = if text.starts_with("<...") {
            under_way.remove(process)
        } else if let Some(number) = said(text, "asked ") {
            asked.insert(number, at);
            None
        } else if let Some(number) = said(text, "answered ") {
            let since = asked.get(number).ok_or("an answer to nobody")?;
            covered(&files, *since, at).map_err(|what| format!("answer {number}: {what}"))?;
            answered += 1;
            None
        } else if text.contains("<unfinished ...>") {
            under_way.insert(process, (at, text));
            None
        } else {
            Some((at, text))
        };
        if let Some((begun, call)) = whole {
            note(&mut files, Span { begun, ended: at }, call);
        }
    }
    Ok(answered)
}

/// The number in a line that a caller said.
fn said<'a>(call: &'a str, word: &str) -> Option<&'a str> {
    let (_, rest) = call.strip_prefix("write(2<")?.split_once(&format!("\"{word}"))?;
    rest.split_once('\\').map(|(number, _)| number)
}

fn note(files: &mut BTreeMap<String, File>, span: Span, call: &str) {
    let Some((name, arguments)) = call.split_once('(') else { return };
    let file = arguments.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    let Some((file, rest)) = file else { return };
    if !file.ends_with(".seg") && !file.ends_with(".pay") {
        return;
    }
    let known = files.entry(file.to_owned()).or_default();
    match name {
        "fdatasync" | "fsync" => known.flushes.push(span),
        // Zeros are laid ahead at any time; nobody was promised anything of them.
        "pwrite64" if !rest.starts_with(", \"\\0\\0\\0\\0") => known.content.push(span),
        _ => {}
    }
}

/// Whether log and payloads each got content since a line, and a flush after it that is complete.
fn covered(files: &BTreeMap<String, File>, since: usize, at: usize) -> Result<(), String> {
    for kind in [".seg", ".pay"] {
        let is_covered = files.iter().filter(|(name, _)| name.ends_with(kind)).any(|(_, file)| {
            let written = file.content.iter().filter(|content| content.begun > since);
            written.into_iter().any(|content| {
                let mut flushes = file.flushes.iter();
                flushes.any(|flush| flush.begun > content.ended && flush.ended < at)
            })
        });
        if !is_covered {
            return Err(format!("no completed flush of a {kind} covers it"));
        }
    }
    Ok(())
}

/// The check itself, on traces as they must not be.
#[test]
fn an_answer_that_no_flush_covers_is_found() {
    let good = "1 write(2</dev/null>, \"asked 0\\n\", 8) = 8\n2 pwrite64(3</l/0.seg>, \"ML\", 2, 0) = 2\n2 pwrite64(4</l/0.pay>, \"xy\", 2, 0) = 2\n2 fdatasync(3</l/0.seg>) = 0\n3 fdatasync(4</l/0.pay>) = 0\n1 write(2</dev/null>, \"answered 0\\n\", 11) = 11\n";
    assert_eq!(check(good), Ok(1));
    let no_payload = good.replace("3 fdatasync(4</l/0.pay>) = 0\n", "");
    let unfinished =
        good.replace("fdatasync(3</l/0.seg>) = 0", "fdatasync(3</l/0.seg> <unfinished ...>");
    let line = "2 fdatasync(3</l/0.seg>) = 0\n";
    let before_the_bytes = format!("{line}{}", good.replace(line, ""));
    let asked = "1 write(2</dev/null>, \"asked 0\\n\", 8) = 8\n";
    let of_others = good.replace(asked, "").replace("1 write", &format!("{asked}1 write"));
    for bad in [no_payload, unfinished, before_the_bytes, of_others] {
        assert!(check(&bad).is_err(), "not found in\n{bad}");
    }
}
