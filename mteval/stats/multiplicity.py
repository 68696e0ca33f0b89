"""Adjusted p-values for several comparisons.

A NaN p-value belongs to a refused test: it is not part of the family and stays NaN.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy import special

from mteval.base.arrays import FloatArray
from mteval.stats.base import TOLERANCE

Nulls = FloatArray | Sequence[npt.ArrayLike]  # of a family; a large array of all takes long to fill


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Adjust by Holm (1979), which bounds the familywise error rate under any dependence.

    Parameters
    ----------
    p_values
        Shape ``(family,)``, each in 0 to 1 or NaN.

    Returns
    -------
    Same shape and range.
    """
    return _adjusted(p_values, lambda p: np.maximum.accumulate(p * np.arange(len(p), 0, -1)))


def holm_with_laws(p_values: npt.ArrayLike, p_family: npt.ArrayLike, n_mirrored: int = 0) -> FloatArray:
    """Adjust by Holm p-values from the laws of a family (``Components.in_family``), none below its own p-value.

    Parameters
    ----------
    p_values, p_family
        Of each test by itself, and by the family's law, shape ``(family,)`` each.
    n_mirrored
        Further tests of the family, whose p-values are near one.
    """
    own = np.asarray(p_values, dtype=np.float64)
    by_family = np.asarray(p_family, dtype=np.float64)
    with_mirrored = np.concatenate([by_family, np.ones(n_mirrored)])
    adjusted = np.fmax(holm(with_mirrored)[: len(own)], own)
    # A test's own p-value may exceed those of tests that come later by the family's law
    rising = np.argsort(by_family, kind="stable")
    adjusted[rising] = np.fmax.accumulate(adjusted[rising])
    adjusted[np.isnan(own)] = np.nan
    return adjusted


def holm_within(
    families: Sequence[Hashable], p_values: npt.ArrayLike, p_family: npt.ArrayLike | None = None
) -> FloatArray:
    """Adjust by Holm within each family; ``families`` has the family of each test, shape ``(tests,)``.

    ``p_family`` as in ``holm_with_laws``.
    """
    adjusted = np.array(p_values, dtype=np.float64)
    by_family = adjusted if p_family is None else np.asarray(p_family, dtype=np.float64)
    places: dict[Hashable, list[int]] = {}
    for place, family in enumerate(families):
        places.setdefault(family, []).append(place)
    for together in places.values():
        adjusted[together] = holm_with_laws(adjusted[together], by_family[together])
    return adjusted


def bonferroni(p_values: npt.ArrayLike) -> FloatArray:
    """Adjust by Bonferroni; less powerful than ``holm``, kept to reproduce published tables.

    Parameters and result are those of ``holm``.
    """
    return _adjusted(p_values, lambda p: p * len(p))


def benjamini_hochberg(p_values: npt.ArrayLike) -> FloatArray:
    """Adjust by Benjamini and Hochberg (1995), which bounds the false discovery rate.

    Valid for independent and positively dependent tests. Parameters and result are those of ``holm``.
    """

    def adjust(p: FloatArray) -> FloatArray:
        scaled = p * len(p) / np.arange(1, len(p) + 1)
        return np.minimum.accumulate(scaled[::-1])[::-1]

    return _adjusted(p_values, adjust)


def max_t(differences: npt.ArrayLike, nulls: Nulls) -> FloatArray:
    """Adjust two-sided tests by the maximum of each shuffle (Westfall and Young 1993, single step).

    Accounts for the dependence of comparisons without assuming normal scores.

    Parameters
    ----------
    differences
        Shape ``(family,)``.
    nulls
        Shape ``(family, n_resamples)``: null draws from the same shuffles for all members. Each is
        divided by its own standard deviation.

    Returns
    -------
    Shape ``(family,)``, from ``1 / (n_resamples + 1)`` to 1; 1 for a comparison of identical systems.
    """
    return _maxima(nulls).p_values(differences)


@dataclass
class Maxima:
    """The largest scaled draw of each shuffle over a family, kept up to date member by member; as in ``max_t``.

    Parameters
    ----------
    largest
        Shape ``(n_resamples,)``; empty before the first member.
    spreads
        Root mean square of each member's draws.
    """

    largest: FloatArray = field(default_factory=lambda: np.zeros(0))
    spreads: list[float] = field(default_factory=list)
    _scaled: FloatArray = field(default_factory=lambda: np.zeros(0), init=False, repr=False)

    def add(self, null: FloatArray) -> None:
        """Add a member's draws, shape ``(n_resamples,)``."""
        spread = float(np.sqrt(null @ null / len(null)))
        self.spreads.append(spread)
        if not len(self.largest):
            self.largest = np.zeros(len(null))
            self._scaled = np.empty(len(null))
        # In the same room for all members: new arrays would take half of the time
        np.abs(null, out=self._scaled)
        self._scaled /= spread if spread > 0 else 1.0
        np.maximum(self.largest, self._scaled, out=self.largest)

    @property
    def scales(self) -> FloatArray:
        """What draws are divided by, shape ``(family,)``."""
        spreads = np.array(self.spreads)
        return np.where(spreads > 0, spreads, 1.0)

    def p_values(self, differences: npt.ArrayLike) -> FloatArray:
        """Return the adjusted p-values of the members, shape ``(family,)``."""
        observed = np.abs(np.asarray(differences, dtype=np.float64)) / self.scales
        rising = np.sort(self.largest[~np.isnan(self.largest)])
        n_reached = len(rising) - np.searchsorted(rising, observed - TOLERANCE)
        return np.asarray((n_reached + 1) / (len(self.largest) + 1))


