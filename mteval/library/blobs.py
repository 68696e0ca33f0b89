"""Compressed contents, stored once under their digest: as files, or as objects of an S3-compatible store."""

import hashlib
import os
import tempfile
import time
import zlib
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from mteval.base.errors import MissingDependencyError, MtevalError
from mteval.base.installing import how_to_install

PART = "part-"  # begins the names of files that are being written
DAMAGED = ".damaged"  # ends the names of damaged files
SECONDS_OF_PARTS = 3_600.0  # older temporary files were left by killed processes
_REMEDY = "Load the files again to repair the experiment."


def digest_of_bytes(content: bytes) -> str:
    """Return the hexadecimal digest of a content."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


@dataclass(frozen=True)
class Blobs:
    """Contents by digest."""

    store: "Store"

    def keep(self, content: bytes) -> tuple[str, int]:
        """Store a content; return its digest and its size in the store.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        digest = digest_of_bytes(content)
        size = self.store.size(digest)
        if size is None:
            packed = zlib.compress(content, level=3)  # a third of the size, at 100 MB/s
            self.store.write(digest, packed)
            size = len(packed)
        return digest, size

    def load(self, digest: str) -> bytes:
        """Return a content. If it is damaged it is renamed, so that the content can be stored again.

        Raises
        ------
        MtevalError
            If it is missing or damaged.
        """
        try:
            content = zlib.decompress(self.store.read(digest))
            if digest_of_bytes(content) == digest:
                return content
        except OSError as error:
            raise MtevalError(f"Cannot read content {digest}: {error}. {_REMEDY}") from error
        except zlib.error:
            pass
        with suppress(OSError):  # if it cannot be renamed, it stays
            self.store.set_aside(digest)
        raise MtevalError(f"Content {digest} is damaged: it does not match its name. {_REMEDY}")

    def remove_all_but(self, used: Collection[str]) -> None:
        """Remove unused contents and leftovers of killed processes."""
        for name, written in list(self.store.names()):
            if name in used:
                continue
            is_old = time.time() - written > SECONDS_OF_PARTS
            if is_old or not name.startswith(PART):
                self.store.remove(name)


@dataclass(frozen=True)
class Folder:
    """Bytes by name, as files in a directory, created for this user only when the first one is stored.

    What is stored is complete or absent, even after a crash; failures are ``OSError``.
    """

    directory: Path

    def size(self, name: str) -> int | None:
        """Return the number of bytes; None if there are none of that name."""
        try:
            return self._path(name).stat().st_size
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        """Write to a temporary file, sync it, then rename it."""
        path = self._path(name)
        for directory in (self.directory.parent, self.directory, path.parent):
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, part = tempfile.mkstemp(dir=path.parent, prefix=PART)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except BaseException:  # no part stays, whatever ends the writing
            with suppress(OSError):
                os.unlink(part)
            raise
        with suppress(OSError):  # sync the new name as well, if the system can sync a directory
            directory_descriptor = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(directory_descriptor)
            finally:
                os.close(directory_descriptor)

    def read(self, name: str) -> bytes:
        """Return bytes."""
        return self._path(name).read_bytes()

    def remove(self, name: str) -> None:
        """Remove bytes, if they are there."""
        self._path(name).unlink(missing_ok=True)

    def set_aside(self, name: str) -> None:
        """Rename damaged bytes."""
        path = self._path(name)
        path.replace(path.with_suffix(DAMAGED))

    def names(self) -> Iterator[tuple[str, float]]:
        """Yield all names with the time of writing."""
        for path in self.directory.glob("??/*"):
            with suppress(FileNotFoundError):  # it has been renamed since
                yield path.name, path.stat().st_mtime

    def _path(self, name: str) -> Path:
        """Return where a content is, or should be: in a folder named after the beginning of its digest."""
        if name.startswith(PART):  # the folder of a temporary file is that of the content which it was to be
            for path in self.directory.glob(f"??/{name}"):
                return path
        return self.directory / name[:2] / name


@lru_cache(maxsize=8)
def _file_system(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it."""
    try:
        from fsspec.core import url_to_fs

        system, root = url_to_fs(url)
    except ImportError as error:
        raise MissingDependencyError(f"Cannot store contents at {url}: {error}. {how_to_install('objects')}") from error
    return system, root


@dataclass(frozen=True)
class Objects:
    """The same below a URL that fsspec knows, e.g. ``s3://bucket/mteval``."""

    url: str

    def size(self, name: str) -> int | None:
        """Return the number of bytes; None if there are none of that name."""
        system, path = self._at(name)
        try:
            system.invalidate_cache(path)  # another server may have changed it
            return int(system.info(path)["size"])
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        """Store bytes; one object is written whole or not at all."""
        system, path = self._at(name)
        system.pipe_file(path, content)

    def read(self, name: str) -> bytes:
        """Return bytes."""
        system, path = self._at(name)
        return bytes(system.cat_file(path))

    def remove(self, name: str) -> None:
        """Remove bytes, if they are there."""
        system, path = self._at(name)
        with suppress(FileNotFoundError):
            system.rm_file(path)

    def set_aside(self, name: str) -> None:
        """Rename damaged bytes."""
        system, path = self._at(name)
        system.mv(path, f"{path}{DAMAGED}")

    def names(self) -> Iterator[tuple[str, float]]:
        """Yield all names with the time of writing."""
        system, root = _file_system(self.url)
        system.invalidate_cache()
        for path, details in system.find(root, detail=True).items():
            if path == root or details.get("type") == "directory":  # some stores list what is above
                continue
            written = details.get("LastModified") or details.get("mtime") or 0.0
            if not isinstance(written, float | int):
                written = written.timestamp()
            yield path.rpartition("/")[2], written

    def _at(self, name: str) -> tuple[Any, str]:
        """Return the file system, and the path of a content in it."""
        system, root = _file_system(self.url)
        return system, f"{root}/{name[:2]}/{name}"


Store = Folder | Objects
