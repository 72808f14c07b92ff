//! The write gate through the facade: what is refused leaves no word, what is there already is named,
//! what a person put away stays away, and every verdict names its policy.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::path::{Path, PathBuf};

use memledger::civil::When;
use memledger::format::{CloseKind, Layer, MemoryId, SourceKind, Trust, Verdict};
use memledger::{
    Actor, Command, Content, ErrorKind, Filter, InitOptions, Ledger, MasterEnv, OpenOptions,
    Outcome, Proposal, Question, Source, Submission, Terms,
};

const SECRET: &str = "deploy with AKIAZ7QH2XW4NB5LKD6P and nothing else";

struct Fixture {
    _dir: tempfile::TempDir,
    path: PathBuf,
}

fn master(path: &Path) -> MasterEnv {
    MasterEnv { key_dir: path.parent().map(|dir| dir.join("keys")), ..MasterEnv::default() }
}

fn made() -> (Fixture, Ledger) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger");
    let options = InitOptions { master: master(&path), ..InitOptions::default() };
    let ledger = Ledger::init(&path, options).unwrap().ledger;
    (Fixture { _dir: dir, path }, ledger)
}

impl Fixture {
    fn open(&self) -> Ledger {
        let options = OpenOptions { master: master(&self.path), ..OpenOptions::default() };
        Ledger::open(&self.path, options).unwrap()
    }
}

fn proposal(text: &str, by: &str, source: SourceKind) -> Proposal {
    let mut proposal =
        Proposal::new(Content::Text(text.to_owned()), "org/acme/project/web".parse().unwrap());
    proposal.by = Some(by.parse::<Actor>().unwrap());
    proposal.source = Some(Source { kind: source, uri: "somewhere#1".to_owned() });
    proposal
}

fn write(ledger: &Ledger, proposal: Proposal) -> Outcome {
    let submission = Submission::of(Command::Write(Box::new(proposal)), Terms::default());
    ledger.submit(submission).unwrap().pop().unwrap()
}

fn agent(ledger: &Ledger, text: &str) -> Outcome {
    write(ledger, proposal(text, "agent:coder", SourceKind::Chat))
}

fn person(ledger: &Ledger, text: &str) -> Outcome {
    write(ledger, proposal(text, "person:priya", SourceKind::Chat))
}

fn listed(ledger: &Ledger) -> usize {
    let snapshot = ledger.snapshot(&Question::now(ledger.zone())).unwrap();
    snapshot.list(&Filter { limit: 100, ..Filter::default() }).unwrap().items.len()
}

fn close(ledger: &Ledger, memory: MemoryId, by: &str) {
    let command = Command::Close {
        memory,
        kind: CloseKind::Changed,
        from: None,
        until: None,
        replaced_by: None,
        reason: Some("not any more".to_owned()),
    };
    let terms = Terms { by: Some(by.parse().unwrap()), ..Terms::default() };
    ledger.submit(Submission::of(command, terms)).unwrap();
}

#[test]
fn a_refusal_is_on_record_and_keeps_no_word() {
    let (fixture, ledger) = made();
    let refused = agent(&ledger, SECRET);
    assert_eq!(refused.verdict, Verdict::Refused);
    assert!(refused.reason.as_ref().unwrap().contains("secret"), "{refused:?}");
    assert_eq!((refused.id, refused.trust), (None, None));
    let entry = ledger.show(refused.seq).unwrap().unwrap();
    assert_eq!((entry.event.as_str(), entry.payloads.len()), ("verdict", 0));
    assert_eq!(listed(&ledger), 0);
    ledger.close().unwrap();
    let reopened = fixture.open();
    assert_eq!(listed(&reopened), 0);
}

#[test]
fn what_goes_with_a_refusal_is_not_recorded_either() {
    let (_fixture, ledger) = made();
    let kept = agent(&ledger, "Use pnpm in this project").id.unwrap();
    let good = proposal("The office closes at six", "agent:coder", SourceKind::Chat);
    let bad = proposal(SECRET, "agent:coder", SourceKind::Chat);
    let commands = vec![
        Command::Write(Box::new(good.clone())),
        Command::Pin { memory: kept, set: true },
        Command::Write(Box::new(bad)),
    ];
    let terms = Terms { idempotency_key: Some("once".to_owned()), ..Terms::default() };
    let submission = Submission { commands, terms };
    let first = ledger.submit(submission.clone()).unwrap();
    let verdicts: Vec<_> = first.iter().map(|outcome| outcome.verdict).collect();
    assert_eq!(verdicts, [Verdict::Refused; 3]);
    assert!(first[0].reason.as_ref().unwrap().contains("together"), "{first:?}");
    assert!(first[2].reason.as_ref().unwrap().contains("secret"), "{first:?}");
    assert_eq!(listed(&ledger), 1);
    let again = ledger.submit(submission).unwrap();
    assert!(again.iter().all(|outcome| outcome.repeated), "a retry appends nothing");
    let seqs = |outcomes: &[Outcome]| outcomes.iter().map(|one| one.seq).collect::<Vec<_>>();
    assert_eq!(seqs(&again), seqs(&first));
    let alone = write(&ledger, good);
    assert_eq!(alone.verdict, Verdict::Committed);
}

