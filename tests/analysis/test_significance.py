"""All procedures side by side: the right family, the right units, the numbers of sacreBLEU."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest
from scipy import stats

from mteval.analysis.comparison import Case, Outcome, Question, ask
from mteval.analysis.corrections import ALL_PAIRS, CORRECTIONS, adjusted, corrections_for
from mteval.analysis.evaluation import evaluate_scored
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
    together_rows,
)
from mteval.base.errors import DataError, SettingsError
from mteval.metrics import resolve
from mteval.metrics.imported import Imported
from mteval.readers.named_files import load_paths
from mteval.stats import PROCEDURES
from mteval.stats.base import PairedResult
from mteval.stats.interval import ratio_intervals, ratio_over_units
from mteval.stats.multiplicity import holm, holm_with_laws
from mteval.stats.procedures.registry import usual
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

SETTINGS = Settings(metrics=("bleu", "ter"), n_shuffles=1_000, seed=3)
WORDS = [f"word{place}" for place in range(15)]


def experiment(n_segments: int = 40, runs: int = 3, documents: int | None = None) -> Experiment:
    """Three systems that lose words of the references at rates that differ a little."""
    generator = np.random.default_rng(1)
    references = [list(generator.permutation(WORDS)) for _ in range(n_segments)]
    outputs = tuple(
        Run(system, str(run), tuple(" ".join(w for w in r if generator.random() > loss) for r in references))
        for (system, loss), run in product((("a", 0.20), ("b", 0.17), ("c", 0.25)), range(runs))
    )
    names = tuple(str(i * documents // n_segments) for i in range(n_segments)) if documents else None
    return Experiment((TestSet("test", tuple((" ".join(r),) for r in references), outputs, documents=names),), "a")


def scores(made: Experiment) -> tuple[Scored, ...]:
    return score_experiment(made, resolve(SETTINGS), Work())


@pytest.fixture(scope="module")
def scored_metrics() -> tuple[Scored, ...]:
    return scores(experiment())


def test_every_registered_procedure_is_asked_once_about_every_system_and_metric(
    scored_metrics: tuple[Scored, ...],
) -> None:
    outcomes = ask_family(Family.of(scored_metrics, "a"), all_questions("segment"), SETTINGS, Work())
    frame = family_frame(outcomes, "holm", SETTINGS)
    assert len(frame) == 2 * 2 * len(usual())
    assert list(frame["procedure"].unique()) == list(usual())
    answered = frame[~frame["procedure"].isin(["sign", "wilcoxon"])]
    assert answered["p_value"].notna().all()


def test_the_family_of_a_p_value_is_all_systems_and_metrics_by_the_same_procedure(
    scored_metrics: tuple[Scored, ...],
) -> None:
    outcomes = ask_family(
        Family.of(scored_metrics, "a"), all_questions("segment", ["ar-segment", "welch"]), SETTINGS, Work()
    )
    frame = family_frame(outcomes, "holm", SETTINGS)
    for _, rows in frame.groupby("procedure"):
        assert len(rows) == 4
        np.testing.assert_allclose(rows["p_adjusted"], holm(rows["p_value"].to_numpy()))


def test_simultaneous_intervals_agree_with_adjusted_p_values(scored_metrics: tuple[Scored, ...]) -> None:
    asked = all_questions("segment", ["ar-segment", "paired-bootstrap", "run-permutation", "two-way"])
    outcomes = ask_family(Family.of(scored_metrics, "a"), asked, SETTINGS, Work())
    frame = family_frame(outcomes, "none", SETTINGS).set_index("procedure")
    assert dict(zip(frame.index, frame["simultaneous"], strict=True)) == {
        "ar-segment": "max-T over shared shuffles", "paired-bootstrap": "Bonferroni", "run-permutation": "",
        "two-way": "Bonferroni",
    }  # fmt: skip
    for _, rows in frame[frame["simultaneous"] != ""].groupby("procedure"):
        leaves_out_zero = (rows["low_simultaneous"] > 0) | (rows["high_simultaneous"] < 0)
        assert list(leaves_out_zero) == list(rows["p_simultaneous"] <= 0.05)
        assert (rows["low_simultaneous"] < rows["difference"]).all()
    alone, wide = frame.loc["two-way", "low"], frame.loc["two-way", "low_simultaneous"]
    assert (wide < alone).all()
    one_sided = ask_family(Family.of(scored_metrics, "a"), asked, SETTINGS, Work(), "better")
    assert family_frame(one_sided, "none", SETTINGS)["low_simultaneous"].isna().all()


def test_documents_are_the_units_of_the_paired_t_test_of_any_metric() -> None:
    for scored in scores(experiment(documents=8)):
        result = ask(Case(scored, "a", "b", Question("paired-t", "document")), SETTINGS, Work()).result
        assert result.df == pytest.approx(7)
        assert result.low < result.statistic < result.high


def test_runs_are_paired_by_name_in_any_order() -> None:
    made = experiment()
    shuffled = replace(made.test_sets[0], runs=made.test_sets[0].runs[:3] + made.test_sets[0].runs[:2:-1])
    plain, other = (
        ask(Case(scores(one)[0], "a", "b", Question("two-way-paired", "segment")), SETTINGS, Work()).result
        for one in (made, replace(made, test_sets=(shuffled,)))
    )
    assert other.p_value == pytest.approx(plain.p_value)
    renamed = tuple(replace(run, key=f"x{run.key}") if run.system == "b" else run for run in shuffled.runs)
    alone = scores(replace(made, test_sets=(replace(shuffled, runs=renamed),)))[0]
    result = ask(Case(alone, "a", "b", Question("two-way-paired", "segment")), SETTINGS, Work()).result
    assert np.isnan(result.p_value)
    assert "6 runs have no partner of the same name: '0' of a, '1' of a, '2' of a, 'x2' of b and others" in result.note


def test_tests_of_segment_means_refuse_bleu_with_a_reason(scored_metrics: tuple[Scored, ...]) -> None:
    for procedure in ("sign", "wilcoxon"):
        outcome = ask(Case(scored_metrics[0], "a", "b", Question(procedure, "segment")), SETTINGS, Work())
        assert np.isnan(outcome.result.p_value)
        assert "not an average of segment scores" in outcome.result.note
        means = [scored_metrics[0].run_scores[system].mean() for system in "ab"]
        assert outcome.case.difference == pytest.approx(means[1] - means[0])


def test_tests_of_segment_means_answer_for_such_metrics() -> None:
    values = {system: np.random.default_rng(place).normal(size=30).tolist() for place, system in enumerate("ab")}
    scores = tuple(GivenScores("test", s, "0", tuple(v)) for s, v in values.items())
    given = Imported(GivenMetric("human", "Human", scores))
    outputs = tuple(Run(system, "0", ("x",) * 30) for system in "ab")
    scored_metrics = score_experiment(Experiment((TestSet("test", (("r",),) * 30, outputs),), "a"), [given], Work())
    outcomes = ask_family(Family.of(scored_metrics, "a"), all_questions("segment"), SETTINGS, Work())
    answered = {outcome.case.question.procedure for outcome in outcomes if np.isfinite(outcome.result.p_value)}
    assert answered == {key for key, spec in PROCEDURES.items() if spec.min_runs == 1}


@pytest.mark.parametrize("procedure", [key for key, spec in PROCEDURES.items() if spec.from_replicates is not None])
@pytest.mark.parametrize("unit", ["segment", "document"])
def test_shared_replicates_agree_with_the_procedure(procedure: str, unit: str) -> None:
    scored = scores(experiment(documents=8))[0]
    case = Case(scored, "a", "b", Question(procedure, unit))
    assert scored.is_complete
    shared = SharedReplicates(SETTINGS, Work()).ask(case).result
    alone = ask(case, SETTINGS, Work()).result
    assert shared.p_value == alone.p_value
    np.testing.assert_allclose(
        [shared.statistic, shared.low, shared.high, shared.standard_error],
        [alone.statistic, alone.low, alone.high, alone.standard_error],
        rtol=1e-9,
    )


def test_documents_add_a_row_with_segments_as_units() -> None:
    asked = all_questions("document")
    assert asked[: len(usual())] == tuple(question_on(key, "document") for key in usual())
    assert asked[len(usual()) :] == (
        Question("ar-segment", "segment"),
        Question("two-way", "segment"),
        Question("two-way-strict", "segment"),
    )
    scored_metrics = scores(experiment(documents=8))
    frame = family_frame(ask_family(Family.of(scored_metrics, "a"), asked, SETTINGS, Work()), "none", SETTINGS)
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
    bleu, ter = scored_metrics
    assert raw_alternative(bleu, "better") == raw_alternative(ter, "worse") == "greater"
    assert raw_alternative(bleu, "worse") == raw_alternative(ter, "better") == "less"
    better, worse = (
        ask_family(Family.of([ter], "c"), all_questions("segment", ["ar-segment"]), SETTINGS, Work(), side)
        for side in ("better", "worse")
    )
    assert all(outcome.result.p_value < 0.05 for outcome in better)  # c loses most words
    assert all(outcome.result.p_value > 0.95 for outcome in worse)


def test_the_probability_that_a_run_is_better_is_oriented(scored_metrics: tuple[Scored, ...]) -> None:
    question = Question("welch", "run")
    for scored in scored_metrics:
        forth, back = (superiority(Case(scored, *pair, question), 0.95) for pair in ("cb", "bc"))
        assert forth.value > 0.5
        assert back.value == pytest.approx(1 - forth.value)
        assert back.low == pytest.approx(1 - forth.high)


def test_max_t_is_the_share_of_shuffles_whose_largest_difference_reaches_the_observed(
    scored_metrics: tuple[Scored, ...],
) -> None:
    outcomes = ask_family(
        Family.of(scored_metrics[:1], "a"), all_questions("segment", ["ar-segment"]), SETTINGS, Work()
    )
    nulls = np.abs(np.stack([outcome.result.null for outcome in outcomes]))
    spread = np.sqrt((nulls**2).mean(axis=1, keepdims=True))
    observed = np.abs([outcome.result.statistic for outcome in outcomes]) / spread[:, 0]
    expected = [((nulls / spread).max(axis=0) >= value - 1e-9).sum() + 1 for value in observed]
    np.testing.assert_allclose(adjusted(outcomes, "max-t", 0.95), np.array(expected) / 1_001)
    assert (adjusted(outcomes, "max-t", 0.95) <= adjusted(outcomes, "bonferroni", 0.95) + 0.02).all()


def test_max_t_is_undefined_where_comparisons_share_no_shuffles(scored_metrics: tuple[Scored, ...]) -> None:
    sharing = {key for key, spec in PROCEDURES.items() if spec.shares_null}
    assert sharing == {"ar-segment", "ar-output", "bootstrap-shift"}
    outcomes = ask_family(
        Family.of(scored_metrics[:1], "a"), all_questions("segment", ["paired-bootstrap"]), SETTINGS, Work()
    )
    assert np.isnan(adjusted(outcomes, "max-t", 0.95)).all()


def test_corrections_never_lower_p_values_and_none_keeps_them(scored_metrics: tuple[Scored, ...]) -> None:
    outcomes = ask_family(Family.of(scored_metrics, "a"), all_questions("segment", ["ar-segment"]), SETTINGS, Work())
    raw = adjusted(outcomes, "none", 0.95)
    np.testing.assert_array_equal(raw, [outcome.result.p_value for outcome in outcomes])
    for correction in CORRECTIONS.keys() - {ALL_PAIRS}:
        assert (adjusted(outcomes, correction, 0.95) >= raw - 0.01).all()
    np.testing.assert_allclose(adjusted(outcomes, "bonferroni", 0.95, 4), np.minimum(1, 8 * raw))
    with pytest.raises(SettingsError, match="Unknown correction 'scheffe'"):
        adjusted(outcomes, "scheffe", 0.95)


def test_a_baseline_without_output_is_an_error(scored_metrics: tuple[Scored, ...]) -> None:
    with pytest.raises(DataError, match=r"'z' has no output on test set 'test'. Choose one of a, b, c"):
        Family.of(scored_metrics, "z")


PEER_SAMPLES = 2_000


@pytest.mark.real_data
@pytest.mark.parametrize(("kind", "procedure"), [("ar", "ar-segment"), ("bs", "bootstrap-rm2005")])
def test_one_run_systems_have_the_p_values_of_sacrebleu(kind: str, procedure: str, data_directory: Path) -> None:
    folder = data_directory / "data" / "wmt23-he-en"
    names = ("NLLB_MBR_BLEU", "Lan-BridgeMT", "NLLB_Greedy")  # BLEU 0.65 and 1.81 points above the first
    files = {name: [folder / "system-outputs" / f"{name}.txt"] for name in names}
    loaded = load_paths([folder / "refA.en.txt"], files, baseline=names[0]).experiment
    settings = Settings(metrics=("bleu",), seed=1)
    scored_metrics = score_experiment(loaded, resolve(settings), Work())
    asked = all_questions("segment", [procedure])
    outcomes = ask_family(Family.of(scored_metrics, names[0]), asked, settings, Work())
    ours = {outcome.case.system: outcome.result.p_value for outcome in outcomes}
    (test_set,) = loaded.test_sets
    outputs = [(name, list(test_set.runs_of(name)[0].hypotheses)) for name in names]
    references = [[segment[0] for segment in test_set.references]]
    _, peer = PairedTest(outputs, {"BLEU": BLEU(references=references)}, None, kind, PEER_SAMPLES)()
    for name, theirs in zip(names[1:], peer["BLEU"][1:], strict=True):
        error = np.sqrt(ours[name] * (1 - ours[name]) * (1 / PEER_SAMPLES + 1 / settings.n_shuffles))
        assert theirs.p_value == pytest.approx(ours[name], abs=4 * error + 1 / PEER_SAMPLES), name
    assert max(ours.values()) > 0.01  # not a comparison of zeros


def test_metrics_decide_together_by_the_largest_p_or_within_one_family(scored_metrics: tuple[Scored, ...]) -> None:
    made = experiment()
    plain, by_all, by_any = (
        evaluate_scored(made, scored_metrics, replace(SETTINGS, decision=decision), Work())
        for decision in ("primary", "all", "any")
    )
    p = {
        (one.both.system, one.both.metric): (one.test_set_luck.p_value, one.both.p_value, one.p_family)
        for one in plain.answers
    }
    alone, both, by_family = np.transpose([np.max([p[one, "bleu"], p[one, "ter"]], axis=0) for one in ("b", "c")])
    expected = np.transpose([holm(alone), holm_with_laws(both, by_family)])
    assert by_all.joint[["p_test_set", "p_both"]].to_numpy() == pytest.approx(expected)
    assert list(by_all.joint["conclusion"]) == ["no clear difference"] * 2
    lenient = evaluate_scored(made, scored_metrics, replace(SETTINGS, decision="all", confidence=0.8), Work())
    assert list(lenient.joint["conclusion"]) == ["no clear difference", "worse"]
    assert plain.joint.empty
    members = [p[one.both.system, one.both.metric] for one in by_any.answers]
    found = np.array([[one.test_set_luck.p_adjusted, one.both.p_adjusted] for one in by_any.answers])
    alone, both, by_family = np.transpose(members)
    np.testing.assert_allclose(found[:, 1], holm_with_laws(both, by_family))
    assert (found[:, 0] <= holm(alone)).all()
    assert (found[:, 0] >= alone).all()


def test_intervals_have_the_confidence_that_the_settings_ask_for(scored_metrics: tuple[Scored, ...]) -> None:
    wider_by_key = {}
    for question in all_questions("segment"):
        case = Case(scored_metrics[0], "a", "b", question)
        found = [ask(case, replace(SETTINGS, confidence=at), Work()).result for at in (0.8, 0.95, 0.99)]
        if not np.isnan([one.high for one in found]).any():
            wider_by_key[question.procedure] = min(np.diff([one.high for one in found]))
            assert min(np.diff([-one.low for one in found])) > 0, question
    assert min(wider_by_key.values()) > 0, wider_by_key
    assert {"ar-segment", "ar-output", "two-way"} <= wider_by_key.keys()


def test_tukey_is_offered_for_tests_with_standard_errors_alone() -> None:
    offered = {key for key, spec in PROCEDURES.items() if ALL_PAIRS in corrections_for(spec)}
    assert {"welch", "paired-t", "two-way"} <= offered
    assert not offered & {"ar-segment", "ar-output", "sign", "wilcoxon", "run-permutation", "bootstrap-rm2005"}
    assert corrections_for(PROCEDURES["ar-segment"])[0] == "max-t"


def test_all_systems_but_the_baseline_have_a_simultaneous_interval(scored_metrics: tuple[Scored, ...]) -> None:
    rows = together_rows(scored_metrics[0], "a", SETTINGS, Work())
    assert [row.system for row in rows] == ["b", "c"]
    assert all(row.low_simultaneous < row.difference < row.high_simultaneous for row in rows)
    assert together_rows(scored_metrics[0], "nobody", SETTINGS, Work()) == ()


@pytest.mark.parametrize("count", [0, 1, 3, 4])
def test_few_errors_have_the_exact_interval_of_a_poisson_count(count: int) -> None:
    """Garwood's, from chi-squared quantiles, in errors per 1,000 words; units without errors do not vary."""
    sums = np.zeros((1, 40, 2))
    sums[0, :, 1] = 25
    sums[0, :count, 0] = 1_000
    by_units = ratio_over_units(sums[0], 0.9)
    exact = [stats.chi2.ppf(0.05, 2 * count) / 2 if count else 0.0, stats.chi2.ppf(0.95, 2 * count + 2) / 2]
    widest = (np.nanmin([max(0.0, by_units[0]), exact[0]]), np.nanmax([by_units[1], exact[1]]))
    assert ratio_intervals(sums, 0.9, per=1_000) == [pytest.approx(widest if count <= 3 else by_units)]


@pytest.mark.parametrize(("n_shuffles", "is_near"), [(1_000, True), (100_000, False)])
def test_a_p_value_that_other_shuffles_could_move_across_the_level_says_so(
    scored_metrics: tuple[Scored, ...], n_shuffles: int, is_near: bool
) -> None:
    settings = replace(SETTINGS, n_shuffles=n_shuffles)
    row = Outcome(
        Case(scored_metrics[0], "a", "b", Question("ar-segment", "segment")),
        PairedResult(0.3, p_value=0.047, null=np.zeros(n_shuffles)),
    ).comparison(settings)
    assert ("0.0067" in row.decided(0.047, settings).note) == is_near
    assert row.decided(0.094, replace(settings, confidence=0.9)).note.count("0.0134") == is_near
    assert row.decided(0.5, settings).note == row.note
    exact = replace(row, n_resamples=20)
    assert exact.decided(0.047, settings).note == row.note
