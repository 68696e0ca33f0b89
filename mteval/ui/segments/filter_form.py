"""Filters of the segments, including kinds and bookmarks; all stand in the address."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mteval.analysis.segments import table as of_segments
from mteval.analysis.segments.runs import CONSISTENT_SHARE
from mteval.analysis.segments.table import Agreement, Outputs, Partition, SegmentFilter, Stream
from mteval.analysis.words.one_system import over_runs
from mteval.analysis.words.questions import Terms, WordData, term_accuracy
from mteval.answers.segments import SegmentData
from mteval.base.arrays import BoolArray, FloatArray
from mteval.ui.elements import IN_ADDRESS, as_label, choose, choose_some, keep_among
from mteval.ui.page import settings_of_session
from mteval.ui.segments.table import open_what_is_found
from mteval.ui.segments.words import session_terms, word_data
from mteval.ui.session.memory import made_once
from mteval.ui.setup.address import bookmarked, key_of, toggle_bookmark
from mteval.ui.setup.entry import keep_loaded
from mteval.ui.setup.workspace import labels
from mteval.values.model import TestSet
from mteval.values.notation import level

# Ways to group segments; labels are followed by their name
LENGTH = "length"
RARITY = "rarity of the words"
DOCUMENT = "document"
LABEL = "label "
ANY = "any"

# Keys of the session's state
KIND = "seg-kind"
BUCKET = "seg-bucket"
REPEAT = "seg-repeats"
REQUIRED = "seg-required"
LEAST = "seg-from"
MOST = "seg-to"
NGRAM = "seg-ngram"
WHERE = "seg-where"
ONLY_MARKED = "seg-only-marked"
LABELLED = "seg-labelled"

# The state without any filter
CLEARED: dict[str, Any] = {
    "seg-text": "",
    "seg-in": "any",
    "seg-say": "all",
    "seg-runs-say": "all",
    LEAST: None,
    MOST: None,
    "seg-shortest": None,
    "seg-longest": None,
    "seg-documents": [],
    NGRAM: "",
    WHERE: "differs",
    KIND: ANY,
    BUCKET: None,
    ONLY_MARKED: False,
    LABELLED: [],
    REPEAT: "all",
    REQUIRED: ANY,
}

AGREEMENT_NAMES: dict[Agreement, str] = {
    "all": "any",
    "better": "consistently better",
    "worse": "consistently worse",
    "luck": "luck of these two {runs}",
}
AGREEMENT_HELP = (
    f"Consistent: one system is better in at least {level(CONSISTENT_SHARE)} of all pairs of {{runs}}. Luck: these two"
    f" {{runs}} differ, but at most {level(of_segments.LUCK_SHARE)} of all pairs differ that way."
)
IDENTITY_NAMES: dict[Outputs, str] = {"all": "any", "different": "different", "identical": "identical"}
REPEAT_NAMES: dict[of_segments.Repeats, str] = {
    "all": "any",
    "repeated": "repeated only",
    "first": "first occurrences",
}
TERM_NAMES = {ANY: ANY, "required": "with a required term", "lacking": "with a term that a run lacks"}
NGRAM_NAMES = {"differs": "matched more often by one output", "missed": "without a match"}


def filter_form(data: SegmentData, metric: str) -> SegmentFilter:
    """Draw the filters and return them."""
    has_texts = data.test_set.has_texts
    text_place, stream_place, agreement_place, identity_place, more_place = st.columns(
        [3, 2, 2, 2, 1.4], vertical_alignment="bottom"
    )
    text = ""
    if has_texts or data.test_set.source is not None:
        text = text_place.text_input(
            "Find", key="seg-text", placeholder="any text", on_change=open_what_is_found, **IN_ADDRESS
        )
    stream: Stream = "any"
    if has_texts:
        stream = _choose_stream(data, stream_place)
    filled = data.runs.filled
    agreement: Agreement = "all"
    if not data.is_alone:
        agreement = choose(
            filled("All {runs} say"),
            {agreement: filled(name) for agreement, name in AGREEMENT_NAMES.items()},
            "seg-runs-say",
            where=agreement_place,
            help=filled(AGREEMENT_HELP),
        )
    identity: Outputs = "all"
    if has_texts and not data.is_alone:
        identity = choose("The two outputs", IDENTITY_NAMES, "seg-say", where=identity_place)
    with more_place.popover("More", icon=":material/filter_list:", width="stretch"):
        notation = data.results.spec(metric).notation
        bounded = as_label(data.scored_by(metric).metric.name)
        if not data.is_alone:
            bounded = f"Improvement in {bounded}"
        least, most = _range(notation.axis(bounded), LEAST, MOST)
        shortest: float | None = None
        longest: float | None = None
        measured = of_segments.yardstick(data.test_set) if has_texts else ""
        if measured:
            shortest, longest = _range(f"Words of the {measured}", "seg-shortest", "seg-longest")
        names = list(dict.fromkeys(data.test_set.documents or ()))
        documents: list[str] = []
        if names:
            documents = choose_some("Documents", names, "seg-documents", placeholder="all")
        _draw_further_conditions(data)
    return SegmentFilter(
        metric,
        least=least,
        most=most,
        shortest=shortest,
        longest=longest,
        documents=tuple(documents),
        text=text or "",
        stream=stream,
        outputs=identity,
        agreement=agreement,
        bounded=_mean_scores(data, metric) if data.is_alone else None,
    )


def _mean_scores(data: SegmentData, metric: str) -> FloatArray:
    """Return the mean over runs of each segment's score, of the only system; shape ``(segments,)``."""
    return made_once(over_runs, data.scored_by(metric), data.system.system)["mean_score"].to_numpy()


