"""The simulation that says what each test is worth computes what the tests themselves compute."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import nct, norm, t

from benchmarks import degrees_of_freedom, documents, few_documents, monotone_bound, two_way_grid
from benchmarks.batch_tests import Batch, Draws, p_values
from benchmarks.calibration import simulate
from benchmarks.mean_squares import mean_squares
from benchmarks.power_bound import highest_power
from benchmarks.simulation import (
    EFFECT,
    N_SEGMENTS,
    Cell,
    bleu_batch,
    bleu_contributions,
    mean_batch,
    mean_cells,
    mean_contributions,
    mean_score,
    sample,
)
from mteval.stats import PROCEDURES
from mteval.stats.base import How
from mteval.stats.procedures.registry import usual
from mteval.stats.procedures.two_way import two_way
from mteval.stats.resampling.streams import seeds_for
from mteval.stats.tail import printed_p_values

N_DRAWS = 1_999
RESAMPLED = {key for key, spec in PROCEDURES.items() if spec.is_resampled and spec.luck == "test-set"}


def one_by_one(batch: Batch, procedure: str, simulation: int) -> float:
    """P-value by the procedure of the package."""
    baseline = batch.baseline[simulation].astype(np.float64)
    system = batch.system[simulation].astype(np.float64)
    how = How(N_DRAWS, seeds_for(simulation, procedure), "two-sided", 0.95)
    return PROCEDURES[procedure].function(baseline, system, batch.score, how).p_value


def agree(batch: Batch, contributions) -> set[str]:
    """Compare all procedures on all simulations; gives those that were compared."""
    draws = Draws(*batch.n_runs, batch.baseline.shape[2], N_DRAWS, 1)
    p_values_of = dict(p_values(batch, draws, contributions))
    for procedure in PROCEDURES.keys() & p_values_of.keys():
        for simulation, p_value in enumerate(p_values_of[procedure]):
            expected = one_by_one(batch, procedure, simulation)
            tolerance = 1e-3
            if procedure in RESAMPLED:
                tail = expected / 2
                # Twice a share has twice its error, and both sides have one
                tolerance += 4 * 2 * np.sqrt(2 * tail * (1 - tail) / N_DRAWS)
            assert p_value == pytest.approx(expected, abs=tolerance), (procedure, simulation)
    return set(p_values_of)


@pytest.mark.parametrize(("n_baseline", "n_system"), [(3, 3), (2, 5), (1, 1)])
def test_a_batch_has_the_p_values_of_the_procedures_for_a_mean_metric(n_baseline: int, n_system: int) -> None:
    cell = Cell("heavy", n_baseline, n_system, 1.0, "equal", 1.5)
    compared = agree(mean_batch(cell, 6, np.random.default_rng(2), 1.0), mean_contributions)
    for key in usual():
        spec = PROCEDURES[key]
        has_enough_runs = spec.min_runs <= n_baseline
        can_pair = n_baseline == n_system or not spec.pairs_outputs
        if has_enough_runs and can_pair:
            assert key in compared
    assert "two-level bootstrap" in compared
    assert ("MultEval's shuffle" in compared) == (n_baseline == n_system)


def test_a_procedure_without_a_formula_for_batches_is_asked_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    added = {
        "new": replace(PROCEDURES["paired-t"], key="new", min_runs=1),
        "for-three": replace(PROCEDURES["paired-t"], key="for-three", min_runs=3),
    }
    monkeypatch.setattr("benchmarks.batch_tests.PROCEDURES", {**PROCEDURES, **added})
    monkeypatch.setattr("benchmarks.batch_tests.usual", lambda: (*usual(), *added))
    batch = mean_batch(Cell("normal", 2, 2, 0.0, "equal", 1.0), 5, np.random.default_rng(4), 1.0)
    p_values_of = dict(p_values(batch, Draws(2, 2, N_SEGMENTS, 50, 1), mean_contributions))
    np.testing.assert_allclose(p_values_of["new"], p_values_of["paired-t"], atol=1e-4)
    assert "for-three" not in p_values_of


def test_a_batch_has_the_p_values_of_the_procedures_for_bleu() -> None:
    cell = Cell("BLEU", 3, 3, float("nan"), "equal", 1.0)
    agree(bleu_batch(cell, 4, np.random.default_rng(3), is_null=True), bleu_contributions)


def test_multevals_sides_are_complements_with_two_runs_and_no_more_with_three() -> None:
    n_segments = 400
    n_draws = 50
    for n_runs, share_broken in ((2, 0.0), (3, 0.26)):
        first, second = Draws(n_runs, n_runs, n_segments, n_draws, 1).multeval
        # outputs of both systems x segments x draws
        on_first = first.reshape(2 * n_runs, n_segments, n_draws)
        on_second = second.reshape(2 * n_runs, n_segments, n_draws)
        is_broken = (on_first + on_second != 1).any(axis=0)
        assert is_broken.mean() == pytest.approx(share_broken, abs=0.02)
        assert (on_first.sum(axis=0) == n_runs).all()


def test_with_two_runs_multevals_shuffle_is_the_exchange_of_outputs() -> None:
    batch = mean_batch(Cell("normal", 2, 2, 0.0, "equal", 0.0), 40, np.random.default_rng(1), 1.0)
    p_values_of = dict(p_values(batch, Draws(2, 2, N_SEGMENTS, N_DRAWS, 1), mean_contributions))
    np.testing.assert_allclose(p_values_of["MultEval's shuffle"], p_values_of["ar-output"], atol=0.05)


def test_the_simulated_difference_has_the_standard_error_that_its_cell_states() -> None:
    for cell in (Cell("normal", 3, 10, 5.0, "1:5", 1.5), Cell("normal", 2, 2, 0.0, "equal", 0.0)):
        batch = mean_batch(cell, 4_000, np.random.default_rng(5), 2.0)
        baseline, system = batch.run_scores
        difference = system.mean(axis=1) - baseline.mean(axis=1)
        assert difference.std() == pytest.approx(cell.standard_error, rel=0.05)
        assert difference.mean() == pytest.approx(2 * cell.standard_error, rel=0.05)


def test_heavy_tails_have_the_variance_of_normal_ones() -> None:
    batch = mean_batch(Cell("heavy", 1, 1, 0.0, "equal", 0.0), 2_000, np.random.default_rng(6), 0.0)
    assert batch.baseline.std() == pytest.approx(1.0, abs=0.05)
    assert np.abs(batch.baseline).max() > 15


def test_with_a_coin_both_sides_share_the_outputs_of_two_systems() -> None:
    cell = Cell("BLEU", 1, 1, float("nan"), "equal", 1.0)
    batch = bleu_batch(cell, 200, np.random.default_rng(7), is_null=True)
    baseline, system = batch.run_scores
    differences = baseline - system
    assert abs(differences.mean()) < 4 * np.sqrt(differences.var() / 200)
    scores_of_systems = [sample().scorer.score(runs.sum(axis=1)).mean() for runs in sample().statistics]
    assert len(scores_of_systems) == 2
    assert baseline.mean() == pytest.approx(np.mean(scores_of_systems), abs=0.5)


def test_the_grid_has_every_setting_once() -> None:
    cells = list(mean_cells())
    assert len(cells) == 2 * 2 * (7 + 5 * (5 * 2 + 2 * 3))
    assert len(set(cells)) == len(cells)


def test_the_benchmark_gives_a_rate_and_a_power_for_every_cell_and_procedure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("benchmarks.calibration.mean_cells", lambda: iter([Cell("normal", 3, 3, 0.0, "equal", 0.0)]))
    monkeypatch.setattr("benchmarks.calibration.bleu_cells", lambda: iter([Cell("BLEU", 1, 1, 1.0, "equal", 0.0)]))
    frame = simulate(400, 20)
    assert "Cell" in capsys.readouterr().out
    rates = frame[frame["kind"] == "normal"].set_index("procedure")
    assert rates.loc["ar-segment", "rate"] == pytest.approx(0.05, abs=0.04)
    assert rates.loc["ar-segment", "power"] == pytest.approx(0.70, abs=0.08)
    assert set(usual()) < set(rates.index)
    assert frame["rate"].between(0, 1).all()


@pytest.mark.parametrize("n_runs", [(3, 3), (2, 5)])
@pytest.mark.parametrize(("run_noise", "inter"), [((0.0, 0.0), 0.0), ((2.0, 0.5), 1.5)])
def test_experiments_drawn_as_mean_squares_reject_as_often_as_those_of_segments(
    n_runs: tuple[int, int], run_noise: tuple[float, float], inter: float
) -> None:
    """The procedure itself on normal scores of segments, against the reduced model of the table of sizes."""
    n_simulations = 600
    effect = 2.0
    truth = degrees_of_freedom.Truth(run_noise, inter)
    experiments = degrees_of_freedom.drawn(truth, n_runs, 40_000, np.random.default_rng(8))
    expected = degrees_of_freedom.rejected(experiments, None, effect)

    generator = np.random.default_rng(9)
    how = How(1, seeds_for(0, ""), "two-sided", 0.95)

    def side(n: int, noise: float) -> np.ndarray:
        """Scores of segments, runs by segments: noise of outputs, what is peculiar to segments, shifts of runs."""
        outputs = generator.standard_normal((n, N_SEGMENTS))
        segments = inter * generator.standard_normal(N_SEGMENTS)
        runs = noise / np.sqrt(N_SEGMENTS) * generator.standard_normal((n, 1))
        return outputs + segments + runs

    n_rejected = 0
    for _ in range(n_simulations):
        baseline = side(n_runs[0], run_noise[0])
        system = side(n_runs[1], run_noise[1]) + effect * experiments.error / np.sqrt(N_SEGMENTS)
        result = two_way(baseline[..., np.newaxis], system[..., np.newaxis], mean_score, how)
        n_rejected += result.p_value <= 0.05

    error = np.sqrt(expected * (1 - expected) / n_simulations)
    assert n_rejected / n_simulations == pytest.approx(expected, abs=3.5 * error)


def test_three_runs_without_run_luck_find_more_than_with_plain_degrees_of_freedom() -> None:
    """Power 45% in place of 38%; the size where it was largest goes up by no more than half a point."""
    alike = degrees_of_freedom.drawn(degrees_of_freedom.Truth((0, 0), 0), (3, 3), 100_000, np.random.default_rng(1))
    assert degrees_of_freedom.rejected(alike, 0, EFFECT) == pytest.approx(0.38, abs=0.007)
    assert degrees_of_freedom.rejected(alike, None, EFFECT) == pytest.approx(0.45, abs=0.007)

    # Where most is rejected: noise of the runs of either system, and how far segments differ between systems
    plain_sizes = []
    sizes = []
    for run_noise, inter in [((0, 5), 0.5), ((0, 7), 0.5), ((0, 10), 1.5), ((10, 2), 1.5), ((20, 0), 3.0)]:
        truth = degrees_of_freedom.Truth(run_noise, inter)
        experiments = degrees_of_freedom.drawn(truth, (3, 3), 60_000, np.random.default_rng(2))
        plain_sizes.append(degrees_of_freedom.rejected(experiments, 0, 0))
        sizes.append(degrees_of_freedom.rejected(experiments, None, 0))
    assert max(plain_sizes) > 0.07
    assert max(plain_sizes) <= max(sizes) <= max(plain_sizes) + 0.005


def test_the_best_test_that_knows_the_runs_do_not_differ_is_the_normal_one() -> None:
    """Neyman and Pearson: the two-sided z test; without a difference its power is its level."""
    reach = norm.isf(0.025)
    power = norm.sf(reach - 2.5) + norm.cdf(-reach - 2.5)
    assert highest_power(5, 0.05, 2.5, (0.0,), (1.0,)) == pytest.approx(power, abs=0.005)
    assert highest_power(5, 0.05, 0.0, (0.0,), (1.0,)) == pytest.approx(0.05, abs=1e-4)


def test_the_best_test_that_holds_its_level_for_all_equal_runs_is_about_students() -> None:
    """The power of Student's test with ten runs of each system, by the noncentral t distribution."""
    df = 18
    reach = t.isf(0.025, df)
    power_of_student = nct.sf(reach, df, 2.5) + nct.cdf(-reach, df, 2.5)
    power = highest_power(10, 0.05, 2.5, (0.0, 1.0, 3.0, 10.0), (1.0,))
    assert power_of_student - 0.005 <= power <= power_of_student + 0.03


