"""Frames of the Python interface that print like the command line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import pandas as pd

from mteval.answers.section import Section
from mteval.base.words import wrapped
from mteval.interface.showing import notebook_html
from mteval.render.text import WIDTH, text_lines


class PrintedFrame(pd.DataFrame):
    """A frame that prints as sections of text, without the frame's own limits on rows and columns.

    Frames made from it, e.g. by choosing rows, are plain.
    """

    _sections: tuple[Section, ...]

    @classmethod
    def of(cls, frame: pd.DataFrame, sections: Iterable[Section]) -> Self:
        """Return a frame with the sections that show it."""
        printed = cls(frame)
        object.__setattr__(printed, "_sections", tuple(sections))  # pandas would look for a column
        return printed

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __repr__(self) -> str:
        """Return tables and sentences; sentences are wrapped as on a terminal."""
        lines: list[str] = []
        for line in text_lines(self._sections):
            lines += wrapped(line, WIDTH) or [""]
        return "\n".join(lines).strip("\n")

    def _repr_html_(self) -> str:
        """Return the same for notebooks."""
        return notebook_html(self._sections)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a plain frame."""
        return pd.DataFrame, (pd.DataFrame(self),)


class Pairs(PrintedFrame):
    """One row per pair of systems; printed, it reads like ``mteval compare --all-pairs``."""


class Grid(PrintedFrame):
    """One row per metric, system and test set; printed, it reads like ``mteval eval`` on several test sets."""
