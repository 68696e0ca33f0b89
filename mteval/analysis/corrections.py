"""Multiple comparisons: corrections of p-values and simultaneous intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mteval.analysis.comparison import Outcome
from mteval.base.arrays import FloatArray
from mteval.base.errors import SettingsError
from mteval.stats import ProcedureSpec, crossed_layout, multiplicity
from mteval.stats.base import Law, PairedResult, one_sided

ALL_PAIRS = "tukey"  # only for all pairs of systems
ALL_AT_ONCE = ("max-t", ALL_PAIRS)  # use the largest difference of the family, without a factor

CORRECTIONS: Mapping[str, str] = {
    "holm": "Holm", "bonferroni": "Bonferroni", "benjamini-hochberg": "Benjamini-Hochberg",
    "max-t": "max-T over shared shuffles", "tukey": "Tukey", "none": "none",
}  # fmt: skip


def multiplies(correction: str) -> bool:
    """Return whether a correction multiplies p-values, so that the smallest possible p grows with the family."""
    return correction not in (*ALL_AT_ONCE, "none")


def corrections_for(spec: ProcedureSpec) -> tuple[str, ...]:
    """Return the keys of ``CORRECTIONS`` that suit all pairs tested by a procedure, the default first.

    The default is max-T if available: it needs fewer shuffles for small p-values than the others. Tukey needs standard
    errors.
    """
    others = tuple(key for key in CORRECTIONS if key not in ALL_AT_ONCE)
    if spec.shares_null:
        return ("max-t", *others)
    return others if spec.is_resampled or spec.needs_segment_mean else (*others, ALL_PAIRS)


def adjusted(
    family: Sequence[Outcome], correction: str, confidence: float, n_mirrored: int = 0, n_systems: int = 0
) -> FloatArray:
    """Adjust the p-values of a family of tests by one procedure, none below those of ``Outcome.exchanged``.

    Parameters
    ----------
    correction
        A key of ``CORRECTIONS``. ``max-t`` and ``tukey`` are two-sided over the comparisons; for one-sided tests, this
        equals the comparisons in both directions. ``max-t`` needs draws that all comparisons share; ``tukey`` needs
        standard errors and all pairs of ``n_systems``. Without these the result is NaN.
    confidence
        One minus the level of the family.
    n_mirrored
        One-sided comparisons that belong to the family but were not computed because the score points the other way.
        Their p-values exceed one half.

    Returns
    -------
    Shape ``(family,)``; NaN for tests without an answer.

    Raises
    ------
    SettingsError
        If the correction is unknown.
    """
    if correction not in CORRECTIONS:
        raise SettingsError(f"Unknown correction '{correction}'. Choose one of: {', '.join(CORRECTIONS)}.")
    found, beside = _adjusted(family, correction, confidence, n_mirrored, n_systems), _exchanged(family)
    if not beside:
        return found
    by = "max-t" if correction == ALL_PAIRS else correction
    found[[*beside]] = np.maximum(found[[*beside]], adjusted([*beside.values()], by, confidence, n_mirrored))
    return found


def _exchanged(family: Sequence[Outcome]) -> dict[int, Outcome]:
    """Return the tests of test-set luck behind tests of both kinds of luck, by place in the family."""
    return {place: one.exchanged for place, one in enumerate(family) if one.exchanged is not None}


def _adjusted(family: Sequence[Outcome], by: str, confidence: float, n_mirrored: int, n_systems: int) -> FloatArray:
    p_values = np.array([outcome.result.p_value for outcome in family])
    if by == "none":
        return p_values
    p_adjusted = np.full(len(family), np.nan)
    if by == "max-t":
        places, nulls = shared_nulls(family)
        if places:
            p_adjusted[places] = multiplicity.max_t([family[place].result.statistic for place in places], nulls)
        return p_adjusted
    if by == ALL_PAIRS:
        return _tukey([outcome.result for outcome in family], n_systems) if n_systems else p_adjusted
    if by == "holm":
        return multiplicity.holm_with_laws(p_values, family_p_values(family, confidence), n_mirrored)
    adjust = multiplicity.bonferroni if by == "bonferroni" else multiplicity.benjamini_hochberg
    return adjust(np.concatenate([p_values, np.ones(n_mirrored)]))[: len(p_values)]


def family_p_values(family: Sequence[Outcome], confidence: float) -> FloatArray:
    """Return p-values by the laws of the family, shape ``(family,)``; a test without such a law keeps its own."""
    p_values = [outcome.result.p_value for outcome in family]
    for place, (outcome, law) in enumerate(zip(family, family_laws(family, confidence), strict=True)):
        if law is not None:
            difference = outcome.result.statistic
            p_values[place] = one_sided(law.p_value(difference), difference, outcome.case.alternative)
    return np.array(p_values)


def family_laws(family: Sequence[Outcome], confidence: float) -> list[Law | None]:
    """Return the law of each test in its family, as ``crossed_layout.family_laws``, separately by metric."""
    found: list[Law | None] = [None] * len(family)
    by_metric: dict[str, list[int]] = {}
    for place, outcome in enumerate(family):
        by_metric.setdefault(outcome.case.scored.metric.key, []).append(place)
    for places in by_metric.values():
        is_candidate = family[places[0]].case.question.spec.design == "candidate"  # which all share one variance
        laws = [None if is_candidate else family[place].result.law for place in places]
        pairs = [(family[place].case.baseline, family[place].case.system) for place in places]
        have_two = [isinstance(law, crossed_layout.Components) and len(law.runs) == 2 for law in laws]
        sides = [pair if both else (pair,) for both, pair in zip(have_two, pairs, strict=True)]
        for place, law in zip(places, crossed_layout.family_laws(laws, sides, confidence), strict=True):
            found[place] = law
    return found


def shared_nulls(family: Sequence[Outcome]) -> tuple[list[int], FloatArray]:
    """Return the members with draws under the null hypothesis, and these draws; empty unless all share them."""
    nulls = {place: outcome.result.null for place, outcome in enumerate(family) if outcome.result.null is not None}
    if not nulls or not all(outcome.case.question.spec.shares_null for outcome in family):
        return [], np.empty((0, 0))
    return list(nulls), np.stack(list(nulls.values()))


def _tukey(results: Sequence[PairedResult], n_systems: int) -> FloatArray:
    errors = np.array([result.standard_error for result in results])
    known = np.flatnonzero(errors > 0).tolist()
    p_adjusted = np.where(np.isnan(errors), np.nan, [result.p_value for result in results])
    if len(known):
        t = np.array([results[place].statistic for place in known]) / errors[known]
        found = multiplicity.tukey(t, [results[place].df for place in known], n_systems)
        p_adjusted[known] = np.maximum(found, p_adjusted[known])
    return p_adjusted


@dataclass(frozen=True)
class Simultaneous:
    """The simultaneous interval of one difference.

    Parameters
    ----------
    simultaneous
        Name of the correction; empty if there is no interval.
    low_simultaneous, high_simultaneous
        Interval of the raw difference. All intervals of the family hold jointly with the settings' confidence.
    p_simultaneous
        Adjusted by the same correction; at or below the level exactly when the interval excludes zero.
    """

    simultaneous: str
    low_simultaneous: float
    high_simultaneous: float
    p_simultaneous: float


NONE = Simultaneous("", float("nan"), float("nan"), float("nan"))


def simultaneous(family: Sequence[Outcome], confidence: float) -> list[Simultaneous]:
    """Return the simultaneous interval of each member of a family of two-sided tests.

    Uses max-T if all members share their draws, otherwise Bonferroni with a standard error or bootstrap replicates.
    Members with neither have no interval, nor have those with too few units for a p-value at the level divided by the
    number of members: their intervals would be too narrow. An interval contains that of
    ``Outcome.exchanged``.
    """
    found, beside = _simultaneous(family, confidence), _exchanged(family)
    for place, other in zip(beside, simultaneous([*beside.values()], confidence) if beside else (), strict=True):
        one = found[place]
        low = min(one.low_simultaneous, other.low_simultaneous)
        high = max(one.high_simultaneous, other.high_simultaneous)
        p_value = max(one.p_simultaneous, other.p_simultaneous)
        found[place] = Simultaneous(one.simultaneous, low, high, p_value) if other.simultaneous else NONE
    return found


def _simultaneous(family: Sequence[Outcome], confidence: float) -> list[Simultaneous]:
    places, nulls = shared_nulls(family)
    if places:
        found, p_values = [NONE] * len(family), adjusted(family, "max-t", confidence).tolist()
        results = [family[place].result for place in places]
        differences, shares = [one.statistic for one in results], [one.own_share for one in results]
        reaches = multiplicity.max_t_reach(differences, nulls, shares, 1 - confidence).tolist()
        for place, middle, far in zip(places, differences, reaches, strict=True):
            if far == far and family[place].result.smallest_p * len(places) <= 1 - confidence:
                found[place] = Simultaneous(CORRECTIONS["max-t"], middle - far, middle + far, p_values[place])
        return found
    own = np.array([outcome.result.p_value for outcome in family])
    p_values = np.fmax(multiplicity.bonferroni(family_p_values(family, confidence)), own).tolist()
    n_tests, laws = max(1, int(np.count_nonzero(~np.isnan(own)))), family_laws(family, confidence)
    name, whole_level, level, found = CORRECTIONS["bonferroni"], 1 - confidence, (1 - confidence) / n_tests, []
    for result, law, p_value in zip((one.result for one in family), laws, p_values, strict=True):
        one = NONE
        if result.law is not None:
            reach = max(law.reach(level), result.law.reach(whole_level)) if law else result.law.reach(level)
            one = Simultaneous(name, result.statistic - reach, result.statistic + reach, p_value)
        elif result.draws is not None and np.isfinite(result.low):
            low, high = np.quantile(result.draws, (level / 2, 1 - level / 2)).tolist()
            one = Simultaneous(name, low, high, p_value)
        found.append(one)
    return found
