"""Which segments are read, and in which order by whom."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mteval.annotations.campaigns import Mark, Plan, Stratum, Task, Texts, Way
from mteval.base.errors import SettingsError
from mteval.base.words import counted


@dataclass(frozen=True)
class Sampled:
    """A segment of the sample and why it is in it."""

    segment: int
    stratum: Stratum


def draw_sample(improvement: npt.NDArray[np.float64], plan: Plan) -> tuple[Sampled, ...]:
    """The segments of the sample.

    The random stratum is drawn first and from all segments, so that it speaks for the test set; the segments that
    improved or declined most come from the others.

    Parameters
    ----------
    improvement
        Shape ``(segments,)``: positive where the system is better than the baseline; NaN where nobody knows.

    Raises
    ------
    SettingsError
        Where no segment is wanted or a size is negative.
    """
    sizes = (plan.random, plan.improvements, plan.declines)
    if min(sizes) < 0 or sum(sizes) == 0:
        raise SettingsError(f"The sizes of the sample are {sizes}; give numbers from 0 on, one of them at least 1.")
    order = np.random.default_rng([plan.seed, 0]).permutation(len(improvement))
    drawn = [int(segment) for segment in order[: plan.random]]
    rest = np.setdiff1d(np.arange(len(improvement)), drawn)
    gains = improvement[rest]
    improved, declined = rest[gains > 0], rest[gains < 0]
    best = improved[np.argsort(-improvement[improved], kind="stable")][: plan.improvements]
    worst = declined[np.argsort(improvement[declined], kind="stable")][: plan.declines]
    strata: tuple[tuple[Sequence[int], Stratum], ...] = (
        (drawn, "random"),
        (best.tolist(), "improvement"),
        (worst.tolist(), "decline"),
    )
    return tuple(Sampled(segment, stratum) for segments, stratum in strata for segment in segments)


def chosen_sample(segments: Iterable[int]) -> tuple[Sampled, ...]:
    """Segments that somebody chose for what they are; they say nothing about the test set."""
    return tuple(Sampled(segment, "chosen") for segment in segments)


def draw_documents(documents: Texts, plan: Plan) -> tuple[Sampled, ...]:
    """Whole documents in random order, until they hold ``plan.random`` segments; all in the random stratum.

    Raises
    ------
    SettingsError
        Where no segment is wanted.
    """
    if plan.random < 1:
        raise SettingsError(f"{plan.random} random segments are wanted; give a number from 1 on.")
    names = list(dict.fromkeys(documents))
    drawn: list[Sampled] = []
    for index in np.random.default_rng([plan.seed, 0]).permutation(len(names)):
        if len(drawn) < plan.random:
            drawn += [Sampled(place, "random") for place, name in enumerate(documents) if name == names[index]]
    return tuple(drawn)


def deal_tasks(
    sample: Sequence[Sampled],
    annotators: Sequence[str],
    way: Way,
    n_outputs: int,
    plan: Plan,
    documents: Texts | None = None,
) -> tuple[Task, ...]:
    """The tasks of every annotator, each in an order of their own.

    The first segments in random order, ``plan.shared`` or more, go to everybody; the others are dealt out in turn.
    Where the plan is by documents, these are dealt out whole, and each is read from its first segment to its last, in
    one output after the other.

    Raises
    ------
    SettingsError
        Where there is no annotator or one stands twice.
    """
    if wrong := _wrong_names(annotators):
        raise SettingsError(f"{wrong}; give at least one name, and each once.")
    pieces = _pieces(sample, documents if plan.by_document else None)
    order = np.random.default_rng([plan.seed, 1]).permutation(len(pieces))
    sizes = np.cumsum([0, *(len(pieces[index]) for index in order)])
    n_shared = len(pieces) if plan.shared is None else min(int(np.searchsorted(sizes, plan.shared)), len(pieces))
    tasks: list[Task] = []
    for turn, annotator in enumerate(annotators):
        own = [*order[:n_shared], *order[n_shared + turn :: len(annotators)]]
        stream = np.random.default_rng([plan.seed, 2, turn])
        tasks += _tasks_of(annotator, [pieces[index] for index in own], way, n_outputs, stream)
    return tuple(tasks)


def prefilled(
    tasks: Iterable[Task], metric: str, found: Callable[[int, int], Iterable[tuple[int, int, str]]]
) -> tuple[Task, ...]:
    """Tasks with the errors marked that a metric found, as its own.

    Parameters
    ----------
    found
        From output and segment to the start, end and severity of each error.
    """
    return tuple(
        replace(task, marks=tuple(_found(metric, *one) for one in found(task.output or 0, task.segment)))
        for task in tasks
    )


def _found(metric: str, start: int, end: int, severity: str) -> Mark:
    return Mark("hypothesis", start, end, "", severity, origin=metric, suggested=severity)


def _pieces(sample: Sequence[Sampled], documents: Texts | None) -> list[list[Sampled]]:
    """What is read in one go: a segment, or a document from its first segment to its last."""
    if documents is None:
        return [[one] for one in sample]
    pieces: dict[str, list[Sampled]] = {}
    for one in sorted(sample, key=lambda sampled: sampled.segment):
        pieces.setdefault(documents[one.segment], []).append(one)
    return list(pieces.values())


def _wrong_names(annotators: Sequence[str]) -> str:
    """What is wrong with the names of annotators; empty where nothing is."""
    if not annotators:
        return "No annotator is named"
    if not all(name.strip() for name in annotators):
        return "An annotator has an empty name"
    twice = [name for name in dict.fromkeys(annotators) if annotators.count(name) > 1]
    return f"The annotator '{twice[0]}' is named {counted(annotators.count(twice[0]), 'time')}" if twice else ""


def _tasks_of(
    annotator: str, own: Sequence[Sequence[Sampled]], way: Way, n_outputs: int, stream: np.random.Generator
) -> list[Task]:
    outputs = [None] if way == "preference" else list(range(n_outputs))
    judged = [(piece, output) for piece in own for output in outputs]
    starts = np.cumsum([0, *(len(piece) for piece, _ in judged)])
    swapped = stream.random(starts[-1]) < 0.5
    order = stream.permutation(len(judged))
    read = [(index, place) for index in order for place in range(len(judged[index][0]))]
    return [
        Task(
            annotator,
            position,
            judged[index][0][place].segment,
            judged[index][0][place].stratum,
            judged[index][1],
            way == "preference" and bool(swapped[starts[index] + place]),
        )
        for position, (index, place) in enumerate(read)
    ]
