"""What is right or wrong beside target words: source words through alignments, required terms, and kinds of outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from mteval.analysis.segments.table import pieces_of
from mteval.analysis.words.groupings import (
    LINES,
    Asked,
    Lines,
    between,
    check_lengths,
    classes_of,
    label_classes,
    labels_in,
    with_first_reference,
)
from mteval.analysis.words.texts import WordTexts, numbered
from mteval.base.arrays import FloatArray, StatArray
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.metrics.text.ngrams import Sequences, Tokenize
from mteval.values.model import TestSet


def source_accuracy(
    test_set: TestSet, systems: Sequence[str], asked: Asked, tokenize: Tokenize
) -> tuple[tuple[str, ...], dict[str, StatArray]]:
    """Count the source words that are translated correctly: all words of the reference aligned with them are matched.

    Source words without an alignment are not counted.

    Returns
    -------
    Names of the groups, and counts ``(runs, segments, groups, 3)`` of each system: correct words, and twice all words.

    Raises
    ------
    DataError
        If an alignment names a word that the source or the reference does not have.
    """
    source, lines = test_set.source or (), labels_in(test_set, asked.alignment)
    texts = WordTexts.of_test_set(with_first_reference(test_set), systems, LINES)
    words, numbers = numbered(LINES(source))
    if asked.by == "label":
        labels, of_labels = numbered(LINES(labels_in(test_set, asked.labels)))
        check_lengths(of_labels, numbers, "the source of segment", asked.labels)
        names, classes = label_classes(labels, of_labels.items, asked.cutoffs)
        groups = classes[of_labels.items]
    else:
        names, classes = classes_of(asked, words, numbers.items)
        groups = classes[numbers.items]
    links = _links(lines, numbers, texts.references)
    is_matched = np.zeros((len(texts.segments), texts.references.lengths.max(initial=0)), dtype=bool)
    starts, matched = texts.references.starts, texts.partners >= 0
    rows = texts.output_of[matched]
    is_matched[rows, texts.partners[matched] - starts[texts.chosen[rows]]] = True
    counts = np.zeros((len(texts.segments), len(names), 3), dtype=np.int64)
    of_segment = [np.flatnonzero(texts.segments == segment) for segment in range(len(source))]
    for segment, outputs in enumerate(of_segment):
        first = int(numbers.starts[segment])
        for word, targets in links[segment].items():
            group = groups[first + word]
            counts[outputs, group, 0] += is_matched[outputs][:, targets].all(axis=1)
            counts[outputs, group, 1:] += 1
    return names, texts.spread(counts)


def _links(lines: Lines, source: Sequences, references: Sequences) -> list[dict[int, list[int]]]:
    """Return the reference words aligned with each source word, per segment."""
    found = []
    lengths = zip(source.lengths.tolist(), references.lengths.tolist(), strict=True)
    for number, (line, (n_source, n_target)) in enumerate(zip(lines, lengths, strict=True), start=1):
        links: dict[int, list[int]] = {}
        for pair in line.split():
            word, _, target = pair.partition("-")
            if not (word.isdecimal() and target.isdecimal() and int(word) < n_source and int(target) < n_target):
                raise DataError(
                    f"Alignment of segment {number}: '{pair[:30]}' does not fit {counted(n_source, 'source word')} and"
                    f" {counted(n_target, 'reference word')}. Expected pairs such as 0-0, counted from 0."
                )
            links.setdefault(int(word), []).append(int(target))
        found.append(links)
    return found


Terms = Mapping[str, Sequence[str]]  # accepted translations of each source term


def joined_words(text: str) -> str:
    """Return a text with each word between two spaces, ignoring case; words cannot be cut in two by a search."""
    return "".join(f" {piece} " for piece in pieces_of(text.casefold()) if not piece.isspace())


def term_accuracy(
    test_set: TestSet, systems: Sequence[str], terms: Terms
) -> tuple[tuple[str, ...], dict[str, StatArray]]:
    """Count the required terms that outputs have.

    A term is required as often as it occurs in the source; without a source, as its translations occur in the reference
    with most of them.

    Returns
    -------
    The terms that occur, and counts ``(runs, segments, 1, 3)`` of each system: found, and twice required.
    """
    required = required_terms(test_set, terms)
    cache: dict[tuple[int, str], int] = {}

    def found(segment: int, text: str) -> int:
        key = segment, text
        if key not in cache:
            words = joined_words(text)
            cache[key] = sum(
                min(n, sum(words.count(variant) for variant in _variants(terms, term)))
                for term, n in required[segment].items()
            )
        return cache[key]

    counts = {}
    totals = np.array([sum(here.values()) for here in required])
    for system in systems:
        rows = [
            np.mean([[found(*cell) if required[cell[0]] else 0 for cell in enumerate(one.hypotheses)]
                     for one in run.decodings], axis=0)
            for run in test_set.runs_of(system)
        ]  # fmt: skip
        matches = np.stack(rows)
        whole = np.broadcast_to(totals, matches.shape)
        counts[system] = np.stack([matches, whole, whole], axis=-1)[:, :, np.newaxis]
    return tuple(dict.fromkeys(term for here in required for term in here)), counts


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


def output_shares(
    values: Mapping[str, FloatArray], edges: Sequence[float], is_whole: bool = True
) -> tuple[tuple[str, ...], dict[str, StatArray]]:
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
