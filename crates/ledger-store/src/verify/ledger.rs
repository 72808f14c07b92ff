//! Owns the order of a check, its threads, and the claims at its end.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};

use ledger_format::hash::RecordHasher;
use ledger_format::{LedgerId, PayloadId, SegmentNo};

use super::digests::{ByteMark, Digests};
use super::extent::Extent;
use super::findings::{Circumstances, Collector, Found, Settled, Topic};
use super::group::{self, Feed};
use super::links::Log;
use super::payloads::Ranges;
use super::report::{Claim, Severity, Verdict, VerifyReport};
use super::segments::{Merge, Plan, Told};
use super::turns::Turns;
use super::work::{Counts, UsedSlots, Work};
use super::{Progress, VerifyLevel, VerifyOptions};
use super::{anchors, config, directory, heads, keys, payload_files};
use crate::head::Position;
use crate::keys::KeyStore;
use crate::layout;
use crate::log::LONGEST_FILE;
use crate::storage::{RelPath, Storage};

pub(super) fn verify(
    storage: &Arc<dyn Storage>,
    ledger: LedgerId,
    given: Option<&KeyStore>,
    options: VerifyOptions<'_>,
    erased: &(dyn Fn(PayloadId) -> bool + Sync),
    progress: &dyn Fn(Progress),
) -> VerifyReport {
    // Key pages are checked without a master key too.
    let own = match given {
        Some(_) => None,
        None => Some(KeyStore::open(Arc::clone(storage), ledger, None)),
    };
    let keys = given.or(own.as_ref().and_then(|opened| opened.as_ref().ok()));
    let not_opened = own.as_ref().and_then(|opened| opened.as_ref().err());
    let (findings, counts) = (Collector::default(), Counts::default());
    let mut numbers = directory::list(&**storage, &findings);
    if let Some(upto) = options.upto {
        numbers.segments.retain(|number| *number <= upto.segment);
        // Whoever writes now may have gone on to the next one.
        let begun = upto.payload_file.saturating_add(1);
        numbers.payload_files.retain(|number| *number != begun);
    }
    directory::gaps(&numbers.segments, &findings);
    // At the fast level everything is read, and the bytes are held against the mark.
    let since = options.since.filter(|_| options.level > VerifyLevel::Fast);
    let begin = |since| Extent::since(&**storage, ledger, &numbers.segments, &since);
    let extent = since.map_or_else(Extent::default, begin);
    numbers.segments.retain(|number| *number >= extent.segment);
    let copies = anchors::read(&**storage, ledger, &findings, &counts);
    let blank = copies.is_blank();
    let remembered: Vec<_> = options.remembered.iter().copied().chain(options.since).collect();
    let heads = heads::read(&**storage, &remembered, extent.seq, &findings, &counts);
    let most_slots = keys::most_slots(copies.next_payload());
    let work = Work {
        storage: &**storage,
        ledger,
        options,
        keys,
        erased,
        hasher: RecordHasher::new(&ledger),
        anchors: copies.valid,
        heads,
        payload_files: numbers.payload_files,
        extent,
        digests: Digests::default(),
        findings,
        counts,
        used: UsedSlots::new(keys.map_or(0, KeyStore::slots).min(most_slots)),
        most_slots,
        genesis: OnceLock::new(),
        anchors_met: 0.into(),
    };
    let pages = OnceLock::new();
    let log = run(&work, plans(&work, &numbers.segments), &pages, progress);
    payloads(&work, &log);
    if work.level() > VerifyLevel::Fast {
        keys::check(&work, &log, pages.into_inner(), not_opened);
    }
    if work.extent.is_whole() {
        config::check(&work);
    }
    anchors::reached(&work, blank, log.end.as_ref(), log.whole);
    let records = log.end.map_or(0, |end| end.head.seq.0.saturating_add(1));
    work.heads.reached(&work, records, log.whole);
    expect(&work, &log);
    let mark = work.digests.end(&work);
    let circumstances = circumstances(&work, blank, &log);
    report(work, circumstances, log.end.filter(|_| log.whole), mark)
}

/// The segments to read, each with where its check ends.
fn plans(work: &Work<'_>, numbers: &[SegmentNo]) -> Vec<Plan> {
    let last = numbers.last().copied();
    let plan = |number: &SegmentNo| {
        let file = layout::segment(*number);
        let length = work.storage.open_read(&file).and_then(|open| open.len());
        let length = within_reason(work, &file, length.unwrap_or_default());
        let end = match work.options.upto {
            Some(upto) if upto.segment == *number => upto.segment_end.min(length),
            _ => length,
        };
        Plan { number: *number, file, end, is_last: Some(*number) == last }
    };
    numbers.iter().map(plan).collect()
}

/// The length to read: a file may be a hole of any size, and reading that takes for ever.
fn within_reason(work: &Work<'_>, file: &RelPath, length: u64) -> u64 {
    if length > LONGEST_FILE {
        let expected = format!("at most {LONGEST_FILE} bytes");
        let found = format!("{length} bytes; those beyond were not read");
        let what = "the length of a segment file";
        let found = Found::damage(Topic::Segments, file, what, expected, found);
        work.add(found.at(LONGEST_FILE));
    }
    length.min(LONGEST_FILE)
}

