"""BLAKE3: hash, keyed hash, key derivation and extendable output, written from its public specification.

One compression function serves one input and many. Every word of the state is a Python integer that holds N *lanes* of
64 bits, lane k in the bits 64·k to 64·k + 31; the upper half of each lane is room for carries and shifts and is masked
away. With N = 1 this is ordinary 32-bit arithmetic; with a few hundred lanes one addition of large integers adds in all
of them, which is what makes an interpreter fast enough to check a whole ledger.
"""

import sys
from array import array
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

BLOCK = 64
CHUNK = 1024
OUT = 32

_CHUNK_START = 1
_CHUNK_END = 2
_PARENT = 4
_ROOT = 8
_KEYED_HASH = 16
_DERIVE_KEY_CONTEXT = 32
_DERIVE_KEY_MATERIAL = 64

_IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
_PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
_ROUNDS = 7
_MAX_LANES = 512
_BIG_ENDIAN = sys.byteorder == "big"

Words = Sequence[int]
Keys = Words | list[Words]


def _schedule() -> tuple[tuple[int, ...], ...]:
    """The order in which each round takes the message words."""
    order = tuple(range(16))
    rounds = []
    for _ in range(_ROUNDS):
        rounds.append(order)
        order = tuple(order[i] for i in _PERMUTATION)
    return tuple(rounds)


_SCHEDULE = _schedule()


@cache
def _ones(lanes: int) -> int:
    """The number with a one in each lane: multiplying by it copies a word into every lane."""
    return int.from_bytes(b"\1\0\0\0\0\0\0\0" * lanes, "little")


def _pack(words: "array[int]") -> int:
    """Puts word k into lane k."""
    wide = array("Q", words)
    if _BIG_ENDIAN:
        wide.byteswap()
    return int.from_bytes(wide.tobytes(), "little")


def _unpack(value: int, lanes: int) -> "array[int]":
    """The words in the lanes of a value."""
    wide = array("Q", value.to_bytes(8 * lanes, "little"))
    if _BIG_ENDIAN:
        wide.byteswap()
    return wide


def _words(data: bytes) -> "array[int]":
    """The little-endian 32-bit words of bytes whose number is a multiple of four."""
    words = array("I", data)
    if _BIG_ENDIAN:
        words.byteswap()
    return words


def _mix(a: int, b: int, c: int, d: int, x: int, y: int, mask: int) -> tuple[int, int, int, int]:
    """The quarter round."""
    a = (a + b + x) & mask
    d ^= a
    d = (d >> 16 | d << 16) & mask
    c = (c + d) & mask
    b ^= c
    b = (b >> 12 | b << 20) & mask
    a = (a + b + y) & mask
    d ^= a
    d = (d >> 8 | d << 24) & mask
    c = (c + d) & mask
    b ^= c
    b = (b >> 7 | b << 25) & mask
    return a, b, c, d


def _compress(
    chain: Words, block: Words, low: int, high: int, length: int, flags: int, lanes: int, full: bool = False
) -> list[int]:
    """The compression function over all lanes: 8 words, or all 16 when `full`."""
    ones = _ones(lanes)
    mask = ones * 0xFFFFFFFF
    v0, v1, v2, v3, v4, v5, v6, v7 = chain
    v8, v9, v10, v11 = (word * ones for word in _IV[:4])
    v12, v13, v14, v15 = low, high, length, flags
    for order in _SCHEDULE:
        m = [block[i] for i in order]
        v0, v4, v8, v12 = _mix(v0, v4, v8, v12, m[0], m[1], mask)
        v1, v5, v9, v13 = _mix(v1, v5, v9, v13, m[2], m[3], mask)
        v2, v6, v10, v14 = _mix(v2, v6, v10, v14, m[4], m[5], mask)
        v3, v7, v11, v15 = _mix(v3, v7, v11, v15, m[6], m[7], mask)
        v0, v5, v10, v15 = _mix(v0, v5, v10, v15, m[8], m[9], mask)
        v1, v6, v11, v12 = _mix(v1, v6, v11, v12, m[10], m[11], mask)
        v2, v7, v8, v13 = _mix(v2, v7, v8, v13, m[12], m[13], mask)
        v3, v4, v9, v14 = _mix(v3, v4, v9, v14, m[14], m[15], mask)
    lower = (v0, v1, v2, v3, v4, v5, v6, v7)
    upper = (v8, v9, v10, v11, v12, v13, v14, v15)
    out = [a ^ b for a, b in zip(lower, upper)]
    if full:
        out.extend(a ^ b for a, b in zip(upper, chain))
    return out


