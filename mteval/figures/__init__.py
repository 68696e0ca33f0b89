"""DataFrame to Plotly figure, one module per question; a module is imported when a figure of it is wanted.

Few commands draw: ``from mteval import figures`` costs nothing until ``figures.people.estimates`` is asked for. Plotly
comes with the dashboard; without it, reports have no figures.
"""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from mteval.base.errors import MissingDependencyError
from mteval.base.installing import how_to_install

if TYPE_CHECKING:
    from mteval.figures import (
        colors,
        forest,
        images,
        luck,
        people,
        planning,
        runs,
        segments,
        significance,
        spread,
        style,
    )

__all__ = [
    "can_draw",
    "colors",
    "forest",
    "images",
    "luck",
    "people",
    "planning",
    "runs",
    "segments",
    "significance",
    "spread",
    "style",
]
REMEDY = f"Figures need Plotly, which comes with the dashboard. {how_to_install('app')}"


def can_draw() -> bool:
    """Return whether figures can be drawn."""
    return find_spec("plotly") is not None


class _NotInstalled(ModuleType):
    """Stands for a module of figures; its functions are refused when called, since a figure is drawn late."""

    def __getattr__(self, name: str) -> Any:
        return _refuse


def _refuse(*_: object, **__: object) -> NoReturn:
    """Raise ``MissingDependencyError``."""
    raise MissingDependencyError(REMEDY)


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    path = f"{__name__}.{name}"
    if name == "colors" or can_draw():  # colours need no Plotly
        return import_module(path)
    return _NotInstalled(path)
