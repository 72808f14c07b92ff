//! Which files may touch the disk, the network, the clock, the environment and the terminal.
//!
//! This is the whole table; `calls.rs` holds the tree against it. A place that ends with `/` is a
//! folder, any other is one file. Pure crates need no row: without std these things do not exist.

/// One capability and the places that may use it.
pub(crate) struct Room {
    /// The rule's name in findings.
    pub(crate) rule: &'static str,
    /// Paths that use it, matched by whole parts anywhere in a written path.
    pub(crate) uses: &'static [&'static str],
    pub(crate) places: &'static [&'static str],
    /// Whether code that only test builds hold may use it anywhere.
    pub(crate) in_tests: bool,
    /// What to do instead.
    pub(crate) instead: &'static str,
}

pub(crate) const ROOMS: &[Room] = &[
    Room {
        rule: "room-fs",
        uses: &["std::fs", "tokio::fs"],
        places: &[
            "crates/ledger-store/src/storage/fs.rs",
            "crates/ledger-store/src/storage/fs/",
            "crates/ledger-store/src/lock.rs",
            "crates/ledger-store/src/master.rs",
            "crates/ledger-store/src/signing.rs",
            "crates/ledger-views/src/guard.rs",
            "crates/ledger-views/src/guard/",
            "crates/ledger-import/",
            "crates/ledger-server/src/witness/dir.rs",
            "crates/ledger-cli/",
            "replay-tests/",
            "tools/",
        ],
        in_tests: true,
        instead: "go through the Storage trait of ledger-store, or the guard of ledger-views",
    },
    Room {
        rule: "room-net",
        uses: &["std::net", "std::os::unix::net", "tokio::net"],
        places: &["crates/ledger-server/", "crates/ledger-cli/", "replay-tests/", "tools/"],
        in_tests: true,
        instead: "only the outermost crates talk to others: take what you need as an argument",
    },
    Room {
        rule: "room-wall-clock",
        uses: &["SystemTime::now", "Utc::now", "Local::now"],
        places: &["crates/memledger/src/clock.rs"],
        in_tests: false,
        instead: "take the time from memledger's Clock; in tests use its simulated twin",
    },
    Room {
        rule: "room-monotonic-clock",
        uses: &["Instant::now"],
        places: &["crates/memledger/src/clock.rs", "crates/ledger-cli/", "replay-tests/", "tools/"],
        in_tests: true,
        instead: "take the time from memledger's Clock",
    },
    Room {
        rule: "room-environment",
        uses: &["env::var", "env::var_os", "env::vars", "env::vars_os"],
        places: &[
            "crates/ledger-store/src/master.rs",
            "crates/ledger-cli/",
            "replay-tests/",
            "tools/",
        ],
        in_tests: true,
        instead: "read it in ledger-cli and pass it on as an option",
    },
    Room {
        rule: "room-terminal",
        uses: &["print!", "println!", "eprint!", "eprintln!"],
        places: &["crates/ledger-cli/", "replay-tests/", "tools/"],
        in_tests: true,
        instead: "return what there is to say: only the command line prints",
    },
];
