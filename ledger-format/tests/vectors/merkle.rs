//! Merkle roots and padding.

use ledger_format::payload::padded_length;
use ledger_format::tree::{self, Frontier};
use serde_json::{Value, json};

use crate::build::Vectors;
use crate::support::hex;

/// Leaf number n is n bytes of value n.
fn leaf(n: u8) -> Vec<u8> {
    vec![n; usize::from(n)]
}

pub(crate) fn vectors() -> Value {
    let mut out = Vectors::new(
        "merkle",
        "Roots and frontiers of 0 to 20 leaves. `hex` is the last leaf; leaf number n is n bytes of value n.",
    );
    let mut frontier = Frontier::new();
    for size in 0..=20_u8 {
        let last = size.checked_sub(1).map(leaf).unwrap_or_default();
        let nodes: Vec<_> = frontier.nodes().iter().map(|node| hex::plain(node)).collect();
        let leaf_hash = size.checked_sub(1).map(|n| hex::plain(&tree::leaf(&leaf(n))));
        let more = json!({
            "size": size, "leaf": leaf_hash, "frontier": nodes, "root": frontier.root().to_string(),
        });
        out.valid(format!("{size} leaves"), &last, more);
        frontier.push(&leaf(size));
    }
    out.finish()
}

pub(crate) fn padding() -> Value {
    let lengths = (0..=130).chain([1000, 1023, 1024, 1025, 1087, 1088, 1089, 2047, 2048, 2049]);
    let lengths = lengths.chain([4095, 4097, 9999, 65_535, 65_536, 65_537, 1_000_000, 1_048_585]);
    let pairs: Vec<_> = lengths.map(|n| json!([n, padded_length(n)])).collect();
    json!({
        "format": 1,
        "structure": "padding",
        "about": "Pairs of a frame's length and its length after padding.",
        "pairs": pairs,
    })
}
