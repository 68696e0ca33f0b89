"""Imported scores, which are not computed by mteval."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from mteval.base.digests import digest_of, flattened
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.values.judgements import Spans

LARGEST = 1e50  # tests need the fourth power of sums over all segments
OVERFLOWS = f"Scores beyond ±{LARGEST:g} overflow in tests. Fix the score or rescale all scores."


@dataclass(frozen=True)
class GivenScores:
    """Imported scores of one run on one test set: one per segment, None if missing.

    Parameters
    ----------
    test_set, system, run
        Names of the scored output.
    judgements
        Number of human judgements averaged in each score, if known.
    spans
        Errors marked in each output; None per output if unknown, None for all if scores have no spans.
    deviations
        Standard deviation of each score as given by the scorer, e.g. from dropout at inference.
    """

    test_set: str
    system: str
    run: str
    values: tuple[float | None, ...]
    judgements: tuple[int, ...] | None = None
    spans: tuple[Spans | None, ...] | None = None
    deviations: tuple[float | None, ...] | None = None

    @property
    def _parts(self) -> tuple[tuple[str, ...], ...]:
        """All given values as texts, for the digest."""
        further = {"judgements": self.judgements, "spans": self.spans, "deviations": self.deviations}
        return (
            (self.test_set, self.system, self.run, *map(repr, self.values)),
            *((name, *map(repr, row)) for name, row in further.items() if row is not None),
        )


@dataclass(frozen=True)
class GivenMetric:
    """Imported segment scores: from people, a learned metric or another program.

    A score belongs to a run and a segment, not to a text: people may score equal outputs differently.

    Parameters
    ----------
    key, name
        Short lower-case name, as on the command line, and the name on screen.
    scores
        Scores per run; a run without scores has none.
    higher_is_better
        Direction of improvement.
    origin
        Source of the scores.
    """

    key: str
    name: str
    scores: tuple[GivenScores, ...]
    higher_is_better: bool = True
    origin: str = "imported"

    @cached_property
    def largest(self) -> float:
        """Largest absolute score; 0 if there are no scores."""
        return max((abs(value) for given in self.scores for value in given.values if value is not None), default=0.0)

    @cached_property
    def digest(self) -> str:
        """Digest of scores, names and direction."""
        own = (self.key, self.name, self.origin, str(self.higher_is_better))
        return digest_of(flattened((own, *(part for given in self.scores for part in given._parts))))


def check_given(metrics: Sequence[GivenMetric], n_segments: Mapping[str, int]) -> None:
    """Raise ``DataError`` for duplicate keys, or if a run does not have one score per segment."""
    for key, count in Counter(metric.key for metric in metrics).items():
        if count > 1:
            message = f"The imported metric '{key}' appears {counted(count, 'time')}."
            raise DataError(f"{message} Give each metric its own name.")
    for name, given in ((metric.name, given) for metric in metrics for given in metric.scores):
        for segment, value in enumerate(given.values, start=1):
            if value is not None and not abs(value) <= LARGEST:
                raise DataError(
                    f"{name} of system '{given.system}', run '{given.run}', segment {segment} is {value:g}. {OVERFLOWS}"
                )
        for what, row in (("score", given.values), ("span list", given.spans), ("deviation", given.deviations)):
            if row is not None and len(row) != n_segments.get(given.test_set, len(row)):
                raise DataError(
                    f"{name} has {counted(len(row), what)} for system '{given.system}', run"
                    f" '{given.run}'; test set '{given.test_set}' has"
                    f" {counted(n_segments[given.test_set], 'segment')}. Give one {what} per segment, or None for a"
                    " segment without one."
                )
