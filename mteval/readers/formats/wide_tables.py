"""Tables of scores that name systems or metrics in their header: a column per system, or a row per run.

``segment, Old, New`` has a column per system (or per metric, if all columns have names of metrics). ``system, seed,
BLEU`` and ``System, BLEU`` have a row per run with its corpus scores, which are scores of one segment: the test set.
"""

import csv
import re
from collections import Counter
from collections.abc import Sequence

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import InputError
from mteval.readers.documents import Document, named
from mteval.readers.formats.score_tables import (
    METRIC,
    MISSING,
    SCORE,
    holds_number,
    number_in,
    refuse_averages,
    refuse_other_numbers,
    score_streams,
)
from mteval.readers.formats.tables import (
    JSON_LINES,
    SEPARATORS,
    Row,
    canonical,
    holds_outputs,
    is_known,
    name_in_file,
    table_rows,
    with_segments,
)
from mteval.readers.formats.text import split_lines

NAME_OF_METRIC = re.compile(
    r"(?i)(sp|sacre)?bleu.*|chrf.*|h?ter|[cw]er|meteor.*|x?comet.*|bleurt.*|bert_?score.*|metricx.*|rouge.*|gemba.*|yisi.*"
    r"|prism.*|bart_?score.*|mqm|esa|da|acc(uracy)?|f1|em|exact_match|length|.*kiwi.*"
)
WHOLE = "1"  # the only segment of corpus scores
SEEN = 20  # rows that show whether the columns have numbers


def may_be_wide(head: str, name: str) -> bool:
    """Whether the first line of a text is a header that names segments or systems, and other columns."""
    return _form(head) is not None


def read_wide_table(text: str, file: str) -> Document | None:
    """Read the scores; return None if the columns have no numbers, or other numbers of runs than scores.

    Raises
    ------
    InputError
        If a row has a wrong number of cells, or a cell is no score.
    """
    form = _form(text)
    if form is None or not _has_numbers(text, form):
        return None
    rows = list(table_rows(text, file, form))
    refuse_averages(rows, file)
    columns = list(rows[0][1])
    further = [name for name in columns if name and not is_known(name)]
    numeric = [name for name in further if holds_number(row[name] for _, row in rows)]
    ignored = [name for name in further if name not in numeric]
    notes = [f"Columns ignored: {', '.join(ignored)}."] if ignored else []
    if not numeric or ("segment" not in columns and not _are_scores(numeric)):
        return None
    if "segment" in columns:
        long_rows = _rows_of_segments(rows, numeric, notes)
    else:
        long_rows = _rows_of_runs(rows, numeric, file)
        notes.append(
            "Corpus scores: one per run, no segment scores. Verdicts cover the luck of runs only (Welch's test)."
        )
    return Document(file, "table", score_streams(long_rows, file, [SCORE]), tuple(notes), n_rows=len(rows))


def _form(text: str) -> str | None:
    """Return the separator of a header with segments and two other columns, or systems and another column."""
    first = text[: text.find("\n") + 1 or len(text)]
    for separator in SEPARATORS:
        names = with_segments([canonical(cell.strip('"\r\n ')) for cell in first.split(separator)])
        while names and not names[-1]:  # spreadsheets write empty columns at the end
            names.pop()
        further = [name for name in names if name and not is_known(name)]
        if holds_outputs(names) or SCORE in names or len(set(names)) < len(names) or "" in names:
            continue
        if "segment" in names and "system" not in names and len(further) >= 2:
            return separator
        if "system" in names and "segment" not in names and further:
            return separator
    return None


def _has_numbers(text: str, form: str) -> bool:
    """Whether the first rows have as many cells as the header, and at least half of the further ones are numbers."""
    header, *lines = [line for line in split_lines(text[: 1 << 16])[: SEEN + 1] if line]
    n_cells = header.count(form) + 1
    n_numbers = 0
    n_others = 0
    for cells in _cells_of(lines, form):
        if len(cells) != n_cells:
            return False
        for cell in cells[1:]:
            plain = cell.strip('" ').replace(",", ".")
            if number_in(plain) is not None or plain.lower() in MISSING:
                n_numbers += 1
            else:
                n_others += 1
    return n_numbers > 0 and n_numbers >= n_others


def _cells_of(lines: Sequence[str], separator: str) -> list[list[str]]:
    """Return the cells of each line; quotes around cells that contain commas or semicolons are removed."""
    if separator == "\t":
        return [line.split(separator) for line in lines]
    try:
        return list(csv.reader(lines, delimiter=separator))
    except csv.Error:
        return [[] for _ in lines]


def refuse_unclear_scores(text: str, file: str, *, is_csv: bool) -> None:
    """Raise InputError if a text is a table of numbers without a column of systems, or with numbers in another form.

    Parameters
    ----------
    is_csv
        Whether commas or semicolons may separate its columns; tabs always do.
    """
    header, *lines = [line for line in split_lines(text[: 1 << 16])[: SEEN + 1] if line] or [""]
    if header.startswith(JSON_LINES) and file.lower().endswith(".jsonl"):
        _refuse_nameless_objects(header, file)
    if "\t" not in header:
        _refuse_spaces(header, lines, file)
    for separator in SEPARATORS if is_csv else "\t":
        names = [cell.strip('" ') for cell in header.split(separator)]
        rows = _cells_of(lines, separator)
        is_table = bool(rows) and all(names) and all(len(row) == len(names) for row in rows)
        if not is_table or holds_number(names) or any(name.lower() in MISSING for name in names):
            continue  # the first line is no header
        if "system" in map(canonical, names):
            _refuse_other_numbers(names, rows, file)
            continue
        is_score = canonical(names[0]) == SCORE or NAME_OF_METRIC.fullmatch(names[0]) is not None
        columns = list(zip(*rows, strict=True))
        scored = []
        for place, (name, cells) in enumerate(zip(names, columns, strict=True)):
            is_number_of_line = place == 0 and all(map(str.isdecimal, cells))
            if _are_numbers(cells) and not is_number_of_line and not _is_number_of_row(name):
                scored.append(name)
        if scored and (len(names) > 1 or is_score):
            raise _no_systems(names, file)


