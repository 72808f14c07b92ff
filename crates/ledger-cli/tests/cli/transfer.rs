//! In and out.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::bench::Bench;

fn git(dir: &std::path::Path, args: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=maintainers", "-c", "user.email=maintainers@example.com"])
        .args(["-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"])
        .args(args)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_COMMITTER_DATE", "2026-02-01T00:00:00Z")
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
}

fn repository(bench: &Bench) -> PathBuf {
    let repo = bench.root().join("repo");
    fs::create_dir(&repo).unwrap();
    git(&repo, &["init", "-q"]);
    for day in 1..=2 {
        fs::write(repo.join("policy.md"), format!("Bags up to {}0 kg are free.\n", day)).unwrap();
        git(&repo, &["add", "."]);
        git(
            &repo,
            &["commit", "-q", "-m", "policy", "--date", &format!("2026-01-0{day}T00:00:00Z")],
        );
    }
    repo
}

/// The program finds git by the path of the test's own environment.
fn import(bench: &Bench, args: &[&str]) -> crate::bench::Ran {
    let mut command = bench.command();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).args(args);
    crate::bench::run(command, b"")
}

#[test]
fn a_file_of_a_repository_is_imported_once() {
    let bench = Bench::new();
    let repo = repository(&bench);
    let repo = repo.to_str().unwrap();
    let args = ["import", "git", repo, "policy.md", "--scope", "org/acme", "--json"];
    let first = import(&bench, &args).ends(0).object();
    assert_eq!(first["appended"], 2, "{first}");
    assert_eq!(first["refused"], 0);
    let again = import(&bench, &args).ends(0).object();
    assert_eq!((&again["appended"], &again["present"]), (&0.into(), &2.into()), "{again}");
    let ran = bench.run(["list", "--valid-at", "2026-01-01", "--json"]).ends(0).object();
    assert!(ran["text"].as_str().unwrap().contains("10 kg"), "{ran}");
    assert_eq!(ran["by"], "service:memledger-import");
    bench.run(["list"]).ends(0).shows(&["20 kg"]);
    import(&bench, &["import", "git", repo, "missing.md"]).fails(2, &["missing.md"]);
    import(&bench, &["import", "git", "nowhere", "policy.md"]).fails(2, &["nowhere"]);
}

#[test]
fn a_table_of_facts_is_imported_and_bad_rows_are_kept() {
    let bench = Bench::new();
    let file = bench.root().join("facts.tsv");
    fs::write(
        &file,
        "web\tuses\tnpm\t2026-01-12\t2026-06-01\nweb\tuses\nweb\tuses\tpnpm\t2026-06-02\t\n",
    )
    .unwrap();
    let args = ["import", "triples", file.to_str().unwrap(), "--trust", "verified"];
    let mut json = args.to_vec();
    json.push("--json");
    let report = bench.run(&json).ends(0).object();
    assert_eq!((&report["appended"], &report["refused"]), (&2.into(), &1.into()), "{report}");
    let kept =
        fs::read_to_string(bench.root().join(report["quarantine"].as_str().unwrap())).unwrap();
    assert!(kept.contains("columns"), "{kept}");
    bench.run(["list", "--valid-at", "2026-03-03"]).ends(0).shows(&["npm", "verified"]);
    bench.run(args).ends(0).shows(&["appended   0", "present    2", "import-quarantine.ndjson"]);
    bench.run(["import", "triples", "missing.tsv"]).fails(2, &["missing.tsv"]);
}

#[test]
fn a_folder_of_revisions_is_imported() {
    let bench = Bench::new();
    let dir = bench.root().join("fares");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("1.txt"), "The fare is 40.\n").unwrap();
    let header = "seq\tcommit\tauthor_date\tcommit_date\tbytes\tlines_added\tlines_removed\tsame_as_seq\tfile\tsubject";
    let row = "1\tabc\t2026-01-01T00:00:00Z\t2026-01-02T00:00:00Z\t16\t1\t0\t\t1.txt\tfirst";
    fs::write(dir.join("index.tsv"), format!("{header}\n{row}\n")).unwrap();
    let report = bench
        .run(["import", "history", dir.to_str().unwrap(), "--document", "fare rules", "--json"])
        .ends(0)
        .object();
    assert_eq!(report["appended"], 1, "{report}");
    bench.run(["list"]).ends(0).shows(&["The fare is 40."]);
    bench
        .run(["import", "history", bench.root().join("data").to_str().unwrap()])
        .fails(2, &["no history"]);
}

