//! Benchmarks: the product beside a floor of the same shape and beside what a user would pick
//! instead, in one run, in alternating rounds.
//!
//! Every figure is a ratio with its median and spread. Absolute numbers belong to the machine and
//! its load; they are printed so that ratios can be checked. May not: be part of the tests.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::exit,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    missing_docs,
    reason = "a measuring program: it prints, reads the clock, and stops at the first surprise"
)]

mod append;
mod args;
mod asof;
mod building;
mod chart;
mod depth;
mod floor;
mod growth;
mod inspeximus;
mod load;
mod measure;
mod opening;
mod peers;
mod postgres;
mod rivals;
mod rows;
mod stages;
mod verify;
mod world;

use std::path::Path;

use self::args::{Args, usage};
use self::rows::Rows;
use self::world::Site;

type Part = fn(&Site, &mut Rows);

/// Parts that need a ledger of some size, in the order in which they run.
const PARTS: [(&str, Part); 8] = [
    ("growth", growth::run),
    ("open", opening::run),
    ("verify", verify::run),
    ("asof", asof::run),
    ("views", building::run),
    ("rebuild", opening::rebuild),
    ("depth", depth::run),
    ("peers", rivals::run),
];
/// The smallest ledger of a whole run.
const SMALLEST: u64 = 10_000;

fn main() {
    let raw: Vec<String> = std::env::args().skip(1).collect();
    if raw.first().is_some_and(|word| word == "child") {
        return building::in_child(&raw[1..]);
    }
    let args = Args::read();
    let gone = tempfile::tempdir().unwrap();
    let dir = args.dir.clone().unwrap_or_else(|| gone.path().into());
    std::fs::create_dir_all(&dir).unwrap();
    let mut rows = Rows::kept(&dir.join("figures.tsv"));
    let words: Vec<&str> = args.words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["all"] => all(&args, &dir, &mut rows),
        ["append"] => append::run(args.rounds, None, &mut rows),
        ["append", part @ ("one" | "many" | "batch")] => {
            append::run(args.rounds, Some(part), &mut rows);
        }
        ["inspeximus"] => inspeximus::run(&mut rows),
        ["stages"] => {
            let site = site(&args, &dir, args.size);
            rows.size = args.size;
            rows.part("growth", |rows| growth::run(&site, rows));
            stages::run(&site);
        }
        [name] => {
            let Some((_, part)) = PARTS.iter().find(|(part, _)| part == name) else { usage() };
            let site = site(&args, &dir, args.size);
            rows.size = args.size;
            if !["growth", "depth", "peers"].contains(name) {
                rows.part("growth", |rows| growth::run(&site, rows));
            }
            rows.part(name, |rows| part(&site, rows));
        }
        _ => usage(),
    }
    write_out(&args, &rows);
}

fn all(args: &Args, dir: &Path, rows: &mut Rows) {
    append::run(args.rounds, None, rows);
    rows.part("inspeximus", inspeximus::run);
    let mut sizes: Vec<u64> = std::iter::successors(Some(SMALLEST), |size| Some(size * 10))
        .take_while(|size| *size < args.size)
        .collect();
    sizes.push(args.size);
    for size in sizes {
        let site = site(args, dir, size);
        rows.size = size;
        for (name, part) in PARTS {
            rows.part(name, |rows| part(&site, rows));
            write_out(args, rows);
        }
    }
}

fn site(args: &Args, dir: &Path, size: u64) -> Site {
    let dir = dir.join(size.to_string());
    std::fs::create_dir_all(&dir).unwrap();
    Site { dir, size, rounds: args.rounds }
}

/// Tables and drawing, as far as they are known.
fn write_out(args: &Args, rows: &Rows) {
    if let Some(path) = &args.out {
        std::fs::write(path, rows.markdown()).unwrap();
    }
    if let Some(path) = &args.svg {
        std::fs::write(path, chart::svg(rows.rows())).unwrap();
    }
}
