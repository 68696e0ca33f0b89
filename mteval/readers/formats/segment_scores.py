"""Scores of segments, one a line, ``None`` where there is none.

WMT's metrics task files them as ``system<TAB>score``, the lines of a system in the order of the segments, whatever
other systems' lines stand between. A file that is about one output may hold the numbers alone.
Errors that raters marked are filed in the same order: a system, None or errors as JSON, perhaps a rater.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.documents import ScoreColumn
from mteval.readers.formats.text import split_lines
from mteval.values.judgements import MQM, Judgement, RatedError, Side, weight_of

SUFFIX = re.compile(r"\.seg\.score(\.(gz|bz2|xz))?$", re.IGNORECASE)
COUNTS_ERRORS = re.compile(r"(^|[^a-z])(h?ter|wer|cer|per|mqm|metricx|errors?)([^a-z]|$)", re.IGNORECASE)
MISSING = frozenset({"", "none", "nan", "na", "n/a", "null"})
SCORE_LINE = re.compile(r"\S+[\t ]+([-+]?[\d.]+(e[-+]?\d+)?|nan|none)", re.IGNORECASE)
NUMBER_LINE = re.compile(r"[-+]?(\d+\.\d*|\.\d+)(e[-+]?\d+)?|nan|none", re.IGNORECASE)
LINES_SEEN = 20


def is_named_segment_scores(name: str) -> bool:
    """Whether a file is named as WMT names such files."""
    return SUFFIX.search(name) is not None


def is_higher_better(name: str, lines: Sequence[str | None]) -> bool | None:
    """Whether higher scores of a file are better, None where nothing says so.

    In ``.seg.score`` files of WMT's metrics task they are: measures that count errors are filed with their sign turned.
    One named after such a measure whose scores are above zero on average is filed in some other way.
    """
    if not is_named_segment_scores(name):
        return None
    scores = [number for line in lines if line and (number := _number(line.rpartition("\t")[2].strip())) is not None]
    return None if not scores or (COUNTS_ERRORS.search(name) and sum(scores) > 0) else True


def look_like_scores(lines: Sequence[str | None]) -> bool:
    """Whether the first lines are systems with scores, or scores alone with a decimal point."""
    first = [line for line in lines[:LINES_SEEN] if line]
    return bool(first) and any(all(form.fullmatch(line) for line in first) for form in (SCORE_LINE, NUMBER_LINE))


def read_score_lines(lines: Sequence[str | None], file: str) -> tuple[ScoreColumn, ...]:
    """The scores of each system of the file; of one without a name where the lines hold nothing but scores.

    Raises
    ------
    InputError
        Where a line is not a system and a score, or systems have different numbers of lines.
    """
    texts = [line or "" for line in lines]
    names_systems = any("\t" in line for line in texts)
    scores: dict[str, list[float | None]] = {}
    for number, line in enumerate(texts, start=1):
        system, _, text = line.rpartition("\t")
        is_score = text.strip().lower() in MISSING or _number(text.strip()) is not None
        if names_systems and not system:
            raise InputError(f"{_line(line)} a system, a tab and a score, or None for no score.", file, number)
        if not names_systems and not is_score:
            raise InputError(
                f"{_line(line)} a score, or a system, a tab and a score, with None for no score.", file, number
            )
        try:
            scores.setdefault(system, []).append(score_of(text))
        except InputError as error:
            raise error.at(file, number) from error
    usual = Counter(map(len, scores.values())).most_common(1)[0][0] if scores else 0
    for system, values in scores.items():
        if len(values) != usual:
            raise InputError(
                f"System '{system}' has {counted(len(values), 'score')}, others have {usual}; expected one line a"
                " segment for each system, with None where there is no score.",
                file,
            )
    return tuple(ScoreColumn(system or None, None, tuple(values)) for system, values in scores.items())


def score_of(text: str) -> float | None:
    """The score that a cell holds, None where there is none.

    Raises
    ------
    InputError
        Where it is no number; it does not say where.
    """
    plain = text.strip()
    if plain.lower() in MISSING:
        return None
    value = _number(plain)
    if value is None:
        raise InputError(f"The score is {_cut(plain)!r}; expected a number, or None for no score.")
    return value


def holds_number(cells: Iterable[str | None]) -> bool:
    """Whether any of the cells is a score."""
    return any(cell is not None and _number(cell.strip()) is not None for cell in cells)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _line(text: str) -> str:
    return f"The line is {_cut(text)!r}; expected"


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


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
            try:
                errors = _errors(rest[0])
            except InputError as error:
                raise error.at(file, number) from error
            rater, value = "".join(rest[1:]) or default, 0.0 - sum(map(weight_of, errors))
            yield Judgement(rater, system, str(counts[system]), MQM, value, errors=errors)


def _errors(cell: str) -> tuple[RatedError, ...]:
    try:
        rows = bounded_json(cell)["errors"]
    except (ValueError, KeyError, TypeError):
        rows = None
    if not isinstance(rows, list):
        raise InputError(f"The rating is {cell[:60]!r}; expected {EXPECTED}.")
    return tuple(map(error_of, rows))


def error_of(row: Mapping[str, Any]) -> RatedError:
    """A marked error from the object that JSON makes of it; places that are no numbers are left out.

    Raises
    ------
    InputError
        Where it has no severity, or its score is no number; it does not say where.
    """
    if not isinstance(row, Mapping) or not row.get("severity"):
        raise InputError(f"An error is {str(row)[:80]}; expected an object with a severity.")
    score = row.get("score")
    is_number = isinstance(score, int | float) and not isinstance(score, bool) and math.isfinite(score)
    if score is not None and not is_number:
        raise InputError(f"An error has the score {str(score)[:60]!r}; expected a number.")
    start, end = row.get("start"), row.get("end")
    place = (start, end) if isinstance(start, int) and isinstance(end, int) and 0 <= start < end else (0, 0)
    side: Side = "source" if row.get("is_source_error") else "hypothesis"
    weight = None if score is None else float(score)
    return RatedError(str(row.get("category") or ""), str(row["severity"]), side, *place, weight)
