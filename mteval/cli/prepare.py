"""``mteval prepare``: compile code and build METEOR's index before first use."""

import argparse
import py_compile
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path

from mteval.analysis.evaluation import prepare_further, prepare_usual
from mteval.analysis.scoring import Work, means_of_computation
from mteval.base.errors import MtevalError
from mteval.cli.output_options import progress_bar

PACKAGE = Path(__file__).parent.parent
_PARTS: Mapping[str, Callable[[Work], None]] = {"usual": prepare_usual, "further": prepare_further}


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.description = (
        "Compile code for this processor and build METEOR's paraphrase index, if its data are installed. Both are"
        " cached, so that the first use does not wait. So is Python's bytecode, even with PYTHONDONTWRITEBYTECODE."
    )
    text = "usual: the usual metrics; further: METEOR and NIST"
    parser.add_argument("--only", choices=tuple(_PARTS), help=text)


def run(options: argparse.Namespace) -> None:
    """Prepare one part here, with a progress bar, and the others in processes of their own.

    Raises
    ------
    MtevalError
        If another process failed.
    """
    parts = [options.only] if options.only else list(_PARTS)
    own_part, *other_parts = parts
    command = [sys.executable, "-m", "mteval", "prepare", "--only"]
    processes = [subprocess.Popen([*command, part], stderr=subprocess.PIPE, text=True) for part in other_parts]
    with progress_bar() as report:
        prepare = _PARTS[own_part]
        prepare(means_of_computation(1, None, report=report))
    keep_bytecode()
    for process in processes:
        _, errors = process.communicate()
        if process.returncode:
            raise MtevalError(f"Compiling failed: {errors.strip()}")


def keep_bytecode(package: Path = PACKAGE) -> None:
    """Write the bytecode of a package's files and of all modules that are loaded, where there is none.

    Python does it by itself, unless ``PYTHONDONTWRITEBYTECODE`` is set; then every start would compile them again.
    """
    sources = set(package.rglob("*.py"))
    for module in list(sys.modules.values()):
        spec = getattr(module, "__spec__", None)
        if spec is not None and spec.has_location and str(spec.origin).endswith(".py"):
            sources.add(Path(spec.origin))
    for source in sources:
        # Neither a folder of another user nor a test file in broken Python is an error
        with suppress(OSError, py_compile.PyCompileError):
            if not Path(cache_from_source(source)).exists():
                py_compile.compile(str(source), doraise=True)
