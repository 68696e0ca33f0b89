"""Test all pairs of systems by one metric and procedure (Graham et al. 2014, Figure 8), and rank the systems.

Rank ranges are simultaneous confidence sets (Mogstad, Romano, Shaikh and Wilhelm 2024): all contain the true ranks,
unless one of the adjusted tests errs. A range spans from one more than the number of systems shown better to the number
of systems minus those shown worse. A line separates groups (Kocmi et al. 2022, 2023): all systems above it are shown
better than all systems below. Two systems of one group may still differ significantly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.comparison import Case, Outcome, Question, how_of
from mteval.analysis.corrections import ALL_PAIRS, CORRECTIONS, adjusted, corrections_for, multiplies
from mteval.analysis.scoring import Progress, Scored, Work, unit_sizes, units_of
from mteval.analysis.significance import SharedReplicates, raw_alternative
from mteval.analysis.two_answers import questions
from mteval.stats import PROCEDURES
from mteval.stats.base import Alternative
from mteval.stats.multiplicity import Maxima
from mteval.stats.procedures.registry import procedures_in
from mteval.values.settings import Design, Settings
from mteval.values.verdict import MANY_SYSTEMS, Ranked, Ranking

PAIRS = (
    "better", "worse", "better_score", "worse_score", "improvement", "alternative", "p_value", "p_adjusted", "note",
)  # fmt: skip


def by_score(scored: Scored) -> tuple[str, ...]:
    """Return the systems from best to worst mean score, those without a score last."""
    sign = -1 if scored.metric.higher_is_better else 1
    means = {system: sign * float(scores.mean()) for system, scores in scored.run_scores.items()}
    return tuple(sorted(means, key=lambda system: (np.isnan(means[system]), means[system])))


def direction(scored: Scored, procedure: str) -> Alternative:
    """Return one-sided towards the better system, or two-sided if the procedure has no one-sided form."""
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
    """Test whether the better of two systems is significantly better, one row per pair, with the columns ``PAIRS``.

    ``better_score`` and ``worse_score`` are means over runs; ``alternative`` refers to the raw difference, ``better -
    worse``. Tests are one-sided unless an alternative is given. The family contains all pairs in both directions, since
    the data determine the direction of each; two-sided tests count each pair once. The number of shuffles grows with
    the family.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    side = alternative or direction(scored, question.procedure)
    n_pairs = comb(len(scored.statistics), 2)
    n_mirrored = 0 if side == "two-sided" else n_pairs
    if multiplies(correction):
        settings = settings.for_family(n_pairs + n_mirrored)
    by_draws = correction == "max-t" and question.spec.shares_null
    outcomes, maxima, places = list[Outcome](), Maxima(), list[int]()
    for index, outcome in enumerate(_outcomes(scored, question, side, settings, work)):
        work.report(Progress(f"{outcome.case.system} vs {outcome.case.baseline}", index, n_pairs))
        if by_draws and outcome.result.null is not None:
            maxima.add(outcome.result.null)
            places.append(index)
        outcomes.append(_without_arrays(outcome, keeps_exchanges=correction == ALL_PAIRS))
    p_adjusted = adjusted(outcomes, correction, settings.confidence, n_mirrored, len(scored.statistics))
    if by_draws:
        p_adjusted[places] = maxima.p_values([outcomes[place].result.statistic for place in places])
    means = {system: float(scores.mean()) for system, scores in scored.run_scores.items()}
    sign, is_complete = 1 if scored.metric.higher_is_better else -1, scored.is_complete
    rows = []
    for outcome, p in zip(outcomes, p_adjusted.tolist(), strict=True):
        case, result = outcome.case, outcome.printed
        better, worse = means[case.system], means[case.baseline]
        gain = sign * (better - worse if is_complete else case.difference)
        about = case.system, case.baseline, better, worse, gain, case.alternative
        rows.append((*about, result.p_value, p, result.note))
    return pd.DataFrame(rows, columns=list(PAIRS))


def _without_arrays(outcome: Outcome, keeps_exchanges: bool = False) -> Outcome:
    """Drop the draws and units of a pair, since memory would grow with the square of the number of systems."""
    exchanged = outcome.exchanged
    if exchanged is not None and not keeps_exchanges:
        exchanged = _without_arrays(exchanged)
    return Outcome(replace(outcome.case), replace(outcome.result, null=None, draws=None), exchanged)


