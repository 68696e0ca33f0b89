"""Align scores with the segments of a test set, or build a test set from scores without texts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from mteval.base.errors import DataError, InputError
from mteval.base.words import counted, counted_part
from mteval.readers.assembly.alignment import Assigned
from mteval.readers.assembly.test_sets import Built
from mteval.readers.documents import ScoreColumn, Slot, Stream
from mteval.readers.formats.score_tables import cut, read_score_lines
from mteval.readers.names import DEFAULT_RUN
from mteval.values.given import GivenScores
from mteval.values.judgements import Spans
from mteval.values.model import Run

Texts = Sequence[str | None]  # one per segment; None if the file has none


def runs_with(texts: Texts, runs: Sequence[Run]) -> list[Run]:
    """Return the runs that have these texts; several if outputs are identical.

    Raises
    ------
    DataError
        If no run has them.
    """
    n_others = [len(_others(run, texts)) for run in runs]
    if any(texts) and 0 in n_others:
        return [run for run, count in zip(runs, n_others, strict=True) if count == 0]
    nearest = runs[n_others.index(min(n_others))]
    equal = counted_part(len(texts) - min(n_others), len(texts), "segment")
    message = f"names no system, and its outputs match no loaded run. Closest: '{nearest.system}', run '{nearest.key}'"
    raise DataError(f"{message} ({equal} equal). Add columns system and run.")


def doubt_about(run: Run, texts: Texts) -> str:
    """Return half a sentence about scores of texts other than the loaded ones; empty if they agree.

    Texts may differ because they were scored in another form, e.g. detokenized.

    Raises
    ------
    DataError
        If the texts are those of the run in another order.
    """
    others = _others(run, texts)
    if not others or not any(run.hypotheses):  # only scores are loaded
        return ""
    places = {hypothesis.strip(): segment for segment, hypothesis in enumerate(run.hypotheses) if hypothesis.strip()}
    moved = [(one, place) for one in others if (place := places.get((texts[one] or "").strip())) is not None]
    if moved and 2 * len(moved) >= len(others):
        segment, place = moved[0]
        message = f"has the outputs of '{run.system}', run '{run.key}', in another order: its segment {segment + 1} is"
        raise DataError(f"{message} segment {place + 1} of the output. Reorder the scores, or add a column segment.")
    first, part = others[0], counted_part(len(others), len(run.hypotheses), "segment")
    doubt = f"is for texts that differ from '{run.system}', run '{run.key}', in {part}. Segment {first + 1}:"
    doubt += f" '{cut(texts[first] or '')}', loaded as '{cut(run.hypotheses[first])}'. Check that the scores are of"
    return f"{doubt} this output. They are used anyway, but errors marked in these segments are ignored."


def aligned_spans(spans: Sequence[Spans | None], texts: Texts | None, run: Run) -> tuple[Spans | None, ...]:
    """Return the spans in characters of the loaded outputs; None if another text was marked.

    Programs strip an output before they read it, and count from there.

    Raises
    ------
    DataError
        If an error is marked beyond the end of an output and the file does not contain the texts.
    """
    if texts is not None:
        return tuple(map(_moved, spans, texts, run.hypotheses))
    for segment, (found, hypothesis) in enumerate(zip(spans, run.hypotheses, strict=True), start=1):
        for span in found or ():
            if span.end > len(hypothesis):
                where = f"{span.start} to {span.end} in segment {segment} of '{run.system}', run '{run.key}'"
                has = f"which has {len(hypothesis)}. Count characters of the loaded output, from 0."
                raise DataError(f"marks characters {where}, {has}")
    return tuple(spans)


def _others(run: Run, texts: Texts) -> list[int]:
    """Return the segments whose texts differ."""
    rows = enumerate(zip(texts, run.hypotheses, strict=True))
    return [segment for segment, (text, loaded) in rows if text is not None and text.strip() != loaded.strip()]


def _moved(spans: Spans | None, text: str | None, hypothesis: str) -> Spans | None:
    if spans is None or text is None or text.strip() != hypothesis.strip():
        return None
    by = len(hypothesis) - len(hypothesis.lstrip()) - len(text) + len(text.lstrip())
    return tuple(replace(span, start=span.start + by, end=span.end + by) for span in spans) if by else spans


T = TypeVar("T")
Places = tuple[int | None, ...]  # position in a column of each segment of the test set


def places_of(column: ScoreColumn, built: Built, system: str) -> Places:
    """Return the position in a column of each segment's score, or None.

    Keyed scores may lack segments. Keys are those of the test set; if none is, they are segment numbers from 1.

    Raises
    ------
    DataError
        If the scores are not of these segments; the message continues after the name of the list.
    """
    n_segments = len(built.order.leading)
    if column.keys is None:
        n_scores = len(column.values)
        if n_scores == n_segments:
            return built.kept
        if n_scores == len(built.kept):  # without the segments that have no reference
            return tuple(range(n_scores))
        message = f"has {counted(n_scores, 'score')} of '{system}', but test set '{built.test_set.name}' has"
        remedy = "Give one score per segment (None if missing), or a column segment."
        raise DataError(f"{message} {counted(n_segments, 'segment')}. {remedy}")
    indices = {name: index for index, name in enumerate(built.order.keys or ())}
    if indices.keys().isdisjoint(column.keys):
        indices = {str(index + 1): index for index in range(n_segments)}
    places: list[int | None] = [None] * n_segments
    for place, key in enumerate(column.keys):
        if key not in indices:
            has = f"'{built.test_set.name}' has '{next(iter(indices))}' to '{next(reversed(indices))}'"
            message = f"has a score of '{system}' for segment '{' '.join(key.split(chr(9)))}', but test set {has}."
            raise DataError(f"{message} Fix the row.")
        places[indices[key]] = place
    return tuple(places[index] for index in built.kept)


def at(places: Places, values: Sequence[T]) -> tuple[T | None, ...]:
    """Return one value of a column per segment."""
    return tuple(None if place is None else values[place] for place in places)


def aligned(column: ScoreColumn, places: Places, test_set: str, run: Run) -> GivenScores:
    """Return the scores of a run from a column.

    Raises
    ------
    DataError
        If errors are marked beyond the end of an output.
    """
    judgements = None if column.judgements is None else tuple(count or 0 for count in at(places, column.judgements))
    texts = None if column.texts is None else at(places, column.texts)
    spans = None if column.spans is None else aligned_spans(at(places, column.spans), texts, run)
    deviations = None if column.deviations is None else at(places, column.deviations)
    return GivenScores(test_set, run.system, run.key, at(places, column.values), judgements, spans, deviations)


NO_TEXTS = "(no texts)"
PLACE = re.compile(r"[1-9][0-9]{0,8}")
FEWEST_FILLED = 0.5  # share of the numbers up to the largest one that must occur
_Output = tuple[str, str]  # system and run


def scores_of(stream: Stream, file: str) -> tuple[ScoreColumn, ...]:
    """Return the scores of each output in a stream.

    Raises
    ------
    InputError
        If its lines are not scores.
    """
    return stream.scores or read_score_lines(stream.lines, file)


def has_no_texts(item: Assigned) -> bool:
    """Whether scores name their systems and come without the scored outputs."""
    return all(column.system and column.texts is None for column in item.stream.scores)


def empty_texts(items: Sequence[Assigned]) -> Iterator[Assigned]:
    """Yield a reference and outputs without words for each test set that has scores.

    Scores without a system, and files without scores, are skipped. Item names take the place of the source, where users
    can search for them.
    """
    for test_set in dict.fromkeys(item.slot.test_set for item in items if item.slot.role == "scores"):
        here = [item for item in items if item.slot.test_set == test_set]
        columns = [named for item in here if item.slot.role == "scores" for named in _columns(item)]
        others = [item for item in here if item.slot.role in ("source", "documents")]
        keys = _keys([column for _, column in columns], others)
        if columns and keys:
            blank = ("",) * len(keys)
            filled = [(Slot(NO_TEXTS, "reference", test_set=test_set), blank)]
            for output in dict.fromkeys(output for output, _ in columns):
                filled.append((Slot(NO_TEXTS, "hypothesis", *output, test_set), blank))
            if keys != _numbers(len(keys)) and not any(item.slot.role == "source" for item in others):
                filled.append((Slot(NO_TEXTS, "source", test_set=test_set), keys))
            yield from (Assigned(slot, Stream("", lines, keys=keys)) for slot, lines in filled)


def _columns(item: Assigned) -> Iterator[tuple[_Output, ScoreColumn]]:
    """Yield the scores of named outputs."""
    try:
        columns = scores_of(item.stream, item.slot.file)
    except InputError:  # reported when the scores are added
        return
    for column in columns:
        if system := column.system or item.slot.system:
            yield (system, column.run or item.slot.run or DEFAULT_RUN), column


def _keys(columns: Sequence[ScoreColumn], others: Iterable[Assigned]) -> tuple[str, ...]:
    """Return the segment names in order: numbers if they fill most places, else names."""
    keys = tuple(dict.fromkeys(key for column in columns for key in column.keys or ()))
    counts = [len(item.stream.lines) for item in others] + [len(column.values) for column in columns if not column.keys]
    places = [int(key) for key in keys if PLACE.fullmatch(key)]
    if len(places) < len(keys):
        return keys
    n_segments = max(counts or places, default=0)
    return keys if not counts and len(places) < FEWEST_FILLED * n_segments else _numbers(n_segments)


def _numbers(n_segments: int) -> tuple[str, ...]:
    return tuple(map(str, range(1, n_segments + 1)))
