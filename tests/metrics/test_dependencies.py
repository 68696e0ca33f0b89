"""Dependency F: triples shared by parses, against counts by hand and a plain count of lists."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Scores:
    """What the metric says of a run."""

    statistics: list[list[int]]  # of each segment: matches, triples of the hypothesis, triples of the reference
    f: float
    precision: float
    recall: float


def conllu(rows: Rows, lemma: str = "_") -> str:
    """A sentence in CoNLL-U, all of whose words have one lemma."""
    lines = []
    for number, (form, head, relation) in enumerate(rows, start=1):
        lines.append(f"{number}\t{form}\t{lemma}\t_\t_\t_\t{head}\t{relation}\t_\t_\n")
    return "".join(lines) + "\n"


def scores(hypotheses: Sequence[str], *references: Sequence[str], **options: bool) -> Scores:
    """Score a run; one reference parse a segment and stream."""
    texts = tuple("text" for _ in hypotheses)
    run = Run("a", "0", texts, tuple(hypotheses))
    parses_of_segments = tuple(zip(*references, strict=True))
    reference_texts = tuple(("text",) * len(parses) for parses in parses_of_segments)
    test_set = TestSet("t", reference_texts, (run,), reference_parses=parses_of_segments)
    scorer = METRICS["dep-f"].configure("sacrebleu", options).prepare(test_set)

    statistics = scorer.run_statistics(run)
    total = statistics.sum(axis=0)
    precision, recall = scorer.submetrics(total).tolist()
    return Scores(statistics.tolist(), float(scorer.score(total)), precision, recall)


# "The dog bit the man" and "The man was bitten by the dog": by hand, the triples of the first are
# (bit, nsubj, dog), (dog, det, the), (ROOT, root, bit), (man, det, the), (bit, obj, man).
ACTIVE = (("The", 2, "det"), ("dog", 3, "nsubj"), ("bit", 0, "root"), ("the", 5, "det"), ("man", 3, "obj"))
FRONTED = (("the", 2, "det"), ("man", 5, "obj"), ("the", 4, "det"), ("dog", 5, "nsubj"), ("Bit", 0, "root"))
SWAPPED = (("The", 2, "det"), ("man", 3, "nsubj"), ("bit", 0, "root"), ("the", 5, "det"), ("dog", 3, "obj"))
SHORT = (("The", 2, "det"), ("dog", 3, "nsubj"), ("bit", 0, "root"))


def test_precision_and_recall_are_relative_to_either_parse():
    """Three triples, all of them among the reference's five: P = 3/3, R = 3/5, F = 2 * 3 / (3 + 5)."""
    scores_of_short = scores([conllu(SHORT)], [conllu(ACTIVE)])

    assert scores_of_short.statistics == [[3, 3, 5]]
    assert scores_of_short.precision == pytest.approx(100)
    assert scores_of_short.recall == pytest.approx(60)
    assert scores_of_short.f == pytest.approx(75)


def test_word_order_does_not_matter_but_relations_do():
    assert scores([conllu(FRONTED)], [conllu(ACTIVE)]).statistics == [[5, 5, 5]]
    # what is left: the root and both articles
    assert scores([conllu(SWAPPED)], [conllu(ACTIVE)]).statistics == [[3, 5, 5]]


def test_triples_are_matched_as_multisets():
    twice = (("very", 3, "advmod"), ("very", 3, "advmod"), ("good", 0, "root"))
    once = (("very", 2, "advmod"), ("good", 0, "root"))
    assert scores([conllu(twice)], [conllu(once)]).statistics == [[2, 3, 2]]
    assert scores([conllu(once)], [conllu(twice)]).statistics == [[2, 2, 3]]


def test_the_corpus_score_is_that_of_the_sums():
    scores_of_run = scores([conllu(SHORT), conllu(SWAPPED)], [conllu(ACTIVE), conllu(ACTIVE)])

    assert scores_of_run.statistics == [[3, 3, 5], [3, 5, 5]]
    assert scores_of_run.f == pytest.approx(100 * 2 * 6 / (8 + 10))


def test_options_select_what_is_compared():
    good = conllu((("good", 0, "root"),))

    capital_good = conllu((("Good", 0, "root"),))
    assert scores([capital_good], [good]).f == 100
    assert scores([capital_good], [good], lowercase=False).f == 0

    good_in_another_relation = conllu((("good", 0, "ROOT"),))
    assert scores([good_in_another_relation], [good]).f == 0
    assert scores([good_in_another_relation], [good], labelled=False).f == 100

    bitten = conllu((("bitten", 0, "root"),), lemma="bite")
    bites = conllu((("bites", 0, "root"),), lemma="bite")
    assert scores([bitten], [bites]).f == 0
    assert scores([bitten], [bites], lemma=True).f == 100

    bad = conllu((("bad", 0, "root"),))
    assert scores([good], [bad], lemma=True).f == 0, "no lemma is no match"


def test_a_word_called_root_is_not_the_root():
    """(a x ROOT) and (top x a) against (ROOT x a) and (top x ROOT)."""
    word_root_depends_on_a = conllu((("ROOT", 2, "x"), ("a", 0, "x")))
    a_depends_on_word_root = conllu((("a", 2, "x"), ("ROOT", 0, "x")))

    for lowercase in (True, False):
        scores_of_word = scores([word_root_depends_on_a], [a_depends_on_word_root], lowercase=lowercase)
        assert scores_of_word.statistics == [[0, 2, 2]]


def test_the_reference_with_the_highest_f_counts_in_any_order():
    assert scores([conllu(SHORT)], [conllu(ACTIVE)], [conllu(SHORT)]).statistics == [[3, 3, 3]]
    assert scores([conllu(SHORT)], [conllu(SHORT)], [conllu(ACTIVE)]).statistics == [[3, 3, 3]]


