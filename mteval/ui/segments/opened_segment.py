"""One open segment: texts, explanations by metric (n-grams, edits, alignments, errors), outputs of all runs, context.

Every string from a file goes through ``mteval.render.html``, which escapes it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from mteval.analysis.scoring import Scored
from mteval.analysis.segments.table import SIDES, MarkedText, mark_differences
from mteval.analysis.summary import marks_errors, severities, spans_of
from mteval.answers.errors import quoted
from mteval.answers.section import Section
from mteval.answers.segments import SegmentData, all_runs, all_systems, marking, scores
from mteval.base.words import agreeing, counted, listed
from mteval.metrics.base import KnowsDeviations
from mteval.metrics.explanation import Alignment, EditPath, Explains, Explanation, NgramMatches, Step, Tokens
from mteval.render.html import Markup, escape, join, marked_text, section_parts, tag
from mteval.ui.elements import quiet, show
from mteval.ui.segments.notes import show_outputs_with_notes
from mteval.values.judgements import ErrorSpan, Spans
from mteval.values.marked_text import Span
from mteval.values.model import Run
from mteval.values.notation import fixed

Row = tuple[str, str]  # label and text or markup

OUTPUTS = "mt-tight mt-outputs"  # the look of tables with whole outputs
AROUND = 2  # segments before and after that are shown as context
MOST_LISTED = 12  # errors per output
NO_ANNOTATION = tag("p", "No error annotation for this output.", class_="mt-quiet")
EDIT_LETTERS = {"match": "", "substitution": "S", "insertion": "I", "deletion": "D"}
ALIGNMENT_LEGEND = tag(
    "p",
    "Reference above, hypothesis below. Equal numbers: matched words. ",
    *(tag("span", module, class_=f"mt-chip mt-{module}") for module in ("exact", "stem", "synonym", "paraphrase")),
    class_="mt-quiet mt-legend",
)


def opened_segment(data: SegmentData, segment: int, metric: str) -> None:
    """Show everything about one segment."""
    _show_tight(scores(data, segment, metric))
    if data.test_set.has_texts or data.test_set.source is not None:
        show(text_rows(_given_texts(data, segment)))
    if not data.test_set.has_texts:
        _show_tight(all_runs(data, segment, metric), OUTPUTS)
        return
    show_outputs_with_notes(data, segment)
    _closer_looks(data, segment, metric)


@st.fragment
def _closer_looks(data: SegmentData, segment: int, metric: str) -> None:
    """Show tabs about one segment, of which only the open one is drawn. A fragment, so that a click draws it alone."""

    def show_all_runs() -> None:
        _show_outputs(data, segment, metric, all_runs(data, segment, metric))

    def show_all_systems() -> None:
        _show_outputs(data, segment, metric, all_systems(data, segment, metric))

    views: dict[str, Callable[[], None]] = {
        "Explanations": lambda: explanations(data, segment, metric),
        data.runs.filled("All {runs}"): show_all_runs,
    }
    if len(data.test_set.systems) > 2:  # otherwise both are shown above
        views["All systems"] = show_all_systems
    views["In context"] = lambda: context(data, segment)
    tabs = st.tabs(list(views), key="segment-tabs", on_change="rerun")
    for tab, view in zip(tabs, views.values(), strict=True):
        if tab.open:
            with tab:
                view()


def _show_tight(section: Section, look: str = "mt-tight") -> None:
    """Show a section with dense tables."""
    show(tag("div", *map(escape, section_parts(section, has_title=False)), class_=look))


def _show_outputs(data: SegmentData, segment: int, metric: str, section: Section) -> None:
    """Show outputs of systems, with the errors that a metric marks."""
    scored = next(iter(marking(data, metric)), None)
    assert section.table is not None
    if scored is None:
        _show_tight(section, OUTPUTS)
        return
    frame = section.table.frame
    texts = []
    for row in frame.to_dict("records"):
        runs = [run for run in data.test_set.runs_of(row["system"]) if run.key in row["runs"]]
        texts.append(text_with_errors(row["text"], _first_annotation(scored, runs, segment)))
    marked_up = frame.assign(text=pd.Series(texts, frame.index, dtype=object))  # as strings they would be plain text
    _show_tight(replace(section, table=replace(section.table, frame=marked_up)), OUTPUTS)
    quiet(f"Errors marked by {scored.metric.name}.")


def _first_annotation(scored: Scored, runs: Iterable[Run], segment: int) -> Spans | None:
    """Return the errors that a metric marks in a segment, from the first of these runs that it annotated."""
    for run in runs:
        spans = spans_of(scored, run)[segment]
        if spans is not None:
            return spans
    return None


def _given_texts(data: SegmentData, segment: int) -> Iterator[Row]:
    """Yield source and references."""
    test_set = data.test_set
    if test_set.source is not None:
        label = "Source" if test_set.has_texts else "Item"
        yield label, test_set.source[segment]
    if not test_set.has_texts:
        return
    references = test_set.references[segment]
    for number, reference in enumerate(references, start=1):
        label = f"Reference {number}" if len(references) > 1 else "Reference"
        yield label, reference


def _all_texts(data: SegmentData, segment: int) -> Iterator[Row]:
    """Yield source, references and both outputs."""
    yield from _given_texts(data, segment)
    if data.is_alone:
        yield data.labels[1], data.system.hypotheses[segment]
        return
    texts = mark_differences(data.baseline.hypotheses[segment], data.system.hypotheses[segment])
    for side, label, text in zip(SIDES, data.labels, texts, strict=True):
        yield label, tag("span", marked(text), class_=f"mt-{side}")


def context(data: SegmentData, segment: int) -> None:
    """Show neighbouring segments, within the document if documents are known."""
    documents = data.test_set.documents
    first = max(0, segment - AROUND)
    last = min(data.test_set.n_segments - 1, segment + AROUND)
    for neighbour in range(first, last + 1):
        if documents is not None and documents[neighbour] != documents[segment]:
            continue
        title = f"Segment {neighbour + 1}"
        if neighbour == segment:
            title += " (open)"
        show(tag("h4", title, class_="mt-h"), text_rows(_all_texts(data, neighbour)))


def explanations(data: SegmentData, segment: int, metric: str) -> None:
    """Show the explanation of each metric that has one."""
    ranked = data.ranked_by(metric)
    has_explanation = False
    for scored in ranked:
        parts: list[Markup] = []
        if isinstance(scored.scorer, Explains):
            explained = [scored.scorer.explain(segment, side.run.hypotheses[segment]) for side in data.sides]
            parts.append(tag("h4", scored.metric.name, class_="mt-h"))
            parts.append(_explanation_markup([side.label for side in data.sides], explained))
        parts.extend(errors_of(data, scored, segment))
        parts.extend(deviations_of(data, scored, segment))
        show(*parts)
        if parts:
            has_explanation = True
    if not has_explanation:
        quiet(f"No explanation for {listed([scored.metric.name for scored in ranked])}.")


def _explanation_markup(labels: Sequence[str], explained: Sequence[Explanation]) -> Markup:
    """Return the explanation of each side, or of the only one."""
    left = explained[0]
    right = explained[-1]
    if isinstance(left, NgramMatches) and isinstance(right, NgramMatches):
        if len(explained) == 1:
            rows = [(labels[0], ngram_line(left, (), SIDES[1]))]
            return join((text_rows(rows), ngram_legend(len(left.is_matched), are_two=False)))
        left_line = ngram_line(left, left.beyond(right), SIDES[0])
        right_line = ngram_line(right, right.beyond(left), SIDES[1])
        rows = [(labels[0], left_line), (labels[1], right_line)]
        return join((text_rows(rows), ngram_legend(len(left.is_matched))))
    rows = []
    for label, explanation in zip(labels, explained, strict=True):
        if isinstance(explanation, Alignment):
            rows.append((label, alignment_drawing(explanation)))
        elif isinstance(explanation, EditPath):
            counts = tag("p", edit_counts(explanation), class_="mt-quiet")
            rows.append((label, join((counts, edit_drawing(explanation)))))
    return join((text_rows(rows), _legend_of(explained)))


def _legend_of(explained: Sequence[Explanation]) -> Markup:
    """Return the legend of alignments or edits."""
    if isinstance(explained[0], Alignment):
        return ALIGNMENT_LEGEND
    are_moved = any(isinstance(explanation, EditPath) and explanation.shifts for explanation in explained)
    return edit_legend(are_moved=are_moved)


def errors_of(data: SegmentData, scored: Scored, segment: int) -> Iterator[Markup]:
    """Yield the errors that a metric marks on both sides; nothing if it marks none anywhere."""
    if not marks_errors(scored):
        return
    yield tag("h4", f"Errors marked by {scored.metric.name}", class_="mt-h")
    rows = []
    spans_of_both = []
    for side in data.sides:
        spans = spans_of(scored, side.run)[segment]
        spans_of_both.append(spans)
        rows.append((side.label, output_with_errors(side.run.hypotheses[segment], spans)))
    yield text_rows(rows)
    yield error_legend(*spans_of_both)


def deviations_of(data: SegmentData, scored: Scored, segment: int) -> Iterator[Markup]:
    """Yield the SDs given with the scores of both sides, if any."""
    if not isinstance(scored.scorer, KnowsDeviations):
        return
    number = data.results.spec(scored.metric.key).notation.number
    written = []
    for side in data.sides:
        deviations = scored.scorer.deviations(side.run)
        if deviations is None:
            continue
        deviation = deviations[segment]
        if deviation is not None:
            written.append(f"{side.label} ±{number(deviation)}")
    if written:
        yield tag("p", f"SD given with {scored.metric.name}: {', '.join(written)}.", class_="mt-quiet")


def text_rows(rows: Iterable[Row]) -> Markup:
    """Return labelled texts below each other; each keeps its own writing direction."""
    cells = [join((tag("dt", label), tag("dd", text, dir="auto"))) for label, text in rows]
    return tag("dl", *cells, class_="mt-texts")


def marked(text: MarkedText) -> Markup:
    """Return a text with marked pieces."""
    pieces = []
    for piece, is_marked in text:
        if is_marked:
            pieces.append(tag("mark", piece))
        else:
            pieces.append(escape(piece))
    return join(pieces)


def ngram_line(matches: NgramMatches, alone: Sequence[tuple[Tokens, int]], side: str) -> Markup:
    """Return tokens shaded by the longest matched n-gram, underlined if only this side matches it.

    Parameters
    ----------
    alone
        N-grams that only this side matches, with their counts.
    side
        ``baseline`` or ``system``; it decides the colour of the line.
    """
    underlined = _positions_of(matches, {ngram for ngram, _ in alone})
    words = []
    for position, (token, order) in enumerate(zip(matches.tokens, matches.longest_at(), strict=True)):
        look = f"mt-n{order}"
        if position in underlined:
            look += f" mt-only mt-{side}"
        words.append(tag("span", token, class_=look))
    return join(words, " ")


def _positions_of(matches: NgramMatches, ngrams: set[Tokens]) -> set[int]:
    """Return the positions of all tokens that belong to a match of one of these n-grams."""
    positions = set[int]()
    for order, is_matched_at in enumerate(matches.is_matched, start=1):
        for start, is_matched in enumerate(is_matched_at):
            if is_matched and matches.tokens[start : start + order] in ngrams:
                positions.update(range(start, start + order))
    return positions


def ngram_legend(longest: int, *, are_two: bool = True) -> Markup:
    """Return the legend of shaded words, with two sides or one."""
    orders = [tag("span", str(order), class_=f"mt-n{order}") for order in range(1, longest + 1)]
    unit = agreeing(longest, "word", "words")
    return tag(
        "p",
        "Shaded: in a matched sequence of ",
        *orders,
        f" {unit}. Underlined: on this side only." if are_two else f" {unit}.",
        class_="mt-quiet mt-legend",
    )


def edit_legend(*, are_moved: bool) -> Markup:
    """Return the legend of edits; only if words are moved, it explains how these are drawn."""
    parts = [
        "Reference above, hypothesis below. ",
        tag("b", "S"),
        " substitution, ",
        tag("b", "I"),
        " insertion, ",
        tag("b", "D"),
        " deletion.",
    ]
    if are_moved:
        parts += [" Framed: moved to ", tag("span", "▾", class_="mt-goal"), "."]
    return tag("p", *parts, class_="mt-quiet mt-legend")


def edit_drawing(path: EditPath) -> Markup:
    """Return the hypothesis with its shifts and, below it, its edits against the reference."""
    shift_of: dict[int, int] = {}
    for number, moved in enumerate(path.shifts, start=1):
        shift_of.update(dict.fromkeys(moved, number))
    parts = []
    if path.shifts:
        parts.append(tag("div", *_words_before_shifts(path, shift_of), class_="mt-before", dir="auto"))
    steps = [_edit_cell(path, step, shift_of) for step in path.steps]
    parts.append(tag("div", *steps, class_="mt-edits", dir="auto"))
    return join(parts)


def _words_before_shifts(path: EditPath, shift_of: dict[int, int]) -> list[Markup]:
    """Return the words in their own order, with numbered frames around moved ones and their targets.

    Parameters
    ----------
    shift_of
        The number of the shift that moves the word at a position.
    """
    # A shift moves its words behind the word that precedes them after all shifts; -1 is the start of the line.
    order_after_shifts = [step.hypothesis for step in path.steps if step.hypothesis is not None]
    targets_after: dict[int, list[Markup]] = {}
    for number, moved in enumerate(path.shifts, start=1):
        first = min(order_after_shifts.index(position) for position in moved)
        previous = order_after_shifts[first - 1] if first else -1
        target = tag("span", f"▾{number}", class_="mt-goal", title=f"Shift {number} goes here")
        targets_after.setdefault(previous, []).append(target)

    words = [*targets_after.get(-1, [])]
    for position, word in enumerate(path.words):
        if position in shift_of:
            words.append(tag("span", word, tag("sup", str(shift_of[position])), class_="mt-moved"))
        else:
            words.append(tag("span", word))
        words.extend(targets_after.get(position, []))
    return words


def _edit_cell(path: EditPath, step: Step, shift_of: dict[int, int]) -> Markup:
    """Return one step: reference word above, hypothesis word below, the edit's letter under both."""
    reference = Markup("·")
    if step.reference is not None:
        reference = escape(path.reference[step.reference])
    hypothesis = Markup("·")
    look = "mt-word"
    if step.hypothesis is not None:
        hypothesis = escape(path.words[step.hypothesis])
        if step.hypothesis in shift_of:
            hypothesis = join((hypothesis, tag("sup", str(shift_of[step.hypothesis]))))
            look = "mt-moved"
    return tag(
        "span",
        tag("span", reference),
        tag("span", hypothesis, class_=look),
        tag("b", EDIT_LETTERS[step.kind]),
        class_=f"mt-edit mt-{step.kind}",
    )


