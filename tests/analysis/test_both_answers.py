"""P for test-set and training luck against p for test-set luck: never lower, with an interval that agrees."""

from dataclasses import replace

import numpy as np
import pytest

from mteval.analysis.corrections import ALL_PAIRS
from mteval.analysis.evaluation import Evaluation, evaluate
from mteval.analysis.pairs import all_pairs
from mteval.analysis.results import verdicts
from mteval.analysis.scoring import Work, score_experiment
from mteval.analysis.significance import Family, ask_family, family_frame, question_on
from mteval.analysis.two_answers import p_at_look
from mteval.metrics.imported import Imported
from mteval.stats.crossed_layout import CrossedGains
from mteval.stats.several_test_sets import OnTestSet, SeveralTestSets
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

SETTINGS = Settings(metrics=("one", "two"), n_shuffles=400, n_bootstrap=20)
DESIGNS = (
    SETTINGS,
    replace(SETTINGS, strict=True),
    replace(SETTINGS, design="paired"),
    replace(SETTINGS, design="fixed"),
    replace(SETTINGS, design="candidate"),
    replace(SETTINGS, decision="all"),
    replace(SETTINGS, decision="any"),
    replace(SETTINGS, looks=(3, 5)),
    replace(SETTINGS, confidence=0.99),
    replace(SETTINGS, design="released"),
)


def made(n_documents: int, seed: int, systems: str = "abc", n_runs: int = 3) -> Experiment:
    """Systems that differ by little more than luck, by two metrics, on documents of six segments."""
    generator = np.random.default_rng(seed)
    n_segments = 6 * n_documents
    shifts = np.arange(len(systems)) * generator.uniform(0, 0.7)
    shift_of = dict(zip(systems, shifts, strict=True))

    given = []
    for metric in ("one", "two"):
        scores = []
        for system in systems:
            for run in range(n_runs):
                values = generator.normal(size=n_segments) + shift_of[system]
                scores.append(GivenScores("test", system, str(run), tuple(values)))
        given.append(GivenMetric(metric, metric, tuple(scores)))

    runs = tuple(Run(system, str(run), (f"{system}{run}",) * n_segments) for system in systems for run in range(n_runs))
    documents = tuple(f"d{place // 6}" for place in range(n_segments))
    test_set = TestSet("test", (("r",),) * n_segments, runs, documents=documents)
    return Experiment((test_set,), "a", tuple(given))


def evaluated(experiment: Experiment, settings: Settings) -> Evaluation:
    """The evaluation of an experiment that is scored by both of its metrics."""
    n_scored = 0
    for given in experiment.given:
        n_scored += len(score_experiment(experiment, [Imported(given)], Work()))
    assert n_scored == 2
    return evaluate(experiment, settings, Work())


@pytest.mark.parametrize("settings", DESIGNS)
def test_p_run_is_not_below_p_test_set_and_agrees_with_its_interval(settings: Settings) -> None:
    n_raised = 0
    for seed in range(8):
        evaluation = evaluated(made(10, seed), settings)
        for answer, verdict in zip(evaluation.answers, verdicts(evaluation), strict=True):
            test_set, both = answer
            assert both.p_value >= max(test_set.p_value, answer.p_alone)
            assert both.p_adjusted >= test_set.p_adjusted
            assert verdict.p_looked >= max(test_set.p_value, p_at_look(answer.p_alone, answer.n_runs, settings))
            assert (both.low <= 0 <= both.high) == (both.p_value > 1 - settings.confidence)
            assert both.low <= test_set.low < test_set.high <= both.high
            n_raised += both.p_value > answer.p_alone
        assert all(verdict.p_run >= verdict.p_test_set for verdict in evaluation.together_by_all)
        for row in evaluation.together:
            if row.p_simultaneous > 0.05:
                assert row.low_simultaneous <= 0 <= row.high_simultaneous

    # Elsewhere p for both kinds of luck is the larger one without being raised
    if settings.design == "independent" and not settings.strict and not settings.looks:
        assert n_raised


def test_single_outputs_do_not_limit_p_run_because_their_units_differ() -> None:
    answers = evaluated(made(10, 1), replace(SETTINGS, exchange_unit="output")).answers
    assert [answer.both.p_value for answer in answers] == [answer.p_alone for answer in answers]


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "benjamini-hochberg", "none", "tukey", "scheffe"])
def test_tables_of_all_tests_and_pairs_follow_the_same_rule(correction: str) -> None:
    by_test_set, *by_both = (question_on(key, "document") for key in ("ar-segment", "two-way", "two-way-strict"))
    for seed in range(4):
        experiment = made(10, seed)
        scored = score_experiment(experiment, [Imported(experiment.given[0])], Work())

        if correction not in ALL_PAIRS:
            family = ask_family(Family.of(scored, "a"), [by_test_set, *by_both], SETTINGS, Work())
            frame = family_frame(family, correction, SETTINGS)
            test_set = frame[frame["procedure"] == by_test_set.procedure].reset_index()
            for question in by_both:
                both = frame[frame["procedure"] == question.procedure].reset_index()
                for column in ("p_value", "p_adjusted"):
                    assert (both[column] >= test_set[column]).all()
                assert (both["low"] <= test_set["low"]).all()
                assert (both["low_simultaneous"] <= test_set["low_simultaneous"]).all()

        # Tukey's and Scheffé's corrections need the spread of runs, which a test of test-set luck has not
        correction_of_test_set = "max-t" if correction in ALL_PAIRS else correction
        pairs_of_test_set = all_pairs(scored[0], by_test_set, correction_of_test_set, SETTINGS, Work())
        for question in by_both:
            pairs_of_both = all_pairs(scored[0], question, correction, SETTINGS, Work())
            assert (pairs_of_both["p_adjusted"] >= pairs_of_test_set["p_adjusted"]).all()


