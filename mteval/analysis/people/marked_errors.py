"""Errors that people marked or the owner noted: text, agreement, repetition across runs, and rates per system."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from operator import attrgetter

import numpy as np
import pandas as pd

from mteval.analysis.people.judgements import numbers_in, segment_places
from mteval.analysis.scoring import Progress, Scored, Work
from mteval.analysis.segments.runs import median_key
from mteval.analysis.summary import spans_of
from mteval.annotations import SEVERITIES, word_spans
from mteval.annotations.campaign_files import NO_ERROR, mqm_table
from mteval.stats.interval import ratio_intervals
from mteval.values.judgements import MQM, Judgement, RatedError, in_characters, weight_of
from mteval.values.model import Run, TestSet
from mteval.values.notes import NOTER, NotedError, noted_on

MARKED = (
    "annotator", "system", "run", "segment", "place", "document", "category", "severity", "weight", "origin", "side",
    "start", "end", "words", "n_raters", "n_agree", "disagreement", "n_runs", "n_same", "output", "comment",
)  # fmt: skip
MOST_SHIFT, MOST_SHIFT_SHARE = 2, 0.1
STEP = 200  # judgements between progress reports


@dataclass(frozen=True)
class Texts:
    """The loaded texts in which errors are marked."""

    test_set: TestSet

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Return the index of each segment by its names."""
        return segment_places(self.test_set)

    def judged_run(self, judgement: Judgement) -> Run | None:
        """Return the judged run: the one with the judged text, otherwise the only one; None if unknown."""
        runs, place = self.test_set.runs_of(judgement.system), self.places.get(judgement.segment)
        if place is None:
            return None
        if judgement.hypothesis is not None:
            same = (run for run in runs if run.hypotheses[place].replace("\t", " ") == judgement.hypothesis)
            return next(same, None)
        return runs[0] if len(runs) == 1 else None

    def located(self, judgement: Judgement) -> Judgement:
        """Return the judgement with error positions in characters, if the judged text is known."""
        if (run := self.judged_run(judgement)) is None:
            return judgement
        text = run.hypotheses[self.places[judgement.segment]]
        return replace(judgement, errors=in_characters(judgement.errors, text))


def judged_by_metric(scored: Scored) -> tuple[Judgement, ...]:
    """Return the errors that a metric marks in each system's median run, as judgements by the metric."""
    found, test_set = [], scored.test_set
    for system in scored.statistics:
        key = median_key(scored, system)
        run = next(one for one in test_set.runs_of(system) if one.key == key)
        for place, spans in enumerate(spans_of(scored, run)):
            if spans is None:
                continue
            errors = tuple(RatedError(one.category, one.severity, "hypothesis", one.start, one.end) for one in spans)
            document = None if test_set.documents is None else test_set.documents[place]
            value, text = -sum(map(weight_of, errors)), run.hypotheses[place].replace("\t", " ")
            about = scored.metric.name, system, str(place + 1), MQM, value, document
            found.append(Judgement(*about, errors=errors, hypothesis=text, run=key))
    return tuple(found)


def readings(judgements: Sequence[Judgement]) -> list[Judgement]:
    """Return the judgements in which errors could be marked, whether or not any was."""
    scales = {one.scale for one in judgements if one.errors}
    return [one for one in judgements if one.scale in scales]


