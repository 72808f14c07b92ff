"""Checks every file of `ledger-format/vectors`: `python3 tools/verifier/vectors.py [DIR]`.

A valid case must decode to the fields that it names, give back its bytes where it can be encoded again, and have the
hashes that it names; an invalid one must be refused with the error that it names. Prints N of N for each file.
"""

import json
import re
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import blake3
import events
import files
import hashes
import ledger as ledger_checks
import payloads
import records
import reread
import xchacha
from errors import FormatError
from layout import LIMITS, Fields, Layout
from merkle import Frontier, leaf_hash
from store import MemoryStore

DEFAULT = Path(__file__).resolve().parents[2] / "ledger-format" / "vectors"
_REPEAT = re.compile(r"\(([0-9a-f]{2})\*(\d+)\)")

Json = Any
Problem = str


def unhex(text: str) -> bytes:
    """Bytes from hex in which `(xx*n)` stands for n times the byte xx."""
    return bytes.fromhex(_REPEAT.sub(lambda match: match[1] * int(match[2]), text))


def same(kind: str, value: Any, expected: Json) -> bool:
    """Whether a decoded value is what a vector says, by the type of its field."""
    if kind.startswith("option<"):
        return (value is None and expected is None) or (
            value is not None and expected is not None and same(kind[7:-1], value, expected)
        )
    if kind.startswith("list<"):
        return len(value) == len(expected) and all(same(kind[5:-1], a, b) for a, b in zip(value, expected))
    if kind.startswith("struct:"):
        return same_fields(events.STRUCTS[kind[7:]], value, expected)
    if kind in ("u64", "i64", "micros", "seq", "payload"):
        return isinstance(expected, str) and value == int(expected)
    if kind in ("u8", "u16", "u32", "bool", "string") or kind.startswith("word:"):
        return type(value) is type(expected) and value == expected
    if kind == "magic":
        return bool(value == expected.encode())
    return bool(value == unhex(expected))


def same_fields(fields: tuple[tuple[str, str], ...], value: Fields, expected: Json) -> bool:
    return list(expected) == [name for name, _ in fields] and all(
        same(kind, value[name], expected[name]) for name, kind in fields
    )


def layout_fields(layout: Layout) -> tuple[tuple[str, str], ...]:
    """The fields of a layout as vectors name them: without reserved ones."""
    return tuple((row.name, row.type) for row in layout.rows if row.type != "zero")


def _expect(fits: bool, what: str) -> Iterator[Problem]:
    if not fits:
        yield what


def _same_extensions(found: list[records.Extension], expected: Json) -> bool:
    def shown(item: records.Extension) -> Json:
        name = records.EXTENSION_TAGS[item.tag][0] if item.tag in records.EXTENSION_TAGS else None
        return {"tag": item.tag, "name": name, "critical": item.critical, "bytes": item.data}

    return [shown(item) for item in found] == [{**item, "bytes": unhex(item["bytes"])} for item in expected]


def _record(shared: Json, case: Json, data: bytes) -> Iterator[Problem]:
    record = records.decode_record(data)
    yield from _expect(same_fields(layout_fields(records.RECORD_HEADER), record.header, case["fields"]), "fields")
    yield from _expect(record.event.status == case["event"], "event")
    if record.event.body is None:
        yield from _expect(case["body"] is None, "body")
    else:
        fields = events.BODIES[events.KINDS[record.header["kind"]].name]
        yield from _expect(same_fields(fields, record.event.body, case["body"]), "body")
    references = layout_fields(records.PAYLOAD_REFERENCE)
    fits = len(record.payloads) == len(case["payloads"]) and all(
        same_fields(references, a, b) for a, b in zip(record.payloads, case["payloads"])
    )
    yield from _expect(fits, "payloads")
    yield from _expect(_same_extensions(record.extensions, case["extensions"]), "extensions")
    yield from _expect(records.encode_record(record) == data, "bytes")
    yield from _expect(hashes.record_hash(unhex(shared["ledger"]), data) == unhex(case["hash"]), "hash")
    yield from _expect(leaf_hash(data) == unhex(case["leaf"]), "leaf")


