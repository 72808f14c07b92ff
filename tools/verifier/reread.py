"""Second passes over the part of a log that a walk has verified."""

from collections.abc import Iterator

import files
import merkle
import records
from chain import Place
from layout import Fields
from walk import LogWalk


def all_records(walk: LogWalk) -> Iterator[tuple[Fields, bytes]]:
    """The header of its batch and the bytes of every record."""
    for segment, end in walk.ends:
        at = files.SEGMENT_HEADER
        while at < end:
            header = files.BATCH.fields(segment.reader.read(at, files.BATCH_HEADER))
            length = files.batch_length(header)
            for raw in files.split_frames(header, segment.reader.read(at, length)).raw:
                yield header, raw
            at += length


def places(walk: LogWalk, numbers: list[int]) -> dict[int, Place]:
    """Where the payloads of these ids are."""
    wanted = set(numbers)
    out: dict[int, Place] = {}
    batch, at = -1, 0
    for header, raw in all_records(walk) if wanted else ():
        if header["batch"] != batch:
            batch, at = header["batch"], header["payload_offset"]
        if not raw[records.PAYLOAD_COUNT]:
            continue
        record = records.decode_record(raw)
        for reference in record.payloads:
            if reference["id"] in wanted:
                out[reference["id"]] = Place(reference, record.header["seq"], batch, header["payload_file"], at)
            at += reference["length"]
    return out


def roots(walk: LogWalk, sizes: set[int]) -> dict[int, bytes]:
    """The roots over the first so many records."""
    tree = merkle.Frontier()
    out = {0: tree.root()}
    for _, raw in all_records(walk):
        tree.push(merkle.leaf_hash(raw))
        if tree.size in sizes:
            out[tree.size] = tree.root()
    return out
