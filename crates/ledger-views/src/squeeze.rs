//! Owns the short form of encoded values in rows.
//!
//! State encodings use fixed widths, so a third of a row is zero bytes. A zero is written with the
//! length of its run behind it; everything else stands for itself.
//!
//! Invariant: one value has one short form, so equal rows have equal digests.

use crate::error::Broken;

/// Appends the short form of `plain`.
pub(crate) fn squeeze(out: &mut Vec<u8>, plain: &[u8]) {
    let mut run = 0u8;
    for byte in plain {
        if *byte == 0 && run < u8::MAX {
            run += 1;
            continue;
        }
        end_run(out, &mut run);
        if *byte == 0 {
            run = 1;
        } else {
            out.push(*byte);
        }
    }
    end_run(out, &mut run);
}

fn end_run(out: &mut Vec<u8>, run: &mut u8) {
    if *run > 0 {
        out.extend([0, *run]);
        *run = 0;
    }
}

/// The plain form.
pub(crate) fn stretch(short: &[u8]) -> Result<Vec<u8>, Broken> {
    let mut plain = Vec::with_capacity(short.len() * 2);
    let mut bytes = short.iter();
    while let Some(byte) = bytes.next() {
        if *byte != 0 {
            plain.push(*byte);
            continue;
        }
        match bytes.next() {
            None | Some(0) => return Err(Broken("a run of zeros has no length")),
            Some(run) => plain.resize(plain.len() + usize::from(*run), 0),
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_run_without_a_length_does_not_read() {
        assert!(stretch(&[1, 0]).is_err());
        assert!(stretch(&[0, 0]).is_err());
    }

    proptest! {
        #[test]
        fn every_value_comes_back(runs in prop::collection::vec((any::<u8>(), 0usize..300), 0..8)) {
            let plain: Vec<u8> = runs.iter().flat_map(|(byte, run)| {
                [vec![*byte], vec![0; *run]].concat()
            }).collect();
            let mut short = Vec::new();
            squeeze(&mut short, &plain);
            prop_assert_eq!(stretch(&short), Ok(plain));
        }
    }
}