def marked_frame(judgements: Sequence[Judgement], test_set: TestSet | None, work: Work) -> pd.DataFrame:
    """Return one row per error, with the columns ``MARKED``; the most disputed come first.

    Of ``n_raters`` annotators of the output, ``n_agree`` others marked an error at the same place; ``disagreement`` is
    the share of others who did not, NaN without others. Of ``n_runs`` runs of the system, ``n_same`` have the same
    words at that place, including the judged one; 0 runs if the judged text is unknown or the error has no position.
    ``place`` is the segment's index in the test set, or -1.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    texts = None if test_set is None else Texts(test_set)
    read = [one if texts is None else texts.located(one) for one in readings(judgements)]
    others: dict[tuple[str, str], list[Judgement]] = {}
    for one in read:
        others.setdefault((one.system, one.segment), []).append(one)
    rows: list[tuple[object, ...]] = []
    for number, one in enumerate(read):
        if number % STEP == 0:
            work.engine.check()
            work.report(Progress("Marked errors", number, len(read)))
        beside = [other for other in others[one.system, one.segment] if other.annotator != one.annotator]
        rows += _rows(one, beside, texts)
    frame = pd.DataFrame(rows, columns=list(MARKED))
    return frame.sort_values("disagreement", ascending=False, kind="stable", na_position="last", ignore_index=True)


def _rows(one: Judgement, beside: Sequence[Judgement], texts: Texts | None) -> Iterator[tuple[object, ...]]:
    run = None if texts is None else texts.judged_run(one)
    place = -1 if texts is None else texts.places.get(one.segment, -1)
    output = one.hypothesis if run is None else run.hypotheses[place]
    source = None if texts is None or place < 0 else texts.test_set.source
    n_raters = 1 + len({other.annotator for other in beside})
    for error in one.errors:
        n_agree = len({other.annotator for other in beside if _marks_too(other, error)})
        apart = 1 - n_agree / (n_raters - 1) if n_raters > 1 else np.nan
        runs: tuple[Run, ...] = ()
        text = (source[place] if source else "") if error.side == "source" else output or ""
        if run is not None and texts is not None and error.side == "hypothesis" and error.end:
            runs = texts.test_set.runs_of(run.system)
        same = [stands_in(text, error.start, error.end, other.hypotheses[place]) for other in runs]
        yield (
            one.annotator, one.system, "" if run is None else run.key, one.segment, place, one.document or "",
            error.category, error.severity, weight_of(error), error.origin, error.side, error.start, error.end,
            text[error.start : error.end], n_raters, n_agree, apart, len(runs), sum(same), output or "", error.comment,
        )  # fmt: skip


def _marks_too(other: Judgement, error: RatedError) -> bool:
    """Return whether a judgement has an overlapping error; errors without a position cover the whole output."""
    theirs = (one for one in other.errors if one.side == error.side)
    return any(not one.end or not error.end or (one.start < error.end and error.start < one.end) for one in theirs)


def stands_in(text: str, start: int, end: int, other: str) -> bool:
    """Return whether the words of a span occur at the same place in another text: aligned and contiguous.

    Words that are aligned without a neighbour may have moved by at most ``MOST_SHIFT`` words or ``MOST_SHIFT_SHARE`` of
    the text.
    """
    if text == other:
        return True
    if text[start:end] not in other:
        return False
    spans, words = _tokens(text)
    if text[start:end].isspace():  # a missing word: both words around it must be there, and nothing between them
        start = max((begin for begin, span_end in spans if span_end <= start), default=start)
        end = min((span_end for begin, span_end in spans if begin >= end), default=end)
    ends = [span_end for _, span_end in spans]
    first, last = bisect_left(ends, start + 1), bisect_left([begin for begin, _ in spans], end)
    blocks = SequenceMatcher(None, words, _tokens(other)[1], autojunk=False).get_matching_blocks()
    furthest = max(MOST_SHIFT, MOST_SHIFT_SHARE * len(words))
    held = (block for block in blocks if block.a <= first and last <= block.a + block.size)
    return first < last and any(one.size > last - first or abs(one.a - one.b) <= furthest for one in held)


@lru_cache(maxsize=256)
def _tokens(text: str) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...]]:
    """Return the spans of a text's words, and the words."""
    spans = word_spans(text)
    return spans, tuple(text[start:end] for start, end in spans)


PROFILES = ("system", "kind", "n_errors", "n_readings", "unit", "n_units", "rate", "low", "high")
PER = 100  # readings
BY = ("category", "severity")


