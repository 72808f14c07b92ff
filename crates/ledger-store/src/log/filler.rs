//! Owns the thread of a holder that writes zeros ahead while commits go on.
//!
//! Invariants: it writes through a descriptor of its own, so that a failed flush is reported to it
//! and to the commit that runs beside it, and neither hides the failure from the other; `filled`
//! moves over a piece only after the piece is flushed; a fill that failed is not tried again.
//! May not: write anything but zeros, or before the end of what is reserved already.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::write_error::WriteError;
use crate::storage::{RelPath, Storage};

/// Zeros between two flushes. A commit beside the filling waits for what of it is not flushed yet,
/// so this bounds what a fill adds to the time of one commit.
const PIECE: u64 = 1024 * 1024;

/// The thread and the way to it.
#[derive(Debug)]
pub(crate) struct Filler {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Job {
    path: RelPath,
    target: u64,
    fill: Arc<Fill>,
}

/// A fill that was ordered.
#[derive(Debug)]
pub(crate) struct Fill {
    state: Mutex<State>,
    moved: Condvar,
}

#[derive(Debug)]
struct State {
    filled: u64,
    /// Set once, by whoever carried the fill out.
    done: Option<Result<(), WriteError>>,
}

/// How far a fill has come.
#[derive(Debug)]
pub(crate) enum Stage {
    /// Zeros up to here are flushed, more are on the way.
    Running(u64),
    /// Zeros up to here are flushed, and there is no more to come.
    Ended(u64, Result<(), WriteError>),
}

impl Filler {
    pub(crate) fn start(storage: Arc<dyn Storage>) -> std::io::Result<Self> {
        let (jobs, incoming) = channel::<Job>();
        let thread =
            std::thread::Builder::new().name("zeros-ahead".to_owned()).spawn(move || {
                while let Ok(job) = incoming.recv() {
                    let done = carry_out(&*storage, &job);
                    job.fill.lock().done = Some(done);
                    job.fill.moved.notify_all();
                }
            })?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Orders zeros from `from` to `target`. None if the thread is gone.
    pub(crate) fn order(&self, path: RelPath, from: u64, target: u64) -> Option<Arc<Fill>> {
        let state = Mutex::new(State { filled: from, done: None });
        let fill = Arc::new(Fill { state, moved: Condvar::new() });
        let job = Job { path, target, fill: Arc::clone(&fill) };
        self.jobs.as_ref()?.send(job).ok().map(|()| fill)
    }
}

impl Drop for Filler {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // A panic in it ended a fill that whoever waits for sees as ended.
            let _ = thread.join();
        }
    }
}

impl Fill {
    /// How far it has come, without waiting.
    pub(crate) fn stage(&self) -> Stage {
        Self::read(&mut self.lock())
    }

    /// Waits until `needed` is reached, or the end.
    pub(crate) fn wait_for(&self, needed: u64) -> Stage {
        let mut state = self.lock();
        while state.filled < needed && state.done.is_none() {
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        Self::read(&mut state)
    }

    fn read(state: &mut State) -> Stage {
        match state.done.take() {
            Some(done) => Stage::Ended(state.filled, done),
            None => Stage::Running(state.filled),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Numbers that are true at every step.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn carry_out(storage: &dyn Storage, job: &Job) -> Result<(), WriteError> {
    // Nothing was written yet: whoever needs the room fills it, or is told why not.
    let unopened = |error| WriteError { clean: true, ..WriteError::poison(error) };
    let file = storage.open_write(&job.path).map_err(unopened)?;
    let mut at = job.fill.lock().filled;
    while at < job.target {
        let length = (job.target - at).min(PIECE);
        file.zero_fill(at, length).map_err(WriteError::before_write)?;
        file.sync_data().map_err(WriteError::poison)?;
        at += length;
        job.fill.lock().filled = at;
        job.fill.moved.notify_all();
    }
    Ok(())
}
