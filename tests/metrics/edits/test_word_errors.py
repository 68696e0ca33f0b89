"""WER and PER against plain Python and NLTK, the slides' example, and their order among the edit rates."""

from collections import Counter

import numpy as np
import pytest
from nltk.metrics.distance import edit_distance

from mteval.metrics import METRICS
from mteval.values.model import TestSet

# Sokolov 2015, SMT evaluation, slides on TER.
REFERENCE = "SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times"
HYPOTHESIS = "THIS WEEK THE SAUDIS denied information published in the new york times"


def words(text):
    return text.split()


def bag_errors(hypothesis, reference):
    """The longer side's words without a partner."""
    return max(len(hypothesis), len(reference)) - (Counter(hypothesis) & Counter(reference)).total()


def scorer_of(key, *references, **options):
    return METRICS[key].configure("sacrebleu", options).prepare(TestSet("words", references))


def percent_of(key, hypothesis, *references, **options):
    scorer = scorer_of(key, references, **options)
    return float(scorer.score(scorer.statistics([0], [hypothesis]).sum(axis=0)))


@pytest.mark.parametrize(("key", "errors"), [("wer", edit_distance), ("per", bag_errors)])
def test_errors_use_the_nearest_reference_and_lengths_the_mean(texts, key, errors):
    scorer = METRICS[key].configure("sacrebleu", {"tokenize": "none"}).prepare(texts.test_set)
    pairs = [(segment, text) for segment, text in zip(texts.segment_ids, texts.hypotheses, strict=True) if segment]
    ours = scorer.statistics(*zip(*pairs, strict=True)) / scorer.references.scale
    for row, (segment, text) in zip(ours, pairs, strict=True):
        references = [words(reference) for reference in texts.test_set.references[segment]]
        fewest = min(errors(words(text), reference) for reference in references)
        assert row == pytest.approx([fewest, np.mean([len(reference) for reference in references])], rel=1e-15)


@pytest.mark.parametrize("n_words", [63, 64, 65, 200])
def test_the_distance_is_exact_for_segments_of_any_length(n_words):
    draw = np.random.default_rng(n_words)
    references = [[str(word) for word in draw.integers(0, 30, n_words)] for _ in range(5)]
    hypotheses = [[word for word in reference[7:] + reference[:7] if draw.random() < 0.8] for reference in references]
    scorer = scorer_of("wer", *((" ".join(reference),) for reference in references))
    errors = scorer.statistics(range(5), [" ".join(hypothesis) for hypothesis in hypotheses])[:, 0].tolist()
    assert errors == [edit_distance(*pair) for pair in zip(hypotheses, references, strict=True)]


def test_ignoring_more_order_never_increases_the_distance(example):
    test_set = TestSet("example", tuple((line,) for line in example["references"]))
    edits = {}
    for key, options in (("per", {}), ("ter", {"case_sensitive": True}), ("wer", {})):
        scorer = METRICS[key].configure("multeval", options).prepare(test_set)
        edits[key] = scorer.statistics(range(len(example["sys1.opt0"])), example["sys1.opt0"])
    np.testing.assert_array_equal(edits["wer"][:, 1], edits["per"][:, 1])
    assert (edits["per"][:, 0] <= edits["ter"][:, 0]).all()
    assert (edits["ter"][:, 0] <= edits["wer"][:, 0]).all()
    assert edits["per"][:, 0].sum() < edits["ter"][:, 0].sum() < edits["wer"][:, 0].sum()


def test_four_edits_in_thirteen_words_are_31_percent():
    assert percent_of("ter", HYPOTHESIS, REFERENCE, case_sensitive=True) == pytest.approx(100 * 4 / 13)
    assert round(4 / 13, 2) == 0.31


def test_a_moved_phrase_costs_more_without_shifts_and_nothing_without_order():
    # none of the first five words stands where the reference has it, and AMERICAN is missing
    assert percent_of("wer", HYPOTHESIS, REFERENCE) == pytest.approx(100 * 6 / 13)
    # SAUDI, ARABIA and AMERICAN of the reference have no partner
    assert percent_of("per", HYPOTHESIS, REFERENCE) == pytest.approx(100 * 3 / 13)


def test_rates_above_100_percent_are_possible():
    assert percent_of("wer", "a b c d e", "x") == 500
    assert percent_of("per", "a b c d e", "a") == 400


def test_case_matters_unless_lowercased():
    assert percent_of("wer", "The Cat", "the cat") == 100
    assert percent_of("wer", "The Cat", "the cat", lowercase=True) == 0


def test_tokenizer_defines_words():
    assert percent_of("per", "the cat.", "the cat") == 50
    assert percent_of("per", "the cat.", "the cat", tokenize="none") == 50
    assert percent_of("per", "the cat,", "the cat.") == pytest.approx(100 / 3)


@pytest.mark.parametrize("key", ["wer", "per"])
def test_an_empty_reference_gives_no_score(key):
    assert np.isnan(percent_of(key, "a", ""))


def test_explained_edits_equal_counted_edits(texts):
    scorer = METRICS["wer"].configure("sacrebleu", {}).prepare(texts.test_set)
    pairs = [(segment, text) for segment, text in zip(texts.segment_ids, texts.hypotheses, strict=True) if segment]
    counted = scorer.statistics(*zip(*pairs, strict=True))[:, 0] // scorer.references.scale
    paths = [scorer.explain(segment, text) for segment, text in pairs]
    assert [path.edits for path in paths] == counted.tolist()
    assert not any(path.shifts for path in paths)


def test_the_signature_names_case_tokenizer_and_the_choice_of_the_reference():
    signature = METRICS["wer"].configure("sacrebleu", {"lowercase": True}).signature()
    assert signature.startswith("case:lc|tok:13a|ref:fewest-errors|len:mean|version:mteval-")
    assert METRICS["per"].configure("multeval", {}).signature().startswith("case:mixed|tok:multeval|")
