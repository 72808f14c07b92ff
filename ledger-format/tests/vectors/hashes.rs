//! Every hash construction on small inputs.

use ledger_format::event::ledger::{KeyRotated, PublicKey};
use ledger_format::{Digest16, PayloadId, RecordHash, Role, Seq, TreeRoot, hash};
use serde_json::{Value, json};

use crate::build::Vectors;
use crate::support::{fixed, hex};

pub(crate) fn vectors() -> Value {
    let mut out = Vectors::new(
        "hash",
        "Hash constructions by their name in the table of contexts: `hex` is the variable input, the other \
         inputs are named, `output` is the result.",
    );
    out.shared("ledger", json!(fixed::LEDGER.to_string()));
    for (name, input) in [("record", vec![]), ("record", vec![1, 2, 3]), ("record", vec![7; 2000])]
    {
        out.valid(
            name,
            &input,
            json!({ "output": hash::record(&fixed::LEDGER, &input).to_string() }),
        );
    }
    for input in [vec![], vec![0; 144], b"memledger".to_vec()] {
        out.valid("check", &input, json!({ "output": hash::check(&input).to_string() }));
        let output = hex::plain(&hash::ciphertext(&input));
        out.valid("ciphertext", &input, json!({ "output": output }));
    }
    let (last, root) = (RecordHash([5; 32]), TreeRoot([6; 32]));
    let output = hash::batch(&[4; 160], &[9, 0, 8, 0], &last, &root).to_string();
    let more = json!({
        "header": "(04*160)", "lengths": "09000800",
        "last": last.to_string(), "root": root.to_string(), "output": output,
    });
    out.valid("batch", &[], more);
    out.valid("salt", &fixed::KEY, json!({ "output": hex::plain(&hash::salt(&fixed::KEY)) }));
    keyed(&mut out);
    out.finish()
}

/// The constructions under a key.
fn keyed(out: &mut Vectors) {
    for (role, text) in
        [(Role::Text, "Tea at four."), (Role::Body, "Tea at four."), (Role::Text, "")]
    {
        let output = hex::plain(&hash::commitment(&[8; 32], role, text.as_bytes()));
        let more = json!({ "salt": "(08*32)", "role": role.number(), "output": output });
        out.valid("commitment", text.as_bytes(), more);
    }
    for slot in [0, 1, u64::MAX] {
        let output = hex::plain(&hash::slot_mask(&fixed::MASTER, &fixed::LEDGER, PayloadId(slot)));
        let more = json!({ "slot": slot.to_string(), "output": output });
        out.valid("slot_mask", &fixed::MASTER, more);
    }
    let Digest16(check) = hash::key_check(&fixed::MASTER, &fixed::LEDGER);
    out.valid("key_check", &fixed::MASTER, json!({ "output": hex::plain(&check) }));
    for part in [1, 2] {
        let output = hash::idempotency(&[10; 32], part, b"order 7").to_string();
        let more = json!({ "pepper": "(0a*32)", "part": part, "output": output });
        out.valid("idempotency", b"order 7", more);
    }
    let key = PublicKey { algorithm: 1, bytes: vec![12; 32] };
    let message = KeyRotated::message(&key, &fixed::LEDGER, Seq(9));
    let more = json!({ "seq": "9", "algorithm": 1, "output": hex::plain(&message) });
    out.valid("key_rotation", &key.bytes, more);
}

/// Nothing here is a plain hash: without the ledger id, the key or the context it is another value.
#[test]
fn roles_and_parts_separate() {
    let commitment = |role| hash::commitment(&[8; 32], role, b"x");
    assert_ne!(commitment(Role::Text), commitment(Role::Body));
    let part = |part| hash::idempotency(&[10; 32], part, b"x");
    assert_ne!(part(1), part(2));
}
