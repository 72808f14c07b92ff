//! Owns verification of a whole ledger: what the store checks in the files, and that the views say
//! what the log says.
//!
//! Invariants: every claim says how much of how much was checked; a claim that was not checked says
//! so; damage, missing means and success are three different verdicts.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use ledger_format::segment::SegmentHeader;
use ledger_format::{Kind, LedgerId, Micros, SegmentNo, Seq, TreeRoot};
use ledger_replay::{PayloadSet, State, apply};
use ledger_store::storage::{LockError, Storage};
pub use ledger_store::verify::ByteMark;
use ledger_store::verify::{
    self, Claim, Finding, Progress, RememberedHead, Verdict, VerifyOptions,
};
use ledger_store::{
    Class, KeyStore, LedgerConfig, MasterEnv, MasterKey, Position, Reader, StoreError, layout,
    read_anchors,
};
use ledger_views::{Fold, Opened, Unusable, Views};

use crate::error::{Error, Result};
use crate::ledger::{Ledger, replay};
use crate::vault::{decode, kind_of};

/// Rows that are named at most, of views that differ from the log.
const ROWS_NAMED: usize = 20;

/// How much is checked. Each level includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VerifyLevel {
    /// Framing, batch hashes, and the bytes against the mark of an earlier check. Of each batch the
    /// first and the last record are looked at and no other; no tree, no keys, no payloads.
    Fast,
    /// Segments, chain, batches, Merkle tree, anchors, key pages, configuration.
    Log,
    /// Also stored payloads against the digests in their records.
    Payloads,
    /// Also what is in them, against the commitments.
    Content,
    /// Also the views against a replay of the log.
    Views,
}

/// What a check is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyRequest {
    /// How much.
    pub level: VerifyLevel,
    /// Heads kept elsewhere: for each a number of records and the Merkle root over them. The log
    /// must still begin with what they name.
    pub remembered: Vec<(u64, TreeRoot)>,
    /// A head that was checked before or is taken on the word of whoever signed it. Records before
    /// the segment of its last one are not read, but at [`VerifyLevel::Fast`]; views are not compared.
    pub since: Option<(u64, TreeRoot)>,
    /// The bytes that an earlier check found whole.
    pub mark: Option<ByteMark>,
    /// Whether to leave such a mark.
    pub digest: bool,
    /// Whether to leave the ledger to those who write meanwhile: it is checked up to its anchor, and
    /// its views are not compared.
    pub beside: bool,
}

impl From<VerifyLevel> for VerifyRequest {
    fn from(level: VerifyLevel) -> Self {
        Self {
            level,
            remembered: Vec::new(),
            since: None,
            mark: None,
            digest: false,
            beside: false,
        }
    }
}

/// What is known about a claim, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckVerdict {
    /// As it should be.
    Ok,
    /// The level does not include it.
    NotChecked,
    /// Something needed to check it is missing.
    CannotCheck,
    /// Not as it should be.
    Damaged,
}

impl fmt::Display for CheckVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ok => "ok",
            Self::NotChecked => "not checked",
            Self::CannotCheck => "cannot be checked",
            Self::Damaged => "DAMAGED",
        })
    }
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// How much was found as it should be.
    pub checked: u64,
    /// How much there should be.
    pub expected: u64,
    /// What is known.
    pub verdict: CheckVerdict,
    /// What was found wrong, with its place.
    pub findings: Vec<String>,
}

/// All claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    /// The ledger.
    pub ledger: LedgerId,
    /// The claims, in the order in which they rest on each other.
    pub checks: Vec<Check>,
    /// The last record that was reached.
    pub head: Option<Seq>,
    /// The Merkle root over everything up to it: what to keep elsewhere.
    pub root: Option<TreeRoot>,
    /// The first record that was looked at: those before it are taken from [`VerifyRequest::since`].
    pub from: Seq,
    /// When the last record before the head that it begins with was recorded, if one was given.
    pub since_recorded_at: Option<Micros>,
    /// The bytes that were read, where that was asked for and the log is whole.
    pub mark: Option<ByteMark>,
    /// How many heads from elsewhere the log was held against, the notes of the ledger included.
    pub heads: u64,
}

