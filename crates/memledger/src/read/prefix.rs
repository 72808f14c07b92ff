//! Owns finding memories by the beginning of their id, as people type it.

use ledger_format::MemoryId;

/// Most ids that a prefix is looked up for: enough to say that it is ambiguous, and which are meant.
pub(crate) const PREFIX_MATCHES: usize = 64;

/// The smallest id that can begin with `prefix` (hex digits, hyphens ignored); none when it is no
/// such text or too long.
pub(crate) fn first_with_prefix(prefix: &str) -> Option<MemoryId> {
    let digits = digits(prefix);
    if digits.is_empty() || digits.len() > 32 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    MemoryId::parse(&format!("{digits:0<32}"))
}

/// Whether an id begins with `prefix`.
pub(crate) fn has_prefix(id: &MemoryId, prefix: &str) -> bool {
    id.to_string().starts_with(&digits(prefix))
}

fn digits(prefix: &str) -> String {
    prefix.chars().filter(|c| *c != '-').map(|c| c.to_ascii_lowercase()).collect()
}
