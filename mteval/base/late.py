"""Slow packages that are loaded when one of their names is first used, since few calls need all of them."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

PACKAGES = ("pandas", "scipy.special", "sacrebleu")


class LateModule(ModuleType):
    """Load a module when one of its names is first used.

    ``importlib.util.LazyLoader`` loads a module as soon as a second ``import`` names it.
    """

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def load_late(modules: Sequence[str]) -> list[LateModule]:
    """Make ``import`` return lazy modules, except for those already loaded or not installed; return the new ones."""
    late_modules = []
    for name in modules:
        spec = find_spec(name.partition(".")[0]) if name not in sys.modules else None
        if spec is None:
            continue
        late_module = LateModule(name)
        late_module.__spec__ = spec  # other packages look whether it is installed
        sys.modules[name] = late_module
        late_modules.append(late_module)
    return late_modules


@contextmanager
def packages_loaded_late() -> Iterator[None]:
    """Let what the block imports load ``PACKAGES`` late. Afterwards ``import`` returns the packages themselves."""
    late_modules = load_late(PACKAGES)
    try:
        yield
    finally:
        for late_module in late_modules:
            if sys.modules.get(late_module.__name__) is late_module:
                del sys.modules[late_module.__name__]
