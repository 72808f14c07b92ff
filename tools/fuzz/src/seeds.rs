//! Owns the committed inputs: a folder per target, `seeds/NAME/`, one file per input. An input that
//! once failed is put there too and stays.

use std::fs;
use std::path::PathBuf;

use crate::Target;

/// The folder of a target's seeds.
#[must_use]
pub fn folder(target: &Target) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target.name)
}

/// The seeds of a target with their file names, in the order of the names.
///
/// # Errors
/// When the folder is missing or a file cannot be read.
pub fn read(target: &Target) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut seeds = Vec::new();
    for entry in fs::read_dir(folder(target))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        seeds.push((name, fs::read(entry.path())?));
    }
    seeds.sort_unstable();
    Ok(seeds)
}
