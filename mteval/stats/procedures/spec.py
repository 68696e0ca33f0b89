"""Specification of a test procedure: texts, inputs and outputs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from mteval.base.arrays import FloatArray, StatArray
from mteval.stats.base import Alternative, HasScore, How, PairedResult, Procedure, Score
from mteval.stats.crossed_layout import Components
from mteval.stats.resampling.draws import Draws
from mteval.values.run_words import RunWord
from mteval.values.settings import Design

Luck = Literal["test-set", "runs", "both"]
Unit = Literal["segment", "document", "output", "run"]
Resamples = Literal["shuffles", "replicates", "divisions"]
ComponentsOf = Callable[[FloatArray, FloatArray, float | None], Components]
Refusal = Callable[[StatArray, StatArray], str]
FromReplicates = Callable[[float, FloatArray, How], PairedResult]
# A procedure applied to many draws of runs from pools ``(runs, units, d)``: p-values ``(draws,)``, NaN if refused.
DrawProcedure = Callable[[StatArray, StatArray, Score, Draws, How], FloatArray]


class AnyPair(Protocol):
    """Tests of any two of several systems."""

    def results(self, baselines: Iterable[int], system: int) -> Iterator[PairedResult]:
        """Yield the result for a system against each of several baselines, given their places."""


@dataclass(frozen=True)
class ProcedureSpec:
    """A test procedure with its texts and properties.

    Parameters
    ----------
    key, name
        Key in settings, and name on screen. Name and summary are templates filled by ``in_words``, with ``{unit}`` and
        ``{units}`` for what is resampled.
    summary
        Method, assumptions and references.
    function
        Test function.
    luck
        Kind of luck tested: test set, training runs, or both.
    units
        Possible units; the first is the default.
    resamples
        What it draws at random; None if nothing.
    null
        Content of its null distribution: signed or absolute differences, or None.
    alternatives
        Supported alternatives.
    gives_answer
        Whether it can give one of the two p-values shown with each difference.
    shows_equal
        Units on which it is used for equivalence tests.
    reproduces
        Whether it is kept only to reproduce published numbers.
    min_runs
        Fewest runs per system; a fixed baseline and a candidate need only one.
    design
        Required design of the runs.
    is_strict
        Whether its p-value holds every level with few runs, for claims that must.
    needs_segment_mean
        Whether it is valid only for metrics that average segment scores.
    from_replicates
        The test given the difference and its replicates ``(n_resamples,)``, so that many pairs can share replicates;
        None if it needs more.
    components
        Variance components from unit values of baseline and system, shapes ``(runs, units)``, and the degrees of
        freedom over units; None if it has none.
    refusal
        Why runs ``(runs, units, d)`` cannot show training luck; empty if they can.
    on_draws
        The test applied to many draws of runs; None if not supported.
    on_pairs
        The test of any two of many systems, without intervals, from what their pairs share; None if they share nothing.
    """

    key: str
    name: str
    summary: str
    function: Procedure
    luck: Luck = "test-set"
    units: tuple[Unit, ...] = ("segment", "document")
    resamples: Resamples | None = None
    null: Literal["signed", "absolute"] | None = None
    alternatives: tuple[Alternative, ...] = ("two-sided", "greater", "less")
    gives_answer: bool = False
    shows_equal: tuple[Unit, ...] = ()
    reproduces: bool = False
    min_runs: int = 1
    design: Design = "independent"
    is_strict: bool = False
    needs_segment_mean: bool = False
    from_replicates: FromReplicates | None = None
    components: ComponentsOf | None = None
    refusal: Refusal | None = None
    on_draws: DrawProcedure | None = None
    on_pairs: Callable[[Sequence[StatArray], HasScore, How], AnyPair] | None = None

    @property
    def is_resampled(self) -> bool:
        """Whether it resamples at random."""
        return self.resamples is not None

    @property
    def pairs_outputs(self) -> bool:
        """Whether it pairs the outputs of run i of both systems, which then need equal numbers of runs."""
        return "output" in self.units

    @property
    def pairs_runs(self) -> bool:
        """Whether it pairs run i of both systems, so that the order of runs matters."""
        return self.pairs_outputs or self.design == "paired"

    def fewest_runs(self, n_baseline: int, n_system: int) -> int:
        """Return the smaller number of runs; a fixed baseline and a single candidate do not count."""
        if self.design == "candidate" and n_system == 1:
            return n_baseline
        if self.design == "fixed":
            return n_system
        return min(n_baseline, n_system)

    @property
    def shares_null(self) -> bool:
        """Whether all comparisons share the same null draws of signed differences."""
        return self.null == "signed" and self.luck == "test-set"

    def in_words(self, runs: RunWord, unit: str) -> "ProcedureSpec":
        """Return a copy whose texts use the word for a run and the unit, if it resamples such units."""
        unit = self.unit_for(unit)
        units = f"{unit}s"
        return replace(
            self,
            name=runs.filled(self.name, unit=unit, units=units),
            summary=runs.filled(self.summary, unit=unit, units=units),
        )

    def unit_for(self, wanted: str) -> str:
        """Return the wanted unit if supported, else the default unit."""
        if wanted in self.units:
            return wanted
        return self.units[0]
