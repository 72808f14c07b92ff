//! A witness: its directory, its decisions one after the other, and its HTTP interface.

mod dir;
mod look;
mod serve;
mod service;

pub use dir::WitnessDir;
pub use look::{Seen, WitnessView};
pub use serve::{Limits, serve};
pub use service::{Decision, Reply, Witness};
