//! Owns resolving a question into a basis: which record, which instants, said in which words.

use ledger_format::{Micros, RecordHash, Seq};
use ledger_store::{Check, Reader};

use crate::archive::{Archive, Until};
use crate::basis::{Basis, Question};
use crate::civil::{When, Zone, day_bounds, describe_known};
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::Ledger;
use crate::read::{Claimed, Snapshot, Viewed, Way};

/// The known axis of a question, resolved.
struct Known {
    at: Micros,
    seq: Option<Seq>,
    phrase: String,
}

/// The moment a question is about.
pub(super) fn snapshot<'a>(ledger: &'a Ledger, question: &Question) -> Result<Snapshot<'a>> {
    let reader = ledger.vault.reader();
    let head = reader.head();
    let archived = question.from_archive || ledger.views.is_none();
    let known = known(ledger, question, archived)?;
    let valid_at = match &question.valid {
        Some(when) => instant(ledger, when, &question.zone)?,
        None => known.at,
    };
    // On the claimed axis every record may count: what decides is the claim.
    let last = if question.claimed { head.map(|head| head.seq) } else { known.seq };
    let record = match last {
        Some(seq) => Some(reader.record(seq)?),
        None => None,
    };
    let recorded_at = match &record {
        Some(record) => Some(crate::vault::decode(record)?.header.recorded_at),
        None => None,
    };
    let basis = Basis {
        known_at: known.at,
        valid_at,
        seq: last,
        hash: record.map_or(RecordHash::ZERO, |record| record.hash),
        head: head.map(|head| head.seq),
        zone: question.zone,
        claimed: question.claimed,
        from_archive: archived,
        phrase: known.phrase,
    };
    let way = way(ledger, &basis, archived)?;
    let (vault, names, policies) = (&ledger.vault, &ledger.names, &ledger.policies);
    Ok(Snapshot { basis, way, vault, names, recorded_at, policies })
}

fn way<'a>(ledger: &'a Ledger, basis: &Basis, archived: bool) -> Result<Way<'a>> {
    if let (false, Some(feed)) = (archived, &ledger.views) {
        let views = match basis.head {
            Some(head) => feed.wait_for(head)?,
            None => feed.views(),
        };
        let viewed = Viewed { views, seq: basis.seq };
        return Ok(if basis.claimed {
            Way::Claimed(Claimed { viewed, vault: &ledger.vault, by: basis.known_at })
        } else {
            Way::Views(viewed)
        });
    }
    let until = if basis.claimed { Until::Claimed(basis.known_at) } else { Until::Seq(basis.seq) };
    let archive = Archive::replay(ledger.vault.reader(), until)?;
    archive.check_known()?;
    Ok(Way::Archive(Box::new(archive)))
}

fn known(ledger: &Ledger, question: &Question, archived: bool) -> Result<Known> {
    let head = ledger.vault.reader().head();
    let describe = |resolved: Micros| describe_known(&question.known, &question.zone, resolved);
    let mut known = match &question.known {
        When::Head => {
            let now = ledger.clock.now().wall;
            let at = head.map_or(now, |head| now.max(head.recorded_at));
            Known { at, seq: head.map(|head| head.seq), phrase: describe(at) }
        }
        When::Seq(number) => of_record(ledger, Seq(*number), describe)?,
        When::Size(0) => Known { at: Micros::MIN, seq: None, phrase: describe(Micros::MIN) },
        When::Size(size) => of_record(ledger, Seq(size - 1), describe)?,
        When::Instant(at) => {
            Known { at: *at, seq: last_by(ledger, *at, archived)?, phrase: describe(*at) }
        }
        When::Date(day) => {
            let (_, end) = day_bounds(*day, &question.zone);
            let at = Micros(end.0.saturating_sub(1));
            Known { at, seq: last_by(ledger, at, archived)?, phrase: describe(end) }
        }
    };
    if question.claimed {
        known.phrase.push_str(", as imported sources claim, not witnessed");
    }
    Ok(known)
}

fn of_record(ledger: &Ledger, seq: Seq, describe: impl Fn(Micros) -> String) -> Result<Known> {
    let head = ledger.vault.reader().head();
    if head.is_none_or(|head| seq > head.seq) {
        let end = head
            .map_or_else(|| "is empty".to_owned(), |head| format!("ends with record {}", head.seq));
        return Err(Error::new(
            ErrorKind::NotFound,
            format!("there is no record {seq}: the ledger {end}"),
        ));
    }
    let at = ledger.vault.load(seq)?.event.header.recorded_at;
    Ok(Known { at, seq: Some(seq), phrase: describe(at) })
}

/// The instant a time on the valid axis means: a date means its last instant.
fn instant(ledger: &Ledger, when: &When, zone: &Zone) -> Result<Micros> {
    Ok(match when {
        When::Instant(at) => *at,
        When::Date(day) => Micros(day_bounds(*day, zone).1.0.saturating_sub(1)),
        When::Head => ledger.clock.now().wall,
        When::Seq(number) => of_record(ledger, Seq(*number), |_| String::new())?.at,
        When::Size(_) => {
            return Err(Error::invalid(
                "a checkpoint size is no valid time; give an instant, a date or #seq",
            ));
        }
    })
}

/// The last record at or before an instant. An answer from the archive does not rest on the views in
/// this either.
fn last_by(ledger: &Ledger, at: Micros, archived: bool) -> Result<Option<Seq>> {
    let reader = ledger.vault.reader();
    let Some(head) = reader.head() else { return Ok(None) };
    match &ledger.views {
        Some(feed) if !archived => Ok(feed.wait_for(head.seq)?.time_to_seq(at)?),
        _ => scan(reader, at),
    }
}

fn scan(reader: &Reader, at: Micros) -> Result<Option<Seq>> {
    let mut last = None;
    for stored in reader.stream(Seq(0), Check::None) {
        let event = crate::vault::decode(&stored?)?;
        if event.header.recorded_at > at {
            break;
        }
        last = Some(event.seq());
    }
    Ok(last)
}