def _refuse_other_numbers(names: Sequence[str], rows: Sequence[Sequence[str]], file: str) -> None:
    """Raise InputError if all cells of a column are numbers in a form of spreadsheets, e.g. ``45%`` or ``1,234.5``."""
    for name, cells in zip(names, zip(*rows, strict=True), strict=True):
        if not is_known(canonical(name)):
            refuse_other_numbers(name, [cell.strip('" ') for cell in cells], file)


def _refuse_nameless_objects(line: str, file: str) -> None:
    """Raise InputError if a line of JSON has numbers, but no system."""
    try:
        record = bounded_json(line)
    except ValueError:
        return
    if not isinstance(record, dict) or "system" in map(canonical, record):
        return
    for name, value in record.items():
        if isinstance(value, float | int) and not isinstance(value, bool) and not _is_number_of_row(name):
            raise _no_systems(list(record), file)


def _no_systems(names: Sequence[str], file: str) -> InputError:
    """Return the error about a table of numbers whose columns do not include the systems."""
    message = f"Not scores yet: no column is named 'system'. Found: {', '.join(names)[:200]}."
    message += " Rename the column that names the systems, or add one."
    if "segment" not in with_segments(list(map(canonical, names))):
        message += " If there is a row per segment, add a column 'segment' too."
    return InputError(message, file, 1)


def _is_number_of_row(name: str) -> bool:
    """Whether a column names segments or runs, whose numbers are no scores."""
    return with_segments([canonical(name)])[0] in ("segment", "run", "document", "sample")


def _refuse_spaces(header: str, lines: Sequence[str], file: str) -> None:
    """Raise InputError if spaces separate the columns of a table of scores."""
    names = header.split()
    rows = [line.split() for line in lines]
    if not rows or any(len(row) != len(names) for row in rows):
        return
    known = [name for name in map(canonical, names) if is_known(name)]
    if "system" in known and len(known) > 1 and any(map(_are_numbers, zip(*rows, strict=True))):
        raise InputError("The columns are separated by spaces. Separate them by tabs, or write CSV.", file, 1)


def _are_numbers(cells: Sequence[str]) -> bool:
    """Whether all cells of a column are numbers, or marked as missing."""
    plain = [cell.strip('" ').replace(",", ".") for cell in cells]
    filled = [cell for cell in plain if cell.lower() not in MISSING]
    return bool(filled) and all(number_in(cell) is not None for cell in filled)


def _are_scores(names: Sequence[str]) -> bool:
    """Whether the numbers of runs are scores, not e.g. the weights of their features: most are named after metrics."""
    n_metrics = sum(NAME_OF_METRIC.fullmatch(name) is not None for name in names)
    return len(names) == 1 or 2 * n_metrics >= len(names)


def _rows_of_segments(rows: Sequence[Row], numeric: Sequence[str], notes: list[str]) -> list[Row]:
    """Return a row per score of a table with a row per segment."""
    are_metrics = all(map(NAME_OF_METRIC.fullmatch, numeric))
    if not are_metrics:
        notes.append(f"Columns {named(numeric)} were read as systems, with one score per segment.")
    long_rows: list[Row] = []
    for line, row in rows:
        for name in numeric:
            cells = {"segment": row["segment"], "run": row.get("run"), "test_set": row.get("test_set")}
            cells |= {METRIC: name} if are_metrics else {"system": name}
            cells[SCORE] = row[name]
            long_rows.append((line, cells))
    return long_rows


def _rows_of_runs(rows: Sequence[Row], numeric: Sequence[str], file: str) -> list[Row]:
    """Return a row per score of a table with a row per run. Rows of one system without runs are numbered."""
    n_rows = Counter[tuple[str | None, str | None]]()
    line_of: dict[tuple[str, str | None, str | None], int] = {}
    has_runs = any(row.get("run") for _, row in rows)
    long_rows: list[Row] = []
    for line, row in rows:
        system = row["system"]
        test_set = row.get("test_set")
        if not system:
            name = name_in_file(row, "system")
            raise InputError(f"The row has no '{name}'. Fill it in, or remove the row.", file, line)
        run = row.get("run")
        if not has_runs:
            run = str(n_rows[system, test_set])
            n_rows[system, test_set] += 1
        first_line = line_of.setdefault((system, run, test_set), line)
        if first_line != line:
            message = f"A second row of {name_in_file(row, 'system')} '{system}', {name_in_file(row, 'run')} '{run}'"
            message += f" (the first is in line {first_line}). Give each row its own {name_in_file(row, 'run')}."
            raise InputError(message, file, line)
        for name in numeric:
            cells = {"system": system, "run": run, "test_set": test_set, "segment": WHOLE}
            cells |= {METRIC: name, SCORE: row[name]}
            long_rows.append((line, cells))
    return long_rows
