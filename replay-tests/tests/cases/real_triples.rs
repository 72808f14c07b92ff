//! Real facts of Wikidata with the years they held: 32,497 lines, imported in an order that says
//! nothing. For 200 years of each of the 24 relations the facts in force are those that brute force
//! finds in the file: 4,800 questions to the views and the same ones to the archive. They are answered
//! with ids; the words behind the ids come from one listing, and one question of every relation is
//! asked for them again.

use std::collections::BTreeMap;
use std::fs;

use ledger_import::Progress;
use ledger_import::triples::{TriplesOptions, import};
use memledger::answer::Item;
use memledger::civil::{When, Zone};
use memledger::format::MemoryId;
use memledger::{Filter, Ledger, Question, Scope, Snapshot};
use replay_tests::place::Place;
use replay_tests::rng::Rng;

use super::real_data::{instant, real, year};

const YEARS: usize = 200;

/// Subject and object, with the first and the last year.
struct Fact {
    subject: String,
    object: String,
    first: Option<i64>,
    last: Option<i64>,
}

/// The year of `1926-##-##`; none: `####-##-##`.
fn number(date: &str) -> Option<i64> {
    date.split('-').next().unwrap().parse().ok()
}

/// Lines that say something, each once, by relation.
fn facts(text: &str) -> BTreeMap<String, Vec<Fact>> {
    let mut seen = std::collections::HashSet::new();
    let mut facts: BTreeMap<String, Vec<Fact>> = BTreeMap::new();
    for line in text.lines().filter(|line| seen.insert(*line)) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (first, last) = (number(cells[3]), number(cells[4]));
        if first.zip(last).is_none_or(|(first, last)| first <= last) {
            let (subject, object) = (cells[0].to_owned(), cells[2].to_owned());
            facts.entry(cells[1].to_owned()).or_default().push(Fact {
                subject,
                object,
                first,
                last,
            });
        }
    }
    facts
}

fn brute(facts: &[Fact], year: i64) -> Vec<Pair> {
    let holds = |fact: &&Fact| {
        fact.first.is_none_or(|first| first <= year) && fact.last.is_none_or(|last| year <= last)
    };
    let pair = |fact: &Fact| (fact.subject.clone(), fact.object.clone());
    let mut found: Vec<Pair> = facts.iter().filter(holds).map(pair).collect();
    found.sort_unstable();
    found
}

fn scope() -> Scope {
    "set/wikidata".parse().unwrap()
}

/// The file in another order, in a ledger of its own.
fn imported(text: &str, rng: &mut Rng) -> (Place, Ledger) {
    let mut lines: Vec<&str> = text.lines().collect();
    for at in (1..lines.len()).rev() {
        lines.swap(at, rng.index(at + 1));
    }
    let (place, ledger) = Place::new(instant("2026-12-31T00:00:00Z"));
    let file = place.beside("train.txt");
    fs::write(&file, lines.join("\n")).unwrap();
    let options = TriplesOptions {
        file,
        scope: scope(),
        by: "service:importer".parse().unwrap(),
        trust: None,
        quarantine: place.beside("quarantine.ndjson"),
    };
    let report = import(&ledger, &options, &mut |_: Progress<'_>| {}).unwrap();
    assert_eq!(report.rows(), lines.len() as u64, "every line is counted: {report:?}");
    let backwards = lines.iter().filter(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        number(cells[3]).zip(number(cells[4])).is_some_and(|(first, last)| first > last)
    });
    assert_eq!(report.refused, backwards.count() as u64, "lines that end before they begin");
    (place, ledger)
}

/// Subject and object.
type Pair = (String, String);

fn pair(item: &Item) -> Pair {
    let body = item.body.as_ref().unwrap();
    let part = |name: &str| body[name].as_str().unwrap().to_owned();
    (part("subject"), part("object"))
}

fn filter(relation: &str, include_history: bool) -> Filter {
    let predicate = Some(relation.to_owned());
    Filter { scope: scope(), predicate, include_history, ..Filter::default() }
}

