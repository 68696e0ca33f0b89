"""Human gold and the accuracy of tests: the rules written out by hand, SciPy, and the paper's own counts."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu, wilcoxon

from mteval.analysis.comparison import Question
from mteval.analysis.people.agreement import (
    CLAIMS,
    LEVELS,
    ONE_SIDED,
    TWO_SIDED,
    Fit,
    accuracy_frame,
    against_frame,
    claims_frame,
    counts_frame,
    fit_of,
    human_agreement,
    shares_frame,
)
from mteval.analysis.people.gold import GOLD, Gold, gold_of, rank_sum_gold
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
    means = {"A": 1.5, "B": 0.0, "C": 0.2}
    rows = [
        Judgement(annotator, system, str(n + 1), scale, shift + means[system] + generator.normal(), f"d{n // 4}")
        for annotator, shift in (("ann", 0.0), ("bob", 5.0))
        for system in SYSTEMS
        for n in range(N)
        for scale in ("adequacy", "fluency")
    ]  # fmt: skip
    return judgement_frame(rows)


def test_standardising_removes_severity_and_scale_of_annotators() -> None:
    frame = standardised(judged())
    by_annotator = frame.groupby(["annotator", "scale"])["value"].agg(["mean", "std"])
    np.testing.assert_allclose(by_annotator["mean"], 0, atol=1e-12)
    np.testing.assert_allclose(by_annotator["std"], 1)
    constant = judgement_frame([Judgement("cat", "A", "1", "score", 3.0), Judgement("cat", "B", "1", "score", 3.0)])
    assert standardised(constant).empty


def test_weights_of_errors_are_not_standardised_unless_it_is_wanted() -> None:
    frame = judged().assign(scale=MQM)
    pd.testing.assert_series_equal(prepared(frame.drop_duplicates(["annotator", "system", "segment"]))["value"],
                                   frame.drop_duplicates(["annotator", "system", "segment"])["value"],
                                   check_index=False)  # fmt: skip
    assert abs(prepared(frame, standardise=True)["value"].mean()) < 1e-12


def test_repeated_judgements_are_averaged() -> None:
    rows = [Judgement("model", "A", "1", "score", value) for value in (1.0, 2.0, 6.0)]
    frame = without_repeats(judgement_frame([*rows, Judgement("ann", "A", "1", "score", 5.0)]))
    assert sorted(zip(frame["annotator"], frame["value"], strict=True)) == [("ann", 5.0), ("model", 3.0)]


def test_adequacy_decides_and_fluency_breaks_ties_unless_others_are_named() -> None:
    frame = judged()
    assert scales_of(frame) == ("adequacy", "fluency")
    assert scales_of(frame, ["fluency"]) == ("fluency", None)
    assert scales_of(frame[frame["scale"] == "fluency"]) == ("fluency", None)
    with pytest.raises(DataError, match=r"'effort'.*: adequacy, fluency"):
        scales_of(frame, ["effort"])
    with pytest.raises(DataError, match="Several scales were judged"):
        scales_of(frame.replace({"scale": {"adequacy": "one", "fluency": "two"}}))


def test_the_gold_is_the_rank_sum_test_of_standardised_judgements() -> None:
    frame = prepared(judged())
    gold = rank_sum_gold(frame, ("adequacy", None))
    rows = frame[frame["scale"] == "adequacy"]
    for row in gold.first.to_dict("records"):
        one, other = (rows[rows["system"] == row[end]]["value"] for end in ("one", "other"))
        assert row["p_better"] == pytest.approx(mannwhitneyu(one, other, alternative="greater").pvalue)
        assert row["p_worse"] == pytest.approx(mannwhitneyu(one, other, alternative="less").pvalue)
        assert row["difference"] == pytest.approx(one.mean() - other.mean())
        assert row["difference"] >= 0
        assert (row["n_one"], row["n_other"]) == (2 * N, 2 * N)


def test_documents_as_units_compare_means_of_documents() -> None:
    gold = rank_sum_gold(prepared(judged()), ("adequacy", None), "document")
    assert set(gold.first["n_one"]) == {N // 4}
    with pytest.raises(DataError, match="Some judgements have no document"):
        rank_sum_gold(prepared(judged()).assign(document=None), ("adequacy", None), "document")


def gold_frame(*rows: tuple[str, str, float, float], scale: str = "adequacy") -> pd.DataFrame:
    found = [(one, other, scale, 9, 9, 0.1, better, worse) for one, other, better, worse in rows]
    return pd.DataFrame(found, columns=list(GOLD))


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
    assert (cells["A", "B"]["scale"], cells["C", "A"]["scale"]) == ("adequacy", "fluency")
    assert (cells["C", "A"]["p_value"], cells["C", "A"]["is_better"]) == (0.02, True)
    assert not cells["B", "C"]["is_better"]


def human() -> HumanScores:
    return HumanScores.of(prepared(judged()), "adequacy", TEST_SET)


def test_a_procedure_pairs_the_judged_segments() -> None:
    scores = human()
    assert scores.values.shape == (3, N)
    frame, scales = prepared(judged()), ("adequacy", None)
    gold = gold_of(frame, scales, Question("wilcoxon", "segment"), TEST_SET, SETTINGS, Work())
    row = gold.first[(gold.first["one"] == "A") & (gold.first["other"] == "B")].iloc[0]
    gains = scores.values[scores.systems.index("A")] - scores.values[scores.systems.index("B")]
    assert row["p_better"] == pytest.approx(wilcoxon(np.round(gains, 9), alternative="greater").pvalue)
    bare = TestSet("test", TEST_SET.references, TEST_SET.runs)
    with pytest.raises(SettingsError, match="no document IDs"):
        gold_of(frame, scales, Question("ar-segment", "document"), bare, SETTINGS, Work())


def test_segments_have_numbers_and_places_in_their_documents() -> None:
    places = segment_places(TEST_SET)
    assert (places["1"], places["40"], places["d1:1"], places["d9:4"]) == (0, 39, 4, 39)
    with pytest.raises(DataError, match=r"Segment '41' .*40 segments.*'test'"):
        HumanScores.of(judgement_frame([Judgement("ann", "A", "41", "score", 1.0)]), "score", TEST_SET)


def claim(better: str, worse: str, p: float, metric: str = "m", procedure: str = "ar-segment") -> tuple[object, ...]:
    return metric, procedure, "segment", ONE_SIDED, better, worse, 1.0, p, "" if p == p else "no answer"


def test_a_conclusion_is_correct_if_people_conclude_the_same() -> None:
    """By hand: people say A > B, C > A, and nothing of B and C."""
    claims = pd.DataFrame(
        [
            claim("A", "B", 0.01), claim("A", "C", 0.01), claim("B", "C", 0.01),
            claim("B", "A", 0.2, "n"), claim("C", "A", 0.01, "n"), claim("C", "B", float("nan"), "n"),
        ],
        columns=list(CLAIMS),
    )  # fmt: skip
    first, second = accuracy_frame(claims, GRAHAM, [0.05], 0.95).to_dict("records")
    assert (first["n_pairs"], first["n_people"], first["correct"]) == (3, 2, 1)
    assert (first["missed"], first["unfounded"], first["reversed"]) == (0, 1, 1)
    assert (second["n_pairs"], second["correct"], second["missed"], second["note"]) == (2, 1, 1, "no answer")
    (row,) = against_frame(claims, GRAHAM, 0.05).to_dict("records")
    assert (row["only_one"], row["only_other"], row["p_value"]) == (1, 1, 1.0)


def test_unjudged_systems_are_an_error() -> None:
    claims = pd.DataFrame([claim("X", "Y", 0.01)], columns=list(CLAIMS))
    with pytest.raises(DataError, match="Judged: A, B, C"):
        accuracy_frame(claims, GRAHAM, LEVELS, 0.95)


def test_the_papers_table_follows_from_its_counts() -> None:
    """Graham et al. (2014), Table 1 at 5%: BLEU, NIST, METEOR, TER."""
    counts = pd.DataFrame({"metric": ["BLEU", "NIST", "METEOR", "TER"], "correct": [53, 54, 52, 52], "n_pairs": 66})
    found = counts_frame(counts, 0.95)
    rows = [[round(100 * row[name], 1) for name in ("accuracy", "low", "high")] for row in found.to_dict("records")]
    assert rows == [[80.3, 68.7, 89.1], [81.8, 70.4, 90.2], [78.8, 67.0, 87.9], [78.8, 67.0, 87.9]]
    with pytest.raises(DataError, match="67 correct conclusions from 66 pairs"):
        counts_frame(counts.assign(correct=67), 0.95)


def metric(name: str, lower: bool = False, factor: float = 1.0) -> GivenMetric:
    generator = np.random.default_rng(2)
    sign = -factor if lower else factor
    scores = [
        GivenScores("test", system, "0", tuple(sign * (human().values[place] + generator.normal(size=N))))
        for place, system in enumerate(human().systems)
    ]
    return GivenMetric(name.lower(), name, tuple(scores), not lower)


def test_claims_cover_both_sides_all_pairs_and_metrics_of_either_direction() -> None:
    given = (metric("up"), metric("down", lower=True))
    scored = score_experiment(Experiment((TEST_SET,), "A", given), tuple(map(Imported, given)), Work())
    asked = [Question("paired-t", "segment"), Question("bootstrap-rm2005", "segment")]
    claims = claims_frame(scored, asked, SETTINGS, Work(), (ONE_SIDED, TWO_SIDED))
    assert len(claims) == 2 * 3 * 3  # the second test has no one-sided form
    one = claims[(claims["procedure"] == "paired-t") & (claims["side"] == ONE_SIDED)]
    two = claims[(claims["procedure"] == "paired-t") & (claims["side"] == TWO_SIDED)]
    np.testing.assert_allclose(two["p_value"], 2 * one["p_value"])
    up, down = (one[one["metric"] == key] for key in ("up", "down"))
    assert list(up["better"]) == list(down["better"])
    np.testing.assert_allclose(up["improvement"], down["improvement"])


@pytest.mark.parametrize(
    ("name", "fit"),
    [
        ("COMET-refA", Fit("comet22", 100.0)), ("wmt22-comet-da", Fit("comet22", 100.0)),
        ("wmt20-comet-da", Fit("comet20", 100.0)), ("CometKiwi-src", Fit("cometkiwi22", 100.0)),
        ("wmt23-cometkiwi-da-xxl", Fit("cometkiwixxl", 100.0)), ("XCOMET-XL", Fit("xcometxl", 100.0)),
        ("XCOMET-Ensemble-refA", None), ("XCOMET-XXL-refA", Fit("xcometxxl", 100.0)), ("wmt21-comet-mqm", None),
        ("Unbabel/XCOMET-XL", Fit("xcometxl", 100.0)), ("COMET-src", None), ("wmt20-comet-qe-da", None),
        ("cometoid22-wmt22", None), ("metricx-23-xxl", None), ("google/metricx-23-large-v2p0", Fit("metricx-23-large")),
        ("BLEURT-20-D12", None), ("MetricX-23-refA", Fit("metricx-23-large")),
        ("MetricX-23-QE", Fit("metricx-23-qe-large")), ("MetricX-24-hybrid", None),
        ("BLEURT-20-refA", Fit("bleurt20", 100.0)), ("BERTscore", Fit("bertscore", 100.0)), ("BLEU-refA", None),
    ],
)  # fmt: skip
def test_given_scores_are_read_by_the_curve_of_their_name(name: str, fit: Fit | None) -> None:
    assert fit_of(Imported(metric(name))) == fit


@pytest.mark.parametrize(
    ("name", "difference"),
    [("COMET", 0.56), ("COMET-20", 2.10), ("CometKiwi", 0.53), ("CometKiwi-XXL", 1.24), ("XCOMET-XXL", 1.24),
     ("XCOMET-XL", 1.08), ("BLEURT-20", 1.07), ("BERTscore", 0.62), ("MetricX-23", 0.07), ("MetricX-23-QE", 0.10)],
)  # fmt: skip
def test_the_published_table_says_80_percent_at_these_differences(name: str, difference: float) -> None:
    """Kocmi et al. (2024), their main table, the column of 80%; scores out of a hundred but for MetricX."""
    small = Imported(metric(name))
    fit = fit_of(small)
    assert fit is not None
    rounding = 0.005 / difference  # of the table's two decimals
    assert human_agreement(small, difference / fit.factor) == pytest.approx(0.8, abs=0.002 + 0.25 * rounding)


def test_scores_out_of_a_hundred_are_not_rescaled() -> None:
    import mt_thresholds

    large, small = Imported(metric("COMET", factor=100.0)), Imported(metric("COMET"))
    assert fit_of(large) == Fit("comet22")
    expected = mt_thresholds.accuracy(0.5, "comet22") / 100
    assert human_agreement(large, 0.5) == pytest.approx(expected)
    assert human_agreement(small, -0.005) == pytest.approx(expected)


def test_expected_agreement_stands_beside_the_one_that_is_found() -> None:
    given = metric("COMET")
    scored = score_experiment(Experiment((TEST_SET,), "A", (given,)), (Imported(given),), Work())
    claims = claims_frame(scored, [Question("paired-t", "segment")], SETTINGS, Work(), (ONE_SIDED, TWO_SIDED))
    gold = rank_sum_gold(prepared(judged()), ("adequacy", None))
    (row,) = shares_frame(claims, gold, scored).to_dict("records")
    pairs = claims.drop_duplicates(["better", "worse"])
    expected = [human_agreement(Imported(given), gain) for gain in pairs["improvement"]]
    orders = {tuple(pair) for pair in gold.first[["one", "other"]].to_numpy()}
    observed = [pair in orders for pair in zip(pairs["better"], pairs["worse"], strict=True)]
    assert (row["n_pairs"], row["expected"], row["observed"]) == (
        3,
        pytest.approx(np.mean(expected)),
        np.mean(observed),
    )
