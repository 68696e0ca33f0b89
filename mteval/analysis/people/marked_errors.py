"""Errors that people marked or the owner noted: text, agreement, repetition across runs, and rates per system."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import chain
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
    "annotator",
    "system",
    "run",
    "segment",
    "place",
    "document",
    "category",
    "severity",
    "weight",
    "origin",
    "side",
    "start",
    "end",
    "words",
    "n_raters",
    "n_agree",
    "disagreement",
    "n_runs",
    "n_same",
    "output",
    "comment",
)
PROFILES = ("system", "kind", "n_errors", "n_readings", "unit", "n_units", "rate", "low", "high")
PER = 100  # readings
BY = ("category", "severity")

# How far words may have moved in another run, in words or as a share of the text
MOST_SHIFT = 2
MOST_SHIFT_SHARE = 0.1

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
        place = self.places.get(judgement.segment)
        if place is None:
            return None
        runs = self.test_set.runs_of(judgement.system)
        if judgement.hypothesis is not None:
            for run in runs:
                if run.hypotheses[place].replace("\t", " ") == judgement.hypothesis:
                    return run
            return None
        if len(runs) == 1:
            return runs[0]
        return None

    def located(self, judgement: Judgement) -> Judgement:
        """Return the judgement with error positions in characters, if the judged text is known."""
        run = self.judged_run(judgement)
        if run is None:
            return judgement
        text = run.hypotheses[self.places[judgement.segment]]
        return replace(judgement, errors=in_characters(judgement.errors, text))


def judged_by_metric(scored: Scored) -> tuple[Judgement, ...]:
    """Return the errors that a metric marks in each system's median run, as judgements by the metric."""
    test_set = scored.test_set
    judgements = []
    for system in scored.statistics:
        key = median_key(scored, system)
        run = next(run for run in test_set.runs_of(system) if run.key == key)
        for segment, spans in enumerate(spans_of(scored, run)):
            if spans is None:
                continue
            errors = []
            for span in spans:
                errors.append(RatedError(span.category, span.severity, "hypothesis", span.start, span.end))
            document = None
            if test_set.documents is not None:
                document = test_set.documents[segment]
            judgement = Judgement(
                annotator=scored.metric.name,
                system=system,
                segment=str(segment + 1),
                scale=MQM,
                value=-sum(weight_of(error) for error in errors),
                document=document,
                errors=tuple(errors),
                hypothesis=run.hypotheses[segment].replace("\t", " "),
                run=key,
            )
            judgements.append(judgement)
    return tuple(judgements)


def readings(judgements: Sequence[Judgement]) -> list[Judgement]:
    """Return the judgements in which errors could be marked, whether or not any was."""
    scales_with_errors = {judgement.scale for judgement in judgements if judgement.errors}
    return [judgement for judgement in judgements if judgement.scale in scales_with_errors]


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
    texts = None
    read = readings(judgements)
    if test_set is not None:
        texts = Texts(test_set)
        read = [texts.located(reading) for reading in read]
    readings_of_output: dict[tuple[str, str], list[Judgement]] = {}
    for reading in read:
        readings_of_output.setdefault((reading.system, reading.segment), []).append(reading)

    rows: list[dict[str, object]] = []
    for index, reading in enumerate(read):
        if index % STEP == 0:
            work.engine.check()
            work.report(Progress("Marked errors", index, len(read)))
        by_others = []
        for same_output in readings_of_output[reading.system, reading.segment]:
            if same_output.annotator != reading.annotator:
                by_others.append(same_output)
        rows += _rows_of_reading(reading, by_others, texts)
    frame = pd.DataFrame(rows, columns=list(MARKED))
    return frame.sort_values("disagreement", ascending=False, kind="stable", na_position="last", ignore_index=True)


