"""Words and n-grams over all runs: counts against plain counting, verdicts against the procedures themselves."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from mteval.analysis.comparison import Case, Question, ask
from mteval.analysis.scoring import Work, score_experiment
from mteval.analysis.words import ngrams
from mteval.analysis.words.groupings import Asked, grouped
from mteval.analysis.words.ngrams import ngram_evidence
from mteval.analysis.words.questions import WordData, by_scores, required_terms, term_accuracy
from mteval.analysis.words.texts import WordTexts, split_at
from mteval.analysis.words.verdicts import GroupScorer, Named, group_on, group_verdicts, groups_of
from mteval.base.errors import DataError
from mteval.metrics import METRICS
from mteval.stats.multiplicity import holm
from mteval.values.model import Experiment, Run, Sample, TestSet
from mteval.values.notation import Notation
from mteval.values.settings import Settings

SPACES = split_at(" ")
REFERENCES = (("the cat sat on the mat", "a cat on a mat"), ("he said so",))
LEFT = ("the the the cat", "so said he so")
RIGHT = ("a cat sat on a mat", "he said nothing")
SETTINGS = Settings(n_shuffles=400)
VOCABULARY = np.array(list("abcdefghijkl"))


def garbled(n_runs: int = 3, n_segments: int = 60, documents: int = 0) -> TestSet:
    """Two systems that lose words at random; the second fewer, and never the word a."""
    generator = np.random.default_rng(3)
    references = [VOCABULARY[generator.integers(0, 12, 9)] for _ in range(n_segments)]

    def lost(share: float, never_lost: str) -> tuple[str, ...]:
        outputs = []
        for words in references:
            outputs.append(" ".join(word for word in words if generator.random() > share or word == never_lost))
        return tuple(outputs)

    runs = [Run("old", str(run), lost(0.3, "b")) for run in range(n_runs)]
    runs += [Run("new", str(run), lost(0.25, "a")) for run in range(n_runs + 1)]
    ids = tuple(f"d{place % documents}" for place in range(n_segments)) if documents else None
    return TestSet("t", tuple((" ".join(words),) for words in references), tuple(runs), documents=ids)


def small() -> TestSet:
    """One output each of two systems; the first segment has two references."""
    return TestSet("t", REFERENCES, (Run("old", "0", LEFT), Run("new", "0", RIGHT)))


def all_in_one_group(texts: WordTexts) -> dict[str, np.ndarray]:
    """The counts of all words together."""
    of_references = np.zeros(len(texts.references.items), dtype=int)
    of_outputs = np.zeros(len(texts.outputs.items), dtype=int)
    return texts.spread(texts.counts(of_references, of_outputs, 1))


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_matches_agree_with_plain_counting(order: int) -> None:
    test_set = garbled()
    texts = list(WordTexts.of_test_set(test_set, ("old", "new"), SPACES).ngrams(4))[order - 1]

    counts = texts.spread(texts.counts(texts.references.items, texts.outputs.items, len(texts.spelled)))

    for system in ("old", "new"):
        for number, run in enumerate(test_set.runs_of(system)):
            plain = Counter[str]()
            for output, (reference,) in zip(run.hypotheses, test_set.references, strict=True):
                plain += grams(output, order) & grams(reference, order)
            matches = counts[system][number].sum(axis=0)[:, 0]
            assert {texts.name(place): int(matches[place]) for place in np.flatnonzero(matches)} == dict(plain)


def grams(text: str, order: int) -> Counter[str]:
    """How often each n-gram occurs in a text."""
    words = text.split()
    return Counter(" ".join(words[start : start + order]) for start in range(len(words) - order + 1))


def test_one_group_has_the_statistics_of_unigram_f_for_any_number_of_references() -> None:
    counts = all_in_one_group(WordTexts.of_test_set(small(), ("old", "new"), SPACES))
    scorer = METRICS["unigram-f"].configure("sacrebleu", {"tokenize": "none"}).prepare(small())
    for system, hypotheses in (("old", LEFT), ("new", RIGHT)):
        assert counts[system][0, :, 0].tolist() == scorer.statistics(range(2), hypotheses).tolist()


def test_samples_are_averaged_within_their_run() -> None:
    samples = (Sample("0", ("a b",)), Sample("1", ("a c",)))
    runs = (Run("old", "0", ("a b",), samples=samples), Run("new", "0", ("a",)))
    test_set = TestSet("t", (("a b",),), runs)

    counts = all_in_one_group(WordTexts.of_test_set(test_set, ("old", "new"), SPACES))

    assert counts["old"][0, 0, 0].tolist() == [1.5, 2, 2]


@pytest.mark.parametrize("documents", [0, 12])
@pytest.mark.parametrize("measure", ["recall", "precision"])
def test_shuffles_of_ngrams_are_those_of_the_procedure_itself(measure, documents: int) -> None:
    systems = ("old", "new")
    test_set = garbled(documents=documents)
    orders = tuple(WordTexts.of_test_set(test_set, systems, SPACES).ngrams(4))
    words = ngrams._tested(orders, systems, measure, None)[0]
    place = words.names.index("a")

    evidence = ngram_evidence(test_set, orders, systems, measure, SETTINGS, Work())
    averages = ngrams._averages(words, test_set, systems, SETTINGS)
    nulls = ngrams._nulls(*averages, measure, SETTINGS, 400)

    # The procedure itself, on all segments, so that units are numbered alike
    counts = words.of_ngram(place)
    scored = group_on(test_set, counts, measure)
    on_all_segments = scored.__class__(test_set, scored.metric, scored.scorer, counts)
    question = Question("ar-segment", "document" if documents else "segment")
    result = ask(Case(on_all_segments, "old", "new", question), SETTINGS, Work()).result
    np.testing.assert_allclose(nulls[place], result.null, atol=1e-9)
    assert evidence.n_tested > 50
    assert (evidence.frame["better"] + evidence.frame["worse"] <= evidence.frame["pairs"]).all()


def test_the_word_that_a_system_never_loses_is_found_and_counted_in_pairs_of_runs() -> None:
    test_set = garbled()
    n_of_word = {}
    for system in ("old", "new"):
        runs = test_set.runs_of(system)
        n_of_word[system] = [sum(line.split().count("a") for line in run.hypotheses) for run in runs]
    n_better = sum(new > old for new, old in product(n_of_word["new"], n_of_word["old"]))
    ratio = (np.mean(n_of_word["new"]) + 1) / (np.mean(n_of_word["old"]) + 1)

    frame = WordData(test_set, ("old", "new"), Settings(n_shuffles=2_000)).ngrams("new").frame.set_index("ngram")

    assert frame.loc["a", "better"] == n_better == 12
    assert frame.loc["a", "log_ratio"] == pytest.approx(np.log2(ratio))
    assert frame.loc["a", "p_test_set"] < 0.05
    assert frame.loc["b", "log_ratio"] < 0
    assert frame["log_ratio"].is_monotonic_decreasing


def test_p_values_of_some_tests_of_a_family_are_never_below_those_of_holm_over_all() -> None:
    generator = np.random.default_rng(1)
    for _ in range(50):
        p_values = generator.random(20) ** 4
        tested = generator.permutation(20)[:6]
        assert (ngrams._holm_among(p_values[tested], 20) >= holm(p_values)[tested] - 1e-12).all()


def conclusion_on_a(base: list[tuple[str, ...]], new: list[tuple[str, ...]]) -> str:
    """What is concluded of the word a from these runs of two systems."""
    references = tuple((f"a b{place} c",) for place in range(20))
    runs = [Run("base", str(run), outputs) for run, outputs in enumerate(base)]
    runs += [Run("new", str(run), outputs) for run, outputs in enumerate(new)]
    data = WordData(TestSet("t", references, tuple(runs)), ("base", "new"), SETTINGS)
    return data.ngrams("new").frame.set_index("ngram").loc["a", "conclusion"].word


def test_runs_that_agree_on_a_word_are_not_taken_for_copies_but_copies_are() -> None:
    """All runs of the new system have the word in all segments but the first; only copies have equal outputs."""
    base = [tuple(f"x b{place} c{run}" for place in range(20)) for run in range(3)]
    new = []
    for run in range(3):
        with_a = [f"a b{place} d{run}" for place in range(1, 20)]
        new.append((f"x b0 d{run}", *with_a))
    assert conclusion_on_a(base, new) == "better"
    assert conclusion_on_a(base, [new[0]] * 3) == "no verdict"


def test_groups_are_tested_on_the_segments_that_have_them_and_p_is_adjusted_for_all() -> None:
    test_set = garbled(documents=12)

    # All 60 x 9 words of the references are in lower case
    rows = WordData(test_set, ("old", "new"), SETTINGS).by_words(Asked("case")).rows
    assert [row.size for row in rows] == [540, 0, 0, 0]
    lower_case, *empty = [row.verdict for row in rows]
    assert empty == [None] * 3
    assert lower_case is not None
    assert lower_case.unit_both == "document"

    # The first group has words in ten segments, the second in all
    counts = np.zeros((3, 60, 2, 3), dtype=int)
    counts[:, :10, 0] = 1
    counts[:, :, 1] = 1
    first, second = groups_of(test_set, ("one", "two"), {"old": counts, "new": counts[[0, 1, 2, 2]]}, "f")
    assert first.scored is not None
    assert first.scored.test_set.n_segments == 10
    assert second.scored is not None
    assert second.scored.test_set.n_segments == 60
    for row in group_verdicts((first, second), "old", Named("F", Notation("↑")), SETTINGS, Work()):
        assert row.verdict is not None
        assert row.verdict.p_test_set_adjusted == 1


def test_a_group_without_any_match_scores_zero() -> None:
    statistics = np.array([[0, 0, 3], [0, 2, 0], [1, 2, 4]])
    assert GroupScorer("f").score(statistics).tolist() == [0, 0, pytest.approx(100 / 3)]
    assert GroupScorer("precision").score(statistics).tolist() == [0, 0, 50]
    assert GroupScorer("recall").score(statistics).tolist() == [0, 0, 25]


def test_segments_of_an_ngram_are_those_where_it_makes_the_difference() -> None:
    data = WordData(small(), ("old", "new"), Settings(convention="multeval"))

    def segments_with(*words: str, where: str = "differs") -> list[int]:
        return np.flatnonzero(data.segments_with(words, where)).tolist()

    assert segments_with("the") == [0]
    assert segments_with("he", "said") == [1]
    assert segments_with("cat") == []
    assert segments_with("nothing", where="missed") == [1]
    assert segments_with("so", where="missed") == [1]
    assert segments_with("unheard", "of", where="missed") == []
    assert segments_with(*"abcde") == []


def test_unmatched_words_are_missed_by_outputs_or_too_many_in_them() -> None:
    data = WordData(small(), ("old", "new"), Settings(convention="multeval"))
    rows = data.unmatched(100).set_index("word")
    assert rows.loc["nothing", ["references", "baseline", "system"]].tolist() == [0, 0, 1]
    assert rows.loc["so", ["missed_by_baseline", "missed_by_system", "baseline"]].tolist() == [0, 1, 1]
    assert not {"said", "cat"} & set(rows.index)


def test_case_and_given_counts_decide_the_group() -> None:
    runs = (Run("old", "0", ("The EU and IBM ,",)), Run("new", "0", ("the",)))
    test_set = TestSet("t", (("The EU and iPad ,",),), runs)

    def groups_of_reference(question: Asked) -> list[str]:
        """The name of the group of each word of the reference."""
        groups = grouped(test_set, ("old", "new"), question, SPACES)
        return [groups.names[group] for group in groups.of_references]

    assert groups_of_reference(Asked("case")) == ["title case", "upper case", "lower case", "other", "other"]
    by_frequency = Asked(counts={"The": 7, "EU": 1000})
    assert groups_of_reference(by_frequency) == ["5–9", "1,000 or more", "0", "0", "0"]

    without_case = grouped(test_set, ("old", "new"), Asked(lowercase=True), SPACES)
    assert without_case.counts["new"][0, 0, 1].tolist() == [1, 1, 5], "'the' matches 'The'"


def with_samples(first: str, second: str) -> TestSet:
    """One segment whose old system has a run of two samples."""
    samples = (Sample("0", (first,)), Sample("1", (second,)))
    runs = (Run("old", "0", (first,), samples=samples), Run("new", "0", ("a b",)))
    return TestSet("t", (("a b",),), runs, side={"pos": ("D N",)})


def test_samples_are_averaged_within_their_run_if_case_is_ignored() -> None:
    """Of the reference's words, a and b, the first sample has both and the second has one."""
    groups = grouped(with_samples("A b", "a C"), ("old", "new"), Asked(lowercase=True, counts={}), SPACES)
    assert groups.counts["old"][0, 0, 0].tolist() == [1.5, 2, 2]


