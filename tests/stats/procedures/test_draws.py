from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from mteval.base.errors import CancelledError
from mteval.stats import PROCEDURES
from mteval.stats.base import Alternative, How
from mteval.stats.procedures.registry import on_draws
from mteval.stats.resampling import draws as pool_exchange
from mteval.stats.resampling.draws import Draws
from mteval.stats.resampling.streams import seeds_for
from mteval.stats.resampling.subset_sums import UNITS_A_WORD, SubsetSums

ON_DRAWS = on_draws()
KEYS = sorted(ON_DRAWS)
DEFAULTS = {"alternative": "two-sided", "confidence": 0.95}
N_SHUFFLES = 5_300  # two whole chunks and a part


def precision(sums: np.ndarray) -> np.ndarray:
    """Two ratios multiplied, so that it is not linear: matches, attempts, reference."""
    return 100 * sums[..., 0] / sums[..., 1] * np.minimum(1, sums[..., 1] / sums[..., 2])


def pool(seed: int, n_runs: int, n_segments: int = 90, shift: float = 0.0) -> np.ndarray:
    """Statistics of so many runs, shape ``(runs, segments, 3)``: matches, attempts, reference."""
    generator = np.random.default_rng(seed)
    reference = np.random.default_rng(0).integers(5, 40, n_segments)
    lengths = np.maximum(1, reference + generator.integers(-3, 4, (n_runs, n_segments)))
    share_right = np.clip(0.5 + shift + generator.normal(0, 0.01, (n_runs, 1)), 0, 1)
    matches = generator.binomial(lengths, share_right)
    return np.stack([matches, lengths, np.broadcast_to(reference, lengths.shape)], axis=2)


@pytest.fixture(scope="module")
def pools() -> tuple[np.ndarray, np.ndarray]:
    """Six runs of one system, seven of the other."""
    return pool(1, 6), pool(2, 7, shift=0.015)


def p_values(key: str, pools: tuple[np.ndarray, np.ndarray], draws: Draws, **changes: Any) -> np.ndarray:
    """The p-value of each draw by a procedure."""
    options = {"n_resamples": N_SHUFFLES, "seeds": seeds_for(3, key)} | DEFAULTS | changes
    how = How(**options)
    return ON_DRAWS[key].on_draws(*pools, precision, draws, how)


def is_of_test_set(key: str) -> bool:
    """Whether a procedure takes the runs as given, so that copies and single runs are no hindrance."""
    return PROCEDURES[key].luck == "test-set"


def one_by_one(key: str, pools: tuple[np.ndarray, np.ndarray], draws: Draws, alternative: Alternative) -> list[float]:
    """What the procedure itself says of the runs of each draw."""
    how = How(N_SHUFFLES, seeds_for(3, key), alternative, 0.95)
    baseline_pool, system_pool = pools
    p_values_of_draws = []
    for baseline_runs, system_runs in zip(draws.baseline, draws.system, strict=True):
        baseline = baseline_pool[baseline_runs]
        system = system_pool[system_runs]
        p_values_of_draws.append(PROCEDURES[key].function(baseline, system, precision, how).p_value)
    return p_values_of_draws


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("n_runs", [1, 3, 5])
@pytest.mark.parametrize("key", KEYS)
def test_each_draw_has_the_p_value_that_the_procedure_itself_gives_it(key, n_runs, alternative, pools):
    draws = Draws.random((6, 7), n_runs, 6, np.random.default_rng(n_runs))
    together = p_values(key, pools, draws, alternative=alternative)
    expected = one_by_one(key, pools, draws, alternative)
    tolerance = 1e-12 if is_of_test_set(key) else 1e-9
    np.testing.assert_allclose(together, expected, rtol=0, atol=tolerance)
    can_answer = n_runs > 1 or is_of_test_set(key)
    assert np.isfinite(together).all() == can_answer


@pytest.mark.parametrize("n_segments", [1, 63, 64, 65, 128])
def test_outputs_are_exchanged_right_wherever_a_run_begins_in_a_word(n_segments: int):
    pools = (pool(1, 3, n_segments), pool(2, 3, n_segments))
    draws = Draws.random((3, 3), 3, 4, np.random.default_rng(0))
    together = p_values("ar-output", pools, draws)
    np.testing.assert_array_equal(together, one_by_one("ar-output", pools, draws, "two-sided"))


