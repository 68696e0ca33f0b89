"""Answer both questions about every system: test-set luck, and both kinds of luck.

Also the signature of each metric: the options that determine its numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from mteval._version import __version__
from mteval.analysis.comparison import Case, Comparison, DifferenceRow, Outcome, Question, ask
from mteval.analysis.corrections import Simultaneous, family_p_values, simultaneous
from mteval.analysis.scoring import Progress, Scored, Work
from mteval.base.errors import DataError
from mteval.metrics.imported import Imported
from mteval.stats.base import ONE_SCORE_PER_RUN, PairedResult
from mteval.stats.crossed_layout import Components
from mteval.stats.interval import difference_over_units
from mteval.stats.multiplicity import holm_within, max_t_step_down
from mteval.stats.planning import Sources
from mteval.stats.procedures.classical import WELCH
from mteval.stats.procedures.randomization import too_few_units
from mteval.stats.procedures.registry import answering
from mteval.stats.procedures.two_way import PROVISIONAL
from mteval.stats.units import df_of_units
from mteval.values.model import REALIGNED, Experiment
from mteval.values.notation import Notation
from mteval.values.settings import Settings, looks_in_words
from mteval.values.verdict import Conclusion, Coverage, Verdict, answer_at, concluded

MORE_RUNS = (5, 10)  # per system, that are suggested


@dataclass(frozen=True)
class TwoAnswers:
    """Both answers about one system by one metric on one test set.

    Parameters
    ----------
    error_over_units
        Standard error of the raw difference over units of the test set, with the runs taken as given; NaN if
        unavailable.
    n_runs
        Of the system or the baseline, whichever has fewer; planned interim analyses refer to it.
    p_alone, p_family
        p for both kinds of luck without that for test-set luck (``Outcome.exchanged``), and by the law of the family
        (``corrections.family_laws``).
    smallest_p
        As in ``PairedResult``, of the test of test-set luck.
    reach, reach_in_errors
        The smallest difference that reaches the level with this variance, in points and in standard errors; infinite if
        none does, NaN without a test of both kinds of luck.
    more_runs, reach_of_more
        A larger number of runs per system, and that difference with so many; 0 and NaN if nothing is suggested.
    error, df
        Standard error of the raw difference and its degrees of freedom, for both kinds of luck, or for test-set luck if
        a single run leaves the other unknown; NaN if unavailable.
    is_copy
        As in ``Case``. Copies of the baseline are no hypotheses: they take no part in a family, and have no interval.
    """

    test_set_luck: Comparison
    both: Comparison
    error_over_units: float = float("nan")
    n_runs: int = 0
    p_alone: float = float("nan")
    p_family: float = float("nan")
    smallest_p: float = 0.0
    reach: float = float("nan")
    reach_in_errors: float = float("nan")
    more_runs: int = 0
    reach_of_more: float = float("nan")
    error: float = float("nan")
    df: float = float("nan")
    is_copy: bool = False

    @property
    def has_family_law(self) -> bool:
        """Whether p for both kinds of luck was adjusted by the law of its family."""
        return self.both.p_value == self.both.p_value and self.p_family != self.p_alone  # not NaN

    def __iter__(self) -> Iterator[Comparison]:
        yield self.test_set_luck
        yield self.both

    def p_looked(self, settings: Settings) -> float:
        """Return p for both kinds of luck, adjusted for planned interim analyses but not for other systems."""
        return self.beside(p_at_look(self.p_alone, self.n_runs, settings), self.test_set_luck.p_value)

    def beside(self, p_run: float, p_test_set: float) -> float:
        """Return p for both kinds of luck, not below that for test-set luck on the same units."""
        if self.test_set_luck.unit != self.both.unit:
            return p_run
        return float(np.maximum(p_run, p_test_set))

    def too_few_units(self, level: float, n_tests: int) -> str:
        """Return a note if p for test-set luck cannot reach the level; empty if it can, or units of tests differ."""
        if self.test_set_luck.unit != self.both.unit:
            return ""
        return too_few_units(self.smallest_p, self.both.unit, level, n_tests)


@dataclass(frozen=True)
class TogetherRow(Simultaneous, DifferenceRow):
    """A system's difference from the baseline with its simultaneous interval, for the luck that decides."""

    def on(self, verdict: Verdict, level: float) -> Verdict:
        """Return the verdict with this interval, if there is one.

        Holm's verdict is stronger than the interval: it may say "better" where the interval has both signs. The end on
        the other side is then zero, which belongs to the interval (directional Holm; Shaffer 1980, Guilbaud 2008).
        """
        low = self.low_simultaneous
        high = self.high_simultaneous
        p_adjusted = verdict.p_test_set_adjusted if verdict.is_of_test_set else verdict.p_run_adjusted
        is_ended = p_adjusted <= level and low < 0 < high
        if is_ended and verdict.difference > 0:
            low = 0.0
        elif is_ended:
            high = 0.0
        return replace(
            verdict,
            simultaneous=self.simultaneous,
            low_simultaneous=low,
            high_simultaneous=high,
            is_ended_at_zero=is_ended,
        )


