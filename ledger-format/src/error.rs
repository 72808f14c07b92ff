//! Owns the one error of this crate: what was wrong with some bytes, and where in them.

use core::fmt;

/// Why bytes are not what they should be. Each invalid vector in `vectors/` names one of these by
/// [`FormatError::name`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// Fewer bytes than the layout needs.
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Bytes needed.
        needed: usize,
        /// Bytes there.
        found: usize,
    },
    /// Bytes left over after the layout ended.
    Trailing {
        /// What was being read.
        what: &'static str,
        /// How many bytes are left.
        extra: usize,
    },
    /// A magic number or a fixed word is not the expected one.
    BadMagic {
        /// Which structure was expected here.
        what: &'static str,
    },
    /// A version this code does not read.
    UnsupportedVersion {
        /// Which structure.
        what: &'static str,
        /// The version found.
        found: u16,
    },
    /// A number that stands for no known value.
    UnknownNumber {
        /// Which field.
        what: &'static str,
        /// The number found.
        found: u64,
    },
    /// A field that must be zero is not.
    ReservedNotZero {
        /// Which field.
        what: &'static str,
    },
    /// A size or count above a limit of [`crate::limits`].
    TooLarge {
        /// Which field.
        what: &'static str,
        /// The size or count found.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// Bytes that decode but are not the canonical encoding of what they say.
    NotCanonical {
        /// Which structure.
        what: &'static str,
    },
    /// The body of a known kind does not decode.
    BadBody {
        /// The event kind's number.
        kind: u16,
    },
    /// A stored check or hash does not match the bytes it covers.
    CheckMismatch {
        /// Which check.
        what: &'static str,
    },
    /// A value that is decodable but breaks a rule of the format.
    BadValue {
        /// Which rule.
        what: &'static str,
    },
    /// A sealed payload does not open under this key.
    NotOpened,
}

impl FormatError {
    /// A stable word for this kind of error, as used in `vectors/`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Truncated { .. } => "truncated",
            Self::Trailing { .. } => "trailing",
            Self::BadMagic { .. } => "bad_magic",
            Self::UnsupportedVersion { .. } => "unsupported_version",
            Self::UnknownNumber { .. } => "unknown_number",
            Self::ReservedNotZero { .. } => "reserved_not_zero",
            Self::TooLarge { .. } => "too_large",
            Self::NotCanonical { .. } => "not_canonical",
            Self::BadBody { .. } => "bad_body",
            Self::CheckMismatch { .. } => "check_mismatch",
            Self::BadValue { .. } => "bad_value",
            Self::NotOpened => "not_opened",
        }
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { what, needed, found } => {
                write!(f, "{what} needs {needed} bytes, {found} are there")
            }
            Self::Trailing { what, extra } => write!(f, "{extra} bytes follow the end of {what}"),
            Self::BadMagic { what } => write!(f, "{what} does not begin here"),
            Self::UnsupportedVersion { what, found } => {
                write!(f, "{what} has version {found}, which this program does not read")
            }
            Self::UnknownNumber { what, found } => write!(f, "{found} is no {what}"),
            Self::ReservedNotZero { what } => write!(f, "reserved bytes of {what} are not zero"),
            Self::TooLarge { what, found, limit } => {
                write!(f, "{what} is {found}, the limit is {limit}")
            }
            Self::NotCanonical { what } => write!(f, "{what} is not in its canonical form"),
            Self::BadBody { kind } => write!(f, "the body of event kind {kind} does not decode"),
            Self::CheckMismatch { what } => write!(f, "the stored {what} does not match"),
            Self::BadValue { what } => write!(f, "{what}"),
            Self::NotOpened => f.write_str("the payload does not open under its key"),
        }
    }
}

impl core::error::Error for FormatError {}
