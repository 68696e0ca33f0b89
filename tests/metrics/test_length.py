"""Length against sacreBLEU's lengths and MultEval's recorded scores."""

import re

import numpy as np
import pytest
import sacrebleu

from mteval.metrics import METRICS
from mteval.values.model import TestSet
from mteval.values.notation import Notation

SPEC = METRICS["length"]


@pytest.mark.parametrize("tokenize", ["13a", "none", "char"])
def test_statistics_are_the_lengths_of_sacrebleus_bleu(texts, tokenize):
    scorer = SPEC.configure("sacrebleu", {"tokenize": tokenize}).prepare(texts.test_set)

    statistics = scorer.statistics(texts.segment_ids, texts.hypotheses)

    peer = sacrebleu.BLEU(tokenize=tokenize, force=True)
    peer_lengths = []
    for text, references in texts.pairs:
        (row,) = peer._extract_corpus_statistics([text], [[reference] for reference in references])
        peer_lengths.append(row[:2])
    np.testing.assert_array_equal(statistics, peer_lengths)


def test_corpus_scores_equal_multevals_to_all_digits(data_directory, example):
    test_set = TestSet("example", tuple((line,) for line in example["references"]))
    scorer = SPEC.configure("multeval", {}).prepare(test_set)
    text = (data_directory / "reference" / "multeval" / "results.txt").read_text(encoding="utf-8")
    printed = re.findall(r"RESULT: (baseline|system 1): Length: OptRun (\d): (\S+)", text, flags=re.IGNORECASE)
    assert len(printed) == 6

    for system, run, printed_score in printed:
        name = system.replace("system 1", "sys1")
        hypotheses = example[f"{name}.opt{run}"]
        statistics = scorer.statistics(range(len(hypotheses)), hypotheses)
        score = scorer.score(statistics.sum(axis=0))
        assert f"{score:.6f}" == printed_score


def test_ties_between_references_go_to_the_shorter():
    scorer = SPEC.configure("sacrebleu", {}).prepare(TestSet("one", (("a b c d e", "a b c", "a b c d e f"),)))
    assert scorer.statistics([0], ["x y z w"]).tolist() == [[4, 3]]


def test_an_empty_reference_gives_no_score():
    scorer = SPEC.configure("sacrebleu", {}).prepare(TestSet("one", (("",),)))
    assert np.isnan(scorer.score(scorer.statistics([0], ["a"]))).all()


def test_no_direction_is_marked_as_better():
    assert SPEC.notation == Notation("", unit="%")


def test_signature_names_the_tokenizer_and_the_convention():
    of_characters = SPEC.configure("sacrebleu", {"tokenize": "char"}).signature()
    of_multeval = SPEC.configure("multeval", {}).signature()

    assert of_characters.startswith("tok:char|ref:closest|")
    assert of_multeval.startswith("tok:multeval|ref:closest|")