def test_labels_need_one_for_each_word() -> None:
    runs = (Run("old", "0", ("a b",)), Run("new", "0", ("b",)))
    test_set = TestSet("t", (("a b",),), runs, side={"pos": ("D N",), "bad": ("D",)})
    data = WordData(test_set, ("old", "new"), SETTINGS)
    rows = data.by_words(Asked("label", labels="pos")).frame.set_index("group")
    assert rows["system_mean"].to_dict() == {"D": 0, "N": 100}  # recall: outputs have no labels
    with pytest.raises(DataError, match="1 label for 2 words in the reference of segment 1"):
        data.by_words(Asked("label", labels="bad"))
    labels = {("old", "0"): ["D N"], ("new", "0"): ["N N"]}
    with pytest.raises(DataError, match="2 labels for 1 word in output 2"):
        data.by_words(Asked("label", labels="pos", output_labels=labels))
    with pytest.raises(DataError, match="no column of labels 'absent'"):
        data.by_words(Asked("label", labels="absent"))


def test_labels_of_outputs_are_refused_if_a_run_has_several_samples() -> None:
    data = WordData(with_samples("a b", "a c"), ("old", "new"), SETTINGS)
    rows = data.by_words(Asked("label", labels="pos")).frame.set_index("group")
    assert rows["baseline_mean"].to_dict() == {"D": 100, "N": 50}
    labels = {("old", "0"): ["D N"], ("new", "0"): ["D N"]}
    with pytest.raises(DataError, match=r"'old', run '0': the run has 2 samples; labels need exactly one\. Remove"):
        data.by_words(Asked("label", labels="pos", output_labels=labels))


