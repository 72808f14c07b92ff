//! Owns `write --stdin`: lines in, results out, in order.
//!
//! Invariants: a line ends at `\n` and nowhere else; every line gets one answer in its place; an
//! answer is given after what it says is durable. One thread reads and hands over, one waits and
//! prints, so that many lines share a flush and a caller who waits for each answer gets it at once.

use std::io::{self, BufRead};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread;

use memledger::{Command, Ledger, Outcome, Submission, Ticket};
use serde_json::{Value, json};

use super::line::{self, Proposed, Refused};
use crate::commands::Done;
use crate::context::{Context, Step};
use crate::exit::{Code, Failure};
use crate::output::human::grouped;
use crate::output::{error, json as object};

/// Submissions on their way at one time.
const IN_FLIGHT: usize = 256;
/// Longest line in bytes: the longest text with every byte escaped, and room for the rest.
const LONGEST: usize = 8 * 1_048_576;
/// Lines between two notes on stderr.
const NOTE_EVERY: u64 = 10_000;
/// Lines between two updates of the progress line on a terminal.
const SHOW_EVERY: u64 = 500;

/// An answer that is owed.
struct Owed {
    line: u64,
    answer: Answer,
}

enum Answer {
    Coming(Ticket, Step),
    Refused(Refused),
    Failed(Failure),
}

/// Reads lines until they end, the ledger fails, or nobody reads the answers.
pub(super) fn run(ctx: &Context<'_>, ledger: &Ledger) -> Done {
    let (send, receive) = sync_channel(IN_FLIGHT);
    thread::scope(|scope| {
        let printer = scope.spawn(move || print_all(ctx, &receive));
        let read = read_all(ctx, ledger, io::stdin().lock(), &send);
        drop(send);
        let printed = printer.join().unwrap_or_else(|_| Err(Failure::internal()));
        printed?;
        read.map(|()| Code::Ok)
    })
}

fn read_all(
    ctx: &Context<'_>,
    ledger: &Ledger,
    mut from: impl BufRead,
    send: &SyncSender<Owed>,
) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    let mut number = 0;
    while let Some(fits) = next_line(&mut from, &mut bytes)
        .map_err(|error| Failure::file(format!("stdin cannot be read: {error}")))?
    {
        number += 1;
        if bytes.is_empty() && fits {
            continue;
        }
        let answer = if fits { hand_over(ctx, ledger, &bytes) } else { too_long() };
        // The other thread ends early only when there is nobody to answer to.
        if send.send(Owed { line: number, answer }).is_err() {
            break;
        }
        progress(ctx, number);
    }
    ctx.out.progress_done();
    Ok(())
}

fn hand_over(ctx: &Context<'_>, ledger: &Ledger, bytes: &[u8]) -> Answer {
    match line::parse(ctx, bytes) {
        Err(refused) => Answer::Refused(refused),
        Ok(Proposed { proposal, terms, scope_step }) => {
            let submission = Submission::of(Command::Write(Box::new(proposal)), terms);
            match ledger.enqueue(submission) {
                Ok(ticket) => Answer::Coming(ticket, scope_step),
                Err(error) => Answer::Failed(error.into()),
            }
        }
    }
}

fn too_long() -> Answer {
    let reason = format!("the line is longer than {} bytes", grouped(LONGEST as u64));
    Answer::Refused(Refused { field: None, reason })
}

/// Reads up to the next `\n` or the end. Whether it fits the limit; none at the end.
fn next_line(from: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<Option<bool>> {
    bytes.clear();
    let mut any = false;
    let mut fits = true;
    loop {
        let buffer = match from.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            return Ok(any.then_some(fits));
        }
        any = true;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let (taken, _) = buffer.split_at(end.unwrap_or(buffer.len()));
        fits = fits && bytes.len() + taken.len() <= LONGEST;
        if fits {
            bytes.extend_from_slice(taken);
        }
        let used = taken.len() + usize::from(end.is_some());
        from.consume(used);
        if end.is_some() {
            return Ok(Some(fits));
        }
    }
}

fn progress(ctx: &Context<'_>, lines: u64) {
    if ctx.out.shows_progress() {
        if lines.is_multiple_of(SHOW_EVERY) {
            ctx.out.progress(&format!("{} lines", grouped(lines)));
        }
    } else if lines.is_multiple_of(NOTE_EVERY) {
        ctx.out.note(&format!("{} lines", grouped(lines)));
    }
}

/// Prints answers in the order of their lines. What does not wait for more is sent on at once.
fn print_all(ctx: &Context<'_>, receive: &Receiver<Owed>) -> Result<(), Failure> {
    loop {
        let owed = match receive.try_recv() {
            Ok(owed) => owed,
            Err(TryRecvError::Disconnected) => return ctx.out.flush(),
            Err(TryRecvError::Empty) => {
                ctx.out.flush()?;
                match receive.recv() {
                    Ok(owed) => owed,
                    Err(_) => return Ok(()),
                }
            }
        };
        print_one(ctx, owed)?;
    }
}

/// Prints one answer. A failure of the ledger itself is answered too, and then ends the run.
fn print_one(ctx: &Context<'_>, owed: Owed) -> Result<(), Failure> {
    let line = owed.line;
    let failure = match owed.answer {
        Answer::Coming(ticket, step) => match ticket.wait() {
            Ok(outcomes) => return print_outcomes(ctx, line, &outcomes, step),
            Err(error) => error.into(),
        },
        Answer::Refused(refused) => return ctx.out.object(&refusal(line, &refused)),
        Answer::Failed(failure) => failure,
    };
    ctx.out.object(&json!({ "line": line, "error": error(&failure) }))?;
    if failure.is_fatal() { Err(failure.within(format!("line {line}"))) } else { Ok(()) }
}

fn print_outcomes(
    ctx: &Context<'_>,
    line: u64,
    outcomes: &[Outcome],
    step: Step,
) -> Result<(), Failure> {
    outcomes.iter().try_for_each(|outcome| {
        let mut result = object::into_map(json!({ "line": line }));
        result.extend(object::into_map(object::outcome(outcome, Some(step))));
        ctx.out.object(&Value::Object(result))
    })
}

fn refusal(line: u64, refused: &Refused) -> Value {
    json!({
        "line": line,
        "error": {
            "kind": "invalid",
            "code": Code::Usage.number(),
            "field": refused.field,
            "message": refused.message(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_line_feed_ends_a_line() {
        let mut from: &[u8] = "a\u{2028}b\r\n\nlast".as_bytes();
        let mut bytes = Vec::new();
        let mut lines = Vec::new();
        while let Some(fits) = next_line(&mut from, &mut bytes).expect("memory can be read") {
            assert!(fits);
            lines.push(String::from_utf8(bytes.clone()).expect("text"));
        }
        assert_eq!(lines, ["a\u{2028}b\r", "", "last"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_whole() {
        let mut long = vec![b'x'; LONGEST + 1];
        long.extend_from_slice(b"\nnext\n");
        let mut from: &[u8] = &long;
        let mut bytes = Vec::new();
        assert_eq!(next_line(&mut from, &mut bytes).ok(), Some(Some(false)));
        assert_eq!(next_line(&mut from, &mut bytes).ok(), Some(Some(true)));
        assert_eq!(bytes, b"next");
        assert_eq!(next_line(&mut from, &mut bytes).ok(), Some(None));
    }
}
