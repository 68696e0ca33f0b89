"""Functions that are compiled: without the interpreter's lock, so that threads run at once, and kept for later starts.

They stand in modules of their own, named ``*_kernels``. The machine code of a module is kept in a directory named after
what the module and those that it imports say, without docstrings and comments. The compiler's own check looks at a
function's file alone: it would compile anew after any word of it changed, and go on using old code of what it calls.
"""

import ast
import pickle
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

from mteval import __version__
from mteval.digests import digest_of, flattened, sealed, unsealed
from mteval.paths import cache_directory, is_private, make_private

F = TypeVar("F")

_OPTIONS: Mapping[str, Any] = {"nogil": True, "error_model": "numpy"}
_INLINED: Mapping[str, Any] = {**_OPTIONS, "inline": "always"}
_FORMAT = "sealed"  # how files are kept
_VERSIONS = (_FORMAT, __version__, numba.__version__, llvmlite.__version__, np.__version__)
_STATES_KEPT = 8  # of a module; who goes back to an older one compiles it again


def kernel(function: F) -> F:
    """Compile a function at its first call. A division by zero gives an infinity or NaN, as in NumPy."""
    return _compiled(function, _OPTIONS)


def inlined_kernel(function: F) -> F:
    """The same for a function so small that its callers take it in."""
    return _compiled(function, _INLINED)


def code_directory() -> Path:
    """Where machine code is kept, by module: a directory that the user named to the compiler, or one of mteval's."""
    settings: Any = numba.config
    named = settings.CACHE_DIR
    return Path(named) if named else cache_directory() / "kernels"


@cache
def digest_of_code(module: str, root: Path) -> str:
    """Digest of what a module and all modules of its package that it imports say, and of what compiles it.

    Parameters
    ----------
    module
        Its name, as ``package.folder.module``.
    root
        The directory that the package is in.
    """
    said: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        said[name], imported = _said(_file(name, root))
        waiting += [other for other in imported if other not in said and _is_beside(other, module, root)]
    return digest_of(flattened([_VERSIONS, (repr(_INLINED),), *sorted(said.items())]))


def _file(module: str, root: Path) -> Path:
    return root.joinpath(*module.split(".")).with_suffix(".py")


def _is_beside(name: str, module: str, root: Path) -> bool:
    """Whether a name is a module of the same package; not this one, whose options are in the digest by themselves."""
    return name.split(".")[0] == module.split(".")[0] and name != __name__ and _file(name, root).is_file()


@cache
def _said(path: Path) -> tuple[str, tuple[str, ...]]:
    """What a module says, and the names that it may import modules by."""
    tree = ast.parse(path.read_bytes())
    return repr(_without_docstrings(tree)), tuple(_imported(tree))


def _without_docstrings(part: object) -> object:
    """A part of a syntax tree as nested lists; those know of no comments, lines and columns."""
    if isinstance(part, list):
        return [_without_docstrings(item) for item in part if not _is_docstring(item)]
    if isinstance(part, ast.AST):
        return [type(part).__name__, *(_without_docstrings(getattr(part, field)) for field in part._fields)]
    return part


def _is_docstring(statement: object) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _compiled(function: F, options: Mapping[str, Any]) -> F:
    dispatcher: Any = numba.njit(**options)(cast(Any, function))
    dispatcher._cache = _Cache(cast(FunctionType, function))  # in place of what ``cache=True`` makes
    return cast(F, dispatcher)


class _Directory:
    """Where the code of a function is kept, in the terms of numba's caches."""

    def __init__(self, function: FunctionType) -> None:
        self._py_file = function.__code__.co_filename  # named in the compiler's warnings
        self._module = function.__module__
        root = Path(self._py_file).parents[self._module.count(".")]
        self._path = code_directory() / f"{self._module}-{digest_of_code(self._module, root)}"

    def get_cache_path(self) -> str:
        return str(self._path)

    def get_source_stamp(self) -> str:
        return self._path.name

    def get_disambiguator(self) -> str:
        return ""  # a line number would change with a docstring above it

    def ensure_cache_path(self) -> None:
        """Make the directory; those of the module's oldest states are removed."""
        if not self._path.is_dir():
            make_private(self._path)
            states = sorted(self._path.parent.glob(f"{self._module}-*"), key=lambda path: path.stat().st_mtime)
            for old in states[:-_STATES_KEPT]:
                shutil.rmtree(old, ignore_errors=True)


class _Function(CompileResultCacheImpl):
    """What is kept of a function, always in our directory."""

    def __init__(self, function: FunctionType) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Directory(function)
        abi: str = getattr(sys, "abiflags", "")
        self._filename_base = self.get_filename_base(function.__qualname__, abi)  # type: ignore[no-untyped-call]


class _Files(IndexDataCacheFile):
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
        with self._open_for_write(str(path)) as file:  # type: ignore[no-untyped-call]
            file.write(sealed(content, path.name))


class _Cache(FunctionCache):
    """numba's cache without its own checks of the source, which the name of the directory makes needless."""

    _impl_class = _Function

    def __init__(self, function: FunctionType) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        locator = self._impl.locator
        self._cache_file = _Files(locator.get_cache_path(), self._impl.filename_base, locator.get_source_stamp())  # type: ignore[no-untyped-call]

    def _index_key(self, signature: object, codegen: Any) -> tuple[object, ...]:
        return signature, codegen.magic_tuple()  # types, and the processor

    @contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        with suppress(OSError):  # where nothing can be read or written, each start compiles
            yield
