"""Functions that are compiled: without the interpreter's lock, so that threads run at once, and kept for later starts.

They stand in modules of their own, named ``*_kernels``. The machine code of a module is kept in a directory named after
what the module and those that it imports say, without docstrings and comments. The compiler's own check looks at a
function's file alone: it would compile anew after any word of it changed, and go on using old code of what it calls.
"""

import ast
import logging
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from types import FunctionType
from typing import Any, ClassVar, TypeVar, cast

from mteval._version import __version__
from mteval.base.digests import digest_of, flattened
from mteval.base.paths import cache_directory, make_private

MAKING = logging.getLogger("mteval.making")  # names each function whose machine code is made
F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS: Mapping[str, Any] = {"nogil": True, "error_model": "numpy"}
_FORMAT = "sealed, with what it calls"  # how files are kept
_COMPILER = ("numba", "llvmlite", "numpy")
_STATES_KEPT = 8  # of a module; who goes back to an older one compiles it again


def kernel(function: F) -> F:
    """Compile a function at its first call. A division by zero gives an infinity or NaN, as in NumPy."""
    return cast(F, Kernel(function, _OPTIONS))


@contextmanager
def making_told(listener: Callable[[str, int, int], None]) -> Iterator[None]:
    """Call the listener with the name of each function whose machine code is made meanwhile, how many were made by
    then, and how many functions there are: most work needs a part of them."""

    class Told(logging.Handler):
        """Hands on what is logged."""

        made = 0

        def emit(self, record: logging.LogRecord) -> None:
            """Count it."""
            self.made += 1
            listener(record.getMessage(), self.made, Kernel.known)

    handler, level = Told(), MAKING.level
    MAKING.addHandler(handler)
    MAKING.setLevel(logging.INFO)
    try:
        yield
    finally:
        MAKING.removeHandler(handler)
        MAKING.setLevel(level)


def code_directory() -> Path:
    """Where machine code is kept, by module: a directory that the user named to the compiler, or one of mteval's."""
    from numba import config  # here, because it takes half a second to import

    named = cast(Any, config).CACHE_DIR
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
    return digest_of(flattened([_versions(), (repr(_OPTIONS),), *sorted(said.items())]))


@cache
def _versions() -> tuple[str, ...]:
    return (_FORMAT, __version__, *(version(package) for package in _COMPILER))


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


class Kernel:
    """A function that is compiled, or read from the cache, at its first call: until then no compiler is loaded.

    What else is asked of it the compiled function has.

    Attributes
    ----------
    known
        How many there are in the modules that were loaded.
    """

    known: ClassVar[int] = 0

    def __init__(self, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
        self._function = function
        self._options = options
        Kernel.known += 1

    @cached_property
    def compiled(self) -> Any:
        """The compiled function."""
        from mteval.base.machine_code import compiled  # here, because it takes half a second to import

        return compiled(self._function, self._options)

    @cached_property
    def part(self) -> Any:
        """What becomes part of functions that are compiled and call it."""
        from mteval.base.machine_code import part

        return part(self._function, self._options)

    def __call__(self, *arguments: Any) -> Any:
        """Run it."""
        return self.compiled(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what Python asks of any value is not the compiled function's to answer
            raise AttributeError(name)
        return getattr(self.compiled, name)


class CodeDirectory:
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
