"""Equivalence tests against a margin, and false positives between sides that are equal but for luck.

Runs of one system differ by training luck alone, so any difference claimed between two sets of them is a false
positive. The same holds for systems that the user declares equivalent (Riezler and Maxwell 2005, Table 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import comb

import numpy as np
import pandas as pd

from mteval.analysis.comparison import Case, Question, ask, compare, how_of
from mteval.analysis.scoring import Progress, Scored, Work
from mteval.analysis.significance import Family, Side, raw_alternative
from mteval.base.arrays import IntArray
from mteval.base.errors import SettingsError
from mteval.base.words import counted
from mteval.stats.base import PairedResult
from mteval.stats.interval import Equivalence, beyond, equivalence
from mteval.stats.multiplicity import holm_within
from mteval.stats.procedures.registry import answering, showing_equal
from mteval.stats.resampling.draws import Draws
from mteval.stats.resampling.streams import seeds_for
from mteval.values.settings import Settings

EQUALITY = (
    "test_set",
    "metric",
    "baseline",
    "system",
    "luck",
    "procedure",
    "unit",
    "margin",
    "difference",
    "low",
    "high",
    "p_value",
    "p_adjusted",
    "note",
)
MOST_COMPARISONS = 60
FEWEST_RUNS_TO_HALVE = 6  # so that each half has three, which a verdict needs
MOST_HALVINGS = 1_000
MOST_SHUFFLES = 1_000  # per comparison; enough to compare p with 0.05

Division = tuple[tuple[int, ...], tuple[int, ...]]  # two disjoint sets of runs


def equality_frame(
    family: Family, unit: str, margin: float, settings: Settings, work: Work, side: Side = "two-sided"
) -> pd.DataFrame:
    """Test each system for equivalence with the baseline by two one-sided tests, for each kind of luck.

    With a side, test instead whether it is not worse by the margin (``worse``), or better by more (``better``).

    Columns ``EQUALITY``. ``low`` and ``high`` bound the difference with confidence ``2 * confidence - 1``: the systems
    are equivalent if the interval lies within the margin. P-values are adjusted by Holm over the family, per kind of
    luck.

    Raises
    ------
    SettingsError
        If the margin is not positive.
    """
    if not margin > 0:
        raise SettingsError(f"The margin of equivalence must be a positive number of points, not {margin}.")
    questions = [Question(spec.key, unit) for spec in showing_equal(unit, settings.design, settings.strict)]
    members = list(product(family.scored_metrics, family.systems))
    rows = []
    for index, (scored, system) in enumerate(members):
        work.report(Progress(f"Equivalence: {system} by {scored.metric.name}", index, len(members)))
        for question in questions:
            case = Case(scored, family.baseline, system, question)
            result = compare(case, settings, work)
            if side == "two-sided":
                claim = equivalence(result, margin, settings.level)
            else:
                claim = _beyond_margin(scored, result, margin, settings.level, side)
            note = result.note
            if np.isnan(claim.p_value) and not note:
                note = "This procedure has no standard error here."
            row = (
                *case.key[:4],
                question.spec.luck,
                *case.key[4:6],
                margin,
                case.difference,
                claim.low,
                claim.high,
                claim.p_value,
                float("nan"),
                note,
            )
            rows.append(row)
    frame = pd.DataFrame(rows, columns=list(EQUALITY))
    return frame.assign(p_adjusted=holm_within(frame["luck"].tolist(), frame["p_value"].tolist()))


def _beyond_margin(scored: Scored, result: PairedResult, margin: float, level: float, side: Side) -> Equivalence:
    """Test whether a system is better by more than the margin, or not worse by it; of TER, lower is better."""
    bound = margin if side == "better" else -margin
    alternative = raw_alternative(scored, "better")
    if alternative == "less":
        bound = -bound
    return beyond(result, bound, alternative, level)


@dataclass(frozen=True)
class Halvings:
    """Split-half check of one system: how often the verdict calls two halves of its runs different.

    Parameters
    ----------
    n_runs
        Runs of the system; one is skipped if the number is odd.
    n_halvings, of_halvings
        Splits that were tested, and possible splits. Splits share runs, so their share does not estimate a level.
    n_different
        Tested splits whose halves were called different.
    """

    test_set: str
    metric: str
    system: str
    n_runs: int
    n_halvings: int
    of_halvings: int
    n_different: int


@dataclass(frozen=True)
class Sides:
    """Two sets of runs that are equal but for luck: their names, systems, and indices of runs within these."""

    names: tuple[str, str]
    systems: tuple[str, str]
    runs: Division


def runs_against_runs(scored: Scored, system: str, n_runs: int, seed: int) -> tuple[Sides, ...]:
    """Return disjoint sets of ``n_runs`` runs of one system: all pairs of sets if few, otherwise a random sample.

    Raises
    ------
    SettingsError
        If the system has fewer than ``2 * n_runs`` runs.
    """
    keys = scored.run_keys(system)
    if not 1 <= n_runs <= len(keys) // 2:
        raise SettingsError(
            f"System '{system}' has {counted(len(keys), 'run')}; two sets of {n_runs} need {2 * n_runs}."
            " Load more runs or choose smaller sets."
        )
    noun = "run" if n_runs == 1 else "runs"

    def name(runs: Sequence[int]) -> str:
        return f"{noun} {', '.join(keys[run] for run in runs)}"

    sides = []
    for first, second in _divisions(len(keys), n_runs, seed):
        sides.append(Sides((name(first), name(second)), (system, system), (first, second)))
    return tuple(sides)


def systems_against_systems(scored: Scored, systems: Sequence[str]) -> tuple[Sides, ...]:
    """Return all pairs of systems that were declared equivalent, with all their runs.

    Raises
    ------
    SettingsError
        If fewer than two systems are given.
    """
    if len(systems) < 2:
        raise SettingsError(f"Name at least two equivalent systems, not {len(systems)}.")
    runs_of = {system: tuple(range(len(scored.statistics[system]))) for system in systems}
    sides = []
    for first, second in combinations(systems, 2):
        sides.append(Sides((first, second), (first, second), (runs_of[first], runs_of[second])))
    return tuple(sides)


def halvings(scored: Scored, unit: str, settings: Settings, work: Work) -> tuple[Halvings, ...]:
    """Run the split-half check on every system with at least six runs.

    All splits are tested, or 1,000 random ones if there are more. Samples of released models do not show training luck.
    """
    if settings.design == "released" or scored.test_set.n_segments < 2:  # one corpus score per run cannot be tested so
        return ()
    spec = answering("both", unit)
    assert spec.on_draws is not None
    checks = []
    divisions_of: dict[int, IntArray] = {}  # by number of runs, shape ``(splits, 2, half)``
    for system, statistics in scored.statistics.items():
        n_runs = len(statistics)
        if n_runs < FEWEST_RUNS_TO_HALVE:
            continue
        half = n_runs // 2
        case = Case(scored, system, system, Question(spec.key, unit))
        runs, _ = case.units
        if n_runs not in divisions_of:
            divisions_of[n_runs] = np.array(_divisions(n_runs, half, settings.seed, MOST_HALVINGS))
        divisions = divisions_of[n_runs]
        draws = Draws(divisions[:, 0], divisions[:, 1])
        how = how_of(spec, settings, work, "two-sided", case.unit_sizes)
        p_values = spec.on_draws(runs, runs, scored.scorer.score, draws, how)
        check = Halvings(
            test_set=scored.test_set.name,
            metric=scored.metric.key,
            system=system,
            n_runs=n_runs,
            n_halvings=len(divisions),
            of_halvings=comb(n_runs, half) * comb(n_runs - half, half) // 2,
            n_different=int(np.count_nonzero(p_values <= settings.level)),
        )
        checks.append(check)
    return tuple(checks)


def equal_frame(
    scored: Scored, pairs: Sequence[Sides], asked: Sequence[Question], settings: Settings, work: Work
) -> pd.DataFrame:
    """Test sides that are equal but for luck, one row per pair and procedure.

    Columns ``one``, ``other``, ``procedure``, ``unit``, ``difference``, ``p_value`` and ``note``. P-values are not
    adjusted.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    settings = replace(settings, n_shuffles=min(settings.n_shuffles, MOST_SHUFFLES))
    rows = []
    for index, sides in enumerate(pairs):
        work.report(Progress(" vs ".join(sides.names), index, len(pairs)))
        first_system, second_system = sides.systems
        first_runs, second_runs = sides.runs
        statistics = {
            "one": scored.statistics[first_system][list(first_runs)],
            "other": scored.statistics[second_system][list(second_runs)],
        }
        two_sides = replace(scored, statistics=statistics)
        for question in asked:
            case = Case(two_sides, "one", "other", question)
            result = ask(case, settings, work).printed
            row = (
                *sides.names,
                question.procedure,
                question.unit,
                case.difference,
                result.p_value,
                result.note,
            )
            rows.append(row)
    return pd.DataFrame(rows, columns=["one", "other", "procedure", "unit", "difference", "p_value", "note"])