def profile_frame(judgements: Sequence[Judgement], by: str, confidence: float) -> pd.DataFrame:
    """Return errors per ``PER`` readings, one row per system and kind, with the columns ``PROFILES``.

    A reading is one output read by one annotator. Intervals are over documents if all are known, otherwise over
    segments, these annotators taken as given. The most frequent kinds come first.

    Parameters
    ----------
    by
        One of ``BY``: how errors are grouped.
    """
    read = readings(judgements)
    unit = "document" if read and all(one.document for one in read) else "segment"
    kinds = dict.fromkeys(getattr(error, by) for one in read for error in one.errors)
    place_of, rows = {kind: place for place, kind in enumerate(kinds)}, []
    for system in dict.fromkeys(one.system for one in read):
        own = [one for one in read if one.system == system]
        units, _ = pd.factorize(np.array([getattr(one, unit) for one in own]))
        statistics = np.zeros((len(place_of), units.max() + 1, 2))  # errors for PER readings, and readings
        for one, at in zip(own, units, strict=True):
            statistics[:, at, 1] += 1
            for error in one.errors:
                statistics[place_of[getattr(error, by)], at, 0] += PER
        intervals = ratio_intervals(statistics, confidence, PER)
        for kind, of_kind, ends in zip(place_of, statistics, intervals, strict=True):
            found = float(of_kind[:, 0].sum())
            rows.append((system, kind, round(found / PER), len(own), unit, len(of_kind), found / len(own), *ends))
    frame = pd.DataFrame(rows, columns=list(PROFILES))
    total = frame.groupby("kind")["n_errors"].transform("sum")
    return frame.assign(total=-total).sort_values(["total", "kind"], kind="stable", ignore_index=True)[list(PROFILES)]


def noted_frame(notes: Iterable[NotedError], test_set: TestSet, work: Work) -> pd.DataFrame:
    """Return the errors noted on a test set with the columns ``MARKED``, in the order of its segments."""
    frame = marked_frame(noted_on(notes, test_set.name, test_set.documents), test_set, work)
    return frame.sort_values(["place", "system", "start"], kind="stable", ignore_index=True)


def note_counts(noted: pd.DataFrame) -> pd.DataFrame:
    """Return one row per system: its errors, outputs with any, and errors by severity.

    ``habits`` and ``slips`` count errors. A habit has the same words at that place in every run of the system, a slip
    in the judged run only.
    """
    several = noted["n_runs"] > 1
    is_habit, is_slip = several & (noted["n_same"] == noted["n_runs"]), several & (noted["n_same"] == 1)
    rows = [
        (system, len(own), own["segment"].nunique(), *((own["severity"] == one).sum() for one in SEVERITIES),
         is_habit[own.index].sum(), is_slip[own.index].sum())
        for system, own in noted.groupby("system", sort=False)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["system", "n_errors", "n_outputs", *SEVERITIES, "habits", "slips"])


def recurrence(note: NotedError, test_set: TestSet) -> tuple[int, int]:
    """Return in how many runs of the system the noted words stand at that place, and how many runs it has."""
    runs = test_set.runs_of(note.system)
    texts = [run.hypotheses[note.segment] for run in runs]
    return sum(stands_in(note.output, note.start, note.end, text) for text in texts), len(runs)


def notes_table(notes: Iterable[NotedError], test_set: TestSet) -> str:
    """Return the errors noted on a test set as WMT's table, one row per error."""
    documents = test_set.documents or (test_set.name,) * test_set.n_segments
    numbers, sources = numbers_in(documents), test_set.source or ("",) * test_set.n_segments
    here = [one for one in notes if one.test_set == test_set.name and one.segment < test_set.n_segments]
    return mqm_table(
        (one.system, documents[one.segment], str(numbers[one.segment]), str(one.segment + 1), NOTER,
         sources[one.segment], f"{one.output[: one.start]}<v>{one.words}</v>{one.output[one.end :]}",
         one.category or NO_ERROR, one.severity, one.comment)
        for one in sorted(here, key=attrgetter("segment", "system", "run", "start"))
    )  # fmt: skip
