"""Scores that came with the runs instead of being computed here."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from mteval.counts import counted
from mteval.digests import digest_of
from mteval.errors import DataError


@dataclass(frozen=True)
class GivenScores:
    """The scores that one run was given on one test set: one a segment, None where there is none.

    Parameters
    ----------
    test_set, system, run
        Names of what was scored.
    judgements
        Of how many judgements of people each score is the mean, where that is known.
    """

    test_set: str
    system: str
    run: str
    values: tuple[float | None, ...]
    judgements: tuple[int, ...] | None = None


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
        return digest_of(
            text
            for texts in (
                (self.key, self.name, self.origin, str(self.higher_is_better)),
                *((given.test_set, given.system, given.run, *map(repr, given.values)) for given in self.scores),
                *(tuple(map(str, given.judgements)) for given in self.scores if given.judgements is not None),
            )
            for text in (str(len(texts)), *texts)
        )


def check_given(metrics: Sequence[GivenMetric], n_segments: Mapping[str, int]) -> None:
    """Raise ``DataError`` where a key stands twice, or a run has not one score for each segment of its test set."""
    for key, count in Counter(metric.key for metric in metrics).items():
        if count > 1:
            raise DataError(
                f"The given scores '{key}' stand {counted(count, 'time')}; give each metric a name of its own."
            )
    for name, given in ((metric.name, given) for metric in metrics for given in metric.scores):
        if len(given.values) != n_segments.get(given.test_set, len(given.values)):
            raise DataError(
                f"{name} has {counted(len(given.values), 'score')} for system '{given.system}', run '{given.run}'; test"
                f" set '{given.test_set}' has {counted(n_segments[given.test_set], 'segment')}. Give one score a"
                " segment, None where there is none."
            )