fn years(rng: &mut Rng, facts: &[Fact]) -> Vec<i64> {
    // Half of them where something begins or ends, which random years mostly miss.
    let mut edges: Vec<i64> =
        facts.iter().flat_map(|fact| [fact.first, fact.last]).flatten().collect();
    edges.sort_unstable();
    let beside = |rng: &mut Rng| edges[rng.index(edges.len())] + rng.index(3) as i64 - 1;
    let any = |rng: &mut Rng| rng.index(2100) as i64;
    (0..YEARS)
        .map(|at| if at % 2 == 0 && !edges.is_empty() { beside(rng) } else { any(rng) })
        .collect()
}

/// What a question expects.
struct Asked<'a> {
    relation: &'a str,
    year: i64,
    expected: Vec<Pair>,
}

fn questions<'a>(facts: &'a BTreeMap<String, Vec<Fact>>, rng: &mut Rng) -> Vec<Asked<'a>> {
    let mut all = Vec::new();
    for (relation, facts) in facts {
        let asked = years(rng, facts).into_iter();
        all.extend(asked.map(|year| Asked { relation, year, expected: brute(facts, year) }));
    }
    all
}

/// Asks each question by ids, and the first one of every relation for its words too.
fn ask<'a>(mut snapshot: Snapshot<'a>, all: &[Asked<'_>], words: &BTreeMap<MemoryId, Pair>) {
    for (at, Asked { relation, year: asked, expected }) in all.iter().enumerate() {
        let archive = snapshot.basis().from_archive;
        let place = || format!("relation {relation} in {asked}, from archive: {archive}");
        snapshot = snapshot.valid_at(year(*asked));
        let ids = snapshot.ids(&filter(relation, false)).unwrap();
        let mut found: Vec<Pair> = ids.iter().map(|id| words[id].clone()).collect();
        found.sort_unstable();
        assert_eq!(found, *expected, "{}", place());
        if at % YEARS == 0 {
            let items = snapshot.list(&filter(relation, false)).unwrap().items;
            let mut found: Vec<Pair> = items.iter().map(pair).collect();
            found.sort_unstable();
            assert_eq!(found, *expected, "the words of {}", place());
        }
    }
}

#[test]
fn the_facts_of_a_year_are_those_of_the_file() {
    let Some(path) = real("tkg/wikidata12k/train.txt") else { return };
    let text = fs::read_to_string(path).unwrap();
    let facts = facts(&text);
    assert_eq!(facts.len(), 24, "relations");
    let mut rng = Rng::new(0x1926);
    let (_place, ledger) = imported(&text, &mut rng);
    let now = Question::now(Zone::UTC);
    let all = questions(&facts, &mut rng);
    let everything = Filter { scope: scope(), include_history: true, ..Filter::default() };
    let listed = ledger.snapshot(&now).unwrap().list(&everything).unwrap().items;
    assert_eq!(listed.len(), facts.values().map(Vec::len).sum::<usize>());
    let words: BTreeMap<MemoryId, Pair> = listed.iter().map(|item| (item.id, pair(item))).collect();
    for from_archive in [false, true] {
        let question = Question { from_archive, ..now.clone() };
        ask(ledger.snapshot(&question).unwrap(), &all, &words);
    }
    // The question as a person asks it, which keeps nothing from the one before.
    for Asked { relation, year: asked, expected } in all.iter().skip(1).step_by(YEARS) {
        let question = Question { valid: Some(When::Instant(year(*asked))), ..now.clone() };
        let ids = ledger.snapshot(&question).unwrap().ids(&filter(relation, false)).unwrap();
        let mut found: Vec<Pair> = ids.iter().map(|id| words[id].clone()).collect();
        found.sort_unstable();
        assert_eq!(found, *expected, "relation {relation} asked in {asked}");
    }
    let compared: usize = all.iter().map(|asked| asked.expected.len()).sum();
    println!("{} questions each way, {compared} facts in force", all.len());
}
