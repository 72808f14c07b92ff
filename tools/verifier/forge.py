"""Makes ledgers in memory for the tests, right ones and ones that break a rule under hashes that fit.

It is a small writer after SPEC.md. `verify.py` and `vectors.py` do not use it.
"""

import hashlib
from typing import Any

import ed25519
import events
import files
import hashes
import payloads
import records
import xchacha
from layout import LIMITS, NONE_SEQ, ZERO32, Fields
from merkle import Frontier, leaf_hash

LEDGER = b"\x07" * 16
MASTER = b"\x33" * 32
START = 1772539200000000
GENESIS: dict[str, Any] = {
    "ledger": LEDGER,
    "created_at": START,
    "origin": "ledger.example/home",
    "zone": "Europe/Berlin",
    "hash_suite": 1,
    "payload_suite": 1,
    "clock": 1,
    "pepper": 0,
    "limits": {name: LIMITS[name] for name, _ in events.STRUCTS["limits"]},
}
NUMBERS = {kind.name: number for number, kind in events.KINDS.items()}


def epoch_body(number: int, reason: str = "opened") -> dict[str, Any]:
    return {"epoch": number, "holder": bytes([number]) * 16, "reason": reason, "program": "forge 1", "dropped_bytes": 0}


def pin(number: int = 9) -> dict[str, Any]:
    return {"memory": bytes([number]) * 16}


def erase_intent(ranges: list[tuple[int, int]], part: int = 0, parts: int = 1, erasure: int = 0xEE) -> dict[str, Any]:
    return {
        "erasure": bytes([erasure]) * 16,
        "part": part,
        "parts": parts,
        "subject": None,
        "memories": [],
        "aliases": [],
        "payloads": [{"first": first, "last": last} for first, last in ranges],
    }


def erase_done(erasure: int = 0xEE) -> dict[str, Any]:
    return {"erasure": bytes([erasure]) * 16, "level": "files", "keys": 0, "payloads": 0, "derived": 0}


class Signer:
    """An Ed25519 key pair of the tests: signing after RFC 8032 section 5.1.6."""

    def __init__(self, seed: bytes) -> None:
        digest = hashlib.sha512(seed).digest()
        scalar = int.from_bytes(digest[:32], "little")
        self._scalar = scalar & ((1 << 254) - 8) | 1 << 254
        self._prefix = digest[32:]
        self.public = self._compress(ed25519._multiply(self._scalar, ed25519._BASE))

    @staticmethod
    def _compress(point: ed25519.Point) -> bytes:
        x, y, z, _ = point
        inverse = pow(z, -1, ed25519._P)
        x, y = x * inverse % ed25519._P, y * inverse % ed25519._P
        return (y | (x & 1) << 255).to_bytes(32, "little")

    def sign(self, message: bytes) -> bytes:
        nonce = int.from_bytes(hashlib.sha512(self._prefix + message).digest(), "little") % ed25519._L
        commitment = self._compress(ed25519._multiply(nonce, ed25519._BASE))
        digest = hashlib.sha512(commitment + self.public + message).digest()
        challenge = int.from_bytes(digest, "little") % ed25519._L
        return commitment + ((nonce + challenge * self._scalar) % ed25519._L).to_bytes(32, "little")


