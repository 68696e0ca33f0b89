"""Counts equal those of compare-mt 0.2.10, recorded by ``benchmarks/peer_words.py`` on the sample's first segments.

Deliberate differences: source words without an alignment are not counted, and n-grams of words are matched one by one.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.peer_words import CLASSES, alignment_of, label_of, sample_texts
from mteval.analysis.words.groupings import Asked, By, grouped, output_shares, source_accuracy
from mteval.analysis.words.questions import LENGTH_DIFFERENCES
from mteval.analysis.words.texts import WordTexts, split_at
from mteval.analysis.words.verdicts import GroupScorer, Measure
from mteval.values.model import Run, TestSet

PEER = json.loads(Path(__file__).with_name("compare_mt.json").read_text(encoding="utf-8"))
TEXTS = sample_texts()
SYSTEMS = ("baseline", "reordering")
SPACES = split_at(" ")


def labelled(name: str, is_number: bool = False) -> tuple[str, ...]:
    of = (lambda word: str(len(word) / 10)) if is_number else label_of
    return tuple(" ".join(map(of, line.split())) for line in TEXTS[name])


TEST_SET = TestSet(
    "test",
    tuple((line,) for line in TEXTS["reference"]),
    tuple(Run(system, "0", tuple(TEXTS[system])) for system in SYSTEMS),
    source=tuple(TEXTS["source"]),
    side={
        "label": labelled("reference"),
        "number": labelled("reference", is_number=True),
        "alignment": tuple(map(alignment_of, TEXTS["source"], TEXTS["reference"])),
    },
)


def asked_like(kind: str) -> tuple[Asked, list[str]]:
    """The question, and compare-mt's groups in the order of ours, by place; "" for one without a counterpart."""
    by: By = "frequency" if kind == "frequency" else "case" if kind == "case" else "label"
    labels = {(system, "0"): labelled(system, kind == "number") for system in SYSTEMS} if by == "label" else {}
    cutoffs = (0.25, 0.5, 0.75) if kind == "number" else ()
    return Asked(by, labels=kind if by == "label" else "", output_labels=labels, cutoffs=cutoffs), list(CLASSES)


@pytest.mark.parametrize("kind", ["frequency", "case", "label", "number"])
def test_counts_and_f_of_words_equal_those_of_compare_mt(kind: str) -> None:
    asked, classes = asked_like(kind)
    found = grouped(TEST_SET, SYSTEMS, asked, SPACES)
    order = [classes.index(name) for name in found.names] if kind == "label" else range(len(found.names))
    for system, counts in found.counts.items():
        sums = counts[0].sum(axis=0)
        theirs = np.array([PEER["words"][kind][system][place] for place in order])
        assert sums.shape == (len(theirs), 3)
        np.testing.assert_array_equal(sums[:, [0, 2, 1]], theirs[:, :3])
        measures: tuple[Measure, ...] = ("recall", "precision", "f")
        for column, measure in enumerate(measures, start=3):
            np.testing.assert_allclose(GroupScorer(measure).score(sums), 100 * theirs[:, column], rtol=1e-12)
    assert sum(row[0] for row in PEER["words"][kind]["baseline"]) > 1_000  # there is something to compare


def test_source_words_are_right_as_often_and_only_aligned_ones_are_counted() -> None:
    names, counts = source_accuracy(TEST_SET, SYSTEMS, Asked(alignment="alignment"), SPACES)
    unaligned = sum(len(line.split()) // 4 for line in TEXTS["source"])
    for system in SYSTEMS:
        sums, theirs = counts[system][0].sum(axis=0), np.array(PEER["words"]["source"][system])
        assert len(names) == len(theirs)
        np.testing.assert_array_equal(sums[:, 0], theirs[:, 0])
        assert sums[:, 2].sum() == theirs[:, 1].sum() - unaligned


def test_ngrams_are_matched_as_often_as_by_compare_mt() -> None:
    texts = WordTexts.of_test_set(TEST_SET, SYSTEMS, SPACES)
    found: dict[str, dict[str, list[int]]] = {system: {} for system in SYSTEMS}
    for one in texts.ngrams(4):
        counts = texts.spread(one.counts(one.references.items, one.outputs.items, len(one.spelled)))
        for system in SYSTEMS:
            sums = counts[system][0].sum(axis=0)
            found[system] |= {one.name(place): row for place, row in enumerate(sums[:, [1, 0, 2]].tolist())}
    for system in SYSTEMS:
        for ngram, *numbers in PEER["ngrams"][system]:
            assert found[system][ngram] == numbers, ngram
        assert len(PEER["ngrams"][system]) == 200


def test_outputs_have_the_same_length_differences() -> None:
    lengths = {name: np.array([len(line.split()) for line in TEXTS[name]]) for name in ("reference", *SYSTEMS)}
    values = {system: (lengths[system] - lengths["reference"])[np.newaxis].astype(float) for system in SYSTEMS}
    names, counts = output_shares(values, LENGTH_DIFFERENCES)
    for system in SYSTEMS:
        ours = counts[system][0, :, :, 0].sum(axis=0)
        theirs = [n for n, others in zip(*(PEER["lengths"][one] for one in SYSTEMS), strict=True) if n or others]
        other = [
            n for n, others in zip(*(PEER["lengths"][one] for one in reversed(SYSTEMS)), strict=True) if n or others
        ]
        assert ours.tolist() == (theirs if system == "baseline" else other)
    assert len(names) > 3
