//! One file of the model: what readers see, what is on the medium, and the changes in between.
//!
//! Invariant: base with every change of the log applied in order equals what readers see.

use std::sync::Arc;

use super::change::ChangeLog;
use super::survive::{Keep, SECTOR, Survival, Tear};

/// A change of content. Offsets and lengths fit `MAX_FILE_LEN`; the caller has checked.
#[derive(Clone, Debug)]
pub(super) enum FileChange {
    Write { offset: usize, data: Arc<[u8]> },
    Zero { offset: usize, len: usize },
    SetLen(usize),
}

#[derive(Clone, Debug)]
pub(super) struct FileNode {
    live: Vec<u8>,
    base: Vec<u8>,
    log: ChangeLog<FileChange>,
}

impl FileNode {
    pub(super) fn new() -> Self {
        Self { live: Vec::new(), base: Vec::new(), log: ChangeLog::new() }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.live
    }

    pub(super) fn change(&mut self, id: u64, change: FileChange) {
        change.apply(&mut self.live, &Tear::WHOLE);
        self.log.push(id, change);
    }

    pub(super) fn sync(&mut self) {
        for change in self.log.sync() {
            change.apply(&mut self.base, &Tear::WHOLE);
        }
    }

    pub(super) fn abandon(&mut self) {
        self.log.abandon();
    }

    pub(super) fn edit(&mut self, change: impl FnOnce(&mut Vec<u8>)) {
        change(&mut self.live);
        self.base.clone_from(&self.live);
        self.log.clear();
    }

    /// The file that a crash leaves.
    pub(super) fn survivor(&self, how: Survival) -> Self {
        let mut bytes = self.base.clone();
        for pending in self.log.iter() {
            let tear = if pending.is_durable() {
                Some(Tear::WHOLE)
            } else {
                pending.change.tear(pending.id, how)
            };
            if let Some(tear) = tear {
                pending.change.apply(&mut bytes, &tear);
            }
        }
        Self { live: bytes.clone(), base: bytes, log: ChangeLog::new() }
    }
}

impl FileChange {
    /// Where it begins and how long it is; `None` if it has no content.
    fn range(&self) -> Option<(usize, usize)> {
        match self {
            Self::Write { offset, data } => Some((*offset, data.len())),
            Self::Zero { offset, len } => Some((*offset, *len)),
            Self::SetLen(_) => None,
        }
    }

    fn tear(&self, id: u64, how: Survival) -> Option<Tear> {
        match self.range() {
            None => how.keeps_length(id).then_some(Tear::WHOLE),
            Some((_, 0)) => None,
            Some((offset, len)) => {
                let first = offset as u64 / SECTOR;
                let last = (offset as u64 + len as u64 - 1) / SECTOR;
                how.tear(id, first, last - first + 1)
            }
        }
    }

    fn apply(&self, bytes: &mut Vec<u8>, tear: &Tear) {
        let Some((offset, len)) = self.range() else {
            if let Self::SetLen(len) = self {
                bytes.resize(*len, 0);
            }
            return;
        };
        let end = offset + len;
        let mut at = offset;
        while at < end {
            let sector = at as u64 / SECTOR;
            let next = sector_end(sector).min(end);
            // One run of sectors that share a fate, so that a whole write is one copy.
            let run = if matches!(tear.keep, Keep::All) { end } else { next };
            if tear.keeps(sector) {
                self.copy(bytes, offset, at, run);
            }
            at = run;
        }
        if tear.extends && len > 0 && bytes.len() < end {
            bytes.resize(end, 0);
        }
    }

    /// Puts the part from `at` to `end` of a change that begins at `offset` in place.
    fn copy(&self, bytes: &mut Vec<u8>, offset: usize, at: usize, end: usize) {
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        let Some(target) = bytes.get_mut(at..end) else {
            return;
        };
        match self {
            Self::Write { data, .. } => {
                let part = data.get(at - offset..end - offset);
                target.copy_from_slice(part.expect("the range is that of the data"));
            }
            Self::Zero { .. } | Self::SetLen(_) => target.fill(0),
        }
    }
}

fn sector_end(sector: u64) -> usize {
    usize::try_from((sector + 1) * SECTOR).unwrap_or(usize::MAX)
}
