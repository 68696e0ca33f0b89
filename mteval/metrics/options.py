"""What metrics share: checked options, scorers of means and ratios, metrics of tokens, and the registry entry."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import sacrebleu

from mteval._version import __version__
from mteval.base.arrays import FloatArray, StatArray
from mteval.base.errors import SettingsError
from mteval.metrics.base import Metric, MetricSpec, Option, OptionValue, Scorer, ScoreRange, Usual, choice
from mteval.metrics.text.ngrams import Tokenize, TokenizedReferences
from mteval.metrics.text.tokenizers import TOKENIZERS, multeval_tokenizer, require_tokenizer, sacrebleu_tokenizer
from mteval.values.model import TestSet
from mteval.values.notation import Notation
from mteval.values.settings import Convention

FIELDS = ("score", "segments")


class OneFormula(ABC):
    """A scorer with one formula for corpus and segment, and no components."""

    @abstractmethod
    def score(self, statistics: StatArray) -> FloatArray:
        """Return scores of summed statistics, shape ``(..., d)`` to ``(...)``."""

    def segment_score(self, statistics: StatArray) -> FloatArray:
        """Return the same formula for segments."""
        return self.score(statistics)

    def submetrics(self, statistics: StatArray) -> FloatArray:
        """Return an empty array, shape ``(..., 0)``."""
        return np.zeros((*statistics.shape[:-1], 0))


class MeanScorer(OneFormula):
    """A scorer whose statistics are a segment's score and 1; subclasses supply the scores."""

    def score(self, statistics: StatArray) -> FloatArray:
        """Return the mean, shape ``(..., 2)`` to ``(...)``; NaN if there is no score."""
        return ratio(statistics[..., 0], statistics[..., 1])


class NoScores(MeanScorer):
    """The scorer of a metric whose test set lacks what it needs: all scores are missing."""

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> FloatArray:
        """Return NaN, shape ``(n, 2)``."""
        return np.full((len(segment_ids), len(FIELDS)), np.nan)


def ratio(numerator: StatArray, denominator: StatArray, otherwise: FloatArray | float = np.nan) -> FloatArray:
    """Return the ratio of two arrays, in the shape of the first; ``otherwise`` where the denominator is 0."""
    numerator = numerator.astype(float, copy=False)
    denominator = denominator.astype(float, copy=False)
    result = np.full_like(numerator, otherwise)
    return np.asarray(np.divide(numerator, denominator, out=result, where=denominator > 0))


def percent(numerator: StatArray, denominator: StatArray, otherwise: FloatArray | float = np.nan) -> FloatArray:
    """Return 100 times the ratio."""
    return 100 * ratio(numerator, denominator, otherwise)


class FMeasure(OneFormula):
    """Harmonic mean of precision and recall, from matches and the sizes of hypothesis and reference."""

    def score(self, statistics: StatArray) -> FloatArray:
        """Return F in percent, shape ``(..., 3)`` to ``(...)``; NaN if both sides are empty."""
        return percent(2 * statistics[..., 0], statistics[..., 1] + statistics[..., 2])

    def submetrics(self, statistics: StatArray) -> FloatArray:
        """Return precision (0 for an empty hypothesis) and recall in percent, shape ``(..., 3)`` to ``(..., 2)``."""
        precision = percent(statistics[..., 0], statistics[..., 1], otherwise=0.0)
        recall = percent(statistics[..., 0], statistics[..., 2])
        return np.stack([precision, recall], axis=-1)


@dataclass(frozen=True)
class TokenScorer(OneFormula):
    """A scorer that compares tokens with those of a test set's references."""

    references: TokenizedReferences

    @abstractmethod
    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> StatArray:
        """Return statistics of n hypotheses, shape ``(n, d)``."""


