"""All pairs of systems by one metric and one procedure (Graham et al. 2014, Figure 8), and the ranks that follow.

The Findings of WMT have had groups since Bojar et al. (2013), by tests of their own; the ranges and lines are those of
Kocmi et al. (2022, 2023). A range goes from 1 more than the systems that are shown better to the number of systems less
those that are shown worse. A line stands where all systems above it are shown better than all below; what stands
between two lines is a group, so two systems of one group may well be told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.comparison import Case, Outcome, Question, ask
from mteval.analysis.corrections import CORRECTIONS, adjusted, corrections_for, multiplies
from mteval.analysis.scoring import Scored
from mteval.analysis.significance import SharedReplicates, can_share, raw_alternative
from mteval.analysis.two_answers import questions
from mteval.analysis.work import Progress, Work, frame_of
from mteval.stats import PROCEDURES
from mteval.stats.base import Alternative
from mteval.stats.procedures.registry import procedures_in
from mteval.values.settings import Design, Settings
from mteval.values.verdict import MANY_SYSTEMS, Ranked, Ranking


@dataclass(frozen=True)
class PairRow:
    """A pair of systems: is the one with the better mean score better than the other?

    Parameters
    ----------
    better_score, worse_score
        Their means over runs; ``improvement`` is positive by that order.
    alternative
        About the raw difference, ``better - worse``.
    """

    better: str
    worse: str
    better_score: float
    worse_score: float
    improvement: float
    alternative: Alternative
    p_value: float
    p_adjusted: float
    note: str


def by_score(scored: Scored) -> tuple[str, ...]:
    """Systems from best to worst mean score; those without a score last."""
    sign = -1 if scored.metric.higher_is_better else 1
    means = {system: sign * float(scores.mean()) for system, scores in scored.run_scores.items()}
    return tuple(sorted(means, key=lambda system: (np.isnan(means[system]), means[system])))


def direction(scored: Scored, procedure: str) -> Alternative:
    """One-sided towards the better system; two-sided for a procedure that has no one-sided form."""
    if len(PROCEDURES[procedure].alternatives) == 1:
        return "two-sided"
    return raw_alternative(scored, "better")


def all_pairs(
    scored: Scored,
    question: Question,
    correction: str,
    settings: Settings,
    work: Work,
    alternative: Alternative | None = None,
) -> pd.DataFrame:
    """Is the better of two systems better beyond the luck tested? One row a pair, with the columns of ``PairRow``.

    The tests are one-sided, unless another alternative is named. The family is all pairs in both directions, since the
    data chose the direction of each; for a two-sided test it is all pairs. Shuffles are as many as it asks for.

    Raises
    ------
    CancelledError
        When the work was told to stop.
    """
    side = alternative or direction(scored, question.procedure)
    n_pairs = comb(len(scored.statistics), 2)
    n_mirrored = 0 if side == "two-sided" else n_pairs
    if multiplies(correction):
        settings = settings.for_family(n_pairs + n_mirrored)
    outcomes = list(_ask(scored, question, settings, work, side))
    p_adjusted = adjusted(outcomes, correction, n_mirrored, len(scored.statistics))
    rows = [_row(outcome, p) for outcome, p in zip(outcomes, p_adjusted.tolist(), strict=True)]
    return frame_of(rows, PairRow)


def _row(outcome: Outcome, p_adjusted: float) -> PairRow:
    case, scored = outcome.case, outcome.case.scored
    return PairRow(
        better=case.system,
        worse=case.baseline,
        better_score=float(scored.run_scores[case.system].mean()),
        worse_score=float(scored.run_scores[case.baseline].mean()),
        improvement=(1 if scored.metric.higher_is_better else -1) * case.difference,
        alternative=case.alternative,
        p_value=outcome.result.p_value,
        p_adjusted=p_adjusted,
        note=outcome.result.note,
    )


def groups(pairs: pd.DataFrame, systems: Sequence[str], level: float) -> tuple[tuple[str, ...], ...]:
    """Largest sets of systems no two of which can be told apart at the level; a system may be in several.

    That systems cannot be told apart does not say that they are equal.

    Parameters
    ----------
    pairs
        From ``all_pairs``: columns ``better, worse, p_adjusted``; pairs without an answer count as not told apart.
    systems
        From best to worst, the order of and within the groups.
    """
    together: dict[str, set[str]] = {system: set() for system in systems}
    for better, worse, p_adjusted in zip(pairs["better"], pairs["worse"], pairs["p_adjusted"], strict=True):
        if not p_adjusted <= level:
            together[better].add(worse)
            together[worse].add(better)
    place = {system: index for index, system in enumerate(systems)}
    cliques = _cliques(together, set(), set(systems), set())
    in_order = [tuple(sorted(clique, key=place.__getitem__)) for clique in cliques]
    return tuple(sorted(in_order, key=lambda group: [place[system] for system in group]))


def _cliques(together: dict[str, set[str]], chosen: set[str], open_: set[str], done: set[str]) -> Iterator[set[str]]:
    """Maximal cliques (Bron and Kerbosch 1973, with a pivot)."""
    if not open_ and not done:
        yield chosen
        return
    pivot = max(open_ | done, key=lambda system: len(together[system] & open_))
    for system in sorted(open_ - together[pivot]):
        near = together[system]
        yield from _cliques(together, chosen | {system}, open_ & near, done & near)
        open_ = open_ - {system}
        done = done | {system}


def _ask(
    scored: Scored, question: Question, settings: Settings, work: Work, alternative: Alternative
) -> Iterator[Outcome]:
    pairs = list(combinations(by_score(scored), 2))
    shared = SharedReplicates(scored, question, settings, work) if can_share(scored, question) else None
    for index, (better, worse) in enumerate(pairs):
        work.report(Progress(f"{better} against {worse}", index, len(pairs)))
        case = Case(scored, worse, better, question, alternative)
        yield ask(case, settings, work) if shared is None else shared.ask(case)


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
        procedure=procedures_in(settings.runs)[question.procedure].name,
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
