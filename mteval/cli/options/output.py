"""Options of how a command works and what it prints and writes: threads, progress, formats, files, a paper's table."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, get_args

from mteval.analysis.work import Progress, Work, ignore, means_of_computation
from mteval.answers.scores import COLUMNS
from mteval.base.errors import SettingsError
from mteval.base.kernels import making_told
from mteval.base.parallel import CLUSTER_VARIABLE
from mteval.cli.console import STANDARD_OUTPUT, add_truth, file_to_write, refuse, tell, write_lines
from mteval.report.paper_table import DEFAULT_COLUMNS, FIXED_COLUMNS, LAYOUTS, LatexChoice, usual_layout
from mteval.values.model import TestSet

_BAR = "{percentage:3.0f}% |{bar:30}| {desc} [{elapsed}, {remaining} left]"
LATEX_CHOICES = ("latex_layout", "latex_columns", "latex_metrics", "latex_systems")
Format = Literal["text", "tsv", "json", "latex", "markdown"]
FORMATS: tuple[Format, ...] = get_args(Format)


def add_computing_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--threads``, ``--cluster``, ``--verbosity`` and ``--debug``."""
    group = parser.add_argument_group("computation", "These options do not affect results.")
    text = "0 uses all cores (default: %(default)s)"
    group.add_argument("--threads", dest="workers", type=int, default=0, metavar="N", help=text)
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help=f"Dask scheduler for slow work, e.g. tcp://host:8786 (or {CLUSTER_VARIABLE})",
    )
    group.add_argument("--verbosity", type=int, default=0, metavar="N", help="accepted for MultEval; no effect")
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
        yield means_of_computation(options.workers, options.cluster, report=report)


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

        def draw_made(name: str, number: int, most: int) -> None:
            draw(Progress(f"Making machine code, once: {name} ({number})", number, most))
            bar.refresh()

        with making_told(draw_made):
            yield draw


def add_output_options(parser: argparse.ArgumentParser, formats: Sequence[Format] = FORMATS) -> argparse._ArgumentGroup:
    """Add ``--format``, ``--quiet`` and ``--json``, in a group that a command may add its own files to."""
    group = parser.add_argument_group("output", "FILE may be - for standard output.")
    group.add_argument("--format", choices=formats, default="text", help="what is printed (default: text)")
    group.add_argument("--json", type=file_to_write, metavar="FILE", help="write all numbers to FILE")
    add_quiet(group)
    return group


def add_quiet(group: argparse._ActionsContainer) -> None:
    """Add ``--quiet``."""
    add_truth(group, "--quiet", "suppress notes, progress bars and RESULT lines")


def is_taken(options: argparse.Namespace) -> bool:
    """Whether a file is standard output, so that nothing else is printed.

    Raises
    ------
    SettingsError
        Where several are, or ``--format`` asks for something else there.
    """
    printed = [name for name in ("csv", "json", "latex") if getattr(options, name, None) == STANDARD_OUTPUT]
    if len(printed) > 1 or (printed and options.format not in ("text", printed[0])):
        raise SettingsError("Standard output, -, can take one thing; leave --format out, or write to a file.")
    return bool(printed)


def publish(options: argparse.Namespace, numbers: str, lines: Iterable[str]) -> None:
    """Write the numbers to the file of ``--json``, and print them or the lines unless a file takes their place."""
    if options.json:
        write_lines(options.json, [numbers.removesuffix("\n")])
    if not is_taken(options):
        write_lines(STANDARD_OUTPUT, [numbers.removesuffix("\n")] if options.format == "json" else lines)


def add_latex_looks(group: argparse._ArgumentGroup) -> None:
    """Add what says how the table for a paper looks, and which rows and columns it has."""
    add_truth(group, "--fullLatexDoc", "make the table a document that compiles")
    text = "default: systems for four or more systems, else booktabs"
    group.add_argument("--latex-layout", choices=LAYOUTS, help=text)
    text = f"columns of the booktabs layout: {', '.join(COLUMNS)} (default: {' '.join(DEFAULT_COLUMNS)})"
    group.add_argument("--latex-columns", nargs="+", choices=tuple(COLUMNS), metavar="C", help=text)
    group.add_argument("--latex-metrics", nargs="+", type=str.lower, metavar="M", help="metrics shown (default: all)")
    text = "systems shown, e.g. baseline sys1 (default: all)"
    group.add_argument("--latex-systems", nargs="+", metavar="S", help=text)


def latex_choice(options: argparse.Namespace, metrics: Iterable[str], test_set: TestSet) -> LatexChoice:
    """How the user wants the table.

    Parameters
    ----------
    metrics
        Keys of those that are computed.

    Raises
    ------
    SettingsError
        On columns that the layout does not have, and on metrics and systems that are not there.
    """
    columns = options.latex_columns
    layout = options.latex_layout or ("booktabs" if columns else usual_layout(len(test_set.systems)))
    if columns and layout in FIXED_COLUMNS:
        raise SettingsError(f"--latex-columns: the layout {layout} has columns of its own; leave one of the two out.")
    if columns and len(set(columns)) < len(columns):
        raise SettingsError("--latex-columns: a column stands twice; name each once.")
    return LatexChoice(
        layout,
        tuple(columns or DEFAULT_COLUMNS),
        _some("--latex-metrics", options.latex_metrics, {key.lower(): key for key in metrics}),
        _some("--latex-systems", options.latex_systems, {one.key: one.key for one in test_set.systems}),
        is_document=options.fullLatexDoc,
    )


def check_table_is_wanted(options: argparse.Namespace) -> None:
    """Refuse rows, columns and the look of a table that is not asked for; of MultEval's option it is said.

    Raises
    ------
    SettingsError
        Where they are chosen without ``--latex`` and ``--format latex``.
    """
    if options.latex or options.format == "latex":
        return
    why = "the table of --latex, which is not there; name its file by --latex, or print it by --format latex"
    refuse(options, LATEX_CHOICES, f"is about {why}")
    if options.fullLatexDoc:
        tell("--fullLatexDoc has no effect without --latex")


def _some(option: str, words: Sequence[str] | None, known: Mapping[str, str]) -> tuple[str, ...] | None:
    """The keys that the words name; None where there are no words."""
    for word in words or ():
        if word not in known:
            raise SettingsError(f"{option}: there is no '{word}' in the table; there are: {', '.join(known.values())}.")
    return tuple(known[word] for word in words) if words else None
