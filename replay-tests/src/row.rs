//! Owns the form in which a model, a replay and (later) a view say what they hold about a memory,
//! so that any two of them can be compared field by field.

use ledger_format::{AliasId, BodyType, CloseKind, Layer, MemoryId, Micros, Reach, Seq, Trust};

/// What is known of one memory at one position of the log, apart from valid time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub id: MemoryId,
    pub born: Seq,
    /// The record that last touched it.
    pub since: Seq,
    pub scope: AliasId,
    pub body: BodyType,
    pub key: Option<AliasId>,
    pub layer: Layer,
    pub trust: Trust,
    /// The closure in effect: its record, its kind, what took the place.
    pub closed: Option<(Seq, CloseKind, Option<MemoryId>)>,
    pub pushed_down: Vec<(Seq, Reach)>,
    pub contest: Option<Seq>,
    pub forgotten: Option<Seq>,
    pub erased: Option<Seq>,
    pub pending: bool,
    pub rejected: bool,
    pub expired: bool,
    pub restricted: bool,
    pub pinned: bool,
    pub stale: bool,
    pub last_used: Option<Micros>,
    pub last_confirmed: Option<Micros>,
    pub ttl_until: Option<Micros>,
    pub review_by: Option<Micros>,
    /// Listed without asking for history.
    pub live: bool,
}

impl Row {
    /// What took its place, if something did.
    #[must_use]
    pub fn superseded_by(&self) -> Option<MemoryId> {
        self.closed.and_then(|(_, _, by)| by)
    }

    /// The fields in which two rows differ, with both values.
    #[must_use]
    pub fn differences(&self, other: &Self) -> String {
        let mut found = Vec::new();
        macro_rules! fields {
            ($($name:ident)+) => {$(
                if self.$name != other.$name {
                    let (mine, theirs) = (&self.$name, &other.$name);
                    found.push(format!("{} {mine:?} / {theirs:?}", stringify!($name)));
                }
            )+};
        }
        fields!(id born since scope body key layer trust closed pushed_down contest forgotten);
        fields!(erased pending rejected expired restricted pinned stale last_used);
        fields!(last_confirmed ttl_until review_by live);
        found.join("; ")
    }
}