@dataclass(frozen=True)
class Answered:
    """Both answers about every system, and what the same tests say about all systems together.

    Parameters
    ----------
    together
        Simultaneous intervals by the primary metric, for the luck that decides. Empty for a single comparison, or if no
        comparison has an interval.
    """

    answers: tuple[TwoAnswers, ...]
    together: tuple[TogetherRow, ...]


@dataclass(frozen=True)
class _RawAnswers:
    """Both answers before adjustment, and the test of test-set luck; with its shuffles if any metric decides."""

    answers: TwoAnswers
    test_set_luck: PairedResult
    together: TogetherRow | None = None


def questions(scored: Scored, settings: Settings) -> tuple[Question, Question]:
    """Return the procedures behind the two answers: test-set luck, then both kinds.

    Raises
    ------
    DataError
        If documents should be permuted but there are no document IDs.
    """
    has_documents = scored.test_set.documents is not None
    if settings.exchange_unit == "document" and not has_documents:
        raise DataError(
            f"Test set '{scored.test_set.name}' has no document IDs. Add a file with one document ID per line, or"
            " use segments as the unit."
        )
    unit = "segment"
    if has_documents and settings.exchange_unit != "segment":
        unit = "document"
    both = Question(answering("both", unit, settings.design, settings.strict).key, unit)
    if settings.design == "released":
        return both, both
    exchanged = unit
    if settings.exchange_unit == "output":
        exchanged = "output"
    test_set_luck = Question(answering("test-set", exchanged).key, exchanged)
    return test_set_luck, both


def has_corpus_scores(scored: Scored) -> bool:
    """Whether a metric has one given score per run, of the whole test set."""
    return isinstance(scored.metric, Imported) and scored.test_set.n_segments == 1


def deciding_questions(scored: Scored, settings: Settings) -> tuple[Question, Question]:
    """Return ``questions``; for corpus scores, which are of one segment, the second is about training luck alone.

    Raises
    ------
    DataError
        As ``questions``.
    """
    test_set_luck, both = questions(scored, settings)
    if has_corpus_scores(scored) and settings.design == "independent":
        return test_set_luck, Question(WELCH.key, "run")
    return test_set_luck, both


def two_answers(
    experiment: Experiment, scored_metrics: Sequence[Scored], settings: Settings, work: Work
) -> tuple[TwoAnswers, ...]:
    """Answer both questions for every test set, metric and system; p adjusted by Holm over the systems.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    return answered(experiment, scored_metrics, settings, work, "").answers


def answered(
    experiment: Experiment, scored_metrics: Sequence[Scored], settings: Settings, work: Work, primary: str
) -> Answered:
    """Answer as ``two_answers``, with simultaneous intervals by one metric.

    Parameters
    ----------
    primary
        Key of that metric; empty if no intervals are wanted.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    settings = _for_shared_family(scored_metrics, experiment.baseline, settings)
    raw_answers: list[_RawAnswers] = []
    for index, scored in enumerate(scored_metrics):
        task = f"Comparing by {scored.metric.name} on {scored.test_set.name}"
        work.report(Progress(task, index, len(scored_metrics)))
        raw_answers += _answers_against(experiment.baseline, scored, settings, work, primary)
    together = tuple(raw.together for raw in raw_answers if raw.together is not None)
    return Answered(tuple(_adjusted(raw_answers, settings)), together)


