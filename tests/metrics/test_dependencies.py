"""Dependency F: triples shared by parses, against counts by hand and a plain count of lists."""

import random
from collections.abc import Sequence

import numpy as np
import pytest

from mteval.analysis.evaluation import evaluate
from mteval.analysis.nbest import ListScorers
from mteval.analysis.scoring import Work, score_experiment
from mteval.base.errors import DataError, InputError, SettingsError
from mteval.base.store import StatisticsStore
from mteval.metrics import METRICS
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

Rows = Sequence[tuple[str, int, str]]  # form, head, relation


def conllu(rows: Rows, lemmas: Sequence[str] = ()) -> str:
    """A sentence in CoNLL-U."""
    columns = [
        (str(number), form, lemmas[number - 1] if lemmas else "_", "_", "_", "_", str(head), relation, "_", "_")
        for number, (form, head, relation) in enumerate(rows, start=1)
    ]
    return "".join("\t".join(row) + "\n" for row in columns) + "\n"


def scores(hypotheses: Sequence[str], *references: Sequence[str], **options: bool):
    """Statistics, F, precision and recall of a run; one reference parse a segment and stream."""
    texts = tuple("text" for _ in hypotheses)
    run = Run("a", "0", texts, tuple(hypotheses))
    columns = tuple(zip(*references, strict=True))
    test_set = TestSet("t", tuple(("text",) * len(row) for row in columns), (run,), reference_parses=columns)
    scorer = METRICS["dep-f"].configure("sacrebleu", options).prepare(test_set)
    statistics = scorer.run_statistics(run)
    total = statistics.sum(axis=0)
    return statistics.tolist(), float(scorer.score(total)), scorer.submetrics(total).tolist()


# "The dog bit the man" and "The man was bitten by the dog": by hand, the triples of the first are
# (bit, nsubj, dog), (dog, det, the), (ROOT, root, bit), (man, det, the), (bit, obj, man).
ACTIVE = (("The", 2, "det"), ("dog", 3, "nsubj"), ("bit", 0, "root"), ("the", 5, "det"), ("man", 3, "obj"))
FRONTED = (("the", 2, "det"), ("man", 5, "obj"), ("the", 4, "det"), ("dog", 5, "nsubj"), ("Bit", 0, "root"))
SWAPPED = (("The", 2, "det"), ("man", 3, "nsubj"), ("bit", 0, "root"), ("the", 5, "det"), ("dog", 3, "obj"))
SHORT = (("The", 2, "det"), ("dog", 3, "nsubj"), ("bit", 0, "root"))


def test_precision_and_recall_are_relative_to_either_parse():
    """Three triples, all of them among the reference's five: P = 3/3, R = 3/5, F = 2 * 3 / (3 + 5)."""
    statistics, f, (precision, recall) = scores([conllu(SHORT)], [conllu(ACTIVE)])
    assert statistics == [[3, 3, 5]]
    assert (f, precision, recall) == pytest.approx((75, 100, 60))


def test_word_order_does_not_matter_but_relations_do():
    assert scores([conllu(FRONTED)], [conllu(ACTIVE)])[0] == [[5, 5, 5]]
    # what is left: the root and both articles
    assert scores([conllu(SWAPPED)], [conllu(ACTIVE)])[0] == [[3, 5, 5]]


def test_triples_are_matched_as_multisets():
    twice = (("very", 3, "advmod"), ("very", 3, "advmod"), ("good", 0, "root"))
    once = (("very", 2, "advmod"), ("good", 0, "root"))
    assert scores([conllu(twice)], [conllu(once)])[0] == [[2, 3, 2]]
    assert scores([conllu(once)], [conllu(twice)])[0] == [[2, 2, 3]]


def test_the_corpus_score_is_that_of_the_sums():
    statistics, f, _ = scores([conllu(SHORT), conllu(SWAPPED)], [conllu(ACTIVE), conllu(ACTIVE)])
    assert statistics == [[3, 3, 5], [3, 5, 5]]
    assert f == pytest.approx(100 * 2 * 6 / (8 + 10))


