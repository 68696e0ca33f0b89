import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from mteval.stats.base import PairedResult, StudentLaw, result_by
from mteval.stats.interval import equivalence


def test_replicates_count_beyond_the_margin_on_the_nearer_side() -> None:
    """Of nine replicates those that reach the margin, and the observed result itself, are shares of ten."""
    result = PairedResult(0.2, draws=np.array([-0.6, 0.0, 0.1, 0.2, 0.5, 0.7, 0.1, 0.2, 0.3]))
    assert equivalence(result, 0.5, 0.05).p_value == pytest.approx(3 / 10)  # 0.5 and 0.7 reach it
    assert equivalence(result, 0.65, 0.05).p_value == pytest.approx(2 / 10)


@pytest.mark.parametrize(("difference", "margin"), [(0.0, 0.5), (0.3, 0.5), (-0.3, 0.5), (0.6, 0.5)])
def test_many_normal_replicates_give_the_two_one_sided_z_tests(difference: float, margin: float) -> None:
    draws = difference + 0.2 * np.random.default_rng(1).normal(size=200_000)
    p_above = norm.sf((margin - difference) / 0.2)
    p_below = norm.sf((margin + difference) / 0.2)

    answer = equivalence(PairedResult(difference, draws=draws), margin, 0.05)

    assert answer.p_value == pytest.approx(max(p_above, p_below), abs=0.004)
    assert answer.low == pytest.approx(difference - 1.645 * 0.2, abs=0.01)
    assert answer.high == pytest.approx(difference + 1.645 * 0.2, abs=0.01)


def test_a_standard_error_gives_students_interval_at_one_minus_twice_the_level() -> None:
    result = result_by(StudentLaw(0.2, 5.0), 0.1, "two-sided", 0.95)
    answer = equivalence(result, 0.5, 0.05)
    assert (answer.low, answer.high) == pytest.approx(student.interval(0.9, 5, 0.1, 0.2))
    assert answer.p_value == pytest.approx(student.sf((0.5 - 0.1) / 0.2, 5))


def test_without_replicates_and_standard_error_nothing_is_claimed() -> None:
    answer = equivalence(PairedResult(0.1, p_value=0.3), 0.5, 0.05)
    assert np.isnan([answer.low, answer.high, answer.p_value]).all()


def test_where_nothing_varies_the_difference_itself_decides() -> None:
    equal = PairedResult(0.0, standard_error=0.0, low=0.0, high=0.0, p_value=1.0)
    answer = equivalence(equal, 0.1, 0.05)
    assert (answer.low, answer.high, answer.p_value) == (0.0, 0.0, 0.0)

    beyond_margin = PairedResult(0.3, standard_error=0.0)
    assert equivalence(beyond_margin, 0.1, 0.05).p_value == 1.0
