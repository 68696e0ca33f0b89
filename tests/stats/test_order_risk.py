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
    t = difference * np.sqrt(n / 2)
    df = 2 * (n - 1)
    separated = separation(scores(n, 5.0, 1.0), scores(n, 5.0 + difference, 1.0), 0.9)
    assert separated.value == pytest.approx(difference / np.sqrt(2))
    assert nctdtr(df, separated.low * np.sqrt(n), t) == pytest.approx(0.95, abs=2e-4)
    assert nctdtr(df, separated.high * np.sqrt(n), t) == pytest.approx(0.05, abs=2e-4)


def test_the_interval_is_that_of_the_example_in_the_handbook_of_mbess() -> None:
    """conf.limits.nct(ncp=2.83, df=126, conf.level=0.95) of the R package MBESS: 0.8337502 to 4.815359.

    Two samples of 64 have 126 degrees of freedom, and a t of 2.83 where the averages are 2.83 standard errors apart.
    """
    separated = separation(scores(64, 0.0, 1.0), scores(64, 2.83 / 32**0.5, 1.0), 0.95)
    assert 8 * separated.low == pytest.approx(0.8337502, abs=1e-3)
    assert 8 * separated.high == pytest.approx(4.815359, abs=1e-3)


def test_endless_runs_leave_no_doubt() -> None:
    separated = separation(scores(20_000, 0.0, 1.0), scores(20_000, 1.0, 1.0), 0.95)
    assert separated.high - separated.low < 0.04
    risk, _, _ = separated.risk(1)
    assert risk == pytest.approx(ndtr(-1 / np.sqrt(2)), abs=1e-6)


def test_the_risk_of_more_runs_each_falls_with_their_root_and_so_does_its_interval() -> None:
    separated = separation(scores(3, 0.0, 1.0), scores(3, 1.0, 1.0), 0.95)
    risk_of_one, low_of_one, high_of_one = separated.risk(1)
    risk_of_four, low_of_four, high_of_four = separated.risk(4)
    assert risk_of_four == pytest.approx(ndtr(-2 / np.sqrt(2)))
    assert 0 <= low_of_one < risk_of_one < high_of_one <= 1
    assert 0 <= low_of_four < risk_of_four < high_of_four <= 1
    assert high_of_one > 0.5, "three runs do not show which system is ahead"


def test_it_does_not_matter_which_system_is_ahead() -> None:
    behind = scores(3, 0.0, 1.0)
    ahead = scores(5, 1.0, 2.0)
    assert separation(behind, ahead, 0.95) == separation(ahead, behind, 0.95)


@pytest.mark.parametrize(
    ("baseline", "system"), [([1.0], [2.0, 3.0]), ([1.0, 1.0], [2.0, 2.0]), ([1.0, 2.0], [2.0, 1.0])]
)
def test_what_runs_cannot_show_is_undefined(baseline: list[float], system: list[float]) -> None:
    assert np.isnan(separation(np.array(baseline), np.array(system), 0.95).risk(1)).all()


@pytest.mark.parametrize(("runs", "ratio"), [((3, 3), 1.0), ((3, 3), 5.0), ((3, 10), 1.0)])
def test_the_interval_holds_the_truth_as_often_as_it_says(runs: tuple[int, int], ratio: float) -> None:
    """Whatever the true separation is; Monte Carlo error 2 points at 80%, and few runs cost a few points more."""
    n_baseline, n_system = runs
    for truth in (0.0, 1.0):
        generator = np.random.default_rng(7)
        n_held = 0
        for _ in range(250):
            baseline = generator.normal(0.0, 1.0, n_baseline)
            system = generator.normal(truth * np.hypot(1, ratio), ratio, n_system)
            # The separation is that of the system that is ahead, whichever it is
            sign = np.sign(system.mean() - baseline.mean())
            separated = separation(baseline, system, 0.8)
            n_held += separated.low <= sign * truth <= separated.high
        assert n_held / 250 == pytest.approx(0.8, abs=0.09)