def test_segments_may_have_several_sentences_or_none():
    hypotheses = [conllu(SHORT) + conllu(ACTIVE), ""]
    references = [conllu(ACTIVE) + conllu(SHORT), conllu(SHORT)]

    scores_of_run = scores(hypotheses, references)

    assert scores_of_run.statistics == [[8, 8, 8], [0, 0, 3]]
    assert scores_of_run.f == pytest.approx(100 * 16 / (8 + 11))
    assert np.isnan(scores([""], [""]).f)


def test_multiword_tokens_empty_nodes_and_comments_are_not_words():
    text = (
        "# text = au lit\n1-2\tau\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tà\tà\t_\t_\t_\t3\tcase\t_\t_\n2\tle\tle\t_\t_\t_\t3\tdet\t_\t_\n"
        "2.1\tgo\t_\t_\t_\t_\t_\t_\t_\t_\n3\tlit\tlit\t_\t_\t_\t0\troot\t_\t_\n"
    )
    plain = conllu((("à", 3, "case"), ("le", 3, "det"), ("lit", 0, "root")))
    assert scores([text], [plain]).statistics == [[3, 3, 3]]


def _count_by_lists(hypothesis: list[tuple], references: list[list[tuple]]) -> list[int]:
    """Matches by crossing triples off a list, and the reference with the highest F, of equal ones the longest."""
    candidates = []
    for reference in references:
        unmatched = list(reference)
        n_matched = 0
        for triple in hypothesis:
            if triple in unmatched:
                unmatched.remove(triple)
                n_matched += 1
        n_triples = len(hypothesis) + len(reference)
        f = -1.0
        if n_triples:
            f = 2 * n_matched / n_triples
        candidates.append((f, len(reference), n_matched))
    _, length, n_matched = max(candidates)
    return [n_matched, len(hypothesis), length]


def test_random_parses_agree_with_a_plain_implementation():
    draw = random.Random(7)

    def sentence() -> list[tuple[str, int, str]]:
        n_words = draw.randint(1, 7)
        heads = []
        for number in range(1, n_words + 1):
            possible_heads = [head for head in range(n_words + 1) if head != number]
            heads.append(draw.choice(possible_heads))
        return [(draw.choice("abc"), head, draw.choice("xy")) for head in heads]

    def segment() -> list[list[tuple[str, int, str]]]:
        n_sentences = draw.randint(0, 2)
        return [sentence() for _ in range(n_sentences)]

    def triples(sentences: list[list[tuple[str, int, str]]]) -> list[tuple]:
        triples_of_segment = []
        for rows in sentences:
            forms = ["top", *(form for form, _, _ in rows)]
            for form, head, relation in rows:
                triples_of_segment.append((forms[head], relation, form))
        return triples_of_segment

    # a hypothesis and three references, of 300 segments each
    parses = []
    texts = []
    for _ in range(4):
        segments = [segment() for _ in range(300)]
        parses.append(segments)
        texts.append(["".join(map(conllu, sentences)) for sentences in segments])
    hypotheses, *references = texts

    expected = []
    for hypothesis, *references_of_segment in zip(*parses, strict=True):
        expected.append(_count_by_lists(triples(hypothesis), list(map(triples, references_of_segment))))
    assert scores(hypotheses, *references).statistics == expected


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
    second_parse = {"a": SHORT, "b": ACTIVE, "c": ACTIVE}
    runs = []
    for system in "abc":
        for run in "01":
            parses = None
            if system + run in parsed:
                parses = (conllu(SHORT), conllu(second_parse[system]))
            runs.append(Run(system, run, ("same",) * 2, parses))
    reference_parses = None
    if with_references:
        reference_parses = ((conllu(ACTIVE),),) * 2
    return Experiment((TestSet("test", (("r",), ("r",)), tuple(runs), reference_parses=reference_parses),), "a")


def test_runs_without_parses_are_excluded_for_this_metric_only():
    evaluation = evaluate(experiment(["a0", "a1", "b1"]), SMALL, Work())

    n_runs = evaluation.summary.set_index(["metric", "system"])["n_runs"].to_dict()
    n_runs_of_bleu = {("bleu", "a"): 2, ("bleu", "b"): 2, ("bleu", "c"): 2}
    assert n_runs == {**n_runs_of_bleu, ("dep-f", "a"): 2, ("dep-f", "b"): 1}
    score_of = evaluation.scores.set_index(["metric", "system", "run"])["score"]
    assert score_of["dep-f", "a", "0"] == pytest.approx(75)
    assert score_of["dep-f", "b", "1"] == pytest.approx(100 * 2 * 8 / (8 + 10))


def test_equal_texts_with_different_parses_are_cached_separately(tmp_path):
    work = Work(store=StatisticsStore(tmp_path))
    metric = METRICS["dep-f"].configure("sacrebleu", {})
    run_0_parsed = experiment(["a0", "b0"])
    run_1_parsed = experiment(["a1", "b0"])
    assert run_0_parsed.digest != run_1_parsed.digest

    (scored,) = score_experiment(run_0_parsed, [metric], work)
    assert scored.run_keys("a") == ("0",)
    (scored,) = score_experiment(run_1_parsed, [metric], work)
    assert scored.run_keys("a") == ("1",)


@pytest.mark.parametrize(
    ("unparsed", "without_parses"), [(experiment([]), "runs"), (experiment(["a0"], False), "references")]
)
def test_missing_parses_error_says_how_to_add_them(unparsed, without_parses):
    with pytest.raises(DataError, match=f"needs parses of .*{without_parses}.*--parses-refs"):
        evaluate(unparsed, SMALL, Work())


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
