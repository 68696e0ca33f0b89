"""Experiments that stay: bytes, JSON and an index. What they mean is put together in ``mteval.reporting``."""

from mteval.library.index import Content, Listed
from mteval.library.shelf import Library, configured_library

__all__ = ["Content", "Library", "Listed", "configured_library"]
