"""The scores of one output, and what else was said of it, in the order of the segments of its test set."""

from collections.abc import Sequence
from typing import TypeVar

from mteval.counts import counted
from mteval.errors import DataError
from mteval.given import GivenScores
from mteval.model import Run
from mteval.readers.assembly.scored_texts import aligned_spans
from mteval.readers.assembly.test_sets import Built
from mteval.readers.documents import ScoreColumn

T = TypeVar("T")
Places = tuple[int | None, ...]  # for each segment of the test set where in a column it stands


def places_of(column: ScoreColumn, built: Built, system: str) -> Places:
    """Where the score of each segment of the test set stands, None where there is none.

    Scores with keys may lack segments. The keys are those of the test set; where none of them is, they are numbers of
    segments, from 1.

    Raises
    ------
    DataError
        Where the scores are not of these segments; the message goes on after the name of the list.
    """
    return _in_order(column, built, system) if column.keys is None else _by_key(column, column.keys, built, system)


def at(places: Places, values: Sequence[T]) -> tuple[T | None, ...]:
    """One value of a column a segment."""
    return tuple(None if place is None else values[place] for place in places)


def aligned(column: ScoreColumn, places: Places, test_set: str, run: Run) -> GivenScores:
    """What a column says of a run.

    Raises
    ------
    DataError
        Where errors are marked beyond the end of an output.
    """
    judgements, deviations = column.judgements, column.deviations
    return GivenScores(
        test_set,
        run.system,
        run.key,
        at(places, column.values),
        None if judgements is None else tuple(count or 0 for count in at(places, judgements)),
        None if column.spans is None else aligned_spans(at(places, column.spans), _texts(column, places), run),
        None if deviations is None else at(places, deviations),
    )


def _texts(column: ScoreColumn, places: Places) -> tuple[str | None, ...] | None:
    return None if column.texts is None else at(places, column.texts)


def _in_order(column: ScoreColumn, built: Built, system: str) -> Places:
    n_scores, n_segments = len(column.values), len(built.order.leading)
    if n_scores == n_segments:
        return tuple(built.kept)
    if n_scores == len(built.kept):  # without the segments that have no reference
        return tuple(range(n_scores))
    raise DataError(
        f"has {counted(n_scores, 'score')} of '{system}'; test set '{built.test_set.name}' has"
        f" {counted(n_segments, 'segment')}. Give one score a segment, None where there is none, or a column segment."
    )


def _by_key(column: ScoreColumn, keys: tuple[str, ...], built: Built, system: str) -> Places:
    names = built.order.keys or ()
    indices = {name: index for index, name in enumerate(names)}
    if indices.keys().isdisjoint(keys):
        indices = {str(index + 1): index for index in range(len(built.order.leading))}
    places: list[int | None] = [None] * len(built.order.leading)
    for place, key in enumerate(keys):
        index = indices.get(key)
        if index is None:
            raise DataError(
                f"has a score of '{system}' for segment '{' '.join(key.split(chr(9)))}'; test set"
                f" '{built.test_set.name}' has {_shown(indices)}. Mend the number, or take the row out."
            )
        places[index] = place
    return tuple(places[index] for index in built.kept)


def _shown(indices: dict[str, int]) -> str:
    keys = list(indices)
    return f"segments '{keys[0]}' to '{keys[-1]}'"