impl VerifyReport {
    /// The worst verdict of what was checked.
    #[must_use]
    pub fn verdict(&self) -> CheckVerdict {
        let verdicts = self.checks.iter().map(|check| check.verdict);
        verdicts
            .filter(|verdict| *verdict != CheckVerdict::NotChecked)
            .max()
            .unwrap_or(CheckVerdict::NotChecked)
    }
}

/// What a check tells while it runs: a word, how much is done, of how much.
pub type Watch<'a> = &'a dyn Fn(&str, u64, u64);

/// Up to where a check has found nothing wrong, while it goes on: a check that is interrupted can
/// begin there the next time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Number of records.
    pub size: u64,
    /// The Merkle root over them, as stored.
    pub root: TreeRoot,
    /// Bytes of segments that this check has gone over.
    pub bytes: u64,
}

impl Ledger {
    /// Checks this open ledger up to its durable head. Completeness is checked against the local
    /// anchor only: whoever rewinds the whole directory is found by a head that somebody else
    /// remembered.
    ///
    /// # Errors
    /// When the check itself cannot run. What it finds is in the report.
    pub fn verify(
        &self,
        request: impl Into<VerifyRequest>,
        watch: Watch<'_>,
    ) -> Result<VerifyReport> {
        let request = request.into();
        let level = request.level;
        let reader = self.vault.reader();
        let keys = Some(self.vault.keys());
        let watching = Watching { watch, reached: &|_| () };
        let mut report = files(&self.storage, reader, keys, &request, reader.position(), watching);
        let views = match (&self.views, reader.head()) {
            (Some(feed), Some(head)) => feed.wait_for(head.seq).map_err(|error| error.to_string()),
            _ => Err("this ledger was opened without its views".to_owned()),
        };
        report.checks.push(views_check(reader, level, views.map_err(Doubt::Absent), watch));
        Ok(report)
    }

    /// Checks the ledger in a directory as it lies there, without opening or changing its log. A
    /// ledger that is held by another process is checked up to its anchor. The master key, which
    /// contents need, is looked for as `master` says.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] where no ledger is, [`crate::ErrorKind::Unavailable`] when the directory
    /// cannot be read.
    pub fn verify_dir(
        dir: &Path,
        master: &MasterEnv,
        request: impl Into<VerifyRequest>,
        watch: Watch<'_>,
    ) -> Result<VerifyReport> {
        Self::verify_dir_reaching(dir, master, &request.into(), watch, &|_| ())
    }

    /// As [`Ledger::verify_dir`], and tells `reached` after each segment up to where all is in order.
    ///
    /// # Errors
    /// As [`Ledger::verify_dir`].
    pub fn verify_dir_reaching(
        dir: &Path,
        master: &MasterEnv,
        request: &VerifyRequest,
        watch: Watch<'_>,
        reached: &dyn Fn(Reached),
    ) -> Result<VerifyReport> {
        let storage = open_to_look(dir)?;
        let ledger = identity(&*storage, dir)?;
        let watching = Watching { watch, reached };
        if request.beside {
            return check_beside(dir, &storage, ledger, master, request, watching);
        }
        let lock = storage.try_lock();
        let access = match &lock {
            Ok(_) => Access::Ours,
            Err(LockError::Held { .. }) => Access::Held,
            Err(_) => Access::LooksOnly,
        };
        check_dir(dir, &storage, (ledger, access), master, request, watching)
    }
}

/// Who is told what while a check runs.
#[derive(Clone, Copy)]
pub(crate) struct Watching<'a> {
    pub(crate) watch: Watch<'a>,
    pub(crate) reached: &'a dyn Fn(Reached),
}

impl<'a> Watching<'a> {
    /// Only how much is done.
    pub(crate) fn only(watch: Watch<'a>) -> Self {
        Self { watch, reached: &|_| () }
    }
}

/// Checks a ledger that others may write meanwhile. A holder that begins on the way may change key
/// pages under the eyes of the check; then it is looked at once more, as what it has become.
fn check_beside(
    dir: &Path,
    storage: &Arc<dyn Storage>,
    ledger: LedgerId,
    master: &MasterEnv,
    request: &VerifyRequest,
    watching: Watching<'_>,
) -> Result<VerifyReport> {
    let anchored = || read_anchors(&**storage).ok().and_then(|anchors| anchors.best().cloned());
    let before = anchored();
    let who = (ledger, Access::Held);
    let report = check_dir(dir, storage, who, master, request, watching)?;
    if report.verdict() == CheckVerdict::Ok || before == anchored() {
        return Ok(report);
    }
    check_dir(dir, storage, who, master, request, watching)
}

