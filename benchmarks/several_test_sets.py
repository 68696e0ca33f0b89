"""How often does a claim over several test sets with shared runs find a difference that is not there?

Usage: ``python -m benchmarks.several_test_sets [--simulations 20000]`` from the root of the repository; one core, some
minutes. Prints the table of ``docs/claims.md``.

Scores are normal: run scores and the mean squares over segments are drawn as such, without texts or segments. The
formulas are written out again, for many experiments at once; a test holds them against those of the package.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

Array = npt.NDArray[np.float64]
LEVEL = 0.05
MOST_DF = {3: 1.5, 4: 2.0, 6: 2.0, 10: 2.0}  # of the claim on test sets like these, for each that test sets bring
EFFECT = 2.5  # of the true standard error
LAST = 199  # degrees of freedom over segments of each test set
TEST_SETS = (1, 2, 3, 4, 6, 10)
RUNS = (3, 5, 10)
RATIOS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)  # fine, since several test sets have less noise than one
SPREADS = ((1.0, 1.0), (1.0, 0.2))
CROSSED = (0.0, 0.5)  # of the run shift, peculiar to a run and a test set
INTERS = (0.0, 1.5)
TAUS = (0.0, 1.0, 5.0)
LARGEST = 6  # so many of the largest rates are estimated anew,
AFRESH = 3  # each so many times, from five times as many experiments
SEED = 19_820_704


@dataclass(frozen=True)
class Truth:
    """True values, in units of the noise that single outputs add to the score of one run on one test set.

    Parameters
    ----------
    runs
        Standard deviations of the shifts of whole runs, of baseline and system, the same on all test sets.
    crossed
        Of what is peculiar to a run and a test set, as a share of ``runs``.
    inter
        Of what is peculiar to a system and a segment, over the noise of one output.
    tau
        Of the true differences of the test sets.
    """

    n_test_sets: int
    n_runs: int
    runs: tuple[float, float]
    crossed: float
    inter: float
    tau: float

    @property
    def error(self) -> float:
        """True standard error of the mean difference; of test sets like these, where ``tau`` is not 0."""
        shared = sum(run**2 for run in self.runs) / self.n_runs
        crossed = sum((self.crossed * run) ** 2 for run in self.runs)
        own = (crossed + 2) / self.n_runs + 2 * self.inter**2 + self.tau**2
        return float(np.sqrt(shared + own / self.n_test_sets))


def truths(n_test_sets: int, n_runs: int) -> Iterator[Truth]:
    """The grid."""
    for ratio, spread, crossed, inter, tau in product(RATIOS, SPREADS, CROSSED, INTERS, TAUS):
        if not ratio and (spread != SPREADS[0] or crossed):
            continue  # where runs do not shift, these settings are one
        if n_test_sets == 1 and (tau or crossed):
            continue  # with one test set there is nothing that differs between them
        shifts = (ratio * spread[0], ratio * spread[1])
        yield Truth(n_test_sets, n_runs, shifts, crossed, inter, tau)


@dataclass(frozen=True)
class Drawn:
    """Experiments: run scores ``(2, n, runs, test sets)``, and mean squares over what they are averaged over.

    ``segments`` has shape ``(n, test sets)``, ``pairs`` shape ``(2, n, test sets)``.
    """

    scores: Array
    segments: Array
    pairs: Array


def drawn(truth: Truth, n: int, generator: np.random.Generator) -> Drawn:
    """So many experiments without a difference on average."""
    shape = (n, truth.n_runs, truth.n_test_sets)
    scores = generator.standard_normal((2, *shape))
    for side, run in enumerate(truth.runs):
        scores[side] += run * generator.standard_normal((n, truth.n_runs, 1))
        scores[side] += truth.crossed * run * generator.standard_normal(shape)
    own = np.sqrt(2 * truth.inter**2 + truth.tau**2) * generator.standard_normal((n, 1, truth.n_test_sets))
    scores[1] += own
    noise = 1 / truth.n_runs
    segments = (2 * truth.inter**2 + 2 * noise) * generator.chisquare(LAST, (n, truth.n_test_sets)) / LAST
    df = (truth.n_runs - 1) * LAST
    pairs = noise * generator.chisquare(df, (2, n, truth.n_test_sets)) / df
    return Drawn(scores, segments, pairs)


def p_values(experiments: Drawn, effect: float) -> tuple[Array, Array]:
    """Of the claim on these test sets, and of the one on test sets like these; the second NaN for fewer than three."""
    scores = experiments.scores
    n_runs, n_test_sets = scores.shape[2:]
    df_runs = n_runs - 1
    by_test_set = scores[1].mean(axis=1) - scores[0].mean(axis=1)  # shape (n, test sets)
    difference = by_test_set.mean(axis=1) + effect

    # Mean squares of the mean over test sets: of runs (2, n), segments (n, test sets), pairs (2, n, test sets).
    weight = 1 / n_test_sets
    runs = scores.mean(axis=3).var(axis=2, ddof=1) / n_runs
    segments = weight**2 * experiments.segments
    pairs = weight**2 * experiments.pairs
    all_runs = runs.sum(axis=0)
    all_segments = segments.sum(axis=1)
    all_pairs = pairs.sum(axis=(0, 2))

    # Variance over runs and segments; Satterthwaite's degrees of freedom have a squared variance per part.
    total = np.maximum(np.maximum(all_runs + all_segments - all_pairs, all_runs), all_segments)
    beyond_noise = np.maximum(0, runs - pairs.sum(axis=2) / 4)
    parts = (beyond_noise**2).sum(axis=0) / df_runs + (segments**2).sum(axis=1) / LAST
    parts += (pairs**2).sum(axis=(0, 2)) / (df_runs * LAST)
    df_these = total**2 / parts
    p_these = 2 * stdtr(df_these, -np.abs(difference) / np.sqrt(total))
    if n_test_sets < 3:
        return p_these, np.full_like(p_these, np.nan)

    # What is left of run scores without runs and test sets: the mean square of both crossed, shape (2, n).
    rest = scores - scores.mean(axis=2, keepdims=True) - scores.mean(axis=3, keepdims=True)
    rest += scores.mean(axis=(2, 3), keepdims=True)
    df_test_sets = n_test_sets - 1
    crossed = np.square(rest).sum(axis=(2, 3)) / (df_runs * df_test_sets * n_runs * n_test_sets)

    # Variance over runs and test sets, which is not below that over runs and segments.
    between = np.maximum(by_test_set.var(axis=1, ddof=1) / n_test_sets, all_segments)
    crossed_layout = np.maximum(between + all_runs - crossed.sum(axis=0), np.maximum(between, all_runs))
    total_like = np.maximum(crossed_layout, total)
    beyond_noise = np.maximum(0, runs - crossed / 4)
    parts = (beyond_noise**2).sum(axis=0) / df_runs + between**2 / df_test_sets
    parts += (crossed**2).sum(axis=0) / (df_runs * df_test_sets)
    most_df = MOST_DF[n_test_sets] * df_test_sets
    df_like = np.minimum(np.minimum(total_like**2 / parts, df_these), most_df)
    return p_these, 2 * stdtr(df_like, -np.abs(difference) / np.sqrt(total_like))


def rates(truth: Truth, n: int, effect: float = 0.0, seed: int = 0) -> tuple[float, float]:
    """How often either claim is made; a difference of ``effect`` true standard errors is there."""
    values = (*truth.runs, truth.crossed, truth.inter, truth.tau)
    key = [truth.n_test_sets, truth.n_runs, *(int(100 * value) for value in values)]
    experiments = drawn(truth, n, np.random.default_rng([SEED, seed, *key]))
    p_these, p_like = p_values(experiments, effect * truth.error)
    rate_these = float((p_these <= LEVEL).mean())
    if truth.n_test_sets < 3:
        return rate_these, float("nan")
    return rate_these, float((p_like <= LEVEL).mean())


def rows(n: int, test_sets: Sequence[int] = TEST_SETS) -> Iterator[str]:
    """A row for each number of runs and test sets."""
    for n_runs, n_test_sets in product(RUNS, test_sets):
        grid = list(truths(n_test_sets, n_runs))
        sizes = {truth: rates(truth, n) for truth in grid}
        powers = {truth: rates(truth, n, EFFECT) for truth in grid}

        # The claim on these test sets does not see how much test sets differ.
        sizes_these = {truth: size for truth, (size, _) in sizes.items() if not truth.tau}
        power_these = np.mean([powers[truth][0] for truth in sizes_these])
        sizes_like = {}
        if n_test_sets > 2:
            sizes_like = {truth: size for truth, (_, size) in sizes.items()}
        power_like = np.mean([power for _, power in powers.values()])

        cells = (
            _largest(sizes_these, 0, n),
            _percent(power_these),
            _largest(sizes_like, 1, n),
            _percent(power_like),
        )
        yield f"| {n_runs} | {n_test_sets} | {' | '.join(cells)} |"


def _largest(sizes: dict[Truth, float], claim: int, n: int) -> str:
    """Return the largest rate of a claim and its setting, among those estimated anew."""
    if not sizes:
        return "–"
    first = sorted(sizes, key=sizes.__getitem__)[-LARGEST:]
    anew = {truth: _anew(truth, claim, n) for truth in first}
    worst = max(anew, key=anew.__getitem__)
    shifts = " and ".join(f"{run:g}" for run in worst.runs)
    setting = f"runs {shifts}, crossed {worst.crossed:g}, systems {worst.inter:g}"
    if worst.tau:
        setting += f", τ {worst.tau:g}"
    return f"{_percent(anew[worst])} ({setting})"


def _anew(truth: Truth, claim: int, n: int) -> float:
    """Return the rate of a claim (0: on these test sets, 1: on such) from other experiments, and more of them."""
    return float(np.mean([rates(truth, 5 * n, seed=seed)[claim] for seed in range(1, AFRESH + 1)]))


def _percent(share: float) -> str:
    return "–" if np.isnan(share) else f"{share:.1%}"


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=20_000, help="for each setting")
    parser.add_argument("--test-sets", type=int, nargs="+", default=TEST_SETS, help="rows of so many alone")
    options = parser.parse_args()
    print("| runs | test sets | these test sets: largest size, and where | power | like these: largest size | power |")
    print("|---|---|---|---|---|---|")
    for row in rows(options.simulations, options.test_sets):
        print(row, flush=True)


if __name__ == "__main__":
    main()
