//! Owns the second thread of a holder: it writes and flushes payloads while the log is flushed.
//!
//! Invariant: one job at a time, and its outcome is always collected before the next step.
//! May not: touch the log.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use crate::storage::{StorageError, StorageFile};

type Outcome = Result<(), StorageError>;

#[derive(Debug)]
struct Job {
    file: Arc<dyn StorageFile>,
    pieces: Vec<Vec<u8>>,
    offset: u64,
}

/// The thread and the way to it.
#[derive(Debug)]
pub(crate) struct Flusher {
    jobs: Option<SyncSender<Job>>,
    /// Behind a lock only so that an appender can be shared for reading.
    outcomes: Mutex<Receiver<Outcome>>,
    thread: Option<JoinHandle<()>>,
}

impl Flusher {
    pub(crate) fn start() -> std::io::Result<Self> {
        let (jobs, incoming) = sync_channel::<Job>(1);
        let (outgoing, outcomes) = sync_channel::<Outcome>(1);
        let thread =
            std::thread::Builder::new().name("payload-flush".to_owned()).spawn(move || {
                while let Ok(job) = incoming.recv() {
                    let bytes = job.pieces.concat();
                    if outgoing.send(write_and_flush(&*job.file, &bytes, job.offset)).is_err() {
                        return;
                    }
                    // The pieces are let go here, when nobody waits any more.
                }
            })?;
        Ok(Self { jobs: Some(jobs), outcomes: Mutex::new(outcomes), thread: Some(thread) })
    }

    /// Begins a job: the pieces go one after another from `offset` on. `false` if the thread is
    /// gone.
    pub(crate) fn begin(
        &self,
        file: Arc<dyn StorageFile>,
        pieces: Vec<Vec<u8>>,
        offset: u64,
    ) -> bool {
        self.jobs.as_ref().is_some_and(|jobs| jobs.send(Job { file, pieces, offset }).is_ok())
    }

    /// Waits for the job in hand. `None` if the thread is gone.
    pub(crate) fn wait(&self) -> Option<Outcome> {
        self.outcomes.lock().ok()?.recv().ok()
    }
}

impl Drop for Flusher {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // It can only have ended; a panic in it was already seen as a missing outcome.
            let _ = thread.join();
        }
    }
}

/// What the thread does with a job.
pub(crate) fn write_and_flush(file: &dyn StorageFile, bytes: &[u8], offset: u64) -> Outcome {
    file.write_all_at(bytes, offset)?;
    file.sync_data()
}
