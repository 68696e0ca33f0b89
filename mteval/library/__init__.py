"""Kept experiments as bytes, JSON and an index. ``mteval.report`` gives them meaning."""

from mteval.library.index import Content, Listed
from mteval.library.shelf import Library, configured_library

__all__ = ["Content", "Library", "Listed", "configured_library"]
