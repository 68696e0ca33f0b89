"""What is written into the log: what went wrong and where in the program, and nothing of what visitors loaded."""

import logging
import traceback
from types import TracebackType
from typing import Any


def keep_texts_out() -> None:
    """Let all records say of an error its kind and its place. Its words may quote a file, or a name that was typed."""
    make = logging.getLogRecordFactory()

    def make_without_texts(*values: Any, **named: Any) -> logging.LogRecord:
        record = make(*values, **named)
        if record.exc_info and record.exc_info[1] is not None:
            record.exc_text, record.exc_info = without_words(record.exc_info[1]), None
        return record

    logging.setLogRecordFactory(make_without_texts)


def without_words(error: BaseException) -> str:
    """The kind of an error and where it was raised, after the same of what led to it."""
    before = error.__cause__ or error.__context__
    earlier = f"{without_words(before)}\n\nand then:\n\n" if before is not None else ""
    return f"{earlier}{_places(error.__traceback__)}{type(error).__module__}.{type(error).__qualname__}"


def _places(where: TracebackType | None) -> str:
    return "".join(f"  {frame.filename}:{frame.lineno} in {frame.name}\n" for frame in traceback.extract_tb(where))
