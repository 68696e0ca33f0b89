"""Test all pairs of systems by one metric and procedure (Graham et al. 2014, Figure 8), and rank the systems.

Rank ranges are simultaneous confidence sets (Mogstad, Romano, Shaikh and Wilhelm 2024): all contain the true ranks,
unless one of the adjusted tests errs. A range spans from one more than the number of systems shown better to the number
of systems minus those shown worse. A line separates groups (Kocmi et al. 2022, 2023): all systems above it are shown
better than all systems below. Two systems of one group may still differ significantly.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.comparison import Case, Outcome, Question, how_of
from mteval.analysis.corrections import ALL_PAIRS, CORRECTIONS, adjusted, corrections_for, multiplies
from mteval.analysis.scoring import Progress, Scored, Work, unit_sizes, units_of
from mteval.analysis.significance import SharedReplicates, raw_alternative
from mteval.analysis.two_answers import deciding_questions
from mteval.base.store import kept_beside
from mteval.stats import PROCEDURES
from mteval.stats.base import Alternative
from mteval.stats.multiplicity import Maxima
from mteval.stats.procedures.registry import answering, procedures_in
from mteval.stats.procedures.spec import AnyPair
from mteval.values.settings import Design, Settings
from mteval.values.verdict import MANY_SYSTEMS, Ranked, RankedPair, Ranking

MOST_KEPT = 8  # results per test set and metric
PAIRS = (
    "better",
    "worse",
    "better_score",
    "worse_score",
    "improvement",
    "alternative",
    "p_value",
    "p_adjusted",
    "note",
)


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
    the family. The latest results are kept beside ``scored``: the ranking needs the same tests as a table of all pairs.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    if alternative is None:
        alternative = direction(scored, question.procedure)
    frame_of = _kept_frames(scored)
    key = (
        question,
        correction,
        alternative,
        settings.n_shuffles,
        settings.seed,
        settings.confidence,
        settings.runs,
    )
    frame = frame_of.get(key)
    if frame is None:
        frame = _tested(scored, question, correction, settings, work, alternative)
        if len(frame_of) >= MOST_KEPT:
            frame_of.pop(next(iter(frame_of)), None)
        frame_of[key] = frame
    return frame.copy()


@kept_beside
def _kept_frames(scored: Scored) -> dict[tuple[Hashable, ...], pd.DataFrame]:
    """Return the results of ``all_pairs`` so far, by what determines them; the oldest first."""
    return {}


def _tested(
    scored: Scored, question: Question, correction: str, settings: Settings, work: Work, alternative: Alternative
) -> pd.DataFrame:
    """Return the result of ``all_pairs``."""
    n_pairs = comb(len(scored.statistics), 2)
    n_mirrored = 0 if alternative == "two-sided" else n_pairs
    if multiplies(correction):
        settings = settings.for_family(n_pairs + n_mirrored)

    # Max-T needs only the largest difference of each shuffle, so the draws of a pair can be dropped at once
    uses_maxima = correction == "max-t" and question.spec.shares_null
    maxima = Maxima()
    places = []  # of the pairs with draws
    outcomes = []
    for index, outcome in enumerate(_outcomes(scored, question, alternative, settings, work)):
        work.report(Progress(f"{outcome.case.system} vs {outcome.case.baseline}", index, n_pairs))
        if uses_maxima and outcome.result.null is not None:
            maxima.add(outcome.result.null)
            places.append(index)
        outcomes.append(_without_arrays(outcome, keeps_exchanges=correction in ALL_PAIRS))
    p_adjusted = adjusted(outcomes, correction, settings.confidence, n_mirrored, len(scored.statistics))
    if uses_maxima:
        p_adjusted[places] = maxima.p_values([outcomes[place].result.statistic for place in places])

    means = scored.mean_scores
    sign = 1 if scored.metric.higher_is_better else -1
    is_complete = scored.is_complete
    rows = []
    for outcome, p in zip(outcomes, p_adjusted.tolist(), strict=True):
        case = outcome.case
        result = outcome.printed
        better_mean = means[case.system]
        worse_mean = means[case.baseline]
        difference = better_mean - worse_mean
        if not is_complete:  # on the segments of both
            difference = case.difference
        row = (
            case.system,
            case.baseline,
            better_mean,
            worse_mean,
            sign * difference,
            case.alternative,
            result.p_value,
            p,
            result.note,
        )
        rows.append(row)
    return pd.DataFrame(rows, columns=list(PAIRS))


def _without_arrays(outcome: Outcome, keeps_exchanges: bool = False) -> Outcome:
    """Drop the draws and units of a pair, since memory would grow with the square of the number of systems."""
    exchanged = outcome.exchanged
    if exchanged is not None and not keeps_exchanges:
        exchanged = _without_arrays(exchanged)
    return Outcome(replace(outcome.case), replace(outcome.result, null=None, draws=None), exchanged)


def _outcomes(
    scored: Scored, question: Question, alternative: Alternative, settings: Settings, work: Work
) -> Iterator[Outcome]:
    """Yield the outcome of each pair, the better system tested against the worse."""
    systems = by_score(scored)
    if question.spec.on_pairs is None or not scored.is_complete:
        replicates = SharedReplicates(settings, work)
        for better, worse in combinations(systems, 2):
            yield replicates.ask(Case(scored, worse, better, question, alternative))
        return

    pairs = _PairsOf(scored, systems, question, alternative, settings, work)
    exchanged_pairs = pairs
    is_of_both = question.spec.luck == "both"
    if is_of_both:  # p is not below that of test-set luck, as in ``comparison.ask``
        exchange = answering("test-set", question.unit)
        exchanged_pairs = replace(pairs, question=Question(exchange.key, question.unit))
    for place in work.engine.checked(range(len(systems))):  # so many short calls take longer on several threads
        worse_places = range(place + 1, len(systems))
        if not is_of_both:
            yield from pairs.outcomes(worse_places, place)
            continue
        outcomes = list(pairs.outcomes(worse_places, place))
        answered_places = []
        for worse_place, outcome in zip(worse_places, outcomes, strict=True):
            if not np.isnan(outcome.result.p_value):
                answered_places.append(worse_place)
        exchanged_outcomes = exchanged_pairs.outcomes(answered_places, place)
        for outcome in outcomes:
            if np.isnan(outcome.result.p_value):
                yield outcome
            else:
                yield replace(outcome, exchanged=next(exchanged_outcomes))


@dataclass(frozen=True)
class _PairsOf:
    """The tests of any two systems by a procedure with ``on_pairs``, from what they share."""

    scored: Scored
    systems: Sequence[str]
    question: Question
    alternative: Alternative
    settings: Settings
    work: Work

    @cached_property
    def _tests(self) -> AnyPair:
        unit = self.question.unit
        present = self.scored.present()
        sizes = unit_sizes(self.scored, unit, present)
        how = how_of(self.question.spec, self.settings, self.work, self.alternative, sizes)
        units = [units_of(self.scored, system, unit, present) for system in self.systems]
        on_pairs = self.question.spec.on_pairs
        if on_pairs is None:
            raise TypeError(f"{self.question.procedure} has no test of any pair")
        return on_pairs(units, self.scored.scorer, how)

    def outcomes(self, worse_places: Sequence[int], place: int) -> Iterator[Outcome]:
        """Yield the outcomes of a system against those at several places, in this order."""
        if not worse_places:
            return
        results = self._tests.results(worse_places, place)
        for worse_place, result in zip(worse_places, results, strict=True):
            case = Case(self.scored, self.systems[worse_place], self.systems[place], self.question, self.alternative)
            yield Outcome(case, result.in_words(self.settings.runs))


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
    near: dict[str, set[str]] = {system: set() for system in systems}  # those without a significant difference
    for better, worse, p_adjusted in zip(pairs["better"], pairs["worse"], pairs["p_adjusted"], strict=True):
        if not p_adjusted <= level:
            near[better].add(worse)
            near[worse].add(better)
    place_of = {system: place for place, system in enumerate(systems)}
    cliques = [sorted(clique, key=lambda system: place_of[system]) for clique in _cliques(near, systems)]
    cliques.sort(key=lambda clique: [place_of[system] for system in clique])
    return tuple(tuple(clique) for clique in cliques)


def _cliques(near: Mapping[str, Set[str]], systems: Sequence[str]) -> Iterator[set[str]]:
    """Yield the maximal cliques (Bron and Kerbosch 1973, with a pivot).

    Parameters
    ----------
    near
        The neighbours of each system.
    """

    def grown(clique: set[str], candidates: set[str], done: set[str]) -> Iterator[set[str]]:
        """Yield the maximal cliques that contain ``clique``, some of ``candidates`` and none of ``done``."""
        if not candidates and not done:
            yield clique
            return
        # Each maximal clique contains the pivot or a system that is not near it, so only these are tried
        pivot = max(candidates | done, key=lambda system: len(near[system] & candidates))
        for system in sorted(candidates - near[pivot]):
            yield from grown(clique | {system}, candidates & near[system], done & near[system])
            candidates = candidates - {system}
            done = done | {system}

    return grown(set(), set(systems), set())


def design_of_pairs(design: Design) -> Design:
    """Return the design for all pairs: most exclude the baseline, so it is neither fixed nor a history."""
    if design in ("fixed", "candidate"):
        return "independent"
    return design


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
    test_set_luck, both = deciding_questions(scored, replace(settings, design=design_of_pairs(settings.design)))
    n_runs = [len(runs) for runs in scored.statistics.values()]

    question = both
    is_both = settings.design != "released"
    level = settings.level
    pairs = pd.DataFrame(columns=list(PAIRS))
    if max(n_runs) >= question.spec.min_runs:
        pairs = all_pairs(scored, question, corrections_for(question.spec)[0], settings, work)
    if not pairs["p_value"].notna().any():
        question = test_set_luck
        is_both = False
        pairs = all_pairs(scored, question, corrections_for(question.spec)[0], settings, work)
    elif settings.look_plan is not None:
        factor = settings.look_plan.factor(min(n_runs))
        level /= factor
        if np.isnan(factor):  # without an analysis planned here nothing is significant
            level = 0.0

    shown = pairs[pairs["p_adjusted"] <= level]
    shown_pairs = set(zip(shown["better"], shown["worse"], strict=True))
    is_better = np.zeros((len(systems), len(systems)), dtype=bool)
    for row, better in enumerate(systems):
        for column, worse in enumerate(systems):
            is_better[row, column] = (better, worse) in shown_pairs
    is_better = implied(is_better)

    # Simultaneous ranges of ranks: behind all that are better, before all that are worse
    n_worse = is_better.sum(axis=1).tolist()
    n_better = is_better.sum(axis=0).tolist()
    numbers = group_numbers(is_better)
    rows = []
    for place, system in enumerate(systems):
        mean = float(scored.run_scores[system].mean())
        rows.append(Ranked(system, mean, n_better[place] + 1, len(systems) - n_worse[place], numbers[place]))
    return Ranking(
        test_set=scored.test_set.name,
        metric=scored.metric.key,
        procedure=procedures_in(settings.runs, question.unit)[question.procedure].name,
        unit=question.unit,
        correction=CORRECTIONS[corrections_for(question.spec)[0]],
        is_both=is_both,
        level=level,
        rows=tuple(rows),
        was_fixed=is_both and settings.design == "fixed",
        pairs=tuple(_ranked_pairs(pairs, systems, is_better)),
    )


def _ranked_pairs(
    pairs: pd.DataFrame, systems: Sequence[str], is_better: npt.NDArray[np.bool_]
) -> Iterator[RankedPair]:
    """Yield the pairs of ranked systems.

    Parameters
    ----------
    is_better
        Shape ``(systems, systems)``: whether the row's system is shown better than the column's.
    """
    place_of = {system: place for place, system in enumerate(systems)}
    columns = [pairs[name].tolist() for name in ("better", "worse", "improvement", "p_adjusted")]
    for better, worse, improvement, p_adjusted in zip(*columns, strict=True):
        if better in place_of and worse in place_of:
            is_shown = bool(is_better[place_of[better], place_of[worse]])
            yield RankedPair(better, worse, improvement, p_adjusted, is_shown)


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
    numbers = []
    group = 0
    reach = -1  # the last system that some earlier one is not better than
    for place, row in enumerate(is_better):
        if place > reach:  # all earlier systems are better than this and later ones
            group += 1
        numbers.append(group)
        not_better = np.flatnonzero(~row).tolist()
        reach = max(reach, place, *not_better)
    return numbers
