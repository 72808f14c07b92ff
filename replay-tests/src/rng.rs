//! Owns the one source of chance of the harness: xoshiro256**, seeded through SplitMix64 as its
//! authors recommend (Blackman and Vigna, "Scrambled linear pseudorandom number generators").

/// A deterministic generator.
#[derive(Clone, Debug)]
pub struct Rng([u64; 4]);

impl Rng {
    /// The generator of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut state = seed;
        Self([(); 4].map(|()| split_mix(&mut state)))
    }

    /// A generator for one part of a run, independent of how much other parts draw.
    #[must_use]
    pub fn part(seed: u64, part: u64) -> Self {
        let mut state = seed ^ part.wrapping_mul(0xa076_1d64_78bd_642f);
        Self::new(split_mix(&mut state))
    }

    pub fn number(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `end`, which is not zero. The bias is below 2^-32 for the ends used here.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.number()) * u128::from(end)) >> 64) as u64
    }

    /// An index into something of this length, which is not zero.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    pub fn byte(&mut self) -> u8 {
        (self.number() >> 56) as u8
    }

    /// True in `times` of `of` cases.
    pub fn chance(&mut self, times: u64, of: u64) -> bool {
        self.below(of) < times
    }

    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        [(); N].map(|()| self.byte())
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First outputs of SplitMix64 for seed 1234567, as published with the algorithm.
    #[test]
    fn split_mix_gives_the_published_numbers() {
        let mut state = 1_234_567;
        let first: Vec<u64> = (0..3).map(|_| split_mix(&mut state)).collect();
        let published =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(first, published);
    }

    /// First outputs of xoshiro256** from the state 1, 2, 3, 4.
    #[test]
    fn xoshiro_gives_the_known_numbers() {
        let mut rng = Rng([1, 2, 3, 4]);
        let first: Vec<u64> = (0..4).map(|_| rng.number()).collect();
        assert_eq!(first, [11_520, 0, 1_509_978_240, 1_215_971_899_390_074_240]);
    }

    #[test]
    fn numbers_stay_below_their_end_and_reach_all_of_it() {
        let mut rng = Rng::new(1);
        let mut seen = [false; 7];
        (0..200).for_each(|_| seen[rng.index(7)] = true);
        assert_eq!(seen, [true; 7]);
    }
}
