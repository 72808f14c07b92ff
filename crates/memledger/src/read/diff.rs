//! Owns the difference between the answers at two moments.

use std::collections::BTreeMap;

use crate::answer::{Difference, Item};
use crate::error::Result;
use crate::filter::Filter;
use crate::read::snapshot::Snapshot;

/// What is in one answer and not, or otherwise, in the other, in the order of the records.
pub(crate) fn diff(
    before: &Snapshot<'_>,
    after: &Snapshot<'_>,
    filter: &Filter,
) -> Result<Vec<Difference>> {
    let filter = Filter { limit: 0, after: None, ..filter.clone() };
    let mut then: BTreeMap<_, Item> =
        before.list(&filter)?.items.into_iter().map(|item| (item.id, item)).collect();
    let mut differences = Vec::new();
    for item in after.list(&filter)?.items {
        match then.remove(&item.id) {
            None => {
                let earlier = before.get(&item.id)?;
                differences.push(Difference { id: item.id, before: earlier, after: Some(item) });
            }
            Some(earlier) if differs(&earlier, &item) => {
                differences.push(Difference {
                    id: item.id,
                    before: Some(earlier),
                    after: Some(item),
                });
            }
            Some(_) => {}
        }
    }
    for (id, item) in then {
        differences.push(Difference { id, before: Some(item), after: after.get(&id)? });
    }
    differences.sort_by_key(|difference| {
        difference.before.as_ref().or(difference.after.as_ref()).map(|item| item.seq)
    });
    Ok(differences)
}

/// Uses and confirmations come and go without changing what is known.
fn differs(before: &Item, after: &Item) -> bool {
    before.status != after.status
        || before.trust != after.trust
        || before.layer != after.layer
        || before.validity != after.validity
        || before.pinned != after.pinned
}
