//! Owns why a witness did not cosign, in words for whoever runs the log.

use std::fmt;
use std::time::Duration;

use ledger_proof::ProofError;

/// Why there is no cosignature of a witness that was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unwitnessed {
    /// What should say where it is does not.
    Url {
        /// As it was written.
        url: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// It cannot be reached, or the connection broke.
    Unreachable(String),
    /// It did not answer within this time.
    Late(Duration),
    /// It cosigned more records of this log than the checkpoint has.
    Ahead {
        /// Records that it cosigned.
        size: u64,
        /// Records of the checkpoint.
        here: u64,
    },
    /// It cosigned a log of so many records that the checkpoint does not continue.
    Fork {
        /// Records that it cosigned.
        size: u64,
    },
    /// It does not know this log.
    UnknownLog,
    /// It knows this log by other keys.
    UnknownKey,
    /// It stood elsewhere every time: others ask it about the same log.
    Moving,
    /// It answered something else.
    Answered {
        /// The status of HTTP.
        status: u16,
        /// The first line of the answer.
        text: String,
    },
    /// It answered with signature lines of which none counts.
    NotCounted(ProofError),
    /// The log here gives no proof from where the witness stands.
    Unproven(String),
    /// The asking itself failed: a fault of this program.
    Failed,
}

impl Unwitnessed {
    /// Whether the witness saw another history of this log than the one here, or more of it.
    #[must_use]
    pub const fn tells_of_another_history(&self) -> bool {
        matches!(self, Self::Ahead { .. } | Self::Fork { .. })
    }
}

impl fmt::Display for Unwitnessed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url { url, why } => write!(f, "{url:?} is no place to ask: {why}"),
            Self::Unreachable(why) => write!(f, "it cannot be reached: {why}"),
            Self::Late(patience) => write!(f, "no answer within {} s", patience.as_secs_f32()),
            Self::Ahead { size, here } => write!(
                f,
                "a rollback: it cosigned {size} records of this log and here are {here}; this is an older copy, or a copy of the same ledger was written to elsewhere"
            ),
            Self::Fork { size } => write!(
                f,
                "a fork: it cosigned another log of {size} records under this name; two histories carry this ledger's name and key, and the witness stands by the one it saw first"
            ),
            Self::UnknownLog => f.write_str(
                "it does not know this log; give whoever runs it the line of `memledger key show`",
            ),
            Self::UnknownKey => f.write_str(
                "it knows this log by another key; give whoever runs it the line of `memledger key show`",
            ),
            Self::Moving => f.write_str(
                "its state of this log changed each time it was asked; does another process ask it?",
            ),
            Self::Answered { status, text } if text.is_empty() => write!(f, "it answered {status}"),
            Self::Answered { status, text } => write!(f, "it answered {status}: {text}"),
            Self::NotCounted(error) => write!(f, "its answer does not count: {error}"),
            Self::Unproven(why) => write!(f, "there is no proof from where it stands: {why}"),
            Self::Failed => f.write_str("asking it failed inside this program"),
        }
    }
}

impl std::error::Error for Unwitnessed {}
