//! Owns the marks of raw reasoning: tags that models think between, and the fields in which clients
//! serialise it.
//!
//! A mark counts only with content: a text about `<think>` tags holds no reasoning.

use crate::class::{BLANK, Class, SPACE, WORD};
use crate::view::View;

/// Names of tags, as open models and prompts use them.
const TAGS: &[&str] = &[
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "scratchpad",
    "reflection",
    "inner_monologue",
    "antthinking",
    "chain_of_thought",
    "internal_thoughts",
    "begin_of_thought",
    "reasoning_content",
    "monologue",
    "analysis_scratchpad",
];

/// Fields that hold reasoning as a string.
const FIELDS: &[&str] = &[
    "thinking",
    "reasoning_content",
    "redacted_thinking",
    "thinkingsignature",
    "thoughtsignature",
    "thought_signature",
    "reasoning_details",
    "chain_of_thought",
    "encrypted_reasoning",
];

/// Values of `type` that announce a block of reasoning.
const TYPES: &[&str] = &["thinking", "redacted_thinking", "reasoning", "thinking_delta"];

/// Marks that need nothing beside them.
const CHANNELS: &[&str] =
    &["<|channel|>analysis<|message|>", "◁think▷", "<|begin_of_thought|>", "<|start_thinking|>"];

/// Words that a block has at least, when it is not set apart on lines of its own.
const WORDS: usize = 3;

pub(crate) fn found(view: &View<'_>) -> bool {
    let text = view.text().as_bytes();
    let mut at = 0;
    while let Some(step) = text.get(at..).and_then(|rest| rest.iter().position(|byte| marks(*byte)))
    {
        at += step;
        let here = match text.get(at) {
            Some(b'<' | b'[') => tagged(text, at),
            Some(b'"') => field(text, at),
            _ => false,
        };
        if here || channel(text, at) {
            return true;
        }
        at += 1;
    }
    false
}

/// The first bytes of marks.
fn marks(byte: u8) -> bool {
    matches!(byte, b'<' | b'[' | b'"' | 0xE2)
}

fn channel(text: &[u8], at: usize) -> bool {
    CHANNELS.iter().any(|mark| starts(text, at, mark) && content(text, at + mark.len()) >= WORDS)
}

/// A tag with content behind it, or the closing tag of a block whose opening lies in the prompt.
fn tagged(text: &[u8], at: usize) -> bool {
    let closing = text.get(at + 1) == Some(&b'/');
    let name = at + 1 + usize::from(closing);
    let length = WORD.run(text, name, 24);
    let close = if text.get(at) == Some(&b'<') { b'>' } else { b']' };
    let end = name + length;
    let named = TAGS.iter().any(|tag| tag.len() == length && starts(text, name, tag));
    if !named || text.get(end) != Some(&close) || quoted(text, at) {
        return false;
    }
    if closing {
        return alone(text, at, end + 1) && words_before(text, at) >= WORDS;
    }
    let own_line = SPACE.at(text, end + 1) && line_begins(text, at) && content(text, end + 1) > 0;
    own_line && text.get(end + 1 + BLANK.run(text, end + 1, 80)) == Some(&b'\n')
        || content(text, end + 1) >= WORDS
}

/// Whether a mark stands in quotes or backticks, as one that is only named does.
fn quoted(text: &[u8], at: usize) -> bool {
    let quotes = Class::one(b'`').and(Class::one(b'\''));
    quotes.before(text, at)
}

fn line_begins(text: &[u8], at: usize) -> bool {
    let blanks = BLANK.run_back(text, at, 80);
    at == blanks || text.get(at - blanks - 1) == Some(&b'\n')
}

/// Whether a closing tag has its line for itself.
fn alone(text: &[u8], at: usize, end: usize) -> bool {
    let behind = end + BLANK.run(text, end, 80);
    line_begins(text, at) && matches!(text.get(behind), None | Some(b'\n' | b'\r'))
}

/// Words up to the next tag, three at most; a few words of a sentence that names tags are not many.
fn content(text: &[u8], from: usize) -> usize {
    let stop = Class::one(b'<').and(Class::one(b'`')).not();
    let inner = text.get(from..from + stop.run(text, from, 400)).unwrap_or_default();
    inner.split(|byte| SPACE.has(*byte)).filter(|word| spoken(word)).take(WORDS).count()
}

fn words_before(text: &[u8], at: usize) -> usize {
    let from = at.saturating_sub(400);
    let inner = text.get(from..at).unwrap_or_default();
    inner.split(|byte| SPACE.has(*byte)).filter(|word| spoken(word)).take(WORDS).count()
}

fn spoken(word: &[u8]) -> bool {
    word.iter().any(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
}

/// `"type": "thinking"` or `"reasoning_content": "…"`, also inside a string that was escaped once.
fn field(text: &[u8], at: usize) -> bool {
    let name = at + 1;
    let length = WORD.run(text, name, 24);
    let Some(value) = value(text, name + length) else { return false };
    let is = |words: &[&str], from: usize, size: usize| {
        words.iter().any(|word| word.len() == size && starts(text, from, word))
    };
    if is(&["type"], name, length) {
        let size = WORD.run(text, value, 24);
        // A schema names the type; a block has more fields beside it.
        let more = skip(text, value + size, b"\\\" \n\t\r");
        return is(TYPES, value, size) && text.get(more) == Some(&b',') && holds(text, at, more);
    }
    is(FIELDS, name, length)
        && value < text.len()
        && text.get(value) != Some(&b'"')
        && text.get(value) != Some(&b'\\')
}

/// Whether a block near this place carries something: text, a summary, a cipher.
fn holds(text: &[u8], from: usize, until: usize) -> bool {
    let near = text.get(from.saturating_sub(200)..text.len().min(until + 200)).unwrap_or_default();
    let fields: [&[u8]; 6] =
        [b"thinking\"", b"data\"", b"summary\"", b"encrypted_content\"", b"signature\"", b"text\""];
    fields.iter().any(|field| {
        near.windows(field.len() + 1)
            .any(|part| part.starts_with(field) && part.last() == Some(&b':'))
    }) || near.windows(12).any(|part| part == b"thinking\\\":\\")
}

/// Where a string begins that is given to a name which ends here.
fn value(text: &[u8], end: usize) -> Option<usize> {
    let quote = skip(text, end, b"\\");
    if text.get(quote) != Some(&b'"') {
        return None;
    }
    let colon = quote + 1 + BLANK.run(text, quote + 1, 8);
    if text.get(colon) != Some(&b':') {
        return None;
    }
    let open = skip(text, colon + 1, b" \t\n\\");
    (text.get(open) == Some(&b'"')).then_some(open + 1)
}

fn skip(text: &[u8], from: usize, what: &[u8]) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().take(32).take_while(|byte| what.contains(byte)).count()
}

fn starts(text: &[u8], at: usize, word: &str) -> bool {
    text.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}
