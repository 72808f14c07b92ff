//! Owns asking witnesses to cosign a checkpoint, and saying what each of them said.
//!
//! Invariants: what came is kept, whether the quorum is met or not; a missed quorum names every
//! witness with what it said. The ledger is held meanwhile, for as long as the slowest witness may
//! take.

use std::path::Path;
use std::time::Duration;

use ledger_server::{Asked, Unwitnessed, gather};
use memledger::Ledger;
use memledger::proof::{ProofError, SignatureLine, SignedCheckpoint, VerifierKey, WitnessPolicy};
use serde_json::{Value, json};

use super::proof::{in_file, policy_in, seconds};
use crate::context::Context;
use crate::exit::Failure;

/// For one witness, whatever has to be asked.
const PATIENCE: Duration = Duration::from_secs(10);

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

/// What came of it.
pub(super) struct Witnessed {
    /// The checkpoint as it is kept now.
    pub(super) signed: SignedCheckpoint,
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

    /// Asks all of them, and keeps what came.
    pub(super) fn ask(
        self,
        ctx: &Context<'_>,
        ledger: &Ledger,
        signed: SignedCheckpoint,
    ) -> Result<Witnessed, Failure> {
        let size = signed.checkpoint().size;
        let prover = |old| {
            let proof = ledger.prove_consistency(old, Some(signed.clone()));
            proof.map_err(|error| error.to_string())
        };
        let answers = gather(&signed, &self.questions(ledger, size)?, PATIENCE, &prover);
        let lines: Vec<SignatureLine> = answers.iter().flatten().flatten().cloned().collect();
        let signed =
            if lines.is_empty() { signed } else { ledger.add_cosignatures(size, &lines)? };
        let vouched = self.policy.check(&signed, seconds(ctx), None);
        let said = self.asked.into_iter().zip(answers);
        let said = said.map(|(named, answer)| Said { name: named.name, url: named.url, answer });
        let names =
            |vouched: Vec<(String, u64)>| vouched.into_iter().map(|(name, _)| name).collect();
        Ok(Witnessed { signed, said: said.collect(), quorum: vouched.map(names) })
    }

    /// A witness of the policy is asked from where it stood last, as far as is known here.
    fn questions(&self, ledger: &Ledger, size: u64) -> Result<Vec<Asked>, Failure> {
        let one = |named: &Named| match named.keys.as_slice() {
            [key] => ledger
                .cosigned_sizes(std::slice::from_ref(key), size)
                .map(|known| known.first().copied().unwrap_or(0)),
            _ => Ok(0),
        };
        let question = |named: &Named| {
            let (url, keys) = (named.url.clone(), named.keys.clone());
            Ok(Asked { url, keys, known: one(named)? })
        };
        self.asked.iter().map(question).collect()
    }
}

impl Witnessed {
    /// The failure of a missed quorum, or of a witness that saw another history: then this log may be
    /// the wrong one, whoever else vouches.
    pub(super) fn failure(&self) -> Option<Failure> {
        let another = self.said.iter().any(Said::tells_of_another_history);
        let mut message = match &self.quorum {
            Err(error) => error.to_string(),
            Ok(_) if another => "a witness saw another history of this ledger".to_owned(),
            Ok(_) => return None,
        };
        message.push_str(": the checkpoint is kept with the signatures that came");
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
