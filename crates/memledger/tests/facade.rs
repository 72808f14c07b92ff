//! The facade end to end, in a directory of its own.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::path::Path;
use std::sync::Arc;

use memledger::answer::Text;
use memledger::civil::{When, Zone};
use memledger::clock::DeclaredClock;
use memledger::format::{CloseKind, MemoryId, Micros};
use memledger::verify::{CheckVerdict, VerifyLevel};
use memledger::{
    Command, Content, ErrorKind, Filter, InitOptions, Ledger, MasterEnv, OpenOptions, Proposal,
    Question, Scope, Status, Submission, Terms,
};

const DAY: i64 = 86_400_000_000;

struct World {
    dir: tempfile::TempDir,
    clock: Arc<DeclaredClock>,
}

impl World {
    fn new() -> (Self, Ledger) {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(DeclaredClock::new(Micros(20_000 * DAY)));
        let master = keys_in(dir.path());
        let options = InitOptions { clock: clock.clone(), master, ..InitOptions::default() };
        let created = Ledger::init(&dir.path().join("ledger"), options).unwrap();
        (Self { dir, clock }, created.ledger)
    }

    fn path(&self) -> std::path::PathBuf {
        self.dir.path().join("ledger")
    }

    fn open(&self) -> Ledger {
        Ledger::open(&self.path(), self.options()).unwrap()
    }

    fn options(&self) -> OpenOptions {
        let master = keys_in(self.dir.path());
        OpenOptions { clock: self.clock.clone(), master, ..OpenOptions::default() }
    }

    fn day(&self, day: i64) {
        self.clock.set(Micros((20_000 + day) * DAY));
    }
}

/// The master key goes with the test.
fn keys_in(dir: &Path) -> MasterEnv {
    MasterEnv { key_dir: Some(dir.join("keys")), ..MasterEnv::default() }
}

fn write(ledger: &Ledger, text: &str, change: impl FnOnce(&mut Proposal)) -> MemoryId {
    let scope: Scope = "org/acme/project/web".parse().unwrap();
    let mut proposal = Proposal::new(Content::Text(text.into()), scope);
    proposal.source = Some("chat:2026-01-12#4".parse().unwrap());
    change(&mut proposal);
    let submission = Submission::of(Command::Write(Box::new(proposal)), Terms::default());
    ledger.submit(submission).unwrap()[0].id.unwrap()
}

fn at(when: When, from_archive: bool) -> Question {
    Question { known: when, from_archive, ..Question::now(Zone::UTC) }
}

fn texts(ledger: &Ledger, question: &Question) -> Vec<String> {
    let listing = ledger.snapshot(question).unwrap().list(&Filter::default()).unwrap();
    let words = |text: Text| match text {
        Text::Words(words) => words,
        other => panic!("{other:?}"),
    };
    listing.items.into_iter().map(|item| words(item.text)).collect()
}

#[test]
fn a_superseded_memory_is_known_before_and_closed_after() {
    let (world, ledger) = World::new();
    let npm = write(&ledger, "Install with npm", |_| ());
    world.day(30);
    let pnpm = write(&ledger, "Install with pnpm", |p| p.supersedes = vec![npm]);
    world.day(31);
    for from_archive in [false, true] {
        let then = at(When::Instant(Micros(20_010 * DAY)), from_archive);
        assert_eq!(texts(&ledger, &then), ["Install with npm"]);
        let now = at(When::Head, from_archive);
        assert_eq!(texts(&ledger, &now), ["Install with pnpm"]);
        let before = at(When::Instant(Micros(19_000 * DAY)), from_archive);
        assert!(texts(&ledger, &before).is_empty());
        let snapshot = ledger.snapshot(&now).unwrap();
        let item = snapshot.get(&npm).unwrap().unwrap();
        assert_eq!(item.status, Status::Closed);
        assert_eq!(item.closed.unwrap().superseded_by, Some(pnpm));
        assert_eq!(snapshot.history(&npm).unwrap().len(), 2);
    }
    let report = ledger.verify(VerifyLevel::Views, &|_, _, _| {}).unwrap();
    assert_eq!(report.verdict(), CheckVerdict::Ok, "{report:#?}");
    ledger.close().unwrap();
    let again = world.open();
    assert_eq!(again.notices(), &[] as &[String]);
    assert_eq!(texts(&again, &at(When::Head, false)), ["Install with pnpm"]);
    again.close().unwrap();
}

