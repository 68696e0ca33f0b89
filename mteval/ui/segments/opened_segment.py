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
from mteval.ui.segments.notes import noting
from mteval.values.judgements import ErrorSpan, Spans
from mteval.values.marked_text import Span
from mteval.values.notation import fixed

Row = tuple[str, str]  # label and text or markup


def text_rows(rows: Iterable[Row]) -> Markup:
    """Return labelled texts below each other; each keeps its own writing direction."""
    cells = (join((tag("dt", label), tag("dd", text, dir="auto"))) for label, text in rows)
    return tag("dl", *cells, class_="mt-texts")


def marked(text: MarkedText) -> Markup:
    """Return a text with marked pieces."""
    return join(tag("mark", piece) if is_marked else escape(piece) for piece, is_marked in text)


def ngram_line(matches: NgramMatches, alone: Sequence[tuple[Tokens, int]], side: str) -> Markup:
    """Return tokens shaded by the longest matched n-gram, underlined if only this side matches it.

    ``side`` is ``baseline`` or ``system`` and decides the colour of the line.
    """
    only_here = _positions(matches, {ngram for ngram, _ in alone})
    words = [
        tag("span", token, class_=f"mt-n{order}" + (f" mt-only mt-{side}" if place in only_here else ""))
        for place, (token, order) in enumerate(zip(matches.tokens, matches.longest_at(), strict=True))
    ]
    return join(words, " ")


def _positions(matches: NgramMatches, ngrams: set[Tokens]) -> set[int]:
    places = set[int]()
    for order, matched in enumerate(matches.is_matched, start=1):
        for start, counts in enumerate(matched):
            if counts and matches.tokens[start : start + order] in ngrams:
                places |= set(range(start, start + order))
    return places


def edit_drawing(path: EditPath) -> Markup:
    """Return the hypothesis with its shifts and, below it, its edits against the reference."""
    shift_of = {place: number for number, places in enumerate(path.shifts, start=1) for place in places}
    before = tag("div", *_before_shifts(path, shift_of), class_="mt-before", dir="auto") if path.shifts else Markup("")
    steps = [_cell(path, step, shift_of) for step in path.steps]
    return join((before, tag("div", *steps, class_="mt-edits", dir="auto")))


def _before_shifts(path: EditPath, shift_of: dict[int, int]) -> list[Markup]:
    """Return the words in their own order, with numbered frames around moved ones and their targets."""
    goes_after: dict[int, list[int]] = {}
    order = [step.hypothesis for step in path.steps if step.hypothesis is not None]
    for number, places in enumerate(path.shifts, start=1):
        first = min(order.index(place) for place in places)
        goes_after.setdefault(order[first - 1] if first else -1, []).append(number)
    numbers = range(1, len(path.shifts) + 1)
    goals = {n: tag("span", f"▾{n}", class_="mt-goal", title=f"Shift {n} goes here") for n in numbers}
    words = [goals[number] for number in goes_after.get(-1, [])]
    for place, word in enumerate(path.words):
        moved_by = shift_of.get(place)
        words.append(tag("span", word, tag("sup", str(moved_by)), class_="mt-moved") if moved_by else tag("span", word))
        words += [goals[number] for number in goes_after.get(place, [])]
    return words


SYMBOLS = {"match": "", "substitution": "S", "insertion": "I", "deletion": "D"}


def _cell(path: EditPath, step: Step, shift_of: dict[int, int]) -> Markup:
    """Return one step: reference word above, hypothesis word below, the edit's letter under both."""
    number = None if step.hypothesis is None else shift_of.get(step.hypothesis)
    word = Markup("·") if step.hypothesis is None else escape(path.words[step.hypothesis])
    if number:
        word = join((word, tag("sup", str(number))))
    reference = Markup("·") if step.reference is None else escape(path.reference[step.reference])
    return tag(
        "span", tag("span", reference), tag("span", word, class_="mt-moved" if number else "mt-word"),
        tag("b", SYMBOLS[step.kind]), class_=f"mt-edit mt-{step.kind}",
    )  # fmt: skip


def edit_counts(path: EditPath) -> str:
    """``2 shifts, 1 substitution: 3 edits for 12 reference words``."""
    counts = [counted(count, kind) for kind, count in path.counts.items() if kind != "match" and count]
    edits = f"{counted(path.edits, 'edit')} for {counted(len(path.reference), 'reference word')}"
    return f"{', '.join(counts)}: {edits}" if counts else edits


