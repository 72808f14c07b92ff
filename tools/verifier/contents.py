"""Payload files: the stored bytes of every payload, and the bytes that belong to none (SPEC.md sections 12 and 20)."""

from collections.abc import Callable

import files
import hashes
from chain import Place
from errors import FormatError
from intervals import Intervals
from layout import LIMITS, Fields
from report import DAMAGED, NOTICE, Report
from store import Reader, Store, first_nonzero

_QUEUE_BYTES = 1 << 21
_QUEUE_ITEMS = 1024

_MOST_REASONS = 1000

Open = Callable[[list[tuple[Place, bytes]]], dict[int, str]]


class Contents:
    """Reads the payloads of batches in their order.

    What a payload that does not match means depends on erasures further on, so the results are sets of ids: `matching`,
    `gone` (nothing but zeros, or no bytes) and `other` (anything else).
    """

    def __init__(self, store: Store, report: Report, ledger: bytes, opener: Open | None) -> None:
        self.matching = Intervals()
        self.gone = Intervals()
        self.other = Intervals()
        self.unopened = 0
        self.reasons: dict[int, str] = {}
        self.used: dict[int, int] = {}
        self.bytes_seen = 0
        self.bytes_stray = 0
        self._store = store
        self._report = report
        self._ledger = ledger
        self._opener = opener
        self._queue: list[tuple[Place, bytes]] = []
        self._queued = 0
        self._number: int | None = None
        self._reader: Reader | None = None
        self._cursor = 0

    def take(self, header: Fields, places: list[Place]) -> None:
        """Reads the payloads of one batch."""
        if not places:
            return
        number, offset = header["payload_file"], header["payload_offset"]
        if number != self._number:
            self._turn(number, header["batch"])
        self._expect_zeros(self._cursor, offset, DAMAGED)
        self._cursor = offset + header["payload_length"]
        for place in places:
            length = place.reference["length"]
            stored = b"" if self._reader is None else self._reader.read(place.offset, length)
            self._queue.append((place, stored))
            self._queued += len(stored)
            if self._queued > _QUEUE_BYTES or len(self._queue) >= _QUEUE_ITEMS:
                self._flush()

    def _turn(self, number: int, batch: int) -> None:
        """Goes on to another file."""
        self._finish_file(DAMAGED)
        self._number = number
        self._reader = self._store.open(f"payloads/{files.numbered_name(number, '.pay')}")
        self._cursor = files.PAYLOAD_FILE_HEADER
        self.used.setdefault(number, batch)

    def _finish_file(self, verdict: str) -> None:
        if self._reader is not None:
            size = self._reader.size()
            self.bytes_seen += size
            self._expect_zeros(self._cursor, size, verdict)

    def _expect_zeros(self, start: int, end: int, verdict: str) -> None:
        """Reports bytes that belong to no range and are not zero."""
        if self._reader is None or self._number is None:
            return
        found = first_nonzero(self._reader, start, end)
        if found is not None:
            name = f"payloads/{files.numbered_name(self._number, '.pay')}"
            self.bytes_stray += end - found
            text = "bytes that belong to no payload range are not zero"
            if verdict == NOTICE:
                text = "bytes behind the last payload range are not zero: a batch was being written"
            self._report.add(verdict, name, text, file=name, offset=found)

    def _flush(self) -> None:
        queue, self._queue, self._queued = self._queue, [], 0
        whole = [stored for place, stored in queue if len(stored) == place.reference["length"]]
        hashes.prepare(hashes.CIPHERTEXT, whole)
        fitting = []
        for place, stored in queue:
            number, reference = place.reference["id"], place.reference
            if len(stored) == reference["length"] and hashes.ciphertext_digest(stored) == reference["digest"]:
                fitting.append((place, stored))
            elif not stored.strip(b"\0"):
                self.gone.add(number)
            else:
                self.other.add(number)
        reasons = self._opener(fitting) if self._opener else {}
        for place, _ in fitting:
            number = place.reference["id"]
            (self.other if number in reasons else self.matching).add(number)
        self.unopened += len(reasons)
        if len(self.reasons) < _MOST_REASONS:
            self.reasons.update(reasons)
        hashes.forget(hashes.CIPHERTEXT)

    def finish(self, clean: bool) -> None:
        """Reads what is left, and looks at the files that no range is in.

        `clean` says that the log ends where its holder closed it: then no batch was being written.
        """
        self._flush()
        behind = DAMAGED if clean else NOTICE
        self._finish_file(behind)
        last = -1 if self._number is None else self._number
        self._expect_numbers(last)
        for name in self._store.names("payloads"):
            path = f"payloads/{name}"
            number = files.number_of(name, ".pay")
            reader = self._store.open(path)
            if reader is None or (number is None and not name.endswith(".pay")):
                self._report.add(NOTICE, path, "a file that the format does not know", file=path)
            elif number is None:
                self._report.add(DAMAGED, path, "a payload file that is not the name of a number", file=path)
            else:
                self._file(path, number, reader, last, behind)

    def _expect_numbers(self, last: int) -> None:
        """Payload files are numbered without gaps up to the one in use, and one more may have been begun."""
        names = (files.number_of(name, ".pay") for name in self._store.names("payloads"))
        expected = 0
        for number in sorted({number for number in names if number is not None} | set(self.used)):
            path = f"payloads/{files.numbered_name(number, '.pay')}"
            if number > last + 1:
                self._report.add(DAMAGED, path, "a payload file behind the one in use that nothing explains", file=path)
            elif number != expected:
                path = f"payloads/{files.numbered_name(expected, '.pay')}"
                self._report.add(DAMAGED, path, "the payload file is missing, and one after it is there", file=path)
            expected = number + 1

    def _file(self, path: str, number: int, reader: Reader, last: int, behind: str) -> None:
        """The header of a payload file, and all of it where no range is in it."""
        size = reader.size()
        if behind == DAMAGED and number > max(last, 0):
            self._report.add(DAMAGED, path, "a payload file behind the one in use of a closed ledger", file=path)
        if number not in self.used:
            self.bytes_seen += size
        verdict = DAMAGED if number in self.used or number < last else behind
        if size > LIMITS["payload_file_bytes"]:
            self._report.add(
                verdict, path, "the file is longer than a payload file may be", error="too_large", file=path
            )
        try:
            header = files.decode_payload_file_header(reader.read(0, files.PAYLOAD_FILE_HEADER))
            if header["file"] != number or header["ledger"] != self._ledger:
                raise FormatError("bad_value", "the header is that of another payload file")
        except FormatError as error:
            if number in self.used or first_nonzero(reader, 0, size) is not None:
                self._report.add(verdict, path, error.detail, error=error.word, file=path, offset=0)
            return
        if number not in self.used:
            found = first_nonzero(reader, files.PAYLOAD_FILE_HEADER, size)
            if found is not None:
                self.bytes_stray += size - found
                text = "a payload file that no batch uses is not empty"
                self._report.add(verdict, path, text, file=path, offset=found)
