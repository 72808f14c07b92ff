//! Owns making a ledger: identity, keys, the first two records.
//!
//! The order makes a half-made ledger recognisable: keys and log first, `ledger.toml` last.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ledger_format::event::ledger::{Epoch, Genesis, Limits};
use ledger_format::names::EpochReason;
use ledger_format::record::ClockFlags;
use ledger_format::{Event, JobId, Kind, LedgerId, PayloadId, RecordHash, RecordHeader, Seq};
use ledger_store::storage::Storage;
use ledger_store::{
    Appender, KeyStore, LedgerConfig, MasterEnv, MasterKey, NewRecord, StoreOptions,
};

use crate::civil::Zone;
use crate::clock::{Chance, Clock, SystemChance, SystemClock};
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::open::{self, Parts};
use crate::ledger::{Ledger, OpenOptions};
use crate::machine::Machine;
use crate::proof::{check_origin, key_at_init};
use crate::scope::check_name;

/// How a ledger is made.
#[derive(Clone, Debug)]
pub struct InitOptions {
    /// Its civil zone: dates without a zone are read in it.
    pub zone: Zone,
    /// Its public name; none: a name from its id.
    pub origin: Option<String>,
    /// Whether it gets a signing key at once, beside the master key, named by record 2. Without one
    /// it can be given later.
    pub signing_key: bool,
    /// Source of time.
    pub clock: Arc<dyn Clock>,
    /// Source of chance.
    pub chance: Arc<dyn Chance>,
    /// How the log is written.
    pub store: StoreOptions,
    /// Where the master key comes from, or is put.
    pub master: MasterEnv,
    /// What the ledger runs on.
    pub machine: Machine,
}

impl Default for InitOptions {
    fn default() -> Self {
        Self {
            zone: Zone::UTC,
            origin: None,
            signing_key: false,
            clock: Arc::new(SystemClock::default()),
            chance: Arc::new(SystemChance),
            store: StoreOptions::default(),
            master: MasterEnv::from_process(),
            machine: Machine::default(),
        }
    }
}

/// A ledger that was just made.
#[derive(Debug)]
pub struct Created {
    /// The open ledger.
    pub ledger: Ledger,
    /// Its id.
    pub id: LedgerId,
    /// Where its master key lies. Losing that is losing all content.
    pub master_location: String,
    /// Where its signing key lies, if it was given one.
    pub signing_location: Option<PathBuf>,
}

impl Ledger {
    /// Makes a ledger in a directory that is missing or empty.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] when the directory holds something or the name is not usable,
    /// [`ErrorKind::Unavailable`] when it cannot be written to.
    pub fn init(dir: &Path, options: InitOptions) -> Result<Created> {
        let mut id = [0; 16];
        fill(&*options.chance, &mut id)?;
        let ledger = LedgerId(id);
        let origin = match options.origin {
            Some(origin) => {
                check_name("origin", &origin)?;
                origin
            }
            None => format!("memledger.local/{}", ledger.to_string().get(..8).unwrap_or_default()),
        };
        if options.signing_key {
            check_origin(&origin)?;
        }
        let reading = options.clock.now();
        let genesis = Genesis {
            ledger,
            created_at: reading.wall,
            origin,
            zone: options.zone.to_string(),
            hash_suite: 1,
            payload_suite: 1,
            clock: if options.clock.declared() { 2 } else { 1 },
            pepper: PayloadId(0),
            limits: Limits::V1,
        };
        let storage = empty_storage(dir, &options.machine)?;
        let (master, location) = MasterKey::create(&options.master, &ledger)?;
        let mut holder = [0; 16];
        fill(&*options.chance, &mut holder)?;
        let header = |kind| first_header(kind, &genesis, options.clock.declared());
        let epoch = Epoch {
            epoch: 1,
            holder: JobId(holder),
            reason: EpochReason::Created,
            program: concat!("memledger ", env!("CARGO_PKG_VERSION")).to_owned(),
            dropped_bytes: 0,
        };
        let mut first = vec![
            record(header(Kind::Genesis), &Event::Genesis(genesis.clone()))?,
            record(header(Kind::Epoch), &Event::Epoch(epoch))?,
        ];
        let mut signing_location = None;
        if options.signing_key {
            let seq = Seq(first.len() as u64);
            let (set, file) = key_at_init(&options.master, &ledger, seq, &*options.chance)?;
            first.push(record(header(Kind::KeyRotated), &Event::KeyRotated(set))?);
            signing_location = Some(file);
        }
        let entropy = Arc::clone(&options.machine.entropy);
        KeyStore::create_with(Arc::clone(&storage), ledger, &master, entropy)?;
        let appender = write_first(&storage, &genesis, &options.store, first)?;
        let parts = Parts {
            dir: dir.to_path_buf(),
            storage,
            genesis,
            master: Some((master, location.to_string())),
        };
        let open_options = OpenOptions {
            clock: options.clock,
            chance: options.chance,
            store: options.store,
            master: options.master,
            machine: options.machine,
            ..OpenOptions::default()
        };
        let ledger = open::finish_created(parts, appender, open_options)?;
        let master_location = location.to_string();
        Ok(Created { id: ledger.id(), ledger, master_location, signing_location })
    }
}

