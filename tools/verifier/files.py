"""Headers and pages of the files of a ledger, and whole batches (SPEC.md sections 9 to 13 and 15)."""

import re
import struct
import tomllib
from typing import Any, NamedTuple

import hashes
import records
from errors import FormatError
from layout import LIMITS, U64_MAX, ZERO32, Fields, Layout, only, table
from merkle import Frontier, leaf_hash

BATCH_HEADER, TRAILER = 160, 64
SEGMENT_HEADER = 4096
PAYLOAD_FILE_HEADER = 64
ANCHOR = 512
PAGE = 4096
SLOT = 32
BATCH_MAGIC = b"MLBATCH1"


def _range(low: int, high: int, low_word: str, high_word: str, name: str) -> Any:
    def rule(value: int) -> None:
        if value < low:
            raise FormatError(low_word, f"{name} is {value}")
        if value > high:
            raise FormatError(high_word, f"{name} is {value}")

    return rule


BATCH = Layout(
    "a batch header",
    BATCH_HEADER,
    table(
        """
        0 8 magic magic
        8 2 major u16
        10 2 min_reader u16
        12 1 suite u8
        13 1 flags zero
        14 2 header_length u16
        16 8 batch u64
        24 8 first u64
        32 4 count u32
        36 4 frames_length u32
        40 8 epoch u64
        48 32 previous hash
        80 8 next_payload u64
        88 4 payload_file u32
        92 4 reserved zero
        96 8 payload_offset u64
        104 8 payload_length u64
        112 8 last_erasure u64
        120 24 reserved zero
        144 16 check check
        """
    ),
    magic=BATCH_MAGIC,
    covered=((0, 144),),
    rules={
        "major": only(1, "unsupported_version", "the major version"),
        "min_reader": only(1, "unsupported_version", "min_reader"),
        "suite": only(1, "unknown_number", "the suite"),
        "header_length": only(BATCH_HEADER, "bad_value", "the header length"),
        "count": _range(1, LIMITS["batch_records"], "bad_value", "too_large", "the number of records"),
    },
)

TRAILER_ROWS = table("0 32 root root\n32 32 hash hash")

SEGMENT = Layout(
    "a segment header",
    SEGMENT_HEADER,
    table(
        """
        0 8 magic magic
        8 2 version u16
        10 6 reserved zero
        16 16 ledger ledger
        32 8 segment u64
        40 8 first_batch u64
        48 8 first_seq u64
        56 8 epoch u64
        64 32 previous_record hash
        96 32 previous_batch hash
        128 8 previous_length u64
        136 3944 frontier raw
        4080 16 check check
        """
    ),
    magic=b"MLSEGMT1",
    covered=((0, 4080),),
    rules={"version": only(1, "unsupported_version", "the version")},
)

PAYLOAD_FILE = Layout(
    "a payload file header",
    PAYLOAD_FILE_HEADER,
    table(
        """
        0 8 magic magic
        8 2 version u16
        10 2 reserved zero
        12 4 file u32
        16 16 ledger ledger
        32 16 reserved zero
        48 16 check check
        """
    ),
    magic=b"MLPAYLD1",
    covered=((0, 48),),
    rules={"version": only(1, "unsupported_version", "the version")},
)


def _clean(value: int) -> None:
    if value > 1:
        raise FormatError("reserved_not_zero", f"clean is {value}")


ANCHOR_LAYOUT = Layout(
    "an anchor",
    ANCHOR,
    table(
        """
        0 8 magic magic
        8 2 version u16
        10 1 clean u8
        11 5 reserved zero
        16 16 ledger ledger
        32 8 counter u64
        40 8 epoch u64
        48 8 batch u64
        56 32 batch_hash hash
        88 8 seq u64
        96 32 record_hash hash
        128 8 recorded_at i64
        136 32 root root
        168 8 segment u64
        176 8 segment_end u64
        184 4 payload_file u32
        188 4 reserved zero
        192 8 payload_end u64
        200 8 next_payload u64
        208 8 last_erasure u64
        216 280 reserved zero not_canonical
        496 16 check check
        """
    ),
    magic=b"MLANCHR1",
    covered=((0, 496),),
    rules={"version": only(1, "unsupported_version", "the version"), "clean": _clean},
)

KEY_FILE = Layout(
    "a key file header",
    PAGE,
    table(
        """
        0 8 magic magic
        8 16 ledger ledger
        24 8 generation u64
        32 16 key_check digest
        48 8 erasures_through u64
        56 4024 reserved zero
        4080 16 check check
        """
    ),
    magic=b"MLKEYHD1",
    covered=((0, 4080),),
)

