"""The parts of the n-best page: which list, how good it could have been, and one segment's list."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import streamlit as st

from mteval.analysis.nbest import ListScorers, NbestSummary, score_lists, summarize_lists
from mteval.analysis.work import Work
from mteval.answers import nbest as answers
from mteval.base.digests import digest_of
from mteval.base.errors import MtevalError
from mteval.metrics import METRICS, lacking_on, resolve
from mteval.metrics.base import Metric
from mteval.readers.documents import Document
from mteval.readers.formats.nbest import parse_nbest
from mteval.readers.workspace import Workspace
from mteval.render.html import section_table, tag
from mteval.ui.page import settings_of_session
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose
from mteval.ui.parts.section import grid, show_section
from mteval.ui.parts.tables import show
from mteval.ui.session.memory import deciding
from mteval.ui.session.progress import made_beside
from mteval.ui.setup.workspace import loaded_experiment, workspace
from mteval.values.model import TestSet

_OTHERS = (
    "choose another in the sidebar: one that compares with references where there are some, else a model that reads"
    " sources alone. Scores that came with the outputs are not of the hypotheses of a list."
)


@dataclass(frozen=True)
class Source:
    """An n-best list with the test set whose segments it is for."""

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
    """A list with what it was scored by, and what came out."""

    source: Source
    scorers: ListScorers
    summary: NbestSummary

    @property
    def metrics(self) -> list[str]:
        """Keys of what it was scored by."""
        return [metric.key for metric in self.scorers.metrics]


def choose_list() -> Source:
    """One of the experiment's lists; where it has none, the page ends with how to load one."""
    loaded = workspace()
    sources = sources_of(loaded)
    if not sources:
        unknown = loaded.assembly.nbest if loaded.documents else ()
        why = f"{', '.join(unknown)}: its test set is not loaded." if unknown else "No n-best list is loaded."
        messages.say(
            "note",
            f"{why} Drop a list of Moses or cdec on the Load page, beside the outputs of its test set and references or"
            " sources; lines are “id ||| hypothesis ||| features ||| score”, ids from 0.",
        )
        st.stop()
    if len(sources) == 1:
        return sources[0]
    by_name = {source.document.name: source for source in sources}
    return by_name[choose("List", list(by_name), "nbest-list", width=360)]


def sources_of(loaded: Workspace) -> list[Source]:
    """The lists whose test set is there."""
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
    """All hypotheses scored by the metrics that can rank texts; the page ends here until they are."""
    settings = settings_of_session()
    if settings is None:
        messages.say("warning", "The settings in the sidebar cannot be used as they are; see the message there.")
        st.stop()
    experiment = loaded_experiment()
    metrics = []
    for metric in resolve(settings, () if experiment is None else experiment.given):
        spec = METRICS.get(metric.key)  # scores that came with the runs have none: hypotheses of a list have no such
        if spec is None or not (spec.notation.has_direction and spec.scores_texts):
            continue
        reason = lacking_on(metric, source.test_set)
        if reason:
            messages.say("warning", reason)
        else:
            metrics.append(metric)
    if not metrics:
        messages.say("note", f"None of the metrics says which hypothesis of a list is better; {_OTHERS}")
        st.stop()
    scored = made_beside("nbest", _score, source, tuple(metrics), workers=settings.workers)
    if scored is None:
        st.stop()
    return scored


def _score(source: Source, metrics: Sequence[Metric], work: Work) -> Scored:
    scorers = ListScorers.of(metrics, source.test_set)
    n_segments = source.test_set.n_segments
    lists = parse_nbest(source.lines, source.document.name, n_segments)
    return Scored(source, scorers, summarize_lists(lists, scorers, n_segments, work))


def whole_file(scored: Scored) -> str:
    """How good the lists could have been by every metric, and closer by one of them, which is given."""
    show_section(answers.oracles(scored.summary, scored.metrics, scored.source.document.name))
    metric = choose("Metric", scored.metrics, "nbest-metric", format_func=lambda key: METRICS[key].name, width=200)
    for half, section in zip(st.columns(2), (answers.depth, answers.places), strict=True):
        with half:
            show_section(section(scored.summary, metric))
    return metric


def opened_list(scored: Scored, metric: str) -> None:
    """The lists by what the decoder missed, and the one that is clicked, else the first, best first by the metric."""
    source, n_segments = scored.source, scored.source.test_set.n_segments
    lists = answers.missed(scored.summary, metric, source.test_set)
    name, _ = answers.beside(source.test_set, 0)
    rows = grid(lists, f"nbest-lists-{metric}", on_pick="rerun", sized=(name,), height=280)
    segment = int(lists.frame["Segment"].iloc[rows[0] if rows and rows[0] < len(lists.frame) else 0]) - 1
    try:
        nbest = next(islice(parse_nbest(source.lines, source.document.name, n_segments), segment, None))
        (opened,) = score_lists([nbest], scored.scorers, n_segments, Work())
    except MtevalError as error:
        messages.say("error", str(error))
        return
    for text in answers.beside(source.test_set, segment)[1]:
        show(tag("p", tag("b", f"{name} of segment {segment + 1}: "), text))
    table = answers.opened(opened, metric).table
    assert table is not None
    show(tag("div", section_table(table), class_="mt-texts"))
