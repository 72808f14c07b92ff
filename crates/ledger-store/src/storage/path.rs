//! [`RelPath`]: a name inside a ledger directory.
//!
//! Invariant: joined to a root it names something at or below that root, on every platform.
//! May not: touch the file system. Symbolic links are the business of the implementation.

use std::borrow::Cow;
use std::fmt;

/// A path relative to the root of a ledger directory, with `/` between its parts.
///
/// No part is empty, `.` or `..`, and none holds a NUL, a backslash or a colon (so that a copied
/// ledger means the same everywhere). The root itself is [`RelPath::ROOT`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(Cow<'static, str>);

/// A text that is not a [`RelPath`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    text: String,
}

impl RelPath {
    /// The ledger directory itself.
    pub const ROOT: Self = Self(Cow::Borrowed(""));

    /// Checks and takes a path such as `log/00000001.seg`.
    pub fn new(text: impl Into<String>) -> Result<Self, PathError> {
        let text = text.into();
        if is_valid(text.as_bytes()) { Ok(Self(Cow::Owned(text))) } else { Err(PathError { text }) }
    }

    /// A path fixed in the source. In a `const` a bad one does not compile; elsewhere it panics.
    #[must_use]
    pub const fn from_static(text: &'static str) -> Self {
        assert!(is_valid(text.as_bytes()), "a path fixed in the source must be relative and plain");
        Self(Cow::Borrowed(text))
    }

    /// This path with `rest` (one part or several) below it.
    pub fn join(&self, rest: &str) -> Result<Self, PathError> {
        let rest = Self::new(rest)?;
        Ok(if self.is_root() { rest } else { Self(Cow::Owned(format!("{}/{}", self.0, rest.0))) })
    }

    /// The directory this is in; `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        Some(match self.0.rsplit_once('/') {
            Some((parent, _)) => Self(Cow::Owned(parent.to_owned())),
            None => Self::ROOT,
        })
    }

    /// The last part; `None` for the root.
    #[must_use]
    pub fn file_name(&self) -> Option<&str> {
        self.parts().next_back()
    }

    /// The parts in order; none for the root.
    pub fn parts(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|part| !part.is_empty())
    }

    /// The text; empty for the root.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the ledger directory itself.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_root() { "." } else { self.as_str() })
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RelPath({self})")
    }
}

impl TryFrom<&str> for RelPath {
    type Error = PathError;

    fn try_from(text: &str) -> Result<Self, PathError> {
        Self::new(text)
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is not a path inside a ledger directory: it must be relative, without empty \
             parts, '.', '..', backslash, colon or NUL",
            self.text
        )
    }
}

impl std::error::Error for PathError {}

/// One pass over the bytes that works in `const`. Also refuses the empty text: the root is named
/// on purpose or not at all.
const fn is_valid(text: &[u8]) -> bool {
    let mut rest = text;
    let mut part_len = 0_usize;
    let mut only_dots = true;
    loop {
        let (byte, after) = match rest.split_first() {
            Some((&byte, after)) => (byte, after),
            None => return part_is_valid(part_len, only_dots),
        };
        match byte {
            b'/' => {
                if !part_is_valid(part_len, only_dots) {
                    return false;
                }
                part_len = 0;
                only_dots = true;
            }
            b'\0' | b'\\' | b':' => return false,
            _ => {
                part_len += 1;
                only_dots = only_dots && byte == b'.';
            }
        }
        rest = after;
    }
}

/// 255 is the longest name that common file systems take.
const fn part_is_valid(len: usize, only_dots: bool) -> bool {
    len > 0 && len <= 255 && !(only_dots && len <= 2)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn plain_relative_paths_are_taken() {
        for text in ["lock", "log/00000001.seg", "a/b/c", "...", ".hidden", "a..b"] {
            assert_eq!(RelPath::new(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn everything_that_could_leave_the_root_is_refused() {
        let long = "x".repeat(256);
        for text in [
            "", "/", "/etc", "a//b", "a/", ".", "..", "../a", "a/..", "a/../b", "a/./b", "a\0b",
            "a\\..\\b", "C:x", &long,
        ] {
            assert!(RelPath::new(text).is_err(), "{text:?} was taken");
        }
        let log = RelPath::from_static("log");
        assert!(log.join("../keys").is_err());
        assert!(log.join("/keys").is_err());
    }

    #[test]
    fn parents_lead_to_the_root() {
        let path = RelPath::new("log/old/1.seg").unwrap();
        assert_eq!(path.file_name(), Some("1.seg"));
        let log = path.parent().unwrap().parent().unwrap();
        assert_eq!(log.as_str(), "log");
        assert_eq!(log.parent(), Some(RelPath::ROOT));
        assert_eq!(RelPath::ROOT.parent(), None);
        assert_eq!(RelPath::ROOT.join("log").unwrap(), log);
        assert_eq!(log.join("old/1.seg").unwrap(), path);
    }
}
