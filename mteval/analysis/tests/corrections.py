"""Several comparisons at once: which correction a family of tests gets, and what the family is."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from mteval.analysis.comparison import Outcome
from mteval.errors import SettingsError
from mteval.stats import ProcedureSpec
from mteval.stats.base import FloatArray
from mteval.stats.multiplicity import benjamini_hochberg, bonferroni, holm, max_t

CORRECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "holm": "Holm",
        "bonferroni": "Bonferroni",
        "benjamini-hochberg": "Benjamini-Hochberg",
        "max-t": "max-T over shared shuffles",
        "none": "none",
    }
)


def multiplies(correction: str) -> bool:
    """Whether a correction multiplies p-values, so that the smallest it can give grows with the family."""
    return correction not in ("max-t", "none")


def corrections_for(spec: ProcedureSpec) -> tuple[str, ...]:
    """Keys of ``CORRECTIONS`` that serve a procedure, the usual one first.

    That is max-T where it can be had, since it needs fewer shuffles for small p-values than the others.
    """
    others = tuple(key for key in CORRECTIONS if key != "max-t")
    return ("max-t", *others) if spec.shares_null else others


def adjusted(family: Sequence[Outcome], correction: str, n_mirrored: int = 0) -> FloatArray:
    """P-values of a family of tests by one procedure, adjusted for their number.

    Parameters
    ----------
    correction
        A key of ``CORRECTIONS``. ``max-t`` is two-sided over the comparisons, which for one-sided tests is the same as
        over the comparisons in both directions; it needs draws that all comparisons share, and is NaN without.
    n_mirrored
        Number of one-sided comparisons that belong to the family but were not computed, because the score is on the
        other side: their p-values are above one half.

    Returns
    -------
    Shape ``(family,)``; NaN where a test could not answer.

    Raises
    ------
    SettingsError
        On an unknown correction.
    """
    if correction not in CORRECTIONS:
        raise SettingsError(f"There is no correction '{correction}'; there are: {', '.join(CORRECTIONS)}.")
    p_values = np.array([outcome.result.p_value for outcome in family])
    if correction == "none":
        return p_values
    if correction == "max-t":
        return _max_t(family)
    adjust = {"holm": holm, "bonferroni": bonferroni, "benjamini-hochberg": benjamini_hochberg}[correction]
    mirrored = np.ones(n_mirrored)
    return adjust(np.concatenate([p_values, mirrored]))[: len(p_values)]


def _max_t(family: Sequence[Outcome]) -> FloatArray:
    """Over the members that have draws under the null hypothesis, all from the same units."""
    p_adjusted = np.full(len(family), np.nan)
    nulls = {place: outcome.result.null for place, outcome in enumerate(family) if outcome.result.null is not None}
    if nulls and all(outcome.case.question.spec.shares_null for outcome in family):
        places = list(nulls)
        differences = [family[place].result.statistic for place in places]
        p_adjusted[places] = max_t(differences, np.stack([nulls[place] for place in places]))
    return p_adjusted
