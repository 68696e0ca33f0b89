"""All procedures side by side: the right family, the right units, the numbers of sacreBLEU."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest
from scipy import stats

from mteval.analysis.comparison import Case, Outcome, Question, ask
from mteval.analysis.corrections import ALL_PAIRS, CORRECTIONS, adjusted, corrections_for
from mteval.analysis.evaluation import Evaluation, evaluate_scored
from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.analysis.significance import (
    Family,
    SharedReplicates,
    all_questions,
    ask_family,
    family_frame,
    question_on,
    raw_alternative,
    superiority,
)
from mteval.analysis.two_answers import answered
from mteval.base.errors import DataError, SettingsError
from mteval.metrics import resolve
from mteval.metrics.imported import Imported
from mteval.readers.named_files import load_paths
from mteval.stats import PROCEDURES
from mteval.stats.base import PairedResult
from mteval.stats.interval import ratio_intervals, ratio_over_units
from mteval.stats.multiplicity import holm, holm_with_laws
from mteval.stats.procedures.registry import usual
from mteval.stats.resampling.bootstrap import replicate_scores
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

SETTINGS = Settings(metrics=("bleu", "ter"), n_shuffles=1_000, seed=3)
WORDS = [f"word{place}" for place in range(15)]


def experiment(n_segments: int = 40, n_runs: int = 3, n_documents: int | None = None) -> Experiment:
    """Three systems that lose words of the references at rates that differ a little."""
    generator = np.random.default_rng(1)
    references = [list(generator.permutation(WORDS)) for _ in range(n_segments)]
    runs = []
    for system, loss in (("a", 0.20), ("b", 0.17), ("c", 0.25)):
        for run in range(n_runs):
            outputs = []
            for words in references:
                outputs.append(" ".join(word for word in words if generator.random() > loss))
            runs.append(Run(system, str(run), tuple(outputs)))
    documents = None
    if n_documents:
        documents = tuple(str(place * n_documents // n_segments) for place in range(n_segments))
    test_set = TestSet("test", tuple((" ".join(words),) for words in references), tuple(runs), documents=documents)
    return Experiment((test_set,), "a")


def scores(loaded: Experiment) -> tuple[Scored, ...]:
    """The scores by BLEU and TER."""
    return score_experiment(loaded, resolve(SETTINGS), Work())


def frame_of(scored_metrics: tuple[Scored, ...], questions: Sequence[Question], correction: str) -> pd.DataFrame:
    """The table of all tests against a."""
    family = Family.of(scored_metrics, "a")
    return family_frame(ask_family(family, questions, SETTINGS, Work()), correction, SETTINGS)


def result_of(scored: Scored, question: Question) -> PairedResult:
    """The answer to a question about b against a."""
    return ask(Case(scored, "a", "b", question), SETTINGS, Work()).result


@pytest.fixture(scope="module")
def scored_metrics() -> tuple[Scored, ...]:
    return scores(experiment())


def test_every_registered_procedure_is_asked_once_about_every_system_and_metric(
    scored_metrics: tuple[Scored, ...],
) -> None:
    """Two systems against a, by two metrics."""
    frame = frame_of(scored_metrics, all_questions("segment"), "holm")
    assert len(frame) == 2 * 2 * len(usual())
    assert list(frame["procedure"].unique()) == list(usual())
    answered = frame[~frame["procedure"].isin(["sign", "wilcoxon"])]
    assert answered["p_value"].notna().all()


def test_the_family_of_a_p_value_is_all_systems_and_metrics_by_the_same_procedure(
    scored_metrics: tuple[Scored, ...],
) -> None:
    frame = frame_of(scored_metrics, all_questions("segment", ["ar-segment", "welch"]), "holm")
    for _, rows in frame.groupby("procedure"):
        assert len(rows) == 4
        np.testing.assert_allclose(rows["p_adjusted"], holm(rows["p_value"].to_numpy()))


def test_simultaneous_intervals_agree_with_adjusted_p_values(scored_metrics: tuple[Scored, ...]) -> None:
    questions = all_questions("segment", ["ar-segment", "paired-bootstrap", "run-permutation", "two-way"])

    frame = frame_of(scored_metrics, questions, "none").set_index("procedure")

    assert dict(zip(frame.index, frame["simultaneous"], strict=True)) == {
        "ar-segment": "max-T over shared shuffles",
        "paired-bootstrap": "Bonferroni",
        "run-permutation": "",
        "two-way": "Bonferroni",
    }
    for _, rows in frame[frame["simultaneous"] != ""].groupby("procedure"):
        leaves_out_zero = (rows["low_simultaneous"] > 0) | (rows["high_simultaneous"] < 0)
        assert list(leaves_out_zero) == list(rows["p_simultaneous"] <= 0.05)
        assert (rows["low_simultaneous"] < rows["difference"]).all()
    two_way = frame.loc["two-way"]
    assert (two_way["low_simultaneous"] < two_way["low"]).all()

    one_sided = ask_family(Family.of(scored_metrics, "a"), questions, SETTINGS, Work(), "better")
    assert family_frame(one_sided, "none", SETTINGS)["low_simultaneous"].isna().all()


def test_documents_are_the_units_of_the_paired_t_test_of_any_metric() -> None:
    for scored in scores(experiment(n_documents=8)):
        result = result_of(scored, Question("paired-t", "document"))
        assert result.df == pytest.approx(7)
        assert result.low < result.statistic < result.high


def test_runs_are_paired_by_name_in_any_order() -> None:
    loaded = experiment()
    (test_set,) = loaded.test_sets
    question = Question("two-way-paired", "segment")

    def result_with(runs: tuple[Run, ...]) -> PairedResult:
        """The answer by the first metric if the test set has these runs."""
        changed = replace(loaded, test_sets=(replace(test_set, runs=runs),))
        return result_of(scores(changed)[0], question)

    reversed_but_a = test_set.runs[:3] + test_set.runs[:2:-1]
    assert result_with(reversed_but_a).p_value == pytest.approx(result_with(test_set.runs).p_value)

    renamed = tuple(replace(run, key=f"x{run.key}") if run.system == "b" else run for run in reversed_but_a)
    result = result_with(renamed)
    assert np.isnan(result.p_value)
    assert "6 runs have no partner of the same name: '0' of a, '1' of a, '2' of a, 'x2' of b and others" in result.note


def test_tests_of_segment_means_refuse_bleu_with_a_reason(scored_metrics: tuple[Scored, ...]) -> None:
    bleu = scored_metrics[0]
    difference = bleu.run_scores["b"].mean() - bleu.run_scores["a"].mean()
    for procedure in ("sign", "wilcoxon"):
        outcome = ask(Case(bleu, "a", "b", Question(procedure, "segment")), SETTINGS, Work())
        assert np.isnan(outcome.result.p_value)
        assert "not an average of segment scores" in outcome.result.note
        assert outcome.case.difference == pytest.approx(difference)


def test_tests_of_segment_means_answer_for_such_metrics() -> None:
    """With one run of each system, whatever needs no second one."""
    scores = []
    for seed, system in enumerate("ab"):
        values = np.random.default_rng(seed).normal(size=30)
        scores.append(GivenScores("test", system, "0", tuple(values.tolist())))
    human = Imported(GivenMetric("human", "Human", tuple(scores)))
    runs = tuple(Run(system, "0", ("x",) * 30) for system in "ab")
    loaded = Experiment((TestSet("test", (("r",),) * 30, runs),), "a")
    family = Family.of(score_experiment(loaded, [human], Work()), "a")

    outcomes = ask_family(family, all_questions("segment"), SETTINGS, Work())

    answered = {outcome.case.question.procedure for outcome in outcomes if np.isfinite(outcome.result.p_value)}
    assert answered == {key for key, spec in PROCEDURES.items() if spec.min_runs == 1}


@pytest.mark.parametrize("procedure", [key for key, spec in PROCEDURES.items() if spec.from_replicates is not None])
@pytest.mark.parametrize("unit", ["segment", "document"])
def test_shared_replicates_agree_with_the_procedure(procedure: str, unit: str) -> None:
    scored = scores(experiment(n_documents=8))[0]
    case = Case(scored, "a", "b", Question(procedure, unit))
    assert scored.is_complete

    shared = SharedReplicates(SETTINGS, Work()).ask(case).result
    alone = ask(case, SETTINGS, Work()).result

    assert shared.p_value == alone.p_value
    np.testing.assert_allclose(shared.statistic, alone.statistic, rtol=1e-9)
    np.testing.assert_allclose(shared.low, alone.low, rtol=1e-9)
    np.testing.assert_allclose(shared.high, alone.high, rtol=1e-9)
    np.testing.assert_allclose(shared.standard_error, alone.standard_error, rtol=1e-9)


def test_systems_share_replicates_whatever_their_numbers_of_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each system's replicates are those of its mean over runs alone; systems with as many runs are drawn together."""
    loaded = experiment()
    (test_set,) = loaded.test_sets
    runs = tuple(run for run in test_set.runs if (run.system, run.key) != ("c", "2"))
    scored = scores(replace(loaded, test_sets=(replace(test_set, runs=runs),)))[0]
    assert {system: len(statistics) for system, statistics in scored.statistics.items()} == {"a": 3, "b": 3, "c": 2}
    n_drawn_together = []

    def replicates_of(systems: Sequence[Any], *others: Any) -> Any:
        n_drawn_together.append(len(systems))
        return replicate_scores(systems, *others)

    monkeypatch.setattr("mteval.analysis.significance.replicate_scores", replicates_of)
    question = Question("paired-bootstrap", "segment")
    shared = SharedReplicates(SETTINGS, Work())
    for system in ("b", "c"):
        case = Case(scored, "a", system, question)
        alone = ask(case, SETTINGS, Work()).result
        assert alone.draws is not None
        np.testing.assert_allclose(shared.ask(case).result.draws, alone.draws, rtol=1e-9)
    assert n_drawn_together == [2, 1]


