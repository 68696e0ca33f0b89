"""Read tables (TSV, CSV, JSON lines) with one row per hypothesis or score, and turn outputs into streams.

The log of ``fairseq-generate`` is read too: sources ``S-``, targets ``T-``, hypotheses ``H-`` and ``D-``, in any order.
"""

import csv
import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import InputError
from mteval.base.words import HALF_PAIR, as_before_inert, counted
from mteval.readers.documents import DEFAULT_LIMITS, Document, FileRole, Stream
from mteval.readers.formats.text import HALF, located, refuse_cells, refuse_columns, refuse_odd_name, split_lines
from mteval.readers.names import DEFAULT_RUN, sample_name

Row = tuple[int, Mapping[str, str | None]]  # line, and cells by canonical column name; None if missing
SYNONYMS = {
    "hyp": "hypothesis", "translation": "hypothesis", "output": "hypothesis", "mt": "hypothesis",
    "sys": "system", "model": "system", "system_id": "system", "seed": "run", "testset": "test_set", "src": "source",
    "seg": "segment", "segment_id": "segment", "seg_id": "segment", "prediction": "score", "predicted_score": "score",
    "doc": "document", "docid": "document", "doc_id": "document", "document_id": "document",
}  # fmt: skip
# segments of score tables, the likeliest first
ITEMS = ("item", "item_id", "question", "question_id", "example_id", "sample_id", "id")
COLUMNS = ("system", "run", "segment", "hypothesis", "source", "document", "test_set", "sample")
SPANS = "spans"  # marked errors, as a list of objects
SCORE_COLUMNS = ("score", "metric", "judgements", "deviation", SPANS)
SEPARATORS = {"\t": "TSV", ",": "CSV"}
JSON_LINES = "{"  # instead of a separator


def canonical(column: str) -> str:
    """Return the canonical name of a column; unknown names, e.g. of metrics, are kept."""
    plain = column.strip().lower().replace(" ", "_")
    name = SYNONYMS.get(plain, plain)
    return name if is_known(name) else column.strip()


def with_segments(names: Sequence[str]) -> list[str]:
    """Return canonical names in which items are the segments, unless there are segments or texts."""
    found = next((name for item in ITEMS for name in names if name.lower() == item), None)
    is_wanted = "segment" not in names and not holds_outputs(names)
    return ["segment" if is_wanted and name == found else name for name in names]


def is_known(column: str) -> bool:
    """Whether a column has a meaning here. Names that begin with ``ref`` are references."""
    return column in (*COLUMNS, *SCORE_COLUMNS) or column.startswith("ref")


def holds_outputs(columns: Sequence[str]) -> bool:
    """Whether a header has a hypothesis or a reference."""
    return any(name == "hypothesis" or name.startswith("ref") for name in columns)


def table_form(text: str, is_wanted: Callable[[Sequence[str]], bool]) -> str | None:
    """Return the separator if the first line is a wanted header, ``{`` if it is such a JSON object, else None."""
    first = text[: text.find("\n") + 1 or len(text)]
    if first.lstrip().startswith(JSON_LINES):
        with suppress(ValueError):
            return JSON_LINES if is_wanted(with_segments([canonical(name) for name in bounded_json(first)])) else None
        return None
    for separator in SEPARATORS:
        names = with_segments([canonical(cell.strip('"\r\n ')) for cell in first.split(separator)])
        if sum(map(is_known, names)) >= 2 and is_wanted(names):
            return separator
    return None


def table_rows(text: str, file: str, form: str) -> Iterator[Row]:
    """Yield the rows of a table in a form from ``table_form``.

    A TSV is read without quoting, as in test sets, unless its header is quoted, or a cell is quoted and contains
    doubled quotes, as written by spreadsheets and pandas. In JSON lines the keys are the columns; ``references`` may be
    a list.

    Raises
    ------
    InputError
        At the first row with a wrong number of cells, or that is not an object of strings and numbers.
    """
    if form == JSON_LINES:
        yield from _records(text, file)
        return
    rows = _quoted_rows(text, file, form) if form == "," or text.startswith('"') else _plain_rows(text)
    header = with_segments([canonical(as_before_inert(cell)) for cell in next(rows)[1]])
    _refuse_odd_header(header, file)
    if repeated := [name for name in header if header.count(name) > 1]:
        raise InputError(f"Column '{repeated[0]}' appears twice in the header. Rename one.", file, 1)
    for line, cells in rows:
        if len(cells) != len(header):
            message = f"{counted(len(cells), 'cell')}, but the header has {len(header)} ({', '.join(header)})."
            raise InputError(f"{message} Quote cells that contain the separator, or use JSON lines.", file, line)
        yield line, {name: _as_written(name, cell) for name, cell in zip(header, cells, strict=True)}


