"""What to do after an experiment with one run per system: further runs, or a larger test set first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan

from mteval.analysis.replication.planning import usual_wish
from mteval.stats.planning import Design, Sources, detectable, power, segments_needed
from mteval.values.settings import Settings
from mteval.values.verdict import Verdict

POWER = 0.8
ENOUGH_RUNS = 3  # per system, for a verdict on training luck
N_HALVINGS = 14  # of the range in which the largest deviation is searched


@dataclass(frozen=True)
class NextExperiment:
    """The cheapest next experiment about one system with a single run.

    What is searched for is computed when it is asked for: of hundreds of systems, a line names few.

    Parameters
    ----------
    verdict
        On the test set alone.
    n_units
        Units of the test set.
    target
        The difference to plan for.
    level
        Of the test.
    """

    verdict: Verdict
    n_units: int
    target: float
    level: float

    @property
    def is_clear(self) -> bool:
        """Whether test-set luck is ruled out, so that runs come next."""
        return self.verdict.test_set_luck == "ruled out"

    @cached_property
    def largest_deviation(self) -> float:
        """The SD over runs up to which three runs per system show a true difference as large as this one with 80%
        power, if test-set luck is ruled out. 0 if the test set is too small for that.
        """
        return _largest_deviation(self.verdict, self.n_units, self.level)

    @cached_property
    def detected(self) -> float:
        """The smallest true difference that these units detect with 80% power, training luck aside."""
        return detectable(self._of_test_set, Design(1, 1, self.n_units), self.level, POWER)

    @cached_property
    def units_needed(self) -> int | None:
        """How many units would detect the target with 80% power, training luck aside; None if no number does."""
        return segments_needed(self._of_test_set, (1, 1), self.target, self.level, POWER)

    @property
    def _of_test_set(self) -> Sources:
        """Variance of the test set. Runs are treated as samples of two models: the question is the test set alone."""
        return Sources((0.0, 0.0), self.verdict.error**2 * self.n_units, (0.0, 0.0), are_samples=True)


def next_experiments(verdicts: Sequence[Verdict], settings: Settings) -> tuple[NextExperiment, ...]:
    """Return the next experiment for each verdict that rests on the test set alone, for want of runs."""
    return tuple(_next(verdict, settings, len(verdicts)) for verdict in _with_single_runs(verdicts))


def _with_single_runs(verdicts: Iterable[Verdict]) -> Iterable[Verdict]:
    for verdict in verdicts:
        has_answer = verdict.is_of_test_set and verdict.test_set_luck != "refused" and not verdict.is_identical
        if has_answer and not verdict.is_released and verdict.coverage is not None and not isnan(verdict.error):
            yield verdict


def _next(verdict: Verdict, settings: Settings, n_compared: int) -> NextExperiment:
    """Return the next experiment of a verdict with a standard error over units."""
    coverage = verdict.coverage
    assert coverage is not None
    n_units = coverage.n_documents if verdict.unit == "document" else coverage.n_segments
    wish = usual_wish(verdict.notation, settings, n_compared)
    return NextExperiment(verdict, n_units, wish.target, wish.level)


def _largest_deviation(verdict: Verdict, n_units: int, level: float) -> float:
    """Return the SD over runs up to which three runs per system would show a true difference as large as this one."""
    sources = Sources.typed((0.0, 0.0), verdict.error, n_units)
    three_runs = Design(ENOUGH_RUNS, ENOUGH_RUNS, n_units)

    def suffices(deviation: float) -> bool:
        of_runs: tuple[float, ...] = (deviation**2,) * 2
        if verdict.design != "independent":  # one side counts: the system of a fixed baseline, or gains of pairs
            of_runs = (deviation**2,)
        shifting = replace(sources, runs=of_runs, pairs=(0.0,) * len(of_runs))
        return power(shifting, three_runs, verdict.difference, level) >= POWER

    if not suffices(0.0):
        return 0.0
    low = 0.0
    high = abs(verdict.difference)
    for _ in range(N_HALVINGS):
        middle = (low + high) / 2
        if suffices(middle):
            low = middle
        else:
            high = middle
    return low
