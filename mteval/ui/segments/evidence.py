"""Where a difference comes from: kinds of segments, and words and n-grams. A click on either filters the segments."""

from typing import Any

import pandas as pd
import streamlit as st

from mteval.analysis.segments.evidence import evidence_frame, unmatched_frame
from mteval.analysis.segments.filters import buckets_frame
from mteval.analysis.work import Work
from mteval.base.parallel import Engine
from mteval.base.words import agreeing, counted, counted_part
from mteval.figures.segments import bucket_intervals
from mteval.render.html import tag
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose
from mteval.ui.parts.tables import chart, show
from mteval.ui.segments.compared_runs import SegmentData
from mteval.ui.segments.filter_form import filter_by_kind, filter_by_ngram, partition, ways
from mteval.ui.session.memory import remembered
from mteval.values.notation import level, rounded

MOST = 150  # n-grams each way, words of each kind
MOST_DRAWN = 40
VIEW = "seg-view"
SEGMENTS_VIEW, KINDS_VIEW, WORDS_VIEW = "Segments", "Kinds of segments", "Words"


def buckets(data: SegmentData, metric: str) -> None:
    """The difference of all runs within each bucket of segments, drawn and as a table."""
    by = choose("Segments by", ways(data), "seg-buckets", width=280)
    if data.baseline.system == data.system.system:
        messages.say("note", data.said("Two runs of one system are chosen; buckets compare all runs of two systems."))
        return
    with st.spinner("Resampling the segments of each bucket …"):
        frame = remembered((data.key, "buckets", metric, by), lambda: _buckets(data, metric, by))
    confidence = data.results.settings.confidence
    told = (
        f"Mean {data.scored_by(metric).metric.name} of all runs of {data.system.system} minus that of"
        f" {data.baseline.system} on the segments of each bucket, with {level(confidence)} bootstrap intervals over"
        " its segments, these runs taken as given. Many buckets: some of the intervals miss zero by chance."
        " A click on a bucket shows its segments."
    )
    show(tag("p", data.said(told), class_="mt-quiet"))
    _tell_left_out(data, metric, by, int(frame["segments"].sum()))
    _draw_buckets(data, metric, by, frame)
    _bucket_table(data, metric, by, frame)


def _tell_left_out(data: SegmentData, metric: str, by: str, n_shown: int) -> None:
    """How many segments are in no bucket, and why."""
    scored = data.scored_by(metric)
    unscored = int((~scored.present(data.baseline.system, data.system.system)).sum())
    others = data.test_set.n_segments - n_shown - unscored
    lacking = data.said(f"{unscored:,} that a run has no {scored.metric.name} score of")
    reasons = [lacking] if unscored else []
    reasons += [f"{others:,} without a value of the {by}"] if others else []
    if reasons:
        total = unscored + others
        left_out = f"{counted_part(total, data.test_set.n_segments, 'segment')} {agreeing(total, 'is', 'are')} left out"
        messages.say("note", f"{left_out}: {', '.join(reasons)}.")


def _draw_buckets(data: SegmentData, metric: str, by: str, frame: pd.DataFrame) -> None:
    """The intervals; a point that is clicked filters the segments by its bucket."""
    largest = frame.nlargest(MOST_DRAWN, "segments", keep="first").sort_index()
    if len(largest) < len(frame):
        show(tag("p", f"The {len(largest)} largest of {counted(len(frame), 'bucket')} are drawn.", class_="mt-quiet"))
    spec = data.results.spec(metric)
    figure = bucket_intervals(largest, spec.name, spec.notation)

    def show_clicked() -> None:
        points = st.session_state["buckets"]["selection"]["points"]
        if points:
            _show_bucket(by, str(points[0]["customdata"]))

    chart(figure, "buckets", on_select=show_clicked, selection_mode="points")


def _bucket_table(data: SegmentData, metric: str, by: str, frame: pd.DataFrame) -> None:
    left, right = data.baseline.system, data.system.system
    titles = {
        "baseline": left, "system": right, "difference": "Difference", "improvement": "Improvement", "low": "Low",
        "high": "High",
    }  # fmt: skip
    notation = data.results.spec(metric).notation
    numbers: dict[str, Any] = {
        name: st.column_config.NumberColumn(title, format=notation.printf) for name, title in titles.items()
    }
    numbers |= {"bucket": st.column_config.TextColumn("Bucket"), "segments": st.column_config.NumberColumn("Segments")}

    def show_clicked() -> None:
        rows = st.session_state["buckets-table"]["selection"]["rows"]
        if rows:
            _show_bucket(by, str(frame["bucket"].iloc[rows[0]]))

    st.dataframe(
        frame.assign(**{name: notation.rounded(frame[name]) for name in titles}),
        hide_index=True,
        column_config=numbers,
        key="buckets-table",
        placeholder="–",
        on_select=show_clicked,
        selection_mode="single-row",
    )


def _show_bucket(by: str, bucket: str) -> None:
    filter_by_kind(by, bucket)
    st.session_state[VIEW] = SEGMENTS_VIEW


def _buckets(data: SegmentData, metric: str, by: str) -> pd.DataFrame:
    settings = data.results.settings
    systems = data.baseline.system, data.system.system
    return buckets_frame(
        data.scored_by(metric), *systems, partition(data, by), settings, Work(Engine(settings.workers))
    )


def words(data: SegmentData) -> None:
    """N-grams that one run gets right more often, and words that none does."""
    cells = data.ngrams()
    gains = remembered((data.key, "evidence"), lambda: evidence_frame(cells, MOST))
    help_text = "log₂ of (matches of the second + 1) / (matches of the first + 1)"
    left, right = data.names
    labels = {"ngram": "Words", "baseline": left, "system": right, "log_ratio": "Log ratio", "references": "Refs."}
    better, worse = st.columns(2)
    for half, title, rows, key in (
        (better, f"{right} gets right more often", gains[gains["difference"] > 0], "gained"),
        (worse, f"{left} gets right more often", gains[gains["difference"] < 0], "lost"),
    ):
        with half:
            show(tag("h4", title, class_="mt-h"))
            shown = rows[list(labels)].assign(log_ratio=rounded(rows["log_ratio"], 2))
            _clickable(shown, labels, key, "ngram", "differs", {"log_ratio": ("%.2f", help_text)})
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
        column: st.column_config.NumberColumn(
            label, format=formats.get(column, ("%d", ""))[0], help=formats.get(column, ("", None))[1]
        )
        for column, label in labels.items()
    }
    config[name] = st.column_config.TextColumn(labels[name], width=150, pinned=True)
    names = frame[name].tolist()
    table = f"words-{key}"

    def show_clicked() -> None:
        rows = st.session_state[table]["selection"]["rows"]
        if rows:
            filter_by_ngram(names[rows[0]], where)
            st.session_state[VIEW] = SEGMENTS_VIEW

    st.dataframe(
        frame,
        key=table,
        hide_index=True,
        column_config=config,
        height=320,
        on_select=show_clicked,
        selection_mode="single-row",
    )
