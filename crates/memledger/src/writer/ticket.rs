//! Owns the hand-over of one answer from the writer thread to whoever waits for it.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::command::Command;
use crate::error::{Error, ErrorKind, Result};
use crate::outcome::Outcome;

/// What becomes of a submission that was taken.
#[derive(Default)]
pub(crate) struct Admitted {
    /// One for each command.
    pub(crate) outcomes: Vec<Outcome>,
    /// The commands: they go back to whoever made them, who frees them faster than the writer.
    pub(crate) spent: Vec<Command>,
}

#[derive(Default)]
struct Slot {
    answer: Mutex<Option<Result<Admitted>>>,
    ready: Condvar,
}

/// A submission on its way. Waiting is optional: it is recorded, or not, either way.
pub struct Ticket(Arc<Slot>);

/// The writer's end of a ticket. Dropping it unanswered answers "outcome unknown".
pub(crate) struct Answer(Option<Arc<Slot>>);

impl Ticket {
    pub(crate) fn new() -> (Self, Answer) {
        let slot = Arc::new(Slot::default());
        (Self(Arc::clone(&slot)), Answer(Some(slot)))
    }

    /// Waits until the submission is durable or refused.
    ///
    /// # Errors
    /// Why nothing was recorded; or that the outcome is unknown because the writer failed.
    pub fn wait(self) -> Result<Vec<Outcome>> {
        let mut answer = self.0.answer.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(given) = answer.take() {
                drop(answer);
                let Admitted { outcomes, spent } = given?;
                drop(spent);
                return Ok(outcomes);
            }
            answer = self.0.ready.wait(answer).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ticket")
    }
}

impl Answer {
    pub(crate) fn give(mut self, answer: Result<Admitted>) {
        if let Some(slot) = self.0.take() {
            put(&slot, answer);
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if let Some(slot) = self.0.take() {
            put(
                &slot,
                Err(Error::new(
                    ErrorKind::Unavailable,
                    "the writer stopped before it answered: whether this was recorded is unknown; open the ledger again and look",
                )),
            );
        }
    }
}

fn put(slot: &Slot, answer: Result<Admitted>) {
    *slot.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
    slot.ready.notify_all();
}
