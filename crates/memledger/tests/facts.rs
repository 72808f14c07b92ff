//! Facts that cannot both hold, through the facade: what is contested and what is not, in which order
//! contested memories come back, and what settles a contest.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::path::{Path, PathBuf};

use memledger::answer::{Item, Level};
use memledger::civil::When;
use memledger::format::{BodyType, Layer, MemoryId, Micros, Seq, SourceKind, Trust, Verdict};
use memledger::{
    Command, Content, Filter, InitOptions, Ledger, MasterEnv, OpenOptions, Outcome, Proposal,
    Question, Source, Status, Submission, Terms,
};
use serde_json::json;

const POLICY: &str = "format = 1\n[facts]\nsingle_valued = [\"Runs on\"]\n";
const PLACE: &str = "org/acme/project/web";

struct Fixture {
    _dir: tempfile::TempDir,
    path: PathBuf,
}

fn master(path: &Path) -> MasterEnv {
    MasterEnv { key_dir: path.parent().map(|dir| dir.join("keys")), ..MasterEnv::default() }
}

fn made(policy: &str) -> (Fixture, Ledger) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger");
    let options = InitOptions { master: master(&path), ..InitOptions::default() };
    let ledger = Ledger::init(&path, options).unwrap().ledger;
    ledger.set_policy(policy, Some("person:lead".parse().unwrap()), None).unwrap();
    (Fixture { _dir: dir, path }, ledger)
}

impl Fixture {
    fn open(&self) -> Ledger {
        let options = OpenOptions { master: master(&self.path), ..OpenOptions::default() };
        Ledger::open(&self.path, options).unwrap()
    }
}

fn fact(object: &str) -> Proposal {
    let content = Content::Fact {
        subject: "web shop".to_owned(),
        predicate: "runs on".to_owned(),
        object: object.to_owned(),
    };
    let mut proposal = Proposal::new(content, PLACE.parse().unwrap());
    proposal.by = Some("agent:coder".parse().unwrap());
    proposal.source = Some(Source { kind: SourceKind::Tool, uri: "deploy#1".to_owned() });
    proposal
}

fn verified(object: &str) -> Proposal {
    let mut proposal = fact(object);
    proposal.by = Some("person:priya".parse().unwrap());
    proposal.source = Some(Source { kind: SourceKind::User, uri: "priya#1".to_owned() });
    proposal
}

fn qualified(object: &str, qualifiers: serde_json::Value) -> Proposal {
    let body = json!({ "subject": "web shop", "predicate": "runs on", "object": object, "qualifiers": qualifiers });
    Proposal { content: Content::Body(body), body: Some(BodyType::Fact), ..fact(object) }
}

fn valid(mut proposal: Proposal, from: i64, until: i64) -> Proposal {
    (proposal.valid_from, proposal.valid_until) = (Some(Micros(from)), Some(Micros(until)));
    proposal
}

fn submit(ledger: &Ledger, commands: Vec<Command>) -> Vec<Outcome> {
    let by = Some("person:lead".parse().unwrap());
    ledger.submit(Submission { commands, terms: Terms { by, ..Terms::default() } }).unwrap()
}

fn write(ledger: &Ledger, proposal: Proposal) -> MemoryId {
    let done = submit(ledger, vec![Command::Write(Box::new(proposal))]).pop().unwrap();
    assert_eq!(done.verdict, Verdict::Committed, "{done:?}");
    done.id.unwrap()
}

fn get(ledger: &Ledger, id: MemoryId) -> Item {
    ledger.snapshot(&Question::now(ledger.zone())).unwrap().get(&id).unwrap().unwrap()
}

fn listed(ledger: &Ledger) -> Vec<Item> {
    let snapshot = ledger.snapshot(&Question::now(ledger.zone())).unwrap();
    let archive = Question { from_archive: true, ..Question::now(ledger.zone()) };
    let items = snapshot.list(&Filter::default()).unwrap().items;
    let truth = ledger.snapshot(&archive).unwrap().list(&Filter::default()).unwrap().items;
    assert_eq!(items, truth, "views and archive agree");
    items
}

