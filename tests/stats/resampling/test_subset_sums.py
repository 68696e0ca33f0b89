import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mteval.stats.resampling.streams import Chunk, seeds_for, seeds_of, stream_of
from mteval.stats.resampling.subset_sums import SubsetSums

SEEDS, CHUNK = seeds_for(5, "test"), Chunk(0, 0, 50)


def _by_product(values: np.ndarray, n_subsets: int) -> np.ndarray:
    """The same subsets as a matrix of zeros and ones, times the values."""
    n_words = -(-len(values) // 64)
    words = np.random.SFC64(seeds_of(SEEDS, CHUNK)).random_raw((n_words, n_subsets))
    octets = np.ascontiguousarray(words.T).astype("<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, count=len(values), bitorder="little").astype(values.dtype) @ values


@pytest.mark.parametrize("n_units", [1, 7, 8, 9, 63, 64, 65, 130])
@pytest.mark.parametrize("d", [1, 4, 18])
def test_integers_are_summed_exactly(n_units: int, d: int):
    values = np.random.default_rng(n_units).integers(-40, 60, (n_units, d))
    drawn = SubsetSums.of(values).draw(stream_of(SEEDS, CHUNK), 50)
    np.testing.assert_array_equal(drawn.T, _by_product(values, 50))


@settings(max_examples=60)
@given(
    hnp.arrays(
        np.int64,
        st.tuples(st.integers(1, 80), st.integers(1, 6)),
        elements=st.one_of(st.integers(-3, 3), st.integers(-(2**40), 2**40)),
    )
)
def test_integers_of_any_size_that_a_float_holds_are_summed_exactly(values: np.ndarray):
    drawn = SubsetSums.of(values).draw(stream_of(SEEDS, CHUNK), 20)
    np.testing.assert_array_equal(drawn.T, _by_product(values, 20))


@pytest.mark.parametrize("scale", [1.0, 2.0**60])
def test_floats_are_summed_to_rounding(scale: float):
    values = scale * np.random.default_rng(1).normal(size=(90, 3))
    drawn = SubsetSums.of(values).draw(stream_of(SEEDS, CHUNK), 50)
    np.testing.assert_allclose(drawn.T, _by_product(values, 50), rtol=0, atol=1e-12 * scale)


def test_integers_beyond_the_exact_range_are_summed_as_floats():
    values = np.full((4, 1), 2**58)
    drawn = SubsetSums.of(values).draw(stream_of(SEEDS, CHUNK), 50)
    np.testing.assert_array_equal(drawn.T, _by_product(values, 50))


def test_columns_of_very_different_size_share_lanes_without_touching_each_other():
    generator = np.random.default_rng(4)
    values = np.concatenate([generator.integers(-top, top + 1, (150, 2)) for top in (1, 900, 2**30, 0, 7)], axis=1)
    values[:64] *= 3  # words of units differ, too
    sums = SubsetSums.of(values)
    assert sums.tables.shape[1] < values.shape[1], "nothing was packed"
    np.testing.assert_array_equal(sums.draw(stream_of(SEEDS, CHUNK), 50).T, _by_product(values, 50))


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_a_stream_goes_on_where_the_units_before_left_it(dtype: type):
    values = np.random.default_rng(6).integers(-9, 9, (200, 3)).astype(dtype)
    stream = stream_of(SEEDS, CHUNK)
    parts = [SubsetSums.of(values[part]).draw(stream, 30) for part in (slice(0, 128), slice(128, 200))]
    np.testing.assert_array_equal((parts[0] + parts[1]).T, _by_product(values, 30))


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_sums_over_given_subsets_are_those_of_drawn_ones(dtype: type):
    values = np.random.default_rng(7).integers(-9, 9, (200, 12)).astype(dtype)
    words = np.random.SFC64(seeds_of(SEEDS, CHUNK)).random_raw((4, 50))
    np.testing.assert_array_equal(SubsetSums.of(values).over(words).T, _by_product(values, 50))


def test_each_unit_is_in_half_of_the_subsets_independently_of_the_others():
    values = np.eye(5, dtype=np.int64)
    drawn = SubsetSums.of(values).draw(stream_of(SEEDS, CHUNK), 40_000)
    np.testing.assert_allclose(drawn @ drawn.T / 40_000, np.full((5, 5), 0.25) + 0.25 * np.eye(5), atol=0.01)
