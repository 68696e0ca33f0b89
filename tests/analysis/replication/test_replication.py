"""The sample experiment, thirty runs a system, as a pool from which smaller experiments are drawn."""

from dataclasses import replace
from itertools import combinations
from math import comb, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mteval.analysis.comparison import Case, Question, compare, how_of
from mteval.analysis.evaluation import evaluate
from mteval.analysis.replication.draws import (
    all_draws,
    lucky_draws,
    numbers_in_talk,
    numbers_to_draw,
    odds,
    published,
    shares,
    single_runs,
    trials,
    usual_numbers,
)
from mteval.analysis.replication.planning import (
    Wish,
    median_convergence,
    numbers_of_runs,
    plan,
    plan_from,
    power_frame,
    replication,
    runs_that_lose_power,
    runs_until_representative,
    splits_frame,
    strictest_level,
    with_deviations,
)
from mteval.analysis.replication.pool import (
    Pool,
    pool_of,
    uncertainty_frame,
    variance_frame,
    variation_of,
    verdict_of,
)
from mteval.analysis.replication.variation import Variation
from mteval.analysis.results import verdicts
from mteval.analysis.scoring import Progress, Scored, Work, score_experiment
from mteval.answers.planner import plan_sentences
from mteval.answers.replication import Subject
from mteval.base.errors import CancelledError, DataError
from mteval.base.parallel import Engine
from mteval.metrics import METRICS, catalog, resolve
from mteval.readers.named_files import load_paths
from mteval.stats.planning import MANY, Design, Sources, power, segments_needed
from mteval.stats.procedures.registry import answering
from mteval.stats.resampling.draws import Draws
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

SAMPLE = Path(__file__).parents[3] / "sample_data"
SETTINGS = Settings(metrics=("bleu",), n_shuffles=2_000)


def scored_by_bleu(test_set: TestSet) -> Scored:
    """A test set scored by BLEU."""
    (scored,) = score_experiment(Experiment((test_set,), "baseline"), resolve(SETTINGS), Work())
    return scored


def load(test_set: str, metric: str) -> Pool:
    """Both systems of the sample on a test set, by a metric."""
    systems = {key: sorted((SAMPLE / key).glob(f"{test_set}.opt??.txt")) for key in ("baseline", "reordering")}
    experiment = load_paths([SAMPLE / f"reference.{test_set}.txt"], systems, baseline="baseline").experiment
    settings = Settings(metrics=(metric,))
    (scored,) = score_experiment(experiment, resolve(settings), Work())
    return pool_of(scored, "baseline", "reordering", settings)


@pytest.fixture(scope="module")
def pool() -> Pool:
    """The pool of the sample's test set."""
    return load("test", "bleu")


@pytest.fixture(scope="module")
def second() -> Pool:
    """The pool of the same runs on another test set."""
    return load("test2", "bleu")


def test_the_spread_of_the_difference_falls_as_theory_says(pool: Pool) -> None:
    baseline_scores, system_scores = pool.scores
    variance = np.var(baseline_scores, ddof=1) + np.var(system_scores, ddof=1)
    for row in replication(pool, SETTINGS, 30).outlook.itertuples():
        hypergeometric = sqrt(variance / row.k * (30 - row.k) / 30)
        error = 1e-9 if row.is_exact else 5 / sqrt(2 * 50_000)
        if row.k == 30:  # of all runs there is one combination, which has no spread
            assert np.isnan(row.pool_standard_deviation)
        else:
            assert row.pool_standard_deviation == pytest.approx(hypergeometric, rel=error)
        assert row.standard_deviation == pytest.approx(sqrt(variance / row.k))


def test_one_run_each_has_the_wrong_sign_as_often_as_enumeration_says(pool: Pool) -> None:
    baseline_scores, system_scores = pool.scores
    differences = np.subtract.outer(system_scores, baseline_scores)  # system's runs x baseline's runs
    row = replication(pool, SETTINGS, 15).outlook.iloc[0]
    assert pool.difference > 0
    assert row["n_combinations"] == 900
    assert row["is_exact"]
    assert row["pool_wrong_sign"] == np.count_nonzero(differences < 0) / 900
    assert row["pool_at_least_half"] == np.count_nonzero(differences >= pool.difference / 2) / 900
    assert 0.05 < row["pool_wrong_sign"] < 0.15


