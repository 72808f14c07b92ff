//! Owns sealing words under fresh keys, on as many cores as pay for themselves.
//!
//! Invariants: all slots of a call come from one reservation, so a caller waits for key pages once
//! at most; nonces are drawn before anything is spread, so the same chance gives the same bytes on
//! any number of cores. May not: judge words or look at state.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::sync::LazyLock;

use ledger_format::payload::Sealed;
use ledger_format::{LedgerId, Role, payload};
use ledger_store::{KeyStore, Reserved};

use crate::clock::Chance;
use crate::error::{Error, ErrorKind, Result};

/// A plaintext with its role.
pub(crate) type Word<'a> = (Role, Cow<'a, [u8]>);

/// Work that is worth another thread, in bytes: starting one takes about as long as sealing these.
const SHARE: usize = 48 * 1024;
/// What sealing a word costs beside its bytes, in bytes.
const EACH: usize = 512;
const NONCE: usize = 24;
/// Asked for once: the system reads files to answer, which costs more than sealing.
static CORES: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, NonZeroUsize::get));

/// Seals words in their order.
pub(crate) fn seal_all(
    ledger: &LedgerId,
    keys: &KeyStore,
    chance: &dyn Chance,
    words: &[Word<'_>],
) -> Result<Vec<Sealed>> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let reserved = keys.reserve(words.len())?;
    let mut nonces = vec![[0; NONCE]; words.len()];
    chance.fill(nonces.as_flattened_mut()).map_err(|reason| {
        Error::new(ErrorKind::Unavailable, format!("no random bytes: {reason}"))
    })?;
    let jobs: Vec<Job<'_>> = words
        .iter()
        .zip(&reserved)
        .zip(&nonces)
        .map(|((word, slot), nonce)| Job { word, slot, nonce })
        .collect();
    let shares = shares(&jobs, *CORES);
    let Some((own, others)) = shares.split_last().filter(|(_, others)| !others.is_empty()) else {
        return seal_share(ledger, &jobs);
    };
    std::thread::scope(|scope| {
        let started: Vec<_> =
            others.iter().map(|share| scope.spawn(|| seal_share(ledger, share))).collect();
        let last = seal_share(ledger, own)?;
        let mut sealed = Vec::with_capacity(words.len());
        for thread in started {
            let share = thread.join().map_err(|_| {
                Error::new(ErrorKind::Unavailable, "a sealing thread ended; nothing was recorded")
            })?;
            sealed.extend(share?);
        }
        sealed.extend(last);
        Ok(sealed)
    })
}

struct Job<'a> {
    word: &'a Word<'a>,
    slot: &'a Reserved,
    nonce: &'a [u8; NONCE],
}

impl Job<'_> {
    fn cost(&self) -> usize {
        self.word.1.len() + EACH
    }
}

fn seal_share(ledger: &LedgerId, jobs: &[Job<'_>]) -> Result<Vec<Sealed>> {
    let seal = |job: &Job<'_>| {
        let ((role, plaintext), (id, key)) = (job.word, job.slot);
        Ok(payload::seal(ledger, *id, *role, plaintext, key, job.nonce)?)
    };
    jobs.iter().map(seal).collect()
}

/// Cuts the jobs into at most `most` runs of about the same cost, none of them below [`SHARE`].
fn shares<'j, 'a>(jobs: &'j [Job<'a>], most: usize) -> Vec<&'j [Job<'a>]> {
    let total: usize = jobs.iter().map(Job::cost).sum();
    let parts = (total / SHARE).clamp(1, most.max(1));
    let mut shares = Vec::with_capacity(parts);
    let (mut rest, mut left) = (jobs, total);
    for part in (2..=parts).rev() {
        let goal = left / part;
        let mut cost = 0;
        let count = rest
            .iter()
            .take_while(|job| {
                let fits = cost < goal;
                cost += if fits { job.cost() } else { 0 };
                fits
            })
            .count();
        let (share, others) = rest.split_at(count);
        (rest, left) = (others, left - cost);
        shares.push(share);
    }
    shares.push(rest);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger_format::PayloadId;
    use zeroize::Zeroizing;

    /// Whatever the sizes, every job is in one share, in order, and no share is far from the mean.
    #[test]
    fn shares_hold_every_job_once_and_in_order() {
        for lengths in [vec![1; 3], vec![600; 2_000], vec![200_000, 1, 1, 1], vec![40_000; 7]] {
            let words: Vec<Word<'_>> =
                lengths.iter().map(|length| (Role::Text, Cow::from(vec![1; *length]))).collect();
            let slots: Vec<Reserved> = (0..lengths.len())
                .map(|n| (PayloadId(n as u64), Zeroizing::new([7; 32])))
                .collect();
            let jobs: Vec<Job<'_>> = words
                .iter()
                .zip(&slots)
                .map(|(word, slot)| Job { word, slot, nonce: &[0; NONCE] })
                .collect();
            let longest = jobs.iter().map(Job::cost).max().unwrap();
            let total: usize = jobs.iter().map(Job::cost).sum();
            for most in [1, 2, 3, 8] {
                let shares = shares(&jobs, most);
                assert!((1..=most).contains(&shares.len()));
                assert!(shares.len() == 1 || total >= SHARE * shares.len(), "too small to spread");
                let order: Vec<u64> =
                    shares.iter().flat_map(|share| share.iter().map(|job| job.slot.0.0)).collect();
                assert_eq!(order, (0..lengths.len() as u64).collect::<Vec<_>>());
                for share in &shares {
                    let cost: usize = share.iter().map(Job::cost).sum();
                    assert!(cost <= total / shares.len() + longest, "one share does it all");
                }
            }
        }
    }
}
