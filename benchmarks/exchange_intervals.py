"""Coverage of intervals for test-set luck over few documents, with and without a true difference.

Usage: ``python -m benchmarks.exchange_intervals [--simulations 4000]`` from the root of the repository; two minutes on
one core. Prints the table of ``docs/calibration.md``.

A document's gain is its share of the segments times a mean gain. Gains are normal, heavy-tailed (Student's t, 3 degrees
of freedom) or skewed (exponential); documents have equal or log-normal sizes. *Shuffles* inverts the test that
exchanges documents, *percentiles* are of bootstrap replicates. *Contradicts*: the interval excludes zero and the test
of shuffles does not reject, or the other way round. Endless intervals cover; widths are of the others.
"""

import argparse
from itertools import product

import numpy as np
import numpy.typing as npt
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


def gains_of(shape: str, n: int, generator: np.random.Generator) -> Array:
    """Return gains of documents with mean 0 and variance 1."""
    if shape == "heavy":
        return np.asarray(generator.standard_t(3, n) / np.sqrt(3))
    return np.asarray(generator.exponential(size=n) - 1 if shape == "skewed" else generator.normal(size=n))


def ends(gains: Array, shares: Array, generator: np.random.Generator) -> tuple[dict[str, tuple[float, float]], float]:
    """Return the interval by each way, and the p-value of the shuffles."""
    n, difference = len(gains), float(gains @ shares)
    null = generator.choice([-1.0, 1.0], (N_SHUFFLES, n)) @ (gains * shares)
    without = (difference - gains * shares) / (1 - shares)
    pseudo = n * difference - (n - 1) * without
    own_share = float(pseudo.var() / (pseudo.var() + difference**2))
    reach = float(max_t_reach([difference], [null], [own_share], LEVEL)[0])
    df = df_of_units(np.round(shares * 1e6).astype(np.int64), n)
    student = -float(stdtrit(df, LEVEL / 2)) * float(pseudo.std(ddof=1)) / np.sqrt(n)
    counts = generator.multinomial(n, np.full(n, 1 / n), N_SHUFFLES)
    drawn = (counts @ (gains * shares)) / (counts @ shares)
    low, high = np.quantile(drawn, [LEVEL / 2, 1 - LEVEL / 2])
    found = {
        "shuffles": (difference - reach, difference + reach),
        "Student's t": (difference - student, difference + student),
        "percentiles": (float(low), float(high)),
    }
    return found, p_value(difference, null, "two-sided")


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=4_000, help="for each number of documents and setting")
    n_simulations = parser.parse_args().simulations
    print("| documents | " + " | ".join(f"{way}: coverage | width | contradicts" for way in WAYS) + " |")
    print("|---" * 10 + "|")
    for n in N_DOCUMENTS:
        settings = list(product(SHAPES, (False, True), (0.0, 3.0)))
        tallies = np.zeros((len(settings), len(WAYS), 4))
        for place, (shape, is_uneven, effect) in enumerate(settings):
            generator = np.random.default_rng([SEED, n, place])
            for _ in range(n_simulations):
                sizes = generator.lognormal(0, 0.5, n) if is_uneven else np.ones(n)
                shares = sizes / sizes.sum()
                truth = effect * float(np.sqrt(np.square(shares).sum()))  # in standard errors
                found, p = ends(gains_of(shape, n, generator) + truth, shares, generator)
                for way, (low, high) in enumerate(found.values()):
                    is_apart = (low > 0 or high < 0) != (p <= LEVEL)
                    is_endless = np.isnan(low)
                    width = 0.0 if is_endless else high - low
                    tallies[place, way] += is_endless or low <= truth <= high, width, is_apart, is_endless
        tallies[..., 1] *= n_simulations / (n_simulations - tallies[..., 3])
        tallies /= n_simulations
        cells = [
            f"{of_way[:, 0].min():.1%}–{of_way[:, 0].max():.1%} | {of_way[:, 1].mean():.2f} | {of_way[:, 2].max():.1%}"
            for of_way in tallies.transpose(1, 0, 2)
        ]
        print(f"| {n} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
