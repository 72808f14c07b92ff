//! Sealed payloads, and frames that are sealed but wrong inside.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use ledger_format::payload::{padded_length, seal};
use ledger_format::{PayloadId, Role, hash};
use serde_json::{Value, json};

use crate::build::{Vectors, table};
use crate::support::{fixed, hex};

/// 200 times `a` as a DEFLATE stream of another implementation (zlib, level 9).
const DEFLATED: [u8; 6] = [0x4b, 0x4c, 0x1c, 0x1e, 0x00, 0x00];

pub(crate) fn vectors() -> Value {
    let mut out = Vectors::new(
        "payload",
        "Sealed payloads: `hex` is what the payload file holds, `reference` the fields of its record. \
         `frame` is what was encrypted. Where `reproducible` is false the stream inside is one of many.",
    );
    out.shared("ledger", json!(fixed::LEDGER.to_string()));
    for (name, role, text) in [
        ("a short text", Role::Text, "Tea at four.".to_owned()),
        ("nothing", Role::Extra, String::new()),
        ("one frame step", Role::Name, "n".repeat(64 - 9)),
        ("one byte over a frame step", Role::Name, "n".repeat(64 - 8)),
        ("too short to compress", Role::Query, "q".repeat(127)),
        ("not ASCII", Role::Reason, "Tee um vier \u{2014} \u{8336}".to_owned()),
    ] {
        let sealed =
            seal(&fixed::LEDGER, PayloadId(1), role, text.as_bytes(), &fixed::KEY, &fixed::NONCE);
        let framed = frame(1, text.len(), text.as_bytes());
        assert_eq!(sealed.unwrap().stored, encrypt(&framed, role), "{name}");
        out.valid(name, &encrypt(&framed, role), case(&framed, role, text.as_bytes(), true));
    }
    let text = [b'a'; 200];
    let framed = frame(2, 200, &DEFLATED);
    let more = case(&framed, Role::Document, &text, false);
    out.valid("a compressed text", &encrypt(&framed, Role::Document), more);
    invalid_frames(&mut out);
    invalid_seals(&mut out);
    out.finish()
}

/// A frame as the specification says, with any method and lengths.
fn frame(method: u8, plain: usize, content: &[u8]) -> Vec<u8> {
    let [plain, length] = [plain, content.len()].map(|n| u32::try_from(n).unwrap().to_le_bytes());
    let mut frame = [[method].as_slice(), &plain, &length, content].concat();
    frame.resize(padded_length(frame.len()), 0);
    frame
}

fn encrypt(frame: &[u8], role: Role) -> Vec<u8> {
    let aad = associated(role);
    let cipher = XChaCha20Poly1305::new((&fixed::KEY).into());
    let payload = Payload { msg: frame, aad: &aad };
    let sealed = cipher.encrypt(XNonce::from_slice(&fixed::NONCE), payload).unwrap();
    [fixed::NONCE.as_slice(), &sealed].concat()
}

fn associated(role: Role) -> Vec<u8> {
    [fixed::LEDGER.0.as_slice(), &1_u64.to_le_bytes(), &[role.number()]].concat()
}

fn case(frame: &[u8], role: Role, plaintext: &[u8], reproducible: bool) -> Value {
    let mut case = place(&encrypt(frame, role), role, plaintext);
    case["reproducible"] = json!(reproducible);
    case["nonce"] = json!(hex::plain(&fixed::NONCE));
    case["associated_data"] = json!(hex::plain(&associated(role)));
    case["salt"] = json!(hex::plain(&hash::salt(&fixed::KEY)));
    case["frame"] = json!(hex::short(frame));
    case["plaintext"] = json!(hex::short(plaintext));
    case
}

fn place(stored: &[u8], role: Role, plaintext: &[u8]) -> Value {
    let commitment = hash::commitment(&hash::salt(&fixed::KEY), role, plaintext);
    json!({
        "key": hex::plain(&fixed::KEY),
        "reference": {
            "id": "1",
            "role": role.number(),
            "suite": 1,
            "commitment": hex::plain(&commitment),
            "digest": hex::plain(&hash::ciphertext(stored)),
            "length": stored.len(),
        },
    })
}