#[test]
fn the_same_again_names_the_first_one_whatever_is_saved() {
    let (fixture, ledger) = made();
    let first = agent(&ledger, "Use pnpm in this project.");
    let again = agent(&ledger, "use  PNPM in this project");
    assert_eq!((again.verdict, again.id), (Verdict::Duplicate, first.id));
    assert_eq!(ledger.show(again.seq).unwrap().unwrap().payloads.len(), 0);
    ledger.close().unwrap();
    let reopened = fixture.open();
    assert_eq!(agent(&reopened, "Use pnpm in this project!").id, first.id);
    reopened.close().unwrap();
    std::fs::remove_dir_all(fixture.path.join("views")).unwrap();
    let rebuilt = fixture.open();
    let third = agent(&rebuilt, "USE PNPM IN THIS PROJECT");
    assert_eq!((third.verdict, third.id), (Verdict::Duplicate, first.id));
    assert_eq!(listed(&rebuilt), 1);
}

#[test]
fn what_only_looks_the_same_is_told_apart() {
    let (_fixture, ledger) = made();
    let plain = || proposal("Prefers tea to coffee", "agent:coder", SourceKind::Chat);
    assert_eq!(write(&ledger, plain()).verdict, Verdict::Committed);
    let mut others = vec![plain(), plain(), plain(), plain()];
    others[0].subjects = vec!["ada".to_owned()];
    others[1].scope = "org/acme/project/api".parse().unwrap();
    others[2].layer = Some(Layer::Session);
    others[3].key = Some("drink".to_owned());
    for other in others {
        assert_eq!(write(&ledger, other.clone()).verdict, Verdict::Committed, "{other:?}");
        assert_eq!(write(&ledger, other.clone()).verdict, Verdict::Duplicate, "{other:?}");
    }
    assert_eq!(agent(&ledger, "Prefers coffee to tea").verdict, Verdict::Committed);
}

#[test]
fn a_correction_is_no_duplicate_and_comes_back_once() {
    let (_fixture, ledger) = made();
    let first = person(&ledger, "Install with npm").id.unwrap();
    let mut second = proposal("Install with pnpm", "person:priya", SourceKind::Chat);
    second.supersedes = vec![first];
    let second = write(&ledger, second).id.unwrap();
    let mut third = proposal("Install with npm", "person:priya", SourceKind::Chat);
    third.supersedes = vec![second];
    assert_eq!(write(&ledger, third).verdict, Verdict::Committed);
    assert_eq!(listed(&ledger), 1, "A, B, A leaves one");
}

#[test]
fn what_a_person_put_away_is_not_derived_again() {
    let (_fixture, ledger) = made();
    let text = "Customers may bring two bags";
    let first = agent(&ledger, text).id.unwrap();
    close(&ledger, first, "agent:coder");
    let second = agent(&ledger, text);
    assert_eq!(second.verdict, Verdict::Committed, "an agent's closing binds nobody");
    close(&ledger, second.id.unwrap(), "person:priya");
    let third = agent(&ledger, text);
    assert_eq!(third.verdict, Verdict::Refused);
    assert!(third.reason.unwrap().contains("closed by a person"));
    let anew = person(&ledger, text);
    assert_eq!(anew.verdict, Verdict::Committed, "a person's new word is a new memory");
}

#[test]
fn a_policy_counts_from_its_record_on_and_for_whoever_opens_next() {
    let (fixture, ledger) = made();
    let before = agent(&ledger, "The build needs Node 22");
    assert_eq!((before.policy_version, before.trust), (0, Some(Trust::Unverified)));
    let text = "format = 1\n[trust]\nchat = \"draft\"\n";
    let by: Actor = "person:lead".parse().unwrap();
    let done = ledger.set_policy(text, Some(by.clone()), Some("chats are hearsay")).unwrap();
    assert_eq!((done.version, done.previous), (1, 0));
    let after = agent(&ledger, "The build needs Rust too");
    assert_eq!((after.policy_version, after.trust), (1, Some(Trust::Draft)));
    ledger.close().unwrap();
    let reopened = fixture.open();
    let next = agent(&reopened, "The build needs Python as well");
    assert_eq!((next.policy_version, next.trust), (1, Some(Trust::Draft)));
    let now = reopened.policy(&Question::now(reopened.zone())).unwrap();
    assert_eq!((now.version, now.since, now.text.as_str()), (1, Some(done.outcome.seq), text));
    let then = Question { known: When::Seq(before.seq.0), ..Question::now(reopened.zone()) };
    assert_eq!(reopened.policy(&then).unwrap().version, 0);
    assert_eq!(reopened.show(done.outcome.seq).unwrap().unwrap().by, Some(by));
    let built_in = reopened.policy_version(0).unwrap();
    reopened.set_policy(&built_in.text, None, None).unwrap();
    assert_eq!(agent(&reopened, "And a C compiler").trust, Some(Trust::Unverified));
    assert_eq!(reopened.policy_version(1).unwrap().text, text);
    assert_eq!(reopened.policy_version(7).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn what_is_no_policy_is_not_set() {
    let (_fixture, ledger) = made();
    let size = ledger.status().unwrap().size;
    let error = ledger.set_policy("format = 1\nspeed = 2", None, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("line 2"), "{error}");
    ledger.set_policy("format = 1", None, None).unwrap();
    let same = ledger.set_policy("format = 1", None, None).unwrap_err();
    assert_eq!(same.kind(), ErrorKind::Conflict);
    assert!(ledger.status().unwrap().size <= size + 3, "an epoch, a suite and one policy");
}
