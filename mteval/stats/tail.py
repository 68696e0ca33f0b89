"""P-values of the two-way test that do not flatter in the tail.

With few runs the two-way test errs in more experiments than its level says, and the further out, the more: with three
runs per system it rejects in up to 7.8% of experiments at 5%, and in up to 1.6% at 0.1%. What happens at 5% is stated
with the test; below 5% its p-value is mapped to ``p' = size(p) / r``, where ``size`` is the largest size at that level
and ``r = size(5%) / 5%``. So a p' of 0.1% errs as much more than 0.1% as one of 5% errs more than 5%.

``tail_sizes.csv`` holds the sizes for 2 to 30 runs of one or two sides; ``benchmarks/tail_sizes.py`` makes it.
"""

from functools import cache
from pathlib import Path

import numpy as np

from mteval.base.arrays import FloatArray

LEVEL = 0.05  # p-values above it stay as they are
MOST_RUNS = 30  # a design with more runs is treated as one with so many, which errs no less


def largest_size(p_value: float, n_runs: tuple[int, ...]) -> float:
    """Return the largest probability of a p-value this small without a true difference.

    Parameters
    ----------
    p_value
        Two-sided, at most 0.05. Below the smallest level of the table the size is that of the smallest level.
    n_runs
        Runs of each side whose training luck counts: two sides, or one (paired runs, a fixed baseline, one candidate
        against a history). From 2 on.
    """
    levels, sizes = _curve(tuple(sorted(min(n, MOST_RUNS) for n in n_runs)))
    return float(np.exp(np.interp(np.log(max(p_value, 1e-300)), levels, sizes)))


def printed_p_value(p_value: float, n_runs: tuple[int, ...]) -> float:
    """Return the two-sided p-value to print for one of the two-way test; never smaller than it.

    P-values above 5% and NaN are returned unchanged. ``n_runs`` as in ``largest_size``.
    """
    if not p_value < LEVEL:
        return p_value
    return max(p_value, largest_size(p_value, n_runs) * LEVEL / largest_size(LEVEL, n_runs))


def nominal_p_value(printed: float, n_runs: tuple[int, ...]) -> float:
    """Return the p-value that ``printed_p_value`` maps to ``printed``: the level at which an interval inverts the test.

    Below what the table reaches it is zero: an interval of that confidence is endless.
    """
    if not printed < LEVEL:
        return printed
    levels, sizes = _curve(tuple(sorted(min(n, MOST_RUNS) for n in n_runs)))
    mapped = np.maximum(levels, sizes - sizes[-1] + np.log(LEVEL))
    wanted = np.log(printed)
    return 0.0 if wanted < mapped[0] else float(np.exp(np.interp(wanted, mapped, levels)))


@cache
def _table() -> tuple[FloatArray, dict[tuple[int, ...], FloatArray]]:
    """Logarithms of the levels, ascending, and of the sizes at them by numbers of runs."""
    lines = Path(__file__).with_name("tail_sizes.csv").read_text(encoding="utf-8").splitlines()
    levels = np.log([float(level) for level in lines[0].split(",")[2:]][::-1])
    rows = [line.split(",") for line in lines[1:]]
    return levels, {
        tuple(int(n) for n in row[:2] if n != "0"): np.log([float(size) for size in row[:1:-1]]) for row in rows
    }


@cache
def _curve(n_runs: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    levels, table = _table()
    return levels, table[n_runs]
