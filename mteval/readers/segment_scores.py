r"""Scores of segments as WMT's metrics task files them: ``system<TAB>score`` a line, ``None`` where there is none.

The lines of a system stand in the order of the segments, whatever other systems' lines stand between.
"""

import math

from mteval.errors import InputError
from mteval.readers.text import decode, split_lines
from mteval.readers.values import InputFile

SUFFIX = ".seg.score"
Scores = tuple[float | None, ...]


def looks_like_segment_scores(name: str) -> bool:
    """Whether a file is named as such files are."""
    return name.endswith(SUFFIX)


def metric_name(name: str) -> str:
    """Name of the metric, from that of the file: ``COMET-refA`` of ``scores/COMET-refA.seg.score``."""
    return name.rsplit("/", 1)[-1].removesuffix(SUFFIX)


def read_segment_scores(file: InputFile) -> dict[str, Scores]:
    """For each system of the file its scores in the order of the segments.

    Raises
    ------
    InputError
        Where a line is not a system and a score, or systems have different numbers of lines.
    """
    scores: dict[str, list[float | None]] = {}
    for number, line in enumerate(split_lines(decode(file.content, file.name)), start=1):
        system, tab, text = line.rpartition("\t")
        if not tab or not system:
            raise InputError(
                f"The line is {_cut(line)!r}; expected a system, a tab and a score, or None for no score.",
                file.name,
                number,
            )
        scores.setdefault(system, []).append(_score(text.strip(), file.name, number))
    _refuse_uneven(scores, file.name)
    return {system: tuple(values) for system, values in scores.items()}


def _score(text: str, file: str, number: int) -> float | None:
    if text in ("None", "nan", "NaN", ""):
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.inf
    if not math.isfinite(value):
        raise InputError(f"The score is {_cut(text)!r}; expected a number, or None for no score.", file, number)
    return value


def _refuse_uneven(scores: dict[str, list[float | None]], file: str) -> None:
    counts = {system: len(values) for system, values in scores.items()}
    usual = max(counts.values(), key=list(counts.values()).count)
    for system, count in counts.items():
        if count != usual:
            raise InputError(
                f"System '{system}' has {count} scores, others have {usual}; expected one line a segment for each"
                " system, with None where there is no score.",
                file,
            )


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
