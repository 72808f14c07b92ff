"""Records: header, payload references, extensions, and what a reader makes of the event (SPEC.md sections 5 and 21)."""

import struct
from typing import Any, NamedTuple

import events
from errors import FormatError
from layout import LIMITS, U64_MAX, ZERO32, Fields, Layout, only, table

HEADER = 112
PAYLOAD_COUNT = 108
REFERENCE = 80
LONGEST_SEALED = 1081384

FLAG_CRITICAL, FLAG_BEHIND, FLAG_JUMP_CONFIRMED, FLAG_DECLARED = 1, 2, 4, 8
FLAGS = {0: "critical", 1: "behind", 2: "jump_confirmed", 3: "declared"}


def _nonzero(word: str, name: str) -> Any:
    def rule(value: int) -> None:
        if value == 0:
            raise FormatError(word, f"{name} is 0")

    return rule


def _known(words: str, name: str) -> Any:
    def rule(value: int) -> None:
        if value not in events.WORDS[words]:
            raise FormatError("unknown_number", f"{name} is {value}")

    return rule


def _at_most(limit: int, word: str, name: str) -> Any:
    def rule(value: int) -> None:
        if value > limit:
            raise FormatError(word, f"{name} is {value} of at most {limit}")

    return rule


def _flags(value: int) -> None:
    if value & ~0x0F:
        raise FormatError("reserved_not_zero", f"flags are {value}")


def _stored_length(value: int) -> None:
    if value == 0:
        raise FormatError("bad_value", "a payload of no bytes")
    if value > LONGEST_SEALED:
        raise FormatError("too_large", f"a payload of {value} bytes")


RECORD_HEADER = Layout(
    "a record header",
    HEADER,
    table(
        """
        0 2 version u16
        2 2 kind u16
        4 2 kind_version u16
        6 1 flags u8
        7 1 actor_kind u8
        8 8 seq u64
        16 32 prev hash
        48 8 recorded_at i64
        56 8 wall_time i64
        64 16 actor alias
        80 16 scope alias
        96 2 retention u16
        98 2 reserved zero
        100 4 policy u32
        104 2 body_length u16
        106 2 extension_length u16
        108 1 payload_count u8
        109 3 reserved zero
        """
    ),
    rules={
        "version": only(1, "unsupported_version", "the record version"),
        "kind": _nonzero("unknown_number", "the kind"),
        "flags": _flags,
        "actor_kind": _known("actor_kind", "the actor kind"),
        "seq": _at_most(U64_MAX - 1, "bad_value", "seq"),
        "payload_count": _at_most(LIMITS["record_payloads"], "too_large", "the number of payloads"),
    },
)

PAYLOAD_REFERENCE = Layout(
    "a payload reference",
    REFERENCE,
    table(
        """
        0 8 id u64
        8 1 role u8
        9 1 suite u8
        10 1 kind u8
        11 1 reserved zero
        12 32 commitment bytes32
        44 32 digest bytes32
        76 4 length u32
        """
    ),
    rules={
        "role": _known("role", "the role"),
        "suite": only(1, "unknown_number", "the suite"),
        "kind": only(0, "unknown_number", "the payload kind"),
        "length": _stored_length,
    },
)

_EXTENSION = struct.Struct("<HBBH")
EXTENSION_TAGS: dict[int, tuple[str, int | str, bool]] = {
    1: ("claimed_at", 8, False),
    2: ("idempotency", 32, False),
    3: ("job", 16, False),
    4: ("speaker", 16, False),
    5: ("on_behalf_of", 16, False),
    6: ("agent", 16, False),
    7: ("model", 16, False),
    8: ("purpose", 16, False),
    9: ("task", 16, False),
    10: ("gate", "n * 10", False),
}


def _length_fits(rule: int | str, length: int) -> bool:
    """A number is the length; `n * N` is one item of N bytes or more."""
    if isinstance(rule, int):
        return length == rule
    return length > 0 and length % int(rule.removeprefix("n * ")) == 0


class Extension(NamedTuple):
    tag: int
    critical: bool
    data: bytes


class Event(NamedTuple):
    """What a reader makes of a record: `known` with its fields, `unknown`, or `unknown_critical`."""

    status: str
    body: dict[str, Any] | None


