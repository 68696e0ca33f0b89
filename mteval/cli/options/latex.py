"""The LaTeX table of a comparison.

One test set, and the metrics that can compare all of its systems.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Scored
from mteval.answers.scores import COLUMNS
from mteval.base.errors import DataError, SettingsError
from mteval.cli.console import add_truth, file_to_write, tell, write_lines
from mteval.cli.options.systems import Systems
from mteval.report.paper_table import DEFAULT_COLUMNS, FIXED_COLUMNS, LAYOUTS, LatexChoice, latex, usual_layout
from mteval.values.model import Experiment, TestSet

_CHOICES = ("latex_layout", "latex_columns", "latex_metrics", "latex_systems")


def add_latex_options(group: argparse._ArgumentGroup) -> None:
    """Add ``--latex`` and what says how it looks."""
    group.add_argument("--latex", type=file_to_write, metavar="FILE", help="write a table for a paper there")
    add_latex_looks(group)


def add_latex_looks(group: argparse._ArgumentGroup) -> None:
    """Add what says how the table looks, and which rows and columns it has."""
    add_truth(group, "--fullLatexDoc", "make it a document that compiles")
    group.add_argument(
        "--latex-layout", choices=LAYOUTS, help="its look (default: systems from four systems on, else booktabs)"
    )
    group.add_argument(
        "--latex-columns", nargs="+", choices=tuple(COLUMNS), metavar="C",
        help=f"columns of the layout booktabs, among {', '.join(COLUMNS)} (default: {' '.join(DEFAULT_COLUMNS)})",
    )  # fmt: skip
    group.add_argument(
        "--latex-metrics", nargs="+", type=str.lower, metavar="M", help="metrics that it shows (default: all)"
    )
    group.add_argument(
        "--latex-systems", nargs="+", metavar="S",
        help="systems that it shows, as 'baseline sys1' or as experiment.toml names them (default: all)",
    )  # fmt: skip


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
    what = "the table of --latex, which is not there; name its file by --latex, or print it by --format latex"
    refuse_choices(options, what)
    if options.fullLatexDoc:
        tell("--fullLatexDoc has no effect without --latex")


def refuse_choices(options: argparse.Namespace, what: str) -> None:
    """Refuse rows, columns and the look of a table; ``what`` it is, and why there is none.

    Raises
    ------
    SettingsError
        Where one is chosen.
    """
    for name in _CHOICES:
        if getattr(options, name):
            raise SettingsError(f"--{name.replace('_', '-')} is about {what}.")


def write_latex(path: Path, results: Results, choice: LatexChoice) -> None:
    """Write the table.

    Raises
    ------
    MtevalError
        Where the file cannot be written, or none of the chosen systems has scores by the chosen metrics.
    """
    write_lines(path, latex(results, choice).splitlines())


def _some(option: str, words: Sequence[str] | None, known: Mapping[str, str]) -> tuple[str, ...] | None:
    """The keys that the words name; None where there are no words."""
    for word in words or ():
        if word not in known:
            raise SettingsError(f"{option}: there is no '{word}' in the table; there are: {', '.join(known.values())}.")
    return tuple(known[word] for word in words) if words else None


def add_test_set(group: argparse._ActionsContainer) -> None:
    """Add ``--test-set``."""
    group.add_argument("--test-set", metavar="NAME", help="the one reported (default: the first with role test)")


def reported(experiment: Experiment, name: str | None) -> Experiment:
    """The experiment with one test set alone.

    Raises
    ------
    DataError
        Where there is none of that name.
    """
    test_set = reported_test_set(experiment) if name is None else experiment.test_set(name)
    return replace(experiment, test_sets=(test_set,))


def comparable(scored: Sequence[Scored], systems: Systems) -> list[Scored]:
    """The metrics that have scores of all systems; what is said of the others stands on standard error.

    Raises
    ------
    DataError
        Where there is none.
    """
    wanted = {run.system for run in scored[0].test_set.runs} | {systems.experiment.baseline}
    wanted |= {system.key for one in scored for system in one.test_set.systems}
    whole = [one for one in scored if wanted <= set(one.statistics)]
    for one in scored:
        lacking = [systems.names[key] for key in systems.names if key in wanted and key not in one.statistics]
        if lacking and whole:
            tell(f"{one.metric.name} is left out: it has no scores of {', '.join(lacking)}.")
    if not whole:
        names = ", ".join(one.metric.name for one in scored)
        raise DataError(
            f"Nothing is compared: no metric has scores of all systems ({names}). Give scores of all under the same"
            " name, or take another metric."
        )
    return whole
