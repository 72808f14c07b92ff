//! Arbitrary bytes, and valid bytes changed at arbitrary places: no decoder panics, and what decodes
//! encodes to the same bytes.

use std::sync::LazyLock;

use ledger_format::{Kind, PayloadId, PayloadRef, Role, hash, payload};
use proptest::prelude::*;

use crate::support::arb::Gen;
use crate::support::spec::Spec;
use crate::support::{fixed, fixup};
use crate::{cases, decoders};

/// Places and bytes to put there; places are taken modulo the length.
fn edits() -> impl Strategy<Value = Vec<(u16, u8)>> {
    prop::collection::vec((any::<u16>(), prop_oneof![any::<u8>(), 0..4_u8, Just(255)]), 1..6)
}

fn edited(bytes: &[u8], edits: &[(u16, u8)]) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    for (at, byte) in edits {
        let at = usize::from(*at) % changed.len();
        changed[at] = *byte;
    }
    changed
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn arbitrary_bytes_are_decoded_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..700)) {
        for decoder in decoders::all() {
            decoder.total(&bytes);
            let mut magic = decoder.sample[..decoder.sample.len().min(16)].to_vec();
            magic.extend(&bytes);
            decoder.total(&magic);
        }
    }

    #[test]
    fn changed_structures_are_refused_or_encode_as_they_are(edits in edits()) {
        static SPEC: LazyLock<Spec> = LazyLock::new(Spec::load);
        for decoder in decoders::all() {
            let mut changed = edited(&decoder.sample, &edits);
            decoder.total(&changed);
            decoder.recheck(&SPEC, &mut changed);
            decoder.total(&changed);
        }
    }

    #[test]
    fn arbitrary_bodies_are_decoded_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for (kind, ..) in Kind::ALL {
            if let Ok(again) = decoders::body(*kind, &bytes) {
                prop_assert_eq!(&again, &bytes, "{}", kind);
            }
        }
    }

    #[test]
    fn changed_bodies_are_refused_or_encode_as_they_are(
        pool in prop::collection::vec(any::<u8>(), 0..300),
        edits in edits(),
        cut in any::<u16>(),
    ) {
        for (kind, ..) in Kind::ALL {
            let body = fixup::event(*kind, &mut Gen::Pool(&pool)).encode().unwrap();
            let changed = edited(&body, &edits);
            if let Ok(again) = decoders::body(*kind, &changed) {
                prop_assert_eq!(&again, &changed, "{}", kind);
            }
            let cut = usize::from(cut) % body.len();
            prop_assert!(decoders::body(*kind, &body[..cut]).is_err(), "{} cut at {}", kind, cut);
        }
    }

    #[test]
    fn arbitrary_frames_are_opened_or_refused(
        frame in prop::collection::vec(any::<u8>(), 0..200),
        method in 0..4_u8,
        plain in prop_oneof![0..300_u32, Just(u32::MAX)],
        exact in any::<bool>(),
    ) {
        let plain = if exact { u32::try_from(frame.len()).unwrap() } else { plain };
        prop_assert!(open_frame(&frame, &[]).is_err());
        let mut whole = vec![method];
        whole.extend(plain.to_le_bytes());
        whole.extend(u32::try_from(frame.len()).unwrap().to_le_bytes());
        whole.extend(&frame);
        whole.resize(payload::padded_length(whole.len()), 0);
        let good = method == 1 && plain as usize == frame.len();
        prop_assert_eq!(open_frame(&whole, &frame).ok(), good.then_some(frame));
    }

    #[test]
    fn payloads_come_back_as_they_were(
        text in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..300),
            prop::collection::vec(0..3_u8, 0..5000),
        ],
        id in any::<u64>(),
        role in 0..Role::ALL.len(),
    ) {
        let (id, role) = (PayloadId(id), Role::ALL[role].0);
        let sealed = payload::seal(&fixed::LEDGER, id, role, &text, &fixed::KEY, &fixed::NONCE).unwrap();
        prop_assert_eq!(sealed.stored.len(), sealed.reference.length as usize);
        let frame = sealed.stored.len() - 40;
        prop_assert_eq!(payload::padded_length(frame), frame);
        let open = |key| payload::open(&fixed::LEDGER, &sealed.reference, &sealed.stored, key);
        prop_assert!(open(&fixed::MASTER).is_err());
        prop_assert_eq!(open(&fixed::KEY).unwrap(), text);
    }
}

/// Opens a frame that was sealed as it is, under a reference that commits to `plaintext`.
fn open_frame(frame: &[u8], plaintext: &[u8]) -> Result<Vec<u8>, ledger_format::FormatError> {
    use chacha20poly1305::aead::{Aead, KeyInit, Payload};
    use chacha20poly1305::{XChaCha20Poly1305, XNonce};
    let (id, role) = (PayloadId(1), Role::Text);
    let aad = [fixed::LEDGER.0.as_slice(), &id.0.to_le_bytes(), &[role.number()]].concat();
    let cipher = XChaCha20Poly1305::new((&fixed::KEY).into());
    let sealed =
        cipher.encrypt(XNonce::from_slice(&fixed::NONCE), Payload { msg: frame, aad: &aad });
    let stored = [fixed::NONCE.as_slice(), &sealed.unwrap()].concat();
    let reference = PayloadRef {
        id,
        role,
        suite: payload::SUITE_XCHACHA,
        commitment: hash::commitment(&hash::salt(&fixed::KEY), role, plaintext),
        digest: hash::ciphertext(&stored),
        length: u32::try_from(stored.len()).unwrap(),
    };
    payload::open(&fixed::LEDGER, &reference, &stored, &fixed::KEY)
}