def _answers_against(
    baseline: str, scored: Scored, settings: Settings, work: Work, primary: str
) -> Iterator[_RawAnswers]:
    """Yield both answers for every other system; nothing without the baseline's output."""
    if baseline not in scored.statistics:
        return
    settings = settings.for_family(family_size(scored, baseline, settings))
    first_question, second_question = deciding_questions(scored, settings)
    outcomes = []
    for system in scored.statistics:
        if system != baseline:
            first = ask(Case(scored, baseline, system, first_question), settings, work)
            second = ask(Case(scored, baseline, system, second_question), settings, work, first)
            outcomes.append((first, second))
    family = [second for _, second in outcomes if not second.case.is_copy]
    p_of_family = iter(family_p_values(family, settings.confidence).tolist())
    row_of: dict[str, TogetherRow] = {}
    if scored.metric.key == primary:
        row_of = {row.system: row for row in _together(outcomes, settings.confidence)}

    for first, second in outcomes:
        is_copy = second.case.is_copy
        p_family = second.result.p_value if is_copy else next(p_of_family)
        test_set_luck = first.comparison(settings)
        both = second.comparison(settings)
        if is_copy:
            test_set_luck = replace(test_set_luck, low=np.nan, high=np.nan)
            both = replace(both, low=np.nan, high=np.nan)
        if settings.design == "released":
            both = replace(both, low=test_set_luck.low, high=test_set_luck.high)
        n_baseline, n_system = (len(runs) for runs in second.case.statistics)
        error_over_units = _error_over_units(second.case, settings)
        error = second.result.standard_error
        df = second.result.df
        if np.isnan(error):
            error = error_over_units
            df = df_of_units(second.case.unit_sizes, second.case.units[0].shape[1])
        answers = TwoAnswers(
            test_set_luck=test_set_luck,
            both=both,
            error_over_units=error_over_units,
            error=error,
            df=df,
            is_copy=is_copy,
            n_runs=second.case.question.spec.fewest_runs(n_baseline, n_system),
            p_alone=second.result.p_value,
            p_family=p_family,
            smallest_p=first.result.smallest_p,
            **_reaches(second.result, settings.level),
        )
        result = first.result
        if settings.decision != "any":
            result = replace(result, null=None)  # large, and not needed
        yield _RawAnswers(answers, result, row_of.get(second.case.system))


def _together(outcomes: Sequence[tuple[Outcome, Outcome]], confidence: float) -> Iterator[TogetherRow]:
    """Yield simultaneous intervals by the tests of both kinds of luck, of test-set luck if those have no answer."""
    tested = [(first, second) for first, second in outcomes if not second.case.is_copy]
    if len(tested) < 2:
        return
    family = [second for _, second in tested]
    if all(np.isnan(outcome.result.p_value) for outcome in family):
        family = [first for first, _ in tested]

    intervals = simultaneous(family, confidence)
    if not any(interval.simultaneous for interval in intervals):
        return
    for outcome, interval in zip(family, intervals, strict=True):
        case = outcome.case
        yield TogetherRow(
            test_set=case.scored.test_set.name,
            metric=case.scored.metric.key,
            baseline=case.baseline,
            system=case.system,
            procedure=case.question.procedure,
            unit=case.question.unit,
            difference=case.difference,
            simultaneous=interval.simultaneous,
            low_simultaneous=interval.low_simultaneous,
            high_simultaneous=interval.high_simultaneous,
            p_simultaneous=interval.p_simultaneous,
        )


def _reaches(result: PairedResult, level: float) -> dict[str, Any]:
    """Return what so many runs can show at a level at all, and what more runs could, with the variance at hand."""
    components = result.law
    if not isinstance(components, Components) or not components.standard_error > 0:
        return {}
    reach = components.reach(level)
    reaches = {"reach": reach, "reach_in_errors": reach / components.standard_error}
    *counts, n_units = components.shape
    for more_runs in MORE_RUNS:
        if more_runs > min(counts):
            more = Sources.estimated(components).components(more_runs, more_runs, n_units)
            return {**reaches, "more_runs": more_runs, "reach_of_more": more.reach(level)}
    return reaches


def family_size(scored: Scored, baseline: str, settings: Settings) -> int:
    """Return the number of comparisons that p is adjusted for."""
    n_compared = len(tested_systems(scored, baseline, settings))
    if settings.decision == "any":
        return n_compared * len(settings.metrics)
    return n_compared


