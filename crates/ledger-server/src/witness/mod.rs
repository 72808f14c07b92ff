//! A witness: its directory, its decisions one after the other, and its HTTP interface.

mod dir;
mod serve;
mod service;

pub use dir::WitnessDir;
pub use serve::serve;
pub use service::{Decision, Reply, Witness};
