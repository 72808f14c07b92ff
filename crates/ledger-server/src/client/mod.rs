//! Asking witnesses to cosign a checkpoint: the client's side of c2sp.org/tlog-witness.
//!
//! Owns: the order of questions to one witness, and what its answers mean for the log that asks.
//! Invariants: each witness is asked for itself and within its own time, so that a slow one delays
//! nobody beyond that; what is handed back was verified with a key that the caller trusts. May not:
//! read a ledger (proofs come from the caller) or keep anything.

mod endpoint;
mod http;
mod outcome;
mod tls;

use std::thread;
use std::time::Duration;

use ledger_proof::{ConsistencyFile, SignatureLine, SignedCheckpoint, VerifierKey};

use endpoint::Endpoint;
use http::Answer;
pub use outcome::Unwitnessed;

/// How often one witness is asked: where it may stand, where it says it stands, and once more for
/// another process that asked in between.
const TRIES: usize = 3;

/// A witness to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Its submission prefix: `http://` or `https://`.
    pub url: String,
    /// The keys that it may cosign with.
    pub keys: Vec<VerifierKey>,
    /// The records of the log that it cosigned last, as far as is known; else 0.
    pub known: u64,
}

/// Makes the proof that the checkpoint continues the log of so many records, or says why it cannot.
pub type Prover<'a> = &'a (dyn Fn(u64) -> Result<ConsistencyFile, String> + Sync);

/// Asks all witnesses at once to cosign a checkpoint, each within `patience`, proofs included. The
/// answers come in the order of `asked`: the cosignatures, which verified, or why there are none.
#[must_use]
pub fn gather(
    checkpoint: &SignedCheckpoint,
    asked: &[Asked],
    patience: Duration,
    prover: Prover<'_>,
) -> Vec<Result<Vec<SignatureLine>, Unwitnessed>> {
    let one = |asked| within(checkpoint, asked, patience, prover);
    thread::scope(|scope| {
        let asking: Vec<_> = asked.iter().map(|asked| scope.spawn(|| one(asked))).collect();
        asking.into_iter().map(|thread| thread.join().unwrap_or(Err(Unwitnessed::Failed))).collect()
    })
}

/// Asks one witness, on a runtime of its own: making a proof may block it.
fn within(
    checkpoint: &SignedCheckpoint,
    asked: &Asked,
    patience: Duration,
    prover: Prover<'_>,
) -> Result<Vec<SignatureLine>, Unwitnessed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Unwitnessed::Unreachable(error.to_string()))?;
    let answered = runtime.block_on(async {
        let late = Err(Unwitnessed::Late(patience));
        tokio::time::timeout(patience, ask(checkpoint, asked, prover)).await.unwrap_or(late)
    });
    // A name that is still being looked up is not waited for.
    runtime.shutdown_background();
    answered
}

async fn ask(
    checkpoint: &SignedCheckpoint,
    asked: &Asked,
    prover: Prover<'_>,
) -> Result<Vec<SignatureLine>, Unwitnessed> {
    let endpoint = Endpoint::parse(&asked.url)?;
    let here = checkpoint.checkpoint().size;
    let mut old = asked.known.min(here);
    for _ in 0..TRIES {
        let proof = prover(old).map_err(Unwitnessed::Unproven)?;
        let answer = http::post(&endpoint, proof.to_string()).await?;
        old = match answer.status {
            200 => return cosigned(checkpoint, asked, &answer),
            409 => elsewhere(&answer, old, here)?,
            422 if old > 0 => return Err(Unwitnessed::Fork { size: old }),
            404 => return Err(Unwitnessed::UnknownLog),
            403 => return Err(Unwitnessed::UnknownKey),
            _ => return Err(answer.refusal()),
        };
    }
    Err(Unwitnessed::Moving)
}

/// The lines that count of those that a witness answered.
fn cosigned(
    checkpoint: &SignedCheckpoint,
    asked: &Asked,
    answer: &Answer,
) -> Result<Vec<SignatureLine>, Unwitnessed> {
    SignatureLine::parse_all(&answer.body)
        .and_then(|lines| checkpoint.cosignatures(&lines, &asked.keys))
        .map_err(Unwitnessed::NotCounted)
}

/// Where a witness says that it stands, when it is a place that this log can go on from.
fn elsewhere(answer: &Answer, old: u64, here: u64) -> Result<u64, Unwitnessed> {
    match answer.size() {
        Some(size) if size > here => Err(Unwitnessed::Ahead { size, here }),
        Some(size) if size != old => Ok(size),
        // It stands where it was asked and still refuses: the sizes are the same, the trees are not.
        _ if old == here => Err(Unwitnessed::Fork { size: here }),
        _ => Err(answer.refusal()),
    }
}
