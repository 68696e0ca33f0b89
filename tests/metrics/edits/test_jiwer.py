"""WER and CER against jiwer, and against a plain distance."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.metrics.distance import edit_distance

from mteval.metrics import METRICS
from mteval.metrics.base import OptionValue
from mteval.values.model import TestSet

RECORDED = json.loads((Path(__file__).parent / "recorded" / "jiwer.json").read_text(encoding="utf-8"))
TEXT = st.text(alphabet="ab AB.,-’é中 ", max_size=90)


def percent_of(key: str, hypotheses: list[str], references: list[str], options: dict[str, OptionValue]) -> float:
    test_set = TestSet("texts", tuple((reference,) for reference in references))
    scorer = METRICS[key].configure("sacrebleu", options).prepare(test_set)
    statistics = scorer.statistics(range(len(references)), hypotheses)
    return float(scorer.score(statistics.sum(axis=0)))


@pytest.mark.parametrize("rate", RECORDED["cases"][0]["rates"])
def test_rates_equal_jiwers(rate: str) -> None:
    key, *pairs = rate.split()
    options = dict(pair.split("=") for pair in pairs)
    given_options = {name: value == "True" for name, value in options.items()}
    for case in RECORDED["cases"]:
        ours = percent_of(key, case["hypotheses"], case["references"], dict(given_options))
        assert ours == pytest.approx(100 * case["rates"][rate], abs=1e-9), case


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(TEXT, TEXT.filter(str.strip)), min_size=1, max_size=3))
def test_characters_are_compared_one_by_one(pairs: list[tuple[str, str]]) -> None:
    hypotheses = [hypothesis for hypothesis, _ in pairs]
    references = [reference for _, reference in pairs]
    errors = sum(edit_distance(text.strip(), reference.strip()) for text, reference in pairs)
    characters = sum(len(reference.strip()) for reference in references)
    assert percent_of("cer", hypotheses, references, {}) == pytest.approx(100 * errors / characters, abs=1e-9)


def test_words_are_split_at_white_space_unless_another_tokenizer_is_chosen() -> None:
    assert percent_of("wer", ["a b."], ["a b ."], {}) == pytest.approx(100 * 2 / 3)
    assert percent_of("wer", ["a b."], ["a b ."], {"tokenize": "13a"}) == 0


def test_removed_punctuation_is_in_the_signature() -> None:
    for key in ("wer", "cer"):
        signature = METRICS[key].configure("sacrebleu", {"no_punct": True}).signature()
        assert "|punct:no|version:" in signature
        assert "punct" not in METRICS[key].configure("sacrebleu", {}).signature()


def test_long_segments_are_compared_whole() -> None:
    draw = np.random.default_rng(1)
    reference = "".join(draw.choice(list("abcd "), 700))
    hypothesis = reference[50:] + reference[:50]
    expected = edit_distance(hypothesis.strip(), reference.strip())
    characters = len(reference.strip())
    assert percent_of("cer", [hypothesis], [reference], {}) == pytest.approx(100 * expected / characters)
