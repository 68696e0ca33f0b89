"""Where a difference comes from: kinds of segments, and words and n-grams. A click on a word filters the segments."""

from typing import Any

import pandas as pd
import streamlit as st

from mteval.analysis.ngram_evidence import evidence_frame, unmatched_frame
from mteval.analysis.segment_buckets import Partition, buckets_frame, by_label, by_length, by_parts, rarity
from mteval.analysis.work import Work
from mteval.figures.buckets import bucket_intervals
from mteval.parallel import Engine
from mteval.ui import messages
from mteval.ui.markup import show, tag
from mteval.ui.segment_data import SegmentData, remembered
from mteval.ui.segment_filter_form import filter_by_ngram
from mteval.ui.settings_form import KEPT

MOST = 150  # n-grams each way, words of each kind
MOST_DRAWN = 40
LENGTH, RARITY, DOCUMENT = "length", "rarity of the words", "document"
VIEW = "seg-view"
SEGMENTS_VIEW = "Segments"


def buckets(data: SegmentData, metric: str) -> None:
    """The difference of all runs within each bucket of segments, drawn and as a table."""
    choices = [LENGTH, RARITY]
    if data.test_set.documents is not None:
        choices.append(DOCUMENT)
    choices += [f"label {name}" for name in data.test_set.side]
    by = st.selectbox("Segments by", choices, key="seg-buckets", width=280, **KEPT)
    if data.baseline.system == data.system.system:
        messages.say("note", "Two runs of one system are chosen; buckets compare all runs of two systems.")
        return
    with st.spinner("Resampling the segments of each bucket …"):
        frame = remembered((data.key, "buckets", metric, by), lambda: _buckets(data, metric, by))
    confidence = data.current.evaluation.settings.confidence
    show(
        tag(
            "p",
            f"Mean {data.scored_by(metric).metric.name} of all runs of {data.system.system} minus that of"
            f" {data.baseline.system} on the segments of each bucket, with {confidence:.0%} bootstrap intervals over"
            " its segments, these runs taken as given. Many buckets: some of the intervals miss zero by chance.",
            class_="mt-quiet",
        )
    )
    unit = f"Difference in {data.scored_by(metric).metric.name} (points)"
    largest = frame.nlargest(MOST_DRAWN, "segments", keep="first").sort_index()
    st.plotly_chart(bucket_intervals(largest, unit), config={"displayModeBar": False}, key="buckets")
    numbers = {
        name: st.column_config.NumberColumn(name.capitalize(), format="%.2f")
        for name in ("baseline", "system", "difference", "improvement", "low", "high")
    }
    numbers |= {"bucket": st.column_config.TextColumn("Bucket"), "segments": st.column_config.NumberColumn("Segments")}
    st.dataframe(frame, hide_index=True, column_config=numbers, key="buckets-table", placeholder="–")


def _buckets(data: SegmentData, metric: str, by: str) -> pd.DataFrame:
    settings = data.current.evaluation.settings
    systems = data.baseline.system, data.system.system
    return buckets_frame(
        data.scored_by(metric), *systems, _partition(data, by), settings, Work(Engine(settings.workers))
    )


def _partition(data: SegmentData, by: str) -> Partition:
    if by == LENGTH:
        return by_length(data.table["reference_words"].to_numpy())
    if by == RARITY:
        return by_parts(rarity(data.test_set), "bits")
    if by == DOCUMENT:
        return by_label(data.test_set.documents or ())
    return by_label(data.test_set.side[by.removeprefix("label ")])


def words(data: SegmentData) -> None:
    """N-grams that one run gets right more often, and words that none does."""
    cells = data.ngrams()
    gains = remembered((data.key, "evidence"), lambda: evidence_frame(cells, MOST))
    help_text = "log₂ of (matches of the second + 1) / (matches of the first + 1)"
    left, right = data.names
    labels = {"ngram": "Words", "baseline": left, "system": right, "log_ratio": "Log ratio", "references": "Refs."}
    better, worse = st.columns(2)
    for place, title, rows, key in (
        (better, f"{right} gets right more often", gains[gains["difference"] > 0], "gained"),
        (worse, f"{left} gets right more often", gains[gains["difference"] < 0], "lost"),
    ):
        with place:
            show(tag("h4", title, class_="mt-h"))
            _clickable(rows[list(labels)], labels, key, "ngram", "differs", {"log_ratio": ("%.2f", help_text)})
    with st.spinner("Looking for words without a match …"):
        missed, how = _unmatched(data)
    show(
        tag("h4", "Words that find no match", class_="mt-h"),
        tag(
            "p",
            "How often the references have a word that an output misses, and how often an output has one that no"
            f" reference has. {how}",
            class_="mt-quiet",
        ),
    )
    labels = {
        "word": "Word", "references": "In references", "missed_by_both": "Missed by both",
        "missed_by_baseline": f"Missed by {left}", "missed_by_system": f"Missed by {right}",
        "baseline": f"Too many in {left}", "system": f"Too many in {right}",
    }  # fmt: skip
    _clickable(missed[list(labels)], labels, "unmatched", "word", "missed", {})


def _unmatched(data: SegmentData) -> tuple[pd.DataFrame, str]:
    """The words without a match, and what counts as one."""
    aligned = data.unmatched()
    if aligned is None:
        cells = data.ngrams()[0]
        return remembered((data.key, "missed"), lambda: unmatched_frame(cells, MOST)), "Matches are exact."
    frame = remembered((data.key, "missed by alignment"), lambda: aligned.frame(MOST))
    return frame, "Matches are those of METEOR's alignments, with stems, synonyms and paraphrases where these are on."


def _clickable(
    frame: pd.DataFrame,
    labels: dict[str, str],
    key: str,
    name: str,
    where: str,
    formats: dict[str, tuple[str, str]],
) -> None:
    """A table whose rows filter the segments by their word or n-gram."""
    config: dict[str, Any] = {
        one: st.column_config.NumberColumn(
            label, format=formats.get(one, ("%d", ""))[0], help=formats.get(one, ("", None))[1]
        )
        for one, label in labels.items()
    }
    config[name] = st.column_config.TextColumn(labels[name], width=150, pinned=True)
    found = frame[name].tolist()
    table = f"words-{key}"

    def choose() -> None:
        rows = st.session_state[table]["selection"]["rows"]
        if rows:
            filter_by_ngram(found[rows[0]], where)
            st.session_state[VIEW] = SEGMENTS_VIEW

    st.dataframe(
        frame,
        key=table,
        hide_index=True,
        column_config=config,
        height=320,
        on_select=choose,
        selection_mode="single-row",
    )
