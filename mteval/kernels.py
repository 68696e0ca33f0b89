"""Functions that are compiled: without the interpreter's lock, so that threads run at once, and kept for later starts.

The machine code is kept in a directory named after the text of all modules that hold such functions. The compiler's own
check looks at a function's own file alone: after an update it would go on using old code of what the function calls.
"""

import hashlib
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

from mteval import __version__
from mteval.paths import cache_directory

F = TypeVar("F")

_PACKAGES = ("metrics", "stats")  # where compiled functions live


def kernel(function: F) -> F:
    """Compile a function at its first call. A division by zero gives an infinity or NaN, as in NumPy."""
    return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy")(cast(Any, function)))


def inlined_kernel(function: F) -> F:
    """The same for a function so small that its callers take it in."""
    return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy", inline="always")(cast(Any, function)))


def code_directory() -> Path:
    """Where the machine code of these very sources is kept."""
    state = hashlib.blake2b(__version__.encode(), digest_size=8)
    here = Path(__file__).parent
    for path in sorted(path for package in _PACKAGES for path in (here / package).rglob("*.py")):
        state.update(path.read_bytes())
    return cache_directory() / "kernels" / state.hexdigest()


_compiler_settings: Any = numba.config
if not _compiler_settings.CACHE_DIR:  # a directory that the user named stays
    _compiler_settings.CACHE_DIR = str(code_directory())
