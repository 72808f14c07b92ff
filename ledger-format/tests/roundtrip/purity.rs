//! The crate can touch nothing but bytes.

use std::path::Path;

use crate::support::{path, read};

#[test]
fn the_crate_is_no_std() {
    let lib = read("src/lib.rs");
    assert!(lib.lines().any(|line| line == "#![no_std]"));
}

#[test]
fn no_module_brings_std_back() {
    let mut seen = 0;
    each_source(&path("src"), &mut |file, text| {
        seen += 1;
        for word in ["extern crate std", "std::", "f32", "f64"] {
            // `core::` and names that end in "std" are fine.
            let found = text.match_indices(word).any(|(at, _)| {
                !text[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_')
            });
            assert!(!found, "{} holds {word}", file.display());
        }
    });
    assert!(seen > 20, "{seen} source files were read");
}

#[test]
fn one_module_calls_bincode() {
    each_source(&path("src"), &mut |file, text| {
        let calls = ["bincode::config", "encode_to_vec", "decode_from_slice"];
        let found = calls.iter().any(|call| text.contains(call));
        assert_eq!(found, file.ends_with("src/codec.rs"), "{}", file.display());
    });
}

fn each_source(folder: &Path, check: &mut dyn FnMut(&Path, &str)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        if file.is_dir() {
            each_source(&file, check);
        } else {
            check(&file, &std::fs::read_to_string(&file).unwrap());
        }
    }
}
