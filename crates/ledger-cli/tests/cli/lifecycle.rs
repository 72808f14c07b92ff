//! Every verb that changes something, and what reads say afterwards.

use serde_json::json;

use crate::bench::Bench;

/// A memory and its correction.
fn corrected(bench: &Bench) -> (String, String) {
    let first = "--source chat:2026-01-12#4 --by user:priya --valid-from 2026-01-12";
    let flags: Vec<&str> = first.split(' ').collect();
    let old = bench.write("Install packages with npm", &flags);
    // The list of ids ends before what is no id.
    let typed = ["write", "--json", "--valid-from", "2026-06-02", "--supersedes", &old];
    let text = ["Install packages with pnpm, not npm"];
    let correction = bench.run(typed.iter().chain(&text)).ends(0).object();
    assert_eq!(correction["superseded"], json!([old]));
    assert_eq!(correction["scope_step"], "fallback");
    bench.run(typed).fails(2, &["nothing to write"]);
    let mistyped = ["write", "--supersedes", "mem_01J9"];
    bench.run(mistyped).fails(2, &["nothing to write"]);
    let mistyped = ["write", "text", "--supersedes", "mem_01J9"];
    bench.run(mistyped).fails(2, &["\"mem_01J9\" is no memory"]);
    (old, correction["id"].as_str().unwrap().to_owned())
}

#[test]
fn a_correction_closes_what_it_replaces() {
    let bench = Bench::new();
    let (old, new) = corrected(&bench);
    assert_eq!(bench.ids(&[]), [new.as_str()]);
    assert_eq!(bench.ids(&["--include-history"]), [old.as_str(), &new]);
    assert_eq!(bench.ids(&["--valid-at", "2026-03-03"]), [old.as_str()]);
    let closed = bench.get(&old, &[]);
    assert_eq!(closed["status"], "closed");
    assert_eq!(closed["superseded_by"], json!(new));
    assert_eq!(closed["closed_at"], "2026-06-02T00:00:00Z");
    assert_eq!(closed["text"], "Install packages with npm");
    assert_eq!(closed["by"], "person:priya");
    assert_eq!(closed["source"], "chat:2026-01-12#4");
}

#[test]
fn the_life_of_a_correction_can_be_told() {
    let bench = Bench::new();
    let (old, new) = corrected(&bench);
    let history = bench.run(["history", &old]).ends(0);
    history.shows(&["write", "person:priya", "closed"]);
    let blamed = bench.run(["blame", &new, "--json"]).ends(0).object();
    assert_eq!(blamed["replaced"][0]["id"], json!(old));
    let blamed = bench.run(["blame", &old]).ends(0);
    blamed.shows(&["life", "Install packages with npm"]);
    let differs = bench.run(["diff", "2026-05-31..2026-06-03", "--valid"]).ends(0);
    let valid = "valid at 2026-06-03T23:59:59.999999Z";
    differs.shows(&["known at ", valid, "-  ", "+  ", "in force"]);
}

#[test]
fn close_reopen_and_close_again() {
    let bench = Bench::new();
    let id = bench.write("The office opens at nine", &["--valid-from", "2026-01-01"]);
    bench.run(["close", &id, "--reason", "moved", "--at", "2026-03-01"]).ends(0).shows(&["closed"]);
    let closed = bench.get(&id, &[]);
    assert_eq!(closed["closed_reason"], "moved");
    assert_eq!(closed["closed_kind"], "changed");
    bench
        .run(["close", &id, "--reason", "again", "--at", "2026-03-01"])
        .fails(6, &["closed already"]);
    bench.run(["reopen", &id, "--from", "2026-05-01", "--reason", "moved back"]).ends(0);
    let open = bench.get(&id, &[]);
    assert_eq!(open["status"], "open");
    assert_eq!(open["validity"].as_array().unwrap().len(), 2, "the gap stays a gap");
    assert_eq!(open["valid_from"], "2026-05-01T00:00:00Z");
    assert_eq!(bench.ids(&["--valid-at", "2026-04-01"]), [""; 0]);
    bench.run(["close", &id, "--reason", "never so", "--wrong"]).ends(0);
    assert_eq!(bench.get(&id, &[])["validity"], json!([]));
    bench
        .run(["close", &id, "--reason", "x", "--wrong", "--at", "2026-01-01"])
        .fails(2, &["--wrong", "--at"]);
}