/// How a directory may be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// This process has the lock, which keeps others out meanwhile.
    Ours,
    /// Another process has it: only what is anchored is settled.
    Held,
    /// Nothing may be written, not even the lock.
    LooksOnly,
}

/// Checks a directory.
pub(crate) fn check_dir(
    dir: &Path,
    storage: &Arc<dyn Storage>,
    (ledger, access): (LedgerId, Access),
    master: &MasterEnv,
    request: &VerifyRequest,
    watching: Watching<'_>,
) -> Result<VerifyReport> {
    let level = request.level;
    let closed = match access {
        _ if request.since.is_some() => {
            Some("they rest on all records, and only the last ones were read")
        }
        Access::Held if request.beside => Some("the ledger was left to those who write"),
        Access::Ours => None,
        Access::Held => Some("another process holds the ledger and its views"),
        Access::LooksOnly => Some("opening views writes, and nothing is to be written"),
    };
    let opened = Reader::open_unanchored(Arc::clone(storage), ledger);
    let upto = match access {
        Access::Held => read_anchors(&**storage)?.best().map(Position::of_anchor),
        Access::Ours | Access::LooksOnly => None,
    };
    let master = match MasterKey::load(master, &ledger) {
        // Nothing below the level of content needs a key.
        Err(_) if level < VerifyLevel::Content => None,
        loaded => loaded?,
    };
    let keys = KeyStore::open(Arc::clone(storage), ledger, master.as_ref().map(|(key, _)| key));
    let reader = match &opened {
        Ok(opened) => opened.reader.clone(),
        Err(error) => {
            return Ok(unopened(error, storage, ledger, keys.as_ref().ok(), request, watching));
        }
    };
    let mut report = files(storage, &reader, keys.as_ref().ok(), request, upto, watching);
    if let Err(error) = &keys {
        report.checks.push(failed("key files", error));
    }
    // Opening views takes away the mark that they were closed in order: only who looks into them
    // does it.
    let views = match closed {
        _ if level < VerifyLevel::Views => Err(Doubt::Absent(String::new())),
        Some(reason) => Err(Doubt::Absent(reason.to_owned())),
        None => stored_views(dir, ledger),
    };
    let borrowed = views.as_ref().map_err(Clone::clone);
    report.checks.push(views_check(&reader, level, borrowed, watching.watch));
    if let Ok(views) = views {
        views.close()?;
    }
    Ok(report)
}

/// Why views cannot be compared.
#[derive(Clone, Debug)]
enum Doubt {
    /// They are not what they should be.
    Wrong(String),
    /// They are not there, or not open to this process: nothing is said about them.
    Absent(String),
    /// They are there, but cannot be compared.
    Unable(String),
}

/// Everything but the views.
fn files(
    storage: &Arc<dyn Storage>,
    reader: &Reader,
    keys: Option<&KeyStore>,
    request: &VerifyRequest,
    upto: Option<Position>,
    watching: Watching<'_>,
) -> VerifyReport {
    // An erasure covers what was there before it, so of what came later only later ones speak.
    let from = request.since.map_or(0, |(size, _)| size.saturating_sub(1));
    let covered = match request.level {
        VerifyLevel::Fast => PayloadSet::default(),
        _ => erased_payloads(reader, segment_start(reader, Seq(from))),
    };
    let erased = |id| covered.contains(id);
    let remembered = remembered(request);
    let options = VerifyOptions {
        level: store_level(request.level),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        upto,
        remembered: &remembered,
        since: since(request),
        digest: request.digest,
        mark: request.mark,
    };
    let progress = |at: Progress| watching.tell(at);
    let report = verify::verify(storage, reader.ledger(), keys, options, &erased, &progress);
    let last = request.since.and_then(|(size, _)| reader.record(Seq(size.checked_sub(1)?)).ok());
    let since_recorded_at = last.and_then(|stored| Some(decode(&stored).ok()?.header.recorded_at));
    VerifyReport { since_recorded_at, ..from_store(reader.ledger(), &report) }
}

