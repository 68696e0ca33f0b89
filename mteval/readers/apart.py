"""Uploads read in a process beside the server: a file that takes too long, or too much memory, costs nobody else."""

import io
import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any

import mteval
from mteval.judgements import Judgement, RatedError
from mteval.readers.documents import DEFAULT_LIMITS, MIB, Document, InputFile, Limits, ScoreColumn, Stream
from mteval.readers.formats.uploads import Begun, with_shared_strings
from mteval.readers.problems import Problem

MOST_ATTEMPTS = 4  # to read what came together; each but the last costs one file
LARGE = 32 * MIB  # a process that has read as much is not kept for others
AT_ONCE = 2
SECONDS_TO_START = 60.0
PLAIN = {one.__name__: one for one in (Document, Stream, ScoreColumn, Judgement, RatedError, Problem, Begun)}
LOG = logging.getLogger(__name__)
Read = tuple[tuple[Document, ...], tuple[Problem, ...]]


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


class _StoppedError(Exception):
    """The process ended, or was ended: why, for the user."""


@dataclass
class Apart:
    """Reads uploads in processes of their own, a few at once; others wait for their turn.

    Parameters
    ----------
    bounds
        Of each process.
    """

    bounds: Bounds = field(default_factory=Bounds)
    _turns: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(AT_ONCE), repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)
    _idle: list["_Process"] = field(default_factory=list, repr=False)

    def __enter__(self) -> "Apart":
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            while self._idle:
                self._idle.pop().end()

    def start(self) -> None:
        """Have a process ready for the first who comes."""
        with self._lock:
            if not self._idle:
                self._idle.append(_Process(self.bounds))

    def unpack(self, files: Iterable[InputFile], limits: Limits = DEFAULT_LIMITS) -> Read:
        """As ``mteval.readers.unpack``; a file over which the process ends is a problem, the others are read."""
        uploads = tuple(files)
        result = _Result()
        with self._turns:
            for _ in range(MOST_ATTEMPTS):
                process = self._taken()
                try:
                    process.read(uploads, limits, result)
                except _StoppedError as stopped:
                    process.end()
                    result.give_up(str(stopped))
                    continue
                self._put_back(process, uploads)
                return result.read
        result.problems.append(Problem("Several of the files could not be read; those after them were not tried."))
        return result.read

    def _taken(self) -> "_Process":
        with self._lock:
            return self._idle.pop() if self._idle else _Process(self.bounds)

    def _put_back(self, process: "_Process", files: Sequence[InputFile]) -> None:
        if sum(len(file.content) for file in files) > LARGE:
            process.end()
            return
        with self._lock:
            self._idle.append(process)


@dataclass
class _Result:
    """What has been read so far, and the names of what has been begun."""

    documents: list[Document] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    done: set[str] = field(default_factory=set)
    begun: str = ""
    pool: dict[str, str] = field(default_factory=dict)

    def take(self, step: Any) -> None:
        """Take over one step of the process."""
        if isinstance(step, Begun):
            self.begun = step.name
        elif isinstance(step, Document):
            self.documents.append(with_shared_strings(step, self.pool))
            self.done.add(self.begun)
        else:
            self.problems.append(step)
            self.done.add(self.begun)

    def give_up(self, why: str) -> None:
        """Leave out the file that was begun last."""
        self.problems.append(Problem(why, self.begun or None))
        self.done.add(self.begun)

    @property
    def read(self) -> Read:
        """What ``unpack`` gives."""
        return tuple(self.documents), tuple(self.problems)


class _Process:
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

    def read(self, files: Sequence[InputFile], limits: Limits, result: _Result) -> None:
        """Read files that are not done yet.

        Raises
        ------
        _StoppedError
            Where the process has ended, or would not.
        """
        try:
            if not self._is_ready:
                self._next(SECONDS_TO_START)
                self._is_ready = True
            self._link.send((files, limits, frozenset(result.done)))
            while (step := self._next(self._seconds)) is not None:
                result.take(step)
        except (EOFError, OSError) as error:
            LOG.warning("the process that reads uploads ended with status %s", self._process.wait())
            raise _StoppedError(
                "Reading it took more memory than one file may take. Give it in smaller files."
            ) from error

    def _next(self, seconds: float) -> Any:
        if not self._link.poll(seconds):
            raise _StoppedError(f"Reading it took more than {seconds:g} s and was stopped. Give it in smaller files.")
        return _plain(self._link.recv_bytes())

    def __del__(self) -> None:
        self.end()

    def end(self) -> None:
        """Stop the process, whatever it does."""
        self._link.close()
        with suppress(OSError):
            self._process.kill()
        self._process.wait()


class _Plain(pickle.Unpickler):
    """Takes what reading makes and nothing else, whatever the other process may have become."""

    def find_class(self, module: str, name: str) -> Any:
        """One of the few classes."""
        if name not in PLAIN or PLAIN[name].__module__ != module:
            raise pickle.UnpicklingError(f"{module}.{name} is nothing that reading makes")
        return PLAIN[name]


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


def _plain(content: bytes) -> Any:
    return _Plain(_Pieces(content)).load()


def _python_path() -> str:
    """Where the other process finds this package."""
    own = str(Path(mteval.__file__).parent.parent)
    return os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH"))))
