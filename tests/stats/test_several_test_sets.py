"""Several test sets in one claim, against statsmodels, SciPy, the test of one test set, and simulation."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp
from statsmodels.stats.meta_analysis import combine_effects

from benchmarks.several_test_sets import LAST, MOST_DF, Drawn, Truth, p_values, rates
from mteval.stats.base import ONE_UNIT, How
from mteval.stats.crossed_layout import components_of
from mteval.stats.interval import difference_over_units
from mteval.stats.procedures.two_way import PROVISIONAL, two_way
from mteval.stats.several_test_sets import FEW_TEST_SETS, OnTestSet, SeveralTestSets

ASKED = ("two-sided", 0.95)


def mean_score(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def drawn(
    n_test_sets: int, n_runs: int, n_units: int = 30, *, runs: float = 1.0, tau: float = 0.0, gain: float = 0.0,
    is_shared: bool = True, seed: int | np.random.Generator = 5,
) -> SeveralTestSets:  # fmt: skip
    """Runs shift whole test sets by ``runs`` times the noise of a run's score, the same shift where they are shared."""
    generator = np.random.default_rng(seed)
    common = generator.standard_normal((2, n_runs, 1))
    parts = []
    for place in range(n_test_sets):
        shifts = common if is_shared else generator.standard_normal((2, n_runs, 1))
        sides = runs / np.sqrt(n_units) * shifts + generator.standard_normal((2, n_runs, n_units))
        sides[1] += gain + tau * generator.standard_normal()
        difference = float(sides[1].mean() - sides[0].mean())
        parts.append(OnTestSet(sides[0], sides[1], difference, 0 if is_shared else place))
    return SeveralTestSets(tuple(parts))


def test_one_test_set_is_the_two_way_test_and_the_interval_over_units() -> None:
    alone = drawn(1, 3)
    (part,) = alone.parts
    statistics = [np.stack([values, np.ones_like(values)], axis=2) for values in part.sides]
    how = How(1, np.random.SeedSequence(1), *ASKED)
    for found, expected in (
        (alone.these_test_sets(*ASKED), two_way(statistics[0], statistics[1], mean_score, how)),
        (alone.these_runs(*ASKED), difference_over_units(statistics[0], statistics[1], mean_score, 0.95)),
    ):
        assert (found.statistic, found.low, found.high) == pytest.approx(
            (expected.statistic, expected.low, expected.high)
        )
        assert found.df == pytest.approx(expected.df)


def test_the_runs_share_of_the_variance_is_that_of_all_segments_strung_together() -> None:
    whole = drawn(3, 4)
    strung = [np.concatenate([part.sides[side] for part in whole.parts], axis=1) for side in range(2)]
    expected = components_of(strung[0], strung[1])
    assert [luck.runs for luck in whole.run_luck] == pytest.approx(expected.runs)
    assert whole.difference == pytest.approx(strung[1].mean() - strung[0].mean())


@pytest.mark.parametrize("seed", range(4))
def test_tau_and_i_squared_are_statsmodels_where_runs_bring_no_luck(seed: int) -> None:
    whole = drawn(6, 1, 40, runs=0.0, tau=0.3, is_shared=False, seed=seed)
    gains = [part.system[0] - part.baseline[0] for part in whole.parts]
    variances = [gain.var(ddof=1) / len(gain) for gain in gains]
    expected = combine_effects(np.array([gain.mean() for gain in gains]), np.array(variances), method_re="iterated")
    assert whole.heterogeneity[0] ** 2 == pytest.approx(max(0.0, expected.tau2), abs=1e-6)
    assert whole.heterogeneity[1] == pytest.approx(max(0.0, expected.i2))


def test_without_luck_of_runs_test_sets_like_these_are_hartung_and_knapp_s() -> None:
    """Equal variances give equal weights; statsmodels' interval is then Student's over the test sets."""
    whole = drawn(6, 2, 200, runs=0.0, tau=1.0, is_shared=False)
    differences = [part.difference for part in whole.parts]
    found = whole.like_these(*ASKED)
    expected = ttest_1samp(differences, 0.0)
    assert found.p_value == pytest.approx(expected.pvalue)
    results = combine_effects(np.array(differences), np.full(6, 1e-4), method_re="iterated", use_t=True)
    _, _, _, bounds = results.conf_int(use_t=True)
    assert (found.low, found.high) == pytest.approx(tuple(bounds), rel=1e-6)


def test_luck_that_runs_have_on_all_test_sets_at_once_does_not_average_out() -> None:
    shared, separate = (drawn(4, 4, runs=4.0, is_shared=is_shared, seed=8) for is_shared in (True, False))
    taken_apart = SeveralTestSets(
        tuple(OnTestSet(*part.sides, part.difference, place) for place, part in enumerate(shared.parts))
    )
    errors = [one.these_test_sets(*ASKED).standard_error for one in (shared, taken_apart, separate)]
    assert errors[0] > 1.7 * errors[1], "twice as large with four test sets where runs are all that varies"
    assert errors[0] > 1.4 * errors[2]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("is_shared", [True, False])
