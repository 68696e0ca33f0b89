"""All pairs of systems by one metric and one procedure (Graham et al. 2014, Figure 8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd

from mteval.analysis.comparison import Case, Outcome, Question, ask
from mteval.analysis.scoring import Scored
from mteval.analysis.tests.corrections import adjusted, multiplies
from mteval.analysis.tests.significance import SharedReplicates, can_share, raw_alternative
from mteval.analysis.work import Progress, Work, frame_of
from mteval.stats import PROCEDURES
from mteval.stats.base import Alternative
from mteval.values.settings import Settings


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
