"""Options of the computation itself, on which no number depends, and its progress where a person watches.

How results are printed: for people, for programs, for papers.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, get_args

from mteval.analysis.work import Progress, Work, ignore, means_of_computation
from mteval.base.errors import SettingsError
from mteval.base.kernels import making_told
from mteval.base.parallel import CLUSTER_VARIABLE
from mteval.cli.console import STANDARD_OUTPUT, add_truth

_BAR = "{percentage:3.0f}% |{bar:30}| {desc} [{elapsed}, {remaining} left]"


def add_computing_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--threads``, ``--cluster``, ``--verbosity`` and ``--debug``."""
    group = parser.add_argument_group("computation", "No number depends on it.")
    group.add_argument("--threads", type=int, default=0, metavar="N", help="0 takes all cores (default: %(default)s)")
    group.add_argument(
        "--cluster", metavar="ADDRESS", help=f"Dask scheduler for slow work, as tcp://host:8786 (or {CLUSTER_VARIABLE})"
    )
    group.add_argument(
        "--verbosity", type=int, default=0, metavar="N", help="as in MultEval; no effect: all lines are always printed"
    )
    add_truth(group, "--debug", "show where in the program an error arose")


@contextmanager
def work_for(options: argparse.Namespace, *, prints_meanwhile: bool = False) -> Iterator[Work]:
    """Means of computation as the user chose them, with a progress bar while they are in use.

    Parameters
    ----------
    prints_meanwhile
        Whether results are printed before the work is done; on a terminal there is no bar then.
    """
    with progress_bar(is_alone=not (prints_meanwhile and sys.stdout.isatty())) as report:
        yield means_of_computation(options.threads, options.cluster, report=report)


@contextmanager
def progress_bar(*, is_alone: bool = True) -> Iterator[Callable[[Progress], None]]:
    """A listener that draws a bar on standard error where that is a terminal; the bar is gone at the end.

    Beside it stand the time since a part of the work began, and what is left of it at that speed.

    Parameters
    ----------
    is_alone
        False where other lines are printed on the same terminal meanwhile: then nothing is drawn.
    """
    if not is_alone or not sys.stderr.isatty():
        yield ignore
        return
    from tqdm import tqdm  # here, because most of its work is to be imported

    with tqdm(total=1.0, leave=False, miniters=0, file=sys.stderr, bar_format=_BAR, smoothing=0) as bar:
        bar.set_description_str("Starting")

        def draw(progress: Progress) -> None:
            if progress.fraction < bar.n:  # a new part of the work begins, of which nothing is known yet
                bar.reset()
            bar.set_description_str(progress.task, refresh=False)
            bar.update(progress.fraction - bar.n)

        def tell(name: str, number: int, most: int) -> None:
            draw(Progress(f"Making machine code, once: {name} ({number})", number, most))
            bar.refresh()

        with making_told(tell):
            yield draw


Format = Literal["text", "tsv", "json", "latex", "markdown"]
FORMATS: tuple[Format, ...] = get_args(Format)
_READERS: Mapping[str, tuple[Format, ...]] = {
    "people": ("text",),
    "programs": ("tsv", "json"),
    "papers": ("latex", "markdown"),
}


def add_output_options(parser: argparse.ArgumentParser, formats: Sequence[Format] = FORMATS) -> argparse._ArgumentGroup:
    """Add ``--format`` and ``--quiet``, in a group that a command may add its own files to."""
    group = parser.add_argument_group("what is printed and written", "As a file, - is standard output.")
    group.add_argument("--format", choices=formats, default="text", help=f"{_readers(formats)} (default: text)")
    add_quiet(group)
    return group


def _readers(formats: Sequence[Format]) -> str:
    """Whom each of the formats is for."""
    named = {reader: " or ".join(key for key in keys if key in formats) for reader, keys in _READERS.items()}
    return ", ".join(f"{keys} for {reader}" for reader, keys in named.items() if keys)


def add_quiet(group: argparse._ActionsContainer) -> None:
    """Add ``--quiet``."""
    add_truth(group, "--quiet", "print no remarks, bars and result lines on standard error, only errors")


def is_taken(options: argparse.Namespace, *files: Path | None) -> bool:
    """Whether one of the files is standard output, so that nothing else is printed.

    Raises
    ------
    SettingsError
        Where several are, or ``--format`` asks for something else there.
    """
    named = files.count(STANDARD_OUTPUT)
    if named > 1 or (named and options.format != "text"):
        raise SettingsError("Standard output, -, can take one thing; leave --format out, or write to a file.")
    return bool(named)
