"""BLEU (Papineni et al. 2002) as sacreBLEU and as MultEval (jBLEU) compute it.

Statistics have shape ``(..., 2 + 2 N)``: hypothesis length, reference length, matches and totals for n-grams of one to
N tokens, usually four. Sums divided by a constant give the same scores unless an order without a match (for ``add-k``,
any order above one) is smoothed, since smoothing adds counts.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
import sacrebleu

from mteval._version import __version__
from mteval.base.arrays import FloatArray, IntArray, StatArray
from mteval.base.words import counted
from mteval.metrics.base import MetricSpec, Option, Scorer, ScoreRange, Usual, choice, integer
from mteval.metrics.explanation import NgramMatches
from mteval.metrics.ngram.bleu_kernels import exchanged_differences, plain_scores, plain_scores_of_any_order
from mteval.metrics.ngram.unigrams import matched_ngrams
from mteval.metrics.options import LOWERCASE, TOKENIZE, TokenScorer, described, ratio, sacrebleu_signature
from mteval.metrics.text.ngrams import TokenizedReferences, clipped_matches, ngram_counts
from mteval.metrics.text.tokenizers import multeval_tokenizer, sacrebleu_tokenizer
from mteval.values.model import TestSet
from mteval.values.settings import Convention

ORDER = 4  # unless another is chosen
LONGEST_ORDER = 6
_LENGTHS = 2  # fields before the matches


def fields_of(order: int) -> tuple[str, ...]:
    """Return the names of the statistics of n-grams up to an order."""
    orders = range(1, order + 1)
    return ("hyp_len", "ref_len", *(f"correct{n}" for n in orders), *(f"total{n}" for n in orders))


def _precision_names(order: int) -> tuple[str, ...]:
    return tuple(f"p{n}" for n in range(1, order + 1))


def _order_of(statistics: StatArray) -> int:
    """Return the longest n-grams that statistics of shape ``(..., 2 + 2 N)`` count."""
    return int(statistics.shape[-1] - _LENGTHS) // 2


def _matches(statistics: StatArray) -> FloatArray:
    """Return matches by order, shape ``(..., N)``."""
    return statistics[..., _LENGTHS : _LENGTHS + _order_of(statistics)].astype(float)


def _totals(statistics: StatArray) -> FloatArray:
    """Return n-grams of the hypothesis by order, shape ``(..., N)``."""
    return statistics[..., _LENGTHS + _order_of(statistics) :].astype(float)


@dataclass(frozen=True)
class BleuScorer(TokenScorer):
    """Clipped n-gram matches against a test set's references; subclasses compute scores from the sums.

    Parameters
    ----------
    order
        Longest n-grams to count, N.
    """

    order: int

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Return lengths of hypothesis and closest reference, matches and totals of n hypotheses, ``(n, 2 + 2 N)``."""
        segments = np.asarray(segment_ids, dtype=np.int64)
        tokens = self.references.read(hypotheses)
        lengths = tokens.lengths
        closest = self.references.closest_lengths(segments, lengths)
        matches = clipped_matches(tokens, segments, self.references.tokens, self.references.segment_starts, self.order)
        return np.column_stack([lengths, closest, matches, ngram_counts(lengths, self.order)])

    def explain(self, segment_id: int, hypothesis: str) -> NgramMatches:
        """Return the n-grams of one hypothesis that count; their numbers equal those of ``statistics``."""
        return matched_ngrams(self.references.cut(hypothesis), self.references.of_segment(segment_id), self.order)

    def corpus_parts(self, statistics: StatArray) -> dict[str, FloatArray]:
        """Return precisions in percent, brevity penalty, length ratio and lengths in tokens, as in sacreBLEU.

        Parameters
        ----------
        statistics
            Sums, shape ``(…, fields)``; each part has the shape ``(…)``.
        """
        hypothesis = statistics[..., 0].astype(float)
        reference = statistics[..., 1].astype(float)
        precisions = np.moveaxis(self._corpus_precisions(statistics), -1, 0)
        parts: dict[str, FloatArray] = dict(zip(_precision_names(self.order), precisions, strict=True))
        parts["bp"] = _brevity_penalty(statistics)
        parts["ratio"] = ratio(hypothesis, reference, 0.0)
        parts["hyp_len"] = hypothesis
        parts["ref_len"] = reference
        return parts

    def _corpus_precisions(self, statistics: StatArray) -> FloatArray:
        """Return precisions of a corpus in percent, shape ``(..., N)``."""
        return ratio(100 * _matches(statistics), _totals(statistics), 0.0)


