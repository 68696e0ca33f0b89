"""Coverage of intervals of system Pearson and pairwise accuracy between a metric and people.

Usage: ``python -m benchmarks.agreement [--simulations 2000]`` from the root of the repository; ten minutes on one core.
Writes ``agreement.csv`` beside this file, the table of ``docs/calibration.md``.

Systems have true scores by people and by the metric, fixed in each experiment. Each document adds noise to both, which
is common to all systems in part. ``people`` and ``metric`` are the noise of a system's mean in standard deviations of
the true scores: 0.17 and 0.06 to 0.11 on WMT23 he-en (MQM, 92 documents).
"""

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.stats.agreement.correlations import pearson
from mteval.stats.agreement.intervals import bca_interval, corrected_pearson_interval, corrected_share_interval
from mteval.stats.agreement.system_pairs import pairwise_accuracy
from mteval.stats.units import df_of_units

Array = npt.NDArray[np.float64]
CONFIDENCE = 0.95
N_REPLICATES = 500
N_SIMULATIONS = 2_000
SEED = 24_111
RESULTS = Path(__file__).with_name("agreement.csv")


@dataclass(frozen=True)
class Setting:
    """The truth about systems, and the noise of documents.

    Parameters
    ----------
    shape
        Systems are ``normal``, in three ``clusters``, have an ``outlier``, or are evenly spaced (``grid``).
    correlation
        Of the true scores.
    people, metric
        Noise of a system's mean, in standard deviations of the true scores.
    shared
        Correlation of both kinds of noise.
    """

    shape: str
    n_systems: int
    n_documents: int
    correlation: float
    people: float
    metric: float
    shared: float = 0.4
    skewed: bool = False

    def truth(self, generator: np.random.Generator) -> Array:
        """Return true scores by people and metric, shape ``(2, systems)``, with variance 1 each."""
        n = self.n_systems
        drawn = generator.normal(size=(2, n))
        if self.shape == "clusters":
            drawn = generator.normal(size=(2, 3))[:, np.arange(n) % 3] + 0.15 * drawn
        elif self.shape == "grid":
            drawn[0] = np.arange(n)
        elif self.shape == "outlier":
            drawn[0, 0] -= 5
        drawn -= drawn.mean(axis=1, keepdims=True)

        # The metric's scores: a part along the people's, and a part at right angles to them.
        people = drawn[0] / np.linalg.norm(drawn[0])
        across = drawn[1] - drawn[1] @ people * people
        metric = self.correlation * people + np.sqrt(1 - self.correlation**2) * across / np.linalg.norm(across)
        return np.asarray(np.sqrt(n - 1) * np.stack([people, metric]))

    def drawn(self, truth: Array, generator: np.random.Generator) -> tuple[Array, Array]:
        """Return the mean scores of documents, shape ``(2, systems, documents)``, and the documents' sizes."""
        shape = 2, self.n_systems, self.n_documents
        sizes = np.ceil(generator.lognormal(2, 0.7, self.n_documents))
        if self.skewed:
            noise = generator.exponential(size=shape) - 1
        else:
            noise = generator.normal(size=shape)
        noise[1] = self.shared * noise[0] + np.sqrt(1 - self.shared**2) * noise[1]
        noise += 2 * generator.normal(size=(2, 1, self.n_documents))  # difficult documents are so for all systems
        noise *= np.sqrt(0.5 / sizes + 0.5)
        of_mean = np.sqrt((sizes**2 * (0.5 / sizes + 0.5)).sum()) / sizes.sum()
        levels = np.array([self.people, self.metric])[:, np.newaxis, np.newaxis]
        return np.asarray(truth[..., np.newaxis] + noise * levels / of_mean), sizes


def settings() -> Iterator[Setting]:
    """Yield the settings of the table."""
    for n_systems, n_documents, (people, metric) in product((5, 12), (15, 92), ((0.17, 0.1), (0.3, 0.2))):
        for correlation in (0.7, 0.95):
            yield Setting("normal", n_systems, n_documents, correlation, people, metric)
    for shape, skewed in (("clusters", False), ("outlier", False), ("grid", True)):
        for people, metric in ((0.17, 0.1), (0.3, 0.2)):
            yield Setting(shape, 12, 30, 0.9, people, metric, skewed=skewed)


