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
    statistics = (batch.baseline[simulation].astype(np.float64), batch.system[simulation].astype(np.float64))
    how = How(N_DRAWS, seeds_for(simulation, procedure), "two-sided", 0.95)
    return PROCEDURES[procedure].function(*statistics, batch.score, how).p_value


def agree(batch: Batch, contributions) -> set[str]:
    """Compare all procedures on all simulations; gives those that were compared."""
    draws = Draws(*batch.n_runs, batch.baseline.shape[2], N_DRAWS, 1)
    found = dict(p_values(batch, draws, contributions))
    for procedure in PROCEDURES.keys() & found.keys():
        for simulation, p in enumerate(found[procedure]):
            expected = one_by_one(batch, procedure, simulation)
            tail = expected / 2  # twice a share has twice its error, and both sides have one
            error = 2 * np.sqrt(2 * tail * (1 - tail) / N_DRAWS) if procedure in RESAMPLED else 0.0
            assert p == pytest.approx(expected, abs=4 * error + 1e-3), (procedure, simulation)
    return set(found)


@pytest.mark.parametrize(("n_baseline", "n_system"), [(3, 3), (2, 5), (1, 1)])
def test_a_batch_has_the_p_values_of_the_procedures_for_a_mean_metric(n_baseline: int, n_system: int) -> None:
    cell = Cell("heavy", n_baseline, n_system, 1.0, "equal", 1.5)
    found = agree(mean_batch(cell, 6, np.random.default_rng(2), 1.0), mean_contributions)
    wanted = {
        key
        for key, spec in ((key, PROCEDURES[key]) for key in usual())
        if spec.min_runs <= n_baseline and (n_baseline == n_system or not spec.pairs_outputs)
    }
    assert wanted <= found
    assert "two-level bootstrap" in found
    assert ("MultEval's shuffle" in found) == (n_baseline == n_system)


def test_a_procedure_without_a_formula_for_batches_is_asked_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    added = {key: replace(PROCEDURES["paired-t"], key=key, min_runs=n) for key, n in (("new", 1), ("for-three", 3))}
    monkeypatch.setattr("benchmarks.batch_tests.PROCEDURES", {**PROCEDURES, **added})
    monkeypatch.setattr("benchmarks.batch_tests.usual", lambda: (*usual(), *added))
    batch = mean_batch(Cell("normal", 2, 2, 0.0, "equal", 1.0), 5, np.random.default_rng(4), 1.0)
    found = dict(p_values(batch, Draws(2, 2, N_SEGMENTS, 50, 1), mean_contributions))
    np.testing.assert_allclose(found["new"], found["paired-t"], atol=1e-4)
    assert "for-three" not in found


def test_a_batch_has_the_p_values_of_the_procedures_for_bleu() -> None:
    cell = Cell("BLEU", 3, 3, float("nan"), "equal", 1.0)
    agree(bleu_batch(cell, 4, np.random.default_rng(3), is_null=True), bleu_contributions)


def test_multevals_sides_are_complements_with_two_runs_and_no_more_with_three() -> None:
    for n_runs, share in ((2, 0.0), (3, 0.26)):
        first, second = Draws(n_runs, n_runs, 400, 50, 1).multeval
        sums = (first + second).reshape(2 * n_runs, 400, 50)
        broken = (sums != 1).any(axis=0).mean()
        assert broken == pytest.approx(share, abs=0.02)
        assert (first.reshape(2 * n_runs, 400, 50).sum(axis=0) == n_runs).all()


def test_with_two_runs_multevals_shuffle_is_the_exchange_of_outputs() -> None:
    batch = mean_batch(Cell("normal", 2, 2, 0.0, "equal", 0.0), 40, np.random.default_rng(1), 1.0)
    found = dict(p_values(batch, Draws(2, 2, N_SEGMENTS, N_DRAWS, 1), mean_contributions))
    np.testing.assert_allclose(found["MultEval's shuffle"], found["ar-output"], atol=0.05)


def test_the_simulated_difference_has_the_standard_error_that_its_cell_states() -> None:
    for cell in (Cell("normal", 3, 10, 5.0, "1:5", 1.5), Cell("normal", 2, 2, 0.0, "equal", 0.0)):
        batch = mean_batch(cell, 4_000, np.random.default_rng(5), 2.0)
        one, other = batch.run_scores
        difference = other.mean(axis=1) - one.mean(axis=1)
        assert difference.std() == pytest.approx(cell.standard_error, rel=0.05)
        assert difference.mean() == pytest.approx(2 * cell.standard_error, rel=0.05)


