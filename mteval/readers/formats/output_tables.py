"""Outputs in rows: tables (system, run, segment, hypothesis, …) to one stream for each run, reference and so on.

What ``fairseq-generate`` prints is read as well: sources ``S-``, targets ``T-`` and hypotheses ``H-``, ``D-``, in no
order.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from mteval.base.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, Document, FileRole, Stream
from mteval.readers.formats.tables import Row
from mteval.readers.formats.text import refuse_cells, refuse_columns, split_lines
from mteval.readers.slots import DEFAULT_RUN, sample_name

LINE_BREAK = re.compile(r"\r\n|\n|\r")
LONGEST_NUMBER = 18  # digits; longer keys are names


class Column(NamedTuple):
    """What a stream of the table is called."""

    role: FileRole
    label: str
    system: str | None = None
    run: str | None = None


@dataclass
class Grid:
    """The cells of one test set, while the rows are read: for each column the text and line of each segment."""

    segments: dict[str, None] = field(default_factory=dict)
    cells: dict[Column, dict[str, tuple[str, int]]] = field(default_factory=dict)
    rows_of_run: Counter[tuple[str, str]] = field(default_factory=Counter)


def read_output_table(rows: Iterable[Row], file: str, read_elsewhere: Collection[str] = ()) -> Document:
    """One stream for each run, reference, source and list of documents of each test set.

    Segments stand in the order of their numbers, or of the file where they are names. A table without ``segment``
    numbers the rows of each run; without ``run`` it is run 0, without ``system`` the file's name; ``sample`` beside
    ``segment`` tells several decodings of one run. Of columns that are
    neither read here nor ``read_elsewhere`` there is a note.

    Raises
    ------
    InputError
        Where a run has two hypotheses of one segment, or rows contradict each other about a reference, source or
        document.
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
            column = _column(name, system, run)
            if column is None:
                unread |= {} if name in silent else {name: None}
            elif text is not None and (text or column.role != "reference"):
                n_columns += column not in grid.cells
                refuse_columns(n_columns, DEFAULT_LIMITS, file, line)
                try:
                    _keep(grid, column, segment, text, line)
                except InputError as error:
                    raise error.at(file, line) from error
        refuse_columns(len(grids), DEFAULT_LIMITS, file, line)
    for grid in grids.values():
        refuse_cells(len(grid.cells), len(grid.segments), DEFAULT_LIMITS, file)
    streams = tuple(stream for name, grid in grids.items() for stream in _streams(grid, name, len(grids) > 1))
    if not streams:
        raise InputError("The table has a header and no rows; expected one row a hypothesis.", file)
    notes = (f"Columns that are not read: {', '.join(unread)}.",) if unread else ()
    return Document(file, "table", streams, notes)


def _column(name: str, system: str, run: str) -> Column | None:
    if name == "hypothesis":
        return Column("hypothesis", f"{system}, run {run}", system, run)
    if name.startswith("ref"):
        return Column("reference", name)
    roles: dict[str, FileRole] = {"source": "source", "document": "documents"}
    return Column(roles[name], name) if name in roles else None


def _keep(grid: Grid, column: Column, segment: str, text: str, line: int) -> None:
    text = LINE_BREAK.sub(" ", text) if "\n" in text or "\r" in text else text
    known, first = grid.cells.setdefault(column, {}).setdefault(segment, (text, line))
    if column.role == "hypothesis" and first != line:
        raise InputError(
            f"System '{column.system}', run '{column.run}' has a second hypothesis for segment '{segment}'; the first"
            f" is in line {first}. Give each run one row a segment."
        )
    if known != text:
        raise InputError(
            f"Column '{column.label}' has another text for segment '{segment}' than in line {first};"
            " expected the same in every row of a segment."
        )


def _streams(grid: Grid, test_set: str | None, several: bool) -> Iterable[Stream]:
    segments = list(grid.segments)
    if all(key.isdecimal() and len(key) <= LONGEST_NUMBER for key in segments):
        segments.sort(key=int)
    keys = tuple(segments)
    for column, cells in grid.cells.items():
        lines = tuple(cells[key][0] if key in cells else None for key in keys)
        label = f"{test_set or 'no test set'}: {column.label}" if several else column.label
        yield Stream(label, lines, column.role, column.system, column.run, test_set, keys)


def stem_of(file: str) -> str:
    """The system of a table that names none: the name of the file."""
    return file.rsplit("/", 1)[-1].split(".", 1)[0] or file


HEAD = 1 << 16  # characters in which the first hypothesis is looked for: what is logged before it is long
HYPOTHESIS = re.compile(r"^[HD]-[0-9]{1,9}\t[-+]?(?:[0-9]|inf|nan)[^\t\n]*\t", re.M)
LINE = re.compile(r"([STHD])-([0-9]{1,9})\t(.*)", re.S)
ROLES: dict[str, FileRole] = {"S": "source", "T": "reference", "H": "hypothesis", "D": "hypothesis"}


def is_fairseq(text: str) -> bool:
    """Whether hypotheses stand in a text as fairseq prints them."""
    return HYPOTHESIS.search(text, 0, HEAD) is not None


def read_fairseq(text: str, file: str) -> Document:
    """Source, target and hypothesis of each sentence by its number; all other lines are log.

    ``D`` is the hypothesis as detokenized text, as the target is, and is read where it stands; older versions print
    ``H`` alone. Of several hypotheses of a sentence the first is the best.

    Raises
    ------
    InputError
        Where a source or target stands twice with different texts, as when outputs were appended to each other.
    """
    texts: dict[str, dict[int, str]] = defaultdict(dict)
    for number, line in enumerate(split_lines(text), start=1):
        match = LINE.fullmatch(line)
        if match is not None:
            kind, sentence = match[1], int(match[2])
            words = match[3].partition("\t")[2] if kind in "HD" else match[3]
            if texts[kind].setdefault(sentence, words) != words and kind in "ST":
                message = f"{kind}-{sentence} stands twice with different texts; expected the output of one call of"
                raise InputError(f"{message} fairseq-generate. Give each output as a file of its own.", file, number)
    if "D" in texts:
        texts.pop("H", None)
    order = sorted({sentence for of_kind in texts.values() for sentence in of_kind})
    keys = tuple(map(str, order))
    streams = (
        Stream(kind, tuple(texts[kind].get(sentence) for sentence in order), ROLES[kind], keys=keys)
        for kind in "STHD"
        if kind in texts
    )
    return Document(file, "table", tuple(streams))