def _for_shared_family(scored_metrics: Sequence[Scored], baseline: str, settings: Settings) -> Settings:
    """Return settings with shuffles enough for all metrics if any decides, since metrics then share their shuffles.

    Metrics may compare different systems: some have no scores, and some are copies of the baseline by one metric only.
    """
    if settings.decision != "any":
        return settings
    sizes = [family_size(scored, baseline, settings) for scored in scored_metrics]
    return settings.for_family(max(sizes, default=0))


def tested_systems(scored: Scored, baseline: str, settings: Settings) -> list[str]:
    """Return the systems that are compared with the baseline and are no copies of it."""
    others = [system for system in scored.statistics if system != baseline]
    if baseline not in scored.statistics:
        return others
    _, question = questions(scored, settings)
    return [system for system in others if not Case(scored, baseline, system, question).is_copy]


def _error_over_units(case: Case, settings: Settings) -> float:
    """Return ``TwoAnswers.error_over_units``; NaN for copies and without shared segments."""
    if not case.present.any():
        return float("nan")
    result = difference_over_units(*case.units, case.scored.scorer.score, settings.confidence, case.unit_sizes)
    if result.standard_error == 0:
        return float("nan")
    return result.standard_error


def p_at_look(p_value: float, n_runs: int, settings: Settings) -> float:
    """Adjust a p-value for planned interim analyses; NaN if none is planned at this number of runs."""
    plan = settings.look_plan
    if plan is None:
        return p_value
    return float(np.minimum(1.0, p_value * plan.factor(n_runs)))


def look_note(n_runs: int, settings: Settings) -> str:
    """Return why there is no answer at this number of runs; empty if there is one."""
    if not settings.looks or n_runs in settings.looks:
        return ""
    planned = looks_in_words(settings.looks, settings.runs.nouns)
    waits = "None is left"
    for look in settings.looks:
        if look > n_runs:
            waits = f"The answer waits for {look}"
            break
    return f"Interim analyses were planned at {planned}, but there are {n_runs}. {waits}."


def _adjusted(raw_answers: Sequence[_RawAnswers], settings: Settings) -> Iterator[TwoAnswers]:
    """Adjust p-values over the systems compared with the baseline, separately for each question.

    With planned interim analyses, p for both kinds of luck is adjusted for these first. If any metric decides, families
    include all metrics; p for test-set luck is then adjusted by the shuffles that they share.
    """
    answers = [raw.answers for raw in raw_answers]
    p_test_set = [answer.test_set_luck.p_value for answer in answers]
    p_alone = [p_at_look(answer.p_alone, answer.n_runs, settings) for answer in answers]
    p_family = [p_at_look(answer.p_family, answer.n_runs, settings) for answer in answers]

    is_joint = settings.decision == "any"
    families: list[tuple[str, ...]] = []
    for answer in answers:
        if answer.is_copy:
            families.append((answer.both.test_set, answer.both.metric, answer.both.system))
        elif is_joint:
            families.append((answer.both.test_set,))
        else:
            families.append((answer.both.test_set, answer.both.metric))
    p_test_set_adjusted = holm_within(families, p_test_set, p_test_set)
    p_run_adjusted = holm_within(families, p_alone, p_family)

    # Test sets whose tests share their shuffles: by the largest difference of each shuffle
    indices_of: dict[str, list[int]] = {}
    for index, raw in enumerate(raw_answers):
        if raw.test_set_luck.null is not None and not raw.answers.is_copy:
            indices_of.setdefault(raw.answers.both.test_set, []).append(index)
    for indices in indices_of.values():
        results = [raw_answers[index].test_set_luck for index in indices]
        nulls = np.stack([result.null for result in results if result.null is not None])
        p_test_set_adjusted[indices] = max_t_step_down([result.statistic for result in results], nulls)

    n_tests_of: Counter[tuple[str, ...]] = Counter()
    for family, p in zip(families, p_test_set, strict=True):
        if not np.isnan(p):
            n_tests_of[family] += 1
    for answer, family, p_first, p_second in zip(
        answers, families, p_test_set_adjusted.tolist(), p_run_adjusted.tolist(), strict=True
    ):
        note = look_note(answer.n_runs, settings)
        if note not in answer.both.note:
            both_note = " ".join(filter(None, (note, answer.both.note)))
            answer = replace(answer, both=replace(answer.both, note=both_note))
        n_tests = 1 if is_joint else n_tests_of[family]
        yield _decided(answer, p_first, p_second, n_tests, settings)


