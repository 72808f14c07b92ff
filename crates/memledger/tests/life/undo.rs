//! Taking a submission back.

use memledger::civil::When;
use memledger::format::{CloseKind, Layer, MemoryId, Micros, Outcome as TaskOutcome, Seq, Trust};
use memledger::life::{Batch, Plan};
use memledger::{Command, Deadline, Error, ErrorKind, Outcome, Question, Status, Terms};
use proptest::prelude::*;

use crate::bench::{Bench, HOUR, NOON, SCOPE, by_terms, proposal, value};

/// Digest of what stands after a record, by both ways to the past.
fn standing(bench: &Bench, seq: Option<Seq>) -> [u8; 32] {
    let ask = |from_archive| {
        let known = seq.map_or(When::Head, |seq| When::Seq(seq.0));
        let question = Question { known, from_archive, ..bench.question(None) };
        bench.ledger.snapshot(&question).unwrap().standing().unwrap()
    };
    assert_eq!(ask(false), ask(true), "views and archive");
    ask(false)
}

fn plan(bench: &Bench, seq: Seq) -> Result<Plan, Error> {
    bench.ledger.plan_undo(Batch::Seq(seq))
}

/// Takes it back and gives the first record of that.
fn undo(bench: &Bench, seq: Seq) -> Seq {
    let plan = plan(bench, seq).unwrap();
    let reason = Some("a mistake".to_owned());
    let done = bench.ledger.carry_out(&plan, by_terms("person:priya"), reason).unwrap();
    done[0].seq
}

fn head(bench: &Bench) -> Seq {
    Seq(bench.size() - 1)
}

fn close(memory: MemoryId, kind: CloseKind) -> Command {
    let (from, until, replaced_by) = (None, None, None);
    Command::Close { memory, kind, from, until, replaced_by, reason: Some("gone".to_owned()) }
}

fn three(bench: &Bench) -> Vec<MemoryId> {
    let texts =
        ["The office opens at nine", "Run 12 takes four minutes", "Deploys need two people"];
    texts.into_iter().map(|text| bench.says(text, |_| {})).collect()
}

#[test]
fn undo_of_a_batch_gives_the_identical_view_digest() {
    let bench = Bench::new();
    let ids = three(&bench);
    let reason = Some("because".to_owned());
    bench.submit(vec![Command::Pin { memory: ids[2], set: true }], "person:priya");
    let before = (head(&bench), standing(&bench, None));
    let mut correction = proposal("The office opens at eight", "person:priya");
    correction.supersedes = vec![ids[0]];
    let commands = vec![
        Command::Write(Box::new(correction)),
        close(ids[1], CloseKind::Wrong),
        Command::Pin { memory: ids[2], set: false },
        Command::PushDown { memory: ids[2], query: None, evidence: None, reason: reason.clone() },
        Command::Contest { memories: vec![ids[0], ids[2]], reason: reason.clone() },
        Command::Confirm {
            memories: vec![ids[2]],
            ttl_until: Some(Deadline::At(Micros(NOON + HOUR))),
            reason: reason.clone(),
        },
        Command::Rank {
            memory: ids[2],
            trust: Some(Trust::Verified),
            layer: Some(Layer::Project),
            up: true,
            reason,
        },
    ];
    let done = bench.submit(commands, "person:priya");
    let after = standing(&bench, None);
    assert_ne!(after, before.1);
    let undone = undo(&bench, done[3].seq);
    assert_eq!(standing(&bench, None), before.1, "as it was");
    assert_eq!(bench.listed(None), ids);
    assert_eq!(standing(&bench, Some(before.0)), before.1);
    assert_eq!(standing(&bench, Some(done[6].seq)), after, "the past stays what it was");
    let again = undo(&bench, undone);
    assert_eq!(standing(&bench, None), after, "undo of undo");
    undo(&bench, again);
    assert_eq!(standing(&bench, None), before.1);
    let bench = bench.reopened();
    assert_eq!(standing(&bench, None), before.1);
    assert!(bench.ledger.verdicts_again().unwrap().differ.is_empty());
}

#[test]
fn what_is_forgotten_comes_back_with_its_words_and_its_closure() {
    let bench = Bench::new();
    let ids = three(&bench);
    bench.submit(vec![close(ids[1], CloseKind::Changed)], "person:priya");
    let before = standing(&bench, None);
    let forget = Command::Forget { memories: ids.clone(), subject: None, reason: None };
    let done = bench.submit(vec![forget], "person:priya");
    assert!(bench.listed(None).is_empty());
    undo(&bench, done[0].seq);
    assert_eq!(standing(&bench, None), before);
    assert_eq!(bench.listed(None), [ids[0], ids[2]]);
    assert_eq!(bench.status(ids[1]), Status::Closed, "it was closed before it was forgotten");
    let snapshot = bench.ledger.snapshot(&bench.question(None)).unwrap();
    let item = snapshot.get(&ids[1]).unwrap().unwrap();
    assert_eq!(item.closed.unwrap().reason.as_deref(), Some("gone"));
}

