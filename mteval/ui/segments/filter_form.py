"""Kinds of segments: ways to part a test set, and the condition that a segment is of one of the kinds.

Bookmarks of segments: a button at the open one, and where they are kept.

The widgets that say which segments are looked at; all of them stand in the address.
"""

from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mteval.analysis.segments.evidence import segments_with
from mteval.analysis.segments.filters import (
    Agreement,
    Outputs,
    Partition,
    SegmentFilter,
    Stream,
    by_label,
    by_length,
    by_parts,
    rarity,
)
from mteval.analysis.segments.runs import CONSISTENT_SHARE, LUCK_SHARE
from mteval.analysis.segments.table import yardstick, yardstick_words
from mteval.base.arrays import IntArray
from mteval.ui.parts.choices import IN_ADDRESS, choose, choose_some, keep_among
from mteval.ui.parts.tables import as_label
from mteval.ui.segments.compared_runs import SegmentData
from mteval.ui.segments.steps import open_what_is_found
from mteval.ui.session.memory import remembered
from mteval.ui.setup.address import bookmarked, key_of, turn
from mteval.ui.setup.entry import keep_loaded
from mteval.ui.setup.sidebar import settings_of_session
from mteval.values.notation import level

LENGTH, RARITY, DOCUMENT, LABEL = "length", "rarity of the words", "document", "label "
KIND, BUCKET = "seg-kind", "seg-bucket"
ANY = "any"


def ways(data: SegmentData) -> list[str]:
    """How the segments can be parted."""
    documents = [DOCUMENT] if data.test_set.documents is not None else []
    of_texts = [LENGTH, RARITY] if data.test_set.has_texts and yardstick(data.test_set) else []
    return [*of_texts, *documents, *(f"{LABEL}{name}" for name in data.test_set.side)]


def partition(data: SegmentData, way: str) -> Partition:
    """The segments by kind."""
    return remembered((data.key, "partition", way), lambda: _partition(data, way))


def _partition(data: SegmentData, way: str) -> Partition:
    if way == LENGTH:
        return by_length(yardstick_words(data.test_set))
    if way == RARITY:
        return by_parts(rarity(data.test_set), "bits")
    if way == DOCUMENT:
        return by_label(data.test_set.documents or ())
    return by_label(data.test_set.side[way.removeprefix(LABEL)])


def choose_kind(data: SegmentData) -> None:
    """The widgets of the condition; they stand in the address."""
    which, bucket = st.columns(2)
    way = choose("Segments by", [ANY, *ways(data)], KIND, where=which)
    names = list(partition(data, way).names) if way != ANY else []
    keep_among(names, BUCKET, None)
    bucket.selectbox("which are", names, index=None, key=BUCKET, placeholder="any", disabled=way == ANY, **IN_ADDRESS)


def of_kind(data: SegmentData) -> npt.NDArray[np.bool_] | None:
    """Which segments are of the chosen kind, shape ``(segments,)``; None where none is chosen."""
    way, bucket = st.session_state[KIND], st.session_state[BUCKET]
    if way == ANY or bucket is None:
        return None
    parts = partition(data, way)
    inside: npt.NDArray[np.bool_] = parts.places == parts.names.index(bucket)
    return inside


def kind_in_words() -> str:
    """The condition, for the line that says what is filtered; empty where there is none."""
    way, bucket = st.session_state[KIND], st.session_state[BUCKET]
    return "" if way == ANY or bucket is None else f"{way}: {bucket}"


def bookmark_button(data: SegmentData, segment: int) -> None:
    """Bookmark the open segment, or take its bookmark away."""
    is_marked = segment in bookmarked(data.test_set)
    st.button(
        "Bookmarked" if is_marked else "Bookmark",
        key="bookmark",
        icon=":material/bookmark:" if is_marked else ":material/bookmark_add:",
        type="secondary" if is_marked else "tertiary",
        help=f"{'Takes the bookmark away' if is_marked else 'To find it again'}; kept with the experiment.",
        shortcut="B",
        on_click=_turn,
        args=(data, segment),
    )


