//! Owns the newtypes for everything that is counted, addressed or hashed. No bare integer or byte
//! array crosses a crate boundary.

use core::fmt;

macro_rules! counter {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, bincode::Encode, bincode::Decode)]
        pub struct $name(pub u64);

        impl $name {
            /// The one after this. Saturates: a counter at its end stays there.
            #[must_use]
            pub const fn next(self) -> Self { Self(self.0.saturating_add(1)) }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{}", self.0) }
        }
    };
}

macro_rules! bytes {
    ($(#[$doc:meta])* $name:ident, $len:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, bincode::Encode, bincode::Decode)]
        pub struct $name(pub [u8; $len]);

        impl $name {
            /// All zero bytes: "none" where a field is not optional.
            pub const ZERO: Self = Self([0; $len]);

            /// Whether all bytes are zero.
            #[must_use]
            pub fn is_zero(&self) -> bool { self.0 == [0; $len] }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }
    };
}

counter! {
    /// Position of a record in the log; the first is 0, so it is the Merkle leaf index too.
    Seq
}
counter! {
    /// Number of a batch; the first is 0.
    BatchNo
}
counter! {
    /// Number of a segment file; the first is 0.
    SegmentNo
}
counter! {
    /// Number of a payload and of its key slot.
    PayloadId
}
bytes! {
    /// 128 random bits that name one ledger. Mixed into every hash.
    LedgerId, 16
}
bytes! {
    /// 128 random bits that stand for a name. The name itself is an erasable payload.
    AliasId, 16
}
bytes! {
    /// `UUIDv7` of a memory.
    MemoryId, 16
}
bytes! {
    /// 128 bits that tie the events of one job (an import, an erasure, an undo) together.
    JobId, 16
}
bytes! {
    /// A keyed digest of 16 bytes, as used for idempotency.
    Digest16, 16
}
bytes! {
    /// Hash of one record: the link of the chain.
    RecordHash, 32
}
bytes! {
    /// Hash of one batch.
    BatchHash, 32
}
bytes! {
    /// RFC 6962 root over all records up to some size.
    TreeRoot, 32
}

/// Microseconds since 1970-01-01T00:00:00Z, without leap seconds.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    bincode::Encode,
    bincode::Decode,
)]
pub struct Micros(pub i64);

impl Micros {
    /// The earliest instant: stands for "since ever" in comparisons, never stored for it.
    pub const MIN: Self = Self(i64::MIN);
    /// The latest instant: stands for "open" in comparisons, never stored for it.
    pub const MAX: Self = Self(i64::MAX);
}

impl MemoryId {
    /// Reads the hyphenated form `018f…-….-7…`; also accepts 32 hex digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0u8; 16];
        let hyphenated = text.len() == 36;
        if !hyphenated && text.len() != 32 {
            return None;
        }
        let mut nibbles = 0usize;
        for (at, byte) in text.bytes().enumerate() {
            if hyphenated && matches!(at, 8 | 13 | 18 | 23) {
                if byte != b'-' {
                    return None;
                }
                continue;
            }
            let value = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' => byte - b'a' + 10,
                b'A'..=b'F' => byte - b'A' + 10,
                _ => return None,
            };
            let slot = bytes.get_mut(nibbles / 2)?;
            *slot = (*slot << 4) | value;
            nibbles += 1;
        }
        (nibbles == 32).then_some(Self(bytes))
    }

    /// The hyphenated form of RFC 9562.
    #[must_use]
    pub fn hyphenated(&self) -> alloc::string::String {
        use core::fmt::Write as _;
        let mut text = alloc::string::String::with_capacity(36);
        for (at, byte) in self.0.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                text.push('-');
            }
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}
