"""Read judgements from files in any supported format, recognised by content.

Published results may consist only of counts of correct conclusions: a table with columns ``correct`` and ``n_pairs``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from mteval.base.errors import DataError, InputError
from mteval.readers.assembly.ledger import FORMS, unread_files
from mteval.readers.disk import file_at
from mteval.readers.documents import DEFAULT_LIMITS, Document, InputFile, Problem, Slot, named
from mteval.readers.formats.archives import expand
from mteval.readers.formats.judgement_tables import JudgedOutputs, read_judged_outputs
from mteval.readers.formats.score_tables import is_named_segment_scores, look_like_scores, read_score_lines
from mteval.readers.formats.tables import array_as_lines, stem_of
from mteval.readers.formats.text import decode, refuse_odd_judgements, split_lines
from mteval.readers.names import name_of_file
from mteval.values.judgements import MQM, Judgement, unknown_names
from mteval.values.ledger import Entry

JudgementFiles = dict[str, dict[str, tuple[Judgement, ...]]]  # by test set and file
COUNTS = ("correct", "n_pairs")  # columns of counts of correct conclusions
HUMAN_SCALES = (MQM, "esa", "da-sqm", "da")  # may occur in the name of a file of scores


@dataclass(frozen=True)
class Judged:
    """Judgements of several files, with notes.

    Parameters
    ----------
    unknown
        Categories and severities of errors that WMT does not weigh and that have no score, with their counts.
    entries
        Of the ledger: what became of every file.
    """

    judgements: tuple[Judgement, ...]
    notes: tuple[Problem, ...] = ()
    unknown: tuple[tuple[str, str, int], ...] = ()
    entries: tuple[Entry, ...] = ()


def judgement_files(slots: Iterable[Slot], documents: Iterable[Document]) -> JudgementFiles:
    """Return the judgements of loaded files, by test set and file."""
    judgements_of = {}
    for document in documents:
        for stream in document.streams:
            judgements_of[document.name, stream.label] = stream.judgements
    files: JudgementFiles = {}
    for slot in slots:
        if slot.included and slot.role == "judgements":
            of_test_set = files.setdefault(slot.test_set, {})
            of_test_set[slot.file] = judgements_of.get((slot.file, slot.stream), ())
    return files


def read_judgements(
    files: Iterable[InputFile],
    *,
    scales: Sequence[str] = (),
    lower_is_better: Collection[str] = (),
    documents: Sequence[str] | None = None,
    known: Mapping[str, Iterable[Judgement]] | None = None,
) -> Judged:
    """Read the judgements of all files.

    Parameters
    ----------
    scales
        Scales to read; all if empty.
    lower_is_better
        Scales to negate, so that higher is better everywhere.
    documents
        Document of each segment, for files that number segments and name no documents.
    known
        Judgements that were already read, by file.

    Raises
    ------
    InputError
        If a file cannot be read, or a segment number exceeds the documents.
    DataError
        If a requested scale is missing, or there are no judgements.
    """
    judgements_of = {name: list(judgements) for name, judgements in (known or {}).items()}
    notes: list[Problem] = []
    entries = [judgements_entry(name, judgements) for name, judgements in judgements_of.items()]
    for file in files:
        expanded = expand(file, DEFAULT_LIMITS, DEFAULT_LIMITS.total_bytes)
        notes += expanded.ignored
        entries += unread_files(expanded.ignored)
        for plain in expanded.files:
            judgements, ignored = _read(plain, scales)
            refuse_odd_judgements(judgements, DEFAULT_LIMITS, plain.name)
            judgements_of.setdefault(plain.name, []).extend(judgements)
            notes += [Problem(note, plain.name, None, "note") for note in ignored]
            entries.append(judgements_entry(plain.name, judgements, ignored))
    judged = gathered(judgements_of, scales=scales, lower_is_better=lower_is_better, documents=documents, notes=notes)
    return replace(judged, entries=tuple(entries))


def judgements_entry(file: str, judgements: Sequence[Judgement], notes: Iterable[str] = ()) -> Entry:
    """Return the entry of the ledger for a file whose judgements were read."""
    segments = {(judgement.document, judgement.segment) for judgement in judgements}
    return Entry(
        file,
        "read",
        roles=("judgements",),
        format=FORMS["judgements"],
        rows=len(judgements),
        segments=len(segments),
        notes=tuple(notes),
    )


def gathered(
    files: Mapping[str, Iterable[Judgement]],
    *,
    scales: Sequence[str] = (),
    lower_is_better: Collection[str] = (),
    documents: Sequence[str] | None = None,
    notes: Iterable[Problem] = (),
) -> Judged:
    """Combine the judgements of files that were already read; see ``read_judgements``."""
    kept: list[Judgement] = []
    for name, judgements in files.items():
        for judgement in judgements:
            placed = _with_document(judgement, documents, name)
            if not scales or placed.scale in scales:
                kept.append(placed)
    _require_scales(kept, (*scales, *lower_is_better))
    errors = unknown_names(error for judgement in kept if judgement.scale == MQM for error in judgement.errors)
    unknown = tuple((category, severity, count) for (category, severity), count in errors.items())

    directed = []
    for judgement in kept:
        if judgement.scale in lower_is_better:
            judgement = replace(judgement, value=-judgement.value)
        directed.append(judgement)
    return Judged(tuple(directed), tuple(notes), unknown)


def _read(file: InputFile, scales: Sequence[str]) -> JudgedOutputs:
    """Return the judgements of a file, and notes on what is ignored."""
    text = decode(file.content, file.name)
    text = array_as_lines(text) or text
    outputs = read_judged_outputs(text, file.name, scales)
    if outputs is not None:
        return outputs
    lines = split_lines(text)
    if is_named_segment_scores(file.name.removesuffix(".gz")) or look_like_scores(lines):
        return _judgements_of_scores(lines, file.name), []
    first_cell = text.partition("\n")[0].partition("\t")[0][:60]
    expected = "a table with system, segment and a scale (adequacy, fluency, score …), WMT's .seg.rating, .seg.score or"
    expected += " MQM table, or an Appraise or Pearmut export"
    raise InputError(f"No judgements: the first line is '{first_cell}'. Expected {expected}.", file.name, 1)


def _judgements_of_scores(lines: Sequence[str], file: str) -> list[Judgement]:
    """Convert human scores of segments to judgements of a single annotator."""
    name = name_of_file(file)
    words = name.lower().split(".")
    scale = next((scale for scale in HUMAN_SCALES if scale in words), "score")
    judgements = []
    for column in read_score_lines(lines, file):
        system = column.system or stem_of(file)
        for number, value in enumerate(column.values, start=1):
            if value is not None:
                judgements.append(Judgement(name, system, str(number), scale, value))
    return judgements


def _with_document(judgement: Judgement, documents: Sequence[str] | None, file: str) -> Judgement:
    """Add the document of a numbered segment if the file does not name it."""
    segment = judgement.segment
    if judgement.document is not None or documents is None or not segment.isdecimal():
        return judgement
    if not 1 <= int(segment) <= len(documents):
        message = f"'{judgement.annotator}' judged segment {segment} of '{judgement.system}', but the document IDs are"
        remedy = "Use the document IDs of this test set, one per line."
        raise InputError(f"{message} for segments 1 to {len(documents)}. {remedy}", file)
    return replace(judgement, document=documents[int(segment) - 1])


def _require_scales(judgements: Sequence[Judgement], required: Iterable[str]) -> None:
    """Raise if there are no judgements, or none of a scale."""
    scales = list(dict.fromkeys(judgement.scale for judgement in judgements))
    if not judgements and not required:
        raise DataError("The files contain no judgements. Expected at least one row with a value.")
    for name in required:
        if name not in scales:
            raise DataError(f"No judgements of '{name}'. Found: {named(scales) or 'none'}.")


def read_counts(path: Path) -> pd.DataFrame:
    """Read a table with columns ``correct`` and ``n_pairs`` as integers; other columns are kept.

    Raises
    ------
    InputError
        If a column is missing, or a count is not an integer.
    """
    file = file_at(path)
    text = decode(file.content, file.name)
    separator = "\t" if "\t" in text else ","
    rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))
    for number, row in enumerate(rows, start=2):
        for name in COUNTS:
            cell = str(row.get(name) or "")
            if not cell.isdecimal():
                expected = f"Columns {' and '.join(COUNTS)} need whole numbers (53, 66)."
                raise InputError(f"{name} is '{cell}'. {expected}", file.name, number)
    if not rows:
        raise InputError("The table has no rows. Give one row per test.", file.name)
    return pd.DataFrame(rows).astype(dict.fromkeys(COUNTS, int))
