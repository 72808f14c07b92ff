"""Where the files of a ledger are: a directory, or a dictionary of bytes for tests and vectors. Only ever read."""

import os
import time
from pathlib import Path
from typing import Protocol

_STEP = 1 << 20
_ZEROS = bytes(_STEP)


class Reader(Protocol):
    """A file that is read at offsets."""

    def size(self) -> int: ...

    def read(self, offset: int, length: int) -> bytes:
        """At most `length` bytes; fewer only at the end of the file."""


class Store(Protocol):
    """The files of one ledger by their path inside its directory."""

    def names(self, directory: str) -> list[str]:
        """Names in a directory, sorted; none where there is no such directory."""

    def open(self, path: str) -> Reader | None:
        """The file, or None where there is none."""

    def pause(self) -> None:
        """Waits long enough for a writer to finish one page."""


class _MemoryReader:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def size(self) -> int:
        return len(self._data)

    def read(self, offset: int, length: int) -> bytes:
        return self._data[offset : offset + length]


class MemoryStore:
    """Files as a dictionary from path to bytes."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files

    def names(self, directory: str) -> list[str]:
        prefix = directory + "/"
        return sorted(path[len(prefix) :] for path in self.files if path.startswith(prefix))

    def open(self, path: str) -> Reader | None:
        data = self.files.get(path)
        return None if data is None else _MemoryReader(data)

    def pause(self) -> None:
        """Nothing here changes by itself."""


class _FileReader:
    def __init__(self, path: Path) -> None:
        self._file = open(path, "rb", buffering=0)

    def size(self) -> int:
        return os.fstat(self._file.fileno()).st_size

    def read(self, offset: int, length: int) -> bytes:
        parts = []
        while length:
            part = os.pread(self._file.fileno(), length, offset)
            if not part:
                break
            parts.append(part)
            offset += len(part)
            length -= len(part)
        return b"".join(parts)

    def __del__(self) -> None:
        file = getattr(self, "_file", None)
        if file is not None:
            file.close()


class DirectoryStore:
    """The files of a ledger directory."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def names(self, directory: str) -> list[str]:
        try:
            return sorted(os.listdir(self._root / directory))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def open(self, path: str) -> Reader | None:
        full = self._root / path
        return _FileReader(full) if full.is_file() else None

    def pause(self) -> None:
        time.sleep(0.02)


def read_all(store: Store, path: str, limit: int) -> bytes | None:
    """A small file as a whole, at most `limit` + 1 bytes of it; None where there is none."""
    reader = store.open(path)
    return None if reader is None else reader.read(0, limit + 1)


def first_nonzero(reader: Reader, start: int, end: int) -> int | None:
    """The offset of the first byte from `start` to `end` that is not zero; None where all are."""
    at = start
    while at < end:
        part = reader.read(at, min(_STEP, end - at))
        if not part:
            return None
        if part != _ZEROS[: len(part)]:
            return at + len(part) - len(part.lstrip(b"\0"))
        at += len(part)
    return None
