import numpy as np

from mteval.stats.resampling.streams import Chunk, seeds_for, seeds_of, stream_of
from mteval.stats.stats_kernels import next_word


def test_the_words_are_those_of_numpys_generator():
    seeds = seeds_for(11, "any")
    chunk = Chunk(4, 0, 10)
    expected = np.random.SFC64(seeds_of(seeds, chunk)).random_raw(1_000)

    state = tuple(stream_of(seeds, chunk))
    words = []
    for _ in range(1_000):
        word, *state = next_word(*map(np.uint64, state))
        words.append(word)

    np.testing.assert_array_equal(words, expected)