#[test]
fn later_records_that_rest_on_it_stand_in_the_way_and_are_named() {
    let bench = Bench::new();
    let ids = three(&bench);
    let closed = bench.submit(vec![close(ids[0], CloseKind::Changed)], "person:priya")[0].seq;
    let reopen = Command::Reopen { memory: ids[0], from: None, until: None, reason: None };
    bench.at(NOON + HOUR);
    let reopened = bench.submit(vec![reopen], "person:priya")[0].seq;
    let error = plan(&bench, closed).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.to_string().contains(&format!("#{reopened} (reopen)")), "{error}");
    undo(&bench, reopened);
    assert!(plan(&bench, closed).is_err(), "the undo rests on it as well");
    let written = bench.write(proposal("Ada signs off", "agent:coder"));
    let derived = bench.says("Ada decides", |p| p.derived_from = vec![written.id.unwrap()]);
    let error = plan(&bench, written.seq).unwrap_err();
    assert!(error.to_string().contains("(write)"), "{error}");
    let used = Command::Use { memories: vec![written.id.unwrap()], reason: None };
    bench.submit(vec![used], "agent:coder");
    bench.submit(vec![close(derived, CloseKind::Wrong)], "agent:coder");
    undo(&bench, written.seq);
    assert_eq!(bench.status(written.id.unwrap()), Status::Closed, "a use stands in nobody's way");
    let nothing = bench.ledger.plan_undo(Batch::Seq(Seq(9_999))).unwrap_err();
    assert_eq!(nothing.kind(), ErrorKind::NotFound);
    assert_eq!(plan(&bench, Seq(0)).unwrap_err().kind(), ErrorKind::Conflict);
}

#[test]
fn a_plan_holds_for_the_ledger_it_was_made_from() {
    let bench = Bench::new();
    let ids = three(&bench);
    let closed = bench.submit(vec![close(ids[0], CloseKind::Changed)], "person:priya")[0].seq;
    let plan = plan(&bench, closed).unwrap();
    bench.says("Something came in between", |_| {});
    let size = bench.size();
    let late = bench.ledger.carry_out(&plan, Terms::default(), None).unwrap_err();
    assert_eq!(late.kind(), ErrorKind::Conflict);
    assert_eq!(bench.size(), size);
}

#[test]
fn the_end_of_a_task_is_taken_back_with_what_stepped_aside() {
    let bench = Bench::new();
    let scope = SCOPE.parse().unwrap();
    bench.ledger.start_task("fix", None, &scope, &Terms::default()).unwrap();
    let id = bench.says("Run 7 is open", |p| {
        (p.layer, p.task) = (Some(Layer::Session), Some("fix".to_owned()));
    });
    let before = standing(&bench, None);
    let end = || bench.ledger.end_task("fix", TaskOutcome::Failed, &Terms::default(), &None);
    let (_, done) = end().unwrap();
    assert_eq!(bench.status(id), Status::Expired);
    undo(&bench, done[0].seq);
    assert_eq!((bench.status(id), standing(&bench, None)), (Status::Open, before));
    let (plan, _) = end().unwrap();
    assert_eq!(plan.steps.len(), 1, "it is under way again, and ends again");
}

/// One random change, or a batch of them.
#[derive(Clone, Debug)]
enum Do {
    Write(usize, Option<usize>),
    Slot(i64),
    Close(usize, bool, i64),
    Reopen(usize, i64),
    Push(usize),
    Lift(usize),
    Pin(usize, bool),
    Forget(usize, usize),
    Contest(usize, usize),
    Confirm(usize, bool),
    Rank(usize, u8),
    Sweep,
}

fn change() -> impl Strategy<Value = Do> {
    let id = || 0usize..5;
    prop_oneof![
        (0usize..40, prop::option::of(id())).prop_map(|(text, old)| Do::Write(text, old)),
        (0i64..6).prop_map(Do::Slot),
        (id(), any::<bool>(), 0i64..6).prop_map(|(id, wrong, at)| Do::Close(id, wrong, at)),
        (id(), 0i64..6).prop_map(|(id, at)| Do::Reopen(id, at)),
        id().prop_map(Do::Push),
        id().prop_map(Do::Lift),
        (id(), any::<bool>()).prop_map(|(id, set)| Do::Pin(id, set)),
        (id(), id()).prop_map(|(a, b)| Do::Forget(a, b)),
        (id(), id()).prop_map(|(a, b)| Do::Contest(a, b)),
        (id(), any::<bool>()).prop_map(|(id, ends)| Do::Confirm(id, ends)),
        (id(), 1u8..4).prop_map(|(id, trust)| Do::Rank(id, trust)),
        Just(Do::Sweep),
    ]
}

