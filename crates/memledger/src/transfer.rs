//! Owns carrying whole ledgers: raw records with their sealed payloads out, and in again.
//!
//! Invariants: what comes in is accepted only if every record hashes to what it should and
//! continues what is there; a fork is refused with its place; records that are there already are
//! left alone, so a second run appends nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ledger_format::payload::Sealed;
use ledger_format::{
    BatchNo, Event, Kind, LedgerId, PayloadId, PayloadRef, RecordHash, RecordView, Role, Seq, hash,
    payload,
};
use ledger_replay::PayloadSet;
use ledger_store::{Appender, KeyState, MasterEnv, MasterKey, NewRecord, StoredRecord};
use zeroize::Zeroizing;

use crate::error::{Error, ErrorKind, Result};
use crate::ledger::{Ledger, OpenOptions, empty_log, empty_storage, hold, ready_keys, settle_keys};
use crate::machine::Machine;
use crate::vault::decode;

/// A payload as stored, with its key where it may leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawPayload {
    /// Its number.
    pub id: PayloadId,
    /// What it is to its record.
    pub role: Role,
    /// Its sealed bytes.
    pub stored: Vec<u8>,
    /// Its own key; none when it was destroyed, is locked, or was left out.
    pub key: Option<Zeroizing<[u8; 32]>>,
}

/// A record as stored, with everything that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRecord {
    /// Its position.
    pub seq: Seq,
    /// Its hash.
    pub hash: RecordHash,
    /// The batch it was committed in.
    pub batch: BatchNo,
    /// Name of its event kind, or `unknown(number)`.
    pub kind: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its payloads, in the order of its references.
    pub payloads: Vec<RawPayload>,
}

/// What carrying records in did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// Records appended.
    pub appended: u64,
    /// Records that were there already.
    pub present: u64,
}

impl Ledger {
    /// Records from `from` on as stored. With `keys`, each payload comes with its own key: that is
    /// its content in the clear.
    pub fn records(&self, from: Seq, keys: bool) -> impl Iterator<Item = Result<RawRecord>> + '_ {
        let stream = self.vault.reader().stream(from, ledger_store::Check::Chain);
        stream.map(move |stored| self.raw(&stored?, keys))
    }

    fn raw(&self, stored: &StoredRecord, keys: bool) -> Result<RawRecord> {
        let event = decode(stored)?;
        let mut offset = stored.payload_offset;
        let mut payloads = Vec::with_capacity(event.payloads.len());
        for reference in &event.payloads {
            let bytes =
                self.vault.reader().payload(stored.payload_file, offset, reference.length)?;
            offset = offset.saturating_add(u64::from(reference.length));
            let key = match self.vault.keys().key(reference.id)? {
                KeyState::Key(key) if keys => Some(key),
                // Whoever asked for the keys would take what came without them for a backup.
                KeyState::NoMaster if keys => return Err(ledger_store::StoreError::NoMaster.into()),
                _ => None,
            };
            payloads.push(RawPayload {
                id: reference.id,
                role: reference.role,
                stored: bytes,
                key,
            });
        }
        if let (true, Some(id)) = (keys, pepper(&event.event))
            && let KeyState::Key(key) = self.vault.keys().key(id)?
        {
            payloads.push(RawPayload { id, role: Role::Extra, stored: Vec::new(), key: Some(key) });
        }
        let kind = match &event.event {
            Event::Unknown { kind, .. } => format!("unknown({kind})"),
            known => known.kind().map_or_else(String::new, |kind: Kind| kind.name().to_owned()),
        };
        Ok(RawRecord {
            seq: stored.seq,
            hash: stored.hash,
            batch: stored.place.batch,
            kind,
            bytes: stored.bytes.clone(),
            payloads,
        })
    }

    /// Carries records into a directory: a new ledger where there is none, or the continuation of
    /// the same ledger where there is one. `progress` gets the number of records seen.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`] for another ledger or another history, [`ErrorKind::Damaged`] for a
    /// record that does not hash to what it should.
    pub fn import_records(
        dir: &Path,
        options: OpenOptions,
        records: &mut dyn Iterator<Item = Result<RawRecord>>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Carried> {
        let mut records = records.peekable();
        let first = match records.peek() {
            None => return Err(Error::invalid("there is no record to import")),
            Some(Err(error)) => return Err(error.clone()),
            Some(Ok(first)) => first.clone(),
        };
        let exists = dir.join("ledger.toml").exists();
        let mut target = if exists {
            Target::open(dir, options)?
        } else {
            Target::create(dir, &options.master, &first)?
        };
        match carry(&mut target, &mut records, progress) {
            Ok(carried) => target.finish().map(|()| carried),
            Err(error) => Err(target.is_a_part(dir, &error)),
        }
    }
}

