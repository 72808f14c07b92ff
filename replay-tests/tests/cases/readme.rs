//! The list of cases in the README and the tests are held together: every number has a row, every
//! named test exists, every test with a number has its row.

use std::collections::BTreeSet;
use std::fs;

const README: &str = include_str!("../../README.md");
/// Each list of the README: how its rows begin, and how many there are.
const LISTS: [(&str, usize); 6] =
    [("fault", 25), ("drill", 12), ("A", 52), ("B", 55), ("L", 35), ("rival", 9)];

/// The first cells of all table rows.
fn rows() -> BTreeSet<String> {
    let cells = README.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    cells.map(|cell| cell.trim().to_owned()).collect()
}

fn is_numbered(name: &str) -> bool {
    ["fault_", "drill_", "field_", "rival_"].iter().any(|start| name.starts_with(start))
}

fn tests() -> BTreeSet<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let texts = fs::read_dir(folder).unwrap().map(|file| fs::read_to_string(file.unwrap().path()));
    let names = |text: String| -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("fn ")?.split('(').next());
        lines.filter(|name| is_numbered(name)).map(str::to_owned).collect()
    };
    texts.flat_map(|text| names(text.unwrap())).collect()
}

#[test]
fn every_number_has_a_row() {
    let rows = rows();
    for (list, count) in LISTS {
        let name = |number| match list.len() {
            1 => format!("{list}{number}"),
            _ => format!("{list} {number}"),
        };
        let missing: Vec<String> = (1..=count).map(name).filter(|n| !rows.contains(n)).collect();
        assert_eq!(missing, Vec::<String>::new());
        assert!(!rows.contains(&name(count + 1)));
    }
}

#[test]
fn the_readme_names_the_tests_that_exist() {
    let named: BTreeSet<String> = README
        .lines()
        .filter(|line| line.starts_with("| "))
        .flat_map(|line| line.split('`'))
        .filter(|word| is_numbered(word))
        .map(str::to_owned)
        .collect();
    assert_eq!(named, tests());
}
