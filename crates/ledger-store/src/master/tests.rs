//! Tests of the sources of the master key and of its file.

use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::*;
use crate::Class;

const LEDGER: LedgerId = LedgerId([0xB3; 16]);
const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eFF";

fn env(dir: &TempDir) -> MasterEnv {
    MasterEnv { home: Some(dir.path().into()), ..MasterEnv::default() }
}

fn temp() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn key_file(dir: &TempDir, text: &str, mode: u32) -> PathBuf {
    let path = dir.path().join("a.key");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    path
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn refusal(env: &MasterEnv) -> String {
    let error = MasterKey::load(env, &LEDGER).unwrap_err();
    assert_eq!(error.class(), Class::CannotCheck, "{error}");
    let made = MasterKey::create(env, &LEDGER).unwrap_err();
    assert_eq!(error.to_string(), made.to_string());
    error.to_string()
}

#[test]
fn the_default_file_is_made_for_its_owner_alone_and_found_again() {
    let dir = temp();
    let env = env(&dir);
    assert!(MasterKey::load(&env, &LEDGER).unwrap().is_none());
    let (made, place) = MasterKey::create(&env, &LEDGER).unwrap();
    let path = dir.path().join(".local/share/memledger/keys").join(format!("{LEDGER}.key"));
    assert_eq!(place, MasterLocation::DefaultFile(path.clone()));
    assert_eq!(place.to_string(), path.display().to_string());
    let (found, place_found) = MasterKey::load(&env, &LEDGER).unwrap().unwrap();
    assert_eq!((found.bytes(), place_found), (made.bytes(), place));
    assert_eq!(mode(&path), 0o600);
    for below in [".local/share/memledger/keys", ".local/share/memledger", ".local"] {
        assert_eq!(mode(&dir.path().join(below)), 0o700, "{below}");
    }
    assert_eq!(std::fs::read(&path).unwrap().len(), 65);
    // Never overwritten.
    assert!(MasterKey::create(&env, &LEDGER).is_err());
    assert_eq!(MasterKey::load(&env, &LEDGER).unwrap().unwrap().0.bytes(), made.bytes());
}

#[test]
fn two_keys_differ() {
    let (one, two) = (MasterKey::generate().unwrap(), MasterKey::generate().unwrap());
    assert_ne!(one.bytes(), two.bytes());
    assert_ne!(one.check(&LEDGER), two.check(&LEDGER));
}

#[test]
fn the_directory_variables_are_asked_in_their_order() {
    let dir = temp();
    let at = |name: &str| Some(dir.path().join(name));
    let mut env = MasterEnv {
        home: at("h"),
        xdg_data_home: at("x"),
        key_dir: at("k"),
        ..MasterEnv::default()
    };
    let file = format!("{LEDGER}.key");
    assert_eq!(env.default_file(&LEDGER).unwrap(), dir.path().join("k").join(&file));
    env.key_dir = None;
    assert_eq!(env.default_file(&LEDGER).unwrap(), dir.path().join("x/memledger/keys").join(&file));
    env.xdg_data_home = None;
    let in_home = dir.path().join("h/.local/share/memledger/keys").join(&file);
    assert_eq!(env.default_file(&LEDGER).unwrap(), in_home);
    env.home = None;
    assert!(refusal(&env).contains("set MEMLEDGER_KEY_DIR"));
    env.key_dir = Some("keys".into());
    assert!(refusal(&env).contains("not an absolute path"));
}

#[test]
fn the_first_source_that_is_set_decides() {
    let dir = temp();
    let file = key_file(&dir, &"ab".repeat(32), 0o600);
    let mut env = MasterEnv {
        key: Some(Zeroizing::new(HEX.as_bytes().to_vec())),
        key_file: Some(file.clone()),
        key_command: Some(format!("printf '%s' {}", "cd".repeat(32)).into()),
        ..env(&dir)
    };
    let load = |env: &MasterEnv| MasterKey::load(env, &LEDGER).unwrap().unwrap();
    let (key, place) = load(&env);
    assert_eq!((key.bytes()[1], key.bytes()[31], place), (1, 0xFF, MasterLocation::Variable));
    env.key = None;
    let (key, place) = load(&env);
    assert_eq!((key.bytes(), place), (&[0xAB; 32], MasterLocation::NamedFile(file)));
    env.key_file = None;
    let (key, place) = load(&env);
    assert_eq!((key.bytes(), place), (&[0xCD; 32], MasterLocation::Command));
    let (made, place) = MasterKey::create(&env, &LEDGER).unwrap();
    assert_eq!((made.bytes(), place), (&[0xCD; 32], MasterLocation::Command));
    env.key_command = None;
    assert!(MasterKey::load(&env, &LEDGER).unwrap().is_none());
}

#[test]
fn bad_content_is_an_error_and_no_reason_to_ask_the_next_source() {
    let dir = temp();
    MasterKey::create(&env(&dir), &LEDGER).unwrap();
    let long = format!("{HEX}00");
    let short = HEX.replace("FF", "F");
    let other = HEX.replace("FF", "GG");
    let prefixed = HEX.replacen("00", "0x", 1);
    for text in ["", "abc", "xyz", &short, &long, &other, &prefixed] {
        let key = Some(Zeroizing::new(text.as_bytes().to_vec()));
        assert!(refusal(&MasterEnv { key, ..env(&dir) }).starts_with(VAR_KEY), "{text}");
        let file = key_file(&dir, text, 0o600);
        let named = MasterEnv { key_file: Some(file), ..env(&dir) };
        assert!(refusal(&named).contains("64 hex digits"), "{text}");
        let command = format!("printf '%s' '{text}'");
        let command = MasterEnv { key_command: Some(command.into()), ..env(&dir) };
        assert!(refusal(&command).starts_with(VAR_COMMAND), "{text}");
    }
    let missing = MasterEnv { key_file: Some(dir.path().join("none")), ..env(&dir) };
    assert!(refusal(&missing).contains("cannot be read"));
}

#[test]
fn a_command_that_fails_or_prints_too_much_is_refused() {
    let dir = temp();
    let with = |line: &str| MasterEnv { key_command: Some(line.into()), ..env(&dir) };
    let failing = refusal(&with(&format!("printf '%s' {HEX}; exit 3")));
    assert!(failing.contains("the command failed"), "{failing}");
    assert!(refusal(&with("no-such-program-here 2>/dev/null")).contains("failed"));
    assert!(MasterKey::load(&with("yes"), &LEDGER).is_err());
    let asks = "read line && exit 9; printf '%s' ".to_owned() + HEX;
    assert!(MasterKey::load(&with(&asks), &LEDGER).unwrap().is_some());
}

#[test]
fn a_key_file_that_others_may_read_is_refused() {
    let dir = temp();
    for bad in [0o640, 0o604, 0o660, 0o644, 0o620] {
        let file = key_file(&dir, HEX, bad);
        let text = refusal(&MasterEnv { key_file: Some(file.clone()), ..env(&dir) });
        assert!(text.contains(&format!("chmod 600 '{}'", file.display())), "{text}");
    }
    for good in [0o600, 0o400] {
        let file = key_file(&dir, &format!("  {HEX}\n"), good);
        let env = MasterEnv { key_file: Some(file.clone()), ..env(&dir) };
        assert!(MasterKey::load(&env, &LEDGER).unwrap().is_some());
        std::fs::remove_file(file).unwrap();
    }
    let env = env(&dir);
    let (_, place) = MasterKey::create(&env, &LEDGER).unwrap();
    let MasterLocation::DefaultFile(path) = place else { panic!("{place:?}") };
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(MasterKey::load(&env, &LEDGER).is_err());
}

#[test]
fn what_is_no_regular_file_is_refused() {
    let dir = temp();
    let with = |path: PathBuf| MasterEnv { key_file: Some(path), ..env(&dir) };
    let link = dir.path().join("link");
    symlink("/dev/zero", &link).unwrap();
    assert!(refusal(&with(link)).contains("not a regular file"));
    assert!(refusal(&with(dir.path().into())).contains("not a regular file"));
}

#[test]
fn a_key_directory_that_others_may_write_to_is_refused() {
    let dir = temp();
    let keys = dir.path().join("keys");
    std::fs::create_dir(&keys).unwrap();
    let open_to_all = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(&keys, open_to_all).unwrap();
    let env = MasterEnv { key_dir: Some(keys.clone()), ..MasterEnv::default() };
    let text = MasterKey::create(&env, &LEDGER).unwrap_err().to_string();
    assert!(text.contains("chmod 700"), "{text}");
    assert_eq!(std::fs::read_dir(&keys).unwrap().count(), 0);
}

#[test]
fn nothing_that_is_printed_holds_the_key() {
    let env =
        MasterEnv { key: Some(Zeroizing::new(HEX.as_bytes().to_vec())), ..MasterEnv::default() };
    let (key, _) = MasterKey::load(&env, &LEDGER).unwrap().unwrap();
    assert_eq!(format!("{key:?}"), "MasterKey(..)");
    assert!(!format!("{env:?}").contains(HEX));
    assert!(!format!("{env:?}").contains("48, 48"));
}
