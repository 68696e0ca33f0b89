"""What is right or wrong beside words: required terms, and kinds of outputs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from mteval.analysis.segments.table import pieces_of
from mteval.analysis.words.groupings import Counted, between
from mteval.base.arrays import FloatArray
from mteval.values.model import TestSet

Terms = Mapping[str, Sequence[str]]  # accepted translations of each source term


def joined_words(text: str) -> str:
    """Return a text with each word between two spaces, ignoring case; words cannot be cut in two by a search."""
    return "".join(f" {piece} " for piece in pieces_of(text.casefold()) if not piece.isspace())


def term_accuracy(test_set: TestSet, systems: Sequence[str], terms: Terms) -> Counted:
    """Count the required terms that outputs have.

    A term is required as often as it occurs in the source; without a source, as its translations occur in the reference
    with most of them.

    Returns
    -------
    The terms that occur, and counts ``(runs, segments, 1, 3)`` of each system: found, and twice required.
    """
    required = required_terms(test_set, terms)
    variants = {term: _variants(terms, term) for here in required for term in here}

    @cache
    def found(segment: int, text: str) -> int:
        words = joined_words(text) if required[segment] else ""
        return sum(min(n, sum(map(words.count, variants[term]))) for term, n in required[segment].items())

    counts = {}
    totals = np.array([sum(here.values()) for here in required])
    for system in systems:
        rows = [
            np.mean([[found(*cell) for cell in enumerate(one.hypotheses)] for one in run.decodings], axis=0)
            for run in test_set.runs_of(system)
        ]
        matches = np.stack(rows)
        whole = np.broadcast_to(totals, matches.shape)
        counts[system] = np.stack([matches, whole, whole], axis=-1)[:, :, np.newaxis]
    return tuple(variants), counts


def _variants(terms: Terms, term: str) -> set[str]:
    return {joined_words(variant) for variant in terms[term]} - {""}


def required_terms(test_set: TestSet, terms: Terms) -> list[Counter[str]]:
    """Return how often each segment requires each term; terms that it does not require are left out."""
    streams: Sequence[Sequence[str]] = test_set.references
    wanted = {term: _variants(terms, term) for term in terms}
    if test_set.source is not None:
        streams, wanted = [(text,) for text in test_set.source], {term: {joined_words(term)} - {""} for term in terms}
    found = []
    for texts in (list(map(joined_words, of_segment)) for of_segment in streams):
        counts = {term: max((sum(map(text.count, some)) for text in texts), default=0) for term, some in wanted.items()}
        found.append(+Counter(counts))
    return found


def output_shares(values: Mapping[str, FloatArray], edges: Sequence[float], is_whole: bool = True) -> Counted:
    """Count outputs by a value of each, e.g. its score or its length less that of the reference.

    Parameters
    ----------
    values
        Of each system's outputs, shape ``(runs, segments)``.
    edges
        Where groups start.
    is_whole
        Whether values are whole numbers.

    Returns
    -------
    Names of the groups with any output, and counts ``(runs, segments, groups, 3)``: whether the output is in the group,
    and twice 1.
    """
    names, n_groups = between(edges, is_whole), len(edges) + 1
    inside = {
        system: np.searchsorted(edges, of_runs, side="right")[..., np.newaxis] == np.arange(n_groups)
        for system, of_runs in values.items()
    }
    kept = np.flatnonzero(np.any([one.any(axis=(0, 1)) for one in inside.values()], axis=0))
    counts = {
        system: np.stack([one[..., kept], *[np.ones_like(one[..., kept])] * 2], axis=-1).astype(np.int64)
        for system, one in inside.items()
    }
    return tuple(names[place] for place in kept), counts
