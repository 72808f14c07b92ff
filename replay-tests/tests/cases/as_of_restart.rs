//! Views are thrown away, left behind by a holder that was killed, or copied in the middle of its
//! work: after the next opening the answers about every record are the same, and so is the digest.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::sync::Arc;

use ledger_format::{MemoryId, Micros};
use memledger::answer::{Item, Text};
use memledger::civil::When;
use memledger::clock::DeclaredClock;
use memledger::verify::{CheckVerdict, VerifyLevel};
use memledger::{
    Command, Content, Filter, Ledger, OpenOptions, Proposal, Scope, Submission, Terms,
};
use replay_tests::place::{Place, copy_tree, keys_beside};
use replay_tests::player::{Manner, play};
use replay_tests::rng::Rng;
use replay_tests::witness::{Witness, at};
use replay_tests::workload::time;
use replay_tests::{seed, small, test_path};

const LIFE: Manner = Manner { steps: 40, claims: 4 };
/// Names the ledger to the process that is going to be killed.
const CHILD: &str = "MEMLEDGER_TEST_CHILD";

/// The digest of the views, and what they answer about every record, or about 40 of many, the last
/// one first.
fn answers(ledger: &Ledger) -> (Option<[u8; 32]>, Vec<Vec<Item>>) {
    let filter = Filter { include_history: true, ..Filter::default() };
    let status = ledger.status().unwrap();
    let step = 1 + status.size as usize / 40;
    let listed = (0..status.size).rev().step_by(step).map(|seq| {
        let snapshot = ledger.snapshot(&at(When::Seq(seq), None)).unwrap();
        snapshot.list(&filter).unwrap().items
    });
    (status.views_digest, listed.collect())
}

fn assert_whole(path: &Path) {
    let report =
        Ledger::verify_dir(path, &keys_beside(path), VerifyLevel::Views, &|_, _, _| ()).unwrap();
    assert_eq!(report.verdict(), CheckVerdict::Ok, "{report:#?}");
}

#[test]
fn deleted_views_come_back_with_the_same_digest_and_answers() {
    let path = test_path!(deleted_views_come_back_with_the_same_digest_and_answers);
    seed::each(&path, 3, |seed| {
        let played = play(seed, LIFE, |_, _, _| ());
        let place = &played.place;
        let before = place.open();
        let told = answers(&before);
        before.close().unwrap();
        std::fs::remove_dir_all(place.path().join("views")).unwrap();
        let again = place.open();
        assert_eq!(answers(&again), told);
        again.close().unwrap();
        assert_whole(&place.path());
        let rebuild = OpenOptions { rebuild: true, ..place.options() };
        let rebuilt = Ledger::open(&place.path(), rebuild).unwrap();
        assert_eq!(answers(&rebuilt), told);
        rebuilt.close().unwrap();
    });
}

/// Views that belong elsewhere are put aside and made anew; those that are only behind go on.
#[test]
fn fault_22_a_bad_foreign_old_or_too_new_view_is_made_anew() {
    let (place, ledger) = Place::new(Micros(time::BASE));
    let first = write(&ledger, "first", None);
    ledger.close().unwrap();
    let (early, fork) = (place.copy("early"), place.copy("fork"));
    for (path, text) in [(place.path(), "one way"), (fork.clone(), "another way")] {
        let ledger = place.open_at(&path).unwrap();
        write(&ledger, text, Some(first));
        write(&ledger, "later", None);
        ledger.close().unwrap();
    }
    let foreign = small::ledger();
    let taken: [(&str, &Path, &Path, bool); 4] = [
        ("foreign", &foreign.path(), &place.path(), true),
        ("old", &early, &place.path(), false),
        ("too new", &place.path(), &early, true),
        ("of another history", &fork, &place.path(), true),
    ];
    for (what, from, to, said) in taken {
        let target = place.beside("target");
        copy_tree(to, &target);
        std::fs::remove_dir_all(target.join("views")).unwrap();
        copy_tree(&from.join("views"), &target.join("views"));
        made_anew(&place, &target, what, said);
    }
    let views = std::fs::read_dir(place.path().join("views")).unwrap();
    let generation = views.map(|entry| entry.unwrap().path()).find(|path| path.is_dir()).unwrap();
    let clean = format!("{}/CLEAN", generation.file_name().unwrap().to_str().unwrap());
    for name in ["CURRENT", &clean] {
        let target = place.copy("target");
        let file = target.join("views").join(name);
        assert!(file.exists(), "{name}");
        std::fs::write(file, "nothing that reads").unwrap();
        made_anew(&place, &target, name, name == "CURRENT");
    }
}

