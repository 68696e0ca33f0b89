"""References alone, where what they are compared with is read elsewhere."""

from collections.abc import Sequence
from pathlib import Path

from mteval.errors import DataError, InputError
from mteval.model import TestSet
from mteval.readers.frompaths import load_documents, streams_for
from mteval.readers.unpacking import DEFAULT_LIMITS
from mteval.readers.values import DEFAULT_TEST_SET, Limits


def read_references(
    refs: Sequence[Path], *, test_set: str = DEFAULT_TEST_SET, limits: Limits = DEFAULT_LIMITS
) -> TestSet:
    """A test set without outputs; several files give each segment several references.

    Raises
    ------
    InputError
        Where a file cannot be read, or two have different numbers of segments.
    DataError
        Where no file is given or a segment has no reference.
    """
    if not refs:
        raise DataError("No reference file is given; give at least one.")
    loaded = load_documents(dict.fromkeys(refs), limits)
    columns = [(path, stream.lines) for path in refs for stream in streams_for(loaded[path], "reference")]
    first, lines = columns[0]
    for path, other in columns[1:]:
        if len(other) != len(lines):
            raise InputError(
                f"It has {len(other)} segments; '{first}' has {len(lines)}. Give references of the same segments.",
                str(path),
            )
    rows = zip(*(column for _, column in columns), strict=True)
    return TestSet(test_set, tuple(tuple(text for text in row if text is not None) for row in rows))
