"""Kills the real program at every system call that changes files, and looks at what it left.

    cargo build --release -p ledger-cli
    python3 tools/crash/sweep.py            # every call of every command
    python3 tools/crash/sweep.py --every 5 --start 2

Owns: the commands that are killed, and what must hold after each kill:

- everything that was answered before, and in the killed run itself, is there with its words;
- the log verifies, by the program and by the independent verifier;
- the next command works, what it writes verifies too, and the ledger can still sign;
- a backup that was killed left the ledger as it was and a backup that is whole, the old one or the new
  one, or none and says so; the same command again completes it, and so with a restore.

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
        self.backup = os.path.join(folder, "backup")
        self.restored = os.path.join(folder, "restored")
        self.env = {"HOME": folder, "PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8"}

    def call(self, *words, stdin=b""):
        """Runs a command to its end: exit code, standard output, standard error."""
        alone = words[0] in ("init", "restore", "-C")
        argv = [program(), *(() if alone else ("-C", self.ledger)), *words]
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
    """A command to be killed. `answered` says which texts its output acknowledges, `before` what was
    done before it, and `judge` what must hold afterwards."""

    def __init__(self, name, words, stdin=None, answered=lambda output: set(), before=None, judge=None):
        self.name = name
        self.words = words
        self.stdin = stdin
        self.answered = answered
        self.before = before
        self.judge = judge or (lambda *seen: judge_ledger(*seen))


BATCH = [{"text": f"rule {number}", "scope": "org/acme", "source": "chat:1"} for number in range(24)]


def acknowledged(output):
    """The texts of the lines of a batch that were answered."""
    whole = output[: output.rfind(b"\n") + 1]
    return {BATCH[at]["text"] for at in range(len(whole.splitlines()))}


def backed_up(place):
    """A backup, and a memory that came after it."""
    place.must("backup", place.backup)
    place.must("write", "the third rule", *OPTIONS)


def contents(folder):
    """Every file below a folder but the lock, with its bytes."""
    found = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            if name != "lock":
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
    return found


RESTORE = ["restore", "BACKUP", "RESTORED", "--reason", "a test"]


def judge_backup(place, command, output, original):
    """The ledger is as it was, the backup is an old one, a new one or none, and can be completed."""
    if contents(place.ledger) != contents(original.ledger):
        raise Broken("a backup changed the ledger")
    whole = {"the first rule", "the second rule"}
    code, _, err = place.call("restore", place.backup, place.restored + ".1", "--reason", "a test")
    if code == 0:
        check_restored(place, place.restored + ".1", whole)
    elif command.before or not any(
        words in err for words in ("no whole backup", "there is no directory")
    ):
        raise Broken(f"what is left of the backup: exit {code}: {err.strip()}")
    if output.endswith(b"\n") and code != 0:
        raise Broken("a backup that was answered is not there")
    again(place, "backup", place.backup)
    place.must("restore", place.backup, place.restored + ".2", "--reason", "a test")
    whole = whole | ({"the third rule"} if command.before else set())
    check_restored(place, place.restored + ".2", whole)


def judge_restore(place, _command, _output, original):
    """The backup is as it was; the target is no ledger and says so, or it is the whole of it."""
    if contents(place.backup) != contents(original.backup):
        raise Broken("a restore changed the backup")
    code, _, err = place.call("-C", place.restored, "status", "--accept-head")
    said = ("a restore was stopped", "there is no directory", "holds no ledger")
    if code == 0:
        check_restored(place, place.restored, {"the first rule", "the second rule"})
        return
    if not any(words in err for words in said):
        raise Broken(f"half a restore is not said to be one: exit {code}: {err.strip()}")
    again(place, "restore", place.backup, place.restored, "--reason", "a test")
    check_restored(place, place.restored, {"the first rule", "the second rule"})


def again(place, *words):
    """The same command completes what was killed."""
    code, _, err = place.call(*words, "--accept-head")
    if code != 0:
        raise Broken(f"{words[0]} again: exit {code}: {err.strip()}")


def check_restored(place, ledger, texts):
    """It holds these texts, says once that it was restored, verifies, and is written to."""
    restored = Place(place.folder)
    restored.ledger = ledger
    restored.must("list", "--accept-head")
    missing = texts - restored.texts()
    if missing:
        raise Broken(f"not in the restored ledger: {sorted(missing)}")
    told = restored.must("log", "-n", "1000").decode().count("restored")
    if told != 1:
        raise Broken(f"the log tells {told} times of one restore")
    restored.must("verify")
    restored.must("write", "afterwards", *OPTIONS)
    restored.must("verify")
    independent(restored)


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
    Command("backup", ["-C", "LEDGER", "backup", "BACKUP"], judge=judge_backup),
    Command(
        "backup again", ["-C", "LEDGER", "backup", "BACKUP"], before=backed_up, judge=judge_backup
    ),
    Command("restore", RESTORE, before=backed_up, judge=judge_restore),
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
        if command.before:
            command.before(Place(original))
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
                    command.judge(Place(folder), command, outcome.output, Place(original))
                except Broken as broken:
                    broke.append(f"{place}: {broken}")
            shutil.rmtree(folder)
        return len(whole.calls), kills, broke


def _run(command, first, original, folder, kill_at):
    shutil.copytree(original, folder)
    place = Place(folder)
    names = {
        "LEDGER": place.ledger, "FIRST": first, "BACKUP": place.backup, "RESTORED": place.restored,
    }
    argv = [program(), *(names.get(word, word) for word in command.words)]
    stdin = None
    if command.stdin is not None:
        stdin = os.path.join(folder, "input.ndjson")
        with open(stdin, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in command.stdin)
    return tracer.run(argv, place.env, kill_at, stdin)


def judge_ledger(place, command, output, _original=None):
    """What must hold after a command of a ledger was killed."""
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
