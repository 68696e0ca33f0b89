"""Documents of unequal size: the jackknife by its definition, by closed forms, and by simulation."""

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


def how(sizes: np.ndarray | None, **changes: object) -> How:
    return How(**{"n_resamples": 999, "seeds": seeds_for(1, ""), "alternative": "two-sided", "confidence": 0.95,
                  "unit_sizes": sizes} | changes)  # fmt: skip


def pair(n_runs: int = 3, sizes: np.ndarray = SIZES, seed: int = 4) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    one, other = (
        by_document(
            50 + np.repeat(generator.normal(0, 2, len(sizes)), sizes) + generator.normal(0, 5, (n_runs, sizes.sum())),
            sizes,
        )
        for _ in range(2)
    )
    return one, other


def test_a_pseudo_value_is_what_scoring_without_the_document_says(example) -> None:
    """BLEU, the test set scored again without each document in turn."""
    case, sizes = example["bleu"], np.array([1000, 700, 489, 300])
    documents = sum_by_unit(case.baseline, np.repeat(np.arange(4), sizes))
    found = pseudo_values(documents, case.score)
    for run, place in ((0, 0), (2, 3)):
        rest = np.delete(documents[run], place, axis=0).sum(axis=0).astype(float)
        whole = documents[run].sum(axis=0).astype(float)
        assert found[run, place] == pytest.approx(4 * case.score(whole) - 3 * case.score(rest))


def test_documents_of_equal_size_are_segments_of_their_means() -> None:
    sizes = np.full(8, 5)
    one, other = pair(sizes=sizes)
    means = [statistics[..., :1] / 5 for statistics in (one, other)]
    plain = two_way(*means, lambda sums: sums[..., 0] / 8, how(None))
    found = two_way(one, other, mean, how(sizes))
    for name in ("statistic", "standard_error", "df", "p_value"):
        assert getattr(found, name) == pytest.approx(getattr(plain, name))


def test_the_standard_error_of_a_mean_is_that_of_the_grouped_jackknife() -> None:
    """Written out with sums over documents, the runs taken as given."""
    one, other = pair()
    means = [mean(statistics).mean(axis=0) for statistics in (one, other)]  # of each document, over runs
    gains, share, n = means[1] - means[0], SIZES / SIZES.sum(), len(SIZES)
    without = [np.average(np.delete(gains, d), weights=np.delete(SIZES, d)) for d in range(n)]
    pseudo = n * (gains @ share) - (n - 1) * np.array(without)
    found = difference_over_units(one, other, mean, 0.95, SIZES)
    assert found.statistic == pytest.approx(gains @ share)
    assert found.standard_error == pytest.approx(stats.sem(pseudo))
    assert found.df == pytest.approx(1 / (share**2).sum() - 1) == pytest.approx(df_of_units(SIZES, len(SIZES)))
    assert paired_t_test(one, other, mean, how(SIZES)) == found


def test_segments_keep_their_contributions() -> None:
    scores = np.random.default_rng(1).normal(size=(2, 9))
    np.testing.assert_allclose(unit_values(scores[..., np.newaxis], lambda sums: sums[..., 0] / 9, None), scores)
    assert df_of_units(None, 12) == 11


@pytest.mark.parametrize("largest", [0.25, 0.5])
def test_with_one_large_document_the_level_is_kept(largest: float) -> None:
    """Six documents, systems that differ by document though not on average: 600 experiments."""
    sizes = np.append(int(200 * largest), np.full(5, int(200 * (1 - largest) / 5)))
    rejections, generator = np.zeros(2), np.random.default_rng(7)
    for _ in range(600):
        sides = [
            by_document(np.repeat(generator.normal(0, 1, 6), sizes) + generator.normal(size=(3, sizes.sum())), sizes)
            for _ in range(2)
        ]
        contributions = two_way(*sides, mean, how(None))  # as documents were taken that all are worth the same
        rejections += [two_way(*sides, mean, how(sizes)).p_value <= 0.05, contributions.p_value <= 0.05]
    assert rejections[0] / 600 <= 0.06 + 2 * np.sqrt(0.06 * 0.94 / 600)
    assert largest < 0.5 or rejections[1] > 2 * rejections[0]


