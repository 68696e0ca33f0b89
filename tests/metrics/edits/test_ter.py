"""TER in sacreBLEU's convention against sacreBLEU itself."""

import math
import random
from itertools import product

import numpy as np
import pytest
import sacrebleu
from sacrebleu.metrics import lib_ter
from sacrebleu.metrics.lib_ter import translation_edit_rate

from mteval.base.errors import SettingsError
from mteval.metrics import METRICS
from mteval.values.model import TestSet

FLAGS = ("normalized", "no_punct", "asian_support", "case_sensitive")
ALL_FLAGS = [dict(zip(FLAGS, values, strict=True)) for values in product([False, True], repeat=4)]


def configured(options):
    """The metric and its peer."""
    return METRICS["ter"].configure("sacrebleu", options), sacrebleu.TER(**options)


def edits(hypotheses, references):
    """Our edits of hypotheses with one reference each, given as lists of words."""
    metric, _ = configured({"case_sensitive": True})
    scorer = metric.prepare(TestSet("words", tuple((" ".join(words),) for words in references)))
    statistics = scorer.statistics(range(len(references)), [" ".join(words) for words in hypotheses])
    return statistics[:, 0].tolist()


def edits_of_sacrebleu(hypotheses, references):
    """SacreBLEU's edits of the same."""
    edits_and_lengths = map(translation_edit_rate, hypotheses, references)
    return [n_edits for n_edits, _ in edits_and_lengths]


def name_of_options(options):
    """The options that are set, joined by plus signs."""
    return "+".join(flag for flag in FLAGS if options[flag]) or "none"


def garbled(draw, words, n_edits, vocabulary):
    """The words after edits and shifts drawn at random."""
    words = list(words)
    for _ in range(n_edits):
        start = draw.randrange(len(words) + 1)
        end = start + draw.randint(0, 11)
        match draw.randrange(4):
            case 0:
                words[start : start + 1] = []
            case 1:
                words[start:start] = [draw.choice(vocabulary)]
            case 2:
                words[start : start + 1] = [draw.choice(vocabulary)]
            case _:
                rest = words[:start] + words[end:]
                target = draw.randrange(len(words) + 1)
                words = rest[:target] + words[start:end] + rest[target:]
    return words


