"""References and sources alone, where what they are compared with is read elsewhere."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from mteval.base.errors import DataError, InputError
from mteval.base.words import counted
from mteval.readers.disk import load_documents, streams_for
from mteval.readers.documents import DEFAULT_LIMITS, Limits, Stream
from mteval.readers.slots import DEFAULT_TEST_SET
from mteval.values.model import TestSet


def read_references(
    refs: Sequence[Path],
    source: Path | None = None,
    *,
    test_set: str = DEFAULT_TEST_SET,
    limits: Limits = DEFAULT_LIMITS,
) -> TestSet:
    """A test set without outputs; several files give each segment several references, one may give it its source.

    With a source it may have no references.

    Raises
    ------
    InputError
        Where a file cannot be read, or two have different numbers of segments.
    DataError
        Where neither is given, or some of the segments have a reference and others none.
    """
    if not refs and source is None:
        raise DataError(
            "No reference is given; give at least one (--refs), or source sentences (--source) for metrics that read"
            " them alone."
        )
    sources = [] if source is None else [source]
    loaded = load_documents(dict.fromkeys([*refs, *sources]), limits)
    columns = [(path, stream) for path in refs for stream in streams_for(loaded[path], "reference")]
    sources_read = [(path, stream) for path in sources for stream in streams_for(loaded[path], "source")]
    _check_lengths([*columns, *sources_read])
    n_segments = len((columns or sources_read)[0][1].lines)
    rows: Iterable[tuple[str | None, ...]] = ((),) * n_segments
    if columns:
        rows = zip(*(stream.lines for _, stream in columns), strict=True)
    references = tuple(tuple(text for text in row if text is not None) for row in rows)
    texts = [tuple(text or "" for text in stream.lines) for _, stream in sources_read]
    return TestSet(test_set, references, source=texts[0] if texts else None)


def _check_lengths(columns: Sequence[tuple[Path, Stream]]) -> None:
    first, stream = columns[0]
    for path, other in columns[1:]:
        if len(other.lines) != len(stream.lines):
            raise InputError(
                f"It has {counted(len(other.lines), 'segment')}; '{first}' has {len(stream.lines)}. Give files of the"
                " same segments.",
                str(path),
            )
