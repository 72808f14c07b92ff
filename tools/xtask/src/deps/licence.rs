//! SPDX licence expressions: `OR`, `AND`, `WITH`, parentheses, and the old `/` for `OR`.

/// Whether `expression` can be satisfied with allowed licences alone.
pub(crate) fn allowed(expression: &str, allow: &[&str]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, at: 0, allow };
    let answer = reader.either();
    answer && reader.at == words.len()
}

struct Reader<'a> {
    words: &'a [&'a str],
    at: usize,
    allow: &'a [&'a str],
}

impl Reader<'_> {
    fn next_is(&mut self, word: &str) -> bool {
        let found = self.words.get(self.at).is_some_and(|next| next.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }

    fn either(&mut self) -> bool {
        let mut answer = self.both();
        while self.next_is("OR") {
            answer |= self.both();
        }
        answer
    }

    fn both(&mut self) -> bool {
        let mut answer = self.one();
        while self.next_is("AND") {
            answer &= self.one();
        }
        answer
    }

    fn one(&mut self) -> bool {
        if self.next_is("(") {
            let answer = self.either();
            return self.next_is(")") && answer;
        }
        let Some(name) = self.words.get(self.at).copied() else {
            return false;
        };
        self.at += 1;
        if !self.next_is("WITH") {
            return self.allow.contains(&name);
        }
        let exception = self.words.get(self.at).copied().unwrap_or("");
        self.at += 1;
        let whole = format!("{name} WITH {exception}");
        self.allow.contains(&whole.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOW: &[&str] = &["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"];

    #[test]
    fn one_allowed_choice_is_enough() {
        for expression in
            ["MIT", "GPL-3.0 OR MIT", "MIT/GPL-3.0", "(GPL-3.0 AND X) OR (MIT AND Zlib)"]
        {
            assert!(allowed(expression, ALLOW), "{expression}");
        }
        assert!(allowed("Apache-2.0 WITH LLVM-exception", ALLOW));
    }

    #[test]
    fn all_of_a_conjunction_must_be_allowed() {
        for expression in
            ["GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0", "MIT WITH other", "", "(MIT", "MIT Zlib"]
        {
            assert!(!allowed(expression, ALLOW), "{expression}");
        }
    }
}