impl Watching<'_> {
    fn tell(&self, at: Progress) {
        (self.watch)("files", at.bytes, at.total);
        if let Some(end) = at.whole {
            let size = end.head.seq.0.saturating_add(1);
            (self.reached)(Reached { size, root: end.head.root, bytes: at.bytes });
        }
    }
}

/// The first record of the segment that holds a record.
fn segment_start(reader: &Reader, seq: Seq) -> Seq {
    let segments = reader.segments();
    let begins = segments.iter().rev().map(|segment| segment.first_seq);
    begins.into_iter().find(|first| *first <= seq).unwrap_or_default()
}

fn since(request: &VerifyRequest) -> Option<RememberedHead> {
    request.since.map(|(size, root)| RememberedHead { size, root })
}

fn remembered(request: &VerifyRequest) -> Vec<RememberedHead> {
    let heads = request.remembered.iter();
    heads.map(|(size, root)| RememberedHead { size: *size, root: *root }).collect()
}

/// The directory, for writing where it takes writes: only that can be locked.
pub(crate) fn open_to_look(dir: &Path) -> Result<Arc<dyn Storage>> {
    crate::ledger::open_storage(dir, false).or_else(|_| crate::ledger::open_storage(dir, true))
}

/// Payloads that erasures from a record on cover, as far as the log can be read. The files are checked by a pass of
/// their own; this one looks at the header of every record up to the last erasure that batches name,
/// and decodes erasures only.
pub(crate) fn erased_payloads(reader: &Reader, from: Seq) -> PayloadSet {
    let mut state = State::default();
    let Some(last) = reader.head().and_then(|head| head.last_erasure) else {
        return state.erased().clone();
    };
    if last < from {
        return state.erased().clone();
    }
    for stored in reader.stream(from, ledger_store::Check::None) {
        let Ok(stored) = stored else { break };
        if kind_of(&stored.bytes) == Some(Kind::EraseIntent) {
            let Ok(event) = decode(&stored) else { break };
            apply(&mut state, &event);
        }
        if stored.seq >= last {
            break;
        }
    }
    state.erased().clone()
}

/// A log that cannot even be walked: what the store says, and why.
fn unopened(
    error: &StoreError,
    storage: &Arc<dyn Storage>,
    ledger: LedgerId,
    keys: Option<&KeyStore>,
    request: &VerifyRequest,
    watching: Watching<'_>,
) -> VerifyReport {
    let remembered = remembered(request);
    let level = store_level(request.level);
    let options = VerifyOptions {
        level,
        threads: 1,
        remembered: &remembered,
        since: since(request),
        ..VerifyOptions::default()
    };
    let progress = |at: Progress| watching.tell(at);
    let report = verify::verify(storage, ledger, keys, options, &|_| false, &progress);
    let mut report = from_store(ledger, &report);
    report.checks.push(failed("log", error));
    report
}

/// The id of the ledger in a directory, damaged or not.
///
/// # Errors
/// [`crate::ErrorKind::Invalid`] where no ledger is, [`crate::ErrorKind::Unavailable`] when the directory
/// cannot be read.
pub fn ledger_in(dir: &Path) -> Result<LedgerId> {
    identity(&*open_to_look(dir)?, dir)
}

/// The ledger's id from wherever it can still be read: its configuration, an anchor, a segment. Where
/// they differ, two of them outvote the third, so that the report names the one that is foreign.
pub(crate) fn identity(storage: &dyn Storage, dir: &Path) -> Result<LedgerId> {
    let config = LedgerConfig::read(storage).ok().map(|config| config.ledger);
    let anchor = read_anchors(storage).ok();
    let anchor = anchor.as_ref().and_then(|anchors| anchors.best()).map(|anchor| anchor.ledger);
    let found: Vec<LedgerId> =
        [config, anchor, first_segment(storage)].into_iter().flatten().collect();
    let twice = found.iter().find(|id| found.iter().filter(|other| other == id).count() > 1);
    twice.or(found.first()).copied().ok_or_else(|| {
        Error::invalid(format!(
            "{} holds no ledger (neither ledger.toml, nor an anchor, nor a first segment can be read); name its directory with -C, or make one with `memledger init`",
            dir.display()
        ))
    })
}