def alignment_drawing(alignment: Alignment) -> Markup:
    """Return reference above hypothesis; matched words share a number and a colour."""
    reference: dict[int, tuple[int, str]] = {}
    hypothesis: dict[int, tuple[int, str]] = {}
    for number, match in enumerate(alignment.matches, start=1):
        for places, start, length in (
            (reference, match.reference_start, match.reference_length),
            (hypothesis, match.hypothesis_start, match.hypothesis_length),
        ):
            places.update(dict.fromkeys(range(start, start + length), (number, match.module)))
    lines = ((alignment.reference_words, reference), (alignment.hypothesis_words, hypothesis))
    return join(tag("div", *_aligned_words(*line), class_="mt-before", dir="auto") for line in lines)


def _aligned_words(words: Tokens, places: dict[int, tuple[int, str]]) -> list[Markup]:
    cells = []
    for place, word in enumerate(words):
        number, module = places.get(place, (0, "none"))
        children = (word, tag("sup", str(number))) if number else (word,)
        cells.append(tag("span", *children, class_=f"mt-aligned mt-{module}"))
    return cells


MOST_TOLD = 12  # errors listed per output
UNKNOWN = tag("p", "No error annotation for this output.", class_="mt-quiet")


def text_with_errors(text: str, spans: Spans | None) -> Markup:
    """Return an output with its errors marked, by the worst where they overlap."""
    return marked_text(text, [Span(one.start, one.end, one.severity, _about(one)) for one in spans or ()])


def _about(span: ErrorSpan) -> str:
    confidence = "" if span.confidence is None else f"confidence {fixed(span.confidence, 2)}"
    return ", ".join(filter(None, (span.severity, span.category, confidence)))


def output_with_errors(text: str, spans: Spans | None) -> Markup:
    """Return an output with its errors marked, and listed below it."""
    if spans is None:
        return join((escape(text), UNKNOWN))
    return join((tag("p", text_with_errors(text, spans)), tag("p", _in_words(text, spans), class_="mt-quiet")))


def _in_words(text: str, spans: Spans) -> str:
    """``2 errors: “my food” (minor, confidence 0.42), “the” (major)``."""
    if not spans:
        return "no errors marked"
    told = [f"{quoted(text[span.start : span.end])} ({_about(span)})" for span in spans[:MOST_TOLD]]
    more = [f"{len(spans) - MOST_TOLD:,} more"] if len(spans) > MOST_TOLD else []
    return f"{counted(len(spans), 'error')}: {', '.join([*told, *more])}"


def error_legend(*outputs: Spans | None) -> Markup:
    """Return a legend of the severities in these outputs."""
    samples = [marked_text(name, [Span(0, len(name), name, name)]) for name in severities(outputs)]
    return tag("p", join(samples, " "), class_="mt-quiet mt-legend") if samples else Markup("")


OUTPUTS = "mt-tight mt-outputs"  # the look of tables with whole outputs
AROUND = 2  # segments before and after that are shown as context


def opened_segment(data: SegmentData, segment: int, metric: str) -> None:
    """Show everything about one segment."""
    _tight(scores(data, segment, metric))
    if data.test_set.has_texts or data.test_set.source is not None:
        show(text_rows(_given_texts(data, segment)))
    if not data.test_set.has_texts:
        _tight(all_runs(data, segment, metric), OUTPUTS)
        return
    noting(data, segment)
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
    frame, texts = section.table.frame, []
    for row in frame.to_dict("records"):
        runs = (run for run in data.test_set.runs_of(row["system"]) if run.key in row["runs"])
        marked = (spans_of(by, run)[segment] for run in runs)
        texts.append(text_with_errors(row["text"], next((one for one in marked if one is not None), None)))
    marked_up = frame.assign(text=pd.Series(texts, frame.index, dtype=object))  # as strings they would be plain text
    _tight(replace(section, table=replace(section.table, frame=marked_up)), OUTPUTS)
    quiet(f"Errors marked by {by.metric.name}.")


def _given_texts(data: SegmentData, segment: int) -> Iterator[tuple[str, str]]:
    """Yield source and references."""
    test_set = data.test_set
    if test_set.source is not None:
        yield ("Source" if test_set.has_texts else "Item"), test_set.source[segment]
    references = test_set.references[segment] if test_set.has_texts else ()
    for number, reference in enumerate(references, start=1):
        yield (f"Reference {number}" if len(references) > 1 else "Reference"), reference


def _texts(data: SegmentData, segment: int) -> Iterator[tuple[str, str]]:
    """Yield source, references and both outputs."""
    yield from _given_texts(data, segment)
    texts = mark_differences(data.baseline.hypotheses[segment], data.system.hypotheses[segment])
    for side, name, text in zip(SIDES, data.labels, texts, strict=True):
        yield name, tag("span", marked(text), class_=f"mt-{side}")


