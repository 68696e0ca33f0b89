"""The compiler: functions compiled by numba, and their machine code read from and written to our own directories.

Names of numba that are not public are used here alone; ``kernels`` does without this module where they are others.
"""

import logging
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.types import unliteral
from numba.extending import typeof_impl

from mteval.base.digests import sealed, unsealed
from mteval.base.paths import is_ours

MAKING = logging.getLogger("mteval.making")  # names each function whose machine code is made

# What is given another meaning below; a release without one of them would go on without it, and nobody would know.
_OURS: Mapping[type, Sequence[str]] = {
    JITCodeLibrary: ("_optimize_final_module", "_finalize_final_module"),
    Compiler: ("compile_extra",),
    IndexDataCacheFile: ("load", "save", "_load_index", "_save_index", "_load_data", "_save_data"),
    FunctionCache: ("load_overload", "_impl_class", "_index_key", "_guard_against_spurious_io_errors"),
}


@cache
def know(kernel: type) -> None:
    """See that numba is as this module expects, and say that a kernel which another calls is a part of that one.

    Raises
    ------
    AttributeError
        Where something is missing.
    """
    for inner, names in _OURS.items():
        for name in names:
            getattr(inner, name)
    typeof_impl.register(kernel)(lambda called, context: typeof_impl(called.part, context))


def compiled(function: Callable[..., Any], options: Mapping[str, Any], place: Any) -> Any:
    """What numba makes of a function, with our own cache in place of the one that ``cache=True`` makes.

    Parameters
    ----------
    place
        Where its code is kept, in the terms of numba's caches.
    """
    dispatcher: Any = numba.njit(**{**options, "no_cfunc_wrapper": True})(function)  # nothing else than Python calls it
    dispatcher._cache.load_overload  # noqa: B018 - to raise where caches are somewhere else
    dispatcher._cache = _Cache(function, place)
    return dispatcher


def part(function: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """The function for others that are compiled and call it: no machine code of its own, and nothing that is kept."""
    dispatcher: Any = numba.njit(pipeline_class=_PartCompiler, **options)(function)
    template_for = dispatcher.get_call_template
    # by the types of arguments alone: numba would make a function for each constant that is handed over
    dispatcher.get_call_template = lambda given, named: template_for([unliteral(one) for one in given], named)  # type: ignore[no-untyped-call]
    return dispatcher


class _PartLibrary(JITCodeLibrary):
    """Code that is optimized where it has become part of other code, and there alone.

    numba would optimize it, translate it and wrap it for Python by itself as well, and so again each function that it
    calls in turn: several times the work for code that nobody runs.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._verify_declare_only_symbols()  # type: ignore[no-untyped-call]
        self._finalized = True


class _PartCompiler(Compiler):
    """Compiles a function as far as the code that callers take in."""

    def compile_extra(self, func: FunctionType) -> Any:
        """What callers find it by, and its code."""
        MAKING.info(func.__name__)
        flags = self.state.flags
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), "part")  # type: ignore[no-untyped-call]
        result: Any = super().compile_extra(func)  # type: ignore[no-untyped-call]
        name = _dynfunc.make_function(func, func.__name__, "", 0, result.environment, ())  # nobody can call it
        self.state.targetctx.insert_user_function(name, result.fndesc, [result.library])
        return result._replace(entry_point=name)


class _Function(CompileResultCacheImpl):
    """What is kept of a function, always in our directory."""

    def __init__(self, place: Any, function: FunctionType) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = place
        abi: str = getattr(sys, "abiflags", "")
        self._filename_base = self.get_filename_base(function.__qualname__, abi)  # type: ignore[no-untyped-call]


class SealedFiles(IndexDataCacheFile):
    """The files of a function, each sealed: one that was damaged is none, and is made again.

    Reading them can run code. So they are not read from a directory in which others may write, nor put there.
    """

    _cache_path: str
    _index_path: str
    _source_stamp: str

    def load(self, key: object) -> Any:
        """What is kept under the key, or None."""
        return super().load(key) if is_ours(Path(self._cache_path)) else None  # type: ignore[no-untyped-call]

    def save(self, key: object, data: object) -> None:
        """Keep it."""
        if is_ours(Path(self._cache_path)):
            super().save(key, data)  # type: ignore[no-untyped-call]

    def _load_index(self) -> dict[object, str]:
        try:
            stamp, overloads = self._read(Path(self._index_path))
        except OSError:
            return {}
        return dict(overloads) if stamp == self._source_stamp else {}

    def _save_index(self, overloads: object) -> None:
        self._write(Path(self._index_path), (self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        return self._read(Path(self._cache_path, name))

    def _save_data(self, name: str, data: object) -> None:
        self._write(Path(self._cache_path, name), data)

    def _read(self, path: Path) -> Any:
        """The value that a file holds; a damaged file is as one that is not there."""
        content = unsealed(path.read_bytes(), path.name)
        if content is None:
            raise FileNotFoundError(path)
        return pickle.loads(content)

    def _write(self, path: Path, value: object) -> None:
        content: bytes = self._dump(value)  # type: ignore[no-untyped-call]
        with self._open_for_write(str(path)) as file:
            file.write(sealed(content, path.name))


class _Cache(FunctionCache):
    """numba's cache without its own checks of the source, which the name of the directory makes needless."""

    def __init__(self, function: Callable[..., Any], place: Any) -> None:
        self._impl_class = partial(_Function, place)  # type: ignore[assignment]
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._function = function
        self._cache_file = SealedFiles(place.get_cache_path(), self._impl.filename_base, place.get_source_stamp())  # type: ignore[no-untyped-call]

    def load_overload(self, signature: object, target_context: object) -> Any:
        """What is kept; that something is not, and has to be made, is told to whoever listens."""
        found = super().load_overload(signature, target_context)  # type: ignore[no-untyped-call]
        if found is None:
            MAKING.info(self._function.__name__)
        return found

    def _index_key(self, signature: object, codegen: Any) -> tuple[object, ...]:
        return signature, codegen.magic_tuple()  # types, and the processor

    @contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        with suppress(OSError):  # where nothing can be read or written, each start compiles
            yield
