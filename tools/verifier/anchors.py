"""The two head anchors: which of them count, and what they say about a log (SPEC.md section 13)."""

from dataclasses import dataclass, field
from typing import NamedTuple

import files
from errors import FormatError
from layout import Fields
from store import Store, read_all

PATHS = ("anchor.a", "anchor.b")
BLANK = bytes(files.ANCHOR)


class Snapshot(NamedTuple):
    """What an anchor says about the log, as a walk found it after a batch."""

    batch_hash: bytes
    seq: int
    record_hash: bytes
    recorded_at: int
    root: bytes
    segment: int
    segment_end: int
    next_payload: int
    last_erasure: int
    epoch: int
    payload_file: int
    payload_end: int


@dataclass
class Anchors:
    """The valid copies by path, the error word of the others, the ones that are blank, and the one that counts."""

    valid: dict[str, Fields] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    blank: set[str] = field(default_factory=set)
    chosen: Fields | None = None

    def unreadable(self, batches: int) -> list[str]:
        """The copies that are unreadable beside a log of so many batches.

        A blank copy is as it should be while at most batch 0 is there and no anchor but the first was written.
        """
        young = batches <= 1 and all(anchor["counter"] == 1 for anchor in self.valid.values())
        return [path for path in self.errors if not (young and path in self.blank)]


def _read_copy(store: Store, path: str) -> tuple[Fields | None, str, bool]:
    """One copy: its fields, or the error word and whether it is blank. Read again where a writer may be at work."""
    before: bytes | None = None
    while True:
        data = read_all(store, path, files.ANCHOR)
        try:
            if data is None:
                raise FormatError("truncated", "there is no such file")
            return files.decode_anchor(data), "", False
        except FormatError as error:
            if data is None or data == BLANK or data == before:
                return None, error.word, data == BLANK
        before = data
        store.pause()


def read(store: Store) -> Anchors:
    """Both anchors as they are now."""
    out = Anchors()
    for path in PATHS:
        fields, word, blank = _read_copy(store, path)
        if fields is not None:
            out.valid[path] = fields
        else:
            out.errors[path] = word
            if blank:
                out.blank.add(path)
    valid = list(out.valid.values())
    if len(valid) == 2 and valid[0]["counter"] == valid[1]["counter"] and valid[0] != valid[1]:
        out.errors = dict.fromkeys(PATHS, "not_canonical")
        out.valid = {}
    if len(valid) == 2 and abs(valid[0]["counter"] - valid[1]["counter"]) > 1:
        older = min(PATHS, key=lambda path: out.valid[path]["counter"])
        del out.valid[older]
        out.errors[older] = "not_canonical"
    if out.valid:
        out.chosen = max(out.valid.values(), key=lambda anchor: anchor["counter"])
    return out


def differences(anchor: Fields, found: Snapshot) -> list[str]:
    """The fields in which an anchor and the log differ."""
    return [name for name, value in found._asdict().items() if anchor[name] != value]
