//! What the rules find and what they leave alone, in made texts and in real ones.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    unreachable_pub,
    missing_docs
)]

mod chance;
mod data;
mod foreign;
mod kinds;
mod orders;
mod personal;
mod reasoning;
mod secrets;
mod sketches;