/// The ledger that the first segment says it belongs to.
fn first_segment(storage: &dyn Storage) -> Option<LedgerId> {
    let mut header = vec![0; ledger_format::segment::HEADER_BYTES];
    let first = storage.open_read(&layout::segment(SegmentNo(0))).ok()?;
    first.read_exact_at(&mut header, 0).ok()?;
    SegmentHeader::decode(&header).ok().map(|header| header.ledger)
}

fn stored_views(dir: &Path, ledger: LedgerId) -> std::result::Result<Views, Doubt> {
    match Views::open(&dir.join("views"), ledger_views::OpenOptions::new(ledger)) {
        Opened::Ready(views) => Ok(*views),
        Opened::Unusable(
            reason @ (Unusable::Missing | Unusable::InUse | Unusable::OtherSchema { .. }),
        ) => Err(Doubt::Absent(reason.to_string())),
        Opened::Unusable(reason) => Err(Doubt::Wrong(reason.to_string())),
    }
}

/// Replays the log into view rows without touching the views, and compares digests; then reads
/// every stored row.
fn views_check(
    reader: &Reader,
    level: VerifyLevel,
    views: std::result::Result<&Views, Doubt>,
    watch: Watch<'_>,
) -> Check {
    let mut check = Check {
        name: "views".to_owned(),
        checked: 0,
        expected: reader.head().map_or(0, |head| head.seq.0 + 1),
        verdict: CheckVerdict::NotChecked,
        findings: Vec::new(),
    };
    if level < VerifyLevel::Views {
        return check;
    }
    let compared = match views {
        Ok(views) => compare(reader, views, &mut check, watch),
        Err(doubt) => Err(doubt),
    };
    let (verdict, finding) = match compared {
        Ok(()) => (CheckVerdict::Ok, None),
        Err(Doubt::Wrong(what)) => (
            CheckVerdict::Damaged,
            Some(format!("{what}; run `memledger rebuild`, the log is not concerned")),
        ),
        Err(Doubt::Unable(why)) => (CheckVerdict::CannotCheck, Some(why)),
        Err(Doubt::Absent(why)) => (CheckVerdict::NotChecked, Some(why)),
    };
    check.verdict = verdict;
    check.findings.extend(finding);
    check
}

fn compare(
    reader: &Reader,
    views: &Views,
    check: &mut Check,
    watch: Watch<'_>,
) -> std::result::Result<(), Doubt> {
    let Some(applied) = views.applied() else {
        return Err(Doubt::Unable("the views are empty".to_owned()));
    };
    if reader.head().is_none_or(|head| applied.seq > head.seq) {
        return Err(Doubt::Wrong(format!("the views hold record {}, beyond the log", applied.seq)));
    }
    let mut fold = Fold::new(reader.ledger());
    let mut hash = None;
    let expected = check.expected;
    replay(reader, State::default(), |changes| {
        if changes.seq <= applied.seq {
            hash = Some(changes.hash);
            fold.push(&changes)?;
            check.checked += 1;
        }
        if check.checked.is_multiple_of(4_096) {
            watch("views", check.checked, expected);
        }
        Ok(())
    })
    .map_err(|error| Doubt::Unable(format!("the log cannot be replayed: {error}")))?;
    if hash != Some(applied.hash) {
        return Err(Doubt::Wrong("the views belong to another history".to_owned()));
    }
    let stored = views.check_rows().map_err(|error| Doubt::Wrong(error.to_string()))?;
    if stored.digest == fold.digest() && stored.rows == fold.rows() {
        return Ok(());
    }
    let rows = differing_rows(reader, views, applied.seq);
    check.findings.extend(rows.unwrap_or_else(|error| vec![error.to_string()]));
    Err(Doubt::Wrong(format!(
        "the views differ from a replay of the log: {} rows stored, {} replayed, digests differ",
        stored.rows,
        fold.rows()
    )))
}

/// Names the rows that differ from a replay up to `last`: two more replays, which nobody pays for
/// whose views are in order.
fn differing_rows(reader: &Reader, views: &Views, last: Seq) -> Result<Vec<String>> {
    let folded = |mut fold: Fold| {
        replay(reader, State::default(), |changes| {
            if changes.seq <= last {
                fold.push(&changes)?;
            }
            Ok(())
        })
        .map(|_| fold)
    };
    let Some(sums) = folded(Fold::summing(reader.ledger()))?.into_sums() else {
        return Ok(Vec::new());
    };
    let doubtful = sums.doubtful(&views.row_sums()?);
    let fold = folded(Fold::picking(reader.ledger(), doubtful))?;
    let rows = views.differences(fold, ROWS_NAMED)?;
    Ok(rows.iter().map(ToString::to_string).collect())
}

