//! Owns how one input is made from others: small changes of the kind that decoders get wrong.

use replay_tests::rng::Rng;

/// Longest input that is made, in bytes.
pub const LONGEST: usize = 16 * 1024;

/// Numbers at which lengths and counts go wrong.
const EDGES: [u64; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    u64::MAX - 1,
    u64::MAX,
];

/// A new input from the seeds of a target.
#[must_use]
pub fn input(rng: &mut Rng, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = if seeds.is_empty() || rng.chance(1, 50) {
        (0..rng.index(300)).map(|_| rng.byte()).collect()
    } else {
        seeds[rng.index(seeds.len())].clone()
    };
    for _ in 0..1 + rng.index(4) {
        change(rng, &mut bytes, seeds);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn change(rng: &mut Rng, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let at = rng.index(bytes.len() + 1);
    let some = 1 + rng.index(8);
    let end = (at + some).min(bytes.len());
    match rng.index(9) {
        0 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << rng.index(8);
            }
        }
        1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = rng.byte();
            }
        }
        2 => drop(bytes.drain(at..end)),
        3 => {
            let fresh: Vec<u8> = (0..some).map(|_| rng.byte()).collect();
            bytes.splice(at..at, fresh);
        }
        4 => {
            let copy = bytes[at..(at + some * 16).min(bytes.len())].to_vec();
            let to = rng.index(bytes.len() + 1);
            bytes.splice(to..to, copy);
        }
        5 => bytes.truncate(at),
        6 => {
            let width = 1 << rng.index(4);
            let edge = EDGES[rng.index(EDGES.len())].to_le_bytes();
            let end = (at + width).min(bytes.len());
            bytes[at..end].copy_from_slice(&edge[..end - at]);
        }
        7 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = byte.wrapping_add(if rng.chance(1, 2) { 1 } else { 255 });
            }
        }
        _ => splice(rng, bytes, at, seeds),
    }
}

/// Goes on as another seed does.
fn splice(rng: &mut Rng, bytes: &mut Vec<u8>, at: usize, seeds: &[Vec<u8>]) {
    if seeds.is_empty() {
        return;
    }
    let other = &seeds[rng.index(seeds.len())];
    let from = rng.index(other.len() + 1);
    bytes.truncate(at);
    bytes.extend_from_slice(&other[from..]);
}
