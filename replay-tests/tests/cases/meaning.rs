//! What the rules of the domain say, on histories small enough to be worked out on paper. Both the
//! replay and the oracle are held to the answers written here.

use ledger_format::event::duty::Approval;
use ledger_format::event::ledger::AliasBound;
use ledger_format::event::memory::{Close, Confirm, Expire, Reopen};
use ledger_format::names::{Decision, ExpireCause};
use ledger_format::{AliasId, AliasKind, CloseKind, Event, MemoryId, Micros, Seq, Trust, Verdict};
use replay_tests::script::Script;

/// A retired value is absent from the record that retired it on, and present before.
#[test]
fn rival_02_closed_is_absent_from_its_record_on_and_present_before() {
    let mut log = Script::at(100);
    let fare = log.write(1, |_| {});
    let written = log.head();
    log.now = 200;
    let closed = log.close(fare, Some(200), None);
    assert_eq!(log.word(written, fare, 150, 250), Some("open"), "nobody knew of the end yet");
    assert_eq!(log.word(closed, fare, 250, 199), Some("open"), "it was true until then");
    assert_eq!(log.word(closed, fare, 250, 200), Some("closed"));
    assert!(!log.row(fare).live);
}

/// One event closes the old and opens the new: there is no record between at which neither holds.
#[test]
fn field_a02_superseding_closes_and_opens_in_one_event() {
    let mut log = Script::at(10);
    let old = log.write(1, |_| {});
    let other = log.write(2, |_| {});
    let new = log.write(3, |write| {
        write.supersedes = vec![old, other];
        write.supersede_from = Some(Micros(50));
        write.valid_from = Some(Micros(50));
    });
    for seq in (0..=log.head().0).map(Seq) {
        for valid in [49, 50] {
            let words = [old, new].map(|id| log.word(seq, id, 60, valid));
            assert_eq!(words.iter().filter(|word| **word == Some("open")).count(), 1, "{seq}");
        }
    }
    assert_eq!([old, other].map(|id| log.ask(id, 50)), ["closed"; 2], "all of them or none");
}

/// Current and stale are told apart, and the stale one names what took its place.
#[test]
fn field_a18_what_is_superseded_names_its_successor() {
    let mut log = Script::default();
    let old = log.write(1, |_| {});
    let new = log.write(2, |write| write.supersedes = vec![old]);
    assert_eq!(log.row(old).superseded_by(), Some(new));
    assert_eq!((log.ask(old, 0), log.ask(new, 0)), ("closed", "open"));
}

/// Saying a thing again confirms it: same id, nothing closed, a newer confirmation.
#[test]
fn field_a01_saying_it_again_confirms() {
    let mut log = Script::at(5);
    let memory = log.write(1, |write| write.ttl_until = Some(Micros(20)));
    log.now = 30;
    assert_eq!(log.ask(memory, 30), "expired");
    log.add(Event::Confirm(Confirm {
        memories: vec![memory],
        ttl_until: Some(Micros(90)),
        review_by: None,
    }));
    assert_eq!(log.ask(memory, 30), "open");
    assert_eq!(log.row(memory).last_confirmed, Some(Micros(30)));
    assert_eq!(log.row(memory).trust, Trust::Unverified, "a confirmation raises no trust");
}

/// A lifetime ends at its instant, whether or not a sweep has come by.
#[test]
fn field_a27_a_lifetime_ends_without_a_sweep() {
    let mut log = Script::default();
    let memory = log.write(1, |write| write.ttl_until = Some(Micros(100)));
    let head = log.head();
    assert_eq!(log.word(head, memory, 99, 0), Some("open"));
    assert_eq!(log.word(head, memory, 100, 0), Some("expired"));
    log.now = 150;
    let cause = ExpireCause::Ttl;
    log.add(Event::Expire(Expire { memories: vec![memory], basis: Micros(150), cause }));
    assert_eq!(log.word(head, memory, 99, 0), Some("open"), "the past stays as it was");
    assert_eq!(log.ask(memory, 0), "expired");
}

/// Scopes are compared by segment: a longer name is another name, and two scopes of one name under
/// different parents are two scopes.
#[test]
fn field_a37_scopes_compare_segment_by_segment() {
    let [foo, foobar, below, twin] = [1, 2, 3, 4].map(|byte| AliasId([byte; 16]));
    let mut log = Script::default();
    for (alias, parent) in [(foo, None), (foobar, None), (below, Some(foo)), (twin, Some(foobar))] {
        log.add(Event::AliasBound(AliasBound { alias, kind: AliasKind::Scope, parent }));
    }
    let state = log.state(log.head());
    assert!(state.scope_within(below, foo) && state.scope_within(twin, foobar));
    assert!(!state.scope_within(foobar, foo) && !state.scope_within(foo, foobar));
    assert!(!state.scope_within(twin, foo) && !state.scope_within(foo, below));
}

