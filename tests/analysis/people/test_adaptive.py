"""Means of adaptively assigned judgements: those that ignore the assignment are biased, the weighted ones are not."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from mteval.analysis.people.averages import Matrix, averages_frame
from mteval.analysis.people.judgements import judgement_frame
from mteval.analysis.scoring import means_of_computation
from mteval.annotations.assignment import assigned
from mteval.values.judgements import Judgement
from mteval.values.settings import Settings

N_SYSTEMS = 10
N_SEGMENTS = 100
N_SHOWN = 3
N_TIMES = 200
SETTINGS = Settings()


def campaign(seed: int, n_systems: int = N_SYSTEMS, n_segments: int = N_SEGMENTS) -> pd.DataFrame:
    """Scores of equally good systems, each segment of outputs drawn by the scores before it."""
    generator = np.random.default_rng(seed)
    truth = 50 + 15 * generator.standard_normal(n_segments) + 15 * generator.standard_normal((n_systems, n_segments))
    scores_of: dict[int, list[float]] = {}
    judgements = []
    for segment in range(n_segments):
        n_and_mean_of = {system: (len(scores), sum(scores) / len(scores)) for system, scores in scores_of.items()}
        for system, probability in assigned(range(n_systems), n_and_mean_of, N_SHOWN, generator):
            score = float(truth[system, segment])
            scores_of.setdefault(system, []).append(score)
            name = f"system {system}"
            judgements.append(Judgement("ann", name, str(segment), "esa", score, probability=probability))
    return judgement_frame(judgements)


@cache
def errors() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By time: the error of the plain and weighted mean over systems, and whether the interval covers no difference."""
    plain = []
    weighted = []
    covers = []
    for seed in range(N_TIMES):
        frame = campaign(seed)
        plain.append(frame.groupby("system")["value"].mean().mean() - 50)

        matrix = Matrix.of(frame, "esa", SETTINGS)
        means = []
        for place, values in enumerate(matrix.values):
            total, weight = matrix.sums(values, place).sum(axis=(0, 1))
            means.append(total / weight)
        weighted.append(np.mean(means) - 50)

        first = matrix.systems.index("system 0")
        second = matrix.systems.index("system 1")
        difference = matrix.between(first, second, 0.95)
        covers.append(difference.low <= 0 <= difference.high)
    return np.array(plain), np.array(weighted), np.array(covers)


def error_of_mean(values: np.ndarray) -> float:
    """The standard error of the mean of independent values."""
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def test_a_mean_that_ignores_the_assignment_is_too_low() -> None:
    plain, _, _ = errors()
    assert plain.mean() < -5 * error_of_mean(plain)


def test_the_weighted_mean_is_not() -> None:
    plain, weighted, _ = errors()
    assert abs(weighted.mean()) < 3 * error_of_mean(weighted)
    assert abs(weighted.mean()) < abs(plain.mean()) / 3


def test_the_interval_of_a_difference_covers_the_truth() -> None:
    _, _, covers = errors()
    assert 0.91 <= covers.mean() <= 0.99


def test_the_error_of_a_difference_is_that_of_leaving_out_one_segment_at_a_time() -> None:
    """The jackknife over segments by hand; 1.968 is the quantile of Student's t for 300 segments."""
    frame = campaign(7, n_systems=5, n_segments=300)
    matrix = Matrix.of(frame, "esa", SETTINGS)
    first, second = matrix.systems[:2]

    difference = matrix.between(0, 1, 0.95)

    rows_of_both = frame[frame["system"].isin([first, second])]
    weight = 1 / rows_of_both["probability"]
    weighted = rows_of_both.assign(weight=weight, product=weight * rows_of_both["value"])
    differences = []
    for segment in matrix.segments:
        sums = weighted[weighted["segment"] != segment].groupby("system")[["product", "weight"]].sum()
        means = sums["product"] / sums["weight"]
        differences.append(means[first] - means[second])
    n = len(differences)
    jackknife = np.sqrt((n - 1) * np.var(differences))
    assert n == 300
    assert (difference.high - difference.low) / 2 / 1.968 == pytest.approx(jackknife, rel=0.03)
    assert (difference.low > 0 or difference.high < 0) == (difference.p_value < 0.05)
    averages = averages_frame(frame, "esa", second, SETTINGS, means_of_computation()).set_index("system")
    assert averages.loc[first, "difference"] == pytest.approx(difference.value)
