"""Parts of the scores page: verdicts by the primary metric, and all numbers of every system."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import chain

import streamlit as st

from mteval.analysis.results import Results, overview
from mteval.answers import runs, scores
from mteval.answers.grid import grid_section
from mteval.answers.judge_answers import understood_section
from mteval.answers.leaderboard import ranked_on_each
from mteval.answers.next_experiment import one_run_section
from mteval.answers.planner import history_sentence, unplanned_sentence
from mteval.answers.ranking import MOST_DRAWN, forest_key, joint_section, verdict_section
from mteval.answers.section import Section, Table
from mteval.metrics import catalog
from mteval.render.frames import frame_csv
from mteval.report.kept_experiment import card_from, card_of
from mteval.report.leaderboard import LeaderboardForm, leaderboard
from mteval.report.merging import earlier_spreads, runs_seen_before
from mteval.report.numbers import overview_for_scripts
from mteval.ui.elements import as_label, choose, choose_some, click_hint, download, quiet, say, show_section
from mteval.ui.page import choose_metric, offer_second_system
from mteval.ui.segments.link import listen_for_cells, on_bar, on_dot, on_system
from mteval.ui.session.evaluation import evaluations, first_primary
from mteval.ui.session.memory import drawn, made_once
from mteval.ui.setup import files
from mteval.ui.setup.entry import mine
from mteval.ui.setup.settings_form import offer_more_shuffles

LEADERBOARD_NAMES: Mapping[LeaderboardForm, str] = {"html": "HTML", "md": "Markdown", "csv": "CSV", "json": "JSON"}


def verdicts(results: Results) -> None:
    """Show the verdicts by the primary metric, their warnings, and the runs, which are folded with many systems."""
    metric = results.settings.primary_metric
    grid = grid_section(results, metric)
    if grid is not None:
        show_section(grid)
        click_hint("a score")
        listen_for_cells(results, metric)
        st.subheader(f"On {as_label(results.test_set.name)}", anchor=False)
    joint = joint_section(results)
    if joint is not None:
        show_section(joint)
    systems = _compared_systems(results)
    wanted: list[str] = []
    if len(systems) > MOST_DRAWN:
        wanted = choose_some(f"Show beside the {MOST_DRAWN} best", systems, "beside-best", in_address=False, width=480)
    section = verdict_section(results, metric, wanted)
    show_section(section, draw=drawn, picks={forest_key(metric): on_system(results, metric)})
    if len(results.systems) == 1:
        offer_second_system()
    _offer_leaderboard(results)
    next_experiment = one_run_section(results)
    if next_experiment is not None:
        show_section(next_experiment)
    files.remedies(results.findings(metric), results.experiment, results.settings)
    if any(verdict.needs_more_shuffles for verdict in results.verdicts(metric)):
        offer_more_shuffles(results.settings.n_shuffles)
    _warn_of_later_choice(results)
    _warn_of_unplanned_analyses(results)
    _tell_history(results)

    if not runs.shows_runs(results):
        return
    strip = runs.runs_section(results, metric)
    if results.has_many_systems:
        with st.expander(as_label(strip.title), icon=":material/scatter_plot:"):
            show_section(strip, has_title=False, draw=drawn, on_pick=on_dot(results, metric))
    else:
        show_section(strip, has_title=False, draw=drawn, on_pick=on_dot(results, metric))


def _offer_leaderboard(results: Results) -> None:
    """Show buttons that save the leaderboard; nothing without a ranking."""
    if not ranked_on_each(results):
        return
    with st.container(horizontal=True):
        for form, name in LEADERBOARD_NAMES.items():
            write = partial(leaderboard, results, form)
            download(f"Leaderboard ({name})", f"leaderboard.{form}", write, icon=":material/leaderboard:")


def _warn_of_later_choice(results: Results) -> None:
    """Warn if the primary metric changed after scoring began."""
    first = first_primary(results.experiment)
    if first is None or first == results.settings.primary_metric:
        return
    name = catalog(results.experiment.given)[first].name
    say(
        "warning",
        f"{name} was the primary metric when scoring began. A metric chosen afterwards is not a planned test; say"
        " so when you report it.",
    )


def _warn_of_unplanned_analyses(results: Results) -> None:
    """Warn if results with fewer of these runs were seen before them, in this session or in saved experiments."""
    if results.settings.looks:
        return
    saved_cards = (replace(card_from(listed.card), scored=listed.created) for listed in mine())
    memory = evaluations()
    seen = runs_seen_before(memory.seen_card(results), chain(memory.seen, saved_cards))
    if seen:
        say("warning", unplanned_sentence(seen, results.settings.runs))


def _tell_history(results: Results) -> None:
    """Say how much runs differed in saved experiments by the same metric on the same test set."""
    card = card_of(results.experiment, results)
    earlier = earlier_spreads(card, (card_from(listed.card) for listed in mine()))
    spec = results.spec(results.settings.primary_metric)
    sentence = history_sentence(earlier, card.spreads, spec, results.settings.runs)
    if sentence:
        quiet(sentence)


def _compared_systems(results: Results) -> list[str]:
    return [system for system in results.systems if system != results.experiment.baseline]


def table(results: Results) -> None:
    """Show Clark et al.'s Table 1 for all metrics; with many systems, one number at a time."""
    if results.has_many_systems:
        _crossed(results)
    else:
        show_section(*scores.scores_sections(results))
    with st.container(horizontal=True):
        download("Download table (CSV)", "scores-table.csv", lambda: frame_csv(overview_for_scripts(results)))
        scored = results.rows(results.evaluation.scores)
        download(results.run_word.filled("Download {run} scores (CSV)"), "run-scores.csv", scored)
    with st.expander("Column definitions", icon=":material/help:"):
        show_section(made_once(scores.columns_section, results), has_title=False)
    judges = understood_section(results)
    if judges is not None:
        with st.expander(as_label(judges.title), icon=":material/psychology:"):
            show_section(judges, has_title=False)


