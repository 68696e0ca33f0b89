"""Combine several test sets or language pairs, of one experiment or several, into one claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from operator import attrgetter

import numpy as np
import pandas as pd

from mteval.analysis.comparison import Case
from mteval.analysis.scoring import Scored, columns_of
from mteval.analysis.two_answers import look_note, p_at_look, questions
from mteval.base.words import agreeing, counted, counted_part, listed
from mteval.metrics.base import MetricSpec
from mteval.stats.base import Alternative, PairedResult
from mteval.stats.multiplicity import holm_within
from mteval.stats.runs import run_scores
from mteval.stats.several_test_sets import OnTestSet, SeveralTestSets
from mteval.stats.units import unit_values
from mteval.values.claim import LIKE_THESE, THESE_RUNS, THESE_TEST_SETS, Claim, Finding, OnOne
from mteval.values.model import TestSet
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings
from mteval.values.verdict import answer_at

CLAIMS = (
    "metric", "baseline", "system", "question", "n_test_sets", "shares_runs", "difference", "improvement", "low",
    "high", "p_value", "p_adjusted", "tau", "i_squared", "note",
)  # fmt: skip
# By group and system, the run keys that all test sets of the group share, in the order of the first.
_Shared = dict[tuple[str, str], tuple[str, ...]]
ON_ONE = ("metric", "baseline", "system", *columns_of(OnOne))


@dataclass(frozen=True)
class Source:
    """A metric's statistics on one test set of a claim.

    Parameters
    ----------
    name
        The test set's name in the claim.
    group
        The same for test sets translated by the same runs: run 3 on one is run 3 on the others.
    """

    name: str
    group: str
    scored: Scored


def named_apart(
    parts: Sequence[tuple[str, Sequence[Scored]]], *, is_shared: bool, is_apart_within: bool = False
) -> tuple[Source, ...]:
    """Return the sources from several experiments; test sets of the same name get the experiment's name as a prefix.

    Parameters
    ----------
    parts
        The name of each experiment, with the statistics of its test sets.
    is_shared
        Whether runs of the same name are the same trained model in all experiments; otherwise only within each.
    is_apart_within
        Whether they are different models on each test set of an experiment.
    """
    counts = Counter(name for _, scored in parts for name in {one.test_set.name for one in scored})
    sources = []
    for place, (label, scored_metrics) in enumerate(parts):
        for scored in scored_metrics:
            name = scored.test_set.name
            name = name if counts[name] == 1 else f"{label}/{name}"
            group = "" if is_shared else f"{place} {name}" if is_apart_within else f"{place}"
            sources.append(Source(name, group, scored))
    return tuple(sources)


def claimed_test_sets(test_sets: Iterable[TestSet]) -> tuple[TestSet, ...]:
    """Return the default test sets of a claim: all but the tuning sets."""
    return tuple(test_set for test_set in test_sets if test_set.role != "dev")


def claims_on(
    test_sets: Sequence[TestSet], scored_metrics: Iterable[Scored], specs: Mapping[str, MetricSpec], baseline: str,
    settings: Settings,
) -> tuple[Claim, ...]:  # fmt: skip
    """Return claims over test sets of one experiment, by every metric, for systems with output on all of them.

    Runs of the same name are the same trained model on all test sets, unless a system has no name on all of them, e.g.
    in logs with an ID per evaluation. Empty for fewer than two test sets.
    """
    names = [test_set.name for test_set in test_sets]
    chosen = [scored for scored in scored_metrics if scored.test_set.name in names]
    everywhere = set.intersection(*(set(one.statistics) for one in chosen)) if chosen else set()
    have_common = all(set.intersection(*(set(one.run_keys(system)) for one in chosen)) for system in everywhere)
    sources = named_apart([("", chosen)], is_shared=have_common, is_apart_within=True)
    return claims(sources, specs, baseline, settings) if len(names) > 1 else ()


def claims(
    sources: Sequence[Source], specs: Mapping[str, MetricSpec], baseline: str, settings: Settings
) -> tuple[Claim, ...]:
    """Return a claim for every metric and system with scores on all test sets; p adjusted by Holm per metric.

    Parameters
    ----------
    sources
        One per test set and metric.
    specs
        Descriptions of the metrics by key, in the order of the claims.
    """
    found: list[Claim] = []
    for metric, spec in specs.items():
        here = [source for source in sources if source.scored.metric.key == metric]
        if len(here) > 1:
            found += (_claim(here, spec, baseline, system, settings) for system in common_systems(here, baseline))
    return _adjusted(found, settings)


def common_systems(sources: Sequence[Source], baseline: str) -> list[str]:
    """Return the systems with scores on all test sets; empty if the baseline is not among them."""
    have = [source.scored.statistics for source in sources]
    common = [system for system in have[0] if all(system in one for one in have)]
    return [system for system in common if system != baseline] if baseline in common else []


def claims_frame(found: Iterable[Claim]) -> pd.DataFrame:
    """Return one row per claim and question, with the columns ``CLAIMS``."""
    rows = [
        (claim.metric, claim.baseline, claim.system, one.question, claim.n_test_sets, claim.n_groups == 1,
         claim.difference, claim.improvement, one.low, one.high, one.p_value, one.p_adjusted, claim.tau,
         claim.i_squared, " ".join(filter(None, (one.note, *claim.notes))))
        for claim in found for one in claim.findings
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(CLAIMS))


def on_one_frame(found: Iterable[Claim]) -> pd.DataFrame:
    """Return one row per claim and test set, with the columns ``ON_ONE``."""
    of_one = attrgetter(*columns_of(OnOne))
    rows = [(claim.metric, claim.baseline, claim.system, *of_one(row)) for claim in found for row in claim.rows]
    return pd.DataFrame(rows, columns=list(ON_ONE))


def _claim(sources: Sequence[Source], spec: MetricSpec, baseline: str, system: str, settings: Settings) -> Claim:
    pair = (baseline, system)
    parts = parts_on(sources, pair, settings)
    whole = SeveralTestSets(tuple(part for part, _ in parts))
    (tau, i_squared), n_runs = whole.heterogeneity, min(len(side) for part in whole.parts for side in part.sides)
    asked: tuple[Alternative, float] = ("two-sided", settings.confidence)
    return Claim(
        metric=spec.key, metric_name=spec.name, notation=spec.notation, baseline=baseline, system=system,
        rows=tuple(_row(source, part, unit, settings) for source, (part, unit) in zip(sources, parts, strict=True)),
        difference=whole.difference,
        improvement=whole.difference if sources[0].scored.metric.higher_is_better else -whole.difference,
        these_runs=_finding(THESE_RUNS, whole.these_runs(*asked), settings),
        these_test_sets=_finding(THESE_TEST_SETS, whole.these_test_sets(*asked), settings, n_runs),
        like_these=_finding(LIKE_THESE, whole.like_these(*asked), settings, n_runs),
        tau=tau, i_squared=i_squared, runs=settings.runs, n_groups=len({source.group for source in sources}),
        notes=notes_on(sources, pair, settings),
    )  # fmt: skip


def notes_on(sources: Sequence[Source], pair: tuple[str, str], settings: Settings) -> tuple[str, ...]:
    """Return what is ignored in the mean of several test sets."""
    text = f"{{Runs}} were declared {settings.design}; over several test sets they count as independent."
    declared = () if settings.design == "independent" else (settings.runs.filled(text),)
    left_out = _left_out(sources, pair, _shared_runs(sources, pair), settings.runs)
    return (*left_out, *_same_sentences(sources), *declared)


def _shared_runs(sources: Sequence[Source], pair: tuple[str, str]) -> _Shared:
    shared: _Shared = {}
    for source, key in product(sources, pair):
        first, *others = (one.scored.run_keys(key) for one in sources if one.group == source.group)
        shared[source.group, key] = tuple(run for run in first if all(run in keys for keys in others))
    return shared


def parts_on(sources: Sequence[Source], pair: tuple[str, str], settings: Settings) -> list[tuple[OnTestSet, str]]:
    """Return what baseline and system contribute on each test set, with its unit."""
    shared, parts = _shared_runs(sources, pair), []
    for source in sources:
        case, statistics = Case(source.scored, *pair, questions(source.scored, settings)[1]), []
        for key, units in zip(pair, case.units, strict=True):
            keys = source.scored.run_keys(key)
            statistics.append(units[[keys.index(run) for run in shared[source.group, key]]])
        if all(map(np.size, statistics)):
            score, sizes = source.scored.scorer.score, case.unit_sizes
            sides = [unit_values(runs, score, sizes) for runs in statistics]
            means = [float(run_scores(runs, score).mean()) for runs in statistics]
            part = OnTestSet(sides[0], sides[1], means[1] - means[0], source.group, sizes)
        else:
            nothing = [np.empty((len(runs), 0)) for runs in statistics]
            part = OnTestSet(nothing[0], nothing[1], float("nan"), source.group)
        parts.append((part, case.question.unit))
    return parts


def _row(source: Source, part: OnTestSet, unit: str, settings: Settings) -> OnOne:
    alone = SeveralTestSets((part,))
    test_set, both = (ask("two-sided", settings.confidence) for ask in (alone.these_runs, alone.these_test_sets))
    return OnOne(
        test_set=source.name, unit=unit, n_units=part.baseline.shape[1], n_runs=(len(part.baseline), len(part.system)),
        difference=part.difference, low_test_set=test_set.low, high_test_set=test_set.high, low=both.low,
        high=both.high,
    )  # fmt: skip


def _finding(question: str, result: PairedResult, settings: Settings, n_runs: int | None = None) -> Finding:
    """Return a finding before Holm, adjusted for interim analyses if the question is about ``n_runs`` new runs."""
    note = settings.runs.filled(result.note)
    finding = Finding(question, "refused", result.low, result.high, result.p_value, result.p_value, note)
    if settings.look_plan is None or n_runs is None:
        return finding
    note = " ".join(filter(None, (look_note(n_runs, settings), note)))
    return replace(finding, p_looked=p_at_look(result.p_value, n_runs, settings), note=note)


def _adjusted(found: Sequence[Claim], settings: Settings) -> tuple[Claim, ...]:
    """Return the claims with p adjusted over the systems of a metric and question, and their answers."""
    findings = [one for claim in found for one in claim.findings]
    families = [(claim.metric, one.question) for claim in found for one in claim.findings]
    p = [one.p_looked if settings.looks and one.question != THESE_RUNS else one.p_value for one in findings]
    adjusted = zip(findings, holm_within(families, p).tolist(), strict=True)
    answered = (replace(one, p_adjusted=p, answer=answer_at(p, settings.level)) for one, p in adjusted)
    return tuple(
        replace(claim, these_runs=first, these_test_sets=second, like_these=third)
        for claim, first, second, third in zip(found, answered, answered, answered, strict=True)
    )


def _left_out(sources: Sequence[Source], pair: tuple[str, str], shared: _Shared, runs: RunWord) -> Iterator[str]:
    """Yield notes on runs that are not on all test sets of their group, and on segments without scores."""
    for system in pair:
        keys = {(source.group, key) for source in sources for key in source.scored.run_keys(system)}
        if missing := sum(key not in shared[group, system] for group, key in keys):
            are = agreeing(missing, "is", "are")
            yield f"{counted_part(missing, len(keys), runs.noun)} of {system} {are} skipped: not on all test sets."
    for source in sources:
        if n := int(np.count_nonzero(~source.scored.present(*pair))):
            skipped = f"{counted(n, 'segment')} of {source.name} {agreeing(n, 'is', 'are')} skipped"
            yield f"{skipped}: {runs.filled('{a_run}')} has no score for {agreeing(n, 'it', 'them')}."


def _same_sentences(sources: Sequence[Source]) -> Iterator[str]:
    """Yield a note on test sets with the same references, whose shared test-set luck is not counted."""
    names: dict[str, list[str]] = {}
    for source in sources:
        test_set = source.scored.test_set
        same_as = test_set.part_digests["references"] if test_set.has_references else source.name
        names.setdefault(same_as, []).append(source.name)
    for same in (some for some in names.values() if len(some) > 1):
        yield f"{listed(same)} have the same references. The test-set luck that they share is not counted."