fn carry(
    target: &mut Target,
    records: &mut dyn Iterator<Item = Result<RawRecord>>,
    progress: &mut dyn FnMut(u64),
) -> Result<Carried> {
    let mut carried = Carried::default();
    for record in records {
        if target.take(record?)? {
            carried.appended += 1;
        } else {
            carried.present += 1;
        }
        progress(carried.appended + carried.present);
    }
    Ok(carried)
}

/// The slot of the pepper that a record brings.
const fn pepper(event: &Event) -> Option<PayloadId> {
    match event {
        Event::Genesis(genesis) => Some(genesis.pepper),
        Event::PepperRotated(rotated) => Some(rotated.new),
        _ => None,
    }
}

/// A log that takes records as they are.
struct Target {
    appender: Appender,
    keys: Arc<ledger_store::KeyStore>,
    reader: ledger_store::Reader,
    ledger: LedgerId,
    /// Records of one batch of the origin, to be one batch here too.
    waiting: Vec<(NewRecord, RecordHash, Seq)>,
    batch: Option<BatchNo>,
    new_keys: BTreeMap<PayloadId, Option<Zeroizing<[u8; 32]>>>,
    /// Payloads that came without content, and what the erasures among the records cover.
    gone: Vec<(PayloadId, Seq)>,
    erased: PayloadSet,
}

impl Target {
    fn open(dir: &Path, options: OpenOptions) -> Result<Self> {
        let (storage, config, mut appender, recovery) = hold(dir, &options)?;
        let master = MasterKey::load(&options.master, &config.ledger)?;
        let keys = ledger_store::KeyStore::open(
            storage,
            config.ledger,
            master.as_ref().map(|(key, _)| key),
        )?;
        settle_keys(&keys, &recovery)?;
        ready_keys(&mut appender, &keys)?;
        Ok(Self::new(appender, keys, config.ledger))
    }

    /// A new directory for the ledger whose record 0 this is.
    fn create(dir: &Path, env: &MasterEnv, first: &RawRecord) -> Result<Self> {
        let view = RecordView::decode(&first.bytes)?;
        let Event::Genesis(genesis) = view.event()? else {
            return Err(Error::invalid(
                "the first record is not genesis: records from the middle of a ledger continue that ledger, they cannot begin a new one",
            ));
        };
        let storage = empty_storage(dir, &Machine::default())?;
        // The same ledger may have been here before: its master key is used again.
        let (master, _) = match MasterKey::load(env, &genesis.ledger)? {
            Some(found) => found,
            None => MasterKey::create(env, &genesis.ledger)?,
        };
        let (appender, keys) = empty_log(&storage, &genesis, &master)?;
        Ok(Self::new(appender, keys, genesis.ledger))
    }

    fn new(appender: Appender, keys: ledger_store::KeyStore, ledger: LedgerId) -> Self {
        Self {
            reader: appender.reader(),
            appender,
            keys: Arc::new(keys),
            ledger,
            waiting: Vec::new(),
            batch: None,
            new_keys: BTreeMap::new(),
            gone: Vec::new(),
            erased: PayloadSet::default(),
        }
    }

    /// Takes one record; false when it was there.
    fn take(&mut self, raw: RawRecord) -> Result<bool> {
        let found = hash::record(&self.ledger, &raw.bytes);
        if found != raw.hash {
            return Err(Error::new(
                ErrorKind::Damaged,
                format!(
                    "record {} hashes to {found}, not to {} as it says; it was changed on the way, or belongs to another ledger; nothing of it was imported",
                    raw.seq, raw.hash
                ),
            ));
        }
        if let Some(head) = self.appender.head()
            && raw.seq <= head.seq
        {
            let own = self.reader.record(raw.seq)?.hash;
            if own != raw.hash {
                return Err(Error::new(
                    ErrorKind::Conflict,
                    format!(
                        "record {} is another one here ({own}) than in the file ({}): the histories part there; nothing was imported from it on",
                        raw.seq, raw.hash
                    ),
                ));
            }
            return Ok(false);
        }
        if self.batch != Some(raw.batch) {
            self.flush()?;
            self.batch = Some(raw.batch);
        }
        let view = RecordView::decode(&raw.bytes)?;
        let mut given = raw.payloads.clone();
        if let Some(at) = given.iter().position(RawPayload::is_pepper) {
            let pepper = given.remove(at);
            self.new_keys.insert(pepper.id, pepper.key);
        }
        let payloads = sealed(&self.ledger, &view, raw.seq, &given)?;
        self.note_erasures(&view, &given)?;
        self.new_keys.extend(given.into_iter().map(|payload| (payload.id, payload.key)));
        let record = NewRecord {
            header: view.header.clone(),
            body: view.body.to_vec(),
            payloads,
            extensions: view.extensions.clone(),
        };
        self.waiting.push((record, raw.hash, raw.seq));
        Ok(true)
    }

