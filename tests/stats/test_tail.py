"""P-values that do not flatter in the tail, and those that hold every level."""

import numpy as np
import pytest
from scipy import special

from mteval.stats.base import StudentLaw, one_sided
from mteval.stats.crossed_layout import Components
from mteval.stats.tail import StrictLaw, largest_size, nominal_level, printed_p_values

DESIGNS = [(2,), (3,), (30,), (2, 2), (3, 3), (2, 10), (5, 5), (3, 50)]


@pytest.mark.parametrize(
    ("n_runs", "sizes"),  # of an independent simulation, in percent at 5, 1 and 0.1%
    [((3, 3), (7.9, 3.6, 1.6)), ((5, 5), (5.9, 1.8, 0.48)), ((10, 10), (5.3, 1.2, 0.18)), ((3, 10), (8.2, 3.8, 1.8)),
     ((10, 2), (13.3, 8.7, 6.1))],
)  # fmt: skip
def test_sizes_are_those_of_an_independent_simulation(n_runs: tuple[int, int], sizes: tuple[float, ...]) -> None:
    # within a tenth: the largest of many simulated cells is a little too large
    assert 100 * largest_size([0.05, 0.01, 0.001], n_runs) == pytest.approx(sizes, rel=0.1)


@pytest.mark.parametrize("n_runs", DESIGNS)
def test_printed_p_values_rise_and_never_fall_below_the_plain_ones(n_runs: tuple[int, ...]) -> None:
    plain = np.append(np.geomspace(1e-20, 0.06, 400), [0.5, 1.0, np.nan])
    printed = printed_p_values(plain, n_runs)
    assert (np.diff(printed[:-1]) >= 0).all()
    assert (printed[:-1] >= plain[:-1]).all()
    assert printed[plain >= 0.05].tolist() == plain[plain >= 0.05].tolist()
    assert printed_p_values(0.05 - 1e-12, n_runs) == pytest.approx(0.05, rel=1e-3)


@pytest.mark.parametrize("n_runs", DESIGNS)
def test_intervals_leave_out_exactly_what_has_a_small_printed_p_value(n_runs: tuple[int, ...]) -> None:
    law = StudentLaw(0.4, 3.7, n_runs)
    for level in (0.2, 0.05, 0.049, 0.02):
        reach = law.reach(level)
        if np.isfinite(reach):
            assert law.p_value(reach * (1 + 1e-9)) <= level <= law.p_value(reach * (1 - 1e-9)) + 1e-9
    assert StudentLaw(0.4, 3.7, (2, 2)).reach(1e-12) == np.inf
    assert nominal_level(0.3, n_runs) == 0.3


def test_one_sided_p_values_are_half_the_printed_ones() -> None:
    law = StudentLaw(1.0, 4.0, (3, 3))
    two_sided = law.p_value(6.0)
    assert two_sided > 2 * special.stdtr(4.0, -6.0)
    assert one_sided(two_sided, 6.0, "greater") == two_sided / 2
    assert one_sided(two_sided, 6.0, "less") == 1 - two_sided / 2


PARTS = Components((0.3, 0.1), 0.2, (0.05, 0.04), (3, 4, 50))


def test_the_strict_p_value_is_an_average_over_drawn_variances() -> None:
    generator, n = np.random.default_rng(1), 400_000
    variance = PARTS.segments * 49 / generator.chisquare(49, n)
    for run, pair, last in zip(PARTS.runs, PARTS.pairs, (2, 3), strict=True):
        variance += np.maximum(0.0, last * run / generator.chisquare(last, n) - pair)
    for difference in (0.5, 1.5, 4.0):
        drawn = 2 * special.ndtr(-difference / np.sqrt(variance))
        assert PARTS.strict.p_value(difference) == pytest.approx(drawn.mean(), abs=4 * drawn.std() / np.sqrt(n))


def test_the_strict_interval_inverts_its_p_value() -> None:
    for level in (0.5, 0.05, 0.001):
        assert PARTS.strict.p_value(PARTS.strict.reach(level)) == pytest.approx(level, rel=1e-6)


@pytest.mark.parametrize("n_runs", [3, 5])
@pytest.mark.parametrize("level", [0.05, 0.01])
def test_the_strict_test_holds_its_level_where_runs_differ_much(n_runs: int, level: float) -> None:
    """The worst settings: runs of both systems, or of one, shift by several times the noise of a run's score."""
    n_experiments, rejected, generator = 1_500, 0, np.random.default_rng(n_runs)
    for _ in range(n_experiments):
        runs = np.array([25.0, 1.0]) / n_runs
        met = runs * generator.chisquare(n_runs - 1, 2) / (n_runs - 1)
        pairs = np.array([1.0, 1.0]) / n_runs * 0.04
        segments = (0.1 + pairs.sum()) * generator.chisquare(199) / 199
        law = StrictLaw(tuple(met), tuple(pairs), (n_runs - 1,) * 2, segments, 199, 1.0)
        rejected += law.p_value(generator.normal(0, np.sqrt(runs.sum() + 0.1))) <= level
    assert rejected / n_experiments <= 1.1 * level + 3 * np.sqrt(level / n_experiments)
