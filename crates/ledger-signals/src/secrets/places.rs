//! Owns tokens without a mark of their own that count only in a text that names their company: one
//! more pass over such a text.

use core::ops::Range;

use crate::class::{ALNUM, DIGIT, HEX, TOKEN, WORD};
use crate::entropy::centibits;

/// A company whose tokens are bare.
#[derive(Clone, Copy)]
pub(super) enum Company {
    Sourcegraph,
    Facebook,
}

/// The companies that a text names.
#[derive(Clone, Copy, Default)]
pub(super) struct Wants {
    sourcegraph: bool,
    facebook: bool,
}

impl Wants {
    pub(super) fn add(&mut self, company: Company) {
        match company {
            Company::Sourcegraph => self.sourcegraph = true,
            Company::Facebook => self.facebook = true,
        }
    }
}

pub(super) fn find(text: &[u8], wants: Wants, tell: &mut dyn FnMut(&'static str, Range<usize>)) {
    if !wants.sourcegraph && !wants.facebook {
        return;
    }
    let mut at = 0;
    while at < text.len() {
        let length = WORD.run(text, at, usize::MAX);
        let word = text.get(at..at + length).unwrap_or_default();
        let hex = length == 40 && HEX.run(word, 0, 40) == 40;
        if wants.sourcegraph && hex && centibits(word) >= 290 {
            tell("sourcegraph-token", at..at + length);
        }
        if wants.facebook
            && let Some(end) = application(text, at, length)
        {
            tell("facebook-token", at..end);
        }
        at += length.max(1);
    }
}

/// An application's id, a bar and its secret.
fn application(text: &[u8], at: usize, length: usize) -> Option<usize> {
    let id = DIGIT.run(text, at, 17);
    let barred = matches!(text.get(at + id), Some(b'|' | b'%'));
    if !(15..=16).contains(&id) || id != length || !barred {
        return None;
    }
    let secret = TOKEN.run(text, at + id + 1, 41);
    let end = at + id + 1 + secret;
    let whole = (27..=40).contains(&secret) && !ALNUM.at(text, end);
    (whole && centibits(text.get(at..end)?) >= 290).then_some(end)
}
