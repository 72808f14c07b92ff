//! Owns the mark that a generation was closed in order. It saves the scan of all rows at the next
//! open, so it is removed before anything else happens there.

use ledger_format::bytes::{Reader, Writer};
use ledger_format::{Digest16, hash};

use crate::error::ViewError;
use crate::guard::{Place, files};
use crate::meta::Meta;

const MAGIC: &[u8; 8] = b"MLCLEAN\n";

/// What a generation was when it was closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clean {
    /// The meta row: position, head hash, count, digest.
    meta: Vec<u8>,
    /// Digest of all files: sled opens some damaged ones without an error and with rows missing, and
    /// only reading them all, as bytes or as rows, tells. Bytes are read about ten times as fast.
    files: Digest16,
}

impl Clean {
    /// Takes the mark away, if there is one that reads.
    pub(crate) fn take(place: &Place) -> Result<Option<Self>, ViewError> {
        let path = place.path().join("CLEAN");
        let bytes = files::read(&path)?;
        files::remove(&path)?;
        Ok(bytes.and_then(|bytes| Self::decode(&bytes)))
    }

    /// Leaves the mark. The database must be closed.
    pub(crate) fn leave(place: &Place, meta: &Meta) -> Result<(), ViewError> {
        place.sync()?;
        let clean = Self { meta: meta.encode(), files: census(place)? };
        files::replace(&place.path().join("CLEAN"), &clean.encode())
    }

    /// Whether the files are those that were closed.
    pub(crate) fn has_files_of(&self, place: &Place) -> Result<bool, ViewError> {
        Ok(census(place)? == self.files)
    }

    /// Whether the rows are those that were closed.
    pub(crate) fn speaks_of(&self, meta: &Meta) -> bool {
        self.meta == meta.encode()
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.put(MAGIC).put(&self.files.0).put(&self.meta);
        let check = hash::check(out.as_slice());
        out.put(&check.0);
        out.into_vec()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (body, check) = bytes.split_at_checked(bytes.len().checked_sub(16)?)?;
        if hash::check(body).0.as_slice() != check {
            return None;
        }
        let mut reader = Reader::new("a clean mark", body);
        reader.magic(MAGIC).ok()?;
        let files = Digest16(reader.array().ok()?);
        Some(Self { files, meta: reader.rest().to_vec() })
    }
}

fn census(place: &Place) -> Result<Digest16, ViewError> {
    let root = place.rows();
    let mut out = Writer::default();
    for (path, length) in files::list(&root)? {
        let name = path.strip_prefix(&root).unwrap_or(&path).as_os_str().as_encoded_bytes();
        out.u64(name.len() as u64).put(name).u64(length);
        files::each_piece(&path, |piece| {
            out.put(&hash::check(piece).0);
        })?;
    }
    Ok(hash::check(out.as_slice()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger_format::LedgerId;
    use std::fs;

    #[test]
    fn other_bytes_other_names_and_other_lengths_show() {
        let dir = tempfile::tempdir().expect("a directory");
        let place = Place::begin(dir.path()).expect("begins");
        fs::create_dir(place.rows()).expect("made");
        let file = place.rows().join("db");
        fs::write(&file, b"some bytes").expect("written");
        let meta = Meta::new(LedgerId([1; 16]));
        Clean::leave(&place, &meta).expect("left");
        let clean = Clean::take(&place).expect("reads").expect("a mark");
        assert_eq!(Clean::take(&place), Ok(None), "taken away");
        assert!(clean.speaks_of(&meta));
        assert!(!clean.speaks_of(&Meta::new(LedgerId([2; 16]))));
        assert_eq!(clean.has_files_of(&place), Ok(true));
        for bytes in [b"some bytez".as_slice(), b"some byte", b"some bytes."] {
            fs::write(&file, bytes).expect("written");
            assert_eq!(clean.has_files_of(&place), Ok(false));
        }
        fs::write(&file, b"some bytes").expect("written");
        assert_eq!(clean.has_files_of(&place), Ok(true));
        fs::write(place.rows().join("more"), b"").expect("written");
        assert_eq!(clean.has_files_of(&place), Ok(false));
    }

    #[test]
    fn a_damaged_mark_is_none() {
        let dir = tempfile::tempdir().expect("a directory");
        let place = Place::begin(dir.path()).expect("begins");
        fs::create_dir(place.rows()).expect("made");
        Clean::leave(&place, &Meta::new(LedgerId([1; 16]))).expect("left");
        let path = place.path().join("CLEAN");
        let mut bytes = fs::read(&path).expect("reads");
        bytes[30] ^= 1;
        fs::write(&path, bytes).expect("written");
        assert_eq!(Clean::take(&place), Ok(None));
    }
}
