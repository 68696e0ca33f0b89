"""Rater luck: would other raters, on other segments, find the same difference?

If each rater judged each of several runs of both systems, the answer covers other runs, too.

The answer uses outputs that at least three raters all judged. With two raters it is provisional, with one there is
none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

from mteval.analysis.people.judgements import PREFERENCE, asked, standardised, without_repeats
from mteval.base.arrays import BoolArray, FloatArray, IntArray
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.stats.base import PairedResult, at_least
from mteval.stats.crossed_layout import CrossedGains, family_laws
from mteval.stats.multiplicity import holm_within
from mteval.stats.rated_runs import RatedRuns
from mteval.stats.units import uneven_note
from mteval.values.settings import Settings
from mteval.values.verdict import MANY_SYSTEMS, answer_at

RATERS = (
    "scale",
    "form",
    "unit",
    "one",
    "other",
    "n_raters",
    "n_segments",
    "n_units",
    "n_left_out",
    "difference",
    "low",
    "high",
    "p_segments",
    "p_value",
    "p_adjusted",
    "answer",
    "raters",
    "segments",
    "pairs",
    "own_raters",
    "own_segments",
    "together",
    "note",
    "n_runs",
    "own_runs",
)
VARIANCES = ("what", "source", "variance", "share")
RAW = "raw"
STANDARDISED = "standardised"
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
        rater, raters = pd.factorize(rows["annotator"])
        system, systems = pd.factorize(rows["system"])
        segment, segments = pd.factorize(rows["segment"])
        values = np.full((len(raters), len(systems), len(segments)), np.nan)
        values[rater, system, segment] = rows["value"]

        document_of_segment = rows.drop_duplicates("segment").set_index("segment")["document"]
        documents = []
        for document in document_of_segment[segments]:
            if not isinstance(document, str):  # NaN
                document = None
            documents.append(document)

        by_run = []
        for name in systems:
            of_system = judged[judged["system"] == name]
            table = of_system.pivot_table(index=["run", "annotator"], columns="segment", values="value")
            runs_and_raters = pd.MultiIndex.from_product([of_system["run"].unique(), raters])
            # Rows are runs, and within each run raters
            of_runs = table.reindex(index=runs_and_raters, columns=segments).to_numpy(float)
            by_run.append(of_runs.reshape(-1, len(raters), len(segments)))
        return cls(
            raters=tuple(map(str, raters)),
            systems=tuple(map(str, systems)),
            documents=tuple(documents),
            values=values,
            by_run=tuple(by_run),
        )

    def panel(self, system: str, baseline: str) -> Panel:
        """Return the most informative raters and segments for a pair of systems.

        Considers each set of raters that judged some segment in both outputs, not its subsets. Prefers at least three
        raters with two segments, then two raters; among these, the most judgements.
        """
        system_index = self.systems.index(system)
        baseline_index = self.systems.index(baseline)
        gains = self.values[:, system_index] - self.values[:, baseline_index]
        sides = (self.by_run[baseline_index], self.by_run[system_index])

        is_judged = ~np.isnan(gains)
        by_run: tuple[FloatArray, ...] = ()
        raters, segments = _panel_places(is_judged)
        if len(sides[0]) > 1 and len(sides[1]) > 1:
            # Raters who judged each run. Too few of them cannot answer for other runs.
            is_complete = is_judged & ~np.isnan(np.concatenate(sides)).any(axis=0)
            complete_raters, complete_segments = _panel_places(is_complete)
            if len(complete_raters) > 1 and len(complete_segments) > 1:
                raters = complete_raters
                segments = complete_segments
                by_run = tuple(side[:, raters][..., segments] for side in sides)

        documents: tuple[str | None, ...] | None = tuple(self.documents[segment] for segment in segments)
        if documents is not None and None in documents:
            documents = None
        return Panel(
            gains=gains[np.ix_(raters, segments)],
            raters=tuple(self.raters[rater] for rater in raters),
            documents=documents,
            n_left_out=int(is_judged.any(axis=0).sum()) - len(segments),
            by_run=by_run,
        )


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

    def reversed(self) -> Panel:
        """Return the gains of the other system."""
        return replace(self, gains=-self.gains, by_run=self.by_run[::-1])


def _panel_places(judged: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the raters and segments of the panel, from a mask of shape ``(raters, segments)``."""
    best = np.zeros(len(judged), dtype=bool)
    best_rank = (False, False, 0)
    for raters in np.unique(judged.T, axis=0):
        if not raters.any():
            continue
        n_raters = int(raters.sum())
        n_segments = int(judged[raters].all(axis=0).sum())
        is_final = n_raters >= 3 and n_segments > 1
        is_provisional = n_raters >= 2 and n_segments > 1
        rank = (is_final, is_provisional, n_raters * n_segments)  # compared in this order
        if rank > best_rank:
            best = raters
            best_rank = rank
    if not best.any():
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    return np.flatnonzero(best), np.flatnonzero(judged[best].all(axis=0))


