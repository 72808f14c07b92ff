//! Imports into real ledgers: git repositories made on the spot, and real histories and facts where
//! the data lies beside the workspace.
#![allow(
    clippy::print_stdout,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests stop at the first surprise, as tests do"
)]

mod imports {
    mod bench;
    mod data;
    mod git;
    mod histories;
    mod jsonl;
    mod late;
    mod repository;
    mod triples;
}
