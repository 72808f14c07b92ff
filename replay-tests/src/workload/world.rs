//! Owns what a history has so far: who and what there is to choose from, the clock, the chain.

use ledger_format::event::{Event, ledger as body};
use ledger_format::{
    ActorKind, AliasId, AliasKind, Digest16, Extension, JobId, Kind, LedgerId, MemoryId, Micros,
    PayloadId, PayloadRef, RecordHash, RecordHeader, Role, Seq, Tag, hash,
};
use ledger_replay::Sequenced;

use super::chain::{Entry, History, entry};
use super::op::Op;
use super::time;
use crate::rng::Rng;

/// Stands for the text of all payloads: another number is other text of other length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents(pub u64);

/// A memory that was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    pub(super) id: MemoryId,
    pub(super) scope: AliasId,
}

/// An erasure whose parts are not all recorded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unfinished {
    pub(super) erasure: JobId,
    pub(super) next: u32,
    pub(super) parts: u32,
}

/// An event that is not recorded yet.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) event: Event,
    pub(super) scope: AliasId,
    pub(super) roles: Vec<Role>,
    pub(super) job: Option<JobId>,
    pub(super) idempotency: Option<(Digest16, Digest16)>,
}

impl Draft {
    pub(super) const fn new(event: Event) -> Self {
        Self { event, scope: AliasId::ZERO, roles: Vec::new(), job: None, idempotency: None }
    }

    pub(super) fn with(mut self, roles: &[Role]) -> Self {
        self.roles = roles.to_vec();
        self
    }
}

pub(super) struct World {
    contents: Contents,
    ledger: LedgerId,
    entries: Vec<Entry>,
    now: Micros,
    prev: RecordHash,
    ids: u64,
    payloads: u64,
    pub(super) memories: Vec<Made>,
    pub(super) aliases: Vec<(AliasId, AliasKind)>,
    pub(super) pending: Vec<Seq>,
    pub(super) contests: Vec<Seq>,
    pub(super) pushes: Vec<(MemoryId, Seq)>,
    pub(super) holds: Vec<JobId>,
    pub(super) tasks: Vec<AliasId>,
    pub(super) unfinished: Vec<Unfinished>,
    pub(super) intended: Vec<JobId>,
    pub(super) receipts: u64,
    pub(super) epoch: u64,
    pub(super) policy: u32,
}

impl World {
    /// A ledger with a tree of scopes and a few names.
    pub(super) fn open(contents: Contents) -> Self {
        let mut world = Self {
            contents,
            ledger: LedgerId([0xa5; 16]),
            entries: Vec::new(),
            now: Micros(time::BASE),
            prev: RecordHash::ZERO,
            ids: 0,
            payloads: 1,
            memories: Vec::new(),
            aliases: Vec::new(),
            pending: Vec::new(),
            contests: Vec::new(),
            pushes: Vec::new(),
            holds: Vec::new(),
            tasks: Vec::new(),
            unfinished: Vec::new(),
            intended: Vec::new(),
            receipts: 0,
            epoch: 0,
            policy: 0,
        };
        let genesis = Event::Genesis(genesis(world.ledger));
        world.record(super::op(Kind::Genesis, []), Draft::new(genesis));
        // Each number is the place of the parent in this list, plus one; 0: a root.
        for parent in [0, 1, 2, 2, 4, 0, 6] {
            let parent = world
                .scopes()
                .get(parent - usize::from(parent > 0))
                .copied()
                .filter(|_| parent > 0);
            world.bind(AliasKind::Scope, parent);
        }
        let kinds = [AliasKind::Person, AliasKind::Tag, AliasKind::Term, AliasKind::Actor];
        for kind in kinds.into_iter().flat_map(|kind| [kind; 2]) {
            world.bind(kind, None);
        }
        for at in [2, 3] {
            let parent = world.scopes()[at];
            world.bind(AliasKind::Key, Some(parent));
        }
        world
    }

    fn bind(&mut self, kind: AliasKind, parent: Option<AliasId>) {
        let alias = AliasId(self.fresh(0xa1));
        let bound = Event::AliasBound(body::AliasBound { alias, kind, parent });
        self.aliases.push((alias, kind));
        self.record(super::op(Kind::AliasBound, []), Draft::new(bound).with(&[Role::Name]));
    }