def test_a_family_has_the_outcomes_of_each_case_alone() -> None:
    """Tests of both kinds of luck use the exchange of their own units."""
    scored = scores(experiment(n_documents=8))[0]
    questions = all_questions("document")
    for outcome in ask_family(Family.of([scored], "a"), questions, SETTINGS, Work()):
        alone = ask(outcome.case, SETTINGS, Work())
        np.testing.assert_equal(outcome.printed.p_value, alone.printed.p_value)
        assert (outcome.exchanged is None) == (alone.exchanged is None)
        if outcome.exchanged is not None:
            assert outcome.exchanged.case.question.unit == outcome.case.question.unit


def test_documents_add_a_row_with_segments_as_units() -> None:
    questions = all_questions("document")
    assert questions[: len(usual())] == tuple(question_on(key, "document") for key in usual())
    assert questions[len(usual()) :] == (
        Question("ar-segment", "segment"),
        Question("two-way", "segment"),
        Question("two-way-strict", "segment"),
    )

    frame = frame_of(scores(experiment(n_documents=8)), questions, "none")
    rows = frame[(frame["procedure"] == "ar-segment") & (frame["metric"] == "bleu") & (frame["system"] == "b")]
    assert list(rows["unit"]) == ["document", "segment"]
    assert rows["p_value"].nunique() == 2


