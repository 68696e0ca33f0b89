"""The command line: ``mteval eval``, ``run``, ``report``, ``compare`` and the others that ``mteval --help`` lists."""

import argparse
import atexit
import errno
import gc
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import IO, Any, cast

from mteval._version import __version__
from mteval.base.errors import MtevalError, shortened
from mteval.cli.console import EXIT_BAD_INPUT, Parser, Terminal, examples, tell

EXIT_STOPPED = 130
_MANY_OBJECTS = 500_000  # tens of megabytes
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_WHAT = (
    "Is machine-translation system B really better than system A, once luck with the test set and luck with training"
    " are both accounted for?"
)
_HOW = "'mteval COMMAND --help' lists the options of a command.\n\n" + examples(
    "eval --refs ref.txt --system old old.1.txt old.2.txt old.3.txt --system new new.1.txt new.2.txt new.3.txt",
    "app",
)
# Packages that take long to load wait until something of them is used, since few commands use all of them. The compiler
# asks at its start whether the last one is there.
LATE = ("pandas", "scipy.special", "scipy.optimize", "sacrebleu", "openpyxl", "scipy.linalg.cython_blas")
COMMANDS: Mapping[str, str] = {  # a module of this package each, and what it does
    "eval": "compare systems with a baseline",
    "run": "compute an experiment again from its experiment.toml",
    "report": "write tables, figures and a page for the paper",
    "compare": "test differences by any procedure",
    "claim": "one claim from several test sets or language pairs",
    "nbest": "score n-best lists and find the best and worst hypotheses",
    "replicate": "how many runs do I need?",
    "people": "compare metrics, tests and raters with what people said",
    "library": "list, show, export, compare and remove the experiments that the dashboard keeps",
    "annotations": "copy the database of annotations to a file",
    "campaigns": "list the campaigns of annotation with their links",
    "prepare": "make machine code and METEOR's index, for which the first use would wait",
    "app": "start the dashboard in the browser",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one sub-command; the exit status is 0, or 2 with one line on standard error where the input is bad."""
    options = argparse.Namespace()
    if arguments is None:  # else looking for garbage takes a fourth of a short command, among what imports made
        gc.set_threshold(_MANY_OBJECTS)
        atexit.register(gc.freeze)
    try:
        _parse(list(sys.argv[1:] if arguments is None else arguments), options)
        with ExitStack() as stack:
            if getattr(options, "quiet", False):
                nowhere = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
                stack.enter_context(redirect_stderr(nowhere))
            if sys.stdout.isatty():  # files and other programs get every character as it is
                stack.enter_context(redirect_stdout(cast(IO[str], Terminal(sys.stdout))))
            options.run(options)
        sys.stdout.flush()
    except MtevalError as error:
        if getattr(options, "debug", False):
            raise
        tell(error)
        return EXIT_BAD_INPUT
    except KeyboardInterrupt:
        tell("stopped")
        return EXIT_STOPPED
    except BrokenPipeError:  # the reader of the pipe, as head, has seen enough
        _drop_output()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:  # whatever looked whether there is such a file
            tell(f"{shortened(str(error.filename))}: {error.strerror}; name another file.")
            return EXIT_BAD_INPUT
        if error.errno not in _FULL or error.filename is not None:
            raise
        _drop_output()
        tell(f"standard output cannot be written: {error.strerror}")
        return EXIT_BAD_INPUT
    return 0


def _parse(words: Sequence[str], options: argparse.Namespace) -> None:
    """Fill in the options.

    Of the commands only the one that is named is loaded: the others would take longer than some of its work.
    """
    parser = Parser(prog="mteval", description=_WHAT, epilog=_HOW, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"mteval {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, allow_abbrev=False)
        if words[:1] == [name]:
            _load_late(LATE)
            module = import_module(f"mteval.cli.{name}")
            command.set_defaults(run=module.run, parser=command)
            module.add_options(command, words)
    _, unknown = parser.parse_known_args(words, options)
    if unknown:
        options.parser.refuse(unknown)


def _drop_output() -> None:
    """What is still to be written on standard output goes nowhere, so that nothing fails once more at the exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _LateModule(ModuleType):
    """Stands for a module until it is first asked for a name, and hands on what the module answers.

    The library's own ``LazyLoader`` loads a module as soon as a second ``import`` names it.
    """

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def _load_late(modules: tuple[str, ...]) -> None:
    """From now on ``import`` gives a module that loads itself when it is first asked for a name.

    Those that are loaded already, and those of packages that are not installed, stay as they are.
    """
    for name in modules:
        if name not in sys.modules and find_spec(name.partition(".")[0]) is not None:
            sys.modules[name] = _LateModule(name)
