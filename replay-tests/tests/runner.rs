//! The one test binary of what crosses crates. Every file in `cases/` is named here.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::string_slice,
    clippy::cast_sign_loss,
    clippy::print_stdout,
    unreachable_pub,
    reason = "helpers of tests stop at the first surprise, as tests do"
)]

mod cases {
    mod agreement;
    mod as_of_differential;
    mod as_of_events;
    mod as_of_restart;
    mod bad_input;
    mod bad_names;
    mod bad_times;
    mod changes;
    mod claimed;
    mod complete;
    mod conflicts_data;
    mod copying;
    mod crash_sweep;
    mod determinism;
    mod erased_copies;
    mod erasing;
    mod fault_disk;
    mod fault_log;
    mod flat;
    mod forged_views;
    mod gate_data;
    mod gate_secrets;
    mod golden;
    mod halumem;
    mod hostile;
    mod many_writers;
    mod meaning;
    mod pasted;
    mod proofs;
    mod readme;
    mod real_data;
    mod real_histories;
    mod real_triples;
    mod repairing;
    mod restart;
    mod sabotaged;
    mod shrinking;
    mod simulation;
    mod tamper_everywhere;
    mod tamper_files;
    mod third_document;
    mod unknown;
}
