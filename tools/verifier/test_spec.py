"""The tables of this verifier against the tables of SPEC.md, and its worked bytes."""

import re
import unittest
from pathlib import Path

import errors
import events
import files
import hashes
import payloads
import records
import xchacha
from layout import LIMITS, Layout
from merkle import Frontier, leaf_hash

SPEC = (Path(__file__).resolve().parents[2] / "ledger-format" / "SPEC.md").read_text("utf-8")


def rows(name: str) -> list[list[str]]:
    """The rows of a table of SPEC.md, by the name in the comment before it."""
    after = SPEC.split(f"<!-- table:{name} -->\n", 1)[1]
    lines = after.split("\n\n", 1)[0].strip().splitlines()
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def lines(name: str) -> dict[str, str]:
    """The named hex values of a block of worked bytes."""
    block = SPEC.split(f"<!-- bytes:{name} -->\n```\n", 1)[1].split("\n```", 1)[0]
    if ": " not in block:
        return {"": block.replace("\n", "")}
    return dict(line.split(": ", 1) for line in block.splitlines())


class Tables(unittest.TestCase):
    def test_limits(self) -> None:
        self.assertEqual({name: int(value) for name, value, _ in rows("limits")}, LIMITS)

    def test_contexts(self) -> None:
        self.assertEqual({name: context for name, context, _ in rows("contexts")}, hashes.CONTEXTS)

    def test_errors(self) -> None:
        self.assertEqual(tuple(word for word, _ in rows("errors")), errors.WORDS)

    def test_layouts(self) -> None:
        layouts: dict[str, Layout] = {
            "record_header": records.RECORD_HEADER,
            "payload_reference": records.PAYLOAD_REFERENCE,
            "batch_header": files.BATCH,
            "segment_header": files.SEGMENT,
            "payload_file_header": files.PAYLOAD_FILE,
            "anchor": files.ANCHOR_LAYOUT,
            "key_file_header": files.KEY_FILE,
            "key_page": files.KEY_PAGE,
        }
        for name, layout in layouts.items():
            with self.subTest(table=name):
                expected = [(int(row[0]), int(row[1]), row[2], row[3]) for row in rows(name)]
                self.assertEqual([row[:4] for row in layout.rows], expected)
                if layout.magic:
                    self.assertEqual(rows(name)[0][4], f"`{layout.magic.decode()}`")

    def test_every_byte_of_a_page_is_under_its_check(self) -> None:
        for layout in (
            files.BATCH,
            files.SEGMENT,
            files.PAYLOAD_FILE,
            files.ANCHOR_LAYOUT,
            files.KEY_FILE,
            files.KEY_PAGE,
        ):
            (check,) = [row for row in layout.rows if row.type == "check"]
            covered = {at for first, end in layout.covered for at in range(first, end)}
            self.assertEqual(
                covered | set(range(check.offset, check.offset + 16)), set(range(layout.size)), layout.name
            )
            self.assertEqual(len(covered), layout.size - 16)

    def test_trailer(self) -> None:
        expected = [(int(row[0]), int(row[1]), row[2], row[3]) for row in rows("batch_trailer")]
        self.assertEqual([row[:4] for row in files.TRAILER_ROWS], expected)

    def test_flags_and_extensions(self) -> None:
        self.assertEqual({int(bit): name for bit, name, _ in rows("record_flags")}, records.FLAGS)
        tags = {int(row[0]): (row[1], int(row[2]) if row[2].isdigit() else row[2], row[3] == "yes") for row in rows("extension_tags")}
        self.assertEqual(tags, records.EXTENSION_TAGS)

    def test_kinds(self) -> None:
        kinds = {int(row[0]): events.Kind(row[1], row[2] == "yes", int(row[3])) for row in rows("kinds")}
        self.assertEqual(kinds, events.KINDS)

    def test_bodies_and_parts(self) -> None:
        named = set(re.findall(r"<!-- table:body:(\w+) -->", SPEC))
        self.assertEqual(named, set(events.BODIES))
        for name, fields in events.BODIES.items():
            with self.subTest(body=name):
                self.assertEqual(tuple((row[0], row[1]) for row in rows(f"body:{name}")), fields)
        self.assertEqual(set(re.findall(r"<!-- table:struct:(\w+) -->", SPEC)), set(events.STRUCTS))
        for name, fields in events.STRUCTS.items():
            with self.subTest(struct=name):
                self.assertEqual(tuple((row[0], row[1]) for row in rows(f"struct:{name}")), fields)

    def test_words(self) -> None:
        named = re.findall(r"^`(\w+)`, (u8|u16): .*?\n\n<!-- table:word:(\w+) -->", SPEC, re.M)
        self.assertEqual({name for name, _, _ in named}, set(events.WORDS))
        self.assertEqual({name for name, width, _ in named if width == "u16"}, events.WIDE_WORDS)
        for name, words in events.WORDS.items():
            with self.subTest(word=name):
                self.assertEqual({int(row[0]): row[1] for row in rows(f"word:{name}")}, words)

    def test_padding(self) -> None:
        for length, padded, _ in rows("padding"):
            self.assertEqual(payloads.padded(int(length)), int(padded))

    def test_ledger_toml(self) -> None:
        text = re.search(r"```\n(# A copy of record 0.*?)```", SPEC, re.S)
        assert text is not None
        self.assertEqual(files.TOML, text[1])


class WorkedBytes(unittest.TestCase):
    LEDGER = b"\x07" * 16

    def test_record(self) -> None:
        data = bytes.fromhex(lines("record")[""])
        self.assertEqual(records.decode_record(data).event, records.Event("known", {"memory": b"\x09" * 16}))
        self.assertEqual(hashes.record_hash(self.LEDGER, data).hex(), lines("record_hash")["record hash"])
        self.assertEqual(leaf_hash(data).hex(), lines("record_hash")["leaf hash"])

    def test_batch(self) -> None:
        batch = files.decode_batch(self.LEDGER, bytes.fromhex(lines("batch")[""]), bytes(32), Frontier())
        expected = lines("batch_hashes")
        self.assertEqual([item.hex() for item in batch.hashes], [expected[f"record {i}"] for i in range(3)])
        self.assertEqual((batch.root.hex(), batch.hash.hex()), (expected["root"], expected["batch hash"]))

    def test_payload(self) -> None:
        expected = {name: bytes.fromhex(text) for name, text in lines("payload").items()}
        key, frame = b"\x11" * 32, payloads.encode_frame(payloads.STORED, 12, b"Tea at four.")
        salt = hashes.salt(key)
        associated = payloads.associated_data(self.LEDGER, {"id": 1, "role": 1})
        stored = b"\x22" * 24 + xchacha.seal(key, b"\x22" * 24, frame, associated)
        found = {
            "frame": frame,
            "salt": salt,
            "commitment": hashes.commitment(salt, 1, b"Tea at four."),
            "associated data": associated,
            "stored": stored,
            "digest": hashes.ciphertext_digest(stored),
        }
        self.assertEqual(found, expected)

    def test_slot(self) -> None:
        expected, master = lines("slot"), b"\x33" * 32
        mask = hashes.slot_mask(master, self.LEDGER, 1)
        self.assertEqual(mask.hex(), expected["mask"])
        self.assertEqual(bytes(a ^ 0x11 for a in mask).hex(), expected["slot"])
        self.assertEqual(hashes.key_check(master, self.LEDGER).hex(), expected["key check"])


if __name__ == "__main__":
    unittest.main()