def test_heavy_tails_have_the_variance_of_normal_ones() -> None:
    batch = mean_batch(Cell("heavy", 1, 1, 0.0, "equal", 0.0), 2_000, np.random.default_rng(6), 0.0)
    assert batch.baseline.std() == pytest.approx(1.0, abs=0.05)
    assert np.abs(batch.baseline).max() > 15


def test_with_a_coin_both_sides_share_the_outputs_of_two_systems() -> None:
    cell = Cell("BLEU", 1, 1, float("nan"), "equal", 1.0)
    batch = bleu_batch(cell, 200, np.random.default_rng(7), is_null=True)
    one, other = batch.run_scores
    error = np.sqrt((one - other).var() / 200)
    assert abs((one - other).mean()) < 4 * error
    first, second = (sample().scorer.score(runs.sum(axis=1)).mean() for runs in sample().statistics)
    assert one.mean() == pytest.approx((first + second) / 2, abs=0.5)


def test_the_grid_has_every_setting_once() -> None:
    cells = list(mean_cells())
    assert len(cells) == len(set(cells)) == 2 * 2 * (7 + 5 * (5 * 2 + 2 * 3))


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
    n_simulations, effect, truth = 600, 2.0, degrees_of_freedom.Truth(run_noise, inter)
    found = degrees_of_freedom.drawn(truth, n_runs, 40_000, np.random.default_rng(8))
    expected = degrees_of_freedom.rejected(found, None, effect)
    generator, rejections = np.random.default_rng(9), 0
    for _ in range(n_simulations):
        sides = [
            generator.standard_normal((n, N_SEGMENTS))
            + inter * generator.standard_normal(N_SEGMENTS)
            + noise / np.sqrt(N_SEGMENTS) * generator.standard_normal((n, 1))
            for n, noise in zip(n_runs, run_noise, strict=True)
        ]
        sides[1] += effect * found.error / np.sqrt(N_SEGMENTS)
        how = How(1, seeds_for(0, ""), "two-sided", 0.95)
        result = two_way(sides[0][..., np.newaxis], sides[1][..., np.newaxis], mean_score, how)
        rejections += result.p_value <= 0.05
    error = np.sqrt(expected * (1 - expected) / n_simulations)
    assert rejections / n_simulations == pytest.approx(expected, abs=3.5 * error)


def test_three_runs_without_run_luck_find_more_than_with_plain_degrees_of_freedom() -> None:
    """Power 45% in place of 38%; the size where it was largest goes up by no more than half a point."""
    alike = degrees_of_freedom.drawn(degrees_of_freedom.Truth((0, 0), 0), (3, 3), 100_000, np.random.default_rng(1))
    powers = [degrees_of_freedom.rejected(alike, share, EFFECT) for share in (0, None)]
    assert powers == pytest.approx([0.38, 0.45], abs=0.007)
    truths = [((0, 5), 0.5), ((0, 7), 0.5), ((0, 10), 1.5), ((10, 2), 1.5), ((20, 0), 3.0)]  # where most is rejected
    found = [
        degrees_of_freedom.drawn(degrees_of_freedom.Truth(*truth), (3, 3), 60_000, np.random.default_rng(2))
        for truth in truths
    ]
    plain, new = (max(degrees_of_freedom.rejected(one, share, 0) for one in found) for share in (0, None))
    assert 0.07 < plain <= new <= plain + 0.005


def test_the_best_test_that_knows_the_runs_do_not_differ_is_the_normal_one() -> None:
    """Neyman and Pearson: the two-sided z test; without a difference its power is its level."""
    reach = norm.isf(0.025)
    power = norm.sf(reach - 2.5) + norm.cdf(-reach - 2.5)
    assert highest_power(5, 0.05, 2.5, (0.0,), (1.0,)) == pytest.approx(power, abs=0.005)
    assert highest_power(5, 0.05, 0.0, (0.0,), (1.0,)) == pytest.approx(0.05, abs=1e-4)


def test_the_best_test_that_holds_its_level_for_all_equal_runs_is_about_students() -> None:
    df, reach = 18, t.isf(0.025, 18)
    power = nct.sf(reach, df, 2.5) + nct.cdf(-reach, df, 2.5)
    found = highest_power(10, 0.05, 2.5, (0.0, 1.0, 3.0, 10.0), (1.0,))
    assert power - 0.005 <= found <= power + 0.03


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
    (alone,) = monotone_bound.two_way_rates(3, EFFECT, [(0.0, 0.0)], 100_000)
    assert alone < highest_power(3, size, EFFECT, (0.0, 1.0, 3.0), (1.0, 0.2)) + 0.01


