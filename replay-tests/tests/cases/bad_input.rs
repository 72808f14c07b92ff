//! What a caller may get wrong: refused with the kind that fits and with nothing recorded; and what is
//! just within the limits: taken, and given back as it was.

use ledger_format::{CloseKind, Layer, MemoryId, Seq, limits};
use memledger::answer::Text;
use memledger::civil::When;
use memledger::{Command, Content, ErrorKind, Scope, Submission, Terms};
use replay_tests::desk::{Desk, closing, proposed};
use replay_tests::rng::Rng;
use replay_tests::small;
use replay_tests::witness::at;

use ErrorKind::{Conflict, Invalid, NotFound};

#[test]
fn content_that_is_empty_or_too_long_is_refused() {
    let mut desk = Desk::open();
    let contents = [
        ("an empty text", Content::Text(String::new())),
        ("white space", Content::Text(" \n\t\u{a0}".to_owned())),
        ("a body without words", Content::Body(serde_json::json!({ "text": " \u{2003}" }))),
        (
            "a fact about nothing",
            Content::Fact { subject: "a".into(), predicate: "b".into(), object: "\t".into() },
        ),
        ("no bytes", Content::Bytes(Vec::new())),
        ("a text over the limit", Content::Text("x".repeat(limits::PAYLOAD_BYTES + 1))),
        ("bytes over the limit", Content::Bytes(vec![7; limits::PAYLOAD_BYTES + 1])),
        (
            "a body over the limit",
            Content::Body(serde_json::json!({ "text": "y".repeat(limits::PAYLOAD_BYTES) })),
        ),
        ("a body that is no object", Content::Body(serde_json::json!(["text"]))),
        ("a body without its fields", Content::Body(serde_json::json!({ "words": "x" }))),
    ];
    for (what, content) in contents {
        desk.refuses_write(what, Invalid, |p| p.content = content);
    }
    desk.refuses_write("a fact as text", Invalid, |p| p.body = Some(ledger_format::BodyType::Fact));
    let memory = desk.takes("a text", |_| ());
    let reason = Some("z".repeat(limits::PAYLOAD_BYTES + 1));
    desk.refuses_command(
        "a reason over the limit",
        Invalid,
        Command::Use { memories: vec![memory], reason },
    );
    // Each is short enough, and all of them together are more than one batch can hold.
    let mut rng = Rng::new(2);
    let mut noise = Vec::with_capacity(limits::PAYLOAD_BYTES);
    while noise.len() < limits::PAYLOAD_BYTES {
        noise.extend(rng.number().to_le_bytes());
    }
    let many = (0..17).map(|_| proposed(|p| p.content = Content::Bytes(noise.clone())));
    let many = Submission { commands: many.collect(), terms: Terms::default() };
    desk.refuses("a submission over the limit", Invalid, many);
    desk.takes("a text after it", |p| p.content = Content::Text("after it".into()));
    desk.done(13);
}

#[test]
fn a_text_of_exactly_one_mebibyte_comes_back() {
    let desk = Desk::open();
    // Two-byte letters, so that the limit is seen to count bytes; they hardly compress.
    let mut rng = Rng::new(1);
    let text: String = (0..limits::PAYLOAD_BYTES / 2)
        .map(|_| char::from_u32(0x400 + rng.below(0xff) as u32).unwrap())
        .collect();
    assert_eq!(text.len(), limits::PAYLOAD_BYTES);
    let id = desk.takes("1 MiB", |p| p.content = Content::Text(text.clone()));
    assert!(desk.text(&id) == Text::Words(text.clone()));
    let desk = desk.opened_again();
    assert!(desk.text(&id) == Text::Words(text));
    desk.done(0);
}

