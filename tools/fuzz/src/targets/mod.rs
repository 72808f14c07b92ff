//! Owns the list of targets.

mod directory;
mod format;
mod imports;
mod payload;
mod proof;
mod replay;
mod signals;
mod words;

/// Something that takes bytes from outside.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, and that of the folder of its seeds.
    pub name: &'static str,
    /// Panics when something does not hold for these bytes.
    pub run: fn(&[u8]),
    /// Inputs that a short run tries: targets that make a ledger for each input try fewer.
    pub short: u32,
}

const fn target(name: &'static str, run: fn(&[u8]), short: u32) -> Target {
    Target { name, run, short }
}

/// Every target.
pub const TARGETS: &[Target] = &[
    target("anchor", format::anchor, 20_000),
    target("batch", format::batch, 20_000),
    target("body", format::body, 20_000),
    target("checkpoint", proof::checkpoint, 20_000),
    target("civil", words::civil, 20_000),
    target("consistency", proof::consistency, 20_000),
    target("directory", directory::edits, 400),
    target("extensions", format::extensions, 20_000),
    target("history", imports::history, 60),
    target("jsonl", imports::jsonl, 60),
    target("key_file_header", format::key_file_header, 2_000),
    target("key_page", format::key_page, 2_000),
    target("ledger_toml", words::ledger_toml, 20_000),
    target("names", words::names, 20_000),
    target("note", proof::note, 20_000),
    target("normal_form", signals::normal, 20_000),
    target("payload", payload::open, 5_000),
    target("payload_file_header", format::payload_file_header, 20_000),
    target("payload_reference", format::payload_reference, 20_000),
    target("record", format::record, 20_000),
    target("replay", replay::events, 2_000),
    target("saved_state", replay::saved_state, 5_000),
    target("scan", signals::scanned, 5_000),
    target("segment_header", format::segment_header, 2_000),
    target("tlog_proof", proof::tlog_proof, 20_000),
    target("triples", imports::triples, 60),
    target("verifier_key", proof::keys, 20_000),
];

/// The target of a name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
