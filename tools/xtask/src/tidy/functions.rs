//! No function is longer than a screen.

use crate::lexer::{Kind, Token, tokens};
use crate::report::Finding;
use crate::syntax::{close_of, head_end, starts};

/// Lines from `fn` to its closing brace, both counted.
const MAX_LINES: usize = 70;

pub(crate) fn check(path: &str, text: &str) -> Vec<Finding> {
    let all = tokens(text);
    let too_long = |at: usize| {
        let (name, line, lines) = function(&all, at)?;
        (lines > MAX_LINES).then(|| {
            let message = format!(
                "`{name}` has {lines} lines, at most {MAX_LINES}: move its steps into functions with names"
            );
            Finding::new(path, line, "function-size", message)
        })
    };
    (0..all.len()).filter_map(too_long).collect()
}

/// Name, first line and length of the function that starts at token `at`, if one with a body does.
fn function<'a>(all: &[Token<'a>], at: usize) -> Option<(&'a str, usize, usize)> {
    let keyword = all.get(at).filter(|token| token.is("fn"))?;
    let name = all.get(at + 1).filter(|token| token.kind == Kind::Word)?;
    let body = head_end(all, at).filter(|end| starts(all, *end, &["{"]))?;
    let last = all.get(close_of(all, body))?;
    Some((name.text, keyword.line, last.line - keyword.line + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function_of(lines: usize) -> String {
        let body = "    let brace = \"{ }}}\"; // }\n".repeat(lines - 2);
        format!("impl A {{\nfn name<T>(x: [u8; 4]) -> T {{\n{body}}}\n}}\n")
    }

    #[test]
    fn a_long_function_is_found_at_its_first_line() {
        assert_eq!(check("a.rs", &function_of(MAX_LINES)), []);
        let found = check("a.rs", &function_of(MAX_LINES + 1));
        let [finding] = found.as_slice() else { panic!("one finding: {found:?}") };
        assert_eq!(finding.line, 2);
        assert!(finding.message.starts_with("`name` has 71 lines"), "{finding}");
    }

    #[test]
    fn what_has_no_body_is_no_function() {
        let gap = "\n".repeat(MAX_LINES);
        let source = format!("type F = fn(u8);\ntrait A {{\nfn a();{gap}}}\n// fn b() {{{gap}\n");
        assert_eq!(check("a.rs", &source), []);
    }
}
