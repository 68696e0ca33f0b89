"""Components of many draws at once are those of each draw by itself."""

import numpy as np
import pytest

from mteval.stats.crossed_layout import Components, DrawnLayouts, components_of


def contributions(n_runs: int, n_units: int = 40) -> np.ndarray:
    """Far from zero, with luck of runs, of units and of both, and two systems that differ by unit."""
    generator = np.random.default_rng(n_runs)
    values = 3e3 + generator.standard_normal((n_runs, n_units)) + 5 * generator.standard_normal((n_runs, 1))
    values[: n_runs // 2] += 40 * generator.standard_normal(n_units)
    return values + 900 * generator.standard_normal(n_units)


def numbers(parts: Components) -> tuple[float, ...]:
    """All components, one after the other."""
    return (*parts.runs, parts.segments, *parts.pairs)


@pytest.mark.parametrize("df_units", [None, 7.25])
@pytest.mark.parametrize(("n_baseline", "n_system"), [(3, 3), (2, 4)])
def test_each_draw_has_the_components_of_its_runs(n_baseline: int, n_system: int, df_units: float | None) -> None:
    """Of fifty draws, each in an order of its own."""
    values = contributions(9)
    orders = np.argsort(np.random.default_rng(1).random((50, 9)), axis=1)
    baselines = orders[:, :n_baseline]
    systems = orders[:, n_baseline : n_baseline + n_system]

    drawn = list(DrawnLayouts(values, df_units).components(baselines, systems))

    assert len(drawn) == 50
    for baseline, system, parts in zip(baselines, systems, drawn, strict=True):
        expected = components_of(values[baseline], values[system], df_units)
        assert parts.shape == expected.shape
        assert numbers(parts) == pytest.approx(numbers(expected), rel=1e-9)
        assert parts.total == pytest.approx(expected.total, rel=1e-9)
        assert parts.df == pytest.approx(expected.df, rel=1e-9)


def test_a_run_without_a_score_spoils_its_own_draws_alone() -> None:
    values = contributions(6)
    values[4, 7] = np.nan
    baselines = np.array([[0, 1], [0, 4]])
    systems = np.array([[2, 3], [2, 3]])

    complete, spoiled = DrawnLayouts(values).components(baselines, systems)

    expected = components_of(values[[0, 1]], values[[2, 3]])
    assert numbers(complete) == pytest.approx(numbers(expected), rel=1e-9)
    assert np.isnan(spoiled.total)


def test_what_runs_have_in_common_leaves_no_interaction_behind() -> None:
    values = np.random.default_rng(3).normal(50, 20, 60) + np.arange(4.0)[:, np.newaxis]
    (parts,) = DrawnLayouts(values).components(np.array([[0, 1]]), np.array([[2, 3]]))
    assert 0 <= max(parts.segments, *parts.pairs) < 1e-25
    assert parts.runs == pytest.approx((0.25, 0.25))
