"""All pairs of systems: orientation, family, groups."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from mteval.analysis.comparison import Case, Question, ask, compare
from mteval.analysis.pairs import all_pairs, by_score, direction, groups
from mteval.analysis.scoring import Progress, Scored, Work, score_experiment
from mteval.metrics import resolve
from mteval.stats import PROCEDURES
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

SETTINGS = Settings(metrics=("bleu", "ter"), n_shuffles=800, seed=2)
LOSSES = {"good": 0.15, "fair": 0.21, "poor": 0.4}
WORDS = [f"word{place}" for place in range(15)]


@pytest.fixture(scope="module")
def scored_metrics() -> tuple[Scored, ...]:
    """Three systems that lose so large a share of the reference's words, by BLEU and TER."""
    generator = np.random.default_rng(7)
    references = [list(generator.permutation(WORDS)) for _ in range(50)]
    runs = []
    for system, loss in LOSSES.items():
        hypotheses = []
        for reference in references:
            hypotheses.append(" ".join(word for word in reference if generator.random() > loss))
        runs.append(Run(system, "0", tuple(hypotheses)))
    test_set = TestSet("test", tuple((" ".join(reference),) for reference in references), tuple(runs))
    return score_experiment(Experiment((test_set,), "fair"), resolve(SETTINGS), Work())


def pairs_of(scored: Scored, procedure: str, correction: str = "none") -> pd.DataFrame:
    """All pairs, tested by a procedure on segments."""
    return all_pairs(scored, Question(procedure, "segment"), correction, SETTINGS, Work())


def test_pairs_that_share_shuffles_have_the_p_values_of_single_tests(scored_metrics: tuple[Scored, ...]) -> None:
    """Max-T written out: the share of shuffles in which the largest standardised difference reaches that seen."""
    question = Question("ar-segment", "segment")
    for scored in scored_metrics:
        frame = pairs_of(scored, "ar-segment", "max-t")

        single_tests = []
        for row in frame.itertuples():
            case = Case(scored, row.worse, row.better, question, direction(scored, "ar-segment"))
            single_tests.append(compare(case, SETTINGS, Work()))
        assert frame["p_value"].tolist() == [result.p_value for result in single_tests]

        draws = np.abs([result.null for result in single_tests])  # pairs x shuffles
        spreads = np.sqrt((draws**2).mean(axis=1))
        largest = (draws / spreads[:, np.newaxis]).max(axis=0)
        observed = [abs(result.statistic) for result in single_tests] / spreads
        n_as_large = np.array([(largest >= value - 1e-9).sum() for value in observed])
        expected = (n_as_large + 1) / (SETTINGS.n_shuffles + 1)
        assert frame["p_adjusted"].tolist() == expected.tolist()