@pytest.mark.parametrize(
    ("n_documents", "systems", "needed"),
    [(5, "ab", 6), (6, "ab", 0), (6, "abc", 7), (7, "abc", 0), (8, "abcdefghijkl", 9), (9, "abcdefghijkl", 0)],
)
def test_there_is_no_verdict_if_documents_are_too_few_for_the_family(
    n_documents: int, systems: str, needed: int
) -> None:
    """The smallest p is 2 / 2^documents times the number of systems; the message names the fewest that suffice."""
    is_refused = 2 * (len(systems) - 1) / 2**n_documents > 0.05
    assert is_refused == bool(needed)

    on_documents = evaluated(made(n_documents, 1, systems), SETTINGS)
    for verdict in verdicts(on_documents):
        assert (verdict.both == "refused") == is_refused
        assert (verdict.test_set_luck == "refused") == is_refused
        assert (f"at least {needed} documents, or segments as units" in verdict.note_both) == is_refused

    on_segments = evaluated(made(n_documents, 1, systems), replace(SETTINGS, exchange_unit="segment"))
    assert all(verdict.both != "refused" for verdict in verdicts(on_segments))


def test_claims_and_raters_follow_the_same_rule() -> None:
    for seed in range(200):
        generator = np.random.default_rng(seed)
        gains = 0.3 + 0.1 * generator.normal(size=(3, 4)) + generator.normal(size=4)
        difference = float(gains.mean())
        parts = []
        for place in range(2):
            baseline = 0.01 * generator.normal(size=(3, 4))
            system = gains + 0.01 * generator.normal(size=(3, 4))
            parts.append(OnTestSet(baseline, system, difference, place))
        claim = SeveralTestSets(tuple(parts))
        raters = CrossedGains(gains, difference)

        for wide, narrow in (
            (claim.these_test_sets, claim.these_runs),
            (raters.other_raters, raters.these_raters),
        ):
            more_luck = wide("two-sided", 0.95)
            less_luck = narrow("two-sided", 0.95)
            assert more_luck.p_value >= less_luck.p_value
            assert more_luck.low <= less_luck.low


def with_copy(experiment: Experiment) -> Experiment:
    """Add a system "copy" whose runs and scores are the baseline's, in another order."""
    (test_set,) = experiment.test_sets
    runs = [*test_set.runs]
    given = []
    for metric in experiment.given:
        scores = [*metric.scores]
        for score in metric.scores:
            if score.system == "a":
                scores.append(replace(score, system="copy", run=str(2 - int(score.run))))
        given.append(replace(metric, scores=tuple(scores)))
    for run in test_set.runs:
        if run.system == "a":
            runs.append(replace(run, system="copy", key=str(2 - int(run.key))))
    return replace(experiment, test_sets=(replace(test_set, runs=tuple(runs)),), given=tuple(given))


@pytest.mark.parametrize("settings", DESIGNS)
def test_a_copy_of_the_baseline_changes_no_other_verdict_and_has_no_interval(settings: Settings) -> None:
    """Copies are no hypotheses: the verdicts on the others are those of an experiment without the copy."""
    experiment = made(10, 3)
    alone = {(row.metric, row.system): row for row in verdicts(evaluated(experiment, settings))}
    beside = {(row.metric, row.system): row for row in verdicts(evaluated(with_copy(experiment), settings))}
    for key, verdict in alone.items():
        for name in ("p_test_set_adjusted", "p_run_adjusted", "low_simultaneous", "high_simultaneous", "both"):
            assert getattr(beside[key], name) == pytest.approx(getattr(verdict, name), nan_ok=True), (key, name)
    for metric in ("one", "two"):
        copy = beside[metric, "copy"]
        assert np.isnan([copy.low, copy.high, copy.low_test_set, copy.high_test_set, copy.low_simultaneous]).all()
        assert not copy.conclusion.is_shown


def test_no_interval_contradicts_the_verdict_beside_it() -> None:
    """Holm's verdict is stronger than simultaneous intervals, which then end at zero."""
    n_ended = 0
    for seed in range(30):
        for verdict in verdicts(evaluated(made(10, seed, "abcd", 5), SETTINGS)):
            low, high = verdict.ends_both
            if not verdict.is_simultaneous:
                continue
            n_ended += verdict.is_ended_at_zero
            if verdict.both == "ruled out":
                assert low >= 0 or high <= 0
                assert not verdict.is_ended_at_zero or (low, high)[verdict.difference < 0] == 0
    assert n_ended > 0
