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
    marked: BoolArray = np.zeros(max(map(ord, spaces)) + 1, dtype=bool)
    marked[[ord(space) for space in spaces]] = True
    return partial(by_text, cut=str, spaces=marked)


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
        known: dict[tuple[int, str], int] = {}

        def numbers_of(samples: Sequence[Sequence[str]]) -> IntArray:
            return np.array([[known.setdefault(cell, len(known)) for cell in enumerate(one)] for one in samples])

        places = {system: tuple(map(numbers_of, of_system)) for system, of_system in runs.items()}
        flat = [text for of_segment in references for text in of_segment]
        words, numbers = numbered(cut([*flat, *(text for _, text in known)]))
        parts, starts = parted(numbers, len(flat)), starts_of(map(len, references))
        segments = np.array([segment for segment, _ in known], dtype=np.int64)
        spelled = np.arange(len(words))[:, np.newaxis]
        found = cls(words, spelled, parts[0], starts, parts[1], segments, places, starts[segments])
        return found._with_best_references()

    @classmethod
    def of_test_set(cls, test_set: TestSet, systems: Sequence[str], cut: Tokenize) -> WordTexts:
        """Number the words of a test set's references and of the systems' outputs."""
        runs = {one: [[some.hypotheses for some in run.decodings] for run in test_set.runs_of(one)] for one in systems}
        return cls.of(test_set.references, runs, cut)

    def _with_best_references(self) -> WordTexts:
        turns, chosen = [*in_turn(self.reference_starts, self.segments)], self.chosen
        best: FloatArray = np.full(len(chosen), -1.0)
        for turn in turns if len(turns) > 1 else ():
            one = replace(self, chosen=turn)
            matches = np.bincount(one.output_of[one.partners >= 0], minlength=len(turn))
            lengths = self.references.lengths[turn]
            both = self.outputs.lengths + lengths
            share = np.divide(matches, both, out=np.zeros(len(turn)), where=both > 0)
            is_better = (share > best) | ((share == best) & (lengths > self.references.lengths[chosen]))
            best, chosen = np.where(is_better, share, best), np.where(is_better, turn, chosen)
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
        span = max(len(self.spelled), 1)
        keys = self.reference_of * span + self.references.items
        order = np.argsort(keys, kind="stable")
        keys, own = np.append(keys[order], -1), self.output_of * span + self.outputs.items
        by_word = np.argsort(own, kind="stable")
        own = own[by_word]
        starts = np.flatnonzero(np.diff(own, prepend=-1))
        lengths = np.diff(starts, append=len(own))
        wanted = self.chosen[own[starts] // span] * span + own[starts] % span
        nth = np.arange(len(own)) - np.repeat(starts, lengths)
        places = np.minimum(np.repeat(np.searchsorted(keys[:-1], wanted), lengths) + nth, len(order))
        found = np.full(len(own), NOWHERE, dtype=np.int64)
        is_match = keys[places] == np.repeat(wanted, lengths)
        found[by_word] = np.where(is_match, np.append(order, NOWHERE)[places], NOWHERE)
        return found

    def ngrams(self, longest: int) -> Iterator[WordTexts]:
        """Yield the same for words, then for n-grams of two words, and so on."""
        yield self
        n_references = len(self.references.lengths)
        lengths = np.concatenate([self.references.lengths, self.outputs.lengths])
        items = np.concatenate([self.references.items, self.outputs.items]).astype(np.int64)
        numbers, places, left = items, np.arange(len(items)), lengths
        ends = np.repeat(np.cumsum(lengths), lengths)
        for order in range(2, longest + 1):  # append a word to each n-gram of the order before
            goes_on = places + order - 1 < ends[places]
            places = places[goes_on]
            keys = numbers[goes_on] * len(self.words) + items[places + order - 1]
            numbers = np.asarray(pd.factorize(keys)[0], dtype=np.int64)  # a hash table, which is faster than sorting
            _, first = np.unique(numbers, return_index=True)
            spelled, left = items[places[first][:, np.newaxis] + np.arange(order)], np.maximum(left - 1, 0)
            references, outputs = parted(Sequences(numbers.astype(np.int32), starts_of(left.tolist())), n_references)
            yield replace(self, spelled=spelled, references=references, outputs=outputs)

    def uses(self, system: str) -> FloatArray:
        """Return the share of a system's runs that have each distinct output, shape ``(outputs,)``."""
        runs, used = self.places[system], np.zeros(len(self.segments))
        for run in runs:
            used += np.bincount(run.ravel(), minlength=len(used)) / (len(run) * len(runs))
        return used

    def spread(self, counts: StatArray) -> dict[str, StatArray]:
        """Return counts ``(outputs, …)`` for every system, shape ``(runs, segments, …)``; samples are averaged."""
        return {
            system: np.stack([counts[run[0]] if len(run) == 1 else counts[run].mean(axis=0) for run in runs])
            for system, runs in self.places.items()
        }

    def groups(self, of_references: IntArray, of_outputs: IntArray | None) -> tuple[IntArray, BoolArray]:
        """Return the group of each word of the outputs, and whether it is matched.

        Parameters
        ----------
        of_references, of_outputs
            Group of each word in ``references.items`` and ``outputs.items``, -1 for none. A matched word has the group
            of its partner. Without groups of outputs, words without a partner have none.
        """
        is_matched: BoolArray = self.partners >= 0
        groups = np.full(len(self.partners), NOWHERE) if of_outputs is None else of_outputs.astype(np.int64)
        groups[is_matched] = of_references[self.partners[is_matched]]
        return groups, is_matched

    def counts(self, of_references: IntArray, of_outputs: IntArray | None, n_groups: int) -> StatArray:
        """Count matches, words of the output and words of its reference by group, shape ``(outputs, groups, 3)``.

        Parameters are those of ``groups``.
        """
        groups, is_matched = self.groups(of_references, of_outputs)
        n_outputs, n_references = len(self.segments), len(self.references.lengths)
        matches = tally(self.output_of[is_matched], groups[is_matched], n_outputs, n_groups)
        in_references = tally(self.reference_of, of_references, n_references, n_groups)[self.chosen]
        return np.stack([matches, tally(self.output_of, groups, n_outputs, n_groups), in_references], axis=-1)


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
    return before, Sequences(texts.items[cut:], texts.starts[place:] - cut)
