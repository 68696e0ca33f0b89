"""Rater luck: would other raters, on other segments, find the same difference? And do raters agree?

If each rater judged each of several runs of both systems, the answer covers other runs, too.

The answer uses outputs that at least three raters all judged. With two raters it is provisional, with one there is
none. Agreement is Krippendorff's alpha on shared outputs, raw and standardised by rater. A more severe rater disagrees
raw, but may agree once standardised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.people.judgements import PREFERENCE, standardised, without_repeats
from mteval.base.arrays import FloatArray
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.stats.base import at_least
from mteval.stats.crossed_layout import CrossedGains, family_laws
from mteval.stats.multiplicity import holm_within
from mteval.stats.rated_runs import RatedRuns
from mteval.stats.units import uneven_note
from mteval.values.settings import Settings
from mteval.values.verdict import MANY_SYSTEMS, answer_at

RATERS = (
    "scale", "form", "unit", "one", "other", "n_raters", "n_segments", "n_units", "n_left_out", "difference", "low",
    "high", "p_segments", "p_value", "p_adjusted", "answer", "raters", "segments", "pairs", "own_raters",
    "own_segments", "together", "note", "n_runs", "own_runs",
)  # fmt: skip
RAW, STANDARDISED = "raw", "standardised"
SOURCES = {"own_raters": "raters", "own_segments": "test set", "own_runs": "runs", "together": "interactions"}


@dataclass(frozen=True)
class Judged:
    """Judgements on one scale, without repeats.

    Parameters
    ----------
    values
        Mean over runs, shape ``(raters, systems, segments)``; NaN for missing judgements.
    by_run
        Of each system, shape ``(runs, raters, segments)``.
    documents
        Of the segments; None if unknown.
    """

    raters: tuple[str, ...]
    systems: tuple[str, ...]
    documents: tuple[str | None, ...]
    values: FloatArray
    by_run: tuple[FloatArray, ...]

    @classmethod
    def of(cls, judged: pd.DataFrame) -> Judged:
        """Build from judgements on one scale, with the columns ``JUDGED``."""
        rows = without_repeats(judged)
        codes = (pd.factorize(rows[name]) for name in ("annotator", "system", "segment"))
        (rater, raters), (system, systems), (segment, segments) = codes
        values = np.full((len(raters), len(systems), len(segments)), np.nan)
        values[rater, system, segment] = rows["value"]
        known = rows.drop_duplicates("segment").set_index("segment")["document"]
        documents = tuple(one if isinstance(one, str) else None for one in known[segments])
        by_run = []
        for name in systems:
            own = judged[judged["system"] == name]
            table = own.pivot_table(index=["run", "annotator"], columns="segment", values="value")
            every = pd.MultiIndex.from_product([own["run"].unique(), raters])
            of_runs = table.reindex(index=every, columns=segments).to_numpy(float)
            by_run.append(of_runs.reshape(-1, len(raters), len(segments)))
        return cls(tuple(map(str, raters)), tuple(map(str, systems)), documents, values, tuple(by_run))

    def panel(self, one: str, other: str) -> Panel:
        """Return the most informative raters and segments for a pair of systems.

        Considers all sets of raters who judged a segment in both outputs. Prefers at least three raters with two
        segments, then two raters; among these, the most judgements.
        """
        first, second = (self.systems.index(system) for system in (one, other))
        gains, sides = self.values[:, first] - self.values[:, second], (self.by_run[second], self.by_run[first])
        is_judged, has_runs = ~np.isnan(gains), min(map(len, sides)) > 1
        complete = is_judged & ~np.isnan(np.concatenate(sides)).any(axis=0)  # each rater judged each run
        raters, places = _largest(complete if has_runs else is_judged)
        if has_runs and min(len(raters), len(places)) < 2:
            has_runs, (raters, places) = False, _largest(is_judged)
        documents = tuple(self.documents[place] for place in places)
        names = tuple(self.raters[rater] for rater in raters)
        n_left_out = int(is_judged.any(axis=0).sum()) - len(places)
        by_run = tuple(side[:, raters][..., places] for side in sides) if has_runs else ()
        known = None if None in documents else documents
        return Panel(gains[np.ix_(raters, places)], names, known, n_left_out, by_run)


@dataclass(frozen=True)
class Panel:
    """Gains of one system over another by raters who all judged the same outputs.

    Parameters
    ----------
    gains
        Shape ``(raters, segments)``.
    documents
        Of the segments; None unless all have one.
    n_left_out
        Segments judged in both outputs that are not part of the panel.
    by_run
        Judgements of both systems, the subtracted one first, shape ``(runs, raters, segments)``; empty unless each of
        these raters judged each of several runs of both.
    """

    gains: FloatArray
    raters: tuple[str, ...]
    documents: tuple[str | None, ...] | None
    n_left_out: int
    by_run: tuple[FloatArray, ...] = ()


def raters_frame(
    frame: pd.DataFrame, scale: str, settings: Settings, baseline: str | None = None,
    units: Sequence[str] = ("segment",), judge: str = "",
) -> pd.DataFrame:  # fmt: skip
    """Test differences over raters, one row per pair of systems, form (raw, standardised) and unit.

    ``one`` has the higher mean. ``p_segments`` takes the raters as given; ``p_value`` also accounts for other raters.
    ``raters``, ``segments`` and ``pairs`` are the variance components, and ``own_raters``, ``own_segments`` and
    ``together`` the parts of the variance.

    Parameters
    ----------
    frame
        Raw judgements, with the columns ``JUDGED``.
    baseline
        Compare the others with this system; None for all pairs.
    judge
        As in ``as_judges``.

    Raises
    ------
    DataError
        If the baseline was not judged, or there is only one system.
    """
    raw = frame[frame["scale"] == scale]
    systems = list(dict.fromkeys(raw["system"]))
    if baseline is not None and baseline not in systems:
        raise DataError(f"No judgements of '{baseline}'. Judged systems: {', '.join(systems)}.")
    if len(systems) < 2:
        raise DataError(f"{counted(len(systems), 'system')} judged on the scale '{scale}'; a comparison needs two.")
    pairs = list(combinations(systems, 2)) if baseline is None else [(s, baseline) for s in systems if s != baseline]
    forms = {RAW: Judged.of(as_judges(raw, judge)), STANDARDISED: Judged.of(as_judges(standardised(raw), judge))}
    asked = product(forms.items(), units)
    rows = [(scale, form, unit, *row) for (form, judged), unit in asked for row in _rows(judged, pairs, unit, settings)]
    columns = [name for name in RATERS if name not in ("p_adjusted", "answer")]
    found = pd.DataFrame(rows, columns=[*columns, "p_family"])
    families = list(zip(found["form"], found["unit"], strict=True))  # Holm over the pairs of each
    adjusted = holm_within(families, found["p_value"].to_numpy(), found["p_family"].to_numpy())
    answers = [answer_at(p, 1 - settings.confidence) for p in adjusted.tolist()]
    return found.assign(p_adjusted=adjusted, answer=answers)[list(RATERS)]


def as_judges(frame: pd.DataFrame, pattern: str) -> pd.DataFrame:
    """Count raters with the same part of their name as one judge, e.g. prompts of one model.

    Parameters
    ----------
    pattern
        Regular expression; the part is its first group, or what it matches. Other raters stay as they are.
    """
    if not pattern:
        return frame

    def judge(name: str) -> str:
        found = re.search(pattern, name)
        return name if found is None else found[min(1, len(found.groups()))] or name

    return frame.assign(annotator=frame["annotator"].map(judge))


def rater_variance(raters: pd.DataFrame) -> pd.DataFrame:
    """Return the sources of variance of each answered difference, three rows per pair.

    Columns are ``what, source, variance, share``. ``what`` names both systems, or only the second if the first is
    always the same.

    Parameters
    ----------
    raters
        Of one form and unit, with the columns ``RATERS``.
    """
    is_one = raters["one"].nunique() == 1
    sources = SOURCES if raters["own_runs"].any() else {**SOURCES, "together": "raters × test set"}
    rows = [
        (row["other"] if is_one else f"{row['one']} − {row['other']}", said, row[name], row[name] / total)
        for row in raters.to_dict("records")
        for total in [sum(row[source] for source in sources)]
        if total > 0
        for name, said in sources.items()
        if name != "own_runs" or sources is SOURCES
    ]
    return pd.DataFrame(rows, columns=["what", "source", "variance", "share"])


def usual_baseline(frame: pd.DataFrame, scale: str) -> str | None:
    """Return the best-judged system as the default baseline if there are too many pairs, otherwise None."""
    means = frame[frame["scale"] == scale].groupby("system")["value"].mean()
    return str(means.idxmax()) if len(means) > MANY_SYSTEMS else None


def _largest(judged: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the raters and segments of the panel, from a mask of shape ``(raters, segments)``."""
    best: tuple[tuple[bool, bool, int], npt.NDArray[np.bool_]] = ((False, False, 0), np.zeros(len(judged), dtype=bool))
    for column in np.unique(judged.T, axis=0):
        n = int(judged[column].all(axis=0).sum()) if column.any() else 0
        size = int(column.sum())
        worth = (size >= 3 and n > 1, size > 1 and n > 1, size * n)  # for a final answer
        best = max(best, (worth, column), key=lambda pair: pair[0])
    chosen = np.flatnonzero(best[1])
    return chosen, np.flatnonzero(judged[chosen].all(axis=0)) if len(chosen) else chosen


