"""Event kinds, their bodies and the rules that bodies keep (SPEC.md sections 2.2, 2.3, 6 and 7)."""

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from errors import FormatError
from layout import LIMITS

I64_MIN, I64_MAX = -(1 << 63), (1 << 63) - 1


class Kind(NamedTuple):
    """A line of the table of kinds."""

    name: str
    critical: bool
    version: int = 1


KINDS: dict[int, Kind] = {
    1: Kind("genesis", True),
    2: Kind("epoch", True),
    3: Kind("alias_bound", True),
    4: Kind("policy_set", True),
    5: Kind("clock_corrected", True),
    6: Kind("key_rotated", True),
    7: Kind("master_rotated", True),
    8: Kind("pepper_rotated", True),
    9: Kind("checkpoint_signed", False),
    10: Kind("config_set", True),
    16: Kind("write", True),
    17: Kind("close", True),
    18: Kind("reopen", True),
    19: Kind("confirm", True),
    20: Kind("use", True),
    21: Kind("push_down", True),
    22: Kind("lift", True),
    23: Kind("contest", True),
    24: Kind("resolve", True),
    25: Kind("pin", True),
    26: Kind("unpin", True),
    27: Kind("forget", True),
    28: Kind("promote", True),
    29: Kind("demote", True),
    30: Kind("expire", True),
    31: Kind("restrict", True),
    32: Kind("unrestrict", True),
    33: Kind("stale", True),
    34: Kind("undo", True),
    40: Kind("verdict", True),
    41: Kind("approval", True),
    42: Kind("task_started", True),
    43: Kind("task_ended", True),
    44: Kind("answer", False),
    45: Kind("feedback", True),
    46: Kind("receipt", False),
    47: Kind("denial", False),
    48: Kind("export", False),
    50: Kind("hold_placed", True),
    51: Kind("hold_lifted", True),
    52: Kind("erase_requested", True),
    53: Kind("erase_intent", True),
    54: Kind("erase_done", True),
    55: Kind("source_registered", True),
    56: Kind("source_synced", True),
    57: Kind("source_revoked", True),
    60: Kind("schedule_set", True),
    61: Kind("job_done", False),
    62: Kind("backup_taken", False),
    63: Kind("restored", True),
    64: Kind("repaired", True),
    65: Kind("import_started", False),
    66: Kind("import_done", False),
    70: Kind("principal_set", True),
    71: Kind("grant_set", True),
    72: Kind("token_set", True),
    73: Kind("suite_result", False),
    74: Kind("skill_state", True),
    75: Kind("summary_state", True),
}

GENESIS, EPOCH, POLICY_SET, KEY_ROTATED, CHECKPOINT_SIGNED, CONFIG_SET = 1, 2, 4, 6, 9, 10
ERASE_INTENT, ERASE_DONE = 53, 54


def _fields(text: str) -> tuple[tuple[str, str], ...]:
    """Field names and types from `name type` pairs, one pair a comma."""
    return tuple((pair.split()[0], pair.split()[1]) for pair in text.split(",") if pair.strip())


STRUCTS: dict[str, tuple[tuple[str, str], ...]] = {
    "limits": _fields(
        "record_bytes u32, payload_bytes u32, batch_bytes u32, segment_bytes u64, supersedes u16, derived_from u16, "
        "scope_depth u16"
    ),
    "public_key": _fields("algorithm u16, bytes bytes"),
    "fact_key": _fields("subject alias, predicate alias"),
    "signal": _fields("signal u16, value i64"),
    "receipt_item": _fields("memory memory, score i64"),
    "payload_range": _fields("first payload, last payload"),
}

