"""Documents of unequal size: how often do two-way and the claim of equality err, with and without the jackknife?

Usage: ``python -m benchmarks.documents [--simulations 6000]`` from the root of the repository; one core, some minutes.
Writes ``documents.csv`` beside this file; ``python -m benchmarks.calibration --documents`` makes its table of it.

A metric that is a mean of 200 segments' scores. The score of a run on a document is the sum of what is peculiar to the
run, to the system and the document, and the noise of the document's outputs.
"""

import argparse
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from benchmarks.mean_squares import Array, mean_squares
from benchmarks.simulation import EFFECT, N_SEGMENTS

LEVEL = 0.05
N_SIMULATIONS = 6_000
LARGE = 0.055  # above this size
AGAIN = 5  # a layout has so many times as many experiments
AFRESH = 10_000  # fresh ones: what is added to their seed
BATCH = 4_000
N_REPLICATES = 199
N_DOCUMENTS = (4, 5, 6, 8, 12, 20, 3, 2)  # in the order in which they were added, which the seeds go by
LARGEST = (0.0, 0.25, 0.375, 0.5)  # share of the segments in the largest document; 0 where all are equal
OTHERS = ("equal", "falling")  # each of the other documents four fifths of the one before
RUNS = (3, 5)
RATIOS = (0.0, 1.0, 5.0)
PECULIAR = (0.0, 0.3, 1.0)  # to system and document: standard deviation, in units of the noise of one output
RATES = (
    "rate",
    "power",
    "rate_unbounded",
    "power_unbounded",
    "rate_contributions",
    "equality",
    "equality_percentile",
)
SEED = 19_580_614
RESULTS = Path(__file__).with_name("documents.csv")


@dataclass(frozen=True)
class Layout:
    """A test set of documents, and the true values of the systems, as in ``simulation.Cell``."""

    n_documents: int
    largest: float
    others: str
    n_runs: int
    ratio: float
    peculiar: float

    @property
    def shares(self) -> Array:
        """Of the segments, in each document."""
        sizes = np.full(self.n_documents, 1.0)
        if self.others == "falling":
            sizes = 0.8 ** np.arange(self.n_documents)
        if not self.largest:
            return sizes / sizes.sum()
        return np.append(self.largest, (1 - self.largest) * sizes[1:] / sizes[1:].sum())

    @property
    def df(self) -> float:
        """Degrees of freedom over documents of these shares."""
        return float(1 / np.square(self.shares).sum() - 1)

    @property
    def standard_error(self) -> float:
        """True one of the difference."""
        runs = 2 * (self.ratio**2 / N_SEGMENTS + 1 / N_SEGMENTS) / self.n_runs
        return float(np.sqrt(runs + 2 * self.peculiar**2 * np.square(self.shares).sum()))

    def drawn(self, n: int, generator: np.random.Generator) -> Array:
        """Scores of baseline and system on the documents, without a true difference and without shifts of runs.

        Shape ``(2, experiments, runs, documents)``.
        """
        noise = generator.standard_normal((2, n, self.n_runs, self.n_documents)) / np.sqrt(self.shares * N_SEGMENTS)
        return noise + self.peculiar * generator.standard_normal((2, n, 1, self.n_documents))

    def run_shifts(self, n: int, generator: np.random.Generator) -> Array:
        """Shape ``(2, experiments, runs, 1)``."""
        return self.ratio / np.sqrt(N_SEGMENTS) * generator.standard_normal((2, n, self.n_runs, 1))


def layouts() -> Iterator[Layout]:
    """Return all simulated layouts; the largest document is never smaller than the others."""
    for values in product(N_DOCUMENTS, LARGEST, OTHERS, RUNS, RATIOS, PECULIAR):
        layout = Layout(*values)
        if not layout.largest or layout.shares[0] >= layout.shares.max() - 1e-12:
            yield layout


