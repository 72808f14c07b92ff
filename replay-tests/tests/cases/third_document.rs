//! The example of the third source document, end to end: an instruction of January, its correction of
//! June that closes it in the same write, the question about January, and a control that nothing
//! replaced.

use std::path::Path;
use std::sync::Arc;

use ledger_format::{BodyType, Layer, MemoryId};
use memledger::answer::{Item, Text};
use memledger::civil::When;
use memledger::clock::DeclaredClock;
use memledger::{
    Actor, Command, Content, Filter, InitOptions, Ledger, Proposal, Question, Status, Submission,
    Terms,
};
use replay_tests::place::{fast_dir, keys_beside};

const SCOPE: &str = "org/acme/project/web";
const JANUARY: &str = "2026-01-12T09:00:00Z";
const IN_JANUARY: &str = "2026-01-20T12:00:00Z";
const JUNE: &str = "2026-06-02T09:00:00Z";
const CONTROL: &str = "Instruction (2026-01, repo: web): run the tests with make test.";

/// The two instructions as the document has them.
fn words() -> Option<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/seeds");
    let required = std::env::var_os("MEMLEDGER_REQUIRE_DATA").is_some_and(|value| value == "1");
    let Ok(dir) = std::fs::read_dir(&path) else {
        assert!(!required, "MEMLEDGER_REQUIRE_DATA=1, and {} is not there", path.display());
        println!("SKIPPED: {} is not there; this test proves nothing here", path.display());
        return None;
    };
    let texts = dir.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    let text = texts.into_iter().find(|text| text.contains("\"Instruction (2026-01")).unwrap();
    let quoted = |begin: &str| {
        let from = text.find(begin).unwrap() + 1;
        let line = &text[from..];
        line[..line.find('"').unwrap()].to_owned()
    };
    let june = format!("{}{}", quoted("\"Instruction (2026-06"), quoted("\"Replaces the 2026-01"));
    Some((quoted("\"Instruction (2026-01"), june))
}

fn instant(text: &str) -> ledger_format::Micros {
    match When::parse(text, &memledger::civil::Zone::UTC, ledger_format::Micros(0)).unwrap() {
        When::Instant(at) => at,
        other => panic!("{text} is {other:?}"),
    }
}

struct Story {
    _dir: tempfile::TempDir,
    ledger: Ledger,
    january: MemoryId,
    june: MemoryId,
    control: MemoryId,
}

/// The story; with or without the closure that the correction carries.
fn told(january: &str, june: &str, closes: bool) -> Story {
    let dir = fast_dir();
    let path = dir.path().join("ledger");
    let clock = Arc::new(DeclaredClock::new(instant(JANUARY)));
    let master = keys_beside(&path);
    let options = InitOptions { clock: clock.clone(), master, ..InitOptions::default() };
    let ledger = Ledger::init(&path, options).unwrap().ledger;
    let say = |text: &str, supersedes: Vec<MemoryId>, span: &str| {
        let mut proposal = Proposal::new(Content::Text(text.to_owned()), SCOPE.parse().unwrap());
        proposal.body = Some(BodyType::Instruction);
        proposal.by = Some("person:priya".parse::<Actor>().unwrap());
        proposal.source = Some(format!("chat:web#{span}").parse().unwrap());
        proposal.valid_from = Some(clock_now(&clock));
        proposal.supersedes = supersedes;
        let command = Command::Write(Box::new(proposal));
        let done = ledger.submit(Submission::of(command, Terms::default())).unwrap().remove(0);
        assert_eq!(done.verdict, ledger_format::Verdict::Committed, "{:?}", done.reason);
        done.id.unwrap()
    };
    let old = say(january, Vec::new(), "1");
    let control = say(CONTROL, Vec::new(), "2");
    clock.set(instant(JUNE));
    let new = say(june, if closes { vec![old] } else { Vec::new() }, "90");
    Story { _dir: dir, ledger, january: old, june: new, control }
}

fn clock_now(clock: &DeclaredClock) -> ledger_format::Micros {
    memledger::clock::Clock::now(clock).wall
}

fn asked(ledger: &Ledger, valid: Option<&str>, include_history: bool, archive: bool) -> Vec<Item> {
    let question = Question {
        valid: valid.map(|text| When::Instant(instant(text))),
        from_archive: archive,
        ..Question::now(ledger.zone())
    };
    let filter = Filter {
        scope: SCOPE.parse().unwrap(),
        layer: Some(Layer::Instruction),
        include_history,
        ..Filter::default()
    };
    ledger.snapshot(&question).unwrap().list(&filter).unwrap().items
}

/// What an agent acts on, what explains January, and the control: or what is wrong.
fn check(story: &Story, archive: bool) -> Result<(), String> {
    let Story { ledger, january, june, control, .. } = story;
    let ids = |items: &[Item]| items.iter().map(|item| item.id).collect::<Vec<_>>();
    let now = asked(ledger, None, false, archive);
    if ids(&now) != [*control, *june] {
        return Err(format!("{} instructions are in force now", now.len()));
    }
    if now.iter().any(|item| item.closed.is_some() || item.status != Status::Open) {
        return Err("what is in force is marked as replaced".to_owned());
    }
    let then = asked(ledger, Some(IN_JANUARY), false, archive);
    if ids(&then) != [*january, *control] {
        return Err("the question about January is not answered by what held in January".to_owned());
    }
    let history = asked(ledger, None, true, archive);
    let old = history.iter().find(|item| item.id == *january).ok_or("the old one is gone")?;
    let closed = old.closed.as_ref().ok_or("the old one is not marked as replaced")?;
    if (closed.superseded_by, closed.at) != (Some(*june), Some(instant(JUNE))) {
        return Err(format!("it is marked wrongly: {closed:?}"));
    }
    if !matches!(&old.text, Text::Words(text) if text.contains("npm")) {
        return Err("the old one cannot be read".to_owned());
    }
    Ok(())
}

#[test]
fn the_correction_closes_what_it_names_and_january_stays_explained() {
    let Some((january, june)) = words() else { return };
    let story = told(&january, &june, true);
    for archive in [false, true] {
        assert_eq!(check(&story, archive), Ok(()));
    }
    let copy = told(&january, &june, false);
    for archive in [false, true] {
        let wrong = check(&copy, archive).unwrap_err();
        assert_eq!(wrong, "3 instructions are in force now", "without the closure the check fails");
    }
    story.ledger.close().unwrap();
    copy.ledger.close().unwrap();
}
