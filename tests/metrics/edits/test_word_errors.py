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


def scorer_of(key, test_set, **options):
    """Return a metric for the references of a test set."""
    return METRICS[key].configure("sacrebleu", options).prepare(test_set)


def percent_of(key, hypothesis, *references, **options):
    """Return the score of one hypothesis."""
    scorer = scorer_of(key, TestSet("words", (references,)), **options)
    return float(scorer.score(scorer.statistics([0], [hypothesis]).sum(axis=0)))


def pairs_without_the_longest(texts):
    """Return segment and text of each hypothesis, but for segment 0, which is very long."""
    return [(segment, text) for segment, text in zip(texts.segment_ids, texts.hypotheses, strict=True) if segment]


@pytest.mark.parametrize(("key", "errors"), [("wer", edit_distance), ("per", bag_errors)])
def test_errors_use_the_nearest_reference_and_lengths_the_mean(texts, key, errors):
    scorer = scorer_of(key, texts.test_set, tokenize="none")
    pairs = pairs_without_the_longest(texts)

    statistics = scorer.statistics(*zip(*pairs, strict=True)) / scorer.references.scale

    for row, (segment, text) in zip(statistics, pairs, strict=True):
        references = [words(reference) for reference in texts.test_set.references[segment]]
        fewest_errors = min(errors(words(text), reference) for reference in references)
        mean_length = np.mean([len(reference) for reference in references])
        assert row == pytest.approx([fewest_errors, mean_length], rel=1e-15)


@pytest.mark.parametrize("n_words", [63, 64, 65, 200])
def test_the_distance_is_exact_for_segments_of_any_length(n_words):
    draw = np.random.default_rng(n_words)
    references = [draw.integers(0, 30, n_words).astype(str).tolist() for _ in range(5)]
    hypotheses = []
    for reference in references:
        turned = reference[7:] + reference[:7]
        hypotheses.append([word for word in turned if draw.random() < 0.8])
    test_set = TestSet("words", tuple((" ".join(reference),) for reference in references))

    statistics = scorer_of("wer", test_set).statistics(range(5), [" ".join(hypothesis) for hypothesis in hypotheses])

    distances = list(map(edit_distance, hypotheses, references))
    assert statistics[:, 0].tolist() == distances


def test_outputs_of_a_segment_may_be_neighbours_or_not():
    draw = np.random.default_rng(5)

    def drawn(lengths):
        return [draw.integers(0, 30, draw.choice(lengths)).astype(str).tolist() for _ in range(3)]

    references = [drawn([0, 5, 20, 64, 65, 150]) for _ in range(8)]
    hypotheses = [text for _ in range(20) for text in drawn([0, 1, 20, 70, 140])]
    segments = np.repeat(np.arange(8), 8)[: len(hypotheses)]
    segments[30:] = draw.permutation(segments[30:])
    test_set = TestSet("words", tuple(tuple(map(" ".join, texts)) for texts in references))

    statistics = scorer_of("wer", test_set).statistics(segments, list(map(" ".join, hypotheses)))

    for row, segment, hypothesis in zip(statistics, segments, hypotheses, strict=True):
        fewest_errors = min(edit_distance(hypothesis, reference) for reference in references[segment])
        assert row[0] == 3 * fewest_errors  # times the number of references, so that mean lengths are integers


def test_ignoring_more_order_never_increases_the_distance(example):
    test_set = TestSet("example", tuple((line,) for line in example["references"]))
    hypotheses = example["sys1.opt0"]

    edits = {}
    lengths = {}
    for key, options in (("per", {}), ("ter", {"case_sensitive": True}), ("wer", {})):
        scorer = METRICS[key].configure("multeval", options).prepare(test_set)
        statistics = scorer.statistics(range(len(hypotheses)), hypotheses)
        edits[key] = statistics[:, 0]
        lengths[key] = statistics[:, 1]

    np.testing.assert_array_equal(lengths["wer"], lengths["per"])
    assert (edits["per"] <= edits["ter"]).all()
    assert (edits["ter"] <= edits["wer"]).all()
    assert edits["per"].sum() < edits["ter"].sum() < edits["wer"].sum()


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
    scorer = scorer_of("wer", texts.test_set)
    pairs = pairs_without_the_longest(texts)

    paths = [scorer.explain(segment, text) for segment, text in pairs]

    statistics = scorer.statistics(*zip(*pairs, strict=True)) // scorer.references.scale
    assert [path.edits for path in paths] == statistics[:, 0].tolist()
    assert not any(path.shifts for path in paths)


def test_the_signature_names_case_tokenizer_and_the_choice_of_the_reference():
    wer_signature = METRICS["wer"].configure("sacrebleu", {"lowercase": True}).signature()
    per_signature = METRICS["per"].configure("multeval", {}).signature()

    assert wer_signature.startswith("case:lc|tok:none|ref:fewest-errors|len:mean|version:mteval-")
    assert per_signature.startswith("case:mixed|tok:multeval|")
