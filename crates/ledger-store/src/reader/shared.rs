//! Owns what an appender and its readers share: the durable head, the segments, open files and
//! indexes.
//!
//! Invariant: a segment is in the list before a head that lies in it is published, and a view
//! holds no segment above its head.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use ledger_format::hash::RecordHasher;
use ledger_format::segment::{HEADER_BYTES, SegmentHeader};
use ledger_format::{LedgerId, SegmentNo, Seq};

use super::files::{FileKey, Files};
use super::index::SparseIndex;
use super::places::Places;
use crate::error::StoreError;
use crate::head::Position;
use crate::storage::{Storage, StorageFile};

type Segments = Arc<Vec<Arc<SegmentHeader>>>;

/// The state that readers see.
#[derive(Debug)]
pub(crate) struct Shared {
    storage: Arc<dyn Storage>,
    ledger: LedgerId,
    hasher: RecordHasher,
    state: RwLock<State>,
    files: Mutex<Files>,
    indexes: Mutex<BTreeMap<SegmentNo, Arc<Mutex<SparseIndex>>>>,
    places: Mutex<Places>,
}

#[derive(Debug)]
struct State {
    position: Option<Position>,
    segments: Segments,
    /// Whether an appender moves the head.
    live: bool,
}

/// The log as it stood at one moment.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) position: Option<Position>,
    segments: Segments,
}

impl Shared {
    pub(crate) fn new(
        storage: Arc<dyn Storage>,
        ledger: LedgerId,
        position: Option<Position>,
        segments: Vec<Arc<SegmentHeader>>,
    ) -> Self {
        Self {
            storage,
            ledger,
            hasher: RecordHasher::new(&ledger),
            state: RwLock::new(State { position, segments: Arc::new(segments), live: false }),
            files: Mutex::new(Files::default()),
            indexes: Mutex::new(BTreeMap::new()),
            places: Mutex::new(Places::default()),
        }
    }

    pub(crate) const fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    pub(crate) const fn ledger(&self) -> LedgerId {
        self.ledger
    }

    pub(crate) const fn hasher(&self) -> &RecordHasher {
        &self.hasher
    }

    pub(crate) fn position(&self) -> Option<Position> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).position
    }

    pub(crate) fn view(&self) -> View {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        View { position: state.position, segments: Arc::clone(&state.segments) }
    }

    /// Whether an appender moves the head.
    pub(crate) fn is_live(&self) -> bool {
        self.state.read().unwrap_or_else(PoisonError::into_inner).live
    }

    pub(crate) fn last_segment(&self) -> Option<SegmentNo> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.segments.last().map(|header| header.segment)
    }

    /// Marks the head as one that an appender moves.
    pub(crate) fn go_live(&self) {
        self.state.write().unwrap_or_else(PoisonError::into_inner).live = true;
    }

    /// A new segment. Readers see it once a head lies in it.
    pub(crate) fn add_segment(&self, header: SegmentHeader) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut state.segments).push(Arc::new(header));
    }

    /// A new durable head.
    pub(crate) fn publish(&self, position: Position) {
        self.state.write().unwrap_or_else(PoisonError::into_inner).position = Some(position);
    }

    /// A head that somebody else moved.
    pub(crate) fn replace(&self, position: Position, segments: Vec<Arc<SegmentHeader>>) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.position = Some(position);
        state.segments = Arc::new(segments);
    }

    pub(crate) fn file(&self, key: FileKey) -> Result<Arc<dyn StorageFile>, StoreError> {
        locked(&self.files).get(&*self.storage, self.ledger, key)
    }

    pub(super) const fn places(&self) -> &Mutex<Places> {
        &self.places
    }

    pub(crate) fn index(&self, segment: SegmentNo) -> Arc<Mutex<SparseIndex>> {
        Arc::clone(locked(&self.indexes).entry(segment).or_default())
    }
}

impl View {
    /// The segments up to the head.
    pub(crate) fn segments(&self) -> &[Arc<SegmentHeader>] {
        let count = self.position.map_or(0, |position| position.segment.0 + 1);
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(self.segments.len());
        self.segments.get(..count).unwrap_or_default()
    }

    /// Where the segment with this place in the list ends.
    pub(crate) fn end_of(&self, index: usize) -> u64 {
        let segments = self.segments();
        let own = self.position.filter(|position| position.segment.0 == index as u64);
        match (own, segments.get(index + 1)) {
            (Some(position), _) => position.segment_end,
            (None, Some(next)) => next.previous_length,
            (None, None) => HEADER_BYTES as u64,
        }
    }

    /// The segment that holds a record at or below the head.
    pub(crate) fn segment_of(&self, seq: Seq) -> usize {
        let after = self.segments().partition_point(|header| header.first_seq <= seq);
        after.saturating_sub(1)
    }
}

/// What these locks guard is whole between two statements, so a panic elsewhere leaves it usable.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
