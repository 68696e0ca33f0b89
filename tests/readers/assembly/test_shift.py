"""Finding the line at which a file goes out of step; the oracle is the line that the test took out or put in."""

import random
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mteval.readers.assembly import alignment
from mteval.readers.assembly.alignment import WordLines, first_shifted_line, misplaced, similarities

VOCABULARY = [f"word{i}" for i in range(300)]


def parallel(n: int, seed: int = 1) -> tuple[list[str], list[str]]:
    """References, and hypotheses that keep about 60% of their words."""
    rng = random.Random(seed)
    references = []
    for _ in range(n):
        references.append([rng.choice(VOCABULARY) for _ in range(rng.randint(4, 20))])
    hypotheses = []
    for reference in references:
        hypothesis = []
        for word in reference:
            if rng.random() < 0.6:
                hypothesis.append(word)
            else:
                hypothesis.append(rng.choice(VOCABULARY))
        hypotheses.append(hypothesis)
    return [" ".join(words) for words in references], [" ".join(words) for words in hypotheses]


def order_of(lines: list[str], references: list[str]) -> str:
    """Return the messages about the order of lines."""
    return misplaced(WordLines.of(lines), WordLines.of(references))


@given(st.integers(0, 99), st.integers(1, 10))
def test_a_dropped_block_is_found(place: int, length: int) -> None:
    references, hypotheses = parallel(100)

    del hypotheses[place : place + length]

    assert first_shifted_line(hypotheses, references) == place + 1


@given(st.integers(0, 100))
def test_an_inserted_line_is_found(place: int) -> None:
    references, hypotheses = parallel(100)

    hypotheses.insert(place, "something else entirely here")

    assert first_shifted_line(hypotheses, references) == place + 1


def test_first_of_several_shifts_is_reported() -> None:
    references, hypotheses = parallel(100)

    for place in (80, 50, 20):
        del hypotheses[place]

    assert first_shifted_line(hypotheses, references) == 21


def test_lengths_find_the_place_roughly_without_shared_words() -> None:
    references, hypotheses = parallel(400)
    foreign = [line.replace("word", "mot") for line in hypotheses]
    del foreign[200]

    line = first_shifted_line(foreign, references)

    assert line is not None
    assert abs(line - 201) <= 3


def test_unrelated_text_gives_no_line() -> None:
    references, _ = parallel(100, seed=1)
    unrelated, _ = parallel(99, seed=2)

    assert first_shifted_line(unrelated, references) is None


@pytest.mark.parametrize(("lines", "reference"), [([], ["a"]), (["a"], ["b"]), (["a"] * 500_000, ["a"] * 500_001)])
def test_nothing_to_compare_or_too_much_gives_no_line(lines: list[str], reference: list[str]) -> None:
    assert first_shifted_line(lines, reference) is None


def test_lines_in_another_order_are_told_and_files_in_order_are_not() -> None:
    references, hypotheses = parallel(400)
    shuffled = random.Random(2).sample(hypotheses, 400)
    shifted = [*hypotheses[1:], "the end"]
    shifted_half = [*hypotheses[:150], *hypotheses[151:], "the end"]

    assert order_of(hypotheses, references) == ""
    assert order_of(hypotheses[::-1], references) == "are in reverse order."
    assert order_of(shuffled, references) == "match the references no better than unrelated lines."
    assert order_of(shifted, references) == "are shifted by 1 line: they match the references below."
    assert (
        order_of(shifted_half, references) == "are shifted by 1 line from line 151 on: they match the references below."
    )


@pytest.mark.parametrize("shift", [1, 3, 5])
def test_forty_shifted_lines_at_the_end_are_found(shift: int) -> None:
    references, hypotheses = parallel(400)
    shifted = [*hypotheses[:360], *hypotheses[360 - shift : 400 - shift]]

    found = re.fullmatch(r"are shifted by (\d) lines? from line (\d+) on: .* above\.", order_of(shifted, references))
    assert found is not None
    assert int(found[1]) == shift
    assert abs(int(found[2]) - 361) <= 3


def test_a_moved_line_is_found_by_the_lines_between_that_it_shifts() -> None:
    references, hypotheses = parallel(400)
    moved = list(hypotheses)
    moved.insert(120, moved.pop(100))

    assert order_of(moved, references) == "are shifted by 1 line from line 101 to 120: they match the references below."


def test_swapped_neighbours_are_not_noticed() -> None:
    references, hypotheses = parallel(400)
    swapped = list(hypotheses)
    swapped[7:9] = swapped[8], swapped[7]

    assert order_of(swapped, references) == ""


def test_a_file_whose_second_half_is_empty_is_in_order() -> None:
    references, hypotheses = parallel(400)
    half_empty = [*hypotheses[:200], *[""] * 200]

    assert order_of(half_empty, references) == ""


LINES = st.lists(st.text("aAbΣςß \t\u3000漢字é\x00\ud800", max_size=60), min_size=1, max_size=8)


@given(LINES, LINES)
def test_similarity_is_that_of_sets_of_words(lines: list[str], references: list[str]) -> None:
    places = np.repeat(np.arange(len(lines)), len(references))
    others = np.tile(np.arange(len(references)), len(lines))

    similarity = similarities(WordLines.of(lines), WordLines.of(references), places, others)

    expected = []
    for line in lines:
        for reference in references:
            words, reference_words = words_of(line), words_of(reference)
            n_words = len(words) + len(reference_words)
            overlap = 2 * len(words & reference_words) / n_words if n_words else 1.0
            shorter, longer = sorted([len(line), len(reference)])
            expected.append(overlap + 0.5 * (shorter + 1) / (longer + 1))
    assert similarity.tolist() == expected


def words_of(line: str) -> set[str]:
    """The words of a line, or pairs of characters if the script sets no spaces."""
    words = line.lower().split()
    if len(line) <= 20 * len(words):
        return set(words)
    characters = "".join(words)
    return {first + second for first, second in pairwise(characters)}


def test_lines_are_read_in_parts_with_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    lines, _ = parallel(50)
    whole = WordLines.of(lines)

    monkeypatch.setattr(alignment, "LINES_AT_ONCE", 7)
    in_parts = WordLines.of(lines)

    assert in_parts.keys.tolist() == whole.keys.tolist()
    assert in_parts.n_words.tolist() == whole.n_words.tolist()
    assert in_parts.is_filled.tolist() == whole.is_filled.tolist()
