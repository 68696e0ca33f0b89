"""Results of the Python interface: frames, verdicts, tables, figures and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from mteval.analysis.comparison import Case, ask, compared_system
from mteval.analysis.equality import equality_frame
from mteval.analysis.grid import grid_frame
from mteval.analysis.judged import judged_results
from mteval.analysis.pairs import all_pairs
from mteval.analysis.results import Results, with_names
from mteval.analysis.scoring import Scored, means_of_computation, score_experiment
from mteval.analysis.significance import Family, Side, question_on, raw_alternative, unit_of
from mteval.analysis.two_answers import deciding_questions
from mteval.analysis.words.groupings import ALIGNMENT, GIVEN_LABELS, Asked
from mteval.analysis.words.questions import WordData, answered
from mteval.analysis.words.verdicts import Measure
from mteval.answers.grid import grid_section
from mteval.answers.procedures import pairs_section
from mteval.answers.section import Section
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.interface.showing import Shown
from mteval.metrics import resolve
from mteval.readers.disk import Loaded
from mteval.report.kept_numbers import evaluation_from, numbers_of
from mteval.report.multeval import verdict_lines
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import Settings
from mteval.values.verdict import Verdict

if TYPE_CHECKING:
    from mteval.interface.printed_frames import Grid, Pairs


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


class Verdicts(tuple[Verdict, ...]):
    """Verdicts that print as sentences."""

    _results_on: tuple[Results, ...]

    def __new__(cls, results: Results, test_sets: Iterable[TestSet]) -> Verdicts:
        """Return the verdicts on the test set of the results, with what they print.

        Parameters
        ----------
        test_sets
            Those whose sentences are printed.
        """
        verdicts = super().__new__(cls, results.verdicts())
        verdicts._results_on = tuple(results.on(test_set) for test_set in test_sets)
        return verdicts

    def __str__(self) -> str:
        """Return one line per system, as ``mteval eval`` prints it, below the name of each of several test sets."""
        parts = []
        for results in self._results_on:
            lines = verdict_lines(results)[1:]  # after an empty line
            if len(self._results_on) > 1:
                lines = [f"{results.test_set.name}:", *lines]
            parts.append("\n".join(lines))
        return "\n\n".join(parts)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as a plain tuple."""
        return tuple, (list(self),)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown):
    """Systems compared with a baseline on one test set.

    Parameters
    ----------
    results
        The numbers. Internal; its properties may change.
    loaded
        The experiment with its files.
    _is_of_one
        Whether this test set was chosen by ``on``, so that printed verdicts are of it alone.

    Examples
    --------
    >>> import mteval
    >>> comparison = mteval.compare_scores({"old": [[0.1, 0.4, 0.2]], "new": [[0.2, 0.5, 0.4]]}, "accuracy")
    >>> comparison
    <mteval.Comparison of old, new by accuracy>
    >>> comparison.verdicts[0].system
    'new'
    """

    results: Results
    loaded: Loaded
    _is_of_one: bool = False

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
        from mteval.interface.renamed_columns import NumbersFrame  # here, because its class loads pandas

        return NumbersFrame(self.results.evaluation.summary.copy())

    @property
    def comparisons(self) -> pd.DataFrame:
        """Return two rows per system and metric, one for each kind of p-value: procedure, difference, interval, p."""
        return self.results.evaluation.comparisons.copy()

    def grid(self) -> Grid:
        """Return one row per metric, system and test set, and on their average; empty for a single test set.

        Printed, it reads like ``mteval eval`` on several test sets, by every metric.
        """
        from mteval.interface.printed_frames import Grid  # here, because its class loads pandas

        sections = [grid_section(self.results, metric) for metric in self.results.metrics]
        shown = [section for section in sections if section is not None]
        if not shown:
            shown = [Section("grid", "", (f"There is no grid: {self.results.test_set.name} is the only test set.",))]
        return Grid.of(grid_frame(self.results.evaluation), shown)

    @property
    def verdicts(self) -> Verdicts:
        """Return the verdict on each system by each metric, on this test set.

        Printed, they read as in ``mteval eval``, on all test sets unless one was chosen by ``on``.
        """
        test_sets = self.experiment.test_sets
        if self._is_of_one:
            test_sets = (self.results.test_set,)
        return Verdicts(self.results, test_sets)

    @property
    def test_sets(self) -> tuple[str, ...]:
        """Return the names of the test sets."""
        return tuple(test_set.name for test_set in self.experiment.test_sets)

    @property
    def files(self) -> pd.DataFrame:
        """Return one row per input file: what it was read as, or why it was not (``fate``, ``reason``)."""
        return pd.DataFrame(self.experiment.ledger.form())

    def on(self, test_set: str) -> Comparison:
        """Return the comparison on another test set.

        Raises
        ------
        DataError
            If there is no test set of that name.
        """
        return replace(self, results=self.results.on(self.experiment.test_set(test_set)), _is_of_one=True)

    @cached_property
    def scored_on_all(self) -> tuple[Scored, ...]:
        """Return statistics of each metric on each test set. Internal."""
        work = means_of_computation(self.settings.workers)
        return tuple(score_experiment(self.experiment, resolve(self.settings, self.experiment.given), work))

    @property
    def scored(self) -> tuple[Scored, ...]:
        """Return statistics of each metric on this test set. Internal."""
        return tuple(scored for scored in self.scored_on_all if scored.test_set.name == self.results.test_set.name)

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
            As in ``mteval compare``; by default the one behind the verdict, which is that for test-set luck if a
            single run leaves training luck unknown.
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
        >>> comparison = mteval.compare_scores({"old": [[0.1, 0.4, 0.2]], "new": [[0.2, 0.5, 0.4]]}, "accuracy")
        >>> round(comparison.test("paired-t").statistic, 3)
        0.133
        """
        baseline = self.experiment.baseline
        compared = compared_system(self._others, system)
        (scored,) = self._scored_by(metric or self.settings.primary_metric)
        # The questions behind the two p-values of a verdict: on test-set luck, and on both kinds of luck
        on_test_set, on_both = deciding_questions(scored, self.settings)
        if procedure is not None:
            question = question_on(procedure, unit_of(scored, self.settings))
        elif self._is_of_test_set(compared, scored.metric.key):
            question = on_test_set
        else:
            question = on_both
        case = Case(scored, baseline, compared, question, raw_alternative(scored, side))
        answer = ask(case, self.settings, means_of_computation(self.settings.workers)).printed
        return Difference(
            metric=scored.metric.key,
            baseline=baseline,
            system=compared,
            procedure=question.procedure,
            unit=question.unit,
            statistic=answer.statistic,
            standard_error=answer.standard_error,
            df=answer.df,
            confidence_interval=Interval(answer.low, answer.high),
            p_value=answer.p_value,
            note=answer.note,
        )

    @property
    def statistic(self) -> float:
        """Return the difference by the primary metric; one system must be compared."""
        return self.test().statistic

    @property
    def standard_error(self) -> float:
        """Return the standard error of ``statistic``, for both kinds of luck if there are several runs."""
        return self.test().standard_error

    @property
    def df(self) -> float:
        """Return the degrees of freedom of ``standard_error``."""
        return self.test().df

    @property
    def confidence_interval(self) -> Interval:
        """Return the interval of ``statistic``, both kinds of luck counted unless a single run hides one."""
        return self.test().confidence_interval

    def equal(self, margin: float, metric: str | None = None, side: Side = "two-sided") -> pd.DataFrame:
        """Test whether each difference is below a margin, chosen before looking (two one-sided tests).

        Parameters
        ----------
        margin
            In score points; positive.
        metric
            Key of a metric; all by default.
        side
            ``two-sided`` for equality, ``worse`` for not worse by the margin, ``better`` for better by more.

        Returns
        -------
        Two rows per system and metric, one per kind of luck: interval, p-value and adjusted p-value.

        Raises
        ------
        MtevalError
            If the margin is not positive, or the metric is unknown.
        """
        scored = self._scored_by(metric)
        family = Family.of(scored, self.experiment.baseline)
        unit = unit_of(scored[0], self.settings)
        work = means_of_computation(self.settings.workers)
        return equality_frame(family, unit, margin, self.settings, work, side)

    def pairs(self, procedure: str | None = None, *, metric: str | None = None, correction: str = "holm") -> Pairs:
        """Test all pairs of systems, one-sided.

        Returns
        -------
        One row per pair: the better and the worse system, difference, p-value and adjusted p-value. Printed, it reads
        like ``mteval compare --all-pairs``.

        Raises
        ------
        MtevalError
            If the metric, procedure or correction is unknown.
        """
        from mteval.interface.printed_frames import Pairs  # here, because its class loads pandas

        (scored,) = self._scored_by(metric or self.settings.primary_metric)
        if procedure is None:
            _, question = deciding_questions(scored, self.settings)  # on both kinds of luck
        else:
            question = question_on(procedure, unit_of(scored, self.settings))
        frame = all_pairs(scored, question, correction, self.settings, means_of_computation(self.settings.workers))
        spec = self.results.spec(scored.metric.key)
        shown = with_names(frame, self.results.shown_names, "better", "worse")
        return Pairs.of(frame, [pairs_section(shown, question, spec, self.settings, correction)])

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
        >>> comparison = mteval.compare(
        ...     {"old": [["a b c d", "e f f"], ["a b c", "e f g"]], "new": [["a b c d", "e f g"], ["a b c d", "e g"]]},
        ...     references=["a b c d", "e f g"], metrics=["length"], n_shuffles=100, n_bootstrap=100,
        ... )
        >>> comparison.words("frequency").set_index("group")["size"].to_dict()["1"]  # words that occur once
        7
        """
        from mteval.interface.renamed_columns import NumbersFrame  # here, because its class loads pandas

        test_set = self.results.test_set
        is_of_ngrams = by in ("ngrams", "label-ngrams")
        # Arrays have no truth, but a length
        has_labels = len(labels) > 0
        has_alignment = len(alignment) > 0
        side_texts = dict(test_set.side)
        if has_labels:
            side_texts[GIVEN_LABELS] = tuple(labels)
        if has_alignment:
            side_texts[ALIGNMENT] = tuple(alignment)
        work = means_of_computation(self.settings.workers)
        systems = (self.experiment.baseline, *self._others)
        data = WordData(replace(test_set, side=side_texts), systems, self.settings, work)
        labels_of_runs = {}
        for key, labels_per_run in output_labels.items():
            runs = test_set.runs_of(key)
            if key not in systems:
                raise DataError(f"Labels of system '{key}', which is not compared. Compared: {', '.join(systems)}.")
            if len(labels_per_run) != len(runs):
                n_labelled = counted(len(labels_per_run), "run")
                raise DataError(f"Labels of system '{key}': {n_labelled}; expected {len(runs)}, with one list per run.")
            for run, lines in zip(runs, labels_per_run, strict=True):
                labels_of_runs[key, run.key] = lines
        if not measure:
            measure = "recall" if is_of_ngrams else "f"
        asked = Asked(
            measure=measure,
            labels=GIVEN_LABELS if has_labels else "",
            output_labels=labels_of_runs,
            counts=counts,
            cutoffs=tuple(cutoffs),
            alignment=ALIGNMENT if has_alignment else "",
        )
        scored = self.scored[0] if by in ("length", "score") else None
        compared = compared_system(self._others, system) if is_of_ngrams else ""
        frame = answered(data, by, asked, terms, scored, compared).frame
        # Conclusions as their words; some rows have none
        words = [getattr(conclusion, "word", conclusion) for conclusion in frame["conclusion"]]
        return NumbersFrame(frame.assign(conclusion=words))

    @property
    def _others(self) -> list[str]:
        """Return the keys of the systems that are compared with the baseline."""
        return [key for key in self.results.systems if key != self.experiment.baseline]

    def _is_of_test_set(self, system: str, metric: str) -> bool:
        """Tell whether test-set luck alone decides the verdict on a system by a metric."""
        return any(verdict.is_of_test_set for verdict in self.results.verdicts(metric) if verdict.system == system)

    def _scored_by(self, metric: str | None) -> list[Scored]:
        """Return the statistics of one metric, or of all."""
        scored_metrics = [scored for scored in self.scored if metric in (None, scored.metric.key)]
        if not scored_metrics:
            raise DataError(f"Metric '{metric}' was not computed. Computed: {', '.join(self.settings.metrics)}.")
        return scored_metrics

    def __reduce__(self) -> tuple[Callable[..., Comparison], tuple[object, ...]]:
        """Pickle files and numbers; human judgements are compared again."""
        numbers = numbers_of(self.experiment, self.results.evaluation)
        is_judged = self.results.people is not None
        return _restored, (self.loaded, numbers, self.results.test_set.name, is_judged, self._is_of_one)


def _restored(loaded: Loaded, numbers: bytes, test_set: str, is_judged: bool, is_of_one: bool = False) -> Comparison:
    """Return a comparison that was pickled; its numbers must be of this version's definitions."""
    experiment = loaded.experiment
    evaluation = evaluation_from(numbers, experiment)
    if evaluation is None:
        raise DataError("The pickled comparison is of another version of mteval. Compute it again.")
    results = Results(experiment, evaluation, experiment.test_set(test_set))
    if is_judged:
        results = judged_results(results, loaded, means_of_computation())
    return Comparison(results, loaded, is_of_one)