def test_runs_and_single_outputs_are_named_as_units() -> None:
    assert question_on("welch", "document") == Question("welch", "run")
    assert question_on("ar-output", "segment") == Question("ar-output", "output")
    assert question_on("ar-output", "document") == Question("ar-output", "document")
    with pytest.raises(SettingsError, match="Unknown procedure 'tukey'"):
        question_on("tukey", "segment")


def test_better_means_lower_if_lower_is_better(scored_metrics: tuple[Scored, ...]) -> None:
    """By TER against c, which loses most words, all systems are better."""
    bleu, ter = scored_metrics
    assert raw_alternative(bleu, "better") == "greater"
    assert raw_alternative(ter, "worse") == "greater"
    assert raw_alternative(bleu, "worse") == "less"
    assert raw_alternative(ter, "better") == "less"

    against_c = Family.of([ter], "c")
    questions = all_questions("segment", ["ar-segment"])
    better = ask_family(against_c, questions, SETTINGS, Work(), "better")
    worse = ask_family(against_c, questions, SETTINGS, Work(), "worse")
    assert all(outcome.result.p_value < 0.05 for outcome in better)
    assert all(outcome.result.p_value > 0.95 for outcome in worse)


def test_the_probability_that_a_run_is_better_is_oriented(scored_metrics: tuple[Scored, ...]) -> None:
    question = Question("welch", "run")
    for scored in scored_metrics:
        of_b = superiority(Case(scored, "c", "b", question), 0.95)
        of_c = superiority(Case(scored, "b", "c", question), 0.95)
        assert of_b.value > 0.5
        assert of_c.value == pytest.approx(1 - of_b.value)
        assert of_c.low == pytest.approx(1 - of_b.high)


