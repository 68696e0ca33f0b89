"""How often ``mteval gate`` passes a candidate that is worse by exactly the margin, and one that is not worse.

Usage: ``python -m benchmarks.gates [--simulations 2500]`` from the root of the repository, some minutes of one core;
writes ``gates.csv`` beside this file and prints the table of ``docs/gate.md``.

Scores are normal: differences and mean squares are drawn as such, in units of the noise that single outputs bring to
the score of one run. The tests are the package's own. A gate also exchanges the units; the simulation of mean squares
leaves this out, since the exchange of normal scores hardly ever has the larger p. That of documents has both.
"""

import argparse
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.simulation import EFFECT, INTERS, LESSER, N_SEGMENTS, RATIOS
from mteval.base.arrays import FloatArray
from mteval.stats.base import How, one_sided
from mteval.stats.crossed_layout import Components, components_of, crossed_result
from mteval.stats.interval import beyond
from mteval.stats.procedures.randomization import exchange_beyond
from mteval.stats.resampling.streams import seeds_for

LEVEL = 0.05  # one-sided
RUNS = ((1, 3), (1, 5), (1, 8), (3, 3))  # of candidate and baseline
SPREADS = (1.0, 2.0, LESSER)  # of the candidate's run shifts, over those of the baseline
LAST = N_SEGMENTS - 1
SEED = 20_261_124
N_DOCUMENTS = (6, 8, 12, 16, 24, 32)
LOSING = (0.0, 0.3, 0.2, 0.1, 0.05)  # shares of documents that lose much
RUN_NOISE = 0.5  # of a run in a document, over the SD of gains
N_SKEWED = 1_500
HOW = How(2_000, seeds_for(SEED, "exchange"), "greater", 1 - 2 * LEVEL)
RESULTS = Path(__file__).with_name("gates.csv")


def simulate(n: int) -> pd.DataFrame:
    """Return one row per design, setting and test: how often a candidate at the margin passes, and one above it."""
    rows = []
    for place, ((n_new, n_old), ratio, inter, spread) in enumerate(product(RUNS, RATIOS, INTERS, SPREADS)):
        if spread != 1 and (not ratio or (n_new == 1) != (spread > 1)):
            continue  # unequal runs matter most for one candidate that varies more, and for 5:1
        generator = np.random.default_rng([SEED, place])
        old = np.hypot(ratio, 1) * generator.standard_normal((n, n_old))
        new = np.hypot(spread * ratio, 1) * generator.standard_normal((n, n_new))
        error = np.sqrt((ratio**2 + 1) / n_old + ((spread * ratio) ** 2 + 1) / n_new + 2 * inter**2)
        gaps = new.mean(axis=1) - old.mean(axis=1) + np.sqrt(2) * inter * generator.standard_normal(n)

        # One candidate has no variance of its own: that of the history stands for both.
        if n_new == 1:
            sides = (old,)
            counts = (n_old,)
            weight = 1 + 1 / n_old
        else:
            sides = (old, new)
            counts = (n_old, n_new)
            weight = 1 / n_old

        # Mean squares, a row per experiment.
        runs = np.column_stack([side.var(axis=1, ddof=1) * weight for side in sides])
        pairs_of_sides = []
        for count in counts:
            df_pairs = (count - 1) * LAST
            pairs_of_sides.append(weight * generator.chisquare(df_pairs, n) / df_pairs)
        pairs = np.column_stack(pairs_of_sides)
        noise = 1 / n_old + 1 / n_new
        segments = (2 * inter**2 + noise) * generator.chisquare(LAST, n) / LAST

        n_passed = dict.fromkeys(product((False, True), (0.0, EFFECT)), 0)  # by test and true difference
        for experiment_runs, experiment_pairs, segment, gap in zip(runs, pairs, segments, gaps, strict=True):
            components = Components(
                tuple(experiment_runs), float(segment), tuple(experiment_pairs), (*counts, N_SEGMENTS)
            )
            for is_strict, effect in n_passed:
                difference = float(gap) + effect * error
                result = crossed_result(components, difference, "two-sided", 1 - LEVEL, is_strict=is_strict)
                n_passed[is_strict, effect] += beyond(result, 0.0, "greater", LEVEL).p_value <= LEVEL
        for is_strict in (False, True):
            rows.append(
                {
                    "candidate": n_new,
                    "baseline": n_old,
                    "ratio": ratio,
                    "inter": inter,
                    "spread": spread,
                    "strict": is_strict,
                    "size": n_passed[is_strict, 0.0] / n,
                    "power": n_passed[is_strict, EFFECT] / n,
                }
            )
    return pd.DataFrame(rows).assign(n_simulations=n)


