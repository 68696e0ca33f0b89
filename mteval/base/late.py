"""Slow packages that are loaded when one of their names is first used, since few calls need all of them."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any

SPECIAL = "scipy.special"
_COMPILED = f"{SPECIAL}._ufuncs"
PACKAGES = ("pandas", SPECIAL, "sacrebleu")
_LOADING = RLock()  # what is loaded may ask for the package's names


class LateModule(ModuleType):
    """Load a module when one of its names is first used.

    ``importlib.util.LazyLoader`` loads a module as soon as a second ``import`` names it.
    """

    def __getattr__(self, name: str) -> Any:
        # While compiled functions are enough, this stays in its place, for modules that are imported later
        if self.__name__ == SPECIAL and isinstance(sys.modules.get(SPECIAL, self), LateModule):
            function = getattr(_compiled_special_functions(), name, None)
            if function is not None:
                return function
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


@cache
def _compiled_special_functions() -> ModuleType | None:
    """Return the part of ``scipy.special`` with its compiled functions, without loading the rest; None without it.

    The rest takes 0.15 s, a quarter of a short command: it prepares for arrays of other packages, for which it loads
    most of NumPy and reads docstrings. The functions are the same objects.
    """
    with _LOADING:
        if _COMPILED in sys.modules:
            return sys.modules[_COMPILED]
        earlier_module = sys.modules.get(SPECIAL)
        # The package's own code does not run while this takes its place. A thread that imports the package in the
        # meantime gets this, too, and with the first name that it asks for the package itself
        package = LateModule(SPECIAL)
        package.__path__ = [str(Path(root, "special")) for root in import_module("scipy").__path__]
        sys.modules[SPECIAL] = package
        try:
            return import_module(_COMPILED)
        except ImportError:  # a private name of SciPy, which other releases may not have
            return None
        finally:
            if sys.modules.get(SPECIAL) is package:
                del sys.modules[SPECIAL]
                if earlier_module is not None:
                    sys.modules[SPECIAL] = earlier_module


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
