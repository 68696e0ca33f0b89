"""Read tables (TSV, CSV, JSON lines) with one row per hypothesis or score, and turn outputs into streams.

CSV has commas or, as spreadsheets write it where the comma is the decimal mark, semicolons.

The log of ``fairseq-generate`` is read too: sources ``S-``, targets ``T-``, hypotheses ``H-`` and ``D-``, in any order.
"""

import csv
import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import InputError
from mteval.base.words import HALF_PAIR, as_before_inert, counted
from mteval.readers.documents import DEFAULT_LIMITS, Document, FileRole, Stream
from mteval.readers.formats.text import (
    HALF,
    located,
    one_segment,
    refuse_cells,
    refuse_columns,
    refuse_odd_name,
    split_lines,
)
from mteval.readers.names import DEFAULT_RUN, sample_name

Row = tuple[int, Mapping[str, str | None]]  # line, and cells by canonical column name; None if missing


class Cells(dict[str, str | None]):
    """Cells by canonical column name, which know the names in the file for messages.

    Parameters
    ----------
    cells
        None if missing.
    written
        Names in the file by canonical name.
    """

    __slots__ = ("written",)

    def __init__(self, cells: Mapping[str, str | None], written: Mapping[str, str]) -> None:
        super().__init__(cells)
        self.written = written


def name_in_file(row: Mapping[str, str | None], column: str) -> str:
    """Return the name of a canonical column in the file, for messages."""
    if isinstance(row, Cells):
        return row.written.get(column, column)
    return column


PREDICTION = "prediction"  # a score in MetricX's output, an output elsewhere
SYNONYMS = {
    "hyp": "hypothesis",
    "translation": "hypothesis",
    "output": "hypothesis",
    "mt": "hypothesis",
    "sys": "system",
    "model": "system",
    "system_id": "system",
    "seed": "run",
    "testset": "test_set",
    "src": "source",
    "seg": "segment",
    "segment_id": "segment",
    "seg_id": "segment",
    PREDICTION: "score",
    "predicted_score": "score",
    "doc": "document",
    "docid": "document",
    "doc_id": "document",
    "document_id": "document",
}
# Names that may be the segments of score tables, the likeliest first
ITEMS = ("item", "item_id", "question", "question_id", "example_id", "sample_id", "id")
ROW_IDS = (*ITEMS, "idx", "index", "sentence_id", "sent_id", "line_id", "uid", "guid")  # of tables of outputs
COLUMNS = ("system", "run", "segment", "hypothesis", "source", "document", "test_set", "sample")
SPANS = "spans"  # marked errors, as a list of objects
SCORE_COLUMNS = ("score", "metric", "judgements", "deviation", SPANS)
SEMICOLON = ";"
SEPARATORS = {"\t": "TSV", ",": "CSV", SEMICOLON: "CSV"}
NO_NUMBER = re.compile(r"[^\W\d_]{2}.*\s")  # a text of several words
DECIMAL_COMMA = re.compile(r"\s*([-+]?[0-9]*),([0-9]+(?:[eE][-+]?[0-9]+)?)\s*")
MOST_VALUES = 20_000_000
KINDS: Mapping[type, str] = {bool: "a boolean", int: "a number", float: "a number", list: "a list", dict: "an object"}
JSON_LINES = "{"  # instead of a separator


def canonical(column: str) -> str:
    """Return the canonical name of a column; unknown names, e.g. of metrics, are kept."""
    plain = column.strip().lower().replace(" ", "_")
    name = SYNONYMS.get(plain, plain)
    return name if is_known(name) else column.strip()


def with_segments(names: Sequence[str]) -> list[str]:
    """Return canonical names in which items are the segments, unless there are segments or texts."""
    items = [name for name in names if name.lower() in ITEMS]
    if not items or "segment" in names or holds_outputs(names):
        return list(names)
    likeliest = min(items, key=lambda name: ITEMS.index(name.lower()))
    renamed = {likeliest: "segment"}
    return [renamed.get(name, name) for name in names]


def is_known(column: str) -> bool:
    """Whether a column has a meaning here. Names that begin with ``ref`` are references."""
    return column in (*COLUMNS, *SCORE_COLUMNS) or column.startswith("ref")