def _body(_: Json, case: Json, data: bytes) -> Iterator[Problem]:
    kind = events.KINDS[case["kind"]]
    yield from _expect(kind.version == case["version"] and kind.critical == case["critical"], "kind")
    yield from _expect(events.encode_body(case["kind"], events.decode_body(case["kind"], data)) == data, "bytes")


def _extension_list(_: Json, case: Json, data: bytes) -> Iterator[Problem]:
    found = records.decode_extensions(data)
    yield from _expect(_same_extensions(found, case["fields"]), "fields")
    yield from _expect(records.encode_extensions(found) == data, "bytes")


def _simple(layout: Layout, decode: Callable[[bytes], Fields]) -> Callable[[Json, Json, bytes], Iterator[Problem]]:
    """The check of a structure that is one layout."""

    def check(shared: Json, case: Json, data: bytes) -> Iterator[Problem]:
        fields = decode(data)
        yield from _expect(same_fields(layout_fields(layout), fields, case["fields"]), "fields")
        yield from _expect(layout.encode(fields) == data, "bytes")
        if layout is files.KEY_PAGE:
            yield from _page_keys(unhex(shared["master"]), fields, case)
        if layout is files.KEY_FILE:
            check = hashes.key_check(unhex(shared["master"]), fields["ledger"])
            yield from _expect(check == fields["key_check"], "key check")

    return check


def _page_keys(master: bytes, page: Fields, case: Json) -> Iterator[Problem]:
    found = {}
    for index in range(0, len(page["slots"]), files.SLOT):
        slot = LIMITS["page_slots"] * page["page"] + index // files.SLOT
        masked = page["slots"][index : index + files.SLOT]
        if masked != bytes(files.SLOT):
            mask = hashes.slot_mask(master, page["ledger"], slot)
            found[slot] = bytes(a ^ b for a, b in zip(masked, mask))
    yield from _expect(found == {int(item["slot"]): unhex(item["key"]) for item in case["keys"]}, "keys")


def _batch(shared: Json, case: Json, data: bytes) -> Iterator[Problem]:
    ledger = unhex(shared["ledger"])
    before = case.get("before") or {"record_hash": "(00*32)", "size": 0, "frontier": []}
    tree = Frontier(before["size"], [unhex(node) for node in before["frontier"]])
    batch = files.decode_batch(ledger, data, unhex(before["record_hash"]), tree)
    yield from _expect(same_fields(layout_fields(files.BATCH), batch.header, case["fields"]), "fields")
    yield from _expect(batch.raw == [unhex(text) for text in case["records"]], "records")
    yield from _expect(batch.hashes == [unhex(text) for text in case["record_hashes"]], "record hashes")
    yield from _expect(batch.root == tree.root() == unhex(case["root"]), "root")
    yield from _expect(batch.hash == unhex(case["hash"]), "hash")
    again = files.encode_batch(ledger, batch.header, batch.raw, batch.hashes[-1], tree.root())
    yield from _expect(again == data, "bytes")


def _payload(shared: Json, case: Json, data: bytes) -> Iterator[Problem]:
    ledger, key, expected = unhex(shared["ledger"]), unhex(case["key"]), case["reference"]
    reference: Fields = {name: expected[name] for name in ("role", "suite", "length")}
    reference["id"] = int(expected["id"])
    reference["commitment"] = unhex(expected["commitment"])
    reference["digest"] = unhex(expected["digest"])
    opened = payloads.open_payload(ledger, reference, key, data)
    yield from _expect(opened.plaintext == unhex(case["plaintext"]), "plaintext")
    yield from _expect(opened.frame == unhex(case["frame"]), "frame")
    yield from _expect(opened.salt == unhex(case["salt"]), "salt")
    associated = payloads.associated_data(ledger, reference)
    yield from _expect(associated == unhex(case["associated_data"]), "associated data")
    nonce = data[: xchacha.NONCE]
    yield from _expect(nonce == unhex(case["nonce"]), "nonce")
    frame = opened.frame
    if case["reproducible"]:
        frame = payloads.encode_frame(payloads.STORED, len(opened.plaintext), opened.plaintext)
    yield from _expect(nonce + xchacha.seal(key, nonce, frame, associated) == data, "bytes")


