//! ledger-replay.
