"""A process with limits on time and memory, and what may come back from it: values of a few classes, nothing else."""

import io
import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import mteval
from mteval.errors import InputError
from mteval.readers.documents import MIB, InputFile
from mteval.readers.problems import Problem

SECONDS_TO_START = 60.0
LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Bounds:
    """What reading may cost.

    Parameters
    ----------
    seconds
        Of a file, or of an archive's table of contents.
    memory_bytes
        Of the process.
    """

    seconds: float = 60.0
    memory_bytes: int = 3 * 1024 * MIB


class StoppedError(Exception):
    """The process ended, or was ended: why, for the user."""


def outcome(function: Callable[[InputFile], object], file: InputFile) -> Iterator[object]:
    """What a function makes of a file, or the problem that it has with it."""
    try:
        yield function(file)
    except InputError as error:
        yield Problem.of(error)


class Process:
    """A process that reads files, and the link to it."""

    def __init__(self, bounds: Bounds) -> None:
        self._seconds = bounds.seconds
        self._is_ready = False
        ours, theirs = Pipe()
        self._link: Connection[Any, Any] = ours
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "mteval.readers.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": _python_path()},
            )
        self._link.send(bounds.memory_bytes)

    def steps(
        self, function: Callable[..., Iterable[Any]], given: Sequence[Any], kinds: Sequence[type]
    ) -> Iterator[Any]:
        """What a function of what is given makes, one after the other.

        Raises
        ------
        StoppedError
            Where the process has ended, or would not.
        """
        try:
            if not self._is_ready:
                self._next(SECONDS_TO_START, ())
                self._is_ready = True
            self._link.send((function, given))
            while (step := self._next(self._seconds, kinds)) is not None:
                yield step
        except (EOFError, OSError) as error:
            LOG.warning("the process that reads uploads ended with status %s", self._process.wait())
            raise StoppedError(
                "Reading it took more memory than one file may take. Give it in smaller files."
            ) from error

    def _next(self, seconds: float, kinds: Sequence[type]) -> Any:
        if not self._link.poll(seconds):
            raise StoppedError(f"Reading it took more than {seconds:g} s and was stopped. Give it in smaller files.")
        return plain(self._link.recv_bytes(), kinds)

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Stop the process, whatever it does."""
        self._link.close()
        with suppress(OSError):
            self._process.kill()
        self._process.wait()


class _Plain(pickle.Unpickler):
    """Takes values of a few classes and nothing else, whatever the other process may have become."""

    def __init__(self, content: "_Pieces", kinds: Sequence[type]) -> None:
        super().__init__(content)
        self._kinds = {(kind.__module__, kind.__name__): kind for kind in kinds}

    def find_class(self, module: str, name: str) -> Any:
        """One of the few classes."""
        if (module, name) not in self._kinds:
            raise pickle.UnpicklingError(f"{module}.{name} is nothing that reading makes")
        return self._kinds[module, name]


class _Pieces:
    """Bytes for the unpickler, which holds the interpreter between two of its questions: these let others in."""

    def __init__(self, content: bytes) -> None:
        self._content = io.BytesIO(content)

    def read(self, size: int) -> bytes:
        """The next bytes."""
        return self._content.read(size)

    def readline(self) -> bytes:
        """The next bytes up to the end of a line."""
        return self._content.readline()


def plain(content: bytes, kinds: Sequence[type]) -> Any:
    return _Plain(_Pieces(content), kinds).load()


def _python_path() -> str:
    """Where the other process finds this package."""
    own = str(Path(mteval.__file__).parent.parent)
    return os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH"))))
