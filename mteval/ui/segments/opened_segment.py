"""One opened segment: its texts, what each metric sees in it, what all runs made of it, what stands around it."""

from collections.abc import Iterator, Mapping
from typing import Any

import streamlit as st

from mteval.analysis.scoring import Scored
from mteval.analysis.segments.runs import outputs_frame
from mteval.analysis.segments.table import column, part_names
from mteval.analysis.segments.text_pieces import mark_differences
from mteval.counts import agreeing, counted_part
from mteval.metrics.explanation import Alignment, EditPath, Explains, Explanation, NgramMatches
from mteval.notation import Notation, fixed, signed
from mteval.ui.parts.markup import Markup, join, scrolling, show, tag
from mteval.ui.segments.compared_runs import SegmentData, part_digits
from mteval.ui.segments.markup import (
    Row,
    alignment_drawing,
    edit_counts,
    edit_drawing,
    marked,
    ngram_chips,
    ngram_line,
    text_rows,
)
from mteval.ui.segments.opened_errors import deviations_of, errors_of, shown_marking, spans_of_some
from mteval.ui.segments.span_markup import text_with_errors

AROUND = 2  # segments before and after that are shown as context


def opened_segment(data: SegmentData, segment: int, metric: str) -> None:
    """Everything about one segment."""
    show(score_table(data, segment))
    if data.test_set.has_texts or data.test_set.source is not None:
        show(text_rows(_texts(data, segment)))
    if not data.test_set.has_texts:
        all_runs(data, segment, metric)
        return
    tabs = st.tabs(["What the metrics see", "All runs", "In context"], key="segment-tabs")
    with tabs[0]:
        for by in data.scored:
            if isinstance(by.scorer, Explains):
                _explanation(data, by.metric.name, by.scorer, segment)
            said = [*errors_of(data, by, names(data), segment), *deviations_of(data, by, names(data), segment)]
            if said:
                show(*said)
    with tabs[1]:
        all_runs(data, segment, metric)
    with tabs[2]:
        context(data, segment)


def names(data: SegmentData) -> tuple[str, str]:
    """How the two runs are called."""
    left, right = (f"{run.system} · {run.key}" for run in (data.baseline, data.system))
    return left, right


def score_table(data: SegmentData, segment: int) -> Markup:
    """Every metric's score of both runs, the difference and the parts of the scores."""
    row = data.table.iloc[segment]
    head = [tag("th", "", class_="mt-name")]
    lines: dict[str, list[str]] = {"left": [], "right": [], "difference": []}
    for one in data.scored:
        key, spec = one.metric.key, data.results.spec(one.metric.key)
        notation = _notation(data, key)
        head.append(tag("th", notation.heading(spec.name), scope="col"))
        lines["left"].append(notation.number(row[column(key, "baseline")]))
        lines["right"].append(notation.number(row[column(key, "system")]))
        lines["difference"].append(notation.difference(row[column(key, "difference")]))
        for part in part_names(one):
            head.append(tag("th", part, scope="col", class_="mt-part"))
            left, right = (float(row[column(key, side, part)]) for side in ("baseline", "system"))
            places = part_digits(one, part)
            shown = fixed(left, places), fixed(right, places), signed(right - left, places)
            for line, value in zip(lines, shown, strict=True):
                lines[line].append(tag("span", value, class_="mt-part"))
    labels = dict(zip(lines, (*names(data), "Difference"), strict=True))
    body = [tag("tr", tag("th", labels[line], class_="mt-name"), *map(_cell, cells)) for line, cells in lines.items()]
    return scrolling(tag("table", tag("thead", tag("tr", *head)), tag("tbody", *body), class_="mt-table mt-tight"))


def _cell(text: str) -> Markup:
    return tag("td", text)


def _texts(data: SegmentData, segment: int) -> Iterator[Row]:
    test_set = data.test_set
    if test_set.source is not None:
        yield ("Source" if test_set.has_texts else "Item"), test_set.source[segment]
    if not test_set.has_texts:
        return
    references = test_set.references[segment]
    for number, reference in enumerate(references, start=1):
        yield (f"Reference {number}" if len(references) > 1 else "Reference"), reference
    texts = mark_differences(data.baseline.hypotheses[segment], data.system.hypotheses[segment])
    for side, name, text in zip(("baseline", "system"), names(data), texts, strict=True):
        yield name, tag("span", marked(text), class_=f"mt-{side}")


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


def all_runs(data: SegmentData, segment: int, metric: str) -> None:
    """The distinct outputs of both systems with how many runs made each, and how the runs compare; else the runs."""
    systems = list(dict.fromkeys((data.baseline.system, data.system.system)))
    if len(systems) == 2:
        show(tag("p", consistency_sentence(data, segment, metric)))
    frame = outputs_frame(data.test_set, data.scored, segment, systems)
    totals = {system: len(data.test_set.runs_of(system)) for system in systems}
    last = "Output" if data.test_set.has_texts else "Run"
    head = [tag("th", "System", class_="mt-name"), tag("th", "Runs")]
    head += [tag("th", by.metric.name) for by in data.scored] + [tag("th", last, class_="mt-name")]
    shown = shown_marking(data, metric)
    lines = [_output_line(data, row, totals, segment, shown) for row in frame.to_dict("records")]
    table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *lines), class_="mt-table mt-tight mt-outputs")
    show(scrolling(table))
    if shown is not None:
        show(tag("p", f"Errors marked by {shown.metric.name}.", class_="mt-quiet"))


def _output_line(
    data: SegmentData, row: Mapping[Any, Any], totals: Mapping[str, int], segment: int, marking: Scored | None
) -> Markup:
    system, runs, text = row["system"], row["runs"], row["text"]
    if marking is not None:
        text = text_with_errors(text, spans_of_some(data, marking, system, runs, segment))
    scores = [tag("td", _notation(data, key).number(row[column(key, "score")])) for key in data.metrics]
    count = tag("td", f"{row['count']} of {totals[system]}", title=", ".join(runs))
    return tag(
        "tr",
        tag("td", system, class_="mt-name"),
        count,
        *scores,
        tag("td", text, dir="auto", class_="mt-output"),
    )


def consistency_sentence(data: SegmentData, segment: int, metric: str) -> str:
    """Mean improvement, its spread over runs, and in how many run pairs the second system is better."""
    row = data.consistency(metric).iloc[segment]
    name, notation = data.scored_by(metric).metric.name, _notation(data, metric)
    spread = f", ± {notation.number(row['run_sd'])} between two runs" if row["run_sd"] == row["run_sd"] else ""
    left, right = data.names
    mean = notation.difference(row["mean_improvement"])
    return (
        f"Improvement in {name} from {left} to {right}, mean of all runs: {mean}{spread}. Better in"
        f" {counted_part(row['better'], row['pairs'], 'run pair')}, worse in {row['worse']}."
    )


def _notation(data: SegmentData, metric: str) -> Notation:
    """How a metric's sentence scores are written."""
    return data.results.spec(metric).notation.coarser


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
        show(tag("h4", title, class_="mt-h"), text_rows(_texts(data, neighbour)))
