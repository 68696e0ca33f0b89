"""The compiler: functions compiled by numba, and their machine code read from and written to our own directories."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FunctionType
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.extending import typeof_impl

from mteval.kernels import CodeDirectory, Kernel


def compiled(function: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """What numba makes of a function, with our own cache in place of the one that ``cache=True`` makes."""
    dispatcher: Any = numba.njit(**options)(function)
    dispatcher._cache = _Cache(function)  # type: ignore[no-untyped-call]
    return dispatcher


@typeof_impl.register(Kernel)
def _type_of_kernel(called: Kernel, context: object) -> Any:
    """A function that another calls has the type of what it is compiled to."""
    return typeof_impl(called.compiled, context)


class _Function(CompileResultCacheImpl):
    """What is kept of a function, always in our directory."""

    def __init__(self, function: FunctionType) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = CodeDirectory(function)
        abi: str = getattr(sys, "abiflags", "")
        self._filename_base = self.get_filename_base(function.__qualname__, abi)  # type: ignore[no-untyped-call]


class _Cache(FunctionCache):
    """numba's cache without its own checks of the source, which the name of the directory makes needless."""

    _impl_class = _Function

    def _index_key(self, signature: object, codegen: Any) -> tuple[object, ...]:
        return signature, codegen.magic_tuple()  # types, and the processor

    @contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        with suppress(OSError):  # where nothing can be read or written, each start compiles
            yield