#[test]
fn lists_over_their_limits_are_refused() {
    let mut desk = Desk::open();
    let some: Vec<MemoryId> = (0..33)
        .map(|at| desk.takes("a text", |p| p.content = Content::Text(format!("number {at}"))))
        .collect();
    let names = |count: usize| (0..count).map(|at| format!("name {at}")).collect::<Vec<_>>();
    desk.refuses_write("33 superseded", Invalid, |p| p.supersedes = some.clone());
    desk.refuses_write("4,001 sources", Invalid, |p| p.derived_from = vec![some[0]; 4_001]);
    desk.refuses_write("65 people", Invalid, |p| p.subjects = names(65));
    desk.refuses_write("33 labels", Invalid, |p| p.tags = names(33));
    desk.refuses_write("a confidence above 1", Invalid, |p| p.confidence = Some(10_001));
    desk.refuses_command(
        "3,501 at once",
        Invalid,
        Command::Use { memories: vec![some[0]; 3_501], reason: None },
    );
    desk.takes("32 superseded", |p| p.supersedes = some[..32].to_vec());
    let people = desk.takes("64 people, 32 labels", |p| {
        (p.subjects, p.tags) = (names(64), names(32));
    });
    let snapshot = desk.ledger.snapshot(&at(When::Head, None)).unwrap();
    let item = snapshot.get(&people).unwrap().unwrap();
    assert_eq!((item.subjects.len(), item.tags.len()), (64, 32));
    drop(snapshot);
    desk.done(6);
}

/// Four thousand sources fit into a record; with everything else at its limit too they do not.
#[test]
fn a_record_that_would_be_too_long_is_refused() {
    let mut desk = Desk::open();
    let commands = (0..4_000).map(|_| proposed(|p| p.content = Content::Text("x".into())));
    let submission = Submission { commands: commands.collect(), terms: Terms::default() };
    let outcomes = desk.ledger.submit(submission).unwrap();
    let mut all: Vec<MemoryId> = outcomes.into_iter().filter_map(|outcome| outcome.id).collect();
    all.sort_unstable();
    let from_all = desk.takes("4,000 sources", |p| p.derived_from = all.clone());
    let names = |count: usize| (0..count).map(|at| format!("name {at}")).collect::<Vec<_>>();
    desk.refuses_write("everything at its limit", Invalid, |p| {
        p.derived_from = all.clone();
        p.supersedes = all[..32].to_vec();
        (p.subjects, p.tags) = (names(64), names(32));
    });
    let desk = desk.opened_again();
    let snapshot = desk.ledger.snapshot(&at(When::Head, None)).unwrap();
    assert_eq!(snapshot.get(&from_all).unwrap().unwrap().derived_from, all);
    drop(snapshot);
    desk.done(1);
}

#[test]
fn what_names_something_that_is_not_there_is_refused() {
    let mut desk = Desk::open();
    let known = desk.takes("a text", |_| ());
    let nobody = MemoryId([9; 16]);
    for (what, command) in about_one(nobody).into_iter().chain(about_all(&[known, nobody])) {
        desk.refuses_command(what, NotFound, command);
    }
    let replaced = replacing(known, nobody);
    desk.refuses_command("replaced by nobody", NotFound, replaced);
    for contest in [3, u64::MAX] {
        let resolve = Command::Resolve { contest: Seq(contest), kept: vec![known], reason: None };
        desk.refuses_command("resolve what is no contest", NotFound, resolve);
    }
    let snapshot = desk.ledger.snapshot(&at(When::Head, None)).unwrap();
    assert_eq!(snapshot.get(&nobody).unwrap(), None);
    assert!(snapshot.history(&nobody).unwrap().is_empty());
    assert_eq!(snapshot.lineage(&nobody).unwrap(), None);
    drop(snapshot);
    let beyond = desk.ledger.snapshot(&at(When::Seq(99), None)).unwrap_err();
    assert_eq!(beyond.kind(), NotFound);
    desk.done(15);
}

