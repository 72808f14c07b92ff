"""The walk over the segments of a log, in order, and the verdict on the place where it ends (SPEC.md 18 and 20)."""

from collections.abc import Callable
from typing import NamedTuple

import chain as chains
import files
import hashes
from anchors import Snapshot
from errors import FormatError
from files import BatchFault
from layout import LIMITS, Fields
from report import CANNOT_BE_CHECKED, DAMAGED, NOTICE, UNACKNOWLEDGED_TAIL, Report
from store import Reader, Store, first_nonzero

_WINDOW = 1 << 20
_OVERLAP = files.BATCH_HEADER - 1
_NEWER = ("unsupported_version", "unknown_number")

OnBatch = Callable[[files.Batch, list[chains.Place]], None]


class Segment(NamedTuple):
    number: int
    name: str
    reader: Reader


class LogWalk:
    """One walk. Afterwards `chain` is the state, and the rest says how far it came and what lies behind."""

    def __init__(self, store: Store, report: Report, anchor: Fields | None, wanted: set[int], sizes: list[int]) -> None:
        self.report = report
        self.anchor = anchor
        self.wanted = wanted
        self.chain: chains.Chain | None = None
        self.snapshots: dict[int, Snapshot] = {}
        self.ends: list[tuple[Segment, int]] = []
        self.damaged = False
        self.followed = False
        self.headers = 0
        self.accounted = 0
        self.total = 0
        self._sizes = sizes
        self._segments: list[Segment] = []
        self._store = store
        self._list()

    def _list(self) -> None:
        """The segment files by number; other names in `log/` are reported."""
        found = []
        for name in self._store.names("log"):
            path = f"log/{name}"
            number = files.number_of(name, ".seg")
            reader = self._store.open(path)
            if reader is None or (number is None and not name.endswith(".seg")):
                self.report.add(NOTICE, path, "a file that the format does not know", file=path)
                self.total += 0 if reader is None else reader.size()
            elif number is None:
                self.report.add(DAMAGED, path, "a segment file that is not the name of a number", file=path)
                self.total += reader.size()
            else:
                found.append(Segment(number, path, reader))
                self.total += reader.size()
        self._segments = sorted(found, key=lambda segment: segment.number)

    @property
    def segments(self) -> int:
        return len(self._segments)

    def run(self, on_batch: OnBatch) -> None:
        """Walks until the end of the log, or until the first thing that does not verify."""
        if not self._segments or self._segments[0].number != 0:
            self._damage("segment 0", "there is no segment 0", "log")
            return
        end = 0
        for index, segment in enumerate(self._segments):
            if segment.number != index:
                self._damage(f"segment {index}", "the segment is missing, and one after it is there", segment.name)
                return
            header = self._header(index, segment)
            if header is None:
                return
            if not self._links(segment, header, end):
                return
            self.headers += 1
            self.followed = segment.number > 0
            self.accounted += files.SEGMENT_HEADER
            stop = self._batches(index, segment, header, on_batch)
            if stop is None:
                return
            end = stop

    def _damage(self, at: str, text: str, file: str, error: str | None = None, offset: int | None = None) -> None:
        self.damaged = True
        self.report.add(DAMAGED, at, text, file=file, error=error, offset=offset)

    def _header(self, index: int, segment: Segment) -> Fields | None:
        """The header of a segment, or None where the walk ends because of it."""
        data = segment.reader.read(0, files.SEGMENT_HEADER)
        try:
            return files.decode_segment_header(data)
        except FormatError as error:
            self._store.pause()
            if segment.reader.read(0, files.SEGMENT_HEADER) != data:
                return self._header(index, segment)
            at = f"segment {segment.number}"
            size = segment.reader.size()
            above = self.anchor is None or segment.number > self.anchor["segment"]
            last = index == len(self._segments) - 1
            following = self.chain.next_batch if self.chain else 0
            if error.word in _NEWER:
                self.damaged = True
                self.report.add(CANNOT_BE_CHECKED, at, error.detail, error=error.word, file=segment.name, offset=0)
            elif not (last and above) or self._header_from(segment, 0, following) is not None:
                self._damage(at, error.detail, segment.name, error.word, 0)
            elif first_nonzero(segment.reader, 0, size) is None:
                self.accounted += size
            else:
                self.report.add(UNACKNOWLEDGED_TAIL, at, error.detail, error=error.word, file=segment.name, offset=0)
            return None

    def _links(self, segment: Segment, header: Fields, end: int) -> bool:
        """Whether a header follows from the walk so far."""
        at = f"segment {segment.number}"
        if self.chain is None:
            self.chain = chains.Chain(header["ledger"], watched=dict.fromkeys(self._sizes))
            self.report.ledger = header["ledger"]
        chain = self.chain
        expected = {
            "segment": segment.number,
            "ledger": chain.ledger,
            "first_batch": chain.next_batch,
            "first_seq": chain.next_seq,
            "previous_record": chain.record_hash,
            "previous_batch": chain.batch_hash,
            "previous_length": end,
        }
        for name, value in expected.items():
            if header[name] != value:
                if name == "first_batch" and header[name] > chain.next_batch:
                    before = self._segments[segment.number - 1]
                    text = f"batch {chain.next_batch} is missing: the next segment begins with batch {header[name]}"
                    self._damage(f"batch {chain.next_batch}", text, before.name, None, end)
                else:
                    self._damage(at, f"{name} of the header does not follow from the log before it", segment.name)
                return False
        if files.frontier_of(header).nodes != chain.tree.nodes:
            self._damage(at, "the frontier is not that of the records before the segment", segment.name, None, 136)
            return False
        if segment.reader.size() > LIMITS["segment_bytes"]:
            self._damage(at, "the file is longer than a segment may be", segment.name, "too_large")
            return False
        return True

    def _batches(self, index: int, segment: Segment, head: Fields, on_batch: OnBatch) -> int | None:
        """Walks the batches of a segment; its end, or None where the walk ends."""
        chain = self.chain
        assert chain is not None
        reader, at, prepared = segment.reader, files.SEGMENT_HEADER, 0
        size = reader.size()
        last = index == len(self._segments) - 1
        while at < size:
            if at >= prepared:
                prepared = at + self._prepare(reader, at)
            first = reader.read(at, files.BATCH_HEADER)
            if not first.startswith(files.BATCH_MAGIC) and first_nonzero(reader, at, size) is None:
                if last:
                    break
                self.ends.append((segment, at))
                self._zeros(index, segment, at)
                return None
            seen = first
            try:
                if self._closed(segment):
                    raise FormatError("bad_value", "bytes behind the batch with which its holder closed the ledger")
                header = files.decode_batch_header(first)
                length = files.batch_length(header)
                if at == files.SEGMENT_HEADER and header["epoch"] != head["epoch"]:
                    raise FormatError("bad_value", "the epoch of the segment header is not that of its first batch")
                seen = reader.read(at, length)
                batch, places = chain.extend(seen, at == files.SEGMENT_HEADER)
            except FormatError as error:
                if self._stopped(index, segment, at, error, seen):
                    return None
                continue
            self.followed = False
            at += length
            self.accounted += length
            on_batch(batch, places)
            if batch.header["batch"] in self.wanted:
                self._keep(segment, at, batch)
        hashes.forget(hashes.CHECK, hashes.RECORD, hashes.BATCH)
        if at == files.SEGMENT_HEADER and not last:
            self._damage(f"segment {segment.number}", "a segment without a batch before another one", segment.name)
            return None
        self.ends.append((segment, at))
        self.accounted += max(0, size - at)
        return at

    def _closed(self, segment: Segment) -> bool:
        """Whether the walk stands behind the batch with which a holder closed the ledger, in its segment."""
        anchor, chain = self.anchor, self.chain
        assert chain is not None
        if anchor is None or anchor["clean"] == 0:
            return False
        return chain.next_batch == int(anchor["batch"]) + 1 and segment.number == anchor["segment"]

    def _zeros(self, index: int, segment: Segment, at: int) -> None:
        """Zeros to the end of a segment that is not the last: a batch that is gone, or a file that was not cut."""
        assert self.chain is not None
        following = self.chain.next_batch
        try:
            header = files.decode_segment_header(self._segments[index + 1].reader.read(0, files.SEGMENT_HEADER))
        except FormatError:
            header = {"first_batch": following}
        if header["first_batch"] > following:
            text = f"batch {following} is missing: the next segment begins with batch {header['first_batch']}"
            self._damage(f"batch {following}", text, segment.name, None, at)
        else:
            text = "zeros behind the last batch of a segment that is not the last"
            self._damage(f"segment {segment.number}", text, segment.name, None, at)

    def _prepare(self, reader: Reader, at: int) -> int:
        """Hashes the next stretch of batches in bulk; the length of it."""
        assert self.chain is not None
        hashes.forget(hashes.CHECK, hashes.RECORD, hashes.BATCH)
        window = reader.read(at, _WINDOW)
        done = chains.ahead(self.chain.ledger, window)
        if done == 0 and len(window) == _WINDOW and window.startswith(files.BATCH_MAGIC):
            length = int.from_bytes(window[36:40], "little") + files.BATCH_HEADER + files.TRAILER
            done = chains.ahead(self.chain.ledger, reader.read(at, min(length, LIMITS["batch_bytes"])))
        return max(done, 1)

    def _keep(self, segment: Segment, end: int, batch: files.Batch) -> None:
        chain = self.chain
        assert chain is not None
        self.snapshots[batch.header["batch"]] = Snapshot(
            batch.hash,
            chain.next_seq - 1,
            chain.record_hash,
            chain.recorded_at,
            batch.root,
            segment.number,
            end,
            chain.next_payload,
            chain.last_erasure,
            chain.epoch,
            chain.payload_file,
            chain.payload_end,
        )

    def _stopped(self, index: int, segment: Segment, at: int, error: FormatError, seen: bytes) -> bool:
        """Judges the first batch that does not verify; False when a writer has written it meanwhile.

        What shows that it was durable is looked for first and its bytes are read again after that: where a writer is
        at work, a later batch is there only when this one is whole.
        """
        assert self.chain is not None
        number = self.chain.next_batch
        offset, seq = at, None
        if isinstance(error, BatchFault):
            offset, seq = at + error.offset, error.seq
        above = self.anchor is None or number > self.anchor["batch"]
        if (
            error.word in _NEWER
            and not isinstance(error, BatchFault)
            and files.BATCH.check_fits(seen[: files.BATCH_HEADER])
        ):
            verdict = CANNOT_BE_CHECKED
        elif not above or self._closed(segment) or self._durable(index, at, number):
            verdict = DAMAGED
        else:
            verdict = UNACKNOWLEDGED_TAIL
        followed = self._durable(index, at, number - 1)
        if above:
            self._store.pause()
            if segment.reader.read(at, len(seen)) != seen:
                return False
        self.damaged = verdict != UNACKNOWLEDGED_TAIL
        self.followed = self.followed or followed
        self.ends.append((segment, at))
        text = error.detail
        if verdict == DAMAGED and above and not self._closed(segment):
            text += "; what lies behind it shows that it was durable"
        self.report.add(verdict, f"batch {number}", text, error=error.word, file=segment.name, offset=offset, seq=seq)
        return True

    def _durable(self, index: int, at: int, number: int) -> bool:
        """Whether anything from a place on shows that the batch of this number was durable."""
        if self._header_from(self._segments[index], at, number + 1) is not None:
            return True
        for segment in self._segments[index + 1 :]:
            try:
                header = files.decode_segment_header(segment.reader.read(0, files.SEGMENT_HEADER))
                if header["first_batch"] > number:
                    return True
            except FormatError:
                pass
            if self._header_from(segment, 0, number) is not None:
                return True
        return False

    def _header_from(self, segment: Segment, start: int, number: int) -> int | None:
        """The offset of a batch header with a valid check and at least this number, from `start` on."""
        reader, at, size = segment.reader, start, segment.reader.size()
        while at < size:
            window = reader.read(at, _WINDOW + _OVERLAP)
            for found in chains.scan_headers(window):
                head = window[found : found + files.BATCH_HEADER]
                if files.BATCH.check_fits(head) and int.from_bytes(head[16:24], "little") >= number:
                    return at + found
            at += _WINDOW
        return None
