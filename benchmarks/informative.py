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

N_SAMPLES, SIZE = 200, 200
METRICS = ("COMET-refA", "MetricX-23-refA", "XCOMET-Ensemble-refA", "CometKiwi-src")


def scores_in(path: Path) -> dict[str, np.ndarray]:
    """Return the scores of each system, NaN for missing ones."""
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="utf-8")
    found = dict[str, list[float]]()
    for line in text.splitlines():
        system, score = line.split("\t")
        found.setdefault(system, []).append(float("nan") if score == "None" else float(score))
    return {system: np.array(column) for system, column in found.items()}


def read(folder: Path) -> tuple[list[str], np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Return systems, human scores, metrics' scores ``(systems, segments)`` and the document of each segment."""
    here = folder / "wmt23-he-en"
    human = scores_in(here / "scores" / "he-en.mqm.seg.score")
    systems = sorted(system for system, column in human.items() if not np.isnan(column).all() and "ref" not in system)
    metrics = {}
    for name in METRICS:
        paths = (here / "scores" / f"{name}.seg.score", folder / "wmt23-he-en-metrics" / f"{name}.seg.score.gz")
        found = scores_in(next(path for path in paths if path.is_file()))
        metrics[name] = np.array([found[system] for system in systems])
    lines = (here / "documents.tsv").read_text(encoding="utf-8").splitlines()
    documents = np.unique([line.split("\t")[-1] for line in lines], return_inverse=True)[1]
    return systems, np.array([human[system] for system in systems]), metrics, documents


def decided(gains: np.ndarray, weights: np.ndarray, truth: float) -> tuple[bool, bool]:
    """Return whether a pair is decided at 5%, and rightly."""
    sums = np.column_stack([weights * gains, weights])
    p_value = 2 * min(p_above(sums, 0.0), p_above(-sums * [1, -1], 0.0))
    is_decided = p_value <= 0.05
    return is_decided, is_decided and np.sign(sums[:, 0].sum()) == np.sign(truth)


def _drawn(
    name: str, metrics: dict[str, np.ndarray], judged: np.ndarray, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return drawn places among the judged segments, and the chances of all of these."""
    if name == "random":
        return generator.choice(len(judged), SIZE, replace=False), np.full(len(judged), SIZE / len(judged))
    return draw_informative(informativeness(metrics[name][:, judged]), SIZE, generator)


def main() -> None:
    """Print pairs decided, by way of drawing, and what metrics save."""
    systems, human, metrics, documents = read(Path(os.environ.get("MTEVAL_DATA", "../shared")) / "data")
    judged = np.flatnonzero(~np.isnan(human).any(axis=0))
    values, pairs = human[:, judged], list(combinations(range(len(systems)), 2))
    truths = [float((values[one] - values[other]).mean()) for one, other in pairs]
    print(f"{len(systems)} systems, {len(judged)} judged segments, {N_SAMPLES} samples of {SIZE}")
    for name in ("random", *METRICS):
        counts = []
        for seed in range(N_SAMPLES):
            drawn, chances = _drawn(name, metrics, judged, np.random.default_rng(seed))
            found = [
                decided((values[one] - values[other])[drawn], 1 / chances[drawn], truth)
                for (one, other), truth in zip(pairs, truths, strict=True)
            ]
            counts.append(np.sum(found, axis=0))
        print(f"{name:22} decided {np.mean(counts, axis=0)[0]:.1f}, rightly {np.mean(counts, axis=0)[1]:.1f} of 66")
    for chosen in ([name] for name in METRICS):
        saved = [
            assisted_mean(
                (human[one] - human[other])[judged],
                np.array([metrics[name][one] - metrics[name][other] for name in chosen]), judged, documents,
            ).saved
            for one, other in pairs
        ]  # fmt: skip
        print(f"{'+'.join(chosen):40} error variance of a difference {-100 * np.mean(saved):+.0f}%")


if __name__ == "__main__":
    main()