def _rows_of_reading(
    reading: Judgement, by_others: Sequence[Judgement], texts: Texts | None
) -> Iterator[dict[str, object]]:
    """Yield one row per error of a reading, with the columns ``MARKED``.

    ``by_others`` are other annotators' readings of the same output.
    """
    run = None
    place = -1
    source = ""
    if texts is not None:
        run = texts.judged_run(reading)
        place = texts.places.get(reading.segment, -1)
        if place >= 0 and texts.test_set.source:
            source = texts.test_set.source[place]
    output = reading.hypothesis or ""
    if run is not None:
        output = run.hypotheses[place]

    n_raters = 1 + len({by_other.annotator for by_other in by_others})
    for error in reading.errors:
        n_agree = len({by_other.annotator for by_other in by_others if _marks_too(by_other, error)})
        disagreement = np.nan
        if n_raters > 1:
            disagreement = 1 - n_agree / (n_raters - 1)
        text = output
        if error.side == "source":
            text = source
        n_runs = 0
        n_same = 0
        if run is not None and texts is not None and error.side == "hypothesis" and error.end > 0:
            for run_of_system in texts.test_set.runs_of(run.system):
                n_runs += 1
                n_same += stands_in(text, error.start, error.end, run_of_system.hypotheses[place])
        yield {
            "annotator": reading.annotator,
            "system": reading.system,
            "run": "" if run is None else run.key,
            "segment": reading.segment,
            "place": place,
            "document": reading.document or "",
            "category": error.category,
            "severity": error.severity,
            "weight": weight_of(error),
            "origin": error.origin,
            "side": error.side,
            "start": error.start,
            "end": error.end,
            "words": text[error.start : error.end],
            "n_raters": n_raters,
            "n_agree": n_agree,
            "disagreement": disagreement,
            "n_runs": n_runs,
            "n_same": n_same,
            "output": output,
            "comment": error.comment,
        }


def _marks_too(judgement: Judgement, error: RatedError) -> bool:
    """Return whether a judgement has an overlapping error; errors without a position cover the whole output."""
    for marked in judgement.errors:
        if marked.side != error.side:
            continue
        if marked.end == 0 or error.end == 0:
            return True
        if marked.start < error.end and error.start < marked.end:
            return True
    return False


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
        start = max((word_start for word_start, word_end in spans if word_end <= start), default=start)
        end = min((word_end for word_start, word_end in spans if word_start >= end), default=end)

    # The words that overlap with the span: from ``first`` to before ``last``
    first = bisect_left([word_end for _, word_end in spans], start + 1)
    last = bisect_left([word_start for word_start, _ in spans], end)
    if first >= last:
        return False
    matcher = SequenceMatcher(None, words, _tokens(other)[1], autojunk=False)
    furthest = max(MOST_SHIFT, MOST_SHIFT_SHARE * len(words))
    for block in matcher.get_matching_blocks():
        if block.a <= first and last <= block.a + block.size:
            has_neighbour = block.size > last - first
            if has_neighbour or abs(block.a - block.b) <= furthest:
                return True
    return False


@lru_cache(maxsize=256)
def _tokens(text: str) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...]]:
    """Return the spans of a text's words, and the words."""
    spans = word_spans(text)
    return spans, tuple(text[start:end] for start, end in spans)


