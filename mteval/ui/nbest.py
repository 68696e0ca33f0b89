"""The parts of the n-best page: which list, how good it could have been, and one segment's list."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pandas as pd
import streamlit as st

from mteval.analysis.nbest import CHOICES, ListScorers, NbestSummary, ScoredList, score_lists, summarize_lists
from mteval.analysis.work import Work
from mteval.base.digests import digest_of
from mteval.base.errors import MtevalError
from mteval.base.words import counted, counted_range
from mteval.figures.segments import depth_curve, place_histogram
from mteval.metrics import METRICS, lacking_on, resolve
from mteval.metrics.base import Metric
from mteval.readers import Document
from mteval.readers.formats.nbest import NbestList, parse_nbest
from mteval.readers.workspace import Workspace
from mteval.render.html import table, tag
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose
from mteval.ui.parts.tables import chart, show
from mteval.ui.session.progress import ask
from mteval.ui.setup.sidebar import settings_of_session
from mteval.ui.setup.workspace import loaded_experiment, workspace
from mteval.values.given import GivenMetric
from mteval.values.model import TestSet
from mteval.values.notation import fixed, percent

MOST_SHOWN = 100
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


@dataclass(frozen=True)
class Scored:
    """A list with what it was scored by, and what came out."""

    source: Source
    scorers: ListScorers
    summary: NbestSummary


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
    directed = {key for key, spec in METRICS.items() if spec.notation.has_direction and spec.scores_texts}
    metrics = _at_hand([metric for metric in resolve(settings, _given()) if metric.key in directed], source.test_set)
    if not metrics:
        messages.say("note", f"None of the metrics says which hypothesis of a list is better; {_OTHERS}")
        st.stop()
    key = f"nbest {digest_of(source.lines)} {source.test_set.digest} {metrics!r}"
    scored = ask("nbest", key, lambda work: _score(source, metrics, work), settings.workers)
    if scored is None:
        st.stop()
    return scored


def _at_hand(metrics: Sequence[Metric], test_set: TestSet) -> list[Metric]:
    """Those of the metrics that the test set has what they need for; of the others it is said."""
    missing = {metric: lacking_on(metric, test_set) for metric in metrics}
    for reason in filter(None, missing.values()):
        messages.say("warning", reason)
    return [metric for metric, reason in missing.items() if not reason]


def _given() -> tuple[GivenMetric, ...]:
    """Scores that came with the runs; the hypotheses of a list have none."""
    experiment = loaded_experiment()
    return () if experiment is None else experiment.given


def _score(source: Source, metrics: Sequence[Metric], work: Work) -> Scored:
    scorers = ListScorers.of(metrics, source.test_set)
    n_segments = source.test_set.n_segments
    lists = parse_nbest(source.lines, source.document.name, n_segments)
    return Scored(source, scorers, summarize_lists(lists, scorers, n_segments, work))


def choose_metric(scored: Scored) -> str:
    """The metric that the figures are about."""
    keys = [metric.key for metric in scored.scorers.metrics]
    return choose("Metric", keys, "nbest-metric", format_func=_name, width=200)


def oracle_table(scored: Scored) -> None:
    """How far the first hypotheses are from the best and the worst of each list, by every metric."""
    frame, lists = scored.summary.oracles, scored.summary.lists
    rows = []
    for metric in scored.scorers.metrics:
        scores = {row["choice"]: row["score"] for row in frame[frame["metric"] == metric.key].to_dict("records")}
        of_metric = lists[lists["metric"] == metric.key]
        first, oracle, worst = (float(scores[choice]) for choice in CHOICES)
        notation = METRICS[metric.key].notation
        rows.append(
            (
                notation.heading(_name(metric.key)),
                notation.number(first), notation.number(oracle), notation.difference(oracle - first),
                notation.number(worst), percent(float((of_metric["place"] == 1).mean()), 0),
                fixed(float(np.median(of_metric["place"])), 0),
            )
        )  # fmt: skip
    sizes = lists.groupby("segment")["size"].first()
    hypotheses = counted_range(sizes.tolist(), "hypothesis")
    caption = f"{counted(len(sizes), 'list')} of {hypotheses} ({scored.source.document.name})."
    head = ("Metric", "1-best", "Oracle", "Oracle − 1-best", "Worst", "1-best is the oracle", "Median place")
    show(table(head, rows, caption=caption, help_texts=_HELP))


_HELP = {
    "1-best": "Corpus score of the first hypothesis of each list, the decoder's choice.",
    "Oracle": "Corpus score of the hypothesis of each list with the best sentence score by this metric.",
    "Worst": "Corpus score of the hypotheses with the worst sentence scores.",
    "1-best is the oracle": "Lists whose first hypothesis no other beats by this metric.",
    "Median place": "Place of the oracle in the list, 1 for the first.",
}


def figures(scored: Scored, metric: str) -> None:
    """List depth against oracle score, and the places of the oracles."""
    depths, lists = scored.summary.depths, scored.summary.lists
    left, right = st.columns(2)
    with left:
        curve = depth_curve(depths[depths["metric"] == metric], _name(metric), METRICS[metric].notation)
        chart(curve, "depth")
        show(tag("p", "Oracle of the first hypotheses of each list: what a longer list would add.", class_="mt-quiet"))
    with right:
        chart(place_histogram(lists.loc[lists["metric"] == metric, "place"]), "places")
        show(
            tag(
                "p",
                "Where the decoder put the best hypothesis; its own choice has the other colour.",
                class_="mt-quiet",
            )
        )


def choose_segment(scored: Scored, metric: str) -> int:
    """The lists by what the decoder missed; the one that is clicked, else the first."""
    lists = scored.summary.lists
    ranked = lists[lists["metric"] == metric].sort_values("gain", ascending=False, kind="stable")
    notation = METRICS[metric].notation.coarser
    scores = {name: st.column_config.NumberColumn(format=notation.printf) for name in ("1-best", "Oracle", "Missed")}
    test_set, beside = scored.source.test_set, _beside_name(scored.source.test_set)
    shown = pd.DataFrame(
        {
            "Segment": ranked["segment"] + 1,
            beside: [_texts_beside(test_set, segment)[0] for segment in ranked["segment"]],
            "1-best": notation.rounded(ranked["first"]),
            "Oracle": notation.rounded(ranked["oracle"]),
            "Missed": notation.rounded(ranked["gain"]),
            "Place": ranked["place"],
        }
    )
    selected = st.dataframe(
        shown, hide_index=True, height=280, on_select="rerun", selection_mode="single-row", key=f"nbest-lists-{metric}",
        column_config={beside: st.column_config.TextColumn(width="large"), **scores},
    )  # fmt: skip
    rows = selected["selection"]["rows"]
    return int(ranked["segment"].iloc[rows[0] if rows and rows[0] < len(ranked) else 0])


def _beside_name(test_set: TestSet) -> str:
    """What hypotheses are read beside."""
    return "Reference" if test_set.has_references else "Source"


def _texts_beside(test_set: TestSet, segment: int) -> tuple[str, ...]:
    """The references of a segment, else its source."""
    return test_set.references[segment] or ((test_set.source or ("",) * test_set.n_segments)[segment],)


def opened_list(scored: Scored, segment: int, metric: str) -> None:
    """One segment's list, best first by the metric."""
    source = scored.source
    try:
        ranked = _list_of(source, segment)
        (opened,) = score_lists([ranked], scored.scorers, source.test_set.n_segments, Work())
    except MtevalError as error:
        messages.say("error", str(error))
        return
    for text in _texts_beside(source.test_set, segment):
        show(tag("p", tag("b", f"{_beside_name(source.test_set)} of segment {segment + 1}: "), text))
    order = opened.metrics[metric].order[:MOST_SHOWN].tolist()
    keys = list(opened.metrics)
    head = ("Hypothesis", "Place", "Decoder", *(_name(key) for key in keys))
    caption = f"Best first by {_name(metric)}."
    if len(ranked.entries) > MOST_SHOWN:
        caption += f" The first {MOST_SHOWN} of {len(ranked.entries):,}."
    rows = [_row(opened, entry, keys) for entry in order]
    show(tag("div", table(head, rows, caption=caption), class_="mt-texts"))


def _row(found: ScoredList, place: int, keys: Sequence[str]) -> tuple[str, ...]:
    entry = found.nbest.entries[place]
    text = entry.hypothesis if place else tag("b", entry.hypothesis)
    scores = (METRICS[key].notation.coarser.number(float(found.metrics[key].scores[place])) for key in keys)
    return (text, str(place + 1), fixed(entry.total, 2), *scores)


def _list_of(source: Source, segment: int) -> NbestList:
    lists = parse_nbest(source.lines, source.document.name, source.test_set.n_segments)
    return next(islice(lists, segment, None))


def _name(metric: str) -> str:
    return METRICS[metric].name
