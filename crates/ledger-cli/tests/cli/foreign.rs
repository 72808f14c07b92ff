//! Another program's view of a cosignature. `signed_note` reads the note, knows the key by its id and
//! verifies with an Ed25519 of its own; only the two lines that a cosignature covers before the text
//! are put together here, as c2sp.org/tlog-cosignature has them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use signed_note::{Note, StandardVerifier, Verifier, VerifierList};

/// The kinds of keys: of a log, and of a witness.
const NOTE: u8 = 1;
const COSIGNATURE: u8 = 4;

struct Witness {
    name: String,
    id: u32,
    ed25519: StandardVerifier,
}

impl Witness {
    /// From its public line, NAME+ID+KEY.
    fn new(line: &str) -> Self {
        let parts: Vec<&str> = line.splitn(3, '+').collect();
        let key = STANDARD.decode(parts[2]).unwrap();
        assert_eq!(key[0], COSIGNATURE);
        let id = signed_note::key_id(parts[0], &key);
        assert_eq!(format!("{id:08x}"), parts[1]);
        let plain = [&[NOTE], &key[1..]].concat();
        let plain_id = signed_note::key_id(parts[0], &plain);
        let plain = format!("{}+{plain_id:08x}+{}", parts[0], STANDARD.encode(&plain));
        Self { name: parts[0].to_owned(), id, ed25519: StandardVerifier::new(&plain).unwrap() }
    }
}

impl Verifier for Witness {
    fn name(&self) -> &str {
        &self.name
    }

    fn key_id(&self) -> u32 {
        self.id
    }

    fn verify(&self, text: &[u8], signature: &[u8]) -> bool {
        let Some((time, signature)) = signature.split_first_chunk() else { return false };
        let time = u64::from_be_bytes(*time);
        let message = [format!("cosignature/v1\ntime {time}\n").as_bytes(), text].concat();
        self.ed25519.verify(&message, signature)
    }
}

/// Whether the witness of this public line cosigned the note.
pub(crate) fn cosigned(line: &str, note: &[u8]) -> bool {
    let known = VerifierList::new(vec![Box::new(Witness::new(line))]);
    let Ok(note) = Note::from_bytes(note) else { return false };
    note.verify(&known).is_ok_and(|(verified, _)| verified.len() == 1)
}
