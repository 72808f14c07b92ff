//! Owns how a holder comes to be: over nothing, or over a log that was recovered.

use std::sync::Arc;

use ledger_format::payload_file;
use ledger_format::tree::Frontier;
use ledger_format::{LedgerId, limits};

use super::Appender;
use crate::error::StoreError;
use crate::layout;
use crate::log::anchor_file::{AnchorWriter, create_blank, read_anchors};
use crate::log::payload_writer::PayloadWriter;
use crate::log::recover::{Recovery, list_segments, recover};
use crate::options::StoreOptions;
use crate::reader::Shared;
use crate::storage::{LockGuard, RelPath, Storage};

impl Appender {
    /// Makes an empty log and holds it. The first commit makes the first segment and the first
    /// anchor.
    ///
    /// # Errors
    /// [`StoreError::AlreadyThere`] where a log is, [`StoreError::Busy`] while another opener holds
    /// the directory, [`StoreError::Invalid`] for options beyond the limits of the format, or a
    /// failing storage.
    pub fn create(
        storage: Arc<dyn Storage>,
        ledger: LedgerId,
        epoch: u64,
        options: StoreOptions,
    ) -> Result<Self, StoreError> {
        check_options(&options)?;
        let lock = storage.try_lock()?;
        refuse_existing(&*storage)?;
        for dir in [layout::LOG, layout::PAYLOADS, layout::QUARANTINE] {
            storage.create_dir(&dir)?;
        }
        storage.sync_dir(&RelPath::ROOT)?;
        create_blank(&*storage)?;
        let anchors = AnchorWriter::open(&*storage, ledger, &read_anchors(&*storage)?)?;
        let shared = Shared::new(storage, ledger, None, Vec::new());
        let payload_end = payload_file::HEADER_BYTES as u64;
        let payloads = PayloadWriter::new(ledger, 0, payload_end);
        Ok(Self::holding(shared, options, epoch, payloads, anchors, lock))
    }

    /// Takes the lock of an existing log and recovers it.
    ///
    /// # Errors
    /// [`StoreError::NotALedger`], [`StoreError::Busy`], [`StoreError::AnchorDamaged`],
    /// [`StoreError::Lost`], [`StoreError::Damaged`], [`StoreError::Foreign`],
    /// [`StoreError::Unsupported`], [`StoreError::Invalid`] for options beyond the limits of the
    /// format, or a failing storage.
    pub fn open(
        storage: Arc<dyn Storage>,
        ledger: LedgerId,
        options: StoreOptions,
    ) -> Result<(Self, Recovery), StoreError> {
        check_options(&options)?;
        // Before the lock, which would leave its file in a directory that is no ledger.
        refuse_missing(&*storage)?;
        let lock = storage.try_lock()?;
        let recovered = recover(&*storage, ledger)?;
        let position = recovered.position;
        let (file, end) = position.map_or((0, payload_file::HEADER_BYTES as u64), |position| {
            (position.payload_file, position.payload_end)
        });
        let shared = Shared::new(storage, ledger, position, recovered.headers);
        let epoch = recovered.recovery.next_epoch;
        let payloads = PayloadWriter::new(ledger, file, end);
        let appender = Self {
            frontier: recovered.frontier,
            anchored: position,
            anchored_clean: recovered.clean,
            ..Self::holding(shared, options, epoch, payloads, recovered.anchors, lock)
        };
        Ok((appender, recovered.recovery))
    }

    /// A holder of an empty log that has done nothing yet.
    fn holding(
        shared: Shared,
        options: StoreOptions,
        epoch: u64,
        payloads: PayloadWriter,
        anchors: AnchorWriter,
        lock: Box<dyn LockGuard>,
    ) -> Self {
        shared.go_live();
        Self {
            shared: Arc::new(shared),
            options,
            epoch,
            frontier: Frontier::new(),
            segment: None,
            payloads,
            flusher: None,
            filler: None,
            anchors,
            anchored: None,
            anchored_clean: false,
            unanchored_bytes: 0,
            dirty_since: None,
            poisoned: None,
            lock,
        }
    }
}

fn check_options(options: &StoreOptions) -> Result<(), StoreError> {
    let fits = options.segment_bytes <= limits::SEGMENT_BYTES
        && options.payload_file_bytes <= limits::PAYLOAD_FILE_BYTES;
    if fits {
        Ok(())
    } else {
        Err(StoreError::Invalid { what: "files longer than the format allows" })
    }
}

fn refuse_existing(storage: &dyn Storage) -> Result<(), StoreError> {
    if let Some(number) = list_segments(storage)?.first() {
        return Err(StoreError::AlreadyThere { file: layout::segment(*number) });
    }
    if read_anchors(storage)?.are_empty() {
        return Ok(());
    }
    let [file, _] = layout::ANCHORS;
    Err(StoreError::AlreadyThere { file })
}

fn refuse_missing(storage: &dyn Storage) -> Result<(), StoreError> {
    let anchors = read_anchors(storage)?;
    if anchors.are_empty() && !anchors.are_blank() && list_segments(storage)?.is_empty() {
        let missing = if anchors.are_missing() {
            "log and anchors are missing"
        } else {
            "its creation was interrupted before the first record"
        };
        return Err(StoreError::NotALedger { missing: missing.to_owned() });
    }
    Ok(())
}
