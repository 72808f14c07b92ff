//! Withdrawing a source with everything made from it.

use memledger::format::Seq;
use memledger::life::{Batch, RevokeHow, RevokeWhat};
use memledger::{ErrorKind, Source, Status};

use crate::bench::{Bench, by_terms};

fn from(uri: &str) -> Source {
    uri.parse().unwrap()
}

#[test]
fn a_source_is_withdrawn_with_its_lineage_and_comes_back_by_undo() {
    for how in [RevokeHow::Close, RevokeHow::Wrong, RevokeHow::Forget] {
        let bench = Bench::new();
        let page =
            bench.says("Prices rise in May", |p| p.source = Some(from("web:shop.example/a")));
        let span =
            bench.says("Shipping is free", |p| p.source = Some(from("web:shop.example/a#2")));
        let longer =
            bench.says("Returns cost nothing", |p| p.source = Some(from("web:shop.example/ab")));
        let fact = bench.says("Order before May", |p| p.derived_from = vec![page]);
        let tale = bench.says("Everybody orders in April", |p| p.derived_from = vec![fact]);
        let plan = |how| {
            let what = RevokeWhat::Source("web:shop.example/a".to_owned());
            bench.ledger.plan_revoke(&what, how)
        };
        let planned = plan(how).unwrap();
        let does: Vec<_> = planned.steps.iter().map(|step| (step.memory, step.does)).collect();
        assert_eq!(
            does,
            [
                (page, "from there"),
                (span, "from there"),
                (fact, "made from it"),
                (tale, "made from it"),
            ]
        );
        let size = bench.size();
        assert_eq!(bench.listed(None).len(), 5, "a plan changes nothing");
        let by = by_terms("person:priya");
        let reason = Some("the page was forged".to_owned());
        let done = bench.ledger.carry_out(&planned, by, reason).unwrap();
        assert_eq!(bench.listed(None), [longer]);
        let expected = if how == RevokeHow::Forget { Status::Forgotten } else { Status::Closed };
        assert_eq!(bench.status(tale), expected);
        assert_eq!(bench.status_at(tale, Seq(size - 1)), Status::Open);
        assert_eq!(plan(how).unwrap_err().kind(), ErrorKind::NotFound, "once");
        let back = bench.ledger.plan_undo(Batch::Seq(done[1].seq)).unwrap();
        bench.ledger.carry_out(&back, by_terms("person:priya"), None).unwrap();
        assert_eq!(bench.listed(None), [page, span, longer, fact, tale]);
    }
}

#[test]
fn what_a_policy_let_in_can_be_withdrawn() {
    let bench = Bench::new();
    let before = bench.says("The build needs Node 22", |_| {});
    bench.ledger.set_policy("format = 1\n[trust]\nchat = \"draft\"\n", None, None).unwrap();
    let under = bench.says("The build needs Rust", |_| {});
    let plan = bench.ledger.plan_revoke(&RevokeWhat::Policy(1), RevokeHow::Close).unwrap();
    bench.ledger.carry_out(&plan, by_terms("person:priya"), None).unwrap();
    assert_eq!((bench.status(before), bench.status(under)), (Status::Open, Status::Closed));
    let none = bench.ledger.plan_revoke(&RevokeWhat::Policy(9), RevokeHow::Close).unwrap_err();
    assert_eq!(none.kind(), ErrorKind::NotFound);
}
