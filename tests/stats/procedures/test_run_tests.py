import numpy as np
import pytest
from scipy import stats

from mteval.stats.base import Alternative, How, PairedResult
from mteval.stats.procedures.classical import run_permutation, smallest_p_value, welch_test
from mteval.stats.resampling.streams import seeds_for

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def _mean(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def _run(
    procedure, baseline: np.ndarray, system: np.ndarray, alternative: Alternative = "two-sided", n: int = 20_000
) -> PairedResult:
    """From run scores to one segment a run that has them."""
    return procedure(
        *(np.stack([scores, np.ones_like(scores)], axis=1)[:, np.newaxis] for scores in (baseline, system)),
        _mean,
        How(n, seeds_for(0, ""), alternative, confidence=0.9),
    )


def _runs(n_baseline: int, n_system: int, shift: float = 0.4) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(n_baseline)
    return generator.normal(20, 0.5, n_baseline), generator.normal(20 + shift, 0.5, n_system)


def _scipys_permutation(baseline: np.ndarray, system: np.ndarray, alternative: Alternative) -> float:
    """With the two-sided p-value as the share of absolute differences, where SciPy doubles the smaller tail."""

    def statistic(one: np.ndarray, other: np.ndarray, axis: int) -> np.ndarray:
        difference = one.mean(axis=axis) - other.mean(axis=axis)
        return np.abs(difference) if alternative == "two-sided" else difference

    tail = "greater" if alternative == "two-sided" else alternative
    test = stats.permutation_test((system, baseline), statistic, alternative=tail, n_resamples=np.inf)
    return float(test.pvalue)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("runs", [(3, 3), (4, 6)])
def test_few_runs_are_permuted_in_every_way(runs: tuple[int, int], alternative: Alternative):
    baseline, system = _runs(*runs)
    result = _run(run_permutation, baseline, system, alternative)
    # Moved to zero, because SciPy's tolerance for ties is smaller than rounding is at 20 points.
    expected = _scipys_permutation(baseline - 20, system - 20, alternative)
    assert result.p_value == pytest.approx(expected)


def test_many_runs_are_permuted_at_random():
    baseline, system = _runs(14, 15, shift=0.25)
    result = _run(run_permutation, baseline, system)
    assert len(result.null) == 20_000
    assert result.null.std() == pytest.approx(
        np.concatenate([baseline, system]).std(ddof=1) * np.sqrt(1 / 14 + 1 / 15), rel=0.02
    )
    normal = 2 * stats.norm.sf(abs(result.statistic) / result.null.std())
    assert 0.02 < normal < 0.98
    assert result.p_value == pytest.approx(normal, abs=0.02)


@pytest.mark.parametrize(
    ("runs", "alternative", "smallest"),
    [((3, 3), "two-sided", 0.1), ((4, 4), "two-sided", 2 / 70), ((2, 4), "two-sided", 1 / 15), ((3, 3), "less", 0.05)],
)
def test_the_smallest_p_is_reached_by_separate_runs(runs, alternative: Alternative, smallest: float):
    baseline, system = np.arange(runs[0]) + 10.0, np.arange(runs[1]) * 1.5
    assert smallest_p_value(*runs, alternative) == pytest.approx(smallest)
    result = _run(run_permutation, baseline, system, alternative)
    assert result.p_value == pytest.approx(smallest)
    assert ("cannot be below" in result.note) == (smallest > 0.05)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_welchs_test_is_scipys(alternative: Alternative):
    baseline, system = _runs(3, 5)
    expected = stats.ttest_ind(system, baseline, equal_var=False, alternative=alternative)
    result = _run(welch_test, baseline, system, alternative)
    assert (result.p_value, result.df) == (pytest.approx(expected.pvalue), pytest.approx(expected.df))
    two_sided = stats.ttest_ind(system, baseline, equal_var=False).confidence_interval(0.9)
    np.testing.assert_allclose((result.low, result.high), two_sided)


@pytest.mark.parametrize("procedure", [run_permutation, welch_test])
def test_copies_of_one_run_are_refused(procedure):
    result = _run(procedure, np.array([20.0, 20.5, 21.0]), np.array([22.0, 22.0, 22.0]))
    assert np.isnan(result.p_value)
    assert "Copies" in result.note
    assert result.statistic == pytest.approx(1.5)


@pytest.mark.real_data
def test_the_example_has_the_permutation_p_value_computed_elsewhere(example):
    case = example["bleu"]
    how = How(1, seeds_for(0, ""), "two-sided", 0.95)
    result = run_permutation(case.baseline, case.system, case.score, how)
    assert result.p_value == pytest.approx(0.30)
