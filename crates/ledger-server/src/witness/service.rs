//! Owns the answer to one request: judged, kept, and only then signed for others to see.
//!
//! Invariants: requests for one log follow one another, from the judgement to the note that is kept;
//! a log whose note may not have been kept answers nothing more in this run.

use std::collections::BTreeMap;
use std::sync::Mutex;

use ledger_proof::{ConsistencyFile, Refusal, VerifierKey, Vouched, WitnessedLog};

use super::dir::WitnessDir;
use crate::error::{ServerError, ServerErrorKind};

const PLAIN: &str = "text/plain; charset=utf-8";
const SIZE: &str = "text/x.tlog.size";

/// A witness with the logs it knows.
#[derive(Debug)]
pub struct Witness {
    dir: WitnessDir,
    logs: BTreeMap<String, Mutex<State>>,
}

#[derive(Debug)]
struct State {
    log: WitnessedLog,
    /// Why this log is answered no more.
    stopped: Option<String>,
}

/// An answer over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Its status.
    pub status: u16,
    /// Its content type.
    pub content_type: &'static str,
    /// Its body.
    pub body: String,
}

/// What was decided about one request, for whoever runs the witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The log, where the request could be read.
    pub origin: Option<String>,
    /// Records of the checkpoint.
    pub size: u64,
    /// The status that was answered.
    pub status: u16,
    /// Why nothing was signed.
    pub why: Option<String>,
}

impl Witness {
    /// A witness of these logs; keys of one name are of one log.
    ///
    /// # Errors
    /// [`ServerErrorKind::Invalid`] for keys that are no log's, and for a log that signs with the
    /// witness's own key; otherwise as [`WitnessDir::resume`].
    pub fn new(dir: WitnessDir, keys: Vec<VerifierKey>) -> Result<Self, ServerError> {
        let mut named: BTreeMap<String, Vec<VerifierKey>> = BTreeMap::new();
        for key in keys {
            if key.bytes() == dir.key().public().bytes() {
                let why = format!("{} signs with the key of this witness", key.name());
                return Err(ServerError::new(ServerErrorKind::Invalid, why));
            }
            named.entry(key.name().to_owned()).or_default().push(key);
        }
        let mut logs = BTreeMap::new();
        for (origin, keys) in named {
            let log = WitnessedLog::unseen(keys).map_err(|error| {
                ServerError::new(ServerErrorKind::Invalid, format!("{origin}: {error}"))
            })?;
            let log = dir.resume(log)?;
            logs.insert(origin, Mutex::new(State { log, stopped: None }));
        }
        Ok(Self { dir, logs })
    }

    /// Its public key.
    #[must_use]
    pub const fn public(&self) -> &VerifierKey {
        self.dir.key().public()
    }

    /// The logs it knows, each with the records that were cosigned last.
    #[must_use]
    pub fn logs(&self) -> Vec<(String, u64)> {
        let size = |state: &Mutex<State>| state.lock().map_or(0, |state| state.log.size());
        self.logs.iter().map(|(origin, state)| (origin.clone(), size(state))).collect()
    }

    /// Answers `add-checkpoint` at a time in seconds since 1970. Blocks until the note is kept.
    #[must_use]
    pub fn add_checkpoint(&self, body: &[u8], now: u64) -> (Reply, Decision) {
        let request = match ConsistencyFile::parse(body) {
            Ok(request) => request,
            Err(error) => return refused(None, &Refusal::Malformed(error)),
        };
        let head = request.checkpoint.checkpoint();
        let Some(state) = self.logs.get(&head.origin) else {
            return refused(Some(&request), &Refusal::UnknownLog(head.origin.clone()));
        };
        let Ok(mut state) = state.lock() else {
            return stopped(&request, "an earlier request failed; start the witness again");
        };
        if let Some(why) = &state.stopped {
            return stopped(&request, why);
        }
        let accepted = match state.log.judge(&request) {
            Ok(accepted) => accepted,
            Err(refusal) => return refused(Some(&request), &refusal),
        };
        let vouched = match accepted.cosign(self.dir.key(), now) {
            Ok(vouched) => vouched,
            Err(error) => return refused(Some(&request), &Refusal::Malformed(error)),
        };
        if let Err(error) = self.dir.keep(&vouched.kept) {
            let why = error.to_string();
            let answer = stopped(&request, &why);
            state.stopped = Some(why);
            return answer;
        }
        state.log.advance(&vouched);
        cosigned(&request, &vouched)
    }
}

fn cosigned(request: &ConsistencyFile, vouched: &Vouched) -> (Reply, Decision) {
    let body = format!("{}\n", vouched.line);
    decided(Some(request), Reply { status: 200, content_type: PLAIN, body }, None)
}

fn refused(request: Option<&ConsistencyFile>, refusal: &Refusal) -> (Reply, Decision) {
    let why = refusal.to_string();
    let (content_type, body) = match refusal {
        Refusal::Elsewhere { size, .. } => (SIZE, format!("{size}\n")),
        _ => (PLAIN, format!("{why}\n")),
    };
    decided(request, Reply { status: refusal.status(), content_type, body }, Some(why))
}

/// Nothing of the file system is told to strangers.
fn stopped(request: &ConsistencyFile, why: &str) -> (Reply, Decision) {
    let body = "this witness cannot keep its state and signs nothing\n".to_owned();
    let reply = Reply { status: 503, content_type: PLAIN, body };
    decided(Some(request), reply, Some(why.to_owned()))
}

fn decided(
    request: Option<&ConsistencyFile>,
    reply: Reply,
    why: Option<String>,
) -> (Reply, Decision) {
    let head = request.map(|request| request.checkpoint.checkpoint());
    let decision = Decision {
        origin: head.map(|head| head.origin.clone()),
        size: head.map_or(0, |head| head.size),
        status: reply.status,
        why,
    };
    (reply, decision)
}
