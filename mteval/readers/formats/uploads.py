"""Turn uploaded bytes into documents: unpack, decode, recognise the format by content. Failures become problems.

To add a format, write a module with a function ``(text, file) -> Document | None`` and add a line to ``FORMATS`` or
``LINE_FORMATS``. The module is imported only if a file may be of that format.
"""

import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import import_module

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import InputError
from mteval.base.words import Names, agreeing, counted
from mteval.readers.documents import DEFAULT_LIMITS, IGNORED, UNKNOWN, Document, InputFile, Limits, Problem, Stream
from mteval.readers.formats.archives import expand, ignored_clutter, is_archive, is_clutter
from mteval.readers.formats.tables import COLUMNS, array_as_lines, table_form
from mteval.readers.formats.text import (
    PLAIN,
    decode,
    names_a_column,
    refuse_long_lines,
    refuse_odd_names,
    refuse_odd_path,
    split_lines,
)
from mteval.readers.formats.trained_models import ignore_part_of_model, ignored_beside_outputs
from mteval.readers.formats.whole_documents import EXPECTED_XML, refuse_lists_per_column, refuse_whole_document
from mteval.readers.formats.wide_tables import may_be_wide, refuse_unclear_scores
from mteval.readers.formats.workbooks import SHEET, SUFFIX
from mteval.readers.names import OF_PROGRAMS
from mteval.values.judgements import is_campaign

Read = tuple[tuple[Document, ...], tuple[Problem, ...]]
Reader = Callable[[str, str], Document | None]  # from the text and name of a file; None if the format is another
HEAD = 1 << 16  # characters that show the format


@dataclass(frozen=True)
class Format:
    """A file format that is recognised by content.

    Parameters
    ----------
    home
        Module and function that read it.
    may_be
        Whether a file may be of this format, from its beginning and its name. The reader returns None if it is not.
    """

    home: str
    may_be: Callable[[str, str], object]

    def load(self) -> Reader:
        """Import the module and return the reader."""
        module, function = self.home.split(".")
        reader: Reader = getattr(import_module(f"mteval.readers.formats.{module}"), function)
        return reader


def _begins_with(*marks: str) -> Callable[[str, str], bool]:
    return lambda head, name: head.lstrip().startswith(marks)


RATINGS_ROW = re.compile(r"^\s*\{|,(TGT|BAD|REF|CHK),")  # JSON lines, and Appraise exports, which have no header


def _may_be_table(head: str, name: str) -> bool:
    first_line = head.partition("\n")[0]
    if "\t" in first_line or RATINGS_ROW.search(first_line) is not None:
        return True
    return table_form(head, bool) is not None


