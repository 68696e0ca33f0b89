"""Which segments are read, and in which order by whom."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mteval.annotations.campaigns import Plan, Stratum, Task, Way
from mteval.counts import counted
from mteval.errors import SettingsError


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


def deal_tasks(
    sample: Sequence[Sampled], annotators: Sequence[str], way: Way, n_outputs: int, plan: Plan
) -> tuple[Task, ...]:
    """The tasks of every annotator, each in an order of their own.

    The first ``plan.shared`` segments, in random order, go to everybody; the others are dealt out in turn.

    Raises
    ------
    SettingsError
        Where there is no annotator or one stands twice.
    """
    if wrong := _wrong_names(annotators):
        raise SettingsError(f"{wrong}; give at least one name, and each once.")
    order = np.random.default_rng([plan.seed, 1]).permutation(len(sample))
    n_shared = len(sample) if plan.shared is None else min(plan.shared, len(sample))
    tasks: list[Task] = []
    for turn, annotator in enumerate(annotators):
        own = [*order[:n_shared], *order[n_shared + turn :: len(annotators)]]
        stream = np.random.default_rng([plan.seed, 2, turn])
        tasks += _tasks_of(annotator, [sample[index] for index in own], way, n_outputs, stream)
    return tuple(tasks)


def _wrong_names(annotators: Sequence[str]) -> str:
    """What is wrong with the names of annotators; empty where nothing is."""
    if not annotators:
        return "No annotator is named"
    if not all(name.strip() for name in annotators):
        return "An annotator has an empty name"
    twice = [name for name in dict.fromkeys(annotators) if annotators.count(name) > 1]
    return f"The annotator '{twice[0]}' is named {counted(annotators.count(twice[0]), 'time')}" if twice else ""


def _tasks_of(
    annotator: str, own: Sequence[Sampled], way: Way, n_outputs: int, stream: np.random.Generator
) -> list[Task]:
    outputs = [None] if way == "preference" else list(range(n_outputs))
    judged = [(sampled, output) for sampled in own for output in outputs]
    swapped = stream.random(len(judged)) < 0.5
    return [
        Task(
            annotator,
            position,
            judged[index][0].segment,
            judged[index][0].stratum,
            judged[index][1],
            way == "preference" and bool(swapped[index]),
        )
        for position, index in enumerate(stream.permutation(len(judged)))
    ]
