//! Owns the tests of cost: rows read, never time.

use ledger_format::{AliasId, Event, Seq};

use super::model::built;
use super::world::{World, alias, memory_id, write};
use crate::{Group, Views};

const KEYS: u16 = 100;
const SCOPE: AliasId = AliasId([9; 16]);

/// A scope of 100 keys whose values are replaced in turn.
fn replaced(versions: u16) -> World {
    let mut world = World::without_states();
    for number in 0..KEYS * versions {
        let mut write = write(memory_id(number), Some(alias(3, number % KEYS)));
        write.supersedes = number.checked_sub(KEYS).map(memory_id).into_iter().collect();
        world.record(SCOPE, Event::Write(write));
    }
    world
}

/// Rows read to list the scope in its versions at a record.
fn listing(views: &Views, seq: Seq) -> u64 {
    let before = views.rows_read();
    let live = views.live_at(Group::Scope(SCOPE), seq).expect("no doubt");
    assert_eq!(live.len(), usize::from(KEYS));
    for born in live {
        let version = views.version_at(born, seq).expect("no doubt").expect("known");
        assert!(version.closed.is_none(), "it was the value then");
    }
    views.rows_read() - before
}

#[test]
fn listing_a_scope_costs_its_members_at_any_depth() {
    let costs = [3, 30, 300].map(|versions| {
        let world = replaced(versions);
        let dir = tempfile::tempdir().expect("a directory");
        let views = built(dir.path(), &world);
        let last = world.last().0;
        // Late, in the middle, and at the worst places for snapshots.
        let deep = (0..60).map(|back| Seq(last - back)).chain([Seq(last / 2), Seq(last * 2 / 3)]);
        deep.map(|seq| listing(&views, seq)).max().expect("some")
    });
    let [few, _, many] = costs;
    assert!(many <= few + 16, "{costs:?}");
    assert!(many <= 2 * u64::from(KEYS) + 64, "{costs:?}");
}

#[test]
fn a_key_and_a_point_cost_a_few_rows() {
    let world = replaced(300);
    let dir = tempfile::tempdir().expect("a directory");
    let views = built(dir.path(), &world);
    let seq = Seq(world.last().0 - 3 * u64::from(KEYS));
    let before = views.rows_read();
    let live = views.live_at(Group::Key(alias(3, 5)), seq).expect("no doubt");
    assert_eq!(live.len(), 1);
    assert!(views.rows_read() - before <= 36, "{}", views.rows_read() - before);
    let before = views.rows_read();
    views.version_at(live[0], seq).expect("no doubt").expect("known");
    assert_eq!(views.rows_read() - before, 1);
    let before = views.rows_read();
    let some: Vec<_> = views
        .all_until(Group::Scope(SCOPE), seq, world.last())
        .expect("no doubt")
        .take(10)
        .collect();
    assert_eq!(some.len(), 10);
    assert!(views.rows_read() - before <= 266, "one page");
}

/// First it only grows, then its oldest members are replaced, each by one write.
#[test]
fn large_sets_are_kept_in_chunks() {
    let mut world = World::without_states();
    for number in 0..4_000 {
        let mut write = write(memory_id(number), None);
        write.supersedes = number.checked_sub(2_500).map(memory_id).into_iter().collect();
        world.record(SCOPE, Event::Write(write));
    }
    let dir = tempfile::tempdir().expect("a directory");
    let views = built(dir.path(), &world);
    for seq in [0, 63, 64, 1_024, 2_047, 2_499, 2_500, 2_530, 2_540, 3_500, 3_999] {
        let gone = (seq + 1_u64).saturating_sub(2_500);
        let before = views.rows_read();
        let live = views.live_at(Group::Scope(SCOPE), Seq(seq)).expect("no doubt");
        assert_eq!(live, (gone..=seq).map(Seq).collect::<Vec<_>>());
        assert!(views.rows_read() - before <= 2 * live.len() as u64 + 64, "at {seq}");
    }
    views.check_rows().expect("all rows read");
}
