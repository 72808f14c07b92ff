//! Owns the life that the sweep cuts short: a fixed list of what one caller does, and what it was
//! told.
//!
//! Invariant: the list holds every kind of step at which a ledger touches its disk in another way:
//! making, first batch, payloads, several records at once, a retry, full segments and payload files,
//! anchors, closing, opening after a close and after a kill, a clock that falls back and one that runs
//! ahead.

use ledger_format::{CloseKind, MemoryId, Micros, RecordHash, Seq};
use memledger::{Command, Content, Ledger, Outcome, Proposal, Result, Scope, Submission, Terms};

use crate::stand::Stand;
use crate::workload::time;

const HOUR: i64 = 3_600_000_000;

/// One thing that the caller does.
#[derive(Clone, Debug)]
pub enum Step {
    Init,
    Submit(Submission),
    Close,
    /// The process is killed; the machine goes on.
    Kill,
    Open,
    Clock(i64),
}

/// What the caller was told, which nothing may take back.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Whether the ledger was made.
    pub made: bool,
    /// The last step that succeeded was a close.
    pub closed: bool,
    /// Every record that was answered.
    pub answered: Vec<(Seq, RecordHash)>,
    /// The last head that was answered or seen.
    pub head: Option<(Seq, RecordHash)>,
    /// The memories that were written, in the order of their records.
    pub memories: Vec<MemoryId>,
    /// What was under way when the life ended.
    pub under_way: Option<Submission>,
}

impl Told {
    fn outcomes(&mut self, outcomes: &[Outcome], writes: &[bool]) {
        for (outcome, is_write) in outcomes.iter().zip(writes) {
            if *is_write && !outcome.repeated {
                self.memories.extend(outcome.id);
            }
            self.answered.push((outcome.seq, outcome.hash));
            self.head = Some((outcome.head, outcome.head_hash));
        }
    }
}

/// The list, for a caller who has written these memories so far: their ids are drawn from the seed.
#[must_use]
pub fn steps(ids: &[MemoryId]) -> Vec<Step> {
    let id = |at: usize| ids.get(at).copied().unwrap_or(MemoryId::ZERO);
    let one = |command| Step::Submit(Submission::of(command, Terms::default()));
    let keyed = Submission::of(
        write("kept once, however often it is sent", None),
        Terms { idempotency_key: Some("request 1".into()), ..Terms::default() },
    );
    let many = Submission {
        commands: (0..16).map(|number| write(&format!("one of many: {number}"), None)).collect(),
        terms: Terms::default(),
    };
    vec![
        Step::Init,
        one(write("Install with npm", None)),
        one(write("Refund within 90 days", None)),
        Step::Clock(HOUR),
        one(write("Install with pnpm", Some(id(0)))),
        Step::Submit(keyed.clone()),
        Step::Submit(keyed.clone()),
        one(close(id(1))),
        Step::Close,
        Step::Open,
        Step::Clock(-2 * HOUR),
        one(write(&"A long text. ".repeat(60), None)),
        one(Command::Forget { memories: vec![id(0)], subject: None, reason: None }),
        Step::Kill,
        Step::Open,
        Step::Submit(Submission {
            commands: vec![write("Two at", None), write("the same time", None)],
            terms: Terms { idempotency_key: Some("request 2".into()), ..Terms::default() },
        }),
        one(Command::Reopen { memory: id(1), from: None, until: None, reason: None }),
        Step::Clock(40 * 24 * HOUR),
        Step::Close,
        Step::Open,
        Step::Submit(keyed),
        one(write(&"Another long text. ".repeat(80), Some(id(3)))),
        one(Command::Pin { memory: id(1), set: true }),
        // More words than there are key slots ready, and more records than a segment holds.
        Step::Submit(many.clone()),
        Step::Submit(many),
        Step::Close,
    ]
}

/// Lives the list until the end or the first error. `watch` looks at the ledger after each answer.
///
/// # Errors
/// The first error of the ledger.
pub fn live(
    stand: &mut Stand,
    told: &mut Told,
    mut watch: impl FnMut(&Ledger, &mut Told) -> Result<()>,
) -> Result<()> {
    let mut ledger = None;
    let mut now = time::BASE;
    for at in 0..steps(&[]).len() {
        let step = steps(&told.memories).swap_remove(at);
        if !matches!(step, Step::Clock(_)) {
            told.closed = false;
        }
        told.under_way = None;
        match step {
            Step::Init => {
                let made = stand.init()?;
                told.made = true;
                let record = made.show(Seq(1))?.unwrap();
                told.head = Some((record.seq, record.hash));
                ledger = Some(made);
            }
            Step::Open => ledger = Some(stand.open()?),
            Step::Kill => ledger = None,
            Step::Clock(ahead) => {
                now += ahead;
                stand.clock.set(Micros(now));
            }
            Step::Close => {
                if let Some(ledger) = ledger.take() {
                    ledger.close()?;
                }
                told.closed = true;
            }
            Step::Submit(submission) => {
                let ledger = ledger.as_ref().unwrap();
                told.under_way = Some(submission.clone());
                let writes: Vec<bool> = submission
                    .commands
                    .iter()
                    .map(|one| matches!(one, Command::Write(_)))
                    .collect();
                let outcomes = ledger.submit(submission)?;
                told.outcomes(&outcomes, &writes);
                told.under_way = None;
                watch(ledger, told)?;
            }
        }
    }
    Ok(())
}

fn write(text: &str, supersedes: Option<MemoryId>) -> Command {
    let scope: Scope = "org/acme/project/web".parse().unwrap();
    let mut proposal = Proposal::new(Content::Text(text.into()), scope);
    proposal.source = Some("chat:2026-01-12#4".parse().unwrap());
    proposal.supersedes.extend(supersedes);
    Command::Write(Box::new(proposal))
}

fn close(memory: MemoryId) -> Command {
    Command::Close {
        memory,
        kind: CloseKind::Changed,
        from: None,
        until: None,
        replaced_by: None,
        reason: Some("the rule was changed".into()),
    }
}
