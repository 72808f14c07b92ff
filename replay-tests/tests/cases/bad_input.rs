//! What a caller may get wrong, and what only looks wrong: refused with the kind that fits and with
//! nothing recorded, or taken and given back byte for byte.

use ledger_format::{ActorKind, CloseKind, MemoryId, Micros, RecordHash, Seq, SourceKind, limits};
use memledger::civil::When;
use memledger::{
    Actor, CheckVerdict, Command, Content, ErrorKind, Filter, Ledger, Proposal, Question, Scope,
    Source, Submission, Terms, Text, VerifyLevel,
};
use replay_tests::place::Place;
use replay_tests::rng::Rng;
use replay_tests::witness::at;
use replay_tests::workload::time;
use replay_tests::{small, tamper};

use ErrorKind::{Conflict, Invalid, NotFound};

/// A ledger that is asked for what it should refuse.
struct Desk {
    place: Place,
    ledger: Ledger,
    refused: usize,
}

impl Desk {
    fn new() -> Self {
        let (place, ledger) = Place::new(Micros(time::BASE));
        let refused = 0;
        Self { place, ledger, refused }
    }

    fn head(&self) -> Option<(Seq, RecordHash)> {
        self.ledger.status().unwrap().head
    }

    /// Refused with this kind, and nothing was recorded.
    fn refuses(&mut self, what: &str, kind: ErrorKind, submission: Submission) {
        let before = self.head();
        let error = match self.ledger.submit(submission) {
            Err(error) => error,
            Ok(outcomes) => panic!("{what}: recorded as {outcomes:?}"),
        };
        assert_eq!(error.kind(), kind, "{what}: {error}");
        assert!(!error.to_string().is_empty());
        assert_eq!(self.head(), before, "{what}: {error}");
        self.refused += 1;
    }

    fn refuses_command(&mut self, what: &str, kind: ErrorKind, command: Command) {
        self.refuses(what, kind, Submission::of(command, Terms::default()));
    }

    fn refuses_write(&mut self, what: &str, kind: ErrorKind, change: impl FnOnce(&mut Proposal)) {
        self.refuses_command(what, kind, proposed(change));
    }

    fn takes(&self, what: &str, change: impl FnOnce(&mut Proposal)) -> MemoryId {
        let submission = Submission::of(proposed(change), Terms::default());
        let outcomes = self.ledger.submit(submission);
        outcomes.unwrap_or_else(|error| panic!("{what}: {error}"))[0].id.unwrap()
    }

    fn text(&self, id: &MemoryId) -> Text {
        let snapshot = self.ledger.snapshot(&at(When::Head, None)).unwrap();
        snapshot.get(id).unwrap().unwrap().text
    }

    /// Closed in order, whole, and opened again.
    fn opened_again(self) -> Self {
        self.ledger.close().unwrap();
        let report = tamper::verify(&self.place.path(), VerifyLevel::Views);
        assert_eq!(report.verdict(), CheckVerdict::Ok, "{report:#?}");
        let ledger = self.place.open();
        assert_eq!(ledger.notices(), &[] as &[String]);
        Self { ledger, ..self }
    }

    fn done(self, refused: usize) {
        assert_eq!(self.refused, refused, "a refusal is missing");
        self.opened_again().ledger.close().unwrap();
    }
}

fn proposed(change: impl FnOnce(&mut Proposal)) -> Command {
    let scope: Scope = "org/acme".parse().unwrap();
    let mut proposal = Proposal::new(Content::Text("some text".into()), scope);
    change(&mut proposal);
    Command::Write(Box::new(proposal))
}

fn closing(memory: MemoryId, from: Option<Micros>, until: Option<Micros>) -> Command {
    Command::Close {
        memory,
        kind: CloseKind::Changed,
        from,
        until,
        replaced_by: None,
        reason: None,
    }
}

