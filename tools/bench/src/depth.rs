//! As-of listings as versions pile up under the same keys: a scope of 100 keys with words (goal T2),
//! and the whole state of 10,000 keys (goal T3). What is listed stays the same size.

use ledger_views::Group;
use memledger::civil::{When, Zone};
use memledger::format::{MemoryId, Micros};
use memledger::{Filter, Ledger, Question};

use crate::asof::views;
use crate::load::GROUP;
use crate::measure::{Spread, percentile, time, title};
use crate::rows::{OURS, Rows};
use crate::world::{Numbers, START, Site, create, scope, write};

/// Keys of a whole state.
const WHOLE: u64 = 10_000;

pub(crate) fn run(site: &Site, rows: &mut Rows) {
    scope_of_keys(site, rows);
    whole_state(site, rows);
}

fn scope_of_keys(site: &Site, rows: &mut Rows) {
    title("T2: listing a scope of 100 keys half way through, with words");
    let mut medians = vec![];
    for versions in [3, 30, 300] {
        let scratch = site.scratch();
        let records = 100 * versions;
        let ledger = filled(&scratch.path().join("ledger"), records, 100);
        let mut times = vec![];
        for probe in 0..200 {
            let at = Micros(START + records as i64 / 2 + probe);
            let question = Question { known: When::Instant(at), ..Question::now(Zone::UTC) };
            let snapshot = ledger.snapshot(&question).unwrap();
            let filter = Filter { scope: scope(), ..Filter::default() };
            let (listing, took) = time(|| snapshot.list(&filter).unwrap());
            assert_eq!(listing.items.len(), 100);
            times.push(took.as_secs_f64() * 1e6);
        }
        medians.push(percentile(&mut times, 0.5));
        let name = format!("T2 listing, {versions} versions per key");
        rows.figure(&name, OURS, "us", Spread::middle(&mut times));
        ledger.close().unwrap();
    }
    rows.goal("T2 growth 3 -> 300 per key", "<= 3.5", Spread::one(medians[2] / medians[0]));
}

/// Only as deep as the size allows: 300 versions are three million records.
fn whole_state(site: &Site, rows: &mut Rows) {
    title(&format!("T3: the whole state of {WHOLE} keys half way through"));
    let mut found: Vec<(u64, f64)> = vec![];
    for versions in [3, 30, 300].into_iter().filter(|versions| versions * WHOLE <= site.size) {
        let scratch = site.scratch();
        let beside = Site { dir: scratch.path().into(), size: versions * WHOLE, rounds: 1 };
        filled(&beside.ledger(), beside.size, WHOLE).close().unwrap();
        let views = views(&beside);
        let born = (0..).map(ledger_format::Seq).find_map(|seq| views.birth_at(seq).unwrap());
        let group = Group::Scope(born.unwrap().scope);
        let mut times = vec![];
        for probe in 0..20 {
            let at = Micros(START + beside.size as i64 / 2 + probe);
            let until = views.time_to_seq(at).unwrap().unwrap();
            let (_, took) = time(|| {
                let live = views.live_at(group, until).unwrap();
                assert_eq!(live.len() as u64, WHOLE);
                live.iter().for_each(|born| drop(views.version_at(*born, until).unwrap().unwrap()));
            });
            times.push(took.as_secs_f64() * 1e3);
        }
        views.close().unwrap();
        found.push((versions, percentile(&mut times, 0.5)));
        let name = format!("T3 whole state, {versions} versions per key");
        rows.figure(&name, OURS, "ms", Spread::middle(&mut times));
    }
    if let [(3, first), .., (deepest, last)] = found.as_slice() {
        let name = format!("T3 growth 3 -> {deepest} per key");
        rows.goal(&name, "<= 3.5 at 300", Spread::one(last / first));
    }
}

/// A ledger of writes over so many keys in turn, each superseding the one before it under its key,
/// one microsecond apart.
fn filled(path: &std::path::Path, records: u64, keys: u64) -> Ledger {
    let (ledger, clock) = create(path);
    let mut numbers = Numbers::new(1);
    let mut newest: Vec<Option<MemoryId>> = vec![None; keys as usize];
    let mut tickets = Vec::new();
    for record in 0..records {
        let key = (record % keys) as usize;
        clock.set(Micros(START + 1 + record as i64));
        let submission = write(numbers.text(60), newest[key], Some(format!("k{key}")));
        tickets.push((key, ledger.enqueue(submission).unwrap()));
        if tickets.len() as u64 >= keys.min(GROUP) {
            for (key, ticket) in tickets.drain(..) {
                newest[key] = ticket.wait().unwrap()[0].id;
            }
        }
    }
    tickets.into_iter().for_each(|(_, ticket)| drop(ticket.wait().unwrap()));
    ledger
}
