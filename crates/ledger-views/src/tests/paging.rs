//! Owns the tests of groups with more members than are read at a time.

use ledger_format::{AliasId, Event, Seq};

use super::model::built;
use super::world::{World, alias, memory_id, write};
use crate::Group;

const SCOPE: AliasId = AliasId([9; 16]);
/// Two full pages and a part of a third one.
const MEMBERS: u16 = 600;

#[test]
fn every_member_of_a_large_group_is_given_once() {
    let (key, tag) = (alias(3, 1), alias(6, 1));
    let mut world = World::without_states();
    for number in 0..MEMBERS {
        let mut write = write(memory_id(number), Some(key));
        write.tags = vec![tag];
        world.record(SCOPE, Event::Write(write));
    }
    let dir = tempfile::tempdir().expect("a directory");
    let views = built(dir.path(), &world);
    for group in [Group::Scope(SCOPE), Group::Key(key), Group::Tag(tag)] {
        for until in [0, 254, 255, 256, 257, 510, 511, 512, 513, 599] {
            for from in [0, 1, 255, 256, 300] {
                let members = views.all_until(group, Seq(from), Seq(until)).expect("no doubt");
                let found: Vec<u64> = members.map(|born| born.expect("no doubt").0).collect();
                let expected: Vec<u64> = (from..=until).collect();
                assert_eq!(found, expected, "{group:?} from {from} until {until}");
            }
        }
    }
}
