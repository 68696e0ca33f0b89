"""What MetricX's ``predict.py`` writes: its input, an object a line, with a ``prediction`` each.

The input has ``hypothesis``, and ``source``, ``reference`` or both; the program keeps whatever else stands there. The
prediction is one of errors, from 0 to 25: lower is better.
"""

from dataclasses import replace

from mteval.bounded_json import bounded_json
from mteval.readers.documents import Document, Stream

NAME = "MetricX"
KEYS = frozenset(("hypothesis", "prediction"))


def as_metricx(document: Document, text: str) -> Document:
    """The document with its scores called after MetricX, where the first line is such an object; else as it is."""
    if not _is_metricx(text):
        return document
    return replace(document, streams=tuple(map(_named, document.streams)))


def _is_metricx(text: str) -> bool:
    first = text.partition("\n")[0].strip()
    if not first.startswith("{"):
        return False
    try:
        record = bounded_json(first)
    except ValueError:
        return False
    return isinstance(record, dict) and record.keys() >= KEYS


def _named(stream: Stream) -> Stream:
    if stream.role != "scores":
        return stream
    return replace(stream, name=stream.name or NAME, is_higher_better=False)