def test_an_alignment_must_fit_the_texts() -> None:
    runs = (Run("old", "0", ("a b",)), Run("new", "0", ("b",)))
    test_set = TestSet("t", (("a b",),), runs, source=("x y z",), side={"links": ("0-0 1-1 1-0",), "far": ("3-0",)})
    data = WordData(test_set, ("old", "new"), SETTINGS)
    rows = data.by_words(Asked(alignment="links")).frame.set_index("group")
    assert rows.loc["1", ["size", "baseline_mean", "system_mean"]].tolist() == [2, 100, 0]
    with pytest.raises(DataError, match="segment 1: '3-0' does not fit 3 source words and 2 reference words"):
        data.by_words(Asked(alignment="far"))


def test_terms_are_required_where_the_source_has_them_and_found_as_whole_words() -> None:
    """Without a source, terms are required where the reference has them."""
    runs = (Run("old", "0", ("the hardship here", "ships")), Run("new", "0", ("Two Ships and a ship .", "boats")))
    references = (("ships",), ("boats",))
    test_set = TestSet("t", references, runs, source=("Schiff, Schiff", "Boote"))
    without_source = TestSet("t", references, runs)
    terms = {"Schiff": ("ship", "ships"), "boote": ("boats",)}

    assert [dict(required) for required in required_terms(test_set, terms)] == [{"Schiff": 2}, {"boote": 1}]
    assert [dict(required) for required in required_terms(without_source, terms)] == [{"Schiff": 1}, {"boote": 1}]
    _, counts = term_accuracy(test_set, ("old", "new"), terms)
    assert counts["old"][0, :, 0, 0].tolist() == [0, 0]
    assert counts["new"][0, :, 0, 0].tolist() == [2, 1]
    with pytest.raises(DataError, match="None of the 1 terms occurs"):
        WordData(test_set, ("old", "new"), SETTINGS).by_terms({"Zug": ("train",)})


