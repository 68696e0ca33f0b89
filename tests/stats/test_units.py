"""Documents of unequal size: the jackknife by its definition, by closed forms, and by simulation."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from benchmarks import documents
from mteval.stats.base import How, PairedResult
from mteval.stats.crossed_layout import components_of
from mteval.stats.interval import difference_over_units
from mteval.stats.procedures.classical import paired_t_test
from mteval.stats.procedures.randomization import ar_segment, smallest_p_value
from mteval.stats.procedures.two_way import PROVISIONAL, two_way, two_way_p_values
from mteval.stats.resampling.draws import Draws
from mteval.stats.resampling.streams import seeds_for, sum_by_unit
from mteval.stats.runs import satterthwaite
from mteval.stats.units import (
    MOST_DF,
    TOO_LARGE,
    df_of_units,
    effective_units,
    few_note,
    most_df,
    pseudo_values,
    uneven_note,
    unit_values,
)

SIZES = np.array([12, 6, 4, 5, 3])


def mean(sums: np.ndarray) -> np.ndarray:
    """Of segment scores: their sum, their number."""
    return sums[..., 0] / sums[..., 1]


def by_document(scores: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Sums and numbers by document, of segments ``(runs, segments)`` that stand together."""
    statistics = np.stack([scores, np.ones_like(scores)], axis=-1)
    return sum_by_unit(statistics, np.repeat(np.arange(len(sizes)), sizes))


def how(sizes: np.ndarray | None) -> How:
    """Two-sided at 95%, on units with these numbers of segments."""
    return How(n_resamples=999, seeds=seeds_for(1, ""), alternative="two-sided", confidence=0.95, unit_sizes=sizes)


