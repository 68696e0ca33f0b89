"""Multiple comparisons: corrections of p-values and simultaneous intervals."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mteval.analysis.comparison import Outcome
from mteval.base.arrays import FloatArray
from mteval.base.errors import SettingsError
from mteval.stats import ProcedureSpec, crossed_layout, multiplicity
from mteval.stats.base import Law, PairedResult, one_sided

MAX_T = "max-t"
TUKEY = "tukey"
SCHEFFE = "scheffe"
ALL_PAIRS = (TUKEY, SCHEFFE)  # only for all pairs of systems; they need standard errors
ALL_AT_ONCE = (MAX_T, *ALL_PAIRS)  # use the largest difference of the family, without a factor

CORRECTIONS: Mapping[str, str] = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "benjamini-hochberg": "Benjamini-Hochberg",
    MAX_T: "max-T over shared shuffles",
    TUKEY: "Tukey",
    SCHEFFE: "Scheffé",
    "none": "none",
}


def multiplies(correction: str) -> bool:
    """Return whether a correction multiplies p-values, so that the smallest possible p grows with the family."""
    return correction not in (*ALL_AT_ONCE, "none")


def corrections_for(spec: ProcedureSpec) -> tuple[str, ...]:
    """Return the keys of ``CORRECTIONS`` that suit all pairs tested by a procedure, the default first.

    The default is max-T if available: it needs fewer shuffles for small p-values than the others. Tukey and Scheffé
    need standard errors.
    """
    of_p_values = tuple(correction for correction in CORRECTIONS if correction not in ALL_AT_ONCE)
    if spec.shares_null:
        return (MAX_T, *of_p_values)
    if spec.is_resampled or spec.needs_segment_mean:
        return of_p_values
    return (*of_p_values, *ALL_PAIRS)


def adjusted(
    family: Sequence[Outcome], correction: str, confidence: float, n_mirrored: int = 0, n_systems: int = 0
) -> FloatArray:
    """Adjust the p-values of a family of tests by one procedure, none below those of ``Outcome.exchanged``.

    Parameters
    ----------
    correction
        A key of ``CORRECTIONS``. ``max-t`` and those of ``ALL_PAIRS`` are two-sided over the comparisons; for one-sided
        tests, this equals the comparisons in both directions. ``max-t`` needs draws that all comparisons share; those
        of ``ALL_PAIRS`` need standard errors and all pairs of ``n_systems``. Without these the result is NaN.
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
    p_adjusted = _adjusted(family, correction, confidence, n_mirrored, n_systems)
    exchanged = _exchanged(family)
    if not exchanged:
        return p_adjusted
    places = list(exchanged)
    # Tests of test-set luck have no standard errors for Tukey and Scheffé, but share their draws
    correction_of_exchanged = MAX_T if correction in ALL_PAIRS else correction
    of_exchanged = adjusted(list(exchanged.values()), correction_of_exchanged, confidence, n_mirrored)
    p_adjusted[places] = np.maximum(p_adjusted[places], of_exchanged)
    return p_adjusted


def _exchanged(family: Sequence[Outcome]) -> dict[int, Outcome]:
    """Return the tests of test-set luck behind tests of both kinds of luck, by place in the family."""
    return {place: outcome.exchanged for place, outcome in enumerate(family) if outcome.exchanged is not None}


def _adjusted(
    family: Sequence[Outcome], correction: str, confidence: float, n_mirrored: int, n_systems: int
) -> FloatArray:
    """Adjust the p-values of a family by themselves, without those of ``Outcome.exchanged``."""
    p_values = np.array([outcome.result.p_value for outcome in family])
    if correction == "none":
        return p_values
    if correction == "holm":
        return multiplicity.holm_with_laws(p_values, family_p_values(family, confidence), n_mirrored)
    if correction == MAX_T:
        p_adjusted = np.full(len(family), np.nan)
        places, nulls = shared_nulls(family)
        if places:
            differences = [family[place].result.statistic for place in places]
            p_adjusted[places] = multiplicity.max_t(differences, nulls)
        return p_adjusted
    if correction in ALL_PAIRS:
        if not n_systems:
            return np.full(len(family), np.nan)
        return _of_all_pairs([outcome.result for outcome in family], correction, n_systems)

    with_mirrored = np.concatenate([p_values, np.ones(n_mirrored)])
    if correction == "bonferroni":
        return multiplicity.bonferroni(with_mirrored)[: len(p_values)]
    return multiplicity.benjamini_hochberg(with_mirrored)[: len(p_values)]


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
    laws_in_family: list[Law | None] = [None] * len(family)
    places_by_metric: dict[str, list[int]] = {}
    for place, outcome in enumerate(family):
        places_by_metric.setdefault(outcome.case.scored.metric.key, []).append(place)

    for places in places_by_metric.values():
        # The members share a procedure, so the first shows its design.
        # Candidates all share the variance of one history, so none borrows from others
        is_candidate = family[places[0]].case.question.spec.design == "candidate"
        laws: list[Law | None] = []
        sides: list[tuple[Hashable, ...]] = []
        for place in places:
            case = family[place].case
            pair = (case.baseline, case.system)
            law = None if is_candidate else family[place].result.law
            laws.append(law)
            # Each of the two systems has its own variance over runs, or the pair has one
            if isinstance(law, crossed_layout.Components) and len(law.runs) == 2:
                sides.append(pair)
            else:
                sides.append((pair,))
        by_metric = crossed_layout.family_laws(laws, sides, confidence)
        for place, law in zip(places, by_metric, strict=True):
            laws_in_family[place] = law
    return laws_in_family