def test_outputs_are_counted_by_length_and_score() -> None:
    """All references have nine words."""
    test_set = garbled()
    differences = [len(text.split()) - 9 for run in test_set.runs_of("old") for text in run.hypotheses]

    by_length = WordData(test_set, ("old", "new"), SETTINGS).by_length_difference().frame
    assert by_length[["baseline_mean", "system_mean"]].sum().tolist() == pytest.approx([100, 100])
    two_words_short = 100 * np.mean(np.array(differences) == -2)
    assert by_length.set_index("group").loc["−2", "baseline_mean"] == pytest.approx(two_words_short)

    chrf = METRICS["chrf"].configure("sacrebleu", {})
    (scored,) = score_experiment(Experiment((test_set,), "old"), [chrf], Work())
    by_score = by_scores(scored, ("old", "new"), SETTINGS, Work()).frame
    assert by_score[["baseline_mean", "system_mean"]].sum().tolist() == pytest.approx([100, 100])
    assert len(by_score) > 3


def test_words_need_two_systems_and_references() -> None:
    with pytest.raises(DataError, match="output of one"):
        WordData(small(), ("old",), SETTINGS)
    without_reference = TestSet("t", ((),), (Run("old", "0", ("a",)),), source=("x",))
    with pytest.raises(DataError, match="lacks one of them"):
        WordData(without_reference, ("old", "new"), SETTINGS)
