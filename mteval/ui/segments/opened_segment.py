"""The errors that metrics mark in the outputs of one opened segment, and how sure they say they are of their scores.

What all runs of two systems, and the median runs of all systems, made of a segment.

One opened segment: its texts, what each metric sees in it, what all runs made of it, what stands around it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import streamlit as st

from mteval.analysis.error_spans import marks_errors, spans_of
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.runs import median_outputs, outputs_frame
from mteval.analysis.segments.table import SIDES, column, mark_differences, part_names
from mteval.base.words import agreeing, counted_part, listed
from mteval.metrics.base import KnowsDeviations
from mteval.metrics.explanation import Alignment, EditPath, Explains, Explanation, NgramMatches
from mteval.render.html import Markup, join, scrolling, tag
from mteval.ui.parts.tables import show
from mteval.ui.segments.compared_runs import SegmentData, part_digits
from mteval.ui.segments.markup import (
    Row,
    alignment_drawing,
    edit_counts,
    edit_drawing,
    error_legend,
    marked,
    ngram_chips,
    ngram_line,
    output_with_errors,
    text_rows,
    text_with_errors,
)
from mteval.values.error_spans import Spans
from mteval.values.notation import fixed, signed

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


def all_runs(data: SegmentData, segment: int, metric: str) -> None:
    """The distinct outputs of both systems with how many runs made each, and how the runs compare; else the runs."""
    systems = list(dict.fromkeys((data.baseline.system, data.system.system)))
    if len(systems) == 2:
        show(tag("p", consistency_sentence(data, segment, metric)))
    ranked = data.ranked_by(metric)
    frame = outputs_frame(data.test_set, ranked, segment, systems)
    totals = {system: len(data.test_set.runs_of(system)) for system in systems}
    rows = frame.to_dict("records")
    counts = [tag("td", f"{row['count']} of {totals[row['system']]}", title=", ".join(row["runs"])) for row in rows]
    texts = _texts(data, metric, segment, [(row["system"], row["text"], row["runs"]) for row in rows])
    show(
        _outputs_table(data, ranked, data.said("Runs"), zip(rows, counts, texts, strict=True)),
        *_marked_by(data, metric),
    )


def all_systems(data: SegmentData, segment: int, metric: str) -> None:
    """The median run of every system, the best output of this segment first."""
    ranked = data.ranked_by(metric)
    frame = median_outputs(ranked, segment)
    rows = frame.to_dict("records")
    runs = [tag("td", row["run"]) for row in rows]
    texts = _texts(data, metric, segment, [(row["system"], row["text"], [row["run"]]) for row in rows])
    name = data.scored_by(metric).metric.name
    told = data.said(f"The median run of each system by {name} on this test set.")
    show(tag("p", told, class_="mt-quiet"))
    show(_outputs_table(data, ranked, data.said("Run"), zip(rows, runs, texts, strict=True)), *_marked_by(data, metric))


def _texts(
    data: SegmentData, metric: str, segment: int, outputs: Iterable[tuple[str, str, Collection[str]]]
) -> list[str | Markup]:
    """Outputs of systems, each of some runs, with the errors that a metric marks in them where one does."""
    marking = shown_marking(data, metric)
    if marking is None:
        return [text for _, text, _ in outputs]
    return [
        text_with_errors(text, spans_of_some(data, marking, system, runs, segment)) for system, text, runs in outputs
    ]


def _marked_by(data: SegmentData, metric: str) -> Iterator[Markup]:
    """Whose errors they are."""
    if (marking := shown_marking(data, metric)) is not None:
        yield tag("p", f"Errors marked by {marking.metric.name}.", class_="mt-quiet")


def _outputs_table(
    data: SegmentData,
    ranked: Sequence[Scored],
    what: str,
    rows: Iterable[tuple[Mapping[Any, Any], Markup, str | Markup]],
) -> Markup:
    """Outputs with their systems and scores; each row comes with a cell that says of which runs it is, and its text."""
    last = "Output" if data.test_set.has_texts else data.said("Run")
    head = [tag("th", "System", class_="mt-name"), tag("th", what)]
    head += [tag("th", by.metric.name) for by in ranked] + [tag("th", last, class_="mt-name")]
    lines = [
        tag(
            "tr",
            tag("td", row["system"], class_="mt-name"),
            of_runs,
            *(tag("td", data.notation(by.metric.key).number(row[column(by.metric.key, "score")])) for by in ranked),
            tag("td", text, dir="auto", class_="mt-output"),
        )
        for row, of_runs, text in rows
    ]
    table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *lines), class_="mt-table mt-tight mt-outputs")
    return scrolling(table)


def consistency_sentence(data: SegmentData, segment: int, metric: str) -> str:
    """Mean improvement, its spread over runs, and in how many run pairs the second system is better."""
    row = data.consistency(metric).iloc[segment]
    name, notation = data.scored_by(metric).metric.name, data.notation(metric)
    spread = f", ± {notation.number(row['run_sd'])} between two runs" if row["run_sd"] == row["run_sd"] else ""
    left, right = data.names
    mean = notation.difference(row["mean_improvement"])
    return data.said(
        f"Improvement in {name} from {left} to {right}, mean of all runs: {mean}{spread}. Better in"
        f" {counted_part(row['better'], row['pairs'], 'run pair')}, worse in {row['worse']}."
    )


AROUND = 2  # segments before and after that are shown as context


def opened_segment(data: SegmentData, segment: int, metric: str) -> None:
    """Everything about one segment."""
    show(score_table(data, segment, metric), parts_of_scores(data, segment, metric))
    if data.test_set.has_texts or data.test_set.source is not None:
        show(text_rows(_opened_segment_texts(data, segment)))
    if not data.test_set.has_texts:
        all_runs(data, segment, metric)
        return
    views: dict[str, Callable[[], None]] = {
        "What the metrics see": lambda: explanations(data, segment, metric),
        "All runs": lambda: all_runs(data, segment, metric),
        "All systems": lambda: all_systems(data, segment, metric),
        "In context": lambda: context(data, segment),
    }
    if len(data.test_set.systems) < 3:  # all of them stand above
        del views["All systems"]
    tabs = st.tabs([data.said(name) for name in views], key="segment-tabs")
    for tab, view in zip(tabs, views.values(), strict=True):
        with tab:
            view()


def names(data: SegmentData) -> tuple[str, str]:
    """How the two runs are called."""
    left, right = (f"{run.system} · {run.key}" for run in (data.baseline, data.system))
    return left, right


def score_table(data: SegmentData, segment: int, metric: str) -> Markup:
    """Every metric's score of both runs and the difference, the metric that ranks first."""
    row = data.table.iloc[segment]
    columns = []
    for by in data.ranked_by(metric):
        key, notation = by.metric.key, data.notation(by.metric.key)
        left, right = (notation.number(row[column(key, side)]) for side in SIDES)
        head = notation.heading(data.results.spec(key).name)
        columns.append((head, left, right, notation.difference(row[column(key, "difference")])))
    return _of_both(data, columns)


