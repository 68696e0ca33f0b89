"""Record what subset2evaluate, ppi-python and glide-py answer; run in environments of their own.

``python record_people_oracles.py NAME`` (``subset2evaluate``, ``ppi`` or ``glide``) writes a file beside this one, with
the version. All start from the same whole numbers, so that no generator matters.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

N = 240
N_JUDGED = 90
HUMAN = [((segment * 7919) % 101) / 10 - 5 for segment in range(N)]
METRIC = [0.5 * human + ((segment * 104729) % 97) / 12 - 4 for segment, human in enumerate(HUMAN)]
SCORES = {  # of three systems on twenty segments
    "A": [((segment + 3) * 17) % 53 / 7 for segment in range(20)],
    "B": [((segment + 3) * 29) % 53 / 7 for segment in range(20)],
    "C": [((segment + 3) * 41) % 53 / 7 for segment in range(20)],
}


def subset2evaluate() -> dict[str, object]:
    """Return the order by the variance of a metric, most informative first."""
    from subset2evaluate import select_subset

    items = []
    for segment in range(20):
        scores = {system: {"m": scores_of_system[segment]} for system, scores_of_system in SCORES.items()}
        items.append({"i": segment, "scores": scores})
    ordered_items = select_subset.basic(items, method="metric_var", metric="m")
    return {"version": version("subset2evaluate"), "order": [item["i"] for item in ordered_items]}


def ppi() -> dict[str, object]:
    """Return the mean and its interval by PPI++, tuned, with the segments that are not judged as unlabelled data."""
    import ppi_py

    human = np.array(HUMAN[:N_JUDGED])
    metric = np.array(METRIC[:N_JUDGED])
    metric_elsewhere = np.array(METRIC[N_JUDGED:])
    low, high = ppi_py.ppi_mean_ci(human, metric, metric_elsewhere, alpha=0.05)
    mean = ppi_py.ppi_mean_pointestimate(human, metric, metric_elsewhere)
    return {
        "version": version("ppi-python"),
        "mean": float(np.squeeze(mean)),
        "low": float(np.squeeze(low)),
        "high": float(np.squeeze(high)),
    }


FOLDS = 10  # of cross-fitting
N_OTHERS = 150  # units that are not judged
FACTORS = (7919, 104729, 15485863)  # primes, from which whole numbers that look random are made
FACTORS_OF_OTHERS = (31, 57)
# In each document, of its four segments:
METRIC_WITHIN = np.array([-1.0, 2.0, -2.0, 1.0])
REST_WITHIN = np.array([2.0, 1.0, -1.0, -2.0])  # of human, beside what follows the metric


def balanced(n_metrics: int, by_document: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return judgements (first), metrics and documents such that all definitions of the weights agree.

    Every fold of cross-fitting has the same values, so weights do not depend on which is left out. The metrics of the
    others have the covariance that makes it equal over all units. Within documents, slopes are those between them.
    """
    human, *metrics = [(np.arange(9) * factor % 101 / 9.0).repeat(FOLDS) for factor in FACTORS[: n_metrics + 1]]
    judged = np.array(metrics)  # metrics x judged units
    n_judged = len(human)
    covariance = np.cov(judged).reshape(n_metrics, n_metrics)
    weights = np.linalg.solve(covariance, np.cov(np.vstack([judged, human]))[:-1, -1])

    # The others are shifted, and have the covariance that gives all units together that of the judged ones.
    share = n_judged * N_OTHERS / (n_judged + N_OTHERS)
    shift = covariance @ weights / np.sqrt(share * (weights @ covariance @ weights))
    covariance_of_others = (N_OTHERS * covariance - share * np.outer(shift, shift)) / (N_OTHERS - 1)
    values, vectors = np.linalg.eigh(covariance_of_others)
    raw = np.array([np.arange(N_OTHERS) * factor % 103 for factor in FACTORS_OF_OTHERS[:n_metrics]], float)
    raw -= raw.mean(axis=1, keepdims=True)
    white = np.linalg.solve(np.linalg.cholesky(np.cov(raw).reshape(n_metrics, n_metrics)), raw)
    others = vectors * np.sqrt(values.clip(0)) @ white + (judged.mean(axis=1) + shift)[:, np.newaxis]
    scored = np.hstack([judged, others])  # metrics x units
    n_units = scored.shape[1]
    if not by_document:
        return human, scored, np.arange(n_units)

    # Each unit becomes a document of four segments.
    human = (human[:, np.newaxis] + weights[0] * METRIC_WITHIN + REST_WITHIN).ravel()
    scored = (scored[..., np.newaxis] + METRIC_WITHIN).reshape(1, -1)
    return human, scored, np.arange(n_units).repeat(len(METRIC_WITHIN))


CASES = {"segments": (1, False), "two metrics": (2, False), "documents": (1, True)}


def glide() -> dict[str, object]:
    """Return mean, standard error and interval of each case, and of the whole numbers above, by PPI++."""
    from glide import estimators

    def answer(human: np.ndarray, scored: np.ndarray, documents: np.ndarray | None = None) -> dict[str, float]:
        known = np.full(scored.shape[1], np.nan)
        known[: len(human)] = human
        if documents is not None:
            estimate = estimators.ClusteredPPIMeanEstimator().estimate(known, scored[0], documents)
        elif len(scored) > 1:
            estimate = estimators.MultiPPIMeanEstimator().estimate(known, scored.T)
        else:
            estimate = estimators.PPIMeanEstimator().estimate(known, scored[0])
        interval = estimate.confidence_interval
        return {
            "mean": estimate.mean,
            "error": estimate.std,
            "low": interval.lower_bound,
            "high": interval.upper_bound,
        }

    cases = {}
    for name, (n_metrics, by_document) in CASES.items():
        human, scored, documents = balanced(n_metrics, by_document)
        cases[name] = answer(human, scored, documents if by_document else None)
    plain = answer(np.array(HUMAN[:N_JUDGED]), np.array([METRIC]))
    return {"version": version("glide-py"), **plain, "cases": cases}


PACKAGES = {"subset2evaluate": subset2evaluate, "ppi": ppi, "glide": glide}

if __name__ == "__main__":
    name = sys.argv[1]
    text = json.dumps(PACKAGES[name](), indent=1)
    Path(__file__).with_name(f"recorded_{name}.json").write_text(text + "\n", encoding="utf-8")