class RatioScorer(TokenScorer):
    """A scorer whose statistics are a numerator and a denominator; subclasses count them."""

    otherwise: ClassVar[float] = np.nan  # the score if the denominator is 0

    def score(self, statistics: StatArray) -> FloatArray:
        """Return percentages, shape ``(..., 2)`` to ``(...)``."""
        return percent(statistics[..., 0], statistics[..., 1], self.otherwise)


def sacrebleu_signature(peer: sacrebleu.BLEU | sacrebleu.CHRF | sacrebleu.TER) -> str:
    """Return the signature of a sacreBLEU metric, without the number of references."""
    peer.num_refs = 1
    signature = peer.get_signature()
    signature.update("nrefs", None)
    return str(signature)


def written(name: str) -> str:
    """Return the name of an option as the command line writes it: ``beam_width`` as ``beamWidth``."""
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def named_options(options: Sequence[Option], given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """Return the given values by the options' names, which may be written as on the command line or with dashes.

    Unknown names stay as they are.
    """
    name_of = {_letters(option.name): option.name for option in options}
    return {name_of.get(_letters(name), name): value for name, value in given.items()}


def _letters(name: str) -> str:
    """Return what all ways to write the name of an option have in common."""
    return re.sub(r"[-_]", "", name).lower()


def settled(
    metric: str,
    options: Sequence[Option],
    defaults: Mapping[str, OptionValue],
    given: Mapping[str, OptionValue],
    fixed: Sequence[str] = (),
    key: str = "",
) -> dict[str, Any]:
    """Return the value of every option: the given one or the default.

    Parameters
    ----------
    metric
        Name used in messages.
    fixed
        Options that must keep their default value.
    key
        First part of the options' names on the command line; by default the name in lower case.

    Raises
    ------
    SettingsError
        If an option is unknown, has a value of the wrong kind or outside its range, or is fixed and changed.
    """
    key = key or metric.lower()
    option_of = {option.name: option for option in options}
    for name, value in given.items():
        if name not in option_of:
            available = ", ".join(map(written, option_of))
            raise SettingsError(f"{metric} has no option '{name}'. Available: {available}.")
        if value == defaults[name] and type(value) is type(defaults[name]):
            continue
        if name in fixed:
            message = f"--{key}.{written(name)} is {value!r}, but this convention requires {defaults[name]!r}."
            raise SettingsError(f"{message} Remove the option or choose the convention 'sacrebleu'.")
        if not _fits(option_of[name], value):
            raise SettingsError(f"--{key}.{written(name)} is {value!r}; expected {_expected(option_of[name])}.")
    return {**defaults, **given}


def _fits(option: Option, value: OptionValue) -> bool:
    """Return whether a value is of the kind of an option and within its range."""
    if option.kind == "flag":
        return isinstance(value, bool)
    if option.kind == "choice":
        return value in option.choices
    if option.kind in ("text", "path"):
        return isinstance(value, str)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if option.kind == "integer" and not isinstance(value, int):
        return False
    number = float(value)
    low = -math.inf if option.minimum is None else option.minimum
    high = math.inf if option.maximum is None else option.maximum
    return math.isfinite(number) and low <= number <= high


def _expected(option: Option) -> str:
    """Return what an option expects, in words."""
    if option.kind == "flag":
        return "true or false"
    if option.kind == "choice":
        return f"one of {', '.join(option.choices)}"
    if option.kind in ("text", "path"):
        return "text"
    expected = "a whole number" if option.kind == "integer" else "a number"
    if option.minimum is not None:
        expected += f" from {option.minimum:g}"
    if option.maximum is not None:
        expected += f" up to {option.maximum:g}"
    return expected


TOKENIZE = choice(
    "tokenize",
    "Tokenizer",
    "13a for most languages; zh, ja-mecab and ko-mecab for Chinese, Japanese and Korean. SentencePiece models compare"
    " across languages.",
    *TOKENIZERS,
)
LOWERCASE = Option("lowercase", "flag", "Lowercase", "Ignore case.")


@dataclass(frozen=True)
class Tokenized(Usual):
    """A metric that compares tokens.

    Parameters
    ----------
    tokenize
        One of BLEU's tokenizers.
    convention
        ``multeval`` splits tokenized text as MultEval does.
    """

    tokenize: str = "13a"
    convention: Convention = "sacrebleu"

    @property
    def tokenizer_name(self) -> str:
        """Name of the tokenizer in signatures."""
        if self.convention == "multeval":
            return "multeval"
        return str(sacrebleu.BLEU(tokenize=self.tokenize).tokenizer_signature)

    def tokenizer(self, lowercase: bool) -> Tokenize:
        """Return the function that tokenizes texts.

        Raises
        ------
        MissingDependencyError
            If it needs a missing package or file.
        """
        if self.convention == "multeval":
            return multeval_tokenizer(lowercase)
        return sacrebleu_tokenizer(self.tokenize, lowercase)


@dataclass(frozen=True)
class TokenMetric(Tokenized):
    """A metric whose only options decide which tokens it compares with the references.

    Parameters
    ----------
    lowercase
        Whether to ignore case.
    """

    lowercase: bool = False

    key: ClassVar[str]
    name: ClassVar[str]
    fields: ClassVar[tuple[str, ...]]
    rules: ClassVar[str]  # this metric's part of the signature
    scorer: ClassVar[type[TokenScorer]]

    def signature(self) -> str:
        """Return case, tokenizer and the metric's own rules, in sacreBLEU's format."""
        case = "lc" if self.lowercase else "mixed"
        return f"case:{case}|tok:{self.tokenizer_name}|{self.rules}|version:mteval-{__version__}"

    def prepare(self, test_set: TestSet) -> Scorer:
        """Tokenize the references. Raises as ``tokenizer``."""
        return self.scorer(TokenizedReferences.of(test_set.references, self.tokenizer(self.lowercase)))


def described(
    metric: type[Any],
    summary: str,
    range: ScoreRange,
    source: str,
    options: Sequence[Option] = (TOKENIZE, LOWERCASE),
    *,
    usual: Mapping[str, OptionValue] = MappingProxyType({}),
    multeval: Mapping[str, OptionValue] = MappingProxyType({}),
    fixed: Sequence[str] = ("tokenize",),
    build: Callable[..., Metric] | None = None,
    **more: Any,
) -> MetricSpec:
    """Return the registry entry of a metric whose options are its fields (plus the convention if it tokenizes).

    Parameters
    ----------
    summary, range, source, more
        As in ``MetricSpec``. Key and name are the metric's unless given.
    usual, multeval
        Defaults that differ from those of the fields, in general and under the MultEval convention.
    fixed
        Options that users cannot change under the MultEval convention.
    build
        Builds the metric from its options; by default, the class itself.
    """
    usual_defaults = {option.name: usual.get(option.name, getattr(metric, option.name, None)) for option in options}
    multeval_defaults = dict(usual_defaults)
    if "tokenize" in usual_defaults:
        multeval_defaults["tokenize"] = "none"
    multeval_defaults.update(multeval)

    def defaults(convention: Convention) -> Mapping[str, OptionValue]:
        return multeval_defaults if convention == "multeval" else usual_defaults

    def configure(convention: Convention, given: Mapping[str, OptionValue]) -> Metric:
        fixed_options = fixed if convention == "multeval" else ()
        values = settled(spec.name, options, defaults(convention), given, fixed_options, spec.key)
        if "tokenize" in values:
            require_tokenizer(values["tokenize"])
            values["convention"] = convention
        configured: Metric = (build or metric)(**values)
        return configured

    fields: dict[str, Any] = {
        "key": metric.key,
        "name": metric.name,
        "notation": Notation("↑" if metric.higher_is_better else "↓"),
        "summary": summary,
        "range": range,
        "source": source,
        "options": tuple(options),
        "configure": configure,
        "defaults": defaults,
        **more,
    }
    spec = MetricSpec(**fields)
    return spec
