//! What a write costs, counted and not timed: operations of the storage, bytes and flushes.

use ledger_format::Micros;
use ledger_store::StoreOptions;
use ledger_store::storage::Op;
use memledger::{Command, Content, Ledger, OpenOptions, Proposal, Submission, Terms};
use replay_tests::stand::{Stand, honest};

/// Single writes that are counted together, so that key pages laid ahead and anchors average out.
const COUNTED: u64 = 256;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cost {
    operations: u64,
    written: u64,
    flushes: u64,
}

fn proposal(number: u64) -> Command {
    let scope = "org/acme".parse().unwrap();
    let text = format!("{:016x} says something else", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    Command::Write(Box::new(Proposal::new(Content::Text(text), scope)))
}

fn submit(ledger: &Ledger, commands: Vec<Command>) {
    ledger.submit(Submission { commands, terms: Terms::default() }).unwrap();
}

fn cost(stand: &Stand, ledger: &Ledger, from: u64) -> Cost {
    drop(stand.disk.take_trace());
    for number in from..from + COUNTED {
        submit(ledger, vec![proposal(number)]);
    }
    let trace = stand.disk.take_trace();
    let mut cost = Cost { operations: trace.len() as u64, ..Cost::default() };
    for entry in trace {
        match entry.op {
            Op::WriteAllAt | Op::ZeroFill => cost.written += entry.len,
            Op::SyncData | Op::SyncAll => cost.flushes += 1,
            _ => {}
        }
    }
    cost
}

#[test]
fn rival_06_a_write_costs_as_much_at_a_hundred_thousand_records_as_at_a_thousand() {
    let mut stand = Stand::new(6, Micros(1_000_000), honest());
    stand.init().unwrap().close().unwrap();
    let options = OpenOptions { store: StoreOptions::sequential(), ..stand.options() };
    let ledger = Ledger::open(std::path::Path::new("nowhere"), options).unwrap();
    let mut number = 0;
    let mut costs = Vec::new();
    for size in [1_000, 100_000] {
        while number < size {
            let next = (number + 500).min(size);
            submit(&ledger, (number..next).map(proposal).collect());
            number = next;
        }
        costs.push(cost(&stand, &ledger, number));
        number += COUNTED;
    }
    let [early, late] = costs[..] else { panic!("{costs:?}") };
    assert!(early.flushes >= COUNTED && early.written > 0, "{early:?}");
    let flat = |early: u64, late: u64| late <= early + early / 50;
    assert!(flat(early.operations, late.operations), "{costs:?}");
    assert!(flat(early.written, late.written), "{costs:?}");
    assert!(flat(early.flushes, late.flushes), "{costs:?}");
    ledger.close().unwrap();
}
