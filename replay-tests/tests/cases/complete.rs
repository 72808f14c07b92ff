//! No case is forgotten: a file without a `mod` line would never run and never fail.

use std::collections::BTreeSet;
use std::fs;

#[test]
fn every_case_is_named() {
    let runner = include_str!("../runner.rs");
    let named: BTreeSet<String> = runner
        .lines()
        .filter_map(|line| line.trim().strip_prefix("mod ")?.strip_suffix(';'))
        .map(str::to_owned)
        .collect();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let present: BTreeSet<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(named, present);
}
