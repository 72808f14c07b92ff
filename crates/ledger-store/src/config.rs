//! Owns `ledger.toml`: a copy of record 0 for people and for tools that look before they open.
//!
//! Invariants: written once and never changed; at open it agrees with Genesis in every field; the
//! file is exactly the text that [`LedgerConfig::render`] gives, so a verifier can compare bytes.
//! May not: be the source of anything. Changes to a ledger's settings are events.
//!
//! The reader takes the small part of TOML that the writer uses: comments, empty lines, and
//! `key = value` with a number or a one-line string.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ledger_format::event::ledger::Genesis;
use ledger_format::{FormatError, LedgerId, Micros};

use crate::StoreError;
use crate::storage::{RelPath, Storage};

/// The file.
pub const CONFIG_FILE: RelPath = RelPath::from_static("ledger.toml");
/// What it is called until it is whole.
const UNFINISHED: RelPath = RelPath::from_static("ledger.toml.new");
/// The format this program writes.
const FORMAT: i64 = 1;
/// No such file is longer; a longer one is not read into memory.
const LONGEST: u64 = 65_536;

const HEADER: &str = "\
# A copy of record 0 (Genesis) of this memory ledger. It is compared with the record whenever the
# ledger is opened and must not be edited: settings are changed by events, with `memledger`.
";

/// Where the times of a ledger come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClockSource {
    /// From the wall clock of the holder.
    Wall,
    /// From the writer: demonstrations and tests.
    Declared,
}

/// What `ledger.toml` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerConfig {
    /// The ledger's id.
    pub ledger: LedgerId,
    /// Its public name.
    pub origin: String,
    /// Its civil zone (an IANA name).
    pub zone: String,
    /// When it was made.
    pub created_at: Micros,
    /// Where its times come from.
    pub clock: ClockSource,
}

impl ClockSource {
    /// The word in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Declared => "declared",
        }
    }

    /// The number in Genesis.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Wall => 1,
            Self::Declared => 2,
        }
    }
}

impl LedgerConfig {
    /// The copy of a Genesis event.
    ///
    /// # Errors
    /// [`StoreError::Config`] when the event names a clock that this version does not know.
    pub fn from_genesis(genesis: &Genesis) -> Result<Self, StoreError> {
        let clock = [ClockSource::Wall, ClockSource::Declared]
            .into_iter()
            .find(|clock| clock.number() == genesis.clock)
            .ok_or_else(|| wrong(None, format!("record 0 names clock {}", genesis.clock)))?;
        Ok(Self {
            ledger: genesis.ledger,
            origin: genesis.origin.clone(),
            zone: genesis.zone.clone(),
            created_at: genesis.created_at,
            clock,
        })
    }

    /// Compares with the Genesis event of the log.
    ///
    /// # Errors
    /// [`StoreError::Config`] that names the first field that differs.
    pub fn check(&self, genesis: &Genesis) -> Result<(), StoreError> {
        let truth = Self::from_genesis(genesis)?;
        let differing = [
            ("ledger", self.ledger.to_string(), truth.ledger.to_string()),
            ("origin", self.origin.clone(), truth.origin),
            ("zone", self.zone.clone(), truth.zone),
            ("created_at_micros", self.created_at.0.to_string(), truth.created_at.0.to_string()),
            ("clock", self.clock.name().into(), truth.clock.name().into()),
        ]
        .into_iter()
        .find(|(_, found, expected)| found != expected);
        match differing {
            None => Ok(()),
            Some((field, found, expected)) => {
                let what = format!("{field} is {found:?}, record 0 of the log says {expected:?}");
                Err(wrong(None, what))
            }
        }
    }

    /// The text of the file.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text = String::from(HEADER);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "format = {FORMAT}");
        let _ = writeln!(text, "ledger = \"{}\"", self.ledger);
        let _ = writeln!(text, "origin = {}", quoted(&self.origin));
        let _ = writeln!(text, "zone = {}", quoted(&self.zone));
        let _ = writeln!(text, "# Microseconds since 1970-01-01T00:00:00Z.");
        let _ = writeln!(text, "created_at_micros = {}", self.created_at.0);
        let _ = writeln!(text, "clock = \"{}\"", self.clock.name());
        text
    }

    /// Reads the text of the file.
    ///
    /// # Errors
    /// [`StoreError::Config`] with the line: an unknown, repeated or missing key, a value of
    /// another form, or a format that this program does not read.
    pub fn parse(text: &str) -> Result<Self, StoreError> {
        // Whatever else a later version writes here is no damage.
        if let Some(found) = later_format(text) {
            let what = FormatError::UnsupportedVersion { what: "the ledger", found };
            return Err(StoreError::Unsupported { file: CONFIG_FILE, offset: 0, what });
        }
        let mut fields = Fields::read(text)?;
        let (line, format) = fields.number("format")?;
        if format != FORMAT {
            return Err(wrong(Some(line), format!("no format has the number {format}")));
        }
        let (line, id) = fields.text("ledger")?;
        let ledger = parse_id(&id).ok_or_else(|| wrong(Some(line), "ledger is no ledger id"))?;
        let (_, origin) = fields.text("origin")?;
        let (_, zone) = fields.text("zone")?;
        let (_, created_at) = fields.number("created_at_micros")?;
        let (line, clock) = fields.text("clock")?;
        let clock = [ClockSource::Wall, ClockSource::Declared]
            .into_iter()
            .find(|known| known.name() == clock)
            .ok_or_else(|| wrong(Some(line), "clock is neither \"wall\" nor \"declared\""))?;
        Ok(Self { ledger, origin, zone, created_at: Micros(created_at), clock })
    }

    /// Writes the file, which must not exist, and flushes it and its directory. The name appears
    /// only with its whole content: it is what makes a directory a ledger.
    ///
    /// # Errors
    /// [`StoreError::Storage`].
    pub fn write(&self, storage: &dyn Storage) -> Result<(), StoreError> {
        if storage.exists(&CONFIG_FILE)? {
            return Err(StoreError::Invalid { what: "a second ledger.toml" });
        }
        let file = storage.create_exclusive(&UNFINISHED)?;
        file.write_all_at(self.render().as_bytes(), 0)?;
        file.sync_all()?;
        storage.rename(&UNFINISHED, &CONFIG_FILE)?;
        storage.sync_dir(&RelPath::ROOT)?;
        Ok(())
    }

    /// Reads the file.
    ///
    /// # Errors
    /// As [`LedgerConfig::parse`], and [`StoreError::Storage`].
    pub fn read(storage: &dyn Storage) -> Result<Self, StoreError> {
        let bytes = read_bytes(storage)?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|error| wrong(None, format!("not a text: {error}")))?;
        Self::parse(text)
    }
}

