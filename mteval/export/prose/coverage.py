"""What numbers rest on, in words: below tables, in captions and in the methods section."""

from collections.abc import Iterator, Mapping, Sequence

from mteval.counts import counted, counted_part
from mteval.coverage import Coverage

ByMetric = Mapping[str, Sequence[Coverage]]  # of the systems, by the metric's shown name


def coverage_text(coverage: ByMetric, test_set: str) -> str:
    """``1,910 segments of test in 97 documents. Given with the runs: MQM (9,840 scores on 820 of 1,910 segments).``"""
    return " ".join((f"{size_of_test_set(coverage, f' of {test_set}')}.", *_sentences(coverage)))


def size_of_test_set(coverage: ByMetric, name: str) -> str:
    """``1,910 segments in 97 documents``; the name of the test set comes after the segments."""
    first = next(row for rows in coverage.values() for row in rows)
    inside = f" in {counted(first.of_documents, 'document')}" if first.of_documents else ""
    return f"{counted(first.of_segments, 'segment')}{name}{inside}"


def given_names(coverage: ByMetric) -> list[str]:
    """The metrics whose scores came with the runs."""
    return [name for name, rows in coverage.items() if any(row.n_given for row in rows)]


def extent(rows: Sequence[Coverage]) -> str:
    """What one metric rests on: ``9,840 scores on 820 of 1,910 segments in 40 of 97 documents``; empty where on all."""
    return " on ".join(filter(None, (_given(rows), _part(rows))))


def _given(rows: Sequence[Coverage]) -> str:
    """``12 scores``, ``12 scores of 24 judgements``; empty where none is given."""
    n_given, n_judgements = sum(row.n_given for row in rows), sum(row.n_judgements for row in rows)
    scores = counted(n_given, "score") if n_given else ""
    return f"{scores} of {counted(n_judgements, 'judgement')}" if n_judgements else scores


def _sentences(coverage: ByMetric) -> Iterator[str]:
    given = given_names(coverage)
    for title, names in (
        ("Given with the runs", given),
        ("On a part", [name for name in coverage if name not in given and _part(coverage[name])]),
    ):
        if names:
            yield f"{title}: {', '.join(f'{name} ({extent(coverage[name])})' for name in names)}."


def _part(rows: Sequence[Coverage]) -> str:
    """Which part of the test set the systems' averages are of; empty where it is all of it."""
    if all(row.is_whole for row in rows):
        return ""
    segments = _of([row.n_segments for row in rows], rows[0].of_segments, "segment")
    if not rows[0].of_documents:
        return segments
    return f"{segments} in {_of([row.n_documents for row in rows], rows[0].of_documents, 'document')}"


def _of(numbers: Sequence[int], total: int, noun: str) -> str:
    """``820 of 1,910 segments``, ``800 to 820 of 1,910 segments`` where systems differ."""
    if len(set(numbers)) == 1:
        return counted_part(numbers[0], total, noun)
    return f"{min(numbers):,} to {counted_part(max(numbers), total, noun)}"
