"""Samples within runs, against statsmodels' analysis of variance and simulation."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import f_oneway
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from mteval.stats.resampling.bootstrap import replicate_scores
from mteval.stats.sampling_luck import SamplingLuck, sampling_luck

SEGMENTS = 50


def found(
    samples: list[np.ndarray], *, higher_is_better: bool = True, confidence: float = 0.95, n_resamples: int = 400
) -> SamplingLuck:
    """Of arrays of segment scores, shape ``(samples, segments)`` each."""
    seeds = np.random.SeedSequence(7)
    drawn = replicate_scores(
        [np.concatenate(samples)[..., np.newaxis]], lambda sums: sums[..., 0] / SEGMENTS, n_resamples, seeds, map
    )
    replicates = np.split(drawn, np.cumsum([len(run) for run in samples])[:-1])
    return sampling_luck([run.mean(axis=1) for run in samples], replicates, confidence, higher_is_better)


def drawn(n_runs: int, n_samples: int, training: float, sampling: float, seed: int = 3) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    outputs = generator.standard_normal((n_runs, n_samples, SEGMENTS))
    outputs += training * generator.standard_normal((n_runs, 1, 1))
    outputs += sampling * generator.standard_normal((n_runs, n_samples, 1))
    return list(outputs)


def test_the_components_are_those_of_the_one_way_analysis_of_variance() -> None:
    runs = drawn(4, 5, 1.0, 0.5)
    cells = [(place, sample.mean()) for place, run in enumerate(runs) for sample in run]
    table = anova_lm(ols("score ~ C(run)", pd.DataFrame(cells, columns=["run", "score"])).fit())
    squares, luck = table["mean_sq"], found(runs)
    assert luck.s_sample == pytest.approx(np.sqrt(squares["Residual"]))
    assert luck.df == 16
    assert luck.s_training.value == pytest.approx(np.sqrt((squares["C(run)"] - squares["Residual"]) / 5))
    assert luck.s_training.low < luck.s_training.value < luck.s_training.high


@pytest.mark.parametrize("training", [0.0, 0.05, 0.5])
def test_the_interval_of_training_luck_covers_it_and_excludes_zero_when_the_f_test_does(training: float) -> None:
    covered = []
    for seed in range(300):
        runs = drawn(4, 3, training, 0.1, seed)
        luck = found(runs, n_resamples=2).s_training
        p_value = f_oneway(*(run.mean(axis=1) for run in runs)).pvalue
        assert (luck.low > 0) == (p_value < 0.025)
        covered.append(luck.low <= training <= luck.high)
    assert np.mean(covered) > 0.92


def test_one_trained_model_says_nothing_of_training_luck() -> None:
    luck = found(drawn(1, 6, 1.0, 0.5))
    assert np.isnan(luck.s_training.value)
    assert luck.s_sample > 0
    assert luck.n_samples == (6,)


def test_mean_best_and_worst_are_averages_over_runs_and_lie_in_their_intervals() -> None:
    runs = drawn(3, 4, 0.5, 0.5)
    scores = np.array([run.mean(axis=1) for run in runs])
    luck = found(runs)
    assert luck.mean.value == pytest.approx(scores.mean())
    assert luck.best.value == pytest.approx(scores.max(axis=1).mean())
    assert luck.worst.value == pytest.approx(scores.min(axis=1).mean())
    for one in (luck.mean, luck.best, luck.worst):
        assert one.low < one.value < one.high
    lower = found(runs, higher_is_better=False)
    assert (lower.best.value, lower.worst.value) == (luck.worst.value, luck.best.value)


def test_runs_may_hold_different_numbers_of_samples_and_some_of_them_one() -> None:
    runs = drawn(3, 4, 0.5, 0.5)
    luck = found([runs[0], runs[1][:1], runs[2][:2]])
    assert luck.n_samples == (4, 1, 2)
    assert luck.df == 4
    alone = found([runs[0][:1], runs[1][:1]])
    assert np.isnan(alone.s_sample)


def test_intervals_of_the_mean_hold_what_other_test_sets_show() -> None:
    """Two hundred test sets: the interval for the mean covers its expectation about as often as it says."""
    covered = [
        luck.mean.low <= 0 <= luck.mean.high
        for luck in (found(drawn(2, 3, 0.0, 0.0, seed), confidence=0.9) for seed in range(200))
    ]
    assert 0.82 <= np.mean(covered) <= 0.96