def _decided(answers: TwoAnswers, p_test_set: float, p_run: float, n_tests: int, settings: Settings) -> TwoAnswers:
    """Return both answers with adjusted p; without p and with the reason if test-set luck can never be ruled out."""
    test_set_luck, both = answers
    level = settings.level
    if both.unit == "run":
        nan = float("nan")
        note = settings.runs.filled(ONE_SCORE_PER_RUN)
        return replace(
            answers,
            test_set_luck=replace(test_set_luck, p_value=nan, p_adjusted=nan, note=note),
            both=both.decided(p_run, settings),
        )
    reason = ""
    if p_test_set > level:
        reason = answers.too_few_units(level, n_tests)
    if reason:
        # The reason replaces the one for a single test
        other_notes = test_set_luck.note.replace(answers.too_few_units(level, 1), "").strip()
        note = " ".join(filter(None, (reason, other_notes)))
        note_both = note
        if np.isnan(answers.p_alone):
            note_both = both.note  # the reason why runs show no training luck
        nan = float("nan")
        return replace(
            answers,
            test_set_luck=replace(test_set_luck, p_value=nan, p_adjusted=nan, note=note),
            both=replace(both, p_value=nan, p_adjusted=nan, note=note_both),
        )
    return replace(
        answers,
        test_set_luck=test_set_luck.decided(p_test_set, settings),
        both=both.decided(answers.beside(p_run, p_test_set), settings),
    )


@dataclass(frozen=True)
class JointVerdict:
    """Verdict on one system by all metrics with a better direction together, on one test set.

    Parameters
    ----------
    metrics
        Their keys.
    p_test_set, p_run
        The largest p over the metrics, adjusted by Holm over the systems; 1 if the metrics disagree about the better
        system, NaN if any metric has no answer.
    """

    test_set: str
    system: str
    metrics: tuple[str, ...]
    p_test_set: float
    p_run: float
    conclusion: Conclusion


def joint_verdicts(
    answers: Sequence[TwoAnswers], metrics: Sequence[str], test_set: str, settings: Settings
) -> list[JointVerdict]:
    """Return whether each system is better, or worse, by all metrics (intersection-union; Berger 1982).

    Parameters
    ----------
    metrics
        Keys of the metrics with a better direction. Without at least two of them, nothing is returned.
    """
    if len(metrics) < 2:
        return []
    answers_of: dict[str, list[TwoAnswers]] = {}  # by system
    for answer in answers:
        if answer.both.metric in metrics and answer.both.test_set == test_set:
            answers_of.setdefault(answer.both.system, []).append(answer)
    answers_of = {system: by_metric for system, by_metric in answers_of.items() if len(by_metric) == len(metrics)}

    # Of each system: the largest p over the metrics for test-set luck, both, and both by the law of the family
    p_test_set = []
    p_run = []
    p_family = []
    for by_metric in answers_of.values():
        if len(_signs(by_metric)) > 1:  # the metrics disagree
            p_test_set.append(1.0)
            p_run.append(1.0)
            p_family.append(1.0)
        else:
            p_test_set.append(np.max([answer.test_set_luck.p_value for answer in by_metric]))
            p_run.append(np.max([answer.p_looked(settings) for answer in by_metric]))
            p_family.append(np.max([p_at_look(answer.p_family, answer.n_runs, settings) for answer in by_metric]))
    # Copies of the baseline are families of their own
    families = []
    for system, by_metric in answers_of.items():
        is_copy = all(answer.is_copy for answer in by_metric)
        if is_copy:
            families.append(system)
        else:
            families.append("")
    p_test_set_adjusted = holm_within(families, p_test_set).tolist()
    p_run_adjusted = holm_within(families, p_run, p_family).tolist()

    verdicts = []
    for (system, by_metric), p_first, p_second in zip(
        answers_of.items(), p_test_set_adjusted, p_run_adjusted, strict=True
    ):
        p = float(np.max([answer.beside(p_second, p_first) for answer in by_metric]))
        deciding_p = p
        if np.isnan(p_second) and all(answer.n_runs < 2 for answer in by_metric):
            deciding_p = p_first  # single runs: test-set luck decides
        direction = max(_signs(by_metric))
        conclusion = concluded(answer_at(deciding_p, settings.level), direction, direction, Notation("↑"))
        verdicts.append(JointVerdict(test_set, system, tuple(metrics), p_first, p, conclusion))
    return verdicts


