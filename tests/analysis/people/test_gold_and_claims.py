"""Human gold and the accuracy of tests: the rules written out by hand, SciPy, and the paper's own counts."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu, permutation_test, wilcoxon

from mteval.analysis.comparison import Question
from mteval.analysis.noticed import Curve
from mteval.analysis.people.agreement import (
    CLAIMS,
    LEVELS,
    ONE_SIDED,
    TWO_SIDED,
    accuracy_frame,
    against_frame,
    claims_frame,
    counts_frame,
    shares_frame,
)
from mteval.analysis.people.gold import GOLD, Gold, gold_of, rank_sum_gold
from mteval.analysis.people.human_evaluation import HumanChoices, HumanEvaluation
from mteval.analysis.people.judgements import (
    HumanScores,
    judgement_frame,
    prepared,
    scales_of,
    segment_places,
    standardised,
    without_repeats,
)
from mteval.analysis.scoring import Work, score_experiment
from mteval.base.errors import DataError, SettingsError
from mteval.metrics.imported import Imported
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.judgements import MQM, Judgement
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

SYSTEMS = ("A", "B", "C")
SETTINGS = Settings(n_shuffles=999, n_bootstrap=50)
N = 40
TEST_SET = TestSet(
    "test",
    (("",),) * N,
    tuple(Run(system, "0", ("",) * N) for system in SYSTEMS),
    documents=tuple(f"d{index // 4}" for index in range(N)),
)


def judged(seed: int = 1) -> pd.DataFrame:
    """Two annotators, the second of whom starts higher; A is better than B by a lot, C than B by little."""
    generator = np.random.default_rng(seed)
    shifts = {"ann": 0.0, "bob": 5.0}
    means = {"A": 1.5, "B": 0.0, "C": 0.2}
    judgements = []
    for annotator, system, index in product(shifts, SYSTEMS, range(N)):
        for scale in ("adequacy", "fluency"):
            value = shifts[annotator] + means[system] + generator.normal()
            judgements.append(Judgement(annotator, system, str(index + 1), scale, value, f"d{index // 4}"))
    return judgement_frame(judgements)


def test_standardising_removes_severity_and_scale_of_annotators() -> None:
    frame = standardised(judged())

    by_annotator = frame.groupby(["annotator", "scale"])["value"].agg(["mean", "std"])
    np.testing.assert_allclose(by_annotator["mean"], 0, atol=1e-12)
    np.testing.assert_allclose(by_annotator["std"], 1)

    constant = judgement_frame([Judgement("cat", "A", "1", "score", 3.0), Judgement("cat", "B", "1", "score", 3.0)])
    assert standardised(constant).empty


def test_weights_of_errors_are_not_standardised_unless_it_is_wanted() -> None:
    frame = judged().assign(scale=MQM)
    without_repeats_of_scale = frame.drop_duplicates(["annotator", "system", "segment"])

    as_weights = prepared(without_repeats_of_scale)
    as_z_scores = prepared(frame, standardise=True)

    pd.testing.assert_series_equal(as_weights["value"], without_repeats_of_scale["value"], check_index=False)
    assert abs(as_z_scores["value"].mean()) < 1e-12


def test_repeated_judgements_are_averaged() -> None:
    """The mean of 1, 2 and 6 is 3."""
    repeated = [Judgement("model", "A", "1", "score", value) for value in (1.0, 2.0, 6.0)]
    single = Judgement("ann", "A", "1", "score", 5.0)
    frame = without_repeats(judgement_frame([*repeated, single]))
    assert sorted(zip(frame["annotator"], frame["value"], strict=True)) == [("ann", 5.0), ("model", 3.0)]


def test_adequacy_decides_and_fluency_breaks_ties_unless_others_are_named() -> None:
    frame = judged()
    assert scales_of(frame) == ("adequacy", "fluency")
    assert scales_of(frame, ["fluency"]) == ("fluency", None)
    assert scales_of(frame[frame["scale"] == "fluency"]) == ("fluency", None)
    with pytest.raises(DataError, match=r"'effort'.*: adequacy, fluency"):
        scales_of(frame, ["effort"])
    unknown_scales = frame.replace({"scale": {"adequacy": "one", "fluency": "two"}})
    with pytest.raises(DataError, match="Several scales were judged"):
        scales_of(unknown_scales)


def test_the_gold_is_the_rank_sum_test_of_standardised_judgements() -> None:
    """Two raters judged each of the segments of each system."""
    frame = prepared(judged())
    adequacy = frame[frame["scale"] == "adequacy"]

    gold = rank_sum_gold(frame, ("adequacy", None))

    for row in gold.first.to_dict("records"):
        first = adequacy[adequacy["system"] == row["one"]]["value"]
        second = adequacy[adequacy["system"] == row["other"]]["value"]
        assert row["p_better"] == pytest.approx(mannwhitneyu(first, second, alternative="greater").pvalue)
        assert row["p_worse"] == pytest.approx(mannwhitneyu(first, second, alternative="less").pvalue)
        assert row["difference"] == pytest.approx(first.mean() - second.mean())
        assert row["difference"] >= 0
        assert (row["n_one"], row["n_other"]) == (2 * N, 2 * N)


def test_documents_as_units_compare_means_of_documents() -> None:
    frame = prepared(judged())
    gold = rank_sum_gold(frame, ("adequacy", None), "document")
    assert set(gold.first["n_one"]) == {N // 4}
    with pytest.raises(DataError, match="Some judgements have no document"):
        rank_sum_gold(frame.assign(document=None), ("adequacy", None), "document")


def gold_frame(*pairs: tuple[str, str, float, float], scale: str = "adequacy") -> pd.DataFrame:
    """Pairs of systems with both one-sided p-values of people; the rest of a row does not matter here."""
    rows = [(first, second, scale, 9, 9, 0.1, better, worse, better) for first, second, better, worse in pairs]
    return pd.DataFrame(rows, columns=list(GOLD))


GRAHAM = Gold(
    gold_frame(("A", "B", 0.001, 0.999), ("A", "C", 0.2, 0.8), ("B", "C", 0.3, 0.7)),
    gold_frame(("B", "A", 0.001, 0.999), ("C", "A", 0.02, 0.98), ("B", "C", 0.4, 0.6), scale="fluency"),
    "rank-sum",
    "judgement",
)


def test_fluency_decides_only_ties_of_adequacy() -> None:
    """A is above B by adequacy, whatever fluency says; fluency puts C above A; nothing tells B from C."""
    assert GRAHAM.conclusions(0.05) == {("A", "B"): 1, ("A", "C"): -1, ("B", "C"): 0}
    assert GRAHAM.conclusions(0.01) == {("A", "B"): 1, ("A", "C"): 0, ("B", "C"): 0}
    cells = {(row["better"], row["worse"]): row for row in GRAHAM.cells(0.05).to_dict("records")}
    assert len(cells) == 6
    assert cells["A", "B"]["scale"] == "adequacy"
    assert cells["C", "A"]["scale"] == "fluency"
    assert cells["C", "A"]["p_value"] == 0.02
    assert cells["C", "A"]["is_better"]
    assert not cells["B", "C"]["is_better"]


def human() -> HumanScores:
    """The adequacy of each system's segments by both annotators."""
    return HumanScores.of(prepared(judged()), "adequacy", TEST_SET)


