"""Options that commands share: settings and resampling, threads, progress, formats, output files, the LaTeX table."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from mteval._version import __version__
from mteval.analysis.findings import expected_use
from mteval.analysis.scoring import Progress, Work, ignore, means_of_computation
from mteval.answers.findings import finding_notes
from mteval.answers.scores import COLUMNS
from mteval.base.errors import SettingsError
from mteval.base.kernels import compiling_reported
from mteval.base.parallel import CLUSTER_VARIABLE
from mteval.base.words import visible
from mteval.cli.console import (
    STANDARD_OUTPUT,
    add_truth,
    file_to_write,
    keep_inputs,
    number,
    refuse,
    say,
    tell,
    write_lines,
    write_text,
)
from mteval.cli.metric_options import options_given, report_unusable
from mteval.metrics import METRICS, resolve, with_language, with_optimized
from mteval.readers.appearance import suggest_convention
from mteval.readers.disk import read_lines
from mteval.readers.documents import FILE_NAME
from mteval.report.paper_table import ALL_LAYOUTS, DEFAULT_COLUMNS, FIXED_COLUMNS, LatexChoice, usual_layout
from mteval.values.findings import Finding
from mteval.values.model import Experiment, TestSet
from mteval.values.run_words import RUN_WORDS
from mteval.values.settings import DECISIONS, DESIGNS, EXCHANGE_UNITS, SPENDINGS, Settings

if TYPE_CHECKING:
    from mteval.readers.replays import Replay
    from mteval.values.plan import Planned

_BAR = "{percentage:3.0f}% |{bar:30}| {desc} [{elapsed}, {remaining} left]"
_DEFAULTS = Settings()
LATEX_CHOICES = ("latex_layout", "latex_columns", "latex_metrics", "latex_systems")
Format = Literal["text", "tsv", "json", "latex", "markdown"]
FORMATS: tuple[Format, ...] = get_args(Format)
FOR_PEOPLE: tuple[Format, ...] = ("text", "markdown")


def add_computing_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--threads``, ``--cluster``, ``--verbosity`` and ``--debug``."""
    group = parser.add_argument_group("computation")
    text = "number of threads (default: all cores); results do not depend on it"
    group.add_argument("--threads", dest="workers", type=int, default=0, metavar="N", help=text)
    text = f"Dask scheduler for slow work (or {CLUSTER_VARIABLE}); its workers run their own versions of the models"
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
            if progress.fraction < bar.n:  # a new part of the work begins, with its own time
                bar.reset()
            bar.set_description_str(visible(progress.task), refresh=False)
            bar.update(progress.fraction - bar.n)

        def draw_compiling(name: str, number: int, most: int) -> None:
            draw(Progress(f"Compiling (first use only): {name} ({number})", number, most))
            bar.refresh()

        with compiling_reported(draw_compiling):
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
    text = "add intervals of scores, corpus precisions, brevity penalty and lengths; with several test sets, each one"
    group.add_argument("-v", "--verbose", action="store_true", help=text)


def check_one_is_printed(options: argparse.Namespace) -> None:
    """Refuse options that would print two things on standard output.

    Raises
    ------
    SettingsError
        If several output files are standard output, or ``--format`` asks for another format than such a file.
    """
    printed = _printed_files(options)
    if len(printed) > 1 or (printed and options.format not in ("text", printed[0])):
        raise SettingsError("Only one output can go to standard output (-). Remove --format, or write to a file.")


def _printed_files(options: argparse.Namespace) -> list[str]:
    """Return the options whose output file is standard output, so that nothing else is printed."""
    files = ("csv", "json", "latex", "junit", "summary")
    return [name for name in files if getattr(options, name, None) == STANDARD_OUTPUT]


def publish(
    options: argparse.Namespace, numbers: Callable[[], str], lines: Iterable[str], findings: Iterable[Finding] = ()
) -> None:
    """Write the numbers to the file of ``--json``; print numbers or lines, unless a file is standard output.

    ``findings`` are part of the lines; warnings go to stderr if no lines for people are printed.
    """
    check_one_is_printed(options)
    prints_file = bool(_printed_files(options))
    if prints_file or options.format not in FOR_PEOPLE:
        tell_warnings(findings)
    if options.json:
        write_text(options.json, numbers())
    if prints_file:
        return
    if options.format == "json":
        write_text(STANDARD_OUTPUT, numbers())
    elif options.format in FOR_PEOPLE:
        say(*lines)
    else:
        write_lines(STANDARD_OUTPUT, lines)


def tell_warnings(findings: Iterable[Finding]) -> None:
    """Print warnings about the data on stderr."""
    for note in finding_notes(findings):
        tell(f"warning: {note.text}")


