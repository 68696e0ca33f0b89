"""Raters as the third luck: would other raters, on other segments, say so too? And do raters agree?

The question stands beside that of test-set luck and that of training luck. It is answered from outputs that all of
three or more raters judged; with two the answer is provisional, with one it is refused. Agreement is Krippendorff's
alpha on the outputs that raters share, raw and standardised by rater: one who is more severe, or uses less of the
scale, disagrees raw and may agree once that is taken out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.people.judgements import standardised, without_repeats
from mteval.base.arrays import FloatArray
from mteval.base.errors import DataError
from mteval.stats.crossed_layout import CrossedGains
from mteval.stats.multiplicity import holm_within
from mteval.values.settings import Settings
from mteval.values.verdict import MANY_SYSTEMS, answer_at

RATERS = (
    "scale", "form", "unit", "one", "other", "n_raters", "n_segments", "n_units", "n_left_out", "difference", "low",
    "high", "p_segments", "p_value", "p_adjusted", "answer", "raters", "segments", "pairs", "own_raters",
    "own_segments", "together", "note",
)  # fmt: skip
RAW, STANDARDISED = "raw", "standardised"
SOURCES = {"own_raters": "raters", "own_segments": "test set", "together": "raters × test set"}
FEWEST_RATERS = 3  # for an answer that is not provisional


@dataclass(frozen=True)
class Judged:
    """Who said what on one scale, without repeats.

    Parameters
    ----------
    values
        Shape ``(raters, systems, segments)``; NaN where a rater did not judge.
    documents
        Of the segments; None where nobody says.
    """

    raters: tuple[str, ...]
    systems: tuple[str, ...]
    documents: tuple[str | None, ...]
    values: FloatArray

    @classmethod
    def of(cls, rows: pd.DataFrame) -> Judged:
        """From judgements on one scale, with the columns ``JUDGED``."""
        (rater, raters), (system, systems), (segment, segments) = (
            pd.factorize(rows[name]) for name in ("annotator", "system", "segment")
        )
        values = np.full((len(raters), len(systems), len(segments)), np.nan)
        values[rater, system, segment] = rows["value"]
        known = rows.drop_duplicates("segment").set_index("segment")["document"]
        documents = tuple(one if isinstance(one, str) else None for one in known[segments])
        return cls(tuple(map(str, raters)), tuple(map(str, systems)), documents, values)

    def panel(self, one: str, other: str) -> Panel:
        """The raters and segments that say most about a pair of systems.

        Of all sets of raters who judged a segment in both outputs: one with three raters or more if there is such a set
        on two segments, else with two; among those the one with most judgements.
        """
        first, second = (self.systems.index(system) for system in (one, other))
        gains = self.values[:, first] - self.values[:, second]
        is_judged = ~np.isnan(gains)
        raters, places = _largest(is_judged)
        documents = tuple(self.documents[place] for place in places)
        return Panel(
            gains[np.ix_(raters, places)],
            tuple(self.raters[index] for index in raters),
            None if None in documents else documents,
            int(is_judged.any(axis=0).sum()) - len(places),
        )


@dataclass(frozen=True)
class Panel:
    """Gains of one system over another by raters who all judged the same outputs.

    Parameters
    ----------
    gains
        Shape ``(raters, segments)``.
    documents
        Of the segments; None where not all have one.
    n_left_out
        Segments judged in both outputs by some of the raters, or by others, that take no part.
    """

    gains: FloatArray
    raters: tuple[str, ...]
    documents: tuple[str | None, ...] | None
    n_left_out: int


def raters_frame(
    frame: pd.DataFrame,
    scale: str,
    settings: Settings,
    baseline: str | None = None,
    units: Sequence[str] = ("segment",),
) -> pd.DataFrame:
    """One row a pair of systems, form of the judgements (raw, standardised) and unit; ``one`` has the higher mean.

    ``p_segments`` takes the raters as given, ``p_value`` the answer to the third question; ``raters``, ``segments`` and
    ``pairs`` are the components of its variance, ``own_raters``, ``own_segments`` and ``together`` the parts that add
    up to it.

    Parameters
    ----------
    frame
        Judgements as they were given, with the columns ``JUDGED``.
    baseline
        Compare the others with this system; all pairs without.

    Raises
    ------
    DataError
        Where the baseline was not judged, or there is one system only.
    """
    raw = frame[frame["scale"] == scale]
    systems = list(dict.fromkeys(raw["system"]))
    if baseline is not None and baseline not in systems:
        raise DataError(f"Nobody judged '{baseline}'; there are: {', '.join(systems)}.")
    if len(systems) < 2:
        raise DataError(f"{len(systems)} system was judged by '{scale}'; two are needed for a comparison.")
    pairs = list(combinations(systems, 2)) if baseline is None else [(s, baseline) for s in systems if s != baseline]
    forms = {RAW: Judged.of(without_repeats(raw)), STANDARDISED: Judged.of(without_repeats(standardised(raw)))}
    rows = [
        (scale, form, unit, *row)
        for form, judged in forms.items()
        for unit in units
        for row in _rows(judged, pairs, unit, settings)
    ]
    found = pd.DataFrame(rows, columns=[name for name in RATERS if name not in ("p_adjusted", "answer")])
    families = list(zip(found["form"], found["unit"], strict=True))  # all pairs of one
    adjusted = holm_within(families, found["p_value"].to_numpy())
    answers = [answer_at(p, 1 - settings.confidence) for p in adjusted.tolist()]
    return found.assign(p_adjusted=adjusted, answer=answers)[list(RATERS)]


def rater_variance(raters: pd.DataFrame) -> pd.DataFrame:
    """Where the variance of each answered difference comes from: ``what, source, variance, share``, three rows a pair.

    ``what`` names both systems, or the second alone where the first is one and the same.

    Parameters
    ----------
    raters
        Of one form and unit, with the columns ``RATERS``.
    """
    is_one = raters["one"].nunique() == 1
    rows = [
        (row["other"] if is_one else f"{row['one']} − {row['other']}", said, row[name], row[name] / total)
        for row in raters.to_dict("records")
        for total in [sum(row[source] for source in SOURCES)]
        if total > 0
        for name, said in SOURCES.items()
    ]
    return pd.DataFrame(rows, columns=["what", "source", "variance", "share"])


def usual_baseline(frame: pd.DataFrame, scale: str) -> str | None:
    """The system that others are compared with where all pairs would be too many: the one that was judged best."""
    means = frame[frame["scale"] == scale].groupby("system")["value"].mean()
    return str(means.idxmax()) if len(means) > MANY_SYSTEMS else None


def _largest(judged: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Of a table of who judged what, ``(raters, segments)``, the raters and segments of the panel."""
    best: tuple[tuple[bool, bool, int], npt.NDArray[np.bool_]] = ((False, False, 0), np.zeros(len(judged), dtype=bool))
    for column in np.unique(judged.T, axis=0):
        n = int(judged[column].all(axis=0).sum()) if column.any() else 0
        size = int(column.sum())
        worth = (size >= FEWEST_RATERS and n > 1, size > 1 and n > 1, size * n)
        best = max(best, (worth, column), key=lambda pair: pair[0])
    chosen = np.flatnonzero(best[1])
    return chosen, np.flatnonzero(judged[chosen].all(axis=0)) if len(chosen) else chosen


