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
        for kept in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2)):
            sizes = [n if axis in kept else 1 for axis, n in enumerate(shape)]
            side = side + scale * generator.normal(size=sizes)
        sides.append(side)
    return sides


@pytest.mark.parametrize("constant", ["raters", "runs"])
def test_a_constant_factor_gives_the_two_factor_formulas(constant: str) -> None:
    generator = np.random.default_rng(2)
    if constant == "raters":
        sides = [generator.normal(size=(n, 1, 30)) + generator.normal(size=(n, 1, 1)) for n in (4, 3)]
        expected: Components = components_of(sides[0][:, 0], sides[1][:, 0])
        found = RatedRuns.of([np.repeat(side, 5, axis=1) for side in sides], 29)
        assert found.parts[1] == pytest.approx(0)
    else:
        sides = [generator.normal(size=(1, 5, 30)) + generator.normal(size=(1, 5, 1)) for _ in range(2)]
        expected = components_of_gains(sides[1][0] - sides[0][0])
        found = RatedRuns.of([np.repeat(side, 3, axis=0) for side in sides], 29)
        assert found.parts[0] == pytest.approx(0)
    assert (found.total, found.df) == pytest.approx((expected.total, expected.df))
    assert sum(found.parts) == pytest.approx(found.total)


def test_the_variance_is_that_of_the_difference_on_average() -> None:
    generator = np.random.default_rng(3)
    drawn = [tables(generator) for _ in range(2_500)]
    truth = np.var([system.mean() - baseline.mean() for baseline, system in drawn])
    found = [RatedRuns.of(sides, 9) for sides in drawn]
    estimate = np.mean([
        sum(one.runs) + one.raters + one.units - sum(one.runs_raters) - sum(one.runs_units) - one.raters_units
        + sum(one.runs_raters_units)
        for one in found
    ])  # fmt: skip
    assert estimate == pytest.approx(truth, rel=0.07)
    assert min(one.total / max(sum(one.runs), one.raters, one.units) for one in found) >= 1