def _hash(shared: Json, case: Json, data: bytes) -> Iterator[Problem]:
    ledger, name = unhex(shared["ledger"]), case["name"]
    if name == "record":
        output = hashes.record_hash(ledger, data)
    elif name == "check":
        output = hashes.check(data)
    elif name in ("ciphertext", "salt"):
        output = blake3.derive(hashes.CONTEXTS[name], data)
    elif name == "batch":
        output = hashes.batch_hash(*(unhex(case[part]) for part in ("header", "lengths", "last", "root")))
    elif name == "commitment":
        output = hashes.commitment(unhex(case["salt"]), case["role"], data)
    elif name == "slot_mask":
        output = hashes.slot_mask(data, ledger, int(case["slot"]))
    elif name == "key_check":
        output = hashes.key_check(data, ledger)
    elif name == "idempotency":
        output = hashes.idempotency(unhex(case["pepper"]), case["part"], data)
    elif name == "key_rotation":
        output = hashes.key_rotation_message(ledger, int(case["seq"]), case["algorithm"], data)
    else:
        yield f"a construction {name} that is not known"
        return
    yield from _expect(output == unhex(case["output"]), "output")


def _merkle(_: Json, case: Json, data: bytes) -> Iterator[Problem]:
    size, tree = case["size"], Frontier()
    for number in range(size):
        tree.push(leaf_hash(bytes([number]) * number))
    yield from _expect([node.hex() for node in tree.nodes] == case["frontier"], "frontier")
    yield from _expect(tree.root() == unhex(case["root"]), "root")
    if size:
        yield from _expect(data == bytes([size - 1]) * (size - 1), "hex")
        yield from _expect(leaf_hash(data) == unhex(case["leaf"]), "leaf")


STRUCTURES: dict[str, Callable[[Json, Json, bytes], Iterator[Problem]]] = {
    "record": _record,
    "body": _body,
    "event body": _body,
    "extension_list": _extension_list,
    "payload_reference": _simple(records.PAYLOAD_REFERENCE, records.PAYLOAD_REFERENCE.decode),
    "batch": _batch,
    "segment_header": _simple(files.SEGMENT, files.decode_segment_header),
    "payload_file_header": _simple(files.PAYLOAD_FILE, files.decode_payload_file_header),
    "anchor": _simple(files.ANCHOR_LAYOUT, files.decode_anchor),
    "key_file_header": _simple(files.KEY_FILE, files.decode_key_file_header),
    "key_page": _simple(files.KEY_PAGE, files.decode_key_page),
    "payload": _payload,
    "hash": _hash,
    "merkle": _merkle,
}


def edited(base: dict[str, bytes], edits: Json) -> dict[str, bytes]:
    """The files of a ledger after the edits of a damaged case."""
    out = dict(base)
    for edit in edits:
        path = edit["path"]
        if edit.get("remove"):
            del out[path]
        elif "offset" in edit:
            data, at = unhex(edit["hex"]), edit["offset"]
            old = out[path].ljust(at, b"\0")
            out[path] = old[:at] + data + old[at + len(data) :]
        else:
            out[path] = unhex(edit["hex"])
    return out


def ledger_files(document: Json) -> dict[str, bytes]:
    """The files of the ledger of `ledger.json`."""
    return {path: unhex(text) for path, text in document["files"].items()}


def _ledger_records(verification: ledger_checks.Verification) -> Iterator[Json]:
    """The records of a ledger as the vectors list them."""
    ledger = verification.report.ledger or b""
    for _, raw in reread.all_records(verification.walk):
        header = records.decode_record(raw).header
        name = events.KINDS[header["kind"]].name
        yield {"seq": header["seq"], "kind": name, "hash": hashes.record_hash(ledger, raw).hex()}


def _ledger_payloads(verification: ledger_checks.Verification, master: bytes) -> Iterator[Json]:
    """The payloads of a ledger as the vectors list them, opened where they are there."""
    chain, keys = verification.walk.chain, verification.keys
    if chain is None or keys is None:
        return
    numbers = chain.ids.numbers(1000)
    places = reread.places(verification.walk, numbers)
    for number in numbers:
        place, slot = places[number], keys.slot(number)
        reader = verification.store.open(f"payloads/{files.numbered_name(place.file, '.pay')}")
        erased = [item.last_seq for item in chain.erasures.values() if item.complete() and number in item.payloads]
        plaintext = None
        if not erased and reader is not None and slot is not None:
            mask = hashes.slot_mask(master, chain.ledger, number)
            key = bytes(a ^ b for a, b in zip(slot[1], mask))
            stored = reader.read(place.offset, place.reference["length"])
            plaintext = payloads.open_payload(chain.ledger, place.reference, key, stored).plaintext.decode()
        yield {
            "id": number,
            "offset": place.offset,
            "length": place.reference["length"],
            "status": "erased" if erased else "there",
            "erased_at": erased[0] if erased else None,
            "plaintext": plaintext,
        }


