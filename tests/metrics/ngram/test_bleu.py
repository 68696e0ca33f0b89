"""BLEU against sacreBLEU itself."""

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from mteval.base.errors import MissingDependencyError, SettingsError
from mteval.metrics import METRICS
from mteval.metrics.text.tokenizers import TOKENIZERS, missing_for
from mteval.values.model import TestSet

SPEC = METRICS["bleu"]


def peer_statistics(peer, pairs):
    """sacreBLEU's statistics of each hypothesis against its references."""
    statistics = []
    for text, references in pairs:
        statistics += peer._extract_corpus_statistics([text], [[reference] for reference in references])
    return np.array(statistics)


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", [name for name in TOKENIZERS if missing_for(name) is None])
def test_statistics_equal_sacrebleus(texts, tokenize, lowercase):
    metric = SPEC.configure("sacrebleu", {"tokenize": tokenize, "lowercase": lowercase})

    statistics = metric.prepare(texts.test_set).statistics(texts.segment_ids, texts.hypotheses)

    peer = sacrebleu.BLEU(tokenize=tokenize, lowercase=lowercase, force=True)
    np.testing.assert_array_equal(statistics, peer_statistics(peer, texts.pairs))
    matches = statistics[:, 2:6]
    assert matches.any(axis=0).all(), "matches of all orders are tried"


@pytest.mark.parametrize("tokenize", ["13a", "none", "intl"])
def test_statistics_equal_sacrebleus_with_line_breaks_inside_segments(broken_texts, tokenize):
    metric = SPEC.configure("sacrebleu", {"tokenize": tokenize, "lowercase": True})

    statistics = metric.prepare(broken_texts.test_set).statistics(broken_texts.segment_ids, broken_texts.hypotheses)

    peer = sacrebleu.BLEU(tokenize=tokenize, lowercase=True, force=True)
    np.testing.assert_array_equal(statistics, peer_statistics(peer, broken_texts.pairs))


SMOOTHINGS = [("none", None), ("floor", None), ("floor", 0.3), ("add-k", None), ("add-k", 2), ("exp", None)]


def random_statistics() -> np.ndarray:
    """Counts as of texts of any length with any share of matches, also none, also for some orders only."""
    rng = np.random.default_rng(1)
    n = 2000
    lengths = rng.integers(0, 12, size=(n, 2))
    totals = np.maximum(lengths[:, :1] - np.arange(4), 0)
    matches = np.minimum.accumulate(rng.integers(0, totals + 1), axis=1)
    matches[rng.random((n, 4)) < 0.2] = 0
    return np.concatenate([lengths, matches, totals], axis=1)


@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize(("method", "value"), SMOOTHINGS)
def test_scores_and_parts_equal_sacrebleus(method, value, effective_order):
    options = {"smooth_method": method, "smooth_value": value, "effective_order": effective_order}
    scorer = SPEC.configure("sacrebleu", options).prepare(TestSet("one", (("a",),)))
    statistics = random_statistics()

    def peer(row, effective):
        """sacreBLEU's score and its parts."""
        hypothesis_length, reference_length, *counts = row.tolist()
        matches = counts[:4]
        totals = counts[4:]
        return sacrebleu.BLEU.compute_bleu(
            matches, totals, hypothesis_length, reference_length, method, value, effective
        )

    peer_of_corpora = [peer(row, effective_order) for row in statistics]
    peer_scores = [result.score for result in peer_of_corpora]
    np.testing.assert_allclose(scorer.score(statistics), peer_scores, rtol=1e-12, atol=1e-12)

    peer_segment_scores = [peer(row, True).score for row in statistics]
    np.testing.assert_allclose(scorer.segment_score(statistics), peer_segment_scores, rtol=1e-12, atol=1e-12)

    peer_parts = [(*result.precisions, result.bp) for result in peer_of_corpora]
    np.testing.assert_allclose(scorer.submetrics(statistics), peer_parts, rtol=1e-12, atol=1e-12)


def test_corpus_score_of_the_example_equals_sacrebleus(example):
    references = example["references"]
    scorer = SPEC.configure("sacrebleu", {}).prepare(TestSet("example", tuple((line,) for line in references)))
    total = scorer.statistics(range(len(references)), example["sys1.opt1"]).sum(axis=0)

    peer = sacrebleu.BLEU(force=True).corpus_score(example["sys1.opt1"], [references])
    assert total.tolist() == [peer.sys_len, peer.ref_len, *peer.counts, *peer.totals]
    assert scorer.score(total) == pytest.approx(peer.score, abs=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tokenize": "intl", "lowercase": True},
        {"smooth_method": "floor"},
        {"smooth_method": "add-k", "smooth_value": 2, "effective_order": True},
        {"smooth_method": "none"},
    ],
)
def test_signature_equals_sacrebleus_except_the_number_of_references(options):
    peer = sacrebleu.BLEU(**options)
    peer.corpus_score(["a"], [["a"]])

    signature = SPEC.configure("sacrebleu", options).signature()
    assert "nrefs:1|" + signature == str(peer.get_signature())


def test_the_conventions_have_different_signatures():
    like_multeval = SPEC.configure("sacrebleu", {"tokenize": "none"}).signature()
    assert SPEC.configure("multeval", {}).signature() != like_multeval


