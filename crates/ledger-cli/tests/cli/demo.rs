//! `demo`: it shows what it promises, leaves a ledger behind, and touches nothing else.

use crate::bench::Bench;

#[test]
fn the_demonstration_shows_the_past_and_finds_the_change() {
    let bench = Bench::empty();
    let ran = bench.run(["demo"]).ends(0);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines.len() <= 60, "two screens, not {} lines", lines.len());
    assert!(lines.iter().all(|line| line.chars().count() <= 240), "{}", ran.out);
    let after = |heading: &str| {
        let at = lines.iter().position(|line| line.contains(heading)).unwrap();
        lines[at + 1..].split(|line| line.is_empty()).next().unwrap().join("\n")
    };
    let march = after("list --as-of 2026-03-03");
    assert!(
        march.starts_with("known before 2026-03-04T00:00:00Z (2026-03-03, UTC, tz "),
        "{march}"
    );
    for known in ["with npm.", "within 90 days", "window seat", "gives the same answer"] {
        assert!(march.contains(known), "{known} in {march}");
    }
    assert!(!march.contains("pnpm") && !march.contains("30 days"), "not known yet: {march}");
    let became = after("diff 2026-03-04..head");
    for change in ["closed", "pushed_down", "forgotten", "with pnpm", "within 30 days"] {
        assert!(became.contains(change), "{change} in {became}");
    }
    assert!(!became.contains("window seat"), "what is forgotten is not shown: {became}");
    let verified = after("(memledger verify)");
    assert!(verified.starts_with("ok: ") && verified.contains("records 21 of 21"), "{verified}");
    let changed = after("on a copy");
    assert!(changed.contains("DAMAGED") && changed.contains("(record 16)"), "{changed}");
    let left: Vec<_> =
        std::fs::read_dir(bench.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("changed")), "{left:?}");
}

#[test]
fn what_it_says_to_try_works() {
    let bench = Bench::empty();
    let ran = bench.run(["demo", "a b"]).ends(0);
    let tries: Vec<&str> =
        ran.out.lines().filter_map(|line| line.strip_prefix("  memledger -C ")).collect();
    assert_eq!(tries.len(), 3, "{}", ran.out);
    let quoted = format!("'{}' ", bench.root().join("a b").display());
    let shows = [
        &["pnpm", "with npm."][..],
        &["push_down", "deleting the lock file"],
        &["90 days", "seq "],
    ];
    for (line, parts) in tries.iter().zip(shows) {
        let rest = line.strip_prefix(&quoted).unwrap();
        let args = ["-C", "a b"].into_iter().chain(rest.split(' '));
        let ran = bench.run(args).ends(0).shows(parts);
        assert!(!ran.out.contains("30 days"), "another rule then: {}", ran.out);
    }
    // The ledger goes by the machine's clock now, without being told to.
    bench.run(["-C", "a b", "write", "one more"]).ends(0);
    bench.run(["-C", "a b", "verify"]).ends(0);
    bench
        .run(["-C", "a b", "list", "--as-of", "2026-03-03"])
        .ends(0)
        .shows(&["90 days", "window seat"]);
}

#[test]
fn it_takes_no_directory_that_holds_something() {
    let bench = Bench::empty();
    let root = bench.root();
    std::fs::create_dir(root.join("full")).unwrap();
    std::fs::write(root.join("full/mine"), "mine").unwrap();
    std::fs::write(root.join("file"), "mine").unwrap();
    for taken in ["full", "file"] {
        bench
            .run(["demo", taken])
            .fails(2, &[taken, "not an empty directory", "memledger demo DIR"]);
    }
    assert_eq!(std::fs::read_to_string(root.join("full/mine")).unwrap(), "mine");
    bench.run(["demo", "--json"]).fails(2, &["no JSON form"]);
    // The place of the copy is somebody's: the demonstration stops, and leaves it alone.
    std::fs::create_dir(root.join("x.changed")).unwrap();
    std::fs::write(root.join("x.changed/mine"), "mine").unwrap();
    bench.run(["demo", "x"]).fails(2, &["x.changed"]);
    assert_eq!(std::fs::read_to_string(root.join("x.changed/mine")).unwrap(), "mine");
    std::fs::create_dir(root.join("empty")).unwrap();
    bench.run(["demo", "empty"]).ends(0);
}