    fn note_erasures(&mut self, view: &RecordView<'_>, given: &[RawPayload]) -> Result<()> {
        let gone = given.iter().filter(|payload| payload.is_erased());
        self.gone.extend(gone.map(|payload| (payload.id, view.header.seq)));
        if let Event::EraseIntent(intent) = view.event()? {
            intent.payloads.iter().for_each(|range| self.erased.insert(*range));
        }
        Ok(())
    }

    /// Keys first, then the batch: content is never committed without the key that opens it.
    fn flush(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let keys: Vec<_> = std::mem::take(&mut self.new_keys).into_iter().collect();
        self.keys.adopt(&keys)?;
        let mut batch = self.appender.begin();
        for (record, expected, seq) in std::mem::take(&mut self.waiting) {
            let erasure = record.header.kind == Kind::EraseIntent.number();
            let (place, hash) = batch.push(record)?;
            if place != seq || hash != expected {
                return Err(Error::new(
                    ErrorKind::Conflict,
                    format!(
                        "record {seq} does not continue what is here (record {place} comes next): import the records before it first"
                    ),
                ));
            }
            if erasure {
                batch.set_last_erasure(place);
            }
        }
        self.appender.commit(batch)?;
        Ok(())
    }

    /// What was carried in stays, and whoever asks it next would take it for the whole.
    fn is_a_part(&self, dir: &Path, error: &Error) -> Error {
        let stays = match self.appender.head() {
            Some(head) => format!("holds the records up to {} and may lack later ones", head.seq),
            None => "holds no record yet".to_owned(),
        };
        Error::new(
            error.kind(),
            format!(
                "{error}; '{}' {stays}: answers from it are those of a part. Import the whole file there to go on, or remove the directory",
                dir.display()
            ),
        )
    }

    fn finish(mut self) -> Result<()> {
        self.flush()?;
        self.appender.close()?;
        match self.gone.iter().find(|(id, _)| !self.erased.contains(*id)) {
            None => Ok(()),
            Some((id, seq)) => Err(Error::new(
                ErrorKind::Damaged,
                format!(
                    "payload {id} of record {seq} came without its content and no erasure covers it: it was taken out of the export; `memledger verify` shows what is missing"
                ),
            )),
        }
    }
}

impl RawPayload {
    /// A pepper has a key slot and no bytes: it travels with the record that names it.
    const fn is_pepper(&self) -> bool {
        self.stored.is_empty()
    }

    /// Whether this is what an erasure left.
    fn is_erased(&self) -> bool {
        self.key.is_none() && self.stored.iter().all(|byte| *byte == 0)
    }
}

/// The key opens the payload, and what is inside is what the record commits to: a ledger that could
/// not say what it holds would only show when somebody asks.
fn check_content(
    ledger: &LedgerId,
    reference: &PayloadRef,
    payload: &RawPayload,
    seq: Seq,
) -> Result<()> {
    let Some(key) = &payload.key else {
        return Err(Error::invalid(format!(
            "payload {} of record {seq} comes without its key: a sealed export can be checked, but no ledger can be made from it",
            reference.id
        )));
    };
    let opened = payload::open(ledger, reference, &payload.stored, key).map(Zeroizing::new);
    opened.map(drop).map_err(|error| {
        Error::new(
            ErrorKind::Damaged,
            format!(
                "payload {} of record {seq} or its key was changed on the way: {error}; export it again",
                reference.id
            ),
        )
    })
}

/// The payloads of a record with their references, checked against each other.
fn sealed(
    ledger: &LedgerId,
    view: &RecordView<'_>,
    seq: Seq,
    given: &[RawPayload],
) -> Result<Vec<Sealed>> {
    if view.payloads.len() != given.len() {
        return Err(Error::invalid(format!(
            "record {seq} names {} payloads, {} are given",
            view.payloads.len(),
            given.len()
        )));
    }
    let mut all = Vec::with_capacity(given.len());
    for (reference, payload) in view.payloads.iter().zip(given) {
        if payload.id != reference.id {
            return Err(Error::invalid(format!(
                "record {seq} names payload {} where payload {} is given",
                reference.id, payload.id
            )));
        }
        if !payload.is_erased() {
            check_content(ledger, reference, payload, seq)?;
        }
        all.push(Sealed { reference: reference.clone(), stored: payload.stored.clone() });
    }
    Ok(all)
}