def parts_of_scores(data: SegmentData, segment: int, metric: str) -> Markup:
    """The parts of the scores, as n-gram precisions and counts of edits, behind a click; nothing where there are none.

    The same lines as in ``score_table``.
    """
    row = data.table.iloc[segment]
    columns = []
    for by in data.ranked_by(metric):
        for part in part_names(by):
            places = part_digits(by, part)
            left, right = (float(row[column(by.metric.key, side, part)]) for side in SIDES)
            head = f"{by.metric.name} {part}"
            columns.append((head, fixed(left, places), fixed(right, places), signed(right - left, places)))
    return tag("details", tag("summary", "Parts of the scores"), _of_both(data, columns)) if columns else Markup()


def _of_both(data: SegmentData, columns: Sequence[tuple[str, str, str, str]]) -> Markup:
    """A table with a line a run and one for the difference, from head and cells of its columns."""
    heads, *lines = zip(*columns, strict=True)
    head = [tag("th", "", class_="mt-name"), *(tag("th", text, scope="col") for text in heads)]
    body = [
        tag("tr", tag("th", label, class_="mt-name"), *(tag("td", text) for text in cells))
        for label, cells in zip((*names(data), "Difference"), lines, strict=True)
    ]
    return scrolling(tag("table", tag("thead", tag("tr", *head)), tag("tbody", *body), class_="mt-table mt-tight"))


def _opened_segment_texts(data: SegmentData, segment: int) -> Iterator[Row]:
    test_set = data.test_set
    if test_set.source is not None:
        yield ("Source" if test_set.has_texts else "Item"), test_set.source[segment]
    if not test_set.has_texts:
        return
    references = test_set.references[segment]
    for number, reference in enumerate(references, start=1):
        yield (f"Reference {number}" if len(references) > 1 else "Reference"), reference
    texts = mark_differences(data.baseline.hypotheses[segment], data.system.hypotheses[segment])
    for side, name, text in zip(SIDES, names(data), texts, strict=True):
        yield name, tag("span", marked(text), class_=f"mt-{side}")


