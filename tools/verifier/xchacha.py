"""XChaCha20-Poly1305 after draft-irtf-cfrg-xchacha-03 and RFC 8439.

The state words are integers of 64-bit lanes, one lane a block, as in `blake3.py`: a long payload is one computation.
"""

import hmac
import struct
from functools import cache

KEY = 32
NONCE = 24
TAG = 16

_CONSTANTS = struct.unpack("<4I", b"expand 32-byte k")
_MAX_LANES = 512
_PRIME = (1 << 130) - 5
_CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF


@cache
def _ones(lanes: int) -> int:
    return int.from_bytes(b"\1\0\0\0\0\0\0\0" * lanes, "little")


def _quarter(a: int, b: int, c: int, d: int, mask: int) -> tuple[int, int, int, int]:
    """The quarter round of RFC 8439 section 2.1."""
    a = (a + b) & mask
    d ^= a
    d = (d << 16 | d >> 16) & mask
    c = (c + d) & mask
    b ^= c
    b = (b << 12 | b >> 20) & mask
    a = (a + b) & mask
    d ^= a
    d = (d << 8 | d >> 24) & mask
    c = (c + d) & mask
    b ^= c
    b = (b << 7 | b >> 25) & mask
    return a, b, c, d


def _rounds(state: list[int], mask: int) -> list[int]:
    """Twenty rounds, without the final addition."""
    x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15 = state
    for _ in range(10):
        x0, x4, x8, x12 = _quarter(x0, x4, x8, x12, mask)
        x1, x5, x9, x13 = _quarter(x1, x5, x9, x13, mask)
        x2, x6, x10, x14 = _quarter(x2, x6, x10, x14, mask)
        x3, x7, x11, x15 = _quarter(x3, x7, x11, x15, mask)
        x0, x5, x10, x15 = _quarter(x0, x5, x10, x15, mask)
        x1, x6, x11, x12 = _quarter(x1, x6, x11, x12, mask)
        x2, x7, x8, x13 = _quarter(x2, x7, x8, x13, mask)
        x3, x4, x9, x14 = _quarter(x3, x4, x9, x14, mask)
    return [x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15]


def hchacha20(key: bytes, nonce: bytes) -> bytes:
    """The sub-key for the first 16 bytes of a nonce."""
    state = [*_CONSTANTS, *struct.unpack("<8I", key), *struct.unpack("<4I", nonce)]
    out = _rounds(state, 0xFFFFFFFF)
    return struct.pack("<8I", *out[:4], *out[12:])


def chacha20_stream(key: bytes, nonce: bytes, counter: int, length: int) -> bytes:
    """Key stream of ChaCha20 with a 12-byte nonce from a block counter on."""
    key_words = struct.unpack("<8I", key)
    nonce_words = struct.unpack("<3I", nonce)
    out = bytearray()
    while len(out) < length:
        lanes = min(_MAX_LANES, -(-(length - len(out)) // 64))
        ones = _ones(lanes)
        mask = ones * 0xFFFFFFFF
        counters = int.from_bytes(struct.pack(f"<{lanes}Q", *range(counter, counter + lanes)), "little")
        state = [word * ones for word in (*_CONSTANTS, *key_words)] + [counters] + [word * ones for word in nonce_words]
        mixed = _rounds(state, mask)
        columns = [
            struct.unpack(f"<{lanes}Q", ((a + b) & mask).to_bytes(8 * lanes, "little")) for a, b in zip(mixed, state)
        ]
        for words in zip(*columns):
            out += struct.pack("<16I", *words)
        counter += lanes
    return bytes(out[:length])


def poly1305(key: bytes, message: bytes) -> bytes:
    """The one-time authenticator of RFC 8439 section 2.5."""
    r = int.from_bytes(key[:16], "little") & _CLAMP
    s = int.from_bytes(key[16:32], "little")
    total = 0
    for at in range(0, len(message), 16):
        total = (total + int.from_bytes(message[at : at + 16] + b"\1", "little")) * r % _PRIME
    return ((total + s) & ((1 << 128) - 1)).to_bytes(16, "little")


def _xor(data: bytes, stream: bytes) -> bytes:
    size = len(data)
    return (int.from_bytes(data, "little") ^ int.from_bytes(stream, "little")).to_bytes(size, "little")


def _tag(stream_key: bytes, ciphertext: bytes, associated: bytes) -> bytes:
    """The tag of RFC 8439 section 2.8."""
    message = b"".join(
        (
            associated,
            bytes(-len(associated) % 16),
            ciphertext,
            bytes(-len(ciphertext) % 16),
            struct.pack("<QQ", len(associated), len(ciphertext)),
        )
    )
    return poly1305(stream_key, message)


def seal(key: bytes, nonce: bytes, plaintext: bytes, associated: bytes) -> bytes:
    """Ciphertext and tag."""
    sub_key, sub_nonce = hchacha20(key, nonce[:16]), bytes(4) + nonce[16:]
    stream = chacha20_stream(sub_key, sub_nonce, 0, 64 + len(plaintext))
    ciphertext = _xor(plaintext, stream[64:])
    return ciphertext + _tag(stream[:32], ciphertext, associated)


def open_sealed(key: bytes, nonce: bytes, sealed: bytes, associated: bytes) -> bytes | None:
    """The plaintext, or None when the tag does not fit."""
    if len(sealed) < TAG:
        return None
    ciphertext, tag = sealed[:-TAG], sealed[-TAG:]
    sub_key, sub_nonce = hchacha20(key, nonce[:16]), bytes(4) + nonce[16:]
    stream = chacha20_stream(sub_key, sub_nonce, 0, 64 + len(ciphertext))
    if not hmac.compare_digest(_tag(stream[:32], ciphertext, associated), tag):
        return None
    return _xor(ciphertext, stream[64:])
