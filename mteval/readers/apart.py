"""Uploads read in processes beside the server: a file that takes too long, or too much memory, costs nobody else.

What may come back from such a process is values of a few classes, nothing else.
"""

import io
import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any, TypeVar

from mteval.base.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, MIB, Document, InputFile, Limits, Problem, ScoreColumn, Stream
from mteval.readers.formats.text import decode
from mteval.readers.formats.uploads import FORMATS, LINE_FORMATS, Begun, Gathered, steps
from mteval.values.judgements import ErrorSpan, Judgement, RatedError

SECONDS_TO_START = 60.0
STATM = Path("/proc/self/statm")  # its first number counts pages of memory, used or not
LONGEST_SECONDS = 3_600  # of work, where nobody is left to stop it
LOG = logging.getLogger(__name__)
T = TypeVar("T")


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


def of_text(function: Callable[[str, str], T], file: InputFile) -> T:
    """What a function makes of the text of a file and its name."""
    return function(decode(file.content, file.name), file.name)


def work(channel: int) -> None:
    """Do what comes through a pipe, functions with what they are given, until nothing more does: life of a process.

    The end of each function is ``None``.
    """
    link: Connection[Any, Any] = Connection(channel)
    for form in (*FORMATS, *LINE_FORMATS):  # what most files need takes nothing of a file's memory
        form.load()
    confine(link.recv())
    link.send(None)  # ready: what it took to start is not counted
    with suppress(EOFError):
        while True:
            function, given = link.recv()
            for step in function(*given):
                link.send(step)
            link.send(None)


def confine(memory_bytes: int) -> None:
    """Let this process take so much memory and no more, and not work on for ever."""
    try:
        import resource
    except ImportError:  # a system that knows no such limits
        return
    taken = int(STATM.read_text().split()[0]) * resource.getpagesize() if STATM.exists() else 0
    for kind, limit in ((resource.RLIMIT_AS, taken + memory_bytes), (resource.RLIMIT_CPU, LONGEST_SECONDS)):
        _, most = resource.getrlimit(kind)
        resource.setrlimit(kind, (limit if most == resource.RLIM_INFINITY else min(limit, most), most))


class Process:
    """A process that reads files, and the link to it."""

    def __init__(self, bounds: Bounds) -> None:
        self._seconds = bounds.seconds
        self._is_ready = False
        ours, theirs = Pipe()
        self._link: Connection[Any, Any] = ours
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", f"import {__name__} as apart; apart.work({theirs.fileno()})"],
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
    own = str(Path(__file__).parents[2])
    return os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH"))))


MOST_ATTEMPTS = 4  # to read what came together; each but the last costs one file
LARGE = 32 * MIB  # a process that has read as much is not kept for others
AT_ONCE = 2
PLAIN = (Document, Stream, ScoreColumn, ErrorSpan, Judgement, RatedError, Problem, Begun)
Read = tuple[tuple[Document, ...], tuple[Problem, ...]]


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
    _idle: list[Process] = field(default_factory=list, repr=False)

    def __enter__(self) -> "Apart":
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            while self._idle:
                self._idle.pop().close()

    def start(self) -> None:
        """Have a process ready for the first who comes."""
        with self._lock:
            if not self._idle:
                self._idle.append(Process(self.bounds))

    def unpack(self, files: Iterable[InputFile], limits: Limits = DEFAULT_LIMITS) -> Read:
        """As ``mteval.readers.unpack``; a file over which the process ends is a problem, the others are read."""
        uploads = tuple(files)
        gathered = Gathered()
        with self._turns:
            for _ in range(MOST_ATTEMPTS):
                with self._lock:
                    process = self._idle.pop() if self._idle else Process(self.bounds)
                try:
                    for step in process.steps(steps, (uploads, limits, frozenset(gathered.done)), PLAIN):
                        gathered.take(step)
                except StoppedError as stopped:
                    process.close()
                    gathered.take(Problem(str(stopped), gathered.begun or None))
                    continue
                if sum(len(file.content) for file in uploads) > LARGE:
                    process.close()
                else:
                    with self._lock:
                        self._idle.append(process)
                return gathered.read
        gathered.take(Problem("Several of the files could not be read; those after them were not tried."))
        return gathered.read

    def apply(self, function: Callable[[InputFile], T], file: InputFile, kinds: Sequence[type]) -> T:
        """What a function makes of a file, in a process that is used for this alone.

        Parameters
        ----------
        function
            Of a module, by whose name the process finds it.
        kinds
            The classes of what it makes, and of all within; nothing else is taken.

        Raises
        ------
        InputError
            Where the function does, or where the process ends over the file.
        """
        with self._turns, closing(Process(self.bounds)) as process:
            try:
                (made,) = process.steps(outcome, (function, file), (*kinds, Problem))
            except StoppedError as stopped:
                raise InputError(str(stopped), file.name) from stopped
        if isinstance(made, Problem):
            raise made.as_error()
        result: T = made
        return result