/// The seal and the digest are good, the frame inside is not.
fn invalid_frames(out: &mut Vectors) {
    let text = b"Tea at four.";
    let good = frame(1, 12, text);
    let changed = |at: usize, byte: u8| {
        let mut changed = good.clone();
        changed[at] = byte;
        changed
    };
    let longer = |count: usize| [good.as_slice(), &vec![0; count]].concat();
    let deflated = |content: &[u8]| frame(2, 200, content);
    let all = table! {
        "method 0": changed(0, 0) => "unknown_number";
        "method 3": changed(0, 3) => "unknown_number";
        "a frame of zeros": vec![0; 64] => "unknown_number";
        "an empty frame": vec![] => "truncated";
        "a cut frame header": good[..8].to_vec() => "truncated";
        "a content beyond the frame": changed(5, 200) => "truncated";
        "a content of 2^32 - 1 bytes": [&good[..5], &[0xff; 4], &good[9..]].concat() => "truncated";
        "a plaintext over the limit":
            [&good[..1], &[1, 0, 16, 0], &good[5..]].concat()
            => "too_large";
        "padding that is not zero": changed(63, 1) => "reserved_not_zero";
        "padding right after the content": changed(21, 1) => "reserved_not_zero";
        "no padding": good[..21].to_vec() => "not_canonical";
        "one byte more padding": longer(1) => "not_canonical";
        "a step more padding": longer(64) => "not_canonical";
        "stored, a byte longer than it says": changed(1, 11) => "bad_value";
        "stored, a byte shorter than it says": changed(1, 13) => "bad_value";
        "a cut stream": deflated(&DEFLATED[..5]) => "bad_value";
        "a byte behind the stream": deflated(&[&DEFLATED[..], &[0]].concat()) => "bad_value";
        "no stream": deflated(&[0xff; 6]) => "bad_value";
        "an empty stream": deflated(&[]) => "bad_value";
        "a stream that gives more": frame(2, 199, &DEFLATED) => "bad_value";
        "a stream that gives less": frame(2, 201, &DEFLATED) => "bad_value";
        "a stream that gives far more": frame(2, 7, &DEFLATED) => "bad_value";
        "compressed to the same length": frame(2, 6, &DEFLATED) => "not_canonical";
        "a stored block, longer than its text":
            frame(2, 1, &[1, 1, 0, 254, 255, 97])
            => "not_canonical";
    };
    for (name, frame, error) in all {
        let stored = encrypt(&frame, Role::Text);
        out.invalid_with(name, &stored, error, place(&stored, Role::Text, text));
    }
}

/// The frame is good, something around it is not.
fn invalid_seals(out: &mut Vectors) {
    let text = b"Tea at four.";
    let stored = encrypt(&frame(1, 12, text), Role::Text);
    let good = place(&stored, Role::Text, text);
    let with = |path: &[&str], value: Value| {
        let mut place = good.clone();
        let mut at = &mut place;
        for name in path {
            at = &mut at[*name];
        }
        *at = value;
        place
    };
    let mut flipped = stored.clone();
    flipped[30] ^= 1;
    let (cut, nonce, zeros) = (stored[..23].to_vec(), stored[..24].to_vec(), vec![0; 104]);
    let resealed = |stored: &[u8]| place(stored, Role::Text, text);
    let zero = |count: usize| json!(hex::plain(&vec![0; count]));
    let reference = |field, value| with(&["reference", field], value);
    let cases = table! {
        "another key": (&stored, with(&["key"], zero(32))) => "not_opened";
        "another payload id": (&stored, reference("id", json!("2"))) => "not_opened";
        "another role": (&stored, reference("role", json!(2))) => "not_opened";
        "another digest": (&stored, reference("digest", zero(32))) => "check_mismatch";
        "another commitment": (&stored, reference("commitment", zero(32))) => "check_mismatch";
        "another length": (&stored, reference("length", json!(103))) => "check_mismatch";
        "one bit of the ciphertext": (&flipped, good.clone()) => "check_mismatch";
        "one bit, with its digest": (&flipped, resealed(&flipped)) => "not_opened";
        "no nonce": (&cut, resealed(&cut)) => "truncated";
        "only a nonce": (&nonce, resealed(&nonce)) => "not_opened";
        "zeros": (&zeros, resealed(&zeros)) => "not_opened";
    };
    for (name, (stored, more), error) in cases {
        out.invalid_with(name, stored, error, more);
    }
}
