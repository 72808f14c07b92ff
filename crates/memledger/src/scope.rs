//! Owns the words people use for places, people and sources: scope paths, actors, source
//! references. Parsed once, at the edge.

use std::fmt;
use std::str::FromStr;

use ledger_format::{ActorKind, SourceKind, limits};

use crate::{Error, Result};

/// A path of typed segments: `org/acme/project/web`. The empty path is the ledger itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope(Vec<String>);

impl Scope {
    /// The ledger itself.
    #[must_use]
    pub const fn root() -> Self {
        Self(Vec::new())
    }

    /// Segments as `type/name`, outermost first.
    #[must_use]
    pub fn segments(&self) -> &[String] {
        &self.0
    }

    /// Whether this scope is `other` or lies below it. Compared segment by segment.
    #[must_use]
    pub fn within(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }

    /// The scopes that it lies in, innermost first; the last one is the ledger itself.
    pub fn above(&self) -> impl Iterator<Item = Self> + '_ {
        let shorter = (0..self.0.len()).rev();
        shorter.map(|length| Self(self.0.iter().take(length).cloned().collect()))
    }

    pub(crate) fn from_segments(segments: Vec<String>) -> Self {
        Self(segments)
    }
}

impl FromStr for Scope {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.is_empty() || text == "/" {
            return Ok(Self::root());
        }
        let parts: Vec<&str> = text.split('/').collect();
        if !parts.len().is_multiple_of(2) {
            return Err(Error::invalid(format!(
                "scope {text:?} has {} parts; a scope is pairs of type and name, such as org/acme/project/web",
                parts.len()
            )));
        }
        let mut segments = Vec::with_capacity(parts.len() / 2);
        for pair in parts.chunks_exact(2) {
            let [kind, name] = pair else { continue };
            check_kind(text, kind)?;
            check_name("scope name", name)?;
            segments.push(format!("{kind}/{name}"));
        }
        if segments.len() > limits::SCOPE_DEPTH {
            return Err(Error::invalid(format!(
                "scope {text:?} has {} segments, the limit is {}",
                segments.len(),
                limits::SCOPE_DEPTH
            )));
        }
        Ok(Self(segments))
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str("/") } else { f.write_str(&self.0.join("/")) }
    }
}

fn check_kind(text: &str, kind: &str) -> Result<()> {
    let fits = kind.starts_with(|c: char| c.is_ascii_lowercase())
        && kind.len() <= 32
        && kind
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-');
    if fits {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "scope {text:?}: {kind:?} is no segment type; use a short lowercase word such as org, project, user, session"
    )))
}

/// A name that people gave: not empty, not over the limit, no control characters.
pub(crate) fn check_name(what: &str, name: &str) -> Result<()> {
    if name.trim().is_empty() {
        return Err(Error::invalid(format!("a {what} is empty; give it a name")));
    }
    if name.len() > limits::NAME_BYTES {
        return Err(Error::invalid(format!(
            "a {what} of {} bytes is over the limit of {}",
            name.len(),
            limits::NAME_BYTES
        )));
    }
    if let Some(control) = name.chars().find(|c| c.is_control()) {
        return Err(Error::invalid(format!(
            "a {what} holds the control character U+{:04X}; names are one line of text",
            u32::from(control)
        )));
    }
    Ok(())
}

/// Who acts: `person:priya`, `agent:coder`, `service:importer`. `user:` is another word for
/// `person:`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Actor {
    /// What kind of actor.
    pub kind: ActorKind,
    /// Its name.
    pub name: String,
}

impl Actor {
    /// What was put together by hand can be read back.
    pub(crate) fn check(&self) -> Result<()> {
        check_name("name of an actor", &self.name)
    }
}

impl FromStr for Actor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (kind, name) = text.split_once(':').unwrap_or(("person", text));
        let kind = match kind {
            "user" | "person" | "human" => ActorKind::Person,
            "agent" | "bot" => ActorKind::Agent,
            "service" => ActorKind::Service,
            "system" => ActorKind::System,
            other => {
                return Err(Error::invalid(format!(
                    "{other:?} is no kind of actor; use person:NAME, agent:NAME, service:NAME"
                )));
            }
        };
        let actor = Self { kind, name: name.to_owned() };
        actor.check()?;
        Ok(actor)
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.name)
    }
}

/// Where words came from: `kind:uri` or `kind:uri#span`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// What kind of source.
    pub kind: SourceKind,
    /// Where it is, span included.
    pub uri: String,
}

impl FromStr for Source {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let kinds = "chat user tool model file web import recall system";
        let usage = || {
            Error::invalid(format!(
                "source {text:?} is not kind:uri or kind:uri#span with a kind of: {kinds}"
            ))
        };
        let (kind, uri) = text.split_once(':').ok_or_else(usage)?;
        let kind = SourceKind::from_name(kind)
            .filter(|kind| *kind != SourceKind::None)
            .ok_or_else(usage)?;
        if uri.trim().is_empty() {
            return Err(Error::invalid(format!("source {text:?} names no place after the colon")));
        }
        let source = Self { kind, uri: uri.to_owned() };
        source.check()?;
        Ok(source)
    }
}

impl Source {
    /// What was put together by hand can be read back.
    pub(crate) fn check(&self) -> Result<()> {
        if self.kind == SourceKind::None || self.uri.trim().is_empty() {
            return Err(Error::invalid(format!(
                "a source of the kind {} at {:?} names no kind or no place: give both, or no source at all",
                self.kind, self.uri
            )));
        }
        if self.uri.len() > 4096 || self.uri.chars().any(char::is_control) {
            return Err(Error::invalid(
                "a source is one line of text of at most 4096 bytes".to_owned(),
            ));
        }
        Ok(())
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.uri)
    }
}
