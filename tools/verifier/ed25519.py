"""Ed25519 signature verification after RFC 8032 section 5.1.7. It only verifies; it never sees a private key."""

import hashlib

PUBLIC_KEY = 32
SIGNATURE = 64

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_SQRT_MINUS_ONE = pow(2, (_P - 1) // 4, _P)

Point = tuple[int, int, int, int]
_NEUTRAL: Point = (0, 1, 1, 0)


def _add(a: Point, b: Point) -> Point:
    """Addition in extended coordinates; it doubles as well."""
    x1, y1, z1, t1 = a
    x2, y2, z2, t2 = b
    e = (y1 - x1) * (y2 - x2) % _P
    f = (y1 + x1) * (y2 + x2) % _P
    g = 2 * t1 * t2 * _D % _P
    h = 2 * z1 * z2 % _P
    p, q, r, s = f - e, h - g, h + g, f + e
    return p * q % _P, r * s % _P, q * r % _P, p * s % _P


def _multiply(scalar: int, point: Point) -> Point:
    out = _NEUTRAL
    while scalar:
        if scalar & 1:
            out = _add(out, point)
        point = _add(point, point)
        scalar >>= 1
    return out


def _decompress(data: bytes) -> Point | None:
    """The point of 32 bytes, or None where they are no canonical encoding of one."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _SQRT_MINUS_ONE % _P
    if (x * x - square) % _P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _equal(a: Point, b: Point) -> bool:
    return (a[0] * b[2] - b[0] * a[2]) % _P == 0 and (a[1] * b[2] - b[1] * a[2]) % _P == 0


_BASE = _decompress((4 * pow(5, -1, _P) % _P).to_bytes(32, "little")) or _NEUTRAL


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the signature is one of the message under the key."""
    if len(public_key) != PUBLIC_KEY or len(signature) != SIGNATURE:
        return False
    key, commitment = _decompress(public_key), _decompress(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or scalar >= _L:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % _L
    return _equal(_multiply(scalar, _BASE), _add(commitment, _multiply(challenge, key)))
