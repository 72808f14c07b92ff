//! Tasks, slots of the day and sweeps at the prompt.

use crate::bench::{Bench, run};

#[test]
fn what_is_for_a_task_steps_aside_when_it_ends() {
    let bench = Bench::new();
    bench.run(["task", "list"]).fails(1, &["no task"]);
    let begun = ["task", "start", "fix the build", "--by", "agent:coder", "--json"];
    let begun = format!("#{}", bench.run(begun).ends(0).object()["seq"]);
    bench.run(["task", "start", "notes", "--parent", "fix the build"]).ends(0);
    let flags = ["--layer", "session", "--source", "tool:ci", "--task", "notes"];
    let context = bench.write("The log of run 7 is open", &flags);
    assert_eq!(bench.get(&context, &[])["task"], "notes");
    let mut command = bench.command();
    command.env("MEMLEDGER_TASK", "fix the build").args(["write", "--json", "--stdin"]);
    let line = b"{\"text\":\"The cache is cold\",\"layer\":\"session\",\"source\":\"tool:ci\"}\n";
    let written = run(command, line).ends(0).object();
    let cache = written["id"].as_str().unwrap().to_owned();
    assert_eq!(bench.get(&cache, &[])["task"], "fix the build");
    let open = bench.run(["task", "list", "--open", "--json"]).ends(0).objects();
    assert_eq!(open.len(), 2);
    assert_eq!(open[1]["parent"], "fix the build");
    let ended = bench.run(["task", "end", "fix the build", "--outcome", "partial"]).ends(0);
    ended.shows(&["task ended", "partial", "2 memories step aside"]);
    assert_eq!(bench.get(&context, &[])["status"], "expired");
    assert_eq!(bench.get(&cache, &[])["status"], "expired");
    let past = bench.run(["task", "list", "--json", "--as-of", &begun]).ends(0).objects();
    assert_eq!(past[0]["outcome"], serde_json::Value::Null);
    bench.run(["task", "list"]).ends(0).shows(&["fix the build", "partial", "in fix the build"]);
    bench.run(["task", "end", "notes", "--outcome", "ok"]).fails(6, &["was ended by record"]);
    bench.run(["task", "end", "x", "--outcome", "ok"]).fails(1, &["no task"]);
    bench.run(["task", "end", "x", "--outcome", "good"]).fails(2, &["accepted: ok, failed"]);
    bench.run(["write", "late", "--task", "notes"]).fails(6, &["was ended"]);
    let mut command = bench.command();
    command.env("MEMLEDGER_TASK", "").args(["write", "x"]);
    run(command, b"").fails(2, &["MEMLEDGER_TASK is set and empty"]);
}

#[test]
fn a_slot_of_the_day_has_one_value() {
    let bench = Bench::new();
    let flags = ["--layer", "day", "--key", "build", "--source", "tool:ci"];
    let red = bench.write("red", &[&flags[..], &["--valid-from", "2020-01-01T10:00:00Z"]].concat());
    let green = bench.write("green", &flags);
    assert_eq!(bench.ids(&[]), [green.as_str()]);
    assert_eq!(bench.get(&red, &[])["superseded_by"], green);
    let late = [&flags[..], &["--valid-from", "2020-01-01T11:00:00Z"]].concat();
    let late = bench.write("amber", &late);
    assert_eq!(bench.ids(&[]), [green.as_str()]);
    assert_eq!(bench.get(&late, &[])["status"], "closed");
    bench.run(["policy", "check"]).ends(0);
}

#[test]
fn a_sweep_shows_its_plan_and_status_says_when_it_is_due() {
    let bench = Bench::new();
    bench.run(["sweep"]).ends(0);
    bench.run(["status"]).ends(0).shows(&["not scheduled"]);
    let ttl = ["--source", "chat:1", "--ttl", "2020-01-01T00:00:00Z"];
    let id = bench.write("Gone before it came", &ttl);
    assert_eq!(bench.get(&id, &[])["status"], "expired");
    bench.run(["sweep"]).fails(2, &["no terminal"]).shows(&["plan: sweep 1 memory", "ran out"]);
    let planned = bench.run(["sweep", "--json"]).ends(2);
    assert!(planned.err.contains("\"does\":\"ran out\""), "{planned:?}");
    bench.run(["sweep", "--yes", "--every", "1d"]).ends(0).shows(&["swept"]);
    let size = bench.run(["status", "--json"]).ends(0).object()["size"].clone();
    bench.run(["sweep", "--yes", "--every", "1d"]).ends(0);
    let status = bench.run(["status", "--json"]).ends(0).object();
    assert_eq!(status["size"], size, "a second one records nothing");
    assert_eq!(status["sweep"]["overdue"], false);
    assert_eq!(status["sweep"]["count"], 1);
    bench.run(["status"]).ends(0).shows(&["sweep", "next "]);
}

