"""The segments page: choose runs and metric, then show segments, kinds, words and marked errors.

A click on a kind or a word filters the segments.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path

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
from mteval.answers.segments import SegmentData, consistency, segment_data
from mteval.answers.words import groups_section
from mteval.base.arrays import IntArray
from mteval.base.parallel import Engine
from mteval.base.words import agreeing, counted_part
from mteval.render.frames import frame_csv
from mteval.report.multeval import rank_lines
from mteval.stats.runs import copies_or_single_runs
from mteval.ui.elements import as_label, choose, choose_tab, download, end, say, show_section
from mteval.ui.nbest import nbest_lists
from mteval.ui.segments import filter_form
from mteval.ui.segments.filter_form import BUCKET, KIND, NGRAM, WHERE, filter_alone, partition, ways
from mteval.ui.segments.opened_segment import opened_segment
from mteval.ui.segments.table import choose_order, in_order, listen_for_keys, open_one, ranked_table, step_buttons
from mteval.ui.segments.words import words
from mteval.ui.session.memory import by_metric, made_once, scored_on
from mteval.ui.setup.address import bookmarked
from mteval.ui.setup.workspace import workspace
from mteval.values.model import Run, TestSet
from mteval.values.run_words import RunWord

VIEW = "seg-view"
SEGMENTS_VIEW, KINDS_VIEW, WORDS_VIEW, LISTS_VIEW = "Segments", "Kinds of segments", "Words", "N-best lists"
MEDIAN_VIEW = "Median {run}"


def buckets(data: SegmentData, metric: str) -> None:
    """Show the difference over all runs for each kind of segment."""
    by = choose("Segments by", ways(data), "seg-buckets", width=280)
    if data.baseline.system == data.system.system:
        say("note", data.runs.filled("Choose two systems: this view compares all their {runs}."))
        return
    with st.spinner("Comparing each kind of segment…"):
        found = made_once(_buckets, data, metric, by)
    section = groups_section(found, data.baseline.system, data.results.settings, "Kinds of segments", "buckets")
    drawn = replace(section, table=None, notes=())
    show_section(drawn, has_title=False, on_pick=lambda bucket: _only({KIND: by, BUCKET: str(bucket)}))
    show_section(replace(section, lead=(), figure=None), has_title=False)


def _buckets(data: SegmentData, metric: str, by: str) -> GroupAnswers:
    settings, systems = data.results.settings, (data.baseline.system, data.system.system)
    notation, work = data.results.spec(metric).notation, Work(Engine(settings.workers))
    return by_segments(data.scored_by(metric), systems, partition(data, by), by, notation, settings, work)


def _only(conditions: dict[str, str]) -> None:
    """In a callback: show only the segments that meet these conditions."""
    filter_alone(conditions)
    st.session_state[VIEW] = SEGMENTS_VIEW


def _words(data: SegmentData, metric: str) -> None:
    """Show words over all runs; a click on one filters the segments."""
    words(data, metric, lambda ngram: _only({NGRAM: ngram, WHERE: "differs"}),
          lambda word: _only({NGRAM: word, WHERE: "missed"}))  # fmt: skip


def median(data: SegmentData, metric: str) -> None:
    """Show how near the median runs are to their systems' means, and how many runs that takes."""
    results, systems = data.results, (data.baseline.system, data.system.system)
    pool = pool_of(data.scored_by(metric), *systems, results.settings)
    about = Subject(pool, results.spec(metric), results.settings, order=tuple(results.systems))
    if refusal := median_refusal(about, copies_or_single_runs(*pool.statistics)):
        end("note", refusal)
    chosen_on, read_on, other = pool, None, _chosen_on()
    if other and data.test_set.name != other:
        there = by_metric(scored_on(results.on(results.experiment.test_set(other))), metric)
        there_too = pool_of(there, *systems, results.settings)
        if [there_too.run_keys(side) for side in (0, 1)] == [pool.run_keys(side) for side in (0, 1)]:
            chosen_on, read_on = there_too, pool
    show_section(median_section(about, median_convergence(chosen_on, min(chosen_on.sizes), read_on), NEAR_ENOUGH))