def edit_counts(path: EditPath) -> str:
    """``2 shifts, 1 substitution: 3 edits for 12 reference words``."""
    kinds = [counted(count, kind) for kind, count in path.counts.items() if kind != "match" and count]
    total = f"{counted(path.edits, 'edit')} for {counted(len(path.reference), 'reference word')}"
    if not kinds:
        return total
    return f"{', '.join(kinds)}: {total}"


def alignment_drawing(alignment: Alignment) -> Markup:
    """Return reference above hypothesis; matched words share a number and a colour."""
    # For the position of each matched word: the number of its match, and the module that matched it.
    matches_of_reference: dict[int, tuple[int, str]] = {}
    matches_of_hypothesis: dict[int, tuple[int, str]] = {}
    for number, match in enumerate(alignment.matches, start=1):
        in_reference = range(match.reference_start, match.reference_start + match.reference_length)
        in_hypothesis = range(match.hypothesis_start, match.hypothesis_start + match.hypothesis_length)
        matches_of_reference.update(dict.fromkeys(in_reference, (number, match.module)))
        matches_of_hypothesis.update(dict.fromkeys(in_hypothesis, (number, match.module)))
    reference = _aligned_words(alignment.reference_words, matches_of_reference)
    hypothesis = _aligned_words(alignment.hypothesis_words, matches_of_hypothesis)
    return join(tag("div", *words, class_="mt-before", dir="auto") for words in (reference, hypothesis))


