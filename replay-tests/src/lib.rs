//! The harness of everything that is tested across crates.
//!
//! Owns: seeded histories ([`workload`]), histories written by hand
//! ([`script`]), a naive model of what they mean ([`oracle`]), the
//! comparison of the two with the replayed state ([`compare`]), and deliberate mistakes that the
//! comparison has to find ([`sabotage`]). Invariants: no clock and no random source, so a seed
//! repeats a run byte for byte; the oracle shares no code with what it judges. May not: be linked
//! into the product.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::string_slice,
    missing_docs,
    reason = "a test harness: to stop at the first surprise is what it is for"
)]

pub mod asking;
pub mod caller;
pub mod compare;
pub mod copies;
pub mod crash;
pub mod desk;
pub mod digest;
pub mod erasing;
pub mod golden;
pub mod oracle;
pub mod place;
pub mod player;
pub mod rng;
pub mod row;
pub mod sabotage;
pub mod script;
pub mod seed;
pub mod simulation;
pub mod small;
pub mod stand;
pub mod stored;
pub mod tail;
pub mod tamper;
pub mod viewing;
pub mod witness;
pub mod workload;