class Forge:
    """A ledger that grows: `add` puts a record into the next batch, `commit` writes the batch."""

    def __init__(self, begin: bool = True, genesis: dict[str, Any] | None = None) -> None:
        self.genesis = genesis or GENESIS
        self.tree = Frontier()
        self.next_seq = 0
        self.next_batch = 0
        self.last_record = ZERO32
        self.last_batch = ZERO32
        self.epoch = 1
        self.policy = 0
        self.now = START
        self.next_payload = 1
        self.last_erasure = NONE_SEQ
        self.payload_file = 0
        self.keys: dict[int, bytes] = {0: b"\x44" * 32}
        self.segments: list[bytearray] = []
        self.payload_files = {0: bytearray(files.PAYLOAD_FILE.encode({"version": 1, "file": 0, "ledger": LEDGER}))}
        self.raw: list[bytes] = []
        self.offsets: dict[int, int] = {}
        self.anchors: list[bytes] = []
        self._batch: list[bytes] = []
        self._stored: list[bytes] = []
        self.begin_segment()
        if begin:
            self.add("genesis", self.genesis)
            self.add("epoch", epoch_body(1, "created"))
            self.commit()

    def begin_segment(self, **changes: Any) -> None:
        """Begins the next segment after what was committed."""
        length = len(self.segments[-1]) if self.segments else 0
        nodes = b"".join(self.tree.nodes)
        fields: Fields = {
            "version": 1,
            "ledger": LEDGER,
            "segment": len(self.segments),
            "first_batch": self.next_batch,
            "first_seq": self.next_seq,
            "epoch": self.epoch,
            "previous_record": self.last_record,
            "previous_batch": self.last_batch,
            "previous_length": length,
            "frontier": nodes.ljust(3944, b"\0"),
        }
        self.segments.append(bytearray(files.SEGMENT.encode({**fields, **changes})))

    def reopen(self) -> None:
        """A new holder: a segment and its epoch record, not yet committed."""
        self.epoch += 1
        self.begin_segment()
        self.add("epoch", epoch_body(self.epoch))

    def _payload(self, role: int, text: bytes, payload_id: int | None = None) -> Fields:
        """Seals a payload into the range of the next batch."""
        number = self.next_payload if payload_id is None else payload_id
        self.next_payload = max(self.next_payload, number + 1)
        key = number.to_bytes(8, "little") + b"\x44" * 24
        self.keys[number] = key
        frame = payloads.encode_frame(payloads.STORED, len(text), text)
        nonce = number.to_bytes(1, "little") + b"\x22" * 23
        reference: Fields = {"id": number, "role": role, "suite": 1, "kind": 0}
        stored = nonce + xchacha.seal(key, nonce, frame, payloads.associated_data(LEDGER, reference))
        reference["commitment"] = hashes.commitment(hashes.salt(key), role, text)
        reference["digest"] = hashes.ciphertext_digest(stored)
        reference["length"] = len(stored)
        self._stored.append(stored)
        return reference

    def add(
        self,
        kind: str | int,
        body: dict[str, Any] | bytes,
        texts: tuple[bytes, ...] = (),
        extensions: tuple[records.Extension, ...] = (),
        payload_ids: tuple[int | None, ...] = (),
        **changes: Any,
    ) -> int:
        """Adds a record to the next batch; `changes` replace fields of its header. Returns its seq."""
        number = NUMBERS[kind] if isinstance(kind, str) else kind
        data = body if isinstance(body, bytes) else events.encode_body(number, body)
        ids = payload_ids or (None,) * len(texts)
        references = [self._payload(1, text, number_) for text, number_ in zip(texts, ids)]
        seq = self.next_seq + len(self._batch)
        self.now += 1000
        known = events.KINDS.get(number)
        header: Fields = {
            "version": 1,
            "kind": number,
            "kind_version": 1,
            "flags": int(known.critical) if known else 0,
            "actor_kind": 1,
            "seq": seq,
            "prev": hashes.record_hash(LEDGER, self._batch[-1]) if self._batch else self.last_record,
            "recorded_at": self.now,
            "wall_time": self.now,
            "actor": bytes(16),
            "scope": bytes(16),
            "retention": 0,
            "policy": self.policy,
            "body_length": len(data),
            "extension_length": len(records.encode_extensions(list(extensions))),
            "payload_count": len(references),
            **changes,
        }
        record = records.Record(header, data, references, list(extensions), records.Event("unknown", None))
        self._batch.append(records.encode_record(record))
        if number == events.ERASE_INTENT:
            self.last_erasure = seq
        return seq

    def commit(self, gap: int = 0, **changes: Any) -> None:
        """Writes the batch; `changes` replace fields of its header, `gap` leaves zeros before its payload range."""
        file = self.payload_files[self.payload_file]
        if self._stored:
            file += bytes(gap)
        offset = len(file)
        stored = b"".join(self._stored)
        at = offset
        for raw in self._batch:
            for reference in _references(raw):
                self.offsets[reference["id"]] = at
                at += reference["length"]
        fields: Fields = {
            "major": 1,
            "min_reader": 1,
            "suite": 1,
            "header_length": files.BATCH_HEADER,
            "batch": self.next_batch,
            "first": self.next_seq,
            "count": len(self._batch),
            "frames_length": sum(len(raw) + 2 for raw in self._batch),
            "epoch": self.epoch,
            "previous": self.last_batch,
            "next_payload": self.next_payload,
            "payload_file": self.payload_file,
            "payload_offset": offset,
            "payload_length": len(stored),
            "last_erasure": self.last_erasure,
            **changes,
        }
        for raw in self._batch:
            self.tree.push(leaf_hash(raw))
        self.last_record = hashes.record_hash(LEDGER, self._batch[-1])
        data = files.encode_batch(LEDGER, fields, self._batch, self.last_record, self.tree.root())
        file += stored
        self.segments[-1] += data
        self.raw += self._batch
        self.next_seq += len(self._batch)
        self.next_batch += 1
        self.last_batch = data[-32:]
        self._batch, self._stored = [], []
        self.anchors.append(self.anchor())

    def begin_payload_file(self) -> None:
        self.payload_file += 1
        header = files.PAYLOAD_FILE.encode({"version": 1, "file": self.payload_file, "ledger": LEDGER})
        self.payload_files[self.payload_file] = bytearray(header)

    def anchor(self, **changes: Any) -> bytes:
        """An anchor of the last batch."""
        fields: Fields = {
            "version": 1,
            "clean": 0,
            "ledger": LEDGER,
            "counter": self.next_batch,
            "epoch": self.epoch,
            "batch": self.next_batch - 1,
            "batch_hash": self.last_batch,
            "seq": self.next_seq - 1,
            "record_hash": self.last_record,
            "recorded_at": self.now,
            "root": self.tree.root(),
            "segment": len(self.segments) - 1,
            "segment_end": len(self.segments[-1]),
            "payload_file": self.payload_file,
            "payload_end": len(self.payload_files[self.payload_file]),
            "next_payload": self.next_payload,
            "last_erasure": self.last_erasure,
        }
        return files.ANCHOR_LAYOUT.encode({**fields, **changes})

    def erase(self, *numbers: int, keys: bool = True, contents: bool = True) -> None:
        """Destroys payloads: their keys, their bytes, or both."""
        for number in numbers:
            if keys:
                self.keys.pop(number)
            if contents:
                at = self.offsets[number]
                self.payload_files[0][at : at + 104] = bytes(104)

    def key_file(self) -> bytes:
        check = hashes.key_check(MASTER, LEDGER)
        header: Fields = {"ledger": LEDGER, "generation": 1, "key_check": check, "erasures_through": NONE_SEQ}
        out = files.KEY_FILE.encode(header)
        per_page = LIMITS["page_slots"]
        for page in range(max(self.keys, default=0) // per_page + 1):
            slots = bytearray(per_page * files.SLOT)
            for slot in range(page * per_page, (page + 1) * per_page):
                if slot in self.keys:
                    mask = hashes.slot_mask(MASTER, LEDGER, slot)
                    masked = bytes(a ^ b for a, b in zip(self.keys[slot], mask))
                    at = files.SLOT * (slot - page * per_page)
                    slots[at : at + files.SLOT] = masked
            fields: Fields = {
                "ledger": LEDGER,
                "page": page,
                "generation": 1,
                "master": check[:8],
                "slots": bytes(slots),
            }
            out += files.KEY_PAGE.encode(fields)
        return out

    def files(self, anchored: int | None = None) -> dict[str, bytes]:
        """All files; `anchored` is the number of batches that the anchors cover, all of them unless it is given."""
        count = len(self.anchors) if anchored is None else anchored
        keys = self.key_file()
        quoted = files.ledger_toml_values(self.genesis)
        out = {
            "ledger.toml": files.TOML.format(**quoted).encode(),
            "keys/slots.a": keys,
            "keys/slots.b": keys,
            "anchor.a": self.anchors[count - 1],
            "anchor.b": self.anchors[max(count - 2, 0)],
        }
        for number, data in enumerate(self.segments):
            out[f"log/{files.numbered_name(number, '.seg')}"] = bytes(data)
        for number, data in self.payload_files.items():
            out[f"payloads/{files.numbered_name(number, '.pay')}"] = bytes(data)
        return out


def _references(raw: bytes) -> list[Fields]:
    """The payload references of a record that may break other rules."""
    body = raw[104] | raw[105] << 8
    at = records.HEADER + body
    return [
        records.PAYLOAD_REFERENCE.decode(raw[i : i + records.REFERENCE])
        for i in range(at, at + records.REFERENCE * raw[records.PAYLOAD_COUNT], records.REFERENCE)
    ]
