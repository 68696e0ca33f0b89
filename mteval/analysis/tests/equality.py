"""Shown equal: systems that differ from the baseline by less than a margin, beyond either kind of luck."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from mteval.analysis.comparison import Case, Outcome, Question, ask
from mteval.analysis.rows import frame_of
from mteval.analysis.tests.significance import Family
from mteval.analysis.work import Progress, Work
from mteval.errors import SettingsError
from mteval.settings import Settings
from mteval.stats.equivalence import equivalence
from mteval.stats.multiplicity import holm_within
from mteval.stats.procedures.registry import showing_equal
from mteval.stats.procedures.spec import Luck


@dataclass(frozen=True)
class EqualityRow:
    """A claim that a system differs from the baseline by less than a margin.

    Parameters
    ----------
    luck
        Beyond which the claim is made.
    low, high
        Interval of the difference at the level at which the claim is made.
    p_value, p_adjusted
        Of the claim, before and after Holm over the family; NaN where there is no answer.
    """

    test_set: str
    metric: str
    baseline: str
    system: str
    luck: Luck
    procedure: str
    unit: str
    margin: float
    difference: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    note: str


def equality_frame(family: Family, unit: str, margin: float, settings: Settings, work: Work) -> pd.DataFrame:
    """Two one-sided tests against a margin, for test-set luck alone and together with training luck.

    Columns are those of ``EqualityRow``. ``low`` and ``high`` bound the difference at the level at which the claim is
    made, one minus twice the complement of the confidence: the systems are shown equal within the margin where the
    interval lies inside it. P-values are adjusted by Holm over the family, for either kind of luck.

    Raises
    ------
    SettingsError
        If the margin is not positive.
    """
    if not margin > 0:
        raise SettingsError(f"The margin of equivalence is {margin}; give a positive number of points.")
    rows = list(_rows(family, unit, margin, settings, work))
    return frame_of(_adjusted(rows), EqualityRow)


def _rows(family: Family, unit: str, margin: float, settings: Settings, work: Work) -> Iterator[EqualityRow]:
    asked = [Question(spec.key, unit) for spec in showing_equal(unit, settings.design)]
    pairs = [(scored, system) for scored in family.scored_metrics for system in family.systems]
    for index, (scored, system) in enumerate(pairs):
        work.report(Progress(f"Equivalence: {system} by {scored.metric.name}", index, len(pairs)))
        for question in asked:
            outcome = ask(Case(scored, family.baseline, system, question), settings, work)
            yield _row(outcome, margin, 1 - settings.confidence)


def _row(outcome: Outcome, margin: float, level: float) -> EqualityRow:
    asked, note = outcome.case.asked, outcome.result.note
    claim = equivalence(outcome.result, margin, level)
    if np.isnan(claim.p_value) and not note:
        note = "The procedure gives no standard error here."
    return EqualityRow(
        test_set=asked.test_set,
        metric=asked.metric,
        baseline=asked.baseline,
        system=asked.system,
        luck=outcome.case.question.spec.luck,
        procedure=asked.procedure,
        unit=asked.unit,
        margin=margin,
        difference=outcome.case.difference,
        low=claim.low,
        high=claim.high,
        p_value=claim.p_value,
        p_adjusted=float("nan"),
        note=note,
    )


def _adjusted(rows: Sequence[EqualityRow]) -> list[EqualityRow]:
    """The same with p-values adjusted over the rows about the same luck."""
    p_adjusted = holm_within([row.luck for row in rows], [row.p_value for row in rows])
    return [replace(row, p_adjusted=p) for row, p in zip(rows, p_adjusted.tolist(), strict=True)]
