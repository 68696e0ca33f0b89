import numpy as np
import pandas as pd
import pytest

from mteval.stats.resampling.streams import Chunk, chunks_of, seeds_for, seeds_of, sum_by_unit


def _draws(seeds: np.random.SeedSequence) -> list[int]:
    return list(np.random.default_rng(seeds).integers(0, 2**60, 5))


def test_streams_depend_on_seed_and_procedure_alone():
    assert _draws(seeds_for(7, "ar-segment")) == _draws(seeds_for(7, "ar-segment"))
    assert _draws(seeds_for(7, "ar-segment")) != _draws(seeds_for(8, "ar-segment"))
    assert _draws(seeds_for(7, "ar-segment")) != _draws(seeds_for(7, "ar-output"))


def test_a_chunk_has_the_seeds_that_a_fresh_root_would_spawn_and_keeps_them():
    root = seeds_for(3, "bootstrap")
    spawned = [_draws(child) for child in seeds_for(3, "bootstrap").spawn(3)]
    for _ in range(2):
        assert [_draws(seeds_of(root, Chunk(i, 0, 1))) for i in range(3)] == spawned


def test_a_negative_seed_is_refused():
    with pytest.raises(ValueError, match="non-negative"):
        seeds_for(-1, "ar-segment")


def test_chunks_cover_the_draws_once_in_order():
    chunks = chunks_of(1_050, 500)
    assert [draw for chunk in chunks for draw in range(chunk.start, chunk.stop)] == list(range(1_050))
    assert [(chunk.index, len(chunk)) for chunk in chunks] == [(0, 500), (1, 500), (2, 50)]
    assert chunks_of(0, 500) == []


def test_units_add_up_wherever_their_segments_stand():
    generator = np.random.default_rng(0)
    statistics = generator.integers(-5, 50, (2, 30, 3))
    documents = generator.choice(["news", "blog", "talk", "mail"], 30)
    summed = sum_by_unit(statistics, documents)
    assert summed.dtype == statistics.dtype
    for run in range(2):
        oracle = pd.DataFrame(statistics[run]).groupby(documents, sort=False).sum().to_numpy()
        np.testing.assert_array_equal(summed[run], oracle)


def test_one_id_a_segment_is_expected():
    with pytest.raises(ValueError, match="4 segments; expected one id per segment"):
        sum_by_unit(np.zeros((1, 4, 2)), [1, 1, 2])
