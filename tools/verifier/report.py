"""What a verification found: findings with their place, claims with their counts, and what was not checked."""

from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

VERIFIED = "verified"
DAMAGED = "damaged"
CANNOT_BE_CHECKED = "cannot_be_checked"
ERASURE_UNFINISHED = "erasure_unfinished"
UNACKNOWLEDGED_TAIL = "unacknowledged_tail"
NOTICE = "notice"

_RANK = (DAMAGED, CANNOT_BE_CHECKED, ERASURE_UNFINISHED, UNACKNOWLEDGED_TAIL)
MOST_FINDINGS = 100


class Head(NamedTuple):
    """The last record of a log and the root over all of its records."""

    seq: int
    hash: bytes
    root: bytes


@dataclass(frozen=True)
class Finding:
    """One thing that is not as it should be. A notice changes no verdict."""

    verdict: str
    at: str
    text: str
    error: str | None = None
    file: str | None = None
    offset: int | None = None
    seq: int | None = None
    fails: bool = True

    def line(self) -> str:
        """The finding as one line of text."""
        place = [f"file {self.file}" if self.file else "", f"offset {self.offset}" if self.offset is not None else ""]
        place.append(f"seq {self.seq}" if self.seq is not None else "")
        where = ", ".join(part for part in place if part)
        word = f" [{self.error}]" if self.error else ""
        return f"{self.verdict}: {self.at}: {self.text}{word}" + (f" ({where})" if where else "")


@dataclass
class Report:
    """The result. `claims` maps a claim to how many of how many were found to hold."""

    findings: list[Finding] = field(default_factory=list)
    claims: dict[str, tuple[int, int]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    unchecked: list[tuple[str, str]] = field(default_factory=list)
    head: Head | None = None
    ledger: bytes | None = None
    left_out: int = 0

    def add(self, verdict: str, at: str, text: str, **place: Any) -> None:
        """Adds a finding; past a bound they are only counted."""
        finding = Finding(verdict, at, text, **place)
        if len(self.findings) < MOST_FINDINGS or verdict not in {item.verdict for item in self.findings}:
            self.findings.append(finding)
        else:
            self.left_out += 1

    def absorb(self, other: "Report") -> None:
        """Adds the findings of another report."""
        for finding in other.findings:
            place = asdict(finding)
            self.add(place.pop("verdict"), place.pop("at"), place.pop("text"), **place)
        self.left_out += other.left_out

    def not_checked(self, what: str, why: str) -> None:
        self.unchecked.append((what, why))

    def _first(self) -> Finding | None:
        for verdict in _RANK:
            for finding in self.findings:
                if finding.verdict == verdict:
                    return finding
        return None

    @property
    def verdict(self) -> str:
        """The gravest verdict of all findings."""
        first = self._first()
        return first.verdict if first else VERIFIED

    @property
    def at(self) -> str:
        """The place of the first finding of that verdict."""
        first = self._first()
        return first.at if first else ""

    def exit_code(self) -> int:
        """0 verified, 3 damage, 4 cannot be checked."""
        if self.verdict == CANNOT_BE_CHECKED:
            return 4
        failing = (DAMAGED, ERASURE_UNFINISHED)
        return 3 if any(item.verdict in failing and item.fails for item in self.findings) else 0

    def as_json(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "at": self.at,
            "exit": self.exit_code(),
            "ledger": self.ledger.hex() if self.ledger else None,
            "head": None
            if self.head is None
            else {"seq": self.head.seq, "hash": self.head.hash.hex(), "root": self.head.root.hex()},
            "claims": {name: {"checked": done, "expected": all_} for name, (done, all_) in self.claims.items()},
            "counts": self.counts,
            "not_checked": [{"what": what, "why": why} for what, why in self.unchecked],
            "findings": [asdict(item) for item in self.findings],
            "findings_left_out": self.left_out,
        }
