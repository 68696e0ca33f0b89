"""What a comparison shows and writes: tables, figures, files and the dashboard."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pandas as pd

from mteval.analysis.results import Results, overview
from mteval.answers.grid import grid_section
from mteval.answers.methods import methods_text
from mteval.answers.ranking import ranked_section, verdict_section
from mteval.answers.scores import scores_sections
from mteval.answers.section import Section
from mteval.base.errors import MtevalError, SettingsError
from mteval.readers.disk import Loaded
from mteval.readers.documents import FILE_NAME
from mteval.render.html import Markup, section_parts, styled
from mteval.render.text import text_lines
from mteval.report import page
from mteval.report.leaderboard import LeaderboardForm, leaderboard
from mteval.report.multeval import lines_below, table_lines
from mteval.report.package import KINDS, everything
from mteval.report.paper_table import LatexChoice, Layout, latex, usual_layout

if TYPE_CHECKING:
    import plotly.graph_objects as go

T = TypeVar("T")


def figure_named(figures: Mapping[str, T], *names: str) -> T:
    """Return the figure with the first known name."""
    for name in names:
        if name in figures:
            return figures[name]
    raise SettingsError(f"No figure '{names[0]}'. Found: {', '.join(figures)}.")


def notebook_html(sections: Iterable[Section], *before: Markup) -> str:
    """Return sections as HTML for a notebook, without figures."""
    shown = list(before)
    for section in sections:
        # Figures are not Markup
        shown += [part for part in section_parts(section) if isinstance(part, Markup)]
    return str(styled(*shown))


class Shown:
    """The part of a comparison that shows and writes its numbers."""

    results: Results
    loaded: Loaded
    _is_of_one: bool

    @property
    def signatures(self) -> Mapping[str, str]:
        """Return the signature of each metric, to report with its scores."""
        return self.results.signatures

    @property
    def methods(self) -> str:
        """Return the methods paragraph for a paper."""
        return methods_text(self.results)

    def table(self) -> pd.DataFrame:
        """Return Clark et al.'s Table 1, one row per metric and system, in full precision."""
        from mteval.interface.renamed_columns import NumbersFrame  # here, because its class loads pandas

        return NumbersFrame(overview(self.results).drop(columns="notation"))

    def to_latex(self, layout: Layout | None = None, *, is_document: bool = False) -> str:
        """Return the LaTeX table, by default in the usual layout, optionally as a complete document."""
        if layout is None:
            layout = usual_layout(len(self.results.systems))
        return latex(self.results, LatexChoice(layout, is_document=is_document))

    def leaderboard(self, form: LeaderboardForm = "md") -> str:
        """Return who is best by the primary metric, with tiers, ties and the definition behind them, on all test sets.

        Of a comparison ``on`` a test set, only that one.

        Parameters
        ----------
        form
            ``md`` for a model card, ``html`` for a part of a web page, ``csv`` or ``json``.

        Raises
        ------
        SettingsError
            If fewer than four systems have scores, or the metric has no better direction.
        """
        return leaderboard(self.results, form, is_of_one=self._is_of_one)

    @property
    def figures(self) -> tuple[str, ...]:
        """Return the names of the figures."""
        return tuple(page.figures_of(self.results))

    def figure(self, name: str) -> go.Figure:
        """Return one of ``figures``; without a metric in the name, the primary metric's (``runs`` is ``bleu-runs``).

        Raises
        ------
        SettingsError
            If the name is unknown.
        """
        draw = figure_named(page.figures_of(self.results), name, f"{self.results.settings.primary_metric}-{name}")
        return draw()

    def save(self, path: str | Path) -> tuple[str, ...]:
        """Write the report: HTML, table, numbers, figures, and ``experiment.toml`` with its inputs.

        Parameters
        ----------
        path
            A folder, or an archive if the name ends in ``.zip``.

        Returns
        -------
        Messages about parts that could not be made, e.g. figures as images without a browser.

        Raises
        ------
        MtevalError
            If a file cannot be written.
        """
        return self._write(Path(path), tuple(KINDS))

    def log_to_mlflow(self, experiment: str) -> str:
        """Log scores and intervals, verdicts as tags and the report as artifacts to the server set up for MLflow.

        Parameters
        ----------
        experiment
            Name of the experiment; it is made if it does not exist.

        Returns
        -------
        The ID of the new run.

        Raises
        ------
        MtevalError
            If MLflow is not installed or its server refuses.
        """
        from mteval.report.tracker import log_to_mlflow

        with tempfile.TemporaryDirectory(prefix="mteval-") as folder:
            place = Path(folder, "report.zip")
            self._write(place, tuple(KINDS))
            return log_to_mlflow(self.results, experiment, [place])

    def _write(self, place: Path, kinds: Collection[str]) -> tuple[str, ...]:
        """Write some kinds of files; return messages about what could not be made."""
        choice = LatexChoice(usual_layout(len(self.results.systems)))
        package = everything(self.results, self.loaded, choice, kinds)
        for target, content in package.placed(place, self.results).items():
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
            except OSError as error:
                raise MtevalError(f"Cannot write {target}: {error.strerror}.") from error
        return package.missing

    def open(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start the dashboard with this comparison, and open it in the browser.

        Parameters
        ----------
        arguments
            Options of ``mteval app``, e.g. ``"--port=8600"``, ``"--no-browser"``.

        Returns
        -------
        The server process. It outlives the program; ``terminate()`` ends it.

        Raises
        ------
        MtevalError
            If its files cannot be written.
        """
        folder = Path(tempfile.mkdtemp(prefix="mteval-"))
        self._write(folder, ("experiment",))
        command = [sys.executable, "-m", "mteval", "app", str(folder / FILE_NAME), *arguments]
        return subprocess.Popen(command, start_new_session=True)

    def to_html(self) -> str:
        """Return the report as one self-contained HTML page."""
        return page.html_report(self.results)

    def __str__(self) -> str:
        lines: list[str] = []
        grid = grid_section(self.results, self.results.settings.primary_metric)
        if grid is not None and not self._is_of_one:
            name = self.results.test_set.name
            lines += text_lines([grid])
            lines += [f"{name} (comparison.on(…) prints another test set):", ""]
        ranked = ranked_section(self.results)
        if ranked is not None:
            lines += text_lines([ranked], lists_names=False)  # MultEval's table lists them
        return "\n".join([*lines, *table_lines(self.results), *lines_below(self.results)])

    def __repr__(self) -> str:
        systems = ", ".join(system.key for system in self.loaded.experiment.systems)
        metrics = ", ".join(self.results.settings.metrics)
        return f"<mteval.Comparison of {systems} by {metrics}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        verdict = verdict_section(self.results, self.results.settings.primary_metric)
        return notebook_html([verdict, *scores_sections(self.results)])
