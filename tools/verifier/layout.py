"""Fixed layouts: the tables of SPEC.md with offsets, and the one decoder and encoder for all of them.

A table is written as the SPEC writes it. Magic, length and check come before any field between them is believed; then
the fields are judged in the order of the table, each by its type and by the rules that its layout names.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import hashes
from errors import FormatError

U64_MAX = (1 << 64) - 1
NONE_SEQ = U64_MAX
ZERO32 = bytes(32)

LIMITS = {
    "record_bytes": 65535,
    "payload_bytes": 1048576,
    "batch_bytes": 16777216,
    "batch_records": 65536,
    "record_payloads": 8,
    "supersedes": 32,
    "derived_from": 4000,
    "targets": 3500,
    "subjects": 64,
    "tags": 32,
    "scope_depth": 16,
    "name_bytes": 512,
    "segment_bytes": 67108864,
    "payload_file_bytes": 1073741824,
    "extensions": 32,
    "page_slots": 126,
    "page_bytes": 4096,
    "frontier_levels": 64,
}

Fields = dict[str, Any]
Rule = Callable[[Any], None]

_CODES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i64": "q"}


class Row(NamedTuple):
    """One line of a layout table. `zero_word` is the error of a reserved field that is not zero."""

    offset: int
    size: int
    name: str
    type: str
    zero_word: str = "reserved_not_zero"


def only(value: Any, word: str, name: str) -> Rule:
    """A rule: the field has exactly this value."""

    def rule(found: Any) -> None:
        if found != value:
            raise FormatError(word, f"{name} is {found}")

    return rule


@dataclass
class Layout:
    """A structure of fixed size. `covered` are the byte ranges that its check is over."""

    name: str
    size: int
    rows: tuple[Row, ...]
    magic: bytes = b""
    covered: tuple[tuple[int, int], ...] = ()
    rules: dict[str, Rule] = field(default_factory=dict)

    def __post_init__(self) -> None:
        codes = [_CODES.get(row.type, f"{row.size}s") for row in self.rows]
        self._struct = struct.Struct("<" + "".join(codes))
        if self._struct.size != self.size:
            raise ValueError(f"the rows of {self.name} do not fill {self.size} bytes")
        check = [row.offset for row in self.rows if row.type == "check"]
        self._check_at = check[0] if check else None
        self._judged = [(i, row) for i, row in enumerate(self.rows) if row.type == "zero" or row.name in self.rules]
        self._kept = [(i, row.name) for i, row in enumerate(self.rows) if row.type != "zero"]

    def covered_bytes(self, data: bytes) -> bytes:
        """The bytes that the check is over."""
        return b"".join(data[first:end] for first, end in self.covered)

    def check_fits(self, data: bytes) -> bool:
        """Whether magic and check are right; nothing else is looked at."""
        if len(data) < self.size or not data.startswith(self.magic) or self._check_at is None:
            return False
        stored = data[self._check_at : self._check_at + 16]
        return hashes.check(self.covered_bytes(data)) == stored

    def decode(self, data: bytes) -> Fields:
        """The fields of a structure that was given as a whole."""
        if self.magic and data[: len(self.magic)] != self.magic:
            raise FormatError("bad_magic", f"{self.name} does not begin with {self.magic.decode()}")
        if len(data) < self.size:
            raise FormatError("truncated", f"{self.name} has {len(data)} of {self.size} bytes")
        if len(data) > self.size:
            raise FormatError("trailing", f"{self.name} has {len(data)} bytes instead of {self.size}")
        if self._check_at is not None and not self.check_fits(data):
            raise FormatError("check_mismatch", f"the check of {self.name} does not fit")
        values = self._struct.unpack(data)
        for i, row in self._judged:
            if row.type == "zero":
                if values[i] != bytes(row.size):
                    raise FormatError(row.zero_word, f"reserved bytes of {self.name} at {row.offset}")
            else:
                self.rules[row.name](values[i])
        return {name: values[i] for i, name in self._kept}

    def fields(self, data: bytes) -> Fields:
        """The fields of bytes that were decoded before, without judging them again."""
        values = self._struct.unpack(data)
        return {name: values[i] for i, name in self._kept}

    def encode(self, fields: Fields) -> bytes:
        """The bytes of a structure; the check is computed, reserved bytes are zero."""
        values = []
        for row in self.rows:
            if row.type == "zero" or row.type == "check":
                values.append(bytes(row.size))
            elif row.type == "magic":
                values.append(self.magic)
            else:
                values.append(fields[row.name])
        data = self._struct.pack(*values)
        if self._check_at is not None:
            check = hashes.check(self.covered_bytes(data))
            data = data[: self._check_at] + check + data[self._check_at + 16 :]
        return data


def table(text: str) -> tuple[Row, ...]:
    """Rows from lines of `offset size name type [error word]`, as the SPEC has them."""
    rows = []
    for line in text.strip().splitlines():
        offset, size, name, kind, *word = line.split()
        rows.append(Row(int(offset), int(size), name, kind, *word))
    return tuple(rows)
