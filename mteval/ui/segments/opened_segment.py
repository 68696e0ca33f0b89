"""One open segment: texts, explanations by metric, outputs of all runs, context."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pandas as pd
import streamlit as st

from mteval.analysis.scoring import Scored
from mteval.analysis.segments.table import SIDES, mark_differences
from mteval.analysis.summary import marks_errors, spans_of
from mteval.answers.section import Section
from mteval.answers.segments import SegmentData, all_runs, all_systems, marking, scores
from mteval.base.words import agreeing, listed
from mteval.metrics.base import KnowsDeviations
from mteval.metrics.explanation import Alignment, EditPath, Explains, Explanation, NgramMatches
from mteval.render.html import Markup, escape, join, section_parts, tag
from mteval.ui.parts.elements import quiet, show
from mteval.ui.segments import markup
from mteval.ui.segments.markup import text_rows

OUTPUTS = "mt-tight mt-outputs"  # the look of tables with whole outputs
AROUND = 2  # segments before and after that are shown as context
Labels = tuple[str, str]  # how the two runs are called


def opened_segment(data: SegmentData, segment: int, metric: str) -> None:
    """Show everything about one segment."""
    _tight(scores(data, segment, metric))
    if data.test_set.has_texts or data.test_set.source is not None:
        show(text_rows(_texts(data, segment)))
    if not data.test_set.has_texts:
        _tight(all_runs(data, segment, metric), OUTPUTS)
        return
    views: dict[str, Callable[[], None]] = {
        "Explanations": lambda: explanations(data, segment, metric),
        data.runs.filled("All {runs}"): lambda: _outputs(data, segment, metric, all_runs(data, segment, metric)),
        "All systems": lambda: _outputs(data, segment, metric, all_systems(data, segment, metric)),
        "In context": lambda: context(data, segment),
    }
    if len(data.test_set.systems) < 3:  # both are shown above
        del views["All systems"]
    for tab, view in zip(st.tabs(list(views), key="segment-tabs"), views.values(), strict=True):
        with tab:
            view()


def _tight(section: Section, look: str = "mt-tight") -> None:
    """Show a section with dense tables."""
    show(tag("div", *map(escape, section_parts(section, has_title=False)), class_=look))


def _outputs(data: SegmentData, segment: int, metric: str, section: Section) -> None:
    """Show outputs of systems, with the errors that a metric marks."""
    by = next(iter(marking(data, metric)), None)
    assert section.table is not None
    if by is None:
        _tight(section, OUTPUTS)
        return
    frame = section.table.frame
    texts = []
    for row in frame.to_dict("records"):
        runs = (run for run in data.test_set.runs_of(row["system"]) if run.key in row["runs"])
        marked = (spans_of(by, run)[segment] for run in runs)
        texts.append(markup.text_with_errors(row["text"], next((one for one in marked if one is not None), None)))
    marked_up = frame.assign(text=pd.Series(texts, frame.index, dtype=object))  # as strings they would be plain text
    _tight(replace(section, table=replace(section.table, frame=marked_up)), OUTPUTS)
    quiet(f"Errors marked by {by.metric.name}.")


def _texts(data: SegmentData, segment: int) -> Iterator[tuple[str, str]]:
    test_set = data.test_set
    if test_set.source is not None:
        yield ("Source" if test_set.has_texts else "Item"), test_set.source[segment]
    if not test_set.has_texts:
        return
    references = test_set.references[segment]
    for number, reference in enumerate(references, start=1):
        yield (f"Reference {number}" if len(references) > 1 else "Reference"), reference
    texts = mark_differences(data.baseline.hypotheses[segment], data.system.hypotheses[segment])
    for side, name, text in zip(SIDES, data.labels, texts, strict=True):
        yield name, tag("span", markup.marked(text), class_=f"mt-{side}")


def errors_of(data: SegmentData, by: Scored, labels: Labels, segment: int) -> Iterator[Markup]:
    """Yield the errors that a metric marks on both sides; nothing if it marks none anywhere."""
    if not marks_errors(by):
        return
    runs = data.baseline, data.system
    spans = [spans_of(by, run)[segment] for run in runs]
    yield tag("h4", f"Errors marked by {by.metric.name}", class_="mt-h")
    texts = (markup.output_with_errors(run.hypotheses[segment], one) for run, one in zip(runs, spans, strict=True))
    yield text_rows(zip(labels, texts, strict=True))
    yield markup.error_legend(*spans)


def deviations_of(data: SegmentData, by: Scored, labels: Labels, segment: int) -> Iterator[Markup]:
    """Yield the SDs given with the scores of both sides, if any."""
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
        text = f"SD given with {by.metric.name}: {', '.join(told)}."
        yield tag("p", text, class_="mt-quiet")


def explanations(data: SegmentData, segment: int, metric: str) -> None:
    """Show the explanation of each metric that has one."""
    ranked, is_silent = data.ranked_by(metric), True
    for by in ranked:
        said = [*errors_of(data, by, data.labels, segment), *deviations_of(data, by, data.labels, segment)]
        if isinstance(by.scorer, Explains):
            said.insert(0, _explanation(data, by.metric.name, by.scorer, segment))
        show(*said)
        is_silent = is_silent and not said
    if is_silent:
        quiet(f"No explanation for {listed([by.metric.name for by in ranked])}.")


def _explanation(data: SegmentData, name: str, scorer: Explains, segment: int) -> Markup:
    left = scorer.explain(segment, data.baseline.hypotheses[segment])
    right = scorer.explain(segment, data.system.hypotheses[segment])
    return join((tag("h4", name, class_="mt-h"), _shown(data.labels, left, right)))


def _shown(labels: tuple[str, str], left: Explanation, right: Explanation) -> Markup:
    """Return both sides of an explanation."""
    if isinstance(left, NgramMatches) and isinstance(right, NgramMatches):
        return _ngrams(labels, left, right)
    rows = []
    for label, one in zip(labels, (left, right), strict=True):
        if isinstance(one, Alignment):
            rows.append((label, markup.alignment_drawing(one)))
        elif isinstance(one, EditPath):
            counts = tag("p", markup.edit_counts(one), class_="mt-quiet")
            rows.append((label, join((counts, markup.edit_drawing(one)))))
    return join((text_rows(rows), ALIGNMENT_LEGEND if isinstance(left, Alignment) else EDIT_LEGEND))


def _ngrams(labels: tuple[str, str], left: NgramMatches, right: NgramMatches) -> Markup:
    lost, gained = left.beyond(right), right.beyond(left)
    rows = [
        (labels[0], markup.ngram_line(left, lost, "baseline")),
        (labels[1], markup.ngram_line(right, gained, "system")),
        (f"Only in {labels[0]}", markup.ngram_chips(left, lost, "baseline")),
        (f"Only in {labels[1]}", markup.ngram_chips(right, gained, "system")),
    ]
    return join((text_rows(rows), ngram_legend(len(left.is_matched))))


def ngram_legend(longest: int) -> Markup:
    """Return the legend of shaded words."""
    return tag(
        "p",
        "Shaded: in a matched sequence of ",
        *(tag("span", str(order), class_=f"mt-n{order}") for order in range(1, longest + 1)),
        f" {agreeing(longest, 'word', 'words')}. Underlined: on this side only.",
        class_="mt-quiet mt-legend",
    )


EDIT_LEGEND = tag(
    "p",
    "Reference above, hypothesis below. ",
    tag("b", "S"), " substitution, ", tag("b", "I"), " insertion, ",
    tag("b", "D"), " deletion. Framed: moved to ",
    tag("span", "▾", class_="mt-goal"), ".",
    class_="mt-quiet mt-legend",
)  # fmt: skip


ALIGNMENT_LEGEND = tag(
    "p",
    "Reference above, hypothesis below. Equal numbers: matched words. ",
    *(tag("span", module, class_=f"mt-chip mt-{module}") for module in ("exact", "stem", "synonym", "paraphrase")),
    class_="mt-quiet mt-legend",
)


def context(data: SegmentData, segment: int) -> None:
    """Show neighbouring segments, within the document if documents are known."""
    documents = data.test_set.documents
    last = data.test_set.n_segments - 1
    around = [
        neighbour
        for neighbour in range(max(0, segment - AROUND), min(last, segment + AROUND) + 1)
        if documents is None or documents[neighbour] == documents[segment]
    ]
    for neighbour in around:
        title = f"Segment {neighbour + 1}" + (" (open)" if neighbour == segment else "")
        show(tag("h4", title, class_="mt-h"), text_rows(_texts(data, neighbour)))
