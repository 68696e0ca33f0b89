"""The parts of the scores page."""

import dataclasses
from collections.abc import Iterable

import pandas as pd
import streamlit as st

from mteval.analysis.overview import overview, spreads
from mteval.analysis.results import Results
from mteval.answers.samples import sample_sentences, samples_table
from mteval.answers.scores import COLUMNS, MARKED
from mteval.answers.variance import overlap_sentence, spread_remarks
from mteval.answers.verdict import strip_help
from mteval.render.csv import frame_csv
from mteval.render.html import Markup, tag
from mteval.report.figures import colors_of, histogram_figure, shows_histogram, strip_figure
from mteval.report.paper_table import ordered
from mteval.report.score_tables import column_terms, cross_table, overview_caption, overview_table
from mteval.report.texts import overview_csv
from mteval.ui.parts.choices import choose
from mteval.ui.parts.tables import as_label, chart
from mteval.ui.session.evaluation import evaluation_key
from mteval.ui.session.memory import remembered
from mteval.ui.setup.settings_form import DEFAULTS
from mteval.ui.setup.words import said, tell
from mteval.values.run_words import RunWord
from mteval.values.verdict import Spreads


def runs(results: Results, metric: str) -> None:
    """Every run's score with both kinds of spread; of many systems folded up, since it is longer than the screen."""
    if results.has_many_systems:
        with st.expander(
            f"{said('Runs and spreads')} by {as_label(results.spec(metric).name)}", icon=":material/scatter_plot:"
        ):
            _strip_of_runs(results, metric)
    else:
        _strip_of_runs(results, metric)


def _strip_of_runs(results: Results, metric: str) -> None:
    figure = remembered(_key_of(results, "strip", metric), lambda: strip_figure(results, metric))
    chart(figure, "strip")
    tell(tag("p", strip_help(max(results.run_counts), results.run_word), class_="mt-quiet"))


def table(results: Results) -> pd.DataFrame:
    """Clark et al.'s Table 1 for all metrics; gives the frame behind it."""
    frame = overview(results)
    if results.has_many_systems:
        _crossed(results, frame)
        _by_metric(results, frame)
    else:
        tell(overview_table(frame, colors_of(results), _caption(results)))
    return frame


def _crossed(results: Results, frame: pd.DataFrame) -> None:
    """One number of the table for all systems and metrics, from best to worst by any of these."""
    left, right, _ = st.columns([1, 1, 2])
    shown = {key: said(column.name) for key, column in COLUMNS.items() if frame[column.field].notna().any()}
    column = choose("Show", list(shown), "crossed-column", default=MARKED, where=left, format_func=shown.__getitem__)
    metric = choose(
        "Sort by", results.metrics, "crossed-sorted", where=right, format_func=lambda key: results.spec(key).name
    )
    tell(cross_table(frame, column, metric, _caption(results)))


def _by_metric(results: Results, frame: pd.DataFrame) -> None:
    """Everything by one metric."""
    with st.expander("Every number by one metric", icon=":material/table_rows:"):
        metric = choose(
            "Metric", results.metrics, "table-metric", format_func=lambda key: results.spec(key).name, width=240
        )
        rows = frame[frame["metric"] == metric].set_index("system", drop=False).loc[ordered(frame, metric)]
        caption = f"By {results.spec(metric).name}, on {_caption(results)}"
        tell(overview_table(rows, colors_of(results), caption))


def _caption(results: Results) -> str:
    test_set = results.test_set
    return overview_caption(
        results.coverage(), test_set.name, len(results.systems), has_looks=bool(results.settings.looks)
    )


def downloads(results: Results, frame: pd.DataFrame) -> None:
    """The table and the scores behind it as files, written when asked for."""
    left, right, _ = st.columns([1, 1.5, 2.5])
    for column, label, name, write in (
        (left, "Table as CSV", "overview", lambda: overview_csv(frame)),
        (right, said("Run scores as CSV"), "scores", lambda: frame_csv(results.rows(results.evaluation.scores))),
    ):
        column.download_button(
            label,
            data=write,
            file_name=f"mteval-{name}.csv",
            mime="text/csv",
            on_click="ignore",
            icon=":material/download:",
            key=f"download-{name}",
            width="stretch",
        )


def column_help() -> None:
    """What each column means, one sentence each."""
    with st.expander("What the columns mean", icon=":material/help:"):
        tell(column_terms())


def remarks(results: Results) -> None:
    """What the spreads suggest, by the primary metric and by the others."""
    primary, found = results.settings.primary_metric, spreads(results)
    level = 1 - results.settings.confidence
    first = _remarks([row for row in found if row.metric == primary], level, results.run_word)
    others = _remarks([row for row in found if row.metric != primary], level, results.run_word)
    if first:
        tell(tag("p", "What the spreads suggest:"), first)
    if others:
        with st.expander("What the spreads of the other metrics suggest", icon=":material/lightbulb:"):
            tell(others)


def samples(results: Results) -> None:
    """Sampling luck, and the best and worst sample of a run; nothing where no run has several."""
    metrics = [metric for metric in results.metrics if results.sampled(metric)]
    if not metrics:
        return
    st.subheader(said("Samples of each run"), anchor=False)
    metric = choose("Metric", metrics, "samples-metric", format_func=lambda key: results.spec(key).name, width=240)
    rows, spec = results.sampled(metric), results.spec(metric)
    tell(samples_table(rows, spec.name, spec.notation, results.settings.confidence))
    items = [tag("li", text) for text in sample_sentences(rows, spec.name, spec.notation)]
    tell(tag("ul", *items, class_="mt-list"))


def _remarks(found: Iterable[Spreads], level: float, runs: RunWord) -> Markup:
    """A list, or nothing where there is nothing to say."""
    items = [tag("li", text) for row in found for text in spread_remarks(row, level, runs)]
    return tag("ul", *items, class_="mt-list") if items else Markup()


def histogram(results: Results) -> None:
    """Clark et al.'s Figure 1 for the baseline and one system where it has a shape, and the overlap in words."""
    others = [key for key in results.systems if key != results.experiment.baseline]
    left, right, _ = st.columns([1, 1, 2])
    metric = choose(
        "Metric", results.metrics, "histogram-metric", where=left, format_func=lambda key: results.spec(key).name
    )
    if len(others) > 1:
        others = [choose("System", others, "histogram-system", where=right)]
    pair = [key for key in (results.experiment.baseline, *others) if key in results.systems]
    scores = results.rows(results.evaluation.scores, metric)
    if shows_histogram(results):
        key = _key_of(results, "histogram", metric, *pair)
        chart(remembered(key, lambda: histogram_figure(results, metric, pair)), "histogram")
    if len(pair) == 2:
        first, second = (scores.loc[scores["system"] == key, "score"].tolist() for key in pair)
        tell(tag("p", overlap_sentence(pair[0], pair[1], first, second)))


def _key_of(results: Results, *what: str) -> tuple[str, ...]:
    """Names a figure of the runs: no test changes it, so it is drawn once for all numbers of shuffles."""
    settings = dataclasses.replace(
        results.settings, n_shuffles=DEFAULTS.n_shuffles, exchange_unit=DEFAULTS.exchange_unit
    )
    return (*what, results.test_set.name, evaluation_key(results.experiment, settings))