def test_max_t_is_the_share_of_shuffles_whose_largest_difference_reaches_the_observed(
    scored_metrics: tuple[Scored, ...],
) -> None:
    family = Family.of(scored_metrics[:1], "a")
    outcomes = ask_family(family, all_questions("segment", ["ar-segment"]), SETTINGS, Work())

    nulls = np.abs([outcome.result.null for outcome in outcomes])  # comparisons x shuffles
    spreads = np.sqrt((nulls**2).mean(axis=1))
    largest = (nulls / spreads[:, np.newaxis]).max(axis=0)
    observed = np.abs([outcome.result.statistic for outcome in outcomes]) / spreads
    n_as_large = np.array([(largest >= value - 1e-9).sum() for value in observed])
    max_t = adjusted(outcomes, "max-t", 0.95)
    np.testing.assert_allclose(max_t, (n_as_large + 1) / 1_001)
    assert (max_t <= adjusted(outcomes, "bonferroni", 0.95) + 0.02).all()


def test_max_t_is_undefined_where_comparisons_share_no_shuffles(scored_metrics: tuple[Scored, ...]) -> None:
    sharing = {key for key, spec in PROCEDURES.items() if spec.shares_null}
    assert sharing == {"ar-segment", "ar-output", "bootstrap-shift"}

    family = Family.of(scored_metrics[:1], "a")
    outcomes = ask_family(family, all_questions("segment", ["paired-bootstrap"]), SETTINGS, Work())
    assert np.isnan(adjusted(outcomes, "max-t", 0.95)).all()


def test_corrections_never_lower_p_values_and_none_keeps_them(scored_metrics: tuple[Scored, ...]) -> None:
    outcomes = ask_family(Family.of(scored_metrics, "a"), all_questions("segment", ["ar-segment"]), SETTINGS, Work())
    raw = adjusted(outcomes, "none", 0.95)
    np.testing.assert_array_equal(raw, [outcome.result.p_value for outcome in outcomes])
    for correction in CORRECTIONS.keys() - {*ALL_PAIRS}:
        assert (adjusted(outcomes, correction, 0.95) >= raw - 0.01).all()
    np.testing.assert_allclose(adjusted(outcomes, "bonferroni", 0.95, 4), np.minimum(1, 8 * raw))
    with pytest.raises(SettingsError, match="Unknown correction 'dunnett'"):
        adjusted(outcomes, "dunnett", 0.95)


def test_a_baseline_without_output_is_an_error(scored_metrics: tuple[Scored, ...]) -> None:
    with pytest.raises(DataError, match=r"'z' has no output on test set 'test'. Choose one of a, b, c"):
        Family.of(scored_metrics, "z")


PEER_SAMPLES = 2_000


