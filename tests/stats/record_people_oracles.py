"""Record what subset2evaluate, ppi-python and glide-py answer; run in environments of their own.

``python record_people_oracles.py NAME`` (``subset2evaluate``, ``ppi`` or ``glide``) writes a file beside this one, with
the version. All start from the same whole numbers, so that no generator matters.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

N, N_JUDGED = 240, 90
HUMAN = [((i * 7919) % 101) / 10 - 5 for i in range(N)]
METRIC = [0.5 * HUMAN[i] + ((i * 104729) % 97) / 12 - 4 for i in range(N)]
SCORES = {  # of three systems on twenty segments
    system: [((i + 3) * factor) % 53 / 7 for i in range(20)] for system, factor in (("A", 17), ("B", 29), ("C", 41))
}


def subset2evaluate() -> dict[str, object]:
    """Return the order by the variance of a metric, most informative first."""
    from subset2evaluate import select_subset

    data = [{"i": i, "scores": {name: {"m": column[i]} for name, column in SCORES.items()}} for i in range(20)]
    found = select_subset.basic(data, method="metric_var", metric="m")
    return {"version": version("subset2evaluate"), "order": [item["i"] for item in found]}


def ppi() -> dict[str, object]:
    """Return the mean and its interval by PPI++, tuned, with the segments that are not judged as unlabelled data."""
    import ppi_py

    human, metric = np.array(HUMAN), np.array(METRIC)
    about = human[:N_JUDGED], metric[:N_JUDGED], metric[N_JUDGED:]
    low, high = ppi_py.ppi_mean_ci(*about, alpha=0.05)
    point = ppi_py.ppi_mean_pointestimate(*about)
    ends = [float(np.squeeze(one)) for one in (point, low, high)]
    return {"version": version("ppi-python"), "mean": ends[0], "low": ends[1], "high": ends[2]}


FOLDS, N_OTHERS = 10, 150  # of cross-fitting; units that are not judged
WITHIN = np.array([-1.0, 2.0, -2.0, 1.0]), np.array([2.0, 1.0, -1.0, -2.0])  # in each document: metric, rest of human


def balanced(n_metrics: int, by_document: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return judgements (first), metrics and documents such that all definitions of the weights agree.

    Every fold of cross-fitting has the same values, so weights do not depend on which is left out. The metrics of the
    others have the covariance that makes it equal over all units. Within documents, slopes are those between them.
    """
    base = np.arange(9)
    human, *metrics = (
        (base * factor % 101 / 9.0).repeat(FOLDS) for factor in (7919, 104729, 15485863)[: n_metrics + 1]
    )
    judged = np.array(metrics)
    n, everywhere = len(human), np.cov(judged).reshape(n_metrics, n_metrics)
    weights = np.linalg.solve(everywhere, np.cov(np.vstack([judged, human]))[:-1, -1])
    share = n * N_OTHERS / (n + N_OTHERS)
    shift = everywhere @ weights / np.sqrt(share * (weights @ everywhere @ weights))
    values, vectors = np.linalg.eigh((N_OTHERS * everywhere - share * np.outer(shift, shift)) / (N_OTHERS - 1))
    raw = np.array([np.arange(N_OTHERS) * factor % 103 for factor in (31, 57)[:n_metrics]], float)
    raw -= raw.mean(axis=1, keepdims=True)
    white = np.linalg.solve(np.linalg.cholesky(np.cov(raw).reshape(n_metrics, n_metrics)), raw)
    others = vectors * np.sqrt(values.clip(0)) @ white + (judged.mean(axis=1) + shift)[:, np.newaxis]
    scored = np.hstack([judged, others])
    if not by_document:
        return human, scored, np.arange(scored.shape[1])
    spread, rest = WITHIN
    human = (human[:, np.newaxis] + weights[0] * spread + rest).ravel()
    return human, (scored[..., np.newaxis] + spread).reshape(1, -1), np.arange(scored.shape[1]).repeat(len(spread))


CASES = {"segments": (1, False), "two metrics": (2, False), "documents": (1, True)}


def glide() -> dict[str, object]:
    """Return mean, standard error and interval of each case, and of the whole numbers above, by PPI++."""
    from glide import estimators

    def said(human: np.ndarray, scored: np.ndarray, documents: np.ndarray | None = None) -> dict[str, float]:
        known = np.full(scored.shape[1], np.nan)
        known[: len(human)] = human
        if documents is not None:
            found = estimators.ClusteredPPIMeanEstimator().estimate(known, scored[0], documents)
        elif len(scored) > 1:
            found = estimators.MultiPPIMeanEstimator().estimate(known, scored.T)
        else:
            found = estimators.PPIMeanEstimator().estimate(known, scored[0])
        ends = found.confidence_interval
        return {"mean": found.mean, "error": found.std, "low": ends.lower_bound, "high": ends.upper_bound}

    cases = {}
    for name, (n_metrics, by_document) in CASES.items():
        human, scored, documents = balanced(n_metrics, by_document)
        cases[name] = said(human, scored, documents if by_document else None)
    plain = said(np.array(HUMAN[:N_JUDGED]), np.array([METRIC]))
    return {"version": version("glide-py"), **plain, "cases": cases}


if __name__ == "__main__":
    name = sys.argv[1]
    text = json.dumps({"subset2evaluate": subset2evaluate, "ppi": ppi, "glide": glide}[name](), indent=1)
    Path(__file__).with_name(f"recorded_{name}.json").write_text(text + "\n", encoding="utf-8")