BODIES: dict[str, tuple[tuple[str, str], ...]] = {
    "genesis": _fields(
        "ledger ledger, created_at micros, origin string, zone string, hash_suite u8, payload_suite u8, clock u8, "
        "pepper payload, limits struct:limits"
    ),
    "epoch": _fields("epoch u64, holder job, reason word:epoch_reason, program string, dropped_bytes u64"),
    "alias_bound": _fields("alias alias, kind word:alias_kind, parent option<alias>"),
    "policy_set": _fields("version u32, previous u32"),
    "clock_corrected": _fields("before micros, confirmed micros"),
    "key_rotated": _fields(
        "new struct:public_key, old option<struct:public_key>, new_signature bytes, old_signature option<bytes>"
    ),
    "master_rotated": _fields("old digest, new digest, pages u64"),
    "pepper_rotated": _fields("old payload, new payload"),
    "checkpoint_signed": _fields("size u64, root root, views option<bytes32>, algorithm u16, signature bytes"),
    "config_set": _fields("setting u16, value string"),
    "write": _fields(
        "memory memory, layer word:layer, body word:body_type, trust word:trust, verdict word:verdict, "
        "source word:source_kind, marks u16, generation u16, confidence option<u16>, observed_at option<micros>, "
        "valid_from option<micros>, valid_until option<micros>, ttl_until option<micros>, review_by option<micros>, "
        "supersede_from option<micros>, supersede_until option<micros>, key option<alias>, "
        "fact option<struct:fact_key>, domain option<alias>, subjects list<alias>, tags list<alias>, "
        "supersedes list<memory>, derived_from list<memory>"
    ),
    "close": _fields(
        "memory memory, kind word:close_kind, from option<micros>, until option<micros>, replaced_by option<memory>"
    ),
    "reopen": _fields("memory memory, from option<micros>, until option<micros>"),
    "confirm": _fields("memories list<memory>, ttl_until option<micros>, review_by option<micros>"),
    "use": _fields("memories list<memory>, receipt option<seq>"),
    "push_down": _fields("memory memory, reach word:reach, receipt option<seq>, tag option<alias>"),
    "lift": _fields("memory memory, push_down option<seq>"),
    "contest": _fields("memories list<memory>, rule u32"),
    "resolve": _fields("contest seq, kept list<memory>, rule u32"),
    "pin": _fields("memory memory"),
    "unpin": _fields("memory memory"),
    "forget": _fields("memories list<memory>, subject option<alias>"),
    "promote": _fields("memory memory, trust option<word:trust>, layer option<word:layer>, approval option<seq>"),
    "demote": _fields("memory memory, trust option<word:trust>, layer option<word:layer>"),
    "expire": _fields("memories list<memory>, basis micros, cause word:expire_cause"),
    "restrict": _fields("memories list<memory>, hold option<job>"),
    "unrestrict": _fields("memories list<memory>, hold option<job>"),
    "stale": _fields("memories list<memory>, source option<alias>"),
    "undo": _fields("job job, first seq, last seq"),
    "verdict": _fields(
        "verdict word:verdict, reason u16, rule u32, memory option<memory>, duplicate_of option<memory>, "
        "trust option<word:trust>, ttl_until option<micros>, signals list<struct:signal>"
    ),
    "approval": _fields("pending seq, decision word:decision, step u8, complete bool"),
    "task_started": _fields("task alias, parent option<alias>"),
    "task_ended": _fields("task alias, outcome word:outcome"),
    "answer": _fields("receipt option<seq>, cited list<memory>, contradicts list<memory>"),
    "feedback": _fields("receipt option<seq>, helped list<memory>, misled list<memory>"),
    "receipt": _fields(
        "counter u64, what word:receipt_what, mode word:receipt_mode, basis seq, valid_at micros, "
        "items list<struct:receipt_item>"
    ),
    "denial": _fields("action u16, rule u32, memory option<memory>"),
    "export": _fields("format word:job, first seq, last seq, count u64, content bool"),
    "hold_placed": _fields("hold job, subject option<alias>, memories list<memory>, until option<micros>"),
    "hold_lifted": _fields("hold job"),
    "erase_requested": _fields("erasure job, subject option<alias>, memories list<memory>, due option<micros>"),
    "erase_intent": _fields(
        "erasure job, part u32, parts u32, subject option<alias>, memories list<memory>, aliases list<alias>, "
        "payloads list<struct:payload_range>"
    ),
    "erase_done": _fields("erasure job, level word:erase_level, keys u64, payloads u64, derived u64"),
    "source_registered": _fields("source alias, kind word:source_kind, owner option<alias>, group option<alias>"),
    "source_synced": _fields("source alias, present bool, written u32, closed u32, stale u32"),
    "source_revoked": _fields("source alias, memories u64"),
    "schedule_set": _fields("job word:job, every u64, next micros"),
    "job_done": _fields("job word:job, planned micros, outcome word:outcome, count u64"),
    "backup_taken": _fields("backup job, last seq, keys bool"),
    "restored": _fields("last seq, hash hash, erasures_through option<seq>"),
    "repaired": _fields("kind word:repair_kind, from seq, bytes u64"),
    "import_started": _fields("import job, format word:job"),
    "import_done": _fields("import job, format word:job, appended u64, present u64, refused u64"),
    "principal_set": _fields("principal alias, kind word:actor_kind, standing word:standing"),
    "grant_set": _fields("principal alias, rights u32, until option<micros>"),
    "token_set": _fields("token digest, principal alias, standing word:standing, until option<micros>"),
    "suite_result": _fields("suite u16, passed u32, failed u32, overridden bool"),
    "skill_state": _fields("memory memory, phase word:skill_phase, predecessor option<memory>"),
    "summary_state": _fields("memory memory, phase word:summary_phase, in_force option<memory>"),
}