/// A directory that a ledger can be made in.
pub(crate) fn empty_storage(dir: &Path, machine: &Machine) -> Result<Arc<dyn Storage>> {
    let storage = machine.create(dir).map_err(|error| {
        Error::new(ErrorKind::Unavailable, format!("{}: {error}", dir.display()))
    })?;
    let root = ledger_store::storage::RelPath::ROOT;
    let found = storage.list(&root).map_err(ledger_store::StoreError::from)?;
    if found.iter().any(|name| name == "ledger.toml" || name == "log") {
        return Err(Error::invalid(format!(
            "{} holds a ledger already; open it, or choose another directory",
            dir.display()
        )));
    }
    if let Some(name) = found.first() {
        return Err(Error::invalid(format!(
            "{} is not empty (it holds {name:?}); a ledger needs a directory of its own",
            dir.display()
        )));
    }
    Ok(storage)
}

/// Keys, the copy of Genesis, and a log without records, for records that come from elsewhere.
pub(crate) fn empty_log(
    storage: &Arc<dyn Storage>,
    genesis: &Genesis,
    master: &MasterKey,
) -> Result<(Appender, KeyStore)> {
    let keys = KeyStore::create(Arc::clone(storage), genesis.ledger, master)?;
    let appender =
        Appender::create(Arc::clone(storage), genesis.ledger, 1, StoreOptions::default())?;
    LedgerConfig::from_genesis(genesis)?.write(&**storage)?;
    Ok((appender, keys))
}

/// The log with its first records, and the copy of Genesis. The keys are there already.
fn write_first(
    storage: &Arc<dyn Storage>,
    genesis: &Genesis,
    options: &StoreOptions,
    records: Vec<NewRecord>,
) -> Result<Appender> {
    let mut appender = Appender::create(Arc::clone(storage), genesis.ledger, 1, options.clone())?;
    let mut batch = appender.begin();
    batch.set_next_payload(PayloadId(1));
    batch.push_all(records)?;
    appender.commit(batch)?;
    LedgerConfig::from_genesis(genesis)?.write(&**storage)?;
    Ok(appender)
}

fn first_header(kind: Kind, genesis: &Genesis, declared: bool) -> RecordHeader {
    let mut header = RecordHeader::new(kind, Seq(0), RecordHash::ZERO, genesis.created_at);
    header.clock = ClockFlags { declared, ..ClockFlags::default() };
    header
}

fn record(header: RecordHeader, event: &Event) -> Result<NewRecord> {
    Ok(NewRecord { header, body: event.encode()?, payloads: Vec::new(), extensions: Vec::new() })
}

fn fill(chance: &dyn Chance, bytes: &mut [u8]) -> Result<()> {
    chance
        .fill(bytes)
        .map_err(|reason| Error::new(ErrorKind::Unavailable, format!("no random bytes: {reason}")))
}
