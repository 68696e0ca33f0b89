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
        matches = statistics[..., 0]
        of_output = statistics[..., 1]
        of_reference = statistics[..., 2]
        if self.measure == "f":
            return percent(2 * matches, of_output + of_reference, 0.0)
        if self.measure == "precision":
            return percent(matches, of_output, 0.0)
        return percent(matches, of_reference, 0.0)


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
    test_set = scored.test_set
    n_segments = int(np.count_nonzero(segments))
    statistics = {system: scored.statistics[system][:, segments] for system in systems}
    no_texts = ("",) * n_segments
    no_references = ((),) * n_segments
    runs = tuple(Run(run.system, run.key, no_texts) for run in test_set.runs if run.system in statistics)
    documents = None
    if test_set.documents is not None:
        documents = tuple(compress(test_set.documents, segments))
    part = TestSet(test_set.name, no_references, runs, test_set.role, documents=documents)
    return replace(scored, test_set=part, statistics=statistics, samples={})


def groups_of(
    test_set: TestSet, names: Sequence[str], counts: Mapping[str, StatArray], measure: Measure
) -> tuple[Group, ...]:
    """Return groups from counts ``(runs, segments, groups, 3)`` of every system.

    A group is compared on the segments in which any reference or output has it. Groups without a word in the references
    cannot be compared.
    """
    groups = []
    for place, name in enumerate(names):
        statistics = {system: of_system[:, :, place] for system, of_system in counts.items()}
        # Words of the references, mean over runs and systems
        means = [of_system[..., 2].sum(axis=1).mean() for of_system in statistics.values()]
        size = round(float(np.mean(means)))
        scored = None
        if size:
            scored = group_on(test_set, statistics, measure)
        groups.append(Group(name, size, scored))
    return tuple(groups)


def group_on(test_set: TestSet, statistics: Mapping[str, StatArray], measure: Measure) -> Scored:
    """Return the counts ``(runs, segments, 3)`` of one group, on the segments in which any text has it.

    A fourth column numbers the runs, so that runs that agree on all words of a group are not taken for copies.
    """
    metric = GroupMetric(measure)
    has_group: BoolArray = np.any([counts.any(axis=(0, 2)) for counts in statistics.values()], axis=0)
    marked = {}
    for system, counts in statistics.items():
        # Copies have the same mark. Marks are symmetric around zero, and only the first segment has one.
        digests = [run.content_digest for run in test_set.runs_of(system)]
        number = {digest: index for index, digest in enumerate(dict.fromkeys(digests))}
        marks = np.zeros((*counts.shape[:2], 1), dtype=counts.dtype)
        marks[:, np.flatnonzero(has_group)[:1], 0] = [[2 * number[digest] - len(number) + 1] for digest in digests]
        marked[system] = np.concatenate([counts, marks], axis=-1)
    return part_of(Scored(test_set, metric, metric.prepare(test_set), marked), has_group, marked)


def group_verdicts(
    groups: Sequence[Group], baseline: str, measured: Measured, settings: Settings, work: Work
) -> tuple[GroupVerdict, ...]:
    """Return the verdict on every system in every group; p is adjusted over all of them."""
    compared = [group.scored for group in groups if group.scored is not None]
    if not compared:
        return ()
    # One family: each group counts as a metric, and a verdict on any of them would be a claim
    metrics = tuple(str(index) for index in range(len(compared)))
    family_settings = replace(settings, decision="any", metrics=metrics)
    answers = iter(two_answers(Experiment((compared[0].test_set,), baseline), compared, family_settings, work))

    verdicts = []
    for group in groups:
        if group.scored is None:
            for system in compared[0].statistics:
                if system != baseline:
                    verdicts.append(GroupVerdict(group.name, group.size, system))
            continue
        scores = group.scored.run_scores
        for system in group.scored.statistics:
            if system == baseline:
                continue
            answer = next(answers)
            fewest_runs = PROCEDURES[answer.both.procedure].fewest_runs(len(scores[baseline]), len(scores[system]))
            verdict = GroupVerdict(
                group=group.name,
                size=group.size,
                system=system,
                baseline_mean=float(scores[baseline].mean()),
                system_mean=float(scores[system].mean()),
                verdict=verdict_on(answer, fewest_runs, family_settings, measured),
            )
            verdicts.append(verdict)
    return tuple(verdicts)


@dataclass(frozen=True)
class Named:
    """Name and number format of a measure."""

    name: str
    notation: Notation
