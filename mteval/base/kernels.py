"""Compiled functions that release the interpreter's lock and are cached on disk.

They live in modules named ``*_kernels``. The cache directory of a module is named by a digest of the code of the module
and its imports, without docstrings and comments. numba's own check covers one file only: it recompiles after any edit,
and misses changes in called functions.

This uses private parts of numba. If a release differs, functions are compiled by plain ``numba.njit``, which takes
longer the first time; results do not change.

The digest is made of tokens, not of syntax trees. CPython 3.11 counts the depth of a tree in one place for all threads:
if one parses while another does (a page, a printed traceback), ``ast.parse`` raises ``SystemError``.
"""

import logging
import os
import re
import shutil
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.metadata import version
from io import BytesIO
from itertools import count
from pathlib import Path
from threading import Lock
from traceback import walk_tb
from types import FunctionType, TracebackType
from typing import Any, ClassVar, TypeVar, cast

from mteval._version import __version__
from mteval.base.digests import digest_of, flattened
from mteval.base.paths import cache_directory, is_ours, make_private

# numba colours its errors with colorama, also those that it keeps to itself. For each, colorama replaces sys.stdout and
# sys.stderr, whichever thread uses them, and puts back what it saw before. At exit it writes a code to the terminal.
# numba reads this when it is loaded, which only this module and the one that it calls do.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")

MAKING = logging.getLogger("mteval.making")  # logs the name of each function that is compiled
LOG = logging.getLogger(__name__)
F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS: Mapping[str, Any] = {"nogil": True, "error_model": "numpy"}
_FORMAT = "sealed, with what it calls, partly uncounted"  # format of cache files; a change makes old ones unused
_COMPILER = ("numba", "llvmlite", "numpy")
_MOST_SAID = 200  # characters of an error of numba
_STATES_KEPT = 8  # per module; older states are compiled again

# Errors that an interpreter or a machine in trouble raises. They say nothing about the release of numba.
_OF_THIS_MACHINE = (MemoryError, OSError, RecursionError, SystemError)

_LAYOUT = {tokenize.ENCODING, tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER}
_BLOCK_STARTS = "{"
_BLOCK_ENDS = "}"
_PLAIN_STRING = re.compile(r"r?['\"]", re.IGNORECASE)  # not one with values in it, whose evaluation may do something


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
    package = module.split(".")[0]
    code_of: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        code_of[name], imported = _code_and_imports(_file(name, root))
        for other in imported:
            if other == __name__ or other in code_of:  # the options of this module are in the digest by themselves
                continue
            if other.split(".")[0] == package and _file(other, root).is_file():
                waiting.append(other)
    return digest_of(flattened([_made_by(), (repr(_OPTIONS),), *sorted(code_of.items())]))


@cache
def _made_by() -> tuple[str, ...]:
    return (_FORMAT, __version__, *map(version, _COMPILER))


def _file(module: str, root: Path) -> Path:
    return root.joinpath(*module.split(".")).with_suffix(".py")


@cache
def _code_and_imports(path: Path) -> tuple[str, tuple[str, ...]]:
    """Return a module's code without docstrings, comments and layout, and the names that it imports."""
    code = []
    imported = []
    depth = 0
    for statement in _statements(path.read_bytes()):
        if statement == [_BLOCK_STARTS]:
            depth += 1
        elif statement == [_BLOCK_ENDS]:
            depth -= 1
        elif all(_PLAIN_STRING.match(token) for token in statement):
            continue  # a docstring, or a string that nothing uses
        elif depth == 0:
            imported += _imported_by(statement)
        code.append(statement)
    return repr(code), tuple(imported)


def _statements(source: bytes) -> Iterator[list[str]]:
    """Yield the tokens of each simple statement or head of a block; start and end of a block are yielded alone."""
    statement: list[str] = []
    for token in tokenize.tokenize(BytesIO(source).readline):
        if token.type in _LAYOUT:
            continue
        if token.type == tokenize.INDENT:
            yield [_BLOCK_STARTS]
        elif token.type == tokenize.DEDENT:
            yield [_BLOCK_ENDS]
        elif token.type == tokenize.NEWLINE or (token.type == tokenize.OP and token.string == ";"):
            yield statement
            statement = []
        else:
            statement.append(token.string)


