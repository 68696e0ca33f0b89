"""Both answers about every group of words or segments, over all runs.

Each group becomes a metric on the segments that have it, and the two procedures behind every verdict test it. p-values
are adjusted over the groups and systems.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import ClassVar, Literal

import numpy as np

from mteval.analysis.scoring import Scored, Work
from mteval.analysis.two_answers import Measured, two_answers, verdict_on
from mteval.base.arrays import BoolArray, FloatArray, StatArray
from mteval.metrics.base import Usual
from mteval.metrics.options import NoScores, percent
from mteval.stats import PROCEDURES
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.notation import Notation
from mteval.values.settings import Settings
from mteval.values.verdict import Verdict

Measure = Literal["f", "precision", "recall", "accuracy", "share"]
NOTATION = Notation("↑", 1)
SHARES = Notation("", 1, "%")  # of outputs, neither good nor bad


@dataclass(frozen=True)
class GroupScorer(NoScores):
    """Scores counts of matches, words of the output and words of the reference, shape ``(..., 3)``, in percent."""

    measure: Measure

    def score(self, statistics: StatArray) -> FloatArray:
        """Return F, precision or recall; 0 without any match."""
        matches, of_output, of_reference = (statistics[..., part] for part in range(3))
        if self.measure == "f":
            return percent(2 * matches, of_output + of_reference, 0.0)
        return percent(matches, of_output if self.measure == "precision" else of_reference, 0.0)


@dataclass(frozen=True)
class GroupMetric(Usual):
    """How well the words of one group are translated, or how many outputs are of one kind."""

    measure: Measure
    fields: ClassVar[tuple[str, ...]] = ("matches", "output", "reference", "run")
    key: ClassVar[str] = "words"

    @property
    def name(self) -> str:
        """Display name."""
        names = {"f": "word F", "share": "share of outputs", "accuracy": "accuracy"}
        return names.get(self.measure, f"word {self.measure}")

    @property
    def notation(self) -> Notation:
        """How values are written."""
        return SHARES if self.measure == "share" else NOTATION

    def signature(self) -> str:
        """Return the measure."""
        return f"measure:{self.measure}"

    def prepare(self, test_set: TestSet) -> GroupScorer:
        """Return the formula."""
        return GroupScorer(self.measure)


@dataclass(frozen=True)
class Group:
    """One group of words or segments.

    Parameters
    ----------
    name
        For readers.
    size
        Words of the references, or segments.
    scored
        Its statistics on the segments that have it; None if nothing can be compared.
    """

    name: str
    size: int
    scored: Scored | None


@dataclass(frozen=True)
class GroupVerdict:
    """The verdict on one system in one group; ``verdict`` is None if nothing can be compared."""

    group: str
    size: int
    system: str
    baseline_mean: float = float("nan")
    system_mean: float = float("nan")
    verdict: Verdict | None = None


def part_of(scored: Scored, segments: BoolArray, systems: Iterable[str]) -> Scored:
    """Return the statistics of some systems on some segments, without texts."""
    n_segments, test_set = int(np.count_nonzero(segments)), scored.test_set
    statistics, blank = {key: scored.statistics[key][:, segments] for key in systems}, ("",) * n_segments
    runs = tuple(Run(run.system, run.key, blank) for run in test_set.runs if run.system in statistics)
    documents = None if test_set.documents is None else tuple(compress(test_set.documents, segments))
    part = TestSet(test_set.name, ((),) * n_segments, runs, test_set.role, documents=documents)
    return replace(scored, test_set=part, statistics=statistics, samples={})


def groups_of(
    test_set: TestSet, names: Sequence[str], counts: Mapping[str, StatArray], measure: Measure
) -> tuple[Group, ...]:
    """Return groups from counts ``(runs, segments, groups, 3)`` of every system.

    A group is compared on the segments in which any reference or output has it. Groups without a word in the references
    cannot be compared.
    """
    found = []
    for place, name in enumerate(names):
        statistics = {key: array[:, :, place] for key, array in counts.items()}
        size = round(float(np.mean([array[..., 2].sum(axis=1).mean() for array in statistics.values()])))
        found.append(Group(name, size, group_on(test_set, statistics, measure) if size else None))
    return tuple(found)


def group_on(test_set: TestSet, statistics: Mapping[str, StatArray], measure: Measure) -> Scored:
    """Return the counts ``(runs, segments, 3)`` of one group, on the segments in which any text has it.

    A fourth column numbers the runs, so that runs that agree on all words of a group are not taken for copies.
    """
    metric, marked = GroupMetric(measure), {}
    has_it: BoolArray = np.any([array.any(axis=(0, 2)) for array in statistics.values()], axis=0)
    for system, array in statistics.items():
        digests = [run.content_digest for run in test_set.runs_of(system)]
        number = {digest: place for place, digest in enumerate(dict.fromkeys(digests))}
        marks = np.zeros((*array.shape[:2], 1), dtype=array.dtype)
        marks[:, np.flatnonzero(has_it)[:1], 0] = [[2 * number[one] - len(number) + 1] for one in digests]
        marked[system] = np.concatenate([array, marks], axis=-1)
    return part_of(Scored(test_set, metric, metric.prepare(test_set), marked), has_it, marked)


def group_verdicts(
    groups: Sequence[Group], baseline: str, about: Measured, settings: Settings, work: Work
) -> tuple[GroupVerdict, ...]:
    """Return the verdict on every system in every group; p is adjusted over all of them."""
    if not (compared := [group.scored for group in groups if group.scored is not None]):
        return ()
    joint = replace(settings, decision="any", metrics=tuple(map(str, range(len(compared)))))
    answers = iter(two_answers(Experiment((compared[0].test_set,), baseline), compared, joint, work))
    found = []
    for group in groups:
        for system in (one for one in (group.scored or compared[0]).statistics if one != baseline):
            if group.scored is None:
                found.append(GroupVerdict(group.name, group.size, system))
                continue
            one, scores = next(answers), group.scored.run_scores
            n_runs = PROCEDURES[one.both.procedure].fewest_runs(len(scores[baseline]), len(scores[system]))
            left, right = (float(scores[key].mean()) for key in (baseline, system))
            verdict = verdict_on(one, n_runs, joint, about)
            found.append(GroupVerdict(group.name, group.size, system, left, right, verdict))
    return tuple(found)


@dataclass(frozen=True)
class Named:
    """Name and number format of a measure."""

    name: str
    notation: Notation
