//! Real contradictions, entered as facts: BEAM's contradicting statements, RAMDocs' misinformation beside
//! its merely ambiguous questions, and PoisonedRAG's agreeing lies beside one verified fact. Counts are
//! printed and held.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use memledger::answer::{Item, Level};
use memledger::format::{BodyType, MemoryId, SourceKind, Trust, Verdict};
use memledger::{
    Command, Content, Filter, Ledger, Outcome, Proposal, Question, Source, Submission, Terms,
};
use replay_tests::place::Place;
use serde_json::{Value, json};

use super::real_data::real;

const POLICY: &str = "format = 1\n[facts]\nsingle_valued = [\"answer\"]\n";

/// A ledger in which one question has one answer at a time.
fn made() -> (Place, Ledger) {
    let (place, ledger) = Place::new(ledger_format::Micros(1_780_000_000_000_000));
    ledger.set_policy(POLICY, None, None).unwrap();
    (place, ledger)
}

/// A fact about a question, of a scope of its own.
fn fact(scope: usize, subject: &str, object: &str, by: &str, kind: SourceKind) -> Proposal {
    let content = Content::Fact {
        subject: subject.chars().take(200).collect(),
        predicate: "answer".to_owned(),
        object: object.to_owned(),
    };
    let mut fact = Proposal::new(content, format!("org/data/case/{scope}").parse().unwrap());
    fact.by = Some(by.parse().unwrap());
    fact.source = Some(Source { kind, uri: format!("data#{scope}") });
    fact
}

fn write(ledger: &Ledger, facts: Vec<Proposal>) -> Vec<Outcome> {
    let tickets: Vec<_> = facts
        .into_iter()
        .map(|fact| {
            let command = Command::Write(Box::new(fact));
            ledger.enqueue(Submission::of(command, Terms::default())).unwrap()
        })
        .collect();
    tickets.into_iter().flat_map(|ticket| ticket.wait().unwrap()).collect()
}

fn listed(ledger: &Ledger, filter: &Filter, from_archive: bool) -> Vec<Item> {
    let question = Question { from_archive, ..Question::now(ledger.zone()) };
    ledger.snapshot(&question).unwrap().list(filter).unwrap().items
}

/// What the views list of every scope, after a look whether the archive lists the same.
fn by_scope(ledger: &Ledger) -> BTreeMap<String, Vec<Item>> {
    let items = listed(ledger, &Filter::default(), false);
    assert_eq!(items, listed(ledger, &Filter::default(), true), "views and archive");
    let mut scopes: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    for item in items {
        scopes.entry(item.scope.to_string()).or_default().push(item);
    }
    scopes
}

fn scope(case: usize) -> String {
    format!("org/data/case/{case}")
}

fn id(outcome: &Outcome) -> Option<MemoryId> {
    (outcome.verdict == Verdict::Committed).then_some(outcome.id).flatten()
}

#[test]
fn contradicting_statements_of_one_person_come_back_side_by_side() {
    let Some(dir) = real("beam/100K") else { return };
    let (_place, ledger) = made();
    let mut chats: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    chats.sort();
    let mut pairs = Vec::new();
    for chat in chats {
        let text = fs::read_to_string(chat.join("probing_questions.json")).unwrap();
        let questions: Value = serde_json::from_str(&text).unwrap();
        for question in questions["contradiction_resolution"].as_array().unwrap() {
            let rubric = question["rubric"].as_array().unwrap();
            let said = |line: usize| rubric[line].as_str().unwrap().split_once(": ").unwrap().1;
            pairs.push((
                question["question"].as_str().unwrap().to_owned(),
                said(1).to_owned(),
                said(2).to_owned(),
            ));
        }
    }
    for (case, (question, first, second)) in pairs.iter().enumerate() {
        let both =
            [first, second].map(|said| fact(case, question, said, "person:user", SourceKind::Chat));
        let done = write(&ledger, both.into());
        assert!(done.iter().all(|one| id(one).is_some()), "{question}: {done:?}");
    }
    let scopes = by_scope(&ledger);
    let side_by_side = scopes.values().filter(|items| {
        items.len() == 2
            && items[0].conflict_group.is_some()
            && items[0].conflict_group == items[1].conflict_group
            && items.iter().all(|item| item.level != Level::Final)
    });
    let found = side_by_side.count();
    println!("BEAM: {found} of {} contradictions side by side and marked", pairs.len());
    assert_eq!((found, pairs.len()), (14, 14));
}