def test_a_procedure_pairs_the_judged_segments() -> None:
    scores = human()
    score_of = dict(zip(scores.systems, scores.values, strict=True))
    gains = score_of["A"] - score_of["B"]
    frame = prepared(judged())
    scales = ("adequacy", None)

    gold = gold_of(frame, scales, Question("wilcoxon", "segment"), TEST_SET, SETTINGS, Work())

    assert scores.values.shape == (3, N)
    row = gold.first.query("one == 'A' and other == 'B'").iloc[0]
    assert row["p_better"] == pytest.approx(wilcoxon(np.round(gains, 9), alternative="greater").pvalue)
    without_documents = TestSet("test", TEST_SET.references, TEST_SET.runs)
    unknown = frame.assign(document=None)
    with pytest.raises(SettingsError, match="no document IDs"):
        gold_of(unknown, scales, Question("ar-segment", "document"), without_documents, SETTINGS, Work())
    # Judgements may name the documents that the test set does not
    by_document = gold_of(frame, scales, Question("ar-segment", "document"), without_documents, SETTINGS, Work())
    assert by_document.unit == "document"


def asked_of(frame: pd.DataFrame, **choices: str) -> HumanEvaluation:
    """Judgements without outputs, as ``mteval people --judgements`` reads them."""
    return HumanEvaluation(frame, HumanChoices(**choices), None, lambda: (), SETTINGS, Work())


