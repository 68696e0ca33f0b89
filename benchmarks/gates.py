"""How often ``mteval gate`` passes a candidate that is worse by exactly the margin, and one that is not worse.

Usage: ``python -m benchmarks.gates [--simulations 2500]`` from the root of the repository, some minutes of one core;
writes ``gates.csv`` beside this file and prints the table of ``docs/gate.md``.

Scores are normal: differences and mean squares are drawn as such, in units of the noise that single outputs bring to
the score of one run. The tests are the package's own.
"""

import argparse
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.simulation import EFFECT, INTERS, LESSER, N_SEGMENTS, RATIOS
from mteval.stats.crossed_layout import Components, crossed_result
from mteval.stats.interval import beyond

LEVEL = 0.05  # one-sided
RUNS = ((1, 3), (1, 5), (1, 8), (3, 3))  # of candidate and baseline
SPREADS = (1.0, 2.0, LESSER)  # of the candidate's run shifts, over those of the baseline
LAST = N_SEGMENTS - 1
SEED = 20_261_124
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
        counts = (n_old,) if n_new == 1 else (n_old, n_new)
        times = 1 + 1 / n_old if n_new == 1 else 1 / n_old
        noise = 1 / n_old + 1 / n_new
        of_runs = [side.var(axis=1, ddof=1) * times for side in (old, new)[: len(counts)]]
        of_pairs = [times * generator.chisquare((k - 1) * LAST, n) / ((k - 1) * LAST) for k in counts]
        segments = (2 * inter**2 + noise) * generator.chisquare(LAST, n) / LAST
        passed = {(strict, at): 0 for strict in (False, True) for at in (0.0, EFFECT)}
        for runs, pairs, own, gap in zip(
            np.column_stack(of_runs), np.column_stack(of_pairs), segments, gaps, strict=True
        ):
            parts = Components(tuple(runs), float(own), tuple(pairs), (*counts, N_SEGMENTS))
            for strict, at in passed:
                result = crossed_result(parts, float(gap) + at * error, "two-sided", 1 - LEVEL, is_strict=strict)
                passed[strict, at] += beyond(result, 0.0, "greater", LEVEL).p_value <= LEVEL
        about = {"candidate": n_new, "baseline": n_old, "ratio": ratio, "inter": inter, "spread": spread}
        rows += [
            about | {"strict": strict, "size": passed[strict, 0.0] / n, "power": passed[strict, EFFECT] / n}
            for strict in (False, True)
        ]
    return pd.DataFrame(rows).assign(n_simulations=n)


def table(frame: pd.DataFrame) -> str:
    """Return the table of the page on gates."""
    head = ["runs", "test", "at the margin", "varies more", "power: runs alike", "as the noise", "five times"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for (n_new, n_old, strict), rows in frame.groupby(["candidate", "baseline", "strict"], sort=False):
        declared = rows[rows["spread"] <= 1]
        beyond_it = rows[rows["spread"] > 1]["size"].max()
        power = rows[(rows["spread"] == 1) & (rows["inter"] == 0)].set_index("ratio")["power"]
        cells = [declared["size"].max(), beyond_it, *(power[ratio] for ratio in (0.0, 1.0, 5.0))]
        shown = " | ".join("–" if cell != cell else f"{cell:.1%}" for cell in cells)
        lines.append(f"| {n_new} against {n_old} | {'strict' if strict else 'two-way'} | {shown} |")
    return "\n".join(lines)


def main() -> None:
    """Simulate, write the rates, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=2_500, help="experiments per setting")
    frame = simulate(parser.parse_args().simulations)
    frame.to_csv(RESULTS, index=False, float_format="%.5g", lineterminator="\n")
    print(table(frame))


if __name__ == "__main__":
    main()
