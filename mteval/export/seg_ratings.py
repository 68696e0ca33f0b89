"""Errors that raters marked, as WMT's metrics task files them."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from mteval.judgements import RatedError


@dataclass(frozen=True)
class RatedLine:
    """One output and the errors that a rater marked in it; None where they did not read it."""

    system: str
    rater: str
    errors: tuple[RatedError, ...] | None


def seg_rating(lines: Iterable[RatedLine]) -> str:
    """A ``.seg.rating`` file: a system, None or the errors as JSON, and the rater a line, in the order of segments."""
    return "".join(
        f"{_flat(line.system)}\t{'None' if line.errors is None else _errors(line.errors)}\t{_flat(line.rater)}\n"
        for line in lines
    )


def _errors(errors: Iterable[RatedError]) -> str:
    rows = [
        {
            "start": error.start,
            "end": error.end,
            "category": error.category,
            "severity": error.severity,
            **({} if error.score is None else {"score": error.score}),
            "is_source_error": error.side == "source",
        }
        for error in errors
    ]
    return json.dumps({"errors": rows})


def _flat(text: str) -> str:
    return " ".join(text.split())
