//! Tasks.

use memledger::ErrorKind;
use memledger::civil::When;
use memledger::format::{BodyType, Layer, Outcome, Seq, SourceKind};
use memledger::{Content, Proposal, Question, Source, Status, Terms};

use crate::bench::{Bench, SCOPE, by_terms, proposal};

fn start(bench: &Bench, name: &str, parent: Option<&str>) -> Seq {
    let scope = SCOPE.parse().unwrap();
    bench.ledger.start_task(name, parent, &scope, &by_terms("person:priya")).unwrap().seq
}

fn end(bench: &Bench, name: &str) -> Seq {
    let reason = Some("done".to_owned());
    let terms = by_terms("person:priya");
    let (_, done) = bench.ledger.end_task(name, Outcome::Ok, &terms, &reason).unwrap();
    done.last().unwrap().seq
}

fn order(text: &str, task: &str) -> Proposal {
    let mut order = proposal(text, "person:priya");
    order.body = Some(BodyType::Instruction);
    order.content = Content::Body(serde_json::json!({ "text": text }));
    order.source = Some(Source { kind: SourceKind::Chat, uri: "c#1".to_owned() });
    order.task = Some(task.to_owned());
    order
}

fn tasks(bench: &Bench, known: When) -> Vec<(String, bool)> {
    let ask = |from_archive| {
        let question = Question { known, from_archive, ..bench.question(None) };
        bench.ledger.snapshot(&question).unwrap().tasks().unwrap()
    };
    assert_eq!(ask(false), ask(true), "views and archive");
    ask(false).into_iter().map(|task| (task.name, task.ended.is_some())).collect()
}

#[test]
fn what_was_for_a_task_steps_aside_when_it_ends_and_no_earlier() {
    let bench = Bench::new();
    let begun = start(&bench, "fix the build", None);
    let session = |p: &mut Proposal| {
        (p.layer, p.task) = (Some(Layer::Session), Some("fix the build".to_owned()));
    };
    let context = bench.says("The log of run 7 is open", session);
    let order = bench.write(order("Only touch the web package", "fix the build"));
    let order = order.id.unwrap();
    let lesson = bench.says("The cache is keyed by the lock file", |p| {
        p.task = Some("fix the build".to_owned());
    });
    let other = bench.says("Another desk works here", |p| p.layer = Some(Layer::Session));
    let before = Seq(bench.size() - 1);
    let ended = end(&bench, "fix the build");
    assert_eq!(bench.status(context), Status::Expired);
    assert_eq!(bench.status(order), Status::Expired);
    assert_eq!(bench.status(lesson), Status::Open, "what was learned stays");
    assert_eq!(bench.status(other), Status::Open, "no task of its own");
    assert_eq!(bench.status_at(context, before), Status::Open);
    assert_eq!(bench.status_at(order, ended), Status::Expired);
    let named = |ended| vec![("fix the build".to_owned(), ended)];
    assert_eq!(tasks(&bench, When::Seq(begun.0)), named(false));
    assert_eq!(tasks(&bench, When::Head), named(true));
    let bench = bench.reopened();
    assert_eq!(bench.status(context), Status::Expired);
    assert_eq!(bench.listed(None), [lesson, other]);
}

#[test]
fn a_task_inside_another_ends_with_it() {
    let bench = Bench::new();
    start(&bench, "release", None);
    start(&bench, "notes", Some("release"));
    start(&bench, "typos", Some("notes"));
    start(&bench, "elsewhere", None);
    let order = bench.write(order("British spelling", "typos")).id.unwrap();
    let ended = end(&bench, "release");
    assert_eq!(bench.status(order), Status::Expired);
    let open: Vec<String> = tasks(&bench, When::Head)
        .into_iter()
        .filter(|(_, ended)| !ended)
        .map(|(name, _)| name)
        .collect();
    assert_eq!(open, ["elsewhere"]);
    let history = {
        let snapshot = bench.ledger.snapshot(&bench.question(None)).unwrap();
        snapshot.history(&order).unwrap()
    };
    assert_eq!(history.last().unwrap().event, "expire");
    assert_eq!(history.last().unwrap().seq, ended);
}

#[test]
fn a_task_is_begun_before_it_is_named_and_ends_once() {
    let bench = Bench::new();
    let mut early = proposal("Too early", "agent:coder");
    early.task = Some("later".to_owned());
    let submit = |proposal: &Proposal| {
        let command = memledger::Command::Write(Box::new(proposal.clone()));
        bench.ledger.submit(memledger::Submission::of(command, Terms::default()))
    };
    let size = bench.size();
    assert_eq!(submit(&early).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(bench.size(), size, "nothing was recorded");
    start(&bench, "later", None);
    let scope = SCOPE.parse().unwrap();
    let again = bench.ledger.start_task("later", None, &scope, &Terms::default()).unwrap_err();
    assert_eq!(again.kind(), ErrorKind::Conflict);
    submit(&early).unwrap();
    end(&bench, "later");
    let mut late = early.clone();
    late.content = Content::Text("Too late".to_owned());
    assert_eq!(submit(&late).unwrap_err().kind(), ErrorKind::Conflict);
    let twice = bench.ledger.end_task("later", Outcome::Ok, &Terms::default(), &None);
    assert_eq!(twice.unwrap_err().kind(), ErrorKind::Conflict);
    let parent = bench.ledger.start_task("child", Some("later"), &scope, &Terms::default());
    assert_eq!(parent.unwrap_err().kind(), ErrorKind::Conflict);
    let nobody = bench.ledger.end_task("nobody", Outcome::Ok, &Terms::default(), &None);
    assert_eq!(nobody.unwrap_err().kind(), ErrorKind::NotFound);
    start(&bench, "later", None);
    assert!(submit(&late).is_ok(), "begun again");
}
