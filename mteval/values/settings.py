"""What the user chooses before the numbers are seen."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from mteval.base.errors import SettingsError
from mteval.base.words import counted
from mteval.values.look_plans import SPENDINGS, LookPlan, Spending, known_looks, look_plans
from mteval.values.notation import level
from mteval.values.run_words import RUN, RUN_WORDS, RunWord

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
        _require(bool(self.metrics), "No metric is chosen; choose at least one.")
        _require(len(set(self.metrics)) == len(self.metrics), "A metric stands twice; name each once.")
        _require(
            self.convention in CONVENTIONS,
            f"The convention is '{self.convention}'; expected {' or '.join(CONVENTIONS)}.",
        )
        _require(self.n_bootstrap >= 2, f"{counted(self.n_bootstrap, 'bootstrap replicate')}; at least 2 are needed.")
        _require(self.n_shuffles >= 1, f"{counted(self.n_shuffles, 'shuffle')}; at least 1 is needed.")
        _require(self.seed >= 0, f"The seed is {self.seed}; it must not be negative.")
        _require(0.5 < self.confidence < 1, f"The confidence level is {self.confidence}; give one between 0.5 and 1.")
        _require(
            self.exchange_unit in EXCHANGE_UNITS,
            f"The unit of exchange is '{self.exchange_unit}'; expected one of {', '.join(EXCHANGE_UNITS)}.",
        )
        _require(self.design in DESIGNS, f"The design is '{self.design}'; expected one of {', '.join(DESIGNS)}.")
        _require(self.spending in SPENDINGS, f"The spending is '{self.spending}'; expected {' or '.join(SPENDINGS)}.")
        _require(not self.looks or self.look_plan is not None, self._no_plan)
        _require(
            not self.looks or self.design == "independent",
            f"Levels of planned looks are known for independent runs, and these were declared as {self.design}.",
        )
        _require(
            self.run_word in RUN_WORDS, f"A run is called '{self.run_word}'; expected one of {', '.join(RUN_WORDS)}."
        )
        _require(self.workers >= 0, f"{counted(self.workers, 'worker')}; 0 takes all cores.")

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
            f"For looks at the runs {' '.join(map(str, self.looks))} at the {level(1 - self.confidence)} level nothing"
            f" was simulated. Plan looks among {plans}, at the 10%, 5% or 1% level."
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