def holds_outputs(columns: Sequence[str]) -> bool:
    """Whether a header has a hypothesis or a reference."""
    return any(name == "hypothesis" or name.startswith("ref") for name in columns)


def _first_line(text: str) -> str:
    return text[: text.find("\n") + 1 or len(text)]


def _object_in(line: str) -> Mapping[str, object]:
    """Return the JSON object in a line, or an empty one if there is none."""
    try:
        value = bounded_json(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _canonical_keys(record: Mapping[str, object]) -> list[str]:
    """Return the canonical names of the keys of a JSON object; a prediction that is a text is an output."""
    names = list(map(canonical, record))
    if "hypothesis" in names:
        return names
    for place, (key, value) in enumerate(record.items()):
        if key.strip().lower() == PREDICTION and isinstance(value, str):
            names[place] = "hypothesis"
    return names


def table_form(text: str, is_wanted: Callable[[Sequence[str]], bool]) -> str | None:
    """Return the separator if the first line is a wanted header, ``{`` if it is such a JSON object, else None."""
    first = _first_line(text)
    if first.lstrip().startswith(JSON_LINES):
        names = with_segments(_canonical_keys(_object_in(first)))
        return JSON_LINES if names and is_wanted(names) else None
    for separator in SEPARATORS:
        names = with_segments([canonical(cell.strip('"\r\n ')) for cell in first.split(separator)])
        if sum(map(is_known, names)) >= 2 and is_wanted(names):
            return separator
    return None


def named_table_form(text: str, column: str) -> str | None:
    """Return the separator if a column of the first line has this name, ``{`` for such a JSON object, else None."""
    first = _first_line(text)
    if first.lstrip().startswith(JSON_LINES):
        return JSON_LINES if column in map(str.lower, _object_in(first)) else None
    for separator in SEPARATORS:
        names = [cell.strip('"\r\n ').lower() for cell in first.split(separator)]
        if column in names:
            # A table of one column has no separator, but its cells may have commas
            return separator if len(names) > 1 else ","
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
    if form in (",", SEMICOLON) or text.startswith('"'):
        rows = _quoted_rows(text, file, form)
    else:
        rows = _plain_rows(text)
    _, first_cells = next(rows)
    names = [as_before_inert(cell).strip() for cell in first_cells]
    header = list(map(canonical, names))
    first_row = next(rows, None)
    if first_row is not None:
        rows = chain([first_row], rows)
        header = _with_predictions(header, names, first_row[1])
    header = with_segments(header)
    _refuse_odd_header(header, file)
    _refuse_repeated(header, names, file)
    written = dict(zip(header, names, strict=True))
    for line, cells in rows:
        cells[0] = cells[0].removeprefix("\ufeff")  # where files were joined
        if len(cells) != len(header):
            message = f"{counted(len(cells), 'cell')}, but the header has {len(header)} ({', '.join(names)})."
            raise InputError(f"{message} Quote cells that contain the separator, or use JSON lines.", file, line)
        row = {name: _as_written(name, cell) for name, cell in zip(header, cells, strict=True)}
        if form == SEMICOLON:
            row = _with_decimal_points(row)
        yield line, Cells(row, written)


def _with_predictions(header: list[str], names: Sequence[str], cells: Sequence[str]) -> list[str]:
    """Return the columns of a table, in which predictions are outputs if the first one is a text.

    Parameters
    ----------
    header, names
        The columns by canonical name, and as the file names them.
    cells
        Of the first row.
    """
    if "hypothesis" in header:
        return header
    read_again = []
    for column, name, cell in zip(header, names, cells, strict=False):
        is_output = name.lower() == PREDICTION and NO_NUMBER.search(cell) is not None
        read_again.append("hypothesis" if is_output else column)
    return [*read_again, *header[len(read_again) :]]


def _refuse_repeated(header: Sequence[str], names: Sequence[str], file: str) -> None:
    """Raise InputError if two columns have one meaning.

    Parameters
    ----------
    header, names
        The columns by canonical name, and as the file names them.
    """
    name_of: dict[str, str] = {}
    for column, name in zip(header, names, strict=True):
        first_name = name_of.setdefault(column, name)
        if first_name is name:
            continue
        if first_name == name:
            raise InputError(f"Column '{name}' appears twice in the header. Rename one.", file, 1)
        message = f"Columns '{first_name}' and '{name}' are both read as '{column}'. Rename one."
        raise InputError(message, file, 1)


def _with_decimal_points(row: Mapping[str, str]) -> dict[str, str]:
    """Return a row with points in its numbers, which have commas if semicolons separate them."""
    cells = {}
    for name, cell in row.items():
        if name not in COLUMNS and not name.startswith("ref"):
            cell = DECIMAL_COMMA.sub(r"\1.\2", cell) if DECIMAL_COMMA.fullmatch(cell) else cell
        cells[name] = cell
    return cells


def _as_written(column: str, cell: str) -> str:
    """Return a cell without what our own tables do to names; texts of other programs may look like it."""
    is_text = column in ("hypothesis", "source") or column.startswith("ref")
    return cell if is_text else as_before_inert(cell)


def _refuse_odd_header(header: Collection[str], file: str) -> None:
    """Raise InputError for too many columns, or a name that is too long or contains half a surrogate pair."""
    refuse_columns(len(header), DEFAULT_LIMITS, file, 1)
    for name in header:
        refuse_odd_name(name, DEFAULT_LIMITS.name_characters, file, 1)


def _plain_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a TSV with their lines."""
    for line, row in enumerate(split_lines(text), start=1):
        if row:
            yield line, [_unquoted(cell) for cell in row.split("\t")]


def _unquoted(cell: str) -> str:
    """Remove the quotes of a cell with doubled quotes; others may be part of its text."""
    inner = cell[1:-1]
    if '""' not in inner:
        return cell
    is_quoted = cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', "")
    return inner.replace('""', '"') if is_quoted else cell


def _quoted_rows(text: str, file: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a quoted table with their lines; those of a row with line breaks are its last."""
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=separator, strict=True)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except csv.Error as error:
        message = f"The row is not valid {SEPARATORS[separator]} ({error}). Double the quotes inside quoted cells."
        raise InputError(message, file, reader.line_num) from error


