"""Imported scores, which are not computed by mteval."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import isnan

from mteval.base.digests import digest_of, flattened
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.values.judgements import MQM, Spans

LARGEST = 1e50  # tests need the fourth power of sums over all segments
OF_PEOPLE = frozenset({MQM, "human", "da", "da-sqm", "sqm", "esa", "adequacy", "fluency"})  # words in names
# Parts of metric names, which often name the judgements that they were trained on: wmt22-comet-da.
OF_METRICS = ("comet", "kiwi", "metricx", "bleurt", "gemba", "eaprompt", "unite", "gpt", "llm")
OVERFLOWS = f"Scores beyond ±{LARGEST:g} overflow in tests. Fix the score or rescale all scores."


@dataclass(frozen=True)
class GivenScores:
    """Imported scores of one run on one test set: one per segment, None if missing.

    Parameters
    ----------
    test_set, system, run
        Names of the scored output.
    judgements
        Number of human judgements averaged in each score, if known.
    spans
        Errors marked in each output; None per output if unknown, None for all if scores have no spans.
    deviations
        Standard deviation of each score as given by the scorer, e.g. from dropout at inference.
    """

    test_set: str
    system: str
    run: str
    values: tuple[float | None, ...]
    judgements: tuple[int, ...] | None = None
    spans: tuple[Spans | None, ...] | None = None
    deviations: tuple[float | None, ...] | None = None

    @property
    def _parts(self) -> tuple[tuple[str, ...], ...]:
        """All given values as texts, for the digest."""
        parts: list[tuple[str, ...]] = [(self.test_set, self.system, self.run, *map(repr, self.values))]
        if self.judgements is not None:
            parts.append(("judgements", *map(repr, self.judgements)))
        if self.spans is not None:
            parts.append(("spans", *map(repr, self.spans)))
        if self.deviations is not None:
            parts.append(("deviations", *map(repr, self.deviations)))
        return tuple(parts)


def missing_as_none(values: Iterable[float]) -> tuple[float | None, ...]:
    """Return scores with None for those that are missing, which arrays have as NaN."""
    scores: list[float | None] = []
    for value in values:
        if isnan(value):
            scores.append(None)
        else:
            scores.append(value)
    return tuple(scores)


@dataclass(frozen=True)
class GivenMetric:
    """Imported segment scores: from people, a learned metric or another program.

    A score belongs to a run and a segment, not to a text: people may score equal outputs differently.

    Parameters
    ----------
    key, name
        Short lower-case name, as on the command line, and the name on screen.
    scores
        Scores per run; a run without scores has none.
    higher_is_better
        Direction of improvement.
    origin
        Source of the scores.
    """

    key: str
    name: str
    scores: tuple[GivenScores, ...]
    higher_is_better: bool = True
    origin: str = "imported"

    @cached_property
    def largest(self) -> float:
        """Largest absolute score; 0 if there are no scores."""
        values = chain.from_iterable(scores.values for scores in self.scores)
        return max((abs(value) for value in values if value is not None), default=0.0)

    @cached_property
    def words_of_name(self) -> frozenset[str]:
        """Words of the name in lower case, with hyphens as part of a word and as its end."""
        lower = self.name.lower()
        hyphenated = lower.replace("_", ".").replace(" ", ".").split(".")
        separated = lower.replace("-", ".").split(".")
        return frozenset({*hyphenated, *separated})

    @cached_property
    def is_of_people(self) -> bool:
        """Whether the scores are human, by their counts of judgements or their name."""
        if any(scores.judgements is not None for scores in self.scores):
            return True
        is_metric = any(part in self.name.lower() for part in OF_METRICS)
        return not is_metric and not self.words_of_name.isdisjoint(OF_PEOPLE)

    @cached_property
    def digest(self) -> str:
        """Digest of scores, names and direction."""
        parts: list[tuple[str, ...]] = []
        parts.append((self.key, self.name, self.origin, str(self.higher_is_better)))
        for scores in self.scores:
            parts += scores._parts
        return digest_of(flattened(parts))


def check_given(metrics: Sequence[GivenMetric], n_segments: Mapping[str, int]) -> None:
    """Raise ``DataError`` for duplicate keys, or if a run does not have one score per segment."""
    for key, count in Counter(metric.key for metric in metrics).items():
        if count > 1:
            message = f"The imported metric '{key}' appears {counted(count, 'time')}."
            raise DataError(f"{message} Give each metric its own name.")
    for metric in metrics:
        for scores in metric.scores:
            _refuse_overflow(metric.name, scores)
            n_expected = n_segments.get(scores.test_set)
            _refuse_other_length(metric.name, scores, "score", scores.values, n_expected)
            _refuse_other_length(metric.name, scores, "span list", scores.spans, n_expected)
            _refuse_other_length(metric.name, scores, "deviation", scores.deviations, n_expected)


def _refuse_overflow(metric: str, scores: GivenScores) -> None:
    """Raise ``DataError`` if a score is not a number, or too large for tests."""
    for segment, value in enumerate(scores.values, start=1):
        if value is not None and not abs(value) <= LARGEST:
            subject = f"{metric} of system '{scores.system}', run '{scores.run}', segment {segment}"
            raise DataError(f"{subject} is {value:g}. {OVERFLOWS}")


def _refuse_other_length(
    metric: str, scores: GivenScores, noun: str, values: Sequence[object] | None, n_expected: int | None
) -> None:
    """Raise ``DataError`` unless there is one value per segment; None is not known, or not given."""
    if values is None or n_expected is None or len(values) == n_expected:
        return
    message = f"{metric} has {counted(len(values), noun)} for system '{scores.system}', run '{scores.run}';"
    message += f" test set '{scores.test_set}' has {counted(n_expected, 'segment')}."
    raise DataError(f"{message} Give one {noun} per segment, or None for a segment without one.")