def rejections(frame: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return how often each procedure rejected equality, beside the nominal level.

    Comparisons that share runs are not independent. A share far above the level is informative; a share near it is not.

    Parameters
    ----------
    frame
        From ``equal_frame``: columns ``procedure, unit, p_value, note``.

    Returns
    -------
    One row per ``procedure`` and ``unit``. ``n_comparisons`` counts tests with an answer, ``n_rejected`` and ``share``
    those with p at or below ``nominal``. Without any answer, ``share`` is NaN and ``note`` gives the reason.
    """
    rows = []
    for (procedure, unit), compared in frame.groupby(["procedure", "unit"], sort=False):
        n_rejected = int((compared["p_value"] <= level).sum())
        n_answered = int(compared["p_value"].notna().sum())
        if n_answered:
            share = n_rejected / n_answered
            note = ""
        else:
            share = float("nan")
            note = str(compared["note"].iloc[0])
        rows.append((procedure, unit, n_answered, n_rejected, share, level, note))
    columns = ["procedure", "unit", "n_comparisons", "n_rejected", "share", "nominal", "note"]
    return pd.DataFrame(rows, columns=columns)


def _divisions(n_runs: int, size: int, seed: int, most: int = MOST_COMPARISONS) -> list[Division]:
    """Return all pairs of disjoint sets of ``size`` runs, or ``most`` random pairs if there are more."""
    divisions: dict[Division, None] = {}
    n_possible = comb(n_runs, size) * comb(n_runs - size, size) // 2
    if n_possible <= most:
        for first in combinations(range(n_runs), size):
            rest = [run for run in range(n_runs) if run not in first]
            for second in combinations(rest, size):
                if first < second:
                    divisions[first, second] = None
        return list(divisions)

    generator = np.random.Generator(np.random.SFC64(seeds_for(seed, "runs against runs")))
    while len(divisions) < most:
        order = generator.permutation(n_runs).tolist()
        first, second = sorted((tuple(sorted(order[:size])), tuple(sorted(order[size : 2 * size]))))
        divisions[first, second] = None
    return list(divisions)
