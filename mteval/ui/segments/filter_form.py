"""Filters of the segments, including kinds and bookmarks; all stand in the address."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mteval.analysis.segments import table as of_segments
from mteval.analysis.segments.runs import CONSISTENT_SHARE
from mteval.analysis.segments.table import Agreement, Outputs, Partition, SegmentFilter, Stream
from mteval.analysis.words.questions import Terms, WordData, term_accuracy
from mteval.answers.segments import SegmentData
from mteval.ui.elements import IN_ADDRESS, as_label, choose, choose_some, keep_among
from mteval.ui.page import settings_of_session
from mteval.ui.segments.table import open_what_is_found
from mteval.ui.segments.words import session_terms, word_data
from mteval.ui.session.memory import made_once
from mteval.ui.setup.address import bookmarked, key_of, turn
from mteval.ui.setup.entry import keep_loaded
from mteval.ui.setup.workspace import labels
from mteval.values.model import TestSet
from mteval.values.notation import level

LENGTH, RARITY, DOCUMENT, LABEL = "length", "rarity of the words", "document", "label "
KIND, BUCKET = "seg-kind", "seg-bucket"
ANY = "any"


def ways(data: SegmentData) -> list[str]:
    """Return how segments can be grouped."""
    documents = [DOCUMENT] if data.test_set.documents is not None else []
    of_texts = [LENGTH, RARITY] if data.test_set.has_texts and of_segments.yardstick(data.test_set) else []
    return [*of_texts, *documents, *(f"{LABEL}{name}" for name in data.test_set.side)]


def partition(data: SegmentData, way: str) -> Partition:
    """Return the groups of segments."""
    return made_once(_partition, data.test_set, way)


def _partition(test_set: TestSet, way: str) -> Partition:
    if way == LENGTH:
        return of_segments.by_length(of_segments.yardstick_words(test_set))
    if way == RARITY:
        return of_segments.by_parts(of_segments.rarity(test_set), "bits")
    labels = test_set.documents if way == DOCUMENT else test_set.side[way.removeprefix(LABEL)]
    return of_segments.by_label(labels or ())


def _choose_kind(data: SegmentData) -> None:
    """Draw the widgets that choose a group."""
    which, bucket = st.columns(2)
    way = choose("Segments by", [ANY, *ways(data)], KIND, where=which)
    names = list(partition(data, way).names) if way != ANY else []
    keep_among(names, BUCKET, None)
    bucket.selectbox("which are", names, index=None, key=BUCKET, placeholder="any", disabled=way == ANY, **IN_ADDRESS)


def _chosen_kind() -> tuple[str, str] | None:
    """Return the chosen grouping and group, if any."""
    way, bucket = st.session_state[KIND], st.session_state[BUCKET]
    return None if way == ANY or bucket is None else (way, bucket)


def bookmark_button(data: SegmentData, segment: int) -> None:
    """Show the button that adds or removes a bookmark."""
    is_marked = segment in bookmarked(data.test_set)

    def turn_it() -> None:
        turn(data.test_set, segment)
        keep_bookmarks()

    st.button(
        "Bookmarked" if is_marked else "Bookmark", key="bookmark", on_click=turn_it, shortcut="B",
        icon=":material/bookmark:" if is_marked else ":material/bookmark_add:",
        type="secondary" if is_marked else "tertiary",
        help="Remove the bookmark." if is_marked else "Bookmarks are saved with the experiment.",
    )  # fmt: skip


def keep_bookmarks() -> None:
    """In a callback: save bookmarks at once, since this part of the page is redrawn alone."""
    keep_loaded(settings_of_session())


AGREEMENT_NAMES: dict[Agreement, str] = {
    "all": "any", "better": "consistently better", "worse": "consistently worse", "luck": "luck of these two {runs}",
}  # fmt: skip
IDENTITY_NAMES: dict[Outputs, str] = {"all": "any", "different": "different", "identical": "identical"}
AGREEMENT_HELP = (
    f"Consistent: one system is better in at least {level(CONSISTENT_SHARE)} of all pairs of {{runs}}. Luck: these two"
    f" {{runs}} differ, but at most {level(of_segments.LUCK_SHARE)} of all pairs differ that way."
)
REPEAT, REQUIRED = "seg-repeats", "seg-required"
REPEATS: dict[of_segments.Repeats, str] = {"all": "any", "repeated": "repeated only", "first": "first occurrences"}
TERM_WAYS = {ANY: ANY, "required": "with a required term", "lacking": "with a term that a run lacks"}
NGRAM, WHERE, ONLY_MARKED, LABELLED = "seg-ngram", "seg-where", "seg-only-marked", "seg-labelled"
NOTHING: dict[str, Any] = {
    "seg-text": "", "seg-in": "any", "seg-say": "all", "seg-runs-say": "all", "seg-from": None, "seg-to": None,
    "seg-shortest": None, "seg-longest": None, "seg-documents": [], NGRAM: "", WHERE: "differs", KIND: ANY,
    BUCKET: None, ONLY_MARKED: False, LABELLED: [], REPEAT: "all", REQUIRED: ANY,
}  # fmt: skip
NGRAM_WAYS = {"differs": "matched more often by one output", "missed": "without a match"}


def filter_form(data: SegmentData, metric: str) -> SegmentFilter:
    """Draw the filters and return them."""
    has_texts = data.test_set.has_texts
    text, stream, agreement, outputs, more = st.columns([3, 2, 2, 2, 1.4], vertical_alignment="bottom")
    wanted, find = "", open_what_is_found
    if has_texts or data.test_set.source is not None:
        wanted = text.text_input("Find", key="seg-text", placeholder="any text", on_change=find, **IN_ADDRESS)
    where = _stream(data, stream) if has_texts else "any"
    filled = data.runs.filled
    sayings = {say: filled(name) for say, name in AGREEMENT_NAMES.items()}
    says = choose(filled("All {runs} say"), sayings, "seg-runs-say", where=agreement, help=filled(AGREEMENT_HELP))
    identity: Outputs = choose("The two outputs", IDENTITY_NAMES, "seg-say", where=outputs) if has_texts else "all"
    with more.popover("More", icon=":material/filter_list:", width="stretch"):
        notation = data.results.spec(metric).notation
        improvement = notation.axis(f"Improvement in {as_label(data.scored_by(metric).metric.name)}")
        least, most = _range(improvement, "seg-from", "seg-to")
        measured = of_segments.yardstick(data.test_set) if has_texts else ""
        bounds = _range(f"Words of the {measured}", "seg-shortest", "seg-longest") if measured else (None, None)
        every = list(dict.fromkeys(data.test_set.documents or ()))
        documents = choose_some("Documents", every, "seg-documents", placeholder="all") if every else []
        _choose_kind(data)
        if data.compares_words:  # the clicked word or n-gram and its condition
            field, matter = st.columns(2)
            field.text_input("Word or n-gram", key=NGRAM, **IN_ADDRESS)
            matter.selectbox("where it is", NGRAM_WAYS, format_func=NGRAM_WAYS.__getitem__, key=WHERE, **IN_ADDRESS)
        one, other = st.columns(2)
        choose("Repeated sources" if data.test_set.source else "Repeated references", REPEATS, REPEAT, where=one)
        if data.compares_words and session_terms(data) is not None:  # a list of the Words tab
            choose("Required terms", TERM_WAYS, REQUIRED, where=other)
        field, alone = st.columns([2, 1], vertical_alignment="bottom")
        field.text_input(
            "Bookmarked segments", key=key_of(data.test_set), placeholder="none", on_change=keep_bookmarks,
            help="Saved with the experiment and in the page's address.", **IN_ADDRESS,
        )  # fmt: skip
        alone.checkbox("only these", key=ONLY_MARKED, **IN_ADDRESS)
        if named := sorted({*labels(data.test_set.name).values()}):
            choose_some("Labels", named, LABELLED, in_address=False, placeholder="any")
    return SegmentFilter(metric, least, most, *bounds, tuple(documents), wanted or "", where, identity, says)


def _with_terms(about: WordData, terms: Terms, way: str) -> "np.typing.NDArray[np.bool_]":
    """Return which segments require a term, or have outputs without all of them."""
    _, counts = term_accuracy(about.test_set, about.systems, terms)
    required = counts[about.baseline][0, :, 0, 2] > 0
    lacking = np.any([(one[:, :, 0, 0] < one[:, :, 0, 2]).any(axis=0) for one in counts.values()], axis=0)
    return np.asarray(required if way == "required" else lacking)


def _stream(data: SegmentData, where: DeltaGenerator) -> Stream:
    left, right = data.names
    names: dict[Stream, str] = {
        "any": "anywhere", "source": "in the source", "reference": "in the references",
        "baseline": f"in the output of {left}", "system": f"in the output of {right}",
    }  # fmt: skip
    offered = {stream: name for stream, name in names.items() if stream in ("any", *data.texts.streams)}
    return choose("Where", offered, "seg-in", where=where)


def _range(label: str, low: str, high: str) -> tuple[float | None, float | None]:
    left, right = st.columns(2)
    least = left.number_input(f"{label}: at least", value=None, format="%g", key=low, **IN_ADDRESS)
    most = right.number_input("at most", value=None, format="%g", key=high, **IN_ADDRESS)
    return least, most


def beyond_the_form(data: SegmentData) -> "np.typing.NDArray[np.bool_]":
    """Return which segments meet the clicked conditions (kind, n-gram, bookmark); shape ``(segments,)``."""
    holds = np.ones(data.test_set.n_segments, dtype=bool)
    kind, ngram = _chosen_kind(), _wanted_ngram(data)
    if st.session_state[ONLY_MARKED]:
        holds &= np.isin(np.arange(len(holds)), bookmarked(data.test_set))
    if wanted := st.session_state.get(LABELLED):
        kept = labels(data.test_set.name)
        holds &= np.array([kept.get(str(number + 1)) in wanted for number in range(len(holds))])
    if (repeats := st.session_state.get(REPEAT, "all")) != "all":
        is_repeated, is_first = made_once(of_segments.repeated, data.test_set)
        holds &= is_repeated if repeats == "repeated" else is_first
    if (way := st.session_state.get(REQUIRED, ANY)) != ANY and (terms := session_terms(data)) is not None:
        holds &= made_once(_with_terms, word_data(data), terms, way)
    if kind is not None:
        parts = partition(data, kind[0])
        holds &= parts.places == parts.names.index(kind[1])
    if ngram:
        holds &= word_data(data).segments_with(tuple(ngram.split(" ")), st.session_state[WHERE])
    return holds


def clicked_in_words(data: SegmentData) -> str:
    """Describe the clicked conditions."""
    kind, ngram = _chosen_kind(), _wanted_ngram(data)
    marked = "bookmarked only" if st.session_state[ONLY_MARKED] else ""
    told = [": ".join(kind or ()), f"“{ngram}” {NGRAM_WAYS[st.session_state[WHERE]]}" if ngram else "", marked]
    return "; ".join(filter(None, told))


def _wanted_ngram(data: SegmentData) -> str:
    """Return the n-gram in the field; empty if words are not compared and there is no field."""
    return (st.session_state.get(NGRAM) or "") if data.compares_words else ""


def filter_alone(conditions: Mapping[str, str]) -> None:
    """In a callback: make these the only conditions."""
    clear_filters()
    open_what_is_found()
    st.session_state.update(conditions)


def clear_filters() -> None:
    """In a callback: reset all filters.

    A value that is only forgotten would come back from the address.
    """
    st.session_state.update(NOTHING)
