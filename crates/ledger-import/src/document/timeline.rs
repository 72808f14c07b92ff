//! Owns the two time axes of one document: which text is in force when, as known when, and what a
//! ledger has to record so that one more revision is counted.
//!
//! Invariants: pure; the answer depends on the set of revisions counted and not on the order in
//! which they were counted. In force at `valid`, as known at `claim`, is the text of the revision with
//! the greatest author date up to `valid` among those claimed up to `claim`; of equal author dates
//! the later row wins. May not: know ledgers, texts, or where revisions come from.

use memledger::format::Micros;
use memledger::Interval;

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

/// A text begins or ceases to hold in a span of valid time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) span: Interval,
    pub(crate) text: TextNo,
    /// Whether it holds from now on, or no more.
    pub(crate) holds: bool,
    /// The text that is in force in the span afterwards.
    pub(crate) successor: Option<TextNo>,
}

/// Changes that are claimed to have been known at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) claim: Micros,
    pub(crate) changes: Vec<Change>,
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
        self.row_at(claim, valid).and_then(|row| row.text)
    }

    /// Whether `row` said nothing new among the revisions claimed before it, and would be the one in
    /// force from its author date on if it were counted.
    pub(crate) fn repeats(&self, row: &Row) -> bool {
        let until = self.rows.partition_point(|other| other.author <= row.author);
        let known = self.rows.get(..until).unwrap_or_default().iter().rev();
        let before = known.clone().find(|other| (other.claim, other.order) < (row.claim, row.order));
        let last = known.clone().next();
        before.and_then(|before| before.text) == row.text
            && last.is_none_or(|last| last.rank() < row.rank())
    }

    /// Instants at which a text may begin or end, in order.
    pub(crate) fn boundaries(&self) -> impl Iterator<Item = Micros> {
        self.rows.iter().map(|row| row.author)
    }

    /// The latest claim among the revisions counted.
    pub(crate) fn latest_claim(&self) -> Option<Micros> {
        self.rows.iter().map(|row| row.claim).max()
    }

    fn row_at(&self, claim: Micros, valid: Micros) -> Option<&Row> {
        let until = self.rows.partition_point(|row| row.author <= valid);
        self.rows.get(..until)?.iter().rev().find(|row| row.claim <= claim)
    }

    /// What has to be recorded so that `row` is counted too: one step for its own claim and, where
    /// it arrives after revisions with later claims, one for each later claim at which its text would
    /// otherwise stand beside another, or where its arrival would take a later one's place.
    ///
    /// Every step presumes that the earlier ones are recorded after everything counted so far. Empty:
    /// the revision changes nothing.
    pub(crate) fn plan(&self, row: &Row) -> Vec<Step> {
        let Some(end) = self.window_end(row) else { return Vec::new() };
        let mut window = Window::new(self, row, end);
        let mut later: Vec<&Row> =
            self.rows.iter().filter(|other| other.claim > row.claim && other.author < end).collect();
        later.sort_by_key(|other| other.claim);
        let mut steps: Vec<Step> = window.step(row.claim).into_iter().collect();
        while let Some(first) = later.first() {
            let claim = first.claim;
            let same = later.iter().take_while(|other| other.claim == claim).count();
            later.drain(..same).for_each(|other| window.arrive(other));
            steps.extend(window.step(claim));
        }
        steps
    }

    /// The end of the span in which `row` is in force as known at its own claim; none: a later row of
    /// the same author date is known already.
    fn window_end(&self, row: &Row) -> Option<Micros> {
        let known = |other: &&Row| other.claim <= row.claim;
        let from = self.rows.partition_point(|other| other.rank() < row.rank());
        let next = self.rows.get(from..)?.iter().find(known);
        match next {
            Some(next) if next.author == row.author => None,
            Some(next) => Some(next.author),
            None => Some(Micros::MAX),
        }
    }
}

/// The span a new revision can change, cut at every author date inside it.
struct Window<'a> {
    row: &'a Row,
    end: Micros,
    segments: Vec<Segment>,
}

/// A piece of the window in which one text is in force at any claim.
struct Segment {
    from: Micros,
    /// The revision in force without the new one.
    best: Option<Row>,
    /// What the steps so far made hold, or not hold, here; in order.
    done: Vec<(TextNo, bool)>,
}

impl<'a> Window<'a> {
    fn new(timeline: &Timeline, row: &'a Row, end: Micros) -> Self {
        let inside = timeline.boundaries().filter(|at| row.author < *at && *at < end);
        let mut starts: Vec<Micros> = std::iter::once(row.author).chain(inside).collect();
        starts.dedup();
        let segment = |from| Segment {
            from,
            best: timeline.row_at(row.claim, from).copied(),
            done: Vec::new(),
        };
        Self { row, end, segments: starts.into_iter().map(segment).collect() }
    }

    /// Counts a revision of a later claim.
    fn arrive(&mut self, other: &Row) {
        for segment in self.segments.iter_mut().filter(|segment| segment.from >= other.author) {
            if segment.best.is_none_or(|best| best.rank() < other.rank()) {
                segment.best = Some(*other);
            }
        }
    }

    /// What is missing at `claim`.
    fn step(&mut self, claim: Micros) -> Option<Step> {
        let mut changes: Vec<Change> = Vec::new();
        let ends: Vec<Micros> =
            self.segments.iter().skip(1).map(|next| next.from).chain([self.end]).collect();
        for (segment, until) in self.segments.iter_mut().zip(ends) {
            let span = Interval { from: segment.from, until };
            for (text, holds, successor) in segment.missing(self.row) {
                segment.done.push((text, holds));
                let grown = changes.iter_mut().find(|change| {
                    (change.text, change.holds, change.successor) == (text, holds, successor)
                        && change.span.until == span.from
                });
                match grown {
                    Some(change) => change.span.until = span.until,
                    None => changes.push(Change { span, text, holds, successor }),
                }
            }
        }
        (!changes.is_empty()).then_some(Step { claim, changes })
    }
}

impl Segment {
    /// What has to cease and to begin holding here.
    fn missing(&self, row: &Row) -> Vec<(TextNo, bool, Option<TextNo>)> {
        let before = self.best.and_then(|best| best.text);
        let mut after: Vec<TextNo> = before.into_iter().collect();
        for (text, holds) in &self.done {
            after.retain(|other| other != text);
            after.extend(holds.then_some(*text));
        }
        let newer = self.best.is_none_or(|best| best.rank() < row.rank());
        let desired = if newer { row.text } else { before };
        let ceasing = after.iter().filter(|text| Some(**text) != desired);
        let ceasing = ceasing.map(|text| (*text, false, desired));
        let beginning = desired.filter(|text| !after.contains(text));
        ceasing.chain(beginning.map(|text| (text, true, desired))).collect()
    }
}
