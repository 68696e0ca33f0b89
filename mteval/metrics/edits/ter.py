"""TER (Snover et al. 2006) as sacreBLEU and tercom 0.8.0 (for MultEval) compute it, with its edits.

WER and CER as jiwer computes them.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np
import sacrebleu

from mteval._version import __version__
from mteval.base.arrays import FloatArray, Int32Array, IntArray, StatArray
from mteval.base.errors import SettingsError
from mteval.metrics.base import Option, OptionValue, Scorer, ScoreRange, Usual, choice, integer
from mteval.metrics.edits.distance_kernels import (
    DELETION,
    INSERTION,
    Rules,
    Table,
    least_distances,
    limited_distance,
)
from mteval.metrics.edits.ter_kernels import fewest_edits, logged_edits
from mteval.metrics.explanation import EDIT_KINDS, EditKind, EditPath, Step, Tokens
from mteval.metrics.options import (
    LOWERCASE,
    TOKENIZE,
    RatioScorer,
    TokenMetric,
    TokenScorer,
    described,
    percent,
    sacrebleu_signature,
)
from mteval.metrics.text.ngrams import Tokenize, TokenizedReferences
from mteval.metrics.text.text_kernels import UNKNOWN
from mteval.metrics.text.tokenizers import sacrebleu_ter_tokenizer, tercom_tokenizer, to_characters, without_punctuation
from mteval.values.model import TestSet

Algorithm = Literal["sacrebleu", "tercom"]

_BEAM_WIDTH = 20
_MAX_SHIFT_DISTANCE = 50
# Options that an algorithm does not have, with their default values
_FOREIGN: Mapping[Algorithm, Mapping[str, OptionValue]] = {
    "sacrebleu": {"beam_width": _BEAM_WIDTH, "max_shift_distance": _MAX_SHIFT_DISTANCE},
    "tercom": {"normalized": False, "asian_support": False},
}
_NO_PUNCT = Option("no_punct", "flag", "No punctuation", "Remove punctuation from both sides.")
_OPTIONS = (
    choice("algorithm", "Algorithm", "Whose search for shifts to reproduce.", "sacrebleu", "tercom"),
    Option("case_sensitive", "flag", "Case sensitive", "Distinguish upper and lower case."),
    _NO_PUNCT,
    Option("normalized", "flag", "Normalize", "Split off punctuation and decode XML entities (sacrebleu only)."),
    Option(
        "asian_support", "flag", "Asian support", "Treat Chinese and Japanese characters specially (sacrebleu only)."
    ),
    integer("beam_width", "Beam width", "Prune paths this many edits above the best (tercom only).", 0),
    integer("max_shift_distance", "Longest shift", "How far a span may move, in words (tercom only).", 0),
)


@dataclass(frozen=True)
class Ter(Usual):
    """Translation edit rate: words deleted, inserted, substituted, and spans shifted, in percent of the reference
    words.

    Of several references, the one with fewest edits counts; the denominator is their mean length.

    Parameters
    ----------
    algorithm
        ``sacrebleu`` (sacreBLEU's edits and scores) or ``tercom`` (edits of tercom 0.8.0 as MultEval runs it). MultEval
        truncates the mean length of several references to an integer; this is not copied.
    normalized, no_punct, asian_support, case_sensitive
        As in sacreBLEU. ``tercom`` has only ``no_punct`` (MultEval's ``ter.punctuation true``) and ``case_sensitive``.
    beam_width, max_shift_distance
        tercom's limits; sacreBLEU's are fixed.

    Raises
    ------
    SettingsError
        If an option is set that the algorithm does not have.
    """

    algorithm: Algorithm = "sacrebleu"
    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    beam_width: int = _BEAM_WIDTH
    max_shift_distance: int = _MAX_SHIFT_DISTANCE

    key: ClassVar[str] = "ter"
    name: ClassVar[str] = "TER"
    higher_is_better: ClassVar[bool] = False
    fields: ClassVar[tuple[str, ...]] = ("edits", "ref_len")

    def __post_init__(self) -> None:
        for option, default in _FOREIGN[self.algorithm].items():
            value = getattr(self, option)
            if value != default:
                message = f"TER: algorithm '{self.algorithm}' has no option '{option}' (found {value!r})."
                raise SettingsError(f"{message} Remove it or choose the other algorithm.")

    def signature(self) -> str:
        """Return sacreBLEU's signature without the number of references, or its equivalent for tercom."""
        if self.algorithm == "sacrebleu":
            metric = sacrebleu.TER(
                normalized=self.normalized,
                no_punct=self.no_punct,
                asian_support=self.asian_support,
                case_sensitive=self.case_sensitive,
            )
            return sacrebleu_signature(metric)
        case = "mixed" if self.case_sensitive else "lc"
        punctuation = "no" if self.no_punct else "yes"
        limits = f"beam:{self.beam_width}|dist:{self.max_shift_distance}"
        return f"case:{case}|tok:split|punct:{punctuation}|{limits}|version:tercom-0.8.0"

    def prepare(self, test_set: TestSet) -> Scorer:
        """Split the references into words."""
        if self.algorithm == "tercom":
            tokenizer = tercom_tokenizer(self.no_punct, self.case_sensitive)
        else:
            tokenizer = sacrebleu_ter_tokenizer(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)
        return TerScorer(TokenizedReferences.of(test_set.references, tokenizer), self)


class EditScorer(TokenScorer):
    """Edits against a test set's references, and mean reference lengths.

    Both statistics are multiplied by the references' ``scale``, so mean lengths are integers and sums are exact.
    """

    edit_kinds: tuple[EditKind, ...] = EDIT_KINDS[1:]  # substitutions, insertions, deletions and shifts

    @property
    @abstractmethod
    def rules(self) -> tuple[bool, int, int]:
        """Limits of the search, the fields of ``Rules``."""

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Return edits of n hypotheses to their nearest references and mean reference lengths, shape ``(n, 2)``."""
        segments = np.asarray(segment_ids, dtype=np.int64)
        edits = self.least_edits(segments, hypotheses)
        return np.column_stack([edits * self.references.scale, self.references.mean_lengths(segments)])

    def edit_counts(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Return edits of n hypotheses by kind, shape ``(n, kinds)``."""
        by_kind: IntArray = np.empty((len(hypotheses), 4), dtype=np.int64)
        fewest_edits(*self._numbered(np.asarray(segment_ids, dtype=np.int64), hypotheses), Rules(*self.rules), by_kind)
        return by_kind[:, : len(self.edit_kinds)]

    def least_edits(self, segments: IntArray, hypotheses: Sequence[str]) -> IntArray:
        """Return edits of n hypotheses to their nearest references, shape ``(n,)``."""
        not_by_kind = np.empty((0, 4), dtype=np.int64)
        return fewest_edits(*self._numbered(segments, hypotheses), Rules(*self.rules), not_by_kind)

    def _numbered(
        self, segments: IntArray, hypotheses: Sequence[str]
    ) -> tuple[Int32Array, IntArray, Int32Array, IntArray, IntArray, int]:
        """Return hypotheses and references as numbers of words, as ``fewest_edits`` takes them."""
        words = self.references.read(hypotheses)
        # First reference of each hypothesis and the one after its last, shape (n, 2)
        segment_starts = self.references.segment_starts
        reference_range = np.column_stack([segment_starts[segments], segment_starts[segments + 1]])
        return (
            words.items,
            words.starts,
            self.references.tokens.items,
            self.references.tokens.starts,
            reference_range,
            len(self.references.vocabulary),
        )

    def explain(self, segment_id: int, hypothesis: str) -> EditPath:
        """Return the edits of one hypothesis to its nearest reference; their number equals that of ``statistics``."""
        return nearest_path(self.references.cut(hypothesis), self.references.of_segment(segment_id), self.rules)


@dataclass(frozen=True)
class TerScorer(EditScorer):
    """TER against a test set's references."""

    metric: Ter

    @property
    def rules(self) -> tuple[bool, int, int]:
        """Limits of the algorithm."""
        return self.metric.algorithm == "tercom", self.metric.beam_width, self.metric.max_shift_distance

    def score(self, statistics: StatArray) -> FloatArray:
        """Return edits in percent of the reference words, shape ``(..., 2)`` to ``(...)``.

        If all references are empty, sacreBLEU gives 100 for any edits and 0 for none; under tercom the rate is NaN.
        """
        edits = statistics[..., 0]
        length = statistics[..., 1]
        if self.metric.algorithm == "sacrebleu":
            return percent(edits, length, np.where(edits > 0, 1.0, 0.0))
        return percent(edits, length, np.nan)


class DistanceScorer(EditScorer, RatioScorer):
    """Levenshtein distance in tokens, and mean reference lengths; both times the references' ``scale``."""

    edit_kinds = EDIT_KINDS[1:-1]  # substitutions, insertions and deletions
    rules = True, 1 << 20, -1  # a beam wider than any segment; no span may move

    def least_edits(self, segments: IntArray, hypotheses: Sequence[str]) -> IntArray:
        """Return the same without a search for shifts, in a fifth of the time."""
        return least_distances(*self._numbered(segments, hypotheses))


@dataclass(frozen=True)
class Wer(TokenMetric):
    """Word error rate: words inserted, deleted and substituted, in percent of the reference's words.

    Of several references, the one with fewest errors counts; the denominator is their mean length. As in TER, so the
    difference between the two is what shifts save.

    Parameters
    ----------
    no_punct
        Whether to remove what Unicode calls punctuation before the text is cut into words.
    """

    tokenize: str = "none"
    no_punct: bool = False

    key: ClassVar[str] = "wer"
    name: ClassVar[str] = "WER"
    higher_is_better: ClassVar[bool] = False
    fields: ClassVar[tuple[str, ...]] = ("errors", "ref_len")
    rules: ClassVar[str] = "ref:fewest-errors|len:mean"
    scorer: ClassVar[type[TokenScorer]] = DistanceScorer

    def signature(self) -> str:
        """Return case, tokenizer, whether punctuation is removed, and the rules, in sacreBLEU's format."""
        return _with_punctuation(super().signature(), self.no_punct)

    def tokenizer(self, lowercase: bool) -> Tokenize:
        """Return the function that cuts texts into words. Raises as that of ``Tokenized``."""
        tokenize = super().tokenizer(lowercase)
        if self.no_punct:
            return partial(without_punctuation, tokenize)
        return tokenize


@dataclass(frozen=True)
class Cer(Usual):
    """Character error rate: characters inserted, deleted and substituted, in percent of the reference's characters.

    White space counts as characters, but not at either end. Several references count as in WER.

    Parameters
    ----------
    lowercase
        Whether to ignore case.
    no_punct
        Whether to remove what Unicode calls punctuation, and all but one of neighbouring spaces.
    """

    lowercase: bool = False
    no_punct: bool = False

    key: ClassVar[str] = "cer"
    name: ClassVar[str] = "CER"
    higher_is_better: ClassVar[bool] = False
    fields: ClassVar[tuple[str, ...]] = ("errors", "ref_len")

    def signature(self) -> str:
        """Return case, tokens, whether punctuation is removed, and the rules, in sacreBLEU's format."""
        case = "lc" if self.lowercase else "mixed"
        signature = f"case:{case}|tok:characters|{Wer.rules}|version:mteval-{__version__}"
        return _with_punctuation(signature, self.no_punct)

    def prepare(self, test_set: TestSet) -> Scorer:
        """Read the references as characters."""
        tokenize = partial(to_characters, self.lowercase, self.no_punct)
        return DistanceScorer(TokenizedReferences.of(test_set.references, tokenize))


def _with_punctuation(signature: str, no_punct: bool) -> str:
    """Return a signature that says that punctuation is removed, if it is."""
    return signature.replace("|version:", "|punct:no|version:") if no_punct else signature


SPEC = described(
    Ter,
    "Edits needed to turn an output into its nearest reference, as a percentage of the reference's words; moving a"
    " phrase counts as one edit. It sees word order and omissions, but no synonyms, and favours short outputs.",
    ScoreRange(0, None, "100: as many edits as the reference has words"),
    "Snover, Dorr, Schwartz, Micciulla and Makhoul 2006, AMTA",
    _OPTIONS,
    multeval={"algorithm": "tercom"},
)
WER = described(
    Wer,
    "Words to insert, delete or replace to turn an output into its nearest reference, as a percentage of the"
    " reference's words. It sees word order but counts a moved phrase word by word, and sees no synonyms or meaning.",
    ScoreRange(0, None, "100: as many errors as the reference has words"),
    "Levenshtein 1966; in translation Nießen, Och, Leusch and Ney 2000, LREC",
    (TOKENIZE, LOWERCASE, _NO_PUNCT),
)
CER = described(
    Cer,
    "Characters to insert, delete or replace to turn an output into its nearest reference, as a percentage of the"
    " reference's characters. It credits inflected forms in part, but counts moved words letter by letter.",
    ScoreRange(0, None, "100: as many errors as the reference has characters"),
    "Levenshtein 1966; for text recognition Rice 1996, UNLV",
    (LOWERCASE, _NO_PUNCT),
)


def nearest_path(words: Tokens, references: Sequence[Tokens], rules: tuple[bool, int, int]) -> EditPath:
    """Return the path to the reference with fewest edits (ties: the first)."""
    paths = [_path(words, reference, Rules(*rules)) for reference in references]
    return min(paths, key=lambda path: path.edits)


def _path(words: Tokens, reference: Tokens, rules: Rules) -> EditPath:
    """Return the path from a hypothesis to a reference."""
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(reference))}
    words_as_numbers = np.array([vocabulary.get(word, UNKNOWN) for word in words], dtype=np.int32)
    reference_as_numbers = np.array([vocabulary[word] for word in reference], dtype=np.int32)
    order = list(range(len(words)))  # original position of each word, after the shifts so far
    shifts = []
    if words and reference:
        # Every shift leaves fewer edits, and there are at most as many edits as words.
        log: IntArray = np.full((len(words) + len(reference), 5), -1, dtype=np.int64)
        logged_edits(words_as_numbers, reference_as_numbers, len(vocabulary), rules, log)
        for start, length, a, b, c in log[log[:, 1] > 0].tolist():
            shifts.append(tuple(order[start : start + length]))
            order = order[:a] + order[b:c] + order[a:b] + order[c:]
    steps = _steps(words_as_numbers, reference_as_numbers, order, rules)
    return EditPath(words, reference, tuple(shifts), tuple(steps))


def _steps(words: Int32Array, reference: Int32Array, order: list[int], rules: Rules) -> Iterator[Step]:
    """Return the matches and edits that remain in this order of words, from the start."""
    shifted = words
    if order:
        shifted = words[order]
    # How many words of each side are left; the walk starts at the end of both
    j = len(words)
    i = len(reference)
    table = Table(np.empty((2, i + 1), dtype=np.int32), np.empty((j + 1, i + 1), dtype=np.uint8))
    limited_distance(table, shifted, j, reference, i, rules)
    backwards = []
    while i > 0 or j > 0:
        if i == 0:
            move = INSERTION
        elif j == 0:
            move = DELETION
        else:
            move = table.moves[j, i]
        if move == INSERTION:  # the hypothesis's word has no counterpart
            j -= 1
            step = Step("insertion", hypothesis=order[j], reference=None)
        elif move == DELETION:  # the reference's word has none
            i -= 1
            step = Step("deletion", hypothesis=None, reference=i)
        else:
            j -= 1
            i -= 1
            kind: EditKind = "match" if shifted[j] == reference[i] else "substitution"
            step = Step(kind, hypothesis=order[j], reference=i)
        backwards.append(step)
    return reversed(backwards)
