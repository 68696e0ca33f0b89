"""Planned looks: the table of levels, what it holds, and how p is judged at a look."""

import math

import numpy as np
import pytest

from mteval.base.errors import SettingsError
from mteval.values.settings import SPENDINGS, LookPlan, Settings, known_looks, look_plans, looks_in_words

USUAL = (3, 5, 10)
HELD = 0.055  # of the 5% that all looks together are to keep


@pytest.mark.parametrize("spending", SPENDINGS)
@pytest.mark.parametrize("looks", known_looks())
def test_at_the_five_percent_level_all_looks_keep_it_and_it_is_said_where_they_cannot(
    looks: tuple[int, ...], spending: str
) -> None:
    plan = look_plans()[looks, spending, 0.05]
    assert plan.attained <= HELD
    assert plan.beyond < 0.08
    assert plan.unplanned > 0.08, "which is why looks are planned"
    assert len(plan.levels) == len(looks)
    assert max(plan.levels) < 0.05


def test_a_constant_level_is_one_and_a_late_one_rises() -> None:
    for (looks, spending, _), plan in look_plans().items():
        if spending == "constant":
            assert len(set(plan.levels)) == 1
        else:
            assert list(plan.levels) == sorted(set(plan.levels)), looks


def test_p_is_multiplied_so_that_the_level_of_all_looks_judges_it() -> None:
    plan = LookPlan(USUAL, "late", 0.05, (0.0001, 0.0025, 0.04), 0.05, 0.05, 0.15)
    assert [plan.factor(n) for n in USUAL] == pytest.approx([500, 20, 1.25])
    assert math.isnan(plan.factor(4))


def test_a_plan_without_known_levels_is_refused_with_those_that_have_them() -> None:
    with pytest.raises(SettingsError, match=r"3 7 and the 5% level.*3 5 10"):
        Settings(looks=(3, 7))
    with pytest.raises(SettingsError, match="the 20% level"):
        Settings(looks=USUAL, confidence=0.8)
    assert Settings(looks=USUAL, confidence=0.99).look_plan == look_plans()[USUAL, "constant", 0.01]
    assert Settings().look_plan is None


def test_looks_are_named_in_words() -> None:
    assert looks_in_words(USUAL) == "3, 5 and 10 runs"
    assert looks_in_words(USUAL, "") == "3, 5 and 10"
    assert looks_in_words((3, 4, 5), "prompts") == "3, 4 and 5 prompts"
    assert looks_in_words(tuple(range(3, 11))) == "3 to 10 runs"


def test_levels_rise_with_the_level_of_all_looks() -> None:
    for looks in known_looks():
        levels = np.array([look_plans()[looks, "constant", level].levels for level in (0.01, 0.05, 0.1)])
        assert (np.diff(levels, axis=0) > 0).all()