fn ids(items: &[Item]) -> Vec<MemoryId> {
    items.iter().map(|item| item.id).collect()
}

fn marked(ledger: &Ledger, id: MemoryId) -> Option<Seq> {
    get(ledger, id).conflict_group
}

fn detail(ledger: &Ledger, seq: Seq) -> (String, String) {
    let entry = ledger.show(seq).unwrap().unwrap();
    (entry.event, entry.detail)
}

#[test]
fn two_values_of_one_predicate_are_contested_in_the_same_submission() {
    let (_fixture, ledger) = made(POLICY);
    let first = write(&ledger, verified("Node 22"));
    assert_eq!((marked(&ledger, first), get(&ledger, first).level), (None, Level::Evidence));
    let done = submit(&ledger, vec![Command::Write(Box::new(fact("Node 24")))]);
    assert_eq!(done.len(), 1, "one command, one answer");
    let second = done[0].id.unwrap();
    let contest = marked(&ledger, first).unwrap();
    assert_eq!((marked(&ledger, second), contest), (Some(contest), done[0].seq.next()));
    let (event, detail) = detail(&ledger, contest);
    assert_eq!(event, "contest");
    assert!(detail.contains("rule: 1"), "{detail}");
    for id in [first, second] {
        let item = get(&ledger, id);
        assert_eq!(item.status, Status::Contested);
        assert!(item.level as u8 >= Level::Evidence as u8 && item.holds.confirm_first);
    }
    assert_eq!(ids(&listed(&ledger)), [first, second], "the verified one before the tool's");
}

#[test]
fn what_does_not_contradict_is_not_contested() {
    let (_fixture, ledger) = made(POLICY);
    let base = write(&ledger, valid(fact("Node 22"), 100, 200));
    let mut other = fact("Deno");
    other.scope = "org/acme/project/api".parse().unwrap();
    let mut all = vec![
        write(&ledger, valid(verified("node  22"), 100, 200)),
        write(&ledger, valid(fact("Node 24"), 200, 300)),
        write(&ledger, other),
    ];
    let other_predicate = Content::Fact {
        subject: "web shop".to_owned(),
        predicate: "is hosted by".to_owned(),
        object: "nobody".to_owned(),
    };
    all.push(write(&ledger, Proposal { content: other_predicate, ..fact("") }));
    for id in all.into_iter().chain([base]) {
        assert_eq!(marked(&ledger, id), None);
    }
    let late = write(&ledger, valid(fact("Bun"), 199, 201));
    let group = marked(&ledger, late);
    assert!(group.is_some() && marked(&ledger, base) == group, "one instant is enough");
}

#[test]
fn another_value_is_no_repetition_however_long_the_rest_is() {
    let subject = "the common currency of the union of states that this long question asks about, which has \
        been in use since the turn of the century in most but not in all of its member states";
    let policy = "format = 1\n[facts]\nsingle_valued = [\"is\"]\n";
    let (_fixture, ledger) = made(policy);
    let is = |object: &str| {
        let (predicate, object) = ("is".to_owned(), object.to_owned());
        let content = Content::Fact { subject: subject.to_owned(), predicate, object };
        Proposal { content, ..fact("") }
    };
    let mut all = vec![write(&ledger, is("euro"))];
    all.extend(["pound", "krona", "franc", "lira", "mark"].map(|one| write(&ledger, is(one))));
    let group = marked(&ledger, all[0]);
    assert!(group.is_some() && all.iter().all(|id| marked(&ledger, *id) == group));
}

#[test]
fn qualifiers_keep_facts_apart() {
    let (_fixture, ledger) = made(POLICY);
    let test = write(&ledger, qualified("Node 24", json!({ "environment": "test" })));
    let live = write(&ledger, qualified("Node 22", json!({ "environment": "production" })));
    assert_eq!((marked(&ledger, test), marked(&ledger, live)), (None, None));
    let anywhere = write(&ledger, fact("Node 24"));
    let group = marked(&ledger, anywhere);
    assert!(group.is_some());
    assert_eq!((marked(&ledger, test), marked(&ledger, live)), (None, group));
    let wrong = qualified("x", json!({ "environment": ["a"] }));
    let refused = ledger.submit(Submission::of(Command::Write(Box::new(wrong)), Terms::default()));
    assert!(refused.unwrap_err().to_string().contains("environment"));
}

