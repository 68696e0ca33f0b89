from functools import partial

from mteval.base.words import free_name, numbered


def test_a_name_that_is_free_stays_and_others_are_numbered_from_two() -> None:
    assert free_name("a", set().__contains__) == "a"
    assert free_name("a", {"a"}.__contains__) == "a (2)"
    assert free_name("a", {"a", "a (2)", "a (4)"}.__contains__) == "a (3)"


def test_numbers_stand_with_a_mark_where_the_caller_wants_one() -> None:
    marked = partial(numbered, mark="given")
    assert free_name("bleu", {"bleu"}.__contains__, marked) == "bleu (given)"
    assert free_name("bleu", {"bleu", "bleu (given)"}.__contains__, marked) == "bleu (given 2)"