def _chosen_on() -> str:
    """Return the other test set on which the median run is chosen; empty for this one."""
    return str(st.session_state.get(WHICH, "")).removeprefix(MEDIAN).removeprefix(" on ")


def _are_medians(data: SegmentData) -> bool:
    """Return whether median runs of two systems with several runs are compared."""
    systems = {data.baseline.system, data.system.system}
    are_several = all(len(data.test_set.runs_of(system)) > 1 for system in systems)
    return len(systems) == 2 and are_several and st.session_state.get(WHICH) != CHOSEN


WHICH, MEDIAN, CHOSEN = "seg-runs", "median", "chosen"
NEAR_ENOUGH = 0.95  # share of medians near the mean


def choose_metric(results: Results) -> str:
    """Choose the metric that ranks segments."""
    names = {key: spec.notation.heading(spec.name) for key, spec in results.evaluation.metrics.items()}
    return choose("Rank by", names, "seg-by", help="Order segments by their change in this metric.")


def choose_pair(results: Results, scored: tuple[Scored, ...], metric: str) -> RunPair:
    """Choose the runs to compare: the median runs or any two; with one system the page ends."""
    here, test_set, runs = by_metric(scored, metric), results.test_set, results.run_word
    systems = list(here.statistics)
    if len(systems) < 2:
        what = "output" if len(test_set.systems) < 2 else f"{here.metric.name} scores"
        end("note", f"{test_set.name} has {what} of one system only. Load a second system.")
    sets = [other for other in results.experiment.test_sets if set(systems) <= {s.key for s in other.systems}]
    which = _choose_way([other.name for other in sets if other.name != test_set.name], runs)
    left = results.experiment.baseline if results.experiment.baseline in systems else systems[0]
    usual = left, next(key for key in systems if key != left)  # defaults
    if which == CHOSEN:
        return _choose_runs(here.test_set, *usual, runs)
    pair = _choose_systems(systems, *usual)
    if which == MEDIAN:
        return median_pair(here, *pair)
    other = results.experiment.test_set(which.removeprefix(f"{MEDIAN} on "))
    elsewhere = by_metric(scored_on(results.on(other)), metric)
    if set(pair) <= set(elsewhere.statistics):
        if (found := median_pair(elsewhere, *pair)).is_on(here.test_set):
            return found
        template = "Those {runs} have no {name} scores here; the median {runs} here are shown."
        say("note", runs.filled(template, name=here.metric.name))
    return median_pair(here, *pair)


def _choose_systems(systems: Sequence[str], left: str, right: str) -> tuple[str, str]:
    """Choose two systems, if there are more."""
    if len(systems) == 2:
        return left, right
    left = choose("Compare with", systems, "seg-against", default=left)
    others = [key for key in systems if key != left]
    return left, choose("System", others, "seg-system", default=right if right != left else None)


def _choose_way(others: list[str], runs: RunWord) -> str:
    elsewhere = {f"{MEDIAN} on {name}": f"Median {runs.nouns} on {name}" for name in others}
    names = {MEDIAN: f"Median {runs.nouns}", **elsewhere, CHOSEN: f"Any two {runs.nouns}"}
    return choose(
        runs.filled("{Runs}"), names, WHICH,
        help=f"The median {runs.noun} has the middle score. Choose it on a different test set to avoid selection bias.",
    )  # fmt: skip


def _choose_runs(test_set: TestSet, baseline: str, system: str, runs: RunWord) -> RunPair:
    found = {f"{run.system} · {run.key}": run for run in test_set.runs}
    names = list(found)
    first = {run.system: name for name, run in reversed(found.items())}
    left = found[choose("Compare with", names, "seg-left", default=first[baseline])]
    right = found[choose(runs.filled("{Run}"), names, "seg-right", default=first[system])]
    return RunPair(left.system, left.key, right.system, right.key)


STYLE = Path(__file__).with_name("page.css")


Annotate = Callable[[TestSet, tuple[Run, Run], int, Sequence[int]], None]