def raters_frame(
    frame: pd.DataFrame,
    scale: str,
    settings: Settings,
    baseline: str | None = None,
    units: Sequence[str] = ("segment",),
    judge: str = "",
) -> pd.DataFrame:
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
    if scale == PREFERENCE:
        raw = asked(raw)  # ties that follow from the texts say nothing about raters
    systems = list(dict.fromkeys(raw["system"]))
    if baseline is not None and baseline not in systems:
        raise DataError(f"No judgements of '{baseline}'. Judged systems: {', '.join(systems)}.")
    if len(systems) < 2:
        raise DataError(f"{counted(len(systems), 'system')} judged on the scale '{scale}'; a comparison needs two.")
    if baseline is None:
        pairs = list(combinations(systems, 2))
    else:
        pairs = [(system, baseline) for system in systems if system != baseline]

    judged_in = {
        RAW: Judged.of(as_judges(raw, judge)),
        STANDARDISED: Judged.of(as_judges(standardised(raw), judge)),
    }
    rows = []
    for form, unit in product(judged_in, units):
        for row in _rows_of_pairs(judged_in[form], pairs, unit, settings):
            rows.append({"scale": scale, "form": form, "unit": unit, **row})
    table = pd.DataFrame(rows, columns=[*RATERS, "p_family"])
    # Holm's adjustment over the pairs of each form and unit
    families = list(zip(table["form"], table["unit"], strict=True))
    adjusted = holm_within(families, table["p_value"].to_numpy(), table["p_family"].to_numpy())
    answers = [answer_at(p, settings.level) for p in adjusted.tolist()]
    return table.assign(p_adjusted=adjusted, answer=answers)[list(RATERS)]


def _rows_of_pairs(
    judged: Judged, pairs: Sequence[tuple[str, str]], unit: str, settings: Settings
) -> list[dict[str, Any]]:
    """Return the columns from ``one`` on, without ``p_adjusted`` and ``answer``.

    The last column, ``p_family``, is p by the law of the family, which is known once all pairs were tested.
    """
    rows = []
    results = []
    for pair in pairs:
        if not set(pair) <= set(judged.systems):
            continue  # judged only by raters with constant values
        panel = judged.panel(*pair)
        higher, lower = pair  # by their means
        if panel.gains.size and panel.gains.mean() < 0:
            lower, higher = pair
            panel = panel.reversed()
        if unit == "document" and panel.documents is None:
            continue
        columns, result = _tested(panel, unit, settings)
        rows.append({"one": higher, "other": lower, **columns})
        results.append(result)

    sides = [((row["one"], row["other"]),) for row in rows]
    laws = family_laws([result.law for result in results], sides, settings.confidence)
    for row, result, law in zip(rows, results, laws, strict=True):
        row["p_family"] = result.p_value
        if law is not None:
            row["p_family"] = law.p_value(result.statistic)
    return rows