/// The entity that a document is about: that of the right answer it gives, or, for a false one, that of the
/// right document with which it shares most words.
fn entity(document: &Value, question: &Value) -> Option<usize> {
    let documents = question["documents"].as_array().unwrap();
    let gold = question["gold_answers"].as_array().unwrap();
    let of_answer = |answer: &Value| gold.iter().position(|one| one == answer);
    if document["type"] == "correct" {
        return of_answer(&document["answer"]);
    }
    let words = |one: &Value| -> BTreeSet<String> {
        let text = one["text"].as_str().unwrap().to_lowercase();
        text.split_whitespace().map(str::to_owned).collect()
    };
    let own = words(document);
    let right = documents.iter().filter(|one| one["type"] == "correct");
    let near = right.max_by_key(|one| own.intersection(&words(one)).count())?;
    of_answer(&near["answer"])
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Ram {
    questions: usize,
    false_answers: usize,
    marked: usize,
    ambiguous: usize,
    flagged: usize,
}

#[test]
fn false_answers_are_marked_and_merely_ambiguous_questions_are_not() {
    let Some(path) = real("ramdocs/RAMDocs_test.jsonl") else { return };
    let (_place, ledger) = made();
    let text = fs::read_to_string(path).unwrap();
    let questions: Vec<Value> = text
        .split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut counts = Ram { questions: questions.len(), ..Ram::default() };
    let mut wrong: Vec<(usize, MemoryId)> = Vec::new();
    for (case, question) in questions.iter().enumerate() {
        let mut facts = Vec::new();
        let mut given = BTreeSet::new();
        for document in question["documents"].as_array().unwrap() {
            let Some(of) = entity(document, question).filter(|_| document["type"] != "noise")
            else {
                continue;
            };
            let answer = document["answer"].as_str().unwrap();
            let entity = question["disambig_entity"][of].as_str().unwrap();
            // Documents that say the same of the same are one fact.
            if !given.insert((entity, answer.to_lowercase())) {
                continue;
            }
            let subject = question["question"].as_str().unwrap();
            let body = json!({ "subject": subject, "predicate": "answer", "object": answer, "qualifiers": { "entity": entity } });
            let mut proposal = fact(case, subject, answer, "agent:reader", SourceKind::Web);
            (proposal.content, proposal.body) = (Content::Body(body), Some(BodyType::Fact));
            facts.push((document["type"] == "misinfo", proposal));
        }
        let false_ones: Vec<bool> = facts.iter().map(|(wrong, _)| *wrong).collect();
        let done = write(&ledger, facts.into_iter().map(|(_, fact)| fact).collect());
        let kept = done.iter().zip(&false_ones).filter(|(_, wrong)| **wrong);
        wrong.extend(kept.filter_map(|(one, _)| id(one)).map(|id| (case, id)));
        if !false_ones.contains(&true) && question["gold_answers"].as_array().unwrap().len() > 1 {
            counts.ambiguous += 1;
        }
    }
    let scopes = by_scope(&ledger);
    counts.false_answers = wrong.len();
    for (case, id) in &wrong {
        let items = &scopes[&scope(*case)];
        let item = items.iter().find(|item| item.id == *id).unwrap();
        let others = items.iter().filter(|other| {
            other.conflict_group.is_some()
                && other.conflict_group == item.conflict_group
                && other.id != *id
        });
        counts.marked += usize::from(others.count() > 0);
    }
    let with_false: BTreeSet<String> = wrong.iter().map(|(case, _)| scope(*case)).collect();
    for (name, items) in &scopes {
        let flagged = items.iter().any(|item| item.conflict_group.is_some());
        counts.flagged += usize::from(flagged && !with_false.contains(name));
    }
    println!("RAMDocs: {counts:?}");
    assert_eq!((counts.flagged, counts.marked), (0, counts.false_answers), "{counts:?}");
    assert_eq!((counts.questions, counts.ambiguous), (250, 108));
    assert!(counts.false_answers > 120, "{counts:?}");
}

struct Poisoned {
    question: String,
    right: String,
    wrong: String,
    texts: Vec<String>,
}

fn poisoned() -> Option<Vec<Poisoned>> {
    let mut all = Vec::new();
    for name in ["nq", "msmarco"] {
        let text = fs::read_to_string(real(&format!("poisonedrag/{name}.json"))?).unwrap();
        let entries: BTreeMap<String, Value> = serde_json::from_str(&text).unwrap();
        all.extend(entries.into_values().map(|entry| {
            let of = |name: &str| entry[name].as_str().unwrap().to_owned();
            let texts = entry["adv_texts"].as_array().unwrap();
            Poisoned {
                question: of("question"),
                right: of("correct answer"),
                wrong: of("incorrect answer"),
                texts: texts.iter().map(|text| text.as_str().unwrap().to_owned()).collect(),
            }
        }));
    }
    Some(all)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Poison {
    entries: usize,
    stored: usize,
    turned_away: usize,
    first: usize,
    marked: usize,
    verified: usize,
    final_or_unranked: usize,
}

/// Enters one verified fact and then the lies of each entry, and looks at every listing.
fn poison(lies: impl Fn(usize, &Poisoned) -> Vec<Proposal>) -> Option<Poison> {
    let entries = poisoned()?;
    let (_place, ledger) = made();
    let mut counts = Poison { entries: entries.len(), ..Poison::default() };
    let mut right = Vec::new();
    for (case, entry) in entries.iter().enumerate() {
        let truth = fact(case, &entry.question, &entry.right, "person:editor", SourceKind::User);
        right.push(id(&write(&ledger, vec![truth])[0]).unwrap());
        let done = write(&ledger, lies(case, entry));
        counts.stored += done.iter().filter(|one| id(one).is_some()).count();
        counts.turned_away += done.iter().filter(|one| id(one).is_none()).count();
    }
    let scopes = by_scope(&ledger);
    for (case, truth) in right.iter().enumerate() {
        let whole = &scopes[&scope(case)];
        let filter = Filter { scope: scope(case).parse().unwrap(), ..Filter::default() };
        let by_predicate = Filter { predicate: Some("answer".to_owned()), ..filter.clone() };
        let first_page = Filter { limit: 1, ..filter.clone() };
        let facts = Filter { body: Some(BodyType::Fact), include_history: true, ..filter };
        let first = |filter: &Filter| listed(&ledger, filter, false)[0].id == *truth;
        let wins = whole[0].id == *truth
            && whole[1..].iter().all(|lie| lie.authority > whole[0].authority)
            && [&by_predicate, &first_page, &facts].into_iter().all(first);
        counts.first += usize::from(wins);
        for lie in &whole[1..] {
            counts.marked += usize::from(
                lie.conflict_group == whole[0].conflict_group && lie.conflict_group.is_some(),
            );
            counts.verified += usize::from(lie.trust >= Trust::Verified);
            counts.final_or_unranked += usize::from(lie.level == Level::Final);
        }
    }
    Some(counts)
}

#[test]
fn five_agreeing_lies_do_not_outrank_one_verified_fact() {
    let texts = |case: usize, entry: &Poisoned| {
        let lies = entry.texts.iter().enumerate().map(|(at, text)| {
            let (by, kind) =
                [("agent:scraper", SourceKind::Tool), ("agent:writer", SourceKind::Model)][at % 2];
            let mut lie = fact(case, &entry.question, text, by, kind);
            // An agent vouches for its own words.
            lie.trust = Some(Trust::Verified);
            lie.confidence = Some(10_000);
            lie
        });
        lies.collect()
    };
    let Some(counts) = poison(texts) else { return };
    println!("PoisonedRAG, five texts each: {counts:?}");
    assert_eq!((counts.entries, counts.first), (200, 200), "{counts:?}");
    assert_eq!(
        (counts.marked, counts.verified, counts.final_or_unranked),
        (counts.stored, 0, 0),
        "{counts:?}"
    );
    assert_eq!(counts.stored + counts.turned_away, 1_000);
}

#[test]
fn the_same_lie_from_five_pages_stays_one_unverified_lie() {
    let pages = |case: usize, entry: &Poisoned| {
        let lies = (0..entry.texts.len()).map(|page| {
            let mut lie =
                fact(case, &entry.question, &entry.wrong, "agent:scraper", SourceKind::Web);
            lie.source = Some(Source { kind: SourceKind::Web, uri: format!("page{page}.example") });
            lie
        });
        lies.collect()
    };
    let Some(counts) = poison(pages) else { return };
    println!("PoisonedRAG, one answer from five pages: {counts:?}");
    assert_eq!((counts.entries, counts.first), (200, 200), "{counts:?}");
    assert_eq!(
        (counts.marked, counts.verified, counts.final_or_unranked),
        (counts.stored, 0, 0),
        "{counts:?}"
    );
    assert_eq!((counts.stored, counts.turned_away), (200, 800), "{counts:?}");
}