def test_frequencies_add_up_and_have_the_mean_of_the_difference(pool: Pool) -> None:
    for _, rows in replication(pool, SETTINGS, 15).frequencies.groupby("k"):
        assert rows["share"].sum() == pytest.approx(1)
        middle = (rows["left"] + rows["right"]) / 2
        assert (middle * rows["share"]).sum() == pytest.approx(pool.difference, abs=0.05)
        assert np.isclose(rows["left"] % 1, 0, atol=1e-9).any()  # zero is an edge


def test_lower_is_better_changes_nothing_about_the_raw_difference() -> None:
    by_ter = load("dev", "ter")
    baseline_scores, system_scores = by_ter.scores
    row = replication(by_ter, SETTINGS, 2).outlook.iloc[0]
    assert by_ter.direction == -1
    assert row["expected"] == pytest.approx(system_scores.mean() - baseline_scores.mean())
    best_of_baseline = single_runs(by_ter)["high", "low"].baseline[0, 0]
    worst_of_baseline = single_runs(by_ter)["low", "high"].baseline[0, 0]
    assert best_of_baseline == np.argmin(baseline_scores)
    assert worst_of_baseline == np.argmax(baseline_scores)


def test_numbers_of_runs_are_all_small_ones_and_some_larger_ones() -> None:
    assert numbers_of_runs(1) == (1,)
    assert numbers_of_runs(12) == (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12)
    assert numbers_of_runs(150)[-1] == 150
    assert len(numbers_of_runs(150)) < 25


def test_each_trial_has_the_p_value_of_a_comparison_of_its_runs_alone(pool: Pool) -> None:
    draws = lucky_draws(pool, 3, range(4), SETTINGS)
    procedures = ("ar-output", "ar-segment", "two-way")
    test_set = pool.scored.test_set
    run_of = {(run.system, run.key): run for run in test_set.runs}
    for row in trials(pool, draws, procedures, SETTINGS, Work()).itertuples():
        runs = [run_of["baseline", key] for key in row.baseline_runs]
        runs += [run_of["reordering", key] for key in row.system_runs]
        scored = scored_by_bleu(TestSet("test", test_set.references, tuple(runs)))
        case = Case(scored, "baseline", "reordering", Question(row.procedure, "segment"))
        result = compare(case, SETTINGS, Work())
        difference = scored.run_scores["reordering"].mean() - scored.run_scores["baseline"].mean()
        assert row.p_value == pytest.approx(result.p_value, abs=1e-9)
        assert row.difference == pytest.approx(difference)


def test_table_2_has_the_single_runs_and_the_middle_of_the_draws(pool: Pool) -> None:
    steps: list[Progress] = []
    table, tested = published(pool, (3, 5), 40, ("ar-segment", "welch"), SETTINGS, Work(report=steps.append))
    first_rows = table.iloc[::2]  # of the two procedures
    assert first_rows[["n", "baseline_run", "system_run"]].to_numpy().tolist() == [
        [1, "high", "low"],
        [1, "median", "median"],
        [1, "low", "high"],
        [3, "random", "random"],
        [5, "random", "random"],
    ]
    segment = table[table["procedure"] == "ar-segment"].set_index("baseline_run")
    assert segment.loc["high", "p_median"] > segment.loc["median", "p_median"] > segment.loc["low", "p_median"]
    assert table.loc[table["n"] == 1, "n_answered"].tolist() == [1, 0] * 3  # one run each says nothing about runs
    for row in table[table["n"] > 1].itertuples():
        p_values = tested.query("n == @row.n and procedure == @row.procedure")["p_value"]
        assert row.n_draws == 40
        assert row.n_answered == 40
        assert len(p_values) == 40
        assert row.p_low == pytest.approx(p_values.quantile(0.025))
        assert row.p_high == pytest.approx(p_values.quantile(0.975))
        assert row.better + row.open + row.worse == pytest.approx(1)
    fractions = [step.fraction for step in steps]
    assert fractions == sorted(fractions)
    assert fractions[-1] == pytest.approx(1)


def test_conclusions_follow_sign_and_level(pool: Pool) -> None:
    settings = Settings(n_shuffles=500, confidence=0.8)
    rows = trials(pool, all_draws((4, 4), 1), ("ar-segment",), settings, Work())
    for row in rows.itertuples():
        if row.p_value > 0.2 + 1e-12:
            assert row.conclusion == "open"
        elif row.difference > 0:
            assert row.conclusion == "better"
        else:
            assert row.conclusion == "worse"
    assert {"open", "better"} <= set(rows["conclusion"])


