"""Decide whether a candidate passes: one-sided tests against margins by the test of both kinds of luck.

On one test set, p is never below that of exchanging the same units, as in a verdict: the larger of both decides.

Several metrics or test sets must all hold (intersection-union), so their p-values need no adjustment. Where one of
several answers suffices, they are adjusted by Holm.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from math import ceil, inf, isfinite, isnan, log2, nan
from operator import itemgetter

import numpy as np
import pandas as pd
from scipy import special

from mteval.analysis.comparison import Case, Outcome, Question, compare, how_of
from mteval.analysis.noticed import curve_of, in_points
from mteval.analysis.scoring import Scored, Work, frame_of
from mteval.analysis.several_test_sets import Source, notes_on, parts_on
from mteval.analysis.significance import unit_of
from mteval.analysis.two_answers import has_corpus_scores, questions
from mteval.base.arrays import FloatArray
from mteval.base.errors import DataError, SettingsError
from mteval.base.words import counted, listed
from mteval.metrics.base import MetricSpec
from mteval.stats.base import ONE_SCORE_PER_RUN, PairedResult
from mteval.stats.crossed_layout import Components, two_sided
from mteval.stats.interval import Equivalence, beyond
from mteval.stats.multiplicity import holm
from mteval.stats.planning import Sources
from mteval.stats.procedures.classical import WELCH
from mteval.stats.procedures.randomization import AR_SEGMENT, ExchangeBeyond, exchange_beyond
from mteval.stats.procedures.registry import showing_equal
from mteval.stats.several_test_sets import SeveralTestSets
from mteval.stats.units import df_of_units, unit_values
from mteval.values.findings import Finding, about_any
from mteval.values.gate import Gate, GateRow, GateRule, Remedy
from mteval.values.notation import as_typed, significant
from mteval.values.settings import Settings

MOST_RUNS = 30  # of remedies
FEW_DOCUMENTS = 5  # fewer have a note of their own
MANY_DOCUMENTS = 40  # with fewer, a loss in a few of them often passes
MOST_TIMES = 100
_TIMES = [1.1**step for step in range(1, 49)]  # up to about a hundred
_LARGER = (2, 5, 10, 20, 50, MOST_TIMES)  # together with further runs


@dataclass(frozen=True)
class _Answer:
    """The answer by one metric, on one test set or on the mean of several.

    Parameters
    ----------
    n_runs
        Of the baseline, and of the candidate.
    components
        From which a remedy is computed; None if they are unknown.
    exchange
        Whether the raw difference is beyond the bound, by exchanging the units; None on the mean of test sets.
    run_scores
        Scores of the runs of either system if each has one for the whole test set, so that only runs can be tested.
    """

    result: PairedResult
    unit: str
    n_runs: tuple[int, int]
    n_units: int
    components: Components | None
    note: str
    exchange: ExchangeBeyond | None = None
    run_scores: tuple[FloatArray, FloatArray] | None = None


@dataclass(frozen=True)
class _OpenRow:
    """A row before p-values are adjusted, and a function that returns what would settle it at a level."""

    row: GateRow
    remedy_at: Callable[[float], Remedy]


def gated(
    sources: Sequence[Source],
    specs: Mapping[str, MetricSpec],
    baseline: str,
    candidate: str,
    rule: GateRule,
    settings: Settings,
    work: Work,
    findings: Iterable[Finding] = (),
) -> Gate:
    """Test a candidate by every metric.

    Metrics without a better direction are ignored. Independent runs are tested as declared ``candidate``, so that a
    single run is tested against the baseline's.

    Parameters
    ----------
    sources
        Statistics of both systems, one per metric and test set.
    specs
        The metrics, by key.
    findings
        About the data. Those about other systems alone are left out.

    Raises
    ------
    SettingsError
        If a margin or metric cannot be used, or options exclude each other.
    DataError
        If a metric has no scores for both systems.
    """
    if settings.looks:
        raise SettingsError("A gate has no interim analyses. Remove them from the settings.")
    if settings.design == "independent":
        settings = replace(settings, design="candidate")
    sources = [source for source in sources if source.scored.statistics]  # others have no scores by the metric
    test_sets = {source.name for source in sources}
    is_mean = len(test_sets) > 1 and not rule.is_each
    if rule.is_any and rule.is_each and len(test_sets) > 1:
        raise SettingsError("One metric suffices (--any) only for the mean of the test sets. Remove --each or --any.")
    if is_mean and settings.strict:
        raise SettingsError("The strict test is for single test sets. Add --each, or remove --strict.")

    directed = {metric: spec for metric, spec in specs.items() if spec.notation.has_direction}
    undirected = tuple(spec.name for metric, spec in specs.items() if metric not in directed)
    if not directed:
        raise SettingsError(f"A gate needs a metric with a better direction; {listed(undirected)} has none.")

    pair = (baseline, candidate)
    rows = []
    for metric, spec in directed.items():
        sign, margin = rule.wanted(metric, list(directed))
        of_metric = [source for source in sources if source.scored.metric.key == metric]
        _check_scored(of_metric, spec, pair)
        bound = sign * in_points(margin, of_metric[0].scored.metric) + 0.0  # without a negative zero
        groups = [[source] for source in of_metric]
        if is_mean:
            groups = [of_metric]
        for group in groups:
            margin_notes = dict.fromkeys(_check_margin(source, spec, pair, bound) for source in group)
            open_row = _row(group, spec, pair, bound, settings, work)
            documents_note = _few_documents_note(group, spec, pair, settings)
            note = " ".join(filter(None, [open_row.row.note, *margin_notes, documents_note]))
            rows.append(replace(open_row, row=replace(open_row.row, note=note, margin=margin)))
    decided = _decided(rows, rule, settings.level)
    return Gate(tuple(decided), rule, settings, about_any(findings, pair), undirected)


def gate_frame(gate: Gate) -> pd.DataFrame:
    """Return one row per answer."""
    rows = frame_of(gate.rows, GateRow).drop(columns=["notation", "remedy", "margin"])
    remedies = frame_of([row.remedy for row in gate.rows], Remedy).add_prefix("remedy_")
    return pd.concat([rows, remedies], axis=1)


def _check_scored(sources: Sequence[Source], spec: MetricSpec, pair: tuple[str, str]) -> None:
    """Check that a metric has scores for both systems on each test set, and on any.

    Raises
    ------
    DataError
        If it has not.
    """
    scored_systems = [set(source.scored.statistics) for source in sources]
    if not scored_systems:
        scored_systems = [set()]
    baseline, candidate = pair
    for systems in scored_systems:
        if baseline in systems and candidate in systems:
            continue
        scored = "none"
        if systems:
            scored = listed(sorted(systems))
        problem = f"{spec.name} has no scores for {baseline} and {candidate}."
        raise DataError(f"{problem} Scored: {scored}. Choose other metrics.")


def _few_documents_note(group: Sequence[Source], spec: MetricSpec, pair: tuple[str, str], settings: Settings) -> str:
    """Return what a few uneven losses can do to a gate over documents; empty with many documents, or none."""
    n_documents = []
    for source in group:
        _, question = questions(source.scored, settings)
        present = source.scored.present(*pair)
        if question.unit == "document" and present.any():
            n_documents.append(len(set(compress(source.scored.test_set.documents or (), present))))
    if not n_documents or not FEW_DOCUMENTS <= min(n_documents) < MANY_DOCUMENTS:
        return ""
    return (
        f"With {counted(min(n_documents), 'document')}, a loss in a few of them can go unnoticed: in simulations, up to"
        " 22% of such candidates passed instead of 5%. Add documents."
    )


def _check_margin(source: Source, spec: MetricSpec, pair: tuple[str, str], bound: float) -> str:
    """Return a note on a margin that looks like one of another scale.

    Raises
    ------
    SettingsError
        If no difference of scores is as large.
    """
    scored = source.scored
    margin = f"A margin of {as_typed(abs(bound))}"
    scores = np.concatenate([scored.scorer.score(scored.statistics[system]).ravel() for system in pair])
    low = float(np.nanmin(scores))
    high = float(np.nanmax(scores))
    if 0 < max(high, 0.0) - min(low, 0.0) <= abs(bound):
        scale = f"scores by {spec.name} are between {significant(low, 3)} and {significant(high, 3)}"
        hundredth = (high - low) / 100
        if hundredth == 0:
            hundredth = abs(high) / 100
        example = f"{spec.key}={significant(hundredth, 1)}"
        raise SettingsError(f"{margin} decides nothing: {scale}. Give the margin on this scale, e.g. {example}.")
    spread = float(np.nanstd(scores))
    if 0 < spread < abs(bound) and not has_corpus_scores(scored):
        return f"{margin} is large: segments differ by {spec.notation.number(spread)} (SD)."
    return ""


def _decided(open_rows: Sequence[_OpenRow], rule: GateRule, level: float) -> Iterator[GateRow]:
    """Yield the rows with their outcomes; p is adjusted where one answer decides by itself."""
    p_pass = [open_row.row.p_pass for open_row in open_rows]
    p_fail = [open_row.row.p_fail for open_row in open_rows]
    # Holm's next step counts the tests that are left. A test without p (too few runs) decides nothing, so it is
    # among them
    if rule.is_any:
        p_pass = holm(p_pass).tolist()
        n_left = sum(not p <= level for p in p_pass)
    else:
        p_fail = holm(p_fail).tolist()
        n_left = sum(not p <= level for p in p_fail)

    for open_row, passing, failing in zip(open_rows, p_pass, p_fail, strict=True):
        row = replace(open_row.row, p_pass=passing, p_fail=failing)
        if passing <= level:
            yield replace(row, outcome="pass")
        elif failing <= level:
            yield replace(row, outcome="fail")
        else:
            is_ahead = row.improvement > row.bound
            is_adjusted = rule.is_any == is_ahead
            level_of_row = level
            if is_adjusted:
                level_of_row = level / n_left
            yield replace(row, outcome="no verdict", remedy=open_row.remedy_at(level_of_row))


def _row(
    sources: Sequence[Source], spec: MetricSpec, pair: tuple[str, str], bound: float, settings: Settings, work: Work
) -> _OpenRow:
    """Return the row of one metric, on one test set or on the mean of several."""
    level = settings.level
    is_mean = len(sources) > 1
    higher_is_better = sources[0].scored.metric.higher_is_better
    # The bound is one of improvements, the tests are of differences
    raw_bound = bound if higher_is_better else -bound
    if is_mean:
        answer = _on_mean(sources, pair, settings)
    else:
        answer = _on_one(sources[0], pair, raw_bound, settings, work)
    result = answer.result
    above = beyond(result, raw_bound, "greater", level)
    below = beyond(result, raw_bound, "less", level)
    if answer.exchange is not None:
        above = _at_least(above, answer.exchange.p_above)
        below = _at_least(below, answer.exchange.p_below)

    # An end of the interval excludes the bound only if the larger p does
    low = above.low
    high = above.high
    if above.p_value > level:
        low = min(low, raw_bound)
    if below.p_value > level:
        high = max(high, raw_bound)

    if higher_is_better:
        improvement = result.statistic
        passing = above
        failing = below
    else:
        improvement = -result.statistic
        passing = below
        failing = above

    share_of_pairs = nan
    curve = curve_of(sources[0].scored.metric)
    if curve is not None and not is_mean and isfinite(result.statistic) and result.statistic != 0:
        share_of_pairs = curve.expected_share(result.statistic, result.standard_error, result.df)
    row = GateRow(
        test_set=listed([source.name for source in sources]),
        metric=spec.key,
        metric_name=spec.name,
        notation=spec.notation,
        baseline=pair[0],
        candidate=pair[1],
        n_runs=answer.n_runs,
        n_units=answer.n_units,
        unit=answer.unit,
        difference=result.statistic,
        improvement=improvement,
        low=low,
        high=high,
        bound=bound,
        p_value=passing.p_value,
        p_pass=passing.p_value,
        p_fail=failing.p_value,
        outcome="no verdict",
        remedy=Remedy(),
        note=answer.note,
        share_of_pairs=share_of_pairs,
    )
    return _OpenRow(row, partial(_remedy, answer, raw_bound, settings))


def _at_least(claim: Equivalence, p_value: float) -> Equivalence:
    """Return a claim whose p is not below another one; NaN if either is."""
    return replace(claim, p_value=float(np.maximum(claim.p_value, p_value)))


def _on_one(source: Source, pair: tuple[str, str], raw_bound: float, settings: Settings, work: Work) -> _Answer:
    """Return the answer on one test set, with a bound of the raw difference."""
    scored = source.scored
    if has_corpus_scores(scored) and settings.design == "candidate":  # which independent runs are tested as
        return _on_runs(scored, pair, settings, work)
    unit = unit_of(scored, settings)
    spec = showing_equal(unit, settings.design, settings.strict)[-1]
    case = Case(scored, *pair, Question(spec.key, unit))
    outcome = Outcome(case, compare(case, settings, work))  # the exchange beside it has the bound
    components = None
    if spec.components is not None and outcome.result.law is not None:
        # Unit values of the shape (runs, units)
        baseline, candidate = (unit_values(units, scored.scorer.score, case.unit_sizes) for units in case.units)
        components = spec.components(baseline, candidate, df_of_units(case.unit_sizes, baseline.shape[1]))
    exchange = None
    if not np.isnan(outcome.result.p_value):
        how = how_of(AR_SEGMENT, settings, work, "two-sided", case.unit_sizes)
        exchange = exchange_beyond(*case.units, scored.scorer.score, raw_bound, how)
    n_baseline, n_candidate = (len(runs) for runs in case.statistics)
    return _Answer(
        result=outcome.result,
        unit=unit,
        n_runs=(n_baseline, n_candidate),
        n_units=case.units[0].shape[1],
        components=components,
        note=outcome.comparison(settings).note,
        exchange=exchange,
    )


def _on_runs(scored: Scored, pair: tuple[str, str], settings: Settings, work: Work) -> _Answer:
    """Return the answer by one score per run of the whole test set: training luck alone can be tested."""
    case = Case(scored, *pair, Question(WELCH.key, "run"))
    outcome = Outcome(case, compare(case, settings, work))
    n_baseline, n_candidate = (len(scores) for scores in case.scores)
    notes = [settings.runs.filled(ONE_SCORE_PER_RUN)]
    if not isnan(outcome.result.p_value):
        notes.append("Only training luck is tested.")
    notes.append(outcome.comparison(settings).note)
    return _Answer(
        result=outcome.result,
        unit="segment",
        n_runs=(n_baseline, n_candidate),
        n_units=1,
        components=None,
        note=" ".join(filter(None, notes)),
        run_scores=case.scores,
    )


def _on_mean(sources: Sequence[Source], pair: tuple[str, str], settings: Settings) -> _Answer:
    """Return the answer on the mean of several test sets."""
    parts_and_units = parts_on(sources, pair, settings)
    test_sets = SeveralTestSets(tuple(part for part, _ in parts_and_units))
    n_of_unit: dict[str, int] = {}
    for part, unit in parts_and_units:
        n_of_unit[unit] = n_of_unit.get(unit, 0) + part.baseline.shape[1]
    units = list(n_of_unit)
    n_baseline = min(len(part.sides[0]) for part in test_sets.parts)
    n_candidate = min(len(part.sides[1]) for part in test_sets.parts)
    n_units = sum(n_of_unit.values())

    is_released = settings.design == "released"
    if is_released:
        result = test_sets.these_runs("two-sided", settings.confidence)
    else:
        result = test_sets.these_test_sets("two-sided", settings.confidence)
    components = None
    if result.law is not None and not is_released:
        components = _components_of_mean(test_sets, (n_baseline, n_candidate, n_units))

    if n_candidate == 1 and not is_released:
        note = settings.runs.filled("A single {run} can be tested on each test set only, not on their mean.")
    else:
        if settings.design == "candidate":
            settings = replace(settings, design="independent")  # with several runs, the candidate is tested as such
        mean = f"Mean of {listed([source.name for source in sources])}, equally weighted."
        mixed = ""
        if len(units) > 1:
            mixed = f"Units: {listed([counted(number, unit) for unit, number in n_of_unit.items()])}."
        notes = [settings.runs.filled(result.note), mean, mixed, *notes_on(sources, pair, settings)]
        note = " ".join(filter(None, notes))
    return _Answer(
        result=result,
        unit=units[0] if len(units) == 1 else "unit",
        n_runs=(n_baseline, n_candidate),
        n_units=n_units,
        components=components,
        note=note,
    )


def _components_of_mean(test_sets: SeveralTestSets, shape: tuple[int, int, int]) -> Components:
    """Return the variance components of the mean difference; ``shape`` is that of ``Components``."""
    runs = []
    pairs = []
    for side in range(2):
        run_luck = test_sets.run_luck[side::2]  # of the baseline and the system in turn
        runs.append(sum(luck.runs for luck in run_luck))
        pairs.append(sum(sum(luck.pairs) for luck in run_luck))
    return Components(tuple(runs), float(test_sets.segments.sum()), tuple(pairs), shape)


def _remedy(answer: _Answer, raw_bound: float, settings: Settings, level: float) -> Remedy:
    """Return what would settle an answer at a one-sided level if the difference stayed as it is."""
    difference = answer.result.statistic
    gap = abs(difference - raw_bound)
    if answer.run_scores is not None:
        return _remedy_of_runs(*answer.run_scores, gap, level)
    remedy = _remedy_of_both_kinds(answer.result, answer.components, gap, settings, level)
    exchange = answer.exchange
    if exchange is None or not gap > 0:
        return remedy
    if difference > raw_bound:
        p_both = beyond(answer.result, raw_bound, "greater", level).p_value
        p_exchange = exchange.p_above
    else:
        p_both = beyond(answer.result, raw_bound, "less", level).p_value
        p_exchange = exchange.p_below
    of_units = ceil(-log2(level)) / answer.n_units  # with so many units p can reach the level
    if not p_exchange > level or (p_both > level and of_units <= 1):
        # The exchange's variance is part of the other's, so that what settles both kinds of luck settles it
        return remedy

    # A larger test set settles the exchange, whose spread shrinks by the root of the size
    of_spread = (float(special.ndtri(1 - level)) * exchange.spread / gap) ** 2
    times = max(_TIMES[0], of_spread, of_units)
    if not isnan(remedy.times):
        times = max(times, remedy.times)
    if times > MOST_TIMES:
        return Remedy(remedy.spread)
    has_runs = remedy.candidate_runs > 0 or remedy.runs_each > 0
    if p_both > level and has_runs and (remedy.needs_both or isnan(remedy.times)):
        return replace(remedy, times=times, needs_both=True)
    return Remedy(remedy.spread, times=times)


def _remedy_of_runs(baseline: FloatArray, candidate: FloatArray, gap: float, level: float) -> Remedy:
    """Return how many further runs of each system would settle Welch's test at a one-sided level.

    Parameters
    ----------
    baseline, candidate
        Run scores, shape ``(runs,)``.
    """
    if min(len(baseline), len(candidate)) < 2 or not gap > 0:
        return Remedy()
    baseline_variance = float(baseline.var(ddof=1))
    candidate_variance = float(candidate.var(ddof=1))
    spread = float(np.sqrt(max(baseline_variance, candidate_variance)))
    for n_further in range(1, MOST_RUNS + 1):
        n_baseline = len(baseline) + n_further
        n_candidate = len(candidate) + n_further
        of_baseline = baseline_variance / n_baseline
        of_candidate = candidate_variance / n_candidate
        variance = of_baseline + of_candidate
        # Satterthwaite's degrees of freedom (Welch 1947)
        df = variance**2 / (of_baseline**2 / (n_baseline - 1) + of_candidate**2 / (n_candidate - 1))
        if -special.stdtrit(df, level) * np.sqrt(variance) <= gap:
            return Remedy(spread, runs_each=n_further)
    return Remedy(spread)


def _remedy_of_both_kinds(
    result: PairedResult, parts: Components | None, gap: float, settings: Settings, level: float
) -> Remedy:
    """Return what would settle an answer by the test of both kinds of luck; nothing if it is settled.

    Further runs and a larger test set are each tried alone. If runs do not suffice, the least growth by both is found.
    """
    interval = beyond(result, 0.0, "greater", level)
    reach = (interval.high - interval.low) / 2
    if not reach > gap > 0:
        return Remedy()
    if parts is None:  # the interval is assumed to shrink by the root of the test set's size
        times = (reach / gap) ** 2
        if times > MOST_TIMES:
            return Remedy()
        return Remedy(times=times)

    # With further runs, a candidate's single run becomes a sample of its own
    with_runs = parts
    if settings.design == "candidate" and len(parts.runs) == 1:
        with_runs = two_sided(parts)
    n_first = with_runs.shape[0]
    n_last = with_runs.shape[-2]
    n_units = parts.shape[-1]
    spread = nan
    if settings.design != "paired":  # pairs vary in their differences
        spread = max(with_runs.spreads)
    sources_with_runs = Sources.estimated(with_runs)
    sources_without_runs = Sources.estimated(parts)

    def suffices(times: float, n_further: int, *, each: bool) -> bool:
        """Return whether further runs, of the candidate or of each system, and a larger test set would settle it."""
        n_larger = round(times * n_units)
        if n_further:
            n_first_grown = n_first
            if each:
                n_first_grown += n_further
            expected = sources_with_runs.components(n_first_grown, n_last + n_further, n_larger)
        else:
            expected = sources_without_runs.components(n_first, parts.shape[-2], n_larger)
        if settings.strict:
            return expected.strict.reach(2 * level) <= gap
        return expected.reach(2 * level) <= gap

    def growth(times: float, *, each: bool) -> tuple[float, Remedy]:
        """Return the size with the fewest further runs beside a larger test set, infinite if none suffice."""
        n_further = bisect_left(range(1, MOST_RUNS + 1), True, key=partial(suffices, times, each=each)) + 1
        if n_further > MOST_RUNS:
            return inf, Remedy(spread)
        candidates = 0
        of_each = 0
        if each:
            of_each = n_further
        else:
            candidates = n_further
        is_larger = times > 1
        growth_of_test_set = nan
        if is_larger:
            growth_of_test_set = times
        remedy = Remedy(spread, candidates, of_each, growth_of_test_set, is_larger)
        return times * (n_last + n_further), remedy

    # A larger test set alone
    index = bisect_left(_TIMES, True, key=partial(suffices, n_further=0, each=False))
    larger = Remedy(spread)
    larger_size = inf
    if index < len(_TIMES):
        larger = Remedy(spread, times=_TIMES[index])
        larger_size = _TIMES[index] * n_last

    # Further runs alone: of the candidate as long as it has fewer, otherwise of each system
    ways = []
    if n_last < n_first or settings.design == "fixed":
        ways.append(False)
    if settings.design != "fixed":
        ways.append(True)
    for each in ways:
        size, remedy = growth(1, each=each)
        if size < inf:
            return replace(remedy, times=larger.times)

    # Both
    remedies = [(larger_size, larger)]
    for times in _LARGER:
        for each in ways:
            remedies.append(growth(times, each=each))
    _, smallest = min(remedies, key=itemgetter(0))
    return smallest
