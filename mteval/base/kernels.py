"""Compiled functions that release the interpreter's lock and are cached on disk.

They live in modules named ``*_kernels``. The cache directory of a module is named by a digest of the code of the module
and its imports, without docstrings and comments. numba's own check covers one file only: it recompiles after any edit,
and misses changes in called functions.

This uses private parts of numba. If a release differs, functions are compiled by plain ``numba.njit``, which takes
longer the first time; results do not change.
"""

import ast
import logging
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.metadata import version
from itertools import count
from pathlib import Path
from threading import Lock
from traceback import walk_tb
from types import FunctionType, TracebackType
from typing import Any, ClassVar, TypeVar, cast

from mteval._version import __version__
from mteval.base.digests import digest_of, flattened
from mteval.base.paths import cache_directory, is_ours, make_private

MAKING = logging.getLogger("mteval.making")  # logs the name of each function that is compiled
LOG = logging.getLogger(__name__)
F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS: Mapping[str, Any] = {"nogil": True, "error_model": "numpy"}
_FORMAT = "sealed, with what it calls, partly uncounted"  # format of cache files; a change makes old ones unused
_COMPILER = ("numba", "llvmlite", "numpy")
_MOST_SAID = 200  # characters of an error of numba
_STATES_KEPT = 8  # per module; older states are compiled again


def kernel(function: F) -> F:
    """Compile a function at its first call. Division by zero gives infinity or NaN, as in NumPy."""
    return cast(F, Kernel(function))


@contextmanager
def making_told(listener: Callable[[str, int, int], None]) -> Iterator[None]:
    """Call the listener for each function compiled in the block, with its name, the number so far and the total."""

    made, level = count(1), MAKING.level

    def told(record: logging.LogRecord) -> bool:
        listener(record.getMessage().strip("_").replace("_", " "), next(made), Kernel.known)
        return True

    MAKING.addFilter(told)
    MAKING.setLevel(logging.INFO)
    try:
        yield
    finally:
        MAKING.removeFilter(told)
        MAKING.setLevel(level)


def code_directory() -> Path:
    """Return the cache directory for machine code: numba's ``CACHE_DIR`` if set, else mteval's."""
    from numba import config  # here, because it takes half a second to import

    named = cast(Any, config).CACHE_DIR
    return Path(named) if named else cache_directory() / "kernels"


@cache
def digest_of_code(module: str, root: Path) -> str:
    """Return the digest of a module's code, of the modules of its package that it imports, and of the compiler.

    Parameters
    ----------
    module
        Its name, e.g. ``package.folder.module``.
    root
        Directory of the package.
    """
    said: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        said[name], imported = _said(_file(name, root))
        # not this module, whose options are in the digest by themselves
        beside = (one for one in imported if one.split(".")[0] == module.split(".")[0] and one != __name__)
        waiting += [other for other in beside if other not in said and _file(other, root).is_file()]
    return digest_of(flattened([_made_by(), (repr(_OPTIONS),), *sorted(said.items())]))


@cache
def _made_by() -> tuple[str, ...]:
    return (_FORMAT, __version__, *map(version, _COMPILER))


def _file(module: str, root: Path) -> Path:
    return root.joinpath(*module.split(".")).with_suffix(".py")


@cache
def _said(path: Path) -> tuple[str, tuple[str, ...]]:
    """Return a module's code without docstrings, and the names that it imports."""
    tree = ast.parse(path.read_bytes())
    names = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return repr(_without_docstrings(tree)), tuple(names)


def _without_docstrings(part: object) -> object:
    """Return a syntax tree as nested lists, without comments, lines and columns."""
    if isinstance(part, list):
        return [_without_docstrings(item) for item in part if not _is_docstring(item)]
    if isinstance(part, ast.AST):
        return [type(part).__name__, *(_without_docstrings(getattr(part, field)) for field in part._fields)]
    return part


def _is_docstring(statement: object) -> bool:
    constant = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(constant, ast.Constant) and isinstance(constant.value, str)


