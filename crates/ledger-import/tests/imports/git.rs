//! Git: the versions of one file.

use ledger_import::git::{GitOptions, import};
use ledger_import::{ImportReport, Progress};

use super::bench::{Bench, importer, isolated, scope};
use super::data::instant;
use super::repository::Repository;

fn run(bench: &Bench, repo: &Repository, path: &str) -> memledger::Result<ImportReport> {
    let options = GitOptions {
        repo: repo.0.clone(),
        path: path.to_owned(),
        scope: scope(),
        document: Some("policy".to_owned()),
        by: importer(),
        quarantine: bench.path("bad.ndjson"),
    };
    import(&bench.ledger, &options, &mut |_: Progress<'_>| {})
}

fn counts(report: &ImportReport) -> [u64; 4] {
    [report.appended, report.present, report.unchanged, report.refused]
}

/// The text in force at noon UTC of a day, and as known then.
fn texts(bench: &Bench, valid: u32, claim: Option<u32>) -> String {
    let at = |day: u32| instant(&format!("2026-01-{day:02}T12:00:00Z"));
    let views = bench.texts("policy", at(valid), claim.map(at), false);
    assert_eq!(bench.texts("policy", at(valid), claim.map(at), true), views, "views and archive");
    views.join("+")
}

#[test]
fn versions_become_revisions() {
    if !isolated("imports::git::versions_become_revisions") {
        return;
    }
    let bench = Bench::new();
    let repo = Repository::new(bench.path("repo"));
    repo.commit("docs/p.md", Some(b"A\r\n"), (1, 1), "first");
    repo.commit("docs/p.md", Some(b"B"), (3, 3), "second");
    repo.commit("other", Some(b"x"), (4, 4), "not about the file");
    repo.commit("docs/p.md", Some(b"A\r\n"), (5, 5), "back again");
    repo.commit("docs/p.md", None, (7, 7), "removed \"with\" reason");
    repo.commit("docs/p.md", Some(b"A\r\n"), (9, 9), "restored");
    repo.commit("docs/p.md", Some(b"L"), (2, 11), "authored earlier, recorded late");
    repo.commit("docs/p.md", Some(b"\xff\xfe\0"), (12, 12), "a binary");
    repo.commit("docs/p.md", Some(b"C"), (13, 13), "");
    let report = run(&bench, &repo, "docs/p.md").unwrap();
    assert_eq!(counts(&report), [7, 0, 0, 1], "{report:?}");
    assert!(report.notes[0].contains("renames are not followed"), "{:?}", report.notes);
    let timeline: Vec<String> = (1..15).map(|day| texts(&bench, day, None)).collect();
    let a = "A\r\n";
    assert_eq!(timeline, [a, "L", "B", "B", a, a, "", "", a, a, a, a, "C", "C"]);
    assert_eq!(texts(&bench, 2, Some(10)), a, "the late commit was not known yet");
    assert_eq!(texts(&bench, 2, Some(11)), "L");
    let kept = std::fs::read_to_string(report.quarantine.unwrap()).unwrap();
    assert!(kept.contains("\"raw\":\"//4A\""), "{kept}");

    let before = bench.records();
    assert_eq!(counts(&run(&bench, &repo, "./docs//p.md").unwrap()), [0, 7, 0, 1]);
    assert_eq!(bench.records(), before);
    repo.commit("docs/p.md", Some(b"D"), (20, 20), "next");
    // From a folder of the working directory and from a bare repository it is the same file.
    let below = Repository(repo.0.join("docs"));
    assert_eq!(counts(&run(&bench, &below, "docs/p.md").unwrap()), [1, 7, 0, 1]);
    let bare = Repository(repo.0.join(".git"));
    assert_eq!(counts(&run(&bench, &bare, "docs/p.md").unwrap()), [0, 8, 0, 1]);
    assert_eq!(texts(&bench, 21, None), "D");
}

/// A branch with earlier dates arrives after its main line was imported: both axes take it in.
#[test]
fn a_merged_branch_takes_its_place() {
    if !isolated("imports::git::a_merged_branch_takes_its_place") {
        return;
    }
    let bench = Bench::new();
    let repo = Repository::new(bench.path("repo"));
    repo.commit("p", Some(b"A"), (1, 1), "base");
    repo.git(&["checkout", "--quiet", "-b", "side"], None);
    repo.commit("p", Some(b"S"), (4, 4), "side");
    repo.git(&["checkout", "--quiet", "main"], None);
    repo.commit("p", Some(b"M"), (6, 6), "main");
    assert_eq!(run(&bench, &repo, "p").unwrap().appended, 2);
    assert_eq!((texts(&bench, 5, None), texts(&bench, 8, Some(5))), ("A".into(), "A".into()));
    repo.git(&["merge", "--quiet", "-s", "ours", "-m", "merge", "side"], Some((8, 8)));
    let report = run(&bench, &repo, "p").unwrap();
    // A merge that keeps one side shows that side alone, as git log does.
    assert_eq!(counts(&report), [0, 2, 0, 0], "{report:?}");
    repo.git(&["merge", "--quiet", "-s", "ours", "-m", "again", "--no-ff", "main"], Some((9, 9)));
    repo.commit("p", Some(b"S2"), (5, 5), "dates that run back");
    let report = run(&bench, &repo, "p").unwrap();
    assert_eq!(counts(&report), [1, 2, 0, 0], "{report:?}");
    let known =
        |claim: u32| -> Vec<String> { (1..9).map(|day| texts(&bench, day, Some(claim))).collect() };
    assert_eq!(known(4), ["A"; 8]);
    assert_eq!(known(5), ["A", "A", "A", "A", "S2", "S2", "S2", "S2"]);
    assert_eq!(known(7), ["A", "A", "A", "A", "S2", "M", "M", "M"]);
    let before = bench.records();
    assert_eq!(counts(&run(&bench, &repo, "p").unwrap()), [0, 3, 0, 0]);
    assert_eq!(bench.records(), before);
}

#[test]
fn names_and_configuration_are_data() {
    if !isolated("imports::git::names_and_configuration_are_data") {
        return;
    }
    let bench = Bench::new();
    let repo = Repository::new(bench.path("repo"));
    let name = ":(glob)*\n\"$(touch pwned)\" é";
    repo.commit(name, Some(b"A"), (1, 1), "$(touch pwned); `touch pwned`\u{1b}[31m");
    repo.commit("decoy", Some(b"x"), (2, 2), "decoy");
    let touched = repo.0.join("pwned");
    let script = format!("touch {}", touched.display());
    for (key, value) in [
        ("core.fsmonitor", script.as_str()),
        ("core.pager", &script),
        ("diff.external", &script),
        ("gpg.program", &script),
        ("log.showSignature", "true"),
        ("log.follow", "true"),
        ("core.hooksPath", "hooks"),
    ] {
        repo.git(&["config", key, value], None);
    }
    let report = run(&bench, &repo, name).unwrap();
    assert_eq!(counts(&report), [1, 0, 0, 0], "{report:?}");
    assert_eq!(texts(&bench, 2, None), "A");
    assert!(!touched.exists(), "a configured program was run");
}

#[test]
fn what_is_no_file_is_said() {
    if !isolated("imports::git::what_is_no_file_is_said") {
        return;
    }
    let bench = Bench::new();
    let repo = Repository::new(bench.path("repo"));
    let says = |path: &str, part: &str| {
        let error = run(&bench, &repo, path).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    says("p", "has no commit yet");
    repo.commit("docs/p", Some(b"A"), (1, 1), "one");
    std::os::unix::fs::symlink("docs/p", repo.0.join("link")).unwrap();
    repo.commit("docs/q", Some(b"B"), (2, 2), "two");
    says("DOCS/p", "was never in the history");
    says("docs", "is a folder");
    says("../p", "names no file");
    let report = run(&bench, &repo, "link").unwrap();
    assert_eq!(counts(&report), [0, 0, 0, 1]);
    assert!(std::fs::read_to_string(report.quarantine.unwrap()).unwrap().contains("symbolic link"));
    let nowhere = Repository(bench.path("."));
    let error = run(&bench, &nowhere, "p").unwrap_err().to_string();
    assert!(error.contains("no git repository"), "{error}");
}