def simulate(n_simulations: int) -> pd.DataFrame:
    """Return one row per layout: rejections at 5% with jackknife and contributions, and false claims of equality.

    The largest of many estimates is too large: where much is rejected more experiments take the place of the first.
    """
    rows: list[dict[str, object]] = []
    for place, layout in enumerate(layouts()):
        n = n_simulations
        rates = _rates(layout, n, place)
        if max(rates["rate"], rates["equality"]) > LARGE:
            n = AGAIN * n_simulations
            rates = _rates(layout, n, AFRESH + place)
        rows.append({**asdict(layout), "largest_share": layout.shares.max(), **rates, "n_simulations": n})
    return pd.DataFrame(rows)


def _rates(layout: Layout, n_simulations: int, place: int) -> dict[str, float]:
    """Shares of experiments by the names in ``RATES``."""
    counts = np.zeros(len(RATES))
    for start in range(0, n_simulations, BATCH):
        generator = np.random.default_rng([SEED, place, start])
        counts += _errors(layout, min(BATCH, n_simulations - start), generator)
    return dict(zip(RATES, counts / n_simulations, strict=True))


def _errors(layout: Layout, n: int, generator: np.random.Generator) -> Array:
    """Counts by the names in ``RATES``."""
    without_shifts = layout.drawn(n, generator)
    sides = without_shifts + layout.run_shifts(n, generator)
    shares = layout.shares
    baseline_means, system_means = ((side * shares).sum(axis=2) for side in sides)  # shape (experiments, runs)
    difference = system_means.mean(axis=1) - baseline_means.mean(axis=1)
    effect = EFFECT * layout.standard_error

    # As it is, and without the bound that few documents set.
    jackknife = mean_squares([pseudo_values(side, shares) for side in sides], layout.df)
    unbounded = replace(jackknife, most_df=np.inf)
    counts = []
    for test in (jackknife, unbounded):
        for shift in (0.0, effect):
            counts.append(np.count_nonzero(test.p_values(difference + shift) <= LEVEL))

    # As earlier versions did it.
    baseline, system = sides
    contributions = [_contributions(baseline, baseline_means, shares), _contributions(system, system_means, shares)]
    before = replace(mean_squares(contributions), most_df=np.inf)
    counts.append(np.count_nonzero(before.p_values(difference) <= LEVEL))

    gains = np.diff(without_shifts.mean(axis=2), axis=0)[0]
    counts += _false_equality(gains, jackknife.segments, layout.df, shares, generator)
    return np.array(counts)


def _contributions(side: Array, means: Array, shares: Array) -> Array:
    """Of the documents to run scores, as if all were equally informative; shapes as ``Layout.drawn`` gives."""
    means = means[..., np.newaxis]
    return len(shares) * shares * (side - means) + means


def pseudo_values(side: Array, shares: Array) -> Array:
    """Of the run scores without one document each; shapes as ``Layout.drawn`` gives."""
    mean = (side * shares).sum(axis=2, keepdims=True)
    without = (mean - shares * side) / (1 - shares)
    return np.asarray(len(shares) * mean - (len(shares) - 1) * without)


def _false_equality(
    gains: Array, variance: Array, df: float, shares: Array, generator: np.random.Generator
) -> tuple[int, int]:
    """How often a difference as large as the margin is claimed to be smaller, runs being given: by t, by percentiles.

    ``gains`` of the documents have shape ``(experiments, documents)``, without the shifts of runs, which are part of
    what is true of these runs; the other end of the margin is out of reach.
    """
    centred = gains @ shares
    by_t = centred + stdtrit(df, 1 - LEVEL) * np.sqrt(variance)
    n_documents = len(shares)
    counts = generator.multinomial(n_documents, np.full(n_documents, 1 / n_documents), N_REPLICATES)
    weights = counts * shares
    replicates = gains @ weights.T / weights.sum(axis=1)
    by_percentile = np.quantile(replicates, 1 - LEVEL, axis=1)
    return np.count_nonzero(by_t < 0), np.count_nonzero(by_percentile < 0)


def write(n_simulations: int) -> None:
    """Simulate and write the numbers."""
    simulate(n_simulations).to_csv(RESULTS, index=False, float_format="%.5g", lineterminator="\n")


def main() -> None:
    """Take the number of experiments from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=N_SIMULATIONS, help="for each layout")
    write(parser.parse_args().simulations)


if __name__ == "__main__":
    main()