def _as_written(column: str, cell: str) -> str:
    """Return a cell without what our own tables do to names; texts of other programs may look like it."""
    is_text = column in ("hypothesis", "source") or column.startswith("ref")
    return cell if is_text else as_before_inert(cell)


def _refuse_odd_header(header: Collection[str], file: str) -> None:
    refuse_columns(len(header), DEFAULT_LIMITS, file, 1)
    for name in header:
        refuse_odd_name(name, DEFAULT_LIMITS.name_characters, file, 1)


def _plain_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    for line, row in enumerate(split_lines(text), start=1):
        if row:
            yield line, [_unquoted(cell) for cell in row.split("\t")]


def _unquoted(cell: str) -> str:
    inner = cell[1:-1]
    if '""' in inner and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', ""):
        return inner.replace('""', '"')
    return cell


def _quoted_rows(text: str, file: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=separator, strict=True)
    try:
        yield from ((reader.line_num, cells) for cells in reader if cells)
    except csv.Error as error:
        message = f"The row is not valid {SEPARATORS[separator]} ({error}). Double the quotes inside quoted cells."
        raise InputError(message, file, reader.line_num) from error


def _records(text: str, file: str) -> Iterator[Row]:
    columns: set[str] = set()
    for line, row in enumerate(split_lines(text), start=1):
        if not row.strip():
            continue
        with located(file, line):
            record = _record(row)
            if not record.keys() <= columns:
                columns |= record.keys()
                _refuse_odd_header(columns, file)
        yield line, record


def _record(row: str) -> Mapping[str, str | None]:
    try:
        record = bounded_json(row)
    except ValueError as error:
        raise InputError(f"The line is not valid JSON ({error}). Expected one object per line.") from error
    if not isinstance(record, dict):
        expected = '{"system": …, "run": …, "segment": …, "hypothesis": …}'
        raise InputError(f"The line is not a JSON object. Expected {expected}.")
    cells: dict[str, str | None] = {}
    for name, value in record.items():
        column = canonical(name)
        if isinstance(value, list) and column.startswith("ref"):
            cells |= {f"{column} {number}": _cell(item, column) for number, item in enumerate(value, start=1)}
        else:
            is_list = column == SPANS and isinstance(value, list)
            cells[column] = _cell(json.dumps(value) if is_list else value, column)
    return dict(zip(with_segments([*cells]), cells.values(), strict=True))


def _cell(value: object, column: str) -> str | None:
    if isinstance(value, str) and HALF_PAIR.search(value):
        raise InputError(f"'{column}' {HALF}")
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and column != "hypothesis":
        return str(value)
    if not is_known(column) or column in SCORE_COLUMNS[1:]:
        return None
    raise InputError(f"'{column}' is a {type(value).__name__}. Expected a string.")


LINE_BREAK = re.compile(r"\r\n|\n|\r")


class Column(NamedTuple):
    """What a stream of the table contains."""

    role: FileRole
    label: str
    system: str | None = None
    run: str | None = None


@dataclass
class Grid:
    """Cells of one test set while rows are read: for each column, the text and line of each segment."""

    segments: dict[str, None] = field(default_factory=dict)
    cells: dict[Column, dict[str, tuple[str, int]]] = field(default_factory=dict)
    rows_of_run: Counter[tuple[str, str]] = field(default_factory=Counter)


def read_output_table(rows: Iterable[Row], file: str, read_elsewhere: Collection[str] = ()) -> Document:
    """Return a stream for each run, reference, source and list of documents of each test set.

    Segments are sorted by number, or keep the file's order if they are names. Without a column ``segment`` the rows of
    each run are numbered; without ``run`` it is run 0; without ``system`` it is the file name. ``sample`` beside
    ``segment`` distinguishes decodings of one run. A note lists the columns that are neither read here nor
    ``read_elsewhere``.

    Raises
    ------
    InputError
        If a run has two hypotheses for a segment, or rows disagree about a reference, source or document.
    """
    grids: dict[str | None, Grid] = {}
    n_columns = 0
    silent = {"system", "run", "segment", "test_set", "sample", *read_elsewhere}
    unread: dict[str, None] = {}
    for line, row in rows:
        grid = grids.setdefault(row.get("test_set") or None, Grid())
        system, run = row.get("system") or stem_of(file), row.get("run") or DEFAULT_RUN
        segment, sample = row.get("segment"), row.get("sample")
        run = sample_name(run, sample) if sample and segment is not None else run
        if segment is None:
            grid.rows_of_run[system, run] += 1
            segment = str(grid.rows_of_run[system, run])
        grid.segments[segment] = None
        for name, text in row.items():
            if (column := _column(name, system, run)) is None:
                unread |= {} if name in silent else {name: None}
            elif text is not None and (text or column.role != "reference"):
                n_columns += column not in grid.cells
                refuse_columns(n_columns, DEFAULT_LIMITS, file, line)
                with located(file, line):
                    _keep(grid, column, segment, text, line)
        refuse_columns(len(grids), DEFAULT_LIMITS, file, line)
    for grid in grids.values():
        refuse_cells(len(grid.cells), len(grid.segments), DEFAULT_LIMITS, file)
    streams = tuple(stream for name, grid in grids.items() for stream in _streams(grid, name, len(grids) > 1))
    if not streams:
        raise InputError("The table has a header but no rows. Expected one row per hypothesis.", file)
    notes = (f"Columns ignored: {', '.join(unread)}.",) if unread else ()
    return Document(file, "table", streams, notes)


