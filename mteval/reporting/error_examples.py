"""Marked errors as examples: the output with everything that annotators marked in it, and what they said."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import pandas as pd

from mteval.counts import counted, counted_part
from mteval.export.error_examples import Example
from mteval.export.marked_text import Span
from mteval.model import TestSet

Row = Mapping[Hashable, Any]  # of a frame


def examples(chosen: pd.DataFrame, every: pd.DataFrame, test_set: TestSet | None, most: int) -> list[Example]:
    """An example for each output with an error that was chosen, in their order, at most so many.

    Parameters
    ----------
    chosen, every
        With the columns ``MARKED``; all errors of an output are shown, whichever of them was chosen.
    """
    outputs = list(dict.fromkeys(zip(chosen["system"], chosen["segment"], strict=True)))[:most]
    return [example(every, system, segment, test_set) for system, segment in outputs]


def example(every: pd.DataFrame, system: str, segment: str, test_set: TestSet | None) -> Example:
    """One output with all that was marked in it."""
    rows = every[(every["system"] == system) & (every["segment"] == segment)].sort_values(["side", "start", "end"])
    first = rows.iloc[0]
    spans = [
        Span(row["start"], row["end"], row["severity"], _kind(row))
        for row in rows.to_dict("records")
        if row["side"] == "hypothesis" and row["end"]
    ]
    texts = [] if test_set is None or first["place"] < 0 else list(_texts(test_set, int(first["place"])))
    where = f"{system}, segment {segment}" + (f", {first['document']}" if first["document"] else "")
    return Example(where, texts, first["output"] or "", spans, [_said(row) for row in rows.to_dict("records")])


def _texts(test_set: TestSet, place: int) -> Iterator[tuple[str, str]]:
    if test_set.source is not None:
        yield "Source", test_set.source[place]
    for text in test_set.references[place]:
        if text:
            yield "Reference", text


def _kind(row: Row) -> str:
    category = f"{row['category']}, " if row["category"] else ""
    return f"{category}{row['severity']} ({row['annotator']})"


def _said(row: Row) -> str:
    place = f"characters {row['start'] + 1:,} to {row['end']:,}" if row["end"] else "the whole output"
    words = f"“{row['words']}”" if row["words"] else place
    parts = [f"{words}: {_kind(row)}"]
    if row["origin"]:
        parts[0] += f", found by {row['origin']}"
    if row["side"] == "source":
        parts[0] += ", in the source"
    if row["n_raters"] > 1:
        others = row["n_raters"] - 1
        parts.append(f"{counted_part(row['n_agree'], others, 'other annotator')} marked something there")
    if row["n_runs"] > 1:
        parts.append(f"the words stand there in {counted_part(row['n_same'], row['n_runs'], 'run')}")
    elif row["n_runs"]:
        parts.append(f"{counted(1, 'run')} loaded")
    return "; ".join(parts)
