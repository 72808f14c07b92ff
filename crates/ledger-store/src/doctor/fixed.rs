//! Owns the map of the files with a fixed form (key files, anchors, notes, `ledger.toml`), and of
//! what is not a part of the format.

use ledger_format::anchor::{self, Anchor};
use ledger_format::key_page::{KeyFileHeader, KeyPage};
use ledger_format::limits;

use super::Ward;
use super::region::{FileMap, RegionState};
use crate::config::{CONFIG_FILE, LedgerConfig};
use crate::keys::{SLOTS_A, SLOTS_B};
use crate::layout::{ANCHORS, CHECKPOINTS};
use crate::storage::{LOCK_FILE, RelPath, StorageError, StorageFile};
use crate::verify::heads;

/// Longest file of a fixed form that is read as a whole.
const LONGEST: u64 = 64 * 1024;

pub(super) fn map(ward: &Ward<'_>, path: RelPath) -> FileMap {
    let opened = ward.storage.open_read(&path).and_then(|file| Ok((file.len()?, file)));
    let (length, file) = match opened {
        Ok(opened) => opened,
        Err(error) => return FileMap::unread(&path, &error),
    };
    let mut map = FileMap::new(path, length);
    let done = if map.file == SLOTS_A || map.file == SLOTS_B {
        keys(ward, &*file, &mut map)
    } else if let Some(what) = outside(&map.file) {
        map.push(0, length, RegionState::Outside, what, None);
        Ok(())
    } else {
        small(ward, &*file, &mut map)
    };
    match done {
        Ok(()) => map,
        Err(error) => map.stopped(&error),
    }
}

/// Bytes of a key file that is looked at: half a thousand million keys. A hole of any size costs nothing
/// to make, and everything to read.
const LONGEST_KEYS: u64 = 16 << 30;

/// What a file is that is not a part of the format; none for one that is.
fn outside(path: &RelPath) -> Option<&'static str> {
    let known = *path == CONFIG_FILE || ANCHORS.contains(path);
    let note = path.parent() == Some(CHECKPOINTS) && path.as_str().ends_with(".note");
    if known || note {
        return None;
    }
    let first = path.parts().next().unwrap_or_default();
    Some(match first {
        "views" => "views: disposable, `verify` checks them",
        "quarantine" => "kept by recovery or repair",
        _ if *path == LOCK_FILE => "who holds the ledger",
        _ => "a file that no ledger makes",
    })
}

fn small(ward: &Ward<'_>, file: &dyn StorageFile, map: &mut FileMap) -> Result<(), StorageError> {
    let length = map.length;
    let mut bytes = vec![0; usize::try_from(length.min(LONGEST)).unwrap_or_default()];
    file.read_exact_at(&mut bytes, 0)?;
    let ours = |ledger| ward.ledger.is_none_or(|id| id == ledger);
    let (state, what) = if ANCHORS.contains(&map.file) {
        match Anchor::decode(&bytes) {
            Ok(anchor) if ours(anchor.ledger) => {
                (RegionState::Whole, format!("anchor of record {}", anchor.seq))
            }
            Ok(anchor) => (RegionState::Damaged, format!("an anchor of ledger {}", anchor.ledger)),
            Err(_) if bytes.len() == anchor::BYTES && bytes.iter().all(|byte| *byte == 0) => {
                (RegionState::Zeros, "a blank anchor".to_owned())
            }
            Err(error) => (RegionState::Damaged, format!("an anchor: {error}")),
        }
    } else if map.file == CONFIG_FILE {
        let text = std::str::from_utf8(&bytes).ok();
        match text.and_then(|text| Some((LedgerConfig::parse(text).ok()?, text))) {
            Some((config, text))
                if ours(config.ledger)
                    && config.render() == text
                    && ward.copy.get().is_none_or(|copy| copy == text) =>
            {
                (RegionState::Whole, "a copy of record 0".to_owned())
            }
            _ => (RegionState::Damaged, "not a copy of record 0 of this ledger".to_owned()),
        }
    } else {
        let head = std::str::from_utf8(&bytes).ok().and_then(heads::parse);
        let name = map.file.file_name().and_then(|name| name.strip_suffix(".note"));
        match head {
            Some(head) if name == Some(&head.size.to_string()) => {
                (RegionState::Whole, format!("a checkpoint of {} records", head.size))
            }
            _ => (RegionState::Damaged, "not the signed checkpoint of its name".to_owned()),
        }
    };
    let state = if length > LONGEST { RegionState::Damaged } else { state };
    map.push(0, length, state, what, None);
    Ok(())
}

fn keys(ward: &Ward<'_>, file: &dyn StorageFile, map: &mut FileMap) -> Result<(), StorageError> {
    let mut page = vec![0; limits::PAGE_BYTES];
    let length = map.length;
    if length > LONGEST_KEYS {
        let what = "a key file longer than any can be, which was not read";
        map.push(0, length, RegionState::Damaged, what, None);
        return Ok(());
    }
    let ours = |ledger| ward.ledger.is_none_or(|id| id == ledger);
    for number in 0..length / limits::PAGE_BYTES as u64 {
        let from = number * limits::PAGE_BYTES as u64;
        file.read_exact_at(&mut page, from)?;
        let whole = match number.checked_sub(1) {
            None => KeyFileHeader::decode(&page).is_ok_and(|header| ours(header.ledger)),
            Some(number) => {
                KeyPage::decode(&page).is_ok_and(|page| page.page == number && ours(page.ledger))
            }
        };
        let (state, what) = match (whole, number) {
            (true, 0) => (RegionState::Whole, "key file header"),
            (true, _) => (RegionState::Whole, "key pages"),
            (false, 0) => (RegionState::Damaged, "a key file header that does not hold"),
            (false, _) => (RegionState::Damaged, "a key page that does not hold"),
        };
        map.push(from, from + limits::PAGE_BYTES as u64, state, what, None);
    }
    let what = "less than a page";
    map.push(length - length % limits::PAGE_BYTES as u64, length, RegionState::Damaged, what, None);
    Ok(())
}