def explanations(data: SegmentData, segment: int, metric: str) -> None:
    """What each metric that can say so sees in the two outputs."""
    silent = []
    for by in data.ranked_by(metric):
        if isinstance(by.scorer, Explains):
            _explanation(data, by.metric.name, by.scorer, segment)
        said = [*errors_of(data, by, names(data), segment), *deviations_of(data, by, names(data), segment)]
        if said:
            show(*said)
        elif not isinstance(by.scorer, Explains):
            silent.append(by.metric.name)
    if silent:
        text = f"{listed(silent)} {agreeing(len(silent), 'gives', 'give')} a score and no reason for it."
        show(tag("p", text, class_="mt-quiet"))


def _explanation(data: SegmentData, name: str, scorer: Explains, segment: int) -> None:
    left = scorer.explain(segment, data.baseline.hypotheses[segment])
    right = scorer.explain(segment, data.system.hypotheses[segment])
    show(tag("h4", name, class_="mt-h"), _shown(names(data), left, right))


def _shown(labels: tuple[str, str], left: Explanation, right: Explanation) -> Markup:
    """Both sides of an explanation."""
    if isinstance(left, NgramMatches) and isinstance(right, NgramMatches):
        return _ngrams(labels, left, right)
    if isinstance(left, Alignment) and isinstance(right, Alignment):
        rows = [(label, alignment_drawing(alignment)) for label, alignment in zip(labels, (left, right), strict=True)]
        return join((text_rows(rows), ALIGNMENT_LEGEND))
    rows = [
        (label, join((tag("p", edit_counts(path), class_="mt-quiet"), edit_drawing(path))))
        for label, path in zip(labels, (left, right), strict=True)
        if isinstance(path, EditPath)
    ]
    return join((text_rows(rows), EDIT_LEGEND))


def _ngrams(labels: tuple[str, str], left: NgramMatches, right: NgramMatches) -> Markup:
    lost, gained = left.beyond(right), right.beyond(left)
    rows = [
        (labels[0], ngram_line(left, lost, "baseline")),
        (labels[1], ngram_line(right, gained, "system")),
        (f"Only in {labels[0]}", ngram_chips(left, lost, "baseline")),
        (f"Only in {labels[1]}", ngram_chips(right, gained, "system")),
    ]
    return join((text_rows(rows), ngram_legend(len(left.is_matched))))


def ngram_legend(longest: int) -> Markup:
    """What the shades of matched words mean, up to the longest sequences that a metric looks at."""
    return tag(
        "p",
        "Part of a matched sequence of ",
        *(tag("span", str(order), class_=f"mt-n{order}") for order in range(1, longest + 1)),
        f" {agreeing(longest, 'word', 'words')}; underlined where only this side matches it.",
        class_="mt-quiet mt-legend",
    )


EDIT_LEGEND = tag(
    "p",
    "Reference above, hypothesis below. ",
    tag("b", "S"), " substitution, ", tag("b", "I"), " insertion, a word too many, ",
    tag("b", "D"), " deletion, a word missing; framed and numbered: moved, to where ",
    tag("span", "▾", class_="mt-goal"), " stands.",
    class_="mt-quiet mt-legend",
)  # fmt: skip


ALIGNMENT_LEGEND = tag(
    "p",
    "Reference above, hypothesis below; words with equal numbers are matched. ",
    *(tag("span", module, class_=f"mt-chip mt-{module}") for module in ("exact", "stem", "synonym", "paraphrase")),
    class_="mt-quiet mt-legend",
)


def context(data: SegmentData, segment: int) -> None:
    """The segments before and after it, within its document where documents are known."""
    documents = data.test_set.documents
    last = data.test_set.n_segments - 1
    around = [
        neighbour
        for neighbour in range(max(0, segment - AROUND), min(last, segment + AROUND) + 1)
        if documents is None or documents[neighbour] == documents[segment]
    ]
    for neighbour in around:
        title = f"Segment {neighbour + 1}" + (", the open one" if neighbour == segment else "")
        show(tag("h4", title, class_="mt-h"), text_rows(_opened_segment_texts(data, neighbour)))
