"""Errors that metrics mark in outputs: where they stand, and how many each system has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mteval.analysis.scoring import Scored, summed
from mteval.analysis.two_answers import questions
from mteval.analysis.work import Work, ratio_intervals
from mteval.base.arrays import IntArray
from mteval.metrics.base import MarksErrors
from mteval.values.judgements import SEVERITIES, Spans, within
from mteval.values.model import Run
from mteval.values.settings import Settings

ANY = "any"  # in the place of a severity: all of them


@dataclass(frozen=True)
class ErrorRow:
    """How many errors of one severity a metric marks in the outputs of one system on one test set.

    Parameters
    ----------
    severity
        ``any`` counts all.
    runs, segments
        What was counted: the runs with spans, and the segments that have spans in all runs of all systems.
    errors
        In all runs together.
    per_segment
        In one output, mean over runs and segments.
    low, high
        Percentiles of that over replicates of the units: luck with the choice of segments or documents, these runs
        taken as given. NaN for one unit.
    units, unit
        How many segments or documents these are, and which of the two: ``segment`` or ``document``.
    """

    test_set: str
    metric: str
    system: str
    severity: str
    runs: int
    segments: int
    errors: int
    per_segment: float
    low: float
    high: float
    units: int
    unit: str


MARKED = (
    "test_set", "metric", "system", "run", "segment", "start", "end", "severity", "category", "confidence", "text",
)  # fmt: skip


def marks_errors(scored: Scored) -> bool:
    """Whether the metric has marked errors in any of the outputs."""
    scorer = scored.scorer
    return isinstance(scorer, MarksErrors) and any(scorer.error_spans(run) is not None for run in scored.test_set.runs)


def spans_of(scored: Scored, run: Run) -> tuple[Spans | None, ...]:
    """The errors that a metric marks in a run's outputs, one list a segment; None where nothing is known of it.

    They lie within the outputs, and begin and end with what is no space. Whoever marks errors may start from them.
    """
    scorer = scored.scorer
    found = scorer.error_spans(run) if isinstance(scorer, MarksErrors) else None
    if found is None:
        return (None,) * len(run.hypotheses)
    pairs = zip(found, run.hypotheses, strict=True)
    return tuple(None if spans is None else within(spans, text) for spans, text in pairs)


def severities(spans: Sequence[Spans | None]) -> tuple[str, ...]:
    """Those that are there, the usual ones first, by weight."""
    there = {span.severity for one in spans for span in one or ()}
    return (*(name for name in SEVERITIES if name in there), *sorted(there - set(SEVERITIES)))


def marked_frame(scored: Scored) -> pd.DataFrame:
    """All errors in all outputs, one row each, with the columns ``MARKED``.

    Segments are counted from 1, ``text`` is what is marked, and the rest is as in ``ErrorSpan``.
    """
    rows = [
        (
            scored.test_set.name, scored.metric.key, run.system, run.key, number, span.start, span.end, span.severity,
            span.category, span.confidence, text[span.start : span.end],
        )
        for run in scored.test_set.runs
        for number, (spans, text) in enumerate(zip(spans_of(scored, run), run.hypotheses, strict=True), start=1)
        for span in spans or ()
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(MARKED))


def error_rows(scored: Scored, settings: Settings, work: Work) -> Iterator[ErrorRow]:
    """The counts of all systems by severity, first of all severities together; none where no errors are marked."""
    if not marks_errors(scored):
        return
    marked = {}
    for system in scored.test_set.systems:  # the spans of each run that has any
        found = [spans_of(scored, run) for run in scored.test_set.runs_of(system.key)]
        marked[system.key] = [spans for spans in found if any(one is not None for one in spans)]
    every = [spans for runs in marked.values() for spans in runs]
    present = np.array([None not in segment for segment in zip(*every, strict=True)])
    kinds = (ANY, *severities([one for spans in every for one in spans]))
    unit = questions(scored, settings)[1].unit
    for key, runs in marked.items():
        if not runs or not present.any():
            continue
        counts = np.stack([_counts(spans, kinds) for spans in runs])[:, present]
        by_unit = summed(scored.test_set, counts, unit, present).sum(axis=0)
        intervals = ratio_intervals(np.stack([by_unit[:, [kind, -1]] for kind in range(len(kinds))]), settings, work)
        (n_runs, n_segments, _), (*totals, n_outputs) = counts.shape, by_unit.sum(axis=0).tolist()
        for kind, errors, (low, high) in zip(kinds, totals, intervals, strict=True):
            yield ErrorRow(
                scored.test_set.name, scored.metric.key, key, kind, n_runs, n_segments, errors, errors / n_outputs,
                low, high, len(by_unit), unit,
            )  # fmt: skip


def _counts(spans: Sequence[Spans | None], kinds: Sequence[str]) -> IntArray:
    """Errors of each kind in each output, and 1; shape ``(segments, kinds + 1)``."""
    rows = [[sum(kind in (ANY, span.severity) for span in one or ()) for kind in kinds] + [1] for one in spans]
    return np.array(rows, dtype=np.int64)
