//! x
use memledger::{Ledger, VerifyLevel};
use replay_tests::small;

#[test]
fn measure() {
    let p = small::ledger();
    let level = match std::env::var("LVL").unwrap().as_str() { "log" => VerifyLevel::Log, "views" => VerifyLevel::Views, _ => VerifyLevel::Content };
        for _ in 0..1000 {
            let r = Ledger::verify_dir(&p.path(), level, &|_, _, _| ()).unwrap();
            assert_eq!(r.verdict(), memledger::CheckVerdict::Ok, "{r:#?}");
        }
}
