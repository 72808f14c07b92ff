"""The verification of a whole ledger directory, step by step (SPEC.md section 20)."""

from dataclasses import dataclass, field

import anchors
import chain as chains
import files
import heads
import signed
from contents import Contents
from errors import FormatError
from keys import KeyFiles, Opener
from layout import NONE_SEQ, Fields
from report import CANNOT_BE_CHECKED, DAMAGED, NOTICE, Report
from settle import Settlement, read_slots
from store import Store, read_all
from walk import LogWalk

_LONGEST_TOML = 1 << 16


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
    """One verification."""

    def __init__(self, store: Store, options: Options) -> None:
        self.store = store
        self.options = options
        self.report = Report()
        self.anchors = anchors.read(store)
        self.notes = list(signed.read_notes(store, self.report))
        sizes = [item.size for item in options.remembered] + [note.size for _, note in self.notes if note.size]
        wanted = {anchor["batch"] for anchor in self.anchors.valid.values()}
        self.walk = LogWalk(store, self.report, self.anchors.chosen, wanted, sizes)
        self.contents: Contents | None = None
        self.keys: KeyFiles | None = None
        self.opener: Opener | None = None
        self.last_batch: tuple[int, list[int]] = (-1, [])

    def run(self) -> Report:
        self.walk.run(self._on_batch)
        self._check_anchors()
        chain = self.walk.chain
        if self.options.log_only:
            self.report.not_checked("payloads and keys", "only the log was asked for")
        elif chain is not None:
            self._check_contents(chain)
        self._check_toml()
        self._check_heads()
        self._claims()
        self._say_what_was_not_checked()
        return self.report

    # payloads and keys

    def _begin(self, ledger: bytes) -> Contents:
        """Opens payload and key files when the ledger id is known."""
        self.keys = KeyFiles(self.store, ledger)
        if self.options.master is not None:
            self.opener = Opener(self.keys, ledger, self.options.master)
        fits = self.opener is not None and self.opener.fits
        return Contents(self.store, self.report, ledger, self.opener.open if self.opener and fits else None)

    def _on_batch(self, batch: files.Batch, places: list[chains.Place]) -> None:
        if self.options.log_only:
            return
        if self.contents is None:
            assert self.walk.chain is not None
            self.contents = self._begin(self.walk.chain.ledger)
        self.last_batch = (batch.header["batch"], [place.reference["id"] for place in places])
        self.contents.take(batch.header, places)

    def _check_contents(self, chain: chains.Chain) -> None:
        """Reads what is left, then judges: erasures may have been carried out until the last read."""
        if self.contents is None:
            self.contents = self._begin(chain.ledger)
        assert self.keys is not None
        self.contents.finish(self._closed(chain))
        slots = read_slots(self.keys, chain)
        tail = self.last_batch if self._ends_with_a_tail() else (-1, [])
        settlement = Settlement(self.report, self.walk, chain, tail, self._complete(chain))
        settlement.payloads(self.contents)
        settlement.keys(slots)

    def _ends_with_a_tail(self) -> bool:
        """Whether the last batch is above the anchor, and nothing behind it shows that it was durable."""
        anchor = self.anchors.chosen
        above = anchor is None or self.last_batch[0] > anchor["batch"]
        return above and not self.walk.followed

    def _closed(self, chain: chains.Chain) -> bool:
        """Whether the log ends at an anchor that says its holder closed it."""
        anchor = self.anchors.chosen
        return anchor is not None and anchor["clean"] == 1 and chain.next_batch == anchor["batch"] + 1

    def _complete(self, chain: chains.Chain) -> bool:
        """Whether the walk saw every erasure that can explain a missing payload."""
        reached = chain.next_batch - 1
        if self.walk.damaged or any(anchor["batch"] > reached for anchor in self.anchors.valid.values()):
            return False
        now = anchors.read(self.store).chosen
        newest = NONE_SEQ if now is None else now["last_erasure"]
        return newest == NONE_SEQ or newest < chain.next_seq

    # anchors

    def _check_anchors(self) -> None:
        """What the anchors say against what the walk found."""
        report, found = self.report, self.anchors
        unreadable = found.unreadable(self.walk.chain.next_batch if self.walk.chain else 0)
        matching = 0
        for path, anchor in found.valid.items():
            fault = self._anchor_fault(anchor)
            if fault is None:
                matching += anchor["batch"] in self.walk.snapshots
            else:
                report.add(DAMAGED, fault[0], fault[1], file=path, offset=0)
        if len(unreadable) == len(anchors.PATHS):
            text = "neither anchor can be read: whether the log is complete cannot be checked"
            path = anchors.PATHS[0]
            report.add(CANNOT_BE_CHECKED, "anchor", text, error=found.errors[path], file=path, offset=0)
        elif found.chosen is None:
            text = "both anchors are blank: nothing in this ledger was acknowledged yet"
            report.add(NOTICE, "anchor", text, file=anchors.PATHS[0], offset=0)
        else:
            for path in unreadable:
                text = "this copy of the anchor cannot be read; the other can"
                report.add(DAMAGED, path, text, error=found.errors[path], file=path, offset=0)
        report.claims["anchors that agree with the log"] = (matching, len(anchors.PATHS))

    def _anchor_fault(self, anchor: Fields) -> tuple[str, str] | None:
        """Where and how an anchor and the log contradict each other."""
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

    # the rest

    def _check_toml(self) -> None:
        chain, data = self.walk.chain, read_all(self.store, "ledger.toml", _LONGEST_TOML)
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

    def _check_heads(self) -> None:
        checks = signed.SignedHeads(self.report, self.walk)
        checks.remembered(self.options.remembered)
        chain = self.walk.chain
        if chain is not None:
            checks.notes(chain, self.notes)
            checks.checkpoints(chain)
            checks.rotations(chain)

    def _claims(self) -> None:
        """How many of how many, of what the walk itself checked."""
        chain, report, walk, anchor = self.walk.chain, self.report, self.walk, self.anchors.chosen
        batches = chain.next_batch if chain else 0
        number = chain.next_seq if chain else 0
        report.head = chain.head() if chain else None
        report.claims = {
            "segments": (walk.headers, walk.segments),
            "batches": (batches, max(batches, anchor["batch"] + 1 if anchor else 0)),
            "records": (number, max(number, anchor["seq"] + 1 if anchor else 0)),
            "log bytes accounted for": (walk.accounted, max(walk.accounted, walk.total)),
            **report.claims,
        }
        if self.contents is not None and self.opener is not None and self.opener.fits:
            tried = self.contents.matching.count() + self.contents.unopened
            report.claims["payloads opened and commitments recomputed"] = (self.opener.opened, tried)
        if chain and chain.unknown:
            report.counts["records of unknown kinds"] = chain.unknown

    def _say_what_was_not_checked(self) -> None:
        report, chain, anchor = self.report, self.walk.chain, self.anchors.chosen
        if not self.options.remembered:
            why = "only the anchor in the same directory was there to compare with, and no remembered head"
            if anchor is None:
                why = "there is no readable anchor and no remembered head"
            report.not_checked("that nothing is missing at the end", why)
        if chain and anchor and chain.next_seq > anchor["seq"] + 1:
            above = chain.next_seq - anchor["seq"] - 1
            report.counts["records above the anchor"] = above
            report.not_checked(f"that {above} records above the anchor are durable", "the anchor ends before them")
        if chain and chain.unknown_critical is not None:
            what = f"the state from record {chain.unknown_critical} on"
            report.not_checked(what, "its kind is not known and is critical")
        if not self.options.log_only:
            self._say_what_was_not_opened()
        now = anchors.read(self.store).chosen
        if anchor is not None and now is not None and now["counter"] != anchor["counter"]:
            report.not_checked("what was written since", "the ledger was written to during the check")

    def _say_what_was_not_opened(self) -> None:
        report, opener = self.report, self.opener
        if self.options.master is None:
            report.not_checked("contents, commitments and key slots under the master key", "no master key was given")
        elif opener is None or not opener.fits:
            why = "it is not the key of this ledger" if opener and opener.readable else "there is no readable key file"
            report.add(CANNOT_BE_CHECKED, "master key", f"contents cannot be checked: {why}")
        else:
            if opener.other_master:
                why = "their key page is masked by another master key"
                report.not_checked(f"the contents of {opener.other_master} payloads", why)
            if opener.without_key:
                report.not_checked(f"the contents of {opener.without_key} payloads", "their key slot is empty")
