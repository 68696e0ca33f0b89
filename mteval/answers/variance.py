"""Where the variance comes from, what spreads suggest, and how far the run scores of two systems overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from mteval.analysis.replication.pool import Variation, uncertainty_frame, variance_frame
from mteval.answers.procedures import UNIT_NAMES
from mteval.answers.section import Column, Section, Table
from mteval.base.words import counted
from mteval.values.notation import p_equals, percent
from mteval.values.run_words import RUN, RunWord
from mteval.values.verdict import Spreads

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from mteval.analysis.replication.pool import Pool
    from mteval.answers.replication import Subject

Source = Literal["runs", "test set", "both"]
_ADVICE = {
    "runs": "further runs would help more than a larger test set",
    "test set": "a larger test set would help more than further runs",
    "both": "a larger test set and further runs would both help",
}


def larger_source(runs: float, test_set: float) -> Source:
    """Which of two variances of a difference is more than twice the other; ``both`` where neither is."""
    if runs > 2 * test_set:
        return "runs"
    return "test set" if test_set > 2 * runs else "both"


def spread_remarks(spreads: Spreads, level: float, runs: RunWord = RUN) -> Iterator[str]:
    """What the spreads of one system suggest; nothing where they suggest nothing.

    Parameters
    ----------
    level
        Up to which a p-value is more than chance.
    runs
        What a run is called.
    """
    if spreads.s_test > spreads.s_dev and spreads.p_larger <= level:
        yield _larger_on_test(spreads, runs)
    if spreads.is_open and spreads.error_test_set > 0 and spreads.error_runs >= 0:
        yield _sources(spreads, runs)


def _larger_on_test(spreads: Spreads, runs: RunWord) -> str:
    """Clark et al. 2011, section 4.1."""
    number = spreads.notation.number
    holm = f" after Holm over {counted(spreads.n_tested, 'such pair')}" if spreads.n_tested > 1 else ""
    return (
        f"{spreads.system}: {spreads.metric_name} varies more between the same {counted(spreads.n_runs, runs.noun)} on"
        f" the test set ({number(spreads.s_test)}) than on the tuning set ({number(spreads.s_dev)}), and by more than"
        f" chance (test of Pitman and Morgan, {p_equals(spreads.p_larger)}{holm}): {runs.nouns} that do equally well in"
        " tuning may differ in how well they generalize."
    )


def _sources(spreads: Spreads, runs: RunWord) -> str:
    """Standard errors of the same difference, from either source."""
    number, advice = spreads.notation.number, larger_source(spreads.error_runs**2, spreads.error_test_set**2)
    return (
        f"{spreads.system}: the standard error of the difference from {spreads.baseline} in {spreads.metric_name} is"
        f" {number(spreads.error_test_set)} from the choice of {UNIT_NAMES[spreads.unit]} and"
        f" {number(spreads.error_runs)} from which {runs.nouns} were made: {runs.said(_ADVICE[advice])}."
    )


def overlap_sentence(baseline: str, system: str, baseline_scores: Sequence[float], scores: Sequence[float]) -> str:
    """How many pairs of single runs would have shown the opposite of the averages, or no difference.

    All pairs of a run of one system with a run of the other are counted. Runs without a score are left out.
    """
    first, second = (
        np.array([x for x in values if np.isfinite(x)], dtype=float) for values in (baseline_scores, scores)
    )
    if not len(first) or not len(second):
        return f"{baseline} and {system} have no run scores to compare."
    difference = float(second.mean() - first.mean())
    n_pairs = len(first) * len(second)
    if n_pairs == 1:
        return f"One run of {baseline} and one of {system}: how far their scores overlap cannot be seen."
    if np.isclose(difference, 0, atol=1e-9):
        return f"{baseline} and {system} have the same average."
    opposite = int(np.sum(np.subtract.outer(second, first) * np.sign(difference) <= 1e-9))
    above, below = (system, baseline) if difference > 0 else (baseline, system)
    if not opposite:
        return f"The scores do not overlap: every run of {above} scores higher than every run of {below}."
    return (
        f"The scores overlap: on average {above} scores higher, but in {opposite:,} of {n_pairs:,} pairs of single runs"
        f" ({percent(opposite / n_pairs, 0)}) {below} scores as high or higher."
    )


def variance_section(about: Subject, variation: Variation) -> Section:
    """Where the variance of a score and of a difference comes from, and what to do about it."""
    named = _in_words(about, variance_frame(about.pool, variation), variation)

    def figure() -> go.Figure:
        from mteval.figures.planning import variance_bars

        return variance_bars(named, about.metric, about.notation)

    sources = [str(source) for source in named["source"].unique()]
    rows = [
        {"what": what, "s": float(parts["variance"].sum()) ** 0.5, **dict(zip(sources, parts["share"], strict=True))}
        for what, parts in named.groupby("what", sort=False)
    ]
    shares = [Column(source, source, "share") for source in sources]
    return Section(
        "variance",
        "Where the variance comes from",
        (advice_sentence(about, [float(rows[-1][source]) for source in sources]),),
        Table((Column("what", "variance of"), Column("s", "s", "number"), *shares), about.rows(pd.DataFrame(rows))),
        figure,
        about.filled(
            "{Runs}: another {run} shifts all segments together. Test set: other segments shift all {runs} together."
            " {Runs} × test set: what {a_run} does to single segments; more of either average it out."
        ),
    )


def _in_words(about: Subject, frame: pd.DataFrame, variation: Variation) -> pd.DataFrame:
    """The frame of variances with names as they are shown and runs as they are called."""
    baseline, _ = about.systems
    run, runs, (n_baseline, n_system) = about.runs.noun, about.runs.nouns, about.pool.sizes
    alone = [f"score of one {run} of {system}" for system in about.systems[2 - len(variation.alone) :]]
    differences = {
        "independent": [
            f"difference of one {run} each",
            f"difference of the averages of {n_baseline} and {counted(n_system, run)}",
        ],
        "paired": [f"difference of one pair of {runs}", f"average difference of {counted(n_system, 'pair')} of {runs}"],
        "fixed": [
            f"difference of one {run} from {baseline}",
            f"difference of the average of {counted(n_system, run)} from {baseline}",
        ],
    }[variation.design]
    what = dict(zip(frame["what"].unique(), [*alone, *differences], strict=True))
    source = dict(zip(frame["source"].unique(), [runs, "test set", f"{runs} × test set"], strict=True))
    return frame.assign(what=frame["what"].map(what), source=frame["source"].map(source))


def uncertainty_section(about: Subject, pool: Pool, variation: Variation) -> Section:
    """How well the standard deviations are known."""
    runs, test_set = about.runs.nouns, "difference, from the test set"
    between = [f"{system}, between {runs}" for system in about.systems]
    names = {
        "independent": [*between, test_set],
        "paired": ["difference of a pair, between pairs", test_set],
        "fixed": [between[1], test_set],
    }[variation.design]
    columns = (
        Column("name", "Standard deviation"),
        Column("standard_deviation", "estimate", "number"),
        Column("df", "degrees of freedom", "number", write=lambda row: f"{round(row['df'], 1):,g}"),
        Column("range", "may be", "range", fields=("low", "high")),
    )
    frame = about.rows(uncertainty_frame(pool, variation).assign(name=names), about.notation.finer)
    caption = f"How well the standard deviations are known (95% chi-square intervals, {about.metric})."
    return Section("uncertainty", "", table=Table(columns, frame, caption))


def advice_sentence(about: Subject, shares: Sequence[float]) -> str:
    """More runs or more test sentences? From the shares of runs, test set and both in the variance of the averages."""
    runs, test_set, both = shares
    unit, noun, (n_baseline, n_system) = about.pool.unit, about.runs.noun, about.pool.sizes
    counts = {
        "independent": f"{n_baseline} and {counted(n_system, noun)}",
        "paired": f"{counted(n_system, 'pair')} of {about.runs.nouns}",
        "fixed": counted(n_system, noun),
    }[about.settings.design]
    larger = larger_source(runs + both, test_set + both)
    if larger == "runs":
        text = "Make more {runs}: with {counts}, {of_runs} of the uncertainty comes from which {runs} were made."
    elif larger == "test set":
        text = (
            "Get more test {unit}s: with {counts}, {of_test_set} of the uncertainty comes from which {unit}s were"
            " tested, and no further {run} reduces that."
        )
    else:
        text = (
            "Both help: with {counts}, {of_runs} of the uncertainty comes from the {runs}, {of_test_set} from the test"
            " {unit}s, and {of_both} from what only their combination explains."
        )
    return about.filled(
        text, counts=counts, unit=unit, of_runs=percent(runs), of_test_set=percent(test_set), of_both=percent(both)
    )
