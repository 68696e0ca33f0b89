"""Runs added after looking: numbers of runs at which one looks, named beforehand, and the level of each look.

Whoever tests after every added run and stops at the first small p finds differences that are not there far more often
than the level says. With looks that were planned, each at a smaller level, the chance over all of them is the level's.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

from mteval.base.words import listed

Spending = Literal["constant", "late"]
SPENDINGS: tuple[Spending, ...] = get_args(Spending)
SPENDING_NAMES: Mapping[Spending, str] = MappingProxyType(
    {"constant": "the same level at each look", "late": "little at early looks"}
)
MOST_NAMED = 4
TABLE = Path(__file__).with_suffix(".csv")  # written by benchmarks/look_levels.py


@dataclass(frozen=True)
class LookPlan:
    """When one looks, and at which level.

    Parameters
    ----------
    looks
        Numbers of runs of each system, rising.
    spending
        ``constant`` for the same level at each look, ``late`` for little at early looks (after O'Brien and Fleming
        1979).
    level
        Of all looks together.
    levels
        Of each look, two-sidedly, one a look.
    attained
        The largest rate of false claims over all looks in the settings of luck that the levels are made for: run shifts
        up to five times the noise of a run's score, up to 5:1 between the systems.
    beyond
        The same in harder settings, up to fifty times the noise and with one system that has no run luck at all.
    unplanned
        What testing at ``level`` at every look would attain in the first settings.
    """

    looks: tuple[int, ...]
    spending: Spending
    level: float
    levels: tuple[float, ...]
    attained: float
    beyond: float
    unplanned: float

    def factor(self, n_runs: int) -> float:
        """By what p is multiplied at this number of runs, to be judged at ``level``; NaN where it is no look."""
        return self.level / self.levels[self.looks.index(n_runs)] if n_runs in self.looks else float("nan")


def looks_in_words(looks: tuple[int, ...], nouns: str = "runs") -> str:
    """``3, 5 and 10 runs``; ``every number of runs from 3 to 10`` where there are many; or numbers alone."""
    if len(looks) > MOST_NAMED and all(after - before == 1 for before, after in pairwise(looks)):
        return f"every number {f'of {nouns} ' if nouns else ''}from {looks[0]} to {looks[-1]}"
    return f"{listed([str(look) for look in looks])} {nouns}".rstrip()


@cache
def look_plans() -> Mapping[tuple[tuple[int, ...], Spending, float], LookPlan]:
    """All plans whose levels are known, by looks, spending and level."""
    return MappingProxyType({(plan.looks, plan.spending, plan.level): plan for plan in _read()})


def known_looks() -> tuple[tuple[int, ...], ...]:
    """The looks of all plans, each once."""
    return tuple(dict.fromkeys(looks for looks, _, _ in look_plans()))


def _read() -> Iterator[LookPlan]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            spending = next(one for one in SPENDINGS if one == row["spending"])
            levels = tuple(map(float, row["levels"].split()))
            rates = (float(row[name]) for name in ("attained", "beyond", "unplanned"))
            yield LookPlan(tuple(map(int, row["looks"].split())), spending, float(row["level"]), levels, *rates)
