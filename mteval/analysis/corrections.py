"""Several comparisons at once: corrections of p-values, and intervals that hold together for a family.

The verdicts with run variances that borrow from all systems: how much hangs on how little few runs tell.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
from scipy import special

from mteval.analysis.comparison import OfPair, Outcome
from mteval.analysis.scoring import Scored, unit_sizes, units_of
from mteval.analysis.two_answers import TwoAnswers, p_at_look
from mteval.base.arrays import FloatArray
from mteval.base.errors import SettingsError
from mteval.stats import ProcedureSpec
from mteval.stats.base import PairedResult, student_result
from mteval.stats.multiplicity import (
    FEWEST_SYSTEMS,
    BorrowedSpread,
    benjamini_hochberg,
    bonferroni,
    holm,
    max_t,
    max_t_reach,
    tukey,
)
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


@dataclass(frozen=True)
class _Pool:
    """The systems whose runs differ, on the segments that all of their runs have.

    Parameters
    ----------
    scores, values
        Of the runs, and what units bring to them, by system.
    df_units
        As in ``Components``.
    """

    scores: Mapping[str, FloatArray]
    values: Mapping[str, FloatArray]
    df_units: float | None

    @cached_property
    def borrowed(self) -> BorrowedSpread:
        """The variances of all."""
        scores = self.scores.values()
        return BorrowedSpread.of([variance(one) for one in scores], [len(one) for one in scores])

    def row(self, answers: TwoAnswers, settings: Settings) -> BorrowedRow:
        """One of the systems against the baseline, its answer to both kinds of luck being known.

        The last field is adjusted for planned looks alone.
        """
        asked, own = answers.both.asked, answers.both.answered
        baseline, system = asked.baseline, asked.system
        one, other = (list(self.scores).index(key) for key in (baseline, system))
        parts = self.borrowed.components(self.values[baseline], self.values[system], (one, other), self.df_units)
        difference = float(self.scores[system].mean() - self.scores[baseline].mean())
        found = student_result(difference, parts.total, parts.df, asked.alternative, settings.confidence)
        return BorrowedRow(
            *asked.about,
            difference=own.difference,
            s_run=float(variance(self.scores[system]) ** 0.5),
            s_borrowed=float(self.borrowed.variances[other] ** 0.5),
            low=own.low,
            high=own.high,
            p_value=own.p_value,
            p_adjusted=own.p_adjusted,
            low_borrowed=found.low,
            high_borrowed=found.high,
            p_borrowed=found.p_value,
            p_borrowed_adjusted=p_at_look(found.p_value, answers.n_runs, settings),
        )


def borrowed_rows(scored: Scored, answers: Iterable[TwoAnswers], settings: Settings) -> tuple[BorrowedRow, ...]:
    """One a system with an answer to both kinds of luck; none where fewer than four systems have runs that differ.

    Segments that a run of any of these systems lacks are left out of all. Runs must be independent.
    """
    about = (scored.test_set.name, scored.metric.key)
    here = [one for one in answers if (one.both.asked.test_set, one.both.asked.metric) == about]
    if not here or settings.design != "independent":
        return ()
    asked = here[0].both.asked
    pool = _pool(scored, asked.unit)
    if pool is None or asked.baseline not in pool.scores:
        return ()
    rows = [pool.row(one, settings) for one in here if one.both.asked.system in pool.scores]
    p_adjusted = holm([row.p_borrowed_adjusted for row in rows]).tolist()
    return tuple(replace(row, p_borrowed_adjusted=p) for row, p in zip(rows, p_adjusted, strict=True))


def _pool(scored: Scored, unit: str) -> _Pool | None:
    """None where there are fewer than four such systems, or units cannot answer."""
    systems = [key for key in scored.statistics if _varies(scored, key)]
    present = scored.present(*systems)
    sizes = unit_sizes(scored, unit, present) if present.any() else None
    if len(systems) < FEWEST_SYSTEMS or np.count_nonzero(present) < 2 or uneven_refusal(sizes):
        return None
    score, units = scored.scorer.score, {key: units_of(scored, key, unit, present) for key in systems}
    return _Pool(
        {key: run_scores(statistics, score) for key, statistics in units.items()},
        {key: unit_values(statistics, score, sizes) for key, statistics in units.items()},
        df_of_units(sizes, int(np.count_nonzero(present)) if sizes is None else len(sizes)),
    )


def _varies(scored: Scored, system: str) -> bool:
    """Whether its runs show how much runs differ, and all of them have a score."""
    runs = scored.statistics_on(system, scored.present(system))
    return bool(runs.size) and not copies_or_single_run(system, runs) and not np.isnan(scored.run_scores[system]).any()
