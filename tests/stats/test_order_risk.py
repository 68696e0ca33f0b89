"""The interval of a standardised difference, against the noncentral t distribution of SciPy and by simulation."""

import numpy as np
import pytest
from scipy.special import nctdtr, ndtr

from mteval.stats.replication import separation


def scores(n: int, mean: float, deviation: float) -> np.ndarray:
    """As many scores with exactly that mean and standard deviation."""
    raw = np.linspace(-1, 1, n)
    return mean + deviation * raw / raw.std(ddof=1)


@pytest.mark.parametrize(("n", "difference"), [(2, 0.4), (3, 1.0), (5, 3.0), (10, 0.01), (30, 2.5)])
def test_the_limits_are_noncentralities_of_student_s_t(n: int, difference: float) -> None:
    found = separation(scores(n, 5.0, 1.0), scores(n, 5.0 + difference, 1.0), 0.9)
    t, df = difference * np.sqrt(n / 2), 2 * (n - 1)
    assert found.value == pytest.approx(difference / np.sqrt(2))
    assert nctdtr(df, found.low * np.sqrt(n), t) == pytest.approx(0.95, abs=2e-4)
    assert nctdtr(df, found.high * np.sqrt(n), t) == pytest.approx(0.05, abs=2e-4)


def test_the_interval_is_that_of_the_example_in_the_handbook_of_mbess() -> None:
    """conf.limits.nct(ncp=2.83, df=126, conf.level=0.95) of the R package MBESS: 0.8337502 to 4.815359.

    Two samples of 64 have 126 degrees of freedom, and a t of 2.83 where the averages are 2.83 standard errors apart.
    """
    found = separation(scores(64, 0.0, 1.0), scores(64, 2.83 / 32**0.5, 1.0), 0.95)
    assert 8 * found.low == pytest.approx(0.8337502, abs=1e-3)
    assert 8 * found.high == pytest.approx(4.815359, abs=1e-3)


def test_endless_runs_leave_no_doubt() -> None:
    found = separation(scores(20_000, 0.0, 1.0), scores(20_000, 1.0, 1.0), 0.95)
    assert found.high - found.low < 0.04
    assert found.risk(1)[0] == pytest.approx(ndtr(-1 / np.sqrt(2)), abs=1e-6)


def test_the_risk_of_more_runs_each_falls_with_their_root_and_so_does_its_interval() -> None:
    found = separation(scores(3, 0.0, 1.0), scores(3, 1.0, 1.0), 0.95)
    one, four = found.risk(1), found.risk(4)
    assert four[0] == pytest.approx(ndtr(-2 / np.sqrt(2)))
    for estimate, low, high in (one, four):
        assert 0 <= low < estimate < high <= 1
    assert one[2] > 0.5  # three runs do not show which system is ahead


def test_it_does_not_matter_which_system_is_ahead() -> None:
    one, other = scores(3, 0.0, 1.0), scores(5, 1.0, 2.0)
    assert separation(one, other, 0.95) == separation(other, one, 0.95)


@pytest.mark.parametrize(
    ("baseline", "system"), [([1.0], [2.0, 3.0]), ([1.0, 1.0], [2.0, 2.0]), ([1.0, 2.0], [2.0, 1.0])]
)
def test_what_runs_cannot_show_is_undefined(baseline: list[float], system: list[float]) -> None:
    assert np.isnan(separation(np.array(baseline), np.array(system), 0.95).risk(1)).all()


@pytest.mark.parametrize(("runs", "ratio"), [((3, 3), 1.0), ((3, 3), 5.0), ((3, 10), 1.0)])
def test_the_interval_holds_the_truth_as_often_as_it_says(runs: tuple[int, int], ratio: float) -> None:
    """Whatever the true separation is; Monte Carlo error 2 points at 80%, and few runs cost a few points more."""
    for truth in (0.0, 1.0):
        generator = np.random.default_rng(7)
        held = 0
        for _ in range(250):
            baseline = generator.normal(0.0, 1.0, runs[0])
            system = generator.normal(truth * np.hypot(1, ratio), ratio, runs[1])
            found, sign = separation(baseline, system, 0.8), np.sign(system.mean() - baseline.mean())
            held += found.low <= sign * truth <= found.high
        assert held / 250 == pytest.approx(0.8, abs=0.09)
