//! What waits for persons.

use memledger::format::{Layer, MemoryId, Seq, Trust, Verdict};
use memledger::life::Concern;
use memledger::{Command, ErrorKind, Proposal, Status, Submission};

use crate::bench::{Bench, HOUR, NOON, by_terms, proposal, value};

const TWO: &str = "format = 1\n[[approvals]]\nlayer = \"project\"\npersons = 2\nby = [\"agent\", \"person\"]\n[[approvals]]\nlayer = \"day\"\npersons = 1\n";

fn lesson(text: &str, by: &str) -> Proposal {
    let mut lesson = proposal(text, by);
    lesson.layer = Some(Layer::Project);
    lesson
}

fn waits(bench: &Bench, proposal: Proposal) -> (Seq, MemoryId) {
    let done = bench.write(proposal);
    assert_eq!(done.verdict, Verdict::Pending, "{done:?}");
    (done.seq, done.id.unwrap())
}

fn decide(bench: &Bench, seq: Seq, approve: bool, by: &str) -> Result<(), ErrorKind> {
    let reason = Some("read it".to_owned());
    let done = bench.ledger.decide_pending(seq, approve, &by_terms(by), &reason);
    done.map(|_| ()).map_err(|error| error.kind())
}

fn pending(bench: &Bench) -> usize {
    bench.ledger.snapshot(&bench.question(None)).unwrap().pending().unwrap().len()
}

#[test]
fn two_others_have_to_agree_and_only_then_is_anything_closed() {
    let bench = Bench::new();
    let old = bench.says("Deploys need one person", |p| p.layer = Some(Layer::Project));
    bench.ledger.set_policy(TWO, None, None).unwrap();
    let mut new = lesson("Deploys need two people", "person:ada");
    new.supersedes = vec![old];
    let (seq, id) = waits(&bench, new);
    assert_eq!(bench.listed(None), [old], "what waits is in no listing");
    assert_eq!(bench.status(old), Status::Open);
    let refused = Err(ErrorKind::Refused);
    assert_eq!(decide(&bench, seq, true, "agent:coder"), refused, "agents do not approve");
    assert_eq!(decide(&bench, seq, true, "service:sync"), refused);
    assert_eq!(decide(&bench, seq, true, "person:ada"), refused, "nor does the writer");
    assert_eq!(decide(&bench, seq, true, "person:ben"), Ok(()));
    assert_eq!((bench.status(id), bench.status(old)), (Status::Pending, Status::Open));
    assert_eq!(decide(&bench, seq, true, "person:ben"), refused, "nobody counts twice");
    let bench = bench.reopened();
    assert_eq!(decide(&bench, seq, true, "person:ben"), refused, "nor after an opening");
    {
        let snapshot = bench.ledger.snapshot(&bench.question(None)).unwrap();
        let waiting = snapshot.pending().unwrap();
        assert_eq!((waiting[0].persons, waiting[0].agreed[0].name.as_str()), (2, "ben"));
    }
    let before = Seq(bench.size() - 1);
    assert_eq!(decide(&bench, seq, true, "person:cleo"), Ok(()));
    assert_eq!((bench.listed(None), pending(&bench)), (vec![id], 0));
    assert_eq!(bench.status(old), Status::Closed);
    assert_eq!(bench.status_at(id, before), Status::Pending);
    let snapshot = bench.ledger.snapshot(&bench.question(None)).unwrap();
    assert_eq!(snapshot.get(&id).unwrap().unwrap().trust, Trust::Approved);
    assert_eq!(decide(&bench, seq, true, "person:dora"), Err(ErrorKind::NotFound));
}

#[test]
fn what_is_rejected_closes_nothing_and_never_shows() {
    let bench = Bench::new();
    let old = bench.says("Deploys need one person", |p| p.layer = Some(Layer::Project));
    bench.ledger.set_policy(TWO, None, None).unwrap();
    let mut new = lesson("Deploys need nobody", "agent:coder");
    new.supersedes = vec![old];
    let (seq, id) = waits(&bench, new);
    assert_eq!(decide(&bench, seq, false, "agent:coder"), Err(ErrorKind::Refused));
    assert_eq!(decide(&bench, seq, false, "person:ben"), Ok(()));
    assert_eq!((bench.listed(None), bench.status(id)), (vec![old], Status::Closed));
}

#[test]
fn a_slot_that_went_on_while_a_value_waited_keeps_one_value() {
    let bench = Bench::new();
    bench.ledger.set_policy(TWO, None, None).unwrap();
    let first = bench.write(value("green", "person:ada", None)).id.unwrap();
    bench.at(NOON + HOUR);
    let (early, waited) = waits(&bench, value("red", "agent:coder", None));
    bench.at(NOON + 2 * HOUR);
    let newest = bench.write(value("blue", "person:ada", None)).id.unwrap();
    decide(&bench, early, true, "person:ben").unwrap();
    assert_eq!(bench.listed(None), [newest]);
    assert_eq!(bench.listed(Some(NOON + HOUR)), [waited]);
    assert_eq!(bench.listed(Some(NOON)), [first]);
}

#[test]
fn only_a_person_promotes_to_what_lasts() {
    let bench = Bench::new();
    let id = bench.says("The cache is cold on Mondays", |p| p.layer = Some(Layer::Session));
    let promote = || Command::Rank {
        memory: id,
        trust: None,
        layer: Some(Layer::Project),
        up: true,
        reason: Some("came back".to_owned()),
    };
    let try_by = |by: &str| bench.ledger.submit(Submission::of(promote(), by_terms(by)));
    assert_eq!(try_by("agent:coder").unwrap_err().kind(), ErrorKind::Refused);
    assert!(try_by("person:ada").is_ok());
}

#[test]
fn a_review_lists_what_needs_a_person_and_why() {
    let bench = Bench::new();
    let unused = bench.says("The door sticks", |_| {});
    let used = bench.says("The key is with Ada", |_| {});
    let source = bench.says("Fares rise in May", |_| {});
    let stale = bench.says("Book before May", |p| p.derived_from = vec![source]);
    let gone = Command::Close {
        memory: source,
        kind: memledger::format::CloseKind::Wrong,
        from: None,
        until: None,
        replaced_by: None,
        reason: None,
    };
    let contest = Command::Contest { memories: vec![unused, used], reason: None };
    let used_now = Command::Use { memories: vec![used, stale], reason: None };
    bench.submit(vec![gone, used_now], "agent:coder");
    bench.ledger.set_policy(TWO, None, None).unwrap();
    let (_, waiting) = waits(&bench, lesson("Wait for me", "agent:coder"));
    let review = |bench: &Bench| -> Vec<(MemoryId, Vec<Concern>)> {
        let snapshot = bench.ledger.snapshot(&bench.question(None)).unwrap();
        let all = snapshot.review(&"org/acme".parse().unwrap()).unwrap();
        assert!(snapshot.review(&"org/other".parse().unwrap()).unwrap().is_empty());
        all.into_iter().map(|one| (one.item.id, one.concerns)).collect()
    };
    assert_eq!(review(&bench), [(waiting, vec![Concern::Pending]), (stale, vec![Concern::Stale]),]);
    bench.submit(vec![contest], "person:ada");
    assert_eq!(review(&bench)[1], (unused, vec![Concern::Contested]));
    bench.at(NOON + 91 * 24 * HOUR);
    let late = [Concern::Contested, Concern::ReviewDue, Concern::Unused];
    let found = review(&bench);
    assert!(found.contains(&(unused, late.to_vec())), "{found:?}");
    assert!(found.contains(&(used, late[..2].to_vec())), "{found:?}");
}