def _choose_stream(data: SegmentData, place: DeltaGenerator) -> Stream:
    """Choose which texts are searched."""
    names: dict[Stream, str] = {
        "any": "anywhere",
        "source": "in the source",
        "reference": "in the references",
    }
    for side in data.sides:
        names[side.key] = f"in the output of {side.name}"
    offered = {stream: name for stream, name in names.items() if stream in ("any", *data.texts.streams)}
    return choose("Where", offered, "seg-in", where=place)


def _range(label: str, low: str, high: str) -> tuple[float | None, float | None]:
    """Choose both ends of a range, by their keys; None for an open end."""
    left, right = st.columns(2)
    least = left.number_input(f"{label}: at least", value=None, format="%g", key=low, **IN_ADDRESS)
    most = right.number_input("at most", value=None, format="%g", key=high, **IN_ADDRESS)
    return least, most


def _draw_further_conditions(data: SegmentData) -> None:
    """Draw the widgets that ``beyond_the_form`` reads from the session's state."""
    _draw_kind(data)
    if data.compares_words:  # the clicked word or n-gram and its condition
        ngram_place, where_place = st.columns(2)
        ngram_place.text_input("Word or n-gram", key=NGRAM, **IN_ADDRESS)
        where_place.selectbox("where it is", NGRAM_NAMES, format_func=NGRAM_NAMES.__getitem__, key=WHERE, **IN_ADDRESS)
    repeat_place, term_place = st.columns(2)
    repeat_label = "Repeated sources" if data.test_set.source else "Repeated references"
    choose(repeat_label, REPEAT_NAMES, REPEAT, where=repeat_place)
    if data.compares_words and session_terms(data) is not None:  # a list of the Words tab
        choose("Required terms", TERM_NAMES, REQUIRED, where=term_place)
    bookmark_place, only_place = st.columns([2, 1], vertical_alignment="bottom")
    bookmark_place.text_input(
        "Bookmarked segments",
        key=key_of(data.test_set),
        placeholder="none",
        on_change=keep_bookmarks,
        help="Saved with the experiment and in the page's address.",
        **IN_ADDRESS,
    )
    only_place.checkbox("only these", key=ONLY_MARKED, **IN_ADDRESS)
    names = sorted(set(labels(data.test_set.name).values()))
    if names:
        choose_some("Labels", names, LABELLED, in_address=False, placeholder="any")


def _draw_kind(data: SegmentData) -> None:
    """Draw the widgets that choose a group."""
    way_place, group_place = st.columns(2)
    way = choose("Segments by", [ANY, *ways(data)], KIND, where=way_place)
    names: list[str] = []
    if way != ANY:
        names = list(partition(data, way).names)
    keep_among(names, BUCKET, None)
    group_place.selectbox(
        "which are", names, index=None, key=BUCKET, placeholder="any", disabled=way == ANY, **IN_ADDRESS
    )


def ways(data: SegmentData) -> list[str]:
    """Return how segments can be grouped."""
    test_set = data.test_set
    offered = []
    if test_set.has_texts and of_segments.yardstick(test_set):
        offered += [LENGTH, RARITY]
    if test_set.documents is not None:
        offered.append(DOCUMENT)
    offered += [f"{LABEL}{name}" for name in test_set.side]
    return offered


def partition(data: SegmentData, way: str) -> Partition:
    """Return the groups of segments."""
    return made_once(_partition, data.test_set, way)