def errors_of(data: SegmentData, by: Scored, segment: int) -> Iterator[Markup]:
    """Yield the errors that a metric marks on both sides; nothing if it marks none anywhere."""
    if not marks_errors(by):
        return
    runs = data.baseline, data.system
    spans = [spans_of(by, run)[segment] for run in runs]
    yield tag("h4", f"Errors marked by {by.metric.name}", class_="mt-h")
    texts = (output_with_errors(run.hypotheses[segment], one) for run, one in zip(runs, spans, strict=True))
    yield text_rows(zip(data.labels, texts, strict=True))
    yield error_legend(*spans)


def deviations_of(data: SegmentData, by: Scored, segment: int) -> Iterator[Markup]:
    """Yield the SDs given with the scores of both sides, if any."""
    if not isinstance(by.scorer, KnowsDeviations):
        return
    number, told = data.results.spec(by.metric.key).notation.number, []
    for label, run in zip(data.labels, (data.baseline, data.system), strict=True):
        values = by.scorer.deviations(run)
        if values is not None and (value := values[segment]) is not None:
            told.append(f"{label} ±{number(value)}")
    if told:
        yield tag("p", f"SD given with {by.metric.name}: {', '.join(told)}.", class_="mt-quiet")


def explanations(data: SegmentData, segment: int, metric: str) -> None:
    """Show the explanation of each metric that has one."""
    ranked, is_silent = data.ranked_by(metric), True
    for by in ranked:
        said = [*errors_of(data, by, segment), *deviations_of(data, by, segment)]
        if isinstance(by.scorer, Explains):
            sides = [by.scorer.explain(segment, run.hypotheses[segment]) for run in (data.baseline, data.system)]
            said = [tag("h4", by.metric.name, class_="mt-h"), _shown(data.labels, *sides), *said]
        show(*said)
        is_silent = is_silent and not said
    if is_silent:
        quiet(f"No explanation for {listed([by.metric.name for by in ranked])}.")


def _shown(labels: tuple[str, str], left: Explanation, right: Explanation) -> Markup:
    """Return both sides of an explanation."""
    if isinstance(left, NgramMatches) and isinstance(right, NgramMatches):
        lines = ngram_line(left, left.beyond(right), SIDES[0]), ngram_line(right, right.beyond(left), SIDES[1])
        return join((text_rows(zip(labels, lines, strict=True)), ngram_legend(len(left.is_matched))))
    rows = []
    for label, one in zip(labels, (left, right), strict=True):
        if isinstance(one, Alignment):
            rows.append((label, alignment_drawing(one)))
        elif isinstance(one, EditPath):
            rows.append((label, join((tag("p", edit_counts(one), class_="mt-quiet"), edit_drawing(one)))))
    return join((text_rows(rows), ALIGNMENT_LEGEND if isinstance(left, Alignment) else EDIT_LEGEND))


def ngram_legend(longest: int) -> Markup:
    """Return the legend of shaded words."""
    return tag(
        "p", "Shaded: in a matched sequence of ",
        *(tag("span", str(order), class_=f"mt-n{order}") for order in range(1, longest + 1)),
        f" {agreeing(longest, 'word', 'words')}. Underlined: on this side only.", class_="mt-quiet mt-legend",
    )  # fmt: skip


EDIT_LEGEND = tag(
    "p", "Reference above, hypothesis below. ", tag("b", "S"), " substitution, ", tag("b", "I"), " insertion, ",
    tag("b", "D"), " deletion. Framed: moved to ", tag("span", "▾", class_="mt-goal"), ".",
    class_="mt-quiet mt-legend",
)  # fmt: skip
ALIGNMENT_LEGEND = tag(
    "p", "Reference above, hypothesis below. Equal numbers: matched words. ",
    *(tag("span", module, class_=f"mt-chip mt-{module}") for module in ("exact", "stem", "synonym", "paraphrase")),
    class_="mt-quiet mt-legend",
)  # fmt: skip


def context(data: SegmentData, segment: int) -> None:
    """Show neighbouring segments, within the document if documents are known."""
    documents = data.test_set.documents
    for neighbour in range(max(0, segment - AROUND), min(data.test_set.n_segments - 1, segment + AROUND) + 1):
        if documents is None or documents[neighbour] == documents[segment]:
            title = f"Segment {neighbour + 1}" + (" (open)" if neighbour == segment else "")
            show(tag("h4", title, class_="mt-h"), text_rows(_texts(data, neighbour)))