class CodeDirectory:
    """Cache location of a function, with the interface of numba's cache locators."""

    def __init__(self, function: Callable[..., Any]) -> None:
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
        """Make the directory, and remove the module's oldest states."""
        if not self._path.is_dir():
            make_private(self._path)
            states = sorted(self._path.parent.glob(f"{self._module}-*"), key=lambda path: path.stat().st_mtime)
            for old in states[:-_STATES_KEPT]:
                shutil.rmtree(old, ignore_errors=True)


class Kernel:
    """A function that is compiled, or read from the cache, at its first call; numba is loaded only then.

    Other attributes are those of the compiled function.

    Attributes
    ----------
    known
        Number of kernels in the loaded modules.
    way
        Index of the first of ``_WAYS`` that works with the installed numba.
    """

    known: ClassVar[int] = 0
    way: ClassVar[int] = 0

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._made: dict[int, Any] = {}
        Kernel.known += 1

    def made(self, way: int) -> Any:
        """Return the function compiled in one of the ways."""
        if way not in self._made:
            self._made[way] = _WAYS[way](self)
        return self._made[way]

    @cached_property
    def part(self) -> Any:
        """The function as a part of compiled callers."""
        from mteval.base import machine_code  # here, because it takes half a second to import

        return machine_code.part(self.function, _OPTIONS)

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        way = Kernel.way
        try:
            return self.made(way)(*arguments)
        except Exception as error:  # any error of another numba release
            if not _is_of_compiler(error.__traceback__) or not _next_way(way, error):
                raise
        return self(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # special methods are not the compiled function's
            raise AttributeError(name)
        return getattr(self.made(Kernel.way), name)


def _sealed(called: Kernel) -> Any:
    """Compile with our own cache, including called kernels."""
    from mteval.base import machine_code  # here, because it takes half a second to import

    machine_code.know(Kernel)
    return machine_code.compiled(called.function, _OPTIONS, CodeDirectory(called.function))


def _plain(called: Kernel) -> Any:
    """Compile with numba's public interface and its own cache in our directory."""
    import numba

    function, place = _calling(called, 1), CodeDirectory(called.function)
    folder, config = Path(place.get_cache_path()), cast(Any, numba.config)
    place.ensure_cache_path()
    if not is_ours(folder):  # what is read from the cache can run code
        return _unkept(called)
    if not any(folder.rglob(f"*{function.__name__}-*.nbi")):
        MAKING.info(function.__name__)
    with _PLAIN_LOCK:
        named, config.CACHE_DIR = config.CACHE_DIR, str(folder)
        try:
            return numba.njit(cache=True, **_OPTIONS)(function)
        finally:
            config.CACHE_DIR = named


def _unkept(called: Kernel) -> Any:
    """Compile without a cache."""
    import numba

    MAKING.info(called.function.__name__)
    return numba.njit(**_OPTIONS)(_calling(called, 2))


_WAYS: Sequence[Callable[[Kernel], Any]] = (_sealed, _plain, _unkept)
_PLAIN_LOCK = Lock()


def _calling(called: Kernel, way: int) -> Callable[..., Any]:
    """Return the function with called kernels compiled in the same way."""
    function: Any = called.function
    others = ((name, function.__globals__.get(name)) for name in function.__code__.co_names)
    made = {name: other.made(way) for name, other in others if isinstance(other, Kernel)}
    same = FunctionType(function.__code__, function.__globals__ | made, function.__name__, function.__defaults__)
    same.__module__, same.__qualname__ = function.__module__, function.__qualname__
    return same


def _next_way(way: int, error: Exception) -> bool:
    """Switch to the next way of compiling; return False if there is none."""
    if Kernel.way == way:
        if way + 1 == len(_WAYS):
            return False
        Kernel.way = way + 1
        LOG.log(
            logging.INFO if way else logging.WARNING,  # one line is enough
            "numba %s is not fully supported (%s: %s): the first use takes longer; results do not change.",
            *(version("numba"), type(error).__name__, " ".join(str(error).split())[:_MOST_SAID]),
        )
    return True


def _is_of_compiler(trace: TracebackType | None) -> bool:
    """Return whether an error comes from compilation, not from the function itself."""
    _, *files = (frame.f_code.co_filename for frame, _ in walk_tb(trace))  # the first is the call
    return not all(file.endswith("_kernels.py") for file in files)
