"""Digests of texts, under which values are kept and found again, and of bytes, so that damage to them is seen."""

import hashlib
from collections.abc import Iterable

SEAL = 16  # bytes


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


def sealed(content: bytes, name: str) -> bytes:
    """Content with a digest of it and of its name before it. It tells damage, not who wrote it."""
    return _seal(content, name) + content


def unsealed(content: bytes, name: str) -> bytes | None:
    """The content that was sealed under a name; None where a bit of it is another one."""
    inner = content[SEAL:]
    return inner if content[:SEAL] == _seal(inner, name) else None


def _seal(content: bytes, name: str) -> bytes:
    state = hashlib.blake2b(digest_size=SEAL, key=hashlib.blake2b(name.encode(), digest_size=SEAL).digest())
    state.update(content)
    return state.digest()
