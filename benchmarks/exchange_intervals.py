"""Coverage of intervals for test-set luck over few documents, with and without a true difference.

Usage: ``python -m benchmarks.exchange_intervals [--simulations 1000]`` from the root of the repository; two minutes on
one core. Writes ``exchange_intervals.csv`` beside this file; ``python -m benchmarks.calibration`` makes a table of it.

A document's gain is its share of the segments times a mean gain. Gains are normal, heavy-tailed (Student's t, 3 degrees
of freedom) or skewed (exponential); documents have equal or log-normal sizes. *Shuffles* inverts the test that
exchanges documents, *percentiles* are of bootstrap replicates. *Contradicts*: the interval excludes zero and the test
of shuffles does not reject, or the other way round. Endless intervals cover; widths are of the others.
"""

import argparse
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import stdtrit

from mteval.stats.multiplicity import max_t_reach
from mteval.stats.procedures.randomization import p_value
from mteval.stats.units import df_of_units

Array = npt.NDArray[np.float64]
LEVEL = 0.05
N_SHUFFLES = 999
N_DOCUMENTS = (6, 8, 12, 24, 92)
SHAPES = ("normal", "heavy", "skewed")
WAYS = ("shuffles", "Student's t", "percentiles")
SEED = 24_112
N_SIMULATIONS = 1_000
RESULTS = Path(__file__).with_name("exchange_intervals.csv")


def gains_of(shape: str, n: int, generator: np.random.Generator) -> Array:
    """Return gains of documents with mean 0 and variance 1."""
    if shape == "heavy":
        return np.asarray(generator.standard_t(3, n) / np.sqrt(3))
    if shape == "skewed":
        return np.asarray(generator.exponential(size=n) - 1)
    return np.asarray(generator.normal(size=n))


def ends(gains: Array, shares: Array, generator: np.random.Generator) -> tuple[dict[str, tuple[float, float]], float]:
    """Return the interval by each way, and the p-value of the shuffles."""
    n = len(gains)
    difference = float(gains @ shares)

    # Shuffles: how far the inverted test reaches, of which the observed difference is a part.
    null = generator.choice([-1.0, 1.0], (N_SHUFFLES, n)) @ (gains * shares)
    without = (difference - gains * shares) / (1 - shares)
    pseudo_values = n * difference - (n - 1) * without
    own_share = float(pseudo_values.var() / (pseudo_values.var() + difference**2))
    reach = float(max_t_reach([difference], [null], [own_share], LEVEL)[0])

    # Student's t over the pseudo-values of the jackknife.
    df = df_of_units(np.round(shares * 1e6).astype(np.int64), n)
    student_reach = -float(stdtrit(df, LEVEL / 2)) * float(pseudo_values.std(ddof=1)) / np.sqrt(n)

    # Percentiles of bootstrap replicates.
    counts = generator.multinomial(n, np.full(n, 1 / n), N_SHUFFLES)
    replicates = (counts @ (gains * shares)) / (counts @ shares)
    low, high = np.quantile(replicates, [LEVEL / 2, 1 - LEVEL / 2])

    intervals = {
        "shuffles": (difference - reach, difference + reach),
        "Student's t": (difference - student_reach, difference + student_reach),
        "percentiles": (float(low), float(high)),
    }
    return intervals, p_value(difference, null, "two-sided")


def simulate(n_simulations: int) -> pd.DataFrame:
    """One row a number of documents, setting and way: coverage, mean width of finite intervals, contradictions."""
    rows = []
    for n in N_DOCUMENTS:
        for place, (shape, is_uneven, effect) in enumerate(product(SHAPES, (False, True), (0.0, 3.0))):
            generator = np.random.default_rng([SEED, n, place])
            tallies = np.zeros((len(WAYS), 4))  # of each way: covers, sum of widths, contradicts, finite
            for _ in range(n_simulations):
                sizes = generator.lognormal(0, 0.5, n) if is_uneven else np.ones(n)
                shares = sizes / sizes.sum()
                truth = effect * float(np.sqrt(np.square(shares).sum()))  # in standard errors
                intervals, p = ends(gains_of(shape, n, generator) + truth, shares, generator)
                for tally, (low, high) in zip(tallies, intervals.values(), strict=True):
                    excludes_zero = low > 0 or high < 0
                    contradicts = excludes_zero != (p <= LEVEL)
                    is_endless = np.isnan(low)
                    width = 0.0 if is_endless else high - low
                    tally += is_endless or low <= truth <= high, width, contradicts, not is_endless
            for way, (n_covered, widths, n_contradicts, n_finite) in zip(WAYS, tallies, strict=True):
                rates = (n_covered / n_simulations, widths / n_finite, n_contradicts / n_simulations, n_simulations)
                rows.append((n, shape, is_uneven, effect, way, *rates))
        print(n, "documents", flush=True)
    names = ["n_documents", "shape", "is_uneven", "effect", "way", "coverage", "width", "contradicts", "n_simulations"]
    return pd.DataFrame(rows, columns=names)


def write(n_simulations: int) -> None:
    """Simulate and write the numbers."""
    simulate(n_simulations).to_csv(RESULTS, index=False, float_format="%.4g", lineterminator="\n")


def main() -> None:
    """Take the number of experiments from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=N_SIMULATIONS, help="for each setting")
    write(parser.parse_args().simulations)


if __name__ == "__main__":
    main()
