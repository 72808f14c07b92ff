//! Owns the records of contradictions that the ledger itself found: they go into the submission that
//! brought them about, behind its own records.
//!
//! A contest that a larger one says everything of is resolved first, by the rule that joins them, so that
//! every member has one mark. May not: find or judge.

use ledger_format::event::memory::{Contest, PushDown, Resolve};
use ledger_format::{AliasId, Event, Reach, Seq};
use ledger_policy::FactRule;
use ledger_store::NewRecord;

use crate::error::Result;
use crate::gate::{Contested, Settled};
use crate::writer::compose::header;
use crate::writer::stamp::Stamp;

/// The records of what was found. `first` is the place of the first of them in the log.
pub(super) fn contest_records(
    found: Vec<(Contested, Option<Settled>)>,
    first: Seq,
    stamp: Stamp,
    policy: u32,
) -> Result<Vec<(NewRecord, Event)>> {
    let mut records = Vec::new();
    for (Contested { scope, members, joins }, settled) in found {
        let mut events = Vec::new();
        for (contest, kept) in joins {
            let rule = FactRule::Joined.number();
            events.push(Event::Resolve(Resolve { contest, kept, rule }));
        }
        let place = records.len() + events.len();
        let contest = Seq(first.0.saturating_add(place as u64));
        let rule = FactRule::SingleValued.number();
        events.push(Event::Contest(Contest { memories: members, rule }));
        if let Some(Settled { kept, others }) = settled {
            let rule = FactRule::Authority.number();
            events.push(Event::Resolve(Resolve { contest, kept, rule }));
            events.extend(others.into_iter().map(|memory| {
                let reach = Reach::Everything;
                Event::PushDown(PushDown { memory, reach, receipt: None, tag: None })
            }));
        }
        for event in events {
            records.push((record(&event, scope, stamp, policy)?, event));
        }
    }
    Ok(records)
}

fn record(event: &Event, scope: AliasId, stamp: Stamp, policy: u32) -> Result<NewRecord> {
    let kind = event.kind().expect("the writer makes known kinds only");
    let mut header = header(kind, stamp, policy);
    header.scope = scope;
    Ok(NewRecord { header, body: event.encode()?, payloads: Vec::new(), extensions: Vec::new() })
}