def _numbered(text: str, first: int = 1) -> dict[int, str]:
    """Words with rising numbers; `=N` jumps to a number."""
    out: dict[int, str] = {}
    number = first
    for item in text.split():
        if item.startswith("="):
            number = int(item[1:])
        else:
            out[number] = item
            number += 1
    return out


WORDS: dict[str, dict[int, str]] = {
    "layer": _numbered("session day project episodic semantic procedural canonical instruction summary"),
    "body_type": _numbered("message note fact episode instruction decision canonical skill summary failure state"),
    "trust": _numbered("draft unverified verified approved"),
    "source_kind": _numbered("none chat user tool model file web import recall system", 0),
    "verdict": _numbered("committed redirected pending duplicate refused"),
    "actor_kind": _numbered("system person agent service"),
    "alias_kind": _numbered("scope person actor key term task source tag domain model purpose"),
    "close_kind": _numbered("changed wrong"),
    "reach": _numbered("everything like"),
    "outcome": _numbered("ok failed partial"),
    "expire_cause": _numbered("ttl review task_end day_end"),
    "epoch_reason": _numbered("created opened restored taken_over"),
    "receipt_what": _numbered("knew saw used"),
    "receipt_mode": _numbered("grouped durable sampled"),
    "decision": _numbered("approve reject"),
    "standing": _numbered("active revoked"),
    "erase_level": _numbered("files master_key"),
    "skill_phase": _numbered("canary promoted rolled_back"),
    "summary_phase": _numbered("verified drifted rolled_back"),
    "repair_kind": _numbered("dropped_tail rebuilt_views recreated_anchor"),
    "job": _numbered(
        "expiry_sweep retention erasure self_verify source_sync backup compaction =32 git history triples jsonl"
    ),
    "role": _numbered("text body source reason name query evidence document answer extra"),
}

WIDE_WORDS = {"job"}

_INTEGERS = {
    "u8": struct.Struct("<B"),
    "u16": struct.Struct("<H"),
    "u32": struct.Struct("<I"),
    "u64": struct.Struct("<Q"),
    "i64": struct.Struct("<q"),
    "micros": struct.Struct("<q"),
    "seq": struct.Struct("<Q"),
    "payload": struct.Struct("<Q"),
}
_RAW = {"bytes32": 32, "ledger": 16, "memory": 16, "alias": 16, "job": 16, "digest": 16, "hash": 32, "root": 32}
_U64 = _INTEGERS["u64"]

Decoder = Callable[[bytes, int], tuple[Any, int]]
Encoder = Callable[[Any], bytes]


class Codec(NamedTuple):
    """How one type is read and written. `least` is the smallest number of bytes that a value takes."""

    decode: Decoder
    encode: Encoder
    least: int


def _short(name: str) -> FormatError:
    return FormatError("bad_body", f"the body ends inside {name}")


def _integer(name: str) -> Codec:
    layout = _INTEGERS[name]
    size = layout.size

    def decode(data: bytes, at: int) -> tuple[int, int]:
        if at + size > len(data):
            raise _short(name)
        return layout.unpack_from(data, at)[0], at + size

    return Codec(decode, layout.pack, size)


def _raw(name: str) -> Codec:
    size = _RAW[name]

    def decode(data: bytes, at: int) -> tuple[bytes, int]:
        if at + size > len(data):
            raise _short(name)
        return data[at : at + size], at + size

    return Codec(decode, bytes, size)


def _bool() -> Codec:
    def decode(data: bytes, at: int) -> tuple[bool, int]:
        if at >= len(data):
            raise _short("a bool")
        if data[at] > 1:
            raise FormatError("bad_body", f"a bool is {data[at]}")
        return data[at] == 1, at + 1

    return Codec(decode, lambda value: bytes([value]), 1)


def _count(data: bytes, at: int, least: int, name: str) -> tuple[int, int]:
    """A length, bounded by what the rest of the body can hold."""
    if at + 8 > len(data):
        raise _short(name)
    (number,) = _U64.unpack_from(data, at)
    if number * least > len(data) - at - 8:
        raise FormatError("bad_body", f"a length of {number} in {len(data) - at - 8} bytes")
    return number, at + 8


