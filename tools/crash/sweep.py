"""Kills the real program at every system call that changes files, and looks at what it left.

    cargo build --release -p ledger-cli
    python3 tools/crash/sweep.py            # every call of every command
    python3 tools/crash/sweep.py --every 5 --start 2

Owns: the commands that are killed, and what must hold after each kill:

- everything that was answered before, and in the killed run itself, is there with its words;
- the log verifies, by the program and by the independent verifier;
- the next command works, what it writes verifies too, and the ledger can still sign.

A killed process loses no write that the system took: what a power cut loses is the subject of the
crash tests on the storage model. May not: be skipped in silence. On a machine where a process cannot
be followed it says so and fails, unless it is told that this may be (`--allow-unsupported`).
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import tracer

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VERIFIER = os.path.join(ROOT, "tools", "verifier", "verify.py")
OPTIONS = ["--scope", "org/acme", "--source", "chat:1"]


def program():
    """The release binary, where cargo puts it."""
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
    return os.environ.get("MEMLEDGER", os.path.join(target, "release", "memledger"))


class Broken(AssertionError):
    """Something that must hold after a kill does not."""


class Place:
    """A folder with a ledger, its keys, and nothing of the person who runs this."""

    def __init__(self, folder):
        self.folder = folder
        self.ledger = os.path.join(folder, "ledger")
        self.env = {"HOME": folder, "PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8"}

    def call(self, *words, stdin=b""):
        """Runs a command to its end: exit code, standard output, standard error."""
        argv = [program(), *(() if words[0] == "init" else ("-C", self.ledger)), *words]
        done = subprocess.run(argv, env=self.env, input=stdin, capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")

    def must(self, *words, stdin=b""):
        code, out, err = self.call(*words, stdin=stdin)
        if code != 0:
            raise Broken(f"{' '.join(words)}: exit {code}: {err.strip()}")
        return out

    def texts(self):
        """The words of everything that is there, closed or not."""
        code, out, err = self.call("--json", "list", "--include-history")
        if code == 1:
            return set()
        if code != 0:
            raise Broken(f"list: exit {code}: {err.strip()}")
        lines = [json.loads(line) for line in out.splitlines()]
        return {line["text"] for line in lines if "text" in line}


class Command:
    """A command to be killed. `answered` says which texts its output acknowledges."""

    def __init__(self, name, words, stdin=None, answered=lambda output: set()):
        self.name = name
        self.words = words
        self.stdin = stdin
        self.answered = answered


BATCH = [{"text": f"rule {number}", "scope": "org/acme", "source": "chat:1"} for number in range(24)]


def acknowledged(output):
    """The texts of the lines of a batch that were answered."""
    whole = output[: output.rfind(b"\n") + 1]
    return {BATCH[at]["text"] for at in range(len(whole.splitlines()))}


COMMANDS = [
    Command("init", ["init", "LEDGER"]),
    Command(
        "write",
        ["-C", "LEDGER", "write", "one more", *OPTIONS],
        answered=lambda output: {"one more"} if output.endswith(b"\n") else set(),
    ),
    Command("write --stdin", ["-C", "LEDGER", "write", "--stdin"], BATCH, acknowledged),
    Command("close", ["-C", "LEDGER", "close", "FIRST", "--reason", "it changed"]),
    Command("rebuild", ["-C", "LEDGER", "rebuild"]),
    Command("checkpoint", ["-C", "LEDGER", "checkpoint"]),
    Command("key rotate", ["-C", "LEDGER", "key", "rotate"]),
]


def prepared(folder):
    """A ledger with two memories; gives the id of the first."""
    place = Place(folder)
    place.must("init", place.ledger)
    out = place.must("--json", "write", "the first rule", *OPTIONS)
    place.must("write", "the second rule", *OPTIONS)
    return json.loads(out)["id"]


def sweep(command, every=1, start=0):
    """Kills a command at every `every`-th call from `start`. Gives the calls, the kills and what broke."""
    with tempfile.TemporaryDirectory(dir=fast()) as base:
        original = os.path.join(base, "original")
        os.mkdir(original)
        first = None if command.name == "init" else prepared(original)
        whole = _run(command, first, original, os.path.join(base, "whole"), None)
        if whole.status != 0:
            raise Broken(f"{command.name} ended with {whole.status} and was not even killed")
        kills, broke = 0, []
        for at in range(start % every, len(whole.calls), every):
            folder = os.path.join(base, "run")
            outcome = _run(command, first, original, folder, at)
            # Threads take turns in another order each time, so the last calls may not come.
            if outcome.killed:
                kills += 1
                place = f"{command.name}, killed before call {at} of {len(whole.calls)} ({whole.calls[at]})"
                try:
                    judge(Place(folder), command, outcome.output)
                except Broken as broken:
                    broke.append(f"{place}: {broken}")
            shutil.rmtree(folder)
        return len(whole.calls), kills, broke


def _run(command, first, original, folder, kill_at):
    shutil.copytree(original, folder)
    place = Place(folder)
    names = {"LEDGER": place.ledger, "FIRST": first}
    argv = [program(), *(names.get(word, word) for word in command.words)]
    stdin = None
    if command.stdin is not None:
        stdin = os.path.join(folder, "input.ndjson")
        with open(stdin, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in command.stdin)
    return tracer.run(argv, place.env, kill_at, stdin)


def judge(place, command, output):
    """What must hold after a kill."""
    if command.name == "init":
        code, _, err = place.call("status")
        if code in (2, 3):
            # Nothing was answered: there is no ledger yet, and whoever asks is told why.
            said = ("there is no directory", "holds no ledger", "ledger.toml is missing")
            if not any(words in err for words in said):
                raise Broken(f"half a ledger is not said to be none: {err.strip()}")
            return
        expected = set()
    else:
        expected = {"the first rule", "the second rule"} | command.answered(output)
    missing = expected - place.texts()
    if missing:
        raise Broken(f"answered and not there: {sorted(missing)}")
    place.must("verify")
    place.must("write", "afterwards", *OPTIONS)
    place.must("verify")
    if "afterwards" not in place.texts():
        raise Broken("what was written afterwards is not there")
    if command.name != "init":
        # Whatever became of a rotation, there is a key that the log names and that still signs.
        place.must("checkpoint")
    independent(place)


def independent(place):
    """The verifier that shares no code with the program agrees."""
    argv = [sys.executable, VERIFIER, place.ledger]
    done = subprocess.run(argv, capture_output=True, check=False)
    if done.returncode != 0:
        raise Broken(f"the independent verifier: {done.stdout.decode(errors='replace').strip()}")


def fast():
    """Where folders are made: in memory if the machine has such a place, as a kill is no power cut."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="kill at every N-th call")
    parser.add_argument("--start", type=int, default=0, help="the first call to kill at")
    parser.add_argument("--allow-unsupported", action="store_true")
    arguments = parser.parse_args()
    total, all_broke = 0, []
    for command in COMMANDS:
        try:
            calls, kills, broke = sweep(command, arguments.every, arguments.start)
        except tracer.Unsupported as unsupported:
            print(f"skipped: {unsupported}")
            return 0 if arguments.allow_unsupported else 1
        said = "nothing lost" if not broke else f"{len(broke)} times something broke"
        print(f"{command.name:<14} {kills:>4} kills at {calls} calls, {said}", flush=True)
        total += kills
        all_broke += broke
    print("\n".join([*all_broke, f"{total} kills, {len(all_broke)} broke something"]))
    return 1 if all_broke else 0


if __name__ == "__main__":
    sys.exit(main())
