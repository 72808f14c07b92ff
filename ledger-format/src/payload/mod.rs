//! Owns payloads: everything that people typed, outside the log, sealed one by one.
//!
//! Invariants: the reference in the record fixes role, suite, commitment and the digest of the
//! stored bytes; the key lives in a slot of the same number; nothing here is ever a plain hash of
//! content. May not: choose keys or nonces.

mod frame;
mod reference;
mod seal;

pub use frame::padded_length;
pub use reference::{PayloadRef, Role, SUITE_XCHACHA};
pub use seal::{Sealed, open, seal, verify_commitment};