def shared_nulls(family: Sequence[Outcome]) -> tuple[list[int], list[FloatArray]]:
    """Return the members with draws under the null hypothesis, and these draws; empty unless all share them."""
    places = [place for place, outcome in enumerate(family) if outcome.result.null is not None]
    if not places or not all(outcome.case.question.spec.shares_null for outcome in family):
        return [], []
    return places, [outcome.result.null for outcome in family if outcome.result.null is not None]


def _of_all_pairs(results: Sequence[PairedResult], correction: str, n_systems: int) -> FloatArray:
    """Adjust by Tukey or Scheffé, never below the test's own p.

    A test without a standard error has NaN; one with a standard error of zero keeps its own p.
    """
    adjust = multiplicity.tukey if correction == TUKEY else multiplicity.scheffe
    errors = np.array([result.standard_error for result in results])
    p_values = np.array([result.p_value for result in results])
    p_adjusted = np.where(np.isnan(errors), np.nan, p_values)
    places = np.flatnonzero(errors > 0).tolist()
    if places:
        t = np.array([results[place].statistic for place in places]) / errors[places]
        df = [results[place].df for place in places]
        p_adjusted[places] = np.maximum(adjust(t, df, n_systems), p_adjusted[places])
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
        Adjusted by the same correction; at or below the level exactly when the interval excludes zero. On bootstrap
        replicates up to one replicate, since p counts them and the interval interpolates.
    """

    simultaneous: str
    low_simultaneous: float
    high_simultaneous: float
    p_simultaneous: float


NO_INTERVAL = Simultaneous("", float("nan"), float("nan"), float("nan"))


def simultaneous(family: Sequence[Outcome], confidence: float) -> list[Simultaneous]:
    """Return the simultaneous interval of each member of a family of two-sided tests.

    Uses max-T if all members share their draws, otherwise Bonferroni with a standard error or bootstrap replicates.
    Members with neither have no interval, nor have those with too few units for a p-value at the level divided by the
    number of members: their intervals would be too narrow. An interval contains that of
    ``Outcome.exchanged``.
    """
    intervals = _simultaneous(family, confidence)
    exchanged = _exchanged(family)
    if not exchanged:
        return intervals
    intervals_of_exchanged = simultaneous(list(exchanged.values()), confidence)
    for place, of_exchanged in zip(exchanged, intervals_of_exchanged, strict=True):
        if not of_exchanged.simultaneous:
            # Both must rule out luck, so without that interval there is none
            intervals[place] = NO_INTERVAL
            continue
        own = intervals[place]
        intervals[place] = Simultaneous(
            own.simultaneous,
            min(own.low_simultaneous, of_exchanged.low_simultaneous),
            max(own.high_simultaneous, of_exchanged.high_simultaneous),
            max(own.p_simultaneous, of_exchanged.p_simultaneous),
        )
    return intervals


def _simultaneous(family: Sequence[Outcome], confidence: float) -> list[Simultaneous]:
    """Return the intervals without those of ``Outcome.exchanged``."""
    places, nulls = shared_nulls(family)
    if places:
        return _by_max_t(family, places, nulls, confidence)
    return _by_bonferroni(family, confidence)


def _by_max_t(
    family: Sequence[Outcome], places: Sequence[int], nulls: Sequence[FloatArray], confidence: float
) -> list[Simultaneous]:
    """Return intervals from the largest difference of the members at ``places``, whose draws are ``nulls``."""
    intervals = [NO_INTERVAL] * len(family)
    p_values = adjusted(family, "max-t", confidence).tolist()
    results = [family[place].result for place in places]
    differences = [result.statistic for result in results]
    own_shares = [result.own_share for result in results]
    reaches = multiplicity.max_t_reach(differences, nulls, own_shares, 1 - confidence).tolist()
    for place, result, reach in zip(places, results, reaches, strict=True):
        # With too few units, even the smallest p-value is above the level divided by the number of members
        can_be_small = result.smallest_p * len(places) <= 1 - confidence
        if can_be_small and not np.isnan(reach):
            low = result.statistic - reach
            high = result.statistic + reach
            intervals[place] = Simultaneous(CORRECTIONS["max-t"], low, high, p_values[place])
    return intervals


def _by_bonferroni(family: Sequence[Outcome], confidence: float) -> list[Simultaneous]:
    """Return intervals at the level divided by the number of tests with an answer."""
    name = CORRECTIONS["bonferroni"]
    family_level = 1 - confidence
    own_p = np.array([outcome.result.p_value for outcome in family])
    n_tests = max(1, int(np.count_nonzero(~np.isnan(own_p))))
    level = family_level / n_tests
    # Unlike the correction ``bonferroni`` of ``adjusted``, this uses the laws of the family, as Holm's does
    p_values = np.fmax(multiplicity.bonferroni(family_p_values(family, confidence)), own_p).tolist()
    laws = family_laws(family, confidence)

    intervals = []
    for outcome, family_law, p_value in zip(family, laws, p_values, strict=True):
        result = outcome.result
        if result.law is not None:
            if family_law is None:
                reach = result.law.reach(level)
            else:
                reach = max(family_law.reach(level), result.law.reach(family_level))
            intervals.append(Simultaneous(name, result.statistic - reach, result.statistic + reach, p_value))
        elif result.draws is not None and np.isfinite(result.low):  # tests with draws but no interval keep none
            low, high = np.quantile(result.draws, (level / 2, 1 - level / 2)).tolist()
            intervals.append(Simultaneous(name, low, high, p_value))
        else:
            intervals.append(NO_INTERVAL)
    return intervals
