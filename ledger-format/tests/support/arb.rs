//! Makes a value of every body from a pool of bytes. A pool that is used up gives zeros, so a
//! shorter or smaller pool means a simpler value: that is how failures shrink.

use ledger_format::event::{duty, ledger, memory};
use ledger_format::names::{
    Decision, EpochReason, EraseLevel, ExpireCause, Job, ReceiptMode, ReceiptWhat, RepairKind,
    SkillPhase, Standing, SummaryPhase,
};
use ledger_format::{
    ActorKind, AliasId, AliasKind, BodyType, CloseKind, Digest16, Event, JobId, Kind, Layer,
    LedgerId, MemoryId, Micros, Outcome, PayloadId, Reach, RecordHash, Role, Seq, SourceKind,
    TreeRoot, Trust, Verdict,
};

/// Where values come from.
pub(crate) enum Gen<'a> {
    /// Every option there, three items in every list, bytes counted up.
    Full(u8),
    /// No option, no item, bytes counted up.
    Empty(u8),
    /// From a pool.
    Pool(&'a [u8]),
}

impl Gen<'_> {
    pub(crate) fn byte(&mut self) -> u8 {
        match self {
            Self::Full(next) | Self::Empty(next) => {
                *next = next.wrapping_add(1);
                *next
            }
            Self::Pool(rest) => rest.split_off_first().copied().unwrap_or_default(),
        }
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.byte())
    }

    pub(crate) fn flag(&mut self) -> bool {
        match self {
            Self::Full(_) => true,
            Self::Empty(_) => false,
            Self::Pool(_) => self.byte() & 1 == 1,
        }
    }

    pub(crate) fn count(&mut self) -> usize {
        match self {
            Self::Full(_) => 3,
            Self::Empty(_) => 0,
            Self::Pool(_) => usize::from(self.byte() % 6),
        }
    }
}

