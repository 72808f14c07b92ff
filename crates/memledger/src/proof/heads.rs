//! Owns comparing a ledger with what was signed and what was kept elsewhere.
//!
//! Invariants: a log that is shorter than a head is a rollback, one with another root is a fork, and
//! both are damage; a head that nobody trusted has signed says nothing, and is a thing that cannot be
//! checked. Works on a directory as it lies there, held by another process or not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use ledger_format::event::ledger::{CheckpointSigned, KeyRotated, PublicKey};
use ledger_format::{LedgerId, Seq, TreeRoot};
use ledger_proof::{Checkpoint, KeyKind, ProofError, SignedCheckpoint, VerifierKey};
use ledger_store::Reader;
use ledger_store::storage::Storage;

use super::checkpoint::{StoredCheckpoint, stored};
use super::given::{GivenHead, Heads};
use super::history::{ED25519, History};
use super::rollback;
use super::roots::{self, size};
use crate::error::Result;
use crate::verify::{Check, CheckVerdict, identity, open_to_look};

/// What a comparison came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// One claim for each kind of thing that was compared.
    pub checks: Vec<Check>,
    /// What completeness was told by, for people.
    pub against: Vec<String>,
}

/// Compares the ledger in a directory with its own signatures and with heads from elsewhere.
///
/// # Errors
/// [`crate::ErrorKind::Invalid`] where no ledger is. What does not hold is in the checks.
pub fn compare(dir: &Path, heads: &Heads) -> Result<Compared> {
    let storage = open_to_look(dir)?;
    let ledger = identity(&*storage, dir)?;
    Ok(compare_in(&storage, ledger, heads))
}

/// As [`compare`], wherever the files lie.
pub(crate) fn compare_in(storage: &Arc<dyn Storage>, ledger: LedgerId, heads: &Heads) -> Compared {
    let opened = Reader::open_unanchored(Arc::clone(storage), ledger);
    let compared = opened
        .map_err(crate::Error::from)
        .and_then(|opened| Comparison::new(&**storage, &opened.reader, heads)?.run());
    // A log that cannot be read this far is reported by the checks of the log itself.
    compared.unwrap_or_else(|error| unread(heads, &error.to_string()))
}

/// When the log cannot be read: nothing is said about any head.
fn unread(heads: &Heads, why: &str) -> Compared {
    let expected = (heads.heads.len() + heads.checkpoints.len()) as u64;
    let mut claim = Claim::new("kept heads", expected);
    if expected > 0 {
        claim.unproven(format!("the log cannot be read: {why}"));
    }
    Compared { checks: claim.check().into_iter().collect(), against: Vec::new() }
}

struct Comparison<'a> {
    reader: &'a Reader,
    heads: &'a Heads,
    history: History,
    notes: Vec<StoredCheckpoint>,
    roots: BTreeMap<u64, TreeRoot>,
    size: u64,
}

impl<'a> Comparison<'a> {
    fn new(storage: &dyn Storage, reader: &'a Reader, heads: &'a Heads) -> Result<Self> {
        let later = heads.from > Seq(0);
        let needs_keys = !heads.checkpoints.is_empty() && heads.keys.is_empty();
        let mut history = match later {
            true if !needs_keys => History::default(),
            _ => History::read(reader)?,
        };
        let notes = if later { Vec::new() } else { stored(storage)? };
        if later {
            history.checkpoints.clear();
        }
        let signed = history.checkpoints.iter().map(|(_, signed)| signed.size);
        let noted =
            notes.iter().filter_map(|note| Some(note.note.as_ref().ok()?.checkpoint().size));
        let given = heads.heads.iter().map(|head| head.size);
        let given = given.filter(|size| *size > heads.from.0);
        let more = heads.checkpoints.iter().map(|given| given.signed.checkpoint().size);
        let sizes: BTreeSet<u64> = signed.chain(noted).chain(given).chain(more).collect();
        let roots = roots::roots(storage, reader, &sizes)?;
        Ok(Self { reader, heads, history, notes, roots, size: size(reader) })
    }

    fn run(self) -> Result<Compared> {
        let claims = [
            self.rotations(),
            self.records(),
            self.stored_notes(),
            self.kept_heads()?,
            self.given_checkpoints(),
            self.witnesses(),
        ];
        let kept =
            self.heads.heads.iter().map(|head| format!("{} ({} records)", head.name, head.size));
        let signed = self.heads.checkpoints.iter();
        let signed = signed
            .map(|given| format!("{} ({} records)", given.name, given.signed.checkpoint().size));
        let against = kept.chain(signed).collect();
        Ok(Compared { checks: claims.into_iter().filter_map(Claim::check).collect(), against })
    }

