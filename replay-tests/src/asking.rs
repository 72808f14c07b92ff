//! Owns the comparison of answers about one moment: from the views, from the archive, and from the
//! oracle fed with the same records. Every function stops at the first difference and otherwise says
//! how many values it compared.

use ledger_format::{BodyType, Layer, MemoryId, Micros, Seq, SourceKind};
use ledger_replay::Interval;
use memledger::answer::{Item, Listing, Text};
use memledger::{Basis, Filter, Snapshot};

use crate::oracle::{Moment, answers};
use crate::player::{DOMAINS, KEYS, PEOPLE, SCOPES, TAGS, TERMS};

/// A filter of each kind, and some that combine kinds or name what was never bound.
#[must_use]
pub fn filters() -> Vec<Filter> {
    let mut all = vec![Filter::default()];
    let mut add = |change: &dyn Fn(&mut Filter)| {
        let mut filter = Filter::default();
        change(&mut filter);
        all.push(filter);
    };
    for scope in SCOPES.iter().chain(&["org/none", "org"]) {
        if let Ok(scope) = scope.parse() {
            add(&|f| f.scope = Clone::clone(&scope));
        }
    }
    let web = SCOPES[2];
    for key in KEYS.iter().chain(&["none"]) {
        add(&|f| f.key = Some((*key).to_owned()));
        add(&|f| (f.scope, f.key) = (web.parse().unwrap(), Some((*key).to_owned())));
    }
    for person in PEOPLE.iter().chain(&["nobody"]) {
        add(&|f| f.subject = Some((*person).to_owned()));
    }
    for tag in TAGS {
        add(&|f| f.tag = Some(tag.to_owned()));
        add(&|f| (f.scope, f.tag) = (SCOPES[1].parse().unwrap(), Some(tag.to_owned())));
    }
    for domain in DOMAINS {
        add(&|f| f.domain = Some(domain.to_owned()));
    }
    for term in TERMS {
        add(&|f| f.fact_subject = Some(term.to_owned()));
        add(&|f| f.predicate = Some(term.to_owned()));
        add(&|f| (f.fact_subject, f.subject) = (Some(term.to_owned()), Some("Ann".to_owned())));
    }
    for layer in [Layer::Project, Layer::Semantic, Layer::Canonical] {
        add(&|f| f.layer = Some(layer));
    }
    add(&|f| f.body = Some(BodyType::Fact));
    add(&|f| f.source_kind = Some(SourceKind::Chat));
    add(&|f| f.source_kind = Some(SourceKind::None));
    add(&|f| f.grep = Some("npm".to_owned()));
    add(&|f| (f.grep, f.domain) = (Some("1".to_owned()), Some("travel".to_owned())));
    all
}

/// The bases are the same but for the way.
pub fn bases(views: &Snapshot<'_>, archive: &Snapshot<'_>) -> usize {
    assert!(!views.basis().from_archive && archive.basis().from_archive);
    let told = Basis { from_archive: false, ..archive.basis().clone() };
    assert_eq!(views.basis(), &told);
    assert_eq!(views.basis().line(), archive.basis().line());
    1
}

/// A listing, whole, from both ways.
pub fn listing(views: &Snapshot<'_>, archive: &Snapshot<'_>, filter: &Filter) -> Listing {
    let (listed, truth) = (views.list(filter).unwrap(), archive.list(filter).unwrap());
    let ids = |listing: &Listing| listing.items.iter().map(|item| item.id).collect::<Vec<_>>();
    let place = || format!("{} {filter:?}", views.basis().line());
    assert_eq!(ids(&listed), ids(&truth), "views / archive: {}", place());
    for (one, other) in listed.items.iter().zip(&truth.items) {
        assert_eq!(one, other, "views / archive: {}", place());
    }
    assert_eq!(listed.next, truth.next, "{}", place());
    listed
}

/// The same listing page by page, through cursors.
pub fn paged(snapshot: &Snapshot<'_>, filter: &Filter, whole: &Listing, limit: usize) {
    let filter = Filter { limit, ..filter.clone() };
    let found = pages(snapshot, &filter);
    assert_eq!(found, whole.items, "{} {filter:?}", snapshot.basis().line());
}

fn pages(snapshot: &Snapshot<'_>, filter: &Filter) -> Vec<Item> {
    let mut items = Vec::new();
    let mut after = None;
    loop {
        let page = Filter { after, ..filter.clone() };
        let page = snapshot.list(&page).unwrap();
        assert!(page.items.len() <= filter.limit);
        assert!(page.next.is_none() || page.items.len() == filter.limit);
        items.extend(page.items);
        after = page.next;
        if after.is_none() {
            return items;
        }
    }
}

/// Everything that can be asked about one memory.
pub fn memory(views: &Snapshot<'_>, archive: &Snapshot<'_>, id: &MemoryId) -> usize {
    let place = || format!("views / archive: {id} at {}", views.basis().line());
    let (one, other) = (views.get(id).unwrap(), archive.get(id).unwrap());
    assert_eq!(one, other, "{}", place());
    let history = views.history(id).unwrap();
    assert_eq!(history, archive.history(id).unwrap(), "{}", place());
    let lineage = views.lineage(id).unwrap();
    assert_eq!(lineage, archive.lineage(id).unwrap(), "{}", place());
    assert_eq!(one.is_some(), !history.is_empty(), "{}", place());
    let digits = id.to_string();
    let mut found = 0;
    let short = one.map(|item| format!("m{}", item.seq));
    let prefixes = [&digits[..7], &digits[..12], &digits[..13], &digits];
    for name in prefixes.into_iter().chain(short.as_deref()) {
        let ids = views.find(name).unwrap();
        assert_eq!(ids, archive.find(name).unwrap(), "{name} {}", place());
        found += 1;
    }
    3 + history.len() + found
}

