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
from mteval.ui.elements import choose, download, end, errors_end_the_page, grid, say, show, show_section
from mteval.ui.page import require_settings
from mteval.ui.session.memory import deciding
from mteval.ui.session.progress import awaited
from mteval.ui.setup.workspace import loaded_experiment, workspace
from mteval.values.model import TestSet
from mteval.values.settings import Settings

_OTHERS = "Choose one in the sidebar that scores text; imported scores do not cover the hypotheses of a list."


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
    if workspace().has_nbest_lists and (experiment is None or len(experiment.systems) < 2):
        nbest_lists()
        st.stop()


def choose_list() -> Source:
    """Choose an n-best list; without any, the page ends with how to load one."""
    loaded = workspace()
    if not (sources := sources_of(loaded)):
        unknown = loaded.assembly.nbest if loaded.documents else ()
        why = f"{', '.join(unknown)}: its test set is not loaded." if unknown else "No n-best list loaded."
        end(
            "note",
            f"{why} Drop a Moses or cdec list with the files of its test set on the Load page. Its lines are “id |||"
            " hypothesis ||| features ||| score”, with ids from 0.",
        )
    by_name = {source.document.name: source for source in sources}
    return sources[0] if len(sources) == 1 else by_name[choose("List", list(by_name), "nbest-list", width=360)]


def sources_of(loaded: Workspace) -> list[Source]:
    """Return the lists whose test set is loaded."""
    experiment = loaded.experiment()
    every = () if experiment is None else experiment.test_sets
    test_sets = {test_set.name: test_set for test_set in every}
    by_name = {document.name: document for document in loaded.documents}
    return [
        Source(by_name[slot.file], test_sets[slot.test_set])
        for slot in loaded.slots
        if slot.included and slot.role == "nbest" and slot.test_set in test_sets
    ]


def scored_list(source: Source) -> Scored:
    """Score all hypotheses by the metrics that can rank texts; the page ends until that is done."""
    settings = require_settings()
    reasons = {metric: lacking_on(metric, source.test_set) for metric in _ranking(settings)}
    for reason in filter(None, reasons.values()):
        say("warning", reason)
    if not (metrics := [metric for metric, reason in reasons.items() if not reason]):
        end("note", f"None of the metrics can rank hypotheses. {_OTHERS}")
    return awaited("nbest", _score, source, tuple(metrics), workers=settings.workers)


def _ranking(settings: Settings) -> list[Metric]:
    """Return the metrics that can rank texts; imported scores do not cover lists."""
    experiment = loaded_experiment()
    specs = ((one, METRICS.get(one.key)) for one in resolve(settings, () if experiment is None else experiment.given))
    return [one for one, spec in specs if spec is not None and spec.notation.has_direction and spec.scores_texts]


def in_report(settings: Settings) -> dict[str, Callable[[], Section]]:
    """Return functions that make the section of each list for a report, by name."""
    made: dict[str, Callable[[], Section]] = {}
    for source in sources_of(workspace()):
        if metrics := [metric for metric in _ranking(settings) if not lacking_on(metric, source.test_set)]:
            made[f"N-best list {source.document.name}"] = partial(_section, source, metrics, settings.workers)
    return made


def _section(source: Source, metrics: Sequence[Metric], workers: int) -> Section:
    scored = _score(source, metrics, means_of_computation(workers))
    name, summary = source.document.name, scored.summary
    parts = answers.oracles(summary, scored.metrics, name), answers.depth(summary, scored.metrics[0])
    return Section("nbest", f"N-best list {name}", parts=parts)


def _score(source: Source, metrics: Sequence[Metric], work: Work) -> Scored:
    scorers, n_segments = ListScorers.of(metrics, source.test_set), source.test_set.n_segments
    lists = parse_nbest(source.lines, source.document.name, n_segments)
    return Scored(source, scorers, summarize_lists(lists, scorers, n_segments, work))


def whole_file(scored: Scored) -> str:
    """Show the oracle scores by every metric, and details by a chosen one, whose key is returned."""
    show_section(answers.oracles(scored.summary, scored.metrics, scored.source.document.name))
    metric = choose("Metric", {key: METRICS[key].name for key in scored.metrics}, "nbest-metric", width=200)
    for half, section in zip(st.columns(2), (answers.depth, answers.places), strict=True):
        with half:
            show_section(section(scored.summary, metric))
    return metric


def opened_list(scored: Scored, metric: str) -> None:
    """Show the lists by what the decoder missed, and the hypotheses of the clicked one."""
    source, n_segments = scored.source, scored.source.test_set.n_segments
    lists = answers.missed(scored.summary, metric, source.test_set)
    name, _ = answers.beside(source.test_set, 0)
    rows = grid(lists, f"nbest-lists-{metric}", on_pick="rerun", sized=(name,), height=280)
    segment = int(lists.frame["Segment"].iloc[rows[0] if rows else 0]) - 1
    with errors_end_the_page():
        nbest = next(islice(parse_nbest(source.lines, source.document.name, n_segments), segment, None))
        (opened,) = score_lists([nbest], scored.scorers, n_segments, Work())
    for label, text in answers.texts_beside(source.test_set, segment):
        show(tag("p", tag("b", f"{label} of segment {segment + 1}: "), text))
    table = answers.opened(opened, metric).table
    assert table is not None
    show(tag("div", section_table(table), class_="mt-texts"))
    with st.container(horizontal=True):
        download("Download lists (CSV)", f"nbest-{metric}.csv", lists.values)
        download("Download hypotheses (CSV)", f"nbest-{metric}-{segment + 1}.csv", table.values)