def test_a_claim_about_more_luck_is_never_surer(seed: int, is_shared: bool) -> None:
    whole = drawn(3, 3, tau=0.2 * (seed % 3), gain=0.5, is_shared=is_shared, seed=seed)
    p = [ask(*ASKED).p_value for ask in (whole.these_test_sets, whole.like_these)]
    assert p[0] <= p[1] + 1e-12


def test_the_order_of_test_sets_has_no_part_in_it() -> None:
    whole = drawn(4, 3, tau=0.3)
    turned = SeveralTestSets(whole.parts[::-1])
    for ask in ("these_runs", "these_test_sets", "like_these"):
        assert getattr(whole, ask)(*ASKED).p_value == pytest.approx(getattr(turned, ask)(*ASKED).p_value)


def test_what_cannot_be_answered_is_refused_and_why() -> None:
    single = drawn(3, 1)
    assert "one {run}" in single.these_test_sets(*ASKED).note
    assert "one {run}" in single.like_these(*ASKED).note
    assert 0 < single.these_runs(*ASKED).p_value < 1
    assert drawn(2, 3).like_these(*ASKED).note == FEW_TEST_SETS
    assert drawn(3, 2).these_test_sets(*ASKED).note == PROVISIONAL
    assert drawn(2, 3, 1).these_runs(*ASKED).note == ONE_UNIT


def test_two_copies_of_a_system_differ_by_nothing() -> None:
    whole = drawn(3, 3)
    copies = SeveralTestSets(tuple(OnTestSet(part.system, part.system, 0.0, 0) for part in whole.parts))
    result = copies.these_test_sets(*ASKED)
    assert (result.statistic, result.p_value) == (0.0, 1.0)


def test_the_level_is_about_kept_with_shared_runs() -> None:
    """Four hundred draws without a difference, run shifts of twice the noise; separate tests would reject far more."""
    generator = np.random.default_rng(17)
    rejected = np.zeros(3)
    for _ in range(400):
        whole = drawn(3, 4, 20, runs=2.0, tau=0.2, seed=generator)
        at_zero = drawn(3, 4, 20, runs=2.0, seed=generator)
        apart = SeveralTestSets(
            tuple(OnTestSet(*part.sides, part.difference, n) for n, part in enumerate(at_zero.parts))
        )
        answers = at_zero.these_test_sets(*ASKED), whole.like_these(*ASKED), apart.these_test_sets(*ASKED)
        rejected += [answer.p_value <= 0.05 for answer in answers]
    assert 0.015 <= rejected[0] / 400 <= 0.09
    assert rejected[1] / 400 <= 0.09
    assert rejected[2] / 400 > 0.12


def test_three_test_sets_that_differ_much_hold_the_level_by_a_bound_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ten runs, at the largest rate of the grid; errors of 0.08 points."""
    truth = Truth(3, 10, (1.5, 1.5), 0.0, 0.0, 5.0)
    assert 0.05 < rates(truth, 80_000)[1] < 0.061
    monkeypatch.setitem(MOST_DF, 3, 2.0)
    assert rates(truth, 80_000)[1] > 0.0625


@pytest.mark.parametrize("n_test_sets", [3, 4, 6])
def test_the_benchmark_s_formulas_are_the_package_s(n_test_sets: int) -> None:
    """On outputs of its model, whose run scores and mean squares it is handed."""
    generator, n_units = np.random.default_rng(4), LAST + 1
    shifts = generator.standard_normal((2, 4, 1, 1)) + 0.5 * generator.standard_normal((2, 4, n_test_sets, 1))
    outputs = shifts + np.sqrt(n_units) * generator.standard_normal((2, 4, n_test_sets, n_units))
    parts = [
        OnTestSet(outputs[0, :, t], outputs[1, :, t], float(outputs[1, :, t].mean() - outputs[0, :, t].mean()), 0)
        for t in range(n_test_sets)
    ]
    alone = [components_of(*part.sides) for part in parts]
    found = Drawn(
        outputs.mean(axis=3)[:, np.newaxis],
        np.array([[one.segments for one in alone]]),
        np.array([[[one.pairs[side] for one in alone]] for side in range(2)]),
    )
    whole = SeveralTestSets(tuple(parts))
    expected = [whole.these_test_sets(*ASKED).p_value, whole.like_these(*ASKED).p_value]
    assert [float(p[0]) for p in p_values(found, 0.0)] == pytest.approx(expected)