#[test]
fn closing_reopening_and_conflicts() {
    let (world, ledger) = World::new();
    let fare = write(&ledger, "Refund within 90 days", |_| ());
    let close = |kind| Command::Close {
        memory: fare,
        kind,
        from: None,
        until: None,
        replaced_by: None,
        reason: Some("the rule was changed".into()),
    };
    world.day(1);
    ledger.submit(Submission::of(close(CloseKind::Changed), Terms::default())).unwrap();
    let again = ledger.submit(Submission::of(close(CloseKind::Changed), Terms::default()));
    assert_eq!(again.unwrap_err().kind(), ErrorKind::Conflict);
    world.day(2);
    let reopen = Command::Reopen { memory: fare, from: None, until: None, reason: None };
    ledger.submit(Submission::of(reopen, Terms::default())).unwrap();
    let gap = Question {
        valid: Some(When::Instant(Micros(20_001 * DAY + DAY / 2))),
        ..at(When::Head, false)
    };
    assert!(texts(&ledger, &gap).is_empty(), "the gap stays a gap");
    assert_eq!(texts(&ledger, &at(When::Head, false)), ["Refund within 90 days"]);
    ledger.close().unwrap();
}

#[test]
fn times_of_superseding_need_something_superseded() {
    let (_world, ledger) = World::new();
    for (from, until) in [(Some(Micros(1)), None), (None, Some(Micros(2)))] {
        let mut proposal = Proposal::new(Content::Text("a".into()), Scope::root());
        (proposal.supersede_from, proposal.supersede_until) = (from, until);
        let command = Command::Write(Box::new(proposal));
        let refused = ledger.submit(Submission::of(command, Terms::default())).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Invalid);
        assert!(refused.to_string().contains("supersedes"), "{refused}");
    }
    ledger.close().unwrap();
}

/// One snapshot asked about many valid times says what a new one says about each.
#[test]
fn a_snapshot_can_be_asked_about_many_valid_times() {
    let (world, ledger) = World::new();
    let scopes = ["org/acme/project/web", "org/acme", "org/acme/project/web/user/a", "org/b"];
    let mut last: Option<MemoryId> = None;
    for number in 0..12_i64 {
        world.day(number);
        let id = write(&ledger, &format!("text {number}"), |proposal| {
            proposal.scope = scopes[usize::try_from(number).unwrap() % 4].parse().unwrap();
            proposal.valid_from = Some(Micros((number % 5) * DAY));
            proposal.valid_until = (number % 3 == 0).then_some(Micros((number % 5 + 2) * DAY));
        });
        if let Some(memory) = last.take_if(|_| number % 4 == 2) {
            let (from, until) = (Some(Micros(4 * DAY)), Some(Micros(5 * DAY)));
            let kind = CloseKind::Changed;
            let close =
                Command::Close { memory, kind, from, until, replaced_by: None, reason: None };
            ledger.submit(Submission::of(close, Terms::default())).unwrap();
        }
        last = Some(id);
    }
    let filters = ["/", "org/acme", "org/acme/project/web", "org/none"];
    let mut seen = 0;
    for (from_archive, claimed) in [(false, false), (true, false), (false, true), (true, true)] {
        let question = Question { claimed, ..at(When::Head, from_archive) };
        let mut snapshot = ledger.snapshot(&question).unwrap();
        for day in 0..9 {
            let valid = Micros(day * DAY);
            snapshot = snapshot.valid_at(valid);
            let question = Question { valid: Some(When::Instant(valid)), ..question.clone() };
            let fresh = ledger.snapshot(&question).unwrap();
            for filter in filters {
                let filter = Filter { scope: filter.parse().unwrap(), ..Filter::default() };
                let listing = fresh.list(&filter).unwrap();
                assert_eq!(snapshot.list(&filter).unwrap(), listing);
                let ids: Vec<MemoryId> = listing.items.iter().map(|item| item.id).collect();
                assert_eq!(snapshot.ids(&filter).unwrap(), ids);
                let limited = Filter { limit: 2, ..filter };
                assert_eq!(fresh.ids(&limited).unwrap(), ids[..ids.len().min(2)]);
                seen += ids.len();
            }
        }
    }
    assert!(seen > 200, "{seen}");
    ledger.close().unwrap();
}

#[test]
fn a_claimed_closure_counts_where_a_later_claim_hides_it() {
    let (world, ledger) = World::new();
    let claimed = |day: i64| Terms { claimed_at: Some(Micros(day * DAY)), ..Terms::default() };
    let mut proposal = Proposal::new(Content::Text("Refund within 90 days".into()), Scope::root());
    proposal.valid_from = Some(Micros(DAY));
    let write = Submission::of(Command::Write(Box::new(proposal)), claimed(1));
    let fare = ledger.submit(write).unwrap()[0].id.unwrap();
    let close = || Command::Close {
        memory: fare,
        kind: CloseKind::Changed,
        from: Some(Micros(5 * DAY)),
        until: None,
        replaced_by: None,
        reason: None,
    };
    let reopen = || Command::Reopen {
        memory: fare,
        from: Some(Micros(2 * DAY)),
        until: Some(Micros(3 * DAY)),
        reason: None,
    };
    let submit = |command, terms| ledger.submit(Submission::of(command, terms));
    submit(close(), claimed(20)).unwrap();
    for command in [close(), reopen()] {
        let refused = submit(command, Terms::default()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Conflict, "{refused}");
    }
    // Nothing changes at the head, and much on the claimed axis between the two claims.
    submit(close(), claimed(10)).unwrap();
    submit(reopen(), claimed(10)).unwrap();
    world.day(1);
    for from_archive in [false, true] {
        for (day, holds) in [(9, true), (10, false), (15, false), (20, false)] {
            let question = Question {
                valid: Some(When::Instant(Micros(6 * DAY))),
                claimed: true,
                ..at(When::Instant(Micros(day * DAY)), from_archive)
            };
            assert_eq!(texts(&ledger, &question).len(), usize::from(holds), "claimed on day {day}");
        }
        let recorded = Question {
            valid: Some(When::Instant(Micros(2 * DAY))),
            ..at(When::Head, from_archive)
        };
        assert_eq!(texts(&ledger, &recorded), ["Refund within 90 days"]);
    }
    ledger.close().unwrap();
}