def _turn(data: SegmentData, segment: int) -> None:
    turn(data.test_set, segment)
    keep_bookmarks()


def keep_bookmarks() -> None:
    """Keep them with the experiment at once: this part of the page is drawn without the rest. A callback."""
    keep_loaded(settings_of_session())


OUTPUT_NAMES: dict[Outputs, str] = {"all": "any", "different": "different", "identical": "identical"}
AGREEMENT_NAMES: dict[Agreement, str] = {
    "all": "any",
    "better": "consistently better",
    "worse": "consistently worse",
    "luck": "luck of these two runs",
}
AGREEMENT_HELP = (
    f"Consistent: in {level(CONSISTENT_SHARE)} or more of the pairs of a run of each system the one is better. Luck of"
    f" these two runs: they differ, and at most {level(LUCK_SHARE)} of the pairs differ in that direction."
)
NGRAM, WHERE, ONLY_MARKED = "seg-ngram", "seg-where", "seg-only-marked"
NOTHING: dict[str, Any] = {
    "seg-text": "", "seg-in": "any", "seg-say": "all", "seg-runs-say": "all", "seg-from": None, "seg-to": None,
    "seg-shortest": None, "seg-longest": None, "seg-documents": [], NGRAM: "", WHERE: "differs", KIND: ANY,
    BUCKET: None, ONLY_MARKED: False,
}  # fmt: skip
NGRAM_WAYS = {"differs": "matched more often by one output", "missed": "without a match"}


def filter_form(data: SegmentData, metric: str) -> SegmentFilter:
    """Draw the widgets and give what they say."""
    has_texts = data.test_set.has_texts
    text, stream, agreement, outputs, more = st.columns([3, 2, 2, 2, 1.4], vertical_alignment="bottom")
    wanted = ""
    if has_texts or data.test_set.source is not None:
        wanted = text.text_input(
            "Find", key="seg-text", placeholder="text in any case", on_change=open_what_is_found, **IN_ADDRESS
        )
    where = _stream(data, stream) if has_texts else "any"
    says = choose(
        data.said("All runs say"),
        get_args(Agreement),
        "seg-runs-say",
        where=agreement,
        format_func=lambda say: data.said(AGREEMENT_NAMES[say]),
        help=data.said(AGREEMENT_HELP),
    )
    identity = _outputs(outputs) if has_texts else "all"
    with more.popover("More", icon=":material/filter_list:", width="stretch"):
        notation = data.results.spec(metric).notation
        least, most = _range(
            notation.axis(f"Improvement in {as_label(data.scored_by(metric).metric.name)}"), "seg-from", "seg-to"
        )
        measured = yardstick(data.test_set) if has_texts else ""
        bounds = _range(f"Words of the {measured}", "seg-shortest", "seg-longest") if measured else (None, None)
        documents = _documents(data)
        choose_kind(data)
        if data.compares_words:
            _ngram_field()
        _bookmarks(data)
    return SegmentFilter(metric, least, most, *bounds, tuple(documents), wanted or "", where, identity, says)


def _stream(data: SegmentData, where: DeltaGenerator) -> Stream:
    streams = [stream for stream in get_args(Stream) if stream in ("any", *data.texts.streams)]
    left, right = data.names
    names = {
        "any": "anywhere",
        "source": "in the source",
        "reference": "in the references",
        "baseline": f"in the output of {left}",
        "system": f"in the output of {right}",
    }
    return choose("Where", streams, "seg-in", where=where, format_func=names.__getitem__)


def _outputs(where: DeltaGenerator) -> Outputs:
    return choose("The two outputs", get_args(Outputs), "seg-say", where=where, format_func=OUTPUT_NAMES.__getitem__)