def add_latex_looks(group: argparse._ArgumentGroup) -> None:
    """Add the options for layout, rows and columns of the LaTeX table."""
    add_truth(group, "--fullLatexDoc", "write a complete LaTeX document")
    text = "default: systems for four or more systems, else booktabs; grid: systems by test sets"
    group.add_argument("--latex-layout", choices=ALL_LAYOUTS, help=text)
    omitted = [column for column in COLUMNS if column not in DEFAULT_COLUMNS]
    text = f"booktabs columns: {', '.join(COLUMNS)} (default: all with values but {', '.join(omitted)})"
    group.add_argument("--latex-columns", nargs="+", type=_column, choices=tuple(COLUMNS), metavar="C", help=text)
    group.add_argument("--latex-metrics", nargs="+", type=str.lower, metavar="M", help="metrics to show (default: all)")
    group.add_argument("--latex-systems", nargs="+", metavar="S", help="systems to show (default: all)")


def _column(word: str) -> str:
    """Return the key of a column; an old name is read with a warning."""
    if word in COLUMNS:
        return word
    from mteval.values.renamed import RENAMED, renamed_sentence  # rarely needed

    if word not in RENAMED or RENAMED[word] not in COLUMNS:
        return word
    tell(f"warning: --latex-columns: {renamed_sentence(word)}")
    return RENAMED[word]


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
    if options.latex_layout:
        layout = options.latex_layout
    elif columns:
        layout = "booktabs"  # the only one whose columns can be chosen
    else:
        layout = usual_layout(len(test_set.systems))
    if columns and layout in FIXED_COLUMNS:
        raise SettingsError(
            f"--latex-columns has no effect with --latex-layout {layout}, whose columns are fixed. Remove one of them."
        )
    if columns and len(set(columns)) < len(columns):
        raise SettingsError("A column is named twice in --latex-columns.")
    known_metrics = {key.lower(): key for key in metrics}
    known_systems = {system.key: system.key for system in test_set.systems}
    return LatexChoice(
        layout,
        tuple(columns or ()),
        _keys_of("--latex-metrics", options.latex_metrics, known_metrics),
        _keys_of("--latex-systems", options.latex_systems, known_systems),
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


def _keys_of(option: str, words: Sequence[str] | None, known: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the keys of the named rows; None without names."""
    if not words:
        return None
    for word in words:
        if word not in known:
            raise SettingsError(f"{option}: unknown name '{word}'. Found: {', '.join(known.values())}.")
    return tuple(known[word] for word in words)


def add_setting(group: argparse._ActionsContainer, name: str, field: str, text: str, **arguments: Any) -> None:
    """Add an option for a field of ``Settings``, with the type of its default.

    Parameters
    ----------
    arguments
        Other arguments of ``add_argument``. Unless they have choices or a metavar, the value is called N.
    """
    default = getattr(_DEFAULTS, field)
    arguments.setdefault("type", number if isinstance(default, float) else type(default))
    if "choices" not in arguments:
        arguments.setdefault("metavar", "N")
    group.add_argument(name, dest=field, default=default, help=f"{text} (default: %(default)s)", **arguments)


def add_numbers(parser: argparse.ArgumentParser) -> None:
    """Add the options of tests: replicates, shuffles, unit, confidence, design, seed and interim analyses."""
    group = parser.add_argument_group("tests")
    add_setting(group, "--boot-samples", "n_bootstrap", "bootstrap replicates for s_sel")
    add_setting(group, "--ar-shuffles", "n_shuffles", "shuffles for p")
    unit = "what the test permutes; auto: documents if known"
    add_setting(group, "--ar-unit", "exchange_unit", unit, choices=EXCHANGE_UNITS)
    add_confidence(group)
    add_design(group)
    add_optimized(group)
    text = "all: better by every metric; any: p is adjusted for the metrics, too"
    add_setting(group, "--decide", "decision", text, choices=DECISIONS)
    add_seed(group)
    add_runs(group)


def add_runs(group: argparse._ActionsContainer) -> None:
    """Add ``--looks``, ``--spending`` and ``--run-word``."""
    text = "planned interim analyses: numbers of runs, e.g. 3 5 10"
    group.add_argument("--looks", nargs="+", type=int, default=[], metavar="N", help=text)
    text = "significance level of interim analyses: constant, or stricter early"
    add_setting(group, "--spending", "spending", text, choices=SPENDINGS)
    add_run_word(group)


def add_run_word(group: argparse._ActionsContainer) -> None:
    """Add ``--run-word``."""
    text = f"what a run is: {', '.join(RUN_WORDS)}"
    add_setting(group, "--run-word", "run_word", text, choices=tuple(RUN_WORDS), metavar="WORD")


def add_design(group: argparse._ActionsContainer) -> None:
    """Add ``--design`` and ``--strict``."""
    text = (
        "paired: runs share seeds; fixed: baseline is never retrained; candidate: test a single run against the"
        " baseline's runs; released: neither system is retrained"
    )
    add_setting(group, "--design", "design", text, choices=DESIGNS)
    text = "make p_run hold its level with few runs; less power"
    group.add_argument("--strict", action="store_true", default=_DEFAULTS.strict, help=text)


def add_optimized(group: argparse._ActionsContainer) -> None:
    """Add ``--optimized``."""
    text = "systems trained or decoded towards a metric, which is marked as not independent"
    group.add_argument("--optimized", nargs="+", action="extend", default=[], metavar="SYSTEM=METRIC", help=text)


def add_resampling(group: argparse._ActionsContainer, unit: str) -> None:
    """Add ``--unit``, ``--resamples``, ``--confidence`` and ``--seed``."""
    add_setting(group, "--unit", "exchange_unit", unit, choices=("auto", "segment", "document"))
    add_setting(group, "--resamples", "n_shuffles", "shuffles or bootstrap replicates")
    add_confidence(group)
    add_seed(group)


def add_confidence(group: argparse._ActionsContainer) -> None:
    """Add ``--confidence``."""
    add_setting(group, "--confidence", "confidence", "confidence level of intervals and verdicts", metavar="C")


def add_seed(group: argparse._ActionsContainer) -> None:
    """Add ``--seed``."""
    add_setting(group, "--seed", "seed", "random seed")


def add_plan(group: argparse._ActionsContainer) -> None:
    """Add ``--plan``."""
    group.add_argument("--plan", type=Path, metavar="FILE", help="print 'as planned', or list deviations from it")


def planned_by(options: argparse.Namespace, experiment: Experiment, settings: Settings) -> "Planned | None":
    """Compare what is computed with the plan of ``--plan``; None without one.

    Raises
    ------
    MtevalError
        If the file cannot be read.
    """
    if options.plan is None:
        return None
    from mteval.readers.experiment_file import checked_plan  # rarely needed

    return checked_plan("\n".join(read_lines(options.plan)), options.plan.name, experiment, settings)


def settings_of(
    options: argparse.Namespace, metrics: Mapping[str, str], experiment: Experiment | None = None
) -> Settings:
    """Return the settings given by a command's options and metrics, with defaults for options it does not have.

    The convention is MultEval's for its own options and n-best lists; otherwise as the text looks.

    Raises
    ------
    SettingsError
        If ``--spending`` is given without ``--looks``, or a number is out of range.
    """
    # A command has options for some of the settings
    values = {field.name: getattr(options, field.name) for field in fields(Settings) if field.name in options}
    values["metrics"] = tuple(metrics)
    values["options"] = options_given(options, metrics)
    values["looks"] = tuple(values.get("looks", ()))
    values["optimized"] = tuple(values.get("optimized", ()))
    if not values["looks"] and values.get("spending", _DEFAULTS.spending) != _DEFAULTS.spending:
        raise SettingsError("--spending needs --looks.")
    is_multeval = bool(getattr(options, "hyps_baseline", None))
    if values.get("convention") is None:
        if experiment is None or is_multeval:
            values["convention"] = "multeval"
        else:
            values["convention"] = suggest_convention(experiment).convention
    settings = Settings(**values)
    if experiment is None:
        return settings
    settings = with_optimized(settings, experiment)
    if experiment.nested:
        settings = settings.of_trainings()
    if not is_multeval:
        settings = with_language(settings, experiment)
    for line in expected_use(experiment, settings):
        tell(line)
    return settings


def add_experiment_file(group: argparse._ActionsContainer, *, several: bool = False) -> None:
    """Add the positional argument for one or several experiment files."""
    report_unusable()
    text = "saved by the dashboard or 'mteval report'"
    group.add_argument("experiment", type=Path, nargs="+" if several else None, metavar=FILE_NAME, help=text)


def read_replay(path: Path) -> "Replay":
    """Read an experiment with all its files, and print notes on them.

    Raises
    ------
    MtevalError
        If a file cannot be read, or the settings cannot be used.
    """
    from mteval.readers.replays import read_experiment  # not needed by eval

    replay = read_experiment(path, reserved=METRICS)
    keep_inputs(Path(document.name) for document in replay.loaded.documents)
    try:
        resolve(replay.file.settings, replay.loaded.experiment.given)
    except SettingsError as error:
        raise SettingsError(f"{path}: 'settings': {error}") from error
    made_with = replay.file.made_with
    if made_with and made_with != f"mteval {__version__}":
        tell(f"{path} was saved by {made_with}; this is mteval {__version__}")
    for note in replay.loaded.notes:
        tell(note.text)
    return replay
