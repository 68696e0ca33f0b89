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
LARGEST, AFRESH = 6, 3  # of so many of the largest rates, estimated anew from so many times five times as many
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
        own = (sum((self.crossed * run) ** 2 for run in self.runs) + 2) / self.n_runs + 2 * self.inter**2 + self.tau**2
        return float(np.sqrt(shared + own / self.n_test_sets))


def truths(n_test_sets: int, n_runs: int) -> Iterator[Truth]:
    """The grid."""
    for ratio, spread, crossed, inter, tau in product(RATIOS, SPREADS, CROSSED, INTERS, TAUS):
        if (ratio or (spread == SPREADS[0] and not crossed)) and (n_test_sets > 1 or not (tau or crossed)):
            yield Truth(n_test_sets, n_runs, (ratio * spread[0], ratio * spread[1]), crossed, inter, tau)


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


def p_values(found: Drawn, effect: float) -> tuple[Array, Array]:
    """Of the claim on these test sets, and of the one on test sets like these; the second NaN for fewer than three."""
    n_runs, n_test_sets = found.scores.shape[2:]
    first, weight = n_runs - 1, 1 / n_test_sets
    runs = found.scores.mean(axis=3).var(axis=2, ddof=1) / n_runs
    segments, pairs = weight**2 * found.segments, weight**2 * found.pairs
    x, s, e = runs.sum(axis=0), segments.sum(axis=1), pairs.sum(axis=(0, 2))
    total = np.maximum(np.maximum(x + s - e, x), s)
    beyond = np.maximum(0, runs - pairs.sum(axis=2) / 4)
    spread = (beyond**2).sum(axis=0) / first + (segments**2).sum(axis=1) / LAST
    spread += (pairs**2).sum(axis=(0, 2)) / (first * LAST)
    df = total**2 / spread
    by_test_set = found.scores[1].mean(axis=1) - found.scores[0].mean(axis=1)
    difference = by_test_set.mean(axis=1) + effect
    these = 2 * stdtr(df, -np.abs(difference) / np.sqrt(total))
    if n_test_sets < 3:
        return these, np.full_like(these, np.nan)
    rest = found.scores - found.scores.mean(axis=2, keepdims=True) - found.scores.mean(axis=3, keepdims=True)
    rest += found.scores.mean(axis=(2, 3), keepdims=True)
    last = n_test_sets - 1
    crossed = np.square(rest).sum(axis=(2, 3)) / (first * last * n_runs * n_test_sets)
    between = np.maximum(by_test_set.var(axis=1, ddof=1) / n_test_sets, s)
    wide = np.maximum(np.maximum(between + x - crossed.sum(axis=0), np.maximum(between, x)), total)
    beyond = np.maximum(0, runs - crossed / 4)
    spread = (beyond**2).sum(axis=0) / first + between**2 / last + (crossed**2).sum(axis=0) / (first * last)
    df = np.minimum(np.minimum(wide**2 / spread, df), MOST_DF[n_test_sets] * last)
    return these, 2 * stdtr(df, -np.abs(difference) / np.sqrt(wide))


def rates(truth: Truth, n: int, effect: float = 0.0, seed: int = 0) -> tuple[float, float]:
    """How often either claim is made; a difference of ``effect`` true standard errors is there."""
    key = [truth.n_test_sets, truth.n_runs, *(int(100 * one) for one in (*truth.runs, truth.crossed, truth.inter))]
    found = drawn(truth, n, np.random.default_rng([SEED, seed, *key, int(100 * truth.tau)]))
    p = p_values(found, effect * truth.error)
    return float((p[0] <= LEVEL).mean()), float((p[1] <= LEVEL).mean()) if truth.n_test_sets > 2 else float("nan")


def rows(n: int, test_sets: Sequence[int] = TEST_SETS) -> Iterator[str]:
    """A row for each number of runs and test sets."""
    for n_runs, n_test_sets in product(RUNS, test_sets):
        grid = list(truths(n_test_sets, n_runs))
        wrong = {truth: rates(truth, n) for truth in grid}
        these = {truth: rate for truth, (rate, _) in wrong.items() if not truth.tau}
        like = {truth: rate for truth, (_, rate) in wrong.items()} if n_test_sets > 2 else {}
        found = {truth: rates(truth, n, EFFECT) for truth in grid}
        power = np.mean([found[truth][0] for truth in these]), np.mean([one[1] for one in found.values()])
        cells = (_largest(these, 0, n), _percent(power[0]), _largest(like, 1, n), _percent(power[1]))
        yield f"| {n_runs} | {n_test_sets} | {' | '.join(cells)} |"


def _largest(found: dict[Truth, float], which: int, n: int) -> str:
    """Return the largest rate and its setting, among those estimated anew."""
    if not found:
        return "–"
    first = sorted(found, key=found.__getitem__)[-LARGEST:]
    anew = {truth: _anew(truth, which, n) for truth in first}
    worst = max(anew, key=anew.__getitem__)
    at = f"runs {' and '.join(f'{one:g}' for one in worst.runs)}, crossed {worst.crossed:g}, systems {worst.inter:g}"
    return f"{_percent(anew[worst])} ({at}{f', τ {worst.tau:g}' if worst.tau else ''})"


def _anew(truth: Truth, which: int, n: int) -> float:
    return float(np.mean([rates(truth, 5 * n, seed=seed)[which] for seed in range(1, AFRESH + 1)]))


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
