"""The verification of a whole ledger directory: brings walk, contents, keys and heads together (SPEC.md section 20)."""

import struct
from dataclasses import dataclass, field
from typing import Iterator

import anchors
import chain as chains
import files
import heads
import merkle
import records
from contents import Contents
from errors import FormatError
from intervals import Intervals
from keys import Opener, KeyFiles
from layout import LIMITS, NONE_SEQ, Fields
from report import CANNOT_BE_CHECKED, DAMAGED, ERASURE_UNFINISHED, NOTICE, UNACKNOWLEDGED_TAIL, Report
from store import Store, read_all
from walk import LogWalk

_EMPTY_SLOT = bytes(files.SLOT)
_LONGEST_TOML = 1 << 16
_MOST_PLACES = 100


@dataclass
class Options:
    """What is checked beside the directory itself."""

    master: bytes | None = None
    remembered: list[heads.Remembered] = field(default_factory=list)
    log_only: bool = False


def verify(store: Store, options: Options) -> Report:
    """Verifies the files of a ledger. It reads and never writes."""
    return Verification(store, options).run()


class Verification:
    """One verification, step by step."""

    def __init__(self, store: Store, options: Options) -> None:
        self.store = store
        self.options = options
        self.report = Report()
        self.anchors = anchors.read(store)
        self.notes = list(self._read_notes())
        sizes = [item.size for item in options.remembered] + [note.size for _, note in self.notes if note.size]
        wanted = {anchor["batch"] for anchor in self.anchors.valid.values()}
        self.walk = LogWalk(store, self.report, self.anchors.chosen, wanted, sizes)
        self.contents: Contents | None = None
        self.keys: KeyFiles | None = None
        self.opener: Opener | None = None
        self.last_ids: list[int] = []
        self.last_batch = -1

    def run(self) -> Report:
        self.walk.run(self._on_batch)
        self._anchor_findings()
        chain = self.walk.chain
        if chain is not None and not self.options.log_only:
            if self.contents is None:
                self._begin(chain.ledger)
            assert self.contents is not None
            self.contents.finish()
            erased = self._settle(chain)
            self._check_contents(chain, erased)
            self._check_keys(chain, erased)
        if self.options.log_only:
            self.report.not_checked("payloads and keys", "only the log was asked for")
        self._check_toml()
        self._check_heads()
        self._claims()
        self._limits_of_this()
        return self.report

    def _begin(self, ledger: bytes) -> None:
        """Opens payload and key files when the ledger id is known."""
        self.keys = KeyFiles(self.store, ledger)
        opener = None
        if self.options.master is not None:
            self.opener = Opener(self.keys, ledger, self.options.master)
            opener = self.opener.open if self.opener.fits else None
        self.contents = Contents(self.store, self.report, ledger, opener)

    def _on_batch(self, batch: files.Batch, places: list[chains.Place]) -> None:
        if self.options.log_only:
            return
        if self.contents is None:
            assert self.walk.chain is not None
            self._begin(self.walk.chain.ledger)
            assert self.contents is not None
        self.last_batch = batch.header["batch"]
        self.last_ids = [place.reference["id"] for place in places]
        self.contents.take(batch.header, places)

    # anchors

    def _anchor_findings(self) -> None:
        """What the anchors say against what the walk found."""
        report, found = self.report, self.anchors
        batches = self.walk.chain.next_batch if self.walk.chain else 0
        unreadable = found.unreadable(batches)
        matching = 0
        for path, anchor in found.valid.items():
            fault = self._anchor_fault(anchor)
            if fault is None:
                matching += anchor["batch"] in self.walk.snapshots
            else:
                report.add(DAMAGED, fault[0], fault[1], file=path, offset=0)
        if found.chosen is None:
            text = "neither anchor can be read: whether the log is complete cannot be checked"
            if not unreadable:
                text = "both anchors are blank: nothing in this ledger was acknowledged yet"
            report.add(CANNOT_BE_CHECKED, "anchor", text, error=found.errors[anchors.PATHS[0]], file=anchors.PATHS[0])
        else:
            for path in unreadable:
                text = "this copy of the anchor cannot be read; the other can"
                report.add(DAMAGED, path, text, error=found.errors[path], file=path, offset=0)
        report.claims["anchors that agree with the log"] = (matching, len(anchors.PATHS))

    def _anchor_fault(self, anchor: Fields) -> tuple[str, str] | None:
        chain = self.walk.chain
        if chain is None:
            return None
        if anchor["ledger"] != chain.ledger:
            return "anchor", "the anchor is that of another ledger"
        snapshot = self.walk.snapshots.get(anchor["batch"])
        if snapshot is None:
            if self.walk.damaged:
                return None
            missing = anchor["seq"] + 1 - chain.next_seq
            return "end", f"the log ends before the anchor: {missing} acknowledged records are missing"
        different = anchors.differences(anchor, snapshot)
        if different:
            return "anchor", f"the log at batch {anchor['batch']} is not what the anchor says: {', '.join(different)}"
        return None

    # payloads and keys

    def _complete(self, chain: chains.Chain) -> bool:
        """Whether the walk saw every erasure that can explain a missing payload."""
        reached = chain.next_batch - 1
        if self.walk.damaged or any(anchor["batch"] > reached for anchor in self.anchors.valid.values()):
            return False
        now = anchors.read(self.store).chosen
        newest = NONE_SEQ if now is None else now["last_erasure"]
        return newest == NONE_SEQ or newest < chain.next_seq

    def _settle(self, chain: chains.Chain) -> Intervals:
        self.complete = self._complete(chain)
        if not self.complete:
            why = "the log could not be followed to its end, and an erasure further on may cover them"
            self.report.not_checked("payloads and keys that are gone", why)
        return chain.erased()

    def _is_tail(self, number: int) -> bool:
        """Whether a payload is one of a last batch that nothing shows to have been durable."""
        anchor = self.anchors.chosen
        above = anchor is None or self.last_batch > anchor["batch"]
        return above and not self.walk.followed and number in self.last_ids

    def _check_contents(self, chain: chains.Chain, erased: Intervals) -> None:
        contents, report = self.contents, self.report
        assert contents is not None
        faulty = Intervals()
        faulty.update(contents.gone)
        faulty.update(contents.other)
        faulty = faulty.without(erased)
        lingering = Intervals()
        lingering.update(contents.matching)
        lingering.update(contents.other)
        lingering = lingering.common(erased)
        places = self.locate(faulty.numbers(_MOST_PLACES) + lingering.numbers(_MOST_PLACES))
        if self.complete:
            for number in faulty.numbers(_MOST_PLACES):
                self._faulty_payload(number, places.get(number))
            report.left_out += max(0, faulty.count() - _MOST_PLACES)
        for number in lingering.numbers(_MOST_PLACES):
            self._unfinished(chain, f"payload {number}", number, "an erased payload is still there", places.get(number))
        report.left_out += max(0, lingering.count() - _MOST_PLACES)
        gone = chain.ids.common(erased)
        matching = contents.matching.without(erased)
        finished = gone.without(lingering)
        report.counts["payloads matching"] = matching.count()
        report.counts["payloads erased"] = gone.count()
        report.claims["payloads"] = (matching.count() + finished.count(), chain.ids.count())
        total = contents.bytes_seen
        report.claims["payload bytes accounted for"] = (total - contents.bytes_stray, total)

    def _faulty_payload(self, number: int, place: chains.Place | None) -> None:
        assert self.contents is not None
        where = _where(place)
        if self._is_tail(number):
            text = f"payload {number} of a batch that was not acknowledged is not as the log says"
            self.report.add(UNACKNOWLEDGED_TAIL, f"batch {self.last_batch}", text, **where)
        elif number in self.contents.gone:
            text = "the stored bytes are gone and no erasure covers them"
            self.report.add(DAMAGED, f"payload {number}", text, error="check_mismatch", **where)
        else:
            text = self.contents.reasons.get(number, "the stored bytes do not match the digest in the log")
            error = None if number in self.contents.reasons else "check_mismatch"
            self.report.add(DAMAGED, f"payload {number}", text, error=error, **where)

    def _unfinished(
        self, chain: chains.Chain, at: str, number: int, text: str, place: chains.Place | None = None, **where: object
    ) -> None:
        """An erasure that was not carried out; it fails when the log says that it was."""
        done = any(item.done_seq is not None and number in item.payloads for item in chain.erasures.values())
        text += ", though the log says that the erasure is done" if done else "; the erasure is not done yet"
        self.report.add(ERASURE_UNFINISHED, at, text, fails=done, **(where or _where(place)))

    def _check_keys(self, chain: chains.Chain, erased: Intervals) -> None:
        keys, report = self.keys, self.report
        assert keys is not None
        if len(keys.missing) == 2:
            if chain.ids:
                report.add(DAMAGED, "keys", "there are no key files", file="keys")
            return
        for path in keys.missing:
            report.add(DAMAGED, path, "one key file is missing; the other is there", file=path)
        for path, end in keys.uneven():
            report.add(DAMAGED, path, "bytes behind the last whole page", error="truncated", file=path, offset=end)
        keys.report_page(report, "key header", 0, keys.header, True)
        needed = -1
        for _, last in chain.ids:
            needed = last // LIMITS["page_slots"]
        for number in chain.peppers:
            needed = max(needed, number // LIMITS["page_slots"])
        pages = keys.pages()
        readable = good = 0
        for number in range(max(pages, min(needed, pages) + 1)):
            page = keys.page(number)
            if page.blank and number > needed:
                continue
            keys.report_page(report, f"key page {number}", number + 1, page, number <= needed)
            readable += page.fields is not None
            if page.fields is not None:
                good += self._check_slots(chain, erased, number, page.fields)
        if needed >= pages:
            report.add(DAMAGED, f"key page {pages}", "the key files end before the slots that the log names", file="keys")
        report.claims["key pages readable in a copy"] = (readable, max(readable, needed + 1))
        report.claims["key slots"] = (good, chain.ids.count())

    def _check_slots(self, chain: chains.Chain, erased: Intervals, number: int, page: Fields) -> int:
        """Judges the slots of one page; how many of the payloads have what the log says."""
        good = 0
        first = LIMITS["page_slots"] * number
        for index in range(LIMITS["page_slots"]):
            slot = first + index
            empty = page["slots"][files.SLOT * index : files.SLOT * index + files.SLOT] == _EMPTY_SLOT
            at = f"key {slot}"
            where = {"file": "keys/slots.a", "offset": files.PAGE * (number + 1) + 64 + files.SLOT * index}
            if slot in erased:
                if not empty:
                    self._unfinished(chain, at, slot, "the key of an erased payload is still there", **where)
                good += empty and slot in chain.ids
            elif slot not in chain.ids:
                if slot in chain.peppers and empty and slot == chain.peppers[-1]:
                    self.report.add(NOTICE, at, "the slot of the pepper is empty", **where)
            elif not empty:
                good += 1
            elif self._is_tail(slot):
                text = f"the key of payload {slot} of a batch that was not acknowledged is missing"
                self.report.add(UNACKNOWLEDGED_TAIL, f"batch {self.last_batch}", text, **where)
            elif self.complete:
                self.report.add(DAMAGED, at, "the key of a payload is gone and no erasure covers it", **where)
        return good

    # second passes

    def records(self) -> Iterator[tuple[Fields, bytes]]:
        """Header of the batch and bytes of every record that the walk verified, read again."""
        for segment, end in self.walk.ends:
            at = files.SEGMENT_HEADER
            while at < end:
                header = files.decode_batch_header(segment.reader.read(at, files.BATCH_HEADER))
                length = files.batch_length(header)
                for raw in files.split_frames(header, segment.reader.read(at, length)).raw:
                    yield header, raw
                at += length

    def locate(self, numbers: list[int]) -> dict[int, chains.Place]:
        """Where the payloads of these ids are."""
        wanted, out = set(numbers), {}
        batch, at = -1, 0
        for header, raw in self.records() if wanted else ():
            if header["batch"] != batch:
                batch, at = header["batch"], header["payload_offset"]
            count = raw[108]
            if not count:
                continue
            record = records.decode_record(raw)
            for reference in record.payloads:
                if reference["id"] in wanted:
                    place = chains.Place(reference, record.header["seq"], batch, header["payload_file"], at)
                    out[reference["id"]] = place
                at += reference["length"]
        return out

    # the rest

    def _check_toml(self) -> None:
        data = read_all(self.store, "ledger.toml", _LONGEST_TOML)
        chain = self.walk.chain
        if chain is None or chain.genesis is None:
            self.report.not_checked("ledger.toml", "record 0 could not be read")
            return
        try:
            if data is None:
                raise FormatError("truncated", "there is no ledger.toml")
            if len(data) > _LONGEST_TOML:
                raise FormatError("too_large", "ledger.toml is too long")
            files.check_ledger_toml(data, chain.genesis)
        except FormatError as error:
            self.report.add(DAMAGED, "ledger.toml", error.detail, error=error.word, file="ledger.toml")

    def _read_notes(self) -> Iterator[tuple[str, heads.Note]]:
        """The checkpoint notes in the directory that can be read; the others are reported."""
        for name in self.store.names("checkpoints"):
            path = f"checkpoints/{name}"
            data = read_all(self.store, path, heads.LONGEST_NOTE)
            if not name.endswith(".note") or data is None:
                self.report.add(NOTICE, path, "a file that the format does not know", file=path)
                continue
            try:
                note = heads.parse_note(data)
                if name != f"{note.size}.note":
                    raise FormatError("bad_value", f"a checkpoint of {note.size} records")
                yield path, note
            except FormatError as error:
                self.report.add(DAMAGED, path, error.detail, error=error.word, file=path)

    def _check_heads(self) -> None:
        """Remembered heads, notes, checkpoint records and the signatures of the log."""
        chain, report, options = self.walk.chain, self.report, self.options
        held = 0
        for item in options.remembered:
            held += self._check_head(f"remembered {item.text()}", item.size, item.value, True, None)
        if options.remembered:
            report.claims["remembered heads"] = (held, len(options.remembered))
        if chain is None:
            return
        held = signed = 0
        for path, note in self.notes:
            held += self._check_head(path, note.size, note.root, False, path)
            result = heads.note_signature(note, chain.keys)
            signed += result is True
            if result is False:
                report.add(DAMAGED, path, "the signature does not verify", error="check_mismatch", file=path)
        if self.notes:
            report.claims["checkpoint notes"] = (held, len(self.notes))
            report.claims["checkpoint notes signed by a key of the log"] = (signed, len(self.notes))
        self._check_checkpoints(chain)
        self._check_rotations(chain)

    def _check_head(self, at: str, size: int, value: bytes, hash_too: bool, file: str | None) -> bool:
        """Whether the log still has a head that it once had."""
        chain, report = self.walk.chain, self.report
        known = chain.watched.get(size) if chain else None
        if size == 0:
            known = (merkle.EMPTY_ROOT, b"")
        if known is None and self.walk.damaged:
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

    def _check_checkpoints(self, chain: chains.Chain) -> None:
        """Sizes, roots and signatures of `checkpoint_signed` records."""
        if not chain.checkpoints:
            return
        roots: dict[int, bytes] = {}
        wanted = {item.size for item in chain.checkpoints}
        tree = merkle.Frontier()
        roots[0] = tree.root()
        for _, raw in self.records():
            tree.push(merkle.leaf_hash(raw))
            if tree.size in wanted:
                roots[tree.size] = tree.root()
        held = signed = checkable = 0
        for item in chain.checkpoints:
            at = f"record {item.seq}"
            if item.size > item.seq or roots.get(item.size) != item.root:
                text = f"the checkpoint of {item.size} records has another root than the log"
                self.report.add(DAMAGED, at, text, error="check_mismatch", seq=item.seq)
                continue
            held += 1
            result = None
            if item.key is not None and item.key[0] == item.algorithm and item.size:
                message = heads.checkpoint_text(chain.origin_at(item.size), item.size, item.root)
                result = heads.check_signature(item.algorithm, item.key[1], message, item.signature)
            checkable += result is not None
            signed += result is True
            if result is False:
                text = "the signature of the checkpoint does not verify"
                self.report.add(DAMAGED, at, text, error="check_mismatch", seq=item.seq)
        total = len(chain.checkpoints)
        self.report.claims["checkpoint records"] = (held, total)
        self.report.claims["checkpoint signatures"] = (signed, total)
        if checkable < total:
            why = "no key of the log is in force for them, or their algorithm is not Ed25519"
            self.report.not_checked(f"{total - checkable} checkpoint signatures", why)

    def _check_rotations(self, chain: chains.Chain) -> None:
        """The signatures of `key_rotated` records."""
        good = total = skipped = 0
        for rotation in chain.rotations:
            for name, result in heads.rotation_signatures(chain.ledger, rotation):
                total += 1
                good += result is True
                skipped += result is None
                if result is False:
                    text = f"key rotation: the {name} is not right" if " " in name else f"the {name} signature is not right"
                    self.report.add(DAMAGED, f"record {rotation.seq}", text, error="check_mismatch", seq=rotation.seq)
        if total:
            self.report.claims["key rotation signatures"] = (good, total)
        if skipped:
            self.report.not_checked(f"{skipped} key rotation signatures", "their algorithm is not Ed25519")

    def _claims(self) -> None:
        chain, report, walk, anchor = self.walk.chain, self.report, self.walk, self.anchors.chosen
        batches = chain.next_batch if chain else 0
        number = chain.next_seq if chain else 0
        report.head = chain.head() if chain else None
        report.claims = {
            "segments": (walk.headers, walk.segments),
            "batches": (batches, max(batches, anchor["batch"] + 1 if anchor else 0)),
            "records": (number, max(number, anchor["seq"] + 1 if anchor else 0)),
            "log bytes accounted for": (walk.accounted, walk.total),
            **report.claims,
        }
        if self.opener is not None and self.opener.fits:
            assert self.contents is not None
            tried = self.contents.matching.count() + len(self.contents.reasons)
            report.claims["payloads opened and commitments recomputed"] = (self.opener.opened, tried)
        if chain and chain.unknown:
            report.counts["records of unknown kinds"] = chain.unknown

    def _limits_of_this(self) -> None:
        """Says what was not checked, and why."""
        report, chain, anchor, opener = self.report, self.walk.chain, self.anchors.chosen, self.opener
        remembered = [item for item in self.options.remembered]
        if anchor is not None and not remembered:
            why = "only the anchor in the same directory was there to compare with, and no remembered head"
            report.not_checked("that nothing is missing at the end", why)
        if anchor is None and not remembered:
            report.not_checked("that nothing is missing at the end", "there is no readable anchor and no remembered head")
        if chain and anchor and chain.next_seq > anchor["seq"] + 1:
            above = chain.next_seq - anchor["seq"] - 1
            report.counts["records above the anchor"] = above
            report.not_checked(f"that {above} records above the anchor are durable", "the anchor ends before them")
        if chain and chain.unknown_critical is not None:
            what = f"the state from record {chain.unknown_critical} on"
            report.not_checked(what, "its kind is not known and is critical")
        if self.options.log_only:
            return
        if self.options.master is None:
            report.not_checked("contents, commitments and key slots under the master key", "no master key was given")
        elif opener is None or not opener.fits:
            why = "the key file cannot be read" if opener and not opener.readable else "it is not the key of this ledger"
            report.add(CANNOT_BE_CHECKED, "master key", f"contents cannot be checked: {why}")
        else:
            if opener.other_master:
                why = "their key page is masked by another master key"
                report.not_checked(f"the contents of {opener.other_master} payloads", why)
            if opener.without_key:
                report.not_checked(f"the contents of {opener.without_key} payloads", "their key slot is empty")
        now = anchors.read(self.store).chosen
        if anchor is not None and now is not None and now["counter"] != anchor["counter"]:
            report.not_checked("what was written since", "the ledger was written to during the check")


def _where(place: chains.Place | None) -> dict[str, object]:
    if place is None:
        return {}
    name = f"payloads/{files.numbered_name(place.file, '.pay')}"
    return {"file": name, "offset": place.offset, "seq": place.seq}