def array_as_lines(text: str) -> str | None:
    """Return a list of objects, the rows of a table, as JSON lines; None if a text is something else."""
    if not text[:HEAD].lstrip().startswith("["):
        return None
    try:
        records = bounded_json(text, MOST_VALUES)
    except ValueError:
        return None
    if not records or not all(isinstance(record, dict) for record in records):
        return None
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)


def _records(text: str, file: str) -> Iterator[Row]:
    """Yield the rows of JSON lines."""
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
    """Return the cells of a line of JSON."""
    try:
        record = bounded_json(row)
    except ValueError as error:
        raise InputError(f"The line is not valid JSON ({error}). Expected one object per line.") from error
    if not isinstance(record, dict):
        expected = '{"system": …, "run": …, "segment": …, "hypothesis": …}'
        raise InputError(f"The line is not a JSON object. Expected {expected}.")
    cells: dict[str, str | None] = {}
    written: list[str] = []
    for column, (name, value) in zip(_canonical_keys(record), record.items(), strict=True):
        if column in cells:
            first_name = written[list(cells).index(column)]
            raise InputError(f"Keys '{first_name}' and '{name}' are both read as '{column}'. Rename one.")
        if isinstance(value, list) and column.startswith("ref"):
            for number, item in enumerate(value, start=1):
                cells[f"{column} {number}"] = _cell(item, column, name)
                written.append(f"{name} {number}")
        elif isinstance(value, list) and column == SPANS:
            cells[column] = _cell(json.dumps(value), column, name)
            written.append(name)
        else:
            cells[column] = _cell(value, column, name)
            written.append(name)
    columns = with_segments(list(cells))
    return Cells(dict(zip(columns, cells.values(), strict=True)), dict(zip(columns, written, strict=True)))