def test_the_best_monotone_test_that_knows_the_runs_do_not_differ_is_the_normal_one() -> None:
    reach = norm.isf(0.025)
    power = norm.sf(reach - 2.5) + norm.cdf(-reach - 2.5)
    assert monotone_bound.best_mean_power(5, 0.05, 2.5, [(0.0, 0.0)]) == pytest.approx(power, abs=0.01)
    assert monotone_bound.best_mean_power(5, 0.05, 0.0, [(0.0, 0.0)]) == pytest.approx(0.05, abs=1e-4)


def test_a_monotone_test_can_do_no_more_than_any_test_and_two_way_no_more_than_the_best_monotone_one() -> None:
    truths = [(0.0, 0.0), (1.0, 1.0), (1.0, 0.2), (3.0, 3.0)]
    size = monotone_bound.two_way_rates(3, 0.0, truths, 100_000).max()
    two_way_power = monotone_bound.two_way_rates(3, EFFECT, truths, 100_000).mean()
    best = monotone_bound.best_mean_power(3, size, EFFECT, truths)
    assert best > two_way_power - 0.01  # cells take a little from the best
    assert best < norm.sf(norm.isf(size / 2) - EFFECT) + 0.01  # as if it knew how much runs differ
    (power_without_run_noise,) = monotone_bound.two_way_rates(3, EFFECT, [(0.0, 0.0)], 100_000)
    assert power_without_run_noise < highest_power(3, size, EFFECT, (0.0, 1.0, 3.0), (1.0, 0.2)) + 0.01


