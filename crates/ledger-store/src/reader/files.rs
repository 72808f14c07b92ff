//! Owns the files that readers keep open.
//!
//! Invariant: at most [`MOST`] at a time; a payload file is checked to be ours when it is opened.

use std::collections::BTreeMap;
use std::sync::Arc;

use ledger_format::{LedgerId, SegmentNo};

use crate::error::StoreError;
use crate::layout;
use crate::log::payload_writer::check_header;
use crate::storage::{Storage, StorageFile};

/// Files kept open; below the limit that systems set for a process.
const MOST: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileKey {
    Segment(SegmentNo),
    Payload(u32),
}

#[derive(Debug, Default)]
pub(super) struct Files(BTreeMap<FileKey, Arc<dyn StorageFile>>);

impl Files {
    pub(super) fn get(
        &mut self,
        storage: &dyn Storage,
        ledger: LedgerId,
        key: FileKey,
    ) -> Result<Arc<dyn StorageFile>, StoreError> {
        if let Some(file) = self.0.get(&key) {
            return Ok(Arc::clone(file));
        }
        let path = match key {
            FileKey::Segment(number) => layout::segment(number),
            FileKey::Payload(number) => layout::payload_file(number),
        };
        let file: Arc<dyn StorageFile> = match storage.open_read(&path) {
            Err(error) if error.is_not_found() => {
                let what = "a file of the log";
                return Err(StoreError::damaged(&path, 0, None, what, "this file", "no file"));
            }
            opened => opened?.into(),
        };
        if let FileKey::Payload(number) = key {
            check_header(&*file, ledger, number)?;
        }
        if self.0.len() >= MOST {
            // Those in use stay open through their other owners.
            self.0.clear();
        }
        self.0.insert(key, Arc::clone(&file));
        Ok(file)
    }
}