#[test]
fn content_that_is_empty_or_too_long_is_refused() {
    let mut desk = Desk::new();
    let contents = [
        ("an empty text", Content::Text(String::new())),
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
    desk.takes("a text after it", |_| ());
    desk.done(10);
}

#[test]
fn a_text_of_exactly_one_mebibyte_comes_back() {
    let desk = Desk::new();
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

/// The big list of naughty strings, as text and, where it can be one, as a name.
#[test]
fn naughty_strings_come_back_byte_for_byte() {
    let Some(path) = super::real_data::real("unicode/blns.json") else {
        return;
    };
    let list: Vec<String> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert!(list.len() > 500);
    let mut desk = Desk::new();
    let mut written = Vec::new();
    for text in list {
        if text.is_empty() {
            desk.refuses_write("nothing", Invalid, |p| p.content = Content::Text(text));
            continue;
        }
        let named = !text.trim().is_empty()
            && text.len() <= limits::NAME_BYTES
            && !text.chars().any(char::is_control);
        let id = desk.takes(&text, |p| {
            p.content = Content::Text(text.clone());
            p.tags.extend(named.then(|| text.clone()));
        });
        written.push((id, text, named));
    }
    let desk = desk.opened_again();
    let names = written.iter().filter(|(.., named)| *named).count();
    assert!(names > 450, "{names}");
    let snapshot = desk.ledger.snapshot(&at(When::Head, None)).unwrap();
    for (id, text, named) in &written {
        let item = snapshot.get(id).unwrap().unwrap();
        assert_eq!(item.text, Text::Words(text.clone()));
        assert_eq!(item.tags, Vec::from_iter(named.then(|| text.clone())));
    }
    for (id, text, _) in written.iter().filter(|(.., named)| *named).step_by(9) {
        let filter = Filter { tag: Some(text.clone()), ..Filter::default() };
        let found = snapshot.list(&filter).unwrap().items;
        assert!(found.iter().any(|item| item.id == *id), "{text:?}");
        assert!(found.iter().all(|item| item.tags == [text.as_str()]), "{text:?}");
    }
    drop(snapshot);
    desk.done(1);
}

#[test]
fn lists_over_their_limits_are_refused() {
    let mut desk = Desk::new();
    let some: Vec<MemoryId> = (0..33).map(|_| desk.takes("a text", |_| ())).collect();
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
    let mut desk = Desk::new();
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
    let mut desk = Desk::new();
    let known = desk.takes("a text", |_| ());
    let nobody = MemoryId([9; 16]);
    let both = || vec![known, nobody];
    let reason = None;
    let commands = [
        ("close", closing(nobody, None, None)),
        ("reopen", Command::Reopen { memory: nobody, from: None, until: None, reason: None }),
        ("confirm", Command::Confirm { memories: both(), ttl_until: None, reason: None }),
        ("use", Command::Use { memories: both(), reason: None }),
        (
            "push down",
            Command::PushDown { memory: nobody, query: None, evidence: None, reason: None },
        ),
        ("lift", Command::Lift { memory: nobody, reason: None }),
        ("contest", Command::Contest { memories: both(), reason: None }),
        ("pin", Command::Pin { memory: nobody, set: true }),
        ("forget", Command::Forget { memories: both(), subject: None, reason: None }),
        (
            "rank",
            Command::Rank {
                memory: nobody,
                trust: None,
                layer: Some(ledger_format::Layer::Session),
                up: true,
                reason: None,
            },
        ),
        ("supersede", proposed(|p| p.supersedes = both())),
        ("derive", proposed(|p| p.derived_from = both())),
        ("resolve", Command::Resolve { contest: Seq(3), kept: Vec::new(), reason: None }),
        (
            "resolve beyond the end",
            Command::Resolve { contest: Seq(u64::MAX), kept: vec![known], reason: None },
        ),
        (
            "replace",
            Command::Close {
                memory: known,
                kind: CloseKind::Changed,
                from: None,
                until: None,
                replaced_by: Some(nobody),
                reason,
            },
        ),
    ];
    for (what, command) in commands {
        desk.refuses_command(what, NotFound, command);
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

/// An open memory that is neither pushed down nor pinned.
fn refuses_what_is_so_already(desk: &mut Desk, known: MemoryId) {
    desk.refuses_command(
        "lift what is up",
        Conflict,
        Command::Lift { memory: known, reason: None },
    );
    desk.refuses_command(
        "unpin what is loose",
        Conflict,
        Command::Pin { memory: known, set: false },
    );
    desk.refuses_command(
        "open what is open",
        Conflict,
        Command::Reopen { memory: known, from: None, until: None, reason: None },
    );
}

#[test]
fn what_would_change_nothing_or_twice_is_refused() {
    let mut desk = Desk::new();
    let elsewhere = desk.takes("another scope", |p| p.scope = Scope::root());
    let below = desk.takes("a scope below", |p| p.scope = "org/acme/project/web".parse().unwrap());
    let known = desk.takes("a text", |_| ());
    for other in [elsewhere, below] {
        desk.refuses_write("across scopes", Conflict, |p| p.supersedes = vec![known, other]);
    }
    desk.refuses_write("named twice", Invalid, |p| p.supersedes = vec![known, known]);
    for memories in [vec![known], vec![known, known]] {
        desk.refuses_command(
            "a contest with itself",
            Invalid,
            Command::Contest { memories, reason: None },
        );
    }
    for memories in [
        Command::Use { memories: Vec::new(), reason: None },
        Command::Forget { memories: Vec::new(), subject: None, reason: None },
    ] {
        desk.refuses_command("nobody", Invalid, memories);
    }
    desk.refuses("nothing", Invalid, Submission::default());
    let rank = Command::Rank { memory: known, trust: None, layer: None, up: true, reason: None };
    desk.refuses_command("rank to nothing", Invalid, rank);
    let own = Command::Close {
        memory: known,
        kind: CloseKind::Changed,
        from: None,
        until: None,
        replaced_by: Some(known),
        reason: None,
    };
    desk.refuses_command("its own successor", Invalid, own);
    refuses_what_is_so_already(&mut desk, known);
    small::submit(&desk.ledger, closing(known, None, None));
    desk.refuses_command("close what is closed", Conflict, closing(known, None, None));
    desk.refuses_write("supersede what is closed", Conflict, |p| p.supersedes = vec![known]);
    let wrong = || Command::Close {
        memory: known,
        kind: CloseKind::Wrong,
        from: None,
        until: None,
        replaced_by: None,
        reason: None,
    };
    small::submit(&desk.ledger, wrong());
    desk.refuses_command("wrong twice", Conflict, wrong());
    small::submit(
        &desk.ledger,
        Command::Forget { memories: vec![below], subject: None, reason: None },
    );
    desk.refuses_command(
        "use what is forgotten",
        Conflict,
        Command::Use { memories: vec![below], reason: None },
    );
    let good_and_bad =
        Submission { commands: vec![proposed(|_| ()), wrong()], terms: Terms::default() };
    desk.refuses("one of two", Conflict, good_and_bad);
    let expecting = |head, version| {
        Submission::of(
            Command::Use { memories: vec![elsewhere], reason: None },
            Terms { expected_head: head, expected_version: version, ..Terms::default() },
        )
    };
    desk.refuses("another head", Conflict, expecting(Some(Seq(1)), None));
    desk.refuses("another version", Conflict, expecting(None, Some(Seq(1))));
    desk.done(20);
}

#[test]
fn intervals_that_end_before_they_begin_are_refused() {
    let mut desk = Desk::new();
    let known = desk.takes("a text", |_| ());
    let now = time::BASE;
    let ends = [(now, now), (now + 1, now), (i64::MAX, i64::MIN), (i64::MIN, i64::MIN)];
    for (from, until) in ends.map(|(from, until)| (Some(Micros(from)), Some(Micros(until)))) {
        desk.refuses_write("valid", Invalid, |p| (p.valid_from, p.valid_until) = (from, until));
        desk.refuses_write("superseded", Invalid, |p| {
            p.supersedes = vec![known];
            (p.supersede_from, p.supersede_until) = (from, until);
        });
        desk.refuses_command("closed", Invalid, closing(known, from, until));
        desk.refuses_command(
            "reopened",
            Invalid,
            Command::Reopen { memory: known, from, until, reason: None },
        );
    }
    // The end alone, before the time of the record from which it would run.
    desk.refuses_command("closed before now", Invalid, closing(known, None, Some(Micros(now))));
    desk.done(17);
}

#[test]
fn names_that_are_none_are_refused() {
    let mut desk = Desk::new();
    let known = desk.takes("a text", |_| ());
    let long = "n".repeat(limits::NAME_BYTES + 1);
    let bad = ["", " \u{3000}", "a\nb", "a\u{0}", "\u{7f}", "\u{9b}31m", long.as_str()];
    for name in bad.map(str::to_owned) {
        desk.refuses_write("subject", Invalid, |p| p.subjects = vec!["Ann".into(), name.clone()]);
        desk.refuses_write("tag", Invalid, |p| p.tags = vec![name.clone()]);
        desk.refuses_write("key", Invalid, |p| p.key = Some(name.clone()));
        desk.refuses_write("domain", Invalid, |p| p.domain = Some(name.clone()));
        let fact = |subject: &str, predicate: &str| Content::Fact {
            subject: subject.into(),
            predicate: predicate.into(),
            object: "x".into(),
        };
        desk.refuses_write("term", Invalid, |p| p.content = fact(&name, "is"));
        desk.refuses_write("term", Invalid, |p| p.content = fact("it", &name));
        let body = serde_json::json!({ "subject": "it", "predicate": name, "object": "x" });
        desk.refuses_write("term in a body", Invalid, |p| {
            (p.content, p.body) = (Content::Body(body), Some(ledger_format::BodyType::Fact));
        });
        let actor = Actor { kind: ActorKind::Person, name: name.clone() };
        desk.refuses_write("writer", Invalid, |p| p.by = Some(actor.clone()));
        let using = Command::Use { memories: vec![known], reason: None };
        let by = Terms { by: Some(actor), ..Terms::default() };
        desk.refuses("actor", Invalid, Submission::of(using.clone(), by));
        let keyed = Terms { idempotency_key: Some(name.clone()), ..Terms::default() };
        desk.refuses("idempotency key", Invalid, Submission::of(using, keyed));
        desk.refuses_command(
            "person",
            Invalid,
            Command::Forget { memories: vec![known], subject: Some(name.clone()), reason: None },
        );
        assert!(format!("org/{name}").parse::<Scope>().is_err(), "{name:?}");
    }
    for (kind, uri) in [(SourceKind::None, "x"), (SourceKind::Chat, ""), (SourceKind::Chat, "a\nb")]
    {
        let source = Source { kind, uri: uri.into() };
        desk.refuses_write("source", Invalid, |p| p.source = Some(source));
    }
    desk.takes("names at the limit", |p| {
        let name = "n".repeat(limits::NAME_BYTES);
        (p.tags, p.subjects, p.key) = (vec![name.clone()], vec![name.clone()], Some(name));
    });
    desk.done(7 * 11 + 3);
}

/// No instant is too early or too late to be asked about or printed, and only the ends of the line,
/// which mean "since ever" and "open", cannot be written down.
#[test]
fn times_at_the_ends_of_the_line_are_times() {
    let ends = [i64::MIN, i64::MIN + 1, -1, 0, i64::MAX - 1, i64::MAX].map(Micros);
    let mut desk = Desk::new();
    let mut written = Vec::new();
    for end in ends {
        let all = |p: &mut Proposal| {
            (p.observed_at, p.ttl_until, p.review_by) = (Some(end), Some(end), Some(end));
            p.valid_from = Some(end);
        };
        let terms = Terms { claimed_at: Some(end), ..Terms::default() };
        desk.ledger.submit(Submission::of(proposed(|_| ()), terms)).unwrap();
        if end == Micros::MIN || end == Micros::MAX {
            desk.refuses_write("from an end", Invalid, all);
            desk.refuses_write("until an end", Invalid, |p| p.valid_until = Some(end));
            continue;
        }
        written.push((desk.takes("from", all), end));
        desk.takes("until", |p| p.valid_until = Some(end));
    }
    let desk = desk.opened_again();
    let snapshot = desk.ledger.snapshot(&at(When::Head, None)).unwrap();
    for (id, end) in &written {
        let item = snapshot.get(id).unwrap().unwrap();
        assert_eq!([item.observed_at, item.ttl_until, item.review_by], [Some(*end); 3]);
        assert_eq!(item.validity[0].from, *end);
    }
    drop(snapshot);
    for (known, valid) in ends.into_iter().flat_map(|one| ends.map(|other| (one, other))) {
        for claimed in [false, true] {
            let question =
                Question { claimed, ..at(When::Instant(known), Some(When::Instant(valid))) };
            assert_same(&desk.ledger, &question);
        }
    }
    desk.done(4);
}

fn assert_same(ledger: &Ledger, question: &Question) {
    let truth = Question { from_archive: true, ..question.clone() };
    let filter = Filter { include_history: true, ..Filter::default() };
    let (views, archive) = (ledger.snapshot(question).unwrap(), ledger.snapshot(&truth).unwrap());
    assert_eq!(views.list(&filter).unwrap(), archive.list(&filter).unwrap());
    assert!(!views.basis().line().is_empty());
}

/// A clock at the end of the line stays there; the ledger goes on all the same.
#[test]
fn a_clock_at_the_ends_of_the_line_writes_whole_ledgers() {
    for (first, second) in [(i64::MIN, i64::MAX), (0, i64::MAX), (i64::MIN, i64::MIN + 1)] {
        let (place, ledger) = Place::new(Micros(first));
        small::write(&ledger, "early", None);
        place.clock.set(Micros(second));
        small::write(&ledger, "late", None);
        place.clock.set(Micros(first));
        small::write(&ledger, "held back", None);
        ledger.close().unwrap();
        let ledger = place.open();
        let views = small::answers(&ledger, false).unwrap();
        assert_eq!(views, small::answers(&ledger, true).unwrap());
        let times = ledger.log(Seq(0), 100).unwrap();
        assert!(times.is_sorted_by_key(|entry| entry.recorded_at));
        ledger.close().unwrap();
        let report = tamper::verify(&place.path(), VerifyLevel::Views);
        assert_eq!(report.verdict(), CheckVerdict::Ok, "{report:#?}");
    }
}