def _column(name: str, system: str, run: str) -> Column | None:
    if name == "hypothesis":
        return Column("hypothesis", f"{system}, run {run}", system, run)
    if name.startswith("ref"):
        return Column("reference", name)
    if name == "source":
        return Column("source", name)
    return Column("documents", name) if name == "document" else None


def _keep(grid: Grid, column: Column, segment: str, text: str, line: int) -> None:
    text = LINE_BREAK.sub(" ", text) if "\n" in text or "\r" in text else text
    known, first = grid.cells.setdefault(column, {}).setdefault(segment, (text, line))
    if column.role == "hypothesis" and first != line:
        second = f"a second hypothesis for segment '{segment}' (the first is in line {first})"
        message = f"System '{column.system}', run '{column.run}' has {second}."
        raise InputError(f"{message} Give each run one row per segment.")
    if known != text:
        message = f"Column '{column.label}', segment '{segment}' differs from line {first}."
        raise InputError(f"{message} Use the same text in all rows of a segment.")


def _streams(grid: Grid, test_set: str | None, several: bool) -> Iterable[Stream]:
    segments = list(grid.segments)
    if all(key.isdecimal() and len(key) <= 18 for key in segments):  # digits; longer keys are names
        segments.sort(key=int)
    keys = tuple(segments)
    for column, cells in grid.cells.items():
        lines = tuple(cells[key][0] if key in cells else None for key in keys)
        label = f"{test_set or 'no test set'}: {column.label}" if several else column.label
        yield Stream(label, lines, column.role, column.system, column.run, test_set, keys)


def stem_of(file: str) -> str:
    """Return the beginning of a file name, used as the system of a table without systems."""
    return file.rsplit("/", 1)[-1].split(".", 1)[0] or file


HEAD = 1 << 16  # characters searched for the first hypothesis, since a long log precedes it
HYPOTHESIS = re.compile(r"^[HD]-[0-9]{1,9}\t[-+]?(?:[0-9]|inf|nan)[^\t\n]*\t", re.M)
LINE = re.compile(r"([STHD])-([0-9]{1,9})\t(.*)", re.S)
ROLES: dict[str, FileRole] = {"S": "source", "T": "reference", "H": "hypothesis", "D": "hypothesis"}


def read_fairseq(text: str, file: str) -> Document | None:
    """Return source, target and best hypothesis of each sentence, sorted by number; None if the text has no hypotheses.

    ``D`` is the detokenized hypothesis and is preferred; older versions print ``H`` only.

    Raises
    ------
    InputError
        If a source or target appears twice with different texts, e.g. because outputs were concatenated.
    """
    if not HYPOTHESIS.search(text, 0, HEAD):
        return None
    texts: dict[str, dict[int, str]] = defaultdict(dict)
    for number, line in enumerate(split_lines(text), start=1):
        if match := LINE.fullmatch(line):
            kind, sentence = match[1], int(match[2])
            words = match[3].partition("\t")[2] if kind in "HD" else match[3]
            if texts[kind].setdefault(sentence, words) != words and kind in "ST":
                remedy = "Use one file per fairseq-generate run."
                raise InputError(f"{kind}-{sentence} appears twice with different texts. {remedy}", file, number)
    kinds = [kind for kind in ("STD" if "D" in texts else "STH") if kind in texts]
    order = sorted({sentence for kind in kinds for sentence in texts[kind]})
    keys = tuple(map(str, order))
    streams = (Stream(kind, tuple(map(texts[kind].get, order)), ROLES[kind], keys=keys) for kind in kinds)
    return Document(file, "table", tuple(streams))
