"""Interfaces of metrics: options prepare a scorer for one test set, which turns text into additive statistics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, runtime_checkable

from mteval.base.arrays import FloatArray as FloatArray
from mteval.base.arrays import IntArray as IntArray
from mteval.base.arrays import StatArray as StatArray
from mteval.values.judgements import Spans
from mteval.values.model import Run, TestSet
from mteval.values.notation import Notation
from mteval.values.settings import Convention

OptionValue = str | int | float | bool | None
Watch = Callable[[float], None]  # often called with the completed share; an exception in it stops the work


def unwatched(done: float) -> None:
    """Ignore progress."""


class Scorer(Protocol):
    """A metric prepared for one test set.

    Sufficient statistics are additive over segments: the corpus score is a function of their sum.
    """

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> StatArray:
        """Return statistics of n hypotheses; the i-th belongs to segment ``segment_ids[i]`` (zero-based).

        The shape is ``(n, d)`` with ``d = len(metric.fields)``. Must be stateless: several threads may call it.
        """

    def score(self, statistics: StatArray) -> FloatArray:
        """Return corpus scores of summed statistics, shape ``(..., d)`` to ``(...)``; NaN if undefined.

        Sums may be divided by a number of runs, so counts may be fractions.
        """

    def segment_score(self, statistics: StatArray) -> FloatArray:
        """Return scores of single segments, shape ``(..., d)`` to ``(...)``."""

    def submetrics(self, statistics: StatArray) -> FloatArray:
        """Return components of the score, shape ``(..., d)`` to ``(..., m)``; ``m = len(metric.submetric_names)``."""


@runtime_checkable
class ScoresRuns(Protocol):
    """A scorer that looks scores up by run because they cannot be computed from a hypothesis."""

    def run_statistics(self, run: Run) -> StatArray:
        """Return statistics of a run's segments, shape ``(segments, d)``; NaN if there is no score."""


@runtime_checkable
class MarksErrors(Protocol):
    """A scorer that marks errors in outputs."""

    def error_spans(self, run: Run) -> tuple[Spans | None, ...] | None:
        """Return the errors found in each output of a run when it was scored; None for unknown outputs or runs.

        Computes nothing.
        """


@runtime_checkable
class KnowsDeviations(Protocol):
    """A scorer that knows the uncertainty of its scores."""

    def deviations(self, run: Run) -> tuple[float | None, ...] | None:
        """Return the standard deviation of each segment score of a run; None if unknown."""


@runtime_checkable
class KeepsMore(Protocol):
    """A slow scorer that parallelizes its work, and caches more than statistics (e.g. error spans) where it runs."""

    stays_here: bool  # whether only this machine can do the work, e.g. because it has the key of an endpoint

    def statistics_and_more(
        self, segment_ids: Sequence[int], hypotheses: Sequence[str], watch: Watch = unwatched
    ) -> tuple[StatArray, Mapping[str, object]]:
        """As ``Scorer.statistics``, plus what was cached for these hypotheses.

        ``watch`` is called in this thread, and an exception in it stops the work.
        """

    def keep(self, more: Mapping[str, object]) -> None:
        """Cache on this machine what another machine computed."""


@runtime_checkable
class HasCorpusParts(Protocol):
    """A scorer whose corpus scores have other components than segment scores."""

    def corpus_parts(self, statistics: StatArray) -> Mapping[str, FloatArray]:
        """Return the components of a corpus score by name, of shape ``(..., d)`` to ``(...)`` each."""


@runtime_checkable
class NeedsMore(Protocol):
    """A metric that needs more of a test set than references."""

    def lacks(self, test_set: TestSet) -> str:
        """Return what is missing to score any run, and how to add it; empty if nothing is missing."""


@runtime_checkable
class AsksFirst(Protocol):
    """A metric whose signature depends on something that only its model can say, e.g. a format of answers."""

    def after_asking(self, test_set: TestSet, output: str, watch: Watch) -> "Metric":
        """Return an equal metric with its final signature, asking the model about the first segment if necessary.

        ``watch`` is called in this thread, and an exception in it stops the work.
        """


