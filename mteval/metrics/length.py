"""Length: hypothesis over reference length in percent, which shows what brevity does to other metrics."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mteval._version import __version__
from mteval.base.arrays import IntArray
from mteval.metrics.base import Scorer, ScoreRange
from mteval.metrics.means import RatioScorer
from mteval.metrics.options import TOKENIZE, Tokenized, described
from mteval.metrics.text.references import TokenizedReferences
from mteval.values.model import TestSet
from mteval.values.notation import Notation


@dataclass(frozen=True)
class Length(Tokenized):
    """Tokens of the hypothesis in percent of those of the reference that comes closest, of two the shorter.

    On a test set without references they are percent of the source's, as ``nrefs:0`` says in the signature.

    Neither direction is better, 100 is as long as the references. ``higher_is_better`` is true as in MultEval, so that
    differences keep their sign.
    """

    key: ClassVar[str] = "length"
    name: ClassVar[str] = "Length"
    fields: ClassVar[tuple[str, ...]] = ("hyp_len", "ref_len")
    reads: ClassVar[tuple[str, ...]] = ("references", "source")

    def signature(self) -> str:
        """The tokenizer and the choice of the reference, in the form of sacreBLEU's signatures."""
        return f"tok:{self.tokenizer_name}|ref:closest|version:mteval-{__version__}"

    def lacks(self, test_set: TestSet) -> str:
        """That there is neither a reference nor a source to compare with; empty where there is one of them."""
        if test_set.has_references or test_set.source is not None:
            return ""
        return (
            f"Length compares outputs with references, or with sources where there are none, and test set"
            f" '{test_set.name}' has neither. Add one of the two, or leave Length out."
        )

    def prepare(self, test_set: TestSet) -> Scorer:
        """Tokenize the references, or the sources where there are none; raises as ``tokenizer``."""
        texts = test_set.references if test_set.has_references else [(text,) for text in test_set.source or ()]
        return LengthScorer(TokenizedReferences.of(texts, self.tokenizer(lowercase=False)))


class LengthScorer(RatioScorer):
    """Token counts beside those of the references of a test set; NaN where the reference is empty."""

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> IntArray:
        """Lengths of n hypotheses and of their closest references, shape ``(n, 2)``."""
        lengths = self.references.read(hypotheses).lengths
        closest = self.references.closest_lengths(np.asarray(segment_ids, dtype=np.int64), lengths)
        return np.column_stack([lengths, closest])


SPEC = described(
    Length,
    "The hypotheses' number of tokens in percent of their references', or of their sources' where there are no"
    " references. It sees whether a system says too much"
    " or too little, and nothing of what it says; neither direction is better.",
    ScoreRange(0, None, "100 is as long as the references"),
    "Clark, Dyer, Lavie and Smith 2011, ACL (MultEval)",
    (TOKENIZE,),
    notation=Notation("", unit="%"),
)
