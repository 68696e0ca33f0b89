"""The command line: ``mteval eval``, ``run``, ``report``, ``compare`` and the others that ``mteval --help`` lists."""

import argparse
import atexit
import errno
import gc
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, redirect_stderr
from importlib import import_module
from itertools import takewhile

from mteval._version import __version__
from mteval.base.errors import MtevalError, shortened
from mteval.base.foreign import errors_of_plugins_named
from mteval.base.late import PACKAGES, load_late
from mteval.cli.console import EXIT_BAD_INPUT, Parser, examples, inputs_kept, tell

EXIT_STOPPED = 130
COMPLETION = "_ARGCOMPLETE"  # set by the shell when a user presses Tab
_MANY_OBJECTS = 500_000  # tens of megabytes
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_WHAT = (
    "Is translation system B really better than system A, or did it get lucky with the test set or the training seed?"
)
_HOW = "Run 'mteval COMMAND --help' for the options of a command.\n\n" + examples(
    "eval --refs ref.txt --system old old.*.txt --system new new.*.txt", "app"
)
OF_SACREBLEU = ("lxml.etree", "portalocker", "wcwidth")  # its data sets and tables, while mteval uses its tokenizers
LATE = (*PACKAGES, *OF_SACREBLEU, "openpyxl", "scipy.linalg.cython_blas")  # numba checks for the last when it starts
BEFORE_COMMANDS = ("--quiet", "--debug")  # options of commands that may also precede them
COMMANDS: Mapping[str, str] = {  # a module of this package each, and what it does
    "eval": "compare systems with a baseline",
    "check": "list what each file is read as, and what the files support",
    "score": "write segment scores to a file, for several machines",
    "run": "recompute a saved experiment.toml",
    "report": "write tables, figures and an HTML report",
    "compare": "test differences by any procedure",
    "gate": "let a candidate pass or fail, e.g. at each push",
    "claim": "test a claim on several test sets or language pairs",
    "nbest": "score and rank n-best lists",
    "words": "show which words and n-grams differ, over all runs",
    "replicate": "estimate how many runs you need",
    "plan": "fix metrics, test set, runs and tests before results are seen",
    "sample": "draw segments for people to judge",
    "people": "compare metrics and tests with human judgements",
    "models": "get, list and check models of learned metrics",
    "library": "list, show, export, compare or remove saved experiments",
    "annotations": "back up the annotation database",
    "campaigns": "make, start, list, close and export annotation campaigns",
    "prepare": "compile code and build METEOR's index before first use",
    "app": "start the dashboard in the browser",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand and return its exit status: 0, or 2 with one line on stderr if the input is bad.

    ``mteval gate`` also exits with 1 or 3.
    """
    options = argparse.Namespace()
    if arguments is None:  # garbage collection of imported objects would take a quarter of a short command
        gc.set_threshold(_MANY_OBJECTS)
        atexit.register(gc.freeze)
    if COMPLETION in os.environ:  # the shell asks for completions of a line
        arguments = os.environ.get("COMP_LINE", "").split()[1:]
    try:
        parse(sys.argv[1:] if arguments is None else arguments, options)
        with ExitStack() as stack:
            if getattr(options, "quiet", False):
                stack.enter_context(redirect_stderr(stack.enter_context(open(os.devnull, "w", encoding="utf-8"))))
            _name_machines(options, stack)
            stack.enter_context(inputs_kept(options, options.parser))
            with errors_of_plugins_named():
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
    except BrokenPipeError:  # the reader of the pipe, e.g. head, has closed it
        _drop_output()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:  # from any test whether a file exists
            tell(f"{shortened(str(error.filename))}: {error.strerror}. Use a shorter file name.")
            return EXIT_BAD_INPUT
        if error.errno not in _FULL or error.filename is not None:
            raise
        _drop_output()
        tell(f"Cannot write to standard output: {error.strerror}")
        return EXIT_BAD_INPUT
    return getattr(options, "status", 0)


def _name_machines(options: argparse.Namespace, stack: ExitStack) -> None:
    """Put cluster and device into the environment, where metrics look for them, until the stack is closed."""
    for option, variable in {"cluster": "MTEVAL_CLUSTER", "device": "MTEVAL_NEURAL_DEVICES"}.items():
        value = getattr(options, option, None)
        if not value:
            continue
        value_before = os.environ.get(variable)
        os.environ[variable] = value
        # Callbacks run in reverse: the variable is removed, then restored
        if value_before is not None:
            stack.callback(os.environ.update, {variable: value_before})
        stack.callback(os.environ.pop, variable)


def parse(words: Sequence[str], options: argparse.Namespace) -> None:
    """Parse the words into ``options``, loading only the module of the named command.

    Help, version and errors end the program.
    """
    words = list(words)
    before = list(takewhile(BEFORE_COMMANDS.__contains__, words))
    if len(before) < len(words):
        words = [*words[len(before) :], *before]
    parser = Parser(prog="mteval", description=_WHAT, epilog=_HOW, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"mteval {__version__}", help="show the version")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, allow_abbrev=False)
        if words[:1] == [name]:
            load_late(LATE)
            module = import_module(f"mteval.cli.{name}")
            command.set_defaults(run=module.run, parser=command)
            module.add_options(command, words)
    if COMPLETION in os.environ:
        import argcomplete  # optional

        argcomplete.autocomplete(parser)
    _, unknown = parser.parse_known_args(words, options)
    if unknown:
        getattr(options, "parser", parser).refuse(unknown)


def _drop_output() -> None:
    """Discard what is still buffered for standard output, so that flushing at exit does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