#[test]
fn a_ledger_is_carried_out_and_in_again() {
    let bench = Bench::new();
    let id =
        bench.write("carried \u{2028} along", &["--scope", "org/acme", "--by", "person:priya"]);
    let status = bench.run(["status", "--json"]).ends(0).object();
    let exported = bench.run(["export", "jsonl"]).ends(0);
    assert!(exported.err.contains("can read the content"), "{exported:?}");
    assert_eq!(exported.out.lines().count() as u64, status["size"].as_u64().unwrap() + 1);
    let file = bench.root().join("ledger.jsonl");
    fs::write(&file, &exported.out).unwrap();
    let copy = bench.root().join("copy");
    let copy = copy.to_str().unwrap();
    let carried = bench
        .run(["-C", copy, "import", "jsonl", file.to_str().unwrap(), "--json"])
        .ends(0)
        .object();
    assert_eq!(carried["appended"], status["size"]);
    let copied = bench.run(["-C", copy, "status", "--json"]).ends(0).object();
    assert_eq!((&copied["head"], &copied["root"]), (&status["head"], &status["root"]));
    assert_eq!(bench.get(&id, &["-C", copy])["text"], "carried \u{2028} along");
    bench.run(["-C", copy, "verify"]).ends(0);

    let more = bench.write("one more", &[]);
    let all = bench.run(["export", "jsonl"]).ends(0).out;
    let again = bench
        .run_with(["-C", copy, "import", "jsonl", "-", "--json"], all.as_bytes())
        .ends(0)
        .object();
    assert_eq!(again["present"], status["size"], "{again}");
    assert_eq!(bench.get(&more, &["-C", copy])["text"], "one more");

    bench.run(["-C", copy, "write", "its own way"]).ends(0);
    // Two histories under one id: the one that was seen last is the one that counts.
    bench.run(["write", "another way"]).fails(3, &["rollback"]);
    bench.write("another way", &["--accept-head"]);
    let forked = bench.run(["export", "jsonl"]).ends(0).out;
    bench
        .run_with(["-C", copy, "import", "jsonl", "-"], forked.as_bytes())
        .fails(6, &["part there"]);
    bench.run(["-C", copy, "verify"]).fails(3, &[]).shows(&["a fork"]);
    bench.run(["-C", copy, "verify", "--accept-head"]).ends(0);
}

#[test]
fn a_broken_or_sealed_export_is_refused() {
    let bench = Bench::new();
    bench.write("secret words", &[]);
    let sealed = bench.run(["export", "jsonl", "--sealed"]).ends(0);
    assert!(sealed.err.contains("sealed"), "{sealed:?}");
    let new = bench.root().join("new");
    let new = new.to_str().unwrap();
    let import = ["-C", new, "import", "jsonl", "-"];
    bench.run_with(import, sealed.out.as_bytes()).fails(2, &["sealed"]);
    let whole = bench.run(["export", "jsonl", "--quiet"]).ends(0);
    assert_eq!(whole.err, "");
    let cut = whole.out.lines().count() - 1;
    let short: String = whole.out.lines().take(cut).map(|line| format!("{line}\n")).collect();
    bench.run_with(import, short.as_bytes()).fails(2, &["early"]);
    bench.run_with(import, b"{}\n").fails(2, &["stdin:1"]);
    bench.run_with(import, b"").fails(2, &["empty"]);
    bench.run(["-C", new, "import", "jsonl", "missing.jsonl"]).fails(2, &["missing.jsonl"]);
}

#[test]
fn without_the_master_key_nothing_leaves_that_could_pass_for_a_backup() {
    let bench = Bench::new();
    bench.write("x", &[]);
    let elsewhere = bench.root().join("elsewhere");
    let export = |flags: &[&str]| {
        let mut command = bench.command();
        command.args(["export", "jsonl"]).args(flags).env("XDG_DATA_HOME", &elsewhere);
        command.output().unwrap().status.code()
    };
    assert_eq!(export(&[]), Some(4));
    assert_eq!(export(&["--sealed"]), Some(0));
}

#[test]
fn an_import_that_stops_says_that_a_part_is_there_and_goes_on_with_the_whole() {
    let bench = Bench::new();
    bench.write("x", &[]);
    bench.write("y", &[]);
    let all = bench.run(["export", "jsonl"]).ends(0).out;
    let lines: Vec<&str> = all.lines().collect();
    let cut = lines[..lines.len() - 1].join("\n") + "\n";
    let new = Bench::empty();
    let into = ["-C", "copy", "import", "jsonl", "-"];
    new.run_with(into, cut.as_bytes()).fails(2, &["1 records early", "those of a part", "copy"]);
    new.run_with(into, all.as_bytes()).ends(0);
    assert_eq!(new.run(["-C", "copy", "export", "jsonl"]).ends(0).out, all);
}
