//! `source`: a canonical file that the ledger follows, and what cites a clause that changed.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::bench::Bench;

const FIRST: &str = "# Fares\n\n## Refunds\n\nWithin 24 hours.\n\n## Bags\n\nOne bag.\n";

fn put(bench: &Bench, text: &str) {
    fs::write(bench.root().join("fares.md"), text).unwrap();
}

fn add(bench: &Bench) {
    put(bench, FIRST);
    let add =
        ["source", "add", "fares", "fares.md", "--document", "fare rules", "--scope", "org/acme"];
    bench.run(add).ends(0).shows(&["registered, document fare rules in scope org/acme (flag)"]);
}

fn sync(bench: &Bench, code: i32) -> Value {
    bench.run(["source", "sync", "fares", "--json"]).ends(code).object()
}

fn clauses(bench: &Bench, flags: &[&str]) -> Vec<(String, String, String)> {
    let list = ["list", "--body-type", "canonical", "--json"];
    let found = bench.run([&list[..], flags].concat()).objects();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut all: Vec<_> = found
        .iter()
        .filter(|one| one["id"].is_string())
        .map(|one| (text(&one["body"]["clause"]), text(&one["body"]["text"]), text(&one["id"])))
        .collect();
    all.sort();
    all
}

#[test]
fn a_new_revision_replaces_what_changed_and_marks_what_cites_it() {
    let bench = Bench::new();
    add(&bench);
    assert_eq!(clauses(&bench, &[]), [], "to register is not to read");
    let first = sync(&bench, 0);
    assert_eq!(first["changed"], json!(["Fares", "Fares > Refunds", "Fares > Bags"]));
    let then = bench.run(["status", "--json"]).ends(0).object()["seq"].to_string();
    let held = clauses(&bench, &[]);
    assert_eq!(held[2].1, "## Refunds\n\nWithin 24 hours.");
    let item = bench.get(&held[2].2, &[]);
    assert_eq!((&item["trust"], &item["layer"]), (&"verified".into(), &"canonical".into()));
    assert!(item["source"].as_str().unwrap().ends_with("fares.md#Fares > Refunds"), "{item}");
    assert_eq!(item["by"], "service:memledger-sync");
    let cites = bench.write("refunds are quick", &["--derived-from", &held[2].2]);
    let bags = bench.write("one bag is enough", &["--derived-from", &held[1].2]);
    let other = bench.write("fares exist", &["--derived-from", &held[0].2]);

    // Nothing new: nothing recorded.
    let before = bench.run(["status", "--json"]).ends(0).object()["seq"].clone();
    assert_eq!(sync(&bench, 0)["results"], json!([]));
    assert_eq!(bench.run(["status", "--json"]).ends(0).object()["seq"], before);

    put(&bench, "# Fares\n\n## Refunds\n\nNever.\n\n## Seats\n\nAny.\n");
    bench
        .run(["source", "status"])
        .ends(0)
        .shows(&["fares: behind, 2 changed, 1 gone, 1 as they were"]);
    let second = sync(&bench, 0);
    assert_eq!(second["changed"], json!(["Fares > Refunds", "Fares > Seats"]));
    assert_eq!(second["gone"], json!(["Fares > Bags"]));
    let (mut stale, mut marked) = (vec![cites.clone(), bags.clone()], Vec::new());
    marked.extend(
        second["stale"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()),
    );
    stale.sort();
    marked.sort();
    assert_eq!(marked, stale);
    assert_eq!(bench.get(&cites, &[])["stale"], true);
    assert_eq!(bench.get(&other, &[])["stale"], false);
    let old = bench.get(&held[2].2, &[]);
    assert_eq!(
        (&old["status"], &old["body"]["text"]),
        (&"closed".into(), &"## Refunds\n\nWithin 24 hours.".into())
    );
    let now = clauses(&bench, &[]);
    assert_eq!(now[1].1, "## Refunds\n\nNever.");
    assert_eq!(old["superseded_by"], now[1].2.as_str());
    assert_eq!(clauses(&bench, &["--as-of", &format!("#{then}")]), held, "what was known then");
    assert_eq!(clauses(&bench, &["--from-archive"]), now);
    bench.run(["source", "status"]).ends(0).shows(&["fares: fresh"]);
    bench.run(["log", "-n", "100"]).ends(0).shows(&["source_synced", "source_registered"]);
    bench.run(["policy", "check"]).ends(0);
}

#[test]
fn a_file_that_went_is_reported_and_deletes_nothing() {
    let bench = Bench::new();
    add(&bench);
    sync(&bench, 0);
    let held = clauses(&bench, &[]);
    let cites = bench.write("refunds are quick", &["--derived-from", &held[2].2]);
    fs::remove_file(bench.root().join("fares.md")).unwrap();
    bench.run(["source", "status"]).ends(1).shows(&["is not there; its 3 clauses stand"]);
    assert_eq!(sync(&bench, 1)["present"], false);
    assert_eq!(clauses(&bench, &[]), held);
    assert_eq!(bench.get(&cites, &[])["stale"], true);
    assert_eq!(sync(&bench, 1)["results"], json!([]), "said once");
    bench.run(["source", "remove", "fares", "--reason", " "]).fails(2, &["needs a reason"]);
    bench
        .run(["source", "remove", "fares", "--reason", "withdrawn"])
        .ends(0)
        .shows(&["3 clauses closed"]);
    assert_eq!(clauses(&bench, &[]), []);
    bench.run(["source", "sync"]).fails(1, &["no source is registered"]);
    bench
        .run(["source", "remove", "fares", "--reason", "again"])
        .fails(2, &["no source \"fares\""]);
    bench.run(["source", "status", "--as-of", "#12"]).ends(1).shows(&["fares"]);
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let bench = Bench::new();
    bench.run(["source", "add", "a", "none.md"]).fails(2, &["none.md is not there"]);
    bench.run(["source", "add", "a"]).fails(2, &["FILE"]);
    add(&bench);
    bench.run(["source", "add", "fares", "fares.md"]).fails(2, &["registered already"]);
    fs::write(bench.root().join("fares.md"), b"\xff\xfe").unwrap();
    bench.run(["source", "sync"]).fails(2, &["not valid UTF-8"]);
    bench.run(["source", "sync", "bags"]).fails(1, &["no source \"bags\""]);
}

#[test]
fn a_file_in_a_repository_counts_from_its_commit() {
    let bench = Bench::new();
    let repo = bench.root().join("repo");
    fs::create_dir(&repo).unwrap();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(&repo).args(["-c", "user.name=a", "-c", "user.email=a@b.example"]);
        for name in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
            command.env(name, "2026-03-01T12:00:00Z");
        }
        assert!(command.args(args).status().unwrap().success());
    };
    git(&["init", "-q"]);
    fs::write(repo.join("rules.md"), "All of it.\n").unwrap();
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    let add = ["source", "add", "rules", "--git", "repo", "rules.md", "--whole"];
    bench.run(add).ends(0);
    fs::write(repo.join("rules.md"), "Not committed.\n").unwrap();
    let done = bench.run(["source", "sync", "--json"]).ends(0).object();
    assert_eq!(done["changed"], json!(["*"]));
    let held = clauses(&bench, &[]);
    assert_eq!((held[0].0.as_str(), held[0].1.as_str()), ("*", "All of it."));
    let item = bench.get(&held[0].2, &[]);
    assert_eq!(item["valid_from"], "2026-03-01T12:00:00Z");
    assert_eq!(item["body"]["version"].as_str().unwrap().len(), 40);
}