@dataclass(frozen=True)
class SacreBleuScorer(BleuScorer):
    """BLEU with sacreBLEU's smoothing (Chen and Cherry 2014) and special cases.

    Parameters
    ----------
    smooth_method
        ``none``, ``floor``, ``add-k`` or ``exp``.
    smooth_value
        What ``floor`` substitutes for zero matches, and ``add-k`` adds to counts above unigrams.
    effective_order
        Whether corpus scores ignore orders longer than any hypothesis. Segment scores always do.
    """

    smooth_method: str
    smooth_value: float
    effective_order: bool

    def score(self, statistics: StatArray) -> FloatArray:
        """Return corpus BLEU in percent, shape ``(...)``; 0 if nothing matches."""
        if self.smooth_method != "add-k":
            plain = _plain_score(statistics)
            if plain is not None:
                return 100 * plain
        return self._score(statistics, self.effective_order)

    def exchanged_differences(
        self, baseline: StatArray, system: StatArray, of_system: FloatArray, of_both: FloatArray
    ) -> FloatArray | None:
        """Return differences of two systems' scores after exchanges, as ``ScoresExchanges``."""
        if self.smooth_method == "add-k":
            return None
        return _plain_differences(baseline, system, of_system, of_both)

    def segment_score(self, statistics: StatArray) -> FloatArray:
        """Return segment BLEU in percent over the orders that the hypothesis has, shape ``(...)``."""
        return self._score(statistics, True)

    def submetrics(self, statistics: StatArray) -> FloatArray:
        """Return smoothed precisions in percent and the brevity penalty, shape ``(..., N + 1)``."""
        precisions, _ = self._precisions(statistics)
        return np.concatenate([precisions, _brevity_penalty(statistics)[..., None]], axis=-1)

    def _score(self, statistics: StatArray, effective_order: bool) -> FloatArray:
        """Return BLEU in percent: the brevity penalty times the geometric mean of the precisions.

        With the effective order, orders without n-grams are left out; otherwise the score is 0 if there are any.
        """
        precisions, is_reached = self._precisions(statistics)
        n_orders: IntArray | np.int64 = np.int64(self.order)
        log_without_ngrams = -np.inf
        if effective_order:
            n_orders = np.maximum(is_reached.sum(axis=-1), 1)
            log_without_ngrams = 0.0
        logs = np.where(is_reached, _log(precisions), log_without_ngrams)
        score: FloatArray = _brevity_penalty(statistics) * np.exp(logs.sum(axis=-1) / n_orders)
        return np.where(_has_match(statistics), score, 0.0)

    def _corpus_precisions(self, statistics: StatArray) -> FloatArray:
        precisions, _ = self._precisions(statistics)
        return precisions

    def _precisions(self, statistics: StatArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
        """Return precisions in percent, and whether each order comes before the first one without n-grams."""
        matches = _matches(statistics)
        totals = _totals(statistics)
        if self.smooth_method == "add-k":
            matches[..., 1:] += self.smooth_value
            totals[..., 1:] += self.smooth_value
        is_reached = np.logical_and.accumulate(totals > 0, axis=-1)
        is_smoothed = is_reached & (matches == 0)
        if self.smooth_method == "exp":
            matches[is_smoothed] = 0.5 ** is_smoothed.cumsum(axis=-1)[is_smoothed]
        elif self.smooth_method == "floor":
            matches[is_smoothed] = self.smooth_value
        is_counted = is_reached & _has_match(statistics)[..., None]
        return np.where(is_counted, ratio(100 * matches, totals), 0.0), is_reached


class JBleuScorer(BleuScorer):
    """BLEU as jBLEU in MultEval 0.5.1 computes it (after mteval-v13a): one rule for corpus and segment.

    An order without n-grams counts as fully matched; the first order without a match counts half a match, the second a
    quarter, and so on. Only an empty hypothesis scores 0, if its reference is not empty.
    """

    def score(self, statistics: StatArray) -> FloatArray:
        """Return BLEU in percent, shape ``(...)``."""
        score = _plain_score(statistics)
        if score is None:
            score = self.submetrics(statistics)[..., self.order - 1]
        return 100 * np.clip(score, 0.0, 1.0)

    def exchanged_differences(
        self, baseline: StatArray, system: StatArray, of_system: FloatArray, of_both: FloatArray
    ) -> FloatArray | None:
        """Return differences of two systems' scores after exchanges, as ``ScoresExchanges``."""
        return _plain_differences(baseline, system, of_system, of_both)

    def submetrics(self, statistics: StatArray) -> FloatArray:
        """Return BLEU over the first one to N orders and the brevity penalty, from 0 to 1, shape ``(..., N + 1)``.

        The second is not bigram precision: it is the brevity penalty times the N-th root of p1 times p2.
        """
        matches = _matches(statistics)
        totals = _totals(statistics)
        is_smoothed = (totals > 0) & (matches == 0)
        matches[is_smoothed] = 0.5 ** is_smoothed.cumsum(axis=-1)[is_smoothed]
        logs = np.where(totals > 0, _log(ratio(matches, totals, 0.0)), 0.0)
        penalty = _brevity_penalty(statistics)[..., None]
        of_first_orders = penalty * np.exp(1 / self.order * logs.cumsum(axis=-1))
        return np.concatenate([of_first_orders, penalty], axis=-1)


def _plain_score(statistics: StatArray) -> FloatArray | None:
    """Return BLEU by its definition, from 0 to 1, shape ``(...)``; None if an order of some sum has no match.

    Compiled, because resampling depends on its speed. Only small test sets need the special cases.
    """
    # Shape (blocks, 2 + 2 N, sums of a block)
    columns = np.atleast_2d(statistics).swapaxes(-1, -2)
    n_blocks = prod(columns.shape[:-2])
    n_fields, n_sums = columns.shape[-2:]
    sums = np.ascontiguousarray(columns.reshape(n_blocks, n_fields, n_sums), dtype=np.float64)
    score: FloatArray = np.empty((n_blocks, n_sums))
    penalty = np.empty_like(score)
    kernel = plain_scores if _order_of(statistics) == ORDER else plain_scores_of_any_order
    all_match, any_short = kernel(sums, score, penalty)
    if not all_match:
        return None
    if any_short:
        score *= np.exp(penalty, out=penalty)
    return score.reshape(statistics.shape[:-1])


def _plain_differences(
    baseline: StatArray, system: StatArray, of_system: FloatArray, of_both: FloatArray
) -> FloatArray | None:
    """Return the differences of ``ScoresExchanges``, in percent; None if some score is not plain."""
    n_chunks, n_fields, n_shuffles = baseline.shape
    if n_fields != _LENGTHS + 2 * ORDER:
        return None
    differences = np.empty((n_chunks, n_shuffles))
    if not exchanged_differences(baseline, system, of_system, of_both, differences):
        return None
    return differences


def _brevity_penalty(statistics: StatArray) -> FloatArray:
    """Return values from 0 to 1, shape ``(...)``; 0 for an empty hypothesis with a nonempty reference."""
    penalty = np.empty(statistics.shape[:-1])
    with np.errstate(divide="ignore", invalid="ignore"):  # empty hypothesis
        np.divide(statistics[..., 1], statistics[..., 0], out=penalty)
    np.subtract(1, penalty, out=penalty)
    np.fmin(penalty, 0.0, out=penalty)  # with an empty reference, NaN becomes 1
    return np.exp(penalty, out=penalty)


def _has_match(statistics: StatArray) -> npt.NDArray[np.bool_]:
    """Return whether any n-gram matches, shape ``(...)``."""
    return np.asarray(np.logical_or.reduce(_matches(statistics) > 0, axis=-1))


def _log(values: FloatArray) -> FloatArray:
    """Return logarithms, -inf of 0."""
    with np.errstate(divide="ignore"):  # the exponential of -inf is 0 again
        return np.log(values)


_SMOOTHING_VALUES = {"exp": 0.0, "none": 0.0, "floor": 0.1, "add-k": 1.0}  # sacreBLEU's; two methods have no value
_MAX_ORDER = integer("max_order", "Longest n-grams", "Count sequences of up to this many tokens.", 1, LONGEST_ORDER)
_FURTHER_OPTIONS = (
    LOWERCASE,
    Option("smooth_method", "choice", "Smoothing", "Replaces a zero precision.", choices=tuple(_SMOOTHING_VALUES)),
    Option("smooth_value", "number", "Smoothing value", "For floor (default 0.1) and add-k (default 1).", minimum=0),
    Option("effective_order", "flag", "Effective order", "Ignore orders longer than any output in corpus scores too."),
)
_SP_MODELS = ("flores200", "flores101", "spBLEU-1K")


class AnyBleu(Usual):
    """What all versions of BLEU share."""

    key: str
    max_order: int

    @property
    def name(self) -> str:
        """``BLEU`` or ``spBLEU``, with the order unless it is 4."""
        name = "spBLEU" if self.key == SP_KEY else "BLEU"
        return name if self.max_order == ORDER else f"{name}-{self.max_order}"

    @property
    def fields(self) -> tuple[str, ...]:
        """Lengths, matches and totals."""
        return fields_of(self.max_order)


KEY = "bleu"
SP_KEY = "spbleu"


@dataclass(frozen=True)
class Bleu(AnyBleu):
    """BLEU with sacreBLEU's statistics, scores, signature and options.

    ``bleu``, ``bleu-2`` and ``spbleu`` are one metric with different defaults, so ``key`` is an option too.
    """

    key: str = KEY
    tokenize: str = "13a"
    lowercase: bool = False
    max_order: int = ORDER
    smooth_method: str = "exp"
    smooth_value: float | None = None
    effective_order: bool = False

    @property
    def submetric_names(self) -> tuple[str, ...]:  # type: ignore[override]  # never written
        """Precisions by order, and the brevity penalty."""
        return (*_precision_names(self.max_order), "bp")

    def signature(self) -> str:
        """Return sacreBLEU's signature without the number of references, plus the order unless it is 4."""
        options = asdict(self)
        del options["key"], options["max_order"]
        signature = sacrebleu_signature(sacrebleu.BLEU(**options))
        if self.max_order != ORDER:
            signature = f"order:{self.max_order}|{signature}"
        return signature

    def prepare(self, test_set: TestSet) -> Scorer:
        """Tokenize the references.

        Raises
        ------
        MissingDependencyError
            If the tokenizer needs a missing package or file.
        """
        tokenize = sacrebleu_tokenizer(self.tokenize, self.lowercase)
        value = self.smooth_value
        if value is None:
            value = _SMOOTHING_VALUES[self.smooth_method]
        references = TokenizedReferences.of(test_set.references, tokenize)
        return SacreBleuScorer(references, self.max_order, self.smooth_method, value, self.effective_order)


@dataclass(frozen=True)
class JBleu(AnyBleu):
    """BLEU of tokenized text as MultEval 0.5.1 computes it with jBLEU, whose order is 4.

    An empty segment has no tokens here; MultEval counts one.
    """

    key: str = KEY
    lowercase: bool = False
    max_order: int = ORDER

    @property
    def submetric_names(self) -> tuple[str, ...]:  # type: ignore[override]  # never written
        """BLEU over the first orders, and the brevity penalty."""
        return (*(f"bleu{n}p" for n in range(1, self.max_order + 1)), "brevity")

    def signature(self) -> str:
        """Return a signature like sacreBLEU's that names MultEval's tokenization and smoothing."""
        case = "lc" if self.lowercase else "mixed"
        signature = f"case:{case}|eff:no|tok:multeval|smooth:jbleu|version:mteval-{__version__}"
        if self.max_order != ORDER:
            signature = f"order:{self.max_order}|{signature}"
        return signature

    def prepare(self, test_set: TestSet) -> Scorer:
        """Split the references."""
        references = TokenizedReferences.of(test_set.references, multeval_tokenizer(self.lowercase))
        return JBleuScorer(references, self.max_order)


def _built(key: str, convention: Convention, lowercase: bool, max_order: int = ORDER, **options: Any) -> Bleu | JBleu:
    """Return BLEU as a convention computes it."""
    if convention == "multeval":
        return JBleu(key, lowercase, max_order)
    return Bleu(key, lowercase=lowercase, max_order=max_order, **options)


def _built_sp(convention: Convention, **options: Any) -> Bleu:
    """Return spBLEU, which cuts any text by its own model, whatever the convention."""
    return Bleu(SP_KEY, **options)


_FIXED = ("tokenize", "smooth_method", "smooth_value", "effective_order")
_SOURCE = "Papineni, Roukos, Ward and Zhu 2002, ACL"
_RANGE = ScoreRange(0, 100)


def _of_order(order: int) -> MetricSpec:
    """Return the registry entry of BLEU up to an order that its name has."""
    sequences = f"Share of sequences of up to {counted(order, 'word')}"
    seen = "exact words and local order, but no synonyms, inflection or meaning"
    if order == 1:
        sequences = "Share of single words"
        seen = "exact words, but no order, synonyms, inflection or meaning"
    return described(
        Bleu,
        f"{sequences} in the output that also occur in a reference, with a penalty for short outputs. It sees {seen}.",
        _RANGE,
        _SOURCE,
        (TOKENIZE, *_FURTHER_OPTIONS),
        fixed=_FIXED,
        build=partial(_built, f"{KEY}-{order}", max_order=order),
        key=f"{KEY}-{order}",
        name=f"BLEU-{order}",
    )


SPEC = described(
    Bleu,
    "Share of one- to four-word sequences in the output that also occur in a reference, with a penalty for short"
    " outputs. It sees exact words and local order, but no synonyms, inflection or meaning.",
    _RANGE,
    _SOURCE,
    (TOKENIZE, LOWERCASE, _MAX_ORDER, *_FURTHER_OPTIONS[1:]),
    fixed=_FIXED,
    build=partial(_built, KEY),
    key=KEY,
    name="BLEU",
)
OTHER_ORDERS = tuple(_of_order(order) for order in range(1, LONGEST_ORDER + 1) if order != ORDER)
SPBLEU = described(
    Bleu,
    "BLEU over pieces of words from one model for 200 languages, so no tokenizer per language is needed. It sees"
    " exact pieces and local order, but no synonyms or meaning.",
    _RANGE,
    "Goyal et al. 2022, TACL; NLLB Team 2022",
    (
        choice("tokenize", "Model", "SentencePiece model of Flores-200, Flores-101 or 1,000 languages.", *_SP_MODELS),
        *_FURTHER_OPTIONS,
    ),
    usual={"tokenize": _SP_MODELS[0]},
    multeval={"tokenize": _SP_MODELS[0]},
    fixed=(),
    build=_built_sp,
    key=SP_KEY,
    name="spBLEU",
)