#[test]
fn an_idempotency_key_gives_the_first_result_again() {
    let (world, ledger) = World::new();
    let submit = |ledger: &Ledger, text: &str| {
        let proposal = Proposal::new(Content::Text(text.into()), Scope::root());
        let terms = Terms { idempotency_key: Some("event-7".into()), ..Terms::default() };
        ledger.submit(Submission::of(Command::Write(Box::new(proposal)), terms))
    };
    let first = submit(&ledger, "once").unwrap().remove(0);
    let second = submit(&ledger, "once").unwrap().remove(0);
    assert_eq!((first.id, first.seq, first.repeated), (second.id, second.seq, false));
    assert!(second.repeated);
    assert_eq!(submit(&ledger, "twice").unwrap_err().kind(), ErrorKind::Conflict);
    ledger.close().unwrap();
    let again = world.open();
    assert_eq!(submit(&again, "once").unwrap()[0].id, first.id, "also in another epoch");
    assert_eq!(again.known_idempotency("event-7").unwrap(), Some(first.seq));
    assert_eq!(again.known_idempotency("event-8").unwrap(), None);
    again.close().unwrap();
}

#[test]
fn a_second_opener_is_told_and_can_read_the_archive() {
    let (world, ledger) = World::new();
    write(&ledger, "one", |_| ());
    let second = Ledger::open(&world.path(), world.options()).unwrap_err();
    assert_eq!(second.kind(), ErrorKind::Conflict);
    assert!(second.to_string().contains(&std::process::id().to_string()), "{second}");
    ledger.close().unwrap();
    let third = world.open();
    let archive = Ledger::open_archive(&world.path(), world.options()).unwrap();
    assert_eq!(texts(&archive, &at(When::Head, false)), ["one"]);
    assert!(!archive.writable());
    third.close().unwrap();
}

#[test]
fn fifty_threads_are_all_recorded() {
    let (world, ledger) = World::new();
    let ledger = &ledger;
    std::thread::scope(|scope| {
        for thread in 0..50 {
            scope.spawn(move || {
                for number in 0..40 {
                    write(ledger, &format!("thread {thread} number {number}"), |_| ());
                }
            });
        }
    });
    assert_eq!(texts(ledger, &at(When::Head, false)).len(), 2_000);
    let _ = world;
}

#[test]
fn deleted_views_are_made_anew_with_the_same_digest() {
    let (world, ledger) = World::new();
    let first = write(&ledger, "first", |p| p.tags = vec!["a".into(), "b".into()]);
    write(&ledger, "second", |p| p.derived_from = vec![first]);
    let digest = ledger.status().unwrap().views_digest;
    ledger.close().unwrap();
    std::fs::remove_dir_all(world.path().join("views")).unwrap();
    let again = world.open();
    assert_eq!(again.status().unwrap().views_digest, digest);
    assert_eq!(texts(&again, &at(When::Head, false)), ["first", "second"]);
    again.close().unwrap();
}

#[test]
fn a_whole_ledger_is_carried_and_a_second_time_appends_nothing() {
    let (world, ledger) = World::new();
    write(&ledger, "carried", |_| ());
    let records: Vec<_> = ledger.records(memledger::format::Seq(0), true).collect();
    ledger.close().unwrap();
    let copy = world.dir.path().join("copy");
    let carry = |dir: &Path| {
        let mut all = records.clone().into_iter();
        Ledger::import_records(dir, world.options(), &mut all, &mut |_| {}).unwrap()
    };
    let first = carry(&copy);
    assert_eq!((first.appended, first.present), (records.len() as u64, 0));
    let second = carry(&copy);
    assert_eq!((second.appended, second.present), (0, records.len() as u64));
    let opened = Ledger::open(&copy, world.options()).unwrap();
    assert_eq!(texts(&opened, &at(When::Head, false)), ["carried"]);
    let again: Vec<_> = opened.records(memledger::format::Seq(0), true).collect();
    assert_eq!(again, records, "byte for byte");
    opened.close().unwrap();
}
