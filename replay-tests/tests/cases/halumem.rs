//! Preferences that people change and drop, replayed: a change supersedes what was there, a deletion
//! leaves a tombstone, and every value that ever was can be read as what it is now.

use std::collections::HashMap;

use ledger_format::{MemoryId, Micros, Seq, Verdict};
use memledger::answer::Text;
use memledger::civil::When;
use memledger::{Command, Content, Filter, Ledger, Proposal, Question, Status, Submission, Terms};
use replay_tests::place::Place;
use serde_json::Value;

use super::real_data::real;

const BASE: Micros = Micros(1_767_600_000_000_000);
const HOUR: i64 = 3_600_000_000;

/// Values that stand, by their words: two preferences can come to say the same.
type Open = HashMap<String, Vec<MemoryId>>;

/// The users with their events.
fn users() -> Option<Vec<Value>> {
    let text = std::fs::read_to_string(real("halumem/stage3_2_preference_events.jsonl")?).unwrap();
    let lines = text.split('\n').filter(|line| !line.trim().is_empty());
    Some(lines.map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// A preference as a sentence. The mark of a deletion is no part of it.
fn preference(event: &Value, side: &str) -> String {
    let point = &event[side]["memory_points"][0];
    let part = |name: &str| point[name].as_str().unwrap();
    let kind = event["preference_type"].as_str().unwrap();
    format!("{kind}: {} - {}. {}", part("type_description"), part("specific_item"), part("reason"))
}

/// A value that was replaced or dropped: what it said, where it stood, and by what it went.
struct Gone {
    id: MemoryId,
    text: String,
    /// The last record at which it stood.
    stood_at: Seq,
    replaced_by: Option<MemoryId>,
}

struct Replay<'a> {
    place: &'a Place,
    ledger: &'a Ledger,
    hours: i64,
    gone: Vec<Gone>,
    begun: usize,
    changed: usize,
    dropped: usize,
}

impl Replay<'_> {
    fn submit(&mut self, command: Command) -> memledger::Outcome {
        self.hours += 1;
        self.place.clock.set(Micros(BASE.0 + self.hours * HOUR));
        let by = Some("person:user".parse().unwrap());
        let terms = Terms { by, ..Terms::default() };
        self.ledger.submit(Submission::of(command, terms)).unwrap().remove(0)
    }

    fn write(&mut self, user: &str, text: &str, supersedes: Vec<MemoryId>) -> (MemoryId, Seq) {
        let scope = format!("user/{user}").parse().unwrap();
        let mut proposal = Proposal::new(Content::Text(text.to_owned()), scope);
        proposal.source = Some("user:conversation".parse().unwrap());
        proposal.domain = Some("preference".to_owned());
        proposal.by = Some("person:user".parse().unwrap());
        proposal.supersedes = supersedes;
        let done = self.submit(Command::Write(Box::new(proposal)));
        assert_eq!(done.verdict, Verdict::Committed, "{text}: {:?}", done.reason);
        (done.id.unwrap(), done.seq)
    }

    fn event(&mut self, user: &str, open: &mut Open, event: &Value) {
        let before = preference(event, "before_preference");
        let old = match open.get_mut(&before).and_then(Vec::pop) {
            Some(id) => id,
            // What the user held when the conversations began.
            None => {
                self.begun += 1;
                self.write(user, &before, Vec::new()).0
            }
        };
        match event["update_direction"].as_str().unwrap() {
            "Modify" => {
                let after = preference(event, "after_preference");
                let (new, seq) = self.write(user, &after, vec![old]);
                let stood_at = Seq(seq.0 - 1);
                self.gone.push(Gone { id: old, text: before, stood_at, replaced_by: Some(new) });
                open.entry(after).or_default().push(new);
                self.changed += 1;
            }
            "Delete" => {
                let reason = Some(event["update_reason"].as_str().unwrap().to_owned());
                let command = Command::Forget { memories: vec![old], subject: None, reason };
                let seq = self.submit(command).seq;
                let stood_at = Seq(seq.0 - 1);
                self.gone.push(Gone { id: old, text: before, stood_at, replaced_by: None });
                self.dropped += 1;
            }
            other => panic!("an event that is {other}"),
        }
    }
}

#[test]
fn preferences_are_replaced_and_dropped_and_nothing_is_lost() {
    let Some(users) = users() else { return };
    let (place, ledger) = Place::new(BASE);
    let mut replay = Replay {
        place: &place,
        ledger: &ledger,
        hours: 0,
        gone: Vec::new(),
        begun: 0,
        changed: 0,
        dropped: 0,
    };
    let mut current = Vec::new();
    for user in &users {
        let name = user["uuid"].as_str().unwrap();
        let mut open = Open::new();
        for event in user["event_list"].as_array().unwrap() {
            replay.event(name, &mut open, event);
        }
        current.push((name, open));
    }
    assert_eq!((replay.changed, replay.dropped), (251, 104));
    let standing = stands(&ledger, &current);
    let (closed, tombstones, stood) = went(&ledger, &replay.gone);
    assert_eq!((closed, tombstones, stood), (251, 104, 355));
    println!(
        "HaluMem: {} users, {} first values, {} changes and {} deletions; {standing} current values as said, \
         {closed} earlier ones closed and readable, {tombstones} tombstones, {stood} open before they went",
        users.len(),
        replay.begun,
        replay.changed,
        replay.dropped,
    );
    ledger.close().unwrap();
}

/// Every user's listing is exactly the values that were said last.
fn stands(ledger: &Ledger, current: &[(&str, Open)]) -> usize {
    let snapshot = ledger.snapshot(&Question::now(ledger.zone())).unwrap();
    let mut standing = 0;
    for (user, open) in current {
        let scope = format!("user/{user}").parse().unwrap();
        let filter = Filter { scope, ..Filter::default() };
        let items = snapshot.list(&filter).unwrap().items;
        assert_eq!(items.len(), open.values().map(Vec::len).sum::<usize>(), "{user}");
        for item in items {
            let Text::Words(text) = &item.text else { panic!("{item:?}") };
            assert!(open[text].contains(&item.id), "{text}");
            assert_eq!(item.status, Status::Open, "{text}");
            standing += 1;
        }
    }
    standing
}

/// How many values are closed and readable, how many left a tombstone, how many were open just before.
fn went(ledger: &Ledger, gone: &[Gone]) -> (usize, usize, usize) {
    let now = ledger.snapshot(&Question::now(ledger.zone())).unwrap();
    let (mut closed, mut tombstones, mut stood) = (0, 0, 0);
    for one in gone {
        let item = now.get(&one.id).unwrap().unwrap();
        let words = Text::Words(one.text.clone());
        match one.replaced_by {
            Some(by) => {
                let closure = item.closed.as_ref().unwrap();
                assert_eq!((item.status, closure.superseded_by), (Status::Closed, Some(by)));
                assert_eq!(item.text, words);
                closed += 1;
            }
            None => {
                assert_eq!(item.status, Status::Forgotten);
                assert!(matches!(item.text, Text::Forgotten(_)), "{:?}", item.text);
                tombstones += 1;
            }
        }
        let question =
            Question { known: When::Seq(one.stood_at.0), ..Question::now(ledger.zone()) };
        let then = ledger.snapshot(&question).unwrap().get(&one.id).unwrap().unwrap();
        assert_eq!((then.status, then.text), (Status::Open, words));
        stood += 1;
    }
    (closed, tombstones, stood)
}
