"""Compressed contents on disk, stored once under their digest."""

import hashlib
import os
import tempfile
import time
import zlib
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mteval.base.errors import MtevalError

LEVEL = 3  # zlib level: a third of the size, at 100 MB/s
PART = "part-"
DAMAGED = ".damaged"
LONGEST_WRITE = 3600.0  # seconds; older temporary files were left by killed processes


def digest_of_bytes(content: bytes) -> str:
    """Return the hexadecimal digest of a content."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


@dataclass(frozen=True)
class Blobs:
    """Files named by the digest of their content. A file is complete or absent, even after a crash.

    Parameters
    ----------
    directory
        Created for this user only when the first content is stored.
    """

    directory: Path

    def keep(self, content: bytes) -> str:
        """Store a content on disk; return its digest.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        digest = digest_of_bytes(content)
        path = self._path(digest)
        if not path.exists():
            for directory in (self.directory.parent, self.directory, path.parent):
                directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_whole(path, zlib.compress(content, LEVEL))
        return digest

    def load(self, digest: str) -> bytes:
        """Return a content. A damaged file is renamed, so that the content can be stored again.

        Raises
        ------
        MtevalError
            If it is missing or damaged.
        """
        path = self._path(digest)
        try:
            content = zlib.decompress(path.read_bytes())
            if digest_of_bytes(content) == digest:
                return content
        except OSError as error:
            raise MtevalError(f"Cannot read {path}: {error}. {_REMEDY}") from error
        except zlib.error:
            pass
        with suppress(OSError):  # if it cannot be renamed, it stays
            path.replace(path.with_suffix(DAMAGED))
        raise MtevalError(f"{path} is damaged: its content does not match its name. {_REMEDY}")

    def size(self, digest: str) -> int:
        """Return the size on disk in bytes; 0 if it is missing."""
        try:
            return self._path(digest).stat().st_size
        except FileNotFoundError:
            return 0

    def remove_all_but(self, used: Collection[str]) -> None:
        """Remove unused contents and leftovers of killed processes."""
        for path in list(self.directory.glob("??/*")):
            with suppress(FileNotFoundError):  # it has been renamed since
                is_part = path.name.startswith(PART)
                if time.time() - path.stat().st_mtime > LONGEST_WRITE if is_part else path.name not in used:
                    path.unlink()

    def _path(self, digest: str) -> Path:
        return self.directory / digest[:2] / digest


_REMEDY = "Load the files again to repair the experiment."


def _write_whole(path: Path, content: bytes) -> None:
    """Write to a temporary file, sync it, then rename it."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=PART)
    try:
        with os.fdopen(descriptor, "wb") as part:
            part.write(content)
            part.flush()
            os.fsync(part.fileno())
        os.replace(name, path)
    except BaseException:  # no part stays, whatever ends the writing
        with suppress(OSError):
            os.unlink(name)
        raise
    with suppress(OSError):  # sync the new name as well, if the system can sync a directory
        opened = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