@pytest.mark.parametrize("procedure", ["two-way", "two-way-strict"])
@pytest.mark.parametrize("unit", ["segment", "document"])
def test_pairs_that_share_unit_values_have_the_results_of_single_tests(procedure: str, unit: str) -> None:
    generator = np.random.default_rng(11)
    references = [list(generator.permutation(WORDS)) for _ in range(40)]
    runs = []
    for system, loss in {"good": 0.15, "fair": 0.18, "copies": 0.19, "poor": 0.4}.items():
        for run in range(3):
            hypotheses = []
            for reference in references:
                hypotheses.append(" ".join(word for word in reference if generator.random() > loss))
            if system == "copies" and run:
                hypotheses = list(runs[-1].hypotheses)
            runs.append(Run(system, str(run), tuple(hypotheses)))
    documents = tuple(str(segment // 5) for segment in range(40))
    texts = tuple((" ".join(reference),) for reference in references)
    test_set = TestSet("test", texts, tuple(runs), documents=documents)
    scored_metrics = score_experiment(Experiment((test_set,), "fair"), resolve(SETTINGS), Work())

    for scored in scored_metrics:
        frame = all_pairs(scored, Question(procedure, unit), "none", SETTINGS, Work())
        assert frame["p_value"].isna().sum() == 3  # those of the copies
        for row in frame.itertuples():
            case = Case(scored, row.worse, row.better, Question(procedure, unit), row.alternative)
            single = ask(case, SETTINGS, Work()).printed
            np.testing.assert_equal((row.p_value, row.note), (single.p_value, single.note))


def test_results_are_kept_beside_the_scores_and_changes_to_them_are_not(scored_metrics: tuple[Scored, ...]) -> None:
    scored = replace(scored_metrics[0])
    reports: list[Progress] = []
    work = Work(report=reports.append)
    question = Question("ar-segment", "segment")
    first = all_pairs(scored, question, "holm", SETTINGS, work)
    expected = first.copy()
    n_reports = len(reports)
    assert n_reports == 3
    first["p_value"] = 2.0

    pd.testing.assert_frame_equal(all_pairs(scored, question, "holm", SETTINGS, work), expected)
    assert len(reports) == n_reports
    other = all_pairs(scored, question, "holm", replace(SETTINGS, seed=3), work)
    assert len(reports) == 2 * n_reports
    assert other["p_value"].tolist() != expected["p_value"].tolist()


def test_systems_are_ordered_from_best_to_worst_in_either_direction(scored_metrics: tuple[Scored, ...]) -> None:
    for scored in scored_metrics:
        assert by_score(scored) == ("good", "fair", "poor")
        frame = pairs_of(scored, "ar-segment")
        assert list(zip(frame["better"], frame["worse"], strict=True)) == [
            ("good", "fair"),
            ("good", "poor"),
            ("fair", "poor"),
        ]
        assert (frame["improvement"] > 0).all()


@pytest.mark.parametrize("procedure", ["ar-segment", "bootstrap-shift", "paired-bootstrap"])
def test_each_pair_has_the_one_sided_p_value_of_the_procedure(
    scored_metrics: tuple[Scored, ...], procedure: str
) -> None:
    for scored, alternative in zip(scored_metrics, ("greater", "less"), strict=True):
        frame = pairs_of(scored, procedure)
        for row in frame.to_dict("records"):
            question = Question(procedure, "segment")
            case = Case(scored, row["worse"], row["better"], question, alternative)
            assert row["p_value"] == compare(case, SETTINGS, Work()).p_value
        assert frame.loc[frame["worse"] == "poor", "p_value"].max() < 0.01


def test_a_procedure_without_one_sided_form_is_asked_two_sided(scored_metrics: tuple[Scored, ...]) -> None:
    assert direction(scored_metrics[0], "bootstrap-rm2005") == "two-sided"
    assert pairs_of(scored_metrics[0], "bootstrap-rm2005")["p_value"].notna().all()


def test_the_family_counts_both_directions_since_the_data_chose_one(scored_metrics: tuple[Scored, ...]) -> None:
    one_sided = pairs_of(scored_metrics[0], "ar-segment", "bonferroni")
    np.testing.assert_allclose(one_sided["p_adjusted"], np.minimum(1, 6 * one_sided["p_value"]))
    raw = pairs_of(scored_metrics[0], "bootstrap-rm2005")["p_value"]
    two_sided = pairs_of(scored_metrics[0], "bootstrap-rm2005", "bonferroni")["p_adjusted"]
    np.testing.assert_allclose(two_sided, np.minimum(1, 3 * raw))


def test_max_t_adjusts_less_than_bonferroni_and_never_below_the_raw_p(scored_metrics: tuple[Scored, ...]) -> None:
    raw = pairs_of(scored_metrics[0], "ar-segment", "none")["p_adjusted"]
    max_t = pairs_of(scored_metrics[0], "ar-segment", "max-t")["p_adjusted"]
    bonferroni = pairs_of(scored_metrics[0], "ar-segment", "bonferroni")["p_adjusted"]
    assert (max_t >= raw - 1e-9).all()
    assert (max_t <= bonferroni + 0.02).all()


@pytest.mark.parametrize("procedure", [key for key, spec in PROCEDURES.items() if spec.min_runs > 1])
def test_procedures_on_runs_refuse_single_runs_with_a_reason(
    scored_metrics: tuple[Scored, ...], procedure: str
) -> None:
    frame = pairs_of(scored_metrics[0], procedure, "holm")
    assert frame["p_value"].isna().all()
    assert frame["note"].str.contains("one run|at least 3 runs|at least three runs").all()


def frame_of(**p_values: float) -> pd.DataFrame:
    """A table of pairs: ``ab=0.5`` is the adjusted p of systems a and b."""
    rows = [(*pair, p) for pair, p in p_values.items()]
    return pd.DataFrame(rows, columns=["better", "worse", "p_adjusted"])


def test_groups_are_the_largest_sets_without_a_significant_difference() -> None:
    pairs = frame_of(ab=0.5, bc=0.3, ac=0.01, cd=0.2, ad=0.001, bd=0.2)
    assert groups(pairs, "abcd", 0.05) == (("a", "b"), ("b", "c", "d"))
    assert groups(pairs, "abcd", 0.4) == (("a", "b"), ("c",), ("d",))
    assert groups(pairs, "abcd", 0.0005) == (("a", "b", "c", "d"),)


def test_a_system_that_differs_from_all_others_is_its_own_group() -> None:
    assert groups(frame_of(ab=0.01, bc=float("nan"), ac=0.01), "abc", 0.05) == (("a",), ("b", "c"))


def test_groups_agree_with_a_search_through_all_sets() -> None:
    generator = np.random.default_rng(4)
    systems = "abcdefg"
    pairs = frame_of(**{first + second: generator.random() for first, second in combinations(systems, 2)})
    differing = {frozenset((row.better, row.worse)) for row in pairs.itertuples() if row.p_adjusted <= 0.5}

    together = []
    for size in range(1, len(systems) + 1):
        for members in combinations(systems, size):
            if not any(pair <= set(members) for pair in differing):
                together.append(frozenset(members))
    largest = set()
    for members in together:
        if not any(members < larger for larger in together):
            largest.add(members)

    assert {frozenset(group) for group in groups(pairs, systems, 0.5)} == largest
