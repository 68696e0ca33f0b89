"""The compiler: functions compiled by numba, and their machine code read from and written to our own directories."""

import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
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
from mteval.base.kernels import MAKING, CodeDirectory, Kernel
from mteval.base.paths import is_private


def compiled(function: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """What numba makes of a function, with our own cache in place of the one that ``cache=True`` makes."""
    dispatcher: Any = numba.njit(**{**options, "no_cfunc_wrapper": True})(function)  # nothing else than Python calls it
    dispatcher._cache = _Cache(function)
    return dispatcher


def part(function: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """The function for others that are compiled and call it: no machine code of its own, and nothing that is kept."""
    dispatcher: Any = numba.njit(pipeline_class=_PartCompiler, **options)(function)
    template_for = dispatcher.get_call_template
    dispatcher.get_call_template = lambda given, named: template_for(list(map(_type_alone, given)), named)
    return dispatcher


def _type_alone(given: Any) -> Any:
    """The type of an argument whatever its value: numba would make a function for each constant that is handed over."""
    return unliteral(given)  # type: ignore[no-untyped-call]


@typeof_impl.register(Kernel)
def _type_of_kernel(called: Kernel, context: object) -> Any:
    """A function that another calls has the type of a part of that one."""
    return typeof_impl(called.part, context)


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
        _tell(func)
        flags = self.state.flags
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), "part")  # type: ignore[no-untyped-call]
        result: Any = super().compile_extra(func)  # type: ignore[no-untyped-call]
        name = _dynfunc.make_function(func, func.__name__, "", 0, result.environment, ())  # nobody can call it
        self.state.targetctx.insert_user_function(name, result.fndesc, [result.library])
        return result._replace(entry_point=name)


def _tell(function: Callable[..., Any]) -> None:
    """Whoever listens hears what is made."""
    MAKING.info("%s", function.__name__.strip("_").replace("_", " "))


class _Function(CompileResultCacheImpl):
    """What is kept of a function, always in our directory."""

    def __init__(self, function: FunctionType) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = CodeDirectory(function)
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
        return super().load(key) if self._is_ours() else None  # type: ignore[no-untyped-call]

    def save(self, key: object, data: object) -> None:
        """Keep it."""
        if self._is_ours():
            super().save(key, data)  # type: ignore[no-untyped-call]

    def _is_ours(self) -> bool:
        directory = Path(self._cache_path)
        return directory.is_dir() and is_private(directory) and is_private(directory.parent)

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

    _impl_class = _Function

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._function = function
        kept: Any = self._impl
        place = kept.locator.get_cache_path(), kept.filename_base, kept.locator.get_source_stamp()
        self._cache_file = SealedFiles(*place)  # type: ignore[no-untyped-call]

    def load_overload(self, signature: object, target_context: object) -> Any:
        """What is kept; that something is not, and has to be made, is told to whoever listens."""
        found = super().load_overload(signature, target_context)  # type: ignore[no-untyped-call]
        if found is None:
            _tell(self._function)
        return found

    def _index_key(self, signature: object, codegen: Any) -> tuple[object, ...]:
        return signature, codegen.magic_tuple()  # types, and the processor

    @contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        with suppress(OSError):  # where nothing can be read or written, each start compiles
            yield