@pytest.mark.parametrize(
    ("convention", "options", "words"),
    [
        ("sacrebleu", {"tokenise": "13a"}, "no option 'tokenise'"),
        ("sacrebleu", {"tokenize": "14a"}, "--bleu.tokenize is '14a'; expected one of 13a, none"),
        ("sacrebleu", {"smooth_value": -1}, "--bleu.smoothValue is -1; expected a number from 0"),
        ("sacrebleu", {"max_order": 7}, "--bleu.maxOrder is 7; expected a whole number from 1 up to 6"),
        ("sacrebleu", {"smooth_value": True}, "expected a number from 0"),
        ("sacrebleu", {"lowercase": 1}, "expected true or false"),
        ("multeval", {"tokenize": "13a"}, "--bleu.tokenize is '13a', .*'none'"),
    ],
)
def test_bad_option_error_names_what_is_expected(convention, options, words):
    with pytest.raises(SettingsError, match=words):
        SPEC.configure(convention, options)


def test_missing_tokenizer_is_an_error_when_chosen(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match="pip install"):
        SPEC.configure("sacrebleu", {"tokenize": "ja-mecab"})


WORD = st.sampled_from(["the", "cat", "The", "sat", "on", "a", "mat.", ",", "1,5"])
SENTENCE = st.lists(WORD, max_size=12).map(" ".join)
CORPUS = st.lists(st.tuples(SENTENCE, st.lists(SENTENCE.filter(bool), min_size=2, max_size=2)), min_size=1, max_size=4)


@settings(deadline=None, max_examples=60)
@given(CORPUS, st.integers(1, 6), st.sampled_from(["exp", "floor", "add-k", "none"]))
def test_scores_of_every_order_equal_sacrebleus(corpus, order, smooth_method):
    hypotheses = [text for text, _ in corpus]
    references = [texts for _, texts in corpus]
    metric = SPEC.configure("sacrebleu", {"max_order": order, "smooth_method": smooth_method})
    scorer = metric.prepare(TestSet("corpus", tuple(map(tuple, references))))
    statistics = scorer.statistics(range(len(corpus)), hypotheses)
    peer = sacrebleu.BLEU(max_ngram_order=order, smooth_method=smooth_method)
    expected = peer.corpus_score(hypotheses, list(zip(*references, strict=True))).score
    assert scorer.score(statistics.sum(axis=0)) == pytest.approx(expected, abs=1e-9)
    of_segments = sacrebleu.BLEU(max_ngram_order=order, smooth_method=smooth_method, effective_order=True)
    wanted = [of_segments.sentence_score(text, texts).score for text, texts in corpus]
    assert scorer.segment_score(statistics) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("order", [1, 2, 3, 5, 6])
def test_a_name_with_an_order_is_bleu_of_that_order(order, texts):
    by_name = METRICS[f"bleu-{order}"].configure("sacrebleu", {}).prepare(texts.test_set)
    by_option = SPEC.configure("sacrebleu", {"max_order": order}).prepare(texts.test_set)
    statistics = by_name.statistics(texts.segment_ids, texts.hypotheses)
    np.testing.assert_array_equal(statistics, by_option.statistics(texts.segment_ids, texts.hypotheses))
    np.testing.assert_array_equal(by_name.score(statistics), by_option.score(statistics))


def test_the_fast_sum_of_another_order_equals_the_slow_one():
    """Sums in which every order matches take compiled code, others do not."""
    scorer = SPEC.configure("sacrebleu", {"max_order": 2}).prepare(TestSet("one", (("a",),)))
    matched = np.array([9, 11, 7, 3, 9, 8])
    unmatched = np.array([9, 11, 7, 0, 9, 8])
    alone = scorer.score(matched)
    assert alone == pytest.approx(100 * np.exp(1 - 11 / 9) * np.sqrt(7 / 9 * 3 / 8), rel=1e-14)
    assert scorer.score(np.stack([matched, unmatched]))[0] == pytest.approx(float(alone), rel=1e-14)


def test_the_signature_has_another_order():
    assert SPEC.configure("sacrebleu", {"max_order": 2}).signature().startswith("order:2|case:mixed|eff:no|tok:13a|")
    assert "order" not in SPEC.configure("sacrebleu", {}).signature()


@pytest.mark.parametrize("tokenize", ["flores200", "flores101"])
def test_spbleu_equals_sacrebleus(texts, spbleu_models, tokenize):
    metric = METRICS["spbleu"].configure("multeval", {"tokenize": tokenize})
    scorer = metric.prepare(texts.test_set)
    statistics = scorer.statistics(texts.segment_ids, texts.hypotheses)
    peer = sacrebleu.BLEU(tokenize=tokenize, force=True)
    np.testing.assert_array_equal(statistics, peer_statistics(peer, texts.pairs))
    hypothesis, reference, *counts = statistics.sum(axis=0).tolist()
    expected = sacrebleu.BLEU.compute_bleu(counts[:4], counts[4:], hypothesis, reference).score
    assert scorer.score(statistics.sum(axis=0)) == pytest.approx(expected, abs=1e-9)
    assert f"tok:{tokenize}" in metric.signature()