def hard_settings() -> Iterator[Setting]:
    """Yield the settings in which narrower intervals of system Pearson cover least."""
    yield Setting("normal", 5, 92, 0.95, 0.3, 0.2)
    yield Setting("normal", 5, 30, 0.98, 0.17, 0.1, shared=0.0)
    yield Setting("normal", 5, 30, 0.98, 0.3, 0.2, shared=0.8)
    yield Setting("grid", 12, 30, 0.9, 0.17, 0.1, skewed=True)


def intervals(setting: Setting, generator: np.random.Generator) -> Iterator[tuple[str, str, bool, float]]:
    """Yield measure, method, whether the truth is covered, and the width, from one experiment."""
    truth = setting.truth(generator)
    scores, sizes = setting.drawn(truth, generator)
    n = setting.n_documents

    def means(counts: Array) -> Array:
        """Return mean scores, shape ``(2, draws, systems)``, from how often each document counts in each draw."""
        sums = scores * sizes
        return (sums @ counts.T / (counts @ sizes)).transpose(0, 2, 1)

    counts = generator.multinomial(n, np.full(n, 1 / n), N_REPLICATES).astype(np.float64)
    observed_means = means(np.ones((1, n)))
    drawn_means = means(counts)
    means_without = means(1 - np.eye(n))
    pseudo_values = (n * observed_means - (n - 1) * means_without).transpose(0, 2, 1)
    tail = (1 - CONFIDENCE) / 2
    for name, measure in (("system Pearson", pearson), ("pairwise accuracy", pairwise_accuracy)):
        value = float(measure(*observed_means)[0])
        draws = measure(*drawn_means)
        bca = bca_interval(value, draws, measure(*means_without), CONFIDENCE)
        narrower = {}
        if name == "system Pearson":
            df = df_of_units(sizes.astype(np.int64), n)
            fieller = corrected_pearson_interval(*pseudo_values, CONFIDENCE, df)
            ends = [value, *bca, *fieller]
            narrower["Fieller"] = fieller
            narrower["mean of both low ends"] = ((bca[0] + fieller[0]) / 2, max(bca[1], fieller[1]))
        else:
            ends = [value, *corrected_share_interval(value, draws, CONFIDENCE)]
        percentiles = (float(np.quantile(draws, tail)), float(np.quantile(draws, 1 - tail)))
        ways = {"percentile": percentiles, "BCa": bca, "mteval": (min(ends), max(ends)), **narrower}
        exact = float(measure(*truth))
        for way, (low, high) in ways.items():
            yield name, way, bool(low - 1e-9 <= exact <= high + 1e-9), float(high - low)


def simulate(n: int, chosen: Iterable[Setting]) -> pd.DataFrame:
    """Return one row per setting, measure and method: coverage and mean width."""
    parts = []
    for place, setting in enumerate(chosen):
        generator = np.random.default_rng([SEED, place])
        rows = [row for _ in range(n) for row in intervals(setting, generator)]
        frame = pd.DataFrame(rows, columns=["measure", "method", "coverage", "width"])
        means = frame.groupby(["measure", "method"], sort=False).mean().reset_index()
        parts.append(means.assign(**asdict(setting)))
        print(setting, flush=True)
    return pd.concat(parts).assign(n_simulations=n)


def main() -> None:
    """Take the number of experiments from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=N_SIMULATIONS, help="for each setting")
    parser.add_argument("--hard", action="store_true", help="print where narrower intervals of system Pearson fail")
    options = parser.parse_args()
    if options.hard:
        print(simulate(options.simulations, hard_settings()).to_string())
        return
    rates = simulate(options.simulations, settings())
    rates.to_csv(RESULTS, index=False, float_format="%.4g", lineterminator="\n")


if __name__ == "__main__":
    main()
