"""Runs × raters × units in one verdict: against the two-factor formulas, and against the truth in simulation."""

import numpy as np
import pytest

from mteval.stats.crossed_layout import Components, components_of, components_of_gains
from mteval.stats.rated_runs import RatedRuns


def tables(generator: np.random.Generator, shape: tuple[int, int, int] = (3, 4, 10)) -> list[np.ndarray]:
    """Judgements of two equal systems with effects of all factors, and of pairs of them, peculiar to a system."""
    sides = []
    for scale in (1.0, 0.5):
        side = generator.normal(size=shape)
        for axes_of_effect in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2)):
            sizes = [1, 1, 1]
            for axis in axes_of_effect:
                sizes[axis] = shape[axis]
            side = side + scale * generator.normal(size=sizes)
        sides.append(side)
    return sides


@pytest.mark.parametrize("constant", ["raters", "runs"])
def test_a_constant_factor_gives_the_two_factor_formulas(constant: str) -> None:
    """Copies of the only rater, or of the only run, bring no variance of their own."""
    generator = np.random.default_rng(2)
    expected: Components
    if constant == "raters":
        baseline = generator.normal(size=(4, 1, 30)) + generator.normal(size=(4, 1, 1))
        system = generator.normal(size=(3, 1, 30)) + generator.normal(size=(3, 1, 1))
        expected = components_of(baseline[:, 0], system[:, 0])
        rated = RatedRuns.of([np.repeat(side, 5, axis=1) for side in (baseline, system)], 29)
        assert rated.parts[1] == pytest.approx(0)
    else:
        baseline = generator.normal(size=(1, 5, 30)) + generator.normal(size=(1, 5, 1))
        system = generator.normal(size=(1, 5, 30)) + generator.normal(size=(1, 5, 1))
        expected = components_of_gains(system[0] - baseline[0])
        rated = RatedRuns.of([np.repeat(side, 3, axis=0) for side in (baseline, system)], 29)
        assert rated.parts[0] == pytest.approx(0)

    assert rated.total == pytest.approx(expected.total)
    assert rated.df == pytest.approx(expected.df)
    assert sum(rated.parts) == pytest.approx(rated.total)


def unbiased_variance(rated: RatedRuns) -> float:
    """The variance of the difference of two systems: each part of the judgements' variance once."""
    main_effects = sum(rated.runs) + rated.raters + rated.units
    pairs_of_effects = sum(rated.runs_raters) + sum(rated.runs_units) + rated.raters_units
    return main_effects - pairs_of_effects + sum(rated.runs_raters_units)


def test_the_variance_is_that_of_the_difference_on_average() -> None:
    """Monte Carlo error of a variance over 2,500 draws: 3%."""
    generator = np.random.default_rng(3)
    draws = [tables(generator) for _ in range(2_500)]
    truth = np.var([system.mean() - baseline.mean() for baseline, system in draws])

    answers = [RatedRuns.of(sides, 9) for sides in draws]

    assert np.mean([unbiased_variance(rated) for rated in answers]) == pytest.approx(truth, rel=0.07)
    for rated in answers:
        assert rated.total / max(sum(rated.runs), rated.raters, rated.units) >= 1
