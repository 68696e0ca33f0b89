"""Several comparisons at once: corrections of p-values, and intervals that hold together for a family.

The verdicts with run variances that borrow from all systems: how much hangs on how little few runs tell.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from scipy import special

from mteval.analysis.comparison import OfPair, Outcome
from mteval.analysis.scoring import Scored, unit_sizes, units_of
from mteval.analysis.two_answers import TwoAnswers, p_at_look
from mteval.base.arrays import FloatArray
from mteval.base.errors import SettingsError
from mteval.stats import ProcedureSpec, multiplicity
from mteval.stats.base import PairedResult, student_result
from mteval.stats.runs import copies_or_single_run, run_scores, variance
from mteval.stats.units import df_of_units, uneven_refusal, unit_values
from mteval.values.settings import Settings

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
    p_adjusted = np.full(len(family), np.nan)
    if correction == "max-t":
        places, nulls = shared_nulls(family)
        if places:
            p_adjusted[places] = multiplicity.max_t([family[place].result.statistic for place in places], nulls)
        return p_adjusted
    if correction == ALL_PAIRS:
        return _tukey([outcome.result for outcome in family], n_systems) if n_systems else p_adjusted
    by_factors = {"bonferroni": multiplicity.bonferroni, "benjamini-hochberg": multiplicity.benjamini_hochberg}
    adjust = by_factors.get(correction, multiplicity.holm)
    return adjust(np.concatenate([p_values, np.ones(n_mirrored)]))[: len(p_values)]


def shared_nulls(family: Sequence[Outcome]) -> tuple[list[int], FloatArray]:
    """The members with draws under the null hypothesis that all of the family share, and these draws."""
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
        p_adjusted[known] = multiplicity.tukey(t, [results[place].df for place in known], n_systems)
    return p_adjusted


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
        found, p_values = [NONE] * len(family), adjusted(family, "max-t").tolist()
        for place, far in zip(places, multiplicity.max_t_reach(nulls, 1 - confidence).tolist(), strict=True):
            difference = family[place].result.statistic
            found[place] = Simultaneous(CORRECTIONS["max-t"], difference - far, difference + far, p_values[place])
        return found
    p_values = adjusted(family, "bonferroni").tolist()
    level = (1 - confidence) / max(1, int(np.count_nonzero(~np.isnan(p_values))))
    return [_by_bonferroni(outcome.result, p, level) for outcome, p in zip(family, p_values, strict=True)]


def _by_bonferroni(result: PairedResult, p_value: float, level: float) -> Simultaneous:
    name = CORRECTIONS["bonferroni"]
    if result.standard_error > 0 and np.isfinite(result.df):
        reach = float(special.stdtrit(result.df, 1 - level / 2)) * result.standard_error
        return Simultaneous(name, result.statistic - reach, result.statistic + reach, p_value)
    if result.draws is not None and np.isfinite(result.low):
        low, high = np.quantile(result.draws, (level / 2, 1 - level / 2)).tolist()
        return Simultaneous(name, low, high, p_value)
    return NONE


@dataclass(frozen=True)
class BorrowedRow(OfPair):
    """A system against the baseline, with its own run variances and with borrowed ones.

    Parameters
    ----------
    s_run, s_borrowed
        Standard deviation over runs of the system, its own and with what it borrows.
    low, high, p_value, p_adjusted
        Of the raw difference with the system's own, as in the verdict; p before and after Holm over the systems.
    low_borrowed, high_borrowed, p_borrowed, p_borrowed_adjusted
        The same with borrowed ones.
    """

    difference: float
    s_run: float
    s_borrowed: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    low_borrowed: float
    high_borrowed: float
    p_borrowed: float
    p_borrowed_adjusted: float


def borrowed_rows(scored: Scored, answers: Iterable[TwoAnswers], settings: Settings) -> tuple[BorrowedRow, ...]:
    """One a system with an answer to both kinds of luck; none where fewer than four systems have runs that differ.

    Segments that a run of any of these systems lacks are left out of all. Runs must be independent.
    """
    about = (scored.test_set.name, scored.metric.key)
    here = [one for one in answers if (one.both.test_set, one.both.metric) == about]
    if not here or settings.design != "independent":
        return ()
    baseline, unit = here[0].both.baseline, here[0].both.unit
    systems = [key for key in scored.statistics if _varies(scored, key)]
    present = scored.present(*systems)
    sizes = unit_sizes(scored, unit, present) if present.any() else None
    is_large = len(systems) >= multiplicity.FEWEST_SYSTEMS and np.count_nonzero(present) > 1
    if baseline not in systems or not is_large or uneven_refusal(sizes):
        return ()
    score, units = scored.scorer.score, [units_of(scored, key, unit, present) for key in systems]
    scores = {key: run_scores(statistics, score) for key, statistics in zip(systems, units, strict=True)}
    values = [unit_values(statistics, score, sizes) for statistics in units]
    counts, variances = map(len, scores.values()), map(variance, scores.values())
    borrowed = multiplicity.BorrowedSpread.of([*variances], [*counts])
    rows, one, df = list[BorrowedRow](), systems.index(baseline), df_of_units(sizes, units[0].shape[1])
    for answer in here:
        own = answer.both
        if own.system not in scores:
            continue
        other = systems.index(own.system)
        parts = borrowed.components(values[one], values[other], (one, other), df)
        difference = float(scores[own.system].mean() - scores[baseline].mean())
        found = student_result(difference, parts.total, parts.df, own.alternative, settings.confidence)
        rows.append(
            BorrowedRow(
                *(*about, baseline, own.system),
                difference=own.difference,
                s_run=float(variance(scores[own.system]) ** 0.5),
                s_borrowed=float(borrowed.variances[other] ** 0.5),
                low=own.low,
                high=own.high,
                p_value=own.p_value,
                p_adjusted=own.p_adjusted,
                low_borrowed=found.low,
                high_borrowed=found.high,
                p_borrowed=found.p_value,
                p_borrowed_adjusted=p_at_look(found.p_value, answer.n_runs, settings),
            )
        )
    p_adjusted = multiplicity.holm([row.p_borrowed_adjusted for row in rows]).tolist()
    return tuple(replace(row, p_borrowed_adjusted=p) for row, p in zip(rows, p_adjusted, strict=True))


def _varies(scored: Scored, system: str) -> bool:
    """Whether its runs show how much runs differ, and all of them have a score."""
    runs = scored.statistics_on(system, scored.present(system))
    return bool(runs.size) and not copies_or_single_run(system, runs) and not np.isnan(scored.run_scores[system]).any()
