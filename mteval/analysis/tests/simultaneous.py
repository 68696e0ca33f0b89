"""Intervals that hold together for a family of comparisons, and p-values adjusted in the same way."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from mteval.analysis.comparison import Outcome
from mteval.analysis.tests.corrections import CORRECTIONS, adjusted, shared_nulls
from mteval.stats.base import FloatArray, PairedResult
from mteval.stats.multiplicity import max_t_reach


@dataclass(frozen=True)
class Simultaneous:
    """A difference as one of a family.

    Parameters
    ----------
    simultaneous
        How the number of comparisons is taken into account: the name of a correction; empty where there is no interval.
    low_simultaneous, high_simultaneous
        Interval of the raw difference. All of the family hold together with the confidence of the settings.
    p_simultaneous
        Adjusted by the same; at most the level where the interval leaves out zero.
    """

    simultaneous: str
    low_simultaneous: float
    high_simultaneous: float
    p_simultaneous: float


NONE = Simultaneous("", float("nan"), float("nan"), float("nan"))


def simultaneous(family: Sequence[Outcome], confidence: float) -> list[Simultaneous]:
    """One a member of a family of two-sided tests by the same question.

    By max-T where all share their draws, else by Bonferroni, which needs a standard error or replicates of the
    difference; without them there is none.
    """
    places, nulls = shared_nulls(family)
    if places:
        return _by_max_t(family, places, max_t_reach(nulls, 1 - confidence))
    p_values = adjusted(family, "bonferroni").tolist()
    n_answered = int(np.count_nonzero(~np.isnan(p_values)))
    return [
        _by_bonferroni(outcome.result, p, (1 - confidence) / max(1, n_answered))
        for outcome, p in zip(family, p_values, strict=True)
    ]


def _by_max_t(family: Sequence[Outcome], places: Sequence[int], reach: FloatArray) -> list[Simultaneous]:
    found, p_values = [NONE] * len(family), adjusted(family, "max-t")
    for place, far in zip(places, reach.tolist(), strict=True):
        difference = family[place].result.statistic
        found[place] = Simultaneous(CORRECTIONS["max-t"], difference - far, difference + far, float(p_values[place]))
    return found


def _by_bonferroni(result: PairedResult, p_value: float, level: float) -> Simultaneous:
    name = CORRECTIONS["bonferroni"]
    if result.standard_error > 0 and np.isfinite(result.df):
        reach = float(special.stdtrit(result.df, 1 - level / 2)) * result.standard_error
        return Simultaneous(name, result.statistic - reach, result.statistic + reach, p_value)
    if result.draws is not None and np.isfinite(result.low):
        low, high = np.quantile(result.draws, (level / 2, 1 - level / 2)).tolist()
        return Simultaneous(name, low, high, p_value)
    return NONE
