"""Scores that came with the runs instead of being computed here."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from mteval.base.digests import digest_of, flattened
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.values.judgements import Spans


@dataclass(frozen=True)
class GivenScores:
    """The scores that one run was given on one test set: one a segment, None where there is none.

    Parameters
    ----------
    test_set, system, run
        Names of what was scored.
    judgements
        Of how many judgements of people each score is the mean, where that is known.
    spans
        The errors that were marked in each output, none where it has none; None where that is not known. None for the
        whole where scores came without them.
    deviations
        The standard deviation that whatever scored says that each score has (dropout at inference, say), where it does.
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
        """All that is said of the run, as texts; what is not said is no part."""
        further = {"judgements": self.judgements, "spans": self.spans, "deviations": self.deviations}
        return (
            (self.test_set, self.system, self.run, *map(repr, self.values)),
            *((name, *map(repr, row)) for name, row in further.items() if row is not None),
        )


@dataclass(frozen=True)
class GivenMetric:
    """Scores of segments that came with the runs: from people, a trained metric, a file of another program.

    A score belongs to a run and a segment, not to a text: people may score two equal outputs differently.

    Parameters
    ----------
    key, name
        Short lower-case name, as on the command line, and the name on screen.
    scores
        Of each run that has any; of a run without, all are missing.
    higher_is_better
        Direction of improvement.
    origin
        Where the scores come from.
    """

    key: str
    name: str
    scores: tuple[GivenScores, ...]
    higher_is_better: bool = True
    origin: str = "imported"

    @cached_property
    def largest(self) -> float:
        """Size of the largest score, whatever its sign; 0 where there is none."""
        return max((abs(value) for given in self.scores for value in given.values if value is not None), default=0.0)

    @cached_property
    def digest(self) -> str:
        """Digest of the scores, of what they are called and of their direction."""
        own = (self.key, self.name, self.origin, str(self.higher_is_better))
        return digest_of(flattened((own, *(part for given in self.scores for part in given._parts))))


def check_given(metrics: Sequence[GivenMetric], n_segments: Mapping[str, int]) -> None:
    """Raise ``DataError`` where a key stands twice, or a run has not one score for each segment of its test set."""
    for key, count in Counter(metric.key for metric in metrics).items():
        if count > 1:
            raise DataError(
                f"The given scores '{key}' stand {counted(count, 'time')}; give each metric a name of its own."
            )
    for name, given in ((metric.name, given) for metric in metrics for given in metric.scores):
        for what, row in (("score", given.values), ("span list", given.spans), ("deviation", given.deviations)):
            if row is not None and len(row) != n_segments.get(given.test_set, len(row)):
                raise DataError(
                    f"{name} has {counted(len(row), what)} for system '{given.system}', run"
                    f" '{given.run}'; test set '{given.test_set}' has"
                    f" {counted(n_segments[given.test_set], 'segment')}. Give one {what} a segment, None where there is"
                    " none."
                )