def test_judgements_of_the_same_segments_are_paired_and_others_are_not() -> None:
    same = judged()
    is_missing = (same["system"] == "C") & (same["segment"] == "7")
    without_documents = same.assign(document=None)

    assert asked_of(same).question == Question("ar-segment", "document")
    assert asked_of(without_documents).question == Question("ar-segment", "segment")
    assert asked_of(same[~is_missing]).question == Question("rank-sum", "judgement")
    assert asked_of(same, gold="rank-sum").question == Question("rank-sum", "judgement")
    assert asked_of(same, gold_unit="judgement").question == Question("rank-sum", "judgement")
    assert asked_of(same, gold_unit="segment").question == Question("ar-segment", "segment")
    assert asked_of(same[~is_missing], gold="ar-segment").question == Question("ar-segment", "document")


def test_the_matrix_has_the_test_of_the_means_which_is_the_exact_permutation_test() -> None:
    """Six documents of unequal length: all 64 exchanges can be counted. Two-sided p is at most twice the one-sided."""
    generator = np.random.default_rng(3)
    sizes = (3, 1, 2, 4, 2, 3)
    rows = []
    for system, shift in {"A": 0.6, "B": 0.0, "C": 0.3}.items():
        number = 0
        for document, size in enumerate(sizes):
            for _ in range(size):
                number += 1
                value = shift + generator.normal()
                rows.append(Judgement("ann", system, str(number), MQM, value, f"d{document}"))
    frame = judgement_frame(rows)
    people = asked_of(frame)
    table = frame.pivot_table(index="document", columns="system", values="value", aggfunc="sum")

    for row in people.gold.first.to_dict("records"):
        gains = (table[row["one"]] - table[row["other"]]).to_numpy()
        exact = permutation_test((gains,), np.sum, permutation_type="samples", alternative="greater")
        assert exact.null_distribution.size == 2**6
        # Exchanges of the drawn kind count the observed one, too
        assert row["p_better"] == pytest.approx(exact.pvalue, abs=0.05)

    best = people.averages[0]["against"].iloc[0]
    p_of_means = people.averages[0].set_index("system")["p_value"]
    pairs = people.gold.first
    for row in pairs[pairs["one"] == best].to_dict("records"):
        assert p_of_means[row["other"]] == pytest.approx(2 * row["p_better"], abs=0.05)


def test_the_matrix_is_adjusted_for_all_pairs_and_rank_sum_is_not() -> None:
    paired = asked_of(judged()).gold
    assert paired.correction == "max-t"
    assert (paired.first["p_adjusted"] >= paired.first["p_better"]).all()
    cells = paired.cells(0.05)
    decided = cells[cells["p_adjusted"].notna()]
    assert (decided["is_better"] == (decided["p_adjusted"] <= 0.05)).all()

    ranked = asked_of(judged(), gold="rank-sum").gold
    assert not ranked.is_adjusted
    assert (ranked.first["p_adjusted"] == ranked.first["p_better"]).all()


