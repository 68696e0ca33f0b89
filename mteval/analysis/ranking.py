"""All systems from best to worst, with the ranks that cannot be told apart, as WMT prints them.

The Findings of WMT have had groups since Bojar et al. (2013), by tests of their own; the ranges and lines are those of
Kocmi et al. (2022, 2023). A range goes from 1 more than the systems that are shown better to the number of systems less
those that are shown worse. A line stands where all systems above it are shown better than all below; what stands
between two lines is a group, so two systems of one group may well be told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.comparison import Question
from mteval.analysis.scoring import Scored
from mteval.analysis.tests.corrections import CORRECTIONS, corrections_for
from mteval.analysis.tests.pairs import all_pairs, by_score
from mteval.analysis.two_answers import questions
from mteval.analysis.work import Work
from mteval.values.settings import Design, Settings
from mteval.values.verdict import MANY_SYSTEMS, Ranked, Ranking


def ranking(scored: Scored, settings: Settings, work: Work) -> Ranking | None:
    """Ranks from tests of all pairs, adjusted for their number; None for fewer systems than ``MANY_SYSTEMS``.

    The test is the verdict's own; where it has no answer for any pair, as with one run a system, it is the one about
    luck with the test set alone. Pairs without an answer are not told apart. Systems without a score have no rank.

    Raises
    ------
    CancelledError
        When the work was told to stop.
    """
    systems = [system for system in by_score(scored) if not np.isnan(scored.run_scores[system]).any()]
    if len(systems) < MANY_SYSTEMS:
        return None
    question, pairs = _answered(scored, settings, work)
    is_both = question == _questions(scored, settings)[1]
    level = _level(scored, settings) if is_both else 1 - settings.confidence
    shown = pairs[pairs["p_adjusted"] <= level]
    is_better = np.array(
        [[better != worse and ((shown["better"] == better) & (shown["worse"] == worse)).any() for worse in systems]
         for better in systems]
    )  # fmt: skip
    return Ranking(
        test_set=scored.test_set.name,
        metric=scored.metric.key,
        procedure=question.spec.name,
        unit=question.unit,
        correction=CORRECTIONS[corrections_for(question.spec)[0]],
        is_both=is_both,
        level=level,
        rows=_rows(scored, systems, is_better),
        was_fixed=is_both and settings.design == "fixed",
    )


def _level(scored: Scored, settings: Settings) -> float:
    """That of the planned look, where runs are added after looking; 0 where this is none, so that nothing is shown."""
    n_runs = min(map(len, scored.statistics.values()))
    factor = 1.0 if settings.look_plan is None else settings.look_plan.factor(n_runs)
    return 0.0 if np.isnan(factor) else (1 - settings.confidence) / factor


def _questions(scored: Scored, settings: Settings) -> tuple[Question, Question]:
    """As for the verdicts, but that no system is fixed: most pairs are without the baseline."""
    design: Design = "independent" if settings.design == "fixed" else settings.design
    return questions(scored, replace(settings, design=design))


def _answered(scored: Scored, settings: Settings, work: Work) -> tuple[Question, pd.DataFrame]:
    """The question that has an answer for any pair, the verdict's own first, and its pairs."""
    first, both = _questions(scored, settings)
    pairs = all_pairs(scored, both, corrections_for(both.spec)[0], settings, work)
    if pairs["p_value"].notna().any():
        return both, pairs
    return first, all_pairs(scored, first, corrections_for(first.spec)[0], settings, work)


def _rows(scored: Scored, systems: Sequence[str], is_better: npt.NDArray[np.bool_]) -> tuple[Ranked, ...]:
    wins, losses, n = is_better.sum(axis=1), is_better.sum(axis=0), len(systems)
    return tuple(
        Ranked(system, float(scored.run_scores[system].mean()), int(lost) + 1, n - int(won), group)
        for system, won, lost, group in zip(systems, wins, losses, group_numbers(is_better), strict=True)
    )


def group_numbers(is_better: npt.NDArray[np.bool_]) -> list[int]:
    """The group of each system, from 1: a new one begins where every system so far is better than every further one.

    Parameters
    ----------
    is_better
        Shape ``(systems, systems)``, from best to worst: whether the system of the row is shown better than that of the
        column.
    """
    numbers, group, reach = [], 0, -1
    for place, row in enumerate(is_better):
        group += place > reach  # no system before this one is level with this one or a later one
        numbers.append(group)
        reach = max(reach, place, *np.flatnonzero(~row).tolist())
    return numbers