/// Every command about one memory.
fn about_one(memory: MemoryId) -> [(&'static str, Command); 6] {
    let (trust, layer) = (None, Some(Layer::Session));
    let (query, evidence) = (None, None);
    [
        ("close", closing(memory, None, None)),
        ("reopen", reopening(memory)),
        ("push down", Command::PushDown { memory, query, evidence, reason: None }),
        ("lift", Command::Lift { memory, reason: None }),
        ("pin", Command::Pin { memory, set: true }),
        ("rank", Command::Rank { memory, trust, layer, up: true, reason: None }),
    ]
}

/// Every command about several.
fn about_all(ids: &[MemoryId]) -> [(&'static str, Command); 6] {
    let memories = || ids.to_vec();
    [
        ("confirm", Command::Confirm { memories: memories(), ttl_until: None, reason: None }),
        ("use", using(ids)),
        ("contest", Command::Contest { memories: memories(), reason: None }),
        ("forget", forgetting(ids)),
        ("supersede", proposed(|p| p.supersedes = memories())),
        ("derive", proposed(|p| p.derived_from = memories())),
    ]
}

fn replacing(memory: MemoryId, by: MemoryId) -> Command {
    let mut command = closing(memory, None, None);
    if let Command::Close { replaced_by, .. } = &mut command {
        *replaced_by = Some(by);
    }
    command
}

fn wrong(memory: MemoryId) -> Command {
    let mut command = closing(memory, None, None);
    if let Command::Close { kind, .. } = &mut command {
        *kind = CloseKind::Wrong;
    }
    command
}

fn reopening(memory: MemoryId) -> Command {
    Command::Reopen { memory, from: None, until: None, reason: None }
}

fn using(memories: &[MemoryId]) -> Command {
    Command::Use { memories: memories.to_vec(), reason: None }
}

fn forgetting(memories: &[MemoryId]) -> Command {
    Command::Forget { memories: memories.to_vec(), subject: None, reason: None }
}

#[test]
fn what_is_no_request_at_all_is_refused() {
    let mut desk = Desk::open();
    let known = desk.takes("a text", |_| ());
    desk.refuses("nothing", Invalid, Submission::default());
    desk.refuses_command("use nobody", Invalid, using(&[]));
    desk.refuses_command("forget nobody", Invalid, forgetting(&[]));
    desk.refuses_write("named twice", Invalid, |p| p.supersedes = vec![known, known]);
    for memories in [vec![known], vec![known, known]] {
        let contest = Command::Contest { memories, reason: None };
        desk.refuses_command("a contest with itself", Invalid, contest);
    }
    let rank = Command::Rank { memory: known, trust: None, layer: None, up: true, reason: None };
    desk.refuses_command("rank to nothing", Invalid, rank);
    desk.refuses_command("its own successor", Invalid, replacing(known, known));
    desk.done(8);
}

#[test]
fn what_would_change_nothing_or_another_scope_is_a_conflict() {
    let mut desk = Desk::open();
    let elsewhere = desk.takes("another scope", |p| p.scope = Scope::root());
    let below = desk.takes("a scope below", |p| p.scope = "org/acme/project/web".parse().unwrap());
    let known = desk.takes("a text", |_| ());
    for other in [elsewhere, below] {
        desk.refuses_write("across scopes", Conflict, |p| p.supersedes = vec![known, other]);
    }
    desk.refuses_command("lift", Conflict, Command::Lift { memory: known, reason: None });
    desk.refuses_command("unpin", Conflict, Command::Pin { memory: known, set: false });
    desk.refuses_command("open what is open", Conflict, reopening(known));
    small::submit(&desk.ledger, closing(known, None, None));
    desk.refuses_command("close what is closed", Conflict, closing(known, None, None));
    desk.refuses_write("supersede what is closed", Conflict, |p| p.supersedes = vec![known]);
    small::submit(&desk.ledger, wrong(known));
    desk.refuses_command("wrong twice", Conflict, wrong(known));
    small::submit(&desk.ledger, forgetting(&[below]));
    desk.refuses_command("use what is forgotten", Conflict, using(&[below]));
    let commands = vec![proposed(|_| ()), wrong(known)];
    let good_and_bad = Submission { commands, terms: Terms::default() };
    desk.refuses("one of two", Conflict, good_and_bad);
    let expecting = |expected_head, expected_version| {
        let terms = Terms { expected_head, expected_version, ..Terms::default() };
        Submission::of(using(&[elsewhere]), terms)
    };
    desk.refuses("another head", Conflict, expecting(Some(Seq(1)), None));
    desk.refuses("another version", Conflict, expecting(None, Some(Seq(1))));
    desk.done(12);
}
