"""Published counts of right conclusions: any table with columns ``correct`` and ``n_pairs``."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pandas as pd

from mteval.base.errors import InputError
from mteval.readers.disk import file_at
from mteval.readers.formats.text import decode

NEEDED = ("correct", "n_pairs")


def read_counts(path: Path) -> pd.DataFrame:
    """The table with these two columns as integers, all others as they are.

    Raises
    ------
    InputError
        Where a column is missing, or a count is no integer.
    """
    file = file_at(path)
    text = decode(file.content, file.name)
    rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in text else ","))
    for number, row in enumerate(rows, start=2):
        for name in NEEDED:
            if not str(row.get(name) or "").isdecimal():
                raise InputError(
                    f"The row has {name} = '{row.get(name) or ''}'; expected columns {' and '.join(NEEDED)} with"
                    " whole numbers, as 53 and 66.",
                    file.name,
                    number,
                )
    if not rows:
        raise InputError("The table has no rows below its head; give one row a test.", file.name)
    return pd.DataFrame(rows).astype(dict.fromkeys(NEEDED, int))