KEY_PAGE = Layout(
    "a key page",
    PAGE,
    table(
        """
        0 8 magic magic
        8 16 ledger ledger
        24 8 page u64
        32 8 generation u64
        40 8 master raw
        48 16 check check
        64 4032 slots raw
        """
    ),
    magic=b"MLKEYPG1",
    covered=((0, 48), (64, 4096)),
    rules={"page": _range(0, U64_MAX // LIMITS["page_slots"], "bad_value", "bad_value", "the page")},
)


def decode_batch_header(data: bytes) -> Fields:
    """A batch header of 160 bytes with all rules of section 10."""
    header = BATCH.decode(data)
    first, count, batch = header["first"], header["count"], header["batch"]
    payload_end = header["payload_offset"] + header["payload_length"]
    if BATCH_HEADER + header["frames_length"] + TRAILER + header["payload_length"] > LIMITS["batch_bytes"]:
        raise FormatError("too_large", "a batch over the limit")
    if first + count > U64_MAX:
        raise FormatError("bad_value", "records beyond the last seq")
    if len({batch == 0, first == 0, header["previous"] == ZERO32}) > 1:
        raise FormatError("bad_value", "batch, first and previous are not zero together")
    if first < batch:
        raise FormatError("bad_value", "more batches than records")
    if header["payload_length"] and header["payload_offset"] < PAYLOAD_FILE_HEADER:
        raise FormatError("bad_value", "a payload range in the header of its file")
    if payload_end > LIMITS["payload_file_bytes"]:
        raise FormatError("too_large", "a payload range beyond the longest file")
    return header


def batch_length(header: Fields) -> int:
    """The bytes of a batch in its segment."""
    return BATCH_HEADER + int(header["frames_length"]) + TRAILER


class Frames(NamedTuple):
    """A batch taken apart: its records, where each begins in the batch, its lengths as stored, and the trailer."""

    raw: list[bytes]
    offsets: list[int]
    lengths: bytes
    root: bytes
    hash: bytes


def split_frames(header: Fields, data: bytes) -> Frames:
    """The records of a batch of which `data` is the whole."""
    end = BATCH_HEADER + header["frames_length"]
    if len(data) < end + TRAILER:
        raise FormatError("truncated", f"a batch has {len(data)} of {end + TRAILER} bytes")
    if len(data) > end + TRAILER:
        raise FormatError("trailing", f"{len(data) - end - TRAILER} bytes after a batch")
    raw, offsets, lengths = [], [], []
    at = BATCH_HEADER
    for _ in range(header["count"]):
        if at + 2 > end:
            raise FormatError("truncated", "fewer frames than records")
        stored = data[at : at + 2]
        at += 2
        length = stored[0] | stored[1] << 8
        if at + length > end:
            raise FormatError("truncated", "a frame goes beyond the frames")
        if length < records.HEADER:
            raise FormatError("truncated", f"a frame of {length} bytes")
        lengths.append(stored)
        raw.append(data[at : at + length])
        offsets.append(at)
        at += length
    if at < end:
        raise FormatError("trailing", f"{end - at} bytes after the last frame")
    return Frames(raw, offsets, b"".join(lengths), data[end : end + 32], data[end + 32 : end + 64])


class BatchFault(FormatError):
    """A fault of one record of a batch."""

    def __init__(self, word: str, detail: str, seq: int | None, offset: int) -> None:
        super().__init__(word, detail)
        self.seq = seq
        self.offset = offset


class Batch(NamedTuple):
    """A batch whose records decode, link, and have the root and the batch hash that are stored."""

    header: Fields
    records: list[records.Record]
    raw: list[bytes]
    offsets: list[int]
    hashes: list[bytes]
    root: bytes
    hash: bytes


def decode_batch(ledger: bytes, data: bytes, last_record: bytes, tree: Frontier) -> Batch:
    """Checks a whole batch against the hash of the record before it and the tree before it, and grows the tree."""
    header = decode_batch_header(data[:BATCH_HEADER])
    frames = split_frames(header, data)
    decoded, record_hashes = [], []
    for index, raw in enumerate(frames.raw):
        seq = header["first"] + index
        try:
            record = records.decode_record(raw)
        except FormatError as error:
            raise BatchFault(error.word, error.detail, seq, frames.offsets[index]) from None
        if record.header["prev"] != last_record:
            where = f"record {seq} does not carry the hash of the record before it"
            raise BatchFault("check_mismatch", where, seq, frames.offsets[index])
        if record.header["seq"] != seq:
            where = f"record {record.header['seq']} in the place of {seq}"
            raise BatchFault("bad_value", where, seq, frames.offsets[index])
        last_record = hashes.record_hash(ledger, raw)
        tree.push(leaf_hash(raw))
        decoded.append(record)
        record_hashes.append(last_record)
    end = BATCH_HEADER + header["frames_length"]
    if hashes.batch_hash(data[:BATCH_HEADER], frames.lengths, last_record, frames.root) != frames.hash:
        raise BatchFault("check_mismatch", "the batch hash does not fit header, lengths and records", None, end + 32)
    if tree.root() != frames.root:
        raise BatchFault("check_mismatch", "the root of the records is another than the stored one", None, end)
    return Batch(header, decoded, frames.raw, frames.offsets, record_hashes, frames.root, frames.hash)


def encode_batch(ledger: bytes, fields: Fields, raw: list[bytes], last: bytes, root: bytes) -> bytes:
    """The bytes of a batch from its header fields, its records, the hash of the last one, and the root."""
    header = BATCH.encode(fields)
    lengths = [struct.pack("<H", len(record)) for record in raw]
    frames = b"".join(length + record for length, record in zip(lengths, raw))
    return header + frames + root + hashes.batch_hash(header, b"".join(lengths), last, root)


def decode_segment_header(data: bytes) -> Fields:
    """A segment header with all rules of section 11."""
    header = SEGMENT.decode(data)
    first_seq = header["first_seq"]
    if first_seq > U64_MAX - 1:
        raise FormatError("bad_value", "no room for another record")
    previous = (header["previous_record"] == ZERO32, header["previous_batch"] == ZERO32, header["previous_length"] == 0)
    if len({header["segment"] == 0, header["first_batch"] == 0, first_seq == 0, *previous}) > 1:
        raise FormatError("bad_value", "the fields that are zero for segment 0 are not zero together")
    used = 32 * first_seq.bit_count()
    if header["frontier"][used:].strip(b"\0"):
        raise FormatError("not_canonical", "bytes after the frontier")
    return header


def frontier_of(header: Fields) -> Frontier:
    """The tree that a segment header names."""
    count = header["first_seq"].bit_count()
    nodes = [header["frontier"][32 * i : 32 * i + 32] for i in range(count)]
    return Frontier(header["first_seq"], nodes)


def decode_anchor(data: bytes) -> Fields:
    return ANCHOR_LAYOUT.decode(data)


def decode_payload_file_header(data: bytes) -> Fields:
    return PAYLOAD_FILE.decode(data)


def decode_key_file_header(data: bytes) -> Fields:
    return KEY_FILE.decode(data)


def decode_key_page(data: bytes) -> Fields:
    return KEY_PAGE.decode(data)


def slot_of(page: Fields, slot: int) -> bytes:
    """The masked key of a slot of this page."""
    at = SLOT * (slot - LIMITS["page_slots"] * page["page"])
    return bytes(page["slots"][at : at + SLOT])


def numbered_name(number: int, suffix: str) -> str:
    """The one file name of a number."""
    return f"{number:010d}{suffix}"


def number_of(name: str, suffix: str) -> int | None:
    """The number that a file name stands for, or None when it is the name of none."""
    match = re.fullmatch(r"(\d{10,20})" + re.escape(suffix), name, re.ASCII)
    if match is None or numbered_name(int(match[1]), suffix) != name or int(match[1]) > U64_MAX:
        return None
    return int(match[1])


CLOCKS = {1: "wall", 2: "declared"}
TOML = """\
# A copy of record 0 (Genesis) of this memory ledger. It is compared with the record whenever the
# ledger is opened and must not be edited: settings are changed by events, with `memledger`.
format = 1
ledger = "{ledger}"
origin = "{origin}"
zone = "{zone}"
# Microseconds since 1970-01-01T00:00:00Z.
created_at_micros = {created_at_micros}
clock = "{clock}"
"""


def ledger_toml_values(genesis: dict[str, Any]) -> dict[str, Any]:
    """The values of `ledger.toml` for a ledger with this genesis."""
    return {
        "format": 1,
        "ledger": genesis["ledger"].hex(),
        "origin": genesis["origin"],
        "zone": genesis["zone"],
        "created_at_micros": genesis["created_at"],
        "clock": CLOCKS[genesis["clock"]],
    }


def check_ledger_toml(data: bytes, genesis: dict[str, Any]) -> None:
    """`ledger.toml` is exactly one text; where it is another, the error names the values that differ."""
    expected = ledger_toml_values(genesis)
    quoted = {key: str(value).replace("\\", "\\\\").replace('"', '\\"') for key, value in expected.items()}
    if data == TOML.format(**quoted).encode():
        return
    try:
        values = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FormatError("bad_value", f"ledger.toml is no TOML: {error}") from None
    different = [key for key in sorted({*values, *expected}) if values.get(key) != expected.get(key)]
    if different:
        raise FormatError("bad_value", f"ledger.toml differs from record 0 in {', '.join(different)}")
    raise FormatError("bad_value", "ledger.toml has the values of record 0 in another text")