fn command(one: &Do, ids: &[MemoryId]) -> Option<Command> {
    let at = |hours: &i64| Some(Micros(NOON - 6 * HOUR + hours * HOUR));
    let id = |at: &usize| ids[at % ids.len()];
    Some(match one {
        Do::Write(text, old) => {
            let mut new = proposal(&format!("Rule number {text} of the house"), "person:priya");
            new.supersedes = old.iter().map(id).collect();
            Command::Write(Box::new(new))
        }
        Do::Slot(hours) => {
            let mut new = value(&format!("state {hours}"), "person:priya", None);
            new.valid_from = at(hours);
            Command::Write(Box::new(new))
        }
        Do::Close(memory, wrong, hours) => {
            let kind = if *wrong { CloseKind::Wrong } else { CloseKind::Changed };
            let from = at(hours).filter(|_| !wrong);
            let (memory, until) = (id(memory), None);
            Command::Close { memory, kind, from, until, replaced_by: None, reason: None }
        }
        Do::Reopen(memory, hours) => {
            Command::Reopen { memory: id(memory), from: at(hours), until: None, reason: None }
        }
        Do::Push(memory) => {
            let (query, evidence, reason) = (None, None, None);
            Command::PushDown { memory: id(memory), query, evidence, reason }
        }
        Do::Lift(memory) => Command::Lift { memory: id(memory), reason: None },
        Do::Pin(memory, set) => Command::Pin { memory: id(memory), set: *set },
        Do::Forget(a, b) => {
            Command::Forget { memories: vec![id(a), id(b)], subject: None, reason: None }
        }
        Do::Contest(a, b) if id(a) != id(b) => {
            Command::Contest { memories: vec![id(a), id(b)], reason: None }
        }
        Do::Confirm(memory, ends) => {
            let ttl_until = ends.then_some(Deadline::At(Micros(NOON + HOUR)));
            Command::Confirm { memories: vec![id(memory)], ttl_until, reason: None }
        }
        Do::Rank(memory, trust) => {
            let trust = Trust::from_number(*trust);
            Command::Rank { memory: id(memory), trust, layer: None, up: true, reason: None }
        }
        Do::Contest(..) | Do::Sweep => return None,
    })
}

/// Records one submission of them, if the ledger takes it.
fn submit(bench: &Bench, all: &[Do], ids: &[MemoryId]) -> Option<Vec<Outcome>> {
    if let [Do::Sweep, ..] = all {
        let plan = bench.ledger.plan_sweep(None).unwrap();
        return bench.ledger.carry_out(&plan, Terms::default(), None).ok();
    }
    let commands: Vec<Command> = all.iter().filter_map(|one| command(one, ids)).collect();
    let submission = memledger::Submission { commands, terms: by_terms("person:priya") };
    bench.ledger.submit(submission).ok()
}

fn every_submission_can_be_taken_back(batches: &[Vec<Do>]) -> Result<(), TestCaseError> {
    let bench = Bench::new();
    let mut ids = three(&bench);
    for (turn, batch) in batches.iter().enumerate() {
        bench.at(NOON + turn as i64 * HOUR);
        let before = standing(&bench, None);
        let Some(done) = submit(&bench, batch, &ids) else { continue };
        let after = standing(&bench, None);
        match plan(&bench, done[0].seq) {
            Ok(plan) => {
                let terms = by_terms("person:priya");
                let undone = bench.ledger.carry_out(&plan, terms, None).unwrap();
                prop_assert_eq!(standing(&bench, None), before, "undo of {:?}", batch);
                let again = undo(&bench, undone[0].seq);
                prop_assert_eq!(standing(&bench, None), after, "undo of undo of {:?}", batch);
                if turn % 2 == 0 {
                    undo(&bench, again);
                    prop_assert_eq!(standing(&bench, None), before, "a third time: {:?}", batch);
                }
            }
            // Nothing later was recorded, so only what changed nothing has nothing to take back.
            Err(error) => prop_assert_eq!(after, before, "{}: {:?}", error, batch),
        }
        ids.extend(done.iter().filter(|one| one.trust.is_some()).filter_map(|one| one.id));
    }
    prop_assert!(bench.ledger.verdicts_again().unwrap().differ.is_empty());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn property_undo_gives_what_stood_before(
        batches in prop::collection::vec(prop::collection::vec(change(), 1..4), 1..8)
    ) {
        every_submission_can_be_taken_back(&batches)?;
    }
}