def pair(n_runs: int = 3, sizes: np.ndarray = SIZES, seed: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Two equal systems whose scores vary by document, and by segment and run."""
    generator = np.random.default_rng(seed)

    def side() -> np.ndarray:
        documents = np.repeat(generator.normal(0, 2, len(sizes)), sizes)
        return by_document(50 + documents + generator.normal(0, 5, (n_runs, sizes.sum())), sizes)

    return side(), side()


def test_a_pseudo_value_is_what_scoring_without_the_document_says(example) -> None:
    """BLEU, the test set scored again without each document in turn."""
    case = example["bleu"]
    sizes = np.array([1000, 700, 489, 300])
    statistics = sum_by_unit(case.baseline, np.repeat(np.arange(4), sizes))

    pseudo = pseudo_values(statistics, case.score)

    for run, place in ((0, 0), (2, 3)):
        documents = statistics[run].astype(float)
        score = case.score(documents.sum(axis=0))
        score_without = case.score(np.delete(documents, place, axis=0).sum(axis=0))
        assert pseudo[run, place] == pytest.approx(4 * score - 3 * score_without)


def test_documents_of_equal_size_are_segments_of_their_means() -> None:
    sizes = np.full(8, 5)
    baseline, system = pair(sizes=sizes)

    on_documents = two_way(baseline, system, mean, how(sizes))

    on_means = two_way(baseline[..., :1] / 5, system[..., :1] / 5, lambda sums: sums[..., 0] / 8, how(None))
    assert on_documents.statistic == pytest.approx(on_means.statistic)
    assert on_documents.standard_error == pytest.approx(on_means.standard_error)
    assert on_documents.df == pytest.approx(on_means.df)
    assert on_documents.p_value == pytest.approx(on_means.p_value)


def test_the_standard_error_of_a_mean_is_that_of_the_grouped_jackknife() -> None:
    """Written out with sums over documents, the runs taken as given."""
    baseline, system = pair()
    gains = mean(system).mean(axis=0) - mean(baseline).mean(axis=0)  # of each document, over runs
    shares = SIZES / SIZES.sum()
    n = len(SIZES)
    gains_without = []
    for document in range(n):
        gains_without.append(np.average(np.delete(gains, document), weights=np.delete(SIZES, document)))
    pseudo = n * (gains @ shares) - (n - 1) * np.array(gains_without)

    result = difference_over_units(baseline, system, mean, 0.95, SIZES)

    assert result.statistic == pytest.approx(gains @ shares)
    assert result.standard_error == pytest.approx(stats.sem(pseudo))
    assert result.df == pytest.approx(1 / (shares**2).sum() - 1)
    assert result.df == pytest.approx(df_of_units(SIZES, n))
    assert paired_t_test(baseline, system, mean, how(SIZES)) == result


def test_segments_keep_their_contributions() -> None:
    scores = np.random.default_rng(1).normal(size=(2, 9))
    np.testing.assert_allclose(unit_values(scores[..., np.newaxis], lambda sums: sums[..., 0] / 9, None), scores)
    assert df_of_units(None, 12) == 11


@pytest.mark.parametrize("largest", [0.25, 0.5])
def test_with_one_large_document_the_level_is_kept(largest: float) -> None:
    """Six documents, systems that differ by document though not on average: 600 experiments.

    The level is lost if documents are taken as if all were worth the same.
    """
    n_in_largest = int(200 * largest)
    n_in_rest = int(200 * (1 - largest) / 5)
    sizes = np.array([n_in_largest, *[n_in_rest] * 5])
    generator = np.random.default_rng(7)

    def side() -> np.ndarray:
        documents = np.repeat(generator.normal(0, 1, 6), sizes)
        return by_document(documents + generator.normal(size=(3, sizes.sum())), sizes)

    n_by_size = 0
    n_as_equals = 0
    for _ in range(600):
        baseline = side()
        system = side()
        n_by_size += two_way(baseline, system, mean, how(sizes)).p_value <= 0.05
        n_as_equals += two_way(baseline, system, mean, how(None)).p_value <= 0.05
    assert n_by_size / 600 <= 0.06 + 2 * np.sqrt(0.06 * 0.94 / 600)
    if largest >= 0.5:
        assert n_as_equals > 2 * n_by_size


def test_a_document_of_more_than_half_is_refused_and_one_of_more_than_a_quarter_named() -> None:
    large = np.array([16, 6, 4, 4])
    for function in (two_way, paired_t_test):
        refused: PairedResult = function(*pair(sizes=large), mean, how(large))
        assert np.isnan(refused.p_value)
        assert refused.note == TOO_LARGE
        named: PairedResult = function(*pair(), mean, how(SIZES))
        assert "40% of the segments. The 5 documents count as 3.9" in named.note

    first_two_runs = np.array([[0, 1]])
    draws = Draws(first_two_runs, first_two_runs)
    assert np.isnan(two_way_p_values(*pair(sizes=large), mean, draws, how(large))).all()
    assert two_way(*pair(n_runs=2), mean, how(SIZES)).note.startswith(PROVISIONAL)
    a_quarter_each = np.full(4, 5)
    assert uneven_note(a_quarter_each) == ""


def test_draws_of_runs_are_tested_as_the_runs_are() -> None:
    baseline, system = pair(n_runs=4)
    draws = Draws(np.array([[0, 2, 3]]), np.array([[3, 1, 0]]))
    expected = two_way(baseline[[0, 2, 3]], system[[3, 1, 0]], mean, how(SIZES))
    assert two_way_p_values(baseline, system, mean, draws, how(SIZES)) == pytest.approx([expected.p_value])


def test_as_many_units_of_equal_size_tell_as_much_as_their_number() -> None:
    assert effective_units(np.full(7, 3)) == pytest.approx(7)
    assert effective_units(np.array([1, 1_000_000])) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(("n_documents", "smallest"), [(4, 0.125), (5, 0.0625), (6, 0.03125)])
def test_an_exchange_of_five_documents_cannot_reach_five_percent_and_says_so(n_documents: int, smallest: float) -> None:
    """All exchanges are enumerated: the most extreme outcome has its mirror image for company."""
    gains = np.arange(1, n_documents + 1, dtype=float)
    all_signs = np.array(list(product((-1, 1), repeat=n_documents)))
    assert smallest == np.mean(np.abs(all_signs @ gains) >= gains.sum())
    assert smallest_p_value(n_documents, "two-sided") == smallest

    sizes = np.full(n_documents, 4)
    zeros = np.zeros((1, 4 * n_documents))
    baseline = by_document(zeros, sizes)
    system = by_document(zeros + np.repeat(gains, sizes), sizes)
    result = ar_segment(baseline, system, mean, how(sizes))
    assert result.p_value == pytest.approx(smallest, abs=0.03)
    assert (f"only {n_documents} documents" in result.note) == (smallest > 0.05)


def test_few_documents_hold_the_level_by_the_bound_on_degrees_of_freedom_and_not_without() -> None:
    """By the rates that the benchmark of documents recorded."""
    rates = pd.read_csv(documents.RESULTS)
    worst = rates.groupby("n_documents")[["rate", "rate_unbounded"]].max()
    assert worst["rate"].max() <= 0.06
    assert set(worst.index[worst["rate_unbounded"] > 0.0585]) == set(MOST_DF)
    assert most_df(5) == np.inf
    assert "only 3 documents" in few_note(np.array([5, 5, 9]))
    assert few_note(np.full(5, 7)) == ""
    assert few_note(None) == ""


@pytest.mark.parametrize("n_documents", [2, 3, 4, 5])
def test_runs_and_outputs_do_not_stand_for_what_few_documents_leave_unknown(n_documents: int) -> None:
    """Documents that happen to look alike: Satterthwaite's degrees of freedom would be those of the runs."""
    generator = np.random.default_rng(5)

    def side() -> np.ndarray:
        return generator.standard_normal((4, 1)) + 0.01 * generator.standard_normal((4, n_documents))

    components = components_of(side(), side(), n_documents - 1.0)

    by_runs = satterthwaite((*components.runs, components.segments), (3, 3, n_documents - 1), components.total)
    bound = MOST_DF.get(n_documents, np.inf)
    assert components.df == pytest.approx(min(by_runs, bound), rel=0.01)
    assert by_runs > 4.4
