//! Owns what a verification begins with: a signed checkpoint, or the signed result of an earlier one.
//!
//! Invariants: nothing in a file is believed before a signature by a key of the ledger was found on
//! it; a result that was not in order is nothing to begin with.

use std::path::Path;

use memledger::MasterEnv;
use memledger::civil::format_utc;
use memledger::format::{LedgerId, Micros, SegmentNo, TreeRoot};
use memledger::proof::{
    ResultSigner, SignedCheckpoint, Statement, VERIFICATION, VerifierKey, parse_root,
};
use memledger::verify::ByteMark;
use serde_json::{Value, json};

use super::proof::{keys, read};
use super::result::named;
use crate::args::LevelWord;
use crate::context::Context;
use crate::exit::Failure;
use crate::output::json::hex;

/// What a verification begins with.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Since {
    /// What it is called in what is said of it.
    pub(super) name: String,
    pub(super) size: u64,
    pub(super) root: TreeRoot,
    /// The bytes up to there, where a result speaks of them.
    pub(super) mark: Option<ByteMark>,
    /// How deep they were checked; none: nobody says that they were.
    pub(super) level: Option<LevelWord>,
    /// Whether the check that left it was still under way.
    pub(super) unfinished: bool,
    /// What a scheduled run wrote for the next one.
    pub(super) schedule: Option<Value>,
}

impl Since {
    /// Reads a file and checks who signed it.
    ///
    /// # Errors
    /// Why it is nothing to begin with.
    pub(super) fn load(
        ctx: &Context<'_>,
        path: &Path,
        ledger: LedgerId,
        typed: &[String],
    ) -> Result<Self, Failure> {
        let bytes = read(path)?;
        let shown = path.display();
        if let Ok(signed) = SignedCheckpoint::parse(&bytes) {
            by_trusted(ctx, typed, &|keys| signed.verify(keys).map(|_| ()))
                .map_err(|failure| failure.within(format!("'{shown}'")))?;
            let head = signed.checkpoint();
            return Ok(Self {
                name: format!("the checkpoint '{shown}' of {} records", head.size),
                size: head.size,
                root: head.root,
                mark: None,
                level: None,
                unfinished: false,
                schedule: None,
            });
        }
        let signed = Statement::parse(VERIFICATION, &bytes).map_err(|_| {
            Failure::broken(format!("'{shown}' is neither a checkpoint nor a result")).hint(
                "`memledger checkpoint` makes the one, `memledger verify --result FILE` the other",
            )
        })?;
        by_trusted(ctx, typed, &|keys| signed.verify(keys).map(|_| ()))
            .map_err(|failure| failure.within(format!("'{shown}'")))?;
        let body = serde_json::from_str(signed.body()).map_err(|_| Failure::internal())?;
        Self::of_result(&body, &shown.to_string(), ledger).map_err(|why| {
            Failure::unproven(format!("'{shown}' is nothing to begin with: {why}"))
                .hint("leave --since out to check everything")
        })
    }

    fn of_result(body: &Value, shown: &str, ledger: LedgerId) -> Result<Self, String> {
        let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
        let report = body.get("report").unwrap_or(&Value::Null);
        let said = |name: &str| report.get(name).and_then(Value::as_str).unwrap_or_default();
        if text("ledger") != ledger.to_string() {
            return Err(format!("it is about ledger {}", text("ledger")));
        }
        let unfinished = said("verdict") == UNFINISHED;
        if !unfinished && body.get("exit") != Some(&json!(0)) {
            return Err(format!("what it found at {} was not in order", text("at")));
        }
        let (size, root) = said("remember").split_once(':').ok_or("it names no head")?;
        let size: u64 = size.parse().map_err(|_| "it names no head")?;
        let of = if unfinished { "the unfinished run" } else { "the verification" };
        Ok(Self {
            name: format!("{of} of {} ('{shown}', level {})", text("at"), said("level")),
            size,
            root: parse_root(root).ok_or("it names no head")?,
            mark: report.get("mark").and_then(mark),
            level: LevelWord::of(said("level")),
            unfinished,
            schedule: body.get("schedule").cloned(),
        })
    }

    /// As an object. `recorded` is when the last of its records was.
    pub(super) fn as_object(&self, recorded: Option<Micros>) -> Value {
        json!({
            "name": self.name,
            "size": self.size,
            "root": self.root.to_string(),
            "level": self.level.map(LevelWord::word),
            "last_recorded_at": recorded.map(format_utc),
        })
    }
}

/// The verdict of a check that is under way.
pub(super) const UNFINISHED: &str = "unfinished";

/// Asks whether one of the trusted keys has signed: those that were typed, else the one at hand, else
/// those that the log names, for which all of it is read.
fn by_trusted(
    ctx: &Context<'_>,
    typed: &[String],
    signed: &dyn Fn(&[VerifierKey]) -> Result<(), memledger::proof::ProofError>,
) -> Result<(), Failure> {
    let broken = |error: memledger::proof::ProofError| {
        Failure::broken(error.to_string())
            .hint("nothing in it is proven; `memledger key show` names the keys of the ledger")
    };
    if !typed.is_empty() {
        return signed(&keys(typed)?).map_err(broken);
    }
    let own = ResultSigner::load(&ctx.dir, &MasterEnv::from_process()).and_then(|own| own.key());
    if own.is_ok_and(|own| signed(&[own]).is_ok()) {
        return Ok(());
    }
    signed(&named(ctx)?).map_err(broken)
}

/// A mark in a result.
pub(super) fn mark_object(mark: &ByteMark) -> Value {
    json!({
        "segment": mark.segment.0,
        "end": mark.end,
        "before": hex(&mark.before),
        "last": hex(&mark.last),
    })
}

fn mark(object: &Value) -> Option<ByteMark> {
    let number = |name: &str| object.get(name).and_then(Value::as_u64);
    let digest = |name: &str| {
        let TreeRoot(bytes) = parse_root(object.get(name)?.as_str()?)?;
        Some(bytes)
    };
    Some(ByteMark {
        segment: SegmentNo(number("segment")?),
        end: number("end")?,
        before: digest("before")?,
        last: digest("last")?,
    })
}

impl LevelWord {
    /// As it is typed.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Log => "log",
            Self::Payloads => "payloads",
            Self::Content => "content",
            Self::Views => "views",
        }
    }

    pub(super) fn of(word: &str) -> Option<Self> {
        let all = [Self::Fast, Self::Log, Self::Payloads, Self::Content, Self::Views];
        all.into_iter().find(|level| level.word() == word)
    }
}