def test_the_matrix_holds_its_level_if_systems_are_exchanged_within_documents(data_directory: Path) -> None:
    """MQM of four systems of WMT23 he-en; at most 11 of 80 families may err at 5% (binomial, beyond 0.1%)."""
    folder = data_directory / "data" / "wmt23-he-en"
    documents = [line.split("\t")[1] for line in (folder / "documents.tsv").read_text(encoding="utf-8").splitlines()]
    scores: dict[str, list[str]] = {}
    for line in (folder / "scores" / "he-en.mqm.seg.score").read_text(encoding="utf-8").splitlines():
        system, score = line.split("\t")
        scores.setdefault(system, []).append(score)
    systems = ("GPT4-5shot", "ONLINE-A", "ONLINE-B", "UvA-LTL")
    judged_places = [place for place, score in enumerate(scores[systems[0]]) if score != "None"]
    values = np.array([[float(scores[system][place]) for place in judged_places] for system in systems])
    document_of = np.array([documents[place] for place in judged_places])
    assert values.shape == (4, 820)

    generator = np.random.default_rng(7)
    settings = replace(SETTINGS, n_shuffles=199)
    n_errors = 0
    for _ in range(80):
        shuffled = values.copy()
        for document in np.unique(document_of):
            is_in_document = document_of == document
            order = generator.permutation(len(systems))
            shuffled[:, is_in_document] = values[np.ix_(order, np.flatnonzero(is_in_document))]
        frame = pd.concat(
            [
                pd.DataFrame(
                    {
                        "annotator": "mqm",
                        "system": system,
                        "segment": [str(place + 1) for place in judged_places],
                        "document": document_of,
                        "order": np.nan,
                        "scale": MQM,
                        "value": row,
                        "run": "0",
                    }
                )
                for system, row in zip(systems, shuffled, strict=True)
            ]
        )
        people = HumanEvaluation(frame, HumanChoices(), None, lambda: (), settings, Work())
        n_errors += bool((people.gold.first["p_adjusted"] <= 0.05).any())
    assert n_errors <= 11


def test_segments_have_numbers_and_places_in_their_documents() -> None:
    places = segment_places(TEST_SET)
    assert places["1"] == 0
    assert places["40"] == 39
    assert places["d1:1"] == 4
    assert places["d9:4"] == 39
    beyond_the_end = judgement_frame([Judgement("ann", "A", "41", "score", 1.0)])
    with pytest.raises(DataError, match=r"Segment '41' .*40 segments.*'test'"):
        HumanScores.of(beyond_the_end, "score", TEST_SET)


def claims_of(*claims: tuple[str, str, str, float]) -> pd.DataFrame:
    """Claims that a metric puts a system above another, with a p-value, or none and a note."""
    rows = []
    for metric, better, worse, p_value in claims:
        note = "no answer" if np.isnan(p_value) else ""
        rows.append((metric, "ar-segment", "segment", ONE_SIDED, better, worse, 1.0, p_value, note))
    return pd.DataFrame(rows, columns=list(CLAIMS))


def test_a_conclusion_is_correct_if_people_conclude_the_same() -> None:
    """By hand: people say A > B, C > A, and nothing of B and C."""
    claims = claims_of(
        ("m", "A", "B", 0.01),  # correct
        ("m", "A", "C", 0.01),  # reversed
        ("m", "B", "C", 0.01),  # unfounded
        ("n", "B", "A", 0.2),  # missed
        ("n", "C", "A", 0.01),  # correct
        ("n", "C", "B", np.nan),
    )

    of_m, of_n = accuracy_frame(claims, GRAHAM, [0.05], 0.95).to_dict("records")
    (comparison,) = against_frame(claims, GRAHAM, 0.05).to_dict("records")

    assert (of_m["n_pairs"], of_m["n_people"], of_m["correct"]) == (3, 2, 1)
    assert (of_m["missed"], of_m["unfounded"], of_m["reversed"]) == (0, 1, 1)
    assert (of_n["n_pairs"], of_n["correct"], of_n["missed"]) == (2, 1, 1)
    assert of_n["note"] == "no answer"
    assert (comparison["only_one"], comparison["only_other"]) == (1, 1)
    assert comparison["p_value"] == 1.0


