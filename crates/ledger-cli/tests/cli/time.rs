//! What was known when, what held when, and how a time is read.

use std::thread::sleep;
use std::time::Duration;

use serde_json::json;

use crate::bench::Bench;

#[test]
fn as_of_a_record_an_instant_and_a_size() {
    let bench = Bench::new();
    let first = bench.write("first", &[]);
    let seq = bench.get(&first, &[])["seq"].as_u64().unwrap();
    let instant = bench.get(&first, &[])["recorded_at"].as_str().unwrap().to_owned();
    sleep(Duration::from_millis(5));
    let second = bench.write("second", &[]);
    assert_eq!(bench.ids(&[]), [first.as_str(), &second]);
    for then in [format!("#{seq}"), instant, format!("size:{}", seq + 1)] {
        assert_eq!(bench.ids(&["--as-of", &then]), [first.as_str()], "{then}");
        assert_eq!(bench.ids(&["--as-of", &then, "--from-archive"]), [first.as_str()], "{then}");
        let text = bench.run(["list", "--as-of", &then]).ends(0).out;
        assert!(text.starts_with("known at "), "{text}");
        assert!(text.lines().next().unwrap().contains(&format!(" · seq {seq} · head ")), "{text}");
    }
    assert_eq!(bench.ids(&["--as-of", "head"]).len(), 2);
    bench.run(["get", &second, "--as-of", &format!("#{seq}")]).fails(1, &["no memory"]);
    bench.run(["list", "--as-of", "#999"]).fails(1, &["no record 999"]);
}

#[test]
fn before_anything_was_known() {
    let bench = Bench::in_zone("America/Vancouver");
    bench.write("late", &[]);
    let ran =
        bench.run(["list", "--as-of", "2020-03-03"]).fails(1, &["nothing was recorded by then"]);
    assert!(
        ran.out
            .starts_with("known before 2020-03-04T08:00:00Z (2020-03-03, America/Vancouver, tz "),
        "{ran:?}"
    );
    let ran = bench.run(["list", "--as-of", "2020-03-03", "--json", "--tz", "UTC"]).ends(1);
    assert_eq!(ran.out, "");
    let object: serde_json::Value = serde_json::from_str(ran.err.trim()).unwrap();
    assert_eq!(object["basis"]["known_at"], "2020-03-03T23:59:59.999999Z");
    assert_eq!(object["basis"]["zone"], "UTC");
    assert_eq!(object["basis"]["seq"], json!(null));
}

#[test]
fn every_read_answer_names_its_basis() {
    let bench = Bench::new();
    let id = bench.write("x", &[]);
    let seq = bench.get(&id, &[])["seq"].to_string();
    let range = format!("#{}..head", seq.parse::<u64>().unwrap() - 1);
    for args in [
        vec!["get", &id],
        vec!["list"],
        vec!["history", &id],
        vec!["blame", &id],
        vec!["log", "-n", "1"],
        vec!["show", &seq],
    ] {
        let mut args = args;
        args.push("--json");
        let basis = bench.run(&args).ends(0).objects()[0]["basis"].clone();
        for name in ["known_at", "valid_at", "seq", "head", "zone"] {
            assert!(!basis[name].is_null(), "{name} in {args:?}: {basis}");
        }
        args.extend(["--as-of", "head"]);
        args.retain(|arg| *arg != "--json");
        let text = bench.run(&args).ends(0).out;
        assert!(text.starts_with("known at "), "{args:?}: {text}");
    }
    let both = bench.run(["diff", &range, "--json"]).ends(0).object()["basis"].clone();
    assert!(both["from"]["known_at"].is_string() && both["to"]["seq"].is_u64(), "{both}");
}

#[test]
fn a_day_of_a_diff_is_the_whole_day() {
    let bench = Bench::new();
    let id = bench.write("today", &[]);
    let day = bench.get(&id, &[])["recorded_at"].as_str().unwrap()[..10].to_owned();
    let text = bench.run(["diff", &format!("{day}..{day}")]).ends(0).out;
    assert!(text.contains("+  ") && text.contains("written"), "{text}");
    assert!(text.lines().take(2).all(|line| line.starts_with("known before ")), "{text}");
    bench.run(["diff", "2020-01-01..2020-12-31"]).fails(1, &["nothing changed"]);
    bench.run(["diff", "2020-01-01"]).fails(2, &["range"]);
    bench.run(["diff", "..head"]).fails(2, &["range"]);
    bench.run(["diff", "#0..head", "--as-of", "head"]).fails(2, &["--as-of"]);
    bench
        .run(["diff", "2020-01-01..today", "--valid", "--valid-at", "today"])
        .fails(2, &["--valid"]);
}

#[test]
fn dates_are_read_in_the_zone_and_years_far_away_are_kept() {
    let bench = Bench::in_zone("Europe/Paris");
    let from = |time: &str| {
        let id = bench.write(time, &["--valid-from", time]);
        bench.get(&id, &[])["valid_from"].clone()
    };
    assert_eq!(from("2026-03-03"), "2026-03-02T23:00:00Z");
    assert_eq!(from("2026-03-03T10:00"), "2026-03-03T09:00:00Z");
    assert_eq!(from("2026-03-03T10:00:00Z"), "2026-03-03T10:00:00Z");
    assert_eq!(from("2026-W10-2"), "2026-03-02T23:00:00Z");
    let utc = |time: &str| {
        let id = bench.write(time, &["--valid-from", time, "--tz", "UTC"]);
        bench.get(&id, &["--valid-at", "9999-12-31", "--tz", "UTC"])["valid_from"].clone()
    };
    assert_eq!(utc("0000-01-01"), "0000-01-01T00:00:00Z");
    assert_eq!(utc("-0044-03-15"), "-0044-03-15T00:00:00Z");
    assert_eq!(utc("9999-12-31"), "9999-12-31T00:00:00Z");
}

#[test]
fn times_that_are_none_are_refused_with_advice() {
    let bench = Bench::in_zone("Europe/Paris");
    for (time, advice) in [
        ("2016-12-31T23:59:60Z", "leap seconds"),
        ("10000-01-01", "supported years"),
        ("2026-02-30", "28 days"),
        ("2026-13-01", "month"),
        ("2026-03-29T02:30", "does not exist"),
        ("2026-10-25T02:30", "twice"),
        ("soon", "understood"),
        ("", "no time"),
    ] {
        bench.run(["write", "x", "--valid-from", time]).fails(2, &["--valid-from", advice]);
    }
    bench
        .run(["write", "x", "--valid-from", "2026-02-01", "--valid-until", "2026-01-01"])
        .fails(2, &["after"]);
    bench.run(["list", "--as-of", "last Tuesday-ish"]).fails(2, &["--as-of"]);
    bench.run(["list", "--tz", "Paris"]).fails(2, &["Europe/Paris"]);
    bench.run(["write", "x", "--ttl", "7 days"]).fails(2, &["--ttl"]);
    bench.run(["write", "x", "--ttl", "0d"]).fails(2, &["--ttl"]);
}

#[test]
fn a_lifetime_is_counted_from_now() {
    let bench = Bench::new();
    let id = bench.write("x", &["--ttl", "24h", "--review-by", "2030-01-01"]);
    let item = bench.get(&id, &[]);
    assert!(item["ttl"].as_str().unwrap() > item["recorded_at"].as_str().unwrap());
    assert_eq!(item["review_by"], "2030-01-01T00:00:00Z");
    let past = bench.write("y", &["--ttl", "2020-01-01"]);
    assert_eq!(bench.get(&past, &[])["status"], "expired");
}
