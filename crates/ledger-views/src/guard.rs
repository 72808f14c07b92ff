//! Owns the directories of views, and the fence around opening them.
//!
//! One directory for each generation; `CURRENT` names the one in force; `CLEAN` inside it says that
//! it was closed in order. A generation is built beside and becomes the one in force by one rename,
//! so a crash leaves the old one in force. May not: delete the generation in force, or know what
//! rows mean.

mod clean;
mod files;
mod place;
mod run;
mod watch;

pub(crate) use clean::Clean;
pub(crate) use files::remove_quietly as remove_file;
pub(crate) use place::Place;
pub(crate) use run::{RunReader, RunWriter, put_entry, take_entry};
pub(crate) use watch::{Fault, panic_words, watched};
