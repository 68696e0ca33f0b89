"""Do raters agree? Krippendorff's alpha of their shared outputs, and Cohen's kappa of pairs of raters.

Alpha is raw and standardised by rater. A more severe rater disagrees raw, but may agree once standardised.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd

from mteval.analysis.people.judgements import PREFERENCE, asked, standardised, without_repeats
from mteval.base.arrays import FloatArray

AGREEMENT = (
    "scale",
    "one",
    "other",
    "n_raters",
    "n_outputs",
    "alpha_raw",
    "alpha_standardised",
    "pearson",
    "kappa",
)
ALL = "all"  # stands for the first rater of a pair
Level = Literal["interval", "ordinal"]  # of measurement
BINS = 5


def rater_agreement_frame(frame: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Return one row for all raters together, then one per pair of raters with shared outputs.

    ``kappa`` is Cohen's kappa of a pair on raw judgements in up to five bins, as ``binned``.

    Parameters
    ----------
    frame
        Raw judgements, with the columns ``JUDGED``; standardised over all judgements of a rater.
    """
    judged = asked(frame)  # each distinct output once
    raw = judged[judged["scale"] == scale]
    level: Level = "interval"
    if scale == PREFERENCE:
        level = "ordinal"
        if raw["system"].nunique() == 2:
            # The other system has the complement; a scale of a file may have more systems
            raw = raw[raw["system"] == raw["system"].iloc[0]]
    raw_table = _by_rater(without_repeats(raw))
    standardised_table = _by_rater(without_repeats(standardised(raw)))
    standardised_table = standardised_table.reindex(index=raw_table.index, columns=raw_table.columns)
    rows = [_agreement_of_all(raw_table, standardised_table, level)]
    rows += _agreement_of_pairs(raw_table, standardised_table, level)
    return pd.DataFrame(rows, columns=list(AGREEMENT)).assign(scale=scale)


def alpha_of(data: FloatArray, level: Level = "interval") -> float:
    """Return Krippendorff's alpha of an array of shape ``(raters, outputs)``, NaN for missing judgements.

    From -1 to 1; 0 is chance. NaN if nothing varies.
    """
    import krippendorff

    shared = data[:, (~np.isnan(data)).sum(axis=0) > 1]
    judgements = shared[~np.isnan(shared)]
    if len(judgements) == 0 or np.ptp(judgements) == 0:
        return float("nan")
    return float(krippendorff.alpha(reliability_data=shared, level_of_measurement=level))


def _by_rater(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a table of raters and outputs."""
    return rows.pivot(index="annotator", columns=["system", "segment"], values="value")


def _agreement_of_all(raw: pd.DataFrame, standard: pd.DataFrame, level: Level) -> dict[str, Any]:
    """Return the row of all raters together, without ``scale``."""
    values = raw.to_numpy(float)
    is_judged = ~np.isnan(values)
    is_shared = is_judged.sum(axis=0) > 1
    has_shared = is_judged[:, is_shared].any(axis=1)  # of each rater
    return {
        "one": ALL,
        "other": "",
        "n_raters": int(has_shared.sum()),
        "n_outputs": int(is_shared.sum()),
        "alpha_raw": alpha_of(values, level),
        "alpha_standardised": alpha_of(standard.to_numpy(float)),
        "pearson": float("nan"),
        "kappa": float("nan"),
    }


def _agreement_of_pairs(raw: pd.DataFrame, standard: pd.DataFrame, level: Level) -> list[dict[str, Any]]:
    """Return one row per pair of raters with shared outputs, without ``scale``."""
    values = raw.to_numpy(float)
    standardised_values = standard.to_numpy(float)
    bins = binned(values)
    rows = []
    for first, second in combinations(range(len(raw)), 2):
        is_shared = ~np.isnan(values[[first, second]]).any(axis=0)
        if not is_shared.any():
            continue
        first_values = values[first, is_shared]
        second_values = values[second, is_shared]
        pearson = float("nan")
        if np.ptp(first_values) > 0 and np.ptp(second_values) > 0:
            pearson = float(np.corrcoef(first_values, second_values)[0, 1])
        row = {
            "one": raw.index[first],
            "other": raw.index[second],
            "n_raters": 2,
            "n_outputs": int(is_shared.sum()),
            "alpha_raw": alpha_of(values[[first, second]], level),
            "alpha_standardised": alpha_of(standardised_values[[first, second]]),
            "pearson": pearson,
            "kappa": _kappa(bins[first, is_shared], bins[second, is_shared]),
        }
        rows.append(row)
    return rows


def binned(values: FloatArray) -> FloatArray:
    """Return the bin of each value, NaN for NaN: the values themselves, or fifths if there are more than five.

    The fifths hold about equally many values; equal values share a bin.
    """
    known = values[~np.isnan(values)]
    if len(np.unique(known)) <= BINS:
        return values
    shares = np.arange(1, BINS) / BINS
    edges = np.unique(np.quantile(known, shares, method="higher"))
    bins = np.searchsorted(edges, values, side="right")
    return np.where(np.isnan(values), np.nan, bins)


def _kappa(first: FloatArray, second: FloatArray) -> float:
    """Return Cohen's kappa of two raters' bins; NaN if chance alone would make them agree."""
    bins = np.unique([first, second])
    # The share of outputs that each rater put into each bin. By chance, both choose a bin as often as the product of
    # their shares.
    first_shares = (first[:, np.newaxis] == bins).mean(axis=0)
    second_shares = (second[:, np.newaxis] == bins).mean(axis=0)
    chance = float(first_shares @ second_shares)
    if chance >= 1:
        return float("nan")
    observed = float((first == second).mean())
    return (observed - chance) / (1 - chance)
