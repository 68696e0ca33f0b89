"""Settings of an evaluation, and plans with interim analyses.

Testing after every added run and stopping at the first small p inflates the error rate. A plan fixes the numbers of
runs beforehand, with a smaller level at each interim analysis, so that the overall level holds.
"""

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from mteval.base.errors import SettingsError
from mteval.base.words import counted, listed
from mteval.values.notation import level
from mteval.values.run_words import RUN, RUN_WORDS, SAMPLE_NOUN, TRAINING_NOUN, RunWord

Spending = Literal["constant", "late"]
SPENDINGS: tuple[Spending, ...] = get_args(Spending)
SPENDING_NAMES: Mapping[Spending, str] = MappingProxyType({"constant": "equal levels", "late": "stricter early levels"})
TABLE = Path(__file__).with_name("look_plans.csv")  # from benchmarks/look_levels.py


@dataclass(frozen=True)
class LookPlan:
    """Plan with interim analyses and their levels.

    Parameters
    ----------
    looks
        Increasing numbers of runs per system.
    spending
        ``constant`` for equal levels, ``late`` for stricter early levels (after O'Brien and Fleming 1979).
    level
        Overall level.
    levels
        Two-sided level of each analysis.
    attained
        Largest overall error rate in the design range: run shifts up to five times the noise of a run's score, and up
        to 5:1 between systems.
    beyond
        Largest error rate in harder settings: up to fifty times the noise, or one system without training luck.
    unplanned
        Error rate in the design range if every analysis used ``level``.
    """

    looks: tuple[int, ...]
    spending: Spending
    level: float
    levels: tuple[float, ...]
    attained: float
    beyond: float
    unplanned: float

    def factor(self, n_runs: int) -> float:
        """Return the factor that adjusts p at this number of runs; NaN if it is not in the plan."""
        if n_runs not in self.looks:
            return float("nan")
        return self.level / self.levels[self.looks.index(n_runs)]


def looks_in_words(looks: tuple[int, ...], nouns: str = "runs") -> str:
    """Return ``3, 5 and 10 runs``, or ``3 to 10 runs`` for many consecutive numbers."""
    are_consecutive = all(after - before == 1 for before, after in pairwise(looks))
    if len(looks) > 4 and are_consecutive:
        return f"{looks[0]} to {looks[-1]} {nouns}".rstrip()
    return f"{listed([str(look) for look in looks])} {nouns}".rstrip()


@cache
def look_plans() -> Mapping[tuple[tuple[int, ...], Spending, float], LookPlan]:
    """Return all known plans by numbers of runs, spending and level."""
    return MappingProxyType({(plan.looks, plan.spending, plan.level): plan for plan in _read()})


def known_looks() -> tuple[tuple[int, ...], ...]:
    """Return the numbers of runs of all plans, without duplicates."""
    return tuple(dict.fromkeys(looks for looks, _, _ in look_plans()))


