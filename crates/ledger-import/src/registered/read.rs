//! Owns reading a registered file as it is now.

use std::fs::{self, File};
use std::io;

use memledger::format::Micros;
use memledger::{Error, Result};

use super::Registration;
use crate::document::{Body, one_line, read_body};
use crate::git;

/// What a file says now.
pub(super) struct Reading {
    pub(super) text: String,
    /// Where that is, for a source reference.
    pub(super) origin: String,
    /// The revision, where the file has any.
    pub(super) version: Option<String>,
    /// Since when it says so; none: since it was read.
    pub(super) since: Option<Micros>,
}

/// Reads the file; none: it is not there.
pub(super) fn read(from: &Registration) -> Result<Option<Reading>> {
    let Some(repo) = &from.repo else { return plain(from) };
    let path = from.file.to_string_lossy();
    let Some((body, revision)) = git::newest(repo, &path)? else { return Ok(None) };
    let Some(text) = text(from, body)? else { return Ok(None) };
    Ok(Some(Reading {
        text,
        origin: revision.origin,
        version: Some(revision.name),
        since: Some(revision.claim),
    }))
}

fn plain(from: &Registration) -> Result<Option<Reading>> {
    let wrong = |error: &io::Error| {
        Error::invalid(format!("{} cannot be read: {error}", from.file.display()))
    };
    let found = match fs::metadata(&from.file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found.map_err(|error| wrong(&error))?,
    };
    if !found.is_file() {
        return Err(Error::invalid(format!("{} is no file", from.file.display())));
    }
    let mut file = File::open(&from.file).map_err(|error| wrong(&error))?;
    let body = read_body(&mut file, found.len()).map_err(|error| wrong(&error))?;
    let Some(text) = text(from, body)? else { return Ok(None) };
    let origin = one_line(&from.file.to_string_lossy());
    Ok(Some(Reading { text, origin, version: None, since: None }))
}

fn text(from: &Registration, body: Body) -> Result<Option<String>> {
    match body {
        Body::Text(text) => Ok(Some(text)),
        Body::Removed => Ok(None),
        Body::Bad { reason, .. } => {
            Err(Error::invalid(format!("{} cannot be taken: {reason}", from.file.display())))
        }
    }
}