def _bytes() -> Codec:
    def decode(data: bytes, at: int) -> tuple[bytes, int]:
        number, at = _count(data, at, 1, "bytes")
        return data[at : at + number], at + number

    return Codec(decode, lambda value: _U64.pack(len(value)) + value, 8)


def _string() -> Codec:
    inner = _bytes()

    def decode(data: bytes, at: int) -> tuple[str, int]:
        raw, at = inner.decode(data, at)
        try:
            return raw.decode("utf-8"), at
        except UnicodeDecodeError:
            raise FormatError("bad_body", "a string is not UTF-8") from None

    return Codec(decode, lambda value: inner.encode(value.encode("utf-8")), 8)


def _word(name: str) -> Codec:
    number = _integer("u16" if name in WIDE_WORDS else "u8")
    words = WORDS[name]
    numbers = {word: value for value, word in words.items()}

    def decode(data: bytes, at: int) -> tuple[str, int]:
        value, at = number.decode(data, at)
        if value not in words:
            raise FormatError("bad_body", f"{value} is no {name}")
        return words[value], at

    return Codec(decode, lambda value: number.encode(numbers[value]), number.least)


def _option(inner: Codec) -> Codec:
    def decode(data: bytes, at: int) -> tuple[Any, int]:
        if at >= len(data):
            raise _short("an option")
        if data[at] > 1:
            raise FormatError("bad_body", f"an option byte is {data[at]}")
        return (None, at + 1) if data[at] == 0 else inner.decode(data, at + 1)

    return Codec(decode, lambda value: b"\0" if value is None else b"\1" + inner.encode(value), 1)


def _list(inner: Codec) -> Codec:
    def decode(data: bytes, at: int) -> tuple[list[Any], int]:
        number, at = _count(data, at, inner.least, "a list")
        out = []
        for _ in range(number):
            value, at = inner.decode(data, at)
            out.append(value)
        return out, at

    return Codec(decode, lambda value: _U64.pack(len(value)) + b"".join(map(inner.encode, value)), 8)


def _record(fields: tuple[tuple[str, str], ...]) -> Codec:
    codecs = [(name, codec(kind)) for name, kind in fields]

    def decode(data: bytes, at: int) -> tuple[dict[str, Any], int]:
        out = {}
        for name, inner in codecs:
            out[name], at = inner.decode(data, at)
        return out, at

    def encode(value: dict[str, Any]) -> bytes:
        return b"".join(inner.encode(value[name]) for name, inner in codecs)

    return Codec(decode, encode, sum(inner.least for _, inner in codecs))


def codec(kind: str) -> Codec:
    """The codec of a type as the tables spell it."""
    if kind in _INTEGERS:
        return _integer(kind)
    if kind in _RAW:
        return _raw(kind)
    if kind.startswith("word:"):
        return _word(kind[5:])
    if kind.startswith("struct:"):
        return _record(STRUCTS[kind[7:]])
    if kind.startswith("option<"):
        return _option(codec(kind[7:-1]))
    if kind.startswith("list<"):
        return _list(codec(kind[5:-1]))
    return {"bool": _bool, "bytes": _bytes, "string": _string}[kind]()


_CODECS = {number: _record(BODIES[kind.name]) for number, kind in KINDS.items()}


def _sorted(body: dict[str, Any], name: str, low: int = 0, high: int | None = None) -> None:
    items = body[name]
    if high is not None and len(items) > high:
        raise FormatError("too_large", f"{name} has {len(items)} items of at most {high}")
    if len(items) < low:
        raise FormatError("bad_value", f"{name} has {len(items)} items of at least {low}")
    if any(a >= b for a, b in zip(items, items[1:])):
        raise FormatError("bad_value", f"{name} is not sorted")


def _interval(body: dict[str, Any], first: str, last: str) -> None:
    for name in (first, last):
        if body[name] in (I64_MIN, I64_MAX):
            raise FormatError("bad_value", f"{name} is an end of i64")
    if body[first] is not None and body[last] is not None and body[first] >= body[last]:
        raise FormatError("bad_value", f"{first} is not before {last}")


def _text(body: dict[str, Any], name: str) -> None:
    text = body[name]
    if len(text.encode()) > LIMITS["name_bytes"]:
        raise FormatError("too_large", f"{name} is longer than {LIMITS['name_bytes']} bytes")
    if not text or any(ord(c) < 0x20 or 0x7F <= ord(c) <= 0x9F for c in text):
        raise FormatError("bad_value", f"{name} is empty or holds a control character")


