"""What a comparison found, and what people said: frames, verdicts, tables, figures and files."""

import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import pandas as pd
import plotly.graph_objects as go

from mteval.analysis.people.human_evaluation import HumanEvaluation
from mteval.analysis.results import Results, overview
from mteval.answers.gold import judged_extent
from mteval.answers.methods import methods_text
from mteval.answers.people import people_methods
from mteval.answers.ranking import verdict_section
from mteval.answers.scores import scores_sections
from mteval.answers.section import Section
from mteval.base.errors import MtevalError, SettingsError
from mteval.readers.disk import Loaded
from mteval.readers.documents import FILE_NAME
from mteval.render.html import Markup, section_parts, styled, tag
from mteval.report.multeval_table import lines_below, text_table
from mteval.report.package import KINDS, everything
from mteval.report.page import figures_of, html_report
from mteval.report.paper_table import LatexChoice, Layout, latex, usual_layout
from mteval.report.people import people_figures, people_frames, people_json, people_sections
from mteval.values.model import Experiment
from mteval.values.settings import Settings
from mteval.values.verdict import Verdict

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Systems compared with a baseline on one test set, as the pages and ``mteval report`` compare them.

    Parameters
    ----------
    results
        The numbers; their other properties are for the program itself and may change.
    loaded
        The experiment with the files that it was made from.
    """

    results: Results
    loaded: Loaded

    @property
    def experiment(self) -> Experiment:
        """Test sets, systems and runs."""
        return self.loaded.experiment

    @property
    def settings(self) -> Settings:
        """All that was chosen before."""
        return self.results.settings

    @property
    def scores(self) -> pd.DataFrame:
        """One row a run and metric: ``test_set, system, run, metric, score``."""
        return self.results.evaluation.scores.copy()

    @property
    def summary(self) -> pd.DataFrame:
        """One row a system and metric: averages, both spreads, range, median run."""
        return self.results.evaluation.summary.copy()

    @property
    def comparisons(self) -> pd.DataFrame:
        """Two rows a system and metric, one a question: procedure, difference, interval, p-values."""
        return self.results.evaluation.comparisons.copy()

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What is said of each system by each metric."""
        return self.results.verdicts()

    @property
    def signatures(self) -> Mapping[str, str]:
        """Of each metric all that decides its numbers, to be reported with them."""
        return self.results.signatures

    @property
    def methods(self) -> str:
        """What was done, as a paragraph for a paper."""
        return methods_text(self.results)

    def table(self) -> pd.DataFrame:
        """Clark et al.'s Table 1, one row a metric and system, with all digits."""
        return overview(self.results).drop(columns="notation")

    def to_latex(self, layout: Layout | None = None, *, is_document: bool = False) -> str:
        """The table for a paper, in the usual layout where none is named; as a document of its own where wanted."""
        layout = layout or usual_layout(len(self.results.systems))
        return latex(self.results, LatexChoice(layout, is_document=is_document))

    @property
    def figures(self) -> tuple[str, ...]:
        """Names of the figures there are."""
        return tuple(figures_of(self.results))

    def figure(self, name: str) -> go.Figure:
        """One of ``figures``; of the primary metric where the name says no metric: ``runs`` is ``bleu-runs``.

        Raises
        ------
        SettingsError
            Where there is none of that name.
        """
        return _figure(figures_of(self.results), name, f"{self.settings.primary_metric}-{name}")()

    def save(self, path: str | Path) -> tuple[str, ...]:
        """Write the report: page, table, numbers, figures, and ``experiment.toml`` with its inputs.

        Parameters
        ----------
        path
            A folder, or one archive if its name ends in ``.zip``.

        Returns
        -------
        What could not be made, in words: figures are drawn as pictures where a browser is installed.

        Raises
        ------
        MtevalError
            Where something cannot be written.
        """
        return self._write(Path(path), tuple(KINDS))

    def _write(self, place: Path, kinds: Collection[str]) -> tuple[str, ...]:
        """Write some kinds of files; what could not be made, in words."""
        package = everything(self.results, self.loaded, LatexChoice(usual_layout(len(self.results.systems))), kinds)
        for target, content in package.placed(place, self.results).items():
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
            except OSError as error:
                raise MtevalError(f"{target} cannot be written: {error.strerror}. Name another place.") from error
        return package.missing

    def open(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start the dashboard on it; it shows itself in the browser where there is one.

        Parameters
        ----------
        arguments
            As of ``mteval app``: ``"--port=8600"``, ``"--no-browser"``.

        Returns
        -------
        The server; ``terminate()`` ends it. It goes on when the program ends.

        Raises
        ------
        MtevalError
            Where the files cannot be written for it.
        """
        folder = Path(tempfile.mkdtemp(prefix="mteval-"))
        self._write(folder, ("experiment",))
        command = [sys.executable, "-m", "mteval", "app", str(folder / FILE_NAME), *arguments]
        return subprocess.Popen(command, start_new_session=True)

    def to_html(self) -> str:
        """The report as one page that needs no network."""
        return html_report(self.results)

    def __str__(self) -> str:
        return "\n".join([text_table(self.results), *lines_below(self.results)])

    def __repr__(self) -> str:
        systems = ", ".join(system.key for system in self.experiment.systems)
        return f"<mteval.Comparison of {systems} by {', '.join(self.settings.metrics)}>"

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return _html([verdict_section(self.results, self.settings.primary_metric), *scores_sections(self.results)])


@dataclass(frozen=True, eq=False)
class People:
    """Which systems people tell apart, and whether tests, metrics and other raters say the same.

    Parameters
    ----------
    evaluation
        The answers, each computed when it is asked for; its properties are for the program itself and may change.
    """

    evaluation: HumanEvaluation

    @cached_property
    def frames(self) -> Mapping[str, pd.DataFrame]:
        """The tables that ``mteval people --csv`` writes, by name, of the questions that have an answer: ``gold``,
        ``claims``, ``accuracy``, ``against``, ``shares``, ``agreement``, ``metric_pairs``, ``rater_agreement``,
        ``raters``.
        """
        return people_frames(self.evaluation)

    @cached_property
    def _drawn(self) -> Mapping[str, go.Figure]:
        return people_figures(self.evaluation)

    @property
    def figures(self) -> tuple[str, ...]:
        """Names of the figures there are."""
        return tuple(self._drawn)

    def figure(self, name: str) -> go.Figure:
        """One of ``figures``.

        Raises
        ------
        SettingsError
            Where there is none of that name.
        """
        return _figure(self._drawn, name)

    @property
    def methods(self) -> str:
        """What was done, as a paragraph for a paper."""
        return " ".join(people_methods(self.evaluation))

    def to_json(self) -> str:
        """All numbers, as ``mteval people --json`` writes them."""
        return people_json(self.evaluation)

    def __repr__(self) -> str:
        return f"<mteval.People: {judged_extent(self.evaluation.given)}>"

    def _repr_html_(self) -> str:
        """How a notebook shows it: what a report says of people, but for the figures."""
        return _html(people_sections(self.evaluation), tag("p", judged_extent(self.evaluation.given)))


def _figure(figures: Mapping[str, T], *names: str) -> T:
    """The first of the names that there is."""
    for name in names:
        if name in figures:
            return figures[name]
    raise SettingsError(f"There is no figure '{names[0]}'; there are: {', '.join(figures)}.")


def _html(sections: Iterable[Section], *before: Markup) -> str:
    """Sections as a notebook shows them, without figures."""
    parts = (part for section in sections for part in section_parts(section))
    return str(styled(*before, *(part for part in parts if isinstance(part, Markup))))
