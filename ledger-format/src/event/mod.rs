//! Owns what records say: one body struct per event kind, and the choice between them.
//!
//! Invariants: the kind number outside the body selects the struct; a body never carries a tag of
//! its own. Kind and kind version together name a layout that never changes. May not: hold text a
//! person typed (that is payload), a float, or a set without a stored order.

mod check;
pub mod duty;
pub mod ledger;
pub mod memory;

use alloc::vec::Vec;

use crate::{FormatError, Kind, codec};

macro_rules! events {
    ($($variant:ident($module:ident::$body:ident),)+) => {
        /// What one record says. Kinds this version does not know are kept as they are.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Event {
            $(#[doc = concat!("See [`", stringify!($module), "::", stringify!($body), "`].")]
            $variant($module::$body),)+
            /// A kind, or a version of a kind, that this code does not know.
            Unknown {
                /// Number of the kind.
                kind: u16,
                /// Version of its layout.
                version: u16,
                /// Whether state cannot be told without it.
                critical: bool,
                /// Its body as stored.
                body: Vec<u8>,
            },
        }

        impl Event {
            /// The kind, if it is known.
            #[must_use]
            pub const fn kind(&self) -> Option<Kind> {
                match self {
                    $(Self::$variant(_) => Some(Kind::$variant),)+
                    Self::Unknown { .. } => None,
                }
            }

            /// Encodes the body of a known kind; an unknown one is given back as stored.
            ///
            /// # Errors
            /// [`FormatError::TooLarge`] or [`FormatError::BadValue`] when a list is over its limit
            /// or a value breaks a rule of the kind.
            pub fn encode(&self) -> Result<Vec<u8>, FormatError> {
                self.check()?;
                match self {
                    $(Self::$variant(body) => codec::encode(body),)+
                    Self::Unknown { body, .. } => Ok(body.clone()),
                }
            }

            fn decode_known(kind: Kind, body: &[u8]) -> Result<Self, FormatError> {
                let number = kind.number();
                let event = match kind {
                    $(Kind::$variant => Self::$variant(codec::decode(number, body)?),)+
                };
                event.check()?;
                Ok(event)
            }
        }
    };
}

events! {
    Genesis(ledger::Genesis),
    Epoch(ledger::Epoch),
    AliasBound(ledger::AliasBound),
    PolicySet(ledger::PolicySet),
    ClockCorrected(ledger::ClockCorrected),
    KeyRotated(ledger::KeyRotated),
    MasterRotated(ledger::MasterRotated),
    PepperRotated(ledger::PepperRotated),
    CheckpointSigned(ledger::CheckpointSigned),
    ConfigSet(ledger::ConfigSet),
    Write(memory::Write),
    Close(memory::Close),
    Reopen(memory::Reopen),
    Confirm(memory::Confirm),
    Use(memory::Use),
    PushDown(memory::PushDown),
    Lift(memory::Lift),
    Contest(memory::Contest),
    Resolve(memory::Resolve),
    Pin(memory::Pin),
    Unpin(memory::Unpin),
    Forget(memory::Forget),
    Promote(memory::Promote),
    Demote(memory::Demote),
    Expire(memory::Expire),
    Restrict(memory::Restrict),
    Unrestrict(memory::Unrestrict),
    Stale(memory::Stale),
    Undo(memory::Undo),
    Verdict(duty::Verdict),
    Approval(duty::Approval),
    TaskStarted(duty::TaskStarted),
    TaskEnded(duty::TaskEnded),
    Answer(duty::Answer),
    Feedback(duty::Feedback),
    Receipt(duty::Receipt),
    Denial(duty::Denial),
    Export(duty::Export),
    HoldPlaced(duty::HoldPlaced),
    HoldLifted(duty::HoldLifted),
    EraseRequested(duty::EraseRequested),
    EraseIntent(duty::EraseIntent),
    EraseDone(duty::EraseDone),
    SourceRegistered(duty::SourceRegistered),
    SourceSynced(duty::SourceSynced),
    SourceRevoked(duty::SourceRevoked),
    ScheduleSet(duty::ScheduleSet),
    JobDone(duty::JobDone),
    BackupTaken(ledger::BackupTaken),
    Restored(ledger::Restored),
    Repaired(ledger::Repaired),
    ImportStarted(duty::ImportStarted),
    ImportDone(duty::ImportDone),
    PrincipalSet(duty::PrincipalSet),
    GrantSet(duty::GrantSet),
    TokenSet(duty::TokenSet),
    SuiteResult(duty::SuiteResult),
    SkillState(memory::SkillState),
    SummaryState(memory::SummaryState),
}

impl Event {
    /// Decodes the body of a record.
    ///
    /// # Errors
    /// Any [`FormatError`] when a known kind in a known version does not decode canonically. An
    /// unknown kind or version is no error.
    pub fn decode(
        kind: u16,
        version: u16,
        critical: bool,
        body: &[u8],
    ) -> Result<Self, FormatError> {
        match Kind::from_number(kind) {
            Some(known) if known.version() == version => Self::decode_known(known, body),
            _ => Ok(Self::Unknown { kind, version, critical, body: body.to_vec() }),
        }
    }
}
