"""From uploaded bytes to documents: unpack, decode, recognise the format by its content; failures become problems."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from mteval.base.errors import InputError
from mteval.base.words import counted, free_name
from mteval.readers.documents import DEFAULT_LIMITS, Document, InputFile, Limits, Problem, Stream
from mteval.readers.formats.archives import expand, is_archive, is_clutter
from mteval.readers.formats.conllu import is_conllu, read_conllu
from mteval.readers.formats.evaluation_logs import as_metricx, joined_log, read_comet_json, read_log, score_names
from mteval.readers.formats.judgement_tables import judged_document
from mteval.readers.formats.score_tables import holds_scores, read_score_table, score_columns, score_streams
from mteval.readers.formats.sgml import is_sgml, is_wmt_xml, read_sgml, read_wmt_xml
from mteval.readers.formats.tables import (
    COLUMNS,
    SCORE_COLUMNS,
    Row,
    holds_outputs,
    is_fairseq,
    read_fairseq,
    read_output_table,
    table_form,
    table_rows,
)
from mteval.readers.formats.text import (
    decode,
    refuse_columns,
    refuse_long_lines,
    refuse_odd_name,
    refuse_odd_names,
    split_lines,
    with_original,
)

NBEST_LINE = re.compile(r"\d+ \|\|\| ")
NBEST_LINES_SEEN = 5
LINE_SHOWN = 80  # characters of it


@dataclass(frozen=True)
class Begun:
    """That a file is looked at now: an upload, then each file in it where it is an archive."""

    name: str


def unpack(
    files: Iterable[InputFile], limits: Limits = DEFAULT_LIMITS
) -> tuple[tuple[Document, ...], tuple[Problem, ...]]:
    """Documents of all uploads that can be read, and a problem for each that cannot.

    Compressed files and archives are opened in memory within the limits. Names become unique: a second ``a.txt`` is
    ``a.txt (2)``. Equal segments are one string in memory, since runs repeat each other.
    """
    documents, problems = list[Document](), list[Problem]()
    pool: dict[str, str] = {}
    for step in steps(files, limits):
        if isinstance(step, Document):
            documents.append(with_shared_strings(step, pool))
        elif isinstance(step, Problem):
            problems.append(step)
    return tuple(documents), tuple(problems)


def steps(
    files: Iterable[InputFile], limits: Limits, skipped: Collection[str] = ()
) -> Iterator[Begun | Document | Problem]:
    """The same, one after the other: what is begun, then what came of it. Files of names to be ``skipped`` are."""
    names: set[str] = set()
    room = limits.total_bytes
    for file in files:
        if is_clutter(file.name):
            continue
        upload = replace(file, name=_taken(file.name, names))
        if upload.name in skipped:
            continue
        yield Begun(upload.name)
        try:
            refuse_odd_name(upload.name, limits.path_characters, None)
            plain = expand(upload, limits, room)
        except InputError as error:
            yield Problem.of(error)
            continue
        plain = joined_log(plain, upload.name)
        room -= sum(len(entry.content) for entry in plain)
        for entry in plain:
            named = entry if entry.name == upload.name else replace(entry, name=_taken(entry.name, names))
            if named.name not in skipped:
                yield Begun(named.name)
                yield from _read_one(named, limits)


def _read_one(file: InputFile, limits: Limits) -> Iterator[Document | Problem]:
    try:
        document = with_original(_document(file, limits), file.content)
    except InputError as error:
        yield Problem.of(error)
        return
    yield document
    yield from (Problem(note, file.name, None, "note") for note in document.notes)


def _document(file: InputFile, limits: Limits) -> Document:
    """What a file holds, within the limits."""
    refuse_odd_name(file.name, limits.path_characters, None)
    try:
        document = _read(file, limits)
    except MemoryError as error:
        raise InputError("Reading it takes more memory than there is. Give it in smaller files.", file.name) from error
    refuse_columns(len(document.streams), limits, file.name)
    refuse_odd_names(document, limits)
    labels: set[str] = set()
    streams = (replace(stream, label=_taken(stream.label, labels)) for stream in document.streams)
    return replace(document, streams=tuple(streams))


def _read(file: InputFile, limits: Limits) -> Document:
    if is_archive(file.content):
        raise InputError("The archive holds another archive; unpack that first.", file.name)
    text = decode(file.content, file.name)
    if is_sgml(text):
        return _with_short_segments(read_sgml(text, file.name), limits)
    if is_wmt_xml(text):
        return _with_short_segments(read_wmt_xml(text, file.name), limits)
    scores = read_comet_json(text, file.name)
    if scores is not None:
        return scores
    log = read_log(text, file.name)
    if log is not None:
        return replace(_outputs_and_scores(log, file.name, score_names(log)), format="json")
    refuse_long_lines(file.content, limits.line_bytes, file.name)
    if is_conllu(text, file.name):
        return read_conllu(text, file.name)
    if is_fairseq(text):
        return read_fairseq(text, file.name)
    found = judged_document(text, file.name) or _table(text, file.name)
    if found is not None:
        return found
    _refuse_other_content(text, file.name)
    lines = split_lines(text)
    nbest = all(NBEST_LINE.match(line) for line in lines[:NBEST_LINES_SEEN])
    return Document(file.name, "nbest" if nbest else "lines", (Stream("", tuple(lines)),))


def _table(text: str, file: str) -> Document | None:
    """A table of outputs, of scores or of both; None where it is no table."""
    form = table_form(text, holds_outputs)
    if form is not None:
        rows = list(table_rows(text, file, form))
        found = _outputs_and_scores(rows, file, score_columns(rows) if any("score" in row for _, row in rows) else ())
        return as_metricx(found, text)
    form = table_form(text, holds_scores)
    return None if form is None else read_score_table(table_rows(text, file, form), file)


def _outputs_and_scores(rows: Sequence[Row], file: str, columns: Sequence[str]) -> Document:
    """A table of outputs with scores of them in some columns."""
    document = read_output_table(rows, file, (*columns, *SCORE_COLUMNS) if columns else ())
    return replace(document, streams=document.streams + score_streams(rows, file, columns))


def _refuse_other_content(text: str, file: str) -> None:
    """Raise where the name promises a format that the content has not: such files are hardly one segment a line."""
    first = f"the first line is '{text.partition(chr(10))[0][:LINE_SHOWN]}'"
    if file.lower().endswith((".csv", ".jsonl")):
        columns = f"{', '.join(COLUMNS)} and reference, with at least hypothesis, reference or score"
        raise InputError(f"No table: {first}; expected names of columns among {columns}.", file, 1)
    if file.lower().endswith((".sgm", ".sgml", ".xml")):
        raise InputError(f"No test set: {first}; expected <srcset>, <refset>, <tstset> or <dataset> near it.", file, 1)


def _with_short_segments(document: Document, limits: Limits) -> Document:
    for stream in document.streams:
        for number, line in enumerate(stream.lines, start=1):
            if line is not None and len(line) > limits.line_bytes:
                raise InputError(
                    f"Segment {number} of '{stream.label}' has {counted(len(line), 'character')}; the limit is"
                    f" {limits.line_bytes:,}. Split it into segments.",
                    document.name,
                )
    return document


def with_shared_strings(document: Document, pool: dict[str, str]) -> Document:
    """The document with one string object for equal segments of all documents of the pool."""
    share = pool.setdefault
    streams = (
        replace(stream, lines=tuple(None if line is None else share(line, line) for line in stream.lines))
        for stream in document.streams
    )
    return replace(document, streams=tuple(streams))


def _taken(name: str, names: set[str]) -> str:
    """A name that is not among those yet, and is afterwards."""
    free = free_name(name, names.__contains__)
    names.add(free)
    return free