def test_the_odds_of_one_run_each_are_enumerated(pool: Pool) -> None:
    settings = Settings(n_shuffles=200)
    (row,) = odds(pool, 1, ("ar-segment",), settings, Work()).itertuples()
    assert row.n_draws == 900
    assert row.is_exact
    all_trials = trials(pool, all_draws((30, 30), 1), ("ar-segment",), settings, Work())
    assert len(set(zip(all_trials["baseline_runs"], all_trials["system_runs"], strict=True))) == 900
    assert (row.better, row.open, row.worse) == pytest.approx(shares(all_trials))

    (row,) = odds(pool, 2, ("ar-segment",), Settings(n_shuffles=20), Work()).itertuples()
    assert row.n_draws == 1_000
    assert not row.is_exact


def test_lucky_draws_go_on_where_they_stopped(pool: Pool) -> None:
    six = lucky_draws(pool, 2, range(6), SETTINGS)
    first_two = lucky_draws(pool, 2, range(2), SETTINGS)
    last_four = lucky_draws(pool, 2, range(2, 6), SETTINGS)
    np.testing.assert_array_equal(six.baseline, np.concatenate([first_two.baseline, last_four.baseline]))
    np.testing.assert_array_equal(six.system, np.concatenate([first_two.system, last_four.system]))


def test_cancelled_work_stops(pool: Pool) -> None:
    work = Work(Engine())
    work.engine.cancelled.set()
    with pytest.raises(CancelledError):
        published(pool, (3,), 10, ("ar-output",), SETTINGS, work)


def test_shares_of_the_variance_add_up_and_more_runs_leave_the_test_set(pool: Pool) -> None:
    variation = variation_of(pool)
    frame = variance_frame(pool, variation)
    assert frame.groupby("what")["share"].sum().to_numpy() == pytest.approx(1)
    totals = frame.groupby("what", sort=False)["variance"].sum()
    assert totals.iloc[-1] == pytest.approx(variation.components.total, rel=1e-9)
    for index, scores in enumerate(pool.scores):  # a run's own share and what the sentences at hand add to it
        parts = frame[frame["what"] == totals.index[index]].set_index("source")["variance"]
        assert parts["runs"] + parts["runs × test set"] == pytest.approx(scores.var(ddof=1))
    test_set = frame[frame["source"] == "test set"]["share"].tolist()
    assert test_set[3] > 0.9 > test_set[2]


@pytest.mark.parametrize("design", ["paired", "fixed"])
def test_variance_and_plan_follow_the_declared_design(pool: Pool, design) -> None:
    settings = replace(SETTINGS, design=design)
    declared = pool_of(pool.scored, "baseline", "reordering", settings)
    variation = variation_of(declared)
    frame = variance_frame(declared, variation)
    totals = frame.groupby("what", sort=False)["variance"].sum()
    spec = answering("both", declared.unit, design)
    result = spec.function(*declared.units, pool.scored.scorer.score, how_of(spec, settings, Work(), "two-sided"))
    assert totals.iloc[-1] == pytest.approx(result.standard_error**2, rel=1e-9)
    assert variation.components.df == pytest.approx(result.df, rel=1e-9)
    assert len(uncertainty_frame(declared, variation)) == 2
    planned = plan_from(declared, variation, Wish(1.8))
    assert planned.design == design
    assert planned.n_runs == 30
    words = {"paired": "pairs of runs detect", "fixed": "runs of the system detect"}
    assert words[design] in plan_sentences(Subject(declared, METRICS["bleu"], SETTINGS), planned)[0]


def test_a_fixed_baseline_with_one_run_is_planned_against(pool: Pool) -> None:
    test_set = pool.scored.test_set
    single = Experiment((TestSet("test", test_set.references, test_set.runs[:1] + test_set.runs[30:]),), "baseline")
    settings = replace(SETTINGS, design="fixed")
    (scored,) = score_experiment(single, resolve(settings), Work())
    declared = pool_of(scored, "baseline", "reordering", settings)
    variation = variation_of(declared)
    assert plan_from(declared, variation, Wish(1.8)).n_runs == 30
    verdict = verdict_of(declared, single, settings, METRICS["bleu"], Work())
    assert verdict.n_runs == 30
    assert verdict.design == "fixed"


def test_the_uncertainty_of_thirty_runs_is_that_of_the_chi_square(pool: Pool) -> None:
    rows = uncertainty_frame(pool, variation_of(pool))
    assert rows["standard_deviation"][0] == pytest.approx(np.std(pool.scores[0], ddof=1))
    assert rows["low"][0] / rows["standard_deviation"][0] == pytest.approx(0.796, abs=1e-3)  # tables of chi-square
    assert rows["high"][0] / rows["standard_deviation"][0] == pytest.approx(1.344, abs=1e-3)


