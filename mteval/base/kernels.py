"""Compiled functions that release the interpreter's lock and are cached on disk.

They live in modules named ``*_kernels``. The cache directory of a module is named by a digest of the code of the module
and its imports, without docstrings and comments. numba's own check covers one file only: it recompiles after any edit,
and misses changes in called functions.

numba takes about 0.4 s to start, more than all else that a command does with a short file, and seconds to compile what
is not cached yet. So the kernels of BLEU and of its tests each have a function that does the same with NumPy alone, for
little work (``in_numpy``).

numba is used by its documented interface only: ``njit``, ``overload``, ``CACHE_DIR`` and events. What its private names
would save is in ``docs/decisions/compiled-code.md``.

The digest is made of tokens, not of syntax trees. CPython 3.11 counts the depth of a tree in one place for all threads:
if one parses while another does (a page, a printed traceback), ``ast.parse`` raises ``SystemError``.
"""

import logging
import os
import re
import sys
import time
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.metadata import version
from io import BytesIO
from itertools import count
from pathlib import Path
from threading import Lock
from types import FunctionType
from typing import Any, ClassVar, TypeVar, cast

from mteval._version import __version__
from mteval.base.code_folder import CodeFolder
from mteval.base.digests import digest_of, flattened
from mteval.base.paths import cache_directory

# numba colours its errors with colorama, also those that it keeps to itself. For each, colorama replaces sys.stdout and
# sys.stderr, whichever thread uses them, and puts back what it saw before. At exit it writes a code to the terminal.
# numba reads this when it is loaded, which only this module and the one that it calls do.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")

MAKING = logging.getLogger("mteval.making")  # logs the name of each function that is compiled
LOG = logging.getLogger(__name__)
F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS: Mapping[str, Any] = {"nogil": True, "error_model": "numpy"}
_FORMAT = "numba's files, sealed beside"  # format of cache files; a change makes old ones unused
_COMPILER = ("numba", "llvmlite", "numpy")
_MOST_SAID = 200  # characters of an error of numba
_LITTLE_WORK = 1 << 22  # bytes of all arrays, of one call
_MOST_SECONDS = 0.5  # of all calls by NumPy: about as long as numba takes to load itself and compiled code
_KERNELS = "_kernels"  # how the names of modules with kernels end

_LAYOUT = {tokenize.ENCODING, tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER}
_BLOCK_STARTS = "{"
_BLOCK_ENDS = "}"
_PLAIN_STRING = re.compile(r"r?['\"]", re.IGNORECASE)  # not one with values in it, whose evaluation may do something


def kernel(function: F) -> F:
    """Compile a function at its first call. Division by zero gives infinity or NaN, as in NumPy."""
    return cast(F, Kernel(function))


def in_numpy(compiled: F) -> Callable[[F], F]:
    """Give a kernel a function that does the same, to the last bit, with NumPy; for little work without numba."""

    def registered(function: F) -> F:
        cast(Kernel, compiled).in_numpy = function
        return function

    return registered


@contextmanager
def compiling_reported(listener: Callable[[str, int, int], None]) -> Iterator[None]:
    """Call the listener for each function compiled in the block, with its name, the number so far and the total."""

    numbers = count(1)
    usual_level = MAKING.level

    def told(record: logging.LogRecord) -> bool:
        name = record.getMessage().strip("_").replace("_", " ")
        listener(name, next(numbers), Kernel.known)
        return True

    MAKING.addFilter(told)
    MAKING.setLevel(logging.INFO)
    try:
        yield
    finally:
        MAKING.removeFilter(told)
        MAKING.setLevel(usual_level)


def code_directory() -> Path:
    """Return the cache directory for machine code: numba's ``CACHE_DIR`` if set, else mteval's."""
    from numba import config  # here, because it takes half a second to import

    directory = cast(Any, config).CACHE_DIR
    if directory:
        return Path(directory)
    return cache_directory() / "kernels"


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
        for imported_name in imported:
            # The options of this module are in the digest by themselves
            if imported_name == __name__ or imported_name in code_of:
                continue
            if imported_name.split(".")[0] == package and _file(imported_name, root).is_file():
                waiting.append(imported_name)
    return digest_of(flattened([_made_by(), (repr(_OPTIONS),), *sorted(code_of.items())]))


@cache
def _made_by() -> tuple[str, ...]:
    """Return what else decides on machine code: the format of its files, and versions."""
    return (_FORMAT, __version__, *map(version, _COMPILER))


def _file(module: str, root: Path) -> Path:
    """Return where the code of a module is, if it is in the package."""
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
    spaced_names = [item.split(" as ")[0] for item in spaced.split(",")]
    return [name.replace(" ", "") for name in spaced_names if name.strip()]


@cache
def _digest_or_none(module: str, py_file: str) -> str | None:
    """Return the digest of a module's code; None, with a line in the log, if it cannot be made."""
    try:
        root = Path(py_file).parents[module.count(".")]
        return digest_of_code(module, root)
    except Exception as error:  # whatever it is, it concerns this module and its callers alone
        LOG.warning(
            "The code of %s cannot be read (%s): its functions are compiled at every start; results do not change.",
            module,
            _described(error),
        )
        return None


