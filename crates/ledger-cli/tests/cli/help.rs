//! The help is short, and every verb has one.

use crate::bench::Bench;

#[test]
fn the_first_page_groups_the_verbs() {
    let bench = Bench::empty();
    for args in [vec!["help"], vec!["--help"], vec!["-h"]] {
        let ran = bench.run(args).ends(0);
        for part in ["Start", "write", "diff", "verify", "--as-of", "Exit codes", "3 integrity"] {
            assert!(ran.out.contains(part), "{part}: {ran:?}");
        }
        assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "{}", ran.out);
        assert_eq!(ran.err, "");
    }
    bench.run(["--version"]).ends(0).shows(&["memledger "]);
}

#[test]
fn every_verb_explains_itself() {
    let bench = Bench::empty();
    let verbs = [
        "init", "status", "where", "skill", "summary", "source", "demo", "key", "write", "close",
        "reopen", "confirm", "use", "pushdown", "lift", "contest", "resolve", "pin", "unpin",
        "forget", "promote", "demote", "get", "list", "history", "diff", "blame", "log", "show",
        "verify", "doctor", "repair", "rebuild", "import", "export",
    ];
    for verb in verbs {
        let ran = bench.run([verb, "--help"]).ends(0);
        assert!(ran.out.contains(&format!("Usage: memledger {verb}")), "{ran:?}");
        assert!(ran.out.lines().count() < 60, "{verb} is long: {}", ran.out);
    }
    for format in ["git", "history", "triples", "jsonl"] {
        bench.run(["import", format, "--help"]).ends(0).shows(&["Example"]);
    }
    bench.run(["help", "write"]).ends(0).shows(&["--supersedes", "Examples"]);
}
