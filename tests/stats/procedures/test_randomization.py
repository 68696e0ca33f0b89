from itertools import product

import numpy as np
import pytest

from mteval.stats.base import Alternative, How, PairedResult
from mteval.stats.procedures import randomization
from mteval.stats.procedures.randomization import ar_output, ar_segment, exchange_beyond
from mteval.stats.resampling.streams import Chunk, seeds_for, seeds_of
from mteval.stats.resampling.subset_sums import SHUFFLES_A_CHUNK, SubsetSums

SEEDS = seeds_for(1, "exchange")


def _ratio(sums: np.ndarray) -> np.ndarray:
    """The score of the metric of these tests."""
    return 100 * sums[..., 0] / sums[..., 1]


def _run(
    procedure,
    baseline: np.ndarray,
    system: np.ndarray,
    n: int = 20_000,
    alternative: Alternative = "two-sided",
    score=_ratio,
) -> PairedResult:
    """What a procedure answers with so many shuffles."""
    return procedure(baseline, system, score, How(n, SEEDS, alternative, 0.95))


def _pair(seed: int, runs: tuple[int, int], n_segments: int) -> tuple[np.ndarray, np.ndarray]:
    """Statistics of two systems with so many runs each, shape ``(runs, segments, 2)``."""
    generator = np.random.default_rng(seed)

    def side(n_runs: int, lowest: int) -> np.ndarray:
        numerators = generator.integers(lowest, 12, (n_runs, n_segments))
        denominators = generator.integers(8, 12, (n_runs, n_segments))
        return np.stack([numerators, denominators], axis=2)

    baseline = side(runs[0], 1)
    system = side(runs[1], 4)
    return baseline, system


def _exchanged_difference(baseline: np.ndarray, system: np.ndarray, is_exchanged: np.ndarray) -> float:
    """The difference of two sides, ``(units, d)``, of which some units are exchanged."""
    is_exchanged = is_exchanged[:, np.newaxis]
    first = np.where(is_exchanged, baseline, system).sum(axis=0)
    second = np.where(is_exchanged, system, baseline).sum(axis=0)
    return _ratio(first) - _ratio(second)


def _all_differences(baseline: np.ndarray, system: np.ndarray) -> np.ndarray:
    """Differences after each of the ``2^units`` exchanges, shape ``(units, d)`` in, one by one."""
    differences = []
    for exchange in product([False, True], repeat=len(baseline)):
        differences.append(_exchanged_difference(baseline, system, np.array(exchange)))
    return np.array(differences)


def _exact_p(differences: np.ndarray, alternative: Alternative) -> float:
    """The share of all exchanges that are as extreme as the observed difference, which is the first."""
    observed = differences[0]
    if alternative == "two-sided":
        is_extreme = np.abs(differences) >= abs(observed) - 1e-9
    elif alternative == "greater":
        is_extreme = differences >= observed - 1e-9
    else:
        is_extreme = differences <= observed + 1e-9
    return float(is_extreme.mean())


def _differences_less_bound(baseline: np.ndarray, system: np.ndarray, shares: np.ndarray, bound: float) -> np.ndarray:
    """As ``_all_differences``; an exchanged unit's share of the bound has the other sign."""
    differences = _all_differences(baseline, system)
    signs = 1 - 2 * np.array(list(product([False, True], repeat=len(baseline))))
    return differences - bound * signs @ shares


@pytest.mark.parametrize("bound", [-2.5, 0.0, 11.0])
@pytest.mark.parametrize("sizes", [None, np.array([1, 4, 2, 2, 1, 3, 5, 1, 2])])
def test_exchange_beyond_a_bound_agrees_with_all_exchanges_enumerated(bound: float, sizes: np.ndarray | None):
    baseline, system = _pair(3, (2, 3), 9)
    shares = np.full(9, 1 / 9) if sizes is None else sizes / sizes.sum()
    differences = _differences_less_bound(baseline.mean(axis=0), system.mean(axis=0), shares, bound)
    how = How(20_000, SEEDS, "two-sided", 0.95, unit_sizes=sizes)

    beyond = exchange_beyond(baseline, system, _ratio, bound, how)

    assert beyond.p_above == pytest.approx(_exact_p(differences, "greater"), abs=0.01)
    assert beyond.p_below == pytest.approx(_exact_p(differences, "less"), abs=0.01)
    assert beyond.spread == pytest.approx(differences.std(), rel=0.02)


