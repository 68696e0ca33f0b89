"""What ``comet-score --to_json`` writes: for each file of outputs a list of objects with a score each.

Since version 1 the whole is an object whose keys are the paths of the files as they were given; before, it was the list
of the one file. The score is called ``COMET``, before version 1 ``predicted_score``.
"""

import math
from typing import Any

from mteval.bounded_json import bounded_json
from mteval.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, Document, ScoreColumn, Stream
from mteval.readers.formats.bounds import refuse_columns

NAME = "COMET"
SCORES = (NAME, "predicted_score")
HEAD = 1 << 16  # characters in which the first translation is looked for
OPENINGS = ("{", "[")


def read_comet_json(text: str, file: str) -> Document | None:
    """The scores of each file of outputs, or None where the text is something else.

    Raises
    ------
    InputError
        Where it is such a file and damaged, or an object has no score.
    """
    if not text.lstrip().startswith(OPENINGS) or '"mt"' not in text[:HEAD]:
        return None
    whole = _parsed(text, file)
    lists = whole if isinstance(whole, dict) else {"": whole}
    if not lists or not all(map(_is_scored, lists.values())):
        return None
    refuse_columns(len(lists), DEFAULT_LIMITS, file)
    scores = tuple(
        ScoreColumn(name or None, None, tuple(_score(item, number, name, file) for number, item in enumerate(items, 1)))
        for name, items in lists.items()
    )
    return Document(file, "json", (Stream("", (), "scores", name=NAME, scores=scores),))


def _parsed(text: str, file: str) -> Any:
    """The JSON; None where it is more than one value, as JSON lines are."""
    first = text.lstrip().partition("\n")[0].strip()
    try:
        return bounded_json(text)
    except ValueError as error:
        if first not in OPENINGS:
            return None
        raise InputError(f"It is not valid JSON ({error}). Write it again by comet-score --to_json.", file) from error


def _is_scored(items: Any) -> bool:
    """Whether a value is a list of outputs, of which the first has a score."""
    first = items[0] if isinstance(items, list) and items else None
    return isinstance(first, dict) and "mt" in first and any(name in first for name in SCORES)


def _score(item: Any, number: int, name: str, file: str) -> float | None:
    score = next((item[key] for key in SCORES if key in item), "nothing") if isinstance(item, dict) else "nothing"
    if score is None:
        return None
    if isinstance(score, bool) or not isinstance(score, int | float) or math.isinf(score):
        where = f" of '{name}'" if name else ""
        raise InputError(
            f"Segment {number}{where} has {str(score)[:60]!r} as its score {NAME}; expected a number.", file
        )
    return None if math.isnan(score) else float(score)
