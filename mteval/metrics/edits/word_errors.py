"""WER and PER: word errors in percent of the reference's words, with and without regard to their order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mteval.base.arrays import IntArray
from mteval.metrics.base import ScoreRange
from mteval.metrics.edits.beam_kernels import Rules
from mteval.metrics.edits.ter import EditScorer
from mteval.metrics.explanation import EDIT_KINDS
from mteval.metrics.means import RatioScorer
from mteval.metrics.options import TokenMetric, described


class WerScorer(EditScorer, RatioScorer):
    """Levenshtein's distance in words, and mean reference lengths; both times the references' ``scale``."""

    edit_kinds = EDIT_KINDS[1:-1]  # substitutions, insertions and deletions
    rules = Rules(is_tercom=True, beam=1 << 20, max_distance=-1)  # wider than any segment, and no span near enough


class PerScorer(RatioScorer):
    """Words without a partner, and mean reference lengths; both times the references' ``scale``."""

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Errors of n hypotheses and mean lengths of their references, shape ``(n, 2)``."""
        segments = np.asarray(segment_ids, dtype=np.int64)
        tokens = self.references.read(hypotheses)
        errors = np.full(segments.size, np.iinfo(np.int64).max)
        for chosen in self.references.in_turn(segments):
            longer = np.maximum(tokens.lengths, self.references.tokens.lengths[chosen])
            errors = np.minimum(errors, longer - self.references.matched_tokens(tokens, chosen))
        return np.column_stack([errors * self.references.scale, self.references.mean_lengths(segments)])


@dataclass(frozen=True)
class Wer(TokenMetric):
    """Word error rate: words inserted, deleted and substituted, in percent of the reference's words.

    Of several references the one with fewest errors counts, and the mean of their lengths: as in TER, so that the
    difference between the two is what moving spans saves.
    """

    key: ClassVar[str] = "wer"
    name: ClassVar[str] = "WER"
    higher_is_better: ClassVar[bool] = False
    fields: ClassVar[tuple[str, ...]] = ("errors", "ref_len")
    rules: ClassVar[str] = "ref:fewest-errors|len:mean"
    scorer = WerScorer


@dataclass(frozen=True)
class Per(TokenMetric):
    """Position-independent error rate: words of the longer side that the other lacks, in percent of the reference's.

    Several references as in ``Wer``.
    """

    key: ClassVar[str] = "per"
    name: ClassVar[str] = "PER"
    higher_is_better: ClassVar[bool] = False
    fields: ClassVar[tuple[str, ...]] = ("errors", "ref_len")
    rules: ClassVar[str] = "ref:fewest-errors|len:mean"
    scorer = PerScorer


_RANGE = ScoreRange(0, None, "100 is as many errors as the reference has words")

WER = described(
    Wer,
    "Words to be inserted, deleted or replaced so that a hypothesis becomes its nearest reference, in percent of the"
    " reference's words. It sees word order, though it counts a moved phrase word by word; it misses synonyms and"
    " meaning.",
    _RANGE,
    "Levenshtein 1966; in translation Nießen, Och, Leusch and Ney 2000, LREC",
)
PER = described(
    Per,
    "Words that a hypothesis and its nearest reference do not share, wherever they stand, in percent of the reference's"
    " words. It sees the choice of words and the length; it misses order, synonyms and meaning.",
    _RANGE,
    "Tillmann, Vogel, Ney, Zubiaga and Sawaf 1997, Eurospeech",
)