def _imported_by(statement: Sequence[str]) -> list[str]:
    """Return the modules that a statement may import: ``from a import b`` gives ``a`` and ``a.b``."""
    if statement[0] == "import":
        return _listed(statement[1:])
    if statement[0] != "from":
        return []
    middle = statement.index("import")
    module = "".join(statement[1:middle])
    return [module, *(f"{module}.{name}" for name in _listed(statement[middle + 1 :]))]


def _listed(tokens: Sequence[str]) -> list[str]:
    """Return the dotted names in a list of imported names, without the names that they get."""
    spaced = " ".join(token for token in tokens if token not in ("(", ")"))
    items = [item.split(" as ")[0] for item in spaced.split(",")]
    return [item.replace(" ", "") for item in items if item.strip()]


class CodeDirectory:
    """Cache location of a module's functions, with the interface of numba's cache locators."""

    def __init__(self, module: str, py_file: str, digest: str) -> None:
        self._py_file = py_file  # named in the compiler's warnings
        self._module = module
        self._path = code_directory() / f"{module}-{digest}"

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


@cache
def _digest_or_none(module: str, py_file: str) -> str | None:
    """Return the digest of a module's code; None, with a line in the log, if it cannot be made."""
    try:
        root = Path(py_file).parents[module.count(".")]
        return digest_of_code(module, root)
    except Exception as error:  # whatever it is, it concerns this module and its callers alone
        LOG.warning(
            "The code of %s cannot be read (%s): its functions are compiled at every start; results do not change.",
            *(module, _described(error)),
        )
        return None


def _directory_of(function: Callable[..., Any]) -> CodeDirectory | None:
    """Return where a function is cached; None if it cannot be."""
    module = function.__module__
    py_file = function.__code__.co_filename
    digest = _digest_or_none(module, py_file)
    return None if digest is None else CodeDirectory(module, py_file, digest)


class Kernel:
    """A function that is compiled, or read from the cache, at its first call; numba is loaded only then.

    Other attributes are those of the compiled function.

    Attributes
    ----------
    known
        Number of kernels in the loaded modules.
    way
        Index of the first of ``_WAYS`` that works with the installed numba.
    own_way
        Index of the first of ``_WAYS`` in which this function was not prevented by an error of the machine.
    """

    known: ClassVar[int] = 0
    way: ClassVar[int] = 0

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.own_way = 0
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
        way = max(Kernel.way, self.own_way)
        try:
            return self.made(way)(*arguments)
        except Exception as error:  # any error of another numba release
            if not _is_of_compiler(error.__traceback__) or not self._next_way(way, error):
                raise
        return self(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # special methods are not the compiled function's
            raise AttributeError(name)
        return getattr(self.made(max(Kernel.way, self.own_way)), name)

    def _next_way(self, way: int, error: Exception) -> bool:
        """Switch to the next way of compiling, this function alone or all; return False if there is none."""
        if way + 1 == len(_WAYS):
            return False
        if isinstance(error, _OF_THIS_MACHINE):
            self.own_way = way + 1
            LOG.warning(
                "Compiling %s failed (%s). It is compiled in another way, which takes longer; results do not change.",
                *(self.function.__name__, _described(error)),
            )
        elif Kernel.way <= way:  # another thread may have switched already
            Kernel.way = way + 1
            LOG.log(
                logging.INFO if way else logging.WARNING,  # one line is enough
                "numba %s is not fully supported (%s): the first use takes longer; results do not change.",
                *(version("numba"), _described(error)),
            )
        return True


def _sealed(called: Kernel) -> Any:
    """Compile with our own cache, including called kernels."""
    from mteval.base import machine_code  # here, because it takes half a second to import

    machine_code.know(Kernel)
    place = _directory_of(called.function)
    if place is None:  # otherwise it is logged if it is not in the cache
        MAKING.info(called.function.__name__)
    return machine_code.compiled(called.function, _OPTIONS, place)


def _plain(called: Kernel) -> Any:
    """Compile with numba's public interface and its own cache in our directory."""
    import numba

    place = _directory_of(called.function)
    if place is None:
        return _unkept(called)
    function = _calling(called, 1)
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


def _described(error: Exception) -> str:
    """Return the kind and the text of an error on one line."""
    text = " ".join(str(error).split())[:_MOST_SAID]
    return f"{type(error).__name__}: {text}"


def _is_of_compiler(trace: TracebackType | None) -> bool:
    """Return whether an error comes from compilation, not from the function itself."""
    _, *files = (frame.f_code.co_filename for frame, _ in walk_tb(trace))  # the first is the call
    return not all(file.endswith("_kernels.py") for file in files)
