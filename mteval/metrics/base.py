"""What a metric is: options that prepare a scorer for one test set; the scorer turns text into additive statistics."""

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
Watch = Callable[[float], None]  # told the share that is done, often; what it raises stops the work


def unwatched(done: float) -> None:
    """Nobody listens."""


class Scorer(Protocol):
    """A metric made ready for one test set.

    Sufficient statistics are additive over segments: the corpus score is a function of their sum.
    """

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> StatArray:
        """Statistics of n hypotheses, the i-th one being of segment ``segment_ids[i]`` (zero-based).

        Returns shape ``(n, d)``; ``d = len(metric.fields)``. Holds no state: it may be called from several threads.
        """

    def score(self, statistics: StatArray) -> FloatArray:
        """Corpus scores of summed statistics, shape ``(..., d)`` to ``(...)``. NaN where undefined.

        Sums may be divided by a number of runs, so statistics that are counts may arrive as fractions.
        """

    def segment_score(self, statistics: StatArray) -> FloatArray:
        """Scores of single segments, shape ``(..., d)`` to ``(...)``."""

    def submetrics(self, statistics: StatArray) -> FloatArray:
        """Parts of the score, shape ``(..., d)`` to ``(..., m)``; ``m = len(metric.submetric_names)``."""


@runtime_checkable
class ScoresRuns(Protocol):
    """A scorer whose scores were given with the runs: they cannot be computed from the text of a hypothesis."""

    def run_statistics(self, run: Run) -> StatArray:
        """Statistics of all segments of a run, shape ``(segments, d)``; NaN where there is no score."""


@runtime_checkable
class MarksErrors(Protocol):
    """A scorer that marks errors in the outputs that it scores."""

    def error_spans(self, run: Run) -> tuple[Spans | None, ...] | None:
        """The errors in each output of a run, one a segment, None where nothing is known of it; None of unknown runs.

        What was found when the run was scored, and no more: nothing is computed for it.
        """


@runtime_checkable
class KnowsDeviations(Protocol):
    """A scorer that says how sure it is of its scores."""

    def deviations(self, run: Run) -> tuple[float | None, ...] | None:
        """The standard deviation of each score of a run, one a segment, None where it is not known."""


@runtime_checkable
class ScoresWatched(Protocol):
    """A scorer that takes long over many hypotheses, spreads them itself, and says meanwhile how far it is."""

    def watched_statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str], watch: Watch) -> StatArray:
        """As ``Scorer.statistics``; ``watch`` is called from this thread, and what it raises ends the work soon."""


@runtime_checkable
class KeepsMore(Protocol):
    """A scorer that keeps more than statistics, as the errors that it marks, on the machine that computed them."""

    def statistics_and_more(
        self, segment_ids: Sequence[int], hypotheses: Sequence[str]
    ) -> tuple[StatArray, Mapping[str, object]]:
        """As ``Scorer.statistics``, with what it kept of these hypotheses."""

    def keep(self, more: Mapping[str, object]) -> None:
        """Keep on this machine what was kept on another."""


@runtime_checkable
class NeedsMore(Protocol):
    """A metric that needs more of a test set than its texts."""

    def lacks(self, test_set: TestSet) -> str:
        """What is missing so that any run could be scored, and how to give it; empty where nothing is."""


class Metric(Protocol):
    """A frozen dataclass of options."""

    @property
    def key(self) -> str:
        """Short lower-case name, as on the command line: ``bleu``."""

    @property
    def name(self) -> str:
        """Name on screen and paper: ``BLEU``."""

    @property
    def higher_is_better(self) -> bool:
        """Direction of improvement."""

    @property
    def is_segment_mean(self) -> bool:
        """Whether the corpus score is the mean of the segment scores."""

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the d statistics."""

    @property
    def submetric_names(self) -> tuple[str, ...]:
        """Names of the parts of the score."""

    @property
    def reads(self) -> tuple[str, ...]:
        """Parts of the test set that ``prepare`` reads (keys of ``TestSet.part_digests``); they enter the cache key."""

    def signature(self) -> str:
        """The options that decide the numbers, in sacreBLEU's form where it has the metric."""

    def prepare(self, test_set: TestSet) -> Scorer:
        """Read what the metric needs of the test set, once."""


class Usual:
    """What most metrics say of themselves."""

    higher_is_better: ClassVar[bool] = True
    is_segment_mean: ClassVar[bool] = False
    submetric_names: ClassVar[tuple[str, ...]] = ()
    reads: ClassVar[tuple[str, ...]] = ("references",)


@dataclass(frozen=True)
class Option:
    """One option of a metric, described so that a form or a command line can offer it.

    Parameters
    ----------
    name
        As in ``Settings.options``.
    kind
        ``choice`` (one of ``choices``), ``flag``, ``integer``, ``number``, ``text`` or ``path``. A path is of the
        machine that computes: it can be given on the command line and in an ``experiment.toml`` that is run there, not
        on a page or in its address, where anybody could have any file opened.
    label, help
        A few words and a sentence for the user.
    choices
        Allowed values of a ``choice``.
    minimum, maximum
        Bounds of an ``integer`` or ``number``, both included.
    """

    name: str
    kind: Literal["choice", "flag", "integer", "number", "text", "path"]
    label: str
    help: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None


@dataclass(frozen=True)
class ScoreRange:
    """Between which numbers the scores of segments and of runs lie.

    Parameters
    ----------
    lowest, highest
        The limits, which can be reached; None where there is none, or none is known.
    remark
        What else helps to read a score, as half a sentence; empty where nothing does.
    """

    lowest: float | None
    highest: float | None
    remark: str = ""


@dataclass(frozen=True)
class MetricSpec:
    """A line of the registry: how to describe a metric to a user and how to build it from options.

    Parameters
    ----------
    key, name
        As in ``Metric``.
    notation
        How its numbers are written: the arrow towards better scores, decimals, unit.
    summary
        Two sentences: what the metric sees, what it misses.
    range
        Between which numbers scores lie.
    source
        Where the metric is defined: authors, year and place.
    options
        What the user may set.
    configure
        From a convention and the options that differ from its defaults to the metric. Raises ``SettingsError`` on
        unknown names and bad values, ``MissingDependencyError`` where a choice needs what is not installed.
    defaults
        Value of every option under a convention.
    is_slow
        Whether a segment takes so long that it pays to send it to another machine.
    scores_texts
        Whether it can score any text, as those of n-best lists; else scores come with the runs (``ScoresRuns``).
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