def _cell(value: object, column: str, name: str) -> str | None:
    """Return a JSON value as a cell: strings, numbers, true and false; None for what is missing, or has no meaning.

    Parameters
    ----------
    column, name
        Canonical name, and the name in the file.
    """
    if isinstance(value, str) and HALF_PAIR.search(value):
        raise InputError(f"'{name}' {HALF}")
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and column != "hypothesis":
        return str(value)
    if isinstance(value, bool) and not is_known(column):
        return json.dumps(value)
    if not is_known(column) or column in SCORE_COLUMNS[1:]:
        return None
    kind = KINDS.get(type(value), type(value).__name__)
    expected = "a number" if column == SCORE_COLUMNS[0] else "a string"
    raise InputError(f"'{name}' is {kind}. Expected {expected}.")


class Column(NamedTuple):
    """What a stream of the table contains."""

    role: FileRole
    label: str
    system: str | None = None
    run: str | None = None


@dataclass
class Grid:
    """Cells of one test set while rows are read: for each column, the text and line of each segment.

    ``row_ids`` has the IDs of rows that name no segment, for each output by the number of the row.
    """

    segments: dict[str, None] = field(default_factory=dict)
    cells: dict[Column, dict[str, tuple[str, int]]] = field(default_factory=dict)
    row_ids: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
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
    grids: dict[str | None, Grid] = {}  # by test set
    n_columns = 0
    n_rows = 0
    silent = {"system", "run", "segment", "test_set", "sample", *read_elsewhere}
    unread: dict[str, None] = {}
    for line, row in rows:
        n_rows += 1
        grid = grids.setdefault(row.get("test_set") or None, Grid())
        system, run, segment = _output_and_segment(grid, row, file)
        grid.segments[segment] = None
        for name, text in row.items():
            column = _column(name, system, run)
            if column is None:
                if name and name not in silent:  # pandas writes its row numbers in a column without a name
                    unread[name_in_file(row, name)] = None
                continue
            if text is None or (text == "" and column.role == "reference"):  # missing in this row
                continue
            if column not in grid.cells:
                n_columns += 1
            refuse_columns(n_columns, DEFAULT_LIMITS, file, line)
            with located(file, line):
                _keep(grid, column, segment, text, line)
        refuse_columns(len(grids), DEFAULT_LIMITS, file, line)

    for grid in grids.values():
        refuse_cells(len(grid.cells), len(grid.segments), DEFAULT_LIMITS, file)
    streams: list[Stream] = []
    for test_set, grid in grids.items():
        streams += _streams(grid, test_set, len(grids) > 1)
    if not streams:
        raise InputError("The table has a header but no rows. Expected one row per hypothesis.", file)
    notes: tuple[str, ...] = ()
    if unread:
        note = f"Columns ignored: {', '.join(unread)}."
        if not any(stream.role == "hypothesis" for stream in streams):
            note += " If they are outputs, use a row per output, with columns system and hypothesis."
        notes = (note,)
    return Document(file, "table", tuple(streams), notes, n_rows=n_rows)


def _output_and_segment(grid: Grid, row: Mapping[str, str | None], file: str) -> tuple[str, str, str]:
    """Return system, run and segment of a row; without a segment, the number of the row within the run."""
    system = row.get("system") or stem_of(file)
    run = row.get("run") or DEFAULT_RUN
    segment = row.get("segment")
    sample = row.get("sample")
    if segment is None:
        grid.rows_of_run[system, run] += 1
        segment = str(grid.rows_of_run[system, run])
        row_id = next((cell for name, cell in row.items() if cell and name.lower() in ROW_IDS), None)
        if row_id is not None:
            grid.row_ids.setdefault((system, run), {})[segment] = row_id
    elif sample:
        run = sample_name(run, sample)
    return system, run, segment


def _column(name: str, system: str, run: str) -> Column | None:
    """Return what a column of the table contains in a row; None if it has no text of a segment."""
    if name == "hypothesis":
        return Column("hypothesis", f"{system}, run {run}", system, run)
    if name.startswith("ref"):
        return Column("reference", name)
    if name == "source":
        return Column("source", name)
    if name == "document":
        return Column("documents", name)
    return None


