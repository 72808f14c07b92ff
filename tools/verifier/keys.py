"""Key files: their header and pages in two copies, the slots, and opening payloads under a master key (section 9)."""

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

import files
import hashes
import payloads
from chain import Place
from errors import FormatError
from layout import LIMITS, Fields
from report import DAMAGED, NOTICE, Report
from store import Reader, Store

COPIES = ("keys/slots.a", "keys/slots.b")
_KEPT_PAGES = 64
_EMPTY = bytes(files.SLOT)

Decode = Callable[[bytes], Fields]


class Page(NamedTuple):
    """The copies of one page: the one that counts, the ones that cannot be read, and whether they contradict."""

    fields: Fields | None
    unreadable: list[tuple[str, str]]
    contradict: bool
    blank: bool


class KeyFiles:
    """The two key files of a ledger."""

    def __init__(self, store: Store, ledger: bytes) -> None:
        self._store = store
        self._ledger = ledger
        self._readers: list[tuple[str, Reader]] = []
        self.missing: list[str] = []
        for path in COPIES:
            reader = store.open(path)
            if reader is None:
                self.missing.append(path)
            else:
                self._readers.append((path, reader))
        self._kept: OrderedDict[int, Fields | None] = OrderedDict()
        self.header = self._read(0, lambda data: files.decode_key_file_header(data))

    def uneven(self) -> list[tuple[str, int]]:
        """The copies that do not end with a whole page, and where their last whole page ends."""
        sizes = ((path, reader.size()) for path, reader in self._readers)
        return [(path, size - size % files.PAGE) for path, size in sizes if size % files.PAGE]

    def pages(self) -> int:
        """How many pages there are in the longer copy."""
        longest = max((reader.size() for _, reader in self._readers), default=0)
        return max(0, -(-longest // files.PAGE) - 1)

    def page(self, number: int) -> Page:
        def decode(data: bytes) -> Fields:
            fields = files.decode_key_page(data)
            if fields["page"] != number:
                raise FormatError("bad_value", f"page {fields['page']} in the place of page {number}")
            return fields

        return self._read(number + 1, decode)

    def _read(self, place: int, decode: Decode) -> Page:
        """The copies of the page at a place of the files."""
        valid: list[tuple[Fields, bytes]] = []
        unreadable = []
        blank = True
        for path, reader in self._readers:
            data, fields, word = self._copy(reader, place, decode)
            blank = blank and not data.strip(b"\0")
            if fields is None:
                unreadable.append((path, word))
            else:
                valid.append((fields, data))
        if not valid:
            return Page(None, unreadable, False, blank)
        best = max(valid, key=lambda item: item[0]["generation"])
        same = [data for fields, data in valid if fields["generation"] == best[0]["generation"]]
        return Page(best[0], unreadable, len(set(same)) > 1, blank)

    def _copy(self, reader: Reader, place: int, decode: Decode) -> tuple[bytes, Fields | None, str]:
        """One copy of a page, or its error word. Read again where a writer may be at work on it."""
        before: bytes | None = None
        while True:
            data = reader.read(place * files.PAGE, files.PAGE)
            try:
                fields = decode(data)
                if fields["ledger"] != self._ledger:
                    raise FormatError("bad_value", "the page is that of another ledger")
                return data, fields, ""
            except FormatError as error:
                if data == before or not data.strip(b"\0"):
                    return data, None, error.word
            before = data
            self._store.pause()

    def slot(self, number: int) -> tuple[Fields, bytes] | None:
        """The page of a slot and the masked key in it, or None where no copy of the page can be read."""
        page_number = number // LIMITS["page_slots"]
        if page_number not in self._kept:
            self._kept[page_number] = self.page(page_number).fields
            if len(self._kept) > _KEPT_PAGES:
                self._kept.popitem(last=False)
        page = self._kept[page_number]
        return None if page is None else (page, files.slot_of(page, number))

    def report_page(self, report: Report, at: str, place: int, page: Page, needed: bool) -> None:
        """Findings about the copies of one page; one that nothing needs yet may still be on its way into a copy."""
        offset = place * files.PAGE
        if page.contradict:
            report.add(DAMAGED, at, "two copies of one generation differ", file=COPIES[0], offset=offset)
        if page.fields is None:
            word = page.unreadable[0][1] if page.unreadable else None
            report.add(DAMAGED, at, "no copy can be read", error=word, file=COPIES[0], offset=offset)
            return
        for path, word in page.unreadable:
            text = f"{at} cannot be read here; its other copy can"
            report.add(DAMAGED if needed else NOTICE, path, text, error=word, file=path, offset=offset)


class Opener:
    """Opens payloads under a master key and recomputes their commitments."""

    def __init__(self, keys: KeyFiles, ledger: bytes, master: bytes) -> None:
        self.opened = 0
        self.without_key = 0
        self.other_master = 0
        self._keys = keys
        self._ledger = ledger
        self._master = master
        header = keys.header.fields
        self.check = hashes.key_check(master, ledger)
        self.fits = header is not None and header["key_check"] == self.check
        self.readable = header is not None

    def open(self, queue: list[tuple[Place, bytes]]) -> dict[int, str]:
        """Opens payloads whose digests fit; why the ones that do not open do not, by their id."""
        found = [(place, stored, self._keys.slot(place.reference["id"])) for place, stored in queue]
        tried: list[tuple[Place, bytes, bytes]] = []
        for place, stored, slot in found:
            if slot is None or slot[1] == _EMPTY:
                self.without_key += 1
            elif slot[0]["master"] != self.check[:8]:
                self.other_master += 1
            else:
                tried.append((place, stored, slot[1]))
        masks = hashes.slot_masks(self._master, self._ledger, [place.reference["id"] for place, _, _ in tried])
        keys = [bytes(a ^ b for a, b in zip(masked, mask)) for (_, _, masked), mask in zip(tried, masks)]
        reasons: dict[int, str] = {}
        opened: list[tuple[Place, bytes, bytes]] = []
        for (place, stored, _), key in zip(tried, keys):
            try:
                opened.append((place, key, payloads.unseal(self._ledger, place.reference, key, stored)[1]))
            except FormatError as error:
                reasons[place.reference["id"]] = str(error)
        hashes.prepare(hashes.SALT, (key for _, key, _ in opened))
        openings = [(hashes.salt(key), place.reference["role"], plaintext) for place, key, plaintext in opened]
        for (place, _, _), commitment in zip(opened, hashes.commitments(openings)):
            if commitment == place.reference["commitment"]:
                self.opened += 1
            else:
                reasons[place.reference["id"]] = "check_mismatch: the commitment is one to another plaintext"
        hashes.forget(hashes.SALT)
        return reasons
