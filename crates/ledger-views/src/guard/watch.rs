//! Owns the fence: work on a thread of its own that may panic or hang.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How fenced work went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Panicked(String),
    /// It still runs, on a thread that nobody waits for.
    TimedOut,
    NoThread(String),
}

/// Does work on its own thread and waits for it, but not for ever.
pub(crate) fn watched<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Fault> {
    let (done, wait) = mpsc::sync_channel(1);
    let run = move || {
        let outcome = catch_unwind(AssertUnwindSafe(work))
            .map_err(|panic| Fault::Panicked(panic_words(panic.as_ref())));
        // Nobody waits any more after the limit; the outcome is dropped here then.
        drop(done.send(outcome));
    };
    let spawned = thread::Builder::new().name("views-open".into()).spawn(run);
    spawned.map_err(|error| Fault::NoThread(error.to_string()))?;
    match wait.recv_timeout(limit) {
        Ok(outcome) => outcome,
        Err(mpsc::RecvTimeoutError::Timeout) => Err(Fault::TimedOut),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            Err(Fault::Panicked("the thread ended without an answer".into()))
        }
    }
}

/// What a panic said.
pub(crate) fn panic_words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.map_or_else(|| "a panic".to_owned(), |text| format!("a panic: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_and_hangs_come_back_as_faults() {
        assert_eq!(watched(Duration::from_secs(60), || 7), Ok(7));
        let panicked: Result<(), Fault> = watched(Duration::from_secs(60), || panic!("inside"));
        assert_eq!(panicked, Err(Fault::Panicked("a panic: inside".into())));
        let hung = watched(Duration::from_millis(20), || thread::sleep(Duration::from_secs(3)));
        assert_eq!(hung, Err(Fault::TimedOut));
    }
}
