"""Digests of texts and files, under which values are kept and found again, and of bytes, so that damage is seen."""

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

SEAL = 16  # bytes


def digest_of(texts: Iterable[str], kind: str = "") -> str:
    """Return the hexadecimal digest of a sequence of strings.

    Parameters
    ----------
    kind
        What the strings are, in at most 16 bytes; the same strings of another kind have another digest.
    """
    state = hashlib.blake2b(digest_size=16, person=kind.encode())
    for text in texts:
        encoded = text.encode("utf-8", "surrogatepass")
        state.update(len(encoded).to_bytes(8, "little"))
        state.update(encoded)
    return state.hexdigest()


def digest_of_file(file: Path) -> str:
    """Return the hexadecimal digest of a file's content; a file that did not change is read once.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    status = file.stat()
    return _digest_of_state(file, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=128)
def _digest_of_state(file: Path, size: int, changed: int) -> str:
    """Return the digest of a file; size and time of the last change only tell whether it is still the same."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def flattened(rows: Iterable[Iterable[str]]) -> Iterable[str]:
    """Yield all strings of all rows, each row preceded by its length."""
    for row in rows:
        texts = tuple(row)
        yield str(len(texts))
        yield from texts


def sealed(content: bytes, name: str) -> bytes:
    """Prepend a checksum of content and name, which detects damage but not forgery."""
    return _seal(content, name) + content


def unsealed(content: bytes, name: str) -> bytes | None:
    """Return the content sealed under a name; None if it is damaged."""
    inner = content[SEAL:]
    if content[:SEAL] != _seal(inner, name):
        return None
    return inner


def _seal(content: bytes, name: str) -> bytes:
    """Return the checksum of content under a name."""
    key = hashlib.blake2b(name.encode(), digest_size=SEAL).digest()
    state = hashlib.blake2b(digest_size=SEAL, key=key)
    state.update(content)
    return state.digest()