    /// Both signatures of every rotation, and that it continues the key before it.
    fn rotations(&self) -> Claim {
        let rotations = &self.history.rotations;
        let mut claim = Claim::new("signing keys", rotations.len() as u64);
        let mut before: Option<&PublicKey> = None;
        for (seq, rotated) in rotations {
            claim.take(self.rotation(*seq, rotated, before));
            before = Some(&rotated.new);
        }
        claim
    }

    fn rotation(
        &self,
        seq: Seq,
        rotated: &KeyRotated,
        before: Option<&PublicKey>,
    ) -> std::result::Result<(), Doubt> {
        let wrong = |what: &str| Doubt::Damaged(format!("record {seq}: {what}"));
        if rotated.old.as_ref() != before {
            return Err(wrong("the key it says was in force before was not"));
        }
        let message = KeyRotated::message(&rotated.new, &self.reader.ledger(), seq);
        let signed = |key: &PublicKey, signature: &[u8]| {
            bare(key).map(|key| key.verifies(&message, signature))
        };
        match signed(&rotated.new, &rotated.new_signature) {
            Some(true) => {}
            Some(false) => return Err(wrong("the signature of the new key does not verify")),
            None => return Err(Doubt::Unproven(format!("record {seq}: {UNKNOWN_ALGORITHM}"))),
        }
        let Some(old) = before else { return Ok(()) };
        let signature = rotated.old_signature.as_deref().unwrap_or_default();
        match signed(old, signature) {
            Some(true) => Ok(()),
            Some(false) => Err(wrong("the signature of the key before does not verify")),
            None => Err(Doubt::Unproven(format!("record {seq}: {UNKNOWN_ALGORITHM}"))),
        }
    }

    /// Root and signature of every checkpoint that the log records.
    fn records(&self) -> Claim {
        let signed = &self.history.checkpoints;
        let mut claim = Claim::new("checkpoint records", signed.len() as u64);
        for (seq, signed) in signed {
            claim.take(self.record(*seq, signed));
        }
        claim
    }

    fn record(&self, seq: Seq, signed: &CheckpointSigned) -> std::result::Result<(), Doubt> {
        let wrong = |what: &str| Doubt::Damaged(format!("record {seq}: {what}"));
        if signed.size > seq.0 || self.roots.get(&signed.size) != Some(&signed.root) {
            return Err(wrong(
                "the checkpoint has another root than the log: it was signed again, or the log was",
            ));
        }
        let key = self.history.key_at(seq);
        let key = key.ok_or_else(|| wrong("a checkpoint is signed where no key is in force"))?;
        let key = bare(key).filter(|_| key.algorithm == signed.algorithm);
        let key =
            key.ok_or_else(|| Doubt::Unproven(format!("record {seq}: {UNKNOWN_ALGORITHM}")))?;
        let origin = self.history.origin_at(signed.size).to_owned();
        let text = Checkpoint { origin, size: signed.size, root: signed.root }.to_string();
        if key.verifies(text.as_bytes(), &signed.signature) {
            return Ok(());
        }
        Err(wrong("the signature of the checkpoint does not verify"))
    }

    /// Notes in the ledger's own directory, by the keys that its log names.
    fn stored_notes(&self) -> Claim {
        let mut claim = Claim::new("checkpoint notes", self.notes.len() as u64);
        let keys = self.history.verifiers();
        for stored in &self.notes {
            claim.take(match &stored.note {
                Ok(signed) => self.signed_head(&stored.file, signed, &keys),
                Err(why) => Err(Doubt::Damaged(format!("{} is no checkpoint: {why}", stored.file))),
            });
        }
        // A stop between record and note leaves this too, and the record carries the signature: it is
        // said, and is no damage.
        for (seq, signed) in &self.history.checkpoints {
            let file = format!("checkpoints/{}.note", signed.size);
            if !self.notes.iter().any(|stored| stored.file == file) {
                claim.0.findings.push(format!(
                    "{file} is not here, and record {seq} says that it was signed: cosignatures on it are only where somebody kept a copy"
                ));
            }
        }
        claim
    }

    fn kept_heads(&self) -> Result<Claim> {
        let mut claim = Claim::new("kept heads", self.heads.heads.len() as u64);
        for head in &self.heads.heads {
            let record = match head.record {
                Some(_) if (1..=self.size).contains(&head.size) => {
                    Some(self.reader.record(Seq(head.size - 1))?.hash)
                }
                _ => None,
            };
            claim.take(self.kept(head, record));
        }
        Ok(claim)
    }

