"""Combine several test sets or language pairs, of one experiment or several, into one claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from operator import attrgetter

import numpy as np
import pandas as pd

from mteval.analysis.comparison import Case
from mteval.analysis.scoring import Scored, columns_of
from mteval.analysis.two_answers import has_corpus_scores, look_note, p_at_look, questions
from mteval.base.errors import DataError
from mteval.base.words import agreeing, counted, counted_part, listed
from mteval.metrics.base import MetricSpec
from mteval.stats.base import PairedResult
from mteval.stats.crossed_layout import FEWEST_SYSTEMS, is_calibrated
from mteval.stats.multiplicity import holm_within
from mteval.stats.runs import run_scores
from mteval.stats.several_test_sets import OnTestSet, SeveralTestSets
from mteval.stats.units import unit_values
from mteval.values.claim import LIKE_THESE, THESE_RUNS, THESE_TEST_SETS, Claim, Finding, OnOne
from mteval.values.model import Experiment, TestSet
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings
from mteval.values.verdict import answer_at

CLAIMS = (
    "metric",
    "baseline",
    "system",
    "question",
    "n_test_sets",
    "shares_runs",
    "difference",
    "improvement",
    "low",
    "high",
    "p_value",
    "p_adjusted",
    "tau",
    "i_squared",
    "note",
)
ON_ONE = ("metric", "baseline", "system", *columns_of(OnOne))

# By group and system, the run keys that all test sets of the group share, in the order of the first.
_SharedRuns = dict[tuple[str, str], tuple[str, ...]]


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
    n_experiments_with: Counter[str] = Counter()
    for _, scored_metrics in parts:
        n_experiments_with.update({scored.test_set.name for scored in scored_metrics})

    sources = []
    for index, (experiment, scored_metrics) in enumerate(parts):
        for scored in scored_metrics:
            name = scored.test_set.name
            if n_experiments_with[name] > 1:
                name = f"{experiment}/{name}"
            if is_shared:
                group = ""
            elif is_apart_within:
                group = f"{index} {name}"
            else:
                group = f"{index}"
            sources.append(Source(name, group, scored))
    return tuple(sources)


def refuse_unknown(names: Iterable[str], experiments: Iterable[Experiment]) -> None:
    """Refuse the name of a test set that no experiment has.

    Raises
    ------
    DataError
        If there is one.
    """
    known = dict.fromkeys(test_set.name for experiment in experiments for test_set in experiment.test_sets)
    unknown = [f"'{name}'" for name in names if name not in known]
    if unknown:
        raise DataError(f"There is no test set {listed(unknown)}; there are: {', '.join(known)}.")


def claims_on(
    test_sets: Sequence[TestSet],
    scored_metrics: Iterable[Scored],
    specs: Mapping[str, MetricSpec],
    baseline: str,
    settings: Settings,
) -> tuple[Claim, ...]:
    """Return claims over test sets of one experiment, by every metric, for systems with output on all of them.

    Runs of the same name are the same trained model on all test sets, unless a system has no name on all of them, e.g.
    in logs with an ID per evaluation. Empty for fewer than two test sets.
    """
    if len(test_sets) < 2:
        return ()
    names = [test_set.name for test_set in test_sets]
    claimed = [scored for scored in scored_metrics if scored.test_set.name in names]
    sources = named_apart([("", claimed)], is_shared=_have_common_runs(claimed), is_apart_within=True)
    return claims(sources, specs, baseline, settings)


def _have_common_runs(scored_metrics: Sequence[Scored]) -> bool:
    """Return whether every system that is on all test sets has a run of the same name on all of them."""
    if not scored_metrics:
        return True
    systems_everywhere = set.intersection(*(set(scored.statistics) for scored in scored_metrics))
    for system in systems_everywhere:
        if not set.intersection(*(set(scored.run_keys(system)) for scored in scored_metrics)):
            return False
    return True


def claims(
    sources: Sequence[Source], specs: Mapping[str, MetricSpec], baseline: str, settings: Settings
) -> tuple[Claim, ...]:
    """Return a claim for every metric and system with scores on all test sets; p adjusted by Holm per metric.

    Copies of the baseline take no part in the families.

    Parameters
    ----------
    sources
        One per test set and metric.
    specs
        Descriptions of the metrics by key, in the order of the claims.
    """
    unadjusted: list[Claim] = []
    copies: set[tuple[str, str]] = set()  # metric and system
    for metric, spec in specs.items():
        by_metric = [source for source in sources if source.scored.metric.key == metric]
        if len(by_metric) < 2:
            continue
        several_of: dict[str, SeveralTestSets] = {}
        claims_of: dict[str, Claim] = {}
        for system in common_systems(by_metric, baseline):
            parts = parts_on(by_metric, (baseline, system), settings)
            several_of[system] = SeveralTestSets(tuple(part for part, _ in parts))
            claims_of[system] = _claim(by_metric, parts, several_of[system], spec, (baseline, system), settings)
        copies.update((metric, system) for system, several in several_of.items() if several.is_copy)
        tested = {system: several for system, several in several_of.items() if not several.is_copy}
        for system, (p, p_like_these) in _p_of_family(tested, settings).items():
            claim = claims_of[system]
            claims_of[system] = replace(
                claim,
                these_test_sets=replace(claim.these_test_sets, p_family=p),
                like_these=replace(claim.like_these, p_family=p_like_these),
            )
        unadjusted += claims_of.values()
    return _adjusted(unadjusted, copies, settings)


def _p_of_family(tested: Mapping[str, SeveralTestSets], settings: Settings) -> dict[str, tuple[float, float]]:
    """Return p by the law of the family of claims by one metric, on these test sets and on test sets like these.

    Empty for few systems, and at levels below 5%.

    As for single test sets (``crossed_layout.family_laws``), a small variance over runs may be luck, and the smallest
    p-value of a family finds it.
    """
    # SD over runs by group of test sets, and system; the baseline is part of every claim
    spreads_of: dict[Hashable, dict[str, list[float]]] = {}
    answered = {}
    for system, several in tested.items():
        if not isnan(several.these_test_sets("two-sided", settings.confidence).p_value):
            answered[system] = several
            for luck in several.run_luck:
                name = system if luck.side == 1 else ""
                spreads_of.setdefault(luck.group, {}).setdefault(name, []).append(luck.spread)
    if len(answered) + 1 < FEWEST_SYSTEMS or not is_calibrated(settings.confidence):
        return {}
    mean_spreads = {}
    for group, spreads_of_system in spreads_of.items():
        mean_spreads[group] = float(np.mean([np.mean(spreads) for spreads in spreads_of_system.values()]))
    p_of_family = {}
    for system, several in answered.items():
        p_of_family[system] = (several.p_in_family(mean_spreads), several.p_like_these_in_family(mean_spreads))
    return p_of_family


def common_systems(sources: Sequence[Source], baseline: str) -> list[str]:
    """Return the systems with scores on all test sets; none if the baseline is missing on one."""
    if not sources:
        return []
    common = []
    for system in sources[0].scored.statistics:
        if all(system in source.scored.statistics for source in sources):
            common.append(system)
    if baseline not in common:
        return []
    return [system for system in common if system != baseline]


def claims_frame(all_claims: Iterable[Claim]) -> pd.DataFrame:
    """Return one row per claim and question, with the columns ``CLAIMS``."""
    rows = []
    for claim in all_claims:
        for finding in claim.findings:
            row = (
                claim.metric,
                claim.baseline,
                claim.system,
                finding.question,
                claim.n_test_sets,
                claim.n_groups == 1,
                claim.difference,
                claim.improvement,
                finding.low,
                finding.high,
                finding.p_value,
                finding.p_adjusted,
                claim.tau,
                claim.i_squared,
                " ".join(filter(None, (finding.note, *claim.notes))),
            )
            rows.append(row)
    return pd.DataFrame(rows, columns=list(CLAIMS))


def on_one_frame(all_claims: Iterable[Claim]) -> pd.DataFrame:
    """Return one row per claim and test set, with the columns ``ON_ONE``."""
    values_of = attrgetter(*columns_of(OnOne))
    rows = []
    for claim in all_claims:
        for row in claim.rows:
            rows.append((claim.metric, claim.baseline, claim.system, *values_of(row)))
    return pd.DataFrame(rows, columns=list(ON_ONE))


def _claim(
    sources: Sequence[Source],
    parts: Sequence[tuple[OnTestSet, str]],
    several: SeveralTestSets,
    spec: MetricSpec,
    pair: tuple[str, str],
    settings: Settings,
) -> Claim:
    """Return the claim about one system by one metric; its p-values are not adjusted for several systems.

    Parameters
    ----------
    parts
        Of each test set, with its unit.
    several
        The same without units.
    """
    baseline, system = pair
    tau, i_squared = several.heterogeneity
    improvement = several.difference
    if not sources[0].scored.metric.higher_is_better:
        improvement = -improvement

    n_runs = min(min(len(part.baseline), len(part.system)) for part in several.parts)
    these_runs = several.these_runs("two-sided", settings.confidence)
    these_test_sets = several.these_test_sets("two-sided", settings.confidence)
    like_these = several.like_these("two-sided", settings.confidence)
    rows = [_row(source, part, unit, settings) for source, (part, unit) in zip(sources, parts, strict=True)]
    return Claim(
        metric=spec.key,
        metric_name=spec.name,
        notation=spec.notation,
        baseline=baseline,
        system=system,
        rows=tuple(rows),
        difference=several.difference,
        improvement=improvement,
        these_runs=_finding(THESE_RUNS, these_runs, settings),
        these_test_sets=_finding(THESE_TEST_SETS, these_test_sets, settings, n_runs),
        like_these=_finding(LIKE_THESE, like_these, settings, n_runs),
        tau=tau,
        i_squared=i_squared,
        runs=settings.runs,
        is_of_runs=several.is_of_runs,
        n_groups=len({source.group for source in sources}),
        notes=notes_on(sources, pair, settings),
    )


def notes_on(sources: Sequence[Source], pair: tuple[str, str], settings: Settings) -> tuple[str, ...]:
    """Return what is ignored in the mean of several test sets."""
    shared_runs = _shared_runs(sources, pair)
    notes = [
        *_notes_on_skipped(sources, pair, shared_runs, settings.runs),
        *_notes_on_same_references(sources),
    ]
    if settings.design != "independent":
        text = f"{{Runs}} were declared {settings.design}; over several test sets they count as independent."
        notes.append(settings.runs.filled(text))
    return tuple(notes)


def _shared_runs(sources: Sequence[Source], pair: tuple[str, str]) -> _SharedRuns:
    """Return the runs of both systems that are on all test sets of their group."""
    shared_runs: _SharedRuns = {}
    for source in sources:
        for system in pair:
            members = [member for member in sources if member.group == source.group]
            keys_on = [member.scored.run_keys(system) for member in members]
            on_all = [run for run in keys_on[0] if all(run in keys for keys in keys_on)]
            shared_runs[source.group, system] = tuple(on_all)
    return shared_runs


def parts_on(sources: Sequence[Source], pair: tuple[str, str], settings: Settings) -> list[tuple[OnTestSet, str]]:
    """Return what baseline and system contribute on each test set, with its unit."""
    shared_runs = _shared_runs(sources, pair)
    parts = []
    for source in sources:
        _, question_of_both = questions(source.scored, settings)
        case = Case(source.scored, *pair, question_of_both)

        # Statistics of the shared runs of baseline and system, shape ``(runs, units, d)`` each, in the same order on
        # all test sets of the group
        statistics = []
        for system, units in zip(pair, case.units, strict=True):
            keys = source.scored.run_keys(system)
            rows = [keys.index(run) for run in shared_runs[source.group, system]]
            statistics.append(units[rows])

        if any(runs.size == 0 for runs in statistics):
            baseline, system_values = (np.empty((len(runs), 0)) for runs in statistics)
            part = OnTestSet(baseline, system_values, float("nan"), source.group)
        else:
            score = source.scored.scorer.score
            baseline, system_values = (unit_values(runs, score, case.unit_sizes) for runs in statistics)
            baseline_mean, system_mean = (float(run_scores(runs, score).mean()) for runs in statistics)
            part = OnTestSet(
                baseline,
                system_values,
                system_mean - baseline_mean,
                source.group,
                case.unit_sizes,
                has_corpus_scores(source.scored),
            )
        parts.append((part, case.question.unit))
    return parts


def _row(source: Source, part: OnTestSet, unit: str, settings: Settings) -> OnOne:
    """Return the numbers of one test set alone."""
    alone = SeveralTestSets((part,))
    test_set_luck = alone.these_runs("two-sided", settings.confidence)
    both = alone.these_test_sets("two-sided", settings.confidence)
    return OnOne(
        test_set=source.name,
        unit=unit,
        n_units=part.baseline.shape[1],
        n_runs=(len(part.baseline), len(part.system)),
        difference=part.difference,
        low_test_set=test_set_luck.low,
        high_test_set=test_set_luck.high,
        low=both.low,
        high=both.high,
    )


def _finding(question: str, result: PairedResult, settings: Settings, n_runs: int | None = None) -> Finding:
    """Return a finding before Holm, adjusted for interim analyses if the question is about ``n_runs`` new runs."""
    note = settings.runs.filled(result.note)
    finding = Finding(
        question=question,
        answer="refused",
        low=result.low,
        high=result.high,
        p_value=result.p_value,
        p_adjusted=result.p_value,
        note=note,
    )
    if settings.look_plan is None or n_runs is None:
        return finding
    p_looked = p_at_look(result.p_value, n_runs, settings)
    notes = " ".join(filter(None, (look_note(n_runs, settings), note)))
    return replace(finding, p_looked=p_looked, note=notes)


def _adjusted(
    unadjusted: Sequence[Claim], copies: Collection[tuple[str, str]], settings: Settings
) -> tuple[Claim, ...]:
    """Return the claims with p adjusted over the systems of a metric and question, and their answers.

    Parameters
    ----------
    copies
        Metric and system of claims about copies of the baseline, which are no hypotheses.
    """
    families: list[tuple[str, ...]] = []
    p_values = []
    p_of_family = []
    for claim in unadjusted:
        for finding in claim.findings:
            if (claim.metric, claim.system) in copies:
                families.append((claim.metric, finding.question, claim.system))
            else:
                families.append((claim.metric, finding.question))
            # Interim analyses concern the questions about new runs
            if settings.looks and finding.question != THESE_RUNS:
                p_values.append(finding.p_looked)
            else:
                p_values.append(finding.p_value)
            if isnan(finding.p_family):
                p_of_family.append(p_values[-1])
            else:
                p_of_family.append(p_at_look(finding.p_family, claim.n_runs, settings))
    p_adjusted = iter(holm_within(families, p_values, p_of_family).tolist())

    def answered(finding: Finding) -> Finding:
        p = next(p_adjusted)
        return replace(finding, p_adjusted=p, answer=answer_at(p, settings.level))

    adjusted = []
    for claim in unadjusted:
        these_runs, these_test_sets, like_these = map(answered, claim.findings)
        adjusted.append(replace(claim, these_runs=these_runs, these_test_sets=these_test_sets, like_these=like_these))
    return tuple(adjusted)


def _notes_on_skipped(
    sources: Sequence[Source], pair: tuple[str, str], shared_runs: _SharedRuns, run_word: RunWord
) -> Iterator[str]:
    """Yield notes on runs that are not on all test sets of their group, and on segments without scores."""
    for system in pair:
        runs: set[tuple[str, str]] = set()  # group and key
        for source in sources:
            runs.update((source.group, key) for key in source.scored.run_keys(system))
        n_skipped = sum(key not in shared_runs[group, system] for group, key in runs)
        if n_skipped:
            are = agreeing(n_skipped, "is", "are")
            part = counted_part(n_skipped, len(runs), run_word.noun)
            yield f"{part} of {system} {are} skipped: not on all test sets."
    for source in sources:
        n_missing = int(np.count_nonzero(~source.scored.present(*pair)))
        if n_missing:
            segments = f"{counted(n_missing, 'segment')} of {source.name}"
            are = agreeing(n_missing, "is", "are")
            them = agreeing(n_missing, "it", "them")
            yield f"{segments} {are} skipped: {run_word.filled('{a_run}')} has no score for {them}."


def _notes_on_same_references(sources: Sequence[Source]) -> Iterator[str]:
    """Yield a note on test sets with the same references, whose shared test-set luck is not counted."""
    names_with: dict[str, list[str]] = {}
    for source in sources:
        test_set = source.scored.test_set
        is_known = test_set.has_texts and test_set.has_references
        references = test_set.part_digests["references"] if is_known else source.name
        names_with.setdefault(references, []).append(source.name)
    for names in names_with.values():
        if len(names) > 1:
            yield f"{listed(names)} have the same references. The test-set luck that they share is not counted."
