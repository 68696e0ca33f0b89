"""What a test procedure is: how to speak of it, what it takes and what it gives. Stands in the procedure's module."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from mteval.base.arrays import FloatArray, StatArray
from mteval.stats.base import Alternative, How, PairedResult, Procedure, Score
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
# A procedure applied to many draws of runs: pools ``(runs, units, d)`` of baseline and system in, p-values ``(draws,)``
# out, NaN where it is refused. ``confidence`` has no part in it.
DrawProcedure = Callable[[StatArray, StatArray, Score, Draws, How], FloatArray]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


@dataclass(frozen=True)
class ProcedureSpec:
    """A procedure and how to speak of it.

    Parameters
    ----------
    key, name
        As in settings and on screen; the name, the short name and the summary are templates that ``in_words`` fills.
    short_name
        As in the heads of tables; ``{units}`` stands for what it takes as units.
    luck
        Which luck it measures: with the choice of the test set, with training runs, or with both together.
    summary
        What it does, what it assumes, and its source.
    function
        The test.
    units
        What it can take as one unit; the first where another is wanted.
    resamples
        What it draws at random, so that numbers of resamples and seeds matter; None where nothing.
    null
        What its null distribution holds: signed differences, absolute ones, or None where it makes none by drawing.
    alternatives
        Those that it can test.
    gives_answer
        Whether one of the two answers that stand beside every difference can be its.
    shows_equal
        On which units claims of equality within a margin are made by it.
    reproduces
        Whether it is kept because published numbers use it, and not for what it is worth.
    min_runs
        The fewest runs of either system that it can answer for; of a fixed baseline one is enough.
    design
        How the runs of the two systems must have been declared for it to give the answer.
    needs_segment_mean
        Whether it makes sense only for metrics whose corpus score is the mean of segment scores.
    from_replicates
        For tests that need nothing but differences on replicates of the test set: from the difference, its replicates
        ``(n_resamples,)`` and the how to the result. Many pairs of systems can then share the replicates.
    components
        For those that know where the variance comes from: from what units bring to the scores of the runs of baseline
        and system, shapes ``(runs, units)``, and the degrees of freedom over units, to the components.
    refusal
        Why runs, shapes ``(runs, units, d)``, do not show how much runs differ; empty where they do.
    on_draws
        The same test of many draws of runs from a pool; None where it does not serve replication.
    """

    key: str
    name: str
    short_name: str
    luck: Luck
    summary: str
    function: Procedure
    units: tuple[Unit, ...] = ("segment", "document")
    resamples: Resamples | None = None
    null: Literal["signed", "absolute"] | None = None
    alternatives: tuple[Alternative, ...] = ALTERNATIVES
    gives_answer: bool = False
    shows_equal: tuple[Unit, ...] = ()
    reproduces: bool = False
    min_runs: int = 1
    design: Design = "independent"
    needs_segment_mean: bool = False
    from_replicates: FromReplicates | None = None
    components: ComponentsOf | None = None
    refusal: Refusal | None = None
    on_draws: DrawProcedure | None = None

    @property
    def is_resampled(self) -> bool:
        """Whether it draws at random."""
        return self.resamples is not None

    @property
    def pairs_outputs(self) -> bool:
        """Whether it pairs outputs of run i of either system, so that both must have the same number of runs."""
        return "output" in self.units

    @property
    def pairs_runs(self) -> bool:
        """Whether run i of one system is compared with run i of the other, so that their order matters."""
        return self.pairs_outputs or self.design == "paired"

    def fewest_runs(self, n_baseline: int, n_system: int) -> int:
        """The runs that an answer rests on: of the system that has fewer; of a fixed baseline they do not count."""
        return n_system if self.design == "fixed" else min(n_baseline, n_system)

    @property
    def shares_null(self) -> bool:
        """Whether all comparisons by it see the same draws of the signed difference under the null hypothesis.

        Draws of whole runs are of the runs of one pair of systems.
        """
        return self.null == "signed" and self.luck == "test-set"

    def in_words(self, runs: RunWord) -> "ProcedureSpec":
        """The same with its texts in the word for a run."""
        name, short, summary = (runs.filled(one, units="{units}") for one in (self.name, self.short_name, self.summary))
        return replace(self, name=name, short_name=short, summary=summary)

    def unit_for(self, wanted: str) -> str:
        """What it takes as a unit where the test set is to be taken by those: another where it cannot."""
        return wanted if wanted in self.units else self.units[0]

    def short_name_on(self, unit: str) -> str:
        """The short name where the test set's units are segments or documents."""
        return self.short_name.format(units=f"{self.unit_for(unit)}s")