#[test]
fn a_correction_contests_nothing() {
    let (_fixture, ledger) = made(POLICY);
    let first = write(&ledger, fact("Node 22"));
    let mut correction = fact("Node 24");
    correction.supersedes = vec![first];
    let second = write(&ledger, correction);
    assert_eq!((marked(&ledger, first), marked(&ledger, second)), (None, None));
    let reopened = Command::Reopen { memory: first, from: None, until: None, reason: None };
    submit(&ledger, vec![reopened]);
    assert!(marked(&ledger, first).is_some(), "back again, it contradicts");
    assert_eq!(marked(&ledger, first), marked(&ledger, second));
}

#[test]
fn a_contest_grows_and_every_member_has_one_mark() {
    let (fixture, ledger) = made(POLICY);
    let mut all = vec![write(&ledger, fact("Node 22")), write(&ledger, fact("Node 24"))];
    let first = marked(&ledger, all[0]).unwrap();
    ledger.close().unwrap();
    std::fs::remove_dir_all(fixture.path.join("views")).unwrap();
    let ledger = fixture.open();
    all.push(write(&ledger, fact("Deno")));
    let agreeing = Proposal { subjects: vec!["priya".to_owned()], ..verified("NODE 24") };
    let agreeing = write(&ledger, agreeing);
    all.push(agreeing);
    let last = marked(&ledger, agreeing).unwrap();
    for id in &all {
        assert_eq!(marked(&ledger, *id), Some(last));
    }
    let (_, resolved) = detail(&ledger, Seq(last.0 - 1));
    assert!(resolved.contains("rule: 2"), "the smaller one is part of the larger one: {resolved}");
    assert_eq!(ids(&listed(&ledger))[0], agreeing);
    let kept = vec![agreeing];
    submit(&ledger, vec![Command::Resolve { contest: last, kept, reason: None }]);
    assert!(all.iter().all(|id| marked(&ledger, *id).is_none()));
    let then = Question { known: When::Seq(first.0), ..Question::now(ledger.zone()) };
    let then = ledger.snapshot(&then).unwrap();
    let group: Vec<_> = all[..2].iter().map(|id| then.get(id).unwrap().unwrap()).collect();
    assert!(group.iter().all(|item| item.conflict_group == Some(first)), "the past keeps its own");
}

#[test]
fn both_in_one_submission_are_contested() {
    let (_fixture, ledger) = made(POLICY);
    let both = ["Node 22", "Node 24"].map(|object| Command::Write(Box::new(fact(object))));
    let done = submit(&ledger, both.to_vec());
    assert_eq!(done.len(), 2);
    let groups: Vec<_> = done.iter().map(|one| marked(&ledger, one.id.unwrap())).collect();
    assert_eq!(groups, [Some(done[1].seq.next()); 2]);
}

#[test]
fn a_rule_of_the_policy_settles_what_authority_decides_and_nothing_else() {
    let policy = format!("{POLICY}resolve = \"authority\"\n");
    let (_fixture, ledger) = made(&policy);
    let poison: Vec<_> = ["Node 18", "Node 20"].map(|one| write(&ledger, fact(one))).into();
    let group = marked(&ledger, poison[0]);
    assert!(group.is_some() && group == marked(&ledger, poison[1]), "equals are left to a person");
    let right = write(&ledger, verified("Node 22"));
    assert_eq!((marked(&ledger, right), get(&ledger, right).status), (None, Status::Open));
    for id in &poison {
        assert_eq!((marked(&ledger, *id), get(&ledger, *id).status), (None, Status::PushedDown));
        assert_eq!(get(&ledger, *id).level, Level::Hint);
    }
}

