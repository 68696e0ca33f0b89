"""Where a difference comes from: kinds of segments, words and n-grams, marked errors.

A click on a kind or on a word filters the segments.
"""

from dataclasses import replace

import pandas as pd
import streamlit as st

from mteval.analysis.segments.filters import buckets_frame
from mteval.analysis.summary import marked_frame
from mteval.analysis.work import Work
from mteval.answers import words as answers
from mteval.answers.section import Section
from mteval.answers.segments import SegmentData, kinds, marked_errors, marking
from mteval.base.parallel import Engine
from mteval.render.csv import frame_csv
from mteval.render.json import to_json
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose
from mteval.ui.parts.section import grid, show_section
from mteval.ui.parts.tables import save_button
from mteval.ui.segments.filter_form import BUCKET, KIND, NGRAM, WHERE, filter_alone, partition, ways
from mteval.ui.session.memory import made_once

VIEW = "seg-view"
SEGMENTS_VIEW, KINDS_VIEW, WORDS_VIEW, ERRORS_VIEW = "Segments", "Kinds of segments", "Words", "Marked errors"


def buckets(data: SegmentData, metric: str) -> None:
    """The difference of all runs within each bucket of segments, drawn and as a table."""
    by = choose("Segments by", ways(data), "seg-buckets", width=280)
    if data.baseline.system == data.system.system:
        template = "Two {runs} of one system are chosen; buckets compare all {runs} of two systems."
        messages.say("note", data.runs.filled(template))
        return
    with st.spinner("Resampling the segments of each bucket …"):
        section = kinds(data, metric, by, made_once(_buckets, data, metric, by))
    show_section(
        section, has_title=False, placeholder="–", on_pick=lambda bucket: _only({KIND: by, BUCKET: str(bucket)})
    )


def _buckets(data: SegmentData, metric: str, by: str) -> pd.DataFrame:
    settings, systems = data.results.settings, (data.baseline.system, data.system.system)
    work = Work(Engine(settings.workers))
    return buckets_frame(data.scored_by(metric), *systems, partition(data, by), settings, work)


def _only(conditions: dict[str, str]) -> None:
    """In a callback: show the segments that meet these conditions and no others."""
    filter_alone(conditions)
    st.session_state[VIEW] = SEGMENTS_VIEW


def words(data: SegmentData) -> None:
    """N-grams that one run gets right more often, and words that none does."""
    for half, section in zip(st.columns(2), made_once(_gained_and_lost, data), strict=True):
        with half:
            show_section(section, on_pick=lambda ngram: _only({NGRAM: ngram, WHERE: "differs"}), height=320)
    with st.spinner("Looking for words without a match …"):
        section = made_once(_missed, data)
    show_section(section, on_pick=lambda word: _only({NGRAM: word, WHERE: "missed"}), height=320)


def _gained_and_lost(data: SegmentData) -> tuple[Section, ...]:
    return tuple(answers.gained_and_lost(data, made_once(answers.ngrams, data)))


def _missed(data: SegmentData) -> Section:
    return answers.missed(data, made_once(answers.ngrams, data)[0], made_once(answers.unmatched, data))


def errors(data: SegmentData) -> None:
    """How many errors metrics mark in the outputs of each system, and all of them as files."""
    by_name = {by.metric.name: by for by in marking(data)}
    by = by_name[choose("Errors marked by", list(by_name), "seg-marking", width=280)]
    section = marked_errors(data, by)
    assert section.table is not None
    show_section(replace(section, table=None), has_title=False)
    grid(section.table, section.key, placeholder="–")
    left, right, _ = st.columns([1.4, 1.4, 3])
    save_button(left, "Save errors as CSV", "errors.csv", "text/csv", lambda: frame_csv(marked_frame(by)))
    name, kind = "errors.json", "application/json"
    save_button(right, "Save errors as JSON", name, kind, lambda: to_json({"errors": marked_frame(by)}, {}))
