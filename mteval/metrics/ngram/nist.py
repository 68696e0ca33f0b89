"""NIST (Doddington 2002), as in mteval-v13a: the information of matched n-grams, with a brevity penalty."""

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from mteval.base.arrays import FloatArray, StatArray
from mteval.metrics.base import ScoreRange
from mteval.metrics.explanation import NgramMatches
from mteval.metrics.ngram.nist_kernels import ORDER, Tree, matched_information
from mteval.metrics.ngram.unigrams import matched_ngrams
from mteval.metrics.options import TokenMetric, TokenScorer, described, ratio
from mteval.metrics.text.ngrams import Sequences, ngram_counts, trie_levels
from mteval.metrics.text.text_kernels import NOWHERE
from mteval.values.notation import Notation

_ORDERS = range(1, ORDER + 1)
_BETA = math.log(0.5) / math.log(1.5) ** 2  # penalty 0.5 at two thirds of the reference length


class NistScorer(TokenScorer):
    """Information of n-grams shared with a test set's references; the references also define the information weights.

    Statistics: for orders one to five, the information of matches, then the number of n-grams in the hypothesis; last,
    the mean reference length times ``references.scale``.
    """

    @cached_property
    def tree(self) -> Tree:
        """All n-grams of the references with their information."""
        return _tree_of(self.references.tokens, len(self.references.vocabulary))

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> FloatArray:
        """Return information, numbers of n-grams and reference lengths of n hypotheses, shape ``(n, 11)``."""
        segments = np.asarray(segment_ids, dtype=np.int64)
        tokens = self.references.read(hypotheses)
        information = matched_information(
            self.tree,
            tokens.items,
            tokens.starts,
            segments,
            np.argsort(segments, kind="stable"),
            self.references.tokens.items,
            self.references.tokens.starts,
            self.references.segment_starts,
        )
        totals = ngram_counts(tokens.lengths, ORDER)
        return np.column_stack([information, totals, self.references.mean_lengths(segments)])

    def score(self, statistics: StatArray) -> FloatArray:
        """Return corpus NIST, shape ``(..., 11)`` to ``(...)``; 0 if nothing matches."""
        return np.asarray(self._gains(statistics).sum(axis=-1) * self._penalty(statistics))

    def submetrics(self, statistics: StatArray) -> FloatArray:
        """Return information per n-gram of each order and the brevity penalty, shape ``(..., 6)``."""
        return np.concatenate([self._gains(statistics), self._penalty(statistics)[..., None]], axis=-1)

    def explain(self, segment_id: int, hypothesis: str) -> NgramMatches:
        """Return the n-grams of one hypothesis whose information counts."""
        return matched_ngrams(self.references.cut(hypothesis), self.references.of_segment(segment_id), ORDER)

    def _gains(self, statistics: StatArray) -> FloatArray:
        """Return information per n-gram of each order; 0 if there are no n-grams."""
        return ratio(statistics[..., :ORDER], statistics[..., ORDER : 2 * ORDER], otherwise=0.0)

    def _penalty(self, statistics: StatArray) -> FloatArray:
        """Return 1 from the references' length on, 0 for no words."""
        # exp(beta * log(min(1, hypothesis length / reference length)) ** 2)
        length = statistics[..., ORDER].astype(float) * self.references.scale
        reference_length = statistics[..., -1].astype(float)
        share = ratio(length, np.maximum(reference_length, length), otherwise=1.0)
        share = np.maximum(share, np.finfo(float).tiny)
        return np.asarray(np.exp(_BETA * np.log(share) ** 2))


def _tree_of(references: Sequences, n_vocabulary: int) -> Tree:
    """Return all n-grams up to ``ORDER`` of references whose words are numbers below ``n_vocabulary``."""
    # The longest n-gram that starts at each word, up to the end of its reference
    items = references.items
    starts = np.arange(items.size)
    ends = np.repeat(references.starts[1:], references.lengths)
    lengths = np.minimum(ends - starts, ORDER)

    # One node per n-gram, level by level; those of single words come first and have no parent.
    levels = list(trie_levels(items, starts, lengths, items.astype(np.int64), n_vocabulary))
    words = np.concatenate([np.arange(n_vocabulary), *(level.items for level in levels)])
    parents = np.concatenate([np.full(n_vocabulary, NOWHERE), *(level.parents for level in levels)])
    counts = np.concatenate([np.bincount(items, minlength=n_vocabulary), *(level.counts for level in levels)])

    # info(w1 ... wn) = log2(count(w1 ... wn-1) / count(w1 ... wn)); for one word, the number of all words
    counts_of_parents = np.where(parents == NOWHERE, items.size, counts[parents])
    information = np.log2(counts_of_parents / counts)
    # Nodes are in the order of their parents, so the children of a node begin where its number would be inserted.
    children = np.searchsorted(parents, np.arange(parents.size + 1))
    return Tree(words.astype(np.int32), children, information)


class Nist(TokenMetric):
    """NIST up to five words; several references clip counts as in BLEU and contribute their mean length."""

    key = "nist"
    name = "NIST"
    rules = f"order:{ORDER}|len:mean"
    fields = (*(f"info{n}" for n in _ORDERS), *(f"total{n}" for n in _ORDERS), "ref_len")
    submetric_names = (*(f"n{n}" for n in _ORDERS), "bp")
    scorer = NistScorer


SPEC = described(
    Nist,
    "Information in the output's one- to five-word sequences that occur in a reference, with a penalty for short"
    " outputs. Rare sequences count more; it sees no synonyms, inflection or meaning, and its weights depend on the"
    " test set.",
    ScoreRange(0, None, "usually 4 to 12"),
    "Doddington 2002, HLT (mteval-v13a)",
    notation=Notation("↑", decimals=3),
)
