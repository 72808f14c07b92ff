//! What the dependencies may be: the whole table, to be edited with a reason in the same commit.

/// Licences that any package may be under, as SPDX identifiers. All are permissive.
pub(crate) const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// A package that may not be in the graph.
pub(crate) struct Banned {
    pub(crate) name: &'static str,
    /// Versions that start with this; empty for all.
    pub(crate) version: &'static str,
    pub(crate) reason: &'static str,
}

pub(crate) const BANNED: &[Banned] = &[
    Banned {
        name: "bincode",
        version: "3",
        reason: "a tombstone that does not compile; stay on the pinned 2.0.1",
    },
    Banned {
        name: "sled",
        version: "1",
        reason: "an alpha that hangs on a torn tail and pulls a vulnerable crate; stay on 0.34.7",
    },
    Banned {
        name: "chrono-english",
        version: "",
        reason: "RUSTSEC-2024-0395; dates are read by our own parser",
    },
    Banned { name: "openssl-sys", version: "", reason: "links a C library of the machine" },
];

/// Packages that only these packages may depend on directly, and why.
pub(crate) const USERS: &[(&str, &[&str], &str)] = &[
    (
        "sled",
        &["ledger-views", "bench"],
        "views are disposable, so its types stay inside their crate; the benchmarks measure it as a peer",
    ),
    ("bincode", &["ledger-format"], "one module owns the bytes"),
    (
        "tokio",
        &["ledger-server", "ledger-cli", "hyper", "hyper-util", "tokio-rustls"],
        "the core is synchronous; hyper is the HTTP of the server, and this is its TLS",
    ),
    (
        "tokio-rustls",
        &["ledger-server", "ledger-cli"],
        "only the server speaks TLS; tests of the command line stand in for a witness behind it",
    ),
    ("hyper", &["ledger-server", "hyper-util"], "only the server speaks HTTP"),
];

/// Requirements of the workspace that name one exact version, and why.
pub(crate) const PINNED: &[(&str, &str)] = &[
    ("bincode", "its successors do not compile or write other bytes"),
    ("sled", "its file format changes between versions"),
];

/// `signed_note` and `tlog_tiles`, which the tests of ledger-proof check it against.
const FOREIGN: &str =
    "the foreign implementation in ledger-proof's tests is a step behind; in tests only";

/// Packages that may be in the graph in several versions, and why.
pub(crate) const DUPLICATES: &[(&str, &str)] = &[
    ("chacha20", "the newer one is the generator of proptest, in tests only"),
    ("cpufeatures", "blake3 is a step ahead of the AEAD crates; it is a few lines"),
    (
        "foldhash",
        "rusqlite's cache is a step behind; it is measured against, in the benchmarks only",
    ),
    (
        "hashbrown",
        "rusqlite's cache is a step behind; it is measured against, in the benchmarks only",
    ),
    (
        "parking_lot_core",
        "fjall is a step ahead of sled; it is measured against, in the benchmarks only",
    ),
    ("syn", "zeroize_derive is a step behind serde and clap; it is a build-time parser"),
    ("base64", FOREIGN),
    ("block-buffer", FOREIGN),
    ("crypto-common", FOREIGN),
    ("curve25519-dalek", FOREIGN),
    ("digest", FOREIGN),
    ("ed25519", FOREIGN),
    ("ed25519-dalek", FOREIGN),
    ("getrandom", FOREIGN),
    ("rand_core", FOREIGN),
    ("sha2", FOREIGN),
    ("signature", FOREIGN),
];

/// An advisory that is known and accepted until a date.
pub(crate) struct Exception {
    pub(crate) advisory: &'static str,
    pub(crate) package: &'static str,
    /// The last day it holds, `YYYY-MM-DD`; a commit after it fails.
    pub(crate) until: &'static str,
    pub(crate) reason: &'static str,
}

pub(crate) const EXCEPTIONS: &[Exception] = &[
    Exception {
        advisory: "RUSTSEC-2025-0141",
        package: "bincode",
        until: "2027-05-31",
        reason: "unmaintained, no vulnerability: the spec and the vectors freeze its bytes, one module calls it",
    },
    Exception {
        advisory: "RUSTSEC-2025-0057",
        package: "fxhash",
        until: "2027-05-31",
        reason: "unmaintained, no vulnerability: used by sled inside the disposable views",
    },
    Exception {
        advisory: "RUSTSEC-2024-0384",
        package: "instant",
        until: "2027-05-31",
        reason: "unmaintained, no vulnerability: used by sled inside the disposable views",
    },
];
