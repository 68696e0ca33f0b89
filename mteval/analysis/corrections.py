"""Multiple comparisons: corrections of p-values, simultaneous intervals, and tests with pooled run variances."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

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

ALL_PAIRS = "tukey"  # only for all pairs of systems
ALL_AT_ONCE = ("max-t", ALL_PAIRS)  # use the largest difference of the family, without a factor

CORRECTIONS: Mapping[str, str] = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "benjamini-hochberg": "Benjamini-Hochberg",
    "max-t": "max-T over shared shuffles",
    "tukey": "Tukey",
    "none": "none",
}


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


def adjusted(family: Sequence[Outcome], correction: str, n_mirrored: int = 0, n_systems: int = 0) -> FloatArray:
    """Adjust the p-values of a family of tests by one procedure.

    Parameters
    ----------
    correction
        A key of ``CORRECTIONS``. ``max-t`` and ``tukey`` are two-sided over the comparisons; for one-sided tests, this
        equals the comparisons in both directions. ``max-t`` needs draws that all comparisons share; ``tukey`` needs
        standard errors and all pairs of ``n_systems``. Without these the result is NaN.
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
        p_adjusted[known] = multiplicity.tukey(t, [results[place].df for place in known], n_systems)
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
    Members with neither have no interval.
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
    """A system against the baseline, with its own run variances and with pooled ones.

    Parameters
    ----------
    s_run, s_borrowed
        Standard deviation over runs of the system, its own and pooled.
    low, high, p_value, p_adjusted
        With the system's own variance, as in the verdict; p before and after Holm over the systems.
    low_borrowed, high_borrowed, p_borrowed, p_borrowed_adjusted
        The same with the pooled variance.
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
    """Test each system against the baseline with run variances pooled over all systems.

    Needs independent runs and at least four systems whose runs differ, otherwise empty. Segments that any of these runs
    lacks are skipped for all systems.
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
    """Return whether a system's runs differ and all have a score."""
    runs = scored.statistics_on(system, scored.present(system))
    return bool(runs.size) and not copies_or_single_run(system, runs) and not np.isnan(scored.run_scores[system]).any()
