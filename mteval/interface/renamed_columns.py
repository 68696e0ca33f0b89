"""Frames of the Python interface, whose renamed columns are also found by their old names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from mteval.values.renamed import RENAMED, warn_of_old_name


class NumbersFrame(pd.DataFrame):
    """A frame that finds renamed columns by their old names, with a ``DeprecationWarning``.

    ``frame["p_both"]``, ``frame[["system", "p_both"]]`` and ``frame.p_both`` do; ``frame.loc[:, "p_both"]`` does not.
    """

    @property
    def _constructor(self) -> Callable[..., NumbersFrame]:
        """Return the class of frames made from this one, e.g. by ``set_index``."""
        return NumbersFrame

    def __getitem__(self, key: Any) -> Any:
        """Return columns, or rows of a mask."""
        if isinstance(key, str):
            return super().__getitem__(self._now(key))
        if isinstance(key, list):
            return super().__getitem__(list(map(self._now, key)))  # a comprehension is a call of its own in Python 3.11
        return super().__getitem__(key)

    def __getattr__(self, name: str) -> Any:  # type: ignore[misc]  # final for pandas' own types
        """Return a column by its old name; pandas finds those by their names first."""
        if name in RENAMED:
            return self[self._now(name)]
        return super().__getattr__(name)

    def _now(self, name: Any) -> Any:
        """Return the name of a column now, warning if it is another one."""
        if isinstance(name, str) and name in RENAMED and name not in self.columns and RENAMED[name] in self.columns:
            warn_of_old_name(name, depth=2)
            return RENAMED[name]
        return name

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a plain frame, which other versions can read."""
        return _frame, (pd.DataFrame(self),)


def _frame(plain: pd.DataFrame) -> NumbersFrame:
    return NumbersFrame(plain)
