"""Counts equal those of compare-mt 0.2.10, recorded by ``benchmarks/peer_words.py`` on the sample's first segments.

Deliberate differences: source words without an alignment are not counted, and n-grams of words are matched one by one.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from benchmarks.peer_words import CLASSES, alignment_of, label_of, sample_texts
from mteval.analysis.words.groupings import Asked, grouped, output_shares, source_accuracy
from mteval.analysis.words.questions import LENGTH_DIFFERENCES
from mteval.analysis.words.texts import WordTexts, split_at
from mteval.analysis.words.verdicts import GroupScorer, Measure
from mteval.values.model import Run, TestSet

PEER = json.loads(Path(__file__).with_name("compare_mt.json").read_text(encoding="utf-8"))
TEXTS = sample_texts()
SYSTEMS = ("baseline", "reordering")
SPACES = split_at(" ")


def labelled(name: str) -> tuple[str, ...]:
    """Return the labels of all words of a text, line by line."""
    return tuple(" ".join(label_of(word) for word in line.split()) for line in TEXTS[name])


def numbered(name: str) -> tuple[str, ...]:
    """Return the lengths of all words of a text, in tens of characters, as numbers that label them."""
    return tuple(" ".join(str(len(word) / 10) for word in line.split()) for line in TEXTS[name])


TEST_SET = TestSet(
    "test",
    tuple((line,) for line in TEXTS["reference"]),
    tuple(Run(system, "0", tuple(TEXTS[system])) for system in SYSTEMS),
    source=tuple(TEXTS["source"]),
    side={
        "label": labelled("reference"),
        "number": numbered("reference"),
        "alignment": tuple(map(alignment_of, TEXTS["source"], TEXTS["reference"])),
    },
)


def asked_like(kind: str) -> Asked:
    """Return the question that compare-mt's buckets of a kind answer."""
    if kind == "frequency":
        return Asked("frequency", output_labels={})
    if kind == "case":
        return Asked("case", output_labels={})
    if kind == "number":
        numbers = {(system, "0"): numbered(system) for system in SYSTEMS}
        return Asked("label", labels="number", output_labels=numbers, cutoffs=(0.25, 0.5, 0.75))
    labels = {(system, "0"): labelled(system) for system in SYSTEMS}
    return Asked("label", labels="label", output_labels=labels)


def places_in_peer(kind: str, names: Sequence[str]) -> list[int]:
    """Return the place of each of our groups among compare-mt's: only its labels are in an order of their own."""
    if kind == "label":
        return [CLASSES.index(name) for name in names]
    return list(range(len(names)))


@pytest.mark.parametrize("kind", ["frequency", "case", "label", "number"])
def test_counts_and_f_of_words_equal_those_of_compare_mt(kind: str) -> None:
    peer = PEER["words"][kind]
    groups = grouped(TEST_SET, SYSTEMS, asked_like(kind), SPACES)
    places = places_in_peer(kind, groups.names)
    measures: tuple[Measure, ...] = ("recall", "precision", "f")

    for system, counts in groups.counts.items():
        sums = counts[0].sum(axis=0)
        theirs = np.array([peer[system][place] for place in places])
        assert sums.shape == (len(theirs), 3)
        np.testing.assert_array_equal(sums[:, [0, 2, 1]], theirs[:, :3])
        for column, measure in enumerate(measures, start=3):
            np.testing.assert_allclose(GroupScorer(measure).score(sums), 100 * theirs[:, column], rtol=1e-12)
    assert sum(row[0] for row in peer["baseline"]) > 1_000, "there is something to compare"


def test_source_words_are_right_as_often_and_only_aligned_ones_are_counted() -> None:
    names, counts = source_accuracy(TEST_SET, SYSTEMS, Asked(alignment="alignment"), SPACES)
    # The benchmark's alignment leaves out every fourth word of a line
    n_unaligned = sum(len(line.split()) // 4 for line in TEXTS["source"])

    for system in SYSTEMS:
        sums = counts[system][0].sum(axis=0)
        theirs = np.array(PEER["words"]["source"][system])
        assert len(names) == len(theirs)
        np.testing.assert_array_equal(sums[:, 0], theirs[:, 0])
        assert sums[:, 2].sum() == theirs[:, 1].sum() - n_unaligned


def test_ngrams_are_matched_as_often_as_by_compare_mt() -> None:
    texts = WordTexts.of_test_set(TEST_SET, SYSTEMS, SPACES)
    numbers_of: dict[str, dict[str, list[int]]] = {system: {} for system in SYSTEMS}
    for ngrams in texts.ngrams(4):
        counts = texts.spread(ngrams.counts(ngrams.references.items, ngrams.outputs.items, len(ngrams.spelled)))
        for system in SYSTEMS:
            sums = counts[system][0].sum(axis=0)
            for place, row in enumerate(sums[:, [1, 0, 2]].tolist()):
                numbers_of[system][ngrams.name(place)] = row

    for system in SYSTEMS:
        for ngram, *theirs in PEER["ngrams"][system]:
            assert numbers_of[system][ngram] == theirs, ngram
        assert len(PEER["ngrams"][system]) == 200


def test_outputs_have_the_same_length_differences() -> None:
    lengths = {name: np.array([len(line.split()) for line in TEXTS[name]]) for name in ("reference", *SYSTEMS)}
    values = {system: (lengths[system] - lengths["reference"])[np.newaxis].astype(float) for system in SYSTEMS}

    names, counts = output_shares(values, LENGTH_DIFFERENCES)

    # compare-mt also lists differences that no output of either system has
    pairs = zip(PEER["lengths"]["baseline"], PEER["lengths"]["reordering"], strict=True)
    used = [pair for pair in pairs if any(pair)]
    for place, system in enumerate(SYSTEMS):
        assert counts[system][0, :, :, 0].sum(axis=0).tolist() == [pair[place] for pair in used]
    assert len(names) > 3
