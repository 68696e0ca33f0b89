"""Decide whether a candidate passes: one-sided tests against margins by the test of both kinds of luck.

Several metrics or test sets must all hold (intersection-union), so their p-values need no adjustment. Where one of
several answers suffices, they are adjusted by Holm.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf, isnan, nan
from operator import itemgetter

import numpy as np
import pandas as pd

from mteval.analysis.comparison import Case, Question, ask
from mteval.analysis.scoring import Work, frame_of
from mteval.analysis.several_test_sets import Source, notes_on, parts_on
from mteval.analysis.significance import unit_of
from mteval.base.errors import DataError, SettingsError
from mteval.base.words import listed
from mteval.metrics.base import MetricSpec
from mteval.stats.base import PairedResult
from mteval.stats.crossed_layout import Components, two_sided
from mteval.stats.interval import beyond
from mteval.stats.multiplicity import holm
from mteval.stats.planning import Sources
from mteval.stats.procedures.registry import showing_equal
from mteval.stats.several_test_sets import SeveralTestSets
from mteval.stats.units import df_of_units, unit_values
from mteval.values.findings import Finding
from mteval.values.gate import Gate, GateRow, GateRule, Outcome, Remedy
from mteval.values.notation import as_typed, significant
from mteval.values.settings import Settings

MOST_RUNS, MOST_TIMES = 30, 100  # of remedies
_TIMES = [1.1**step for step in range(1, 49)]  # up to about a hundred
_LARGER = (2, 5, 10, 20, 50, MOST_TIMES)  # together with further runs


def gated(
    sources: Sequence[Source], specs: Mapping[str, MetricSpec], baseline: str, candidate: str, rule: GateRule,
    settings: Settings, work: Work, findings: Iterable[Finding] = (),
) -> Gate:  # fmt: skip
    """Test a candidate by every metric.

    Metrics without a better direction are ignored. Independent runs are tested as declared ``candidate``, so that a
    single run is tested against the baseline's.

    Parameters
    ----------
    sources
        Statistics of both systems, one per metric and test set.
    specs
        The metrics, by key.

    Raises
    ------
    SettingsError
        If a margin or metric cannot be used, or options exclude each other.
    DataError
        If a metric has no scores for both systems.
    """
    if settings.looks:
        raise SettingsError("A gate has no interim analyses. Remove them from the settings.")
    settings = replace(settings, design="candidate") if settings.design == "independent" else settings
    sources = [source for source in sources if source.scored.statistics]  # others have no scores by the metric
    test_sets = list(dict.fromkeys(source.name for source in sources))
    is_mean = len(test_sets) > 1 and not rule.is_each
    if rule.is_any and rule.is_each and len(test_sets) > 1:
        raise SettingsError("One metric suffices (--any) only for the mean of the test sets. Remove --each or --any.")
    if is_mean and settings.strict:
        raise SettingsError("The strict test is for single test sets. Add --each, or remove --strict.")
    rows, judged = list[_Open](), {metric: spec for metric, spec in specs.items() if spec.notation.has_direction}
    undirected = tuple(spec.name for metric, spec in specs.items() if metric not in judged)
    if not judged:
        raise SettingsError(f"A gate needs a metric with a better direction; {listed(undirected)} has none.")
    for metric, spec in judged.items():
        bound, here = rule.bound(metric, list(judged)), [one for one in sources if one.scored.metric.key == metric]
        for scored in [set(source.scored.statistics) for source in here] or [set[str]()]:
            if not {baseline, candidate} <= scored:
                who, known = f"{baseline} and {candidate}", listed(sorted(scored)) if scored else "none"
                raise DataError(f"{spec.name} has no scores for {who}. Scored: {known}. Choose other metrics.")
        for group in [here] if is_mean else [[source] for source in here]:
            large = {_check_margin(source, spec, (baseline, candidate), bound): None for source in group}
            row, remedy = _row(group, spec, (baseline, candidate), bound, settings, work)
            rows.append((replace(row, note=" ".join(filter(None, [row.note, *large]))), remedy))
    return Gate(tuple(_decided(rows, rule, settings.level)), rule, settings, tuple(findings), undirected)


def gate_frame(gate: Gate) -> pd.DataFrame:
    """Return one row per answer."""
    frame = frame_of(gate.rows, GateRow).drop(columns=["notation", "remedy"])
    return pd.concat([frame, frame_of([row.remedy for row in gate.rows], Remedy).add_prefix("remedy_")], axis=1)


def _check_margin(source: Source, spec: MetricSpec, pair: tuple[str, str], bound: float) -> str:
    """Return a note on a margin that looks like one of another scale.

    Raises
    ------
    SettingsError
        If no difference of scores is as large.
    """
    scored, margin = source.scored, f"A margin of {as_typed(abs(bound))}"
    scores = np.concatenate([scored.scorer.score(scored.statistics[system]).ravel() for system in pair])
    low, high = float(np.nanmin(scores)), float(np.nanmax(scores))
    if 0 < max(high, 0.0) - min(low, 0.0) <= abs(bound):
        scale = f"scores by {spec.name} are between {significant(low, 3)} and {significant(high, 3)}"
        example = f"{spec.key}=" + significant((high - low) / 100 or abs(high) / 100, 1)
        raise SettingsError(f"{margin} decides nothing: {scale}. Give the margin on this scale, e.g. {example}.")
    spread = float(np.nanstd(scores))
    note = f"{margin} is large: segments differ by {spec.notation.number(spread)} (SD)."
    return note if 0 < spread < abs(bound) else ""


_Open = tuple[GateRow, Callable[[float], Remedy]]  # an answer before adjustment, and what would settle it at a level


def _decided(rows: Sequence[_Open], rule: GateRule, level: float) -> Iterator[GateRow]:
    """Yield the rows with their outcomes; p is adjusted where one answer decides by itself."""
    p_pass, p_fail = [row.p_pass for row, _ in rows], [row.p_fail for row, _ in rows]
    if rule.is_any:
        p_pass = holm(p_pass).tolist()
    else:
        p_fail = holm(p_fail).tolist()
    n_left = sum(p > level for p in (p_pass if rule.is_any else p_fail))  # which Holm's next step counts
    for (row, remedy), passing, failing in zip(rows, p_pass, p_fail, strict=True):
        outcome: Outcome = "pass" if passing <= level else "fail" if failing <= level else "no verdict"
        decided = replace(row, p_pass=passing, p_fail=failing, outcome=outcome)
        is_adjusted = rule.is_any == (row.improvement > row.bound)
        is_open = outcome == "no verdict"
        yield replace(decided, remedy=remedy(level / n_left if is_adjusted else level)) if is_open else decided


def _row(
    sources: Sequence[Source], spec: MetricSpec, pair: tuple[str, str], bound: float, settings: Settings, work: Work
) -> _Open:
    """Return the answer by one metric before adjustment, on one test set or on the mean of several."""
    found = _on_mean(sources, pair, settings) if len(sources) > 1 else _on_one(sources[0], pair, settings, work)
    result, unit, n_runs, n_units, parts, note = found
    is_higher, level = sources[0].scored.metric.higher_is_better, settings.level
    sign = 1 if is_higher else -1
    above, below = (beyond(result, sign * bound, way, level) for way in ("greater", "less"))
    passing, failing = (above, below) if is_higher else (below, above)
    improvement = sign * result.statistic
    row = GateRow(
        test_set=listed([source.name for source in sources]), metric=spec.key, metric_name=spec.name,
        notation=spec.notation, baseline=pair[0], candidate=pair[1], n_runs=n_runs, n_units=n_units, unit=unit,
        difference=result.statistic, improvement=improvement, low=above.low, high=above.high, bound=bound,
        p_value=passing.p_value, p_pass=passing.p_value, p_fail=failing.p_value, outcome="no verdict",
        remedy=Remedy(), note=note,
    )  # fmt: skip
    return row, partial(_remedy, result, parts, abs(improvement - bound), settings)


_Found = tuple[PairedResult, str, tuple[int, int], int, Components | None, str]


def _on_one(source: Source, pair: tuple[str, str], settings: Settings, work: Work) -> _Found:
    scored, unit = source.scored, unit_of(source.scored, settings)
    spec = showing_equal(unit, settings.design, settings.strict)[-1]
    case = Case(scored, *pair, Question(spec.key, unit))
    outcome = ask(case, settings, work)
    (n_baseline, n_candidate), parts = (len(runs) for runs in case.statistics), None
    if spec.components is not None and outcome.result.law is not None:
        one, other = (unit_values(units, scored.scorer.score, case.unit_sizes) for units in case.units)
        parts = spec.components(one, other, df_of_units(case.unit_sizes, one.shape[1]))
    n_units = case.units[0].shape[1]
    return outcome.result, unit, (n_baseline, n_candidate), n_units, parts, outcome.comparison(settings).note


def _on_mean(sources: Sequence[Source], pair: tuple[str, str], settings: Settings) -> _Found:
    found = parts_on(sources, pair, settings)
    whole, is_released = SeveralTestSets(tuple(part for part, _ in found)), settings.design == "released"
    answer = whole.these_runs if is_released else whole.these_test_sets
    result, parts = answer("two-sided", settings.confidence), None
    n_baseline, n_candidate = (min(len(part.sides[side]) for part in whole.parts) for side in range(2))
    n_units, units = sum(part.baseline.shape[1] for part in whole.parts), {unit for _, unit in found}
    if result.law is not None and not is_released:
        sides = [whole.run_luck[side::2] for side in range(2)]
        runs = tuple(sum(one.runs for one in side) for side in sides)
        pairs = tuple(sum(sum(one.pairs) for one in side) for side in sides)
        parts = Components(runs, float(whole.segments.sum()), pairs, (n_baseline, n_candidate, n_units))
    about = replace(settings, design="independent") if settings.design == "candidate" else settings
    mean = f"Mean of {listed([source.name for source in sources])}, equally weighted."
    notes = [settings.runs.filled(result.note), mean, *notes_on(sources, pair, about)]
    if n_candidate == 1 and not is_released:
        notes = [settings.runs.filled("A single {run} can be tested on each test set only, not on their mean.")]
    unit = "segment" if units == {"segment"} else "document"
    return result, unit, (n_baseline, n_candidate), n_units, parts, " ".join(filter(None, notes))


def _remedy(result: PairedResult, parts: Components | None, gap: float, settings: Settings, level: float) -> Remedy:
    """Return what would settle an answer at a one-sided level if the difference stayed as it is.

    Further runs and a larger test set are each tried alone. If runs do not suffice, the least growth by both is found.
    """
    ends = beyond(result, 0.0, "greater", level)
    reach = (ends.high - ends.low) / 2
    if not reach > gap > 0:
        return Remedy()
    if parts is None:
        times = (reach / gap) ** 2
        return Remedy(times=times if times <= MOST_TIMES else nan)
    is_single = settings.design == "candidate" and len(parts.runs) == 1
    both, n_units = two_sided(parts) if is_single else parts, parts.shape[-1]
    n_first, n_last = both.shape[0], both.shape[-2]
    spread = nan if settings.design == "paired" else max(both.spreads)  # pairs vary in their differences
    grown, same = Sources.estimated(both), Sources.estimated(parts)

    def suffices(times: float, more: int, *, each: bool) -> bool:
        sources, n = (grown, n_last + more) if more else (same, parts.shape[-2])
        expected = sources.components(n_first + each * more, n, round(times * n_units))
        return (expected.strict if settings.strict else expected).reach(2 * level) <= gap

    def growth(times: float, *, each: bool) -> tuple[float, Remedy]:
        """Return the size with the fewest further runs beside a larger test set, infinite if none suffice."""
        more = bisect_left(range(1, MOST_RUNS + 1), True, key=partial(suffices, times, each=each)) + 1
        if more > MOST_RUNS:
            return inf, Remedy(spread)
        candidates, of_each = (0, more) if each else (more, 0)
        return times * (n_last + more), Remedy(spread, candidates, of_each, times if times > 1 else nan, times > 1)

    place = bisect_left(_TIMES, True, key=partial(suffices, more=0, each=False))
    larger = Remedy(spread, times=_TIMES[place] if place < len(_TIMES) else nan)
    is_candidates = n_last < n_first or settings.design == "fixed"
    sides = (False,) * is_candidates + (True,) * (settings.design != "fixed")
    for size, further in (growth(1, each=each) for each in sides):
        if size < inf:
            return replace(further, times=larger.times)
    found = [growth(times, each=each) for times in _LARGER for each in sides]
    return min([(inf if isnan(larger.times) else larger.times * n_last, larger), *found], key=itemgetter(0))[1]