def _keep(grid: Grid, column: Column, segment: str, text: str, line: int) -> None:
    """Add a cell to a grid.

    Raises
    ------
    InputError
        If another line has a hypothesis for the segment, or another text; without file and line.
    """
    text = one_segment(text)
    first_text, first_line = grid.cells.setdefault(column, {}).setdefault(segment, (text, line))
    if column.role == "hypothesis" and first_line != line:
        second = f"a second hypothesis for segment '{segment}' (the first is in line {first_line})"
        message = f"System '{column.system}', run '{column.run}' has {second}."
        raise InputError(f"{message} Give each run one row per segment.")
    if first_text != text and column.role == "documents":
        message = f"Segment '{segment}' is in document '{first_text}' (line {first_line}) and '{text}'."
        raise InputError(f"{message} Number segments over all documents, not within each.")
    if first_text != text:
        message = f"Column '{column.label}', segment '{segment}' differs from line {first_line}."
        raise InputError(f"{message} Use the same text in all rows of a segment.")


def _streams(grid: Grid, test_set: str | None, has_test_sets: bool) -> Iterator[Stream]:
    """Yield the stream of each column of a test set."""
    segments = list(grid.segments)
    if all(key.isdecimal() and len(key) <= 18 for key in segments):  # digits; longer keys are names
        segments.sort(key=int)
    keys = tuple(segments)
    for column, cells in grid.cells.items():
        lines: list[str | None] = []
        for key in keys:
            text, _ = cells.get(key, (None, 0))
            lines.append(text)
        label = column.label
        if has_test_sets:
            label = f"{test_set or 'no test set'}: {label}"
        row_ids = _row_ids(grid, column, keys)
        yield Stream(label, tuple(lines), column.role, column.system, column.run, test_set, keys, row_ids=row_ids)


def _row_ids(grid: Grid, column: Column, keys: Sequence[str]) -> tuple[str, ...] | None:
    """Return the IDs of the rows of an output, or of the first one for other texts; None unless all have one."""
    if column.role == "hypothesis":
        id_of = grid.row_ids.get((column.system or "", column.run or ""), {})
    else:
        id_of = next(iter(grid.row_ids.values()), {})
    row_ids = tuple(id_of[key] for key in keys if key in id_of)
    return row_ids if row_ids and len(row_ids) == len(set(row_ids)) == len(keys) else None


def stem_of(file: str) -> str:
    """Return the beginning of a file name, used as the system of a table without systems."""
    return file.rsplit("/", 1)[-1].split(".", 1)[0] or file


# Logs of fairseq-generate

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
    texts_of: dict[str, dict[int, str]] = defaultdict(dict)  # by kind of line, then by number of the sentence
    n_of: dict[str, int] = defaultdict(int)  # lines, by kind
    for number, line in enumerate(split_lines(text), start=1):
        match = LINE.fullmatch(line)
        if match is None:
            continue
        kind = match[1]
        sentence = int(match[2])
        words = match[3]
        if kind in ("H", "D"):
            words = words.partition("\t")[2]  # after the score
        n_of[kind] += 1
        # The first hypothesis is the best one.
        first_words = texts_of[kind].setdefault(sentence, words)
        if kind in ("S", "T") and first_words != words:
            remedy = "Use one file per fairseq-generate run."
            raise InputError(f"{kind}-{sentence} appears twice with different texts. {remedy}", file, number)

    hypotheses = "D" if "D" in texts_of else "H"
    kinds = [kind for kind in ("S", "T", hypotheses) if kind in texts_of]
    sentences = set[int]()
    for kind in kinds:
        sentences.update(texts_of[kind])
    in_order = sorted(sentences)
    keys = tuple(map(str, in_order))
    streams = []
    for kind in kinds:
        lines = tuple(map(texts_of[kind].get, in_order))
        streams.append(Stream(kind, lines, ROLES[kind], keys=keys))
    n_further = n_of[hypotheses] - len(texts_of[hypotheses])
    if n_further == 0:
        return Document(file, "table", tuple(streams))
    note = f"{counted(n_further, 'further hypothesis')} ignored: the first of a sentence is the best."
    return Document(file, "table", tuple(streams), notes=(note,))
