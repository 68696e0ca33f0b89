"""The segments page: choose runs and metric, then show segments, kinds, words and marked errors.

A click on a kind or a word filters the segments.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest

import pandas as pd
import streamlit as st

from mteval.analysis.replication.planning import median_convergence
from mteval.analysis.replication.pool import pool_of
from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored, Work
from mteval.analysis.segments.runs import RunPair, median_pair, rank_table
from mteval.analysis.segments.table import matching
from mteval.analysis.words.questions import GroupAnswers, by_segments
from mteval.answers.replication import Subject, median_refusal, median_section
from mteval.answers.section import Section
from mteval.answers.segments import SegmentData, consistency, distribution_section, kinds_section, segment_data
from mteval.answers.words import groups_section
from mteval.base.arrays import IntArray
from mteval.base.parallel import Engine
from mteval.base.words import agreeing, counted_part
from mteval.render.frames import frame_csv
from mteval.report.multeval import rank_lines
from mteval.stats.runs import copies_or_single_runs
from mteval.ui.elements import Pick, as_label, choose, choose_tab, download, end, say, show_section, width_for
from mteval.ui.nbest import nbest_lists
from mteval.ui.segments import filter_form
from mteval.ui.segments.filter_form import BUCKET, KIND, LEAST, MOST, NGRAM, WHERE, filter_alone, partition, ways
from mteval.ui.segments.opened_segment import opened_segment
from mteval.ui.segments.table import (
    choose_order,
    in_order,
    listen_for_keys,
    open_one,
    parts_switch,
    ranked_table,
    step_buttons,
)
from mteval.ui.segments.words import show_words
from mteval.ui.session.memory import by_metric, made_once, scored_on
from mteval.ui.setup.address import bookmarked
from mteval.ui.setup.workspace import workspace
from mteval.values.model import Run, TestSet
from mteval.values.run_words import RunWord

# Keys of the session's state
VIEW = "seg-view"
BY = "seg-by"
WHICH = "seg-runs"
LEFT_RUN = "seg-left"
RIGHT_RUN = "seg-right"

SEGMENTS_VIEW = "Segments"
DISTRIBUTION_VIEW = "Distribution"
KINDS_VIEW = "Kinds of segments"
WORDS_VIEW = "Words"
LISTS_VIEW = "N-best lists"
MEDIAN_VIEW = "Median {run}"

# Which runs are compared, besides "median on TEST SET"
MEDIAN = "median"
CHOSEN = "chosen"

COMPARES = re.compile(r"\.(baseline|difference|improvement)\b|^baseline_|^is_identical$")  # columns of two runs
NEAR_ENOUGH = 0.95  # share of medians near the mean

Annotate = Callable[[TestSet, tuple[Run, ...], int, Sequence[int]], None]


@st.fragment
def segments(results: Results, annotate: Annotate) -> None:
    """Show everything below the choice of the test set. A fragment, so that a click redraws nothing else.

    Parameters
    ----------
    annotate
        Draws the ways to people's words about a segment, from its test set, the runs that are compared, the segment
        and those that are bookmarked.
    """
    scored = scored_on(results)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = choose_metric(results)
        data = made_once(segment_data, results, scored, choose_pair(results, scored, metric))
        sort_by, order = choose_order(data, metric)
    further = _further_views(data, metric)
    tabs = choose_tab([SEGMENTS_VIEW, *further], VIEW)
    with tabs[0]:
        segment_filter = filter_form.filter_form(data, metric)
        is_shown = matching(data.table, consistency(data, metric), data.texts, segment_filter)
        is_shown = is_shown & filter_form.beyond_the_form(data)
        ordered = in_order(data, metric, is_shown, sort_by, order)
        if tabs[0].open:
            _browse(data, metric, ordered, annotate)
        else:
            _keep_in_address(data, ordered)
    for tab, view in zip(tabs[1:], further.values(), strict=True):
        if tab.open:
            with tab:
                view()


def _further_views(data: SegmentData, metric: str) -> dict[str, Callable[[], None]]:
    """Return the views besides the segments that what is loaded allows, by name."""
    views: dict[str, Callable[[], None]] = {}
    if data.is_alone:
        views[DISTRIBUTION_VIEW] = partial(show_distribution, data, metric)
    if filter_form.ways(data):
        views[KINDS_VIEW] = partial(show_kinds, data, metric)
    if data.compares_words:
        views[WORDS_VIEW] = partial(_show_words, data, metric)
    if _are_medians(data):
        views[data.runs.filled(MEDIAN_VIEW)] = partial(show_medians, data, metric)
    if workspace().has_nbest_lists:
        views[LISTS_VIEW] = nbest_lists
    return views


def choose_metric(results: Results) -> str:
    """Choose the metric that ranks segments."""
    names = {key: spec.notation.heading(spec.name) for key, spec in results.evaluation.metrics.items()}
    return choose("Rank by", names, BY, help="Order segments by their change in this metric.")


def choose_pair(results: Results, scored: tuple[Scored, ...], metric: str) -> RunPair:
    """Choose the runs to compare: the median runs or any two; of one system, its median run alone."""
    scored_here = by_metric(scored, metric)
    name = scored_here.metric.name
    test_set = results.test_set
    runs = results.run_word
    systems = list(scored_here.statistics)
    if len(systems) < 2:
        if len(test_set.systems) > 1:
            say("note", f"{test_set.name} has {name} scores of one system only.")
        system = systems[0]
        if len(scored_here.run_keys(system)) > 1 and _choose_runs_by([], runs, of_one=True) == CHOSEN:
            return _choose_runs(scored_here.test_set, system, system, runs)
        return median_pair(scored_here, system, system)

    other_names = []
    for candidate in results.experiment.test_sets:
        has_all_systems = set(systems) <= {system.key for system in candidate.systems}
        if has_all_systems and candidate.name != test_set.name:
            other_names.append(candidate.name)
    which = _choose_runs_by(other_names, runs)
    baseline = results.experiment.baseline
    if baseline not in systems:
        baseline = systems[0]
    system = next(system for system in systems if system != baseline)
    if which == CHOSEN:
        return _choose_runs(scored_here.test_set, baseline, system, runs)

    left, right = _choose_systems(systems, baseline, system)
    if which == MEDIAN:
        return median_pair(scored_here, left, right)
    other_test_set = results.experiment.test_set(which.removeprefix(f"{MEDIAN} on "))
    scored_there = by_metric(scored_on(results.on(other_test_set)), metric)
    if {left, right} <= set(scored_there.statistics):
        pair = median_pair(scored_there, left, right)
        if pair.is_on(scored_here.test_set):
            return pair
        template = "Those {runs} have no {name} scores here; the median {runs} here are shown."
        say("note", runs.filled(template, name=name))
    return median_pair(scored_here, left, right)


def _choose_runs_by(other_names: Sequence[str], runs: RunWord, *, of_one: bool = False) -> str:
    """Choose between the median runs, those on another test set, and any two; of one system, its median run."""
    options = {MEDIAN: f"Median {runs.noun if of_one else runs.nouns}"}
    for name in other_names:
        options[f"{MEDIAN} on {name}"] = f"Median {runs.nouns} on {name}"
    options[CHOSEN] = f"Any two {runs.nouns}"
    return choose(
        runs.filled("{Runs}"),
        options,
        WHICH,
        help=f"The median {runs.noun} has the middle score. Choose it on a different test set to avoid selection bias.",
    )


def _choose_runs(test_set: TestSet, baseline: str, system: str, runs: RunWord) -> RunPair:
    """Choose any two runs, by default the first of both systems."""
    run_of = {name_of_run(run.system, run.key): run for run in test_set.runs}
    names = list(run_of)
    first_name: dict[str, str] = {}
    for name, run in run_of.items():
        first_name.setdefault(run.system, name)
    width = width_for(names)
    left = run_of[choose("Compare with", names, LEFT_RUN, default=first_name[baseline], width=width)]
    right = run_of[choose(runs.filled("{Run}"), names, RIGHT_RUN, default=first_name[system], width=width)]
    return RunPair(left.system, left.key, right.system, right.key)


def name_of_run(system: str, run: str) -> str:
    """Return what the choice of any two runs calls a run."""
    return f"{system} · {run}"


def _choose_systems(systems: Sequence[str], baseline: str, system: str) -> tuple[str, str]:
    """Choose two systems, if there are more."""
    if len(systems) == 2:
        return baseline, system
    width = width_for(systems)
    left = choose("Compare with", systems, "seg-against", default=baseline, width=width)
    opponents = [key for key in systems if key != left]
    usual = system if system != left else None
    return left, choose("System", opponents, "seg-system", default=usual, width=width)


def _browse(data: SegmentData, metric: str, segments: IntArray, annotate: Annotate) -> None:
    """Show the table of segments, everything about the open one, and downloads.

    Parameters
    ----------
    segments
        Those that meet the filters, in the table's order.
    """
    if len(segments) < data.test_set.n_segments:
        _say_what_is_filtered(data, len(segments))
    st.subheader(as_label(" vs ".join(side.label for side in data.sides)), anchor=False)
    opened = open_one(data, segments)
    ranked_table(data, metric, segments)
    step_buttons(data, segments)
    with st.container(horizontal=True):
        filter_form.bookmark_button(data, opened)
        if data.test_set.has_texts:
            runs = tuple(side.run for side in data.sides)
            annotate(data.test_set, runs, opened, bookmarked(data.test_set))
    opened_segment(data, opened, metric)
    with st.container(horizontal=True):
        is_empty = len(segments) == 0
        download(
            "Download segments (CSV)",
            f"segments-{'-vs-'.join(side.run.system for side in data.sides)}.csv",
            partial(segments_csv, data, segments),
            disabled=is_empty,
        )
        if not data.is_alone:
            download(
                "Download rank file",
                f"sortedby.{metric}",
                partial(rank_file, data, metric, segments),
                disabled=is_empty,
            )
    listen_for_keys()


def _keep_in_address(data: SegmentData, segments: IntArray) -> None:
    """Draw, while another tab is open, only what keeps the open segment and the columns in the address."""
    open_one(data, segments)
    parts_switch(data)
    step_buttons(data, segments)


def _say_what_is_filtered(data: SegmentData, n_shown: int) -> None:
    """Show how many segments meet the filters, and the button that clears these."""
    message, button = st.columns([5, 1], vertical_alignment="center")
    with message:
        clicked = filter_form.clicked_in_words(data)
        conditions = f" ({clicked})" if clicked else ""
        verb = agreeing(n_shown, "matches", "match")
        say("note", f"{counted_part(n_shown, data.test_set.n_segments, 'segment')} {verb} the filters{conditions}.")
    button.button(
        "Clear filters",
        on_click=filter_form.clear_filters,
        icon=":material/filter_list_off:",
        key="clear-filters",
    )


def segments_csv(data: SegmentData, segments: IntArray) -> str:
    """Return the table with all numbers and texts as CSV; segments count from 1."""
    table = data.table.iloc[segments].reset_index(drop=True)
    if data.is_alone:
        compared = [name for name in table.columns if COMPARES.search(name)]
        table = table.drop(columns=compared)
    texts_of = {"source": data.test_set.source}
    for side in data.sides:
        texts_of[f"{side.key}_output"] = side.run.hypotheses
    # Segments may have different numbers of references.
    for number, references in enumerate(zip_longest(*data.test_set.references, fillvalue=""), start=1):
        texts_of[f"reference{number}"] = references
    columns = {}
    for name, texts in texts_of.items():
        if texts is not None:
            columns[name] = [texts[segment] for segment in segments]
    return frame_csv(table.assign(segment=table["segment"] + 1, **columns))


def rank_file(data: SegmentData, metric: str, segments: IntArray) -> str:
    """Return the segments in MultEval's format, in the table's order; segments count from 0."""
    differences = data.differences[data.differences["segment"].isin(segments)]
    ranked = rank_table(differences, metric)
    place_of = pd.Series(range(len(segments)), index=segments)
    ranked = ranked.iloc[ranked["segment"].map(place_of).argsort(kind="stable")]
    notations = {key: data.results.spec(key).notation for key in data.metrics}
    labels = {key: key for key in notations}
    lines = rank_lines(
        ranked, labels, notations, data.baseline.hypotheses, data.system.hypotheses, data.test_set.references
    )
    return "".join(f"{line}\n" for line in lines)


def show_kinds(data: SegmentData, metric: str) -> None:
    """Show the difference over all runs for each kind of segment."""
    way = choose("Segments by", ways(data), "seg-buckets", width=280)
    on_kind = Pick(lambda kind: _show_only({KIND: way, BUCKET: str(kind)}), "a dot")
    if data.is_alone:
        section = made_once(_kinds_of_one, data, metric, way)
        show_section(section, on_pick=on_kind)
        return
    if data.baseline.system == data.system.system:
        say("note", data.runs.filled("Choose two systems: this view compares all their {runs}."))
        return
    with st.spinner("Comparing each kind of segment…"):
        answers = made_once(_answers_by_kind, data, metric, way)
    section = groups_section(answers, data.baseline.system, data.results.settings, "Kinds of segments", "buckets")
    figure = replace(section, table=None, notes=())
    show_section(figure, has_title=False, on_pick=on_kind)
    show_section(replace(section, lead=(), figure=None), has_title=False)


def _kinds_of_one(data: SegmentData, metric: str, way: str) -> Section:
    return kinds_section(data, metric, partition(data, way), way)


def show_distribution(data: SegmentData, metric: str) -> None:
    """Show how many segments have which score; a click on a bar filters by it."""
    section = made_once(distribution_section, data, metric)

    def show_bar(bar: object) -> None:
        match bar:  # a browser can send anything
            case [_, int() | float() as low, int() | float() as high]:
                _show_only({LEAST: float(low), MOST: float(high)})

    show_section(section, has_title=False, on_pick=Pick(show_bar, "a bar"))


def _answers_by_kind(data: SegmentData, metric: str, way: str) -> GroupAnswers:
    settings = data.results.settings
    return by_segments(
        data.scored_by(metric),
        (data.baseline.system, data.system.system),
        partition(data, way),
        way,
        data.results.spec(metric).notation,
        settings,
        Work(Engine(settings.workers)),
    )


def _show_only(conditions: Mapping[str, str | float]) -> None:
    """In a callback: show only the segments that meet these conditions."""
    filter_alone(conditions)
    st.session_state[VIEW] = SEGMENTS_VIEW


def _show_words(data: SegmentData, metric: str) -> None:
    """Show words over all runs; a click on one filters the segments."""
    show_words(
        data,
        metric,
        on_ngram=Pick(lambda ngram: _show_only({NGRAM: ngram, WHERE: "differs"}), "a row"),
        on_word=Pick(lambda word: _show_only({NGRAM: word, WHERE: "missed"}), "a row"),
    )


def show_medians(data: SegmentData, metric: str) -> None:
    """Show how near the median runs are to their systems' means, and how many runs that takes."""
    results = data.results
    systems = (data.baseline.system, data.system.system)
    pool = pool_of(data.scored_by(metric), *systems, results.settings)
    subject = Subject(pool, results.spec(metric), results.settings, order=tuple(results.systems))
    refusal = median_refusal(subject, copies_or_single_runs(*pool.statistics))
    if refusal:
        end("note", refusal)
    chosen_on = pool
    read_on = None
    other_name = _test_set_of_medians()
    if other_name and other_name != data.test_set.name:
        other_test_set = results.experiment.test_set(other_name)
        scored_there = by_metric(scored_on(results.on(other_test_set)), metric)
        pool_there = pool_of(scored_there, *systems, results.settings)
        if all(pool_there.run_keys(side) == pool.run_keys(side) for side in (0, 1)):
            chosen_on = pool_there
            read_on = pool
    convergence = median_convergence(chosen_on, min(chosen_on.sizes), read_on)
    show_section(median_section(subject, convergence, NEAR_ENOUGH))


def _test_set_of_medians() -> str:
    """Return the other test set on which the median run is chosen; empty for this one."""
    return str(st.session_state.get(WHICH, "")).removeprefix(MEDIAN).removeprefix(" on ")


def _are_medians(data: SegmentData) -> bool:
    """Return whether median runs of two systems with several runs are compared."""
    systems = {data.baseline.system, data.system.system}
    are_several = all(len(data.test_set.runs_of(system)) > 1 for system in systems)
    return len(systems) == 2 and are_several and st.session_state.get(WHICH) != CHOSEN
