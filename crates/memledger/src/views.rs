//! Owns the views of an open ledger: the thread that keeps them behind the log, and waiting for
//! them.
//!
//! Invariants: changes are applied in the order of the log, rows and watermark together; a read
//! never sees less than its basis; views that fail are said to have failed and are not used; what
//! waits for them is bounded. May not: hold up an answer, or an append that they can follow.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use ledger_format::{AliasId, AliasKind, Seq};
use ledger_replay::{Alias, Changes, State};
use ledger_views::Views;

use crate::error::{Error, ErrorKind, Result};
use crate::names::AliasSource;

/// Most records applied at once.
const CHUNK: usize = 4_096;
/// Records that may wait for the views before the next batch waits for them: some tens of megabytes.
/// A writer that stays faster than its views would otherwise fill the memory with what they lack,
/// and every reader would wait longer and longer.
const MOST_WAITING: usize = 32_768;

#[derive(Default)]
struct Progress {
    applied: Option<Seq>,
    /// Records handed over and not applied yet.
    waiting: usize,
    failed: Option<String>,
}

/// Views that follow the log.
pub(crate) struct ViewFeed {
    views: Arc<Views>,
    shared: Arc<(Mutex<Progress>, Condvar)>,
    changes: Mutex<Option<Sender<Vec<Changes>>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl ViewFeed {
    /// Starts following.
    pub(crate) fn start(views: Views) -> Result<Self> {
        let views = Arc::new(views);
        let applied = views.applied().map(|applied| applied.seq);
        let shared =
            Arc::new((Mutex::new(Progress { applied, ..Progress::default() }), Condvar::new()));
        let (changes, waiting) = channel();
        let (thread_views, thread_shared) = (Arc::clone(&views), Arc::clone(&shared));
        let thread = std::thread::Builder::new()
            .name("memledger-views".into())
            .spawn(move || follow(&thread_views, &thread_shared, &waiting))
            .map_err(|error| {
                Error::new(ErrorKind::Unavailable, format!("no thread for the views: {error}"))
            })?;
        Ok(Self {
            views,
            shared,
            changes: Mutex::new(Some(changes)),
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Hands over what was just recorded, after it was answered, and waits while too much waits
    /// already. Views that failed are waited for no more.
    pub(crate) fn push(&self, changes: Vec<Changes>) {
        let (progress, moved) = &*self.shared;
        lock(progress).waiting += changes.len();
        if let Some(sender) = &*lock(&self.changes) {
            // A stopped follower has said why in `Progress`; readers will see it there.
            let _ = sender.send(changes);
        }
        let mut progress = lock(progress);
        while progress.waiting > MOST_WAITING && progress.failed.is_none() {
            progress = moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until the views have reached `seq`.
    pub(crate) fn wait_for(&self, seq: Seq) -> Result<&Views> {
        let (progress, moved) = &*self.shared;
        let mut progress = lock(progress);
        loop {
            if let Some(cause) = &progress.failed {
                return Err(Error::new(
                    ErrorKind::Unavailable,
                    format!(
                        "the views cannot be used ({cause}); run `memledger rebuild`, or read with --from-archive"
                    ),
                ));
            }
            if progress.applied >= Some(seq) {
                return Ok(&self.views);
            }
            progress = moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The views, wherever they are.
    pub(crate) fn views(&self) -> &Views {
        &self.views
    }

    /// Applies what is queued, stops, gives space back that replaced rows took, and closes the views
    /// cleanly.
    pub(crate) fn stop(self) -> Result<()> {
        let views = Arc::clone(&self.views);
        drop(self);
        let Ok(mut views) = Arc::try_unwrap(views) else { return Ok(()) };
        if views.counts()?.is_bloated() {
            views = views.compact()?;
        }
        Ok(views.close()?)
    }
}

impl Drop for ViewFeed {
    /// The follower ends before its views are let go, so that nobody meets them half closed.
    fn drop(&mut self) {
        *lock(&self.changes) = None;
        if let Some(thread) = lock(&self.thread).take() {
            // A panic of the follower is a failure of the views, which are rebuilt at the next open.
            let _ = thread.join();
        }
    }
}

/// Says that the follower ended, however it ends, so that nobody waits for it.
struct Farewell<'a>(&'a (Mutex<Progress>, Condvar));

impl Drop for Farewell<'_> {
    fn drop(&mut self) {
        let (progress, moved) = self.0;
        lock(progress).failed.get_or_insert_with(|| "what keeps them has stopped".to_owned());
        moved.notify_all();
    }
}

fn follow(views: &Views, shared: &(Mutex<Progress>, Condvar), waiting: &Receiver<Vec<Changes>>) {
    let _farewell = Farewell(shared);
    while let Ok(mut changes) = waiting.recv() {
        while changes.len() < CHUNK {
            match waiting.try_recv() {
                Ok(mut more) => changes.append(&mut more),
                Err(_) => break,
            }
        }
        let result = views.apply(&changes);
        let (progress, moved) = shared;
        let mut progress = lock(progress);
        progress.waiting = progress.waiting.saturating_sub(changes.len());
        match result {
            Ok(()) => progress.applied = changes.last().map(|last| last.seq).max(progress.applied),
            Err(error) => progress.failed = Some(error.to_string()),
        }
        let failed = progress.failed.is_some();
        drop(progress);
        moved.notify_all();
        if failed {
            return;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every value behind these locks is valid at every step.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl AliasSource for Views {
    fn alias(&self, id: AliasId) -> Result<Option<Alias>> {
        Ok(Self::alias(self, id)?)
    }

    fn children(
        &self,
        parent: AliasId,
        kind: AliasKind,
        from: Seq,
    ) -> Result<Vec<(AliasId, Alias)>> {
        let Some(applied) = self.applied() else { return Ok(Vec::new()) };
        let mut children = Vec::new();
        for id in Self::children(self, parent, kind, from, applied.seq)? {
            if let Some(alias) = Self::alias(self, id)? {
                children.push((id, alias));
            }
        }
        Ok(children)
    }
}

/// The aliases of a replayed state.
pub(crate) struct StateAliases<'a>(pub(crate) &'a State);

impl AliasSource for StateAliases<'_> {
    fn alias(&self, id: AliasId) -> Result<Option<Alias>> {
        Ok(self.0.alias(&id).cloned())
    }

    fn children(
        &self,
        parent: AliasId,
        kind: AliasKind,
        from: Seq,
    ) -> Result<Vec<(AliasId, Alias)>> {
        let fits = |alias: &Alias| alias.bound >= from && alias.is_under(parent, kind);
        let all = self.0.aliases().filter(|(_, alias)| fits(alias));
        Ok(all.map(|(id, alias)| (*id, alias.clone())).collect())
    }
}
