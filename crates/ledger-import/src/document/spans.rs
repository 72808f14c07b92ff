//! Owns arithmetic on spans of time: lists of half-open intervals, disjoint and in order.

use memledger::Interval;
use memledger::format::Micros;

/// What is in `all` and not in `cut`.
pub(crate) fn minus(all: &[Interval], cut: &[Interval]) -> Vec<Interval> {
    let all: Vec<Interval> = all.iter().filter(|span| !span.is_empty()).copied().collect();
    cut.iter().fold(all, |left, cut| {
        let parts = left.iter().flat_map(|span| {
            [
                Interval { from: span.from, until: span.until.min(cut.from) },
                Interval { from: span.from.max(cut.until), until: span.until },
            ]
        });
        parts.filter(|part| !part.is_empty()).collect()
    })
}

/// What is in either.
pub(crate) fn plus(all: &[Interval], more: &[Interval]) -> Vec<Interval> {
    let mut sorted: Vec<Interval> = all.iter().chain(more).copied().collect();
    sorted.sort_unstable();
    let mut joined: Vec<Interval> = Vec::with_capacity(sorted.len());
    for span in sorted {
        match joined.last_mut() {
            Some(last) if span.from <= last.until => last.until = last.until.max(span.until),
            _ => joined.push(span),
        }
    }
    joined
}

/// What is in `all` and in `window`.
pub(crate) fn within(all: &[Interval], window: Interval) -> Vec<Interval> {
    let outside = [
        Interval { from: Micros::MIN, until: window.from },
        Interval { from: window.until, until: Micros::MAX },
    ];
    minus(all, &outside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spans() -> impl Strategy<Value = Vec<Interval>> {
        prop::collection::vec((0..30i64, 1..6i64), 0..5).prop_map(|list| {
            let one = |(from, long)| Interval { from: Micros(from), until: Micros(from + long) };
            list.into_iter().map(one).fold(Vec::new(), |all, span| plus(&all, &[span]))
        })
    }

    fn holds(spans: &[Interval], at: i64) -> bool {
        spans.iter().any(|span| span.contains(Micros(at)))
    }

    proptest! {
        #[test]
        fn spans_are_sets_of_instants(a in spans(), b in spans(), from in 0..30i64, long in 1..9i64) {
            let window = Interval { from: Micros(from), until: Micros(from + long) };
            for at in -1..40 {
                prop_assert_eq!(holds(&minus(&a, &b), at), holds(&a, at) && !holds(&b, at));
                prop_assert_eq!(holds(&plus(&a, &b), at), holds(&a, at) || holds(&b, at));
                prop_assert_eq!(holds(&within(&a, window), at), holds(&a, at) && window.contains(Micros(at)));
            }
            let joined = plus(&a, &b);
            prop_assert!(joined.windows(2).all(|pair| pair[0].until < pair[1].from));
        }
    }
}