/// The life of a memory, event by event, as the oracle tells it.
pub fn life(snapshot: &Snapshot<'_>, moment: &Moment<'_>, id: &MemoryId) -> usize {
    let basis = snapshot.basis();
    let place = || format!("the life of {id} at {}", basis.line());
    let history = snapshot.history(id).unwrap();
    let story = moment.story(*id);
    let found: Vec<Seq> = history.iter().map(|entry| entry.seq).collect();
    let told: Vec<Seq> = story.iter().map(|deed| deed.seq).collect();
    assert_eq!(found, told, "{}", place());
    for (entry, count) in history.iter().zip(1..) {
        let until = &story[..count];
        let row = answers::row(*id, until).unwrap();
        let word = answers::word(&row, until, basis.known_at, basis.valid_at);
        assert_eq!(entry.status.name(), word, "record {} in {}", entry.seq, place());
    }
    2 * history.len()
}

/// What two listings of a moment, with history and without, say is what the oracle says of the same
/// records. `instants` are where validity is looked at.
pub fn oracle(
    basis: &Basis,
    all: &[Item],
    current: &[Item],
    moment: &Moment<'_>,
    instants: &[Micros],
) -> usize {
    // Contested ones come together: which there are is asked here, in the order of their records.
    let ids = |items: &[Item]| {
        let mut items: Vec<_> = items.iter().map(|item| (item.seq, item.id)).collect();
        items.sort_unstable();
        items.into_iter().map(|(_, id)| id).collect::<Vec<_>>()
    };
    let mut told = moment.memories();
    told.sort_by_key(|id| moment.birth(*id).map(|(born, _)| born.seq()));
    assert_eq!(ids(all), told, "{}", basis.line());
    for item in all {
        item_agrees(basis, moment, item, instants);
    }
    groups_stand_together(all);
    groups_stand_together(current);
    // A message is archived and makes no claim.
    let is_message =
        |id: MemoryId| moment.birth(id).is_some_and(|(_, write)| write.body == BodyType::Message);
    told.retain(|id| in_force(basis, moment, *id) == Some(true) && !is_message(*id));
    assert_eq!(ids(current), told, "{}", basis.line());
    all.len() * (15 + instants.len()) + 2
}

/// Every contest is in one piece, where the first record of it is.
fn groups_stand_together(items: &[Item]) {
    let runs: Vec<&[Item]> = items
        .chunk_by(|a, b| a.conflict_group.is_some() && a.conflict_group == b.conflict_group)
        .collect();
    let groups: Vec<Seq> = runs.iter().filter_map(|run| run[0].conflict_group).collect();
    let mut once = groups.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), groups.len(), "a contest is torn apart: {groups:?}");
    let places: Vec<Seq> =
        runs.iter().map(|run| run.iter().map(|item| item.seq).min().unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
}

fn in_force(basis: &Basis, moment: &Moment<'_>, id: MemoryId) -> Option<bool> {
    let word = moment.status(id, basis.known_at, basis.valid_at)?;
    Some(["open", "pushed_down", "contested"].contains(&word))
}

fn item_agrees(basis: &Basis, moment: &Moment<'_>, item: &Item, instants: &[Micros]) {
    let place = format!("memory {} ({}) at {}", item.id, item.seq, basis.line());
    let story = moment.story(item.id);
    let row = answers::row(item.id, &story).unwrap();
    let word = answers::word(&row, &story, basis.known_at, basis.valid_at);
    assert_eq!(item.status.name(), word, "status of {place}");
    for at in instants {
        let holds = item.validity.iter().any(|interval| interval.contains(*at));
        assert_eq!(holds, answers::holds(&story, *at), "{} {place}", at.0);
    }
    assert!(in_order(&item.validity), "{place}");
    assert_eq!((item.seq, item.version), (row.born, row.since), "{place}");
    assert_eq!((item.body_type, item.layer), (row.body, row.layer), "{place}");
    assert_eq!((item.trust, item.pinned), (row.trust, row.pinned), "{place}");
    let times = (row.last_used, row.last_confirmed, row.ttl_until, row.review_by);
    let found = (item.last_used, item.last_confirmed, item.ttl_until, item.review_by);
    assert_eq!(found, times, "{place}");
    assert_eq!(item.conflict_group, row.contest, "{place}");
    // What a message said was said, however long it counts.
    let ran_out = |id: &MemoryId| {
        let word = moment.status(*id, basis.known_at, basis.valid_at);
        let message = moment.birth(*id).is_some_and(|(_, write)| write.body == BodyType::Message);
        message && word == Some("expired")
    };
    let gone = |id: &MemoryId| in_force(basis, moment, *id) == Some(false) && !ran_out(id);
    let stale = row.stale || item.derived_from.iter().any(gone);
    assert_eq!(item.stale, stale, "{place}");
    assert_eq!(item.closed.is_some(), word == "closed", "{place}");
    if let (Some(closed), Some((seq, kind, by))) = (&item.closed, row.closed) {
        let found = (closed.seq, closed.kind, closed.superseded_by);
        assert_eq!(found, (Some(seq), kind, by), "{place}");
    }
    assert_eq!(item.erased_at, None, "{place}");
    assert!(!matches!(item.text, Text::Erased(_) | Text::Locked), "{place}");
}

fn in_order(intervals: &[Interval]) -> bool {
    intervals.iter().all(|interval| !interval.is_empty())
        && intervals.windows(2).all(|pair| pair[0].until < pair[1].from)
}
