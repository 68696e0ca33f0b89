import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from mteval.stats.base import Alternative, How, PairedResult, student_result
from mteval.stats.crossed_layout import Components, components_of
from mteval.stats.procedures.two_way import two_way
from mteval.stats.resampling.streams import seeds_for
from mteval.stats.units import contributions


def _mean(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def _statistics(scores: np.ndarray) -> np.ndarray:
    return np.stack([scores, np.ones_like(scores)], axis=2)


def _run(
    baseline: np.ndarray,
    system: np.ndarray,
    score=_mean,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> PairedResult:
    return two_way(baseline, system, score, How(1, seeds_for(0, "two-way"), alternative, confidence))


def _toy(seed: int = 0, n_a: int = 3, n_b: int = 4, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    difficulty = generator.normal(size=50)
    return tuple(
        difficulty + generator.normal(size=(n, 1)) / 5 + generator.normal(size=(n, 50)) + extra
        for n, extra in ((n_a, 0.0), (n_b, shift))
    )


def test_components_are_those_of_the_analysis_of_variance():
    baseline, system = _toy()
    found = components_of(baseline, system)
    for index, scores in enumerate((baseline, system)):
        n_runs, n_segments = scores.shape
        rows = pd.DataFrame(scores).stack().rename_axis(["run", "segment"]).rename("score").reset_index()
        table = anova_lm(ols("score ~ C(run) + C(segment)", rows).fit())
        assert found.pairs[index] == pytest.approx(table.loc["Residual", "mean_sq"] / (n_runs * n_segments))
        assert found.runs[index] == pytest.approx(table.loc["C(run)", "mean_sq"] / (n_runs * n_segments))
    assert found.segments == pytest.approx(stats.sem(system.mean(axis=0) - baseline.mean(axis=0)) ** 2)


def test_the_total_never_falls_below_runs_or_segments_alone():
    assert Components((2, 1), 4, (0.5, 0.5), (3, 3, 50)).total == 6
    assert Components((2, 1), 4, (2, 2), (3, 3, 50)).total == 4
    assert Components((5, 1), 4, (2, 3), (3, 3, 50)).total == 6


def test_degrees_of_freedom_follow_the_dominating_component():
    tiny = (1e-9, 1e-9)
    assert Components((1, 1e-9), 1e-9, tiny, (3, 9, 50)).df == pytest.approx(2, rel=1e-3)
    assert Components(tiny, 1, tiny, (3, 3, 50)).df == pytest.approx(49, rel=1e-3)


def plain_satterthwaite(runs, segments, pairs, shape) -> float:
    """Degrees of freedom with the whole variance over runs, written out."""
    n_a, n_b, n_segments = shape
    total = max(sum(runs) + segments - sum(pairs), sum(runs), segments)
    last = n_segments - 1
    parts = [runs[0] ** 2 / (n_a - 1), runs[1] ** 2 / (n_b - 1), segments**2 / last]
    parts += [pairs[0] ** 2 / ((n_a - 1) * last), pairs[1] ** 2 / ((n_b - 1) * last)]
    return total**2 / sum(parts)


def test_runs_count_by_what_they_differ_beyond_a_quarter_of_the_noise():
    """Three and five runs on 101 segments, by hand: r = (2 - 0.25, 3 - 0.5), V = 5 + 4 - 3 = 6."""
    by_hand = 36 / (1.75**2 / 2 + 2.5**2 / 4 + 4**2 / 100 + 1**2 / 200 + 2**2 / 400)
    assert Components((2, 3), 4, (1, 2), (3, 5, 101)).df == pytest.approx(by_hand)
    no_more_than_noise = Components((0.25, 0.5), 4, (1, 2), (3, 5, 101))
    assert no_more_than_noise.df == pytest.approx(16 / (4**2 / 100 + 1**2 / 200 + 2**2 / 400))


def test_two_runs_count_by_what_they_differ_beyond_an_eighth_of_the_noise():
    """Two and three runs on 101 segments, by hand: r = (2 - 0.125, 3 - 0.5), V = 6."""
    by_hand = 36 / (1.875**2 / 1 + 2.5**2 / 2 + 4**2 / 100 + 1**2 / 100 + 2**2 / 200)
    assert Components((2, 3), 4, (1, 2), (2, 3, 101)).df == pytest.approx(by_hand)


POSITIVE = st.floats(1e-6, 1e6)
PAIRS = st.tuples(POSITIVE, POSITIVE)


@given(PAIRS, POSITIVE, PAIRS, st.tuples(st.integers(2, 30), st.integers(2, 30), st.integers(5, 3_000)), POSITIVE)
def test_p_is_never_larger_than_with_the_whole_variance_over_runs(runs, segments, pairs, shape, difference):
    found = Components(runs, segments, pairs, shape)
    plain = plain_satterthwaite(runs, segments, pairs, shape)
    assert found.df >= plain * (1 - 1e-12)
    t = difference / np.sqrt(found.total)
    p = student_result(difference, found.total, found.df, "two-sided", 0.95).p_value
    assert p <= 2 * stats.t.sf(t, plain) * (1 + 1e-9) + 1e-15
    without_noise = Components(runs, segments, (0.0, 0.0), shape)
    assert without_noise.df == pytest.approx(plain_satterthwaite(runs, segments, (0.0, 0.0), shape))


def test_where_segments_do_not_matter_it_is_welchs_test():
    baseline, system = (np.repeat(s[:, :1], 40, axis=1) + 0.0 for s in _toy(3))
    result, welch = (
        _run(_statistics(baseline), _statistics(system)),
        stats.ttest_ind(system[:, 0], baseline[:, 0], equal_var=False),
    )
    assert result.p_value == pytest.approx(welch.pvalue, rel=1e-4)
    assert result.df == pytest.approx(welch.df, rel=1e-4)


def test_the_interval_excludes_zero_where_p_is_below_its_level():
    for shift in np.linspace(0, 1.2, 13):
        baseline, system = map(_statistics, _toy(5, shift=shift))
        result = _run(baseline, system, confidence=0.9)
        assert (result.p_value < 0.1) == (result.low > 0 or result.high < 0)


def test_the_same_runs_on_both_sides_have_p_one():
    baseline = _statistics(_toy()[0])
    result = _run(baseline, baseline.copy())
    assert (result.statistic, result.p_value) == (0.0, 1.0)
    assert result.low == -result.high < 0


def test_one_run_and_copies_of_one_run_are_refused():
    baseline, system = map(_statistics, _toy())
    for one, other, words in (
        (baseline[:1], system, "The baseline has only one {run}"),
        (baseline, system[:1], "The system has only one {run}"),
        (baseline, np.repeat(system[:1], 3, axis=0), "All 3 {runs} of the system have the same scores"),
        (baseline[:, :1], system[:, :1], "only one unit"),
    ):
        result = _run(one, other)
        assert np.isnan([result.p_value, result.low, result.high, result.standard_error]).all()
        assert words in result.note
        assert result.statistic == pytest.approx(_mean(other.sum(axis=1)).mean() - _mean(one.sum(axis=1)).mean())


def test_two_runs_are_provisional_and_three_are_not():
    baseline, system = map(_statistics, _toy())
    assert "Provisional" in _run(baseline[:2], system).note
    assert _run(baseline, system).note == ""


@pytest.mark.real_data
@pytest.mark.parametrize(("metric", "difference", "p_value", "plain", "interval"), [
    ("bleu", 0.287, 0.23, (-0.28, 0.85), (-0.27, 0.84)),
    ("ter", -0.840, 0.11, (-2.03, 0.35), (-2.02, 0.34)),
    ("length", 0.156, 0.75, None, None),
])  # fmt: skip
def test_the_example_has_the_numbers_computed_elsewhere(example, metric, difference, p_value, plain, interval):
    """Elsewhere the whole variance over runs counted for few runs, which makes the interval a little wider."""
    case = example[metric]
    result = _run(case.baseline, case.system, case.score)
    assert result.statistic == pytest.approx(difference, abs=5e-4)
    assert result.p_value == pytest.approx(p_value, abs=5e-3)
    if plain is None:
        return
    found = components_of(*(contributions(runs, case.score) for runs in (case.baseline, case.system)))
    df = plain_satterthwaite(found.runs, found.segments, found.pairs, found.shape)
    reach = stats.t.isf(0.025, df) * np.sqrt(found.total)
    np.testing.assert_allclose((result.statistic - reach, result.statistic + reach), plain, rtol=0, atol=5.1e-3)
    np.testing.assert_allclose((result.low, result.high), interval, rtol=0, atol=5.1e-3)