#[test]
fn pages_cut_a_group_and_go_on_with_it() {
    let (_fixture, ledger) = made(POLICY);
    let note = |text: &str| Proposal { content: Content::Text(text.to_owned()), ..verified("") };
    let mut all = vec![write(&ledger, note("one")), write(&ledger, fact("Node 20"))];
    all.push(write(&ledger, note("two")));
    all.push(write(&ledger, fact("Node 22")));
    all.push(write(&ledger, note("three")));
    all.push(write(&ledger, verified("Node 24")));
    let order = [all[0], all[5], all[3], all[1], all[2], all[4]];
    assert_eq!(ids(&listed(&ledger)), order);
    let snapshot = ledger.snapshot(&Question::now(ledger.zone())).unwrap();
    assert_eq!(snapshot.ids(&Filter::default()).unwrap(), order);
    for limit in 1..=6 {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = snapshot.list(&Filter { limit, after, ..Filter::default() }).unwrap();
            assert!(page.items.len() <= limit);
            found.extend(ids(&page.items));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(found, order, "pages of {limit}");
    }
}

fn clause(scope: &str) -> Proposal {
    let body = json!({ "document": "fares", "clause": "4", "text": "No refund without a waiver" });
    let mut clause = Proposal::new(Content::Body(body), scope.parse().unwrap());
    clause.body = Some(BodyType::Canonical);
    clause.layer = Some(Layer::Canonical);
    clause.by = Some("person:lead".parse().unwrap());
    clause.source = Some(Source { kind: SourceKind::File, uri: "fares.md".to_owned() });
    clause
}

fn said(who: &str, scope: &str) -> Proposal {
    let body = json!({ "role": "user", "text": "Refund this one ticket" });
    let mut message = Proposal::new(Content::Body(body), scope.parse().unwrap());
    message.body = Some(BodyType::Message);
    message.by = Some(who.parse().unwrap());
    message.source = Some(Source { kind: SourceKind::Chat, uri: "talk#7".to_owned() });
    message
}

fn first_of(ledger: &Ledger, ids: &[MemoryId]) -> MemoryId {
    let reason = Some("they cannot both hold".to_owned());
    submit(ledger, vec![Command::Contest { memories: ids.to_vec(), reason }]);
    let snapshot = ledger.snapshot(&Question::now(ledger.zone())).unwrap();
    // Messages are archived: only a look with history lists them.
    let whole = Filter { include_history: true, ..Filter::default() };
    let items = snapshot.list(&whole).unwrap().items;
    items.iter().find(|item| ids.contains(&item.id)).unwrap().id
}

#[test]
fn only_the_own_words_of_who_may_override_outrank_a_clause() {
    let policy = "format = 1\n[[grants]]\nwho = \"person:lead\"\nmay = [\"override\"]\nscope = \"org/acme\"\n";
    let here = "org/acme/desk/web";
    for (who, scope, clause_scope, wins) in [
        ("person:lead", here, here, true),
        ("person:lead", here, "org/acme", true),
        ("person:lead", here, "org/other", false),
        ("person:customer", here, here, false),
        ("agent:bot", here, here, false),
    ] {
        let (_fixture, ledger) = made(policy);
        let clause = write(&ledger, clause(clause_scope));
        let message = write(&ledger, said(who, scope));
        let first = first_of(&ledger, &[clause, message]);
        assert_eq!(first == message, wins, "{who} in {scope} against {clause_scope}");
        let rank = |id| get(&ledger, id).authority;
        assert_eq!(rank(message) < rank(clause), wins, "{who}: {}", rank(message));
    }
}

#[test]
fn a_paraphrase_or_summary_of_the_same_words_never_outranks_a_clause() {
    let policy = "format = 1\n[[grants]]\nwho = \"*\"\nmay = [\"override\"]\n";
    for (body, layer, by) in [
        (BodyType::Summary, Layer::Summary, "agent:bot"),
        (BodyType::Note, Layer::Project, "agent:bot"),
        (BodyType::Instruction, Layer::Instruction, "agent:bot"),
        (BodyType::Decision, Layer::Project, "person:lead"),
    ] {
        let (_fixture, ledger) = made(policy);
        let clause = write(&ledger, clause("org/acme"));
        let message = write(&ledger, said("person:lead", "org/acme"));
        let mut retold = said(by, "org/acme");
        retold.content = Content::Text("The lead agreed to refund this ticket".to_owned());
        (retold.body, retold.layer) = (Some(body), Some(layer));
        retold.derived_from = vec![message];
        let retold = write(&ledger, retold);
        assert_eq!(first_of(&ledger, &[clause, retold]), clause, "{body} by {by}");
    }
}