/// The format that the file says it has, where it is a later one.
fn later_format(text: &str) -> Option<u16> {
    let values = text.lines().filter_map(|line| line.split_once('='));
    let format = values.filter(|(key, _)| key.trim() == "format").map(|(_, value)| value.trim());
    format.filter_map(|value| value.parse().ok()).find(|found| i64::from(*found) > FORMAT)
}

/// The bytes of the file as they are.
pub(crate) fn read_bytes(storage: &dyn Storage) -> Result<Vec<u8>, StoreError> {
    let file = storage.open_read(&CONFIG_FILE)?;
    let len = file.len()?;
    if len > LONGEST {
        return Err(wrong(None, format!("{len} bytes are too many for this file")));
    }
    let mut bytes = vec![0; usize::try_from(len).unwrap_or_default()];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

enum Value {
    Number(i64),
    Text(String),
}

const KEYS: [&str; 6] = ["format", "ledger", "origin", "zone", "created_at_micros", "clock"];

/// The lines of the file by key, each taken once.
struct Fields(BTreeMap<&'static str, (usize, Value)>);

impl Fields {
    fn read(text: &str) -> Result<Self, StoreError> {
        let mut fields = BTreeMap::new();
        for (at, line) in text.lines().enumerate() {
            let number = at + 1;
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (key, value) = line
                .split_once('=')
                .ok_or_else(|| wrong(Some(number), "neither a comment nor `key = value`"))?;
            let key = key.trim();
            let known = KEYS
                .into_iter()
                .find(|known| *known == key)
                .ok_or_else(|| wrong(Some(number), format!("unknown key {key:?}")))?;
            let value = parse_value(value.trim()).ok_or_else(|| {
                wrong(Some(number), format!("the value of {key} is not readable"))
            })?;
            if fields.insert(known, (number, value)).is_some() {
                return Err(wrong(Some(number), format!("{key} is there twice")));
            }
        }
        Ok(Self(fields))
    }

    fn take(&mut self, key: &str) -> Result<(usize, Value), StoreError> {
        self.0.remove(key).ok_or_else(|| wrong(None, format!("{key} is missing")))
    }

    fn number(&mut self, key: &str) -> Result<(usize, i64), StoreError> {
        match self.take(key)? {
            (line, Value::Number(number)) => Ok((line, number)),
            (line, Value::Text(_)) => Err(wrong(Some(line), format!("{key} is not a number"))),
        }
    }

    fn text(&mut self, key: &str) -> Result<(usize, String), StoreError> {
        match self.take(key)? {
            (line, Value::Text(text)) => Ok((line, text)),
            (line, Value::Number(_)) => Err(wrong(Some(line), format!("{key} is not a text"))),
        }
    }
}

fn parse_value(text: &str) -> Option<Value> {
    let Some(rest) = text.strip_prefix('"') else {
        return text.parse().ok().map(Value::Number);
    };
    let mut out = String::new();
    let mut chars = rest.chars();
    loop {
        match chars.next()? {
            // Nothing may follow the end, not even a comment.
            '"' => return chars.as_str().is_empty().then_some(Value::Text(out)),
            '\\' => out.push(escaped(&mut chars)?),
            control if control.is_control() => return None,
            plain => out.push(plain),
        }
    }
}

fn escaped(chars: &mut std::str::Chars<'_>) -> Option<char> {
    match chars.next()? {
        plain @ ('"' | '\\') => Some(plain),
        'u' => {
            let mut code = 0;
            for _ in 0..4 {
                code = code * 16 + chars.next()?.to_digit(16)?;
            }
            char::from_u32(code)
        }
        _ => None,
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            control if control.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(control));
            }
            plain => out.push(plain),
        }
    }
    out.push('"');
    out
}

fn parse_id(text: &str) -> Option<LedgerId> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if text.len() != 32 || !rest.is_empty() {
        return None;
    }
    let mut id = LedgerId::ZERO;
    for (byte, pair) in id.0.iter_mut().zip(pairs) {
        let digits = std::str::from_utf8(pair).ok()?;
        // `from_str_radix` takes a sign, which is no digit.
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(id)
}

fn wrong(line: Option<usize>, what: impl Into<String>) -> StoreError {
    StoreError::Config { line, what: what.into() }
}

#[cfg(test)]
mod tests;
