"""JSON from anywhere, counted before it is parsed: neither its depth nor the number of its values can cost much."""

import json
import re
from typing import Any

MOST_VALUES = 2_000_000
DEEPEST = 64  # lists and objects in one another
LONGEST_WHOLE = 18  # digits; longer numbers are taken as numbers with a point
STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?+', re.DOTALL)
BRACKET = re.compile(r"[\[{\]}]")


def bounded_json(text: str, most: int = MOST_VALUES) -> Any:
    """What the JSON says; a whole number too large for any use is infinite.

    Raises
    ------
    ValueError
        Where it is no JSON, holds more values than ``most``, or some of them more than ``DEEPEST`` deep.
    """
    marks = STRING.sub("", text)
    number = sum(map(marks.count, ",[{]}"))
    if number > most:
        raise ValueError(f"it holds {number:,} values; at most {most:,} are read")
    if _depth(marks) > DEEPEST:
        raise ValueError(f"lists and objects stand more than {DEEPEST} deep in one another")
    return json.loads(text, parse_int=_whole)


def _depth(marks: str) -> int:
    depth = deepest = 0
    for bracket in BRACKET.findall(marks):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= LONGEST_WHOLE else float(digits)
