"""Scores that were given, as tables that are read as the same scores."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from mteval.error_spans import spans_in_json
from mteval.given import GivenMetric, GivenScores

COLUMNS = ("system", "run", "score")
Place = tuple[str, str]  # key of the metric, name of the test set


def given_tables(metrics: Iterable[GivenMetric]) -> dict[Place, str]:
    """One table for each metric and test set: a row a segment, all segments of a run in their order."""
    wanted = dict.fromkeys((metric, scores.test_set) for metric in metrics for scores in metric.scores)
    return {(metric.key, test_set): _table(metric, test_set) for metric, test_set in wanted}


def _table(metric: GivenMetric, test_set: str) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    scores = [scores for scores in metric.scores if scores.test_set == test_set]
    further = [name for name, cells in FURTHER.items() if any(cells(one) for one in scores)]
    writer.writerow((*COLUMNS, *further))
    writer.writerows(row for one in scores for row in _rows(one, further))
    return text.getvalue()


def _rows(scores: GivenScores, further: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Scores with all their digits, empty where there is none; with what else is known of them."""
    blank = ("",) * len(scores.values)
    columns = [_numbers(scores.values), *(FURTHER[name](scores) or blank for name in further)]
    for cells in zip(*columns, strict=True):
        yield scores.system, scores.run, *cells


def _numbers(values: Iterable[float | None]) -> tuple[str, ...]:
    return tuple("" if value is None else repr(value) for value in values)


def _judgements(scores: GivenScores) -> tuple[str, ...]:
    return tuple(map(str, scores.judgements or ()))


def _deviations(scores: GivenScores) -> tuple[str, ...]:
    return _numbers(scores.deviations or ())


def _spans(scores: GivenScores) -> tuple[str, ...]:
    return tuple("" if one is None else json.dumps(spans_in_json(one)) for one in scores.spans or ())


FURTHER: Mapping[str, Callable[[GivenScores], tuple[str, ...]]] = {  # cells of a run, none where nothing is known
    "judgements": _judgements,  # behind each score
    "deviation": _deviations,
    "spans": _spans,
}
