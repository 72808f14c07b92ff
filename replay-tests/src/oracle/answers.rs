//! Owns the answers about one memory, each told from its story alone.

use ledger_format::names::Decision;
use ledger_format::{CloseKind, JobId, Layer, MemoryId, Micros, Reach, Seq, Trust, Verdict};

use super::Moment;
use super::story::{Deed, What, forgotten, inside};
use crate::row::Row;

impl Moment<'_> {
    /// The memories that exist, in the order of their ids.
    #[must_use]
    pub fn memories(&self) -> Vec<MemoryId> {
        let mut ids: Vec<MemoryId> = self.writes().map(|(_, write)| write.memory).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Whether a memory is claimed to be true at an instant.
    #[must_use]
    pub fn holds(&self, id: MemoryId, at: Micros) -> bool {
        holds(&self.story(id), at)
    }

    /// The one word for a memory, as asked at `known` about `valid`.
    #[must_use]
    pub fn status(&self, id: MemoryId, known: Micros, valid: Micros) -> Option<&'static str> {
        let story = self.story(id);
        row(id, &story).map(|row| word(&row, &story, known, valid))
    }

    /// Everything about a memory that does not depend on the time asked for.
    #[must_use]
    pub fn row(&self, id: MemoryId) -> Option<Row> {
        row(id, &self.story(id))
    }
}

