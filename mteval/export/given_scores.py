"""Scores that were given, as tables that are read as the same scores."""

import csv
import io
from collections.abc import Iterable, Iterator

from mteval.given import GivenMetric, GivenScores

COLUMNS = ("system", "run", "score")
JUDGEMENTS = "judgements"  # behind each score, where that is known
Place = tuple[str, str]  # key of the metric, name of the test set


def given_tables(metrics: Iterable[GivenMetric]) -> dict[Place, str]:
    """One table for each metric and test set: a row a segment, all segments of a run in their order."""
    wanted = dict.fromkeys((metric, scores.test_set) for metric in metrics for scores in metric.scores)
    return {(metric.key, test_set): _table(metric, test_set) for metric, test_set in wanted}


def _table(metric: GivenMetric, test_set: str) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    scores = [scores for scores in metric.scores if scores.test_set == test_set]
    has_judgements = any(one.judgements for one in scores)
    writer.writerow((*COLUMNS, JUDGEMENTS) if has_judgements else COLUMNS)
    writer.writerows(row for one in scores for row in _rows(one, has_judgements))
    return text.getvalue()


def _rows(scores: GivenScores, has_judgements: bool) -> Iterator[tuple[str, ...]]:
    """Scores with all their digits, empty where there is none; with numbers of judgements where these are known."""
    judgements = scores.judgements or (0,) * len(scores.values)
    for value, count in zip(scores.values, judgements, strict=True):
        row = scores.system, scores.run, "" if value is None else repr(value)
        yield (*row, str(count)) if has_judgements else row
