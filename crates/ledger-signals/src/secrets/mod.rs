//! Owns the search for credentials: one pass over the text finds every anchor of every table, and at
//! each anchor a matcher looks at the bytes around it. No matcher looks further than its table says, or
//! it keeps what it saw, so that the whole stays linear.

mod assign;
mod blocks;
mod context;
mod excuses;
mod formats;
mod generic;
mod headers;
mod places;
mod services;
mod spoken;
mod urls;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use once_cell::race::OnceBox;

use crate::class::{Class, PADDED, WORD, after, before};
use crate::finding::{Finding, settle};
use crate::view::View;
use formats::{Edge, FORMATS, Format};
use generic::NAMES;
use services::SERVICES;

/// What an anchor calls for.
#[derive(Clone, Copy)]
enum Anchor {
    Format(&'static Format),
    Service(&'static services::Service),
    Name,
    Spoken,
    Key(blocks::Edge),
    Jwt,
    Kind,
    Url,
    Connection,
    Curl(headers::Piece),
    Header,
    Wants(places::Company),
}

/// The anchors that stand in no table of formats.
const OTHERS: &[(&str, Anchor)] = &[
    ("-----begin", Anchor::Key(blocks::Edge::Opens)),
    ("key----", Anchor::Key(blocks::Edge::Closes)),
    ("key block----", Anchor::Key(blocks::Edge::Closes)),
    (".ey", Anchor::Jwt),
    ("kind:", Anchor::Kind),
    ("://", Anchor::Url),
    ("pwd=", Anchor::Connection),
    ("password=", Anchor::Connection),
    ("curl", Anchor::Curl(headers::Piece::Curl)),
    ("-h", Anchor::Curl(headers::Piece::Header)),
    ("--header", Anchor::Curl(headers::Piece::Header)),
    ("-u", Anchor::Curl(headers::Piece::User)),
    ("--user", Anchor::Curl(headers::Piece::User)),
    ("authorization:", Anchor::Header),
    ("sgp_", Anchor::Wants(places::Company::Sourcegraph)),
    ("sourcegraph", Anchor::Wants(places::Company::Sourcegraph)),
    ("facebook", Anchor::Wants(places::Company::Facebook)),
];

/// All anchors in one automaton; the number of a pattern is its place in `anchors`.
struct Anchors {
    search: AhoCorasick,
    anchors: Vec<Anchor>,
}

impl Anchors {
    /// Made at the first use: two threads that come together both make it, and one is kept.
    fn get() -> Option<&'static Anchors> {
        static ANCHORS: OnceBox<Option<Anchors>> = OnceBox::new();
        ANCHORS.get_or_init(|| Box::new(Anchors::make())).as_ref()
    }

    fn make() -> Option<Anchors> {
        let formats = FORMATS.iter().map(|format| (format.anchor, Anchor::Format(format)));
        let services = SERVICES.iter().map(|service| (service.name, Anchor::Service(service)));
        let names = NAMES.iter().map(|name| (*name, Anchor::Name));
        let spoken = spoken::WORDS.iter().map(|word| (*word, Anchor::Spoken));
        let all = formats.chain(services).chain(names).chain(spoken).chain(OTHERS.iter().copied());
        let (words, anchors): (Vec<&str>, Vec<Anchor>) = all.unzip();
        let search = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .build(words)
            .ok()?;
        Some(Anchors { search, anchors })
    }
}

/// Every credential of a text, in its order.
pub(crate) fn find(view: &View<'_>) -> Vec<Finding> {
    let mut found = within(view.text());
    for finding in &mut found {
        finding.range = view.place(finding.range.clone());
    }
    // Folding joins and moves: what stood there as it was typed counts all the same.
    found.extend(view.before().map(within).unwrap_or_default());
    settle(found)
}

fn within(text: &str) -> Vec<Finding> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut wants = places::Wants::default();
    let mut curl = headers::Command::default();
    let mut keys = blocks::Keys::default();
    let Some(anchors) = Anchors::get() else { return found };
    for hit in anchors.search.find_overlapping_iter(bytes) {
        let Some(anchor) = anchors.anchors.get(hit.pattern().as_usize()) else { continue };
        let (start, end) = (hit.start(), hit.end());
        let seen = match anchor {
            Anchor::Format(format) => token(bytes, start, end, format),
            Anchor::Service(service) => context::find(bytes, end, service),
            Anchor::Name => generic::find(bytes, start, end),
            Anchor::Spoken => spoken::find(bytes, start, end),
            Anchor::Key(edge) => keys.find(bytes, start, end, *edge),
            Anchor::Jwt => blocks::jwt(bytes, start),
            Anchor::Kind => blocks::manifest(bytes, start, end),
            Anchor::Url => urls::find(bytes, start, end),
            Anchor::Connection => urls::connection(bytes, start, end),
            Anchor::Curl(piece) => curl.find(bytes, start, end, *piece),
            Anchor::Header => headers::header(bytes, end),
            Anchor::Wants(company) => {
                wants.add(*company);
                None
            }
        };
        found.extend(seen.map(|(rule, range)| Finding::whole(text, rule, range)));
    }
    places::find(bytes, wants, &mut |rule, range| found.push(Finding::whole(text, rule, range)));
    found
}

/// A rule and where it applies.
type Seen = Option<(&'static str, Range<usize>)>;

/// What is part of a token, or of the base64 text that it might be cut from.
const INSIDE: Class = PADDED.and(crate::class::BASE64);

fn token(text: &[u8], start: usize, end: usize, format: &Format) -> Seen {
    let exact = format.edge == Edge::Both;
    if exact && text.get(start..end) != Some(format.anchor.as_bytes()) {
        return None;
    }
    let end = after(text, end, format.after)?;
    let start = before(text, start, format.before)?;
    if format.edge != Edge::Open && WORD.before(text, start) || exact && INSIDE.at(text, end) {
        return None;
    }
    let bytes = text.get(start..end)?;
    let rich = format.floor == 0 || crate::entropy::centibits(bytes) >= format.floor;
    (rich && !documented(bytes)).then_some((format.rule, start..end))
}

/// Keys that the issuers print in their manuals end like this.
fn documented(token: &[u8]) -> bool {
    token.starts_with(b"AKIA") && token.ends_with(b"EXAMPLE")
}