def _outcomes(
    scored: Scored, question: Question, side: Alternative, settings: Settings, work: Work
) -> Iterator[Outcome]:
    """Yield the outcome of each pair, the better system tested against the worse."""
    systems = by_score(scored)
    if question.spec.on_pairs is None or not scored.is_complete:
        shared = SharedReplicates(settings, work)
        for better, worse in combinations(systems, 2):
            yield shared.ask(Case(scored, worse, better, question, side))
        return
    how = how_of(question.spec, settings, work, side, unit_sizes(scored, question.unit, scored.present()))
    units = [units_of(scored, system, question.unit, scored.present()) for system in systems]
    of_pairs = question.spec.on_pairs(units, scored.scorer.score, how)
    for place in work.engine.checked(range(len(systems))):  # so many short calls take longer on several threads
        below = range(place + 1, len(systems))
        for other, result in zip(below, of_pairs.results(below, place), strict=True):
            yield Outcome(Case(scored, systems[other], systems[place], question, side), result.in_words(settings.runs))


def groups(pairs: pd.DataFrame, systems: Sequence[str], level: float) -> tuple[tuple[str, ...], ...]:
    """Return the largest sets of systems without a significant difference between any two; a system may be in several.

    No significant difference does not mean that systems are equal.

    Parameters
    ----------
    pairs
        From ``all_pairs``: columns ``better, worse, p_adjusted``. Pairs without an answer count as not significant.
    systems
        From best to worst; groups keep this order.
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
    """Yield the maximal cliques (Bron and Kerbosch 1973, with a pivot)."""
    if not open_ and not done:
        yield chosen
        return
    pivot = max(open_ | done, key=lambda system: len(together[system] & open_))
    for system in sorted(open_ - together[pivot]):
        near = together[system]
        yield from _cliques(together, chosen | {system}, open_ & near, done & near)
        open_ = open_ - {system}
        done = done | {system}


def design_of_pairs(design: Design) -> Design:
    """Return the design for all pairs: most exclude the baseline, so it is neither fixed nor a history."""
    return "independent" if design in ("fixed", "candidate") else design


def ranking(scored: Scored, settings: Settings, work: Work) -> Ranking | None:
    """Rank systems by adjusted tests of all pairs; None for fewer than ``MANY_SYSTEMS`` systems.

    Uses the test of the verdict. If it answers for no pair, as with one run per system, test-set luck alone is tested.
    Pairs without an answer count as not significant. Systems without a score have no rank.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    systems = [system for system in by_score(scored) if not np.isnan(scored.run_scores[system]).any()]
    if len(systems) < MANY_SYSTEMS:
        return None
    test_set_luck, question = questions(scored, replace(settings, design=design_of_pairs(settings.design)))
    level = settings.level
    is_both = settings.design != "released"
    pairs = pd.DataFrame(columns=list(PAIRS))
    if max(map(len, scored.statistics.values())) >= question.spec.min_runs:
        pairs = all_pairs(scored, question, corrections_for(question.spec)[0], settings, work)
    if not pairs["p_value"].notna().any():
        question, is_both = test_set_luck, False
        pairs = all_pairs(scored, question, corrections_for(question.spec)[0], settings, work)
    elif settings.look_plan is not None:  # without an analysis planned here nothing is significant
        factor = settings.look_plan.factor(min(map(len, scored.statistics.values())))
        level = 0.0 if np.isnan(factor) else level / factor
    shown = pairs[pairs["p_adjusted"] <= level]
    told_apart = set(zip(shown["better"], shown["worse"], strict=True))
    is_better = implied(np.array([[(better, worse) in told_apart for worse in systems] for better in systems]))
    wins, losses, numbers = is_better.sum(axis=1), is_better.sum(axis=0), group_numbers(is_better)
    return Ranking(
        test_set=scored.test_set.name,
        metric=scored.metric.key,
        procedure=procedures_in(settings.runs, question.unit)[question.procedure].name,
        unit=question.unit,
        correction=CORRECTIONS[corrections_for(question.spec)[0]],
        is_both=is_both,
        level=level,
        rows=tuple(
            Ranked(system, float(scored.run_scores[system].mean()), int(lost) + 1, len(systems) - int(won), group)
            for system, won, lost, group in zip(systems, wins, losses, numbers, strict=True)
        ),
        was_fixed=is_both and settings.design == "fixed",
    )


def implied(is_better: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Add what differences imply: the first of three is better than the last if each is better than the next.

    Parameters
    ----------
    is_better
        Shape ``(systems, systems)``: whether the row's system is shown better than the column's.
    """
    closed = is_better.copy()
    for between in range(len(closed)):
        closed |= np.outer(closed[:, between], closed[between])
    return closed


def group_numbers(is_better: npt.NDArray[np.bool_]) -> list[int]:
    """Return the group of each system, from 1.

    A new group starts where every earlier system is better than every later one.

    Parameters
    ----------
    is_better
        Shape ``(systems, systems)``, from best to worst: whether the row's system is shown better than the column's.
    """
    numbers, group, reach = [], 0, -1
    for place, row in enumerate(is_better):
        group += place > reach  # all earlier systems are better than this and later ones
        numbers.append(group)
        reach = max(reach, place, *np.flatnonzero(~row).tolist())
    return numbers
