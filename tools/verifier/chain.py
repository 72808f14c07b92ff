"""The state of a walk over the log: what the next batch must follow, and what later checks need to know.

`Chain.extend` takes a batch only as a whole: it checks everything against copies and changes the state at the end.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import events
import files
import hashes
import records
from errors import FormatError
from files import BatchFault
from intervals import Intervals
from layout import NONE_SEQ, ZERO32, Fields
from merkle import Frontier, leaf_hash
from report import Head

FIRST_PAYLOAD_OFFSET = files.PAYLOAD_FILE_HEADER


class Place(NamedTuple):
    """A payload: where its stored bytes are, and what the log says about them."""

    reference: Fields
    seq: int
    batch: int
    file: int
    offset: int


class Checkpoint(NamedTuple):
    """A `checkpoint_signed` record with the origin and key that were in force."""

    seq: int
    size: int
    root: bytes
    algorithm: int
    signature: bytes
    key: tuple[int, bytes] | None


class Rotation(NamedTuple):
    """A `key_rotated` record, and the key in force before it."""

    seq: int
    body: dict[str, Any]
    before: tuple[int, bytes] | None


@dataclass
class Erasure:
    """The parts of one erasure that the log holds so far."""

    parts: int
    seen: Intervals = field(default_factory=Intervals)
    payloads: Intervals = field(default_factory=Intervals)
    last_seq: int = 0
    done_seq: int | None = None

    def complete(self) -> bool:
        return self.seen.count() == self.parts


@dataclass
class Chain:
    """Everything that the batches so far say about what comes next."""

    ledger: bytes
    genesis: dict[str, Any] | None = None
    next_batch: int = 0
    next_seq: int = 0
    record_hash: bytes = ZERO32
    batch_hash: bytes = ZERO32
    tree: Frontier = field(default_factory=Frontier)
    recorded_at: int = -(1 << 63)
    epoch: int = 0
    next_payload: int = 0
    last_erasure: int = NONE_SEQ
    payload_file: int = 0
    payload_end: int = FIRST_PAYLOAD_OFFSET
    policy: int = 0
    highest_policy: int = 0
    ids: Intervals = field(default_factory=Intervals)
    peppers: list[int] = field(default_factory=list)
    erasures: dict[bytes, Erasure] = field(default_factory=dict)
    origins: list[tuple[int, str]] = field(default_factory=list)
    keys: list[tuple[int, int, bytes]] = field(default_factory=list)
    rotations: list[Rotation] = field(default_factory=list)
    checkpoints: list[Checkpoint] = field(default_factory=list)
    unknown: int = 0
    unknown_critical: int | None = None
    watched: dict[int, tuple[bytes, bytes] | None] = field(default_factory=dict)

    def head(self) -> Head | None:
        """The last record, or None before the first."""
        return Head(self.next_seq - 1, self.record_hash, self.tree.root()) if self.next_seq else None

    def origin_at(self, size: int) -> str:
        """The origin in force when the log had so many records."""
        return [origin for seq, origin in self.origins if seq < size][-1]

    def key_at(self, seq: int) -> tuple[int, bytes] | None:
        """The signing key in force at a record."""
        keys = [(algorithm, key) for since, algorithm, key in self.keys if since < seq]
        return keys[-1] if keys else None

    def erased(self) -> Intervals:
        """The payload ids that complete erasures cover."""
        out = Intervals()
        for erasure in self.erasures.values():
            if erasure.complete():
                out.update(erasure.payloads)
        return out

    def extend(self, data: bytes, first_in_segment: bool) -> tuple[files.Batch, list[Place]]:
        """Takes the next batch, of which `data` is the whole, or raises and stays as it was."""
        self._follows(files.decode_batch_header(data[: files.BATCH_HEADER]))
        tree = self.tree.copy()
        watched = [size for size in self.watched if self.next_seq < size]
        batch = files.decode_batch(self.ledger, data, self.record_hash, tree)
        step = _Step(self, batch)
        for record, offset in zip(batch.records, batch.offsets):
            try:
                step.take(record, first_in_segment)
            except FormatError as error:
                raise BatchFault(error.word, error.detail, record.header["seq"], offset) from None
        places = step.places()
        step.finish()
        self._watch(watched, batch)
        self.tree = tree
        return batch, places

    def _follows(self, header: Fields) -> None:
        """The header continues what is there."""
        for name, expected in (("batch", self.next_batch), ("first", self.next_seq), ("previous", self.batch_hash)):
            if header[name] != expected:
                raise FormatError("bad_value", f"{name} of the header does not follow the batch before")
        if header["next_payload"] < self.next_payload:
            raise FormatError("bad_value", "next_payload decreases")

    def _watch(self, sizes: list[int], batch: files.Batch) -> None:
        """Keeps root and record hash at the sizes that somebody asked for."""
        end = batch.header["first"] + batch.header["count"]
        for size in sizes:
            if size <= end:
                tree = self.tree.copy()
                for raw in batch.raw[: size - batch.header["first"]]:
                    tree.push(leaf_hash(raw))
                self.watched[size] = (tree.root(), batch.hashes[size - 1 - batch.header["first"]])


class _Step:
    """One batch on its way into a chain: copies of what it changes, checked record by record."""

    def __init__(self, chain: Chain, batch: files.Batch) -> None:
        self.chain = chain
        self.batch = batch
        self.recorded_at = chain.recorded_at
        self.epoch = chain.epoch
        self.last_erasure = chain.last_erasure
        self.policy = chain.policy
        self.highest_policy = chain.highest_policy
        self.new_ids: list[int] = []
        self.known: list[tuple[records.Record, dict[str, Any]]] = []

    def take(self, record: records.Record, first_in_segment: bool) -> None:
        """Checks one record against the ones before it."""
        header, body = record.header, record.event.body
        seq = header["seq"]
        if (header["kind"] == events.GENESIS) != (seq == 0):
            raise FormatError("bad_value", "genesis is record 0 and no other")
        self._clock(header)
        if header["policy"] != self.policy:
            raise FormatError("bad_value", f"policy {header['policy']} instead of {self.policy}")
        if seq == 1 and header["kind"] != events.EPOCH:
            raise FormatError("bad_value", "record 1 is not the epoch record")
        if body is not None:
            self.known.append((record, body))
            if header["kind"] == events.GENESIS and body["ledger"] != self.chain.ledger:
                raise FormatError("bad_value", "genesis names another ledger than the segment header")
            if header["kind"] == events.EPOCH:
                self._new_epoch(seq, body, first_in_segment)
            elif header["kind"] == events.POLICY_SET:
                if body["version"] <= self.highest_policy or body["previous"] != self.policy:
                    raise FormatError("bad_value", "a policy that does not follow the one in force")
                self.policy = self.highest_policy = body["version"]
            elif header["kind"] == events.ERASE_INTENT:
                self.last_erasure = seq
        self.new_ids.extend(item["id"] for item in record.payloads)

    def _clock(self, header: Fields) -> None:
        recorded_at, wall_time, flags = header["recorded_at"], header["wall_time"], header["flags"]
        if recorded_at < self.recorded_at:
            raise FormatError("bad_value", "recorded_at decreases")
        if flags & records.FLAG_BEHIND and (recorded_at != self.recorded_at or wall_time >= recorded_at):
            raise FormatError("bad_value", "a record that is marked behind and is not")
        if flags & records.FLAG_DECLARED and wall_time != recorded_at:
            raise FormatError("bad_value", "a declared time that differs from wall_time")
        self.recorded_at = recorded_at

    def _new_epoch(self, seq: int, body: dict[str, Any], first_in_segment: bool) -> None:
        place = 1 if self.batch.header["batch"] == 0 else self.batch.header["first"]
        if body["epoch"] <= self.epoch:
            raise FormatError("bad_value", f"epoch {body['epoch']} after {self.epoch}")
        if not first_in_segment or seq != place:
            raise FormatError("bad_value", "an epoch that does not begin a segment")
        if seq == 1 and (body["epoch"] != 1 or body["reason"] != "created"):
            raise FormatError("bad_value", "record 1 is not the epoch 1 of the creation")
        self.epoch = body["epoch"]

    def places(self) -> list[Place]:
        """Where the payloads of the batch lie, after the rules of section 10.3."""
        header, chain = self.batch.header, self.chain
        if header["epoch"] != self.epoch:
            raise FormatError("bad_value", f"epoch {header['epoch']} in the header instead of {self.epoch}")
        if header["last_erasure"] != self.last_erasure:
            raise FormatError("bad_value", "last_erasure in the header is not the last erase_intent")
        out, at = [], header["payload_offset"]
        for record in self.batch.records:
            for reference in record.payloads:
                out.append(Place(reference, record.header["seq"], header["batch"], header["payload_file"], at))
                at += reference["length"]
        if at - header["payload_offset"] != header["payload_length"]:
            raise FormatError("bad_value", "payload_length is not the sum of the payloads")
        if out:
            behind = header["payload_file"] == chain.payload_file and header["payload_offset"] >= chain.payload_end
            if not behind and header["payload_file"] <= chain.payload_file:
                raise FormatError("bad_value", "a payload range before the end of the one before it")
        fresh = set(self.new_ids)
        if len(fresh) < len(self.new_ids) or any(number in chain.ids for number in fresh):
            raise FormatError("bad_value", "a payload id is used twice")
        if any(number >= header["next_payload"] for number in fresh):
            raise FormatError("bad_value", "a payload id at or above next_payload")
        return out

    def finish(self) -> None:
        """Changes the chain; nothing fails from here on."""
        chain, header = self.chain, self.batch.header
        for record, body in self.known:
            self._remember(record, body)
        for record in self.batch.records:
            if record.event.status != "known":
                chain.unknown += 1
            if record.event.status == "unknown_critical" and chain.unknown_critical is None:
                chain.unknown_critical = record.header["seq"]
        for number in self.new_ids:
            chain.ids.add(number)
        if header["payload_length"]:
            chain.payload_file = header["payload_file"]
            chain.payload_end = header["payload_offset"] + header["payload_length"]
        chain.recorded_at = self.recorded_at
        chain.epoch = self.epoch
        chain.last_erasure = self.last_erasure
        chain.policy, chain.highest_policy = self.policy, self.highest_policy
        chain.next_payload = header["next_payload"]
        chain.next_batch += 1
        chain.next_seq = header["first"] + header["count"]
        chain.record_hash = self.batch.hashes[-1]
        chain.batch_hash = self.batch.hash

    def _remember(self, record: records.Record, body: dict[str, Any]) -> None:
        """Keeps what later checks need of an event."""
        chain, kind, seq = self.chain, record.header["kind"], record.header["seq"]
        if kind == events.GENESIS:
            chain.genesis = body
            chain.origins.append((seq, body["origin"]))
            chain.peppers.append(body["pepper"])
        elif kind == events.CONFIG_SET and body["setting"] == 2:
            chain.origins.append((seq, body["value"]))
        elif kind == events.KEY_ROTATED:
            chain.rotations.append(Rotation(seq, body, chain.key_at(seq)))
            chain.keys.append((seq, body["new"]["algorithm"], body["new"]["bytes"]))
        elif kind == events.CHECKPOINT_SIGNED:
            chain.checkpoints.append(
                Checkpoint(seq, body["size"], body["root"], body["algorithm"], body["signature"], chain.key_at(seq))
            )
        elif kind == events.ERASE_INTENT:
            erasure = chain.erasures.setdefault(body["erasure"], Erasure(body["parts"]))
            erasure.seen.add(body["part"])
            erasure.last_seq = seq
            for item in body["payloads"]:
                erasure.payloads.add(item["first"], item["last"])
        elif kind == events.ERASE_DONE and body["erasure"] in chain.erasures:
            chain.erasures[body["erasure"]].done_seq = seq


def ahead(ledger: bytes, window: bytes) -> int:
    """Computes in bulk the hashes that the batches in a window of a segment will need; returns where it stopped.

    It believes every length and checks nothing: whatever is wrong there is found by the walk that comes after it.
    """
    checks: list[bytes] = []
    inputs: list[bytes] = []
    batches: list[tuple[bytes, bytes, bytes, bytes]] = []
    at = 0
    while True:
        head = window[at : at + files.BATCH_HEADER]
        if len(head) < files.BATCH_HEADER or not head.startswith(files.BATCH_MAGIC):
            break
        count, frames_length = int.from_bytes(head[32:36], "little"), int.from_bytes(head[36:40], "little")
        end = at + files.BATCH_HEADER + frames_length + files.TRAILER
        if end > len(window):
            break
        found = _frames(window, at + files.BATCH_HEADER, end - files.TRAILER, count)
        checks.append(head[:144])
        inputs.extend(ledger + raw for raw, _ in found)
        if found:
            lengths = b"".join(length for _, length in found)
            batches.append((head, lengths, ledger + found[-1][0], window[end - 64 : end - 32]))
        at = end
    hashes.prepare(hashes.CHECK, checks)
    hashes.prepare(hashes.RECORD, inputs)
    last = {data: hashes.record_hash(b"", data) for _, _, data, _ in batches}
    hashes.prepare(hashes.BATCH, (head + lengths + last[data] + root for head, lengths, data, root in batches))
    return at


def _frames(window: bytes, at: int, end: int, count: int) -> list[tuple[bytes, bytes]]:
    """Records and stored lengths of frames that may be anything."""
    out: list[tuple[bytes, bytes]] = []
    while at + 2 <= end and len(out) < count:
        length = window[at] | window[at + 1] << 8
        if at + 2 + length > end:
            break
        out.append((window[at + 2 : at + 2 + length], window[at : at + 2]))
        at += 2 + length
    return out


def scan_headers(window: bytes) -> Iterator[int]:
    """Offsets in a window where the magic of a batch stands."""
    at = window.find(files.BATCH_MAGIC)
    while at >= 0:
        yield at
        at = window.find(files.BATCH_MAGIC, at + 1)
