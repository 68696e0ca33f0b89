"""What share of people would agree with the differences that metrics see, beside the share that does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mteval.analysis.people.agreement import fit_of, human_agreement
from mteval.analysis.people.gold import Gold
from mteval.analysis.scoring import Scored

SHARES = ("metric", "curve", "n_pairs", "expected", "observed")


def shares_frame(claims: pd.DataFrame, gold: Gold, scored: Sequence[Scored]) -> pd.DataFrame:
    """For each metric that mt-thresholds knows: by the size of its differences, and by the judgements at hand.

    ``curve`` is what mt-thresholds calls the metric that it is of, ``expected`` the mean over pairs of the share of
    people who prefer the better system at such a difference, ``observed`` the share of pairs whose better system
    also has the higher mean judgement.

    Raises
    ------
    MissingDependencyError
        Where the package is not installed.
    """
    sides = {(one, other) for one, other in zip(gold.first["one"], gold.first["other"], strict=True)}
    metrics = {one.metric.key: one.metric for one in scored}
    rows = []
    for key, part in claims.groupby("metric", sort=False):
        pairs = part.drop_duplicates(["better", "worse"])
        judged = [
            (human_agreement(metrics[str(key)], row["improvement"]), (row["better"], row["worse"]) in sides)
            for row in pairs.to_dict("records")
            if {(row["better"], row["worse"]), (row["worse"], row["better"])} & sides
        ]
        known = [(share, agrees) for share, agrees in judged if share is not None]
        fit = fit_of(metrics[str(key)])
        if known and fit is not None:
            expected, observed = np.mean(np.array(known, dtype=float), axis=0)
            rows.append((key, fit.name, len(known), expected, observed))
    return pd.DataFrame(rows, columns=list(SHARES))
