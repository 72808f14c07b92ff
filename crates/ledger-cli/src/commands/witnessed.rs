//! Owns asking witnesses to cosign a checkpoint, and saying what each of them said.
//!
//! Invariants: what came is kept, whether the quorum is met or not; a missed quorum names every
//! witness with what it said. Nobody waits for a witness but this command: the ledger is held while
//! the questions are made and while the answers are kept, and not in between. The proofs that
//! witnesses are expected to need are made before; one that stands elsewhere is answered from the
//! raw archive, which needs no lock.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use ledger_server::{Asked, Unwitnessed, gather};
use memledger::Ledger;
use memledger::proof::{
    ConsistencyFile, ProofError, SignatureLine, SignedCheckpoint, VerifierKey, WitnessPolicy,
};
use serde_json::{Value, json};

use super::proof::{in_file, policy_in, seconds};
use super::writing;
use crate::context::Context;
use crate::exit::Failure;

/// For one witness, whatever has to be asked.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is said of signatures that came when the ledger could not be held again.
const UNKEPT: &str =
    "the witnesses cosigned, and their signatures are only on the note that is printed";

/// And what to do then.
const AGAIN: &str = "run the command again: it asks for this checkpoint again";

/// Which witnesses are asked, and what is asked of them together.
pub(super) struct Witnesses {
    policy: WitnessPolicy,
    asked: Vec<Named>,
}

/// A witness with what it is called in messages.
struct Named {
    name: String,
    url: String,
    keys: Vec<VerifierKey>,
}

/// What is asked, for which checkpoint, and what is known for the answers.
pub(super) struct Questions {
    signed: SignedCheckpoint,
    asked: Vec<Asked>,
    /// From where each witness is thought to stand.
    proofs: BTreeMap<u64, Result<ConsistencyFile, String>>,
}

/// What came of it.
pub(super) struct Witnessed {
    /// The checkpoint with the signatures that came.
    pub(super) signed: SignedCheckpoint,
    /// Why the signatures that came are not kept.
    unkept: Option<Failure>,
    /// What each witness said.
    pub(super) said: Vec<Said>,
    /// The names of the keys that count, or which quorum is missed.
    pub(super) quorum: Result<Vec<String>, ProofError>,
}

/// One witness and its answer.
pub(super) struct Said {
    name: String,
    url: String,
    answer: Result<Vec<SignatureLine>, Unwitnessed>,
}

impl Witnesses {
    /// Those of a policy that have a URL, and those of the flags: whose they are shows when they
    /// answer.
    pub(super) fn meant(policy: &Path, urls: &[String]) -> Result<Self, Failure> {
        let read = policy_in(policy)?;
        let keys = || read.witnesses().iter().map(|witness| witness.key.clone()).collect();
        let mut asked: Vec<Named> = Vec::new();
        for witness in read.witnesses() {
            if let Some(url) = witness.url.clone() {
                let (name, keys) = (witness.name.clone(), vec![witness.key.clone()]);
                asked.push(Named { name, url, keys });
            }
        }
        for url in urls {
            if !asked.iter().any(|named| named.url == *url) {
                asked.push(Named { name: url.clone(), url: url.clone(), keys: keys() });
            }
        }
        if asked.is_empty() && read.asks() {
            let why = "no witness in it has a URL, so there is nobody to ask";
            return Err(in_file(policy, &why)
                .hint("write `witness NAME KEY URL`, or name one with --witness URL"));
        }
        Ok(Self { policy: read, asked })
    }

    /// What the witnesses are asked about a checkpoint, each from where it stood last as far as is known
    /// here, with the proofs for it.
    pub(super) fn questions(
        &self,
        ledger: &Ledger,
        signed: &SignedCheckpoint,
    ) -> Result<Questions, Failure> {
        let mut asked = Vec::with_capacity(self.asked.len());
        let mut proofs = BTreeMap::new();
        for named in &self.asked {
            let (url, keys) = (named.url.clone(), named.keys.clone());
            let known = match keys.as_slice() {
                [_] => ledger.cosigned_sizes(&keys, signed.checkpoint().size)?.first().copied(),
                _ => None,
            };
            let known = known.unwrap_or(0);
            proofs.entry(known).or_insert_with(|| prove(ledger, known, signed));
            asked.push(Asked { url, keys, known });
        }
        Ok(Questions { signed: signed.clone(), asked, proofs })
    }

