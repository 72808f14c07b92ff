//! Owns the two time axes of one document: which text is in force when, as known when.
//!
//! Invariants: pure; the answer depends on the set of revisions counted and not on the order in
//! which they were counted. In force at `valid`, as known at `claim`, is the text of the revision with
//! the greatest author date up to `valid` among those claimed up to `claim`; of equal author dates
//! the later row wins. May not: know ledgers, texts, or where revisions come from.

use memledger::format::Micros;

/// Number of a distinct text of one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TextNo(pub(crate) usize);

/// What one revision says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Since when its text is in force.
    pub(crate) author: Micros,
    /// When its source claims to have known it.
    pub(crate) claim: Micros,
    /// Its place among the rows of the source; breaks ties of author dates.
    pub(crate) order: u64,
    /// Its text; none: from here on there is none.
    pub(crate) text: Option<TextNo>,
}

impl Row {
    const fn rank(&self) -> (Micros, u64) {
        (self.author, self.order)
    }
}

/// How a revision shows at one claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) claim: Micros,
    /// The end of the span from its author date on in which it is in force; its author date itself
    /// where a later row of the same date takes its place.
    pub(crate) end: Micros,
    /// The text that is in force in the span without it.
    pub(crate) before: Option<TextNo>,
    /// Whether a revision of this claim reaches into the span it had until then.
    pub(crate) disturbed: bool,
}

/// What was said before a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SaidBefore {
    /// The same, at every claim.
    TheSame,
    /// Something else, at some claim; at its own claim this text.
    Other(Option<TextNo>),
}

/// The revisions counted so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timeline {
    /// In the order of author date and row.
    rows: Vec<Row>,
}

impl Timeline {
    /// Counts one more revision.
    pub(crate) fn count(&mut self, row: Row) {
        let at = self.rows.partition_point(|other| other.rank() <= row.rank());
        self.rows.insert(at, row);
    }

    /// The text in force at `valid`, as known at `claim`.
    pub(crate) fn at(&self, claim: Micros, valid: Micros) -> Option<TextNo> {
        let until = self.rows.partition_point(|row| row.author <= valid);
        let mut known = self.rows.get(..until)?.iter().rev().filter(|row| row.claim <= claim);
        known.next()?.text
    }

    /// Instants at which a text may begin or end, in order.
    pub(crate) fn boundaries(&self) -> impl Iterator<Item = Micros> {
        self.rows.iter().map(|row| row.author)
    }

    /// The latest claim among the revisions counted.
    pub(crate) fn latest_claim(&self) -> Option<Micros> {
        self.rows.iter().map(|row| row.claim).max()
    }

    /// Whether `row` is claimed after every revision counted.
    pub(crate) fn is_newest(&self, row: &Row) -> bool {
        self.rows.iter().all(|other| (other.claim, other.order) < (row.claim, row.order))
    }

    /// How `row` shows at its own claim and then at every later claim that may change that. The span
    /// only ever gets shorter. Empty: it never shows.
    pub(crate) fn views(&self, row: &Row) -> Vec<View> {
        let own = self.view(row, row.claim);
        if own.end == row.author {
            return Vec::new();
        }
        let later = |other: &&Row| other.claim > row.claim && other.author < own.end;
        let mut later: Vec<&Row> = self.rows.iter().filter(later).collect();
        later.sort_by_key(|other| other.claim);
        let mut views = vec![own];
        for group in later.chunk_by(|a, b| a.claim == b.claim) {
            let end = views.last().map_or(own.end, |last| last.end);
            if let Some(first) = group.first() {
                let disturbed = group.iter().any(|other| other.author < end);
                views.push(View { disturbed, ..self.view(row, first.claim) });
            }
        }
        views
    }

    /// Counts one more revision, and tells what was said before it in its span.
    pub(crate) fn said_before(&mut self, row: Row) -> SaidBefore {
        let views = self.views(&row);
        self.count(row);
        match views.first() {
            Some(own) if views.iter().any(|view| view.before != row.text) => {
                SaidBefore::Other(own.before)
            }
            _ => SaidBefore::TheSame,
        }
    }

    fn view(&self, row: &Row, claim: Micros) -> View {
        let from = self.rows.partition_point(|other| other.rank() < row.rank());
        let mut after = self.rows.get(from..).unwrap_or_default().iter();
        let next = after.find(|other| other.claim <= claim);
        let mut known = self.rows.get(..from).unwrap_or_default().iter().rev();
        View {
            claim,
            end: next.map_or(Micros::MAX, |next| next.author),
            before: known.find(|other| other.claim <= claim).and_then(|other| other.text),
            disturbed: true,
        }
    }
}
