"""Errors that raters marked, as WMT's metrics task files them: a system, None or errors as JSON, perhaps a rater.

The lines of a system are in the order of the segments, as in ``.seg.score`` files.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from mteval.bounded_json import bounded_json
from mteval.counts import counted
from mteval.errors import InputError
from mteval.judgements import MQM, Judgement, RatedError
from mteval.mqm import weight_of
from mteval.readers.formats.text import split_lines

RATER_IN_NAME = re.compile(r"([^./\\]+)\.seg\.rating", re.IGNORECASE)
RATING_LINE = re.compile(r'[^\t]+\t(None|\{"errors":.*\})(\t[^\t]*)?')
EXPECTED = 'a system, a tab and None or {"errors": […]}'


def looks_like_ratings(text: str) -> bool:
    """Whether the first line is one of such a file."""
    return RATING_LINE.fullmatch(text.partition("\n")[0].rstrip("\r")) is not None


def read_seg_ratings(text: str, file: str) -> Iterator[Judgement]:
    """What each rater said; a segment is called by its number, from 1.

    Raises
    ------
    InputError
        Where a line is something else, or an error lacks its category or severity.
    """
    named = RATER_IN_NAME.search(file)
    default = named[1] if named else file
    counts: Counter[str] = Counter()
    for number, line in enumerate(split_lines(text), start=1):
        system, *rest = line.split("\t")
        if not system or not 1 <= len(rest) <= 2:
            raise InputError(f"The line has {counted(1 + len(rest), 'cell')}; expected {EXPECTED}.", file, number)
        counts[system] += 1
        if rest[0] != "None":
            errors = _errors(rest[0], file, number)
            rater = rest[1] if len(rest) == 2 and rest[1] else default
            value = 0.0 - sum(weight_of(error) for error in errors)
            yield Judgement(rater, system, str(counts[system]), MQM, value, errors=errors)


def _errors(cell: str, file: str, number: int) -> tuple[RatedError, ...]:
    try:
        rows = bounded_json(cell)["errors"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"The rating is {cell[:60]!r}; expected {EXPECTED}.", file, number) from error
    if not isinstance(rows, list):
        raise InputError(f"The rating is {cell[:60]!r}; expected {EXPECTED}.", file, number)
    return tuple(error_of(row, file, number) for row in rows)


def error_of(row: Mapping[str, Any], file: str, number: int) -> RatedError:
    """A marked error from the object that JSON makes of it; places that are no numbers are left out.

    Raises
    ------
    InputError
        Where it has no severity, or its score is no number.
    """
    if not isinstance(row, Mapping) or not row.get("severity"):
        raise InputError(f"An error is {str(row)[:80]}; expected an object with a severity.", file, number)
    score = row.get("score")
    is_number = isinstance(score, int | float) and not isinstance(score, bool) and math.isfinite(score)
    if score is not None and not is_number:
        raise InputError(f"An error has the score {str(score)[:60]!r}; expected a number.", file, number)
    start, end = row.get("start"), row.get("end")
    place = (start, end) if isinstance(start, int) and isinstance(end, int) and 0 <= start < end else (0, 0)
    return RatedError(
        str(row.get("category") or ""),
        str(row["severity"]),
        "source" if row.get("is_source_error") else "hypothesis",
        *place,
        None if score is None else float(score),
    )
