"""How many shuffles a family of tests takes."""

import pytest

from mteval.values.settings import MOST_SHUFFLES, Settings


@pytest.mark.parametrize("size", [2, 11, 50, 51, 66, 132, 499])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_the_smallest_adjusted_p_is_below_a_tenth_of_the_level(size: int, confidence: float) -> None:
    settings = Settings(confidence=confidence).for_family(size)
    if settings.n_shuffles < MOST_SHUFFLES:
        assert size / (settings.n_shuffles + 1) < (1 - confidence) / 10


def test_shuffles_that_suffice_stay_as_they_are() -> None:
    chosen = Settings()
    assert chosen.for_family(50) is chosen, "50 / 10,001 is less than 0.005"
    assert Settings(n_shuffles=401).for_family(2).n_shuffles == 401
    assert Settings(n_shuffles=123_456).for_family(10**6).n_shuffles == 123_456


def test_shuffles_that_do_not_suffice_are_raised_to_the_next_thousand() -> None:
    assert Settings().for_family(51).n_shuffles == 11_000
    assert Settings().for_family(132).n_shuffles == 27_000
    assert Settings(n_shuffles=399).for_family(2).n_shuffles == 1_000


def test_one_test_is_not_adjusted_and_keeps_what_was_chosen() -> None:
    assert Settings(n_shuffles=10).for_family(1).n_shuffles == 10
    assert Settings(n_shuffles=10).for_family(0).n_shuffles == 10


def test_nothing_else_is_changed() -> None:
    raised = Settings(seed=3, exchange_unit="output").for_family(1_000)
    assert raised == Settings(seed=3, exchange_unit="output", n_shuffles=MOST_SHUFFLES)
