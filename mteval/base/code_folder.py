"""The folder of a module's machine code, and a seal beside each of its files.

numba writes the files and reads them without a check: reading one can run code, and one changed bit can crash the
process or change a number. So a folder that others may write to is not used, and a file without its right seal is
removed before numba looks for it.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import FunctionType

from mteval.base.digests import SEAL, sealed, unsealed
from mteval.base.paths import is_ours, make_private

_STATES_KEPT = 8  # per module; older states are compiled again
_SEAL_SUFFIX = ".seal"
_NUMBAS_SUFFIXES = (".nbi", ".nbc")  # an index per function, and the code of each combination of argument types


class CodeFolder:
    """Folder of the machine code of one module in one state.

    Parameters
    ----------
    parent
        Folder of all machine code.
    module
        Name of the module.
    digest
        What names the state: equal digests mean equal machine code.
    """

    def __init__(self, parent: Path, module: str, digest: str) -> None:
        self._module = module
        # numba finds its files by the path of their source, which must not differ with a link to the folder: every demo
        # makes one
        self.path = parent.resolve() / f"{module}-{digest}"

    def make(self) -> None:
        """Make the folder if it is missing, and remove the module's oldest states.

        Raises
        ------
        OSError
            If it cannot be made, or if others may write to it.
        """
        if not self.path.is_dir():
            make_private(self.path)
            states = sorted(self.path.parent.glob(f"{self._module}-*"), key=lambda path: path.stat().st_mtime)
            for old in states[:-_STATES_KEPT]:
                shutil.rmtree(old, ignore_errors=True)
        if not is_ours(self.path):
            raise PermissionError(f"others may write to {self.path}")
        self._source.touch()
        os.utime(self._source, (0, 0))

    @property
    def _source(self) -> Path:
        """An empty file that numba takes for the module's source.

        numba compiles a function again if the file has changed. Before release 0.68 it compares the file's time and
        size, so the time is always the same.
        """
        return self.path / "code.py"

    def placed(self, function: FunctionType) -> FunctionType:
        """Return the function as if it were written on the first line of a file in this folder.

        numba compiles a function again whenever its file or its line changes. The name of the folder says all that
        matters, and it does not change with a docstring or with the place where the package is installed.
        """
        code = function.__code__.replace(co_filename=str(self._source), co_firstlineno=1)
        placed = FunctionType(code, function.__globals__, function.__name__, function.__defaults__)
        placed.__module__ = function.__module__
        placed.__qualname__ = function.__qualname__
        return placed

    def remove_unsealed(self, function: str) -> None:
        """Remove a function's files that are damaged, or that no seal vouches for."""
        for path in self._files(function):
            with suppress(OSError):  # another process has removed it
                # Without a seal file, the start of the content is read as the seal and does not match
                seal = b""
                with suppress(FileNotFoundError):
                    seal = _seal_of(path).read_bytes()
                if unsealed(seal + path.read_bytes(), path.name) is None:
                    path.unlink()

    def seal(self, function: str) -> None:
        """Seal a function's files, which numba has just written.

        If another process replaces a file meanwhile, the seal is wrong, and the function is compiled again.
        """
        for path in self._files(function):
            with suppress(OSError):  # without a seal it is compiled again
                seal = sealed(path.read_bytes(), path.name)[:SEAL]
                new = _seal_of(path)
                if not new.is_file() or new.read_bytes() != seal:
                    new.write_bytes(seal)

    def _files(self, function: str) -> Iterator[Path]:
        """Yield numba's files of a function, which it names after the function's file, name and line."""
        # In depth, since numba adds a folder __pycache__
        for path in self.path.rglob(f"{self._source.stem}.{function}-1.*"):
            if path.suffix in _NUMBAS_SUFFIXES:
                yield path


def _seal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}{_SEAL_SUFFIX}")
