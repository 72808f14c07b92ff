"""The hash constructions of SPEC.md section 4, with a memo that can be filled in bulk.

`prepare` computes many derivations at once and keeps them under their exact input, so that code which asks for one
hash after another is fast without knowing about it. Nothing depends on the memo but time.
"""

import struct
from collections.abc import Iterable, Sequence

import blake3

RECORD = "memledger record v1"
BATCH = "memledger batch v1"
CIPHERTEXT = "memledger ciphertext v1"
SALT = "memledger payload salt v1"
COMMITMENT = "memledger commitment v1"
SLOT_MASK = "memledger slot mask v1"
KEY_CHECK = "memledger key check v1"
CHECK = "memledger check v1"
IDEMPOTENCY = "memledger idempotency v1"
KEY_ROTATION = "memledger key rotation v1"

CONTEXTS = {
    "record": RECORD,
    "batch": BATCH,
    "ciphertext": CIPHERTEXT,
    "salt": SALT,
    "commitment": COMMITMENT,
    "slot_mask": SLOT_MASK,
    "key_check": KEY_CHECK,
    "check": CHECK,
    "idempotency": IDEMPOTENCY,
    "name": "memledger name v1",
    "state": "memledger state v1",
    "view_row": "memledger view row v1",
    "file_bytes": "memledger file bytes v1",
    "key_rotation": KEY_ROTATION,
    "backup_file": "memledger backup file v1",
}

_prepared: dict[str, dict[bytes, bytes]] = {}


def prepare(context: str, inputs: Iterable[bytes]) -> None:
    """Computes the derivations of all inputs at once and keeps them."""
    known = _prepared.setdefault(context, {})
    missing = [data for data in dict.fromkeys(inputs) if data not in known]
    known.update(zip(missing, blake3.derive_many(context, missing)))


def forget(*contexts: str) -> None:
    """Drops what `prepare` kept under these contexts."""
    for context in contexts:
        _prepared.pop(context, None)


def _derive(context: str, data: bytes) -> bytes:
    known = _prepared.get(context)
    if known is not None:
        found = known.get(data)
        if found is not None:
            return found
    return blake3.derive(context, data)


def u64(number: int) -> bytes:
    return struct.pack("<Q", number)


def record_hash(ledger: bytes, record: bytes) -> bytes:
    return _derive(RECORD, ledger + record)


def batch_hash(header: bytes, lengths: bytes, last: bytes, root: bytes) -> bytes:
    return _derive(BATCH, header + lengths + last + root)


def ciphertext_digest(stored: bytes) -> bytes:
    return _derive(CIPHERTEXT, stored)


def check(covered: bytes) -> bytes:
    return _derive(CHECK, covered)[:16]


def salt(payload_key: bytes) -> bytes:
    return _derive(SALT, payload_key)


def commitment(salt_bytes: bytes, role: int, plaintext: bytes) -> bytes:
    return blake3.keyed(salt_bytes, _committed(role, plaintext))


def commitments(openings: Sequence[tuple[bytes, int, bytes]]) -> list[bytes]:
    """`commitment` of each salt, role and plaintext."""
    texts = [_committed(role, plaintext) for _, role, plaintext in openings]
    return blake3.keyed_many([salt_bytes for salt_bytes, _, _ in openings], texts)


def _committed(role: int, plaintext: bytes) -> bytes:
    return COMMITMENT.encode() + bytes([role]) + u64(len(plaintext)) + plaintext


def slot_mask(master: bytes, ledger: bytes, slot: int) -> bytes:
    return slot_masks(master, ledger, [slot])[0]


def slot_masks(master: bytes, ledger: bytes, slots: Sequence[int]) -> list[bytes]:
    """The masks of many slots."""
    return blake3.keyed_many([master] * len(slots), [SLOT_MASK.encode() + ledger + u64(slot) for slot in slots])


def key_check(master: bytes, ledger: bytes) -> bytes:
    return blake3.keyed(master, KEY_CHECK.encode() + ledger)[:16]


def idempotency(pepper: bytes, part: int, data: bytes) -> bytes:
    return blake3.keyed(pepper, IDEMPOTENCY.encode() + bytes([part]) + data)[:16]


def key_rotation_message(ledger: bytes, seq: int, algorithm: int, key: bytes) -> bytes:
    """What the signatures of a `key_rotated` record cover (section 14.3)."""
    return KEY_ROTATION.encode() + ledger + u64(seq) + struct.pack("<H", algorithm) + u64(len(key)) + key
