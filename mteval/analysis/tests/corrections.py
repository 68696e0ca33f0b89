"""Several comparisons at once: which correction a family of tests gets, and what the family is.

Intervals that hold together for a family of comparisons, and p-values adjusted in the same way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from scipy import special

from mteval.analysis.comparison import Outcome
from mteval.base.arrays import FloatArray
from mteval.base.errors import SettingsError
from mteval.stats import ProcedureSpec
from mteval.stats.base import PairedResult
from mteval.stats.multiplicity import benjamini_hochberg, bonferroni, holm, max_t, max_t_reach, tukey

ALL_PAIRS = "tukey"  # the correction for all pairs of systems alone
ALL_AT_ONCE = ("max-t", ALL_PAIRS)  # judge by the largest difference of the family, and multiply nothing

CORRECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "holm": "Holm",
        "bonferroni": "Bonferroni",
        "benjamini-hochberg": "Benjamini-Hochberg",
        "max-t": "max-T over shared shuffles",
        "tukey": "Tukey",
        "none": "none",
    }
)


def multiplies(correction: str) -> bool:
    """Whether a correction multiplies p-values, so that the smallest it can give grows with the family."""
    return correction not in (*ALL_AT_ONCE, "none")


def corrections_for(spec: ProcedureSpec) -> tuple[str, ...]:
    """Keys of ``CORRECTIONS`` that serve all pairs by a procedure, the usual one first.

    That is max-T where it can be had, since it needs fewer shuffles for small p-values than the others. Tukey's needs
    standard errors.
    """
    others = tuple(key for key in CORRECTIONS if key not in ALL_AT_ONCE)
    if spec.shares_null:
        return ("max-t", *others)
    return others if spec.is_resampled or spec.needs_segment_mean else (*others, ALL_PAIRS)


def adjusted(family: Sequence[Outcome], correction: str, n_mirrored: int = 0, n_systems: int = 0) -> FloatArray:
    """P-values of a family of tests by one procedure, adjusted for their number.

    Parameters
    ----------
    correction
        A key of ``CORRECTIONS``. ``max-t`` and ``tukey`` are two-sided over the comparisons, which for one-sided tests
        is the same as over the comparisons in both directions. The first needs draws that all comparisons share, the
        second standard errors, and all pairs of ``n_systems``; without, it is NaN.
    n_mirrored
        Number of one-sided comparisons that belong to the family but were not computed, because the score is on the
        other side: their p-values are above one half.

    Returns
    -------
    Shape ``(family,)``; NaN where a test could not answer.

    Raises
    ------
    SettingsError
        On an unknown correction.
    """
    if correction not in CORRECTIONS:
        raise SettingsError(f"There is no correction '{correction}'; there are: {', '.join(CORRECTIONS)}.")
    p_values = np.array([outcome.result.p_value for outcome in family])
    if correction == "none":
        return p_values
    if correction == "max-t":
        return _max_t(family)
    if correction == ALL_PAIRS:
        return _tukey(family, n_systems)
    adjust = {"holm": holm, "bonferroni": bonferroni, "benjamini-hochberg": benjamini_hochberg}[correction]
    mirrored = np.ones(n_mirrored)
    return adjust(np.concatenate([p_values, mirrored]))[: len(p_values)]


def _max_t(family: Sequence[Outcome]) -> FloatArray:
    """Over the members that have draws under the null hypothesis, all from the same units."""
    p_adjusted = np.full(len(family), np.nan)
    places, nulls = shared_nulls(family)
    if places:
        p_adjusted[places] = max_t([family[place].result.statistic for place in places], nulls)
    return p_adjusted


def shared_nulls(family: Sequence[Outcome]) -> tuple[list[int], FloatArray]:
    """The members with draws under the null hypothesis that all of the family share, and these draws."""
    nulls = {place: outcome.result.null for place, outcome in enumerate(family) if outcome.result.null is not None}
    if not nulls or not all(outcome.case.question.spec.shares_null for outcome in family):
        return [], np.empty((0, 0))
    return list(nulls), np.stack(list(nulls.values()))


def _tukey(family: Sequence[Outcome], n_systems: int) -> FloatArray:
    results = [outcome.result for outcome in family]
    errors = np.array([result.standard_error for result in results])
    known = np.flatnonzero(errors > 0)
    p_adjusted = np.where(np.isnan(errors), np.nan, [result.p_value for result in results])
    if n_systems and len(known):
        t = np.array([results[place].statistic for place in known]) / errors[known]
        p_adjusted[known] = tukey(t, [results[place].df for place in known], n_systems)
    return p_adjusted if n_systems else np.full(len(family), np.nan)


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
