"""Run variances that borrow from all systems, by hand and by what they must do."""

import numpy as np
import pytest

from mteval.stats.crossed_layout import components_of
from mteval.stats.multiplicity import BorrowedSpread


def test_low_variances_are_drawn_towards_the_mean_and_high_ones_stay() -> None:
    """Three runs each: the mean of 1, 2, 3 and 10 is 4; (2 * 4 + 2 * M) / 4."""
    found = BorrowedSpread.of([1.0, 2.0, 3.0, 10.0], [3, 3, 3, 3])
    assert found.variances == pytest.approx((2.5, 3.0, 3.5, 10.0))
    assert found.df == (4, 4, 4, 4)


def test_many_runs_borrow_little() -> None:
    assert BorrowedSpread.of([1.0, 4.0, 4.0, 4.0], [1_001, 3, 3, 3]).variances[0] == pytest.approx(1.0, abs=0.01)


def test_a_difference_has_the_borrowed_variances_and_everything_else_of_its_own() -> None:
    generator = np.random.default_rng(2)
    one, other = generator.normal(size=(3, 30)), generator.normal(size=(4, 30))
    spread = BorrowedSpread.of([1.0, 2.0, 3.0, 10.0], [3, 4, 3, 3])
    own, found = components_of(one, other), spread.components(one, other, (0, 1))
    assert found.runs == pytest.approx((spread.variances[0] / 3, spread.variances[1] / 4))
    assert (found.segments, found.pairs, found.shape) == (own.segments, own.pairs, own.shape)
    r = [x - e / 4 for x, e in zip(found.runs, found.pairs, strict=True)]
    parts = r[0] ** 2 / 4 + r[1] ** 2 / 5 + found.segments**2 / 29
    parts += found.pairs[0] ** 2 / (2 * 29) + found.pairs[1] ** 2 / (3 * 29)
    assert found.df == pytest.approx(found.total**2 / parts)


def test_fewer_than_four_systems_have_nothing_to_borrow() -> None:
    with pytest.raises(ValueError, match="Run variances of 3 systems; expected 4"):
        BorrowedSpread.of([1.0, 2.0, 3.0], [3, 3, 3])
