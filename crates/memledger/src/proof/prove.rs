//! Owns making proofs from the log. What is handed out was checked first: a log that does not give
//! the root that its checkpoint says is damaged, and says so instead of giving a proof that fails.

use ledger_format::Seq;
use ledger_proof::merkle::Gatherer;
use ledger_proof::{ConsistencyFile, Hash, ProofError, SignedCheckpoint, TlogProof};
use ledger_store::StoreError;

use super::blocks::Blocks;
use super::roots::{self, size};
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::Ledger;

impl Ledger {
    /// Proves that a record is in the log of a checkpoint; without one, of the newest that is kept
    /// here. The proof carries the record's bytes.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when there is no such record, or no checkpoint that covers it;
    /// [`ErrorKind::Damaged`] when the checkpoint is not of this history.
    pub fn prove(&self, seq: Seq, checkpoint: Option<SignedCheckpoint>) -> Result<TlogProof> {
        let reader = self.vault.reader();
        if seq.0 >= size(reader) {
            return Err(not_found(format!(
                "there is no record {seq}: the ledger has {} records",
                size(reader)
            )));
        }
        let checkpoint = match checkpoint {
            Some(given) => given,
            None => self.newest_checkpoint(seq)?,
        };
        let covered = checkpoint.checkpoint().size;
        if seq.0 >= covered {
            return Err(not_found(format!(
                "the checkpoint is of {covered} records, before record {seq}; `memledger checkpoint` makes one that covers it"
            )));
        }
        self.check_head(&checkpoint)?;
        let record = reader.record(seq)?;
        let gatherer = Gatherer::inclusion(seq.0, covered).map_err(|e| refused(&e))?;
        let mut proof = TlogProof { extra: None, index: seq.0, path: Vec::new(), checkpoint };
        proof.path = self.checked_path(&gatherer, covered, |path| {
            TlogProof { path, ..proof.clone() }.check(&record.bytes)
        })?;
        proof.extra = Some(record.bytes);
        Ok(proof)
    }

    /// Proves that the head of a checkpoint continues the log of `old` records; without one, of the
    /// newest that is kept here.
    ///
    /// # Errors
    /// As [`Ledger::prove`].
    pub fn prove_consistency(
        &self,
        old: u64,
        checkpoint: Option<SignedCheckpoint>,
    ) -> Result<ConsistencyFile> {
        let checkpoint = match checkpoint {
            Some(given) => given,
            None => self.newest_checkpoint(Seq(old.saturating_sub(1)))?,
        };
        self.check_head(&checkpoint)?;
        let new = checkpoint.checkpoint().size;
        let gatherer = Gatherer::consistency(old, new).map_err(|e| refused(&e))?;
        let root = roots::root(&*self.storage, self.vault.reader(), old)?;
        let root = root.ok_or_else(|| not_found(format!("there are no {old} records here")))?;
        let mut file = ConsistencyFile { old, path: Vec::new(), checkpoint };
        file.path = self.checked_path(&gatherer, new, |path| {
            ConsistencyFile { path, ..file.clone() }.check(&root)
        })?;
        Ok(file)
    }

    /// The hashes of a proof in the tree of `size` records, which hold. Saved hashes shorten it; where
    /// they lead to a proof that does not hold, they go, and the log alone counts.
    fn checked_path(
        &self,
        gatherer: &Gatherer,
        size: u64,
        check: impl Fn(Vec<Hash>) -> std::result::Result<(), ProofError>,
    ) -> Result<Vec<Hash>> {
        let (storage, reader) = (&*self.storage, self.vault.reader());
        let mut blocks = Blocks::load(storage, reader);
        blocks.extend(reader, size)?;
        let path = roots::gather(reader, gatherer.clone(), &blocks)?;
        if check(path.clone()).is_ok() {
            if self.writable() {
                // What is not saved is made again.
                let _ = blocks.save_if_worthwhile(storage, reader.ledger());
            }
            return Ok(path);
        }
        if self.writable() {
            Blocks::forget(storage).map_err(StoreError::from)?;
        }
        let path = roots::gather(reader, gatherer.clone(), &Blocks::default())?;
        check(path.clone()).map_err(|error| damaged(&error))?;
        Ok(path)
    }

    /// The newest checkpoint kept here, which has to cover a record.
    fn newest_checkpoint(&self, seq: Seq) -> Result<SignedCheckpoint> {
        let newest = self.newest_stored()?.map(|stored| {
            stored.note.map_err(|why| {
                Error::new(ErrorKind::Damaged, format!("{} is no checkpoint: {why}", stored.file))
            })
        });
        let newest = newest.transpose()?.filter(|signed| signed.checkpoint().size > seq.0);
        newest.ok_or_else(|| {
            not_found(format!(
                "no checkpoint covers record {seq}; `memledger checkpoint` makes one that does"
            ))
        })
    }

    /// Refuses a checkpoint that is not of this history.
    fn check_head(&self, signed: &SignedCheckpoint) -> Result<()> {
        let head = signed.checkpoint();
        match roots::root(&*self.storage, self.vault.reader(), head.size)? {
            Some(root) if root == head.root => Ok(()),
            Some(_) => Err(Error::new(
                ErrorKind::Damaged,
                format!(
                    "a fork: the first {} records here are not the ones of the checkpoint",
                    head.size
                ),
            )),
            None => Err(Error::new(
                ErrorKind::Damaged,
                format!(
                    "a rollback, or a checkpoint of another ledger: it is of {} records, and {} are here",
                    head.size,
                    size(self.vault.reader())
                ),
            )),
        }
    }
}

fn not_found(message: String) -> Error {
    Error::new(ErrorKind::NotFound, message)
}

fn refused(error: &ProofError) -> Error {
    Error::invalid(error.to_string())
}

fn damaged(error: &ProofError) -> Error {
    Error::new(ErrorKind::Damaged, format!("{error}; run `memledger verify`"))
}