def _rows(judged: Judged, pairs: Sequence[tuple[str, str]], unit: str, settings: Settings) -> list[tuple[object, ...]]:
    """Return the columns from ``one`` on, without ``p_adjusted`` and ``answer``, and p by the law of the family."""
    rows, results = [], []
    for one, other in pairs:
        if one not in judged.systems or other not in judged.systems:
            continue  # judged only by raters with constant values
        panel = judged.panel(one, other)
        if panel.gains.size and panel.gains.mean() < 0:
            one, other, panel = other, one, replace(panel, gains=-panel.gains, by_run=panel.by_run[::-1])
        if unit == "document" and panel.documents is None:
            continue
        crossed = CrossedGains.of(panel.gains, panel.documents if unit == "document" else None)
        others, n_runs, own_runs = crossed.other_raters("two-sided", settings.confidence), 1, 0.0
        these = crossed.these_raters("two-sided", settings.confidence)
        components = None if crossed.refusal else crossed.components
        parts: tuple[float, ...] = (float("nan"),) * 6
        if components:
            parts = (components.runs[0], components.segments, components.pairs[0], *components.parts)
        if components and panel.by_run:
            places = panel.documents if unit == "document" else None
            flat = [CrossedGains.of(side.reshape(-1, side.shape[2]), places).values for side in panel.by_run]
            by_unit = [values.reshape(*side.shape[:2], -1) for values, side in zip(flat, panel.by_run, strict=True)]
            found = RatedRuns.of(by_unit, crossed.df_units)
            others = at_least(found.result(crossed.difference, settings.confidence, uneven_note(crossed.sizes)), these)
            own_runs, *own = found.parts
            parts, n_runs = (found.raters, found.units, found.raters_units, *own), min(found.n_runs)
        sizes = (len(panel.raters), panel.gains.shape[1], crossed.values.shape[1], panel.n_left_out)
        numbers = crossed.difference, others.low, others.high, these.p_value, others.p_value
        rows.append((one, other, *sizes, *numbers, *parts, settings.runs.filled(others.note), n_runs, own_runs))
        results.append(others)
    pairs_tested = [((row[0], row[1]),) for row in rows]
    laws = family_laws([result.law for result in results], pairs_tested, settings.confidence)
    by_family = zip(results, laws, strict=True)
    p_values = [one.p_value if law is None else law.p_value(one.statistic) for one, law in by_family]
    return [(*row, p_value) for row, p_value in zip(rows, p_values, strict=True)]


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
    raw = frame[frame["scale"] == scale]
    level: Level = "ordinal" if scale == PREFERENCE else "interval"
    if scale == PREFERENCE:
        raw = raw[raw["system"] == raw["system"].iloc[0]]  # the other system has the complement
    plain, standard = _by_rater(without_repeats(raw)), _by_rater(without_repeats(standardised(raw)))
    rows = _agreement_rows(plain, standard.reindex(index=plain.index, columns=plain.columns), level)
    numbers = ["n_raters", "n_outputs", "alpha_raw", "alpha_standardised", "pearson", "kappa"]
    return pd.DataFrame([(scale, *row) for row in rows], columns=["scale", "one", "other", *numbers])


