"""Options for threads, progress, formats, output files and the LaTeX table."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, get_args

from mteval.analysis.work import Progress, Work, ignore, means_of_computation
from mteval.answers.findings import finding_notes
from mteval.answers.scores import COLUMNS
from mteval.base.errors import SettingsError
from mteval.base.kernels import making_told
from mteval.base.parallel import CLUSTER_VARIABLE
from mteval.cli.console import STANDARD_OUTPUT, add_truth, file_to_write, refuse, tell, write_lines
from mteval.report.paper_table import DEFAULT_COLUMNS, FIXED_COLUMNS, LAYOUTS, LatexChoice, usual_layout
from mteval.values.findings import Finding
from mteval.values.model import TestSet

_BAR = "{percentage:3.0f}% |{bar:30}| {desc} [{elapsed}, {remaining} left]"
LATEX_CHOICES = ("latex_layout", "latex_columns", "latex_metrics", "latex_systems")
Format = Literal["text", "tsv", "json", "latex", "markdown"]
FORMATS: tuple[Format, ...] = get_args(Format)


def add_computing_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--threads``, ``--cluster``, ``--verbosity`` and ``--debug``."""
    group = parser.add_argument_group("computation")
    text = "number of threads (default: all cores); results do not depend on it"
    group.add_argument("--threads", dest="workers", type=int, default=0, metavar="N", help=text)
    text = f"Dask scheduler for slow work (or {CLUSTER_VARIABLE}); models run on its workers, in their versions"
    group.add_argument("--cluster", metavar="ADDRESS", help=text)
    group.add_argument("--verbosity", type=int, default=0, metavar="N", help="accepted for MultEval; no effect")
    add_truth(group, "--debug", "show tracebacks of errors")


@contextmanager
def work_for(options: argparse.Namespace, *, prints_meanwhile: bool = False) -> Iterator[Work]:
    """Provide executor and cache as chosen, with a progress bar while they are in use.

    Parameters
    ----------
    prints_meanwhile
        Whether results are printed before the work is done; if so, a terminal shows no bar.
    """
    with progress_bar(is_alone=not (prints_meanwhile and sys.stdout.isatty())) as report:
        yield means_of_computation(options.workers, options.cluster, report=report)


@contextmanager
def progress_bar(*, is_alone: bool = True) -> Iterator[Callable[[Progress], None]]:
    """Provide a callback that draws a progress bar on stderr if that is a terminal, and remove the bar at the end.

    The bar shows elapsed and remaining time of the current part of the work.

    Parameters
    ----------
    is_alone
        False if other lines are printed on the same terminal meanwhile; nothing is drawn then.
    """
    if not is_alone or not sys.stderr.isatty():
        yield ignore
        return
    from tqdm import tqdm  # slow to import

    with tqdm(total=1.0, leave=False, miniters=0, file=sys.stderr, bar_format=_BAR, smoothing=0) as bar:
        bar.set_description_str("Starting")

        def draw(progress: Progress) -> None:
            if progress.fraction < bar.n:  # a new part of the work begins
                bar.reset()
            bar.set_description_str(progress.task, refresh=False)
            bar.update(progress.fraction - bar.n)

        def draw_made(name: str, number: int, most: int) -> None:
            draw(Progress(f"Compiling (first use only): {name} ({number})", number, most))
            bar.refresh()

        with making_told(draw_made):
            yield draw


def add_output_options(parser: argparse.ArgumentParser, formats: Sequence[Format] = FORMATS) -> argparse._ArgumentGroup:
    """Add ``--format``, ``--quiet`` and ``--json``, and return their group."""
    group = parser.add_argument_group("output", "Use - for standard output.")
    group.add_argument("--format", choices=formats, default="text", help="default: text")
    group.add_argument("--json", type=file_to_write, metavar="FILE", help="write all numbers")
    add_quiet(group)
    return group


def add_quiet(group: argparse._ActionsContainer) -> None:
    """Add ``--quiet``."""
    add_truth(group, "--quiet", "suppress notes, footnotes, progress bars and RESULT lines")


def add_verbose(group: argparse._ActionsContainer) -> None:
    """Add ``-v``."""
    text = "add intervals of scores, corpus precisions, brevity penalty and lengths"
    group.add_argument("-v", "--verbose", action="store_true", help=text)


