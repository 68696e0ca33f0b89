"""Tables of Weights & Biases, as exported or as they lie in the folder ``wandb``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mteval.readers.formats.logs.answers import (
    NO_REFERENCE,
    Answer,
    Notes,
    Program,
    as_text,
    is_number,
    number_of,
    parsed_log,
)
from mteval.readers.formats.tables import canonical, with_segments
from mteval.readers.names import name_of_file

FOLDER = re.compile(r"(?:(?P<system>[^/]+)/)?wandb/(?:offline-)?run-\d{8}_\d{6}-(?P<run>[^/]+)/")
SUFFIX = re.compile(r"(_\d+_[0-9a-f]{20,})?\.table$")
OF_PANDAS = re.compile(r'\{"columns":\s*\[[^\]]*\],\s*"index":')
NAMES = ("system", "run", "segment", "test_set")
TEXTS = ("source", "hypothesis", "reference")


def is_wandb(head: str, text: str) -> bool:
    """Whether a text is an object of columns and rows, without the index that tables of pandas have between them."""
    return head.startswith('{"columns"') and '"data"' in text and OF_PANDAS.match(head) is None


def read_wandb(text: str, file: str, notes: Notes) -> Iterator[Answer]:
    """Read columns and rows; columns have the names of score tables, and other numeric columns are scores.

    Without a column for it, the run is that of the folder, and the system the folder around ``wandb``.
    """
    table = parsed_log(text, file, WANDB.name)
    of_folder: dict[str, str | None] = {}
    folder = FOLDER.search(file.replace("\\", "/"))
    if folder:
        of_folder = {name: value for name, value in folder.groupdict().items() if value}
    name_of_table = SUFFIX.sub("", name_of_file(file))  # each run has other numbers in the name of its file

    names = with_segments([canonical(str(name)) for name in table["columns"]])
    numeric = set()
    for place, name in enumerate(names):
        is_text = name in NAMES or name in TEXTS
        if not is_text and any(is_number(row[place]) for row in table["data"]):
            numeric.add(name)

    for number, row in enumerate(table["data"], start=1):
        value_of = dict(zip(names, row, strict=True))
        cells = dict(of_folder)
        for name in (*NAMES, *TEXTS):
            if name in value_of:
                cells[name] = as_text(value_of[name])
        if "hypothesis" in names:
            cells.setdefault("reference", NO_REFERENCE)
        scores = {}
        for name in names:
            if name in numeric:
                metric = name_of_table if name == "score" else name
                scores[metric] = number_of(value_of[name])
        cells.setdefault("segment", str(number))
        yield Answer(number, segment=cells.pop("segment") or "", scores=scores, **cells)


WANDB = Program("Weights & Biases", "0.31", is_wandb, read_wandb)
