//! No source file is longer than can be read in one sitting.

use crate::lexer::tokens;
use crate::report::Finding;
use crate::syntax::test_items;

/// Lines a file may have, not counting the test modules at its end.
const MAX_LINES: usize = 700;

pub(crate) fn check(path: &str, text: &str) -> Option<Finding> {
    let lines = lines_without_tests(text);
    (lines > MAX_LINES).then(|| {
        let message = format!(
            "{lines} lines without its tests, at most {MAX_LINES}: split it into files about one thing each"
        );
        Finding::new(path, MAX_LINES + 1, "file-size", message)
    })
}

/// The lines before the `#[cfg(test)] mod … { … }` blocks that end the file.
fn lines_without_tests(text: &str) -> usize {
    let all = tokens(text);
    let mut end = all.len();
    for tests in test_items(&all).into_iter().rev() {
        let is_module = all.get(tests.clone()).is_some_and(|item| item.iter().any(|t| t.is("mod")));
        if tests.end != end || !is_module {
            break;
        }
        end = tests.start;
    }
    all.get(end).map_or_else(|| text.lines().count(), |first_test| first_test.line - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_found_and_its_tests_are_free() {
        let code = "fn a() {}\n".repeat(MAX_LINES);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{code}}}\n");
        assert_eq!(check("a.rs", &code), None);
        assert_eq!(check("a.rs", &format!("{code}{tests}")), None);
        let found =
            check("a.rs", &format!("{code}fn b() {{}}\n{tests}")).expect("one line too many");
        assert!(found.message.starts_with("701 lines"), "{found}");
    }

    #[test]
    fn tests_in_the_middle_count() {
        let tests = "#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(lines_without_tests(&format!("{tests}fn a() {{}}\n")), 4);
        assert_eq!(lines_without_tests(&format!("fn a() {{}}\n{tests}{tests}")), 1);
    }
}
