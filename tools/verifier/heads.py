"""Heads from elsewhere: remembered sizes, checkpoint notes, and what the log itself signs (section 14)."""

import base64
import binascii
import hashlib
from typing import NamedTuple

import chain as chains
import ed25519
import hashes
from errors import FormatError

ED25519, ML_DSA_44 = 1, 2
ALGORITHMS = {ED25519: ("ed25519", 32, 64), ML_DSA_44: ("ml_dsa_44", 1312, 2420)}
LONGEST_NOTE = 1 << 16


class Remembered(NamedTuple):
    """A head that somebody kept: so many records, and the root over them or the hash of the last of them."""

    size: int
    value: bytes

    def text(self) -> str:
        return f"{self.size}:{self.value.hex()}"


class Note(NamedTuple):
    """A signed checkpoint."""

    origin: str
    size: int
    root: bytes
    text: bytes
    signatures: list[tuple[str, bytes]]


def parse_remembered(text: str) -> Remembered:
    """`SIZE:HASH` with the hash as 64 hex digits or in standard base64."""
    size, colon, value = text.partition(":")
    if not colon or not size.isascii() or not size.isdigit():
        raise ValueError(f"{text!r} is not SIZE:HASH")
    if len(value) == 64:
        found = bytes.fromhex(value)
    else:
        found = base64.b64decode(value, validate=True)
    if len(found) != 32 or int(size) == 0 or int(size) >= 1 << 64:
        raise ValueError(f"{text!r} is not SIZE:HASH with a size from 1 on and a hash of 32 bytes")
    return Remembered(int(size), found)


def checkpoint_text(origin: str, size: int, root: bytes) -> bytes:
    """The text that a checkpoint signature covers."""
    return f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n".encode()


def parse_note(data: bytes) -> Note:
    """A C2SP signed note over a checkpoint of exactly three lines."""
    try:
        text = data.decode("utf-8")
        body, _, signed = text.rpartition("\n\n")
        origin, size, root = body.split("\n")
        signatures = []
        for line in signed.splitlines():
            dash, name, value = line.split(" ")
            if dash != "\u2014":
                raise ValueError("a signature line does not begin with an em dash")
            signatures.append((name, base64.b64decode(value, validate=True)))
        found = Note(origin, int(size), base64.b64decode(root, validate=True), body.encode() + b"\n", signatures)
    except (ValueError, binascii.Error) as error:
        raise FormatError("bad_value", f"no signed checkpoint: {error}") from None
    if found.text != checkpoint_text(found.origin, found.size, found.root) or len(found.root) != 32 or not signatures:
        raise FormatError("bad_value", "no signed checkpoint of three lines")
    return found


def check_signature(algorithm: int, key: bytes, message: bytes, signature: bytes) -> bool | None:
    """Whether a signature verifies; None where the algorithm is not one that is checked here."""
    return ed25519.verify(key, message, signature) if algorithm == ED25519 else None


def note_signature(note: Note, keys: list[tuple[int, int, bytes]]) -> bool | None:
    """Whether the note carries a signature under a key of the log; None where it has none that can be checked."""
    result: bool | None = None
    for name, blob in note.signatures:
        for _, algorithm, key in keys:
            key_id = hashlib.sha256(name.encode() + b"\n\x01" + key).digest()[:4]
            if algorithm == ED25519 and name == note.origin and blob[:4] == key_id:
                result = ed25519.verify(key, note.text, blob[4:])
                if result:
                    return True
    return result


def rotation_signatures(ledger: bytes, rotation: chains.Rotation) -> list[tuple[str, bool | None]]:
    """The results of the signatures of a `key_rotated` record, by name."""
    new, old, body = rotation.body["new"], rotation.body["old"], rotation.body
    message = hashes.key_rotation_message(ledger, rotation.seq, new["algorithm"], new["bytes"])
    out = [("the new signature", check_signature(new["algorithm"], new["bytes"], message, body["new_signature"]))]
    if old is not None:
        out.append(
            ("the old signature", check_signature(old["algorithm"], old["bytes"], message, body["old_signature"]))
        )
    in_force = None if old is None else (old["algorithm"], old["bytes"])
    if in_force != rotation.before:
        out.append(("the key that was in force before", False))
    return out