def _folder_of(function: Callable[..., Any]) -> CodeFolder | None:
    """Return the folder of a function's machine code, ready for use; None, with a line in the log, if there is none."""
    digest = _digest_or_none(function.__module__, function.__code__.co_filename)
    if digest is None:
        return None
    folder = CodeFolder(code_directory(), function.__module__, digest)
    try:
        folder.make()
    except OSError as error:
        _say_not_kept(folder.path.parent, _described(error))
        return None
    return folder


@cache
def _say_not_kept(folder: Path, reason: str) -> None:
    """Log, once per reason, that machine code is not kept."""
    LOG.warning(
        "Compiled functions cannot be kept in %s (%s): they are compiled at every start; results do not change.",
        folder,
        reason,
    )


class Kernel:
    """A function that is compiled, or read from the cache, at its first call; numba is loaded only then.

    Attributes
    ----------
    known
        Number of kernels in the loaded modules.
    seconds_in_numpy
        Processor time of all calls of ``in_numpy``.
    in_numpy
        Such a function, if there is one.
    """

    known: ClassVar[int] = 0
    seconds_in_numpy: ClassVar[float] = 0.0
    _unregistered: ClassVar[list["Kernel"]] = []

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = cast(FunctionType, function)
        self.in_numpy: Callable[..., Any] | None = None
        self._folder: CodeFolder | None = None
        self._n_sealed = 0
        Kernel.known += 1
        Kernel._unregistered.append(self)

    @cached_property
    def _compiled(self) -> Any:
        """The function as numba gives it: with its files in our folder, or without files if there is no folder."""
        import numba  # here, because it takes half a second to import

        with _MAKING_LOCK:
            _tell_what_is_compiled()
            _register_parts()
            self._folder = _folder_of(self.function)
            if self._folder is None:
                return numba.njit(**_OPTIONS)(self.function)
            self._folder.remove_unsealed(self.function.__qualname__)
            config = cast(Any, numba.config)
            usual = config.CACHE_DIR
            config.CACHE_DIR = str(self._folder.path)
            try:
                return numba.njit(cache=True, **_OPTIONS)(self._folder.placed(self.function))
            finally:
                config.CACHE_DIR = usual

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function, or its NumPy counterpart while numba is not loaded."""
        if self.in_numpy is not None and _is_numba_too_slow(arguments):
            start = time.thread_time()
            result = self.in_numpy(*arguments)
            Kernel.seconds_in_numpy += time.thread_time() - start
            return result
        try:
            result = self._compiled(*arguments)
        except OSError as error:  # from numba's files, before the function began: compiled code has no files
            if self._folder is None:
                raise
            self._keep_nothing(error)
            return self._compiled(*arguments)
        if self._folder is not None and len(self._compiled.overloads) > self._n_sealed:
            self._n_sealed = len(self._compiled.overloads)
            self._folder.seal(self.function.__qualname__)
        return result

    @property
    def stats(self) -> Any:
        """How often numba found the function in the cache, and how often it did not.

        Other attributes of the compiled function are not passed on: numba looks at a part's attributes to find out what
        it is, and must find none of a compiled function.
        """
        return self._compiled.stats

    def _keep_nothing(self, error: OSError) -> None:
        """Compile without files from now on, since they cannot be read or written."""
        import numba

        _say_not_kept(code_directory(), _described(error))
        self._folder = None
        self._compiled = numba.njit(**_OPTIONS)(self.function)


def _is_numba_too_slow(arguments: Sequence[Any]) -> bool:
    """Return whether numba is not loaded, and loading it would take longer than the work."""
    if "numba" in sys.modules or Kernel.seconds_in_numpy > _MOST_SECONDS:
        return False
    n_bytes: int = sum(argument.nbytes for argument in arguments if hasattr(argument, "nbytes"))
    return n_bytes <= _LITTLE_WORK


_MAKING_LOCK = Lock()


def _register_parts() -> None:
    """Tell numba how kernels that were loaded meanwhile are compiled as parts of other kernels.

    A part has no wrapper for Python and no files of its own: its code is in the files of what calls it.
    """
    from numba.extending import overload

    options: Any = _OPTIONS  # numba's type names all options
    while Kernel._unregistered:
        part = Kernel._unregistered.pop()
        overload(part, jit_options=options, strict=False)(_implementation_of(part.function))


def _implementation_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what chooses the function for given types of arguments, as numba asks: always the same one."""

    def implementation(*arguments: Any, **named: Any) -> Callable[..., Any]:
        return function

    return implementation


@cache
def _tell_what_is_compiled() -> None:
    """Log the names of kernels that numba compiles from now on."""
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, started: Any) -> None:
            function = started.data["dispatcher"].py_func
            if function.__module__.endswith(_KERNELS):
                MAKING.info(function.__name__)

        def on_end(self, ended: Any) -> None:
            pass

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]  # numba has no types


def _described(error: Exception) -> str:
    """Return the kind and the text of an error on one line."""
    text = " ".join(str(error).split())[:_MOST_SAID]
    return f"{type(error).__name__}: {text}"
