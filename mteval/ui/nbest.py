"""N-best lists on the Segments page: the list, its oracle scores, and one segment's hypotheses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

import streamlit as st

from mteval.analysis.nbest import ListScorers, NbestSummary, score_lists, summarize_lists
from mteval.analysis.scoring import Work, means_of_computation
from mteval.answers import nbest as answers
from mteval.answers.section import Section
from mteval.base.digests import digest_of
from mteval.metrics import METRICS, lacking_on, resolve
from mteval.metrics.base import Metric
from mteval.readers.documents import Document
from mteval.readers.formats.nbest import parse_nbest
from mteval.readers.workspace import Workspace
from mteval.render.html import section_table, tag
from mteval.ui.elements import choose, click_hint, download, end, errors_end_the_page, grid, say, show, show_section
from mteval.ui.page import require_settings
from mteval.ui.session.memory import deciding
from mteval.ui.session.progress import awaited
from mteval.ui.setup.workspace import loaded_experiment, workspace
from mteval.values.model import TestSet
from mteval.values.settings import Settings

_CHOOSE_METRIC = "Choose one in the sidebar that scores text; imported scores do not cover the hypotheses of a list."


@dataclass(frozen=True)
class Source:
    """An n-best list with its test set."""

    document: Document
    test_set: TestSet

    @property
    def lines(self) -> list[str]:
        """The file, line by line."""
        return [line or "" for line in self.document.streams[0].lines]


@deciding.register
def _(source: Source) -> tuple[str, str, object]:
    return source.document.name, digest_of(source.lines), deciding(source.test_set)


@dataclass(frozen=True)
class Scored:
    """A list, its scorers and the results."""

    source: Source
    scorers: ListScorers
    summary: NbestSummary

    @property
    def metrics(self) -> list[str]:
        """Keys of the metrics."""
        return [metric.key for metric in self.scorers.metrics]


def nbest_lists() -> None:
    """Show how good the best hypotheses of a list are, and what the decoder missed."""
    scored = scored_list(choose_list())
    metric = whole_file(scored)
    st.subheader("Missed by the decoder", anchor=False)
    opened_list(scored, metric)


def lists_alone() -> None:
    """Show the lists and end the page if there are no two systems to compare."""
    experiment = loaded_experiment()
    if not workspace().has_nbest_lists:
        return
    if experiment is None or len(experiment.systems) < 2:
        nbest_lists()
        st.stop()


def choose_list() -> Source:
    """Choose an n-best list; without any, the page ends with how to load one."""
    loaded = workspace()
    sources = sources_of(loaded)
    if not sources:
        reason = "No n-best list loaded."
        if loaded.documents and loaded.assembly.nbest:
            reason = f"{', '.join(loaded.assembly.nbest)}: its test set is not loaded."
        end(
            "note",
            f"{reason} Drop a Moses or cdec list with the files of its test set on the Load page. Its lines are “id |||"
            " hypothesis ||| features ||| score”, with ids from 0.",
        )
    if len(sources) == 1:
        return sources[0]
    source_of = {source.document.name: source for source in sources}
    return source_of[choose("List", list(source_of), "nbest-list", width=360)]


def sources_of(loaded: Workspace) -> list[Source]:
    """Return the lists whose test set is loaded."""
    experiment = loaded.experiment()
    if experiment is None:
        return []
    test_set_of = {test_set.name: test_set for test_set in experiment.test_sets}
    document_of = {document.name: document for document in loaded.documents}
    sources = []
    for slot in loaded.slots:
        if slot.included and slot.role == "nbest" and slot.test_set in test_set_of:
            sources.append(Source(document_of[slot.file], test_set_of[slot.test_set]))
    return sources


def scored_list(source: Source) -> Scored:
    """Score all hypotheses by the metrics that can rank texts; the page ends until that is done."""
    settings = require_settings()
    metrics = []
    for metric in _ranking_metrics(settings):
        reason = lacking_on(metric, source.test_set)
        if reason:
            say("warning", reason)
        else:
            metrics.append(metric)
    if not metrics:
        end("note", f"None of the metrics can rank hypotheses. {_CHOOSE_METRIC}")
    return awaited("nbest", _score, source, tuple(metrics), workers=settings.workers)


def _ranking_metrics(settings: Settings) -> list[Metric]:
    """Return the metrics that can rank texts; imported scores do not cover lists."""
    experiment = loaded_experiment()
    imported = () if experiment is None else experiment.given
    metrics = []
    for metric in resolve(settings, imported):
        spec = METRICS.get(metric.key)
        if spec is not None and spec.notation.has_direction and spec.scores_texts:
            metrics.append(metric)
    return metrics


def in_report(settings: Settings) -> dict[str, Callable[[], Section]]:
    """Return functions that make the section of each list for a report, by name."""
    sections: dict[str, Callable[[], Section]] = {}
    for source in sources_of(workspace()):
        metrics = [metric for metric in _ranking_metrics(settings) if not lacking_on(metric, source.test_set)]
        if metrics:
            sections[f"N-best list {source.document.name}"] = partial(_section, source, metrics, settings.workers)
    return sections


def _section(source: Source, metrics: Sequence[Metric], workers: int) -> Section:
    scored = _score(source, metrics, means_of_computation(workers))
    name = source.document.name
    oracles = answers.oracles(scored.summary, scored.metrics, name)
    depth = answers.depth(scored.summary, scored.metrics[0])
    return Section("nbest", f"N-best list {name}", parts=(oracles, depth))


def _score(source: Source, metrics: Sequence[Metric], work: Work) -> Scored:
    """Score all hypotheses of a list."""
    n_segments = source.test_set.n_segments
    scorers = ListScorers.of(metrics, source.test_set)
    lists = parse_nbest(source.lines, source.document.name, n_segments)
    return Scored(source, scorers, summarize_lists(lists, scorers, n_segments, work))


def whole_file(scored: Scored) -> str:
    """Show the oracle scores by every metric, and details by a chosen one, whose key is returned."""
    show_section(answers.oracles(scored.summary, scored.metrics, scored.source.document.name))
    metric = choose("Metric", {key: METRICS[key].name for key in scored.metrics}, "nbest-metric", width=200)
    left, right = st.columns(2)
    with left:
        show_section(answers.depth(scored.summary, metric))
    with right:
        show_section(answers.places(scored.summary, metric))
    return metric


def opened_list(scored: Scored, metric: str) -> None:
    """Show the lists by what the decoder missed, and the hypotheses of the clicked one."""
    source = scored.source
    test_set = source.test_set
    lists = answers.missed(scored.summary, metric, test_set)
    text_column, _ = answers.beside(test_set, 0)
    click_hint("a row", "its hypotheses")
    rows = grid(lists, f"nbest-lists-{metric}", on_pick="rerun", sized=(text_column,), height=280)
    clicked = rows[0] if rows else 0
    segment = int(lists.frame["Segment"].iloc[clicked]) - 1

    with errors_end_the_page():
        # Lists are parsed one after the other, up to that of the segment
        all_lists = parse_nbest(source.lines, source.document.name, test_set.n_segments)
        list_of_segment = next(islice(all_lists, segment, None))
        (scored_hypotheses,) = score_lists([list_of_segment], scored.scorers, test_set.n_segments, Work())
    for label, text in answers.texts_beside(test_set, segment):
        show(tag("p", tag("b", f"{label} of segment {segment + 1}: "), text))
    table = answers.opened(scored_hypotheses, metric).table
    assert table is not None
    show(tag("div", section_table(table), class_="mt-hypotheses"))
    with st.container(horizontal=True):
        download("Download lists (CSV)", f"nbest-{metric}.csv", lists.values)
        download("Download hypotheses (CSV)", f"nbest-{metric}-{segment + 1}.csv", table.values)
