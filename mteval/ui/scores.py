"""Parts of the scores page: verdicts by the primary metric, and all numbers of every system."""

from itertools import chain

import streamlit as st

from mteval.analysis.results import Results, overview
from mteval.answers import runs, scores
from mteval.answers.judge_answers import judges_section
from mteval.answers.planner import unplanned_sentence
from mteval.answers.ranking import MOST_DRAWN, joint_section, verdict_section
from mteval.answers.section import Section
from mteval.metrics import catalog
from mteval.render.frames import frame_csv
from mteval.report.kept_experiment import card_from, card_of
from mteval.report.merging import runs_seen_before
from mteval.report.numbers import overview_numbers
from mteval.ui.elements import as_label, choose, choose_some, download, say, show_section
from mteval.ui.page import choose_metric
from mteval.ui.session.evaluation import evaluations, first_primary
from mteval.ui.session.memory import drawn
from mteval.ui.setup.entry import mine


def verdicts(results: Results) -> None:
    """Show the verdicts by the primary metric, their warnings, and the runs, which are folded with many systems."""
    metric = results.settings.primary_metric
    if (together := joint_section(results)) is not None:
        show_section(together)
    others = [system for system in results.systems if system != results.experiment.baseline]
    wanted: list[str] = []
    if len(others) > MOST_DRAWN:
        wanted = choose_some(f"Show beside the {MOST_DRAWN} best", others, "beside-best", in_address=False, width=480)
    show_section(verdict_section(results, metric, wanted), draw=drawn)
    first = first_primary(results.experiment)
    if first is not None and first != metric:
        name = catalog(results.experiment.given)[first].name
        say(
            "warning",
            f"{name} was the primary metric when scoring began. A metric chosen afterwards is not a planned test; say"
            " so when you report it.",
        )
    if not results.settings.looks:
        kept = (card_from(one.card) for one in mine())
        if seen := runs_seen_before(card_of(results.experiment, results), chain(evaluations().seen, kept)):
            say("warning", unplanned_sentence(seen, results.settings.runs))
    strip = runs.runs_section(results, metric)
    if not runs.shows_runs(results):
        return
    if results.has_many_systems:
        with st.expander(as_label(strip.title), icon=":material/scatter_plot:"):
            show_section(strip, has_title=False, draw=drawn)
    else:
        show_section(strip, has_title=False, draw=drawn)


def table(results: Results) -> None:
    """Show Clark et al.'s Table 1 for all metrics; with many systems, one number at a time."""
    if results.has_many_systems:
        _crossed(results)
    else:
        show_section(*scores.scores_sections(results))
    with st.container(horizontal=True):
        download("Download table (CSV)", "scores-table.csv", lambda: frame_csv(overview_numbers(results)))
        scored = results.rows(results.evaluation.scores)
        download(results.run_word.filled("Download {run} scores (CSV)"), "run-scores.csv", scored)
    with st.expander("Column definitions", icon=":material/help:"):
        show_section(scores.columns_section(results), has_title=False)
    if (judges := judges_section(results)) is not None:
        with st.expander(as_label(judges.title), icon=":material/psychology:"):
            show_section(judges, has_title=False)


def _crossed(results: Results) -> None:
    """Show one number for all systems and metrics, sorted, and all numbers for one metric."""
    frame = overview(results)

    left, right, _ = st.columns([1, 1, 2])
    known = scores.columns_on(frame, results.run_word)
    shown = {key: column.name for key, column in known.items() if frame[list(column.read)].notna().any(axis=None)}
    column = choose("Show", shown, "crossed-column", default=scores.MARKED, where=left)
    metric = choose_metric(results, "crossed-sorted", "Sort by", where=right)
    show_section(Section("averages", "", table=scores.crossed_scores(results, column, metric)))
    with st.expander("All numbers for one metric", icon=":material/table_rows:"):
        metric = choose_metric(results, "table-metric", width=240)
        rows = frame[frame["metric"] == metric].set_index("system", drop=False).loc[scores.ordered(frame, metric)]
        table = scores.scores_of(results, rows, f"By {results.spec(metric).name}, on ")
        show_section(Section("scores", "", table=table))


def spreads(results: Results) -> None:
    """Show what the SDs suggest, and samples within runs."""
    if (suggested := runs.spreads_section(results)) is not None:
        show_section(suggested)
    if (samples := runs.samples_section(results)) is None:
        return
    st.subheader(as_label(samples.title), anchor=False)
    by = dict(zip(filter(results.sampled, results.metrics), samples.parts, strict=True))
    chosen = choose("Metric", {key: results.spec(key).name for key in by}, "samples-metric", width=240)
    show_section(by[chosen], has_title=False)


def histogram(results: Results) -> None:
    """Show Clark et al.'s Figure 1 for the baseline and one system, and their overlap; nothing for few runs."""
    if max(results.run_counts) < runs.FEWEST_IN_HISTOGRAM:
        return
    st.subheader(results.run_word.filled("{Run} scores"), anchor=False)
    others = [key for key in results.systems if key != results.experiment.baseline]
    left, right, _ = st.columns([1, 1, 2])
    metric = choose_metric(results, "histogram-metric", where=left)
    if len(others) > 1:
        others = [choose("System", others, "histogram-system", where=right)]
    if others and results.experiment.baseline in results.systems:
        show_section(runs.overlap_section(results, metric, others[0]), draw=drawn)
    elif (alone := runs.histogram_section(results, metric)) is not None:
        show_section(alone, draw=drawn)
