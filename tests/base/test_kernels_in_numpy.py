"""NumPy counterparts of compiled functions give the same numbers, to the last bit."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import pytest

from mteval.base.kernels import Kernel
from mteval.base.word_kernels import count_shared, hash_words, number_words
from mteval.metrics.ngram.bleu_kernels import plain_scores
from mteval.metrics.text.ngrams import Sequences, breaking_spaces, java_spaces, python_spaces, starts_of
from mteval.metrics.text.text_kernels import UNKNOWN, count_matches, expanded
from mteval.stats.resampling import subset_sums
from mteval.stats.resampling.subset_sums import SubsetSums
from mteval.stats.stats_kernels import add_random_subsets, count, fill_tables, unpack

CHARACTERS = list("ab  \n\u00a0\u2007\u3000é😀\ud800z")
ROUNDS = 100


def in_numpy(compiled: Callable[..., Any]) -> Callable[..., Any]:
    function = cast(Kernel, compiled).in_numpy
    assert function is not None
    return function


def assert_same(one: Sequence[Any], other: Sequence[Any]) -> None:
    for array, other_array in zip(one, other, strict=True):
        assert np.asarray(array).dtype == np.asarray(other_array).dtype
        np.testing.assert_array_equal(array, other_array, strict=True)


def random_texts(random: np.random.Generator) -> list[str]:
    """A few texts, some of them empty or white space only."""
    return ["".join(random.choice(CHARACTERS, random.integers(0, 12))) for _ in range(random.integers(0, 6))]


def random_sequences(random: np.random.Generator, n: int, lowest: int) -> Sequences:
    """N short sequences of few numbers, so that n-grams recur."""
    starts = starts_of(random.integers(0, 9, n))
    return Sequences(random.integers(lowest, 3, starts[-1]).astype(np.int32), starts)


def random_stream(random: np.random.Generator) -> Any:
    state = np.random.SFC64(int(random.integers(1 << 30))).state["state"]["state"]
    return np.asarray(state, dtype=np.uint64)


@pytest.mark.parametrize("spaces", [python_spaces(), breaking_spaces(), java_spaces()])
def test_words_get_the_same_numbers(spaces: Any) -> None:
    random = np.random.default_rng(1)
    for _ in range(ROUNDS):
        codes = Sequences.of_code_points(random_texts(random))
        arguments = (codes.items, codes.starts, spaces)
        assert_same(number_words(*arguments), in_numpy(number_words)(*arguments))
        assert_same(hash_words(*arguments), in_numpy(hash_words)(*arguments))


def test_words_have_one_hash_each() -> None:
    random = np.random.default_rng(7)
    texts = [text for _ in range(ROUNDS) for text in random_texts(random)] + ["a", "a\0", "\0a", "\0", "\0\0"]
    codes = Sequences.of_code_points(texts)
    hashes, starts = hash_words(codes.items, codes.starts, python_spaces())
    words = [word for text in texts for word in text.split()]
    assert np.diff(starts).tolist() == [len(text.split()) for text in texts]
    assert len(set(zip(words, hashes.tolist(), strict=True))) == len(set(words)) == len(set(hashes.tolist()))


def test_lists_share_the_same_keys() -> None:
    random = np.random.default_rng(8)

    def random_lists(n: int) -> tuple[Any, Any]:
        lists = [np.unique(random.integers(0, 9, random.integers(0, 6))) for _ in range(n)]
        return np.concatenate(lists), starts_of(map(len, lists))

    for _ in range(ROUNDS):
        keys, starts = random_lists(4)
        other_keys, other_starts = random_lists(3)
        places = random.integers(0, 4, 5)
        others = random.integers(0, 3, 5)
        counts = np.zeros(5, dtype=np.int64)
        other_counts = np.zeros(5, dtype=np.int64)
        count_shared(keys, starts, other_keys, other_starts, places, others, counts)
        in_numpy(count_shared)(keys, starts, other_keys, other_starts, places, others, other_counts)
        assert_same([counts], [other_counts])
        expected = []
        for place, other in zip(places, others, strict=True):
            list_of_keys = keys[starts[place] : starts[place + 1]]
            expected.append(
                len(np.intersect1d(list_of_keys, other_keys[other_starts[other] : other_starts[other + 1]]))
            )
        assert counts.tolist() == expected


def test_items_are_replaced_by_the_same_parts() -> None:
    random = np.random.default_rng(2)
    for _ in range(ROUNDS):
        items = random_sequences(random, int(random.integers(0, 6)), 0)
        parts = random_sequences(random, 3, 0)
        assert_same(expanded(*items, *parts), in_numpy(expanded)(*items, *parts))


def test_texts_share_the_same_ngrams_with_one_or_more_references() -> None:
    random = np.random.default_rng(3)
    for _ in range(ROUNDS):
        group_starts = starts_of(random.integers(1, 3, random.integers(1, 4)))
        references = random_sequences(random, group_starts[-1], 0)
        hypotheses = random_sequences(random, int(random.integers(0, 6)), UNKNOWN)
        groups = random.integers(0, group_starts.size - 1, hypotheses.starts.size - 1)
        visits = np.argsort(groups, kind="stable")
        matches = np.zeros((groups.size, random.integers(1, 6)), dtype=np.int64)
        other_matches = matches.copy()
        count_matches(*hypotheses, groups, visits, *references, group_starts, matches)
        in_numpy(count_matches)(*hypotheses, groups, visits, *references, group_starts, other_matches)
        assert_same([matches], [other_matches])


def test_bootstrap_draws_the_same_units_and_leaves_the_stream_there() -> None:
    random = np.random.default_rng(4)
    for n_units in (1, 2, 3, 64, 301, 500):
        stream = random_stream(random)
        other_stream = stream.copy()
        counts = np.zeros((7, n_units), dtype=np.uint8)
        other_counts = counts.copy()
        count(stream, counts)
        in_numpy(count)(other_stream, other_counts)
        assert_same([stream, counts], [other_stream, other_counts])


@pytest.mark.parametrize("largest", [3, 100])  # many divisions by zero, or few
def test_bleu_has_the_same_bits(largest: int) -> None:
    random = np.random.default_rng(5)
    for _ in range(ROUNDS):
        sums = random.integers(0, largest, (3, 10, 7)).astype(np.float64)
        roots, other_roots, penalties, other_penalties = np.zeros((4, 3, 7))
        found = plain_scores(sums, roots, penalties)
        assert in_numpy(plain_scores)(sums, other_roots, other_penalties) == found
        assert_same([roots, penalties], [other_roots, other_penalties])


@pytest.mark.parametrize("kind", ["counts", "floats"])
def test_subsets_have_the_same_sums(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(6)
    for n_units in (1, 63, 64, 65, 300):
        values: Any = random.integers(-3, 50, (n_units, 5))
        if kind == "floats":
            values = random.normal(size=(n_units, 5))
        stream = random_stream(random)
        other_stream = stream.copy()
        prepared = SubsetSums.of(values)
        sums = prepared.draw(stream, 50)
        with monkeypatch.context() as patch:
            patch.setattr(subset_sums, "fill_tables", in_numpy(fill_tables))
            patch.setattr(subset_sums, "unpack", in_numpy(unpack))
            patch.setattr(subset_sums, "add_random_subsets", in_numpy(add_random_subsets))
            other_prepared = SubsetSums.of(values)
            other_sums = other_prepared.draw(other_stream, 50)
        assert_same([prepared.tables, sums, stream], [other_prepared.tables, other_sums, other_stream])


COMPARISON = """
import sys, warnings
import mteval
warnings.simplefilter("ignore")
n_segments = int(sys.argv[1])
references = [f"the cat number {place} sat on mat {place % 7}" for place in range(n_segments)]
runs = {}
for system, verb in (("base", "sat"), ("new", "lay")):
    runs[system] = []
    for run in range(3):
        verbs = [verb if place % (run + 3) else "sits" for place in range(n_segments)]
        runs[system].append([line.replace("sat", verb) for line, verb in zip(references, verbs)])
comparison = mteval.compare(runs, references, ["bleu"])
print(comparison, "numba" in sys.modules)
"""


def compared(n_segments: int, before: str) -> tuple[str, str]:
    """What a new process prints, and whether it loaded numba."""
    words = [sys.executable, "-c", before + COMPARISON, str(n_segments)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    text, _, is_loaded = done.stdout.strip().rpartition(" ")
    return text, is_loaded


def test_little_work_does_without_numba_and_gives_the_same() -> None:
    text, is_loaded = compared(200, "")
    assert is_loaded == "False"
    assert compared(200, "import numba\n") == (text, "True")


def test_much_work_loads_numba() -> None:
    assert compared(20_000, "")[1] == "True"
