"""Learned models in processes of their own, loaded once and shared by all threads of this program.

Program and process exchange JSON lines.
"""

import json
import queue
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from threading import Event, Lock, Thread
from typing import Any

from mteval.base.errors import CancelledError, MissingDependencyError, MtevalError
from mteval.base.words import counted
from mteval.metrics.neural.environment import command, variables
from mteval.values.judgements import ErrorSpan, Spans


class DiedError(Exception):
    """The process ended with this status."""


class _RoomMadeError(Exception):
    """Memory ran out, and another model was closed."""


class WorkerProcess:
    """A running worker and the lines it has written."""

    def __init__(self, python: Path) -> None:
        self._process = Popen(
            command(python),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env=variables(),
            encoding="ascii",
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        listener = Thread(target=_listen, args=(self._process, self._lines), daemon=True)
        self.end = weakref.finalize(self, _end, self._process, listener)
        listener.start()

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def say(self, request: Mapping[str, Any]) -> None:
        """Send a request."""
        with suppress(OSError, ValueError):  # it has ended, which shows when its answer is read
            print(json.dumps(request), file=self._process.stdin, flush=True)

    def answer(self, seconds: float) -> Any:
        """Return the next line as a value; None if none came in time."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return None
        if not line:
            raise DiedError(str(self._process.wait()))
        return json.loads(line)


def _listen(process: Popen[str], lines: "queue.SimpleQueue[str]") -> None:
    """Put lines into the queue; the last is empty."""
    with suppress(OSError, ValueError):  # closed by the other thread
        for line in process.stdout or ():
            lines.put(line)
    lines.put("")


def _end(process: Popen[str], listener: Thread) -> None:
    """End a process, and close its pipes."""
    process.kill()
    process.wait()
    listener.join(1.0)  # seconds; it has read the last line
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # nobody reads what was not sent
                pipe.close()


MOST_LOADED = 3  # models kept loaded at once
SECONDS_BETWEEN_LOOKS = 0.1
_SECONDS_TO_STOP = 0.8  # time for a batch to finish
Sample = Mapping[str, str | list[str]]


@dataclass(frozen=True)
class Judgement:
    """A model's judgement of one sample.

    Parameters
    ----------
    score
        On the model's own scale.
    spans
        Errors found in the output.
    parts
        Components of the score, on the same scale.
    """

    score: float
    spans: Spans = ()
    parts: tuple[float, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """A model to load, and where.

    Parameters
    ----------
    label
        Metric and file, for messages.
    python
        Interpreter that has the package.
    kind, options
        What the worker should load.
    digest
        Digest of the model's content, so that a changed model is reloaded.
    device, place
        Its device, and which of several processes it is.
    """

    label: str
    python: Path
    kind: str
    options: tuple[tuple[str, str | int | bool], ...]
    digest: str
    device: str = "cpu"
    place: int = 0


class Model:
    """A model that is loaded at its first request; threads take turns.

    Parameters
    ----------
    wanted
        What to load, and where.
    make_room
        Closes another model on its device, and returns whether there was one.
    """

    def __init__(self, wanted: Wanted, make_room: Callable[[], bool]) -> None:
        self._wanted = wanted
        self._make_room = make_room
        self._turn = Lock()
        self._process: WorkerProcess | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nobody is using it."""
        return not self._turn.locked()

    @property
    def is_resident(self) -> bool:
        """Whether it takes memory."""
        return self._process is not None and self._process.is_running

    def close(self) -> None:
        """End the process; the next request starts another."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def judge(self, samples: Sequence[Sample], batch_size: int, stop: Event) -> Iterator[dict[int, Judgement]]:
        """Yield judgements by sample number as they arrive; a process that dies is restarted once.

        Raises
        ------
        MissingDependencyError
            If the package or the model does not load.
        MtevalError
            If the model fails, or its process ends twice.
        CancelledError
            Soon after ``stop`` is set.
        """
        left = dict(enumerate(samples))
        with _turn(self._turn, stop):
            is_first = True
            while True:
                try:
                    for new in self._judged(left, batch_size, stop):
                        left = {number: sample for number, sample in left.items() if number not in new}
                        yield new
                    return
                except GeneratorExit:  # unread answers would come before the next ones
                    self.close()
                    raise
                except _RoomMadeError:
                    self.close()
                except DiedError as died:
                    self.close()
                    # The system may have ended it for its memory
                    if not is_first and not self._make_room():
                        raise MtevalError(self._death(str(died), len(left))) from died
                is_first = False

    def _judged(self, left: Mapping[int, Sample], batch_size: int, stop: Event) -> Iterator[dict[int, Judgement]]:
        """Yield the judgements of each batch by sample number."""
        process = self._loaded(stop)
        numbers = list(left)
        process.say({"do": "score", "samples": [dict(sample) for sample in left.values()], "batch_size": batch_size})
        while True:
            answer = self._next(process, stop)
            if "end" in answer:
                return
            if "error" in answer:
                if answer["lacks_memory"] and self._make_room():
                    raise _RoomMadeError
                raise MtevalError(self._failure(answer, len(left), batch_size))
            numbers_of_batch = [numbers[place] for place in answer["numbers"]]
            yield _judgements(numbers_of_batch, answer)

    def _loaded(self, stop: Event) -> WorkerProcess:
        """Return the process with the model, which is started and loaded if necessary."""
        if self._process is not None and self._process.is_running:
            return self._process
        process = WorkerProcess(self._wanted.python)
        self._process = process
        options = {**dict(self._wanted.options), "device": self._wanted.device}
        process.say({"do": "load", "kind": self._wanted.kind, "options": options})
        answer = self._next(process, stop)
        if "error" in answer:
            self.close()
            if answer["lacks_memory"] and self._make_room():
                return self._loaded(stop)
            raise MissingDependencyError(self._unloadable(answer))
        return process

    def _next(self, process: WorkerProcess, stop: Event) -> Any:
        """Return the next answer. After ``stop``, the process has a moment to finish its batch before it is ended."""
        while not stop.is_set():
            answer = process.answer(SECONDS_BETWEEN_LOOKS)
            if answer is not None:
                return answer
        process.say({"do": "stop"})
        while True:
            answer = process.answer(_SECONDS_TO_STOP)
            if answer is None:
                self.close()
                break
            if "end" in answer or "error" in answer:
                break
        raise stopped()

    def _unloadable(self, answer: Mapping[str, Any]) -> str:
        """Return why the model did not load, and what to do."""
        wanted = self._wanted
        remedy = "Packages (bin/neural), model and tokenizer must be on this machine; nothing is downloaded."
        if answer["lacks_memory"]:
            remedy = f"Not enough memory on {wanted.device}: close other programs or use a smaller model."
        return f"{wanted.label} cannot be loaded with {wanted.python} on {wanted.device}: {answer['error']}. {remedy}"

    def _failure(self, answer: Mapping[str, Any], n_samples: int, batch_size: int) -> str:
        """Return why the model failed, and what to do if it lacks memory."""
        message = f"{self._wanted.label} failed on {counted(n_samples, 'output')}: {answer['error']}."
        if answer["lacks_memory"]:
            message += (
                f" Not enough memory on {self._wanted.device} for a batch of {batch_size}: reduce the batch size, close"
                " other programs, or use a smaller model. Scores so far are kept."
            )
        return message

    def _death(self, status: str, n_samples: int) -> str:
        """Return that the process ended, and what to do."""
        return (
            f"{self._wanted.label}: its process ended twice (status {status}), with {counted(n_samples, 'output')}"
            " left. Models need several gigabytes of memory. Close other programs or use a smaller model, and start"
            " again. Scores so far are kept."
        )


def _judgements(numbers: Sequence[int], answer: Mapping[str, Any]) -> dict[int, Judgement]:
    """Return the judgements of a batch by the numbers of its samples; spans are in COMET's format."""
    nothing: list[tuple[()]] = [()] * len(numbers)
    spans_of_batch = answer.get("spans", nothing)
    parts_of_batch = answer.get("parts", nothing)
    judgements = {}
    for number, score, spans, parts in zip(numbers, answer["scores"], spans_of_batch, parts_of_batch, strict=True):
        errors = []
        for span in spans:
            error = ErrorSpan(span["start"], span["end"], span["severity"], confidence=span["confidence"])
            errors.append(error)
        judgements[number] = Judgement(score, tuple(errors), tuple(parts))
    return judgements


@contextmanager
def _turn(lock: Lock, stop: Event) -> Iterator[None]:
    """Acquire a lock, but give up when the work should stop."""
    while not lock.acquire(timeout=SECONDS_BETWEEN_LOOKS):
        if stop.is_set():
            raise stopped()
    try:
        yield
    finally:
        lock.release()


def stopped() -> CancelledError:
    """Return what ends work that was stopped."""
    return CancelledError("Stopped. Nothing was changed.")


@dataclass
class Models:
    """Loaded models; the least recently used is closed when there are too many, or when another needs the room."""

    _loaded: dict[Wanted, Model] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def of(self, wanted: Wanted) -> Model:
        """Return the model, which loads at its first request."""
        with self._lock:
            model = self._loaded.pop(wanted, None)
            if model is None:
                model = Model(wanted, partial(self.make_room, wanted.device))
            self._loaded[wanted] = model  # as the most recently used
            closable = [key for key, loaded in self._loaded.items() if loaded is not model and loaded.is_idle]
            n_too_many = max(0, len(self._loaded) - MOST_LOADED)
            for key in closable[:n_too_many]:
                self._loaded.pop(key).close()
            return model

    def make_room(self, device: str) -> bool:
        """Close the least recently used idle model on a device, and return whether there was one."""
        with self._lock:
            for wanted, model in self._loaded.items():  # the least recently used first
                if wanted.device == device and model.is_idle and model.is_resident:
                    self._loaded.pop(wanted).close()
                    return True
        return False


MODELS = Models()