class _Root(NamedTuple):
    """The last node of an input, not yet compressed: what extendable output is made from."""

    chain: bytes
    block: bytes
    length: int
    flags: int


class _Piece(NamedTuple):
    """One chunk to compress, without the blocks that its root node keeps for itself."""

    owner: int
    number: int
    data: bytes
    steps: int


def _blocks(data: bytes) -> int:
    """Number of blocks of a chunk; nothing is one empty block."""
    return max(1, -(-len(data) // BLOCK))


def _transposed(blocks: Iterable[bytes]) -> list[int]:
    """Blocks of 64 bytes, one a lane, as 16 words over all lanes."""
    words = _words(b"".join(blocks))
    return [_pack(words[i::16]) for i in range(16)]


def _values(state: Words, lanes: int) -> list[bytes]:
    """The 32-byte values in the lanes of 8 words."""
    words = array("I", bytes(OUT * lanes))
    for i in range(8):
        words[i::8] = array("I", _unpack(state[i], lanes))
    if _BIG_ENDIAN:
        words.byteswap()
    data = words.tobytes()
    return [data[at : at + OUT] for at in range(0, len(data), OUT)]


def _initial(keys: Keys, owners: Sequence[int]) -> list[int]:
    """The key words over all lanes, where lane k belongs to input `owners[k]`."""
    if isinstance(keys, list):
        return [_pack(array("I", [keys[owner][i] for owner in owners])) for i in range(8)]
    ones = _ones(len(owners))
    return [word * ones for word in keys]


def _chunk_values(pieces: list[_Piece], keys: Keys, base: int) -> list[bytes]:
    """The chaining value of each piece after its steps. Pieces come with falling steps, `_MAX_LANES` at most."""
    values = [b""] * len(pieces)
    active = len(pieces)
    state = _initial(keys, [piece.owner for piece in pieces])
    low = _pack(array("I", [piece.number & 0xFFFFFFFF for piece in pieces]))
    high = _pack(array("I", [piece.number >> 32 for piece in pieces]))
    step = 0
    while active:
        keep = active
        while keep and pieces[keep - 1].steps == step:
            keep -= 1
        if keep < active:
            values[keep:active] = _values([word >> 64 * keep for word in state], active - keep)
            active = keep
            cut = (1 << 64 * active) - 1
            state = [word & cut for word in state]
            low &= cut
            high &= cut
            if not active:
                break
        at = step * BLOCK
        start = _CHUNK_START if step == 0 else 0
        lengths = array("I")
        flags = array("I")
        blocks = []
        for piece in pieces[:active]:
            block = piece.data[at : at + BLOCK]
            lengths.append(len(block))
            flags.append(base | start | (_CHUNK_END if at + BLOCK >= len(piece.data) else 0))
            blocks.append(block if len(block) == BLOCK else block.ljust(BLOCK, b"\0"))
        state = _compress(state, _transposed(blocks), low, high, _pack(lengths), _pack(flags), active)
        step += 1
    return values


def _key_bytes(key: Words) -> bytes:
    """Eight words as bytes."""
    return b"".join(word.to_bytes(4, "little") for word in key)


def _roots(inputs: Sequence[bytes], keys: Keys, base: int) -> list[_Root]:
    """The root node of each input."""
    pieces = []
    for owner, data in enumerate(inputs):
        if len(data) <= CHUNK:
            pieces.append(_Piece(owner, 0, data, _blocks(data) - 1))
            continue
        for index, at in enumerate(range(0, len(data), CHUNK)):
            chunk = data[at : at + CHUNK]
            pieces.append(_Piece(owner, index, chunk, _blocks(chunk)))
    order = sorted(range(len(pieces)), key=lambda i: -pieces[i].steps)
    values = [b""] * len(pieces)
    for first in range(0, len(order), _MAX_LANES):
        group = order[first : first + _MAX_LANES]
        for i, value in zip(group, _chunk_values([pieces[i] for i in group], keys, base)):
            values[i] = value
    trees: list[list[bytes]] = [[] for _ in inputs]
    for piece, value in zip(pieces, values):
        trees[piece.owner].append(value)
    _grow(trees, keys, base)
    roots = []
    for owner, (data, tree) in enumerate(zip(inputs, trees)):
        if len(tree) == 1:
            last = data[(_blocks(data) - 1) * BLOCK :]
            flags = base | _CHUNK_END | (_CHUNK_START if len(data) <= BLOCK else 0)
            roots.append(_Root(tree[0], last.ljust(BLOCK, b"\0"), len(last), flags))
        else:
            key = _key_bytes(keys[owner] if isinstance(keys, list) else keys)
            roots.append(_Root(key, tree[0] + tree[1], BLOCK, base | _PARENT))
    return roots


def _grow(trees: list[list[bytes]], keys: Keys, base: int) -> None:
    """Joins the nodes of each tree level by level, an odd last one rising as it is, until two are left."""
    while True:
        growing = [(owner, tree) for owner, tree in enumerate(trees) if len(tree) > 2]
        if not growing:
            return
        pairs = [(owner, tree[i] + tree[i + 1]) for owner, tree in growing for i in range(0, len(tree) - 1, 2)]
        joined: list[bytes] = []
        for first in range(0, len(pairs), _MAX_LANES):
            group = pairs[first : first + _MAX_LANES]
            ones = _ones(len(group))
            state = _initial(keys, [owner for owner, _ in group])
            blocks = _transposed(block for _, block in group)
            state = _compress(state, blocks, 0, 0, BLOCK * ones, (base | _PARENT) * ones, len(group))
            joined.extend(_values(state, len(group)))
        at = 0
        for _, tree in growing:
            half = len(tree) // 2
            tree[:] = joined[at : at + half] + tree[2 * half :]
            at += half


def _many(inputs: Sequence[bytes], keys: Keys, base: int) -> list[bytes]:
    """The 32-byte output for each input."""
    out: list[bytes] = []
    roots = _roots(inputs, keys, base)
    for first in range(0, len(roots), _MAX_LANES):
        group = roots[first : first + _MAX_LANES]
        lanes = len(group)
        chain = _words(b"".join(root.chain for root in group))
        state = _compress(
            [_pack(chain[i::8]) for i in range(8)],
            _transposed(root.block for root in group),
            0,
            0,
            _pack(array("I", [root.length for root in group])),
            _pack(array("I", [root.flags | _ROOT for root in group])),
            lanes,
        )
        out.extend(_values(state, lanes))
    return out


def _one(data: bytes, key: Words, base: int, length: int) -> bytes:
    """Output of any length for one input."""
    root = _roots([data], key, base)[0]
    chain, block = _words(root.chain), _words(root.block)
    out = bytearray()
    counter = 0
    while len(out) < length:
        words = _compress(
            chain,
            block,
            counter & 0xFFFFFFFF,
            counter >> 32,
            root.length,
            root.flags | _ROOT,
            1,
            length - len(out) > OUT,
        )
        out += _key_bytes(words)
        counter += 1
    return bytes(out[:length])


def _keyed_words(key: bytes) -> Words:
    if len(key) != 32:
        raise ValueError("a key has 32 bytes")
    return tuple(_words(key))


@lru_cache(maxsize=64)
def _context_words(context: str) -> Words:
    return tuple(_words(_one(context.encode(), _IV, _DERIVE_KEY_CONTEXT, OUT)))


def hash(data: bytes, length: int = OUT) -> bytes:  # noqa: A001  (the name of the specification)
    """The plain hash."""
    return _one(data, _IV, 0, length)


def keyed(key: bytes, data: bytes, length: int = OUT) -> bytes:
    """The keyed hash."""
    return _one(data, _keyed_words(key), _KEYED_HASH, length)


def derive(context: str, material: bytes, length: int = OUT) -> bytes:
    """Key derivation: a hash that is separated by its context."""
    return _one(material, _context_words(context), _DERIVE_KEY_MATERIAL, length)


def hash_many(inputs: Sequence[bytes]) -> list[bytes]:
    """`hash` of each input."""
    return _many(inputs, _IV, 0)


def keyed_many(keys: Sequence[bytes], inputs: Sequence[bytes]) -> list[bytes]:
    """`keyed` of each input under its own key."""
    return _many(inputs, [_keyed_words(key) for key in keys], _KEYED_HASH)


def derive_many(context: str, materials: Sequence[bytes]) -> list[bytes]:
    """`derive` of each material."""
    return _many(materials, _context_words(context), _DERIVE_KEY_MATERIAL)
