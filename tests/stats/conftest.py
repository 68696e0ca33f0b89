"""The real example as arrays, from the statistics that MultEval recorded for it."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest


@dataclass(frozen=True)
class Case:
    """Statistics of two systems, shape ``(runs, segments, d)``, and the score that belongs to them."""

    baseline: np.ndarray
    system: np.ndarray
    score: Callable[[np.ndarray], np.ndarray]


def bleu(sums: np.ndarray) -> np.ndarray:
    """Attempts and matches of four orders, then the reference length."""
    attempts, matches, reference = sums[..., 0:4], sums[..., 4:8], sums[..., 8]
    brevity = np.minimum(0, 1 - reference / attempts[..., 0])
    return 100 * np.exp(np.log(matches / attempts).mean(axis=-1) + brevity)


def ter(sums: np.ndarray) -> np.ndarray:
    """Edits, reference words."""
    return 100 * sums[..., 0] / sums[..., 1]


def length(sums: np.ndarray) -> np.ndarray:
    """Columns of BLEU."""
    return 100 * sums[..., 0] / sums[..., 8]


def _recorded(directory: Path, system: str, metric: str) -> np.ndarray:
    runs = []
    for run in range(3):
        with gzip.open(directory / f"{system}.opt{run}.{metric}.tsv.gz", "rt") as lines:
            columns = [line.rstrip("\n").split("\t") for line in lines]
        runs.append([[int(value) for value in row[-1].split()] for row in columns if row[0].isdigit()])
    return np.array(runs)


@pytest.fixture(scope="session")
def example(data_directory: Path) -> dict[str, Case]:
    """Baseline and system 1 of MultEval's example: 3 runs, 2,489 segments."""
    recorded = data_directory / "reference" / "multeval" / "suffstats"
    arrays = {m: [_recorded(recorded, s, m) for s in ("baseline", "sys1")] for m in ("bleu", "ter")}
    return {
        "bleu": Case(*arrays["bleu"], bleu),
        "ter": Case(*arrays["ter"], ter),
        "length": Case(*arrays["bleu"], length),
    }