def test_the_rates_of_two_way_with_known_noise_are_nearly_those_with_estimated_noise() -> None:
    for run_noise in ((0.0, 0.0), (2.0, 0.4)):
        truth = degrees_of_freedom.Truth(run_noise, 0.0)
        experiments = degrees_of_freedom.drawn(truth, (3, 3), 100_000, np.random.default_rng(3))
        expected = degrees_of_freedom.rejected(experiments, None, EFFECT)
        (rate,) = monotone_bound.two_way_rates(3, EFFECT, [run_noise], 100_000)
        assert rate == pytest.approx(expected, abs=0.012)


def test_experiments_that_share_their_segments_have_the_p_values_of_the_procedure() -> None:
    """Shifts of runs and what is peculiar to systems put back into segments, and asked of the procedure itself."""
    n_experiments = 3
    inter = 1.5
    generator = np.random.default_rng(4)
    # Of each system: experiments x runs x segments, experiments x segments, experiments x runs
    noise = (
        generator.standard_normal((n_experiments, 2, N_SEGMENTS)),
        generator.standard_normal((n_experiments, 4, N_SEGMENTS)),
    )
    peculiar = generator.standard_normal((2, n_experiments, N_SEGMENTS))
    shifts = tuple(two_way_grid.run_shifts(0.2, -2, side.shape[:2], generator) for side in noise)

    difference, squares = two_way_grid.Segments(noise, peculiar[1] - peculiar[0]).squares(shifts, inter)

    how = How(1, seeds_for(0, ""), "two-sided", 0.95)
    baseline, system = (
        noise_of_system + shifts_of_system[..., np.newaxis] + inter * peculiar_of_system[:, np.newaxis]
        for noise_of_system, shifts_of_system, peculiar_of_system in zip(noise, shifts, peculiar, strict=True)
    )
    for place, p_value in enumerate(squares.printed_p_values(difference)):
        result = two_way(baseline[place][..., np.newaxis], system[place][..., np.newaxis], mean_score, how)
        assert p_value == pytest.approx(result.p_value)