/// Whether a memory of this story is claimed to be true at an instant.
#[must_use]
pub fn holds(story: &[Deed<'_>], at: Micros) -> bool {
    let mut holds = false;
    for deed in story {
        match deed.what {
            What::Born(_, write) => holds = inside(at, write.valid_from, write.valid_until),
            What::Closed { kind: CloseKind::Wrong, .. } => holds = false,
            What::Closed { from, until, .. } if inside(at, from, until) => holds = false,
            What::Reopened { from, until } if inside(at, from, until) => holds = true,
            _ => {}
        }
    }
    holds
}

/// The one word for a row and its story.
#[must_use]
pub fn word(row: &Row, story: &[Deed<'_>], known: Micros, valid: Micros) -> &'static str {
    let over = row.ttl_until.is_some_and(|end| end <= known);
    let pushed = row.pushed_down.iter().any(|(_, reach)| *reach == Reach::Everything);
    let words = [
        (row.erased.is_some(), "erased"),
        (row.forgotten.is_some(), "forgotten"),
        (row.pending, "pending"),
        (row.rejected || !holds(story, valid), "closed"),
        (row.restricted, "restricted"),
        (row.expired || over, "expired"),
        (row.contest.is_some(), "contested"),
        (pushed, "pushed_down"),
        (true, "open"),
    ];
    words.into_iter().find(|(applies, _)| *applies).map_or("open", |(_, word)| word)
}

/// The row of a story.
#[must_use]
pub fn row(id: MemoryId, story: &[Deed<'_>]) -> Option<Row> {
    let Some(What::Born(born, write)) = story.first().map(|deed| &deed.what) else {
        return None;
    };
    let last = story.last()?;
    let when = |of: fn(&What<'_>) -> bool| story.iter().find(|deed| of(&deed.what)).map(|d| d.seq);
    let lately =
        |of: fn(&What<'_>) -> bool| story.iter().rfind(|deed| of(&deed.what)).map(|d| d.at);
    let decision = story.iter().find_map(|deed| match deed.what {
        What::Decided(decision) => Some(decision),
        _ => None,
    });
    let rejected = decision == Some(Decision::Reject);
    let forgotten = forgotten(story);
    let erased = when(|what| matches!(what, What::Erased));
    let gone = rejected || forgotten.is_some() || erased.is_some();
    Some(Row {
        id,
        born: born.seq(),
        since: last.seq,
        scope: born.header.scope,
        body: write.body,
        key: write.key,
        layer: layer(story, write.layer),
        trust: trust(story, write.trust),
        closed: closed(story),
        pushed_down: pushed_down(story),
        contest: contest(story),
        forgotten,
        erased,
        pending: write.verdict == Verdict::Pending && decision.is_none(),
        rejected,
        expired: expired(story),
        restricted: restricted(story),
        pinned: latest(story, false, |_, deed| match deed.what {
            What::Pinned(pinned) => Some(pinned),
            _ => None,
        }),
        stale: latest(story, false, |_, deed| match deed.what {
            What::Stale => Some(true),
            What::Confirmed { .. } => Some(false),
            _ => None,
        }),
        last_used: lately(|what| matches!(what, What::Used)),
        last_confirmed: lately(|what| matches!(what, What::Confirmed { .. })),
        ttl_until: ttl(story, write.ttl_until),
        review_by: review(story, write.review_by),
        live: !gone && sometime(story, last.at),
    })
}

/// The last value that a deed gave, else the first.
fn latest<T>(story: &[Deed<'_>], first: T, of: impl Fn(&T, &Deed<'_>) -> Option<T>) -> T {
    story.iter().fold(first, |old, deed| of(&old, deed).unwrap_or(old))
}

fn layer(story: &[Deed<'_>], first: Layer) -> Layer {
    latest(story, first, |_, deed| match deed.what {
        What::Ranked(_, layer) => layer,
        _ => None,
    })
}

/// The last closure after which nothing reopened.
fn closed(story: &[Deed<'_>]) -> Option<(Seq, CloseKind, Option<MemoryId>)> {
    latest(story, None, |_, deed| match deed.what {
        What::Closed { kind, by, .. } => Some(Some((deed.seq, kind, by))),
        What::Reopened { .. } => Some(None),
        _ => None,
    })
}

fn expired(story: &[Deed<'_>]) -> bool {
    latest(story, false, |_, deed| match deed.what {
        What::Expired => Some(true),
        What::Reopened { .. } | What::Confirmed { .. } => Some(false),
        _ => None,
    })
}

fn ttl(story: &[Deed<'_>], first: Option<Micros>) -> Option<Micros> {
    latest(story, first, |_, deed| match deed.what {
        What::Confirmed { ttl, .. } => Some(ttl),
        _ => None,
    })
}

fn review(story: &[Deed<'_>], first: Option<Micros>) -> Option<Micros> {
    latest(story, first, |old, deed| match deed.what {
        What::Confirmed { review, .. } => Some(review.or(*old)),
        _ => None,
    })
}

fn trust(story: &[Deed<'_>], first: Trust) -> Trust {
    latest(story, first, |_, deed| match deed.what {
        What::Ranked(trust, _) => trust,
        What::Decided(Decision::Approve) => Some(Trust::Approved),
        _ => None,
    })
}

/// The push-downs that nothing lifted afterwards.
fn pushed_down(story: &[Deed<'_>]) -> Vec<(Seq, Reach)> {
    let lifted = |push: Seq| {
        story.iter().any(|deed| {
            let later = deed.seq > push;
            matches!(deed.what, What::Lifted(which) if later && which.is_none_or(|seq| seq == push))
        })
    };
    let pushes = story.iter().filter_map(|deed| match deed.what {
        What::PushedDown(reach) => Some((deed.seq, reach)),
        _ => None,
    });
    pushes.filter(|(seq, _)| !lifted(*seq)).collect()
}

/// The newest contest that is not resolved.
fn contest(story: &[Deed<'_>]) -> Option<Seq> {
    let resolved = |contest: Seq| {
        story.iter().any(|deed| matches!(deed.what, What::Resolved(which) if which == contest))
    };
    let contests = story.iter().filter(|deed| matches!(deed.what, What::Contested));
    contests.map(|deed| deed.seq).rfind(|contest| !resolved(*contest))
}

/// Whether one of the restrictions still stands.
fn restricted(story: &[Deed<'_>]) -> bool {
    let lifted = |hold: Option<JobId>, since: Seq| {
        story.iter().any(|deed| {
            matches!(deed.what, What::Unrestricted(which) if which == hold && deed.seq > since)
        })
    };
    story.iter().any(|deed| match deed.what {
        What::Restricted(hold) => !lifted(hold, deed.seq),
        _ => false,
    })
}

/// Whether a memory holds at an instant or at any later one. Between two named instants nothing
/// changes, so the named ones are enough.
fn sometime(story: &[Deed<'_>], from: Micros) -> bool {
    let mut instants = vec![from, Micros::MAX];
    for deed in story {
        instants.extend(
            match deed.what {
                What::Born(_, write) => [write.valid_from, write.valid_until],
                What::Closed { from, until, .. } | What::Reopened { from, until } => [from, until],
                _ => [None, None],
            }
            .into_iter()
            .flatten(),
        );
    }
    instants.into_iter().any(|at| at >= from && holds(story, at))
}
