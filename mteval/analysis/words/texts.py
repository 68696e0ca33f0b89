"""Words of references and of all outputs as numbers, each word of an output matched with one of a reference.

Within a segment, the first occurrence of a word in an output matches its first occurrence in the reference, the second
the second, and so on. Equal outputs of a segment are matched once, however many runs have them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd

from mteval.base.arrays import BoolArray, FloatArray, IntArray, StatArray
from mteval.metrics.text.ngrams import Sequences, Tokenize, Words, by_text, in_turn, starts_of
from mteval.values.model import TestSet

NOWHERE = -1


def split_at(*spaces: str) -> Tokenize:
    """Return a tokenizer that only splits at some characters."""
    codes = [ord(space) for space in spaces]
    is_space: BoolArray = np.zeros(max(codes) + 1, dtype=bool)
    is_space[codes] = True
    return partial(by_text, cut=str, spaces=is_space)


@dataclass(frozen=True, eq=False)
class WordTexts:
    """References and distinct outputs of a test set as numbers of words or n-grams.

    Parameters
    ----------
    words
        The vocabulary.
    spelled
        The words of each number, shape ``(numbers, order)``.
    references, reference_starts
        One sequence per reference, and where each segment's references start.
    outputs, segments
        One sequence per distinct output, and its segment.
    places
        For each system, the outputs of each run: one array ``(samples, segments)`` per run.
    chosen
        The reference of each output.
    """

    words: tuple[str, ...]
    spelled: IntArray
    references: Sequences
    reference_starts: IntArray
    outputs: Sequences
    segments: IntArray
    places: Mapping[str, tuple[IntArray, ...]]
    chosen: IntArray

    @classmethod
    def of(
        cls, references: Sequence[Sequence[str]], runs: Mapping[str, Sequence[Sequence[Sequence[str]]]], cut: Tokenize
    ) -> WordTexts:
        """Number the words of the references of each segment, and those of the samples of each system's runs.

        Of several references, an output is matched with the one that shares most words relative to both lengths.
        """
        output_number: dict[tuple[int, str], int] = {}  # of each distinct output, by segment and text
        places: dict[str, tuple[IntArray, ...]] = {}
        for system, runs_of_system in runs.items():
            places_of_runs = []
            for samples in runs_of_system:
                rows = []
                for texts in samples:
                    row = []
                    for segment, text in enumerate(texts):
                        # A new output gets the next number
                        row.append(output_number.setdefault((segment, text), len(output_number)))
                    rows.append(row)
                places_of_runs.append(np.array(rows))
            places[system] = tuple(places_of_runs)

        # References and outputs share one vocabulary, so they are numbered together and parted again
        reference_texts = [text for of_segment in references for text in of_segment]
        output_texts = [text for _, text in output_number]
        words, numbers = numbered(cut([*reference_texts, *output_texts]))
        reference_words, output_words = parted(numbers, len(reference_texts))
        reference_starts = starts_of(map(len, references))
        segments = np.array([segment for segment, _ in output_number], dtype=np.int64)
        with_first_references = cls(
            words=words,
            spelled=np.arange(len(words))[:, np.newaxis],
            references=reference_words,
            reference_starts=reference_starts,
            outputs=output_words,
            segments=segments,
            places=places,
            chosen=reference_starts[segments],
        )
        return with_first_references._with_best_references()

    @classmethod
    def of_test_set(cls, test_set: TestSet, systems: Sequence[str], cut: Tokenize) -> WordTexts:
        """Number the words of a test set's references and of the systems' outputs."""
        runs = {}
        for system in systems:
            runs[system] = [[sample.hypotheses for sample in run.decodings] for run in test_set.runs_of(system)]
        return cls.of(test_set.references, runs, cut)

    def _with_best_references(self) -> WordTexts:
        """Match each output with the reference that shares most words with it; of equal ones, with the longest."""
        # For each output its first reference, then for each its second, and so on; see ``in_turn``
        references_in_turn = list(in_turn(self.reference_starts, self.segments))
        if len(references_in_turn) < 2:
            return self
        chosen = self.chosen
        best: FloatArray = np.full(len(chosen), -1.0)
        for references in references_in_turn:
            matched = replace(self, chosen=references)
            n_matches = np.bincount(matched.output_of[matched.partners >= 0], minlength=len(references))
            lengths = self.references.lengths[references]
            both_lengths = self.outputs.lengths + lengths
            share = np.divide(n_matches, both_lengths, out=np.zeros(len(references)), where=both_lengths > 0)
            is_longer = lengths > self.references.lengths[chosen]
            is_better = (share > best) | ((share == best) & is_longer)
            best = np.where(is_better, share, best)
            chosen = np.where(is_better, references, chosen)
        return replace(self, chosen=chosen)

    def name(self, number: int) -> str:
        """Return a word or n-gram."""
        return " ".join(self.words[word] for word in self.spelled[number])

    @cached_property
    def output_of(self) -> IntArray:
        """Return the output of each of their words."""
        return np.repeat(np.arange(len(self.segments)), self.outputs.lengths)

    @cached_property
    def reference_of(self) -> IntArray:
        """Return the reference of each of their words."""
        return np.repeat(np.arange(len(self.references.lengths)), self.references.lengths)

    @cached_property
    def partners(self) -> IntArray:
        """Return the place in ``references.items`` that each word of the outputs matches, or ``NOWHERE``."""
        n_words = max(len(self.spelled), 1)

        # Words of the references as pairs of reference and word in one number, sorted: equal words of a reference are
        # neighbours, the first occurrence first
        keys = self.reference_of * n_words + self.references.items
        reference_order = np.argsort(keys, kind="stable")
        sorted_keys = keys[reference_order]

        # Words of the outputs likewise; a block is one word of one output
        output_keys = self.output_of * n_words + self.outputs.items
        output_order = np.argsort(output_keys, kind="stable")
        output_keys = output_keys[output_order]
        block_starts = np.flatnonzero(np.diff(output_keys, prepend=-1))
        block_lengths = np.diff(block_starts, append=len(output_keys))
        nth = np.arange(len(output_keys)) - np.repeat(block_starts, block_lengths)  # occurrence in its output

        # The key that each block would have in its reference, and the place of its nth occurrence there; a place behind
        # the last key finds NOWHERE
        output, word = np.divmod(output_keys[block_starts], n_words)
        wanted = self.chosen[output] * n_words + word
        first_places = np.searchsorted(sorted_keys, wanted)
        places = np.minimum(np.repeat(first_places, block_lengths) + nth, len(sorted_keys))
        is_match = np.append(sorted_keys, NOWHERE)[places] == np.repeat(wanted, block_lengths)

        partners = np.full(len(output_keys), NOWHERE, dtype=np.int64)
        partners[output_order] = np.where(is_match, np.append(reference_order, NOWHERE)[places], NOWHERE)
        return partners

    def ngrams(self, longest: int) -> Iterator[WordTexts]:
        """Yield the same for words, then for n-grams of two words, and so on."""
        yield self
        n_references = len(self.references.lengths)
        items = np.concatenate([self.references.items, self.outputs.items]).astype(np.int64)
        lengths = np.concatenate([self.references.lengths, self.outputs.lengths])
        ends = np.repeat(np.cumsum(lengths), lengths)  # of the text of each item

        # Each n-gram has a number and starts at a place in items; every order appends a word to those of the order
        # before, as far as their text goes on
        numbers = items
        places = np.arange(len(items))
        for order in range(2, longest + 1):
            goes_on = places + order - 1 < ends[places]
            places = places[goes_on]
            keys = numbers[goes_on] * len(self.words) + items[places + order - 1]
            numbers = np.asarray(pd.factorize(keys)[0], dtype=np.int64)  # a hash table, which is faster than sorting
            _, first = np.unique(numbers, return_index=True)
            spelled = items[places[first][:, np.newaxis] + np.arange(order)]
            lengths = np.maximum(lengths - 1, 0)
            texts = Sequences(numbers.astype(np.int32), starts_of(lengths.tolist()))
            references, outputs = parted(texts, n_references)
            yield replace(self, spelled=spelled, references=references, outputs=outputs)

    def uses(self, system: str) -> FloatArray:
        """Return the share of a system's runs that have each distinct output, shape ``(outputs,)``."""
        runs = self.places[system]
        share = np.zeros(len(self.segments))
        for samples in runs:
            share += np.bincount(samples.ravel(), minlength=len(share)) / (len(samples) * len(runs))
        return share

    def spread(self, counts: StatArray) -> dict[str, StatArray]:
        """Return counts ``(outputs, …)`` for every system, shape ``(runs, segments, …)``; samples are averaged."""
        counts_of: dict[str, StatArray] = {}
        for system, runs in self.places.items():
            counts_of_runs = []
            for samples in runs:
                if len(samples) == 1:
                    counts_of_runs.append(counts[samples[0]])
                else:
                    counts_of_runs.append(counts[samples].mean(axis=0))
            counts_of[system] = np.stack(counts_of_runs)
        return counts_of

    def groups(self, of_references: IntArray, of_outputs: IntArray | None) -> tuple[IntArray, BoolArray]:
        """Return the group of each word of the outputs, and whether it is matched.

        Parameters
        ----------
        of_references, of_outputs
            Group of each word in ``references.items`` and ``outputs.items``, -1 for none. A matched word has the group
            of its partner. Without groups of outputs, words without a partner have none.
        """
        is_matched: BoolArray = self.partners >= 0
        if of_outputs is None:
            groups = np.full(len(self.partners), NOWHERE)
        else:
            groups = of_outputs.astype(np.int64)
        groups[is_matched] = of_references[self.partners[is_matched]]
        return groups, is_matched

    def counts(self, of_references: IntArray, of_outputs: IntArray | None, n_groups: int) -> StatArray:
        """Count matches, words of the output and words of its reference by group, shape ``(outputs, groups, 3)``.

        Parameters are those of ``groups``.
        """
        groups, is_matched = self.groups(of_references, of_outputs)
        n_outputs = len(self.segments)
        matches = tally(self.output_of[is_matched], groups[is_matched], n_outputs, n_groups)
        in_outputs = tally(self.output_of, groups, n_outputs, n_groups)
        in_references = tally(self.reference_of, of_references, len(self.references.lengths), n_groups)
        return np.stack([matches, in_outputs, in_references[self.chosen]], axis=-1)


def tally(rows: IntArray, groups: IntArray, n_rows: int, n_groups: int) -> IntArray:
    """Count the pairs of row and group, shape ``(rows, groups)``; groups below zero are skipped."""
    inside = groups >= 0
    cells = rows[inside] * n_groups + groups[inside]
    return np.bincount(cells, minlength=n_rows * n_groups).reshape(n_rows, n_groups).astype(np.int32)


def numbered(words: Words) -> tuple[tuple[str, ...], Sequences]:
    """Return the distinct words, and the texts as their numbers."""
    number = {token: index for index, token in enumerate(dict.fromkeys(words.tokens))}
    return tuple(number), words.in_numbers([number[token] for token in words.tokens])


def parted(texts: Sequences, place: int) -> tuple[Sequences, Sequences]:
    """Return the texts before and from a place."""
    cut = int(texts.starts[place])
    before = Sequences(texts.items[:cut], texts.starts[: place + 1])
    after = Sequences(texts.items[cut:], texts.starts[place:] - cut)
    return before, after
