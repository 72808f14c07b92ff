"""Verifies a ledger directory.

`python3 tools/verifier/verify.py DIR [--json] [--remembered SIZE:HASH] [--key-file FILE] [--log-only]`

It needs no key, writes nothing, and shares no code with the program that writes ledgers. Exit codes: 0 verified (or
nothing worse than an unacknowledged tail or an erasure on its way), 2 usage, 3 damage, 4 cannot be checked.
"""

import argparse
import json
import sys
from pathlib import Path

import heads
import ledger
from errors import FormatError
from report import Report
from store import DirectoryStore

MARKS = ("ledger.toml", "log", "anchor.a", "anchor.b")


def _remembered(text: str) -> heads.Remembered:
    try:
        return heads.parse_remembered(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _key(text: str) -> bytes:
    try:
        key = bytes.fromhex(Path(text).read_text("ascii").strip())
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"no key in {text}: {error}") from None
    if len(key) != 32:
        raise argparse.ArgumentTypeError(f"{text} does not hold 64 hex digits")
    return key


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="verify.py", description="Verifies a memledger directory without writing to it."
    )
    parser.add_argument("directory", type=Path, metavar="DIR", help="the ledger directory")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.add_argument(
        "--remembered",
        type=_remembered,
        action="append",
        default=[],
        metavar="SIZE:HASH",
        help="a head kept elsewhere: a number of records, and the root over them or the hash of the last of them",
    )
    parser.add_argument(
        "--key-file", type=_key, metavar="FILE", help="the master key, 64 hex digits: opens payloads too"
    )
    parser.add_argument("--log-only", action="store_true", help="check the log alone, without payloads and keys")
    return parser


def text_of(report: Report) -> str:
    """The report for people."""
    lines = []
    if report.ledger:
        lines.append(f"ledger {report.ledger.hex()}")
    if report.head:
        lines.append(f"head   seq {report.head.seq}, hash {report.head.hash.hex()}")
        lines.append(f"       remember it as {report.head.seq + 1}:{report.head.root.hex()}")
    width = max(map(len, [*report.claims, *report.counts]), default=0)
    lines += ["", "checked"]
    lines += [f"  {name:{width}}  {done} of {total}" for name, (done, total) in report.claims.items()]
    if report.counts:
        lines += ["", "counted"]
        lines += [f"  {name:{width}}  {number}" for name, number in report.counts.items()]
    if report.unchecked:
        lines += ["", "not checked"]
        lines += [f"  {what}: {why}" for what, why in report.unchecked]
    if report.findings:
        lines += ["", "found"]
        lines += [f"  {finding.line()}" for finding in report.findings]
        if report.left_out:
            lines.append(f"  and {report.left_out} more")
    lines += ["", f"verdict: {report.verdict}" + (f" at {report.at}" if report.at else "")]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    directory: Path = options.directory
    if not any((directory / name).exists() for name in MARKS):
        print(f"verify.py: {directory} is not a ledger directory", file=sys.stderr)
        return 2
    try:
        report = ledger.verify(
            DirectoryStore(directory),
            ledger.Options(master=options.key_file, remembered=options.remembered, log_only=options.log_only),
        )
    except OSError as error:
        print(f"verify.py: {directory} cannot be read: {error}", file=sys.stderr)
        return 4
    except FormatError as error:
        print(f"verify.py: {directory} was changed while it was read a second time: {error}", file=sys.stderr)
        return 4
    print(json.dumps(report.as_json(), indent=2) if options.json else text_of(report))
    return report.exit_code()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
