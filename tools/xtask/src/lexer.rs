//! Rust source as tokens, so that no rule is fooled by a comment or a string.
//!
//! Knows comments (nested), strings (raw, byte and C strings too), chars and lifetimes, and nothing of
//! grammar: numbers are words and operators are single characters. Never fails: what is not closed
//! ends with the file, for the compiler to complain about.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier, keyword or number.
    Word,
    /// One character of punctuation.
    Punct,
    /// A string; the token's text is what stands between the quotes.
    Text,
    /// A character or byte.
    Char,
    /// A lifetime or label, with its quote.
    Lifetime,
}

/// One token and the line it starts on, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    pub(crate) text: &'a str,
    pub(crate) line: usize,
}

impl Token<'_> {
    /// Whether this is the word or punctuation `text`; a string never is.
    pub(crate) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Punct) && self.text == text
    }
}

/// All tokens of `source`; comments and white space are dropped.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer { rest: source, line: 1, found: Vec::new() };
    while let Some(first) = lexer.rest.chars().next() {
        lexer.step(first);
    }
    lexer.found
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    found: Vec<Token<'a>>,
}

impl<'a> Lexer<'a> {
    fn step(&mut self, first: char) {
        let line = self.line;
        if first.is_whitespace() {
            self.take(first.len_utf8());
        } else if self.rest.starts_with("//") {
            self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
        } else if self.rest.starts_with("/*") {
            self.take(block_comment(self.rest));
        } else if let Some(literal) = literal(self.rest) {
            self.take(literal.open);
            let text = self.take(literal.inner);
            self.take(literal.close);
            self.found.push(Token { kind: literal.kind, text, line });
        } else if first == '\'' {
            let len = 1 + word(self.rest.get(1..).unwrap_or(""));
            let text = self.take(len);
            self.found.push(Token { kind: Kind::Lifetime, text, line });
        } else {
            let (kind, len) = match word(self.rest) {
                0 => (Kind::Punct, first.len_utf8()),
                len => (Kind::Word, len),
            };
            let text = self.take(len);
            self.found.push(Token { kind, text, line });
        }
    }

    /// Consumes `len` bytes, counting their lines.
    fn take(&mut self, len: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(len).unwrap_or((self.rest, ""));
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }
}

/// The byte lengths of a literal's opening, content and closing.
struct Literal {
    kind: Kind,
    open: usize,
    inner: usize,
    close: usize,
}

/// The literal that `source` starts with, if it starts with one.
fn literal(source: &str) -> Option<Literal> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|prefix| {
        let after = source.strip_prefix(prefix).unwrap_or("");
        after.starts_with(['"', '\'']) || (prefix.ends_with('r') && raw_open(after).is_some())
    })?;
    let after = source.get(prefix.len()..)?;
    if prefix.ends_with('r') {
        let open = raw_open(after)?;
        let closing = format!("\"{}", after.get(..open - 1)?);
        let body = after.get(open..)?;
        let inner = body.find(&closing).unwrap_or(body.len());
        return Some(Literal {
            kind: Kind::Text,
            open: prefix.len() + open,
            inner,
            close: closing.len(),
        });
    }
    let body = after.get(1..)?;
    let open = prefix.len() + 1;
    if after.starts_with('"') {
        return Some(Literal { kind: Kind::Text, open, inner: escaped(body, '"'), close: 1 });
    }
    let first = body.chars().next()?;
    let inner = if first == '\\' { escaped(body, '\'') } else { first.len_utf8() };
    let closed = first != '\'' && body.get(inner..)?.starts_with('\'');
    closed.then_some(Literal { kind: Kind::Char, open, inner, close: 1 })
}

/// The length of `#…#"`, the opening of a raw string after its letters.
fn raw_open(source: &str) -> Option<usize> {
    let hashes = source.len() - source.trim_start_matches('#').len();
    source.get(hashes..)?.starts_with('"').then_some(hashes + 1)
}

/// The length up to the first `quote` that no backslash escapes.
fn escaped(body: &str, quote: char) -> usize {
    let mut after_backslash = false;
    for (at, c) in body.char_indices() {
        if !after_backslash && c == quote {
            return at;
        }
        after_backslash = !after_backslash && c == '\\';
    }
    body.len()
}

/// The length of a block comment with the comments nested in it.
fn block_comment(source: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0_usize);
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of the word that `source` starts with, 0 if it starts with none.
fn word(source: &str) -> usize {
    source.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(source.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source).iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_vanish_and_their_lines_count() {
        let source = "a // { \" ' \n/* { /* nested } */ \n } */ b";
        let found = tokens(source);
        assert_eq!(
            found.iter().map(|t| (t.text, t.line)).collect::<Vec<_>>(),
            [("a", 1), ("b", 3)]
        );
    }

    #[test]
    fn strings_are_one_token_whatever_they_hold() {
        assert_eq!(texts(r#"x("a \" { b")"#), ["x", "(", r#"a \" { b"#, ")"]);
        assert_eq!(texts(r###"r#"a " { "# }"###), ["a \" { ", "}"]);
        assert_eq!(texts(r#"b"{" br"\" c"}""#), ["{", "\\", "}"]);
        assert_eq!(texts("\"two\nlines\" x"), ["two\nlines", "x"]);
        assert!(tokens("\"{\"").iter().all(|token| !token.is("{")));
    }

    #[test]
    fn chars_and_lifetimes_are_told_apart() {
        let kinds = |source| tokens(source).iter().map(|t| t.kind).collect::<Vec<_>>();
        assert_eq!(kinds("'{' b'}' '\\'' '\"' 'é'"), [Kind::Char; 5]);
        assert_eq!(kinds("<'a>"), [Kind::Punct, Kind::Lifetime, Kind::Punct]);
        assert_eq!(kinds("&'static str"), [Kind::Punct, Kind::Lifetime, Kind::Word]);
    }

    #[test]
    fn raw_identifiers_are_no_strings() {
        assert_eq!(texts("r#type + bar"), ["r", "#", "type", "+", "bar"]);
    }

    #[test]
    fn what_is_not_closed_ends_with_the_file() {
        assert_eq!(texts("a /* b"), ["a"]);
        assert_eq!(texts("a \"b"), ["a", "b"]);
        assert_eq!(texts("a r#\"b\""), ["a", "b\""]);
    }
}