def max_t_step_down(differences: npt.ArrayLike, nulls: Nulls) -> FloatArray:
    """Adjust as ``max_t``, step by step: each test by the maximum over itself and those less extreme.

    Westfall and Young 1993, algorithm 4.1. Never above ``max_t``; without intervals.

    Returns
    -------
    Shape ``(family,)``, in the range of ``max_t``.
    """
    draws = np.abs(np.asarray(nulls, dtype=np.float64))
    scales = _maxima(nulls).scales
    observed = np.abs(np.asarray(differences, dtype=np.float64)) / scales

    # From the least extreme test on, the maximum of each shuffle over the tests so far
    adjusted = np.ones(len(observed))
    largest = np.zeros(draws.shape[1])
    rising = np.argsort(observed, kind="stable")
    for place in rising.tolist():
        largest = np.maximum(largest, draws[place] / scales[place])
        n_reached = (largest >= observed[place] - TOLERANCE).sum()
        adjusted[place] = (n_reached + 1) / (len(largest) + 1)

    # A less extreme test never has the smaller p
    falling = rising[::-1]
    adjusted[falling] = np.maximum.accumulate(adjusted[falling])
    return adjusted


def max_t_reach(differences: npt.ArrayLike, nulls: Nulls, shares: npt.ArrayLike, level: float) -> FloatArray:
    """Return half-widths of simultaneous intervals from the same shuffles.

    An interval holds the true differences that the shuffles would not reject, if each unit were shifted by them. The
    spread of shuffles contains the observed difference, which such a shift takes away. The distribution divided by its
    spread is taken to stay the same. An interval excludes zero exactly when ``max_t`` is at or below the level.

    Parameters
    ----------
    differences, nulls
        As in ``max_t``.
    shares
        ``PairedResult.own_share``, shape ``(family,)``.

    Returns
    -------
    Shape ``(family,)``; zero for identical systems, and NaN if there are too few units or shuffles for the level.
    """
    maxima = _maxima(nulls)
    largest = maxima.largest
    spreads = np.array(maxima.spreads)
    own_shares = np.asarray(shares, dtype=np.float64)
    observed = np.abs(np.asarray(differences, dtype=np.float64))

    # The largest maximum that is not rejected, in spreads
    n_beyond = int(np.floor(level * (len(largest) + 1) + TOLERANCE)) - 1
    critical = float("nan")
    if n_beyond >= 0:
        place = len(largest) - 1 - n_beyond  # from the smallest
        critical = float(np.partition(largest, place)[place])

    # The smallest difference that is rejected: a tie with the critical value is. The observed difference is part of its
    # own spread, so its share is subtracted.
    smallest = (critical + TOLERANCE) * spreads
    ratios = np.divide(smallest, observed, out=np.zeros_like(smallest), where=observed > 0)
    rest = 1 - (1 - own_shares) * ratios**2
    reach = smallest * np.sqrt(np.divide(own_shares, rest, out=np.full_like(rest, np.nan), where=rest > 0))
    return np.where(spreads > 0, reach, 0.0)


def _maxima(nulls: Nulls) -> Maxima:
    """Return the maxima over a family, from draws ``(family, n_resamples)``."""
    maxima = Maxima()
    for null in nulls:
        maxima.add(np.asarray(null, dtype=np.float64))
    return maxima


def tukey(t: npt.ArrayLike, df: npt.ArrayLike, n_systems: int) -> FloatArray:
    """Adjust two-sided tests of all pairs by the studentized range (Tukey 1953; Games and Howell 1976).

    Each pair has its own standard error and degrees of freedom, so variances may differ.

    Parameters
    ----------
    t, df
        Differences over standard errors, and degrees of freedom, shape ``(pairs,)``; NaN stays NaN.
    n_systems
        Number of systems.
    """
    from scipy.stats import studentized_range  # here, because it takes most of a second to import

    return np.asarray(studentized_range.sf(np.sqrt(2) * np.abs(t), n_systems, df), dtype=np.float64)


def scheffe(t: npt.ArrayLike, df: npt.ArrayLike, n_systems: int) -> FloatArray:
    """Adjust two-sided tests by the F distribution (Scheffé 1953; Brown and Forsythe 1974 for unequal variances).

    Covers every contrast of the systems, not only their pairs, so it is more cautious than ``tukey`` if there are more
    than two. Parameters and result are those of ``tukey``.
    """
    # Scheffé's test divides the square of t by the degrees of freedom between systems
    between = n_systems - 1
    squares = np.square(np.asarray(t, dtype=np.float64))
    freedom = np.asarray(df, dtype=np.float64)
    by_f = special.fdtrc(between, freedom, squares / between)
    by_chi_square = special.chdtrc(between, squares)  # the limit, if a variance is known
    return np.asarray(np.where(np.isinf(freedom), by_chi_square, by_f), dtype=np.float64)


def _adjusted(p_values: npt.ArrayLike, adjust: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Apply ``adjust`` to the sorted p-values without NaN, and limit the result to 1."""
    adjusted = np.array(p_values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(adjusted))
    rising = known[np.argsort(adjusted[known], kind="stable")]
    adjusted[rising] = np.minimum(adjust(adjusted[rising]), 1.0)
    return adjusted
