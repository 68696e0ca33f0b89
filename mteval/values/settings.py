"""What the user chooses before the numbers are seen.

Numbers of runs at which one looks, where runs are added after looking, are named beforehand, with the level of each
look. Whoever tests after every added run and stops at the first small p finds differences that are not there far more
often than the level says. With looks that were planned, each at a smaller level, the chance over all of them is the
level's.
"""

import csv
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from mteval.base.errors import SettingsError
from mteval.base.words import counted, listed
from mteval.values.notation import level
from mteval.values.run_words import RUN, RUN_WORDS, RunWord

Spending = Literal["constant", "late"]
SPENDINGS: tuple[Spending, ...] = get_args(Spending)
SPENDING_NAMES: Mapping[Spending, str] = MappingProxyType({"constant": "equal levels", "late": "stricter early levels"})
MOST_NAMED = 4
TABLE = Path(__file__).with_name("look_plans.csv")  # written by benchmarks/look_levels.py


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
        return f"{looks[0]} to {looks[-1]} {nouns}".rstrip()
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


Convention = Literal["sacrebleu", "multeval"]
ExchangeUnit = Literal["auto", "segment", "document", "output"]
Design = Literal["independent", "paired", "fixed"]
CONVENTIONS: tuple[Convention, ...] = ("sacrebleu", "multeval")
NOT_DECIDING = ("workers",)  # no number depends on it
MOST_SHUFFLES = 100_000  # that the size of a family can ask for
EXCHANGE_UNITS: tuple[ExchangeUnit, ...] = ("auto", "segment", "document", "output")
DESIGNS: tuple[Design, ...] = ("independent", "paired", "fixed")


@dataclass(frozen=True)
class Settings:
    """What the user chooses before the numbers are seen.

    Parameters
    ----------
    metrics
        Keys of the metrics, in the order shown; the first is the primary one, which the verdict is about.
    convention
        ``sacrebleu`` (detokenized text) or ``multeval`` (text already tokenized).
    options
        For a metric key, options that differ from the convention's.
    n_bootstrap, n_shuffles
        Replicates for s_sel and shuffles for the randomization test; large families take more (``for_family``).
    seed
        All random numbers follow from it.
    confidence
        Level of the intervals, between 0.5 and 1.
    exchange_unit
        What the randomization test exchanges; ``auto`` takes documents where the test set has them, else segments.
    design
        How the runs of baseline and system belong together: ``independent`` of each other, ``paired`` where runs of the
        same key share their seed, or ``fixed`` where the baseline will never be trained or run again.
    looks, spending
        Numbers of runs of each system at which one looks, where runs are added after looking, and how the level is
        divided among the looks; no looks where all runs were made before the first number was seen.
    run_word
        What a run is called, one of ``RUN_WORDS``.
    workers
        Threads; results do not depend on it. 0 takes all cores.

    Raises
    ------
    SettingsError
        Where a value is outside its range.
    """

    metrics: tuple[str, ...] = ("bleu", "chrf", "ter", "length")
    convention: Convention = "sacrebleu"
    options: Mapping[str, Mapping[str, str | int | float | bool | None]] = field(default_factory=dict)
    n_bootstrap: int = 1_000
    n_shuffles: int = 10_000
    seed: int = 12345
    confidence: float = 0.95
    exchange_unit: ExchangeUnit = "auto"
    design: Design = "independent"
    looks: tuple[int, ...] = ()
    spending: Spending = "constant"
    run_word: str = RUN.noun
    workers: int = 0

    def __post_init__(self) -> None:
        _require(bool(self.metrics), "No metric chosen. Choose at least one.")
        _require(len(set(self.metrics)) == len(self.metrics), "The same metric is listed twice. List each metric once.")
        for what, value, known in (
            ("convention", self.convention, CONVENTIONS),
            ("unit", self.exchange_unit, EXCHANGE_UNITS),
            ("design", self.design, DESIGNS),
            ("spending", self.spending, SPENDINGS),
        ):
            expected = " or ".join(known) if len(known) == 2 else f"one of {', '.join(known)}"
            _require(value in known, f"The {what} is '{value}'; expected {expected}.")
        _require(
            self.n_bootstrap >= 2,
            f"{counted(self.n_bootstrap, 'bootstrap replicate')}; at least 2 are needed.",
        )
        _require(self.n_shuffles >= 1, f"{counted(self.n_shuffles, 'shuffle')}; at least 1 is needed.")
        _require(self.seed >= 0, f"The seed is {self.seed}; expected 0 or more.")
        _require(
            0.5 < self.confidence < 1,
            f"The confidence level is {self.confidence}; expected 0.5 to 1.",
        )
        _require(not self.looks or self.look_plan is not None, self._no_plan)
        _require(
            not self.looks or self.design == "independent",
            f"Interim analyses need independent runs, but the design is '{self.design}'.",
        )
        _require(
            self.run_word in RUN_WORDS,
            f"The run word is '{self.run_word}'; expected one of {', '.join(RUN_WORDS)}.",
        )
        _require(self.workers >= 0, f"The number of workers is {self.workers}; expected 0 (all cores) or more.")

    @property
    def primary_metric(self) -> str:
        """The metric that was chosen for the verdict before the numbers were seen."""
        return self.metrics[0]

    @property
    def runs(self) -> RunWord:
        """How to speak of runs."""
        return RUN_WORDS[self.run_word]

    @property
    def look_plan(self) -> LookPlan | None:
        """The levels of the planned looks; None where there are no looks."""
        return look_plans().get((tuple(self.looks), self.spending, round(1 - self.confidence, 6)))

    @property
    def _no_plan(self) -> str:
        plans = "; ".join(" ".join(map(str, looks)) for looks in known_looks())
        return (
            f"No interim-analysis plan for {' '.join(map(str, self.looks))} runs at the {level(1 - self.confidence)}"
            f" level. Choose one of these numbers of runs: {plans}; and the 10%, 5% or 1% level."
        )

    @property
    def deciding(self) -> dict[str, Any]:
        """What decides the numbers, by name."""
        return {name: value for name, value in asdict(self).items() if name not in NOT_DECIDING}

    def for_family(self, size: int) -> "Settings":
        """The same with shuffles enough for a family of so many tests whose p-values are adjusted for their number.

        The smallest adjusted p that can be attained, ``size / (n_shuffles + 1)``, is to be less than a tenth of the
        level: shuffles are raised to the next thousand where they are too few, up to ``MOST_SHUFFLES``, and never
        lowered. One test alone is not adjusted and keeps those that were chosen.
        """
        needed = round(10 * size / (1 - self.confidence), 6)  # 0.95 is not quite 0.95
        if size < 2 or self.n_shuffles + 1 > needed:
            return self
        rounded = min(MOST_SHUFFLES, 1_000 * math.ceil(needed / 1_000))
        return replace(self, n_shuffles=max(self.n_shuffles, rounded))


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise SettingsError(message)
