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

N_SYSTEMS, N_SEGMENTS, N_SHOWN, N_TIMES = 10, 100, 3, 200
SETTINGS = Settings()


def campaign(seed: int, n_systems: int = N_SYSTEMS, n_segments: int = N_SEGMENTS) -> pd.DataFrame:
    """Scores of equally good systems, each segment of outputs drawn by the scores before it."""
    generator = np.random.default_rng(seed)
    truth = 50 + 15 * generator.standard_normal(n_segments) + 15 * generator.standard_normal((n_systems, n_segments))
    said: list[list[float]] = [[] for _ in range(n_systems)]
    judged = []
    for segment in range(n_segments):
        scores = {system: (len(of), sum(of) / len(of)) for system, of in enumerate(said) if of}
        for system, probability in assigned(range(n_systems), scores, N_SHOWN, generator):
            said[system].append(value := float(truth[system, segment]))
            one = Judgement("ann", f"system {system}", str(segment), "esa", value, probability=probability)
            judged.append(one)
    return judgement_frame(judged)


@cache
def errors() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By time: the error of the plain and weighted mean over systems, and whether the interval covers no difference."""
    plain, weighted, covers = [], [], []
    for seed in range(N_TIMES):
        frame = campaign(seed)
        matrix = Matrix.of(frame, "esa", SETTINGS)
        plain.append(frame.groupby("system")["value"].mean().mean() - 50)
        sums = [matrix.sums(values, place).sum(axis=(0, 1)) for place, values in enumerate(matrix.values)]
        weighted.append(np.mean([total / weight for total, weight in sums]) - 50)
        one, other = (matrix.systems.index(f"system {system}") for system in (0, 1))
        _, low, high, _ = matrix.between(one, other, 0.95)
        covers.append(low <= 0 <= high)
    return np.array(plain), np.array(weighted), np.array(covers)


def error_of_mean(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def test_a_mean_that_ignores_the_assignment_is_too_low() -> None:
    plain, _, _ = errors()
    assert plain.mean() < -5 * error_of_mean(plain)


def test_the_weighted_mean_is_not() -> None:
    plain, weighted, _ = errors()
    assert abs(weighted.mean()) < 3 * error_of_mean(weighted)
    assert abs(weighted.mean()) < abs(plain.mean()) / 3


def test_the_interval_of_a_difference_covers_the_truth() -> None:
    assert 0.91 <= errors()[2].mean() <= 0.99


def test_the_error_of_a_difference_is_that_of_leaving_out_one_segment_at_a_time() -> None:
    frame = campaign(7, n_systems=5, n_segments=300)
    matrix = Matrix.of(frame, "esa", SETTINGS)
    difference, low, high, p = matrix.between(0, 1, 0.95)
    both = frame[frame["system"].isin(matrix.systems[:2])].assign(weight=lambda rows: 1 / rows["probability"])
    left_out = []
    for segment in matrix.segments:
        rows = both[both["segment"] != segment]
        sums = rows.assign(product=rows["weight"] * rows["value"]).groupby("system")[["product", "weight"]].sum()
        means = sums["product"] / sums["weight"]
        left_out.append(means[matrix.systems[0]] - means[matrix.systems[1]])
    n = len(left_out)
    jackknife = np.sqrt((n - 1) / n * np.square(np.array(left_out) - np.mean(left_out)).sum())
    assert (high - low) / 2 / 1.968 == pytest.approx(jackknife, rel=0.03)
    assert (low > 0 or high < 0) == (p < 0.05)
    frame = averages_frame(frame, "esa", matrix.systems[1], SETTINGS, means_of_computation())
    assert frame.set_index("system").loc[matrix.systems[0], "difference"] == pytest.approx(difference)