def test_unjudged_systems_are_an_error() -> None:
    claims = claims_of(("m", "X", "Y", 0.01))
    with pytest.raises(DataError, match="Judged: A, B, C"):
        accuracy_frame(claims, GRAHAM, LEVELS, 0.95)


def test_the_papers_table_follows_from_its_counts() -> None:
    """Graham et al. (2014), Table 1 at 5%: BLEU, NIST, METEOR, TER."""
    counts = pd.DataFrame({"metric": ["BLEU", "NIST", "METEOR", "TER"], "correct": [53, 54, 52, 52], "n_pairs": 66})
    percentages = (100 * counts_frame(counts, 0.95)[["accuracy", "low", "high"]]).round(1)
    assert percentages.to_numpy().tolist() == [
        [80.3, 68.7, 89.1],
        [81.8, 70.4, 90.2],
        [78.8, 67.0, 87.9],
        [78.8, 67.0, 87.9],
    ]
    with pytest.raises(DataError, match="67 correct conclusions from 66 pairs"):
        counts_frame(counts.assign(correct=67), 0.95)


def metric(name: str, lower: bool = False, factor: float = 1.0) -> GivenMetric:
    """A metric that gives people's scores with noise, in other units, or negated if lower is better."""
    generator = np.random.default_rng(2)
    if lower:
        factor = -factor
    scores = []
    for system, values in zip(human().systems, human().values, strict=True):
        noisy = factor * (values + generator.normal(size=N))
        scores.append(GivenScores("test", system, "0", tuple(noisy)))
    return GivenMetric(name.lower(), name, tuple(scores), not lower)


def test_claims_cover_both_sides_all_pairs_and_metrics_of_either_direction() -> None:
    given = (metric("up"), metric("down", lower=True))
    scored = score_experiment(Experiment((TEST_SET,), "A", given), tuple(map(Imported, given)), Work())
    questions = [Question("paired-t", "segment"), Question("bootstrap-rm2005", "segment")]

    claims = claims_frame(scored, questions, SETTINGS, Work(), (ONE_SIDED, TWO_SIDED))

    n_pairs = 3
    n_forms = 3  # the second test has no one-sided form
    assert len(claims) == len(given) * n_pairs * n_forms
    paired_t = claims[claims["procedure"] == "paired-t"]
    one_sided = paired_t[paired_t["side"] == ONE_SIDED]
    two_sided = paired_t[paired_t["side"] == TWO_SIDED]
    np.testing.assert_allclose(two_sided["p_value"], 2 * one_sided["p_value"])
    up = one_sided[one_sided["metric"] == "up"]
    down = one_sided[one_sided["metric"] == "down"]
    assert list(up["better"]) == list(down["better"])
    np.testing.assert_allclose(up["improvement"], down["improvement"])


def test_expected_agreement_stands_beside_the_one_that_is_found() -> None:
    given = metric("COMET")
    scored = score_experiment(Experiment((TEST_SET,), "A", (given,)), (Imported(given),), Work())
    claims = claims_frame(scored, [Question("paired-t", "segment")], SETTINGS, Work(), (ONE_SIDED, TWO_SIDED))
    gold = rank_sum_gold(prepared(judged()), ("adequacy", None))

    (row,) = shares_frame(claims, gold, scored).to_dict("records")

    pairs = claims.drop_duplicates(["better", "worse"])
    curve = Curve("comet22", 100.0)
    expected = [curve.share(gain) for gain in pairs["improvement"]]
    orders_of_people = set(zip(gold.first["one"], gold.first["other"], strict=True))
    agreed = [pair in orders_of_people for pair in zip(pairs["better"], pairs["worse"], strict=True)]
    assert row["n_pairs"] == 3
    assert row["expected"] == pytest.approx(np.mean(expected))
    assert row["observed"] == np.mean(agreed)