def alpha_of(data: FloatArray, level: Level = "interval") -> float:
    """Return Krippendorff's alpha of an array of shape ``(raters, outputs)``, NaN for missing judgements.

    From -1 to 1; 0 is chance. NaN if nothing varies.
    """
    import krippendorff

    shared = data[:, (~np.isnan(data)).sum(axis=0) > 1]
    found = shared[~np.isnan(shared)]
    if not len(found) or np.ptp(found) == 0:
        return float("nan")
    return float(krippendorff.alpha(reliability_data=shared, level_of_measurement=level))


def _by_rater(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.pivot(index="annotator", columns=["system", "segment"], values="value")


def binned(values: FloatArray) -> FloatArray:
    """Return the bin of each value, NaN for NaN: the values themselves, or fifths if there are more than five.

    The fifths hold about equally many values; equal values share a bin.
    """
    known = values[~np.isnan(values)]
    if len(np.unique(known)) <= BINS:
        return values
    edges = np.unique(np.quantile(known, np.arange(1, BINS) / BINS, method="higher"))
    return np.where(np.isnan(values), np.nan, np.searchsorted(edges, values, side="right"))


def _kappa(one: FloatArray, other: FloatArray) -> float:
    """Return Cohen's kappa of two raters' bins; NaN if chance alone would make them agree."""
    kinds = np.unique([one, other])
    shares = [(values[:, np.newaxis] == kinds).mean(axis=0) for values in (one, other)]
    chance = float(shares[0] @ shares[1])
    return (float((one == other).mean()) - chance) / (1 - chance) if chance < 1 else float("nan")


def _agreement_rows(raw: pd.DataFrame, standard: pd.DataFrame, level: Level) -> Iterator[tuple[object, ...]]:
    """Yield the columns from ``one`` on."""
    values, ours = raw.to_numpy(float), standard.to_numpy(float)
    bins = binned(values)
    shared = (~np.isnan(values)).sum(axis=0) > 1
    n_raters = int((~np.isnan(values[:, shared])).any(axis=1).sum())
    yield ALL, "", n_raters, int(shared.sum()), alpha_of(values, level), alpha_of(ours), float("nan"), float("nan")
    for (i, one), (j, other) in combinations(enumerate(raw.index), 2):
        both = ~np.isnan(values[[i, j]]).any(axis=0)
        if both.any():
            x, y = values[i, both], values[j, both]
            varies = len(x) > 1 and np.ptp(x) > 0 and np.ptp(y) > 0
            pearson = float(np.corrcoef(x, y)[0, 1]) if varies else float("nan")
            alphas = alpha_of(values[[i, j]], level), alpha_of(ours[[i, j]])
            yield one, other, 2, int(both.sum()), *alphas, pearson, _kappa(bins[i, both], bins[j, both])