def test_too_few_runs_have_no_components(pool: Pool) -> None:
    with_one_run = few(pool, slice(1), slice(30))
    with pytest.raises(DataError, match="one run"):
        variation_of(with_one_run)


def test_a_plan_says_what_suffices_and_when_nothing_does(pool: Pool) -> None:
    variation = variation_of(pool)
    hard = plan(variation.sources, variation.bounds, 300, 5, Wish(1.0))
    assert hard.runs is None
    assert hard.detectable_at_best > 1
    assert hard.units is not None
    easy = plan(variation.sources, variation.bounds, 300, 5, Wish(1.8))
    assert easy.runs_if_less <= easy.runs <= easy.runs_if_more
    frame = power_frame(variation.sources, (easy.runs - 1, easy.runs, MANY), (300,), Wish(1.8))
    assert (frame["power"] >= 0.8).tolist() == [False, True, True]
    assert frame["detectable"].iloc[-1] == pytest.approx(easy.detectable_at_best)


def test_unequal_runs_cost_power() -> None:
    frame = splits_frame(Sources((0.25, 0.25), 10.0, (0, 0)), 12, 300, Wish(1.0))
    best = frame.loc[frame["power"].idxmax()]
    assert best["n_baseline"] == 6
    assert best["n_system"] == 6
    assert frame["power"].iloc[0] < best["power"] - 0.1
    assert frame["detectable"].idxmin() == frame["power"].idxmax()


@pytest.mark.parametrize(
    "change", [{"target": 0.0}, {"target": -1.0}, {"target": 1.0, "power": 1.0}, {"target": 1.0, "power": 0.01}]
)
def test_impossible_wishes_are_errors(change: dict[str, float]) -> None:
    with pytest.raises(DataError, match="must be"):
        Wish(**change)


def test_the_median_is_evaluated_on_another_test_set(pool: Pool, second: Pool) -> None:
    row = median_convergence(pool, 4, second).query("k == 3 and system == 'baseline'").iloc[0]

    # The median run of all combinations of three by its score on the first test set
    scores = pool.scores[0]
    median_runs = []
    for runs in combinations(range(30), 3):
        _, median_run, _ = sorted(runs, key=lambda run: scores[run])
        median_runs.append(median_run)
    assert len(median_runs) == comb(30, 3)

    is_near_mean = np.abs(scores - scores.mean()) <= abs(pool.difference) / 2
    assert row["pool_within"] == pytest.approx(np.mean(is_near_mean[median_runs]))
    second_scores = second.scores[0]
    is_near_second_mean = np.abs(second_scores - second_scores.mean()) <= abs(second.difference) / 2
    assert row["elsewhere_within"] == pytest.approx(np.mean(is_near_second_mean[median_runs]))


def test_the_median_must_stay_representative() -> None:
    columns = ["system", "k", "reach", "within", "pool_within", "elsewhere_within"]
    rows = [
        ("a", 1, 1.0, 0.96, 0.96, np.nan),
        ("a", 2, 1.0, 0.90, 0.90, np.nan),
        ("a", 3, 1.0, 0.95, 0.95, np.nan),
        ("a", 4, 1.0, 0.99, 0.99, np.nan),
        ("b", 1, 1.0, 0.50, 0.50, np.nan),
        ("b", 2, 1.0, 0.50, 0.50, np.nan),
    ]
    frame = pd.DataFrame(rows, columns=columns)
    assert runs_until_representative(frame, 0.95) == {"a": 3, "b": None}


def test_a_system_without_output_or_score_is_an_error(pool: Pool) -> None:
    with pytest.raises(DataError, match="'other' has no output on test set 'test'"):
        pool_of(pool.scored, "baseline", "other", SETTINGS)


