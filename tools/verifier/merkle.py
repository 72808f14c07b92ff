"""The Merkle tree of RFC 6962 section 2.1 over record bytes, kept as a frontier (SPEC.md section 14.1)."""

import hashlib
from collections.abc import Sequence

EMPTY_ROOT = hashlib.sha256().digest()


def leaf_hash(data: bytes) -> bytes:
    return hashlib.sha256(b"\0" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


class Frontier:
    """The roots of the complete subtrees of `size` leaves, largest first: all that the tree needs to grow."""

    __slots__ = ("size", "nodes")

    def __init__(self, size: int = 0, nodes: Sequence[bytes] = ()) -> None:
        if size.bit_count() != len(nodes):
            raise ValueError("a frontier has one node for each one bit of its size")
        self.size = size
        self.nodes = list(nodes)

    def copy(self) -> "Frontier":
        return Frontier(self.size, self.nodes)

    def push(self, leaf: bytes) -> None:
        """Adds the hash of a leaf."""
        size = self.size
        while size & 1:
            leaf = node_hash(self.nodes.pop(), leaf)
            size >>= 1
        self.nodes.append(leaf)
        self.size += 1

    def root(self) -> bytes:
        if not self.nodes:
            return EMPTY_ROOT
        out = self.nodes[-1]
        for node in reversed(self.nodes[:-1]):
            out = node_hash(node, out)
        return out


def root_by_definition(leaves: Sequence[bytes]) -> bytes:
    """The root by the recursion of RFC 6962, to check the frontier against."""
    if not leaves:
        return EMPTY_ROOT
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return node_hash(root_by_definition(leaves[:split]), root_by_definition(leaves[split:]))
