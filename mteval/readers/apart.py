"""Read uploads in separate processes, so that a slow or large file affects only itself.

Only values of a few classes are accepted from such a process.
"""

import io
import logging
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Lock
from typing import Any, TypeVar

from mteval.base.errors import InputError, MtevalError, without_words
from mteval.base.turns import Client, Turn, Turns
from mteval.base.words import counted
from mteval.readers.documents import DEFAULT_LIMITS, MIB, Document, InputFile, Limits, Problem, ScoreColumn, Stream
from mteval.readers.formats.archives import expand
from mteval.readers.formats.text import decode
from mteval.readers.formats.uploads import FORMATS, LINE_FORMATS, Begun, Gathered, Read, steps
from mteval.values.judgements import ErrorSpan, Judgement, RatedError

SECONDS_TO_START = 60.0
OUT_OF_MEMORY = 71  # exit status of a process
FAILED = 70  # exit status of a process
STATM = Path("/proc/self/statm")  # the first number counts pages of virtual memory
LONGEST_SECONDS = 3_600  # of processor time, in case the server is gone
READERS = 2  # visitors whose files are read at once
SECONDS_OF_TURN = 2.0  # while other visitors wait
SECONDS_BETWEEN_LOOKS = 0.1  # at whether the turn is over or the user pressed Stop
LOG = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True)
class Bounds:
    """Limits on reading.

    Parameters
    ----------
    seconds
        Per file, or per table of contents of an archive; time in which other visitors have their turn does not count.
    memory_bytes
        Per process.
    """

    seconds: float = 60.0
    memory_bytes: int = 3 * 1024 * MIB


class StoppedError(Exception):
    """The process ended or was stopped; the message tells the user why."""


def outcome(function: Callable[[InputFile], object], file: InputFile) -> Iterator[object]:
    """Yield what a function returns for a file, or its problem."""
    try:
        yield function(file)
    except InputError as error:
        yield Problem.of(error)


def of_text(function: Callable[[str, str], T], file: InputFile) -> T:
    """Apply a function to the text of a file and its name."""
    return function(decode(file.content, file.name), file.name)


def expanded_text(file: InputFile) -> str:
    """Return the text of a file that may be compressed.

    Raises
    ------
    InputError
        If it is an archive of several files, or no text.
    """
    files = expand(file, DEFAULT_LIMITS, DEFAULT_LIMITS.total_bytes).files
    if len(files) != 1:
        raise InputError(f"The archive has {counted(len(files), 'file')}; expected one.", file.name)
    return decode(files[0].content, files[0].name)


def work(channel: int) -> None:
    """Run functions received through a pipe until it closes; this is the main loop of a reading process.

    ``None`` marks the end of each function's results.
    """
    link: Connection[Any, Any] = Connection(channel)
    for form in (*FORMATS, *LINE_FORMATS):  # loaded in advance, so that it does not count for a file
        form.load()
    confine(link.recv())
    link.send(None)  # ready; the start does not count
    with suppress(EOFError):
        while True:
            function, arguments = link.recv()
            try:
                for step in function(*arguments):
                    link.send(step)
            except MemoryError:
                os._exit(OUT_OF_MEMORY)
            except Exception as error:  # its message may quote the file, so the log gets its place only
                print(without_words(error), file=sys.stderr, flush=True)
                os._exit(FAILED)
            link.send(None)


def confine(memory_bytes: int) -> None:
    """Limit the memory and processor time of this process."""
    try:
        import resource
    except ImportError:  # not available on this system
        return
    taken_bytes = 0  # by what is loaded already
    if STATM.exists():
        n_pages = int(STATM.read_text().split()[0])
        taken_bytes = n_pages * resource.getpagesize()
    limits = {resource.RLIMIT_AS: taken_bytes + memory_bytes, resource.RLIMIT_CPU: LONGEST_SECONDS}
    for kind, limit in limits.items():
        _, most = resource.getrlimit(kind)
        if most != resource.RLIM_INFINITY:
            limit = min(limit, most)
        resource.setrlimit(kind, (limit, most))


