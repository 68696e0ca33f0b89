"""Contents on disk, compressed, each under a digest of itself: what is the same is there once."""

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

LEVEL = 3  # of zlib: texts shrink to a third at a hundred megabytes a second
PART = "part-"
DAMAGED = ".damaged"
LONGEST_WRITE = 3600.0  # seconds; parts older than this were left by a process that was killed


def digest_of_bytes(content: bytes) -> str:
    """Hexadecimal digest under which a content is kept."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


@dataclass(frozen=True)
class Blobs:
    """Files named by what they hold. A file is whole or absent, whenever the machine or the process stops.

    Parameters
    ----------
    directory
        Made when the first content is kept, for this user alone.
    """

    directory: Path

    def keep(self, content: bytes) -> str:
        """Keep a content, on the disk when this returns; its digest.

        Raises
        ------
        OSError
            Where it cannot be written.
        """
        digest = digest_of_bytes(content)
        path = self._path(digest)
        if not path.exists():
            for directory in (self.directory.parent, self.directory, path.parent):
                directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_whole(path, zlib.compress(content, LEVEL))
        return digest

    def load(self, digest: str) -> bytes:
        """The content. A damaged file gives up its name, so that the same content can be kept again.

        Raises
        ------
        MtevalError
            Where it is not there, or is not what was kept.
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
        with suppress(OSError):  # where nothing can be written it stays
            path.replace(path.with_suffix(DAMAGED))
        raise MtevalError(f"{path} is damaged: its content does not match its name. {_REMEDY}")

    def size(self, digest: str) -> int:
        """Bytes that a content takes on the disk; 0 where it is not there."""
        try:
            return self._path(digest).stat().st_size
        except FileNotFoundError:
            return 0

    def remove_all_but(self, used: Collection[str]) -> None:
        """Remove what nobody needs, and what was left by processes that were killed."""
        for path in list(self.directory.glob("??/*")):
            with suppress(FileNotFoundError):  # it has another name by now
                is_part = path.name.startswith(PART)
                if time.time() - path.stat().st_mtime > LONGEST_WRITE if is_part else path.name not in used:
                    path.unlink()

    def _path(self, digest: str) -> Path:
        return self.directory / digest[:2] / digest


_REMEDY = "Load the files again to repair the experiment."


def _write_whole(path: Path, content: bytes) -> None:
    """Write beside the place, see it on the disk, and only then give it its name."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=PART)
    try:
        with os.fdopen(descriptor, "wb") as part:
            part.write(content)
            part.flush()
            os.fsync(part.fileno())
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    with suppress(OSError):  # see the new name on the disk as well, where the system can say so of a directory
        opened = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
