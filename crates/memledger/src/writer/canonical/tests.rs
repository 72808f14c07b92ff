//! Every field that a caller can set makes another request.

use std::collections::HashMap;
use std::time::Duration;

use ledger_format::{BodyType, CloseKind, JobId, Layer, MemoryId, Micros, Seq, Trust};

use super::bytes;
use crate::command::{Command, Content, Deadline, Proposal, Submission, Terms};
use crate::scope::Scope;

const AT: Option<Micros> = Some(Micros(7));
const ONE: MemoryId = MemoryId([1; 16]);
const OTHER: MemoryId = MemoryId([2; 16]);

fn of(command: Command) -> Vec<u8> {
    bytes(&Submission::of(command, Terms::default()))
}

fn text(text: &str) -> Proposal {
    Proposal::new(Content::Text(text.to_owned()), Scope::root())
}

fn all_different(named: Vec<(&str, Vec<u8>)>) {
    let mut seen: HashMap<Vec<u8>, &str> = HashMap::new();
    for (name, bytes) in named {
        if let Some(other) = seen.insert(bytes, name) {
            panic!("{name} says the same as {other}");
        }
    }
}

#[test]
fn every_field_of_a_proposal_counts() {
    type Set = fn(&mut Proposal);
    let fact = |parts: [&str; 3]| {
        let [subject, predicate, object] = parts.map(str::to_owned);
        Content::Fact { subject, predicate, object }
    };
    let fields: [(&str, Set); 26] = [
        ("nothing", |_| ()),
        ("text", |p| p.content = Content::Text("b".into())),
        ("bytes", |p| p.content = Content::Bytes(b"a".into())),
        ("body", |p| p.content = Content::Body(serde_json::json!("a"))),
        ("body type", |p| p.body = Some(BodyType::Decision)),
        ("layer", |p| p.layer = Some(Layer::Project)),
        ("source", |p| p.source = "chat:1".parse().ok()),
        ("by", |p| p.by = "user:priya".parse().ok()),
        ("scope", |p| p.scope = "org/acme".parse().unwrap()),
        ("supersedes", |p| p.supersedes = vec![ONE]),
        ("supersedes another", |p| p.supersedes = vec![OTHER]),
        ("supersede_from", |p| p.supersede_from = AT),
        ("supersede_until", |p| p.supersede_until = AT),
        ("valid_from", |p| p.valid_from = AT),
        ("valid_until", |p| p.valid_until = AT),
        ("observed_at", |p| p.observed_at = AT),
        ("ttl_until", |p| p.ttl_until = AT.map(Deadline::At)),
        ("ttl after", |p| p.ttl_until = Some(Deadline::After(Duration::from_micros(7)))),
        ("review_by", |p| p.review_by = AT.map(Deadline::At)),
        ("subjects", |p| p.subjects = vec!["a".into()]),
        ("tags", |p| p.tags = vec!["a".into()]),
        ("domain", |p| p.domain = Some("a".into())),
        ("key", |p| p.key = Some("a".into())),
        ("derived_from", |p| p.derived_from = vec![ONE]),
        ("confidence", |p| p.confidence = Some(7)),
        ("trust", |p| p.trust = Some(Trust::Verified)),
    ];
    let written = |(name, set): (&'static str, Set)| {
        let mut proposal = text("a");
        set(&mut proposal);
        (name, of(Command::Write(Box::new(proposal))))
    };
    let mut named: Vec<(&str, Vec<u8>)> = fields.map(written).into();
    let facts = [("fact", ["a", "b", "c"]), ("subject", ["x", "b", "c"])];
    for (name, parts) in
        facts.into_iter().chain([("predicate", ["a", "x", "c"]), ("object", ["a", "b", "x"])])
    {
        let proposal = Proposal::new(fact(parts), Scope::root());
        named.push((name, of(Command::Write(Box::new(proposal)))));
    }
    all_different(named);
}

