//! Owns the question that flags ask, and how an answer names its basis.

use memledger::civil::{When, Zone};
use memledger::{Basis, Question, Snapshot};

use super::{Context, Opened};
use crate::exit::Failure;
use crate::output::human;

impl Context<'_> {
    /// What is asked about.
    ///
    /// # Errors
    /// A usage failure when a time cannot be read.
    pub(crate) fn question(&self, opened: &Opened) -> Result<Question, Failure> {
        let zone = self.zone(&opened.ledger);
        let known = self.when("--as-of", self.reading.as_of.as_deref(), &zone)?;
        let valid = self.when("--valid-at", self.reading.valid_at.as_deref(), &zone)?;
        Ok(Question {
            known: known.unwrap_or(When::Head),
            valid,
            zone,
            claimed: self.reading.claimed,
            from_archive: opened.archive,
        })
    }

    /// The snapshot that the flags ask for.
    ///
    /// # Errors
    /// A usage failure for an unreadable time; whatever the facade says.
    pub(crate) fn snapshot<'l>(&self, opened: &'l Opened) -> Result<Snapshot<'l>, Failure> {
        Ok(opened.ledger.snapshot(&self.question(opened)?)?)
    }

    fn when(&self, flag: &str, text: Option<&str>, zone: &Zone) -> Result<Option<When>, Failure> {
        text.map(|text| self.parse_when(flag, text, zone)).transpose()
    }

    /// Reads a moment as people write it.
    ///
    /// # Errors
    /// A usage failure that names the flag.
    pub(crate) fn parse_when(&self, flag: &str, text: &str, zone: &Zone) -> Result<When, Failure> {
        When::parse(text, zone, self.now())
            .map_err(|error| Failure::usage(error.to_string()).within(flag))
    }

    /// Begins an answer for people: an answer at another basis than now says which.
    ///
    /// # Errors
    /// When stdout takes no more.
    pub(crate) fn announce(&self, basis: &Basis) -> Result<(), Failure> {
        if self.json() || !self.elsewhere(basis) {
            return Ok(());
        }
        self.out.line(&basis.line())?;
        self.announce_valid(basis)
    }

    /// Says which instant of the valid axis counts, where one was named.
    ///
    /// # Errors
    /// When stdout takes no more.
    pub(crate) fn announce_valid(&self, basis: &Basis) -> Result<(), Failure> {
        match &self.reading.valid_at {
            Some(typed) => self.out.line(&human::valid(basis, typed)),
            None => Ok(()),
        }
    }

    fn elsewhere(&self, basis: &Basis) -> bool {
        let reading = self.reading;
        reading.as_of.is_some() || reading.valid_at.is_some() || basis.claimed || basis.from_archive
    }
}