@pytest.mark.real_data
@pytest.mark.parametrize(("kind", "procedure"), [("ar", "ar-segment"), ("bs", "bootstrap-rm2005")])
def test_one_run_systems_have_the_p_values_of_sacrebleu(kind: str, procedure: str, data_directory: Path) -> None:
    """The systems have 0.65 and 1.81 BLEU points more than the baseline, so this compares no zeros."""
    folder = data_directory / "data" / "wmt23-he-en"
    baseline = "NLLB_MBR_BLEU"
    systems = ("Lan-BridgeMT", "NLLB_Greedy")
    files = {name: [folder / "system-outputs" / f"{name}.txt"] for name in (baseline, *systems)}
    loaded = load_paths([folder / "refA.en.txt"], files, baseline=baseline).experiment
    (test_set,) = loaded.test_sets

    settings = Settings(metrics=("bleu",), seed=1)
    family = Family.of(score_experiment(loaded, resolve(settings), Work()), baseline)
    outcomes = ask_family(family, all_questions("segment", [procedure]), settings, Work())
    p_of = {outcome.case.system: outcome.result.p_value for outcome in outcomes}

    outputs = [(name, list(test_set.runs_of(name)[0].hypotheses)) for name in (baseline, *systems)]
    references = [[segment[0] for segment in test_set.references]]
    _, peer = PairedTest(outputs, {"BLEU": BLEU(references=references)}, None, kind, PEER_SAMPLES)()
    _, *theirs = peer["BLEU"]
    for system, their_result in zip(systems, theirs, strict=True):
        p = p_of[system]
        error = np.sqrt(p * (1 - p) * (1 / PEER_SAMPLES + 1 / settings.n_shuffles))
        assert their_result.p_value == pytest.approx(p, abs=4 * error + 1 / PEER_SAMPLES), system
    assert max(p_of.values()) > 0.01


def test_metrics_decide_together_by_the_largest_p_or_within_one_family(scored_metrics: tuple[Scored, ...]) -> None:
    """Recomputed from the p-values that each metric has alone."""
    loaded = experiment()

    def evaluated(**choices: Any) -> Evaluation:
        return evaluate_scored(loaded, scored_metrics, replace(SETTINGS, **choices), Work())

    plain = evaluated(decision="primary")
    p_test_set = {}
    p_run = {}
    p_family = {}
    for answer in plain.answers:
        key = (answer.both.system, answer.both.metric)
        p_test_set[key] = answer.test_set_luck.p_value
        p_run[key] = answer.both.p_value
        p_family[key] = answer.p_family
    assert plain.joint.empty

    # All metrics: the largest p of each system, and Holm's method over both systems
    def largest(p_of: dict[tuple[str, str], float]) -> np.ndarray:
        return np.array([max(p_of[system, "bleu"], p_of[system, "ter"]) for system in ("b", "c")])

    by_all = evaluated(decision="all").joint
    expected_both = holm_with_laws(largest(p_run), largest(p_family))
    assert by_all["p_test_set"].tolist() == pytest.approx(holm(largest(p_test_set)).tolist())
    assert by_all["p_run"].tolist() == pytest.approx(expected_both.tolist())
    assert list(by_all["conclusion"]) == ["no clear difference"] * 2
    lenient = evaluated(decision="all", confidence=0.8).joint
    assert list(lenient["conclusion"]) == ["no clear difference", "worse"]

    # Any metric: one family of all systems and metrics
    answers = evaluated(decision="any").answers
    keys = [(answer.both.system, answer.both.metric) for answer in answers]
    alone = np.array([p_test_set[key] for key in keys])
    expected_both = holm_with_laws(np.array([p_run[key] for key in keys]), np.array([p_family[key] for key in keys]))
    np.testing.assert_allclose([answer.both.p_adjusted for answer in answers], expected_both)
    adjusted_test_set = np.array([answer.test_set_luck.p_adjusted for answer in answers])
    assert (adjusted_test_set <= holm(alone)).all()
    assert (adjusted_test_set >= alone).all()


