"""Frames as CSV and TSV, with full precision and undefined values empty, and as JSON, where NaN is null."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from mteval.base.words import UNPRINTABLE, inert
from mteval.values.definitions import DEFINITIONS

FORMAT_VERSION = 1


def frame_csv(frame: pd.DataFrame) -> str:
    """Return a frame as CSV, without its index.

    Each row is one line: unprintable characters become visible, e.g. ``⟨U+000D⟩``. Text that spreadsheets would take
    for a formula is quoted by ``'``. Readers of tables restore both in names.
    """
    return _as_text(frame, ",")


def frame_tsv(frame: pd.DataFrame) -> str:
    """Return a frame as TSV, like ``frame_csv``."""
    return _as_text(frame, "\t")


def with_old_columns(frame: pd.DataFrame, *old_names: str) -> pd.DataFrame:
    """Return a frame with renamed columns repeated last under their old names, for scripts that read files."""
    from mteval.values.renamed import RENAMED  # here, since text needs no frames

    old_columns = {old: frame[RENAMED[old]] for old in old_names if RENAMED[old] in frame}
    return frame.assign(**old_columns)


def _as_text(frame: pd.DataFrame, separator: str) -> str:
    """Return a frame as lines of cells, in which ``inert`` has made values and names of columns harmless."""
    plain = frame.map(inert).rename(columns=inert)
    return plain.to_csv(index=False, sep=separator, lineterminator="\n")


def to_json(frames: Mapping[str, pd.DataFrame], other: Mapping[str, Any]) -> str:
    """Return one object: the version of this format, each frame as a list of records, and other values.

    The version counts changes of names or meanings; additions do not change it. ``definitions`` is that of the numbers.

    NaN and infinities, which JSON does not know, become null.
    """
    document: dict[str, Any] = {"format_version": FORMAT_VERSION}
    for name, frame in frames.items():
        document[name] = _records(frame)
    document["definitions"] = DEFINITIONS
    document.update(other)
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    # ``ensure_ascii=False`` leaves unprintable characters above U+007E as they are. They occur in strings only, so that
    # escaping them leaves the values the same.
    return UNPRINTABLE.sub(_escaped, text)


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return one dict per row, with None for what JSON has no number for."""
    plain = frame.astype(object)
    is_finite = plain.notna() & ~frame.isin([math.inf, -math.inf])
    rows = plain.where(is_finite, None).itertuples(index=False)
    return [dict(zip(frame.columns, row, strict=True)) for row in rows]


def _escaped(character: re.Match[str]) -> str:
    """Return a character as JSON escapes it, without the quotation marks."""
    return json.dumps(character[0])[1:-1]
