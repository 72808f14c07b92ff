//! Owns how wide text is on a terminal and where it may be cut, for the columns that people read.
//!
//! An approximation of Unicode TR29 and TR11 that errs on the safe side: it never cuts inside a
//! cluster of the common kinds (combining marks, joined emoji, flags, syllable blocks, Indic
//! vowels), and it makes control and direction characters visible. May not: be used for `--json`.

/// `text` as one line: control and direction characters become visible, and it ends with `…` where
/// it is cut to `columns`.
pub(crate) fn one_line(text: &str, columns: usize) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let blank = first.is_empty() && !text.is_empty();
    let more = blank || text.trim_end().len() > first.len();
    let shown = visible(first.trim_end());
    if !more && width(&shown) <= columns {
        return shown;
    }
    let mut cut = String::new();
    let mut used = 0;
    for cluster in clusters(&shown) {
        let wide = width(cluster);
        if used + wide + 1 > columns {
            break;
        }
        used += wide;
        cut.push_str(cluster);
    }
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

/// `text` filled with spaces to `columns`.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    let mut text = text.to_owned();
    text.extend(std::iter::repeat_n(' ', missing));
    text
}

/// Control characters and those that change the direction of what follows, made visible: a
/// memory must not be able to act on the terminal or to disguise the line it stands in.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => shown.push(' '),
            _ if c.is_control() || is_direction(c) || is_separator(c) => {
                shown.extend(c.escape_unicode());
            }
            _ => shown.push(c),
        }
    }
    shown
}

const fn is_direction(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{061C}')
}

const fn is_separator(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}')
}

/// Columns that `text` takes.
pub(crate) fn width(text: &str) -> usize {
    clusters(text).map(|cluster| cluster.chars().map(columns).max().unwrap_or(0)).sum()
}

/// The parts of `text` that may not be cut apart.
fn clusters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = cluster_end(rest);
        let (cluster, after) = rest.split_at_checked(end)?;
        rest = after;
        (!cluster.is_empty()).then_some(cluster)
    })
}

fn cluster_end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let Some((_, first)) = chars.next() else {
        return 0;
    };
    let mut before = first;
    let mut flags = usize::from(is_flag(first));
    while let Some((at, c)) = chars.peek().copied() {
        let second_flag = flags == 1 && is_flag(c);
        let joined = is_extending(c) || joins_next(before) || second_flag || in_syllable(before, c);
        if !joined {
            return at;
        }
        flags += usize::from(second_flag);
        before = c;
        chars.next();
    }
    text.len()
}

/// Characters that take the next one along: the joiner, signs that make a conjunct of two
/// consonants, and marks that stand before what they mark.
const fn joins_next(c: char) -> bool {
    matches!(
        c,
        '\u{200D}'
            | '\u{094D}'
            | '\u{09CD}'
            | '\u{0ACD}'
            | '\u{0B4D}'
            | '\u{0C4D}'
            | '\u{0D4D}'
            | '\u{1039}'
            | '\u{17D2}'
            | '\u{0600}'..='\u{0605}' | '\u{06DD}' | '\u{070F}' | '\u{08E2}' | '\u{0D4E}'
    )
}

const fn is_flag(c: char) -> bool {
    matches!(c, '\u{1F1E6}'..='\u{1F1FF}')
}

/// Jamo that are put together to one block.
const fn in_syllable(before: char, c: char) -> bool {
    match c {
        '\u{1100}'..='\u{115F}' | '\u{AC00}'..='\u{D7A3}' => {
            matches!(before, '\u{1100}'..='\u{115F}')
        }
        '\u{1160}'..='\u{11A7}' | '\u{D7B0}'..='\u{D7C6}' => {
            matches!(before, '\u{1100}'..='\u{11A7}' | '\u{AC00}'..='\u{D7A3}')
        }
        '\u{11A8}'..='\u{11FF}' | '\u{D7CB}'..='\u{D7FB}' => {
            matches!(before, '\u{1160}'..='\u{11FF}' | '\u{AC00}'..='\u{D7A3}')
        }
        _ => false,
    }
}