def test_exchange_beyond_zero_is_the_exchange_of_segments():
    baseline, system = _pair(5, (3, 3), 60)
    beyond = exchange_beyond(baseline, system, _ratio, 0.0, How(2_000, SEEDS, "two-sided", 0.95))
    assert beyond.p_above == _run(ar_segment, baseline, system, 2_000, "greater").p_value
    assert beyond.p_below == _run(ar_segment, baseline, system, 2_000, "less").p_value


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("runs", [(1, 1), (3, 3), (2, 3)])
def test_exchange_of_segments_agrees_with_all_exchanges_enumerated(runs: tuple[int, int], alternative: Alternative):
    baseline, system = _pair(3, runs, 9)
    differences = _all_differences(baseline.mean(axis=0), system.mean(axis=0))
    result = _run(ar_segment, baseline, system, alternative=alternative)
    assert result.statistic == pytest.approx(differences[0])
    assert result.p_value == pytest.approx(_exact_p(differences, alternative), abs=0.015)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_exchange_of_outputs_agrees_with_all_exchanges_enumerated(alternative: Alternative):
    baseline, system = _pair(8, (2, 2), 5)
    differences = _all_differences(baseline.reshape(-1, 2), system.reshape(-1, 2))
    result = _run(ar_output, baseline, system, alternative=alternative)
    assert result.p_value == pytest.approx(_exact_p(differences, alternative), abs=0.015)
    assert np.isin(np.round(result.null, 9), np.round(differences, 9)).all()


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_each_shuffle_scores_what_its_bits_put_on_either_side(dtype: type):
    baseline, system = (array.astype(dtype) for array in _pair(5, (3, 2), 70))
    n = SHUFFLES_A_CHUNK + 40
    null = _run(ar_segment, baseline, system, n).null
    words = np.random.SFC64(seeds_of(SEEDS, Chunk(1, 0, 1))).random_raw((2, SHUFFLES_A_CHUNK))
    segments = np.arange(70)
    for shuffle in range(40):
        # Segment 0 is the lowest bit of the first word, segment 64 that of the second.
        bits = (words[segments // 64, shuffle] >> (segments % 64).astype(np.uint64)) & np.uint64(1)
        expected = _exchanged_difference(baseline.mean(axis=0), system.mean(axis=0), bits == 1)
        assert null[SHUFFLES_A_CHUNK + shuffle] == pytest.approx(expected, abs=1e-9)


def test_the_sides_of_a_shuffle_are_exact_complements():
    baseline, system = _pair(2, (3, 3), 40)
    totals = baseline.sum(axis=(0, 1)) + system.sum(axis=(0, 1))
    seen = []

    def score(sums: np.ndarray) -> np.ndarray:
        if sums.ndim == 3 and sums.shape[1] > 1:  # not a gradient
            seen.append(3 * sums.sum(axis=0))
        return _ratio(sums)

    _run(ar_output, baseline, system, 300, score=score)
    np.testing.assert_allclose(np.concatenate(seen), np.broadcast_to(totals, (300, 2)), rtol=1e-14)


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_blocks_of_units_change_no_shuffle(dtype: type, monkeypatch: pytest.MonkeyPatch):
    baseline, system = (array.astype(dtype) for array in _pair(5, (3, 3), 70))
    null = _run(ar_output, baseline, system, SHUFFLES_A_CHUNK + 40).null
    monkeypatch.setattr(randomization, "UNITS_A_BLOCK", 64)
    np.testing.assert_array_equal(_run(ar_output, baseline, system, SHUFFLES_A_CHUNK + 40).null, null)


def test_work_can_be_stopped_often_however_many_outputs_there_are(monkeypatch: pytest.MonkeyPatch):
    """An item of work, before each of which it can be stopped, sums over one block of units in one chunk at most."""
    counts = np.random.default_rng(1).integers(0, 3, (2, 50, 3_000, 1))
    units_drawn: list[int] = []

    class Watched(SubsetSums):
        def draw(self, stream: np.ndarray, n_subsets: int) -> np.ndarray:
            assert n_subsets == SHUFFLES_A_CHUNK
            units_drawn[-1] += 64 * len(self.tables)
            return super().draw(stream, n_subsets)

    def watched_map(function, items):
        for item in items:
            units_drawn.append(0)
            yield function(item)

    monkeypatch.setattr(randomization, "SubsetSums", Watched)
    how = How(2 * SHUFFLES_A_CHUNK, SEEDS, "two-sided", 0.95, map_chunks=watched_map)
    ar_output(*counts, lambda sums: sums[..., 0], how)
    assert sum(units_drawn) >= 2 * 50 * 3_000
    assert max(units_drawn) <= 65_536


@pytest.mark.parametrize("procedure", [ar_segment, ar_output])
def test_nothing_is_drawn_for_systems_that_are_level_in_every_unit(procedure, monkeypatch):
    def drawn(*_):
        raise AssertionError("an exchange was drawn")

    monkeypatch.setattr(SubsetSums, "of", drawn)
    baseline, _ = _pair(3, (2, 2), 30)
    system = baseline
    if procedure is ar_segment:  # for which the order of the runs does not matter
        system = baseline[::-1]
    result = _run(procedure, baseline, system, n=3_000)
    assert result.null.tolist() == [0.0] * 3_000
    assert result.p_value == 1


@pytest.mark.parametrize("procedure", [ar_segment, ar_output])
def test_identical_systems_have_p_one_and_difference_zero(procedure):
    baseline, _ = _pair(1, (3, 3), 50)
    for alternative in ("two-sided", "greater", "less"):
        result = _run(procedure, baseline, baseline.copy(), 500, alternative)
        assert result.statistic == 0
        assert result.p_value == 1


def test_repeating_every_run_equally_changes_nothing_and_nor_does_their_order():
    baseline, system = _pair(6, (2, 3), 60)
    null = _run(ar_segment, baseline, system, 400).null
    np.testing.assert_allclose(_run(ar_segment, np.repeat(baseline, 4, axis=0), system, 400).null, null, atol=1e-12)
    np.testing.assert_allclose(_run(ar_segment, baseline[::-1], system[::-1], 400).null, null, atol=1e-12)


def test_rounding_does_not_break_ties():
    """Systems that differ in one segment: every exchange gives the observed difference or its opposite."""
    baseline = np.stack([np.full((1, 30), 0.1), np.ones((1, 30))], axis=2)
    system = baseline.copy()
    system[0, 4, 0] = 0.7
    assert _run(ar_segment, baseline, system, 2_000).p_value == 1.0
    assert _run(ar_segment, baseline, system, 2_000, "greater").p_value == pytest.approx(0.5, abs=0.04)


def test_exchange_of_outputs_is_refused_for_unequal_numbers_of_runs():
    baseline, system = _pair(4, (2, 3), 10)
    result = _run(ar_output, baseline, system, 10)
    assert np.isnan(result.p_value)
    assert result.statistic == pytest.approx(_run(ar_segment, baseline, system, 10).statistic)
    assert "the baseline has 2 and the system 3" in result.note


def test_an_undefined_score_has_no_p_value_and_undefined_shuffles_count_as_extreme():
    baseline, system = _pair(4, (1, 1), 10)
    undefined = _run(ar_segment, baseline, system, 10, score=lambda sums: np.full(sums.shape[:-1], np.nan))
    assert np.isnan(undefined.p_value)
    assert "undefined" in undefined.note

    def undefined_in_shuffles(sums: np.ndarray) -> np.ndarray:
        if sums.ndim == 3:
            return np.full(sums.shape[:-1], np.nan)
        return _ratio(sums)

    assert _run(ar_segment, baseline, system, 10, score=undefined_in_shuffles).p_value == 1.0


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("metric", "expected", "tolerance"), [("bleu", 0.009, 0.003), ("ter", 0.0001, 1e-5), ("length", 0.28, 0.02)]
)
def test_the_example_has_the_p_values_computed_elsewhere(example, metric: str, expected: float, tolerance: float):
    case = example[metric]
    result = _run(ar_segment, case.baseline, case.system, 10_000, score=case.score)
    assert result.p_value == pytest.approx(expected, abs=tolerance)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("metric", "recorded", "tolerance"), [("bleu", 0.0154, 0.004), ("ter", 0.0001, 1e-5), ("length", 0.0001, 1e-5)]
)
def test_two_runs_have_multevals_p_values(example, metric: str, recorded: float, tolerance: float):
    """With two runs a system MultEval's shuffle is correct; recorded from three repetitions of 10,000."""
    case = example[metric]
    result = _run(ar_output, case.baseline[:2], case.system[1:], 10_000, score=case.score)
    assert result.p_value == pytest.approx(recorded, abs=tolerance)
