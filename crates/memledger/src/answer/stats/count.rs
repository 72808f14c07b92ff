//! Owns the one pass over the log in which everything is counted.

use std::collections::{BTreeSet, HashMap};

use ledger_format::event::memory::Write;
use ledger_format::event::{duty, memory};
use ledger_format::names::Decision;
use ledger_format::{
    ActorKind, Event, JobId, Kind, MemoryId, Micros, RecordView, Seq, SourceKind, Verdict,
};
use ledger_policy::{Rule, Seen, Signals};
use ledger_replay::{Instants, Memory, Sequenced, State, apply};
use ledger_store::{Check, StoredRecord};

use super::{Counts, Stats};
use crate::basis::Basis;
use crate::error::Result;
use crate::ledger::Ledger;
use crate::vault::decode;

/// Counts the records up to a basis.
pub(super) fn all(ledger: &Ledger, basis: &Basis) -> Result<Stats> {
    let mut counting = Counting::default();
    let Some(last) = basis.seq else { return Ok(counting.stats) };
    for stored in ledger.vault.reader().stream(Seq(0), Check::Chain) {
        let stored = stored?;
        if stored.seq > last {
            break;
        }
        let event = decode(&stored)?;
        counting.record(&event, &stored);
        apply(&mut counting.state, &event);
    }
    Ok(counting.finished(basis.instants()))
}

#[derive(Default)]
struct Counting {
    stats: Stats,
    state: State,
    /// What each memory was made from.
    lineage: HashMap<MemoryId, Vec<MemoryId>>,
    contested: BTreeSet<MemoryId>,
    asked: HashMap<JobId, Micros>,
    took: Vec<u64>,
}

impl Counting {
    /// Before the record is applied.
    fn record(&mut self, event: &Sequenced, stored: &StoredRecord) {
        let header = &event.header;
        self.stats.records += 1;
        let kind = event.event.kind();
        let name = kind.map_or("unknown", Kind::name);
        more(&mut self.stats.events, name);
        let by_hand = header.actor_kind == ActorKind::Person && kind != Some(Kind::Write);
        if by_hand && event.claimed_at.is_none() {
            more(&mut self.stats.interventions, name);
        }
        match &event.event {
            Event::Write(write) => self.write(write, stored),
            Event::Verdict(verdict) => self.verdict(verdict),
            Event::Approval(approval) if approval.complete => {
                let approved = approval.decision == Decision::Approve;
                let word = if approved { "approved" } else { "rejected" };
                more(&mut self.stats.verdicts.decided, word);
            }
            Event::Contest(contest) => self.contest(contest),
            Event::Resolve(_) => self.stats.conflicts.resolved += 1,
            Event::Receipt(receipt) => self.receipt(receipt, header.recorded_at),
            Event::Answer(_) => self.stats.reads.answers += 1,
            Event::Feedback(feedback) => {
                let counts = &mut self.stats.reads.feedback;
                add(counts, "helped", feedback.helped.len());
                add(counts, "misled", feedback.misled.len());
            }
            Event::EraseRequested(request) => {
                self.stats.erasures.requested += 1;
                self.asked.insert(request.erasure, header.recorded_at);
            }
            Event::EraseDone(done) => {
                self.stats.erasures.done += 1;
                let asked = self.asked.get(&done.erasure);
                let took = asked.map(|asked| header.recorded_at.0.saturating_sub(asked.0));
                self.took.extend(took.and_then(|took| u64::try_from(took).ok()));
            }
            Event::SuiteResult(result) => {
                self.stats.suites.insert(result.suite, (result.passed, result.failed));
            }
            Event::Repaired(_) => more(&mut self.stats.recoveries, "repaired"),
            Event::Restored(_) => more(&mut self.stats.recoveries, "restored"),
            Event::ClockCorrected(_) => more(&mut self.stats.recoveries, "clock_corrected"),
            Event::Undo(_) => more(&mut self.stats.recoveries, "undone"),
            _ => {}
        }
    }