def random_pairs(seed, n, longest):
    """Hypotheses and references of up to so many words, alike or not, with few or many distinct words."""
    draw = random.Random(seed)
    pairs = []
    for _ in range(n):
        vocabulary = [str(word) for word in range(draw.choice([2, 3, 6, 12, 40]))]
        reference = draw.choices(vocabulary, k=draw.randint(0, longest))
        unseen = [*vocabulary, "x", "y"]
        if draw.random() < 0.7:
            hypothesis = garbled(draw, reference, draw.choice([1, 3, 6, longest // 2]), unseen)
        else:
            hypothesis = draw.choices(unseen, k=draw.randint(0, 2 * longest))
        pairs.append((hypothesis, reference))
    return pairs


@pytest.mark.parametrize("options", ALL_FLAGS, ids=name_of_options)
def test_words_are_sacrebleus(texts, broken_texts, options):
    metric, peer = configured(options)
    for garbled_texts in (texts, broken_texts):
        hypotheses = garbled_texts.hypotheses
        scorer = metric.prepare(TestSet("self", tuple((text,) for text in hypotheses)))
        number_of_word = scorer.references.vocabulary

        words = scorer.references.read(hypotheses)

        expected_numbers = []
        expected_lengths = []
        for text in hypotheses:
            words_of_text = peer._preprocess_segment(text).split()
            expected_numbers += [number_of_word[word] for word in words_of_text]
            expected_lengths.append(len(words_of_text))
        assert words.items.tolist() == expected_numbers
        assert words.lengths.tolist() == expected_lengths


@pytest.mark.parametrize("options", [{}, dict.fromkeys(FLAGS, True)], ids=["defaults", "all"])
def test_statistics_and_scores_of_ragged_references_equal_sacrebleus(texts, options):
    metric, peer = configured(options)
    scorer = metric.prepare(texts.test_set)
    segments = []
    hypotheses = []
    peer_statistics = []
    for segment, (text, references) in zip(texts.segment_ids, texts.pairs, strict=True):
        if 0 < segment < 18:  # sacreBLEU takes minutes for segment 0, which is long
            segments.append(segment)
            hypotheses.append(text)
            peer_statistics += peer._extract_corpus_statistics([text], [[reference] for reference in references])

    statistics = scorer.statistics(segments, hypotheses)

    assert statistics.dtype == np.int64
    assert scorer.references.scale == 12  # one to four references
    np.testing.assert_allclose(statistics / scorer.references.scale, peer_statistics, rtol=1e-15)
    peer_scores = [peer._compute_score_from_stats(row).score for row in peer_statistics]
    np.testing.assert_allclose(scorer.segment_score(statistics), peer_scores, rtol=1e-12)
    peer_score = peer._compute_score_from_stats(np.sum(peer_statistics, axis=0)).score
    assert scorer.score(statistics.sum(axis=0)) == pytest.approx(peer_score, rel=1e-12)


def test_edits_of_real_segments_equal_sacrebleus(example):
    hypotheses = [text.split() for text in example["sys1.opt1"][:2489:17]]
    references = [text.split() for text in example["references"][:2489:17]]

    assert edits(hypotheses, references) == edits_of_sacrebleu(hypotheses, references)


@pytest.mark.parametrize(("seed", "n", "longest"), [(1, 1000, 9), (2, 250, 22), (3, 5, 60)])
def test_edits_of_random_words_equal_sacrebleus(seed, n, longest):
    hypotheses, references = zip(*random_pairs(seed, n, longest), strict=True)

    assert edits(hypotheses, references) == edits_of_sacrebleu(hypotheses, references)


@pytest.mark.parametrize(
    ("n_hypothesis", "n_reference", "n_distinct", "share"),
    [
        (120, 70, 300, 0.7),
        (64, 64, 60, 0.5),
        (65, 128, 90, 0.6),
        (320, 300, 4000, 0.5),
        (150, 30, 60, 0.7),
        (20, 340, 90, 1),
        (2, 130, 90, 1),
    ],
)
def test_edits_of_long_segments_equal_sacrebleus(n_hypothesis, n_reference, n_distinct, share):
    """Halves exchanged, so that the cheapest path would leave the band around the diagonal."""
    draw = random.Random(n_hypothesis)
    reference = [str(draw.randrange(n_distinct)) for _ in range(n_reference)]
    half = n_reference // 2
    turned = (reference[half:] + reference[:half]) * 6
    hypothesis = []
    for word in turned[:n_hypothesis]:
        is_unchanged = draw.random() < share
        hypothesis.append(word if is_unchanged else f"x{word}")

    assert edits([hypothesis], [reference]) == edits_of_sacrebleu([hypothesis], [reference])


def test_search_stops_after_a_thousand_candidates_as_in_sacrebleu(monkeypatch):
    draw = random.Random(8)
    reference = draw.choices("abcd", k=45)
    hypothesis = draw.choices("abcdx", k=45)
    limited_edits = edits_of_sacrebleu([hypothesis], [reference])
    assert edits([hypothesis], [reference]) == limited_edits

    monkeypatch.setattr(lib_ter, "_MAX_SHIFT_CANDIDATES", 10**9)
    unlimited_edits = edits_of_sacrebleu([hypothesis], [reference])
    assert unlimited_edits != limited_edits, "the limit is to tell on this pair"


@pytest.mark.parametrize(
    ("hypothesis", "references"), [("a b", ("",)), ("", ("", "")), ("", ("a b",)), ("a", ("", "a"))]
)
def test_empty_sides_score_as_in_sacrebleu(hypothesis, references):
    metric, peer = configured({})
    scorer = metric.prepare(TestSet("empty", (references,)))

    statistics = scorer.statistics([0], [hypothesis])

    peer_score = peer.corpus_score([hypothesis], [[reference] for reference in references]).score
    assert scorer.score(statistics[0]) == peer_score
    assert scorer.segment_score(statistics)[0] == peer_score


@pytest.mark.parametrize("options", [{}, {"normalized": True, "no_punct": True}, {"asian_support": True}], ids=str)
def test_signature_equals_sacrebleus_except_the_number_of_references(options):
    metric, peer = configured(options)
    peer.corpus_score(["a"], [["a"]])

    assert metric.signature() == str(peer.get_signature()).removeprefix("nrefs:1|")


def test_sums_are_exact_if_mean_lengths_are_fractions():
    metric, _ = configured({})
    scorer = metric.prepare(TestSet("thirds", (("a", "a b", "a b c"), ("a b", "a"), ("a",))))
    statistics = scorer.statistics([0, 1, 2], ["x", "a", "a"])

    # mean lengths 2, 1.5 and 1, and edits 1, 0 and 0, times 6
    assert statistics.tolist() == [[6, 12], [0, 9], [0, 6]]
    assert scorer.score(statistics.sum(axis=0)) == 100 * 6 / 27
    assert scorer.references.scale == math.lcm(3, 2, 1)


@pytest.mark.parametrize("option", ["beam_width", "max_shift_distance"])
def test_tercom_options_are_errors_for_sacrebleu(option):
    with pytest.raises(SettingsError, match=f"'sacrebleu' has no option '{option}'.*7"):
        METRICS["ter"].configure("sacrebleu", {option: 7})
