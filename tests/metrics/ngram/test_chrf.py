"""chrF and chrF++ against sacreBLEU itself."""

import numpy as np
import pytest
import sacrebleu

from mteval.base.errors import SettingsError
from mteval.metrics import METRICS
from mteval.values.model import TestSet

OPTIONS = [
    {},
    {"lowercase": True},
    {"whitespace": True},
    {"eps_smoothing": True},
    {"beta": 1},
    {"beta": 0.5, "eps_smoothing": True},
    {"beta": 0},
    {"char_order": 4, "word_order": 1},
    {"char_order": 0, "word_order": 3},
    {"char_order": 9, "word_order": 0, "whitespace": True, "lowercase": True},
]


def configured(key, options):
    """The metric and its peer."""
    spec = METRICS[key]
    return spec.configure("sacrebleu", options), sacrebleu.CHRF(**{**spec.defaults("sacrebleu"), **options})


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("key", ["chrf", "chrf++"])
def test_statistics_and_scores_equal_sacrebleus(texts, key, options):
    metric, peer = configured(key, options)
    scorer = metric.prepare(texts.test_set)

    statistics = scorer.statistics(texts.segment_ids, texts.hypotheses)
    total = statistics.sum(axis=0)

    peer_statistics = []
    for text, references in texts.pairs:
        peer_statistics += peer._extract_corpus_statistics([text], [[reference] for reference in references])
    np.testing.assert_array_equal(statistics, peer_statistics)
    peer_scores = [peer._compute_f_score(row) for row in peer_statistics]
    np.testing.assert_allclose(scorer.segment_score(statistics), peer_scores, rtol=1e-12, atol=1e-12)
    assert scorer.score(total) == pytest.approx(peer._compute_f_score(total.tolist()), rel=1e-12)


@pytest.mark.parametrize("key", ["chrf", "chrf++"])
def test_corpus_score_of_the_example_equals_sacrebleus(example, key):
    metric, peer = configured(key, {})
    references = example["references"][:500]
    hypotheses = example["sys1.opt1"][:500]
    scorer = metric.prepare(TestSet("example", tuple((line,) for line in references)))

    statistics = scorer.statistics(range(500), hypotheses)

    peer_score = peer.corpus_score(hypotheses, [references]).score
    assert scorer.score(statistics.sum(axis=0)) == pytest.approx(peer_score, abs=1e-9)


def test_ties_between_references_go_to_the_first():
    metric, _ = configured("chrf", {"char_order": 1})
    scorer = metric.prepare(TestSet("one", (("xy", "xyz", "zyx"),)))

    assert scorer.statistics([0], ["xyzw"]).tolist() == [[4, 3, 3]]
    assert scorer.statistics([0], ["q"]).tolist() == [[1, 2, 0]]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_signature_equals_sacrebleus_except_the_number_of_references(options):
    metric, peer = configured("chrf++", options)
    peer.corpus_score(["a"], [["a"]])

    expected_signature = str(peer.get_signature()).removeprefix("nrefs:1|")
    if "beta" in options:  # sacreBLEU's does not name it
        expected_signature = f"beta:{options['beta']}|{expected_signature}"
    assert metric.signature() == expected_signature


def test_name_has_a_plus_for_each_order_of_words():
    for key, options, name in [("chrf", {}, "chrF"), ("chrf++", {}, "chrF++"), ("chrf", {"word_order": 1}, "chrF+")]:
        metric, _ = configured(key, options)
        assert metric.name == name


def test_both_orders_zero_is_an_error():
    with pytest.raises(SettingsError, match="character order and word order are both 0"):
        METRICS["chrf"].configure("sacrebleu", {"char_order": 0})
