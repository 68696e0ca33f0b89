"""Where the variance of a score and of a difference comes from, and how well it is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import pandas as pd

from mteval.analysis.replication.pool import Variation, uncertainty_frame, variance_frame
from mteval.answers.section import Column, Section, Table
from mteval.base.words import counted
from mteval.values.notation import percent

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from mteval.analysis.replication.pool import Pool
    from mteval.answers.replication import Subject

Source = Literal["runs", "test set", "both"]


def larger_source(runs: float, test_set: float) -> Source:
    """Which of two variances of a difference is more than twice the other; ``both`` where neither is."""
    if runs > 2 * test_set:
        return "runs"
    return "test set" if test_set > 2 * runs else "both"


def variance_section(about: Subject, variation: Variation) -> Section:
    """Where the variance of a score and of a difference comes from, and what to do about it."""
    named = variance_frame(about.pool, variation, about.systems, about.runs)

    def figure() -> go.Figure:
        from mteval.figures.planning import variance_bars

        return variance_bars(named, about.metric, about.notation)

    sources = [str(source) for source in named["source"].unique()]
    rows = [
        {"what": what, "s": float(parts["variance"].sum()) ** 0.5, **dict(zip(sources, parts["share"], strict=True))}
        for what, parts in named.groupby("what", sort=False)
    ]
    columns = [Column("what", "variance of"), Column("s", "s", "number")]
    columns += [Column(source, source, "share") for source in sources]
    return Section(
        "variance",
        "Where the variance comes from",
        (advice_sentence(about, [float(rows[-1][source]) for source in sources]),),
        Table(tuple(columns), pd.DataFrame(rows), is_folded=True, notation=about.notation),
        figure,
        about.filled(
            "{Runs}: another {run} shifts all segments together. Test set: other segments shift all {runs} together."
            " {Runs} × test set: what {a_run} does to single segments; more of either average it out."
        ),
    )


def uncertainty_section(about: Subject, pool: Pool, variation: Variation) -> Section:
    """How well the standard deviations are known."""
    columns = (
        Column("source", "Standard deviation"),
        Column("standard_deviation", "estimate", "number"),
        Column("df", "degrees of freedom", "number", write=lambda row: f"{round(row['df'], 1):,g}"),
        Column("range", "may be", "range", fields=("low", "high")),
    )
    frame = uncertainty_frame(pool, variation, about.systems, about.runs)
    caption = f"How well the standard deviations are known (95% chi-square intervals, {about.metric})."
    return Section("uncertainty", "", table=Table(columns, frame, caption, notation=about.notation.finer))


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
