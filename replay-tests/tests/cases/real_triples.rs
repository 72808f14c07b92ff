//! Real facts of Wikidata with the years they held: 32,497 lines, imported in an order that says
//! nothing. For 200 years of every relation the facts in force are those that brute force finds in the
//! file.

use std::collections::BTreeMap;
use std::fs;

use ledger_import::Progress;
use ledger_import::triples::{TriplesOptions, import};
use memledger::answer::Item;
use memledger::civil::{When, Zone};
use memledger::{Filter, Interval, Ledger, Question, Scope};
use replay_tests::place::Place;
use replay_tests::rng::Rng;

use super::real_data::{instant, real, year};

/// The archive is asked about relations with up to this many facts: 15 of the 24. Both ways read the
/// facts themselves alike, and that is what takes the time.
const FROM_ARCHIVE: usize = 500;

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

fn brute(facts: &[Fact], year: i64) -> Vec<(&str, &str)> {
    let holds = |fact: &&Fact| {
        fact.first.is_none_or(|first| first <= year) && fact.last.is_none_or(|last| year <= last)
    };
    let mut found: Vec<(&str, &str)> = facts
        .iter()
        .filter(holds)
        .map(|fact| (fact.subject.as_str(), fact.object.as_str()))
        .collect();
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

fn pair(item: &Item) -> (&str, &str) {
    let body = item.body.as_ref().unwrap();
    (body["subject"].as_str().unwrap(), body["object"].as_str().unwrap())
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
    (0..200)
        .map(|at| if at % 2 == 0 && !edges.is_empty() { beside(rng) } else { any(rng) })
        .collect()
}

#[test]
fn the_facts_of_a_year_are_those_of_the_file() {
    let Some(path) = real("tkg/wikidata12k/train.txt") else { return };
    let text = fs::read_to_string(path).unwrap();
    let facts = facts(&text);
    let mut rng = Rng::new(0x1926);
    let (_place, ledger) = imported(&text, &mut rng);
    let now = Question::now(Zone::UTC);
    let mut compared = 0;
    for from_archive in [false, true] {
        let snapshot = ledger.snapshot(&Question { from_archive, ..now.clone() }).unwrap();
        let asked = facts.iter().filter(|(_, facts)| !from_archive || facts.len() <= FROM_ARCHIVE);
        for (relation, facts) in asked {
            // One listing with everything that ever held answers for every year.
            let items = snapshot.list(&filter(relation, true)).unwrap().items;
            assert_eq!(items.len(), facts.len(), "facts of relation {relation}");
            let held: Vec<(&[Interval], (&str, &str))> =
                items.iter().map(|item| (item.validity.as_slice(), pair(item))).collect();
            for asked in years(&mut rng, facts) {
                let at = year(asked);
                let mut found: Vec<(&str, &str)> = held
                    .iter()
                    .filter(|(validity, _)| validity.iter().any(|span| span.contains(at)))
                    .map(|(_, pair)| *pair)
                    .collect();
                found.sort_unstable();
                assert_eq!(found, brute(facts, asked), "relation {relation} in {asked}");
                compared += found.len();
            }
        }
    }
    assert!(compared > 0);
    println!("compared {compared} facts in force");
    // The question itself, on the valid axis, for one year of every relation.
    for (relation, facts) in &facts {
        let asked = years(&mut rng, facts)[0];
        let question = Question { valid: Some(When::Instant(year(asked))), ..now.clone() };
        let items =
            ledger.snapshot(&question).unwrap().list(&filter(relation, false)).unwrap().items;
        let mut found: Vec<(&str, &str)> = items.iter().map(pair).collect();
        found.sort_unstable();
        assert_eq!(found, brute(facts, asked), "relation {relation} asked in {asked}");
    }
}
