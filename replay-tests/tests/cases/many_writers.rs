//! Many threads, one ledger; many openings, one after another; and a second opener beside the first:
//! every memory that was answered is there, once.

use std::collections::{BTreeMap, VecDeque};

use ledger_format::{Micros, RecordHash, Seq};
use memledger::answer::Text;
use memledger::civil::When;
use memledger::verify::{CheckVerdict, VerifyLevel};
use memledger::{Command, Content, ErrorKind, Filter, Ledger, Proposal, Scope, Submission, Terms};
use replay_tests::place::Place;
use replay_tests::witness::{at, events};
use replay_tests::workload::time;
use replay_tests::{small, tamper};

const THREADS: usize = 50;
const EACH: usize = 200;
/// Submissions that a thread has on their way at any time.
const IN_FLIGHT: usize = 16;

fn submission(text: String) -> Submission {
    let scope: Scope = "org/acme".parse().unwrap();
    let proposal = Proposal::new(Content::Text(text), scope);
    Submission::of(Command::Write(Box::new(proposal)), Terms::default())
}

/// What one thread does. Gives the record and the hash of each answer.
fn write_all(ledger: &Ledger, thread: usize) -> Vec<(Seq, RecordHash)> {
    let mut answers = Vec::new();
    let mut waiting = VecDeque::new();
    for number in 0..EACH {
        let text = format!("thread {thread} number {number}");
        waiting.push_back(ledger.enqueue(submission(text)).unwrap());
        if waiting.len() == IN_FLIGHT {
            answers.extend(waiting.pop_front().unwrap().wait().unwrap());
        }
    }
    for ticket in waiting {
        answers.extend(ticket.wait().unwrap());
    }
    let place = |outcome: memledger::Outcome| (outcome.seq, outcome.hash);
    answers.into_iter().map(place).collect()
}

#[test]
fn rival_08_fifty_threads_write_ten_thousand_memories_and_all_are_there_once() {
    let (place, ledger) = Place::new(Micros(time::BASE));
    let answers: Vec<(Seq, RecordHash)> = std::thread::scope(|scope| {
        let ledger = &ledger;
        let threads: Vec<_> =
            (0..THREADS).map(|thread| scope.spawn(move || write_all(ledger, thread))).collect();
        let answers = threads.into_iter().map(|thread| thread.join().unwrap());
        answers.flatten().collect()
    });
    assert_eq!(answers.len(), THREADS * EACH);
    all_there_once(&ledger, &(0..THREADS).flat_map(texts).collect::<Vec<_>>());
    let events = events(&ledger);
    let gapless = events.iter().enumerate().all(|(at, event)| event.seq().0 == at as u64);
    assert!(gapless, "records have no gaps");
    let mut seen = BTreeMap::new();
    for (seq, hash) in answers {
        assert_eq!(seen.insert(seq, hash), None, "record {seq} was answered twice");
        assert_eq!(events[seq.0 as usize].hash, hash, "record {seq}");
    }
    ledger.close().unwrap();
    // Every text was read above, so the chain is what is left to check.
    let report = tamper::verify(&place.path(), VerifyLevel::Log);
    assert_eq!(report.verdict(), CheckVerdict::Ok, "{report:#?}");
    assert_eq!(report.head, Some(Seq(events.len() as u64 - 1)));
}

fn texts(thread: usize) -> Vec<String> {
    let text = |number| format!("thread {thread} number {number}");
    (0..EACH).map(text).collect()
}

/// Each text is the text of one memory, and no memory has another text.
fn all_there_once(ledger: &Ledger, texts: &[String]) {
    let snapshot = ledger.snapshot(&at(When::Head, None)).unwrap();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for item in snapshot.list(&Filter::default()).unwrap().items {
        match item.text {
            Text::Words(words) => *counts.entry(words).or_default() += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(counts.len(), texts.len());
    for text in texts {
        assert_eq!(counts.get(text), Some(&1), "{text}");
    }
}

#[test]
fn openings_one_after_another_append_and_all_is_there() {
    let (place, mut ledger) = Place::new(Micros(time::BASE));
    let mut written = Vec::new();
    for opening in 0..12 {
        for number in 0..3 {
            let text = format!("opening {opening} number {number}");
            small::write(&ledger, &text, None);
            written.push(text);
        }
        // Most close; some are only dropped, and one opens without writing.
        if opening % 3 == 2 {
            drop(ledger);
        } else {
            ledger.close().unwrap();
        }
        if opening == 6 {
            place.open().close().unwrap();
        }
        ledger = place.open();
        all_there_once(&ledger, &written);
    }
    ledger.close().unwrap();
    let report = tamper::verify(&place.path(), VerifyLevel::Views);
    assert_eq!(report.verdict(), CheckVerdict::Ok, "{report:#?}");
}

#[test]
fn a_second_opener_is_told_who_holds_the_ledger_and_reads_the_archive() {
    let (place, ledger) = Place::new(Micros(time::BASE));
    small::write(&ledger, "anchored", None);
    ledger.close().unwrap();
    let holder = place.open();
    let told = place.open_at(&place.path()).unwrap_err();
    assert_eq!(told.kind(), ErrorKind::Conflict);
    assert!(told.to_string().contains(&format!("process {}", std::process::id())), "{told}");
    for round in 0..8 {
        small::write(&holder, &format!("written {round}"), None);
        let archive = place.archive_at(&place.path()).unwrap();
        assert!(!archive.writable());
        let answers = small::answers(&archive, true).unwrap();
        let count = answers.last().unwrap().len();
        assert!((1..=round + 2).contains(&count), "round {round}: {count}");
        let refused = archive.submit(submission("beside".into())).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unavailable, "{refused}");
        let report = tamper::verify(&place.path(), VerifyLevel::Content);
        assert_eq!(report.verdict(), CheckVerdict::Ok, "{report:#?}");
    }
    assert_eq!(small::answers(&holder, false).unwrap().last().unwrap().len(), 9);
    holder.close().unwrap();
    assert!(Ledger::open(&place.path(), place.options()).unwrap().close().is_ok());
}
