"""Compilation by numba with our own cache files.

The only module that uses private names of numba; ``kernels`` works without it if they have changed. numba has no
types for mypy, so calls of it are marked ``no-untyped-call``.
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
from numba import _dynfunc  # type: ignore[attr-defined]  # a module in C
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import NopythonTypeInference
from numba.core.types import List, unliteral
from numba.extending import typeof_impl

from mteval.base.digests import sealed, unsealed
from mteval.base.paths import is_ours

MAKING = logging.getLogger("mteval.making")  # logs the name of each function that is compiled

_VIEWS = {"getitem", "static_getitem", "getiter", "iternext"}
# Names overridden below. A release without one of them would silently ignore the override.
_OURS: Mapping[type, Sequence[str]] = {
    JITCodeLibrary: ("_optimize_final_module", "_finalize_final_module"),
    Compiler: ("compile_extra", "define_pipelines"),
    IndexDataCacheFile: ("load", "save", "_load_index", "_save_index", "_load_data", "_save_data"),
    FunctionCache: ("load_overload", "_impl_class", "_index_key", "_guard_against_spurious_io_errors"),
}


@cache
def know(kernel: type) -> None:
    """Check that numba has the expected names, and register kernels as parts of compiled callers.

    Raises
    ------
    AttributeError
        If a name is missing.
    """
    for inner, names in _OURS.items():
        for name in names:
            getattr(inner, name)
    typeof_impl.register(kernel)(lambda called, context: typeof_impl(called.part, context))


def compiled(function: Callable[..., Any], options: Mapping[str, Any], place: Any) -> Any:
    """Compile a function with our own cache instead of that of ``cache=True``.

    Parameters
    ----------
    place
        Cache location, with the interface of numba's cache locators; None if there is to be no cache.
    """
    dispatcher: Any = numba.njit(**{**options, "no_cfunc_wrapper": True})(function)  # called from Python only
    if place is None:
        return dispatcher
    dispatcher._cache.load_overload  # noqa: B018 - to raise where caches are somewhere else
    dispatcher._cache = _Cache(function, place)
    return dispatcher


def part(function: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """Return the function as a part of compiled callers, without machine code or cache of its own."""
    dispatcher: Any = numba.njit(pipeline_class=_PartCompiler, **options)(function)
    template_for = dispatcher.get_call_template
    # by argument types only; numba would compile a function per constant
    dispatcher.get_call_template = lambda given, named: template_for([unliteral(one) for one in given], named)  # type: ignore[no-untyped-call]
    return dispatcher


class _PartLibrary(JITCodeLibrary):
    """Code that is optimized only as part of its callers.

    By default, numba also optimizes and wraps it separately: several times the work, for code that is never called.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._verify_declare_only_symbols()  # type: ignore[no-untyped-call]
        self._finalized = True


@register_pass(mutates_CFG=False, analysis_only=True)  # type: ignore[no-untyped-call]
class _Uncounted(AnalysisPass):
    """Leaves out the counting of references where a function neither makes arrays or lists nor returns any.

    numba counts whenever a function takes an array from a tuple; in METEOR and TER that took half of the time.
    """

    _name = "uncounted"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)  # type: ignore[no-untyped-call]

    def run_pass(self, state: Any) -> bool:
        """Return whether the function is uncounted."""
        kinds = [state.return_type, *(kind for kind in state.typemap.values() if isinstance(kind, List))]
        for place, call in state.calltypes.items():
            if call is not None:
                # an array of indices gives a new array, other indices give a view
                kinds += call.args[1:] if getattr(place, "op", "") in _VIEWS else [call.return_type]
        if any(state.targetctx.data_model_manager[kind].contains_nrt_meminfo() for kind in kinds):
            return False
        state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return True


class _PartCompiler(Compiler):
    """Compiles a function only as far as callers need."""

    def define_pipelines(self) -> list[Any]:
        """Return numba's stages, with ours after the types are known."""
        (stages,) = super().define_pipelines()  # type: ignore[no-untyped-call]
        stages.add_pass_after(_Uncounted, NopythonTypeInference)
        stages.finalize()
        return [stages]

    def compile_extra(self, func: FunctionType) -> Any:
        """Return the compiled code, registered for callers."""
        MAKING.info(func.__name__)
        flags = self.state.flags
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), "part")  # type: ignore[no-untyped-call]
        result: Any = super().compile_extra(func)  # type: ignore[no-untyped-call]
        name = _dynfunc.make_function(func, func.__name__, "", 0, result.environment, ())  # not callable
        self.state.targetctx.insert_user_function(name, result.fndesc, [result.library])
        return result._replace(entry_point=name)


class _Function(CompileResultCacheImpl):
    """Cached form of a function, always in our directory."""

    def __init__(self, place: Any, function: FunctionType) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = place
        abi: str = getattr(sys, "abiflags", "")
        self._filename_base = self.get_filename_base(function.__qualname__, abi)  # type: ignore[no-untyped-call]


class SealedFiles(IndexDataCacheFile):
    """Cache files of a function with checksums; a damaged file counts as missing.

    Reading them can run code, so directories that others may write to are not used.
    """

    _cache_path: str
    _index_path: str
    _source_stamp: str

    def load(self, key: object) -> Any:
        """Return the cached value, or None."""
        return super().load(key) if is_ours(Path(self._cache_path)) else None  # type: ignore[no-untyped-call]

    def save(self, key: object, data: object) -> None:
        """Cache a value."""
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
        """Return the value in a file; a damaged file counts as missing."""
        if (content := unsealed(path.read_bytes(), path.name)) is None:
            raise FileNotFoundError(path)
        return pickle.loads(content)

    def _write(self, path: Path, value: object) -> None:
        content: bytes = self._dump(value)  # type: ignore[no-untyped-call]
        with self._open_for_write(str(path)) as file:
            file.write(sealed(content, path.name))


class _Cache(FunctionCache):
    """numba's cache without its checks of the source, which the directory name replaces."""

    def __init__(self, function: Callable[..., Any], place: Any) -> None:
        self._impl_class = partial(_Function, place)  # type: ignore[assignment]  # numba only calls it
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._function = function
        self._cache_file = SealedFiles(place.get_cache_path(), self._impl.filename_base, place.get_source_stamp())  # type: ignore[no-untyped-call]

    def load_overload(self, signature: object, target_context: object) -> Any:
        """Return the cached code; log the name of a function that must be compiled."""
        found = super().load_overload(signature, target_context)  # type: ignore[no-untyped-call]
        if found is None:
            MAKING.info(self._function.__name__)
        return found

    def _index_key(self, signature: object, codegen: Any) -> tuple[object, ...]:
        return signature, codegen.magic_tuple()  # types, and the processor

    @contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        with suppress(OSError):  # without a usable directory, each start compiles
            yield
