//! Compaction: what says the same becomes one, noise is closed, promotions wait for a person, and nothing is
//! lost.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::sync::Arc;

use memledger::answer::{Item, Text};
use memledger::clock::DeclaredClock;
use memledger::format::{MemoryId, Micros, Trust};
use memledger::policy::compact::Compaction;
use memledger::{
    Command, Content, ErrorKind, Filter, InitOptions, Ledger, MasterEnv, Proposal, Question,
    Status, Submission, Terms,
};

const BASE: i64 = 1_767_600_000_000_000;
const DAY: i64 = 86_400_000_000;

struct World {
    _dir: tempfile::TempDir,
    clock: Arc<DeclaredClock>,
    ledger: Ledger,
}

fn world() -> World {
    let dir = tempfile::tempdir().unwrap();
    let clock = Arc::new(DeclaredClock::new(Micros(BASE)));
    let master = MasterEnv { key_dir: Some(dir.path().join("keys")), ..MasterEnv::default() };
    let options = InitOptions { master, clock: clock.clone(), ..InitOptions::default() };
    let ledger = Ledger::init(&dir.path().join("ledger"), options).unwrap().ledger;
    World { _dir: dir, clock, ledger }
}

impl World {
    fn submit(&self, command: Command, by: &str) {
        let terms = Terms { by: Some(by.parse().unwrap()), ..Terms::default() };
        self.ledger.submit(Submission::of(command, terms)).unwrap();
    }

    /// As an import brings it: the gate does not compare what a history says.
    fn write(&self, text: &str, from: &[MemoryId]) -> MemoryId {
        let scope = "org/acme/project/web".parse().unwrap();
        let mut proposal = Proposal::new(Content::Text(text.to_owned()), scope);
        proposal.source = Some("tool:scan#1".parse().unwrap());
        proposal.by = Some("service:importer".parse().unwrap());
        proposal.derived_from = from.to_vec();
        let terms = Terms { claimed_at: Some(Micros(BASE - DAY)), ..Terms::default() };
        let submission = Submission::of(Command::Write(Box::new(proposal)), terms);
        self.ledger.submit(submission).unwrap()[0].id.unwrap()
    }

    fn item(&self, id: MemoryId) -> Item {
        let snapshot = self.ledger.snapshot(&Question::now(self.ledger.zone())).unwrap();
        snapshot.get(&id).unwrap().unwrap()
    }

    fn listed(&self) -> usize {
        let snapshot = self.ledger.snapshot(&Question::now(self.ledger.zone())).unwrap();
        snapshot.list(&Filter::default()).unwrap().items.len()
    }
}

fn ids(items: &[Item]) -> Vec<MemoryId> {
    items.iter().map(|item| item.id).collect()
}

#[test]
fn the_same_becomes_one_noise_is_closed_and_everything_can_be_taken_back() {
    let world = world();
    let first = world.write("The build needs Node 22", &[]);
    let second = world.write("the build needs  NODE 22", &[]);
    let other = world.write("The build needs Node 20", &[]);
    let pinned = world.write("The build needs Node 22", &[]);
    world.submit(Command::Pin { memory: pinned, set: true }, "person:lead");
    let source = world.write("The log of the build has nine warnings", &[]);
    let derived = world.write("Warnings of the build are not errors", &[source]);
    world.clock.set(Micros(BASE + 100 * DAY));
    let young = world.write("The cache was emptied", &[]);
    for _ in 0..3 {
        let command = Command::Use { memories: vec![derived], reason: None };
        world.submit(command, "agent:coder");
    }
    let plan = world.ledger.compaction(&Compaction::default()).unwrap();
    let merges: Vec<_> = plan.merges.iter().map(|(kept, rest)| (kept.id, ids(rest))).collect();
    assert_eq!(merges, [(pinned, vec![first, second])], "the pinned one stays");
    assert_eq!(ids(&plan.noise), [other], "what is young, needed or pinned is no noise");
    assert_eq!(plan.promotions.iter().map(|(item, _)| item.id).collect::<Vec<_>>(), [derived]);
    let before = world.listed();
    let agent = Some("agent:coder".parse().unwrap());
    let error = world.ledger.compact(&plan, agent.clone(), true).unwrap_err();
    assert_eq!((error.kind(), world.listed()), (ErrorKind::Invalid, before));
    let done = world.ledger.compact(&plan, agent, false).unwrap();
    assert_eq!((done.outcomes.len(), done.left), (3, 0));
    assert_eq!(world.item(derived).trust, Trust::Unverified, "nobody but a person promotes");
    let gone = world.item(second);
    assert_eq!(gone.status, Status::Closed);
    assert_eq!(gone.closed.unwrap().superseded_by, Some(pinned));
    assert_eq!(gone.text, Text::Words("the build needs  NODE 22".to_owned()), "nothing is lost");
    for id in [pinned, source, derived, young] {
        assert_eq!(world.item(id).status, Status::Open);
    }
    for memory in [first, second, other] {
        let reopen = Command::Reopen { memory, from: None, until: None, reason: None };
        world.submit(reopen, "person:lead");
    }
    assert_eq!(world.listed(), before);
    let again = world.ledger.compaction(&Compaction::default()).unwrap();
    assert_eq!((ids(&again.noise), again.promotions.len()), (vec![other], 1));
    let lead = Some("person:lead".parse().unwrap());
    world.ledger.compact(&again, lead, true).unwrap();
    assert_eq!(world.item(derived).trust, Trust::Verified);
    world.ledger.close().unwrap();
}