/// Characters that belong to the one before: marks, joiners, variation selectors, skin tones.
const fn is_extending(c: char) -> bool {
    matches!(c,
        '\u{0300}'..='\u{036F}' | '\u{0483}'..='\u{0489}' | '\u{0591}'..='\u{05BD}'
        | '\u{05BF}' | '\u{05C1}' | '\u{05C2}' | '\u{05C4}' | '\u{05C5}' | '\u{05C7}'
        | '\u{0610}'..='\u{061A}' | '\u{064B}'..='\u{065F}' | '\u{0670}'
        | '\u{06D6}'..='\u{06DC}' | '\u{06DF}'..='\u{06E4}' | '\u{06E7}' | '\u{06E8}'
        | '\u{06EA}'..='\u{06ED}' | '\u{0711}' | '\u{0730}'..='\u{074A}'
        | '\u{0900}'..='\u{0903}' | '\u{093A}'..='\u{093C}' | '\u{093E}'..='\u{094F}'
        | '\u{0951}'..='\u{0957}' | '\u{0962}' | '\u{0963}' | '\u{0981}'..='\u{0983}'
        | '\u{09BC}' | '\u{09BE}'..='\u{09CD}' | '\u{09D7}' | '\u{0A01}'..='\u{0A03}'
        | '\u{0A3C}'..='\u{0A51}' | '\u{0A70}' | '\u{0A71}' | '\u{0A81}'..='\u{0A83}'
        | '\u{0ABC}' | '\u{0ABE}'..='\u{0ACD}' | '\u{0B01}'..='\u{0B03}' | '\u{0B3C}'
        | '\u{0B3E}'..='\u{0B57}' | '\u{0B82}' | '\u{0BBE}'..='\u{0BCD}' | '\u{0BD7}'
        | '\u{0C00}'..='\u{0C04}' | '\u{0C3C}' | '\u{0C3E}'..='\u{0C56}'
        | '\u{0C81}'..='\u{0C83}' | '\u{0CBC}' | '\u{0CBE}'..='\u{0CD6}'
        | '\u{0D00}'..='\u{0D03}' | '\u{0D3B}' | '\u{0D3C}' | '\u{0D3E}'..='\u{0D4D}'
        | '\u{0D57}' | '\u{0DCA}'..='\u{0DDF}' | '\u{0E31}' | '\u{0E33}'..='\u{0E3A}'
        | '\u{0E47}'..='\u{0E4E}' | '\u{0EB1}' | '\u{0EB3}'..='\u{0EBC}'
        | '\u{0EC8}'..='\u{0ECE}' | '\u{0F35}' | '\u{0F37}' | '\u{0F39}'
        | '\u{0F71}'..='\u{0F84}' | '\u{0F8D}'..='\u{0FBC}' | '\u{102B}'..='\u{103E}'
        | '\u{135D}'..='\u{135F}' | '\u{17B4}'..='\u{17D3}' | '\u{180B}'..='\u{180F}'
        | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{200C}' | '\u{200D}'
        | '\u{20D0}'..='\u{20F0}' | '\u{302A}'..='\u{302F}' | '\u{3099}' | '\u{309A}'
        | '\u{A66F}'..='\u{A67D}' | '\u{FE00}'..='\u{FE0F}' | '\u{FE20}'..='\u{FE2F}'
        | '\u{1F3FB}'..='\u{1F3FF}' | '\u{E0020}'..='\u{E007F}' | '\u{E0100}'..='\u{E01EF}')
}

/// Columns of one character that stands for itself.
const fn columns(c: char) -> usize {
    match c {
        _ if is_extending(c) => 0,
        '\u{1100}'..='\u{115F}'
        | '\u{231A}'..='\u{231B}'
        | '\u{23E9}'..='\u{23EC}'
        | '\u{25FD}'..='\u{25FE}'
        | '\u{2614}'..='\u{2615}'
        | '\u{2648}'..='\u{2653}'
        | '\u{26A1}'
        | '\u{2705}'
        | '\u{274C}'
        | '\u{2728}'
        | '\u{2B50}'
        | '\u{2B55}'
        | '\u{2E80}'..='\u{303E}'
        | '\u{3041}'..='\u{33FF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{A000}'..='\u{A4CF}'
        | '\u{A960}'..='\u{A97F}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE6F}'
        | '\u{FF00}'..='\u{FF60}'
        | '\u{FFE0}'..='\u{FFE6}'
        | '\u{1F1E6}'..='\u{1F1FF}'
        | '\u{1F300}'..='\u{1F64F}'
        | '\u{1F680}'..='\u{1F6FF}'
        | '\u{1F900}'..='\u{1FAFF}'
        | '\u{20000}'..='\u{3FFFD}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_stay_whole() {
        for (text, wanted) in [
            ("e\u{301}a", vec!["e\u{301}", "a"]),
            ("👩‍👩‍👧x", vec!["👩‍👩‍👧", "x"]),
            ("🇫🇷🇩🇪", vec!["🇫🇷", "🇩🇪"]),
            ("👍🏽!", vec!["👍🏽", "!"]),
            ("\u{1112}\u{1161}\u{11AB}\u{1100}", vec!["\u{1112}\u{1161}\u{11AB}", "\u{1100}"]),
            ("नमस्ते", vec!["न", "म", "स्ते"]),
        ] {
            assert_eq!(clusters(text).collect::<Vec<_>>(), wanted);
        }
    }

    #[test]
    fn a_cut_line_fits_and_says_so() {
        assert_eq!(one_line("short", 10), "short");
        assert_eq!(one_line("one two three", 8), "one two…");
        assert_eq!(one_line("日本語日本語", 6), "日本…");
        assert_eq!(one_line("first\nsecond", 20), "first…");
        assert_eq!(one_line("\n\n", 20), "…");
        assert_eq!(one_line("", 20), "");
    }

    #[test]
    fn nothing_acts_on_the_terminal() {
        assert_eq!(visible("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(visible("a\u{202e}b\u{2028}"), "a\\u{202e}b\\u{2028}");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(padded("日本", 6), "日本  ");
        assert_eq!(padded("toolong", 3), "toolong");
    }
}
