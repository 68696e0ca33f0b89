"""Saved experiments as bytes, JSON and an index. ``mteval.report`` gives them meaning."""

from mteval.library.index import Content, Listed, State
from mteval.library.reading import Described, Reached
from mteval.library.shelf import ChangedElsewhereError, Library
from mteval.library.started import configured_library

__all__ = [
    "ChangedElsewhereError",
    "Content",
    "Described",
    "Library",
    "Listed",
    "Reached",
    "State",
    "configured_library",
]