def test_intervals_have_the_confidence_that_the_settings_ask_for(scored_metrics: tuple[Scored, ...]) -> None:
    """The more confidence, the wider to either side."""
    least_wider = {}
    for question in all_questions("segment"):
        case = Case(scored_metrics[0], "a", "b", question)
        results = []
        for confidence in (0.8, 0.95, 0.99):
            results.append(ask(case, replace(SETTINGS, confidence=confidence), Work()).result)
        highs = [result.high for result in results]
        lows = [result.low for result in results]
        if np.isnan(highs).any():
            continue
        least_wider[question.procedure] = min(np.diff(highs))
        assert max(np.diff(lows)) < 0, question
    assert min(least_wider.values()) > 0, least_wider
    assert {"ar-segment", "ar-output", "two-way"} <= least_wider.keys()


def test_tukey_and_scheffe_are_offered_for_tests_with_standard_errors_alone() -> None:
    offered = {key for key, spec in PROCEDURES.items() if {*ALL_PAIRS} <= {*corrections_for(spec)}}
    assert {"welch", "paired-t", "two-way"} <= offered
    assert not offered & {"ar-segment", "ar-output", "sign", "wilcoxon", "run-permutation", "bootstrap-rm2005"}
    assert corrections_for(PROCEDURES["ar-segment"])[0] == "max-t"


def test_all_systems_but_the_baseline_have_a_simultaneous_interval(scored_metrics: tuple[Scored, ...]) -> None:
    experiment = Experiment((scored_metrics[0].test_set,), "a")
    primary = scored_metrics[0].metric.key
    rows = answered(experiment, scored_metrics[:1], SETTINGS, Work(), primary).together
    assert [row.system for row in rows] == ["b", "c"]
    assert all(row.low_simultaneous < row.difference < row.high_simultaneous for row in rows)
    assert answered(experiment, scored_metrics[:1], SETTINGS, Work(), "").together == ()


@pytest.mark.parametrize("count", [0, 1, 3, 4])
def test_few_errors_have_the_exact_interval_of_a_poisson_count(count: int) -> None:
    """Garwood's, from chi-squared quantiles, in errors per 1,000 words; units without errors do not vary."""
    sums = np.zeros((1, 40, 2))
    sums[0, :, 1] = 25
    sums[0, :count, 0] = 1_000
    low, high = ratio_over_units(sums[0], 0.9)
    expected = (low, high)
    if count <= 3:
        exact_low = stats.chi2.ppf(0.05, 2 * count) / 2 if count else 0.0
        exact_high = stats.chi2.ppf(0.95, 2 * count + 2) / 2
        # The wider of both intervals; without errors, that over units is undefined
        expected = (np.nanmin([max(0.0, low), exact_low]), np.nanmax([high, exact_high]))
    assert ratio_intervals(sums, 0.9, per=1_000) == [pytest.approx(expected)]


@pytest.mark.parametrize(("n_shuffles", "is_near"), [(1_000, True), (100_000, False)])
def test_a_p_value_that_other_shuffles_could_move_across_the_level_says_so(
    scored_metrics: tuple[Scored, ...], n_shuffles: int, is_near: bool
) -> None:
    """With 1,000 shuffles p = 0.047 has an error of √(p (1 - p) / 1,000) = 0.0067; adjusted to 2 p, of 0.0134."""
    settings = replace(SETTINGS, n_shuffles=n_shuffles)
    case = Case(scored_metrics[0], "a", "b", Question("ar-segment", "segment"))
    result = PairedResult(0.3, p_value=0.047, null=np.zeros(n_shuffles))
    row = Outcome(case, result).comparison(settings)

    assert ("0.0067" in row.decided(0.047, settings).note) == is_near
    assert row.decided(0.094, replace(settings, confidence=0.9)).note.count("error of 0.013") == is_near
    assert row.decided(0.5, settings).note == row.note
    exact = replace(row, n_resamples=20)
    assert exact.decided(0.047, settings).note == row.note
