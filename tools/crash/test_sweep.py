"""A part of the sweep for every test run, and that it finds what it looks for."""

import os
import shutil
import tempfile
import unittest

import sweep
import tracer

EVERY = 7


class Sweep(unittest.TestCase):
    """Kills at some calls of every command; `MEMLEDGER_SEED` chooses where it begins."""

    def setUp(self):
        self.assertTrue(os.path.exists(sweep.program()), f"{sweep.program()} is not built")

    def test_nothing_is_lost_at_some_calls_of_every_command(self):
        start = int(os.environ.get("MEMLEDGER_SEED", "0")) % EVERY
        for command in sweep.COMMANDS:
            with self.subTest(command.name):
                try:
                    calls, kills, broke = sweep.sweep(command, EVERY, start)
                except tracer.Unsupported as unsupported:
                    self.skipTest(str(unsupported))
                self.assertEqual(broke, [])
                # Threads take turns in another order each time; most numbers are reached all the same.
                self.assertGreater(kills, calls // EVERY // 2)


class Judgement(unittest.TestCase):
    """A loss is found: by the words that are missing, by the log, by the key pages."""

    def broken(self, damage):
        with tempfile.TemporaryDirectory(dir=sweep.fast()) as base:
            original = os.path.join(base, "original")
            os.mkdir(original)
            sweep.prepared(original)
            place = sweep.Place(original)
            damage(place)
            with self.assertRaises(sweep.Broken) as raised:
                sweep.judge_ledger(place, sweep.COMMANDS[1], b"one more\n")
            return str(raised.exception)

    def test_an_answer_without_its_record_is_found(self):
        self.assertIn("answered and not there: ['one more']", self.broken(lambda place: None))

    def test_damage_is_found(self):
        def flip(place):
            self.assertEqual(place.call("write", "one more", *sweep.OPTIONS)[0], 0)
            keys = os.path.join(place.ledger, "keys", "slots.b")
            with open(keys, "r+b") as file:
                file.seek(4096 + 100)
                byte = file.read(1)
                file.seek(4096 + 100)
                file.write(bytes([byte[0] ^ 1]))

        self.assertIn("verify: exit 3", self.broken(flip))

    def test_a_folder_that_is_gone_is_found(self):
        self.assertIn("list: exit", self.broken(lambda place: shutil.rmtree(place.ledger)))


if __name__ == "__main__":
    unittest.main()
