"""The scores of one output in the order of the segments of its test set."""

from dataclasses import replace

from mteval.counts import counted
from mteval.errors import DataError
from mteval.readers.assembly.test_sets import Built
from mteval.readers.documents import ScoreColumn

Values = tuple[float | None, ...]


def aligned_scores(column: ScoreColumn, built: Built, system: str) -> Values:
    """One score a segment of the test set, None where there is none.

    Scores with keys may lack segments. The keys are those of the test set; where none of them is, they are numbers of
    segments, from 1.

    Raises
    ------
    DataError
        Where the scores are not of these segments; the message goes on after the name of the list.
    """
    return _in_order(column, built, system) if column.keys is None else _by_key(column, column.keys, built, system)


def aligned_judgements(column: ScoreColumn, built: Built, system: str) -> tuple[int, ...] | None:
    """How many judgements each score is the mean of, 0 where there is none; None where nothing is said of them."""
    if column.judgements is None:
        return None
    counts = aligned_scores(replace(column, values=column.judgements), built, system)
    return tuple(int(count or 0) for count in counts)


def _in_order(column: ScoreColumn, built: Built, system: str) -> Values:
    n_scores, n_segments = len(column.values), len(built.order.reference)
    if n_scores == n_segments:
        return tuple(column.values[index] for index in built.kept)
    if n_scores == len(built.kept):  # without the segments that have no reference
        return column.values
    raise DataError(
        f"has {counted(n_scores, 'score')} of '{system}'; test set '{built.test_set.name}' has"
        f" {counted(n_segments, 'segment')}. Give one score a segment, None where there is none, or a column segment."
    )


def _by_key(column: ScoreColumn, keys: tuple[str, ...], built: Built, system: str) -> Values:
    names = built.order.keys or ()
    indices = {name: index for index, name in enumerate(names)}
    if indices.keys().isdisjoint(keys):
        indices = {str(index + 1): index for index in range(len(built.order.reference))}
    values: list[float | None] = [None] * len(built.order.reference)
    for key, value in zip(keys, column.values, strict=True):
        index = indices.get(key)
        if index is None:
            raise DataError(
                f"has a score of '{system}' for segment '{' '.join(key.split(chr(9)))}'; test set"
                f" '{built.test_set.name}' has {_shown(indices)}. Mend the number, or take the row out."
            )
        values[index] = value
    return tuple(values[index] for index in built.kept)


def _shown(indices: dict[str, int]) -> str:
    keys = list(indices)
    return f"segments '{keys[0]}' to '{keys[-1]}'"
