//! Owns the sketch of a text: two keyed digests by which texts are compared when the texts are gone.
//!
//! `exact` is BLAKE3 of the normal form under the key. `similar` is a SimHash (M. S. Charikar, "Similarity
//! estimation techniques from rounding algorithms", STOC 2002, doi:10.1145/509907.509965; for near
//! duplicates G. S. Manku and others, WWW 2007, doi:10.1145/1242572.1242592) whose features are hashed
//! under the key too. Without the key nobody can test a guess against a sketch. What sketches do say to
//! everybody is which of them belong to equal or similar texts.

use alloc::vec::Vec;

use crate::normal::{normal_form, wordy};

/// What is left of a text to compare it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sketch {
    /// Equal exactly where the normal forms are, but for chance of 2⁻⁶⁴ among 2³² texts.
    pub exact: [u8; 16],
    /// A SimHash of words and pairs of words; of characters and pairs where words are not parted.
    pub similar: u64,
}

/// Bits of a SimHash.
const BITS: usize = 64;

/// `10000 * cos(π d / 64)`, rounded, for `d` = 0 to 32 different bits.
const COSINE: [u16; 33] = [
    10000, 9988, 9952, 9892, 9808, 9700, 9569, 9415, 9239, 9040, 8819, 8577, 8315, 8032, 7730,
    7410, 7071, 6716, 6344, 5957, 5556, 5141, 4714, 4276, 3827, 3369, 2903, 2430, 1951, 1467, 980,
    491, 0,
];

impl Sketch {
    /// The sketch of a text under a key, which belongs to one ledger and is as secret as its content.
    #[must_use]
    pub fn of(text: &str, key: &[u8; 32]) -> Sketch {
        let plain = normal_form(text);
        let digest = blake3::keyed_hash(key, plain.as_bytes());
        let mut exact = [0; 16];
        for (to, from) in exact.iter_mut().zip(digest.as_bytes()) {
            *to = *from;
        }
        Sketch { exact, similar: simhash(&plain, key) }
    }

    /// How alike two texts are, in parts of 10,000: 10,000 for equal normal forms, else the cosine of the
    /// angle between the two texts' features as the two SimHashes estimate it, at most 9,999.
    ///
    /// Each of the 64 bits differs with a probability of the angle over π, so `d` different bits say
    /// an angle of about `π d / 64`, with a standard deviation of up to four bits. Unrelated texts
    /// have about 32 different bits: 0, and seldom above 5,000.
    #[must_use]
    pub fn similarity(&self, other: &Sketch) -> u16 {
        if self.exact == other.exact {
            return 10_000;
        }
        let apart = (self.similar ^ other.similar).count_ones() as usize;
        COSINE.get(apart).copied().unwrap_or(0).min(9_999)
    }
}

/// The majority of each bit over the keyed hashes of all features.
fn simhash(plain: &str, key: &[u8; 32]) -> u64 {
    let mut votes = [0_i64; BITS];
    let words = features(plain);
    let mut before: Option<&str> = None;
    for word in words {
        vote(&mut votes, feature(key, &[word]), 1);
        if let Some(before) = before {
            vote(&mut votes, feature(key, &[before, word]), 1);
        }
        before = Some(word);
    }
    votes.iter().rev().fold(0, |hash, vote| hash << 1 | u64::from(*vote > 0))
}

fn vote(votes: &mut [i64; BITS], hash: u64, weight: i64) {
    for (bit, vote) in votes.iter_mut().enumerate() {
        *vote += if hash >> bit & 1 == 1 { weight } else { -weight };
    }
}

/// The keyed hash of one or two words.
fn feature(key: &[u8; 32], words: &[&str]) -> u64 {
    let mut hasher = blake3::Hasher::new_keyed(key);
    for word in words {
        // The length first, so that no two lists of words are the same bytes.
        hasher.update(&(word.len() as u64).to_le_bytes());
        hasher.update(word.as_bytes());
    }
    let digest = hasher.finalize();
    digest.as_bytes().iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}

/// The words of a normal form; single characters of scripts that do not part words.
fn features(plain: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for chunk in plain.split(' ') {
        let mut rest = chunk;
        while let Some(first) = rest.chars().next() {
            let length = if dense(first) {
                let marks =
                    rest.chars().skip(1).take_while(|read| wordy(*read) && !read.is_alphanumeric());
                first.len_utf8() + marks.map(char::len_utf8).sum::<usize>()
            } else {
                rest.chars().take_while(|read| !dense(*read)).map(char::len_utf8).sum()
            };
            let Some((word, tail)) = rest.split_at_checked(length) else { break };
            words.push(word);
            rest = tail;
        }
    }
    words
}

/// Letters of scripts that put no spaces between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese.
fn dense(read: char) -> bool {
    matches!(read,
        '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [1; 32];

    #[test]
    fn the_table_is_the_cosine() {
        for (apart, cosine) in COSINE.iter().enumerate() {
            let angle = core::f64::consts::PI * apart as f64 / 64.0;
            assert!((f64::from(*cosine) - 10_000.0 * angle.cos()).abs() <= 0.5, "{apart}");
        }
    }

    #[test]
    fn equal_alike_and_unrelated_texts() {
        let text = "The office in Leipzig closes at six in the evening on every working day of the week, \
                    and the key is with the porter.";
        let of = |text: &str| Sketch::of(text, &KEY);
        assert_eq!(of(text).similarity(&of(&text.to_uppercase())), 10_000);
        let alike = of(text).similarity(&of(&text.replace("porter", "gardener")));
        assert!((8_000..10_000).contains(&alike), "{alike}");
        let other = of("Tomatoes need warm nights; sow them in March behind glass and not before.");
        assert!(of(text).similarity(&other) < 5_000);
        let chinese = of("办公室每天晚上六点关门，钥匙在门卫那里，请提前打电话。");
        let changed = of("办公室每天晚上七点关门，钥匙在门卫那里，请提前打电话。");
        assert!((8_000..10_000).contains(&chinese.similarity(&changed)));
    }

    #[test]
    fn another_key_makes_another_sketch() {
        let (one, two) =
            (Sketch::of("a text of words", &KEY), Sketch::of("a text of words", &[2; 32]));
        assert_ne!(one.exact, two.exact);
        assert_ne!(one.similar, two.similar);
    }

    #[test]
    fn words_are_not_run_together() {
        assert_ne!(feature(&KEY, &["ab", "c"]), feature(&KEY, &["a", "bc"]));
        assert_eq!(features("a 你好b ไทย"), ["a", "你", "好", "b", "ไ", "ท", "ย"]);
    }
}
