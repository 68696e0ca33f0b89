"""Packages that take long to load wait until something of them is used, since few commands use all of them."""

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

# The compiler asks at its start whether the last one is there.
LATE = ("pandas", "scipy.special", "scipy.optimize", "sacrebleu", "openpyxl", "scipy.linalg.cython_blas")


class _LateModule(ModuleType):
    """Stands for a module until it is first asked for a name, and hands on what the module answers.

    The library's own ``LazyLoader`` loads a module as soon as a second ``import`` names it.
    """

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def load_late(modules: tuple[str, ...] = LATE) -> None:
    """From now on ``import`` gives a module that loads itself when it is first asked for a name.

    Those that are loaded already, and those of packages that are not installed, stay as they are.
    """
    for name in modules:
        if name not in sys.modules and find_spec(name.partition(".")[0]) is not None:
            sys.modules[name] = _LateModule(name)