#[test]
fn what_is_derived_ranks_no_higher_than_its_weakest_source_over_any_number_of_steps() {
    let (_fixture, ledger) = made("format = 1");
    let note = |text: &str, from: Vec<MemoryId>, by: &str, kind| {
        let mut note = fact("");
        note.content = Content::Text(text.to_owned());
        note.by = Some(by.parse().unwrap());
        note.source = Some(Source { kind, uri: "x".to_owned() });
        note.derived_from = from;
        note
    };
    let strong = write(&ledger, note("strong", vec![], "person:ada", SourceKind::User));
    let weak = write(&ledger, note("weak", vec![], "agent:coder", SourceKind::Model));
    let mut last =
        write(&ledger, note("mixed", vec![strong, weak], "person:ada", SourceKind::User));
    for step in 0..40 {
        let text = format!("step {step}");
        last = write(&ledger, note(&text, vec![last], "person:ada", SourceKind::User));
    }
    let raised = |memory| Command::Rank {
        memory,
        trust: Some(Trust::Approved),
        layer: Some(Layer::Canonical),
        up: true,
        reason: None,
    };
    submit(&ledger, vec![raised(last)]);
    let item = get(&ledger, last);
    assert!(item.authority >= get(&ledger, weak).authority, "{}", item.authority);
    assert_eq!((item.source_chain[0].steps, item.source_chain.len()), (1, 32));
    assert_ne!(item.level, Level::Final, "a clause made from an inference binds nobody");
    submit(&ledger, vec![raised(strong)]);
    assert_eq!(get(&ledger, strong).authority, 2);
}

#[test]
fn an_item_answers_three_questions_and_an_open_one_makes_it_background() {
    let (_fixture, ledger) = made("format = 1\n[questions]\nconfirm_preferences = \"1s\"\n");
    let mut nameless = fact("x");
    nameless.source = None;
    let nameless = write(&ledger, nameless);
    let mut made_from_it = verified("y");
    made_from_it.derived_from = vec![nameless];
    let made_from_it = write(&ledger, made_from_it);
    for id in [nameless, made_from_it] {
        assert_eq!(get(&ledger, id).level, Level::Background);
    }
    assert!(get(&ledger, made_from_it).hint.unwrap().contains("nothing with a source"));
    let mut likes = verified("");
    likes.content = Content::Text("Prefers a window seat".to_owned());
    likes.tags = vec!["preference".to_owned()];
    let likes = write(&ledger, likes);
    let fresh = get(&ledger, likes);
    assert_eq!((fresh.hint, fresh.holds.confirm_first), (None, false));
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let old = get(&ledger, likes);
    assert!(old.hint.unwrap().contains("confirm it with the user once"));
    assert!(old.holds.confirm_first);
    submit(&ledger, vec![Command::Use { memories: vec![likes], reason: None }]);
    assert_eq!(get(&ledger, likes).hint, None, "a use counts as a touch");
    let clause = write(&ledger, clause(PLACE));
    assert_eq!(get(&ledger, clause).level, Level::Final);
}

#[test]
fn rights_keep_writes_out_and_name_their_grant() {
    let policy = "format = 1\n[[grants]]\nwho = \"agent:intern\"\nmay_not = [\"write\"]\nscope = \"org/acme\"\n";
    let (_fixture, ledger) = made(policy);
    let mut denied = fact("Node 22");
    denied.by = Some("agent:intern".parse().unwrap());
    let elsewhere = Proposal { scope: "org/other".parse().unwrap(), ..denied.clone() };
    let done = submit(&ledger, vec![Command::Write(Box::new(denied))]).pop().unwrap();
    assert_eq!(done.verdict, Verdict::Refused);
    let (_, detail) = detail(&ledger, done.seq);
    assert!(detail.contains("rule: 1"), "{detail}");
    write(&ledger, elsewhere);
    write(&ledger, fact("Node 22"));
    assert_eq!(ledger.verdicts_again().unwrap().differ, vec![]);
}
