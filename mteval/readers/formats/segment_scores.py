r"""Scores of segments, one a line, ``None`` where there is none.

WMT's metrics task files them as ``system<TAB>score``, the lines of a system in the order of the segments, whatever
other systems' lines stand between. A file that is about one output may hold the numbers alone.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from mteval.counts import counted
from mteval.errors import InputError
from mteval.readers.documents import ScoreColumn

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
    if not any("\t" in line for line in texts):
        return (ScoreColumn(None, None, tuple(_alone(line, file, n) for n, line in enumerate(texts, start=1))),)
    scores: dict[str, list[float | None]] = {}
    for number, line in enumerate(texts, start=1):
        system, tab, text = line.rpartition("\t")
        if not tab or not system:
            raise _no_score(line, "a system, a tab and a score, or None for no score", file, number)
        scores.setdefault(system, []).append(score_of(text, file, number))
    _refuse_uneven({system: len(values) for system, values in scores.items()}, file)
    return tuple(ScoreColumn(system, None, tuple(values)) for system, values in scores.items())


def score_of(text: str, file: str, number: int) -> float | None:
    """The score that a cell holds, None where there is none.

    Raises
    ------
    InputError
        Where it is no number.
    """
    plain = text.strip()
    if plain.lower() in MISSING:
        return None
    value = _number(plain)
    if value is None:
        raise InputError(f"The score is {_cut(plain)!r}; expected a number, or None for no score.", file, number)
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


def _alone(line: str, file: str, number: int) -> float | None:
    plain = line.strip()
    if plain.lower() not in MISSING and _number(plain) is None:
        raise _no_score(line, "a score, or a system, a tab and a score, with None for no score", file, number)
    return score_of(plain, file, number)


def _no_score(line: str, expected: str, file: str, number: int) -> InputError:
    return InputError(f"The line is {_cut(line)!r}; expected {expected}.", file, number)


def _refuse_uneven(counts: dict[str, int], file: str) -> None:
    usual = Counter(counts.values()).most_common(1)[0][0]
    for system, count in counts.items():
        if count != usual:
            raise InputError(
                f"System '{system}' has {counted(count, 'score')}, others have {usual}; expected one line a segment for"
                " each system, with None where there is no score.",
                file,
            )


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