def test_the_rates_of_two_way_with_known_noise_are_nearly_those_with_estimated_noise() -> None:
    for run_noise in ((0.0, 0.0), (2.0, 0.4)):
        drawn = degrees_of_freedom.drawn(
            degrees_of_freedom.Truth(run_noise, 0.0), (3, 3), 100_000, np.random.default_rng(3)
        )
        expected = degrees_of_freedom.rejected(drawn, None, EFFECT)
        (found,) = monotone_bound.two_way_rates(3, EFFECT, [run_noise], 100_000)
        assert found == pytest.approx(expected, abs=0.012)


def test_experiments_that_share_their_segments_have_the_p_values_of_the_procedure() -> None:
    """Shifts of runs and what is peculiar to systems put back into segments, and asked of the procedure itself."""
    generator, inter = np.random.default_rng(4), 1.5
    noise = (generator.standard_normal((3, 2, N_SEGMENTS)), generator.standard_normal((3, 4, N_SEGMENTS)))
    peculiar = generator.standard_normal((2, 3, N_SEGMENTS))
    shifts = tuple(two_way_grid.run_shifts(0.2, -2, side.shape[:2], generator) for side in noise)
    difference, squares = two_way_grid.Segments(noise, peculiar[1] - peculiar[0]).squares(shifts, inter)
    how = How(1, seeds_for(0, ""), "two-sided", 0.95)
    for place, p in enumerate(squares.printed_p_values(difference)):
        one, other = (
            (side[place] + shift[place][:, np.newaxis] + inter * own[place])[..., np.newaxis]
            for side, shift, own in zip(noise, shifts, peculiar, strict=True)
        )
        assert p == pytest.approx(two_way(one, other, mean_score, how).p_value)


@pytest.mark.parametrize("skew", [0, -1, -2])
def test_shifts_of_runs_have_the_moments_that_they_are_called_by(skew: float) -> None:
    shifts = two_way_grid.run_shifts(3.0, skew, (400_000, 1), np.random.default_rng(5))[:, 0]
    centred = (shifts - shifts.mean()) / shifts.std()
    assert (shifts.mean(), shifts.std()) == (pytest.approx(0, abs=0.03), pytest.approx(3, rel=0.01))
    assert np.mean(centred**3) == pytest.approx(skew, abs=0.08)


def test_the_grid_answers_for_every_cell_that_the_procedure_answers_in() -> None:
    cells = list(two_way_grid.cells())
    plain = [cell for cell, skew in cells if not skew]
    assert set(plain) == {cell for cell in mean_cells() if min(cell.n_baseline, cell.n_system) > 1}
    assert {cell.kind for cell, skew in cells if skew} == {"normal"}


def test_documents_drawn_together_have_the_p_values_of_the_procedure() -> None:
    layout = documents.Layout(6, 0.375, "falling", 3, 1.0, 0.3)
    generator = np.random.default_rng(6)
    one, other = layout.drawn(4, generator) + layout.run_shifts(4, generator)
    sizes = np.round(layout.shares * 1e9).astype(np.int64)
    squares = mean_squares([documents.pseudo_values(side, layout.shares) for side in (one, other)], layout.df)
    difference = ((other - one).mean(axis=1) * layout.shares).sum(axis=1)
    how = How(1, seeds_for(0, ""), "two-sided", 0.95, unit_sizes=sizes)
    for place, p in enumerate(squares.p_values(difference)):
        sides = [np.stack([side[place] * sizes, np.broadcast_to(sizes, (3, 6))], axis=-1) for side in (one, other)]
        result = two_way(*sides, lambda sums: sums[..., 0] / sums[..., 1], how)
        assert printed_p_values(p, (3, 3)) == pytest.approx(result.p_value, rel=1e-5)


@pytest.mark.parametrize(("n_documents", "factor"), [(2, 1.0), (3, 1.5), (4, 1.5)])
def test_bounds_of_a_few_documents_are_tried_on_the_experiments_of_the_calibration(
    n_documents: int, factor: float
) -> None:
    layout, n = documents.Layout(n_documents, 0.0, "equal", 3, 5.0, 0.3), 3_000
    counts = documents._errors(layout, n, np.random.default_rng(7))
    found = few_documents.rates(layout, n, np.random.default_rng(7))
    for bound, (size, power) in ((factor, counts[:2]), (float("inf"), counts[2:4])):
        assert found[:, few_documents.FACTORS.index(bound)].tolist() == pytest.approx([size / n, power / n])
    assert (np.diff(found[:, 1:], axis=1) >= 0).all(), "bounds but for the first are looser and looser"