def profile_frame(judgements: Sequence[Judgement], by: str, confidence: float) -> pd.DataFrame:
    """Return errors per ``PER`` readings, one row per system and kind, with the columns ``PROFILES``.

    A reading is one output read by one annotator. Intervals are over documents if all are known, otherwise over
    segments, these annotators taken as given. The most frequent kinds come first.

    Parameters
    ----------
    by
        One of ``BY``: how errors are grouped.
    """
    all_readings = readings(judgements)
    unit = "segment"
    if all_readings and all(reading.document for reading in all_readings):
        unit = "document"
    errors = chain.from_iterable(reading.errors for reading in all_readings)
    kinds = list(dict.fromkeys(getattr(error, by) for error in errors))
    index_of_kind = {kind: index for index, kind in enumerate(kinds)}

    rows = []
    for system in dict.fromkeys(reading.system for reading in all_readings):
        own = [reading for reading in all_readings if reading.system == system]
        units, _ = pd.factorize(np.array([getattr(reading, unit) for reading in own]))
        # Shape ``(kinds, units, 2)``: errors for PER readings, and readings
        statistics = np.zeros((len(kinds), units.max() + 1, 2))
        for reading, unit_index in zip(own, units, strict=True):
            statistics[:, unit_index, 1] += 1
            for error in reading.errors:
                statistics[index_of_kind[getattr(error, by)], unit_index, 0] += PER
        intervals = ratio_intervals(statistics, confidence, PER)
        for kind, of_kind, (low, high) in zip(kinds, statistics, intervals, strict=True):
            total = float(of_kind[:, 0].sum())
            row = {
                "system": system,
                "kind": kind,
                "n_errors": round(total / PER),
                "n_readings": len(own),
                "unit": unit,
                "n_units": len(of_kind),
                "rate": total / len(own),
                "low": low,
                "high": high,
            }
            rows.append(row)
    frame = pd.DataFrame(rows, columns=list(PROFILES))
    n_errors_of_kind = frame.groupby("kind")["n_errors"].transform("sum")
    frame = frame.assign(order=-n_errors_of_kind).sort_values(["order", "kind"], kind="stable", ignore_index=True)
    return frame[list(PROFILES)]


def noted_frame(notes: Iterable[NotedError], test_set: TestSet, work: Work) -> pd.DataFrame:
    """Return the errors noted on a test set with the columns ``MARKED``, in the order of its segments."""
    frame = marked_frame(noted_on(notes, test_set.name, test_set.documents), test_set, work)
    return frame.sort_values(["place", "system", "start"], kind="stable", ignore_index=True)


def note_counts(noted: pd.DataFrame) -> pd.DataFrame:
    """Return one row per system: its errors, outputs with any, and errors by severity.

    ``habits`` and ``slips`` count errors. A habit has the same words at that place in every run of the system, a slip
    in the judged run only.
    """
    has_several_runs = noted["n_runs"] > 1
    is_habit = has_several_runs & (noted["n_same"] == noted["n_runs"])
    is_slip = has_several_runs & (noted["n_same"] == 1)
    rows = []
    for system, own in noted.groupby("system", sort=False):
        row = {"system": system, "n_errors": len(own), "n_outputs": own["segment"].nunique()}
        for severity in SEVERITIES:
            row[severity] = (own["severity"] == severity).sum()
        row["habits"] = is_habit[own.index].sum()
        row["slips"] = is_slip[own.index].sum()
        rows.append(row)
    return pd.DataFrame(rows, columns=["system", "n_errors", "n_outputs", *SEVERITIES, "habits", "slips"])


def recurrence(note: NotedError, test_set: TestSet) -> tuple[int, int]:
    """Return in how many runs of the system the noted words stand at that place, and how many runs it has."""
    runs = test_set.runs_of(note.system)
    n_same = 0
    for run in runs:
        n_same += stands_in(note.output, note.start, note.end, run.hypotheses[note.segment])
    return n_same, len(runs)


def notes_table(notes: Iterable[NotedError], test_set: TestSet) -> str:
    """Return the errors noted on a test set as WMT's table, one row per error."""
    documents = test_set.documents or (test_set.name,) * test_set.n_segments
    numbers = numbers_in(documents)
    sources = test_set.source or ("",) * test_set.n_segments
    of_test_set = [note for note in notes if note.test_set == test_set.name and note.segment < test_set.n_segments]
    rows = []
    for note in sorted(of_test_set, key=attrgetter("segment", "system", "run", "start")):
        row = (
            note.system,
            documents[note.segment],
            str(numbers[note.segment]),
            str(note.segment + 1),
            NOTER,
            sources[note.segment],
            f"{note.output[: note.start]}<v>{note.words}</v>{note.output[note.end :]}",
            note.category or NO_ERROR,
            note.severity,
            note.comment,
        )
        rows.append(row)
    return mqm_table(rows)
