"""Sealed payloads: padding, frame, seal and commitment (SPEC.md section 8)."""

import struct
import zlib
from typing import NamedTuple

import hashes
import xchacha
from errors import FormatError
from layout import LIMITS, Fields

STORED, DEFLATED = 1, 2
_FRAME = struct.Struct("<BII")
FRAME_HEADER = 9


def padded(length: int) -> int:
    """The length of a frame after padding."""
    if length <= 1024:
        return max(64, -(-length // 64) * 64)
    exponent = length.bit_length() - 1
    step = 1 << exponent - exponent.bit_length()
    return -(-length // step) * step


def associated_data(ledger: bytes, reference: Fields) -> bytes:
    return ledger + hashes.u64(reference["id"]) + bytes([reference["role"]])


def inflate(content: bytes, plain_length: int) -> bytes:
    """One complete raw DEFLATE stream that ends with the content and yields exactly so many bytes."""
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        plain = stream.decompress(content, plain_length + 1)
    except zlib.error as error:
        raise FormatError("bad_value", f"the stream is damaged: {error}") from None
    if len(plain) != plain_length:
        raise FormatError("bad_value", "the stream does not yield the length that the frame names")
    if not stream.eof or stream.unused_data or stream.unconsumed_tail:
        raise FormatError("bad_value", "the stream does not end with the content")
    return plain


def decode_frame(frame: bytes) -> bytes:
    """The plaintext in a frame."""
    if len(frame) < FRAME_HEADER:
        raise FormatError("truncated", f"a frame of {len(frame)} bytes")
    method, plain_length, content_length = _FRAME.unpack_from(frame)
    if method not in (STORED, DEFLATED):
        raise FormatError("unknown_number", f"method {method}")
    if plain_length > LIMITS["payload_bytes"]:
        raise FormatError("too_large", f"a plaintext of {plain_length} bytes")
    end = FRAME_HEADER + content_length
    if end > len(frame):
        raise FormatError("truncated", "the content goes beyond the frame")
    if len(frame) != padded(end):
        raise FormatError("not_canonical", f"a frame of {len(frame)} bytes for a content of {content_length}")
    if frame[end:].strip(b"\0"):
        raise FormatError("reserved_not_zero", "padding that is not zero")
    content = frame[FRAME_HEADER:end]
    if method == STORED:
        if content_length != plain_length:
            raise FormatError("bad_value", "the content has another length than the plaintext")
        return content
    if content_length >= plain_length:
        raise FormatError("not_canonical", "the stream is not shorter than the plaintext")
    return inflate(content, plain_length)


def encode_frame(method: int, plain_length: int, content: bytes) -> bytes:
    """A frame with its padding."""
    frame = _FRAME.pack(method, plain_length, len(content)) + content
    return frame.ljust(padded(len(frame)), b"\0")


class Opened(NamedTuple):
    plaintext: bytes
    frame: bytes
    salt: bytes


def unseal(ledger: bytes, reference: Fields, key: bytes, stored: bytes) -> tuple[bytes, bytes]:
    """Frame and plaintext, after all checks of section 8.5 but the last, the commitment."""
    if len(stored) != reference["length"]:
        raise FormatError("check_mismatch", f"{len(stored)} stored bytes instead of {reference['length']}")
    if hashes.ciphertext_digest(stored) != reference["digest"]:
        raise FormatError("check_mismatch", "the digest of the stored bytes is another")
    if len(stored) < xchacha.NONCE:
        raise FormatError("truncated", "no nonce")
    nonce, sealed = stored[: xchacha.NONCE], stored[xchacha.NONCE :]
    frame = xchacha.open_sealed(key, nonce, sealed, associated_data(ledger, reference))
    if frame is None:
        raise FormatError("not_opened", "the seal does not open under this key")
    return frame, decode_frame(frame)


def open_payload(ledger: bytes, reference: Fields, key: bytes, stored: bytes) -> Opened:
    """Opens a payload with all checks of section 8.5, in their order."""
    frame, plaintext = unseal(ledger, reference, key, stored)
    salt = hashes.salt(key)
    if hashes.commitment(salt, reference["role"], plaintext) != reference["commitment"]:
        raise FormatError("check_mismatch", "the commitment is one to another plaintext")
    return Opened(plaintext, frame, salt)