const fn store_level(level: VerifyLevel) -> verify::VerifyLevel {
    match level {
        VerifyLevel::Fast => verify::VerifyLevel::Fast,
        VerifyLevel::Log => verify::VerifyLevel::Log,
        VerifyLevel::Payloads => verify::VerifyLevel::Payloads,
        VerifyLevel::Content | VerifyLevel::Views => verify::VerifyLevel::Content,
    }
}

fn from_store(ledger: LedgerId, report: &verify::VerifyReport) -> VerifyReport {
    VerifyReport {
        ledger,
        checks: report.claims.iter().map(|claim| check(claim, &report.findings)).collect(),
        head: report.head.map(|position| position.head.seq),
        root: report.head.map(|position| position.head.root),
        from: report.from,
        since_recorded_at: None,
        mark: report.mark,
        heads: report.claim("checkpoints").map_or(0, |claim| claim.expected),
    }
}

/// A part that failed before it could be checked.
fn failed(name: &str, error: &StoreError) -> Check {
    let verdict = match error.class() {
        Class::CannotCheck | Class::Unsupported => CheckVerdict::CannotCheck,
        _ => CheckVerdict::Damaged,
    };
    Check {
        name: name.to_owned(),
        checked: 0,
        expected: 1,
        verdict,
        findings: vec![error.to_string()],
    }
}

fn check(claim: &Claim, findings: &[Finding]) -> Check {
    let own = findings.iter().filter(|finding| finding.claim == claim.name);
    Check {
        name: claim.name.to_owned(),
        checked: claim.checked,
        expected: claim.expected,
        verdict: match claim.verdict {
            Verdict::Ok => CheckVerdict::Ok,
            Verdict::NotChecked => CheckVerdict::NotChecked,
            Verdict::CannotCheck => CheckVerdict::CannotCheck,
            _ => CheckVerdict::Damaged,
        },
        findings: own.map(ToString::to_string).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, Content, InitOptions, Proposal, Submission, Terms};
    use ledger_format::event::duty::{EraseIntent, PayloadRange};
    use ledger_format::{Event, JobId, PayloadId};

    fn write(ledger: &Ledger) {
        let scope = "org/a".parse().expect("a scope");
        let proposal = Proposal::new(Content::Text("x".into()), scope);
        let command = Command::Write(Box::new(proposal));
        ledger.submit(Submission::of(command, Terms::default())).expect("it is written");
    }

    fn intent(part: u32, first: u64) -> Event {
        Event::EraseIntent(EraseIntent {
            erasure: JobId([9; 16]),
            part,
            parts: 2,
            subject: None,
            memories: Vec::new(),
            aliases: Vec::new(),
            payloads: vec![PayloadRange { first: PayloadId(first), last: PayloadId(first + 1) }],
        })
    }

    /// Parts lie apart, in batches of their own, with other records between and after them.
    #[test]
    fn erasures_are_found_wherever_they_lie_and_as_a_replay_finds_them() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("ledger");
        let master = MasterEnv { key_dir: Some(dir.path().join("keys")), ..MasterEnv::default() };
        let options = InitOptions { master, ..InitOptions::default() };
        let ledger = Ledger::init(&path, options).expect("a ledger").ledger;
        write(&ledger);
        assert_eq!(erased_payloads(ledger.vault.reader(), Seq(0)).count(), 0);
        for (part, first) in [(0, 40), (1, 60)] {
            ledger.own(Box::new(move |_, _| Ok(intent(part, first)))).expect("it is recorded");
            write(&ledger);
        }
        let reader = ledger.vault.reader();
        let found = erased_payloads(reader, Seq(0));
        let ids: Vec<u64> = (0..100).filter(|id| found.contains(PayloadId(*id))).collect();
        assert_eq!(ids, [40, 41, 60, 61]);
        let state = replay(reader, State::default(), |_| Ok(())).expect("it replays");
        assert_eq!(&found, state.erased());
        ledger.close().expect("it closes");
    }
}