/// Checks the segments on the threads that were asked for, one of which begins with the key pages. The calling thread tells the progress.
fn run(
    work: &Work<'_>,
    plans: Vec<Plan>,
    pages: &OnceLock<keys::Pages>,
    progress: &dyn Fn(Progress),
) -> Log {
    let total = plans.iter().map(|plan| plan.end).sum();
    let threads = work.options.threads.max(1);
    let turns = Turns::new(Merge::new(work, &plans), 2 * threads);
    let feed = Mutex::new(Feed::new(work, &plans));
    std::thread::scope(|scope| {
        let (told, heard) = mpsc::channel::<Told>();
        for first in (0..threads).map(|thread| thread == 0) {
            let (told, feed, turns) = (told.clone(), &feed, &turns);
            scope.spawn(move || {
                // Nobody listens any more only when the caller is gone.
                let tell = |what: Told| {
                    let _ = told.send(what);
                };
                let mut ranges = Ranges::new(work);
                if first
                    && work.level() > VerifyLevel::Fast
                    && let Some(keys) = work.keys
                {
                    let _ = pages.set(keys::pages(keys, work.key_pages()));
                }
                // The feed is free for the others while this thread hashes.
                let next = || locked(feed).next();
                while let Some((number, mut group)) = next() {
                    group::digest(work, &mut group, &mut ranges);
                    for buffer in turns.pass(number, group, &tell) {
                        locked(feed).give_back(buffer);
                    }
                }
            });
        }
        drop(told);
        let mut bytes = 0;
        for told in heard {
            let whole = match told {
                Told::Bytes(more) => {
                    bytes += more;
                    None
                }
                Told::Whole(end) => Some(end),
            };
            progress(Progress { bytes, total, whole });
        }
    });
    turns.into_merge().map(Merge::done).unwrap_or_default()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn payloads(work: &Work<'_>, log: &Log) {
    if work.level() < VerifyLevel::Payloads {
        return;
    }
    let end = log.end.as_ref();
    let (last, in_use) = end.map_or((0, false), |end| {
        (end.payload_file, end.payload_end > payload_files::START.offset)
    });
    payload_files::headers(work, last, in_use);
    match (work.options.upto, log.payload_end) {
        (Some(upto), _) => payload_files::beyond(work, upto.payload_file),
        (None, Some(end)) => payload_files::end(work, end),
        (None, None) => {}
    }
}

/// Fills in what anchors and headers promise of the log.
fn expect(work: &Work<'_>, log: &Log) {
    let anchor = work
        .latest_anchor()
        .map_or((0, 0, 0), |anchor| (anchor.segment.0 + 1, anchor.batch.0 + 1, anchor.seq.0 + 1));
    let anchor = match work.options.upto {
        Some(upto) => (upto.segment.0 + 1, upto.head.batch.0 + 1, upto.head.seq.0 + 1),
        None => anchor,
    };
    let (batches, records) = log.promised;
    let begin = &work.extent;
    let batches = anchor.1.max(batches).saturating_sub(begin.batch.0);
    let records = anchor.2.max(records).saturating_sub(begin.seq.0);
    let segments = anchor.0.saturating_sub(begin.segment.0).max(log.segments);
    work.counts.expected(Topic::Segments, segments);
    work.counts.expected(Topic::Batches, batches);
    work.counts.expected(Topic::Tree, batches);
    work.counts.expected(Topic::Records, records);
}

fn circumstances(work: &Work<'_>, blank: bool, log: &Log) -> Circumstances {
    let unclean = match work.latest_anchor() {
        // A holder that wrote after a clean close has made a new segment.
        Some(anchor) => {
            let more = log.end.is_some_and(|end| end.head.batch > anchor.batch)
                || work.storage.exists(&layout::segment(anchor.segment.next())).unwrap_or(false);
            !anchor.clean || more
        }
        None => blank,
    };
    let last = log.end.and_then(|end| end.head.last_erasure);
    let erasing = work.keys.is_none_or(|keys| keys.erasures_through() < last);
    Circumstances { unclean, erasing }
}

fn report(
    work: Work<'_>,
    circumstances: Circumstances,
    head: Option<Position>,
    mark: Option<ByteMark>,
) -> VerifyReport {
    let (level, extent) = (work.level(), work.extent);
    let marked = work.options.mark.is_some();
    let settled = work.findings.settle(circumstances);
    let (_, records) = work.counts.get(Topic::Records);
    let all_records = work.counts.get(Topic::Records).0 >= records;
    let claims = Topic::ALL
        .into_iter()
        // Nothing is claimed of bytes that nobody has looked at before.
        .filter(|topic| *topic != Topic::Bytes || marked)
        .map(|topic| {
            let (checked, expected) = work.counts.get(topic);
            let behind = topic == Topic::Config && !extent.is_whole();
            let verdict = if behind {
                Verdict::NotChecked
            } else {
                verdict(topic, level, &settled, checked >= expected, all_records)
            };
            Claim { name: topic.name(), checked, expected, verdict }
        })
        .collect();
    let Settled { findings, omitted, .. } = settled;
    // A mark vouches for what it covers, so it is left behind whole logs only.
    let mark = mark.filter(|_| head.is_some());
    VerifyReport { claims, findings, omitted, head, from: extent.seq, mark }
}

fn verdict(
    topic: Topic,
    level: VerifyLevel,
    settled: &Settled,
    all: bool,
    all_records: bool,
) -> Verdict {
    let needs = match topic {
        Topic::PayloadFiles | Topic::Payloads => VerifyLevel::Payloads,
        Topic::Content => VerifyLevel::Content,
        Topic::Records | Topic::Tree | Topic::Keys => VerifyLevel::Log,
        _ => VerifyLevel::Fast,
    };
    let worst = settled.worst(topic);
    // Records name payloads, so without them it is not known which there are.
    let known = needs <= VerifyLevel::Log || all_records;
    match worst {
        _ if level < needs => Verdict::NotChecked,
        Some(Severity::Damage) => Verdict::Damaged,
        Some(Severity::CannotCheck) => Verdict::CannotCheck,
        Some(Severity::Residue) => Verdict::Ok,
        Some(Severity::Note) | None if all && known => Verdict::Ok,
        Some(Severity::Note) | None => Verdict::CannotCheck,
    }
}