/// Opening says what it did, and the views are as if they had been made from the log.
fn made_anew(place: &Place, target: &Path, what: &str, said: bool) {
    let opened = place.open_at(target).unwrap();
    let told = opened.notices().iter().any(|notice| notice.contains("made anew"));
    assert_eq!(told, said, "{what}: {:?}", opened.notices());
    let answered = answers(&opened);
    assert_eq!(answered.1.first(), small::answers(&opened, true).unwrap().last(), "{what}");
    opened.close().unwrap();
    assert_whole(target);
    std::fs::remove_dir_all(target.join("views")).unwrap();
    let again = place.open_at(target).unwrap();
    assert_eq!(answers(&again), answered, "{what}");
    again.close().unwrap();
    std::fs::remove_dir_all(target).unwrap();
}

/// A copy taken beside a holder is what a killed one leaves: nothing of it was closed.
#[test]
fn a_copy_of_a_held_ledger_answers_as_its_holder() {
    let path = test_path!(a_copy_of_a_held_ledger_answers_as_its_holder);
    seed::each(&path, 2, |seed| {
        let mut copies = 0;
        play(seed, LIFE, |place, ledger, rng| {
            if copies > 0 && rng.chance(2, 3) {
                return;
            }
            let copy = place.copy("copy");
            let opened = place.open_at(&copy).unwrap();
            assert_eq!(answers(&opened), answers(ledger));
            opened.close().unwrap();
            assert_whole(&copy);
            std::fs::remove_dir_all(copy).unwrap();
            copies += 1;
        });
        assert!(copies > 0);
    });
}

/// Not a test of its own: what the killed process does.
#[test]
fn writes_until_it_is_killed() {
    let Some(path) = std::env::var_os(CHILD) else {
        return;
    };
    let clock = Arc::new(DeclaredClock::new(Micros(time::BASE)));
    let path = Path::new(&path);
    let master = keys_beside(path);
    let options = OpenOptions { clock: clock.clone(), master, ..OpenOptions::default() };
    let ledger = Ledger::open(path, options).unwrap();
    let mut last = None;
    for number in 0.. {
        clock.set(Micros(time::BASE + number));
        let text = format!("memory {number}");
        let written = write(&ledger, &text, last.filter(|_| number % 3 == 0));
        println!("\nanswered: {text}");
        last = Some(written);
    }
}

fn write(ledger: &Ledger, text: &str, supersedes: Option<MemoryId>) -> MemoryId {
    let mut proposal = Proposal::new(Content::Text(text.into()), Scope::root());
    proposal.supersedes.extend(supersedes);
    let submission = Submission::of(Command::Write(Box::new(proposal)), Terms::default());
    ledger.submit(submission).unwrap()[0].id.unwrap()
}

#[test]
fn field_a10_after_a_kill_everything_answered_is_there_and_the_views_say_it() {
    for answered in [3, 70] {
        let (place, ledger) = Place::new(Micros(time::BASE));
        ledger.close().unwrap();
        let texts = killed_after(&place.path(), answered);
        assert!(texts.len() >= answered);
        let copy = place.copy("copy");
        std::fs::remove_dir_all(copy.join("views")).unwrap();
        let rebuilt = place.open_at(&copy).unwrap();
        let views = place.open();
        assert_eq!(answers(&views), answers(&rebuilt));
        rebuilt.close().unwrap();
        let mut witness = Witness::new(&views, &views);
        let mut rng = Rng::new(answered as u64);
        let size = views.status().unwrap().size;
        for _ in 0..10 {
            witness.ask(&at(When::Seq(rng.below(size)), None), &mut rng);
        }
        let found = words(&views);
        for text in &texts {
            let count = found.iter().filter(|other| *other == text).count();
            assert_eq!(count, 1, "{text}");
        }
        views.close().unwrap();
        assert_whole(&place.path());
    }
}

fn words(ledger: &Ledger) -> Vec<String> {
    let filter = Filter { include_history: true, ..Filter::default() };
    let items = ledger.snapshot(&at(When::Head, None)).unwrap().list(&filter).unwrap().items;
    let word = |item: Item| match item.text {
        Text::Words(words) => words,
        other => panic!("{other:?}"),
    };
    items.into_iter().map(word).collect()
}

/// Kills a process that writes to a ledger once it has said so often that a write was answered.
fn killed_after(path: &Path, answered: usize) -> Vec<String> {
    let child = module_path!().split_once("::").unwrap().1;
    let mut process = Process::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", &format!("{child}::writes_until_it_is_killed")])
        .env(CHILD, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut texts: Vec<String> = lines
        .map_while(Result::ok)
        .filter_map(|line| Some(line.strip_prefix("answered: ")?.to_owned()))
        .take(answered)
        .collect();
    process.kill().unwrap();
    process.wait().unwrap();
    texts.dedup();
    texts
}
