"""Laws of two-way tests in a family: which systems count, and what they borrow."""

import numpy as np
import pytest

from mteval.stats.crossed_layout import Components, family_laws

LAW = Components((0.04, 0.01), 0.02, (0.001, 0.001), (3, 3, 100))


def test_a_refused_test_adds_no_system_to_its_family() -> None:
    """Only a and b have a spread over runs, and a family of two systems has no law of its own."""
    assert family_laws([LAW, None], [("a", "b"), (("a", "c"),)], 0.95) == [None, None]
    assert family_laws([None, None], [(("a", "b"),), (("a", "c"),)], 0.95) == [None, None]


def test_a_fixed_baseline_counts_as_a_system_without_a_spread() -> None:
    against_fixed = Components((0.01,), 0.02, (0.001,), (3, 100))
    wider = Components((0.04,), 0.02, (0.001,), (3, 100))
    assert family_laws([against_fixed], [(("a", "b"),)], 0.95) == [None]
    laws = family_laws([against_fixed, wider], [(("a", "b"),), (("a", "c"),)], 0.95)
    # Standard deviations over runs: the root of the variance of the mean times three runs
    mean_spread = (np.sqrt(0.03) + np.sqrt(0.12)) / 2
    for own, law in zip((against_fixed, wider), laws, strict=True):
        assert law is not None
        assert law.reach(0.05) == pytest.approx(own.in_family(mean_spread).reach(0.05))