def _write_rules(body: dict[str, Any]) -> None:
    supersedes = body["supersedes"]
    if len(supersedes) > LIMITS["supersedes"]:
        raise FormatError("too_large", f"supersedes has {len(supersedes)} items")
    if len(set(supersedes)) < len(supersedes):
        raise FormatError("bad_value", "supersedes holds a memory twice")
    for name in ("derived_from", "subjects", "tags"):
        _sorted(body, name, 0, LIMITS[name])
    if body["marks"] & ~7:
        raise FormatError("reserved_not_zero", f"marks is {body['marks']}")
    if body["confidence"] is not None and body["confidence"] > 10000:
        raise FormatError("bad_value", f"confidence is {body['confidence']}")
    if body["memory"] in supersedes or body["memory"] in body["derived_from"]:
        raise FormatError("bad_value", "the memory is made from itself")
    if body["verdict"] not in ("committed", "redirected", "pending"):
        raise FormatError("bad_value", f"a write with verdict {body['verdict']}")
    _interval(body, "valid_from", "valid_until")
    _interval(body, "supersede_from", "supersede_until")


def _close_rules(body: dict[str, Any]) -> None:
    _interval(body, "from", "until")
    if body["kind"] == "wrong" and (body["from"] is not None or body["until"] is not None):
        raise FormatError("bad_value", "what was never true has no times")


def _erase_intent_rules(body: dict[str, Any]) -> None:
    if body["part"] >= body["parts"]:
        raise FormatError("bad_value", f"part {body['part']} of {body['parts']}")
    _sorted(body, "memories")
    _sorted(body, "aliases")
    end = -1
    for item in body["payloads"]:
        if item["first"] > item["last"] or item["first"] <= end:
            raise FormatError("bad_value", "payload ranges are not in order")
        end = item["last"]


def _undo_rules(body: dict[str, Any]) -> None:
    if body["first"] > body["last"]:
        raise FormatError("bad_value", "first is after last")


def _key_rotated_rules(body: dict[str, Any]) -> None:
    if (body["old"] is None) != (body["old_signature"] is None):
        raise FormatError("bad_value", "old and old_signature are not both there or both none")


def _genesis_rules(body: dict[str, Any]) -> None:
    for name, known in (("hash_suite", (1,)), ("payload_suite", (1,)), ("clock", (1, 2))):
        if body[name] not in known:
            raise FormatError("unknown_number", f"{name} is {body[name]}")
    for name, value in body["limits"].items():
        if value > LIMITS[name]:
            raise FormatError("too_large", f"the limit {name} is {value}")
    _text(body, "origin")
    _text(body, "zone")


_TARGETS = LIMITS["targets"]


def _targets(low: int, name: str = "memories") -> Callable[[dict[str, Any]], None]:
    return lambda body: _sorted(body, name, low, _TARGETS)


def _feedback_rules(body: dict[str, Any]) -> None:
    _sorted(body, "helped")
    _sorted(body, "misled")


_RULES: dict[str, Callable[[dict[str, Any]], None]] = {
    "genesis": _genesis_rules,
    "epoch": lambda body: _text(body, "program"),
    "config_set": lambda body: _text(body, "value"),
    "key_rotated": _key_rotated_rules,
    "write": _write_rules,
    "close": _close_rules,
    "reopen": lambda body: _interval(body, "from", "until"),
    "contest": _targets(2),
    "confirm": _targets(1),
    "use": _targets(1),
    "forget": _targets(1),
    "expire": _targets(1),
    "restrict": _targets(1),
    "unrestrict": _targets(1),
    "stale": _targets(1),
    "resolve": _targets(0, "kept"),
    "answer": lambda body: _sorted(body, "contradicts"),
    "feedback": _feedback_rules,
    "hold_placed": _targets(0),
    "erase_requested": _targets(0),
    "erase_intent": _erase_intent_rules,
    "undo": _undo_rules,
}


def decode_body(kind: int, data: bytes) -> dict[str, Any]:
    """The fields of a body of a known kind in its known version."""
    body: dict[str, Any]
    body, at = _CODECS[kind].decode(data, 0)
    if at < len(data):
        raise FormatError("trailing", f"{len(data) - at} bytes after the body")
    rules = _RULES.get(KINDS[kind].name)
    if rules is not None:
        rules(body)
    return body


def encode_body(kind: int, body: dict[str, Any]) -> bytes:
    return _CODECS[kind].encode(body)
