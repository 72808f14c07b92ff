//! What the tests of the format share. Each test binary uses its own part of it.
#![allow(dead_code)]

pub(crate) mod arb;
pub(crate) mod fixed;
pub(crate) mod fixup;
pub(crate) mod hex;
pub(crate) mod layout;
pub(crate) mod spec;
pub(crate) mod words;

use std::path::{Path, PathBuf};

/// A file of this crate.
pub(crate) fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// A text file of this crate.
pub(crate) fn read(relative: &str) -> String {
    let path = path(relative);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares a generated text with its file. With `MEMLEDGER_BLESS=1` the file is rewritten.
pub(crate) fn compare_or_bless(relative: &str, generated: &str) {
    if std::env::var_os("MEMLEDGER_BLESS").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(path(relative).parent().unwrap()).unwrap();
        std::fs::write(path(relative), generated).unwrap();
        return;
    }
    let stored = read(relative);
    let differs = stored.lines().zip(generated.lines()).position(|(a, b)| a != b);
    assert!(
        stored == generated,
        "{relative} differs from what the code makes (first at line {:?}); if the bytes were meant \
         to change, run with MEMLEDGER_BLESS=1 and look at the difference",
        differs.map(|at| at + 1)
    );
}