@pytest.mark.parametrize("skew", [0, -1, -2])
def test_shifts_of_runs_have_the_moments_that_they_are_called_by(skew: float) -> None:
    shifts = two_way_grid.run_shifts(3.0, skew, (400_000, 1), np.random.default_rng(5))[:, 0]
    centred = (shifts - shifts.mean()) / shifts.std()
    assert shifts.mean() == pytest.approx(0, abs=0.03)
    assert shifts.std() == pytest.approx(3, rel=0.01)
    assert np.mean(centred**3) == pytest.approx(skew, abs=0.08)


def test_the_grid_answers_for_every_cell_that_the_procedure_answers_in() -> None:
    cells = list(two_way_grid.cells())
    symmetric = {cell for cell, skew in cells if not skew}
    kinds_of_skewed = {cell.kind for cell, skew in cells if skew}
    assert symmetric == {cell for cell in mean_cells() if min(cell.n_baseline, cell.n_system) > 1}
    assert kinds_of_skewed == {"normal"}


def test_documents_drawn_together_have_the_p_values_of_the_procedure() -> None:
    """Means of documents, weighted by shares that are counted in segments for the procedure."""
    layout = documents.Layout(6, 0.375, "falling", 3, 1.0, 0.3)
    generator = np.random.default_rng(6)
    # Of each system, experiments x runs x documents
    baseline, system = layout.drawn(4, generator) + layout.run_shifts(4, generator)
    pseudo_values = [documents.pseudo_values(side, layout.shares) for side in (baseline, system)]
    difference = ((system - baseline).mean(axis=1) * layout.shares).sum(axis=1)

    p_values_of_documents = mean_squares(pseudo_values, layout.df).p_values(difference)

    sizes = np.round(layout.shares * 1e9).astype(np.int64)
    how = How(1, seeds_for(0, ""), "two-sided", 0.95, unit_sizes=sizes)

    def statistics(means: np.ndarray) -> np.ndarray:
        """The sum and the number of the segments of each document."""
        return np.stack([means * sizes, np.broadcast_to(sizes, means.shape)], axis=-1)

    for place, p_value in enumerate(p_values_of_documents):
        result = two_way(statistics(baseline[place]), statistics(system[place]), mean_of_sums, how)
        assert printed_p_values(p_value, (3, 3)) == pytest.approx(result.p_value, rel=1e-5)