@st.fragment
def segments(results: Results, annotate: Annotate) -> None:
    """Show everything below the choice of the test set. A fragment, so that a click redraws nothing else.

    ``annotate`` draws the ways to people's words about a segment, from its test set, the runs that are compared, the
    segment and those that are bookmarked.
    """
    st.html(STYLE)
    scored = scored_on(results)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = choose_metric(results)
        data = made_once(segment_data, results, scored, choose_pair(results, scored, metric))
        by, order = choose_order(data, metric)
    further: dict[str, Callable[[], None]] = {}
    if filter_form.ways(data):
        further[KINDS_VIEW] = partial(buckets, data, metric)
    if data.compares_words:
        further[WORDS_VIEW] = partial(_words, data, metric)
    if _are_medians(data):
        further[data.runs.filled(MEDIAN_VIEW)] = partial(median, data, metric)
    if workspace().has_nbest_lists:
        further[LISTS_VIEW] = nbest_lists
    views = choose_tab([SEGMENTS_VIEW, *further], VIEW)
    with views[0]:  # drawn even where hidden, so that filters and selection stay in the address
        meets = matching(data.table, consistency(data, metric), data.texts, filter_form.filter_form(data, metric))
        _browse(data, metric, in_order(data, metric, meets & filter_form.beyond_the_form(data), by, order), annotate)
    for view, draw in zip(views[1:], further.values(), strict=True):
        if view.open:
            with view:
                draw()


def _browse(data: SegmentData, metric: str, segments: IntArray, annotate: Annotate) -> None:
    n_segments = data.test_set.n_segments
    if len(segments) < n_segments:
        told, clear = st.columns([5, 1], vertical_alignment="center")
        with told:
            which = f" ({clicked})" if (clicked := filter_form.clicked_in_words(data)) else ""
            verb = agreeing(len(segments), "matches", "match")
            say("note", f"{counted_part(len(segments), n_segments, 'segment')} {verb} the filters{which}.")
        off = ":material/filter_list_off:"
        clear.button("Clear filters", on_click=filter_form.clear_filters, icon=off, key="clear-filters")
    st.subheader(as_label(" vs ".join(data.labels)), anchor=False)
    opened = open_one(data, segments)
    ranked_table(data, metric, segments)
    step_buttons(data, segments)
    systems = data.baseline.system, data.system.system
    with st.container(horizontal=True):
        filter_form.bookmark_button(data, opened)
        if data.test_set.has_texts:
            annotate(data.test_set, (data.baseline, data.system), opened, bookmarked(data.test_set))
    opened_segment(data, opened, metric)
    csv, ranks = partial(segments_csv, data, segments), partial(rank_file, data, metric, segments)
    with st.container(horizontal=True):
        is_empty = len(segments) == 0
        download("Download segments (CSV)", f"segments-{'-vs-'.join(systems)}.csv", csv, disabled=is_empty)
        download("Download rank file", f"sortedby.{metric}", ranks, disabled=is_empty)
    listen_for_keys()


def segments_csv(data: SegmentData, segments: IntArray) -> str:
    """Return the table with all numbers and texts as CSV; segments count from 1."""
    table = data.table.iloc[segments].reset_index(drop=True)
    references = enumerate(zip_longest(*data.test_set.references, fillvalue=""), start=1)
    texts = {
        "source": data.test_set.source,
        "baseline_output": data.baseline.hypotheses,
        "system_output": data.system.hypotheses,
        **{f"reference{number}": column for number, column in references},
    }
    columns = {name: [column[segment] for segment in segments] for name, column in texts.items() if column is not None}
    return frame_csv(table.assign(segment=table["segment"] + 1, **columns))


def rank_file(data: SegmentData, metric: str, segments: IntArray) -> str:
    """Return the segments in MultEval's format, in the table's order; segments count from 0."""
    shown = data.differences[data.differences["segment"].isin(segments)]
    order, ranked = pd.Series(range(len(segments)), index=segments), rank_table(shown, metric)
    ranked = ranked.iloc[ranked["segment"].map(order).argsort(kind="stable")]
    notations = {key: data.results.spec(key).notation for key in data.metrics}
    texts = data.baseline.hypotheses, data.system.hypotheses, data.test_set.references
    return "".join(f"{line}\n" for line in rank_lines(ranked, {key: key for key in notations}, notations, *texts))