def test_statistics_that_are_no_integers_agree_to_rounding(pools):
    as_floats = (pools[0] / 7, pools[1] / 7)
    draws = Draws.random((6, 7), 2, 5, np.random.default_rng(0))
    together = p_values("ar-output", as_floats, draws)
    np.testing.assert_allclose(together, one_by_one("ar-output", as_floats, draws, "two-sided"), atol=2 / N_SHUFFLES)


def test_many_runs_are_permuted_by_sampled_divisions_as_the_procedure_does():
    pools = (pool(1, 11, 20), pool(2, 11, 20, shift=0.01))
    draws = Draws.random((11, 11), 11, 2, np.random.default_rng(0))
    together = p_values("run-permutation", pools, draws)
    np.testing.assert_allclose(together, one_by_one("run-permutation", pools, draws, "two-sided"), atol=1e-12)


def test_p_values_do_not_depend_on_how_the_work_is_cut(pools, monkeypatch: pytest.MonkeyPatch):
    def in_threads(function: Callable[[Any], Any], items: Any) -> Iterator[Any]:
        with ThreadPoolExecutor(4) as threads:
            yield from threads.map(function, items)

    draws = Draws.random((6, 7), 3, 20, np.random.default_rng(0))
    for key in KEYS:
        expected = p_values(key, pools, draws)
        np.testing.assert_array_equal(p_values(key, pools, draws, map_chunks=in_threads), expected)
        with monkeypatch.context() as patch:
            patch.setattr(pool_exchange, "BYTES_AT_ONCE", 8 * 3 * 20 * 300)
            patch.setattr(pool_exchange, "DRAWS_SCORED_AT_ONCE", 3)
            np.testing.assert_array_equal(p_values(key, pools, draws), expected)


def test_work_on_many_runs_in_many_places_can_be_stopped_after_every_run(pools, monkeypatch: pytest.MonkeyPatch):
    n_summed: list[int] = []  # words, for each item of work

    class Watched(SubsetSums):
        def over(self, words: np.ndarray) -> np.ndarray:
            n_summed[-1] += words.size
            return super().over(words)

    def stopped_at_the_fifth(items):
        for item in items:
            n_summed.append(0)
            if len(n_summed) == 5:
                raise CancelledError("stopped")
            yield item

    draws = Draws.random((len(pools[0]), len(pools[1])), 4, 30, np.random.default_rng(2))
    monkeypatch.setattr(pool_exchange, "SubsetSums", Watched)
    with pytest.raises(CancelledError):
        p_values("ar-output", pools, draws, checked=stopped_at_the_fifth)
    n_words = -(-pools[0].shape[1] // UNITS_A_WORD)
    for n in n_summed[:4]:
        assert 0 < n <= draws.n_runs * n_words * N_SHUFFLES
    assert n_summed[4] == 0


def test_copies_of_one_run_are_answered_by_no_procedure_that_looks_at_runs(pools):
    copies = np.repeat(pools[0][:1], 4, axis=0)
    draws = Draws(np.array([[0, 1, 2], [1, 2, 3]]), np.array([[0, 1, 2], [4, 5, 6]]))
    for key in KEYS:
        assert np.isnan(p_values(key, (copies, pools[1]), draws)).all() == (not is_of_test_set(key))


def test_an_undefined_score_has_no_p_value(pools):
    nothing = np.zeros_like(pools[0])
    draws = Draws.random((6, 7), 2, 3, np.random.default_rng(0))
    with np.errstate(invalid="ignore"):
        for key in filter(is_of_test_set, KEYS):
            assert np.isnan(p_values(key, (nothing, pools[1]), draws)).all()


def test_draws_take_distinct_runs_and_every_run_equally_often():
    draws = Draws.random((6, 7), 4, 3_000, np.random.default_rng(0))
    for runs, n_runs in ((draws.baseline, 6), (draws.system, 7)):
        assert (np.diff(np.sort(runs, axis=1), axis=1) > 0).all()
        expected = 3_000 * 4 / n_runs
        assert np.abs(np.bincount(runs.ravel()) - expected).max() < 4 * np.sqrt(expected)