class Metric(Protocol):
    """A frozen dataclass of options."""

    @property
    def key(self) -> str:
        """Short lower-case name used on the command line, e.g. ``bleu``."""

    @property
    def name(self) -> str:
        """Display name, e.g. ``BLEU``."""

    @property
    def higher_is_better(self) -> bool:
        """Whether higher scores are better."""

    @property
    def is_segment_mean(self) -> bool:
        """Whether the corpus score is the mean of the segment scores."""

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the d statistics."""

    @property
    def submetric_names(self) -> tuple[str, ...]:
        """Names of the components of the score."""

    @property
    def reads(self) -> tuple[str, ...]:
        """Parts of the test set that ``prepare`` reads (keys of ``TestSet.part_digests``); they enter the cache key."""

    def signature(self) -> str:
        """Return all options that affect the numbers, in sacreBLEU's format if sacreBLEU has the metric."""

    def prepare(self, test_set: TestSet) -> Scorer:
        """Read what the metric needs of a test set."""


class Usual:
    """Defaults that most metrics share."""

    higher_is_better: ClassVar[bool] = True
    is_segment_mean: ClassVar[bool] = False
    submetric_names: ClassVar[tuple[str, ...]] = ()
    reads: ClassVar[tuple[str, ...]] = ("references",)


@dataclass(frozen=True)
class Option:
    """One option of a metric, as forms and command lines offer it.

    Parameters
    ----------
    name
        Key in ``Settings.options``.
    kind
        ``choice`` (one of ``choices``), ``flag``, ``integer``, ``number``, ``text`` or ``path``. Paths can be set on
        the command line and in a local ``experiment.toml`` only: on a page or in a link, anybody could open any file.
    label, help
        A few words and one sentence for users.
    choices
        Allowed values of a ``choice``.
    minimum, maximum
        Inclusive bounds of an ``integer`` or ``number``.
    """

    name: str
    kind: Literal["choice", "flag", "integer", "number", "text", "path"]
    label: str
    help: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None


def choice(name: str, label: str, help: str, *choices: str) -> Option:
    """Return an option with one of several values."""
    return Option(name, "choice", label, help, choices)


def integer(name: str, label: str, help: str, minimum: int, maximum: int | None = None) -> Option:
    """Return an option that is a whole number."""
    return Option(name, "integer", label, help, minimum=minimum, maximum=maximum)


@dataclass(frozen=True)
class ScoreRange:
    """Range of segment and corpus scores.

    Parameters
    ----------
    lowest, highest
        Attainable limits; None if unlimited or unknown.
    remark
        How to read a score, in a few words; may be empty.
    """

    lowest: float | None
    highest: float | None
    remark: str = ""


@dataclass(frozen=True)
class MetricSpec:
    """A registry entry: describes a metric to users and builds it from options.

    Parameters
    ----------
    key, name
        As in ``Metric``.
    notation
        How scores are written: arrow towards better scores, decimals, unit.
    summary
        Two sentences: what the metric measures, and what it misses.
    range
        Range of scores.
    source
        Where the metric is defined: authors, year and venue.
    options
        Options that users can set.
    configure
        Builds the metric from a convention and the options that differ from its defaults. Raises ``SettingsError`` for
        unknown names and bad values, ``MissingDependencyError`` if a value needs something that is not installed.
    defaults
        Value of every option under a convention.
    is_slow
        Whether segments take long enough to be worth sending to another machine.
    scores_texts
        Whether it scores any text (e.g. n-best lists); otherwise scores come with the runs (``ScoresRuns``).
    """

    key: str
    name: str
    notation: Notation
    summary: str
    range: ScoreRange
    source: str
    options: tuple[Option, ...]
    configure: Callable[[Convention, Mapping[str, OptionValue]], Metric]
    defaults: Callable[[Convention], Mapping[str, OptionValue]]
    is_slow: bool = False
    scores_texts: bool = True
