"""Which two runs are compared, and by which metric segments are ranked."""

import streamlit as st

from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.ranking import RunPair, median_pair
from mteval.model import Run, TestSet
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
    here, test_set = by_metric(scored, metric), results.test_set
    baseline = results.experiment.baseline
    others = [key for key in here.statistics if key != baseline]
    if baseline not in here.statistics or not others:
        what = "output" if len(test_set.systems) < 2 else f"{here.metric.name} scores"
        messages.say("note", f"{test_set.name} has {what} of one system only; load those of a second one.")
        st.stop()
    sets = [other for other in results.experiment.test_sets if {baseline, *others} <= {s.key for s in other.systems}]
    which = _choose_way([other.name for other in sets if other.name != test_set.name])
    if which == CHOSEN:
        return _choose_runs(here.test_set, baseline, others[0])
    system = others[0]
    if len(others) > 1:
        system = choose("System", others, "seg-system")
    if which == MEDIAN:
        return median_pair(here, baseline, system)
    other = results.experiment.test_set(which.removeprefix(f"{MEDIAN} on "))
    elsewhere = by_metric(scored_on(results.on(other)), metric)
    if {baseline, system} <= set(elsewhere.statistics):
        pair = median_pair(elsewhere, baseline, system)
        if pair.is_on(here.test_set):
            return pair
        messages.say("note", f"Those runs have no {here.metric.name} scores here; the median runs here are shown.")
    return median_pair(here, baseline, system)


def _choose_way(others: list[str]) -> str:
    ways = [MEDIAN, *(f"{MEDIAN} on {name}" for name in others), CHOSEN]
    names = {MEDIAN: "Median runs here", CHOSEN: "Any two runs"}
    return choose(
        "Runs",
        ways,
        "seg-runs",
        format_func=lambda way: names.get(way, way.replace(MEDIAN, "Median runs", 1)),
        help="The median run of a system is the one whose score is in the middle. To choose it on one test set and"
        " read it on another keeps the choice free of what is read.",
    )


def _choose_runs(test_set: TestSet, baseline: str, system: str) -> RunPair:
    runs = {f"{run.system} · {run.key}": run for run in test_set.runs}
    names = list(runs)
    left = choose("Compare with", names, "seg-left", default=_first(runs, baseline))
    right = choose("Run", names, "seg-right", default=_first(runs, system))
    return RunPair(runs[left].system, runs[left].key, runs[right].system, runs[right].key)


def _first(runs: dict[str, Run], system: str) -> str:
    return next(name for name, run in runs.items() if run.system == system)
