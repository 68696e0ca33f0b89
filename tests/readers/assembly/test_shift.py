"""Finding the line at which a file goes out of step; the oracle is the line that the test took out or put in."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mteval.readers.assembly.alignment import first_shifted_line, misplaced

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

    assert misplaced(hypotheses, references) == ""
    assert misplaced(hypotheses[::-1], references) == "are in reverse order."
    assert misplaced(shuffled, references) == "match the references no better than unrelated lines."
    assert misplaced(shifted, references) == "are shifted by 1 line: they match the references below."
    assert (
        misplaced(shifted_half, references)
        == "are shifted by 1 line from line 151 on: they match the references below."
    )


@pytest.mark.parametrize("shift", [1, 3, 5])
def test_forty_shifted_lines_at_the_end_are_found(shift: int) -> None:
    references, hypotheses = parallel(400)
    shifted = [*hypotheses[:360], *hypotheses[360 - shift : 400 - shift]]

    found = re.fullmatch(r"are shifted by (\d) lines? from line (\d+) on: .* above\.", misplaced(shifted, references))
    assert found is not None
    assert int(found[1]) == shift
    assert abs(int(found[2]) - 361) <= 3


def test_a_moved_line_is_found_by_the_lines_between_that_it_shifts() -> None:
    references, hypotheses = parallel(400)
    moved = list(hypotheses)
    moved.insert(120, moved.pop(100))

    assert (
        misplaced(moved, references) == "are shifted by 1 line from line 101 to 120: they match the references below."
    )


def test_swapped_neighbours_are_not_noticed() -> None:
    references, hypotheses = parallel(400)
    swapped = list(hypotheses)
    swapped[7:9] = swapped[8], swapped[7]

    assert misplaced(swapped, references) == ""


def test_a_file_whose_second_half_is_empty_is_in_order() -> None:
    references, hypotheses = parallel(400)
    half_empty = [*hypotheses[:200], *[""] * 200]

    assert misplaced(half_empty, references) == ""
