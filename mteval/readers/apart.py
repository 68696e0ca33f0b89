"""Uploads read in processes beside the server: a file that takes too long, or too much memory, costs nobody else."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Lock
from typing import Any, TypeVar

from mteval.error_spans import ErrorSpan
from mteval.errors import InputError
from mteval.judgements import Judgement, RatedError
from mteval.readers.bounded_process import Bounds, Process, StoppedError, outcome
from mteval.readers.documents import DEFAULT_LIMITS, MIB, Document, InputFile, Limits, ScoreColumn, Stream
from mteval.readers.formats.uploads import Begun, steps, with_shared_strings
from mteval.readers.problems import Problem

MOST_ATTEMPTS = 4  # to read what came together; each but the last costs one file
LARGE = 32 * MIB  # a process that has read as much is not kept for others
AT_ONCE = 2
PLAIN = (Document, Stream, ScoreColumn, ErrorSpan, Judgement, RatedError, Problem, Begun)
T = TypeVar("T")
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
        result = _Result()
        with self._turns:
            for _ in range(MOST_ATTEMPTS):
                process = self._taken()
                try:
                    for step in process.steps(steps, (uploads, limits, frozenset(result.done)), PLAIN):
                        result.take(step)
                except StoppedError as stopped:
                    process.close()
                    result.give_up(str(stopped))
                    continue
                self._put_back(process, uploads)
                return result.read
        result.problems.append(Problem("Several of the files could not be read; those after them were not tried."))
        return result.read

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

    def _taken(self) -> Process:
        with self._lock:
            return self._idle.pop() if self._idle else Process(self.bounds)

    def _put_back(self, process: Process, files: Sequence[InputFile]) -> None:
        if sum(len(file.content) for file in files) > LARGE:
            process.close()
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
