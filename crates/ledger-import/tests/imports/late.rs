//! Made-up histories whose rows arrive in any order, on both axes, in three runs: the real ledger against
//! the rule. The same is tried far more often against a small book beside the code; here the ledger
//! itself has to take the corrections.

use std::fs;

use ledger_import::Progress;
use ledger_import::history::{HistoryOptions, import};
use memledger::format::Micros;

use super::bench::{Bench, importer, isolated, scope};
use super::data::{in_force, instant, rows};

const HISTORIES: u64 = 24;
const DAYS: u64 = 9;

/// A generator of a few lines (splitmix64): a seed repeats a history.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

fn day(number: u64) -> String {
    format!("2026-01-{:02}T00:00:00Z", number + 1)
}

/// A row of the table, and the run with which it arrives.
fn row(chance: &mut Chance, number: usize) -> (String, u64) {
    let (author, claim) = (day(chance.below(DAYS)), day(chance.below(DAYS)));
    let (bytes, file) = match chance.below(5) {
        0 => (0, "(deleted)"),
        1 | 2 => (1, "a"),
        3 => (1, "b"),
        _ => (1, "c"),
    };
    (format!("{number}\tc{number}\t{author}\t{claim}\t{bytes}\t1\t1\t\t{file}\ts"), chance.below(3))
}

#[test]
fn rows_that_arrive_late_take_their_place() {
    if !isolated("imports::late::rows_that_arrive_late_take_their_place") {
        return;
    }
    for seed in 0..HISTORIES {
        history(seed);
    }
}

fn history(seed: u64) {
    let (bench, mut chance) = (Bench::new(), Chance(seed));
    let dir = bench.path("doc");
    fs::create_dir(&dir).unwrap();
    ["a", "b", "c"].iter().for_each(|name| fs::write(dir.join(name), name).unwrap());
    let count = 2 + usize::try_from(chance.below(6)).unwrap();
    let all: Vec<(String, u64)> = (0..count).map(|number| row(&mut chance, number)).collect();
    for round in 0..3 {
        let arrived = all.iter().filter(|(_, run)| *run <= round).map(|(row, _)| row.as_str());
        let table = [super::histories::HEADER].into_iter().chain(arrived).collect::<Vec<_>>();
        fs::write(dir.join("index.tsv"), table.join("\n")).unwrap();
        let options = HistoryOptions {
            dir: dir.clone(),
            scope: scope(),
            document: None,
            by: importer(),
            quarantine: bench.path("bad.ndjson"),
        };
        let run = || import(&bench.ledger, &options, &mut |_: Progress<'_>| {}).unwrap();
        assert_eq!(run().refused, 0);
        let before = bench.records();
        run();
        assert_eq!(bench.records(), before, "a second run appends nothing; seed {seed}");
        let rows = rows(&dir);
        for claim in (0..=DAYS).map(|number| instant(&day(number))) {
            let held = bench.held("doc", claim);
            for valid in (0..=DAYS).map(|number| Micros(instant(&day(number)).0 + 1)) {
                let holds =
                    held.iter().filter(|(_, spans)| spans.iter().any(|span| span.contains(valid)));
                let found: Vec<&str> = holds.map(|(text, _)| text.as_str()).collect();
                let expected: Vec<&str> = in_force(&rows, claim, valid).into_iter().collect();
                assert_eq!(
                    found, expected,
                    "seed {seed}, round {round}, {claim:?}, {valid:?}: {table:#?}"
                );
            }
        }
    }
}
