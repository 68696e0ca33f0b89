"""Which two runs are compared, and by which metric segments are ranked."""

from collections.abc import Sequence

import streamlit as st

from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.ranking import RunPair, median_pair
from mteval.model import Run, TestSet
from mteval.run_words import RunWord
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose
from mteval.ui.session.statistics import by_metric, scored_on

MEDIAN, CHOSEN = "median", "chosen"


def choose_metric(results: Results) -> str:
    """The metric that segments are ranked by."""
    names = {key: spec.notation.heading(spec.name) for key, spec in results.evaluation.metrics.items()}
    return choose(
        "Rank by",
        list(names),
        "seg-by",
        format_func=names.__getitem__,
        help="Segments are ordered by what changed in this metric; the arrow points to better scores.",
    )


def choose_pair(results: Results, scored: tuple[Scored, ...], metric: str) -> RunPair:
    """The runs that are compared: the median runs by the metric, or any two; with one system the page ends."""
    here, test_set, runs = by_metric(scored, metric), results.test_set, results.run_word
    systems = list(here.statistics)
    if len(systems) < 2:
        what = "output" if len(test_set.systems) < 2 else f"{here.metric.name} scores"
        messages.say("note", f"{test_set.name} has {what} of one system only; load those of a second one.")
        st.stop()
    sets = [other for other in results.experiment.test_sets if set(systems) <= {s.key for s in other.systems}]
    which = _choose_way([other.name for other in sets if other.name != test_set.name], runs)
    usual = _usual(systems, results.experiment.baseline)
    if which == CHOSEN:
        return _choose_runs(here.test_set, *usual, runs)
    pair = _choose_systems(systems, *usual)
    if which == MEDIAN:
        return median_pair(here, *pair)
    other = results.experiment.test_set(which.removeprefix(f"{MEDIAN} on "))
    elsewhere = by_metric(scored_on(results.on(other)), metric)
    if set(pair) <= set(elsewhere.statistics):
        found = median_pair(elsewhere, *pair)
        if found.is_on(here.test_set):
            return found
        told = f"Those runs have no {here.metric.name} scores here; the median runs here are shown."
        messages.say("note", runs.said(told, here.metric.name))
    return median_pair(here, *pair)


def _usual(systems: Sequence[str], baseline: str) -> tuple[str, str]:
    """The systems that are compared unless others are chosen: the baseline, where it has scores, and the next one."""
    left = baseline if baseline in systems else systems[0]
    return left, next(key for key in systems if key != left)


def _choose_systems(systems: Sequence[str], left: str, right: str) -> tuple[str, str]:
    """Any two systems, where there are more than two."""
    if len(systems) == 2:
        return left, right
    left = choose("Compare with", systems, "seg-against", default=left)
    others = [key for key in systems if key != left]
    return left, choose("System", others, "seg-system", default=right if right != left else None)


def _choose_way(others: list[str], runs: RunWord) -> str:
    ways = [MEDIAN, *(f"{MEDIAN} on {name}" for name in others), CHOSEN]
    names = {MEDIAN: runs.said("Median runs here"), CHOSEN: runs.said("Any two runs")}
    return choose(
        runs.said("Runs"),
        ways,
        "seg-runs",
        format_func=lambda way: names.get(way, way.replace(MEDIAN, runs.said("Median runs"), 1)),
        help=runs.said(
            "The median run of a system is the one whose score is in the middle. To choose it on one test set and read"
            " it on another keeps the choice free of what is read."
        ),
    )


def _choose_runs(test_set: TestSet, baseline: str, system: str, runs: RunWord) -> RunPair:
    found = {f"{run.system} · {run.key}": run for run in test_set.runs}
    names = list(found)
    left = choose("Compare with", names, "seg-left", default=_first(found, baseline))
    right = choose(runs.said("Run"), names, "seg-right", default=_first(found, system))
    return RunPair(found[left].system, found[left].key, found[right].system, found[right].key)


def _first(runs: dict[str, Run], system: str) -> str:
    return next(name for name, run in runs.items() if run.system == system)