    /// Asks all of them, and keeps what came.
    pub(super) fn ask(self, ctx: &Context<'_>, questions: Questions) -> Witnessed {
        let Questions { signed, asked, proofs } = questions;
        let archive = OnceLock::new();
        let prover = |old| match proofs.get(&old) {
            Some(made) => made.clone(),
            None => {
                let opened = archive.get_or_init(|| Ledger::open_archive(&ctx.dir, ctx.options()));
                let ledger = opened.as_ref().map_err(ToString::to_string)?;
                prove(ledger, old, &signed)
            }
        };
        let answers = gather(&signed, &asked, PATIENCE, &prover);
        let lines: Vec<SignatureLine> = answers.iter().flatten().flatten().cloned().collect();
        let (signed, unkept) = match keep(ctx, &signed, &lines) {
            Ok(signed) => (signed, None),
            // They are shown all the same, so that nobody has to ask again.
            Err(failure) => (signed.clone().renewed(&lines).unwrap_or(signed), Some(failure)),
        };
        let vouched = self.policy.check(&signed, seconds(ctx), None);
        let said = self.asked.into_iter().zip(answers);
        let said = said.map(|(named, answer)| Said { name: named.name, url: named.url, answer });
        let names =
            |vouched: Vec<(String, u64)>| vouched.into_iter().map(|(name, _)| name).collect();
        Witnessed { signed, unkept, said: said.collect(), quorum: vouched.map(names) }
    }
}

/// The proof that a checkpoint continues the log of `old` records.
fn prove(ledger: &Ledger, old: u64, signed: &SignedCheckpoint) -> Result<ConsistencyFile, String> {
    ledger.prove_consistency(old, Some(signed.clone())).map_err(|error| error.to_string())
}

/// Puts the signatures that came on the note, with those that others put there meanwhile.
fn keep(
    ctx: &Context<'_>,
    signed: &SignedCheckpoint,
    lines: &[SignatureLine],
) -> Result<SignedCheckpoint, Failure> {
    if lines.is_empty() {
        return Ok(signed.clone());
    }
    writing(ctx, |_, ledger| Ok(ledger.add_cosignatures(signed.checkpoint().size, lines)?))
}

impl Witnessed {
    /// The failure of a missed quorum, or of a witness that saw another history: then this log may be
    /// the wrong one, whoever else vouches. Else of signatures that came and are not kept.
    pub(super) fn failure(&mut self) -> Option<Failure> {
        let another = self.said.iter().any(Said::tells_of_another_history);
        let mut message = match &self.quorum {
            Err(error) => error.to_string(),
            Ok(_) if another => "a witness saw another history of this ledger".to_owned(),
            Ok(_) => return self.unkept.take().map(|failure| failure.within(UNKEPT).hint(AGAIN)),
        };
        message.push_str(": the checkpoint is kept with ");
        message.push_str(match &self.unkept {
            None => "the signatures that came",
            Some(_) => {
                "its own signature, and those that came are only on the note that is printed"
            }
        });
        for said in self.said.iter().filter(|said| said.answer.is_err()) {
            message.push_str(&format!("\n  {said}"));
        }
        message.push_str(if another {
            "\nkeep this copy, find the other one, and hold them against each other: `memledger verify --checkpoint` with a note of the other"
        } else {
            "\nrun the command again once they answer: it asks for this checkpoint again"
        });
        Some(Failure::unproven(message))
    }
}

impl Said {
    fn tells_of_another_history(&self) -> bool {
        matches!(&self.answer, Err(why) if why.tells_of_another_history())
    }

    /// For programs.
    pub(super) fn object(&self) -> Value {
        let why = self.answer.as_ref().err().map(ToString::to_string);
        json!({ "name": self.name, "url": self.url, "cosigned": self.answer.is_ok(), "why": why })
    }
}

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.answer {
            Ok(_) => write!(f, "{}: cosigned", self.name),
            Err(why) => write!(f, "{}: {why}", self.name),
        }
    }
}
