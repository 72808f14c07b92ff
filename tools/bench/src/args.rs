//! Owns the command line: a part, then options in any order.

use std::path::PathBuf;

pub(crate) struct Args {
    /// What is to be measured, and words that only it understands.
    pub(crate) words: Vec<String>,
    /// Records of the largest ledger.
    pub(crate) size: u64,
    pub(crate) rounds: u64,
    /// Where ledgers and figures are kept; none: they go with the run.
    pub(crate) dir: Option<PathBuf>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) svg: Option<PathBuf>,
}

const USAGE: &str =
    "bench PART [--size RECORDS] [--rounds N] [--dir DIR] [--out FILE.md] [--svg FILE.svg]

  all                 every part, at 10,000, 100,000, ... up to --size; goes on where a run with
                      the same --dir was stopped
  append [one|many|batch]    durable appends: one client, many, batches (A1 A2 A3 A6)
  growth              builds the ledger of --size; cost of an append as it grows, bytes (P2 P6)
  open                opening and closing it (R2)
  rebuild             its views from nothing (R1)
  views               building views, and memory (T4)
  verify              verification (V1 V2 V3 V4)
  asof                as-of reads and listings (T1)
  depth               as-of listings as versions pile up (T2 T3)
  peers               SQLite, redb and fjall as they grow
  inspeximus          the Python package as it grows
  stages              where the time of a rebuild goes

--size is 100000 and --rounds 3 where they are not given.";

impl Args {
    pub(crate) fn read() -> Self {
        let mut args =
            Self { words: Vec::new(), size: 100_000, rounds: 3, dir: None, out: None, svg: None };
        let mut given = std::env::args().skip(1);
        while let Some(word) = given.next() {
            if !word.starts_with("--") {
                args.words.push(word);
                continue;
            }
            let value = given.next().unwrap_or_else(|| usage());
            let number = || value.parse().ok().filter(|number| *number > 0);
            match word.as_str() {
                "--size" => args.size = number().unwrap_or_else(|| usage()),
                "--rounds" => args.rounds = number().unwrap_or_else(|| usage()),
                "--dir" => args.dir = Some(value.into()),
                "--out" => args.out = Some(value.into()),
                "--svg" => args.svg = Some(value.into()),
                _ => usage(),
            }
        }
        args
    }
}

pub(crate) fn usage() -> ! {
    eprintln!("{USAGE}");
    std::process::exit(2)
}