def _signs(answers: Sequence[TwoAnswers]) -> set[float]:
    """Return the signs of the improvements."""
    return {np.sign(answer.both.improvement) for answer in answers}


class Measured(Protocol):
    """What a verdict is about: a metric, or a measure of some words."""

    @property
    def name(self) -> str:
        """Display name."""

    @property
    def notation(self) -> Notation:
        """How values are written."""


def verdict_on(
    answers: TwoAnswers, n_runs: int, settings: Settings, spec: Measured, of_system: Coverage | None = None
) -> Verdict:
    """Return the verdict on one system.

    Parameters
    ----------
    n_runs
        Runs of the system that has fewer, if both were retrained.
    of_system
        The system's own coverage, for the size of the test set.
    """
    level = settings.level
    first, second = answers
    coverage = None
    if of_system is not None:
        coverage = replace(of_system, n_segments=second.n_segments, n_documents=second.n_documents)
    return Verdict(
        test_set=first.test_set,
        metric=first.metric,
        metric_name=spec.name,
        baseline=first.baseline,
        system=first.system,
        difference=first.difference,
        improvement=first.improvement,
        n_runs=n_runs,
        unit=first.unit,
        test_set_luck=answer_at(first.p_adjusted, level),
        p_test_set=first.p_value,
        p_test_set_adjusted=first.p_adjusted,
        note_test_set=first.note,
        both=answer_at(second.p_adjusted, level),
        p_run=second.p_value,
        p_run_adjusted=second.p_adjusted,
        low=second.low,
        high=second.high,
        note_both=second.note.replace(settings.runs.filled(PROVISIONAL), "").strip(),
        design=settings.design,
        notation=spec.notation,
        unit_both=second.unit,
        low_test_set=first.low,
        high_test_set=first.high,
        p_looked=answers.p_looked(settings),
        coverage=coverage,
        runs=settings.runs,
        decision=settings.decision,
        has_family_law=answers.has_family_law,
        reach=answers.reach,
        reach_in_errors=answers.reach_in_errors,
        more_runs=answers.more_runs,
        reach_of_more=answers.reach_of_more,
        error=answers.error,
        df=answers.df,
    )


def signatures(
    experiment: Experiment, scored_metrics: Sequence[Scored], settings: Settings
) -> dict[str, dict[str, str]]:
    """Return, for each test set and metric, the options that determine the numbers, in sacreBLEU's form."""
    settings = _for_shared_family(scored_metrics, experiment.baseline, settings)
    signature_of: dict[str, dict[str, str]] = {test_set.name: {} for test_set in experiment.test_sets}
    for scored in scored_metrics:
        test_set = scored.test_set
        metric = scored.metric
        n_references = {len(references) for references in test_set.references}
        n_runs = {len(system.runs) for system in test_set.systems}
        n_shuffles = settings.for_family(family_size(scored, experiment.baseline, settings)).n_shuffles
        first, second = deciding_questions(scored, settings)
        different_questions = dict.fromkeys((first, second))  # released models have one
        if second.unit == "run":
            different_questions.pop(first)  # it has no answer
        procedures = "+".join(f"{question.procedure}/{question.unit}" for question in different_questions)
        aligned = ""
        if REALIGNED in test_set.side:
            aligned = "|align:document"
        tests = ""
        shuffles = ""
        if len(experiment.systems) > 1:  # one system alone is not tested
            tests = f"|proc:{procedures}"
            shuffles = f"|ar:{n_shuffles}"
        signature_of[test_set.name][metric.key] = (
            f"nrefs:{_range(n_references)}|{metric.signature()}{aligned}|runs:{_range(n_runs)}{tests}"
            f"|bs:{settings.n_bootstrap}{shuffles}|seed:{settings.seed}|mteval:{__version__}"
        )
    return signature_of


def _range(counts: Collection[int]) -> str:
    """Return ``3``, or ``1-4`` if counts differ (sacreBLEU's ``var`` says less), or 0 for no counts."""
    if not counts:
        return "0"
    lowest = min(counts)
    highest = max(counts)
    if lowest == highest:
        return str(lowest)
    return f"{lowest}-{highest}"
