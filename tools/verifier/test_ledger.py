"""The verification of whole ledgers: every flipped bit is reported, every rule checked, what is right passes."""

import base64
import contextlib
import hashlib
import io
import json
import tempfile
import unittest
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest import mock

import blake3
import chain
import events
import files
import forge
import hashes
import heads
import ledger
import records
import vectors
import verify
from errors import FormatError
from forge import Forge
from layout import Layout
from merkle import Frontier, leaf_hash
from report import Report
from store import MemoryStore

DOCUMENT = json.loads((vectors.DEFAULT / "ledger.json").read_text("utf-8"))
LEDGER_FILES = vectors.ledger_files(DOCUMENT)


def check(contents: dict[str, bytes], **options: Any) -> Report:
    return ledger.verify(MemoryStore(contents), ledger.Options(**options))


def flipped(data: bytes, at: int) -> bytes:
    out = bytearray(data)
    out[at] ^= 1 << at % 8
    return bytes(out)


class _Memo:
    """Answers for hashes that are the same in thousands of almost equal ledgers."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, bytes], bytes] = {}
        self._alone = lru_cache(maxsize=4096)(blake3.derive)

    def derive(self, context: str, data: bytes) -> bytes:
        found = self.known.get((context, data))
        return self._alone(context, data) if found is None else found

    def prime(self, covered: list[bytes]) -> None:
        self.known.update(zip(((hashes.CHECK, data) for data in covered), blake3.derive_many(hashes.CHECK, covered)))

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        with (
            mock.patch.object(hashes, "_derive", self.derive),
            mock.patch.object(hashes, "prepare", lambda context, inputs: None),
        ):
            yield


class FlippedBits(unittest.TestCase):
    """One bit at a time in the ledger of the vectors.

    Inside long runs of zeros every 64th byte is taken: they are reserved bytes of pages, all under the check of their
    page (`test_spec.py` shows that no byte of a page is outside of it), and the bytes behind the last batch.
    """

    PAGES: tuple[tuple[str, int, Layout], ...] = (
        ("log/0000000000.seg", 0, files.SEGMENT),
        ("log/0000000001.seg", 0, files.SEGMENT),
        *(
            (f"keys/slots.{copy}", page, layout)
            for copy in "ab"
            for page, layout in ((0, files.KEY_FILE), (4096, files.KEY_PAGE))
        ),
    )

    def offsets(self, data: bytes) -> list[int]:
        """The bytes to flip: all that are not zero or near one that is not, and some of the others."""
        out = []
        for at in range(len(data)):
            inside = not any(data[max(0, at - 8) : at + 9])
            if not inside or at % 64 == 3:
                out.append(at)
        return out

    def test_every_byte_is_missed_by_nobody(self) -> None:
        memo, tried = _Memo(), 0
        with memo.in_use():
            self.assertEqual(check(LEDGER_FILES).findings, [])
            for path, data in LEDGER_FILES.items():
                offsets = self.offsets(data)
                for page_path, start, layout in self.PAGES:
                    if page_path == path:
                        page = data[start : start + 4096]
                        inside = [at - start for at in offsets if start <= at < start + 4096]
                        memo.prime([layout.covered_bytes(flipped(page, at)) for at in inside])
                for at in offsets:
                    report = check({**LEDGER_FILES, path: flipped(data, at)})
                    tried += 1
                    if not report.findings:
                        self.fail(f"{path} at {at}: a flipped bit is not reported")
                    if report.exit_code() != 3 and report.verdict != "erasure_unfinished":
                        self.fail(f"{path} at {at}: {report.verdict} at {report.at}")
                memo.known.clear()
        self.assertGreater(tried, 4000)

    def test_the_place_of_a_flipped_record(self) -> None:
        path, data = "log/0000000000.seg", LEDGER_FILES["log/0000000000.seg"]
        at = 4096 + files.BATCH_HEADER + 2 + records.HEADER + 20
        finding = check({**LEDGER_FILES, path: flipped(data, at)}).findings[0]
        self.assertEqual(
            (finding.verdict, finding.at, finding.file, finding.error), ("damaged", "batch 0", path, "check_mismatch")
        )
        self.assertGreaterEqual(finding.offset or 0, 4096)
        self.assertEqual(finding.seq, 1)

    def test_the_place_of_a_flipped_payload(self) -> None:
        path = "payloads/0000000000.pay"
        finding = check({**LEDGER_FILES, path: flipped(LEDGER_FILES[path], 400)}).findings[0]
        self.assertEqual((finding.at, finding.file, finding.offset, finding.seq), ("payload 4", path, 376, 5))


class Truncation(unittest.TestCase):
    def test_every_length_of_the_last_segment(self) -> None:
        path, memo = "log/0000000001.seg", _Memo()
        end = files.decode_anchor(LEDGER_FILES["anchor.a"])["segment_end"]
        with memo.in_use():
            for length in [*range(0, 4096, 97), *range(4096, end, 3), end - 1]:
                report = check({**LEDGER_FILES, path: LEDGER_FILES[path][:length]})
                self.assertEqual((report.verdict, report.exit_code()), ("damaged", 3), length)
            for length in (end, end + 1, len(LEDGER_FILES[path])):
                self.assertEqual(check({**LEDGER_FILES, path: LEDGER_FILES[path][:length]}).verdict, "verified")

    def test_other_files_cut_short(self) -> None:
        for path in LEDGER_FILES:
            if not path.startswith("log/0000000001"):
                report = check({**LEDGER_FILES, path: LEDGER_FILES[path][:-1]})
                self.assertEqual(report.exit_code(), 3, path)

    def test_files_gone(self) -> None:
        for path in LEDGER_FILES:
            left = {name: data for name, data in LEDGER_FILES.items() if name != path}
            self.assertEqual(check(left).exit_code(), 3, path)
        bare = {name: data for name, data in LEDGER_FILES.items() if not name.startswith("keys/")}
        self.assertEqual(check(bare).at, "keys")

    def test_a_log_cut_with_its_anchors_needs_a_remembered_head(self) -> None:
        forged = Forge()
        for _ in range(3):
            forged.add("pin", forge.pin())
            forged.commit()
        head = heads.Remembered(forged.next_seq, forged.tree.root())
        cut = Forge()
        cut.add("pin", forge.pin())
        cut.commit()
        self.assertEqual(check(cut.files()).verdict, "verified")
        self.assertIn("no remembered head", str(check(cut.files()).unchecked))
        report = check(cut.files(), remembered=[head])
        self.assertEqual((report.verdict, report.exit_code()), ("damaged", 3))
        self.assertIn("rollback", report.findings[0].text)


def grown(batches: int = 3) -> Forge:
    """A ledger with a payload in each of some batches."""
    forged = Forge()
    for i in range(batches):
        forged.add("pin", forge.pin(), (b"text %d" % i,))
        forged.commit()
    return forged


class RightLedgers(unittest.TestCase):
    def test_claims(self) -> None:
        report = check(grown().files(), master=forge.MASTER)
        self.assertEqual(report.findings, [])
        self.assertEqual(report.verdict, "verified")
        for name, (done, total) in report.claims.items():
            self.assertEqual(done, total, name)
        self.assertEqual(report.claims["records"], (5, 5))
        self.assertEqual(report.claims["payloads opened and commitments recomputed"], (3, 3))

    def test_many_records_over_segments_and_pages(self) -> None:
        forged = Forge()
        for i in range(12):
            if i % 5 == 4:
                forged.reopen()
            for j in range(30):
                forged.add("pin", forge.pin(j), (b"%d %d" % (i, j),) if j % 2 else ())
            forged.commit(gap=64 if i % 3 == 0 else 0)
        report = check(forged.files(), master=forge.MASTER)
        self.assertEqual(report.findings, [])
        self.assertEqual(report.claims["key pages readable in a copy"], (2, 2))

    def test_two_payload_files(self) -> None:
        forged = grown(1)
        forged.begin_payload_file()
        forged.add("pin", forge.pin(), (b"in the next file",))
        forged.commit()
        self.assertEqual(check(forged.files(), master=forge.MASTER).findings, [])
        gone = forged.files()
        del gone["payloads/0000000000.pay"]
        self.assertEqual(check(gone).at, "payload 1")

    def test_payload_files_that_nothing_explains(self) -> None:
        contents = grown(1).files()
        begun = files.PAYLOAD_FILE.encode({"version": 1, "file": 1, "ledger": forge.LEDGER})
        first, second, third = (f"payloads/000000000{number}.pay" for number in (1, 2, 3))
        self.assertEqual(check({**contents, first: begun}).findings, [])
        self.assertEqual(check({**contents, first: begun + b"x"}).findings[0].verdict, "notice")
        self.assertEqual(check({**contents, second: contents["payloads/0000000000.pay"]}).at, second)
        self.assertEqual(check({**contents, first: begun, third: b""}).at, third)

    def test_a_batch_larger_than_the_window(self) -> None:
        forged = Forge()
        for _ in range(40):
            forged.add(9999, bytes(60000))
        forged.commit()
        forged.add("pin", forge.pin())
        forged.commit()
        report = check(forged.files())
        self.assertEqual(report.findings, [])
        self.assertEqual(report.counts["records of unknown kinds"], 40)

    def test_unknown_critical_records_are_said(self) -> None:
        forged = Forge()
        seq = forged.add(9999, b"?", flags=1)
        forged.commit()
        report = check(forged.files())
        self.assertEqual(report.verdict, "verified")
        self.assertIn(f"the state from record {seq} on", str(report.unchecked))

    def test_the_log_alone(self) -> None:
        bare = {name: data for name, data in grown().files().items() if not name.startswith(("keys/", "payloads/"))}
        report = check(bare, log_only=True)
        self.assertEqual(report.verdict, "verified")
        self.assertIn("payloads and keys", str(report.unchecked))

    def test_a_quoted_origin(self) -> None:
        genesis = {**forge.GENESIS, "origin": 'a "b" \\ {c}'}
        contents = Forge(genesis=genesis).files()
        quoted = files.ledger_toml_values(genesis)
        quoted["origin"] = 'a \\"b\\" \\\\ {c}'
        contents["ledger.toml"] = files.TOML.format(**quoted).encode()
        self.assertEqual(check(contents).findings, [])


class BeingWritten(unittest.TestCase):
    """What stands above the anchor."""

    def test_whole_batches_above_the_anchor(self) -> None:
        report = check(grown().files(anchored=2))
        self.assertEqual((report.verdict, report.exit_code()), ("verified", 0))
        self.assertEqual(report.counts["records above the anchor"], 2)
        self.assertIn("2 records above the anchor", str(report.unchecked))

    def test_a_torn_batch_above_the_anchor(self) -> None:
        contents = grown().files(anchored=3)
        path = "log/0000000000.seg"
        contents[path] = contents[path][:-10] + bytes(5000)
        report = check(contents)
        self.assertEqual((report.verdict, report.at, report.exit_code()), ("unacknowledged_tail", "batch 3", 0))
        self.assertEqual(report.findings[0].file, path)

    def test_a_torn_batch_below_the_anchor(self) -> None:
        contents = grown().files(anchored=4)
        path = "log/0000000000.seg"
        contents[path] = contents[path][:-10] + bytes(5000)
        self.assertEqual(check(contents).verdict, "damaged")

    def lost_payload(self, forged: Forge) -> dict[str, bytes]:
        """The files of a ledger that is anchored at batch 2, with the payload of batch 3 never written."""
        contents = forged.files(anchored=3)
        data = bytearray(contents["payloads/0000000000.pay"])
        data[forged.offsets[3] : forged.offsets[3] + 104] = bytes(104)
        contents["payloads/0000000000.pay"] = bytes(data)
        return contents

    def test_the_last_payload_above_the_anchor_never_written(self) -> None:
        report = check(self.lost_payload(grown()))
        self.assertEqual((report.verdict, report.at, report.exit_code()), ("unacknowledged_tail", "batch 3", 0))

    def test_a_lost_payload_with_something_behind_it(self) -> None:
        forged = grown()
        forged.add("pin", forge.pin())
        forged.commit()
        self.assertEqual(check(self.lost_payload(forged)).at, "payload 3")
        contents = self.lost_payload(forged)
        contents["log/0000000000.seg"] = contents["log/0000000000.seg"][:-10]
        report = check(contents)
        self.assertEqual((report.verdict, report.at), ("damaged", "payload 3"))
        forged = grown()
        forged.epoch = 2
        forged.begin_segment()
        report = check(self.lost_payload(forged))
        self.assertEqual((report.verdict, report.at), ("damaged", "payload 3"))

    def test_payload_bytes_before_their_batch(self) -> None:
        contents = grown().files()
        contents["payloads/0000000000.pay"] += b"\x01" * 50
        report = check(contents)
        self.assertEqual((report.verdict, report.exit_code()), ("verified", 0))
        self.assertEqual(report.findings[0].verdict, "notice")

    def test_bytes_and_files_behind_the_payloads_of_a_closed_ledger(self) -> None:
        forged = grown()
        contents = forged.files()
        newest = max(("anchor.a", "anchor.b"), key=lambda name: files.decode_anchor(contents[name])["counter"])
        contents[newest] = forged.anchor(clean=1)
        self.assertEqual(check(contents).findings, [])
        path = "payloads/0000000000.pay"
        stray = {**contents, path: contents[path] + b"\x01"}
        self.assertEqual((check(stray).verdict, check(stray).at), ("damaged", path))
        begun = files.PAYLOAD_FILE.encode({"version": 1, "file": 1, "ledger": forge.LEDGER})
        path = "payloads/0000000001.pay"
        self.assertEqual(check({**contents, path: begun}).at, path)

    def test_bytes_between_payloads(self) -> None:
        forged = grown(1)
        forged.add("pin", forge.pin(), (b"later",))
        forged.commit(gap=64)
        contents = forged.files()
        data = bytearray(contents["payloads/0000000000.pay"])
        data[64 + 104 + 10] = 1
        contents["payloads/0000000000.pay"] = bytes(data)
        self.assertEqual(check(contents).at, "payloads/0000000000.pay")

    def test_a_young_ledger_with_blank_anchors(self) -> None:
        contents = Forge().files()
        self.assertEqual(check({**contents, "anchor.b": bytes(512)}).verdict, "verified")
        blank = check({**contents, "anchor.a": bytes(512), "anchor.b": bytes(512)})
        self.assertEqual((blank.verdict, len(blank.findings)), ("verified", 1))
        self.assertIn("no readable anchor", str(blank.unchecked))
        older = grown().files()
        self.assertEqual(check({**older, "anchor.b": bytes(512)}).at, "anchor.b")
        self.assertEqual(check({**older, "anchor.a": bytes(512), "anchor.b": bytes(512)}).exit_code(), 4)

    def test_two_anchors_under_one_counter(self) -> None:
        forged = grown()
        contents = {**forged.files(), "anchor.b": forged.anchor(epoch=7)}
        self.assertEqual(check(contents).exit_code(), 4)

    def test_anchors_that_were_not_written_in_turn(self) -> None:
        forged = grown()
        files_ = forged.files()
        newest = files.decode_anchor(files_["anchor.a"])["counter"]
        for counter, code in ((newest + 1, 0), (newest + 2, 3), (newest + 9, 3)):
            contents = {**files_, "anchor.b": forged.anchor(counter=counter)}
            self.assertEqual(check(contents).exit_code(), code, counter)

    def test_an_anchor_that_says_otherwise(self) -> None:
        names = (
            "recorded_at",
            "segment_end",
            "next_payload",
            "payload_file",
            "payload_end",
            "epoch",
            "last_erasure",
            "root",
        )
        for field in names:
            forged = grown()
            value = bytes(32) if field == "root" else 9999
            contents = {**forged.files(), "anchor.a": forged.anchor(counter=9, **{field: value})}
            report = check(contents)
            self.assertEqual((report.verdict, report.at), ("damaged", "anchor"), field)
            self.assertIn(field, report.findings[0].text)


class Rules(unittest.TestCase):
    """Ledgers whose hashes all fit, and that break one rule. Every one of them must be refused in its batch."""

    def refused(self, forged: Forge, at: str, words: str) -> None:
        report = check(forged.files())
        self.assertEqual((report.verdict, report.at), ("damaged", at), words)
        self.assertIn(words, report.findings[0].text)

    def test_records(self) -> None:
        cases: tuple[tuple[dict[str, Any], str], ...] = (
            ({"recorded_at": forge.START - 1}, "recorded_at decreases"),
            ({"policy": 3}, "policy 3"),
            ({"flags": 1 | records.FLAG_BEHIND}, "behind"),
            ({"flags": 1 | records.FLAG_DECLARED, "wall_time": 5}, "declared"),
            ({"seq": 7}, "in the place of 2"),
            ({"prev": b"\x01" * 32}, "hash of the record before"),
            ({"flags": 0}, "critical bit"),
            ({"version": 2}, "version"),
        )
        for changes, words in cases:
            with self.subTest(words=words):
                forged = Forge()
                forged.add("pin", forge.pin(), **changes)
                forged.commit()
                self.refused(forged, "batch 1", words)

    def test_a_record_that_was_held_back(self) -> None:
        forged = Forge()
        before = forged.now
        forged.add("pin", forge.pin(), flags=1 | records.FLAG_BEHIND, recorded_at=before, wall_time=before - 5)
        forged.commit()
        self.assertEqual(check(forged.files(anchored=1)).verdict, "verified")

    def test_headers(self) -> None:
        cases: tuple[tuple[dict[str, Any], str], ...] = (
            ({"epoch": 2}, "epoch 2 in the header"),
            ({"last_erasure": 1}, "last_erasure"),
            ({"next_payload": 0}, "next_payload decreases"),
            ({"batch": 2, "first": 2}, "batch of the header"),
            ({"previous": b"\x05" * 32}, "previous of the header"),
            ({"payload_length": 5}, "payload_length"),
        )
        for changes, words in cases:
            with self.subTest(words=words):
                forged = Forge()
                forged.add("pin", forge.pin())
                forged.commit(**changes)
                self.refused(forged, "batch 1", words)

    def test_payloads(self) -> None:
        forged = grown(1)
        forged.add("pin", forge.pin(), (b"again",), payload_ids=(1,))
        forged.commit()
        self.refused(forged, "batch 2", "used twice")
        forged = grown(1)
        forged.add("pin", forge.pin(), (b"a", b"b"), payload_ids=(5, 5))
        forged.commit()
        self.refused(forged, "batch 2", "used twice")
        forged = grown(1)
        forged.add("pin", forge.pin(), (b"far",), payload_ids=(50,))
        forged.commit(next_payload=50)
        self.refused(forged, "batch 2", "next_payload")
        forged = grown(1)
        forged.add("pin", forge.pin(), (b"over the one before",))
        forged.commit(payload_offset=64)
        self.refused(forged, "batch 2", "before the end")

    def test_genesis_and_epochs(self) -> None:
        forged = Forge()
        forged.add("genesis", forge.GENESIS)
        forged.commit()
        self.refused(forged, "batch 1", "genesis")
        forged = Forge(begin=False)
        forged.add("pin", forge.pin())
        forged.commit()
        self.refused(forged, "batch 0", "genesis")
        forged = Forge(begin=False)
        forged.add("genesis", forge.GENESIS)
        forged.add("pin", forge.pin())
        forged.commit()
        self.refused(forged, "batch 0", "epoch record")
        forged = Forge(begin=False)
        forged.add("genesis", {**forge.GENESIS, "ledger": b"\x08" * 16})
        forged.commit()
        self.refused(forged, "batch 0", "another ledger")
        forged = Forge()
        forged.epoch = 2
        forged.add("epoch", forge.epoch_body(2))
        forged.commit()
        self.refused(forged, "batch 1", "does not begin a segment")
        forged = Forge()
        forged.begin_segment()
        forged.add("epoch", forge.epoch_body(1))
        forged.commit()
        self.refused(forged, "batch 1", "epoch 1 after 1")

    def test_policies(self) -> None:
        forged = Forge()
        forged.add("policy_set", {"version": 2, "previous": 0})
        forged.policy = 2
        forged.add("pin", forge.pin())
        forged.commit()
        self.assertEqual(check(forged.files()).verdict, "verified")
        forged.add("policy_set", {"version": 2, "previous": 2})
        forged.commit()
        self.refused(forged, "batch 2", "policy")

    def test_segments(self) -> None:
        for field, value in (
            ("first_seq", 3),
            ("previous_record", b"\x01" * 32),
            ("previous_batch", b"\x01" * 32),
            ("previous_length", 5000),
            ("segment", 2),
            ("ledger", b"\x08" * 16),
            ("frontier", (b"\x01" * 32).ljust(3944, b"\0")),
        ):
            with self.subTest(field=field):
                forged = Forge()
                forged.epoch = 2
                forged.begin_segment(**{field: value})
                forged.add("epoch", forge.epoch_body(2))
                forged.commit()
                report = check(forged.files())
                self.assertEqual((report.verdict, report.at), ("damaged", "segment 1"))
        forged = Forge()
        forged.epoch = 2
        forged.begin_segment(epoch=1)
        forged.add("epoch", forge.epoch_body(2))
        forged.commit()
        self.refused(forged, "batch 1", "epoch of the segment header")

    def test_a_later_format_is_no_damage(self) -> None:
        for field in ("major", "min_reader", "suite"):
            forged = Forge()
            forged.add("pin", forge.pin())
            forged.commit(**{field: 2})
            report = check(forged.files())
            self.assertEqual((report.verdict, report.at, report.exit_code()), ("cannot_be_checked", "batch 1", 4))


class Erasures(unittest.TestCase):
    def erased(self, *intents: dict[str, Any], done: bool = True) -> Forge:
        forged = grown()
        for intent in intents:
            forged.add("erase_intent", intent)
        if done:
            forged.add("erase_done", forge.erase_done())
        forged.commit()
        return forged

    def test_carried_out(self) -> None:
        forged = self.erased(forge.erase_intent([(1, 1), (3, 3)]))
        forged.erase(1, 3)
        report = check(forged.files(), master=forge.MASTER)
        self.assertEqual(report.findings, [])
        self.assertEqual(report.claims["payloads"], (3, 3))
        self.assertEqual(report.counts["payloads erased"], 2)

    def test_in_parts(self) -> None:
        forged = self.erased(forge.erase_intent([(1, 1)], 0, 2), forge.erase_intent([(2, 3)], 1, 2))
        forged.erase(1, 2, 3)
        self.assertEqual(check(forged.files()).findings, [])

    def test_a_part_missing(self) -> None:
        forged = self.erased(forge.erase_intent([(1, 1)], 0, 2), done=False)
        forged.erase(1)
        report = check(forged.files())
        self.assertEqual([finding.at for finding in report.findings], ["payload 1", "key 1"])
        self.assertEqual(report.verdict, "damaged")

    def test_nothing_covers_it(self) -> None:
        forged = self.erased(forge.erase_intent([(1, 1)]))
        forged.erase(1, 2)
        report = check(forged.files())
        self.assertEqual((report.verdict, report.at), ("damaged", "payload 2"))

    def test_not_carried_out(self) -> None:
        forged = self.erased(forge.erase_intent([(1, 1)]))
        forged.erase(1, contents=False)
        report = check(forged.files())
        self.assertEqual((report.verdict, report.at, report.exit_code()), ("erasure_unfinished", "payload 1", 3))
        forged = self.erased(forge.erase_intent([(1, 1)]))
        forged.erase(1, keys=False)
        report = check(forged.files())
        self.assertEqual((report.verdict, report.at, report.exit_code()), ("erasure_unfinished", "key 1", 3))

    def test_on_its_way(self) -> None:
        report = check(self.erased(forge.erase_intent([(1, 2)]), done=False).files())
        self.assertEqual((report.verdict, report.exit_code()), ("erasure_unfinished", 0))
        self.assertIn("not done yet", report.findings[0].text)

    def test_an_unreadable_log_does_not_judge_what_is_gone(self) -> None:
        forged = self.erased(forge.erase_intent([(1, 1)]))
        forged.erase(1)
        contents = forged.files()
        path = "log/0000000000.seg"
        contents[path] = flipped(contents[path], len(contents[path]) - 100)
        report = check(contents)
        self.assertEqual((report.verdict, report.at), ("damaged", "batch 4"))
        self.assertEqual({finding.at for finding in report.findings}, {"batch 4"})
        self.assertIn("gone", str(report.unchecked))

    def test_damage_above_the_anchor_does_not_judge_it_either(self) -> None:
        forged = self.erased(forge.erase_intent([(1, 1)]))
        forged.add("pin", forge.pin())
        forged.commit()
        forged.erase(1)
        contents = forged.files(anchored=3)
        path = "log/0000000000.seg"
        at = contents[path].rindex(files.BATCH_MAGIC) - 100
        report = check({**contents, path: flipped(contents[path], at)})
        self.assertEqual((report.verdict, {finding.at for finding in report.findings}), ("damaged", {"batch 4"}))


class UnderTheMasterKey(unittest.TestCase):
    def test_another_key_is_no_damage(self) -> None:
        report = check(grown().files(), master=bytes(32))
        self.assertEqual((report.verdict, report.at, report.exit_code()), ("cannot_be_checked", "master key", 4))
        self.assertEqual(check(grown().files(), master=forge.MASTER).verdict, "verified")

    def test_a_payload_key_that_does_not_open(self) -> None:
        forged = grown()
        forged.keys[2] = b"\x55" * 32
        self.assertEqual(check(forged.files()).verdict, "verified")
        report = check(forged.files(), master=forge.MASTER)
        self.assertEqual((report.verdict, report.at), ("damaged", "payload 2"))
        self.assertIn("not_opened", report.findings[0].text)

    def test_a_commitment_to_another_text(self) -> None:
        original = hashes.commitment
        with mock.patch.object(hashes, "commitment", lambda salt, role, text: original(salt, role, text + b"!")):
            forged = grown()
        self.assertEqual(check(forged.files()).verdict, "verified")
        report = check(forged.files(), master=forge.MASTER)
        self.assertEqual((report.verdict, report.at), ("damaged", "payload 1"))
        self.assertIn("commitment", report.findings[0].text)

    def test_pages_that_belong_elsewhere(self) -> None:
        forged = Forge()
        for _ in range(130):
            forged.add("pin", forge.pin(), (b"text",))
        forged.commit()
        contents = forged.files()
        keys = contents["keys/slots.a"]
        self.assertEqual(len(keys), 3 * files.PAGE)
        swapped = keys[: files.PAGE] + keys[2 * files.PAGE :] + keys[files.PAGE : 2 * files.PAGE]
        self.assertEqual(check({**contents, "keys/slots.a": swapped}).at, "keys/slots.a")
        page = files.decode_key_page(keys[files.PAGE : 2 * files.PAGE])
        other = files.KEY_PAGE.encode({**page, "ledger": b"\x08" * 16, "generation": 9})
        foreign = keys[: files.PAGE] + other + keys[2 * files.PAGE :]
        self.assertEqual(check({**contents, "keys/slots.b": foreign}).at, "keys/slots.b")

    def test_two_pages_of_one_generation(self) -> None:
        forged = grown()
        contents = forged.files()
        forged.keys[9] = b"\x66" * 32
        contents["keys/slots.b"] = forged.key_file()
        self.assertEqual(check(contents).at, "key page 0")


class Heads(unittest.TestCase):
    SIGNER = forge.Signer(b"seed")

    def signed(self, **changes: Any) -> Forge:
        """A ledger with a signing key and a checkpoint over its first two records."""
        forged = grown(1)
        root = forged.tree.root()
        size = forged.next_seq
        seq = forged.next_seq
        new = {"algorithm": heads.ED25519, "bytes": self.SIGNER.public}
        message = hashes.key_rotation_message(forge.LEDGER, seq, heads.ED25519, self.SIGNER.public)
        rotation = {"new": new, "old": None, "new_signature": self.SIGNER.sign(message), "old_signature": None}
        forged.add("key_rotated", {**rotation, **changes.pop("rotation", {})})
        text = heads.checkpoint_text("ledger.example/home", size, root)
        body = {"size": size, "root": root, "views": None, "algorithm": 1, "signature": self.SIGNER.sign(text)}
        forged.add("checkpoint_signed", {**body, **changes})
        forged.commit()
        return forged

    def note(self, size: int, root: bytes, signer: forge.Signer | None = None) -> bytes:
        signer = signer or self.SIGNER
        text = heads.checkpoint_text("ledger.example/home", size, root)
        name = "ledger.example/home"
        number = hashlib.sha256(name.encode() + b"\n\x01" + self.SIGNER.public).digest()[:4]
        value = base64.b64encode(number + signer.sign(text)).decode()
        return text + f"\n\u2014 {name} {value}\n".encode()

    def test_signed(self) -> None:
        report = check(self.signed().files())
        self.assertEqual(report.findings, [])
        for name in ("checkpoint records", "checkpoint signatures", "key rotation signatures"):
            self.assertEqual(report.claims[name], (1, 1))

    def test_wrong(self) -> None:
        cases: tuple[tuple[dict[str, Any], str], ...] = (
            ({"root": b"\x01" * 32}, "another root"),
            ({"size": 40}, "another root"),
            ({"signature": bytes(64)}, "signature"),
            ({"rotation": {"new_signature": bytes(64)}}, "new signature"),
            ({"rotation": {"old": {"algorithm": 1, "bytes": bytes(32)}, "old_signature": bytes(64)}}, "old signature"),
        )
        for changes, words in cases:
            report = check(self.signed(**changes).files())
            self.assertEqual(report.verdict, "damaged", words)
            self.assertIn(words, report.findings[0].text)

    def test_an_algorithm_that_is_not_checked_is_said(self) -> None:
        report = check(self.signed(algorithm=2).files())
        self.assertEqual(report.verdict, "verified")
        self.assertIn("checkpoint signatures", str(report.unchecked))
        self.assertEqual(report.claims["checkpoint signatures"], (0, 1))

    def test_notes(self) -> None:
        forged = self.signed()
        size, root = forged.next_seq, forged.tree.root()
        forged.add("pin", forge.pin())
        forged.commit()
        contents = forged.files()
        path = f"checkpoints/{size}.note"
        self.assertEqual(check({**contents, path: self.note(size, root)}).findings, [])
        report = check({**contents, path: self.note(size, b"\x02" * 32)})
        self.assertIn("fork", report.findings[0].text)
        report = check({**contents, "checkpoints/90.note": self.note(90, root)})
        self.assertIn("rollback", report.findings[0].text)
        report = check({**contents, path: self.note(size, root, forge.Signer(b"other"))})
        self.assertIn("signature", report.findings[0].text)
        for wrong in (b"", b"text", self.note(size + 1, root), self.note(size, root)[1:]):
            self.assertEqual(check({**contents, path: wrong}).exit_code(), 3)
        unsigned = self.note(size, root).replace(b"\xe2\x80\x94 ledger", b"\xe2\x80\x94 other")
        report = check({**contents, path: unsigned})
        self.assertEqual(report.verdict, "verified")
        self.assertIn(f"the signature of {path}", str(report.unchecked))

    def test_remembered(self) -> None:
        forged = grown()
        contents = forged.files()
        for size in range(1, forged.next_seq + 1):
            tree = Frontier()
            for raw in forged.raw[:size]:
                tree.push(leaf_hash(raw))
            for value in (tree.root(), hashes.record_hash(forge.LEDGER, forged.raw[size - 1])):
                report = check(contents, remembered=[heads.Remembered(size, value)])
                self.assertEqual(report.verdict, "verified")
                self.assertEqual(report.claims["remembered heads"], (1, 1))
            report = check(contents, remembered=[heads.Remembered(size, b"\x01" * 32)])
            self.assertIn("fork", report.findings[0].text)


class CommandLine(unittest.TestCase):
    def run_on(self, contents: dict[str, bytes], *arguments: str, key: bytes | None = None) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as directory:
            for path, data in contents.items():
                full = Path(directory, "ledger", path)
                full.parent.mkdir(parents=True, exist_ok=True)
                full.write_bytes(data)
            extra = list(arguments)
            if key is not None:
                Path(directory, "key").write_text(key.hex() + "\n")
                extra += ["--key-file", str(Path(directory, "key"))]
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                try:
                    code = verify.main([str(Path(directory, "ledger")), *extra])
                except SystemExit as stop:
                    code = int(stop.code or 0)
            return code, out.getvalue()

    def test_exit_codes(self) -> None:
        contents = LEDGER_FILES
        self.assertEqual(self.run_on(contents)[0], 0)
        self.assertEqual(self.run_on(contents, key=bytes.fromhex(DOCUMENT["master"]))[0], 0)
        self.assertEqual(self.run_on(contents, key=bytes(32))[0], 4)
        self.assertEqual(self.run_on({**contents, "anchor.a": b"", "anchor.b": b""})[0], 4)
        self.assertEqual(self.run_on({**contents, "log/0000000000.seg": b""})[0], 3)
        self.assertEqual(self.run_on({"something": b""})[0], 2)
        self.assertEqual(self.run_on(contents, "--remembered", "5")[0], 2)
        self.assertEqual(self.run_on(contents, "--remembered", "5:zz")[0], 2)
        self.assertEqual(self.run_on(contents, "--key-file", "/nonexistent")[0], 2)
        self.assertEqual(self.run_on(contents, "--unknown")[0], 2)

    def test_text(self) -> None:
        code, text = self.run_on(LEDGER_FILES)
        self.assertEqual(code, 0)
        for expected in ("10 of 10", "not checked", "no master key was given", "verdict: verified"):
            self.assertIn(expected, text)
        _, text = self.run_on({**LEDGER_FILES, "log/0000000000.seg": flipped(LEDGER_FILES["log/0000000000.seg"], 5000)})
        self.assertIn("damaged: batch 1", text)
        self.assertIn("file log/0000000000.seg, offset ", text)

    def test_json(self) -> None:
        head = DOCUMENT["head"]
        code, text = self.run_on(LEDGER_FILES, "--json", "--remembered", f"{head['seq'] + 1}:{head['root']}")
        document = json.loads(text)
        self.assertEqual((code, document["verdict"], document["exit"]), (0, "verified", 0))
        self.assertEqual(document["claims"]["remembered heads"], {"checked": 1, "expected": 1})
        self.assertEqual(document["head"]["root"], head["root"])


class Extending(unittest.TestCase):
    def test_a_refused_batch_changes_nothing(self) -> None:
        forged = grown()
        data = bytes(forged.segments[0])
        header = files.decode_batch_header(data[4096 : 4096 + 160])
        state = chain.Chain(forge.LEDGER)
        first = data[4096 : 4096 + files.batch_length(header)]
        state.extend(first, True)
        before = (state.next_batch, state.next_seq, state.record_hash, state.tree.nodes[:], list(state.ids))
        rest = data[4096 + len(first) :]
        length = files.batch_length(files.decode_batch_header(rest[:160]))
        self.assertRaises(FormatError, state.extend, flipped(rest[:length], length - 1), False)
        self.assertEqual(
            before, (state.next_batch, state.next_seq, state.record_hash, state.tree.nodes, list(state.ids))
        )
        state.extend(rest[:length], False)
        self.assertEqual(state.next_batch, 2)

    def test_all_kinds_are_known(self) -> None:
        self.assertEqual(set(events.BODIES), {kind.name for kind in events.KINDS.values()})


if __name__ == "__main__":
    unittest.main()
