"""DataFrame to Plotly figure, one module per question; a module is imported when a figure of it is wanted.

Few commands draw: ``from mteval import figures`` costs nothing until ``figures.people.error_bars`` is asked for.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mteval.figures import forest, luck, people, planning, runs, segments, significance, spread, style

__all__ = ["forest", "luck", "people", "planning", "runs", "segments", "significance", "spread", "style"]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
