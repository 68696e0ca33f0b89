"""Digests of texts, under which values are kept and found again."""

import hashlib
from collections.abc import Iterable


def digest_of(texts: Iterable[str]) -> str:
    """Hexadecimal digest of a sequence of strings; sequences that differ anywhere differ in it."""
    state = hashlib.blake2b(digest_size=16)
    for text in texts:
        encoded = text.encode("utf-8", "surrogatepass")
        state.update(len(encoded).to_bytes(8, "little"))
        state.update(encoded)
    return state.hexdigest()


def flattened(rows: Iterable[Iterable[str]]) -> Iterable[str]:
    """All strings of all rows, with the length of each row before it."""
    for row in rows:
        texts = tuple(row)
        yield str(len(texts))
        yield from texts