/// Back to an earlier value: the new event closes the one in between, and one value is open.
#[test]
fn field_b31_back_and_forth_leaves_one_open() {
    let mut log = Script::default();
    let mut last: Option<MemoryId> = None;
    let mut all = Vec::new();
    for (id, day) in [(1, 10), (2, 20), (3, 30)] {
        log.now = day;
        let id = log.write(id, |write| {
            write.supersedes = last.into_iter().collect();
            write.supersede_from = Some(Micros(day));
            write.valid_from = Some(Micros(day));
        });
        (last, all) = (Some(id), [all, vec![id]].concat());
    }
    for (valid, expected) in [(10, 0), (19, 0), (20, 1), (29, 1), (30, 2), (99, 2)] {
        let open: Vec<usize> = (0..3).filter(|at| log.ask(all[*at], valid) == "open").collect();
        assert_eq!(open, [expected], "at {valid}");
    }
}

/// Records of one instant have an order, and it is the order of the log.
#[test]
fn field_l11_equal_times_are_ordered_by_position() {
    let mut log = Script::at(7);
    let memory = log.write(1, |_| {});
    log.close(memory, None, None);
    let closed = log.head();
    log.add(Event::Reopen(Reopen { memory, from: None, until: None }));
    assert_eq!(log.word(Seq(0), memory, 7, 7), Some("open"));
    assert_eq!(log.word(closed, memory, 7, 7), Some("closed"));
    assert_eq!(log.ask(memory, 7), "open");
}

/// Reopening opens a new interval; the gap stays a gap.
#[test]
fn the_gap_stays_a_gap() {
    let mut log = Script::at(10);
    let memory = log.write(1, |_| {});
    log.close(memory, Some(100), None);
    log.add(Event::Reopen(Reopen { memory, from: Some(Micros(200)), until: None }));
    let words = [99, 100, 199, 200].map(|valid| log.ask(memory, valid));
    assert_eq!(words, ["open", "closed", "closed", "open"]);
}

/// What was wrong was never true from then on, but it was believed before.
#[test]
fn wrong_reaches_back_in_valid_time_and_not_in_known_time() {
    let mut log = Script::at(10);
    let memory = log.write(1, |_| {});
    let believed = log.head();
    let kind = CloseKind::Wrong;
    log.add(Event::Close(Close { memory, kind, from: None, until: None, replaced_by: None }));
    assert_eq!(log.word(believed, memory, 10, 5), Some("open"));
    assert_eq!([0, 5, 500].map(|valid| log.ask(memory, valid)), ["closed"; 3]);
}

/// An exception carves its days out and the rule goes on around them.
#[test]
fn an_exception_carves_its_time_out() {
    let mut log = Script::default();
    let rule = log.write(1, |write| write.valid_until = Some(Micros(1_000)));
    let exception = log.write(2, |write| {
        write.supersedes = vec![rule];
        (write.valid_from, write.valid_until) = (Some(Micros(100)), Some(Micros(200)));
        (write.supersede_from, write.supersede_until) = (write.valid_from, write.valid_until);
    });
    let words = |log: &Script, valid| (log.ask(rule, valid), log.ask(exception, valid));
    assert_eq!(words(&log, 99), ("open", "closed"));
    assert_eq!(words(&log, 100), ("closed", "open"));
    assert_eq!(words(&log, 199), ("closed", "open"));
    assert_eq!(words(&log, 200), ("open", "closed"));
    assert_eq!(words(&log, 1_000), ("closed", "closed"));
    assert!(log.row(rule).live, "its time is not over");
}

/// A message that arrives late says what held earlier, and changes nothing about later.
#[test]
fn a_late_arrival_takes_its_own_time_only() {
    let mut log = Script::at(300);
    let newer = log.write(1, |write| write.valid_from = Some(Micros(200)));
    log.now = 400;
    let older = log.write(2, |write| {
        (write.valid_from, write.valid_until) = (Some(Micros(100)), Some(Micros(200)));
    });
    assert_eq!(
        [100, 199].map(|at| (log.ask(newer, at), log.ask(older, at))),
        [("closed", "open"); 2]
    );
    assert_eq!((log.ask(newer, 200), log.ask(older, 200)), ("open", "closed"));
    assert!(!log.row(older).live, "stored closed: it was over when it came");
}

/// What waits for approval closes nothing; approval does it then, a rejection never.
#[test]
fn what_waits_closes_nothing_before_its_approval() {
    for decision in [Decision::Approve, Decision::Reject] {
        let mut log = Script::default();
        let old = log.write(1, |_| {});
        let new = log.write(2, |write| {
            write.supersedes = vec![old];
            write.verdict = Verdict::Pending;
        });
        let pending = log.head();
        log.add(Event::Approval(Approval { pending, decision, step: 1, complete: false }));
        assert_eq!((log.ask(old, 0), log.ask(new, 0)), ("open", "pending"));
        log.add(Event::Approval(Approval { pending, decision, step: 2, complete: true }));
        let expected = match decision {
            Decision::Approve => ("closed", "open"),
            _ => ("open", "closed"),
        };
        assert_eq!((log.ask(old, 0), log.ask(new, 0)), expected);
        let approved = log.row(new).trust == Trust::Approved;
        assert_eq!(approved, decision == Decision::Approve);
    }
}