    /// 16 bytes that nothing else has.
    pub(super) fn fresh(&mut self, domain: u8) -> [u8; 16] {
        self.ids += 1;
        let mut bytes: [u8; 16] = Rng::part(self.ids, domain.into()).bytes();
        bytes[15] = domain;
        bytes
    }

    /// An id as the ledger gives them: it begins with the time.
    pub(super) fn fresh_memory(&mut self) -> MemoryId {
        let mut bytes = self.fresh(0x5e);
        let millis = (self.now.0 / 1000).to_be_bytes();
        bytes[..6].copy_from_slice(&millis[2..]);
        bytes[6] = 0x70 | (bytes[6] & 0x0f);
        bytes[8] = 0x80 | (bytes[8] & 0x3f);
        MemoryId(bytes)
    }

    pub(super) fn next_seq(&self) -> Seq {
        Seq(self.entries.len() as u64)
    }

    pub(super) const fn payload_count(&self) -> u64 {
        self.payloads
    }

    pub(super) fn of_kind(&self, kind: AliasKind) -> Vec<AliasId> {
        self.aliases.iter().filter(|(_, k)| *k == kind).map(|(alias, _)| *alias).collect()
    }

    pub(super) fn scopes(&self) -> Vec<AliasId> {
        self.of_kind(AliasKind::Scope)
    }

    /// Records a draft: stamps it, encodes it and chains it.
    pub(super) fn record(&mut self, op: Op, draft: Draft) {
        let back = if op.odd & 8 != 0 { 3_600_000_000 } else { 0 };
        self.now = Micros(self.now.0 + time::tick(op.tick) - back);
        let kind = draft.event.kind().unwrap_or(Kind::Pin);
        let mut header = RecordHeader::new(kind, self.next_seq(), self.prev, self.now);
        if let Event::Unknown { kind, version, critical, .. } = draft.event {
            (header.kind, header.kind_version, header.critical) = (kind, version, critical);
        }
        header.scope = draft.scope;
        header.policy = self.policy;
        header.actor_kind = ActorKind::ALL[usize::from(op.x) % ActorKind::ALL.len()].0;
        let mut sequenced = Sequenced::new(header, RecordHash::ZERO, draft.event);
        sequenced.claimed_at = time::instant(op.claimed);
        sequenced.idempotency = draft.idempotency;
        sequenced.job = draft.job;
        sequenced.payloads = draft.roles.iter().map(|role| self.payload(*role)).collect();
        let speakers = self.of_kind(AliasKind::Actor);
        let speaker = speakers.first().map(|alias| Extension::alias(Tag::Speaker, *alias));
        let entry = entry(&self.ledger, sequenced, speaker.as_slice());
        self.prev = entry.sequenced.hash;
        self.entries.push(entry);
    }

    fn payload(&mut self, role: Role) -> PayloadRef {
        let id = PayloadId(self.payloads);
        self.payloads += 1;
        let text = [self.contents.0.to_le_bytes(), id.0.to_le_bytes()].concat();
        let length = 64 + u32::try_from(self.contents.0 % 1_000).unwrap_or(0);
        let commitment = hash::commitment(&[7; 32], role, &text);
        PayloadRef { id, role, suite: 1, commitment, digest: hash::ciphertext(&text), length }
    }

    pub(super) fn into_history(self) -> History {
        History { ledger: self.ledger, entries: self.entries }
    }
}

fn genesis(ledger: LedgerId) -> body::Genesis {
    body::Genesis {
        ledger,
        created_at: Micros(time::BASE),
        origin: "example.org/ledger".to_owned(),
        zone: "Europe/Berlin".to_owned(),
        hash_suite: 1,
        payload_suite: 1,
        clock: 2,
        pepper: PayloadId(0),
        limits: body::Limits::V1,
    }
}

impl World {
    /// A second Genesis, for steps that are odd.
    pub(super) fn genesis_again(&self) -> Event {
        Event::Genesis(genesis(LedgerId([0x5a; 16])))
    }
}
