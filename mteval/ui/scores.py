"""The parts of the scores page: the verdicts by the primary metric, and every number of every system."""

from collections.abc import Callable
from itertools import chain

import pandas as pd
import streamlit as st

from mteval.analysis.results import Results, overview
from mteval.answers import runs, scores
from mteval.answers.planner import unplanned_sentence
from mteval.answers.ranking import verdict_section
from mteval.answers.section import Section
from mteval.metrics import catalog
from mteval.render.csv import frame_csv
from mteval.report.kept_changes import runs_seen_before
from mteval.report.kept_experiment import card_from, card_of
from mteval.report.numbers import overview_numbers
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose
from mteval.ui.parts.section import show_section
from mteval.ui.parts.tables import as_label
from mteval.ui.session.evaluation import evaluations, first_primary
from mteval.ui.session.memory import drawn
from mteval.ui.setup.entry import mine


def verdicts(results: Results, metric: str) -> None:
    """The verdicts by the primary metric, with what warns of them, and the runs; of many systems these are folded."""
    show_section(verdict_section(results, metric), draw=drawn)
    first = first_primary(results.experiment)
    if first is not None and first != metric:
        name = catalog(results.experiment.given)[first].name
        messages.say(
            "warning",
            f"The numbers of this experiment were first seen with {name} as the primary metric. A metric chosen"
            " afterwards is no longer a test of what was expected beforehand; say so where you report it.",
        )
    if not results.settings.looks:
        kept = (card_from(one.card) for one in mine())
        seen = runs_seen_before(card_of(results.experiment, results), chain(evaluations().seen, kept))
        if seen:
            messages.say("warning", unplanned_sentence(seen, results.settings.runs))
    strip = runs.runs_section(results, metric)
    if results.has_many_systems:
        with st.expander(as_label(strip.title), icon=":material/scatter_plot:"):
            show_section(strip, has_title=False, draw=drawn)
    else:
        show_section(strip, has_title=False, draw=drawn)


def table(results: Results) -> None:
    """Clark et al.'s Table 1 for all metrics; of many systems one number of it at a time, and all by one metric."""
    if results.has_many_systems:
        _crossed(results)
    else:
        show_section(*scores.scores_sections(results))
    left, right, _ = st.columns([1, 1.5, 2.5])
    _csv(left, "Table as CSV", "overview", lambda: overview_numbers(results))
    run_scores = results.run_word.filled("{Run} scores as CSV")
    _csv(right, run_scores, "scores", lambda: results.rows(results.evaluation.scores))
    with st.expander("What the columns mean", icon=":material/help:"):
        show_section(scores.columns_section(results), has_title=False)


def _crossed(results: Results) -> None:
    """One number of the table for all systems and metrics, from best to worst by any of these; all by one metric."""
    frame = overview(results)

    def name(metric: str) -> str:
        return results.spec(metric).name

    left, right, _ = st.columns([1, 1, 2])
    known = scores.columns_on(frame, results.run_word)
    shown = {key: column.name for key, column in known.items() if frame[list(column.read)].notna().any(axis=None)}
    column = choose("Show", list(shown), "crossed-column", default=scores.MARKED, where=left, format_func=shown.get)
    metric = choose("Sort by", results.metrics, "crossed-sorted", where=right, format_func=name)
    show_section(Section("averages", "", table=scores.crossed_scores(results, column, metric)))
    with st.expander("Every number by one metric", icon=":material/table_rows:"):
        metric = choose("Metric", results.metrics, "table-metric", format_func=name, width=240)
        rows = frame[frame["metric"] == metric].set_index("system", drop=False).loc[scores.ordered(frame, metric)]
        show_section(Section("scores", "", table=scores.scores_of(results, rows, f"By {name(metric)}, on ")))


def _csv(where: st.delta_generator.DeltaGenerator, label: str, name: str, frame: Callable[[], pd.DataFrame]) -> None:
    """A frame as a file, written when asked for."""
    where.download_button(
        label, data=lambda: frame_csv(frame()), file_name=f"mteval-{name}.csv", mime="text/csv", on_click="ignore",
        icon=":material/download:", key=f"download-{name}", width="stretch",
    )  # fmt: skip


def spreads(results: Results) -> None:
    """What the spreads suggest, and samples within runs."""
    suggested = runs.spreads_section(results)
    if suggested is not None:
        show_section(suggested)
    samples = runs.samples_section(results)
    if samples is None:
        return
    st.subheader(as_label(samples.title), anchor=False)
    by = dict(zip(filter(results.sampled, results.metrics), samples.parts, strict=True))
    chosen = choose("Metric", list(by), "samples-metric", format_func=lambda key: results.spec(key).name, width=240)
    show_section(by[chosen], has_title=False)


def histogram(results: Results) -> None:
    """Clark et al.'s Figure 1 for the baseline and one system where it has a shape, and the overlap in words."""
    st.subheader(results.run_word.filled("{Run} scores"), anchor=False)
    others = [key for key in results.systems if key != results.experiment.baseline]
    left, right, _ = st.columns([1, 1, 2])
    metric = choose(
        "Metric", results.metrics, "histogram-metric", where=left, format_func=lambda key: results.spec(key).name
    )
    if len(others) > 1:
        others = [choose("System", others, "histogram-system", where=right)]
    if others and results.experiment.baseline in results.systems:
        show_section(runs.overlap_section(results, metric, others[0]), draw=drawn)
    elif (alone := runs.histogram_section(results, metric)) is not None:
        show_section(alone, draw=drawn)