class Record(NamedTuple):
    header: Fields
    body: bytes
    payloads: list[Fields]
    extensions: list[Extension]
    event: Event


def decode_extensions(data: bytes) -> list[Extension]:
    """The extension list, which fills the bytes given."""
    out: list[Extension] = []
    at = 0
    while at < len(data):
        if len(out) == LIMITS["extensions"]:
            raise FormatError("too_large", "too many extensions")
        if at + 6 > len(data):
            raise FormatError("truncated", "the header of an extension is cut")
        tag, flags, reserved, length = _EXTENSION.unpack_from(data, at)
        if tag == 0:
            raise FormatError("unknown_number", "an extension has tag 0")
        if flags & ~1:
            raise FormatError("reserved_not_zero", f"an extension has flags {flags}")
        if reserved:
            raise FormatError("reserved_not_zero", "reserved byte of an extension")
        at += 6
        if at + length > len(data):
            raise FormatError("truncated", "the bytes of an extension are cut")
        if out and tag <= out[-1].tag:
            raise FormatError("not_canonical", "the tags of extensions do not rise")
        known = EXTENSION_TAGS.get(tag)
        if known is not None and (not _length_fits(known[1], length) or known[2] != bool(flags)):
            raise FormatError("bad_value", f"extension {known[0]} has another length or critical bit")
        out.append(Extension(tag, bool(flags), data[at : at + length]))
        at += length
    return out


def encode_extensions(extensions: list[Extension]) -> bytes:
    return b"".join(_EXTENSION.pack(item.tag, item.critical, 0, len(item.data)) + item.data for item in extensions)


def _event(header: Fields, body: bytes, extensions: list[Extension]) -> Event:
    """Decodes the body where the kind, its version and all critical extensions are known."""
    critical = bool(header["flags"] & FLAG_CRITICAL)
    kind = events.KINDS.get(header["kind"])
    if kind is not None and kind.version == header["kind_version"] and kind.critical != critical:
        raise FormatError("bad_value", f"the critical bit of {kind.name} is {int(critical)}")
    if any(item.critical and item.tag not in EXTENSION_TAGS for item in extensions):
        return Event("unknown_critical", None)
    if kind is None or kind.version != header["kind_version"]:
        return Event("unknown_critical" if critical else "unknown", None)
    return Event("known", events.decode_body(header["kind"], body))


def record_length(header: Fields) -> int:
    """The length that the header asks for."""
    return HEADER + int(header["body_length"] + REFERENCE * header["payload_count"] + header["extension_length"])


def decode_record(data: bytes) -> Record:
    """A record that was given as a whole."""
    if len(data) > LIMITS["record_bytes"]:
        raise FormatError("too_large", f"a record of {len(data)} bytes")
    if len(data) < HEADER:
        raise FormatError("truncated", f"a record of {len(data)} bytes")
    header = RECORD_HEADER.decode(data[:HEADER])
    if (header["seq"] == 0) != (header["prev"] == ZERO32):
        raise FormatError("bad_value", "prev is zero for record 0 and only for it")
    length = record_length(header)
    if length > len(data):
        raise FormatError("truncated", f"a record has {len(data)} of {length} bytes")
    references = HEADER + header["body_length"]
    extensions_at = references + REFERENCE * header["payload_count"]
    payloads = [
        PAYLOAD_REFERENCE.decode(data[at : at + REFERENCE]) for at in range(references, extensions_at, REFERENCE)
    ]
    extensions = decode_extensions(data[extensions_at:length])
    if length < len(data):
        raise FormatError("trailing", f"{len(data) - length} bytes after a record")
    body = data[HEADER:references]
    return Record(header, body, payloads, extensions, _event(header, body, extensions))


def encode_record(record: Record) -> bytes:
    """The bytes of a record, its event encoded anew where it is known."""
    event = record.event
    body = record.body if event.body is None else events.encode_body(record.header["kind"], event.body)
    return b"".join(
        (
            RECORD_HEADER.encode(record.header),
            body,
            *(PAYLOAD_REFERENCE.encode(item) for item in record.payloads),
            encode_extensions(record.extensions),
        )
    )