#[test]
fn close_names_what_took_its_place() {
    let bench = Bench::new();
    let old = bench.write("Tea is at four", &[]);
    let new = bench.write("Tea is at five", &[]);
    bench.run(["close", &old, "--reason", "moved", "--replaced-by", &new]).ends(0);
    assert_eq!(bench.get(&old, &[])["superseded_by"], json!(new));
}

#[test]
fn weight_is_taken_and_given_back() {
    let bench = Bench::new();
    let id = bench.write("Use pnpm everywhere", &[]);
    bench
        .run(["pushdown", &id, "--reason", "CI lacks it", "--evidence", "run 81"])
        .ends(0)
        .shows(&["pushed down"]);
    assert_eq!(bench.get(&id, &[])["status"], "pushed_down");
    assert_eq!(bench.ids(&[]), [id.as_str()], "it ranks lower, it is not hidden");
    bench.run(["lift", &id, "--reason", "CI has it"]).ends(0);
    bench.run(["lift", &id]).fails(6, &["not pushed down"]);
    assert_eq!(bench.get(&id, &[])["status"], "open");
    bench.run(["promote", &id, "--trust", "verified", "--reason", "read it"]).ends(0);
    assert_eq!(bench.get(&id, &[])["trust"], "verified");
    bench.run(["demote", &id, "--trust", "draft", "--reason", "hearsay"]).ends(0);
    assert_eq!(bench.get(&id, &[])["trust"], "draft");
    bench.run(["promote", &id, "--layer", "semantic"]).ends(0);
    assert_eq!(bench.get(&id, &[])["layer"], "semantic");
    bench.run(["promote", &id]).fails(2, &["--trust"]);
}

#[test]
fn trust_moves_the_way_its_verb_says() {
    let bench = Bench::new();
    let id = bench.write("The office opens at nine", &[]);
    bench.run(["promote", &id, "--trust", "verified"]).ends(0);
    let lowered = bench.run(["promote", &id, "--trust", "draft"]);
    lowered.fails(6, &["is verified", "draft raises nothing", "use `demote`"]);
    let raised = bench.run(["demote", &id, "--trust", "approved", "--reason", "x"]);
    raised.fails(6, &["approved lowers nothing", "use `promote`"]);
    for verb in ["promote", "demote"] {
        let same = bench.run([verb, &id, "--trust", "verified", "--reason", "x"]);
        same.fails(6, &["already", "nothing to change"]);
    }
    assert_eq!(bench.get(&id, &[])["trust"], "verified");
    bench.run(["promote", &id, "--trust", "verified", "--layer", "semantic"]).ends(0);
    assert_eq!(bench.get(&id, &[])["layer"], "semantic");
}

#[test]
fn pins_uses_and_confirmations() {
    let bench = Bench::new();
    let id = bench.write("Keep this", &[]);
    let other = bench.write("And this", &["--ttl", "30m"]);
    bench.run(["pin", &id]).ends(0).shows(&["pinned"]);
    assert_eq!(bench.get(&id, &[])["pinned"], true);
    bench.run(["pin", &id]).fails(6, &["pinned already"]);
    bench.run(["unpin", &id]).ends(0);
    assert_eq!(bench.get(&id, &[])["pinned"], false);
    bench.run(["use", &id, &other, "--reason", "answer 3"]).ends(0);
    assert!(bench.get(&other, &[])["last_used"].is_string());
    let before = bench.get(&other, &[])["ttl"].clone();
    bench.run(["confirm", &other, "--ttl", "7d", "--by", "person:priya"]).ends(0);
    let confirmed = bench.get(&other, &[]);
    assert!(confirmed["last_confirmed"].is_string());
    assert!(confirmed["ttl"].as_str() > before.as_str());
}