    fn kept(
        &self,
        head: &GivenHead,
        record: Option<ledger_format::RecordHash>,
    ) -> std::result::Result<(), Doubt> {
        // A record's hash binds all records before it.
        let by_hash = record.is_some() && head.size <= self.heads.from.0;
        if let Some(root) = &head.root
            && !by_hash
        {
            self.head(&head.name, head.size, root)?;
        }
        self.reaches(&head.name, head.size)?;
        if record != head.record {
            return Err(self.other(&head.name, head.size));
        }
        Ok(())
    }

    fn given_checkpoints(&self) -> Claim {
        let given = &self.heads.checkpoints;
        let mut claim = Claim::new("given checkpoints", given.len() as u64);
        let of_log;
        let keys = if self.heads.keys.is_empty() {
            of_log = self.history.verifiers();
            &of_log
        } else {
            &self.heads.keys
        };
        for given in given {
            claim.take(self.signed_head(&given.name, &given.signed, keys));
        }
        claim
    }

    /// Whether the witnesses that the caller trusts vouch for each given checkpoint.
    fn witnesses(&self) -> Claim {
        let Some(policy) = self.heads.policy.as_ref().filter(|policy| policy.asks()) else {
            return Claim::new("witnesses", 0);
        };
        let given = &self.heads.checkpoints;
        let mut claim = Claim::new("witnesses", given.len().max(1) as u64);
        if given.is_empty() {
            claim.unproven("a witness policy was given, and no checkpoint that it is asked about");
        }
        for given in given {
            let vouched = policy.check(&given.signed, self.heads.now, None);
            claim.take(match vouched {
                Ok(_) => Ok(()),
                Err(error) => Err(doubt(&given.name, &error)),
            });
        }
        claim
    }

    fn signed_head(
        &self,
        name: &str,
        signed: &SignedCheckpoint,
        keys: &[VerifierKey],
    ) -> std::result::Result<(), Doubt> {
        let head = signed.checkpoint();
        signed.verify(keys).map_err(|error| doubt(name, &error))?;
        self.head(name, head.size, &head.root)
    }

    fn head(&self, name: &str, size: u64, root: &TreeRoot) -> std::result::Result<(), Doubt> {
        self.reaches(name, size)?;
        if self.roots.get(&size) == Some(root) { Ok(()) } else { Err(self.other(name, size)) }
    }

    fn reaches(&self, name: &str, size: u64) -> std::result::Result<(), Doubt> {
        if size <= self.size {
            return Ok(());
        }
        let restored = self.history.restored_below(size);
        let what = rollback::shorter(name, self.size, size, restored);
        Err(Doubt::Damaged(format!("{what}; put the newer copy back")))
    }

    fn other(&self, name: &str, size: u64) -> Doubt {
        Doubt::Damaged(rollback::other(name, size, self.history.restored_below(size)))
    }
}

const UNKNOWN_ALGORITHM: &str = "it is signed by an algorithm that this program does not know";

/// Why something is not as it should be.
enum Doubt {
    Damaged(String),
    Unproven(String),
}

fn doubt(name: &str, error: &ProofError) -> Doubt {
    match error {
        ProofError::BadSignature { .. } => Doubt::Damaged(format!("{name}: {error}")),
        _ => Doubt::Unproven(format!("{name}: {error}")),
    }
}

/// A key of the log without its name; none where the algorithm is not known here.
fn bare(key: &PublicKey) -> Option<VerifierKey> {
    let known = key.algorithm == ED25519;
    VerifierKey::new("log", KeyKind::Note, &key.bytes).ok().filter(|_| known)
}

/// One claim in the making.
struct Claim(Check);

impl Claim {
    fn new(name: &str, expected: u64) -> Self {
        Self(Check {
            name: name.to_owned(),
            checked: 0,
            expected,
            verdict: CheckVerdict::Ok,
            findings: Vec::new(),
        })
    }

    fn take(&mut self, result: std::result::Result<(), Doubt>) {
        match result {
            Ok(()) => self.0.checked += 1,
            Err(Doubt::Unproven(what)) => self.unproven(what),
            Err(Doubt::Damaged(what)) => {
                self.0.verdict = CheckVerdict::Damaged;
                self.0.findings.push(what);
            }
        }
    }

    fn unproven(&mut self, what: impl Into<String>) {
        self.0.verdict = self.0.verdict.max(CheckVerdict::CannotCheck);
        self.0.findings.push(what.into());
    }

    /// The claim, where there is anything that it is about.
    fn check(self) -> Option<Check> {
        Some(self.0).filter(|check| check.expected > 0 || !check.findings.is_empty())
    }
}
