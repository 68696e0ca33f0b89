"""How much a file may hold: counted in its text, so that what holds too much is refused before it is parsed."""

from collections.abc import Sequence

from mteval.checked_table import HALF_PAIR
from mteval.counts import counted
from mteval.errors import InputError
from mteval.judgements import Judgement
from mteval.readers.documents import Document, Limits

JUDGED_NAMES = ("annotator", "system", "segment", "scale", "document")


def refuse_more(number: int, limit: int, what: str, file: str, line: int | None = None) -> None:
    """Raise InputError where there are more than ``limit`` of something."""
    if number > limit:
        raise InputError(
            f"The file has {number:,} {what}; at most {limit:,} are read. Give a file with less in it, or several.",
            file,
            line,
        )


def refuse_odd_names(document: Document, limits: Limits) -> None:
    """Raise InputError where something in a file has a name too long to be one, or of halves of characters."""
    for stream in document.streams:
        for name in (stream.system, stream.run, stream.test_set, stream.name):
            refuse_odd_name(name or "", limits.name_characters, document.name)
        for column in stream.scores:  # scores may call an output by its path
            refuse_odd_name(column.system or "", limits.path_characters, document.name)
            refuse_odd_name(column.run or "", limits.name_characters, document.name)
        refuse_odd_judgements(stream.judgements, limits, document.name)


def refuse_odd_judgements(judgements: Sequence[Judgement], limits: Limits, file: str) -> None:
    """Raise InputError where a name in judgements is too long to be one, or they hold halves of characters."""
    named = {getattr(one, field) or "" for one in judgements for field in JUDGED_NAMES}
    named |= {name for one in judgements for error in one.errors for name in (error.category, error.severity)}
    for name in sorted(named):
        refuse_odd_name(name, limits.name_characters, file)
    for one in judgements:
        if HALF_PAIR.search(one.hypothesis or ""):
            raise InputError(
                f"The text that '{one.annotator}' judged as segment '{one.segment}' of '{one.system}' holds half of a"
                " surrogate pair, which is no character; mend it.",
                file,
            )


def refuse_odd_name(name: str, limit: int, file: str | None, line: int | None = None) -> None:
    """Raise InputError where a name is too long to be one, or holds halves of characters."""
    if len(name) > limit:
        raise InputError(
            f"The name '{name[:40]}…' has {counted(len(name), 'character')}; at most {limit:,} are read. Give a shorter"
            " one.",
            file,
            line,
        )
    if HALF_PAIR.search(name):
        raise InputError(
            f"The name {name[:40]!r} holds half of a surrogate pair, which is no character; mend it.", file, line
        )


def refuse_columns(number: int, limits: Limits, file: str, line: int | None = None) -> None:
    """Raise InputError where a file has more columns than may be; systems, runs, references are columns of it."""
    refuse_more(number, limits.columns, "columns, systems, runs and references together", file, line)


def refuse_cells(n_columns: int, n_segments: int, limits: Limits, file: str) -> None:
    """Raise InputError where columns, each with a cell for every segment, take too much room."""
    refuse_more(n_columns * n_segments, limits.cells, "cells, those that are empty counted", file)