    fn write(&mut self, write: &Write, stored: &StoredRecord) {
        let stats = &mut self.stats;
        stats.verdicts.proposals += 1;
        more(&mut stats.verdicts.by_verdict, write.verdict.name());
        if write.verdict != Verdict::Committed {
            let view = RecordView::decode(&stored.bytes);
            let beside = Signals::recorded(view.map(|view| view.gate()).unwrap_or_default());
            let rule = beside.get(Seen::Rule).and_then(|rule| u16::try_from(rule).ok());
            let rule = rule.and_then(Rule::from_number);
            more(&mut stats.verdicts.by_rule, rule.map_or("unknown", Rule::name));
        }
        for (mark, name) in [
            (Write::MARK_INSTRUCTION_LIKE, "instruction_like"),
            (Write::MARK_PERSONAL, "personal"),
            (Write::MARK_QUOTED, "quoted"),
        ] {
            if write.marks & mark != 0 {
                more(&mut stats.verdicts.marked, name);
            }
        }
        stats.memories.written += 1;
        let tool = matches!(write.source, SourceKind::Tool | SourceKind::Web);
        stats.memories.from_tools.part += u64::from(tool);
        if !write.derived_from.is_empty() {
            self.lineage.insert(write.memory, write.derived_from.clone());
        }
    }

    fn verdict(&mut self, verdict: &duty::Verdict) {
        let verdicts = &mut self.stats.verdicts;
        // What went with another part that was refused may be no proposal at all.
        if !verdict.signals.is_empty() {
            verdicts.proposals += 1;
        }
        more(&mut verdicts.by_verdict, verdict.verdict.name());
        let rule = Rule::from_number(verdict.reason).map_or("unknown", Rule::name);
        more(&mut verdicts.by_rule, rule);
    }

    fn contest(&mut self, contest: &memory::Contest) {
        self.stats.conflicts.contests += 1;
        self.contested.extend(&contest.memories);
    }

    fn receipt(&mut self, receipt: &duty::Receipt, at: Micros) {
        let at = Instants { known: at, valid: receipt.valid_at };
        let reads = &mut self.stats.reads;
        reads.receipts += 1;
        reads.hits.part += u64::from(!receipt.items.is_empty());
        let stale = receipt.items.iter().filter(|item| {
            let memory = self.state.memory(&item.memory);
            memory.is_none_or(|memory| {
                !memory.lifecycle.status(at).in_force()
                    || is_stale(&self.state, &self.lineage, &item.memory, memory, at)
            })
        });
        reads.stale_hits.part += stale.count() as u64;
        reads.stale_hits.of += receipt.items.len() as u64;
    }

    fn finished(self, at: Instants) -> Stats {
        let Self { mut stats, state, lineage, contested, mut took, .. } = self;
        stats.memories.from_tools.of = stats.memories.written;
        stats.conflicts.contested.part = contested.len() as u64;
        stats.conflicts.contested.of = stats.memories.written;
        stats.reads.hits.of = stats.reads.receipts;
        for (id, memory) in state.memories() {
            let life = &memory.lifecycle;
            let status = life.status(at);
            let memories = &mut stats.memories;
            more(&mut memories.by_status, status.name());
            if status.in_force() {
                more(&mut memories.open_by_layer, life.layer.name());
                more(&mut memories.open_by_trust, life.trust.name());
                memories.stale.of += 1;
                let stale = is_stale(&state, &lineage, id, memory, at);
                memories.stale.part += u64::from(stale);
            }
        }
        took.sort_unstable();
        stats.erasures.median_micros = took.get(took.len() / 2).copied();
        stats.erasures.longest_micros = took.last().copied();
        stats
    }
}

/// As an answer says it: marked by an event, or made from what is not in force any more.
fn is_stale(
    state: &State,
    lineage: &HashMap<MemoryId, Vec<MemoryId>>,
    id: &MemoryId,
    memory: &Memory,
    at: Instants,
) -> bool {
    let gone = |id: &MemoryId| {
        state.memory(id).is_some_and(|memory| !memory.lifecycle.status(at).in_force())
    };
    memory.lifecycle.stale || lineage.get(id).is_some_and(|sources| sources.iter().any(gone))
}

fn more(counts: &mut Counts, name: &str) {
    add(counts, name, 1);
}

fn add(counts: &mut Counts, name: &str, count: usize) {
    match counts.get_mut(name) {
        Some(sum) => *sum += count as u64,
        None => drop(counts.insert(name.to_owned(), count as u64)),
    }
}
