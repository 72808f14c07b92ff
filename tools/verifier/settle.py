"""What payloads and key slots are, held against what the log says about them once all erasures are known.

A payload that is gone is damage or an erasure, and which of the two depends on records further on. So contents and
slots are read first, and judged here.
"""

from dataclasses import dataclass, field
from typing import Any

import files
import reread
from chain import Chain, Place
from contents import Contents
from intervals import Intervals
from keys import KeyFiles
from layout import LIMITS
from report import DAMAGED, ERASURE_UNFINISHED, NOTICE, UNACKNOWLEDGED_TAIL, Report
from walk import LogWalk

_EMPTY = bytes(files.SLOT)
_MOST = 100


@dataclass
class Slots:
    """The slots of the key files: which are empty and which hold a key, and what is wrong with their pages."""

    report: Report = field(default_factory=Report)
    empty: Intervals = field(default_factory=Intervals)
    full: Intervals = field(default_factory=Intervals)
    readable: int = 0
    needed: int = 0


def read_slots(keys: KeyFiles, chain: Chain) -> Slots:
    """Reads all pages of the key files."""
    out = Slots()
    report = out.report
    if len(keys.missing) == 2:
        if chain.ids:
            report.add(DAMAGED, "keys", "there are no key files", file="keys")
        return out
    for path in keys.missing:
        report.add(DAMAGED, path, "one key file is missing; the other is there", file=path)
    for path, end in keys.uneven():
        report.add(DAMAGED, path, "bytes behind the last whole page", error="truncated", file=path, offset=end)
    keys.report_page(report, "key header", 0, keys.header, True)
    last_slot = max([last for _, last in chain.ids] + chain.peppers, default=-1)
    out.needed = last_slot // LIMITS["page_slots"] + 1
    pages = keys.pages()
    for number in range(pages):
        page = keys.page(number)
        if page.blank and number >= out.needed:
            continue
        keys.report_page(report, f"key page {number}", number + 1, page, number < out.needed)
        if page.fields is None:
            continue
        out.readable += 1
        for index in range(LIMITS["page_slots"]):
            slot = page.fields["slots"][files.SLOT * index : files.SLOT * index + files.SLOT]
            (out.empty if slot == _EMPTY else out.full).add(LIMITS["page_slots"] * number + index)
    if out.needed > pages:
        text = "the key files end before the slots that the log names"
        report.add(DAMAGED, f"key page {pages}", text, file="keys")
    return out


class Settlement:
    """Judges payloads and slots of one ledger. `complete`: every erasure that can explain a loss was seen."""

    def __init__(
        self, report: Report, walk: LogWalk, chain: Chain, tail: tuple[int, list[int]], complete: bool
    ) -> None:
        self._report = report
        self._walk = walk
        self._chain = chain
        self._tail_batch, self._tail_ids = tail
        self._complete = complete
        self._erased = chain.erased()
        if not complete:
            why = "the log could not be followed to its end, and an erasure further on may cover them"
            report.not_checked("payloads and keys that are gone", why)

    def _first(self, numbers: Intervals) -> list[int]:
        """The numbers that are reported one by one; the others are counted."""
        self._report.left_out += max(0, numbers.count() - _MOST)
        return numbers.numbers(_MOST)

    def payloads(self, contents: Contents) -> None:
        """Stored bytes against digests and erasures."""
        report, chain, erased = self._report, self._chain, self._erased
        faulty = contents.gone.joined(contents.other).without(erased)
        lingering = contents.matching.joined(contents.other).common(erased)
        found = self._first(faulty) if self._complete else []
        kept = self._first(lingering)
        places = reread.places(self._walk, found + kept)
        for number in found:
            self._faulty_payload(contents, number, _where(places.get(number)))
        for number in kept:
            text = "an erased payload is still there"
            self._unfinished(f"payload {number}", number, text, _where(places.get(number)))
        gone = chain.ids.common(erased)
        matching = contents.matching.without(erased).count()
        report.counts["payloads matching"] = matching
        report.counts["payloads erased"] = gone.count()
        report.claims["payloads"] = (matching + gone.without(lingering).count(), chain.ids.count())
        total = contents.bytes_seen
        report.claims["payload bytes accounted for"] = (total - contents.bytes_stray, total)

    def _faulty_payload(self, contents: Contents, number: int, where: dict[str, Any]) -> None:
        at = f"payload {number}"
        if number in self._tail_ids:
            text = f"payload {number} of a batch that was not acknowledged is not as the log says"
            self._report.add(UNACKNOWLEDGED_TAIL, f"batch {self._tail_batch}", text, **where)
        elif number in contents.gone:
            text = "the stored bytes are gone and no erasure covers them"
            self._report.add(DAMAGED, at, text, error="check_mismatch", **where)
        elif number in contents.reasons:
            self._report.add(DAMAGED, at, contents.reasons[number], **where)
        else:
            text = "the stored bytes do not match the digest in the log"
            self._report.add(DAMAGED, at, text, error="check_mismatch", **where)

    def _unfinished(self, at: str, number: int, text: str, where: dict[str, Any]) -> None:
        """An erasure that was not carried out; it fails when the log says that it was."""
        erasures = self._chain.erasures.values()
        done = any(item.done_seq is not None and number in item.payloads for item in erasures)
        text += ", though the log says that the erasure is done" if done else "; the erasure is not done yet"
        self._report.add(ERASURE_UNFINISHED, at, text, fails=done, **where)

    def keys(self, slots: Slots) -> None:
        """Slots against payloads and erasures."""
        report, chain, erased = self._report, self._chain, self._erased
        report.absorb(slots.report)
        if self._complete:
            for number in self._first(chain.ids.common(slots.empty).without(erased)):
                self._missing_key(number)
        lingering = slots.full.common(erased)
        for number in self._first(lingering):
            text = "the key of an erased payload is still there"
            self._unfinished(f"key {number}", number, text, _slot_place(number))
        if chain.peppers and chain.peppers[-1] in slots.empty.without(erased):
            number = chain.peppers[-1]
            report.add(NOTICE, f"key {number}", "the slot of the pepper is empty", **_slot_place(number))
        good = chain.ids.common(slots.full).without(erased).count()
        good += chain.ids.common(slots.empty).common(erased).count()
        report.claims["key pages readable in a copy"] = (slots.readable, max(slots.readable, slots.needed))
        report.claims["key slots"] = (good, chain.ids.count())

    def _missing_key(self, number: int) -> None:
        where = _slot_place(number)
        if number in self._tail_ids:
            text = f"the key of payload {number} of a batch that was not acknowledged is missing"
            self._report.add(UNACKNOWLEDGED_TAIL, f"batch {self._tail_batch}", text, **where)
        else:
            text = "the key of a payload is gone and no erasure covers it"
            self._report.add(DAMAGED, f"key {number}", text, **where)


def _slot_place(number: int) -> dict[str, Any]:
    page, index = divmod(number, LIMITS["page_slots"])
    return {"file": "keys/slots.a", "offset": files.PAGE * (page + 1) + 64 + files.SLOT * index}


def _where(place: Place | None) -> dict[str, Any]:
    if place is None:
        return {}
    name = f"payloads/{files.numbered_name(place.file, '.pay')}"
    return {"file": name, "offset": place.offset, "seq": place.seq}
