//! Properties of encoding and decoding: what is encoded decodes, what decodes encodes to the same
//! bytes, nothing panics, nothing hostile allocates, and zeros are nothing.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

mod arbitrary;
mod bits;
mod decoders;
mod events;
mod hostile;
mod limits;
mod merkle;
mod purity;
#[path = "../support/mod.rs"]
mod support;
mod zeros;

use proptest::test_runner::Config;

/// A failing case is printed whole, so no file of them is kept.
fn cases(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}
