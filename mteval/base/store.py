"""Cache of statistics on disk, keyed by content, and in-memory caches tied to the life of a value.

Files have numbers only: no text, and nothing that could run code when read.
"""

import io
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, cast
from weakref import finalize

import numpy as np

from mteval.base.arrays import StatArray
from mteval.base.digests import digest_of, sealed, unsealed
from mteval.base.paths import make_private

_SUFFIX = ".npy"
_PART = "part-"  # how the names of unfinished files begin; version 0.2 put them into folders


@dataclass(frozen=True)
class StatisticsStore:
    """One file per run, test set and metric, named by a digest of everything that determines its content.

    Parameters
    ----------
    directory
        Created with the first array.
    max_bytes
        Size limit; the least recently used files are evicted.
    """

    directory: Path
    max_bytes: int = 2 * 1024**3

    def load(self, *key: str) -> StatArray | None:
        """Return the array under the key, or None. A damaged file counts as missing."""
        path = self._path(key)
        try:
            content = unsealed(path.read_bytes(), path.name)
            if content is None:
                return None
            array: StatArray = np.load(io.BytesIO(content), allow_pickle=False)
            os.utime(path)
        except (OSError, ValueError):
            return None
        if array.dtype.kind == "i":
            return array.astype(np.int64)
        return array

    def keep(self, array: StatArray, *key: str) -> None:
        """Write an array atomically. Errors are ignored, e.g. of a full disk; they only cost time later."""
        path = self._path(key)
        with suppress(OSError):
            make_private(path.parent)
            content = io.BytesIO()
            np.save(content, _narrow(array), allow_pickle=False)
            # Not in a folder of its own, whose removal takes longer than all else
            descriptor, part = tempfile.mkstemp(dir=path.parent, prefix=_PART)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(sealed(content.getvalue(), path.name))
                os.replace(part, path)
            except BaseException:  # no part stays, whatever ends the writing
                with suppress(OSError):
                    os.unlink(part)
                raise

    def trim(self) -> None:
        """Evict the least recently used files beyond ``max_bytes``, and remove abandoned parts."""
        files = []
        for entry in self._entries():  # thousands, once per call: pathlib would take ten times as long
            with suppress(OSError):  # removed by another process meanwhile
                status = entry.stat()
                if entry.name.endswith(_SUFFIX):
                    files.append((status.st_mtime, status.st_size, entry.path))
                elif entry.name.startswith(_PART) and time.time() - status.st_mtime > 3_600:
                    _remove(entry)  # left by a killed process
        total = 0
        for _, size, path in sorted(files, reverse=True):
            total += size
            if total > self.max_bytes:
                Path(path).unlink(missing_ok=True)

    def _entries(self) -> Iterator[os.DirEntry[str]]:
        """Yield what is in the folders of the directory."""
        with suppress(OSError), os.scandir(self.directory) as folders:
            for folder in folders:
                with suppress(OSError), os.scandir(folder.path) as entries:
                    yield from entries

    def _path(self, key: tuple[str, ...]) -> Path:
        name = digest_of(key)
        return self.directory / name[:2] / f"{name}{_SUFFIX}"


def _remove(entry: os.DirEntry[str]) -> None:
    """Remove a file, or a folder with all it holds."""
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path)
    else:
        os.unlink(entry.path)


def _narrow(array: StatArray) -> StatArray:
    """Convert integers to the smallest signed type that holds them."""
    if array.dtype.kind != "i" or array.size == 0:
        return array
    # The types of negative numbers are signed: of -1 or less, and of -highest - 1, whose type also holds highest.
    lowest = min(int(array.min()), -1)
    highest = max(int(array.max()), 0)
    type_of_lowest = np.min_scalar_type(lowest)
    type_of_highest = np.min_scalar_type(-highest - 1)
    return array.astype(np.promote_types(type_of_lowest, type_of_highest))


K = TypeVar("K")
P = ParamSpec("P")
T = TypeVar("T")


def kept_beside(make: Callable[Concatenate[K, P], T]) -> Callable[Concatenate[K, P], T]:
    """Cache a function's results for as long as its first argument exists.

    A cache of recent results would keep a visitor's data after they left. The first argument counts as the same only
    if it is the same object, and results must not refer to it.
    """
    results_of: dict[int, dict[object, T]] = {}  # by the ID of the first argument, then by the others

    @wraps(make)
    def made_or_kept(value: K, /, *others: P.args, **named: P.kwargs) -> T:
        results = results_of.get(id(value))
        if results is None:
            results = {}
            results_of[id(value)] = results
            finalize(value, results_of.pop, id(value), None).atexit = False
        key = (others, tuple(named.items()))
        if key not in results:
            results[key] = make(value, *others, **named)
        return results[key]

    return cast(Callable[Concatenate[K, P], T], made_or_kept)
