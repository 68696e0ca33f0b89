"""The way from a picture to its sentences: a dot, a bar or a cell opens Segments with its runs.

All ways end in ``open_in_segments``. What a browser sends may be anything: what is not loaded opens nothing.
"""

from collections.abc import Mapping
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

import streamlit as st

from mteval.analysis.results import Results
from mteval.base.bounded_input import Name
from mteval.ui.elements import Pick, component
from mteval.ui.page import TARGET
from mteval.ui.segments.filter_form import clear_filters
from mteval.ui.segments.page import BY, CHOSEN, LEFT_RUN, MEDIAN, RIGHT_RUN, SEGMENTS_VIEW, VIEW, WHICH, name_of_run
from mteval.ui.segments.table import OPEN, ask_for
from mteval.ui.session.visitor import sent_by

PAGE = "pages/segments.py"
SCRIPT = Path(__file__).with_name("cell_clicks.js")
CELLS = "cells-clicked"  # key of the component


def open_in_segments(
    results: Results,
    metric: str,
    system: str,
    run: str = "",
    test_set: str = "",
    segment: int | None = None,
    against: str = "",
    other_run: str = "",
) -> None:
    """In a callback: show segments of a system beside the baseline's, or of the baseline beside another system's.

    Parameters
    ----------
    against
        Another system to compare it with.
    run
        Key of the run; the median runs by default.
    test_set
        Name of the test set; the one of the results by default.
    segment
        The segment to open, zero-based; the first of the table by default.
    other_run
        Key of the run beside the chosen one; the median run by default.
    """
    test_sets = {known.name: known for known in results.experiment.test_sets}
    shown = test_sets.get(test_set or results.test_set.name)
    if shown is None or metric not in results.evaluation.metrics:
        return
    results = results.on(shown)
    summary = results.rows(results.evaluation.summary, metric)
    median_run: dict[str, str] = dict(zip(summary["system"], summary["median_run"], strict=True))
    if system not in median_run or (run and run not in {known.key for known in shown.runs_of(system)}):
        return
    if against and (against not in median_run or against == system):
        return
    clear_filters()
    st.session_state.update({"test-set": shown.name, BY: metric, VIEW: SEGMENTS_VIEW, WHICH: MEDIAN, TARGET: PAGE})
    if segment is None:
        st.session_state[OPEN] = None  # the one that was open before, maybe on another test set, is not meant
    else:
        ask_for(segment)

    baseline = results.experiment.baseline
    compared = against or baseline  # with the system; one system alone is compared with itself
    if not against and (system == baseline or baseline not in median_run):
        compared = next((key for key in median_run if key != system), system)
    pair = (system, compared) if system == baseline and not against else (compared, system)
    st.session_state.update({"seg-against": pair[0], "seg-system": pair[1]})
    if run:
        run_of = {compared: other_run or median_run[compared], system: run}
        left, right = (name_of_run(key, run_of[key]) for key in pair)
        st.session_state.update({WHICH: CHOSEN, LEFT_RUN: left, RIGHT_RUN: right})


def on_dot(results: Results, metric: str) -> Pick:
    """Return what a click on the dot of a run does."""
    return Pick(partial(_open_dot, results, metric), "a dot")


def _open_dot(results: Results, metric: str, dot: Any) -> None:
    match dot:
        case [_, str(system), str(run)]:
            open_in_segments(results, metric, system, run)


def on_system(results: Results, metric: str) -> Pick:
    """Return what a click on the mark of a system does."""
    return Pick(partial(_open_system, results, metric), "a system", "its segments beside those of the baseline")


def _open_system(results: Results, metric: str, mark: Any) -> None:
    match mark:
        case [_, str(system)]:
            open_in_segments(results, metric, system)


def on_test_set(results: Results, metric: str, system: str, test_set_of: Mapping[str, str], what: str) -> Pick:
    """Return what a click on a test set in the figure of a claim does.

    Parameters
    ----------
    test_set_of
        Loaded test sets by their names in the claim; others open nothing.
    """
    shows = "its segments beside those of the baseline"
    return Pick(partial(_open_test_set, results, metric, system, test_set_of), what, shows)


def _open_test_set(results: Results, metric: str, system: str, test_set_of: Mapping[str, str], mark: Any) -> None:
    match mark:
        case [_, str(name)] if name in test_set_of:
            open_in_segments(results, metric, system, test_set=test_set_of[name])


def on_pair(results: Results, metric: str) -> Pick:
    """Return what a click on the cell of two systems does."""
    return Pick(partial(_open_pair, results, metric), "a cell", "the segments of both systems")


def _open_pair(results: Results, metric: str, cell: Any) -> None:
    match cell:
        case [_, str(better), str(worse)]:
            open_in_segments(results, metric, better, against=worse)


def on_bar(results: Results, metric: str) -> Pick:
    """Return what a click on a bar of run scores does: it opens the middle run of the bar."""
    shows = results.run_word.filled("the segments of a {run} in it")
    return Pick(partial(_open_bar, results, metric), "a bar", shows)


def _open_bar(results: Results, metric: str, bar: Any) -> None:
    match bar:
        case [_, str(system), int() | float() as low, int() | float() as high]:
            scores = results.rows(results.evaluation.scores, metric)
            inside = scores[(scores["system"] == system) & scores["score"].between(low, high)].sort_values("score")
            if len(inside):
                open_in_segments(results, metric, system, str(inside["run"].iloc[len(inside) // 2]))


def on_difference(results: Results, metric: str, baseline: str, system: str) -> Pick:
    """Return what a click on a bar of differences does: it opens two runs that differ by about as much."""
    shows = results.run_word.filled("two {runs} that differ by about as much")
    return Pick(partial(_open_difference, results, metric, baseline, system), "a bar", shows)


def _open_difference(results: Results, metric: str, baseline: str, system: str, bar: Any) -> None:
    match bar:
        case [_, int() | float() as difference] if isfinite(difference):
            scores = results.rows(results.evaluation.scores, metric).dropna(subset=["score"])
            of_system = scores[scores["system"] == system]
            of_baseline = scores[scores["system"] == baseline]
            pairs = of_system.merge(of_baseline, "cross", suffixes=("", "_baseline"))
            if len(pairs):
                distances = (pairs["score"] - pairs["score_baseline"] - difference).abs()
                nearest = pairs.iloc[int(distances.to_numpy().argmin())]
                run = str(nearest["run"])
                open_in_segments(results, metric, system, run, other_run=str(nearest["run_baseline"]))


def listen_for_cells(results: Results, metric: str) -> None:
    """Open the segments behind a cell of the grid that is clicked; drawn after it, as it takes an empty line."""
    component(SCRIPT)(key=CELLS, default={}, on_opened_change=partial(_open_cell, results, metric), height=1)


def _open_cell(results: Results, metric: str) -> None:
    cell = sent_by(CELLS, "opened", tuple[Name, Name])
    if cell is not None:
        system, test_set = cell
        open_in_segments(results, metric, system, test_set=test_set)
