//! Owns the words and flags of `witness`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `witness`.
#[derive(Debug, Args)]
pub(crate) struct WitnessArgs {
    #[command(subcommand)]
    pub(crate) verb: WitnessVerb,
}

/// What to do about a witness.
#[derive(Debug, Subcommand)]
pub(crate) enum WitnessVerb {
    /// Make a witness: its directory and its key
    Init {
        /// A directory that holds no witness yet
        dir: PathBuf,
        /// Its name in every cosignature
        #[arg(long, value_name = "NAME")]
        name: String,
    },
    /// Answer C2SP tlog-witness over plain HTTP until it is stopped
    Serve {
        /// The directory of the witness
        dir: PathBuf,
        /// A log it vouches for: the log's key, NAME+ID+KEY, or a file that holds it
        #[arg(long = "log", value_name = "KEY", required = true)]
        logs: Vec<String>,
        /// Where to listen; port 0 takes a free one
        #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7380")]
        listen: SocketAddr,
    },
    /// What a witness has seen, and its key; it may run meanwhile
    Show {
        /// The directory of the witness
        dir: PathBuf,
    },
}
