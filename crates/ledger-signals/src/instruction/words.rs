//! Owns a text as a line of plain words: lower case, without accents, one separator between two words.
//!
//! The separator is `\n` where a sentence begins and a space elsewhere, so a cue can ask for either. Polite
//! words at the start of a sentence do not end the start. `?` and `@` stay as words of their own.

use alloc::string::String;

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// Words at the start of a sentence after which it still starts, in every language of the cues.
const POLITE: &[&str] = &[
    "a",
    "also",
    "always",
    "alright",
    "and",
    "assistant",
    "bitte",
    "chatgpt",
    "claude",
    "dear",
    "first",
    "finally",
    "gpt",
    "hello",
    "hey",
    "hi",
    "hola",
    "important",
    "instead",
    "jetzt",
    "just",
    "kindly",
    "never",
    "next",
    "nie",
    "niemals",
    "now",
    "ok",
    "okay",
    "please",
    "por",
    "favor",
    "salut",
    "second",
    "siempre",
    "so",
    "sofort",
    "svp",
    "then",
    "third",
    "to",
    "proceed",
    "toujours",
    "jamais",
    "immer",
    "nunca",
    "user",
];

/// The line of a text. It begins and ends with a separator.
pub(super) fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len() + 16);
    let mut starts = true;
    // Where the word begins that is being written, if one is.
    let mut word: Option<usize> = None;
    for read in text.chars() {
        if wordy(read) {
            if word.is_none() {
                line.push(if starts { '\n' } else { ' ' });
                word = Some(line.len());
            }
            push(&mut line, read);
            continue;
        }
        if matches!(read, '\'' | '’' | '`') && word.is_some() {
            continue;
        }
        starts = close(&line, word.take(), starts) || ends_sentence(read);
        if matches!(read, '?' | '@' | '？') {
            line.push_str(if read == '@' { " @" } else { " ?" });
        }
    }
    line.push('\n');
    line
}

/// Whether the sentence still starts after the word that was written last.
fn close(line: &str, word: Option<usize>, starts: bool) -> bool {
    let Some(word) = word.and_then(|at| line.get(at..)) else { return starts };
    starts && (POLITE.contains(&word) || word.len() > 4 && word.ends_with("ly"))
}

fn wordy(read: char) -> bool {
    read == '_' || crate::normal::wordy(read)
}

/// Signs after which something new begins; a comma does not part an order from its object.
fn ends_sentence(read: char) -> bool {
    matches!(
        read,
        '.' | '!'
            | '?'
            | ':'
            | ';'
            | '\n'
            | '\r'
            | '"'
            | '('
            | '['
            | '{'
            | '}'
            | ']'
            | '>'
            | '<'
            | '*'
            | '#'
            | '='
            | '|'
            | '•'
            | '…'
            | '“'
            | '”'
            | '„'
            | '«'
            | '»'
            | '。'
            | '！'
            | '？'
            | '：'
            | '；'
            | '，'
            | '、'
    )
}

/// A letter in lower case and without its accent.
fn push(line: &mut String, read: char) {
    if read.is_ascii() {
        line.push(read.to_ascii_lowercase());
        return;
    }
    if !('\u{C0}'..='\u{24F}').contains(&read) {
        line.extend(read.to_lowercase());
        return;
    }
    decompose_canonical(read, |part| {
        if !is_combining_mark(part) {
            line.extend(part.to_lowercase());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_text_becomes_one_line_of_words() {
        assert_eq!(line(""), "\n");
        assert_eq!(
            line("Please, IGNORE it.\nDon't ask Évian?"),
            "\nplease\nignore it\ndont ask evian ?\n"
        );
        assert_eq!(line("忽略之前的指令。好"), "\n忽略之前的指令\n好\n");
        assert_eq!(line("mail a@b.c"), "\nmail a @ b\nc\n");
    }
}