#[test]
fn a_submission_is_taken_back_and_that_too() {
    let bench = Bench::new();
    let one = bench.write("The office opens at nine", &["--subject", "ada", "--source", "chat:1"]);
    let two = bench.write("Ada sits by the door", &["--subject", "ada", "--source", "chat:2"]);
    let forget = ["forget", "--subject", "ada", "--reason", "asked to", "--yes", "--json"];
    let done = bench.run(forget).ends(0).object();
    let job = done["job"].as_str().unwrap().to_owned();
    assert!(bench.ids(&[]).is_empty());
    let undo = ["undo", job.as_str(), "--reason", "the wrong Ada"];
    bench.run(undo).fails(2, &["no terminal"]).shows(&["plan: undo 2 memories", "remembered"]);
    let planned = bench.run([&undo[..], &["--json"]].concat()).ends(2);
    assert!(planned.err.contains("\"kind\":\"undo\""), "{planned:?}");
    bench.run([&undo[..], &["--yes"]].concat()).ends(0).shows(&["undone"]);
    assert_eq!(bench.ids(&[]), [one.as_str(), &two]);
    let events = bench.run(["log", "--json", "-n", "3"]).ends(0).objects();
    let undone = format!("#{}", events.iter().find(|one| one["event"] == "undo").unwrap()["seq"]);
    bench.run(["undo", &undone, "--reason", "it was her", "--yes"]).ends(0);
    assert!(bench.ids(&[]).is_empty());
    let again = format!("#{}", done["seq"]);
    bench.run(["undo", &again, "--reason", "x", "--yes"]).fails(6, &["rest on it", "(reopen)"]);
    bench.run(["undo", "#999", "--reason", "x", "--yes"]).fails(1, &["no record 999"]);
    bench.run(["undo", "m9", "--reason", "x"]).fails(2, &["is a memory, not a record"]);
    bench.run(["undo", "#0", "--reason", " "]).fails(2, &["needs a reason"]);
}

#[test]
fn a_source_is_withdrawn_with_what_was_made_from_it() {
    let bench = Bench::new();
    let page = bench.write("Prices rise in May", &["--source", "web:shop.example/a#1"]);
    let plan = bench.write("Order in April", &["--source", "model:m", "--derived-from", &page]);
    let other = bench.write("Tea is in the kitchen", &["--source", "chat:1"]);
    let revoke = ["revoke", "web:shop.example/a", "--reason", "forged", "--wrong"];
    bench.run(revoke).fails(2, &["no terminal"]).shows(&["revoke 2 memories", "made from it"]);
    bench.run([&revoke[..], &["--yes"]].concat()).ends(0).shows(&["revoked"]);
    assert_eq!(bench.ids(&[]), [other.as_str()]);
    assert_eq!(bench.get(&plan, &[])["closed_reason"], "forged");
    bench.run([&revoke[..], &["--yes"]].concat()).fails(1, &["nothing that stands"]);
    bench.run(["revoke", "--policy", "7", "--reason", "r", "--yes"]).fails(1, &["nothing"]);
    bench.run(["revoke", "--reason", "r"]).fails(2, &[]);
}

#[test]
fn what_waits_is_decided_by_persons() {
    let bench = Bench::new();
    let policy = "format = 1\n[[approvals]]\nlayer = \"project\"\npersons = 2\n";
    std::fs::write(bench.root().join("policy.toml"), policy).unwrap();
    bench.run(["policy", "set", "policy.toml", "--reason", "two of us"]).ends(0);
    bench.run(["pending", "list"]).fails(1, &["nothing waits"]);
    let write =
        ["write", "Deploy on Fridays", "--by", "agent:coder", "--source", "chat:1", "--json"];
    let written = bench.run(write).ends(0).object();
    assert_eq!(written["verdict"], "pending");
    let id = format!("m{}", written["seq"]);
    assert!(bench.ids(&[]).is_empty());
    bench.run(["pending", "list"]).ends(0).shows(&[&id, "0 of 2 agreed", "Deploy on Fridays"]);
    bench.run(["review"]).ends(0).shows(&[&id, "pending"]);
    let approve = |by: &str| bench.run(["pending", "approve", &id, "--by", by]);
    approve("agent:coder").fails(7, &["only a person"]);
    approve("person:ada").ends(0).shows(&["another person has to"]);
    approve("person:ada").fails(7, &["agreed already"]);
    let listed = bench.run(["pending", "list", "--json"]).ends(0).object();
    assert_eq!((&listed["persons"], &listed["agreed"][0]), (&2.into(), &"person:ada".into()));
    approve("person:ben").ends(0).shows(&["approved"]);
    approve("person:cleo").fails(1, &["nothing of record"]);
    assert_eq!(bench.ids(&[]).len(), 1);
    let other = ["write", "Deploy at night", "--by", "agent:coder", "--source", "chat:1", "--json"];
    let other = format!("m{}", bench.run(other).ends(0).object()["seq"]);
    let reject = ["pending", "reject", &other, "--by", "person:ada"];
    bench.run(reject).fails(2, &["needs a reason"]);
    bench.run([&reject[..], &["--reason", "no"]].concat()).ends(0).shows(&["rejected"]);
    bench.run(["review"]).fails(1, &["nothing needs a person"]);
}