#[test]
fn every_field_of_a_change_counts() {
    let reason = || Some("a".to_owned());
    let close = |kind, from, until, replaced_by, reason| Command::Close {
        memory: ONE,
        kind,
        from,
        until,
        replaced_by,
        reason,
    };
    let (changed, wrong) = (CloseKind::Changed, CloseKind::Wrong);
    let reopen = |from, until, reason| Command::Reopen { memory: ONE, from, until, reason };
    let push = |query, evidence, reason| Command::PushDown { memory: ONE, query, evidence, reason };
    let confirm = |memories: &[MemoryId], ttl_until, reason| Command::Confirm {
        memories: memories.to_vec(),
        ttl_until,
        reason,
    };
    let rank = |trust, layer, up, reason| Command::Rank { memory: ONE, trust, layer, up, reason };
    let forget = |subject, reason| Command::Forget { memories: vec![ONE], subject, reason };
    let resolve = |contest, kept: &[MemoryId], reason| Command::Resolve {
        contest: Seq(contest),
        kept: kept.to_vec(),
        reason,
    };
    let commands = [
        ("close", close(changed, None, None, None, None)),
        ("close: wrong", close(wrong, None, None, None, None)),
        ("close: from", close(changed, AT, None, None, None)),
        ("close: until", close(changed, None, AT, None, None)),
        ("close: replaced by", close(changed, None, None, Some(OTHER), None)),
        ("close: reason", close(changed, None, None, None, reason())),
        ("reopen", reopen(None, None, None)),
        ("reopen: from", reopen(AT, None, None)),
        ("reopen: until", reopen(None, AT, None)),
        ("reopen: reason", reopen(None, None, reason())),
        ("push down", push(None, None, None)),
        ("push down: query", push(reason(), None, None)),
        ("push down: evidence", push(None, reason(), None)),
        ("push down: reason", push(None, None, reason())),
        ("confirm", confirm(&[ONE], None, None)),
        ("confirm: two", confirm(&[ONE, OTHER], None, None)),
        ("confirm: ttl", confirm(&[ONE], AT.map(Deadline::At), None)),
        ("confirm: reason", confirm(&[ONE], None, reason())),
        ("use", Command::Use { memories: vec![ONE], reason: None }),
        ("use: reason", Command::Use { memories: vec![ONE], reason: reason() }),
        ("lift", Command::Lift { memory: ONE, reason: None }),
        ("lift: another", Command::Lift { memory: OTHER, reason: None }),
        ("contest", Command::Contest { memories: vec![ONE, OTHER], reason: None }),
        ("resolve", resolve(1, &[ONE], None)),
        ("resolve: another", resolve(2, &[ONE], None)),
        ("resolve: kept", resolve(1, &[OTHER], None)),
        ("resolve: reason", resolve(1, &[ONE], reason())),
        ("pin", Command::Pin { memory: ONE, set: true }),
        ("unpin", Command::Pin { memory: ONE, set: false }),
        ("forget", forget(None, None)),
        ("forget: subject", forget(reason(), None)),
        ("forget: reason", forget(None, reason())),
        ("promote: trust", rank(Some(Trust::Verified), None, true, None)),
        ("promote: layer", rank(None, Some(Layer::Project), true, None)),
        ("demote", rank(Some(Trust::Verified), None, false, None)),
        ("promote: reason", rank(Some(Trust::Verified), None, true, reason())),
    ];
    all_different(commands.into_iter().map(|(name, command)| (name, of(command))).collect());
}

#[test]
fn of_the_terms_who_acts_and_what_is_claimed_count() {
    let with = |terms| bytes(&Submission::of(Command::Write(Box::new(text("a"))), terms));
    let plain = with(Terms::default());
    all_different(vec![
        ("nothing", plain.clone()),
        ("by", with(Terms { by: "user:priya".parse().ok(), ..Terms::default() })),
        ("claimed_at", with(Terms { claimed_at: AT, ..Terms::default() })),
    ]);
    let aside = Terms {
        idempotency_key: Some("key".into()),
        job: Some(JobId([3; 16])),
        expected_head: Some(Seq(1)),
        expected_version: Some(Seq(1)),
        ..Terms::default()
    };
    assert_eq!(with(aside), plain, "these are no part of the request");
}

#[test]
fn what_two_commands_say_is_not_what_one_says() {
    let one = |text_of: &str| Command::Write(Box::new(text(text_of)));
    let both = Submission { commands: vec![one("a"), one("b")], terms: Terms::default() };
    let turned = Submission { commands: vec![one("b"), one("a")], terms: Terms::default() };
    all_different(vec![("one", of(one("a"))), ("both", bytes(&both)), ("turned", bytes(&turned))]);
}