def _ledger(document: Json) -> Iterator[tuple[str, list[Problem]]]:
    base, master = ledger_files(document), unhex(document["master"])
    options = ledger_checks.Options(master=master)
    verification = ledger_checks.Verification(MemoryStore(base), options)
    report = verification.run()
    problems = []
    if (report.verdict, report.at) != (document["verdict"], ""):
        problems.append(f"{report.verdict} at {report.at!r}")
    head = report.head
    expected = document["head"]
    if head is None or (head.seq, head.hash.hex(), head.root.hex()) != tuple(
        expected[k] for k in ("seq", "hash", "root")
    ):
        problems.append("head")
    for claim in ("records", "payloads"):
        number = len(document[claim])
        if report.claims.get(claim) != (number, number):
            problems.append(claim)
    if list(_ledger_records(verification)) != document["records"]:
        problems.append("the list of records")
    if list(_ledger_payloads(verification, master)) != document["payloads"]:
        problems.append("the list of payloads")
    yield "the ledger as it is", problems
    for case in document["damaged"]:
        found = ledger_checks.verify(MemoryStore(edited(base, case["edits"])), ledger_checks.Options())
        problems = []
        if (found.verdict, found.at) != (case["verdict"], case["at"]):
            problems.append(f"{found.verdict} at {found.at!r} instead of {case['verdict']} at {case['at']!r}")
        yield case["name"], problems


class Result(NamedTuple):
    """What came of one file: how many cases, and the ones that failed."""

    file: str
    cases: int
    failures: list[str]


def _cases(document: Json) -> Iterator[tuple[str, list[Problem]]]:
    structure = document["structure"]
    if structure == "padding":
        for length, expected in document["pairs"]:
            found = payloads.padded(length)
            yield f"padded({length})", [] if found == expected else [f"{found} instead of {expected}"]
        return
    if structure == "ledger":
        yield from _ledger(document)
        return
    check = STRUCTURES.get(structure)
    if check is None:
        yield structure, ["a structure that is not known"]
        return
    for case in document["valid"]:
        try:
            problems = list(check(document, case, unhex(case["hex"])))
        except FormatError as error:
            problems = [f"refused, {error}"]
        yield case["name"], problems
    for case in document["invalid"]:
        try:
            for _ in check(document, {"fields": {}, **case}, unhex(case["hex"])):
                break
            problems = [f"taken instead of refused with {case['error']}"]
        except FormatError as error:
            problems = [] if error.word == case["error"] else [f"{error.word} instead of {case['error']}"]
        yield case["name"], problems


def check_file(path: Path) -> Result:
    """Checks one file of vectors."""
    document = json.loads(path.read_text("utf-8"))
    total, failures = 0, []
    if document.get("format") != 1:
        failures.append("the file has another format than 1")
    try:
        for name, problems in _cases(document):
            total += 1
            if problems:
                failures.append(f"{name}: {', '.join(problems)}")
    except (KeyError, ValueError, TypeError, struct.error) as error:
        failures.append(f"the file is not as its README says: {error!r}")
    return Result(path.name, total, failures)


def main(arguments: list[str]) -> int:
    directory = Path(arguments[0]) if arguments else DEFAULT
    paths = sorted(directory.glob("*.json"))
    if not paths or len(arguments) > 1:
        print(f"usage: vectors.py [DIR]; no vectors in {directory}", file=sys.stderr)
        return 2
    total = failed = 0
    for path in paths:
        result = check_file(path)
        failed_here = min(len(result.failures), result.cases) if result.cases else len(result.failures)
        total += result.cases
        failed += len(result.failures)
        print(f"{result.file}: {result.cases - failed_here} of {result.cases}")
        for failure in result.failures:
            print(f"  {failure}")
    print(f"all vectors: {total - failed} of {total}")
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