def test_a_document_of_more_than_half_is_refused_and_one_of_more_than_a_quarter_named() -> None:
    large = np.array([16, 6, 4, 4])
    for function in (two_way, paired_t_test):
        result: PairedResult = function(*pair(sizes=large), mean, how(large))
        assert np.isnan(result.p_value)
        assert result.note == TOO_LARGE
        assert "40% of the segments. The 5 documents count as 3.9" in function(*pair(), mean, how(SIZES)).note
    assert np.isnan(two_way_p_values(*pair(sizes=large), mean, Draws(*2 * (np.array([[0, 1]]),)), how(large))).all()
    assert two_way(*pair(n_runs=2), mean, how(SIZES)).note.startswith(PROVISIONAL)
    assert uneven_note(np.full(4, 5)) == ""  # a quarter each


def test_draws_of_runs_are_tested_as_the_runs_are() -> None:
    one, other = pair(n_runs=4)
    draws = Draws(np.array([[0, 2, 3]]), np.array([[3, 1, 0]]))
    expected = two_way(one[[0, 2, 3]], other[[3, 1, 0]], mean, how(SIZES))
    assert two_way_p_values(one, other, mean, draws, how(SIZES)) == pytest.approx([expected.p_value])


def test_as_many_units_of_equal_size_tell_as_much_as_their_number() -> None:
    assert effective_units(np.full(7, 3)) == pytest.approx(7)
    assert effective_units(np.array([1, 1_000_000])) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(("n_documents", "smallest"), [(4, 0.125), (5, 0.0625), (6, 0.03125)])
def test_an_exchange_of_five_documents_cannot_reach_five_percent_and_says_so(n_documents: int, smallest: float) -> None:
    """All exchanges are enumerated: the most extreme outcome has its mirror image for company."""
    sizes = np.full(n_documents, 4)
    gains = np.arange(1, n_documents + 1, dtype=float)
    signs = 1 - 2 * ((np.arange(2**n_documents)[:, np.newaxis] >> np.arange(n_documents)) & 1)
    assert smallest_p_value(n_documents, "two-sided") == smallest == np.mean(np.abs(signs @ gains) >= gains.sum())
    zeros = np.zeros((1, 4 * n_documents))
    result = ar_segment(
        by_document(zeros, sizes), by_document(zeros + np.repeat(gains, sizes), sizes), mean, how(sizes)
    )
    assert result.p_value == pytest.approx(smallest, abs=0.03)
    assert (f"only {n_documents} documents" in result.note) == (smallest > 0.05)


def test_few_documents_hold_the_level_by_the_bound_on_degrees_of_freedom_and_not_without() -> None:
    frame = pd.read_csv(documents.RESULTS)
    worst = frame.groupby("n_documents")[["rate", "rate_unbounded"]].max()
    assert worst["rate"].max() <= 0.06
    assert set(worst.index[worst["rate_unbounded"] > 0.0585]) == set(MOST_DF)
    assert most_df(5) == np.inf
    assert "only 3 documents" in few_note(np.array([5, 5, 9]))
    assert few_note(np.full(5, 7)) == few_note(None) == ""


@pytest.mark.parametrize("n_documents", [2, 3, 4, 5])
def test_runs_and_outputs_do_not_stand_for_what_few_documents_leave_unknown(n_documents: int) -> None:
    """Documents that happen to look alike: Satterthwaite's degrees of freedom would be those of the runs."""
    generator = np.random.default_rng(5)
    one, other = (generator.standard_normal((4, 1)) + 0.01 * generator.standard_normal((4, n_documents)) for _ in "ab")
    parts = components_of(one, other, n_documents - 1.0)
    expected = satterthwaite((*parts.runs, parts.segments), (3, 3, n_documents - 1), parts.total)
    assert parts.df == pytest.approx(min(expected, MOST_DF.get(n_documents, np.inf)), rel=0.01)
    assert expected > 4.4
