"""Differences that people see, made more precise by metrics' scores of all segments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mteval.analysis.people.judgements import PROBABILITY, HumanScores
from mteval.analysis.scoring import Scored
from mteval.base.errors import DataError
from mteval.stats.assisted import assisted_mean
from mteval.stats.multiplicity import holm
from mteval.values.settings import Settings

ASSISTED = (
    "system", "against", "n_segments", "n_all", "n_units", "unit", "plain", "difference", "low", "high", "p_value",
    "p_adjusted", "saved", "n_saved",
)  # fmt: skip


def assisted_frame(
    frame: pd.DataFrame, scale: str, against: str, scored: Sequence[Scored], settings: Settings
) -> pd.DataFrame:
    """Return each system's difference to one system, assisted by all metrics, with the columns ``ASSISTED``.

    ``saved`` is the share of error variance that metrics remove, ``n_saved`` the number of segments that need not be
    judged for the precision of the plain difference.

    Parameters
    ----------
    frame
        Prepared judgements of segments that were drawn with equal probability.
    scored
        Metrics on the judged test set.

    Raises
    ------
    DataError
        If segments were drawn with unequal probabilities, no metric scored all segments, or nothing can be compared.
    """
    if PROBABILITY in frame and frame[PROBABILITY].nunique() > 1:
        raise DataError("These segments were drawn with unequal probabilities. Metrics can assist random samples only.")
    if not scored:
        raise DataError("No metric can assist. Load the judged outputs or their scores.")
    test_set = scored[0].test_set
    human = HumanScores.of(frame, scale, test_set)
    if against not in human.systems:
        raise DataError(f"No judgements of '{against}'. Judged systems: {', '.join(human.systems)}.")
    is_by_document = settings.exchange_unit != "segment" and test_set.documents is not None
    names = np.array(test_set.documents if is_by_document else range(test_set.n_segments), dtype=object)
    units, rows = np.unique(names, return_inverse=True)[1], []
    for system in human.systems:
        if system == against:
            continue
        gains = human.values[human.systems.index(system)] - human.values[human.systems.index(against)]
        metrics = [
            one.scorer.segment_score(one.statistics[system]).mean(axis=0)
            - one.scorer.segment_score(one.statistics[against]).mean(axis=0)
            for one in scored
            if {system, against} <= set(one.statistics)
        ]
        whole = np.array([one for one in metrics if not np.isnan(one).any()])
        places = np.flatnonzero(~np.isnan(gains))
        if not whole.size or not len(places):
            continue
        found = assisted_mean(gains[places], whole, places, units, settings.confidence)
        n_saved = round(found.saved * len(places)) if found.saved == found.saved else 0
        sizes = len(places), test_set.n_segments, len(np.unique(units[places]))
        values = found.plain, found.mean, found.low, found.high, found.p_value, np.nan, found.saved, n_saved
        rows.append((system, against, *sizes, "document" if is_by_document else "segment", *values))
    if not rows:
        raise DataError(f"No system was judged on the same segments as '{against}' and scored by a metric everywhere.")
    assisted = pd.DataFrame(rows, columns=list(ASSISTED))
    return assisted.assign(p_adjusted=holm(assisted["p_value"]))
