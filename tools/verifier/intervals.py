"""Sets of numbers kept as ranges: payload ids come nearly in order, so millions of them are a handful of ranges."""

from bisect import bisect_right
from collections.abc import Iterator


class Intervals:
    """A set of integers as sorted ranges that neither touch nor overlap, both ends included."""

    __slots__ = ("_firsts", "_lasts")

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []

    def __contains__(self, number: int) -> bool:
        at = bisect_right(self._firsts, number) - 1
        return at >= 0 and number <= self._lasts[at]

    def __bool__(self) -> bool:
        return bool(self._firsts)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """The ranges."""
        return zip(self._firsts, self._lasts)

    def count(self) -> int:
        """How many numbers are in the set."""
        return sum(last - first + 1 for first, last in self)

    def add(self, first: int, last: int | None = None) -> None:
        """Adds a number, or all numbers from `first` to `last`."""
        last = first if last is None else last
        if self._lasts and first == self._lasts[-1] + 1:
            self._lasts[-1] = last
            return
        low = bisect_right(self._firsts, first) - 1
        if low < 0 or self._lasts[low] < first - 1:
            low += 1
        high = bisect_right(self._firsts, last + 1)
        if low < high:
            first = min(first, self._firsts[low])
            last = max(last, self._lasts[high - 1])
        self._firsts[low:high] = [first]
        self._lasts[low:high] = [last]

    def update(self, other: "Intervals") -> None:
        for first, last in other:
            self.add(first, last)

    def joined(self, other: "Intervals") -> "Intervals":
        """What is in one or both."""
        out = Intervals()
        out.update(self)
        out.update(other)
        return out

    def common(self, other: "Intervals") -> "Intervals":
        """What is in both."""
        out = Intervals()
        mine, theirs = list(self), list(other)
        i = j = 0
        while i < len(mine) and j < len(theirs):
            first, last = max(mine[i][0], theirs[j][0]), min(mine[i][1], theirs[j][1])
            if first <= last:
                out.add(first, last)
            if mine[i][1] < theirs[j][1]:
                i += 1
            else:
                j += 1
        return out

    def without(self, other: "Intervals") -> "Intervals":
        """What is here and not in the other."""
        out = Intervals()
        holes = list(self.common(other))
        at = 0
        for first, last in self:
            while at < len(holes) and holes[at][1] <= last:
                if first < holes[at][0]:
                    out.add(first, holes[at][0] - 1)
                first = holes[at][1] + 1
                at += 1
            if first <= last:
                out.add(first, last)
        return out

    def numbers(self, limit: int) -> list[int]:
        """The first `limit` numbers."""
        out: list[int] = []
        for first, last in self:
            out.extend(range(first, min(last, first + limit - len(out) - 1) + 1))
            if len(out) >= limit:
                break
        return out