def _tested(panel: Panel, unit: str, settings: Settings) -> tuple[dict[str, Any], PairedResult]:
    """Return the columns of one pair of systems, and the result over other raters."""
    documents = None
    if unit == "document":
        documents = panel.documents
    crossed = CrossedGains.of(panel.gains, documents)
    these_raters = crossed.these_raters("two-sided", settings.confidence)
    other_raters = crossed.other_raters("two-sided", settings.confidence)

    rated = None
    n_runs = 1
    if panel.by_run and not crossed.refusal:
        rated = RatedRuns.of([_values_by_unit(side, documents) for side in panel.by_run], crossed.df_units)
        result = rated.result(crossed.difference, settings.confidence, uneven_note(crossed.sizes))
        other_raters = at_least(result, these_raters)  # p no smaller, interval no narrower
        n_runs = min(rated.n_runs)

    columns = {
        "n_raters": len(panel.raters),
        "n_segments": panel.gains.shape[1],
        "n_units": crossed.values.shape[1],
        "n_left_out": panel.n_left_out,
        "difference": crossed.difference,
        "low": other_raters.low,
        "high": other_raters.high,
        "p_segments": these_raters.p_value,
        "p_value": other_raters.p_value,
        "note": settings.runs.filled(other_raters.note),
        "n_runs": n_runs,
        **_parts_of(crossed, rated),
    }
    return columns, other_raters


def _parts_of(crossed: CrossedGains, rated: RatedRuns | None) -> dict[str, float]:
    """Return the variance components of a pair of systems, and the parts of its variance; NaN if it was refused.

    ``raters`` and ``segments`` are components, and ``pairs`` is their interaction, which both contain. Of the parts,
    ``own_raters``, ``own_segments`` and ``own_runs`` are due to one source alone, ``together`` to interactions.
    """
    if crossed.refusal:
        names = ("raters", "segments", "pairs", "own_raters", "own_segments", "together")
        return {**dict.fromkeys(names, float("nan")), "own_runs": 0.0}
    if rated is not None:
        own_runs, own_raters, own_segments, together = rated.parts
        return {
            "raters": rated.raters,
            "segments": rated.units,
            "pairs": rated.raters_units,
            "own_raters": own_raters,
            "own_segments": own_segments,
            "together": together,
            "own_runs": own_runs,
        }
    components = crossed.components
    own_raters, own_segments, together = components.parts
    return {
        "raters": components.runs[0],
        "segments": components.segments,
        "pairs": components.pairs[0],
        "own_raters": own_raters,
        "own_segments": own_segments,
        "together": together,
        "own_runs": 0.0,
    }


def _values_by_unit(judgements: FloatArray, documents: Sequence[object] | None) -> FloatArray:
    """Return judgements ``(runs, raters, segments)`` by unit, shape ``(runs, raters, units)``."""
    n_runs, n_raters, n_segments = judgements.shape
    rows = CrossedGains.of(judgements.reshape(-1, n_segments), documents).values
    return rows.reshape(n_runs, n_raters, -1)


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
        match = re.search(pattern, name)
        if match is None:
            return name
        part = match[0]
        if match.groups():
            part = match[1]
        if not part:  # the group is empty, or did not take part in the match
            return name
        return part

    return frame.assign(annotator=frame["annotator"].map(judge))


def rater_variance(raters: pd.DataFrame) -> pd.DataFrame:
    """Return the sources of variance of each answered difference: three rows per pair, four with runs.

    Columns are ``what, source, variance, share``. ``what`` names both systems, or only the second if the first is
    always the same.

    Parameters
    ----------
    raters
        Of one form and unit, with the columns ``RATERS``.
    """
    has_one_first = raters["one"].nunique() == 1
    sources = dict(SOURCES)
    if not raters["own_runs"].any():
        del sources["own_runs"]
        sources["together"] = "raters × test set"
    rows = []
    for row in raters.to_dict("records"):
        total = sum(row[part] for part in SOURCES)
        if not total > 0:
            continue  # without an answer, or nothing varies
        name = f"{row['one']} − {row['other']}"
        if has_one_first:
            name = row["other"]
        for part, source in sources.items():
            rows.append((name, source, row[part], row[part] / total))
    return pd.DataFrame(rows, columns=list(VARIANCES))


def usual_baseline(frame: pd.DataFrame, scale: str) -> str | None:
    """Return the best-judged system as the default baseline if there are too many pairs, otherwise None."""
    means = frame[frame["scale"] == scale].groupby("system")["value"].mean()
    if len(means) > MANY_SYSTEMS:
        return str(means.idxmax())
    return None
