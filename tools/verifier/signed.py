"""Heads and signatures against the log: remembered heads, checkpoint notes, `checkpoint_signed` and `key_rotated`."""

from collections.abc import Iterator
from typing import Any

import heads
import merkle
import reread
from chain import Chain
from errors import FormatError
from report import DAMAGED, NOTICE, Report
from store import Store, read_all
from walk import LogWalk

Notes = list[tuple[str, heads.Note]]


def read_notes(store: Store, report: Report) -> Iterator[tuple[str, heads.Note]]:
    """The checkpoint notes in the directory that can be read; the others are reported."""
    for name in store.names("checkpoints"):
        path = f"checkpoints/{name}"
        data = read_all(store, path, heads.LONGEST_NOTE)
        if not name.endswith(".note") or data is None:
            report.add(NOTICE, path, "a file that the format does not know", file=path)
            continue
        try:
            note = heads.parse_note(data)
            if name != f"{note.size}.note":
                raise FormatError("bad_value", f"a checkpoint of {note.size} records")
            yield path, note
        except FormatError as error:
            report.add(DAMAGED, path, error.detail, error=error.word, file=path)


class SignedHeads:
    """Checks every head that somebody gave or signed."""

    def __init__(self, report: Report, walk: LogWalk) -> None:
        self._report = report
        self._walk = walk

    def remembered(self, items: list[heads.Remembered]) -> None:
        held = 0
        for item in items:
            held += self._head(f"remembered {item.text()}", item.size, item.value, True, None)
        if items:
            self._report.claims["remembered heads"] = (held, len(items))

    def _head(self, at: str, size: int, value: bytes, hash_too: bool, file: str | None) -> bool:
        """Whether the log still has a head that it once had."""
        chain, report = self._walk.chain, self._report
        known = chain.watched.get(size) if chain else None
        if size == 0:
            known = (merkle.EMPTY_ROOT, b"")
        if known is None and self._walk.damaged:
            report.not_checked(at, "the log is damaged before it")
        elif known is None:
            there = chain.next_seq if chain else 0
            text = f"a rollback: the log has {there} records and once had {size}"
            report.add(DAMAGED, at, text, file=file)
        elif value != known[0] and not (hash_too and value == known[1]):
            report.add(DAMAGED, at, f"a fork: the first {size} records are not the ones of this head", file=file)
        else:
            return True
        return False

    def notes(self, chain: Chain, notes: Notes) -> None:
        """Checkpoints in `checkpoints/`, with the signatures of the ledger's own keys."""
        held = signed = 0
        for path, note in notes:
            held += self._head(path, note.size, note.root, False, path)
            if note.size and chain.origins and note.origin != chain.origin_at(note.size):
                text = f"a checkpoint of another log, {note.origin}"
                self._report.add(DAMAGED, path, text, error="bad_value", file=path)
                continue
            result = heads.note_signature(note, chain.keys)
            signed += result is True
            if result is None:
                why = "it has none by an Ed25519 key that the log names"
                self._report.not_checked(f"the signature of {path}", why)
            elif not result:
                self._refused(path, "the signature does not verify", file=path)
        if notes:
            self._report.claims["checkpoint notes"] = (held, len(notes))
            self._report.claims["checkpoint notes signed by a key of the log"] = (signed, len(notes))

    def _refused(self, at: str, text: str, **place: Any) -> None:
        self._report.add(DAMAGED, at, text, error="check_mismatch", **place)

    def checkpoints(self, chain: Chain) -> None:
        """Sizes, roots and signatures of `checkpoint_signed` records."""
        if not chain.checkpoints:
            return
        roots = reread.roots(self._walk, {item.size for item in chain.checkpoints})
        held = signed = checkable = 0
        for item in chain.checkpoints:
            at = f"record {item.seq}"
            if item.size > item.seq or roots.get(item.size) != item.root:
                text = f"the checkpoint of {item.size} records has another root than the log"
                self._refused(at, text, seq=item.seq)
                continue
            held += 1
            result = None
            if item.key is not None and item.key[0] == item.algorithm and item.size:
                message = heads.checkpoint_text(chain.origin_at(item.size), item.size, item.root)
                result = heads.check_signature(item.algorithm, item.key[1], message, item.signature)
            checkable += result is not None
            signed += result is True
            if result is False:
                self._refused(at, "the signature of the checkpoint does not verify", seq=item.seq)
        total = len(chain.checkpoints)
        self._report.claims["checkpoint records"] = (held, total)
        self._report.claims["checkpoint signatures"] = (signed, total)
        if checkable < held:
            why = "no key of the log is in force for them, or their algorithm is not Ed25519"
            self._report.not_checked(f"{held - checkable} checkpoint signatures", why)

    def rotations(self, chain: Chain) -> None:
        """The signatures of `key_rotated` records."""
        good = total = skipped = 0
        for rotation in chain.rotations:
            for name, result in heads.rotation_signatures(chain.ledger, rotation):
                total += 1
                good += result is True
                skipped += result is None
                if result is False:
                    self._refused(f"record {rotation.seq}", f"key rotation: {name} is not right", seq=rotation.seq)
        if total:
            self._report.claims["key rotation signatures"] = (good, total)
        if skipped:
            self._report.not_checked(f"{skipped} key rotation signatures", "their algorithm is not Ed25519")
