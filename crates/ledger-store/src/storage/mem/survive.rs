//! Which unsynced changes outlive a crash.
//!
//! Owns the choice and nothing else. Each answer depends on the seed and the id of the change
//! alone, so the order of asking does not matter and one seed is one reproducible crash.

/// What a crash leaves of the changes that were not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Survival {
    /// None of them.
    Nothing,
    /// All of them: the process died, the machine did not.
    Everything,
    /// A choice made by the seed. Content and directory entries are chosen apart, each seed with
    /// its own odds, so that "names without content" and the reverse are among the outcomes.
    Seeded(u64),
}

/// Bytes that a medium writes whole or not at all.
pub(super) const SECTOR: u64 = 512;

/// Which sectors of one write survive. Numbers are absolute in the file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Keep {
    All,
    Before(u64),
    From(u64),
    Scattered(u64),
}

/// What survives of one write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tear {
    pub(super) keep: Keep,
    /// Whether the length grows as the whole write would have grown it.
    pub(super) extends: bool,
}

impl Tear {
    pub(super) const WHOLE: Self = Self { keep: Keep::All, extends: true };

    pub(super) fn keeps(&self, sector: u64) -> bool {
        match self.keep {
            Keep::All => true,
            Keep::Before(end) => sector < end,
            Keep::From(start) => sector >= start,
            Keep::Scattered(seed) => mix(seed ^ mix(sector)) & 1 == 0,
        }
    }
}

const DATA: u64 = 1;
const ENTRY: u64 = 2;

/// Odds of survival in eighths.
const ODDS: [u64; 5] = [0, 1, 4, 7, 8];

impl Survival {
    /// Whether a change of length or of a directory survives.
    fn keeps(self, kind: u64, id: u64) -> bool {
        match self {
            Self::Nothing => false,
            Self::Everything => true,
            Self::Seeded(seed) => {
                let pick = usize::try_from(mix(seed ^ kind) % 5).unwrap_or_default();
                let odds = ODDS.get(pick).copied().unwrap_or_default();
                mix(mix(seed ^ kind) ^ id) % 8 < odds
            }
        }
    }

    pub(super) fn keeps_entry(self, id: u64) -> bool {
        self.keeps(ENTRY, id)
    }

    pub(super) fn keeps_length(self, id: u64) -> bool {
        self.keeps(DATA, id)
    }

    /// What survives of a write that touches `sectors` sectors from `first`; `None` for nothing.
    pub(super) fn tear(self, id: u64, first: u64, sectors: u64) -> Option<Tear> {
        let Self::Seeded(seed) = self else {
            return (self == Self::Everything).then_some(Tear::WHOLE);
        };
        if !self.keeps(DATA, id) {
            return None;
        }
        let draw = mix(seed.rotate_left(32) ^ mix(id));
        let cut = first + mix(draw) % (sectors + 1);
        let keep = match draw % 6 {
            0 => Keep::Before(cut),
            1 => Keep::From(cut),
            2 => Keep::Scattered(draw),
            // Length alone: the blocks were allocated, the content was not written.
            3 => Keep::Before(0),
            _ => Keep::All,
        };
        let extends = draw % 6 == 3 || (draw >> 8) & 1 == 0;
        Some(Tear { keep, extends })
    }
}

/// The output function of splitmix64 (Steele, Lea, Flood 2014) over one step of its counter.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
