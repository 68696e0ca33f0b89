"""Results of the Python interface: frames, verdicts, tables, figures and files."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import pandas as pd

from mteval.analysis.comparison import Case, ask, compared_system
from mteval.analysis.equality import equality_frame
from mteval.analysis.gates import gate_frame
from mteval.analysis.pairs import all_pairs
from mteval.analysis.people.human_evaluation import HumanEvaluation
from mteval.analysis.results import Results, overview
from mteval.analysis.scoring import Scored, means_of_computation, score_experiment
from mteval.analysis.significance import Family, Side, question_on, raw_alternative, unit_of
from mteval.analysis.two_answers import questions
from mteval.analysis.words.groupings import ALIGNMENT, GIVEN_LABELS, Asked
from mteval.analysis.words.questions import WordData, answered
from mteval.analysis.words.verdicts import Measure
from mteval.answers.gate import gate_section
from mteval.answers.gold import judged_extent
from mteval.answers.methods import methods_text
from mteval.answers.people import people_methods
from mteval.answers.ranking import verdict_section
from mteval.answers.scores import scores_sections
from mteval.answers.section import Section
from mteval.base.errors import DataError, MtevalError, SettingsError
from mteval.metrics import resolve
from mteval.readers.disk import Loaded
from mteval.readers.documents import FILE_NAME
from mteval.render.html import Markup, section_parts, styled, tag
from mteval.report import page
from mteval.report.gate import gate_json, gate_junit, gate_lines, gate_summary
from mteval.report.kept_experiment import evaluation_from, numbers_of
from mteval.report.multeval import lines_below, text_table
from mteval.report.package import KINDS, everything
from mteval.report.paper_table import LatexChoice, Layout, latex, usual_layout
from mteval.values import gate as gates
from mteval.values.model import Experiment
from mteval.values.settings import Settings
from mteval.values.verdict import Verdict

if TYPE_CHECKING:
    import plotly.graph_objects as go

T = TypeVar("T")


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """The result of one test of one system against the baseline, not adjusted for other systems.

    Parameters
    ----------
    statistic
        Difference of the mean run scores, ``system - baseline``, in score points.
    standard_error, df
        Of the difference; NaN if the procedure has none.
    confidence_interval
        Of the difference; NaN if the procedure has none.
    p_value
        NaN if the test is refused; ``note`` gives the reason.
    """

    metric: str
    baseline: str
    system: str
    procedure: str
    unit: str
    statistic: float
    standard_error: float
    df: float
    confidence_interval: Interval
    p_value: float
    note: str


@dataclass(frozen=True, eq=False)
class Comparison:
    """Systems compared with a baseline on one test set.

    Parameters
    ----------
    results
        The numbers. Internal; its properties may change.
    loaded
        The experiment with its files.

    Examples
    --------
    >>> import mteval
    >>> found = mteval.compare_scores({"old": [[0.1, 0.4, 0.2]], "new": [[0.2, 0.5, 0.4]]}, "accuracy")
    >>> found
    <mteval.Comparison of old, new by accuracy>
    >>> found.verdicts[0].system
    'new'
    """

    results: Results
    loaded: Loaded

    @property
    def experiment(self) -> Experiment:
        """Return test sets, systems and runs."""
        return self.loaded.experiment

    @property
    def settings(self) -> Settings:
        """Return metrics, tests, seed and other settings."""
        return self.results.settings

    @property
    def scores(self) -> pd.DataFrame:
        """Return one row per run and metric: ``test_set, system, run, metric, score``."""
        return self.results.evaluation.scores.copy()

    @property
    def summary(self) -> pd.DataFrame:
        """Return one row per system and metric: average, SD (test set), SD (training), range, median run."""
        return self.results.evaluation.summary.copy()

    @property
    def comparisons(self) -> pd.DataFrame:
        """Return two rows per system and metric, one for each kind of p-value: procedure, difference, interval, p."""
        return self.results.evaluation.comparisons.copy()

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Return the verdict on each system by each metric."""
        return self.results.verdicts()

    @property
    def test_sets(self) -> tuple[str, ...]:
        """Return the names of the test sets."""
        return tuple(test_set.name for test_set in self.experiment.test_sets)

    def on(self, test_set: str) -> Comparison:
        """Return the comparison on another test set.

        Raises
        ------
        DataError
            If there is no test set of that name.
        """
        return replace(self, results=self.results.on(self.experiment.test_set(test_set)))

    @cached_property
    def scored_on_all(self) -> tuple[Scored, ...]:
        """Return statistics of each metric on each test set. Internal."""
        work = means_of_computation(self.settings.workers)
        return tuple(score_experiment(self.experiment, resolve(self.settings, self.experiment.given), work))

    @property
    def scored(self) -> tuple[Scored, ...]:
        """Return statistics of each metric on this test set. Internal."""
        return tuple(one for one in self.scored_on_all if one.test_set.name == self.results.test_set.name)

    def test(
        self,
        procedure: str | None = None,
        *,
        metric: str | None = None,
        system: str | None = None,
        side: Side = "two-sided",
    ) -> Difference:
        """Test one difference from the baseline by any procedure.

        Parameters
        ----------
        procedure
            As in ``mteval compare``; by default the one behind the verdict.
        metric
            Key of a metric; the primary one by default.
        system
            Optional if only one is compared.
        side
            ``two-sided``, ``better`` or ``worse``.

        Returns
        -------
        Difference with standard error, degrees of freedom, interval and p-value.

        Raises
        ------
        MtevalError
            If system, metric or procedure is unknown.

        Examples
        --------
        >>> import mteval
        >>> found = mteval.compare_scores({"old": [[0.1, 0.4, 0.2]], "new": [[0.2, 0.5, 0.4]]}, "accuracy")
        >>> round(found.test("paired-t").statistic, 3)
        0.133
        """
        compared = [key for key in self.results.systems if key != self.experiment.baseline]
        chosen = compared_system(compared, system)
        (scored,) = self._scored_by(metric or self.settings.primary_metric)
        usual = questions(scored, self.settings)[1]
        question = usual if procedure is None else question_on(procedure, usual.unit)
        case = Case(scored, self.experiment.baseline, chosen, question, raw_alternative(scored, side))
        found = ask(case, self.settings, means_of_computation(self.settings.workers)).printed
        return Difference(
            scored.metric.key, self.experiment.baseline, chosen, question.procedure, question.unit, found.statistic,
            found.standard_error, found.df, Interval(found.low, found.high), found.p_value, found.note,
        )  # fmt: skip

    @property
    def statistic(self) -> float:
        """Return the difference by the primary metric; one system must be compared."""
        return self.test().statistic

    @property
    def standard_error(self) -> float:
        """Return the standard error of ``statistic``, both kinds of luck counted."""
        return self.test().standard_error

    @property
    def df(self) -> float:
        """Return the degrees of freedom of ``standard_error``."""
        return self.test().df

    @property
    def confidence_interval(self) -> Interval:
        """Return the interval of ``statistic``, both kinds of luck counted."""
        return self.test().confidence_interval

    def equal(self, margin: float, metric: str | None = None, side: Side = "two-sided") -> pd.DataFrame:
        """Test whether each difference is below a margin, chosen before looking (two one-sided tests).

        With a side, test whether systems are not worse by the margin (``worse``), or better by more (``better``).

        Returns
        -------
        Two rows per system and metric, one per kind of luck: interval, p-value and adjusted p-value.

        Raises
        ------
        MtevalError
            If the margin is not positive, or the metric is unknown.
        """
        scored = self._scored_by(metric)
        family, unit = Family.of(scored, self.experiment.baseline), unit_of(scored[0], self.settings)
        return equality_frame(family, unit, margin, self.settings, means_of_computation(self.settings.workers), side)

    def pairs(
        self, procedure: str | None = None, *, metric: str | None = None, correction: str = "holm"
    ) -> pd.DataFrame:
        """Test all pairs of systems, one-sided.

        Returns
        -------
        One row per pair: the better and the worse system, difference, p-value and adjusted p-value.

        Raises
        ------
        MtevalError
            If the metric, procedure or correction is unknown.
        """
        (scored,) = self._scored_by(metric or self.settings.primary_metric)
        unit = unit_of(scored, self.settings)
        question = questions(scored, self.settings)[1] if procedure is None else question_on(procedure, unit)
        return all_pairs(scored, question, correction, self.settings, means_of_computation(self.settings.workers))

    def words(
        self,
        by: str = "frequency",
        *,
        measure: Measure | None = None,
        system: str | None = None,
        labels: Sequence[str] = (),
        output_labels: Mapping[str, Sequence[Sequence[str]]] = MappingProxyType({}),
        counts: Mapping[str, int] | None = None,
        cutoffs: Sequence[float] = (),
        alignment: Sequence[str] = (),
        terms: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> pd.DataFrame:
        """Return which words, n-grams or segments differ between systems, over all runs.

        Parameters
        ----------
        by
            ``frequency``, ``case``, ``label``, ``source``, ``terms``, ``ngrams``, ``label-ngrams``,
            ``length-difference``, ``length`` or ``score``.
        measure
            ``f``, ``precision`` or ``recall``; n-grams by recall, others by F by default.
        system
            The system compared in n-grams; optional if there is only one.
        labels
            One line per segment with a label per word of the first reference, or of the source for ``source``.
        output_labels
            The labels of each system's runs: one list of lines per run.
        counts
            Frequencies of words, e.g. in the training corpus; those in the test set by default.
        cutoffs
            Where groups of frequencies or numeric labels start.
        alignment
            Word alignments of source and first reference, such as ``0-0 1-2``, for ``source``.
        terms
            Accepted translations of each required source term, for ``terms``.

        Returns
        -------
        One row per group and system, or per n-gram, with both p-values, adjusted for all rows, and the conclusion.

        Raises
        ------
        MtevalError
            If labels, alignments or terms are missing or do not fit.

        Examples
        --------
        >>> import mteval
        >>> found = mteval.compare(
        ...     {"old": [["a b c d", "e f f"], ["a b c", "e f g"]], "new": [["a b c d", "e f g"], ["a b c d", "e g"]]},
        ...     references=["a b c d", "e f g"], metrics=["length"], n_shuffles=100, n_bootstrap=100,
        ... )
        >>> found.words("frequency").set_index("group")["size"].to_dict()["1"]  # words that occur once
        7
        """
        here, baseline = self.results.test_set, self.experiment.baseline
        others = [key for key in self.results.systems if key != baseline]
        given = {GIVEN_LABELS: tuple(labels), ALIGNMENT: tuple(alignment)}
        side = {**here.side, **{name: lines for name, lines in given.items() if lines}}
        work = means_of_computation(self.settings.workers)
        data = WordData(replace(here, side=side), (baseline, *others), self.settings, work)
        of_outputs = {
            (key, run.key): lines
            for key, of_runs in output_labels.items()
            for run, lines in zip(here.runs_of(key), of_runs, strict=True)
        }
        asked = Asked(
            measure=measure or ("recall" if "ngrams" in by else "f"), labels=GIVEN_LABELS if labels else "",
            output_labels=of_outputs, counts=counts, cutoffs=tuple(cutoffs), alignment=ALIGNMENT if alignment else "",
        )  # fmt: skip
        scored = self.scored[0] if by in ("length", "score") else None
        about = compared_system(others, system) if "ngrams" in by else ""
        frame = answered(data, by, asked, terms, scored, about).frame
        return frame.assign(conclusion=[getattr(one, "word", one) for one in frame["conclusion"]])

    def _scored_by(self, metric: str | None) -> list[Scored]:
        found = [one for one in self.scored if metric in (None, one.metric.key)]
        if not found:
            raise DataError(f"Metric '{metric}' was not computed. Computed: {', '.join(self.settings.metrics)}.")
        return found

    def __reduce__(self) -> tuple[Callable[..., Comparison], tuple[object, ...]]:
        """Pickle files and numbers; human judgements are compared again."""
        numbers = numbers_of(self.experiment, self.results.evaluation)
        return _restored, (self.loaded, numbers, self.results.test_set.name, self.results.people is not None)

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
        return overview(self.results).drop(columns="notation")

    def to_latex(self, layout: Layout | None = None, *, is_document: bool = False) -> str:
        """Return the LaTeX table, by default in the usual layout, optionally as a complete document."""
        layout = layout or usual_layout(len(self.results.systems))
        return latex(self.results, LatexChoice(layout, is_document=is_document))

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
        return _figure(page.figures_of(self.results), name, f"{self.settings.primary_metric}-{name}")()

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
        """Log scores and intervals, verdicts as tags and the report as artifacts to MLflow, where it is set up for.

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
        package = everything(self.results, self.loaded, LatexChoice(usual_layout(len(self.results.systems))), kinds)
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
        return "\n".join([text_table(self.results), *lines_below(self.results)])

    def __repr__(self) -> str:
        systems = ", ".join(system.key for system in self.experiment.systems)
        return f"<mteval.Comparison of {systems} by {', '.join(self.settings.metrics)}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return _html([verdict_section(self.results, self.settings.primary_metric), *scores_sections(self.results)])


def _restored(loaded: Loaded, numbers: bytes, test_set: str, is_judged: bool) -> Comparison:
    """Return a comparison that was pickled; its numbers must be of this version's definitions."""
    experiment = loaded.experiment
    work = means_of_computation()
    evaluation = evaluation_from(numbers, experiment)
    if evaluation is None:
        raise DataError("The pickled comparison is of another version of mteval. Compute it again.")
    results = Results(experiment, evaluation, experiment.test_set(test_set))
    return Comparison(page.judged_results(results, loaded, work) if is_judged else results, loaded)


@dataclass(frozen=True, eq=False)
class People:
    """Human judgements of systems, compared with metrics, tests and other raters.

    Parameters
    ----------
    evaluation
        The answers, each computed when first used. Internal; its properties may change.
    """

    evaluation: HumanEvaluation

    @cached_property
    def frames(self) -> Mapping[str, pd.DataFrame]:
        """Return the tables of ``mteval people --csv`` by name, as far as the data allow.

        The names are ``averages``, ``gold``, ``claims``, ``accuracy``, ``against``, ``shares``, ``agreement``,
        ``metric_pairs``, ``beside_metrics``, ``rater_agreement``, ``raters``, ``judges`` and ``judge_raters``.
        """
        return page.people_frames(self.evaluation)

    @cached_property
    def _drawn(self) -> Mapping[str, go.Figure]:
        return page.people_figures(self.evaluation)

    @property
    def figures(self) -> tuple[str, ...]:
        """Return the names of the figures."""
        return tuple(self._drawn)

    def figure(self, name: str) -> go.Figure:
        """Return one of ``figures``.

        Raises
        ------
        SettingsError
            If the name is unknown.
        """
        return _figure(self._drawn, name)

    @property
    def methods(self) -> str:
        """Return the methods paragraph for a paper."""
        return " ".join(people_methods(self.evaluation))

    def to_json(self) -> str:
        """Return all numbers, as ``mteval people --json`` writes them."""
        return page.people_json(self.evaluation)

    def __repr__(self) -> str:
        return f"<mteval.People: {judged_extent(self.evaluation.given)}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the report's section on people, without figures."""
        return _html(page.people_sections(self.evaluation), tag("p", judged_extent(self.evaluation.given)))


class Gate(gates.Gate):
    """Whether a candidate passes: ``outcome``, ``passed``, and everything in the forms of ``mteval gate``."""

    @property
    def frame(self) -> pd.DataFrame:
        """Return one row per metric and test set, with p-values and what would settle an open answer."""
        return gate_frame(self)

    def to_json(self) -> str:
        """Return all numbers, as ``mteval gate --json`` writes them."""
        return gate_json(self)

    def to_junit(self) -> str:
        """Return JUnit XML, as ``mteval gate --junit`` writes it."""
        return gate_junit(self)

    def to_markdown(self) -> str:
        """Return the summary that ``mteval gate --summary`` appends."""
        return gate_summary(self)

    def __str__(self) -> str:
        return "\n".join(gate_lines(self))

    def __repr__(self) -> str:
        return f"<mteval.Gate: {self.outcome}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return _html([gate_section(self)])


def _figure(figures: Mapping[str, T], *names: str) -> T:
    """Return the figure with the first known name."""
    for name in names:
        if name in figures:
            return figures[name]
    raise SettingsError(f"No figure '{names[0]}'. Found: {', '.join(figures)}.")


def _html(sections: Iterable[Section], *before: Markup) -> str:
    """Return sections as HTML for a notebook, without figures."""
    parts = (part for section in sections for part in section_parts(section))
    return str(styled(*before, *(part for part in parts if isinstance(part, Markup))))