#[test]
fn a_contest_is_decided() {
    let bench = Bench::new();
    let a = bench.write("The fare is 40", &[]);
    let b = bench.write("The fare is 45", &[]);
    let contest = bench.run(["contest", &a, &b, "--reason", "two prices", "--json"]).ends(0);
    let seq = contest.objects()[0]["seq"].to_string();
    let contested = bench.get(&a, &[]);
    assert_eq!(contested["status"], "contested");
    assert_eq!(contested["conflict_group"].to_string(), seq);
    bench.run(["contest", &a]).fails(2, &["ID"]);
    bench.run(["resolve", &seq, "--keep", &b, "--reason", "fare sheet of May"]).ends(0);
    assert_eq!(bench.get(&b, &[])["status"], "open");
    bench.run(["resolve", &seq, "--keep", &b]).fails(1, &["no open contest"]);
}

#[test]
fn forgetting_shows_its_plan_and_asks() {
    let bench = Bench::new();
    let one = bench.write("u1 likes tea", &["--subject", "u1", "--scope", "org/acme"]);
    let two = bench.write("u1 lives in Lyon", &["--subject", "u1"]);
    let three = bench.write("u2 likes tea", &["--subject", "u2"]);
    bench
        .run(["forget", "--subject", "u1", "--reason", "asked to"])
        .fails(2, &["no terminal", "--yes"])
        .shows(&["plan: forget 2 memories", "u1 likes tea", "u1 lives in Lyon"]);
    assert_eq!(bench.get(&one, &[])["status"], "open");
    let done = bench
        .run(["forget", "--subject", "u1", "--reason", "asked to", "--yes", "--json", "--quiet"])
        .ends(0);
    let plan: serde_json::Value = serde_json::from_str(&done.err).unwrap();
    assert_eq!(plan["plan"]["forget"], json!([one, two]), "never without it");
    assert_eq!(done.object()["scope_step"], json!(null));
    for id in [&one, &two] {
        let forgotten = bench.get(id, &[]);
        assert_eq!(forgotten["status"], "forgotten");
        assert_eq!(forgotten.get("text"), None);
        assert!(forgotten["forgotten_at_seq"].is_u64(), "{forgotten}");
    }
    // No ordinary read shows the words, history included; the raw record has them.
    for way in [&[][..], &["--from-archive"]] {
        for verb in [&["list", "--include-history"][..], &["blame", &one], &["history", &one]] {
            let ran = bench.run([verb, way].concat()).ends(0).shows(&["forg"]);
            assert!(!ran.out.contains("u1 likes tea"), "{verb:?}: {ran:?}");
            let ran = bench.run([verb, way, &["--json"]].concat()).ends(0);
            assert!(!ran.out.contains("u1 likes tea"), "{verb:?}: {ran:?}");
        }
    }
    let written = bench.get(&one, &[])["seq"].to_string();
    bench.run(["show", &written]).ends(0).shows(&["u1 likes tea"]);
    assert_eq!(bench.ids(&[]), [three.as_str()]);
    bench.run(["forget", "--subject", "u1", "--reason", "x", "--yes"]).fails(1, &["u1"]);
    bench.run(["forget", &three, "--reason", "noise", "--yes"]).ends(0);
    bench.run(["forget", &three, "--reason", "noise", "--yes"]).fails(6, &["forgotten"]);
    bench.run(["forget", &three, "--reason", " ", "--yes"]).fails(2, &["reason"]);
}

#[test]
fn what_takes_weight_says_why() {
    let bench = Bench::new();
    let id = bench.write("Something", &[]);
    for verb in ["close", "pushdown", "forget"] {
        bench.run([verb, &id]).fails(2, &["--reason"]);
        bench.run([verb, &id, "--reason", ""]).fails(2, &["reason"]);
    }
    bench.run(["demote", &id, "--trust", "draft"]).fails(2, &["reason"]);
}