def table(frame: pd.DataFrame) -> str:
    """Return the table of the page on gates."""
    head = ["runs", "test", "at the margin", "varies more", "power: runs alike", "as the noise", "five times"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for (n_new, n_old, is_strict), rows in frame.groupby(["candidate", "baseline", "strict"], sort=False):
        size = rows[rows["spread"] <= 1]["size"].max()
        size_varying_more = rows[rows["spread"] > 1]["size"].max()  # NaN if there is no such setting
        power_of_ratio = rows[(rows["spread"] == 1) & (rows["inter"] == 0)].set_index("ratio")["power"]
        powers = [power_of_ratio[ratio] for ratio in (0.0, 1.0, 5.0)]
        cells = [_percent(share) for share in (size, size_varying_more, *powers)]
        test = "strict" if is_strict else "two-way"
        lines.append(f"| {n_new} against {n_old} | {test} | {' | '.join(cells)} |")
    return "\n".join(lines)


def skewed_table(n: int) -> str:
    """Return how often a candidate that loses in a few documents and is worse by exactly the margin passes.

    Three runs each; all other documents gain what makes up for the losses. Documents are equal.
    """
    generator = np.random.default_rng(2)
    head = ["documents", "all alike", *(f"{share:.0%} lose" for share in LOSING[1:])]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for n_documents in N_DOCUMENTS:
        rates = []
        for share in LOSING:
            n_passed = 0
            for _ in range(n):
                gains = _gains(share, n_documents, generator)
                baseline = RUN_NOISE * generator.normal(size=(3, n_documents))
                candidate = gains + RUN_NOISE * generator.normal(size=(3, n_documents))
                difference = float(candidate.mean() - baseline.mean())
                p_value = components_of(baseline, candidate).p_value(difference)
                p_both_kinds = one_sided(p_value, difference, "greater")
                p_exchange = exchange_beyond(_statistics(baseline), _statistics(candidate), _mean, 0.0, HOW).p_above
                n_passed += max(p_both_kinds, p_exchange) <= LEVEL
            rates.append(_percent(n_passed / n))
        lines.append(f"| {n_documents} | {' | '.join(rates)} |")
    return "\n".join(lines)


def _gains(share: float, n_documents: int, generator: np.random.Generator) -> FloatArray:
    """Return gains of documents, of which a share loses much; on average they are zero, with a variance near one."""
    if not share:
        return generator.normal(size=n_documents)
    is_losing = generator.random(n_documents) < share
    gains = np.where(is_losing, -1.0, share / (1 - share)) / np.sqrt(share / (1 - share))
    return np.asarray(gains + 0.2 * generator.normal(size=n_documents))


def _statistics(values: FloatArray) -> FloatArray:
    """Return statistics ``(runs, documents, 2)`` of which ``_mean`` is the score."""
    return np.stack([values, np.ones_like(values)], axis=-1)


def _mean(sums: FloatArray) -> FloatArray:
    return np.asarray(sums[..., 0] / sums[..., 1])


def _percent(share: float) -> str:
    return "–" if np.isnan(share) else f"{share:.1%}"


def main() -> None:
    """Simulate, write the rates, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=2_500, help="experiments per setting")
    frame = simulate(parser.parse_args().simulations)
    frame.to_csv(RESULTS, index=False, float_format="%.5g", lineterminator="\n")
    print(table(frame))
    print(skewed_table(N_SKEWED))


if __name__ == "__main__":
    main()