def _partition(test_set: TestSet, way: str) -> Partition:
    if way == LENGTH:
        return of_segments.by_length(of_segments.yardstick_words(test_set))
    if way == RARITY:
        return of_segments.by_parts(of_segments.rarity(test_set), "bits")
    if way == DOCUMENT:
        return of_segments.by_label(test_set.documents or ())
    return of_segments.by_label(test_set.side[way.removeprefix(LABEL)] or ())


def beyond_the_form(data: SegmentData) -> BoolArray:
    """Return which segments meet the clicked conditions (kind, n-gram, bookmark); shape ``(segments,)``."""
    test_set = data.test_set
    holds = np.ones(test_set.n_segments, dtype=bool)
    if st.session_state[ONLY_MARKED]:
        holds &= np.isin(np.arange(test_set.n_segments), bookmarked(test_set))
    wanted_labels = st.session_state.get(LABELLED)
    if wanted_labels:
        label_of = labels(test_set.name)  # by number, counted from 1
        holds &= np.array([label_of.get(str(number)) in wanted_labels for number in range(1, len(holds) + 1)])
    repeats = st.session_state.get(REPEAT, "all")
    if repeats != "all":
        is_repeated, is_first = made_once(of_segments.repeated, test_set)
        holds &= is_repeated if repeats == "repeated" else is_first
    required = st.session_state.get(REQUIRED, ANY)
    if required != ANY:
        terms = session_terms(data)
        if terms is not None:
            holds &= made_once(_with_terms, word_data(data), terms, required)
    kind = _chosen_kind()
    if kind is not None:
        way, group = kind
        groups = partition(data, way)
        holds &= groups.places == groups.names.index(group)
    ngram = _wanted_ngram(data)
    if ngram:
        holds &= word_data(data).segments_with(tuple(ngram.split(" ")), st.session_state[WHERE])
    return holds


def _with_terms(compared: WordData, terms: Terms, required: str) -> BoolArray:
    """Return which segments require a term, or have outputs without all of them."""
    # Axes of the counts of a system: runs, segments, 1, and numbers; the first number is of terms in the output, the
    # last of required ones.
    _, counts = term_accuracy(compared.test_set, compared.systems, terms)
    if required == "required":
        return np.asarray(counts[compared.baseline][0, :, 0, 2] > 0)
    lacks_any = np.zeros(compared.test_set.n_segments, dtype=bool)
    for of_system in counts.values():
        n_present = of_system[:, :, 0, 0]
        n_required = of_system[:, :, 0, 2]
        lacks_any |= (n_present < n_required).any(axis=0)
    return lacks_any


def _chosen_kind() -> tuple[str, str] | None:
    """Return the chosen grouping and group, if any."""
    way = st.session_state[KIND]
    group = st.session_state[BUCKET]
    if way == ANY or group is None:
        return None
    return way, group


def _wanted_ngram(data: SegmentData) -> str:
    """Return the n-gram in the field; empty if words are not compared and there is no field."""
    if not data.compares_words:
        return ""
    return st.session_state.get(NGRAM) or ""


def clicked_in_words(data: SegmentData) -> str:
    """Describe the clicked conditions."""
    conditions = []
    kind = _chosen_kind()
    if kind is not None:
        conditions.append(": ".join(kind))
    ngram = _wanted_ngram(data)
    if ngram:
        conditions.append(f"“{ngram}” {NGRAM_NAMES[st.session_state[WHERE]]}")
    if st.session_state[ONLY_MARKED]:
        conditions.append("bookmarked only")
    return "; ".join(conditions)


def bookmark_button(data: SegmentData, segment: int) -> None:
    """Show the button that adds or removes a bookmark."""

    def turn_bookmark() -> None:
        toggle_bookmark(data.test_set, segment)
        keep_bookmarks()

    label = "Bookmark"
    icon = ":material/bookmark_add:"
    look: Literal["secondary", "tertiary"] = "tertiary"
    help_ = "Bookmarks are saved with the experiment."
    if segment in bookmarked(data.test_set):
        label = "Bookmarked"
        icon = ":material/bookmark:"
        look = "secondary"
        help_ = "Remove the bookmark."
    st.button(label, key="bookmark", on_click=turn_bookmark, shortcut="B", icon=icon, type=look, help=help_)


def keep_bookmarks() -> None:
    """In a callback: save bookmarks at once, since this part of the page is redrawn alone."""
    keep_loaded(settings_of_session())


def filter_alone(conditions: Mapping[str, str | float]) -> None:
    """In a callback: make these the only conditions."""
    clear_filters()
    open_what_is_found()
    st.session_state.update(conditions)


def clear_filters() -> None:
    """In a callback: reset all filters.

    A value that is only forgotten would come back from the address.
    """
    st.session_state.update(CLEARED)
