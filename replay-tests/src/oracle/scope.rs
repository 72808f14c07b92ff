//! Owns membership: which memories lie in a scope or a slot. Paths are lists of segments and are
//! compared segment by segment.

use ledger_format::{AliasId, AliasKind, MemoryId};

use super::Moment;

impl Moment<'_> {
    /// The segments of a scope from the outermost one. The ledger itself has none. A path that runs
    /// in a circle ends where it would repeat itself.
    #[must_use]
    pub fn path(&self, scope: AliasId) -> Vec<AliasId> {
        let mut path: Vec<AliasId> = Vec::new();
        let mut at = Some(scope);
        while let Some(segment) = at.filter(|segment| !segment.is_zero() && !path.contains(segment))
        {
            path.insert(0, segment);
            at =
                self.binding(segment).filter(|b| b.kind == AliasKind::Scope).and_then(|b| b.parent);
        }
        path
    }

    /// Whether a scope is another one or lies below it.
    #[must_use]
    pub fn scope_within(&self, scope: AliasId, ancestor: AliasId) -> bool {
        ancestor.is_zero() || self.path(scope).contains(&ancestor)
    }

    /// The memories of a scope and of all below it, in the order of their ids.
    #[must_use]
    pub fn members(&self, scope: AliasId) -> Vec<MemoryId> {
        let mut ids = self.memories();
        ids.retain(|id| {
            self.birth(*id).is_some_and(|(born, _)| self.scope_within(born.header.scope, scope))
        });
        ids
    }

    /// The memories of a slot, in the order of their ids.
    #[must_use]
    pub fn keyed(&self, key: AliasId) -> Vec<MemoryId> {
        let mut ids = self.memories();
        ids.retain(|id| self.birth(*id).is_some_and(|(_, write)| write.key == Some(key)));
        ids
    }
}