def test_options_select_what_is_compared():
    capital, lower = conllu((("Good", 0, "root"),)), conllu((("good", 0, "root"),))
    assert scores([capital], [lower])[1] == 100
    assert scores([capital], [lower], lowercase=False)[1] == 0
    other = conllu((("good", 0, "ROOT"),))
    assert scores([other], [lower])[1] == 0
    assert scores([other], [lower], labelled=False)[1] == 100
    bitten, bites = (conllu(((form, 0, "root"),), ("bite",)) for form in ("bitten", "bites"))
    assert scores([bitten], [bites])[1] == 0
    assert scores([bitten], [bites], lemma=True)[1] == 100
    assert scores([lower], [conllu((("bad", 0, "root"),))], lemma=True)[1] == 0, "no lemma is no match"


def test_a_word_called_root_is_not_the_root():
    """(a x ROOT) and (top x a) against (ROOT x a) and (top x ROOT)."""
    word = conllu((("ROOT", 2, "x"), ("a", 0, "x")))
    other = conllu((("a", 2, "x"), ("ROOT", 0, "x")))
    for lowercase in (True, False):
        assert scores([word], [other], lowercase=lowercase)[0] == [[0, 2, 2]]


def test_the_reference_with_the_highest_f_counts_in_any_order():
    for references in ((ACTIVE, SHORT), (SHORT, ACTIVE)):
        assert scores([conllu(SHORT)], *([conllu(rows)] for rows in references))[0] == [[3, 3, 3]]


def test_segments_may_have_several_sentences_or_none():
    both = conllu(SHORT) + conllu(ACTIVE)
    statistics, f, _ = scores([both, ""], [conllu(ACTIVE) + conllu(SHORT), conllu(SHORT)])
    assert statistics == [[8, 8, 8], [0, 0, 3]]
    assert f == pytest.approx(100 * 16 / (8 + 11))
    assert np.isnan(scores([""], [""])[1])


def test_multiword_tokens_empty_nodes_and_comments_are_not_words():
    text = (
        "# text = au lit\n1-2\tau\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tà\tà\t_\t_\t_\t3\tcase\t_\t_\n2\tle\tle\t_\t_\t_\t3\tdet\t_\t_\n"
        "2.1\tgo\t_\t_\t_\t_\t_\t_\t_\t_\n3\tlit\tlit\t_\t_\t_\t0\troot\t_\t_\n"
    )
    plain = conllu((("à", 3, "case"), ("le", 3, "det"), ("lit", 0, "root")))
    assert scores([text], [plain])[0] == [[3, 3, 3]]


def _count_by_lists(hypothesis: list[tuple], references: list[list[tuple]]) -> list[int]:
    """Matches by crossing triples off a list, and the reference with the highest F, of equal ones the longest."""
    rows = []
    for reference in references:
        left = list(reference)
        matched = 0
        for triple in hypothesis:
            if triple in left:
                left.remove(triple)
                matched += 1
        both = len(hypothesis) + len(reference)
        rows.append((2 * matched / both if both else -1, len(reference), matched))
    _, length, matched = max(rows)
    return [matched, len(hypothesis), length]


def test_random_parses_agree_with_a_plain_implementation():
    draw = random.Random(7)

    def sentence() -> list[tuple[str, int, str]]:
        n = draw.randint(1, 7)
        heads = [draw.choice([head for head in range(n + 1) if head != number]) for number in range(1, n + 1)]
        return [(draw.choice("abc"), head, draw.choice("xy")) for head in heads]

    def triples(rows: list[list[tuple[str, int, str]]]) -> list[tuple]:
        return [
            (("top", *(r[0] for r in sentence_rows))[head], relation, form)
            for sentence_rows in rows
            for form, head, relation in sentence_rows
        ]

    parses = [[[sentence() for _ in range(draw.randint(0, 2))] for _ in range(300)] for _ in range(4)]
    hypothesis, *references = ([("".join(map(conllu, parse))) for parse in column] for column in parses)
    expected = [_count_by_lists(triples(h), [triples(r) for r in rest]) for h, *rest in zip(*parses, strict=True)]
    assert scores(hypothesis, *references)[0] == expected