def test_documents_are_the_units_where_they_are_known(pool: Pool) -> None:
    test_set = pool.scored.test_set
    documents = tuple(str(segment // 30) for segment in range(300))
    runs = tuple(Run(run.system, run.key, run.hypotheses) for run in test_set.runs)
    scored = scored_by_bleu(TestSet("test", test_set.references, runs, documents=documents))
    by_document = pool_of(scored, "baseline", "reordering", SETTINGS)
    assert by_document.unit == "document"
    assert by_document.n_units == 10
    assert by_document.difference == pool.difference

    draws = lucky_draws(pool, 3, range(3), SETTINGS)
    p_values_by_segment = p_values_of(pool, draws)
    p_values_by_document = p_values_of(by_document, draws)
    assert p_values_by_segment["ar-output"] == p_values_by_document["ar-output"]
    assert p_values_by_segment["ar-segment"] != p_values_by_document["ar-segment"]


def p_values_of(pool: Pool, draws: Draws) -> dict[str, list[float]]:
    """The p-values of draws by two procedures."""
    rows = trials(pool, draws, ("ar-output", "ar-segment"), SETTINGS, Work())
    return rows.groupby("procedure")["p_value"].agg(list).to_dict()


def few(pool: Pool, baseline: slice, system: slice) -> Pool:
    """The same with some runs of the baseline (the first thirty) and of the system (the others)."""
    test_set = pool.scored.test_set
    runs = test_set.runs[:30][baseline] + test_set.runs[30:][system]
    scored = scored_by_bleu(TestSet("test", test_set.references, runs))
    return pool_of(scored, "baseline", "reordering", SETTINGS)


@pytest.mark.parametrize(
    ("sizes", "numbers", "usual"),
    [((1, 1), [], []), ((2, 2), [1], [1]), ((3, 3), [1, 2], [2]), ((3, 5), [1, 2, 3], [3]), ((1, 4), [1], [1])],
)
def test_draws_that_cannot_differ_are_not_offered(sizes: tuple[int, int], numbers: list[int], usual: list[int]) -> None:
    assert numbers_to_draw(sizes) == numbers
    assert usual_numbers(sizes) == usual
    assert numbers_in_talk(sizes) == (1, *(n for n in usual if n > 1)), "no number twice"


def test_few_combinations_occur_once_each(pool: Pool) -> None:
    three = few(pool, slice(3), slice(3))
    table, tested = published(three, (2, 3), 250, ("ar-segment",), SETTINGS, Work())
    assert table[["baseline_run", "n", "n_draws"]].to_numpy().tolist()[3:] == [["all", 2, 9], ["all", 3, 1]]
    drawn = tested.query("n == 2")
    assert len(set(zip(drawn["baseline_runs"], drawn["system_runs"], strict=True))) == 9

    single = few(pool, slice(1), slice(1))
    table, _ = published(single, usual_numbers(single.sizes), 250, ("ar-segment",), SETTINGS, Work())
    assert table[["baseline_run", "n_draws"]].to_numpy().tolist() == [["only", 1]]


def test_all_runs_form_one_combination_without_spread(pool: Pool) -> None:
    of_three = replication(few(pool, slice(3), slice(3)), SETTINGS, 3)
    assert sorted(set(of_three.frequencies["k"])) == [1, 2]
    assert of_three.outlook["pool_standard_deviation"].isna().tolist() == [False, False, True]
    assert of_three.outlook["standard_deviation"].notna().all()


def test_three_runs_leave_open_which_system_is_ahead(pool: Pool) -> None:
    """The risk is as it is for thirty runs, though much less well known."""
    many = replication(pool, SETTINGS, 1).outlook.iloc[0]
    three = replication(few(pool, slice(0, 3), slice(3, 6)), SETTINGS, 1).outlook.iloc[0]
    assert many["risk_low"] < many["wrong_sign"] < many["risk_high"] < 0.5
    assert three["risk_high"] - three["risk_low"] > 2 * (many["risk_high"] - many["risk_low"])


def test_the_verdict_is_that_of_an_evaluation(pool: Pool) -> None:
    three = few(pool, slice(3), slice(3))
    experiment = Experiment((three.scored.test_set,), "baseline")
    (expected,) = verdicts(evaluate(experiment, SETTINGS, Work()))
    spec = catalog(experiment.given)["bleu"]
    assert verdict_of(three, experiment, SETTINGS, spec, Work()) == expected


def test_at_two_runs_a_larger_test_set_can_lose_power() -> None:
    """Runs vary so much that with many segments nothing else is left, and two runs leave the test a degree or two."""
    sources = Sources((0.04, 0.04), 150.0, (0, 0))
    losing = runs_that_lose_power(power_frame(sources, (2, 3, 10, 50), (300, 600, 1_200, 4_800), Wish(1.5)))
    assert losing == 2
    assert runs_that_lose_power(power_frame(sources, (10, 50), (300, 600, 1_200), Wish(1.5))) is None


def test_a_test_set_that_suffices_is_found_though_a_larger_one_would_not() -> None:
    sources = Sources((0.04, 0.04), 150.0, (0, 0))
    sizes = np.array([2**n for n in range(1, 20)])
    powers = power_frame(sources, (2,), sizes.tolist(), Wish(1.5))["power"].to_numpy()
    wanted = float(powers.max()) - 0.005
    assert powers[-1] < wanted
    needed = segments_needed(sources, (2, 2), 1.5, 0.05, wanted)
    assert needed is not None
    power_before, power_at_needed = power_frame(sources, (2,), (needed - 1, needed), Wish(1.5))["power"]
    assert power_before < wanted
    assert power_at_needed >= wanted


def test_the_level_is_that_of_the_settings_over_the_systems_compared() -> None:
    assert strictest_level(Settings(confidence=0.9), 1) == pytest.approx(0.1)
    assert strictest_level(Settings(confidence=0.9), 4) == pytest.approx(0.025)


def drawn_variation(truth: Sources, n_runs: int, n_units: int, generator: np.random.Generator) -> Variation:
    """Return what an experiment might estimate: mean squares are multiples of chi-squares."""
    expected = truth.components(n_runs, n_runs, n_units)
    runs = tuple(run * generator.chisquare(n_runs - 1) / (n_runs - 1) for run in expected.runs)
    df_pairs = (n_runs - 1) * (n_units - 1)
    pairs = tuple(pair * generator.chisquare(df_pairs) / df_pairs for pair in expected.pairs)
    segments = expected.segments * generator.chisquare(n_units - 1) / (n_units - 1)
    components = replace(expected, runs=runs, pairs=pairs, segments=segments)
    return Variation(components, Sources.estimated(components), ())


@pytest.mark.parametrize("run_variance", [0.1, 0.5, 2.0])
def test_the_range_of_a_plan_holds_the_runs_needed_nine_times_in_ten(run_variance: float) -> None:
    truth = Sources((run_variance, run_variance), 60.0, (60.0, 60.0))
    wish = Wish(3.5)
    generator = np.random.default_rng(3)
    needed = plan(truth, None, 120, 3, wish).runs

    def suffices(sources: Sources, n_runs: int) -> bool:
        return power(sources, Design(n_runs, n_runs, 120), wish.target, wish.level) >= wish.power

    holds = []
    for _ in range(400):
        less, more = drawn_variation(truth, 3, 120, generator).bounds
        holds.append(suffices(less, needed) and not suffices(more, needed - 1))
    assert np.mean(holds) >= 0.87  # 0.9 less two Monte Carlo errors


def test_a_pilot_whose_runs_vary_by_noise_alone_keeps_its_range_and_says_so(pool: Pool) -> None:
    truth = Sources((0.0, 0.0), 60.0, (400.0, 400.0))
    expected = truth.components(3, 3, 120)
    low_runs = tuple(run / 4 for run in expected.runs)  # below the noise of outputs
    components = replace(expected, runs=low_runs)
    variation = Variation(components, Sources.estimated(components), ())
    planned = with_deviations(plan(variation.planned, variation.bounds, 120, 3, Wish(3.5)), variation)
    assert planned.is_noise
    sentence = plan_sentences(Subject(pool, METRICS["bleu"], SETTINGS), planned)[0]
    assert "in about 9 of 10 cases" in sentence
    assert "no more than the noise" in sentence


def test_the_larger_of_two_run_variances_is_planned_with(pool: Pool) -> None:
    """The second one is the covariance of the same runs' scores on two test sets (NumPy)."""
    generator = np.random.default_rng(4)
    statistics = {}  # of two thirds of the segments, drawn anew for each system
    for key, statistics_of_system in pool.scored.statistics.items():
        statistics[key] = statistics_of_system[:, generator.permutation(300)[:200]]
    on_second = replace(pool.scored, test_set=replace(pool.scored.test_set, name="second"), statistics=statistics)
    variation = variation_of(pool_of(pool.scored, "baseline", "reordering", SETTINGS, [pool.scored, on_second]))
    expected = []
    for key in ("baseline", "reordering"):
        covariance = np.cov(pool.scored.run_scores[key], on_second.run_scores[key])[0, 1]
        expected.append(max(0.0, covariance))
    assert variation.covariances == pytest.approx(expected)
    larger = max(sum(expected), sum(variation.sources.runs))
    assert sum(variation.planned.runs) == pytest.approx(larger)
    assert variation_of(pool).covariances == ()
