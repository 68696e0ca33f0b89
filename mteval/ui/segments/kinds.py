"""Kinds of segments: ways to part a test set, and the condition that a segment is of one of the kinds."""

import numpy as np
import numpy.typing as npt
import streamlit as st

from mteval.analysis.segments.buckets import Partition, by_label, by_length, by_parts, rarity
from mteval.analysis.segments.table import yardstick, yardstick_words
from mteval.ui.parts.choices import IN_ADDRESS, choose, keep_among
from mteval.ui.segments.compared_runs import SegmentData
from mteval.ui.session.memory import remembered

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
