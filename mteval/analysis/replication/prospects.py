"""What an evaluation keeps of its runs, so that reports can say what other runs would show."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mteval.analysis.replication.pool import pool_of
from mteval.analysis.replication.variation import Variation, variation_of
from mteval.analysis.scoring import Scored
from mteval.errors import MtevalError
from mteval.metrics.base import FloatArray
from mteval.settings import Settings
from mteval.verdict import MANY_SYSTEMS


@dataclass(frozen=True, eq=False)
class Prospect:
    """The runs of a system and of the baseline by one metric: their scores, and where the variance comes from.

    Parameters
    ----------
    scores
        Of the runs of baseline and system, shape ``(runs,)`` each.
    n_units
        Segments or documents, which ``unit`` says.
    """

    test_set: str
    metric: str
    baseline: str
    system: str
    unit: str
    n_units: int
    scores: tuple[FloatArray, FloatArray]
    variation: Variation

    @property
    def sizes(self) -> tuple[int, int]:
        """How many runs the baseline and the system have."""
        return len(self.scores[0]), len(self.scores[1])

    @property
    def expected(self) -> float:
        """Difference of the averages of all runs, ``system - baseline``."""
        return float(self.scores[1].mean() - self.scores[0].mean())


def prospects(baseline: str, scored_metrics: Sequence[Scored], primary: str, settings: Settings) -> Iterator[Prospect]:
    """By the primary metric, for each test set and system; none of many systems, and where runs show no spread."""
    for scored in scored_metrics:
        others = [system for system in scored.statistics if system != baseline]
        if scored.metric.key == primary and len(others) < MANY_SYSTEMS - 1:
            for system in others:
                try:
                    pool = pool_of(scored, baseline, system, settings)
                    variation = variation_of(pool)
                except MtevalError:  # no output of one of them, or too few runs: the verdict says so
                    continue
                yield Prospect(
                    scored.test_set.name, primary, baseline, system, pool.unit, pool.n_units, pool.scores, variation
                )
