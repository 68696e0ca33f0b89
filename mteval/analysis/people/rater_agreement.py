"""Do raters agree? Krippendorff's alpha on the outputs that they share, raw and standardised by rater.

A rater who is more severe, or uses less of the scale, disagrees raw and may agree once that is taken out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.people.judged_values import standardised, without_repeats

RATER_AGREEMENT = ("scale", "one", "other", "n_raters", "n_outputs", "alpha_raw", "alpha_standardised", "pearson")
ALL = "all"  # in the place of the first rater of a pair
FloatArray = npt.NDArray[np.float64]
Level = Literal["interval", "ordinal"]  # of measurement


def rater_agreement_frame(frame: pd.DataFrame, scale: str) -> pd.DataFrame:
    """One row for all raters together, then one a pair of raters with outputs in common.

    Parameters
    ----------
    frame
        Judgements as they were given, with the columns ``JUDGED``; standardised by all that a rater gave.
    """
    raw = frame[frame["scale"] == scale]
    tables = [_table(without_repeats(raw)), _table(without_repeats(standardised(raw)))]
    rows = list(_rows(tables[0], tables[1].reindex(index=tables[0].index, columns=tables[0].columns)))
    return pd.DataFrame([(scale, *row) for row in rows], columns=list(RATER_AGREEMENT))


def alpha_of(data: FloatArray, level: Level = "interval") -> float:
    """Krippendorff's alpha.

    Shape ``(raters, outputs)``, NaN where a rater did not judge; from -1 to 1, 0 is chance, NaN where nothing varies.
    """
    import krippendorff

    shared = data[:, (~np.isnan(data)).sum(axis=0) > 1]
    found = shared[~np.isnan(shared)]
    if not len(found) or np.ptp(found) == 0:
        return float("nan")
    return float(krippendorff.alpha(reliability_data=shared, level_of_measurement=level))


def _table(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.pivot(index="annotator", columns=["system", "segment"], values="value")


def _rows(raw: pd.DataFrame, standard: pd.DataFrame) -> Iterator[tuple[object, ...]]:
    """From ``one`` on."""
    values, ours = raw.to_numpy(float), standard.to_numpy(float)
    shared = (~np.isnan(values)).sum(axis=0) > 1
    n_raters = int((~np.isnan(values[:, shared])).any(axis=1).sum())
    yield ALL, "", n_raters, int(shared.sum()), alpha_of(values), alpha_of(ours), float("nan")
    for (i, one), (j, other) in combinations(enumerate(raw.index), 2):
        both = ~np.isnan(values[[i, j]]).any(axis=0)
        if both.any():
            x, y = values[i, both], values[j, both]
            varies = len(x) > 1 and np.ptp(x) > 0 and np.ptp(y) > 0
            pearson = float(np.corrcoef(x, y)[0, 1]) if varies else float("nan")
            alphas = alpha_of(values[[i, j]]), alpha_of(ours[[i, j]])
            yield one, other, 2, int(both.sum()), *alphas, pearson