class Process:
    """A process that reads files, and the pipe to it."""

    def __init__(self, bounds: Bounds) -> None:
        self._seconds = bounds.seconds
        self._is_ready = False
        ours, theirs = Pipe()
        places = [str(Path(__file__).parents[2])]  # where the process finds this package
        if os.environ.get("PYTHONPATH"):
            places.append(os.environ["PYTHONPATH"])
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
        self._link: Connection[Any, Any] = ours
        with theirs:
            link = theirs.fileno()
            command = [sys.executable, "-c", f"import {__name__} as apart; apart.work({link})"]
            self._process = subprocess.Popen(command, pass_fds=[link], stdin=subprocess.DEVNULL, env=environment)
        self._link.send(bounds.memory_bytes)

    def steps(
        self, function: Callable[..., Any], arguments: Sequence[Any], kinds: Sequence[type], turn: Turn
    ) -> Iterator[Any]:
        """Yield the results of a function that runs in the process while the turn is held.

        Raises
        ------
        StoppedError
            If the process ended or took too long.
        CancelledError
            If the user stopped it. The process then has to be closed.
        """
        try:
            if not self._is_ready:
                self._next(SECONDS_TO_START, (), turn)
                self._is_ready = True
            self._link.send((function, arguments))
            while True:
                step = self._next(self._seconds, kinds, turn)
                if step is None:
                    break
                yield step
        except MtevalError:
            raise
        except (EOFError, OSError) as error:
            status = self._process.wait()
            LOG.warning("the process that reads uploads ended with status %s", status)
            if status in (OUT_OF_MEMORY, -signal.SIGKILL):
                raise StoppedError("Reading the file needs more memory than one file may use. Split it.") from error
            message = "Reading the file failed, which is a mistake of mteval. The server's log says where."
            raise StoppedError(f"{message} Remove the file.") from error

    def _next(self, seconds: float, kinds: Sequence[type], turn: Turn) -> Any:
        """Return the next result, which may take so many seconds of this visitor's turns."""
        spent = 0.0
        while True:
            turn.check()
            if turn.is_over:
                self._pause_for_others(turn)
            begun = time.monotonic()
            if self._link.poll(min(SECONDS_BETWEEN_LOOKS, seconds - spent)):
                return plain(self._link.recv_bytes(), kinds)
            spent += time.monotonic() - begun
            if spent >= seconds:
                raise StoppedError(f"Reading the file took longer than {seconds:g} s and was stopped. Split it.")

    def _pause_for_others(self, turn: Turn) -> None:
        """Stop the process, wherever it is in a file, until it is this visitor's turn again."""
        self._process.send_signal(signal.SIGSTOP)
        turn.give_way()
        self._process.send_signal(signal.SIGCONT)

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Stop the process."""
        self._link.close()
        with suppress(OSError):
            self._process.kill()
        self._process.wait()


class _Plain(pickle.Unpickler):
    """Unpickles values of a few classes only.

    A crafted upload may take over the process that reads it. Whatever that process then sends, only these classes are
    looked up, so that nothing of it runs here.
    """

    def __init__(self, content: "_Pieces", kinds: Sequence[type]) -> None:
        super().__init__(content)
        self._kinds = {(kind.__module__, kind.__name__): kind for kind in kinds}

    def find_class(self, module: str, name: str) -> Any:
        """Return an allowed class."""
        if (module, name) not in self._kinds:
            raise pickle.UnpicklingError(f"{module}.{name} is not a result of reading")
        return self._kinds[module, name]


class _Pieces:
    """Bytes for the unpickler. It holds the interpreter between reads; reading in Python lets other threads run."""

    def __init__(self, content: bytes) -> None:
        self._content = io.BytesIO(content)

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        return self._content.read(size)

    def readline(self) -> bytes:
        """Return the next bytes up to the end of a line."""
        return self._content.readline()


def plain(content: bytes, kinds: Sequence[type]) -> Any:
    """Return a pickled value of these classes and of built-in types; raise ``UnpicklingError`` for any other."""
    return _Plain(_Pieces(content), kinds).load()


LARGE = 32 * MIB  # bytes; a process that has read more is not reused
PLAIN = (Document, Stream, ScoreColumn, ErrorSpan, Judgement, RatedError, Problem, Begun)


@dataclass
class Apart:
    """Reads uploads in separate processes, a few at a time; others wait.

    Parameters
    ----------
    bounds
        Limits of each process.
    turns
        The queue of those who read. A visitor reads one thing at a time, in however many windows. While others wait, a
        turn ends after some seconds, in the middle of a file if need be.
    """

    bounds: Bounds = field(default_factory=Bounds)
    turns: Turns = field(default_factory=lambda: Turns(READERS, most_each=1, seconds=SECONDS_OF_TURN), repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)
    _idle: list[Process] = field(default_factory=list, repr=False)

    def start(self) -> None:
        """Start a process in advance."""
        with self._lock:
            if not self._idle:
                self._idle.append(Process(self.bounds))

    def unpack(self, files: Iterable[InputFile], limits: Limits = DEFAULT_LIMITS, client: Client | None = None) -> Read:
        """Unpack uploads as ``mteval.readers.unpack`` does. A file that stops the process becomes a problem.

        Parameters
        ----------
        client
            Who reads; None has turns of its own.

        Raises
        ------
        CancelledError
            If the client stops it.
        """
        uploads = tuple(files)
        gathered = Gathered()
        with self.turns.turn(client or _anybody()) as turn:
            for _ in range(4):  # to read an upload; each failed one costs one file
                process = self._taken_process()
                try:
                    for step in process.steps(steps, (uploads, limits, frozenset(gathered.done)), PLAIN, turn):
                        gathered.take(step)
                except StoppedError as stopped:
                    process.close()
                    gathered.take(Problem(str(stopped), gathered.begun or None))
                    continue
                except BaseException:
                    process.close()
                    raise
                if sum(len(file.content) for file in uploads) > LARGE:
                    process.close()
                else:
                    self._give_back(process)
                return gathered.read
        gathered.take(Problem("Several files could not be read. Remove them to load the rest."))
        return gathered.read

    def _taken_process(self) -> Process:
        """Return an idle process, which is idle no more, or a new one."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
            return Process(self.bounds)

    def _give_back(self, process: Process) -> None:
        """Keep a process for the next upload, if few are idle: while visitors take turns there are more of them."""
        with self._lock:
            is_kept = len(self._idle) < READERS
            if is_kept:
                self._idle.append(process)
        if not is_kept:
            process.close()

    def apply(
        self,
        function: Callable[[InputFile], T],
        file: InputFile,
        kinds: Sequence[type],
        client: Client | None = None,
    ) -> T:
        """Apply a function to a file in a separate process.

        Parameters
        ----------
        function
            A module-level function, which the process imports by name.
        kinds
            Classes of the result and of everything in it; nothing else is accepted.
        client
            Who reads; None has turns of its own.

        Raises
        ------
        InputError
            If the function raises it, or the process ends.
        CancelledError
            If the client stops it.
        """
        with self.turns.turn(client or _anybody()) as turn, closing(Process(self.bounds)) as process:
            try:
                (step,) = process.steps(outcome, (function, file), (*kinds, Problem), turn)
            except StoppedError as stopped:
                raise InputError(str(stopped), file.name) from stopped
        if isinstance(step, Problem):
            raise step.as_error()
        result: T = step
        return result


def _anybody() -> Client:
    """Return a client who shares turns with nobody and is never stopped."""
    return Client(object(), Event())