def _range(label: str, low: str, high: str) -> tuple[float | None, float | None]:
    left, right = st.columns(2)
    least = left.number_input(f"{label}: at least", value=None, format="%g", key=low, **IN_ADDRESS)
    most = right.number_input("at most", value=None, format="%g", key=high, **IN_ADDRESS)
    return least, most


def _documents(data: SegmentData) -> list[str]:
    if data.test_set.documents is None:
        return []
    documents = list(dict.fromkeys(data.test_set.documents))
    return choose_some("Documents", documents, "seg-documents", placeholder="all")


def _ngram_field() -> None:
    """The word or n-gram that was clicked, with what has to be the matter with it."""
    field, where = st.columns(2)
    field.text_input("Word or n-gram", key=NGRAM, **IN_ADDRESS)
    where.selectbox("where it is", NGRAM_WAYS, format_func=NGRAM_WAYS.__getitem__, key=WHERE, **IN_ADDRESS)


def _bookmarks(data: SegmentData) -> None:
    """The segments that are bookmarked, and whether to see them alone."""
    field, alone = st.columns([2, 1], vertical_alignment="bottom")
    field.text_input(
        "Bookmarked segments", key=key_of(data.test_set), placeholder="none", on_change=keep_bookmarks,
        help="Kept with the experiment, and in the address of the page.", **IN_ADDRESS,
    )  # fmt: skip
    alone.checkbox("only these", key=ONLY_MARKED, **IN_ADDRESS)


def beyond_the_form(data: SegmentData) -> "np.typing.NDArray[np.bool_]":
    """Which segments meet the conditions that come from a click: kind, n-gram, bookmark; shape ``(segments,)``."""
    holds = np.ones(data.test_set.n_segments, dtype=bool)
    kind, with_ngram = of_kind(data), _of_ngram(data)
    if st.session_state[ONLY_MARKED]:
        holds &= np.isin(np.arange(len(holds)), bookmarked(data.test_set))
    if kind is not None:
        holds &= kind
    if with_ngram is not None:
        holds &= np.isin(np.arange(len(holds)), with_ngram)
    return holds


def clicked_in_words(data: SegmentData) -> str:
    """The conditions that come from a click, for the line that says what is filtered."""
    ngram = _wanted_ngram(data)
    marked = "bookmarked ones alone" if st.session_state[ONLY_MARKED] else ""
    told = [kind_in_words(), f"“{ngram}” {NGRAM_WAYS[st.session_state[WHERE]]}" if ngram else "", marked]
    return "; ".join(filter(None, told))


def _of_ngram(data: SegmentData) -> IntArray | None:
    """The segments of the n-gram in the field; None where it is empty."""
    ngram = _wanted_ngram(data)
    if not ngram:
        return None
    where = st.session_state[WHERE]
    aligned = data.unmatched() if where == "missed" else None
    if aligned is not None:
        return aligned.segments_with(ngram)
    return segments_with(data.ngrams(), tuple(ngram.split(" ")), where)


def _wanted_ngram(data: SegmentData) -> str:
    """What stands in the field; nothing where no words are compared, and there is no field."""
    return (st.session_state.get(NGRAM) or "") if data.compares_words else ""


def filter_by_kind(way: str, bucket: str) -> None:
    """Let this be the only condition. A callback."""
    clear_filters()
    open_what_is_found()
    st.session_state[KIND], st.session_state[BUCKET] = way, bucket


def filter_by_ngram(ngram: str, where: str) -> None:
    """Let this be the only condition. A callback."""
    clear_filters()
    open_what_is_found()
    st.session_state[NGRAM], st.session_state[WHERE] = ngram, where


def clear_filters() -> None:
    """Have all widgets say nothing. A callback: it runs before they are drawn.

    A value that is only forgotten would come back from the address.
    """
    for key, nothing in NOTHING.items():
        st.session_state[key] = nothing
