//! Every module of the product opens by saying what it owns.

use crate::report::Finding;

/// Folders whose `src` is held to it.
const FOLDERS: &[&str] = &["crates/", "ledger-format/", "tools/xtask/"];

pub(crate) fn check(path: &str, text: &str) -> Option<Finding> {
    let held = FOLDERS.iter().any(|folder| path.starts_with(folder)) && path.contains("/src/");
    let opening = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let opens = opening.strip_prefix("//!").is_some_and(|words| !words.trim().is_empty());
    (held && !opens).then(|| {
        let message = "open the file with a //! comment: what the module owns, its invariants, what it may not do";
        Finding::new(path, 1, "module-doc", message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_without_its_doc_is_found() {
        assert_eq!(check("crates/a/src/b.rs", "\n//! Owns b.\n"), None);
        assert!(check("crates/a/src/b.rs", "use b;\n//! Late.\n").is_some());
        assert!(check("ledger-format/src/b.rs", "//!\n// b\n").is_some());
        assert!(check("crates/a/src/b.rs", "").is_some());
    }

    #[test]
    fn tests_and_other_folders_are_free() {
        assert_eq!(check("crates/a/tests/b.rs", "use b;"), None);
        assert_eq!(check("replay-tests/src/b.rs", "use b;"), None);
    }
}
