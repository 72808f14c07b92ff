//! The poisoning suite: it holds under the policy that ships, it breaks under policies that are too weak,
//! and it stands between a weak policy and the ledger.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::path::PathBuf;

use memledger::policy::Policy;
use memledger::policy::poison::{Report, run};
use memledger::{Actor, ErrorKind, InitOptions, Ledger, MasterEnv, Question};

fn ledger() -> (tempfile::TempDir, Ledger) {
    let dir = tempfile::tempdir().unwrap();
    let path: PathBuf = dir.path().join("ledger");
    let master = MasterEnv { key_dir: Some(dir.path().join("keys")), ..MasterEnv::default() };
    let options = InitOptions { master, ..InitOptions::default() };
    let ledger = Ledger::init(&path, options).unwrap().ledger;
    (dir, ledger)
}

fn broken(report: &Report) -> Vec<(&str, &str, &str)> {
    let cases = report.cases.iter();
    cases
        .flat_map(|case| case.checks.iter().map(move |check| (case.name, check)))
        .filter(|(_, check)| !check.held)
        .map(|(case, check)| (case, check.rule, check.found.as_str()))
        .collect()
}

#[test]
fn every_case_holds_under_the_policy_that_ships() {
    let report = run(Policy::built_in_text()).unwrap();
    assert_eq!(broken(&report), [], "{report:#?}");
    assert!(report.cases.len() >= 13, "{}", report.cases.len());
    assert!(report.cases.iter().all(|case| !case.checks.is_empty()), "{report:#?}");
    let checks: usize = report.cases.iter().map(|case| case.checks.len()).sum();
    println!("{} cases, {checks} checks", report.cases.len());
}

/// For every case a policy under which it fails: a case that cannot fail shows nothing.
#[test]
fn every_weakness_of_a_policy_is_found_by_its_case() {
    for (text, case) in [
        ("[gate]\nsecrets = \"mark\"", "secrets"),
        ("[gate]\npersonal = \"allow\"", "personal-data"),
        ("[gate]\nhidden_reasoning = \"allow\"", "hidden-reasoning"),
        ("[gate]\ninstruction_like = \"1\"", "orders-in-tool-results"),
        ("[gate]\nduplicate = \"1\"\n[trust]\ntool = \"verified\"", "novelty-flooding"),
        ("[gate]\nrepeats = \"1\"\n[trust]\nrecall = \"verified\"", "recall-stored-again"),
        ("[trust]\ntool = \"verified\"", "false-fact-across-sessions"),
        ("[trust]\nuser = \"verified\"", "source-spoofing"),
        ("[trust]\nnone = \"unverified\"", "source-spoofing"),
        ("[trust]\nweb = \"verified\"", "agreeing-sources"),
        ("[trust]\nmodel = \"verified\"", "summary-claims-permission"),
    ] {
        let report = run(&format!("format = 1\n{text}\n")).unwrap();
        let failed: Vec<_> = report.failed().map(|case| case.name).collect();
        assert!(failed.contains(&case), "{text}: {failed:?}");
    }
}

#[test]
fn a_weak_policy_is_not_set_unless_a_person_answers_for_it() {
    let (_dir, ledger) = ledger();
    let weak = "format = 1\n[gate]\nsecrets = \"mark\"\n";
    let refused = ledger.set_policy(weak, None, Some("we need keys here")).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Refused, "{refused}");
    assert!(refused.to_string().contains("secrets"), "{refused}");
    let now = || ledger.policy(&Question::now(ledger.zone())).unwrap().version;
    assert_eq!(now(), 0);
    let agent: Actor = "agent:helper".parse().unwrap();
    let error = ledger.set_policy_all_the_same(weak, &agent, "it is fine").unwrap_err();
    assert_eq!((error.kind(), now()), (ErrorKind::Invalid, 0));
    let person: Actor = "person:lead".parse().unwrap();
    let error = ledger.set_policy_all_the_same(weak, &person, "  ").unwrap_err();
    assert_eq!((error.kind(), now()), (ErrorKind::Invalid, 0));
    let done = ledger.set_policy_all_the_same(weak, &person, "a test ledger of ours").unwrap();
    assert_eq!((done.version, now()), (1, 1));
    let (_, stats) = ledger.stats(&Question::now(ledger.zone())).unwrap();
    assert_eq!(stats.events["suite_result"], 2, "the refused try is on record too");
    let (passed, failed) = stats.suites[&memledger::policy::poison::SUITE];
    assert_eq!((passed, failed), done.suite.counts());
    assert!(failed > 0 && passed > 0);
}

#[test]
fn what_is_no_policy_is_not_played_under() {
    let error = run("format = 1\nspeed = 2").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("line 2"), "{error}");
}
