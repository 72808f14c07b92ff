//! Where the time of a rebuild goes: the same loop with one more step each, on one thread.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ledger_format::{LedgerId, Seq};
use ledger_replay::{Sequenced, State, apply};
use ledger_store::storage::{FsStorage, Storage};
use ledger_store::{Check, Reader};
use ledger_views::{Fold, OpenOptions, Rebuild};

use crate::measure::cpu;
use crate::world::Site;

/// Prints CPU microseconds per event, each line with one more step.
pub(crate) fn run(site: &Site) {
    let scratch = site.scratch();
    print(site.id(), &site.ledger(), &scratch.path().join("beside"));
}

fn print(ledger: LedgerId, path: &Path, beside: &Path) {
    let storage: Arc<dyn Storage> = Arc::new(FsStorage::open_read_only(path).unwrap());
    let reader = Reader::open(storage, ledger).unwrap();
    let events = reader.head().unwrap().seq.0 + 1;
    let mut lines: Vec<(&str, f64)> = vec![];
    let mut line = |name, spent: ((), Duration)| {
        lines.push((name, spent.1.as_secs_f64() * 1e6 / events as f64));
    };
    let stream = || reader.stream(Seq(0), Check::Chain).map(Result::unwrap);
    line("read and verify", cpu(|| assert_eq!(stream().count() as u64, events)));
    let decoded =
        || stream().map(|stored| Sequenced::from_bytes(&stored.bytes, stored.hash).unwrap());
    line("+ decode", cpu(|| assert_eq!(decoded().count() as u64, events)));
    line(
        "+ fold into state",
        cpu(|| {
            let mut state = State::default();
            decoded().for_each(|event| drop(apply(&mut state, &event)));
        }),
    );
    line(
        "+ rows and their digest",
        cpu(|| {
            let (mut state, mut fold) = (State::default(), Fold::new(ledger));
            decoded().for_each(|event| fold.push(&apply(&mut state, &event)).unwrap());
            fold.digest();
        }),
    );
    line(
        "+ sort, pack and load into sled",
        cpu(|| {
            let mut state = State::default();
            let mut rebuild = Rebuild::begin(beside, OpenOptions::new(ledger)).unwrap();
            decoded().for_each(|event| rebuild.push(&apply(&mut state, &event)).unwrap());
            rebuild.finish().unwrap();
        }),
    );
    line(
        "or applied 64 at a time",
        cpu(|| {
            let mut state = State::default();
            let empty = Rebuild::begin(&beside.with_extension("live"), OpenOptions::new(ledger));
            let views = empty.unwrap().finish().unwrap();
            let mut waiting = vec![];
            decoded().for_each(|event| {
                waiting.push(apply(&mut state, &event));
                if waiting.len() == 64 {
                    views.apply(&waiting).unwrap();
                    waiting.clear();
                }
            });
            views.apply(&waiting).unwrap();
            views.close().unwrap();
        }),
    );
    println!("CPU per event, one more step a line:");
    for (name, micros) in lines {
        println!("  {name:<32} {micros:>6.2} microseconds");
    }
}