def test_invalid_parse_error_names_run_segment_and_line():
    run = Run("mine", "3", ("a", "b"), (conllu(SHORT), "1\tno tabs"))
    test_set = TestSet("t", (("r",), ("r",)), (run,), reference_parses=((conllu(SHORT),),) * 2)
    scorer = METRICS["dep-f"].configure("sacrebleu", {}).prepare(test_set)
    with pytest.raises(
        InputError, match=r"system 'mine', run '3', segment 2, line 1: The line has 2 columns .* has 10"
    ):
        scorer.run_statistics(run)


SMALL = Settings(metrics=("bleu", "dep-f"), n_bootstrap=100, n_shuffles=100)


def experiment(parsed: Sequence[str], with_references: bool = True) -> Experiment:
    """Systems a, b and c with two runs of the same texts; those named like ``b1`` have parses."""
    names = [(system, run) for system in "abc" for run in "01"]
    parses = {name: (conllu(SHORT), conllu(SHORT if name[0] == "a" else ACTIVE)) for name in names}
    runs = tuple(Run(*name, ("same",) * 2, parses[name] if "".join(name) in parsed else None) for name in names)
    references = ((conllu(ACTIVE),),) * 2 if with_references else None
    return Experiment((TestSet("test", (("r",), ("r",)), runs, reference_parses=references),), "a")


def test_runs_without_parses_are_excluded_for_this_metric_only():
    evaluation = evaluate(experiment(["a0", "a1", "b1"]), SMALL, Work())
    counts = evaluation.summary.set_index(["metric", "system"])["n_runs"].to_dict()
    assert counts == {("bleu", key): 2 for key in "abc"} | {("dep-f", "a"): 2, ("dep-f", "b"): 1}
    scores_of = evaluation.scores.set_index(["metric", "system", "run"])["score"]
    assert scores_of["dep-f", "a", "0"] == pytest.approx(75)
    assert scores_of["dep-f", "b", "1"] == pytest.approx(100 * 2 * 8 / (8 + 10))


def test_equal_texts_with_different_parses_are_cached_separately(tmp_path):
    work = Work(store=StatisticsStore(tmp_path))
    first, second = experiment(["a0", "b0"]), experiment(["a1", "b0"])
    assert first.digest != second.digest
    for each, run in ((first, "0"), (second, "1")):
        (scored,) = score_experiment(each, [METRICS["dep-f"].configure("sacrebleu", {})], work)
        assert scored.run_keys("a") == (run,)


@pytest.mark.parametrize(("made", "what"), [(experiment([]), "runs"), (experiment(["a0"], False), "references")])
def test_missing_parses_error_says_how_to_add_them(made, what):
    with pytest.raises(DataError, match=f"needs parses of .*{what}.*--parses-refs"):
        evaluate(made, SMALL, Work())


def test_test_set_without_parses_has_no_rows():
    (with_parses,) = experiment(["a0", "b0"]).test_sets
    dev = TestSet("dev", (("r",),), (Run("a", "0", ("x",)), Run("b", "0", ("y",))), role="dev")
    evaluation = evaluate(Experiment((with_parses, dev), "a"), SMALL, Work())
    rows = evaluation.summary.groupby("test_set")["metric"].agg(set).to_dict()
    assert rows == {"test": {"bleu", "dep-f"}, "dev": {"bleu"}}


def test_n_best_lists_have_no_parses():
    (test_set,) = experiment(["a0"]).test_sets
    with pytest.raises(SettingsError, match="Dependency F scores whole runs"):
        ListScorers.of([METRICS["dep-f"].configure("sacrebleu", {})], test_set)