def is_taken(options: argparse.Namespace) -> bool:
    """Tell whether an output file is standard output, so that nothing else is printed.

    Raises
    ------
    SettingsError
        If several are, or ``--format`` asks for something else.
    """
    printed = [
        name for name in ("csv", "json", "latex", "junit", "summary") if getattr(options, name, None) == STANDARD_OUTPUT
    ]
    if len(printed) > 1 or (printed and options.format not in ("text", printed[0])):
        raise SettingsError("Only one output can go to standard output (-). Remove --format, or write to a file.")
    return bool(printed)


def publish(
    options: argparse.Namespace, numbers: Callable[[], str], lines: Iterable[str], findings: Iterable[Finding] = ()
) -> None:
    """Write the numbers to the file of ``--json``; print numbers or lines, unless a file is standard output.

    ``findings`` are part of the lines; warnings go to stderr if no lines for people are printed.
    """
    if is_taken(options) or options.format not in ("text", "markdown"):
        tell_warnings(findings)
    if options.json:
        write_lines(options.json, [numbers().removesuffix("\n")])
    if not is_taken(options):
        write_lines(STANDARD_OUTPUT, [numbers().removesuffix("\n")] if options.format == "json" else lines)


def tell_warnings(findings: Iterable[Finding]) -> None:
    """Print warnings about the data on stderr."""
    for note in finding_notes(findings):
        tell(f"warning: {note.text}")


def add_latex_looks(group: argparse._ArgumentGroup) -> None:
    """Add the options for layout, rows and columns of the LaTeX table."""
    add_truth(group, "--fullLatexDoc", "write a complete LaTeX document")
    text = "default: systems for four or more systems, else booktabs"
    group.add_argument("--latex-layout", choices=LAYOUTS, help=text)
    omitted = [column for column in COLUMNS if column not in DEFAULT_COLUMNS]
    text = f"booktabs columns: {', '.join(COLUMNS)} (default: all with values but {', '.join(omitted)})"
    group.add_argument("--latex-columns", nargs="+", choices=tuple(COLUMNS), metavar="C", help=text)
    group.add_argument("--latex-metrics", nargs="+", type=str.lower, metavar="M", help="metrics to show (default: all)")
    group.add_argument("--latex-systems", nargs="+", metavar="S", help="systems to show (default: all)")


def latex_choice(options: argparse.Namespace, metrics: Iterable[str], test_set: TestSet) -> LatexChoice:
    """Return the chosen layout, columns and rows of the LaTeX table.

    Parameters
    ----------
    metrics
        Keys of the computed metrics.

    Raises
    ------
    SettingsError
        If the layout has fixed columns, or a metric or system is unknown.
    """
    columns = options.latex_columns
    layout = options.latex_layout or ("booktabs" if columns else usual_layout(len(test_set.systems)))
    if columns and layout in FIXED_COLUMNS:
        raise SettingsError(
            f"--latex-columns has no effect with --latex-layout {layout}, whose columns are fixed. Remove one of them."
        )
    if columns and len(set(columns)) < len(columns):
        raise SettingsError("A column is named twice in --latex-columns.")
    return LatexChoice(
        layout,
        tuple(columns or ()),
        _some("--latex-metrics", options.latex_metrics, {key.lower(): key for key in metrics}),
        _some("--latex-systems", options.latex_systems, {one.key: one.key for one in test_set.systems}),
        is_document=options.fullLatexDoc,
    )


def check_table_is_wanted(options: argparse.Namespace) -> None:
    """Refuse options of the LaTeX table if there is none; MultEval's ``--fullLatexDoc`` gets a note only.

    Raises
    ------
    SettingsError
        If one is given without ``--latex`` or ``--format latex``.
    """
    if options.latex or options.format == "latex":
        return
    refuse(options, LATEX_CHOICES, "needs --latex FILE or --format latex")
    if options.fullLatexDoc:
        tell("--fullLatexDoc has no effect without --latex")


def _some(option: str, words: Sequence[str] | None, known: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the keys of the named rows; None without names."""
    for word in words or ():
        if word not in known:
            raise SettingsError(f"{option}: unknown name '{word}'. Found: {', '.join(known.values())}.")
    return tuple(known[word] for word in words) if words else None
