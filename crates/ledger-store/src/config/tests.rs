//! Tests of what `ledger.toml` may hold and what is refused.

use ledger_format::PayloadId;
use ledger_format::event::ledger::Limits;

use super::*;
use crate::Class;
use crate::storage::{Fault, FaultPlan, FsStorage, MemStorage, Survival};

fn genesis() -> Genesis {
    Genesis {
        ledger: LedgerId([0xA7; 16]),
        created_at: Micros(1_772_582_400_000_000),
        origin: "example.org/ledger \"one\" \\ \u{7} ü".into(),
        zone: "Europe/Berlin".into(),
        hash_suite: 1,
        payload_suite: 1,
        clock: 1,
        pepper: PayloadId(0),
        limits: Limits::V1,
    }
}

fn config() -> LedgerConfig {
    LedgerConfig::from_genesis(&genesis()).unwrap()
}

#[test]
fn what_is_written_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let storages: [&dyn Storage; 2] = [&MemStorage::new(), &FsStorage::open(dir.path()).unwrap()];
    for storage in storages {
        config().write(storage).unwrap();
        let read = LedgerConfig::read(storage).unwrap();
        assert_eq!(read, config());
        read.check(&genesis()).unwrap();
        assert_eq!(read_bytes(storage).unwrap(), config().render().as_bytes());
        // Written once.
        assert!(config().write(storage).is_err());
    }
}

#[test]
fn it_is_durable_once_written() {
    let storage = MemStorage::new();
    config().write(&storage).unwrap();
    assert_eq!(LedgerConfig::read(&storage.crash(Survival::Nothing)).unwrap(), config());
}

#[test]
fn each_differing_field_is_named() {
    type Change = fn(&mut LedgerConfig);
    let changes: [(&str, Change); 5] = [
        ("ledger", |config| config.ledger.0[3] ^= 1),
        ("origin", |config| config.origin.push('x')),
        ("zone", |config| config.zone = "UTC".into()),
        ("created_at_micros", |config| config.created_at.0 += 1),
        ("clock", |config| config.clock = ClockSource::Declared),
    ];
    for (field, change) in changes {
        let mut config = config();
        change(&mut config);
        let error = config.check(&genesis()).unwrap_err();
        assert!(error.to_string().starts_with(&format!("ledger.toml: {field} is ")), "{error}");
        assert_eq!(error.class(), Class::Damaged);
    }
}

#[test]
fn everything_but_the_written_form_is_refused_with_its_line() {
    let good = config().render();
    let lines = good.lines().count();
    let with = |line: &str| format!("{good}{line}\n");
    for (text, expected) in [
        (with("colour = 3"), format!("line {}: unknown key \"colour\"", lines + 1)),
        (with("zone = \"UTC\""), format!("line {}: zone is there twice", lines + 1)),
        (with("zone"), format!("line {}: neither a comment", lines + 1)),
        (with("[table]"), format!("line {}: neither a comment", lines + 1)),
        (
            good.replace("format = 1", "format = 2"),
            "version 2, which this program does not read".into(),
        ),
        (good.replace("format = 1\n", ""), "format is missing".into()),
        (good.replace("\"wall\"", "wall"), "the value of clock is not readable".into()),
        (good.replace("\"wall\"", "\"sun\""), "clock is neither".into()),
        (good.replace("\"wall\"", "\"wall\" # yes"), "the value of clock".into()),
        (good.replace("\"wall\"", "\"wall"), "the value of clock".into()),
        (good.replace("\"wall\"", "7"), "clock is not a text".into()),
        (good.replace("format = 1", "format = \"1\""), "format is not a number".into()),
        (good.replace("a7a7", "+7a7"), "ledger is no ledger id".into()),
        (good.replace("a7a7", "a7a"), "ledger is no ledger id".into()),
        (good.replace("\\u0007", "\\u00"), "the value of origin".into()),
        (good.replace("\\u0007", "\\n"), "the value of origin".into()),
        (String::new(), "format is missing".into()),
    ] {
        let error = LedgerConfig::parse(&text).unwrap_err().to_string();
        assert!(error.contains(&expected), "{error} does not say {expected}");
    }
}

#[test]
fn a_person_may_not_have_changed_white_space_unnoticed_but_it_is_read() {
    let text = config().render().replace(" = ", "=").replace('\n', "\r\n");
    assert_eq!(LedgerConfig::parse(&text).unwrap(), config());
    assert_ne!(text, config().render());
}

#[test]
fn bytes_that_are_no_text_and_files_that_are_too_long_are_refused() {
    let storage = MemStorage::new();
    config().write(&storage).unwrap();
    storage.edit(&CONFIG_FILE, |bytes| bytes[4] = 0xFF).unwrap();
    assert!(LedgerConfig::read(&storage).unwrap_err().to_string().contains("not a text"));
    storage.edit(&CONFIG_FILE, |bytes| bytes.resize(70_000, b'\n')).unwrap();
    assert!(LedgerConfig::read(&storage).unwrap_err().to_string().contains("too many"));
}

#[test]
fn a_cut_while_it_is_written_leaves_no_half_of_it() {
    let config = config();
    let whole = MemStorage::new();
    config.write(&whole).unwrap();
    assert!(config.write(&whole).is_err(), "a ledger is made once");
    for op in 0..whole.ops() {
        let storage = MemStorage::new();
        storage.set_fault(FaultPlan::at(op, Fault::StopInside { bytes: 20 }));
        let _ = config.write(&storage);
        for how in [Survival::Nothing, Survival::Everything, Survival::Seeded(op)] {
            let left = storage.crash(how);
            if left.contents(&CONFIG_FILE).is_some() {
                assert_eq!(LedgerConfig::read(&left).unwrap(), config, "{op} {how:?}");
            }
        }
    }
}
