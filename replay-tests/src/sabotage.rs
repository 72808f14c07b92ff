//! Owns deliberate mistakes: each hands the replay another event than the log holds. A comparison
//! that finds none of them would prove nothing.

use ledger_format::{CloseKind, Event, Micros, Verdict};
use ledger_replay::{Changes, Sequenced, State, apply};

/// A way in which a replay could be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// A carved closure closes for good.
    CloseForGood,
    /// What was never true merely ends.
    WrongIsChanged,
    /// The last of several superseded memories is left open.
    OneSupersededLess,
    /// A superseding write closes for ever instead of from a time on.
    SupersedeSinceEver,
    /// Reopening also fills the gap.
    ReopenFillsTheGap,
    /// Validity begins one microsecond late.
    LateByOne,
    /// What waits for approval is in force.
    PendingIsCommitted,
    /// A rejection approves.
    RejectionApproves,
    /// An erasure begins with its first part.
    EraseTooEarly,
    /// A confirmation forgets the new lifetime.
    ConfirmWithoutTtl,
    /// A promotion loses the layer.
    LayerLost,
    /// Lifting one push-down lifts all.
    LiftsAll,
    /// An unknown critical record passes as any other.
    CriticalIgnored,
    /// A forgotten memory stays.
    NotForgotten,
}

impl Sabotage {
    pub const ALL: [Self; 14] = [
        Self::CloseForGood,
        Self::WrongIsChanged,
        Self::OneSupersededLess,
        Self::SupersedeSinceEver,
        Self::ReopenFillsTheGap,
        Self::LateByOne,
        Self::PendingIsCommitted,
        Self::RejectionApproves,
        Self::EraseTooEarly,
        Self::ConfirmWithoutTtl,
        Self::LayerLost,
        Self::LiftsAll,
        Self::CriticalIgnored,
        Self::NotForgotten,
    ];

    /// Applies an event wrongly.
    pub fn apply(self, state: &mut State, sequenced: &Sequenced) -> Changes {
        let mut changed = sequenced.clone();
        self.alter(&mut changed.event);
        apply(state, &changed)
    }

    fn alter(self, event: &mut Event) {
        match (self, event) {
            (Self::CloseForGood, Event::Close(close)) => close.until = None,
            (Self::WrongIsChanged, Event::Close(close)) => close.kind = CloseKind::Changed,
            (Self::OneSupersededLess, Event::Write(write)) => {
                write.supersedes.pop();
            }
            (Self::SupersedeSinceEver, Event::Write(write)) => write.supersede_from = None,
            (Self::ReopenFillsTheGap, Event::Reopen(reopen)) => reopen.from = None,
            (Self::LateByOne, Event::Write(write)) => {
                write.valid_from = write.valid_from.map(|Micros(at)| Micros(at + 1));
            }
            (Self::PendingIsCommitted, Event::Write(write)) => write.verdict = Verdict::Committed,
            (Self::RejectionApproves, Event::Approval(approval)) => {
                approval.decision = ledger_format::names::Decision::Approve;
            }
            (Self::EraseTooEarly, Event::EraseIntent(intent)) => intent.parts = 1,
            (Self::ConfirmWithoutTtl, Event::Confirm(confirm)) => confirm.ttl_until = None,
            (Self::LayerLost, Event::Promote(promote)) => promote.layer = None,
            (Self::LiftsAll, Event::Lift(lift)) => lift.push_down = None,
            (Self::CriticalIgnored, Event::Unknown { critical, .. }) => *critical = false,
            (Self::NotForgotten, Event::Forget(forget)) => forget.memories.clear(),
            _ => {}
        }
    }
}