FORMATS = (  # whose segments may be longer than a line
    Format("sgml.read_sgml", _begins_with("<")),
    Format("tmx.read_tmx", _begins_with("<")),
    Format("wmt_xml.read_wmt_xml", _begins_with("<")),
    Format("xliff.read_xliff", _begins_with("<")),
    Format("comet.read_comet_json", _begins_with("{", "[")),
    Format("wmt_humeval.read_humeval_document", _begins_with("{")),
    Format("wmt_documents.read_wmt_documents", _begins_with("{")),
    Format("evaluation_logs.read_log", _begins_with("{", "[")),
)
LINE_FORMATS = (
    Format("conllu.read_conllu", lambda head, name: "\t" in head or ".conllu" in name.lower()),
    Format("comet.read_comet_output", lambda head, name: "\tscore: " in head),
    Format("tables.read_fairseq", lambda head, name: re.search(r"^[HD]-[0-9]", head, re.M)),
    Format("judgement_tables.judged_document", _may_be_table),
    Format("score_tables.read_table", _may_be_table),
    Format("wide_tables.read_wide_table", may_be_wide),
)
MOST_VALUES = 20_000_000
PDF = b"%PDF-"
FEWEST_NUMBERED = 5  # lines; fewer may begin with numbers of their own
# Utterances as Kaldi and sclite write them: an ID of some length with a digit, and words if there are any
ID_OF_LINE = {
    "begins with an ID": re.compile(
        r"(?![-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?(?:\s|$))"  # a number
        r"(?P<id>(?=\S*[0-9])(?=\S*[A-Za-z_-])[\w.:/-]{5,})(?P<text>[ \t].*|)"
    ),
    "begins with a number": re.compile(r"(?P<id>[-+]?[0-9]+\.[0-9]+)(?P<text> .*)"),  # a score; columns have tabs
    "ends with an ID in parentheses": re.compile(r"(?P<text>.*?)[ \t]*(?P<id>\((?=\S*[0-9])[\w.:/-]{5,}\))\s*"),
}
COMPRESSED = (b"\x1f\x8b\x08", b"\xfd7zXZ\0")  # gzip and xz; no text begins so
SEPARATOR_LINE = re.compile(r'"?sep=[,;\t]"?\r?\n')
MARKED_UP = (".sgm", ".sgml", ".xml", ".tmx", ".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".html", ".htm")


@dataclass(frozen=True)
class Begun:
    """Marks that a file is being read: an upload, then each file in it if it is an archive."""

    name: str


Step = Begun | Document | Problem


@dataclass
class Gathered:
    """What has been read so far; ``done`` contains the names of finished files."""

    documents: list[Document] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    done: set[str] = field(default_factory=set)
    begun: str = ""
    strings: dict[str, str] = field(default_factory=dict)

    def take(self, step: Step) -> None:
        """Add one of ``steps``. Equal segments share one string, since runs repeat each other."""
        if isinstance(step, Begun):
            self.begun = step.name
            return
        self.done.add(self.begun)
        if isinstance(step, Problem):
            self.problems.append(step)
            return
        streams = []
        for stream in step.streams:
            lines = []
            for line in stream.lines:
                if line is not None:
                    line = self.strings.setdefault(line, line)  # equal lines are one object
                lines.append(line)
            streams.append(replace(stream, lines=tuple(lines)))
        self.documents.append(replace(step, streams=tuple(streams)))

    @property
    def read(self) -> Read:
        """The documents, and the problems."""
        return tuple(self.documents), tuple(self.problems)


def unpack(files: Iterable[InputFile], limits: Limits = DEFAULT_LIMITS) -> Read:
    """Read all uploads; each one that cannot be read becomes a problem.

    Archives are unpacked in memory within the limits. Names are made unique: a second ``a.txt`` becomes ``a.txt (2)``.
    """
    gathered = Gathered()
    for step in steps(files, limits):
        gathered.take(step)
    return gathered.read


def steps(files: Iterable[InputFile], limits: Limits, skipped: Collection[str] = ()) -> Iterator[Step]:
    """Yield what ``unpack`` gathers, step by step, without the files named in ``skipped``."""
    names = Names()
    room = limits.total_bytes
    for file in files:
        upload = replace(file, name=names.free(file.name))
        if upload.name in skipped:
            continue
        yield Begun(upload.name)
        if is_clutter(file.name):
            yield ignored_clutter(upload.name)
            continue
        beside = ignored_beside_outputs(upload)  # before PyTorch's weights are unpacked as an archive
        if beside is not None:
            yield beside
            continue
        try:
            refuse_odd_path(upload.name, limits.path_characters)
            expanded = expand(upload, limits, room)
        except InputError as error:
            yield Problem.of(error)
            continue
        room -= sum(len(entry.content) for entry in expanded.files)
        for entry in expanded.files:
            if entry.name != upload.name:
                entry = replace(entry, name=names.free(entry.name))
            if entry.name not in skipped:
                yield Begun(entry.name)
                yield from _read_one(entry, limits)
        yield from expanded.ignored  # last, since an upload counts as done with the first step after its begin


def _read_one(file: InputFile, limits: Limits) -> Iterator[Document | Problem]:
    """Yield the document of a file, or its problem, and its notes."""
    beside = ignored_beside_outputs(file)
    if beside is not None:
        yield beside
        return
    try:
        refuse_odd_path(file.name, limits.path_characters)
        document = _read(file, limits)
        refuse_odd_names(document, limits)
    except InputError as error:
        if error.code == IGNORED:
            yield Problem(error.message, error.file, error.line, "note", IGNORED)
        elif OF_PROGRAMS.search(file.name):  # e.g. an empty log
            yield Problem(UNKNOWN, file.name, None, "note", IGNORED)
        else:
            yield Problem.of(error)
        return
    except MemoryError:
        yield Problem("Not enough memory to read the file. Split it.", file.name)
        return
    labels = Names()
    streams = tuple(replace(stream, label=labels.free(stream.label)) for stream in document.streams)
    compressed = b""
    if document.format not in PLAIN:
        compressed = zlib.compress(file.content, 1)
    yield replace(document, streams=streams, original=compressed)
    for note in document.notes:
        yield Problem(note, file.name, severity="note")


def _read(file: InputFile, limits: Limits) -> Document:
    """Return the document of a plain file, in the first format that fits."""
    if is_archive(file.content):
        raise InputError("The archive contains another archive. Unpack that first.", file.name)
    if file.content.startswith(COMPRESSED):
        raise InputError("The file is compressed twice. Decompress it once.", file.name)
    content = file.content
    if content.startswith(b"PAR1") and b"\0" in content:  # Parquet; no text has zero bytes
        from mteval.readers.formats.archives import parquet_lines  # rarely needed

        content = parquet_lines(content, limits, file.name)
    if is_campaign(content):
        remedy = "Read it with 'mteval people --judgements', or add it with 'mteval campaigns start'."
        raise InputError(f"Ignored: this is an annotation campaign of mteval. {remedy}", file.name, code=IGNORED)
    if content.startswith(PDF):  # it has bytes of its own beside text
        raise InputError("This is a PDF document. Export it as plain text, one segment per line.", file.name)
    text = decode(content, file.name)
    document = _recognised(FORMATS, text, file.name)
    if document is None:
        ignore_part_of_model(text, file.name)
        refuse_lists_per_column(text, file.name)
        rows = array_as_lines(text)
        if rows is not None:
            document = _recognised(LINE_FORMATS, rows, file.name)
            if document is not None:
                return document
        refuse_long_lines(content, limits.line_bytes, file.name)
        return (
            _recognised(LINE_FORMATS, text, file.name)
            or _after_separator(text, file.name)
            or _plain_lines(text, file.name)
        )
    if document.format in ("sgml", "xml", "tmx", "xliff"):
        _refuse_long_segments(document, limits)
    return document


def _refuse_long_segments(document: Document, limits: Limits) -> None:
    """Raise InputError at the first segment that is longer than a line may be."""
    for stream in document.streams:
        for number, line in enumerate(stream.lines, start=1):
            if line is not None and len(line) > limits.line_bytes:
                message = f"Segment {number} of '{stream.label}' has {counted(len(line), 'character')};"
                raise InputError(f"{message} the limit is {limits.line_bytes:,}. Split it.", document.name)


def _recognised(formats: Iterable[Format], text: str, file: str) -> Document | None:
    """Return the document of the first format that the text is in; None if it is in none of them."""
    head = text[:HEAD]
    for form in formats:
        if form.may_be(head, file):
            read = form.load()
            document = read(text, file)
            if document is not None:
                return document
    return None


def _after_separator(text: str, file: str) -> Document | None:
    """Read a table whose first line tells Excel the separator; None if there is no such line or no table."""
    told = SEPARATOR_LINE.match(text)
    if told is None:
        return None
    try:
        return _recognised(LINE_FORMATS, text[told.end() :], file)
    except InputError as error:
        if error.line is None:
            raise
        raise InputError(error.message, error.file, error.line + 1, error.code) from error


def _plain_lines(text: str, file: str) -> Document:
    """Read one segment per line, or an n-best list, unless content or name are those of another format."""
    refuse_whole_document(text, file)
    if "\n" not in text and "\r" in text.rstrip("\r"):
        raise InputError("The lines end with CR alone. Convert them, e.g. with mac2unix or tr '\\r' '\\n'.", file)
    if re.search(r"\.json(\.\w+)?$", file, re.I) and text.lstrip().startswith(("{", "[")):
        _refuse_damaged_json(text, file)
    first_line = text.partition("\n")[0]
    try:
        refuse_unclear_scores(text, file, is_csv=file.lower().endswith((".csv", SUFFIX)))
    except InputError as error:
        if not SHEET.search(file.lower()):
            raise
        raise InputError(error.message, file, code=IGNORED) from error  # a workbook may have sheets of summaries
    if SHEET.search(file.lower()):
        raise InputError("This sheet is not a table of outputs or scores.", file, code=IGNORED)
    if file.lower().endswith((".csv", ".jsonl", SUFFIX)):
        known = ", ".join((*COLUMNS, "reference", "score"))
        message = (
            f"Not a table: the first line is '{first_line[:80]}'. Expected at least two columns named like: {known}."
        )
        raise InputError(message, file, 1)
    if file.lower().endswith(MARKED_UP):
        raise InputError(f"Not a test set: the first line is '{first_line[:80]}'. Expected {EXPECTED_XML}.", file, 1)
    lines = split_lines(text)
    stream = Stream("", tuple(lines))
    if all(re.match(r"\d+ \|\|\| ", line) for line in lines[:5]):
        return Document(file, "nbest", (stream,))
    return Document(file, "lines", (stream,), warnings=tuple(_warnings_of_lines(lines)))


def _warnings_of_lines(lines: list[str]) -> Iterator[str]:
    """Yield what another program added to lines, which would count as part of the text."""
    marked = [number for number, line in enumerate(lines, start=1) if line.startswith("\ufeff")]
    if marked:
        begin = agreeing(len(marked), "begins", "begin")
        message = f"{counted(len(marked), 'line')} (first: {marked[0]}) {begin} with a byte-order mark (U+FEFF),"
        yield f"{message} which counts as part of a word. Were files joined? Remove it."
    if len(lines) < FEWEST_NUMBERED:
        return
    if names_a_column(lines[0]):
        message = f"The first line ({lines[0].strip()!r}) looks like a header, but counts as a segment."
        yield f"{message} If it is one, remove it."
    for first in (0, 1):
        if all(line.startswith(_numbers(number)) for number, line in enumerate(lines, start=first)):
            yield f"Each line begins with its number ({lines[0][:12].strip()!r}), which counts as text. Remove it."
            return
    for side, pattern in ID_OF_LINE.items():
        ids = _ids(lines, pattern)
        if ids:
            yield f"Each line {side} ({ids[0][:40]!r}), which counts as text. Remove it."
            return
    if all(len(line) > 1 and line[0] == line[-1] == '"' for line in lines):
        yield "Each line is in quotation marks, which count as text. Remove them."


def _ids(lines: list[str], pattern: re.Pattern[str]) -> list[str]:
    """Return the IDs that all lines have, each another one; none if a line lacks it, or if they are all there is."""
    ids = []
    n_with_text = 0
    for line in lines:
        match = pattern.fullmatch(line)
        if match is None:
            return []
        ids.append(match["id"])
        n_with_text += bool(match["text"].strip())
    is_id = len(set(ids)) == len(ids) and 2 * n_with_text > len(ids)
    return ids if is_id else []


def _numbers(number: int) -> tuple[str, ...]:
    """Return how a line may begin with its number."""
    return tuple(f"{number}{mark}" for mark in (". ", ") ", ": ", "\t", "|"))


def _refuse_damaged_json(text: str, file: str) -> None:
    """Raise InputError if a text is neither JSON nor JSON lines."""
    parts = [text]
    with suppress(ValueError):
        bounded_json(text.lstrip().partition("\n")[0], MOST_VALUES)
        parts = split_lines(text)  # the first line is JSON by itself
    try:
        for part in parts:
            if part.strip():
                value = bounded_json(part, MOST_VALUES)
                if len(parts) > 1 and isinstance(value, list):
                    raise ValueError("several lists, one after another")
    except ValueError as error:
        raise InputError(f"Not valid JSON ({error}). Export it again, or remove it.", file) from error
