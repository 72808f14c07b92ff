//! Owns how far words are trusted by where they came from.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;

use ledger_format::{SourceKind, Trust};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Trust by kind of source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustOf(BTreeMap<SourceKind, Trust>);

impl TrustOf {
    /// The built-in table for what an authenticated person says directly.
    #[must_use]
    pub fn of_persons() -> Self {
        Self(BTreeMap::from([
            (SourceKind::Chat, Trust::Verified),
            (SourceKind::User, Trust::Verified),
        ]))
    }

    /// The trust of a kind of source, if the table names it.
    #[must_use]
    pub fn get(&self, source: SourceKind) -> Option<Trust> {
        self.0.get(&source).copied()
    }
}

impl Default for TrustOf {
    fn default() -> Self {
        let of = |(kind, _, _): &(SourceKind, u8, &str)| {
            let trust = match kind {
                SourceKind::None => Trust::Draft,
                SourceKind::System => Trust::Verified,
                _ => Trust::Unverified,
            };
            (*kind, trust)
        };
        Self(SourceKind::ALL.iter().map(of).collect())
    }
}

impl<'de> Deserialize<'de> for TrustOf {
    /// A table that names only some kinds leaves the others as they are built in.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let named = BTreeMap::<Cow<'de, str>, Cow<'de, str>>::deserialize(deserializer)?;
        let mut table = BTreeMap::new();
        for (kind, trust) in named {
            let source = SourceKind::from_name(&kind)
                .ok_or_else(|| D::Error::custom(format!("{kind:?} is no kind of source")))?;
            let trust = Trust::from_name(&trust).ok_or_else(|| {
                D::Error::custom(format!(
                    "{trust:?} is no trust; it is draft, unverified, verified or approved"
                ))
            })?;
            table.insert(source, trust);
        }
        Ok(Self(table))
    }
}

impl Serialize for TrustOf {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(kind, trust)| (kind.name(), trust.name())))
    }
}