def _aligned_words(words: Tokens, match_of: dict[int, tuple[int, str]]) -> list[Markup]:
    """Return the words of one side, each in the colour of its match and with its number."""
    cells = []
    for position, word in enumerate(words):
        if position in match_of:
            number, module = match_of[position]
            cells.append(tag("span", word, tag("sup", str(number)), class_=f"mt-aligned mt-{module}"))
        else:
            cells.append(tag("span", word, class_="mt-aligned mt-none"))
    return cells


def output_with_errors(text: str, spans: Spans | None) -> Markup:
    """Return an output with its errors marked, and listed below it."""
    if spans is None:
        return join((escape(text), NO_ANNOTATION))
    return join((tag("p", text_with_errors(text, spans)), tag("p", _errors_in_words(text, spans), class_="mt-quiet")))


def text_with_errors(text: str, spans: Spans | None) -> Markup:
    """Return an output with its errors marked, by the worst where they overlap."""
    errors = [Span(span.start, span.end, span.severity, _error_in_words(span)) for span in spans or ()]
    return marked_text(text, errors)


def _errors_in_words(text: str, spans: Spans) -> str:
    """``2 errors: “my food” (minor, confidence 0.42), “the” (major)``."""
    if not spans:
        return "no errors marked"
    errors = [f"{quoted(text[span.start : span.end])} ({_error_in_words(span)})" for span in spans[:MOST_LISTED]]
    if len(spans) > MOST_LISTED:
        errors.append(f"{len(spans) - MOST_LISTED:,} more")
    return f"{counted(len(spans), 'error')}: {', '.join(errors)}"


def _error_in_words(span: ErrorSpan) -> str:
    """``minor, style, confidence 0.42``."""
    parts = [span.severity, span.category]
    if span.confidence is not None:
        parts.append(f"confidence {fixed(span.confidence, 2)}")
    return ", ".join(part for part in parts if part)


def error_legend(*outputs: Spans | None) -> Markup:
    """Return a legend of the severities in these outputs."""
    samples = [marked_text(severity, [Span(0, len(severity), severity, severity)]) for severity in severities(outputs)]
    if not samples:
        return Markup("")
    return tag("p", join(samples, " "), class_="mt-quiet mt-legend")
