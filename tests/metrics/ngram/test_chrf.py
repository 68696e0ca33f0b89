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
    ours = scorer.statistics(texts.segment_ids, texts.hypotheses)
    theirs = [peer._extract_corpus_statistics([text], [[ref] for ref in refs])[0] for text, refs in texts.pairs]
    np.testing.assert_array_equal(ours, theirs)
    scores = [peer._compute_f_score(row) for row in theirs]
    np.testing.assert_allclose(scorer.segment_score(ours), scores, rtol=1e-12, atol=1e-12)
    assert scorer.score(ours.sum(axis=0)) == pytest.approx(peer._compute_f_score(ours.sum(axis=0).tolist()), rel=1e-12)


@pytest.mark.parametrize("key", ["chrf", "chrf++"])
def test_corpus_score_of_the_example_equals_sacrebleus(example, key):
    metric, peer = configured(key, {})
    n = 500
    scorer = metric.prepare(TestSet("example", tuple((line,) for line in example["references"][:n])))
    statistics = scorer.statistics(range(n), example["sys1.opt1"][:n])
    theirs = peer.corpus_score(example["sys1.opt1"][:n], [example["references"][:n]])
    assert scorer.score(statistics.sum(axis=0)) == pytest.approx(theirs.score, abs=1e-9)


def test_ties_between_references_go_to_the_first():
    metric, _ = configured("chrf", {"char_order": 1})
    scorer = metric.prepare(TestSet("one", (("xy", "xyz", "zyx"),)))
    assert scorer.statistics([0], ["xyzw"]).tolist() == [[4, 3, 3]]
    assert scorer.statistics([0], ["q"]).tolist() == [[1, 2, 0]]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_signature_equals_sacrebleus_except_the_number_of_references(options):
    metric, peer = configured("chrf++", options)
    peer.corpus_score(["a"], [["a"]])
    beta = "" if options.get("beta", 2) == 2 else f"beta:{options['beta']}|"
    assert metric.signature() == beta + str(peer.get_signature()).removeprefix("nrefs:1|")


def test_name_has_a_plus_for_each_order_of_words():
    assert configured("chrf", {})[0].name == "chrF"
    assert configured("chrf++", {})[0].name == "chrF++"
    assert configured("chrf", {"word_order": 1})[0].name == "chrF+"


def test_both_orders_zero_is_an_error():
    with pytest.raises(SettingsError, match="character order and word order are both 0"):
        METRICS["chrf"].configure("sacrebleu", {"char_order": 0})
