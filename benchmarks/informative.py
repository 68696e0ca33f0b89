"""How many pairs of systems do people decide with 200 segments: drawn at random, or more from informative ones?

Run ``MTEVAL_DATA=… python -m benchmarks.informative``. WMT23 he-en, MQM on 820 segments of 12 systems: samples of 200
segments, each pair tested by Student's t on weighted segment gains (segments as units, 5%, unadjusted). A decision is
right if it has the sign of the mean over all 820 segments.
"""

import gzip
import os
from itertools import combinations
from pathlib import Path

import numpy as np

from mteval.stats.alternative_annotator import p_above
from mteval.stats.assisted import assisted_mean
from mteval.stats.informative import draw_informative, informativeness

N_SAMPLES = 200
SIZE = 200  # segments of a sample
METRICS = ("COMET-refA", "MetricX-23-refA", "XCOMET-Ensemble-refA", "CometKiwi-src")


def scores_in(path: Path) -> dict[str, np.ndarray]:
    """Return the scores of each system, NaN for missing ones."""
    if path.suffix == ".gz":
        text = gzip.decompress(path.read_bytes()).decode()
    else:
        text = path.read_text(encoding="utf-8")
    scores_of = dict[str, list[float]]()
    for line in text.splitlines():
        system, score = line.split("\t")
        value = float("nan") if score == "None" else float(score)
        scores_of.setdefault(system, []).append(value)
    return {system: np.array(scores) for system, scores in scores_of.items()}


def read(folder: Path) -> tuple[list[str], np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Return systems, human scores, metrics' scores ``(systems, segments)`` and the document of each segment."""
    test_set = folder / "wmt23-he-en"
    more_metrics = folder / "wmt23-he-en-metrics"
    human_of = scores_in(test_set / "scores" / "he-en.mqm.seg.score")
    systems = []
    for system, scores in human_of.items():
        is_judged = not np.isnan(scores).all()
        if is_judged and "ref" not in system:
            systems.append(system)
    systems.sort()
    human = np.array([human_of[system] for system in systems])

    metrics = {}
    for name in METRICS:
        path = test_set / "scores" / f"{name}.seg.score"
        if not path.is_file():
            path = more_metrics / f"{name}.seg.score.gz"
        scores_of = scores_in(path)
        metrics[name] = np.array([scores_of[system] for system in systems])

    lines = (test_set / "documents.tsv").read_text(encoding="utf-8").splitlines()
    names = [line.split("\t")[-1] for line in lines]
    documents = np.unique(names, return_inverse=True)[1]
    return systems, human, metrics, documents


def decided(gains: np.ndarray, weights: np.ndarray, truth: float) -> tuple[bool, bool]:
    """Return whether a pair is decided at 5%, and rightly."""
    sums = np.column_stack([weights * gains, weights])
    p_value = 2 * min(p_above(sums, 0.0), p_above(-sums * [1, -1], 0.0))
    is_decided = p_value <= 0.05
    is_right = is_decided and np.sign(sums[:, 0].sum()) == np.sign(truth)
    return is_decided, is_right


def drawn_and_chances(
    name: str, metrics: dict[str, np.ndarray], judged: np.ndarray, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return drawn places among the judged segments, and the chances of all of these.

    Parameters
    ----------
    name
        ``random``, or the metric that says which segments are informative.
    """
    if name == "random":
        drawn = generator.choice(len(judged), SIZE, replace=False)
        return drawn, np.full(len(judged), SIZE / len(judged))
    return draw_informative(informativeness(metrics[name][:, judged]), SIZE, generator)


def main() -> None:
    """Print pairs decided, by way of drawing, and what metrics save."""
    systems, human, metrics, documents = read(Path(os.environ.get("MTEVAL_DATA", "../shared")) / "data")
    judged = np.flatnonzero(~np.isnan(human).any(axis=0))
    pairs = list(combinations(range(len(systems)), 2))
    gains_of = {(left, right): (human[left] - human[right])[judged] for left, right in pairs}
    truth_of = {pair: float(gains.mean()) for pair, gains in gains_of.items()}
    print(f"{len(systems)} systems, {len(judged)} judged segments, {N_SAMPLES} samples of {SIZE}")

    for name in ("random", *METRICS):
        counts = []  # a row per sample: pairs decided, pairs decided rightly
        for seed in range(N_SAMPLES):
            drawn, chances = drawn_and_chances(name, metrics, judged, np.random.default_rng(seed))
            weights = 1 / chances[drawn]
            decisions = [decided(gains_of[pair][drawn], weights, truth_of[pair]) for pair in pairs]
            counts.append(np.sum(decisions, axis=0))
        n_decided, n_right = np.mean(counts, axis=0)
        print(f"{name:22} decided {n_decided:.1f}, rightly {n_right:.1f} of 66")

    for name in METRICS:
        saved = []
        for left, right in pairs:
            metric_gains = np.array([metrics[name][left] - metrics[name][right]])
            saved.append(assisted_mean(gains_of[left, right], metric_gains, judged, documents).saved)
        print(f"{name:40} error variance of a difference {-100 * np.mean(saved):+.0f}%")


if __name__ == "__main__":
    main()