def _rows(
    judged: Judged, pairs: Sequence[tuple[str, str]], unit: str, settings: Settings
) -> Iterator[tuple[object, ...]]:
    """From ``one`` on, without ``p_adjusted`` and ``answer``."""
    for one, other in pairs:
        if one not in judged.systems or other not in judged.systems:
            continue  # all that was said of it came from raters who always say the same
        panel = judged.panel(one, other)
        if panel.gains.size and panel.gains.mean() < 0:
            one, other, panel = other, one, replace(panel, gains=-panel.gains)
        if unit == "document" and panel.documents is None:
            continue
        crossed = CrossedGains.of(panel.gains, panel.documents if unit == "document" else None)
        others = crossed.other_raters("two-sided", settings.confidence)
        these = crossed.these_raters("two-sided", settings.confidence)
        components = None if crossed.refusal else crossed.components
        parts = (float("nan"),) * 6
        if components:
            parts = (components.runs[0], components.segments, components.pairs[0], *components.parts)
        sizes = (len(panel.raters), panel.gains.shape[1], crossed.values.shape[1], panel.n_left_out)
        numbers = crossed.difference, others.low, others.high, these.p_value, others.p_value
        yield one, other, *sizes, *numbers, *parts, settings.runs.filled(others.note)


RATER_AGREEMENT = ("scale", "one", "other", "n_raters", "n_outputs", "alpha_raw", "alpha_standardised", "pearson")
ALL = "all"  # in the place of the first rater of a pair
Level = Literal["interval", "ordinal"]  # of measurement


def rater_agreement_frame(frame: pd.DataFrame, scale: str) -> pd.DataFrame:
    """One row for all raters together, then one a pair of raters with outputs in common.

    Parameters
    ----------
    frame
        Judgements as they were given, with the columns ``JUDGED``; standardised by all that a rater gave.
    """
    raw = frame[frame["scale"] == scale]
    tables = [_by_rater(without_repeats(raw)), _by_rater(without_repeats(standardised(raw)))]
    rows = list(_agreement_rows(tables[0], tables[1].reindex(index=tables[0].index, columns=tables[0].columns)))
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


def _by_rater(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.pivot(index="annotator", columns=["system", "segment"], values="value")


def _agreement_rows(raw: pd.DataFrame, standard: pd.DataFrame) -> Iterator[tuple[object, ...]]:
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
