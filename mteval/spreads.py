"""How much the scores of a system spread, and its difference from the baseline: from which sources, on which sets."""

from dataclasses import dataclass

from mteval.notation import Notation


@dataclass(frozen=True)
class Spreads:
    """Of one system by one metric on one test set, in points of the score.

    Parameters
    ----------
    unit
        Of the test set: ``segment`` or ``document``.
    s_dev, s_test
        Spread of the run scores on the tuning set and on the test set; NaN where one is unknown.
    p_larger
        Of the hypothesis that both are equal, for the same runs on both sets, adjusted by Holm for all that were tested
        (``n_tested``); NaN where it cannot be tested.
    error_test_set, error_runs
        Standard errors of the difference from the baseline: from the choice of the units, these runs taken as given,
        and from which runs were made, this test set taken as given. NaN where one is unknown.
    is_open
        Whether both kinds of luck together cannot be ruled out as the explanation of the difference.
    """

    metric: str
    metric_name: str
    notation: Notation
    baseline: str
    system: str
    unit: str
    s_dev: float
    s_test: float
    p_larger: float
    n_tested: int
    n_runs: int
    error_test_set: float
    error_runs: float
    is_open: bool
