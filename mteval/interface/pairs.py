"""Tests of all pairs of systems as a frame that prints like the command line."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mteval.answers.section import Section
from mteval.interface.showing import notebook_html
from mteval.render.text import text_lines


class Pairs(pd.DataFrame):
    """One row per pair of systems; printed, it reads like ``mteval compare --all-pairs``.

    Frames made from it, e.g. by choosing rows, are plain.
    """

    _section: Section

    @classmethod
    def of(cls, frame: pd.DataFrame, section: Section) -> Pairs:
        """Return a frame with the section that shows it."""
        pairs = cls(frame)
        object.__setattr__(pairs, "_section", section)  # pandas would look for a column
        return pairs

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __repr__(self) -> str:
        """Return the table and its notes."""
        return "\n".join(text_lines([self._section])).strip("\n")

    def _repr_html_(self) -> str:
        """Return the same for notebooks."""
        return notebook_html([self._section])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a plain frame."""
        return pd.DataFrame, (pd.DataFrame(self),)