def _read() -> Iterator[LookPlan]:
    """Yield the plans of the table."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield LookPlan(
                looks=tuple(map(int, row["looks"].split())),
                spending=next(spending for spending in SPENDINGS if spending == row["spending"]),
                level=float(row["level"]),
                levels=tuple(map(float, row["levels"].split())),
                attained=float(row["attained"]),
                beyond=float(row["beyond"]),
                unplanned=float(row["unplanned"]),
            )


Convention = Literal["sacrebleu", "multeval"]
ExchangeUnit = Literal["auto", "segment", "document", "output"]
Design = Literal["independent", "paired", "fixed", "candidate", "released"]
Decision = Literal["primary", "all", "any"]
CONVENTIONS: tuple[Convention, ...] = ("sacrebleu", "multeval")
NOT_DECIDING = ("workers",)  # does not affect results
MOST_SHUFFLES = 100_000  # for large families
EXCHANGE_UNITS: tuple[ExchangeUnit, ...] = ("auto", "segment", "document", "output")
DESIGNS: tuple[Design, ...] = get_args(Design)
DECISIONS: tuple[Decision, ...] = get_args(Decision)


@dataclass(frozen=True)
class Settings:
    """Settings of an evaluation, chosen before looking at results.

    Parameters
    ----------
    metrics
        Keys of the metrics, in the order shown; the first is the primary metric.
    convention
        ``sacrebleu`` (detokenized text) or ``multeval`` (text already tokenized).
    options
        Options per metric key that differ from the convention.
    n_bootstrap, n_shuffles
        Replicates for s_sel, and shuffles of the randomization test; large families use more (``for_family``).
    seed
        Random seed.
    confidence
        Confidence level, between 0.5 and 1.
    exchange_unit
        Unit of the randomization test; ``auto`` uses documents if known, else segments.
    design
        Design of the runs: ``independent``; ``paired`` (runs of the same key share e.g. their seed); ``fixed`` (the
        baseline will never be trained again); ``candidate`` (a system's single run is compared with the baseline's
        runs, assuming that it varies as they do); ``released`` (neither system will be trained again).
    strict
        Whether the test of both kinds of luck must hold every level however few the runs, at the price of power.
    decision
        How metrics decide together: ``primary`` (each by itself; the primary metric decides), ``all`` (a system must be
        better by all of them), or ``any`` (p is adjusted for the number of metrics, too).
    optimized
        Systems trained or decoded towards a metric, as ``SYSTEM=METRIC``. The metric favours them, and says so.
    looks, spending
        Numbers of runs per system at interim analyses, and how the level is divided; empty if all runs were made before
        looking at results.
    run_word
        Word for a run, one of ``RUN_WORDS``.
    workers
        Number of threads; 0 uses all cores. Does not affect results.

    Raises
    ------
    SettingsError
        If a value is out of range.
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
    strict: bool = False
    decision: Decision = "primary"
    optimized: tuple[str, ...] = ()
    looks: tuple[int, ...] = ()
    spending: Spending = "constant"
    run_word: str = RUN.noun
    workers: int = 0

    def __post_init__(self) -> None:
        _require(bool(self.metrics), "No metric chosen. Choose at least one.")
        _require(len(set(self.metrics)) == len(self.metrics), "The same metric is listed twice. List each metric once.")
        _require_one_of(CONVENTIONS, "convention", self.convention)
        _require_one_of(EXCHANGE_UNITS, "unit", self.exchange_unit)
        _require_one_of(DESIGNS, "design", self.design)
        _require_one_of(DECISIONS, "decision", self.decision)
        _require_one_of(SPENDINGS, "spending", self.spending)
        for declared in self.optimized:
            system, _, metric = declared.rpartition("=")
            _require(bool(system and metric), f"'{declared}' is not SYSTEM=METRIC, e.g. new=comet.")
        _require_one_of(tuple(RUN_WORDS), "run word", self.run_word)
        _require(self.n_bootstrap >= 2, f"{counted(self.n_bootstrap, 'bootstrap replicate')}; at least 2 are needed.")
        _require(self.n_shuffles >= 1, f"{counted(self.n_shuffles, 'shuffle')}; at least 1 is needed.")
        _require(self.seed >= 0, f"The seed is {self.seed}; expected 0 or more.")
        _require(0.5 < self.confidence < 1, f"The confidence level is {self.confidence}; expected 0.5 to 1.")
        _require(not self.looks or self.look_plan is not None, self._no_plan)
        _require(
            not self.looks or self.design == "independent",
            f"Interim analyses need independent runs, but the design is '{self.design}'.",
        )
        _require(
            not (self.looks and self.strict),
            "Plans with interim analyses have simulated levels of their own. Choose one: a plan, or the strict test.",
        )
        _require(self.workers >= 0, f"{counted(self.workers, 'worker')}; expected 0 (all cores) or more.")

    @property
    def primary_metric(self) -> str:
        """The metric of the verdict."""
        return self.metrics[0]

    @property
    def level(self) -> float:
        """The largest p-value that decides."""
        return 1 - self.confidence

    @property
    def runs(self) -> RunWord:
        """Words for runs; those of released models are samples."""
        if self.design == "released" and self.run_word == RUN.noun:
            return RUN_WORDS[SAMPLE_NOUN]
        return RUN_WORDS[self.run_word]

    def of_trainings(self) -> "Settings":
        """Return a copy for nested runs, which speaks of trainings unless the user chose another word."""
        if self.run_word != RUN.noun:
            return self
        return replace(self, run_word=TRAINING_NOUN)

    @property
    def look_plan(self) -> LookPlan | None:
        """The plan with interim analyses, or None."""
        return look_plans().get((tuple(self.looks), self.spending, round(self.level, 6)))

    @property
    def _no_plan(self) -> str:
        """The message for numbers of runs that no plan has."""
        plans = "; ".join(" ".join(map(str, looks)) for looks in known_looks())
        message = f"No plan for interim analyses at the runs {' '.join(map(str, self.looks))} and the"
        message += f" {level(self.level)} level."
        return f"{message} Choose one of the plans {plans}, and the 10%, 5% or 1% level."

    @property
    def deciding(self) -> dict[str, Any]:
        """Settings that affect results, by name; without declarations that nobody made."""
        values = {name: value for name, value in asdict(self).items() if name not in NOT_DECIDING}
        if not self.optimized:
            values.pop("optimized")
        return values

    @property
    def optimized_pairs(self) -> tuple[tuple[str, str], ...]:
        """Pairs of a system and the metric towards which it was trained or decoded."""
        pairs = []
        for declared in self.optimized:
            system, _, metric = declared.rpartition("=")
            pairs.append((system, metric))
        return tuple(pairs)

    def for_family(self, size: int) -> "Settings":
        """Return a copy with enough shuffles for a family of that many tests.

        The smallest possible adjusted p, ``size / (n_shuffles + 1)``, should be below a tenth of the level. Shuffles
        are raised to the next thousand, up to ``MOST_SHUFFLES``, and never lowered.
        """
        needed = round(10 * size / self.level, 6)  # 0.95 is not quite 0.95
        if size < 2 or self.n_shuffles + 1 > needed:
            return self
        rounded = min(MOST_SHUFFLES, 1_000 * math.ceil(needed / 1_000))
        return replace(self, n_shuffles=max(self.n_shuffles, rounded))


def _require(condition: bool, message: str) -> None:
    """Raise ``SettingsError`` unless the condition holds."""
    if not condition:
        raise SettingsError(message)


def _require_one_of(known: Sequence[str], noun: str, value: str) -> None:
    """Raise ``SettingsError`` unless the value is known."""
    expected = f"one of {', '.join(known)}"
    if len(known) == 2:
        expected = " or ".join(known)
    _require(value in known, f"The {noun} is '{value}'; expected {expected}.")
