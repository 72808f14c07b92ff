"""Every file of vectors, and that the check of them fails where it should."""

import copy
import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

import errors
import vectors


class Vectors(unittest.TestCase):
    def test_every_file(self) -> None:
        paths = sorted(vectors.DEFAULT.glob("*.json"))
        self.assertGreaterEqual(len(paths), 15)
        for path in paths:
            with self.subTest(file=path.name):
                result = vectors.check_file(path)
                self.assertEqual(result.failures, [])
                self.assertGreater(result.cases, 0)

    def test_every_error_word_is_in_an_invalid_case(self) -> None:
        words = set()
        for path in vectors.DEFAULT.glob("*.json"):
            for case in json.loads(path.read_text("utf-8")).get("invalid", []):
                words.add(case["error"])
        self.assertEqual(words, set(errors.WORDS))


class TheCheckFails(unittest.TestCase):
    """A check that cannot fail shows nothing: one change in a file of vectors is one failure of it."""

    def failures(self, name: str, change: Any) -> list[str]:
        document = json.loads((vectors.DEFAULT / name).read_text("utf-8"))
        if name != "ledger.json":
            for group in ("valid", "invalid"):
                document[group] = document.get(group, [])[:12]
        changed = copy.deepcopy(document)
        change(changed)
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / name
            path.write_text(json.dumps(changed), "utf-8")
            return vectors.check_file(path).failures

    def test_another_hash(self) -> None:
        def change(document: Any) -> None:
            document["valid"][0]["hash"] = "00" * 32

        self.assertEqual(self.failures("record.json", change), ["genesis, full: hash"])
        self.assertEqual(len(self.failures("batch.json", change)), 1)

    def test_another_field(self) -> None:
        def change(document: Any) -> None:
            document["valid"][1]["fields"]["version"] = 7

        for name in ("record.json", "anchor.json", "segment_header.json", "payload_file_header.json"):
            self.assertEqual([text.split(": ")[-1] for text in self.failures(name, change)], ["fields"], name)

    def test_another_body_field(self) -> None:
        def change(document: Any) -> None:
            document["valid"][0]["body"]["clock"] = 1

        self.assertEqual(self.failures("record.json", change), ["genesis, full: body"])

    def test_a_field_less(self) -> None:
        def change(document: Any) -> None:
            del document["valid"][0]["fields"]["policy"]

        self.assertEqual(self.failures("record.json", change), ["genesis, full: fields"])

    def test_a_number_as_a_string(self) -> None:
        def change(document: Any) -> None:
            document["valid"][0]["fields"]["version"] = "1"

        self.assertEqual(self.failures("record.json", change), ["genesis, full: fields"])

    def test_another_error(self) -> None:
        def change(document: Any) -> None:
            document["invalid"][0]["error"] = "trailing"

        for name in ("record.json", "body.json", "payload.json", "key_page.json"):
            self.assertEqual(len(self.failures(name, change)), 1, name)

    def test_an_invalid_case_that_is_valid(self) -> None:
        def change(document: Any) -> None:
            document["invalid"].append({**document["valid"][0], "error": "truncated"})

        for name in ("record.json", "body.json", "batch.json", "payload.json", "extension_list.json", "anchor.json"):
            found = self.failures(name, change)
            self.assertEqual(len(found), 1, name)
            self.assertIn("taken instead of refused", found[0])

    def test_a_valid_case_that_is_not(self) -> None:
        def change(document: Any) -> None:
            document["valid"][0]["hex"] = "00" + document["valid"][0]["hex"]

        for name in ("record.json", "batch.json", "payload.json", "payload_reference.json", "key_file_header.json"):
            self.assertEqual(len(self.failures(name, change)), 1, name)

    def test_another_root_padding_and_key(self) -> None:
        def root(document: Any) -> None:
            document["valid"][5]["root"] = "11" * 32

        def padding(document: Any) -> None:
            document["pairs"][3][1] += 64

        def master(document: Any) -> None:
            document["master"] = "34" * 32

        self.assertEqual(self.failures("merkle.json", root), ["5 leaves: root"])
        self.assertEqual(len(self.failures("padding.json", padding)), 1)
        self.assertEqual(len(self.failures("key_page.json", master)), 3)

    def test_another_verdict(self) -> None:
        def change(document: Any) -> None:
            document["damaged"] = document["damaged"][:3]
            document["damaged"][1]["at"] = "batch 3"
            document["damaged"][2]["verdict"] = "verified"
            document["payloads"][0]["plaintext"] = "garden"

        found = self.failures("ledger.json", change)
        self.assertEqual(len(found), 3)
        self.assertIn("the list of payloads", found[0])

    def test_an_unknown_structure(self) -> None:
        def change(document: Any) -> None:
            document["structure"] = "surprise"

        self.assertEqual(len(self.failures("anchor.json", change)), 1)


if __name__ == "__main__":
    unittest.main()
