"""How much hangs on how little few runs tell: the verdicts with run variances that borrow from all systems."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mteval.analysis.scoring import Scored
from mteval.analysis.two_answers import TwoAnswers, p_at_look
from mteval.analysis.units import unit_sizes, units_of
from mteval.base.arrays import FloatArray
from mteval.stats.base import student_result
from mteval.stats.multiplicity import FEWEST_SYSTEMS, BorrowedSpread, holm
from mteval.stats.runs import copies_or_single_run, run_scores, variance
from mteval.stats.units import df_of_units, uneven_refusal, unit_values
from mteval.values.settings import Settings


@dataclass(frozen=True)
class BorrowedRow:
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

    test_set: str
    metric: str
    baseline: str
    system: str
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
            test_set=asked.test_set,
            metric=asked.metric,
            baseline=baseline,
            system=system,
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
    return _adjusted([pool.row(one, settings) for one in here if one.both.asked.system in pool.scores])


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
        df_of_units(sizes),
    )


def _varies(scored: Scored, system: str) -> bool:
    """Whether its runs show how much runs differ, and all of them have a score."""
    runs = scored.statistics_on(system, scored.present(system))
    return bool(runs.size) and not copies_or_single_run(system, runs) and not np.isnan(scored.run_scores[system]).any()


def _adjusted(rows: Sequence[BorrowedRow]) -> tuple[BorrowedRow, ...]:
    p_adjusted = holm([row.p_borrowed_adjusted for row in rows]).tolist()
    return tuple(replace(row, p_borrowed_adjusted=p) for row, p in zip(rows, p_adjusted, strict=True))
