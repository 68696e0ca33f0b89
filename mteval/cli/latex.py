"""The LaTeX table of a comparison."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.overview import reported_test_set
from mteval.cli.words import add_truth, write_lines
from mteval.export.latex import COLUMNS, DEFAULT_COLUMNS, LAYOUTS
from mteval.model import Experiment
from mteval.reporting.report import Report
from mteval.reporting.texts import LatexChoice, latex


def add_latex_options(group: argparse._ArgumentGroup) -> None:
    """Add ``--latex`` and what says how it looks."""
    group.add_argument("--latex", type=Path, metavar="FILE", help="write a table for a paper there")
    add_latex_looks(group)


def add_latex_looks(group: argparse._ArgumentGroup) -> None:
    """Add what says how the table looks."""
    add_truth(group, "--fullLatexDoc", "make it a document that compiles")
    group.add_argument("--latex-layout", choices=LAYOUTS, default=LAYOUTS[0], help="its look (default: %(default)s)")
    group.add_argument(
        "--latex-columns", nargs="+", choices=COLUMNS, default=list(DEFAULT_COLUMNS), metavar="C",
        help=f"columns of the layout booktabs, among {', '.join(COLUMNS)} (default: {' '.join(DEFAULT_COLUMNS)})",
    )  # fmt: skip


def latex_choice(options: argparse.Namespace) -> LatexChoice:
    """How the user wants the table."""
    return LatexChoice(options.latex_layout, tuple(options.latex_columns), is_document=options.fullLatexDoc)


def write_latex(
    options: argparse.Namespace, experiment: Experiment, evaluation: Evaluation, system_names: Mapping[str, str]
) -> None:
    """Write the table, where one is wanted.

    Raises
    ------
    MtevalError
        Where the file cannot be written.
    """
    if options.latex:
        report = Report(experiment, evaluation, reported_test_set(experiment), shown_names=system_names)
        write_lines(options.latex, latex(report, latex_choice(options)).splitlines())