def _crossed(results: Results) -> None:
    """Show one number for all systems and metrics, sorted, and all numbers for one metric."""
    names = made_once(_columns_with_numbers, results)
    left, right, _ = st.columns([1, 1, 2])
    shown = choose("Show", names, "crossed-column", default=scores.MARKED, where=left)
    sorted_by = choose_metric(results, "crossed-sorted", "Sort by", where=right)
    show_section(Section("averages", "", table=made_once(scores.crossed_scores, results, shown, sorted_by)))
    with st.expander("All numbers for one metric", icon=":material/table_rows:"):
        metric = choose_metric(results, "table-metric", width=240)
        show_section(Section("scores", "", table=made_once(_numbers_by, results, metric)))


def _columns_with_numbers(results: Results) -> dict[str, str]:
    """Return the names of the columns of which a system has a number."""
    frame = overview(results)
    names = {}
    for key, column in scores.columns_on(frame, results.run_word).items():
        if frame[list(column.read)].notna().any(axis=None):
            names[key] = column.name
    return names


def _numbers_by(results: Results, metric: str) -> Table:
    """Return all numbers of all systems by one metric, from the best to the worst system."""
    frame = overview(results)
    rows = frame[frame["metric"] == metric].set_index("system", drop=False).loc[scores.ordered(frame, metric)]
    return scores.scores_of(results, rows, f"By {results.spec(metric).name}, on ")


def spreads(results: Results) -> None:
    """Show what the SDs suggest, and samples within runs."""
    suggestion = runs.spreads_section(results)
    if suggestion is not None:
        show_section(suggestion)
    samples = runs.samples_section(results)
    if samples is None:
        return
    st.subheader(as_label(samples.title), anchor=False)
    # One part per metric by which samples were scored
    sampled_metrics = filter(results.sampled, results.metrics)
    part_of = dict(zip(sampled_metrics, samples.parts, strict=True))
    names = {metric: results.spec(metric).name for metric in part_of}
    metric = choose("Metric", names, "samples-metric", width=240)
    show_section(part_of[metric], has_title=False)


def histogram(results: Results) -> None:
    """Show Clark et al.'s Figure 1 for the baseline and one system, and their overlap; nothing for few runs.

    Without two systems to compare, the figure shows all.
    """
    if max(results.run_counts) < runs.FEWEST_IN_HISTOGRAM:
        return
    st.subheader(results.run_word.filled("{Run} scores"), anchor=False)
    systems = _compared_systems(results)
    left, right, _ = st.columns([1, 1, 2])
    metric = choose_metric(results, "histogram-metric", where=left)
    system = systems[0] if systems else None
    if len(systems) > 1:
        system = choose("System", systems, "histogram-system", where=right)
    if system is not None and results.experiment.baseline in results.systems:
        overlap = runs.overlap_section(results, metric, system)
        show_section(replace(overlap, parts=()), draw=drawn)
        drawn_histogram = next(iter(overlap.parts), None)
    else:
        drawn_histogram = runs.histogram_section(results, metric)
    if drawn_histogram is not None:
        show_section(drawn_histogram, draw=drawn, on_pick=on_bar(results, metric))
