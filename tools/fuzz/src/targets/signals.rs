//! Owns the targets of texts that somebody proposes: whatever they hold, the rules answer with places in
//! them, and the normal form is one.

use ledger_signals::{Sketch, normal_form, scan};

const KEY: [u8; 32] = [9; 32];

/// Findings lie in the text, in its order, and are cut where characters end.
pub(super) fn scanned(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let seen = scan(&text);
    for found in [&seen.secrets, &seen.personal] {
        let mut end = 0;
        for finding in found {
            assert!(finding.range.start >= end, "{finding:?} begins before {end}");
            assert!(
                text.get(finding.range.clone()).is_some_and(|part| !part.is_empty()),
                "{finding:?}"
            );
            end = finding.range.end;
        }
    }
    assert!(seen.instruction_like <= 10_000);
}

/// A normal form is its own, and the sketch is that of the normal form.
pub(super) fn normal(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let once = normal_form(&text);
    assert_eq!(normal_form(&once), once);
    assert!(once.len() <= 18 * text.len());
    let (one, two) = (Sketch::of(&text, &KEY), Sketch::of(&once, &KEY));
    assert_eq!(one, two);
    assert_eq!(one.similarity(&two), 10_000);
}
