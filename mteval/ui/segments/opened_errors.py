"""The errors that metrics mark in the outputs of one opened segment, and how sure they say they are of their scores."""

from collections.abc import Collection, Iterator

from mteval.analysis.error_spans import marks_errors, spans_of
from mteval.analysis.scoring import Scored
from mteval.error_spans import Spans
from mteval.metrics.base import KnowsDeviations
from mteval.ui.parts.markup import Markup, tag
from mteval.ui.segments.compared_runs import SegmentData
from mteval.ui.segments.markup import text_rows
from mteval.ui.segments.span_markup import error_legend, output_with_errors

Labels = tuple[str, str]  # how the two runs are called


def errors_of(data: SegmentData, by: Scored, labels: Labels, segment: int) -> Iterator[Markup]:
    """What a metric marks as errors in the outputs of both sides; nothing where it marks none anywhere."""
    if not marks_errors(by):
        return
    runs = data.baseline, data.system
    spans = [spans_of(by, run)[segment] for run in runs]
    yield tag("h4", f"Errors marked by {by.metric.name}", class_="mt-h")
    texts = (output_with_errors(run.hypotheses[segment], one) for run, one in zip(runs, spans, strict=True))
    yield text_rows(zip(labels, texts, strict=True))
    yield error_legend(*spans)


def deviations_of(data: SegmentData, by: Scored, labels: Labels, segment: int) -> Iterator[Markup]:
    """The standard deviations that the scores of both sides were given with; nothing where there are none."""
    if not isinstance(by.scorer, KnowsDeviations):
        return
    notation = data.results.spec(by.metric.key).notation
    given = [by.scorer.deviations(run) for run in (data.baseline, data.system)]
    told = [
        f"{label} ±{notation.number(value)}"
        for label, values in zip(labels, given, strict=True)
        if values is not None and (value := values[segment]) is not None
    ]
    if told:
        text = f"Standard deviation that {by.metric.name} came with: {', '.join(told)}."
        yield tag("p", text, class_="mt-quiet")


def shown_marking(data: SegmentData, metric: str) -> Scored | None:
    """The metric whose errors are shown in the outputs of all runs: the chosen one where it marks any."""
    found = sorted(filter(marks_errors, data.scored), key=lambda by: by.metric.key != metric)
    return found[0] if found else None


def spans_of_some(data: SegmentData, by: Scored, system: str, runs: Collection[str], segment: int) -> Spans | None:
    """The errors in an output that several runs have: those of the first of them that has any marked."""
    found = (spans_of(by, run)[segment] for run in data.test_set.runs_of(system) if run.key in runs)
    return next((spans for spans in found if spans is not None), None)