def mean_of_sums(sums: np.ndarray) -> np.ndarray:
    """The score of a metric whose statistics are a sum and a number."""
    return sums[..., 0] / sums[..., 1]


@pytest.mark.parametrize(("n_documents", "factor"), [(2, 1.0), (3, 1.5), (4, 1.5)])
def test_bounds_of_a_few_documents_are_tried_on_the_experiments_of_the_calibration(
    n_documents: int, factor: float
) -> None:
    layout = documents.Layout(n_documents, 0.0, "equal", 3, 5.0, 0.3)
    n_experiments = 3_000
    counts = documents._errors(layout, n_experiments, np.random.default_rng(7))
    n_false, n_true, n_false_unbounded, n_true_unbounded = counts[:4]

    # size and power x factors
    rates = few_documents.rates(layout, n_experiments, np.random.default_rng(7))

    at_factor = rates[:, few_documents.FACTORS.index(factor)]
    without_bound = rates[:, few_documents.FACTORS.index(float("inf"))]
    assert at_factor.tolist() == pytest.approx([n_false / n_experiments, n_true / n_experiments])
    assert without_bound.tolist() == pytest.approx(
        [n_false_unbounded / n_experiments, n_true_unbounded / n_experiments]
    )
    assert (np.diff(rates[:, 1:], axis=1) >= 0).all(), "bounds but for the first are looser and looser"