/// A value from a [`Gen`].
pub(crate) trait Arb {
    fn arb(g: &mut Gen<'_>) -> Self;
}

impl<T: Arb> Arb for Option<T> {
    fn arb(g: &mut Gen<'_>) -> Self {
        g.flag().then(|| T::arb(g))
    }
}

impl<T: Arb> Arb for Vec<T> {
    fn arb(g: &mut Gen<'_>) -> Self {
        (0..g.count()).map(|_| T::arb(g)).collect()
    }
}

impl<const N: usize> Arb for [u8; N] {
    fn arb(g: &mut Gen<'_>) -> Self {
        g.bytes()
    }
}

impl Arb for bool {
    fn arb(g: &mut Gen<'_>) -> Self {
        g.flag()
    }
}

impl Arb for String {
    fn arb(g: &mut Gen<'_>) -> Self {
        (0..=g.count()).map(|_| char::from(b'a' + g.byte() % 26)).collect()
    }
}

macro_rules! integers {
    ($($int:ty),+) => { $(impl Arb for $int {
        fn arb(g: &mut Gen<'_>) -> Self { Self::from_le_bytes(g.bytes()) }
    })+ };
}
integers!(u8, u16, u32, u64, i64);

macro_rules! newtypes {
    ($($name:ident),+) => { $(impl Arb for $name {
        fn arb(g: &mut Gen<'_>) -> Self { Self(Arb::arb(g)) }
    })+ };
}
newtypes!(
    Seq, PayloadId, LedgerId, AliasId, MemoryId, JobId, Digest16, RecordHash, TreeRoot, Micros
);

macro_rules! words {
    ($($name:ident),+ $(,)?) => { $(impl Arb for $name {
        fn arb(g: &mut Gen<'_>) -> Self { Self::ALL[usize::from(g.byte()) % Self::ALL.len()].0 }
    })+ };
}
words!(
    ActorKind,
    AliasKind,
    BodyType,
    CloseKind,
    Decision,
    EpochReason,
    EraseLevel,
    ExpireCause,
    Job,
    Layer,
    Outcome,
    Reach,
    ReceiptMode,
    ReceiptWhat,
    RepairKind,
    Role,
    SkillPhase,
    SourceKind,
    Standing,
    SummaryPhase,
    Trust,
    Verdict,
);

macro_rules! structs {
    ($($module:ident::$name:ident { $($field:ident)+ })+) => { $(impl Arb for $module::$name {
        fn arb(g: &mut Gen<'_>) -> Self { Self { $($field: Arb::arb(g)),+ } }
    })+ };
}
structs! {
    ledger::Limits {
        record_bytes payload_bytes batch_bytes segment_bytes supersedes derived_from scope_depth
    }
    ledger::Genesis { ledger created_at origin zone hash_suite payload_suite clock pepper limits }
    ledger::Epoch { epoch holder reason program dropped_bytes }
    ledger::AliasBound { alias kind parent }
    ledger::PolicySet { version previous }
    ledger::ClockCorrected { before confirmed }
    ledger::PublicKey { algorithm bytes }
    ledger::KeyRotated { new old new_signature old_signature }
    ledger::MasterRotated { old new pages }
    ledger::PepperRotated { old new }
    ledger::CheckpointSigned { size root views algorithm signature }
    ledger::ConfigSet { setting value }
    ledger::BackupTaken { backup last keys }
    ledger::Restored { last hash erasures_through }
    ledger::Repaired { kind from bytes }
    memory::FactKey { subject predicate }
    memory::Write {
        memory layer body trust verdict source marks generation confidence observed_at valid_from
        valid_until ttl_until review_by supersede_from supersede_until key fact domain subjects
        tags supersedes derived_from
    }
    memory::Close { memory kind from until replaced_by }
    memory::Reopen { memory from until }
    memory::Confirm { memories ttl_until review_by }
    memory::Use { memories receipt }
    memory::PushDown { memory reach receipt tag }
    memory::Lift { memory push_down }
    memory::Contest { memories rule }
    memory::Resolve { contest kept rule }
    memory::Pin { memory }
    memory::Unpin { memory }
    memory::Forget { memories subject }
    memory::Promote { memory trust layer approval }
    memory::Demote { memory trust layer }
    memory::Expire { memories basis cause }
    memory::Restrict { memories hold }
    memory::Unrestrict { memories hold }
    memory::Stale { memories source }
    memory::Undo { job first last }
    memory::SkillState { memory phase predecessor }
    memory::SummaryState { memory phase in_force }
    duty::Signal { signal value }
    duty::Verdict { verdict reason rule memory duplicate_of trust ttl_until signals }
    duty::Approval { pending decision step complete }
    duty::TaskStarted { task parent }
    duty::TaskEnded { task outcome }
    duty::Answer { receipt cited contradicts }
    duty::Feedback { receipt helped misled }
    duty::ReceiptItem { memory score }
    duty::Receipt { counter what mode basis valid_at items }
    duty::Denial { action rule memory }
    duty::Export { format first last count content }
    duty::HoldPlaced { hold subject memories until }
    duty::HoldLifted { hold }
    duty::EraseRequested { erasure subject memories due }
    duty::PayloadRange { first last }
    duty::EraseIntent { erasure part parts subject memories aliases payloads }
    duty::EraseDone { erasure level keys payloads derived }
    duty::SourceRegistered { source kind owner group }
    duty::SourceSynced { source present written closed stale }
    duty::SourceRevoked { source memories }
    duty::ScheduleSet { job every next }
    duty::JobDone { job planned outcome count }
    duty::ImportStarted { import format }
    duty::ImportDone { import format appended present refused }
    duty::PrincipalSet { principal kind standing }
    duty::GrantSet { principal rights until }
    duty::TokenSet { token principal standing until }
    duty::SuiteResult { suite passed failed overridden }
}

macro_rules! kinds {
    ($($name:ident)+) => {
        /// An event of a kind, before the rules of its kind are kept.
        pub(crate) fn raw_event(kind: Kind, g: &mut Gen<'_>) -> Event {
            match kind {
                $(Kind::$name => Event::$name(Arb::arb(g)),)+
                other => panic!("no sample for kind {other}"),
            }
        }
    };
}
kinds! {
    Genesis Epoch AliasBound PolicySet ClockCorrected KeyRotated MasterRotated PepperRotated
    CheckpointSigned ConfigSet Write Close Reopen Confirm Use PushDown Lift Contest Resolve Pin
    Unpin Forget Promote Demote Expire Restrict Unrestrict Stale Undo Verdict Approval TaskStarted
    TaskEnded Answer Feedback Receipt Denial Export HoldPlaced HoldLifted EraseRequested
    EraseIntent EraseDone SourceRegistered SourceSynced SourceRevoked ScheduleSet JobDone
    BackupTaken Restored Repaired ImportStarted ImportDone PrincipalSet GrantSet TokenSet
    SuiteResult SkillState SummaryState
}
