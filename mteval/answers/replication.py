"""What other runs of two systems would have shown: the spread of the difference, and how near the median run is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pandas as pd

from mteval.analysis.replication.planning import Replication, runs_until_representative
from mteval.analysis.replication.pool import ApartRun, Runs
from mteval.answers.section import Column, Row, Section, Table
from mteval.base.words import counted
from mteval.metrics.base import MetricSpec
from mteval.stats.procedures.registry import on_draws, procedures_in
from mteval.values.notation import DASH, Notation, chance, level, p_equals
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings

if TYPE_CHECKING:
    import plotly.graph_objects as go

ASSUMPTION = "if the averages of these {runs} were the truth"
WELL_KNOWN = 0.01  # a risk below it is not worth more runs


@dataclass(frozen=True)
class Subject:
    """Two systems whose runs are compared by one metric, and how one speaks of them.

    Parameters
    ----------
    pool
        All runs at hand.
    names
        From a system's key to how it is shown, where that differs.
    order
        Keys of all systems of the experiment, which gives each its colour; these two where empty.
    """

    pool: Runs
    spec: MetricSpec
    settings: Settings
    names: Mapping[str, str] = field(default_factory=dict)
    order: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, str]:
        """Of the baseline and the system."""
        return self.pool.baseline, self.pool.system

    @property
    def systems(self) -> tuple[str, str]:
        """Baseline and system as they are shown."""
        baseline, system = (self.names.get(key, key) for key in self.keys)
        return baseline, system

    @property
    def metric(self) -> str:
        """The metric as it is shown."""
        return self.spec.name

    @property
    def notation(self) -> Notation:
        """How the metric's numbers are written."""
        return self.spec.notation

    @property
    def runs(self) -> RunWord:
        """What a run is called."""
        return self.settings.runs

    @property
    def quantity(self) -> str:
        """What an axis of differences shows, without the unit."""
        baseline, system = self.systems
        return f"{self.metric} of {system} − {self.metric} of {baseline}"

    @property
    def procedures(self) -> dict[str, str]:
        """The procedures that can judge draws of runs, from the key to what heads of tables say."""
        specs = procedures_in(self.runs)
        return {key: specs[key].short_name_on(self.pool.unit) for key in on_draws()}

    @property
    def colors(self) -> dict[str, str]:
        """Of each system, by key."""
        from mteval.figures.style import system_colors

        return dict(system_colors(self.order or self.keys))

    def filled(self, template: str, **fields: str) -> str:
        """A template with the names, the metric and the words for runs filled in."""
        baseline, system = self.systems
        return self.runs.filled(template, baseline=baseline, system=system, metric=self.metric, **fields)


def spread_section(about: Subject, found: Replication, *, one_by_one: bool = False) -> Section:
    """Clark et al.'s Figure 2: which differences would have been observed with how many runs.

    Parameters
    ----------
    one_by_one
        Whether the figure shows one number of runs at a time.
    """

    def figure() -> go.Figure:
        from mteval.figures.spread import difference_ridges, difference_slider

        draw = difference_slider if one_by_one else difference_ridges
        return draw(found.frequencies, found.outlook, about.quantity, about.notation, about.runs)

    most = int(found.outlook["k"].max())
    return Section(
        "replication",
        about.filled("Difference by number of {runs}: fresh {runs}, and combinations of these"),
        (outlook_sentence(about, found.outlook),),
        Table(tuple(_outlook_columns(about)), found.outlook, is_folded=True, notation=about.notation),
        figure,
        _spread_legend(about, has_overlap=most > min(about.pool.sizes) / 2),
    )


def _spread_legend(about: Subject, has_overlap: bool) -> str:
    text = (
        "Filled: differences between the averages of that many of these {runs}, all combinations or 50,000 of them;"
        " orange where they show the other order than all {runs}. Line: that many fresh {runs} of each system,"
        f" {ASSUMPTION}."
    )
    if has_overlap:
        text += " Beyond half of the {runs} the combinations overlap, and their spread is too small by √(1 − k/n)."
    undeclared = undeclared_sentence(about)
    return about.filled(text) + (f" {undeclared}" if undeclared else "")


def _outlook_columns(about: Subject) -> Iterator[Column]:
    def column(key: str, name: str, kind: str, text: str, **how: object) -> Column:
        return Column(key, name, kind, about.filled(text), **how)  # type: ignore[arg-type]

    def risk(row: Row) -> str:
        low, high = row["risk_low"], row["risk_high"]
        return DASH if low != low else f"{chance(low)} to {chance(high)}"

    def combinations(row: Row) -> str:
        return f"{row['n_combinations']:,}" + ("" if row["is_exact"] else ", drawn")

    fresh = f"of fresh {{runs}}, {ASSUMPTION}"
    confidence = level(about.settings.confidence)
    yield column("k", about.runs.nouns, "count", "{Runs} of each system.")
    yield column("standard_deviation", "s", "number", f"Standard deviation of the difference {fresh}.")
    yield column(
        "range", "95% range", "interval", f"Where 95% of the differences {fresh}, lie.", fields=("low", "high")
    )
    yield column(
        "wrong_sign", "other order", "share", f"Probability of the other order {fresh}.",
        write=lambda row: chance(row["wrong_sign"]),
    )  # fmt: skip
    yield column(
        "risk", "may be", "share", f"{confidence} interval of the probability of the other order.",
        fields=("risk_low", "risk_high"), write=risk,
    )  # fmt: skip
    yield column(
        "at_least_half", "at least half", "share", f"Probability of at least half the difference {fresh}.",
        write=lambda row: chance(row["at_least_half"]),
    )  # fmt: skip
    yield column(
        "pool_standard_deviation", "s here", "number", "Standard deviation over the combinations of these {runs}."
    )
    yield column("pool_wrong_sign", "other order here", "share", "Share of these combinations with the other order.")
    yield column("n_combinations", "combinations", "count", "How many combinations there are.", write=combinations)


def outlook_sentence(about: Subject, outlook: pd.DataFrame) -> str:
    """What one run a system risks, with how many the risk is below one in a hundred, and how well it is known."""
    rows, notation, noun = outlook.to_dict("records"), about.notation, about.runs.noun
    first, last = rows[0], rows[-1]
    risk, low, high = first["wrong_sign"], first["risk_low"], first["risk_high"]
    if risk != risk and first["expected"] != 0:
        return about.filled(
            "How much {runs} differ cannot be known from these, nor how often others would show another order."
        )
    if risk != risk:
        return about.filled(
            "The {runs} of both systems score the same on average, so there is no order that others could reverse."
        )
    start = about.filled(
        "With one {run} each, an estimated {risk} of experiments would show {baseline} and {system} in the other order"
        " than these {runs} do on average ({difference} {metric})",
        risk=chance(risk), difference=notation.difference(first["expected"]),
    )  # fmt: skip
    safe = [row["k"] for row in rows if row["wrong_sign"] < WELL_KNOWN]
    if risk >= WELL_KNOWN and safe:
        start += f"; with {counted(safe[0], noun)} each it is fewer than one in a hundred"
    elif risk >= WELL_KNOWN and len(rows) > 1:
        start += f"; with {counted(last['k'], noun)} each it is still {chance(last['wrong_sign'])}"
    known = about.filled(
        "These {runs} leave the risk of one {run} each between {low} and {high} ({confidence} interval)",
        low=chance(low), high=chance(high), confidence=level(about.settings.confidence),
    )  # fmt: skip
    return f"{start}. {known}" + (": which system is ahead is itself open." if high > 0.5 else ".")


def undeclared_sentence(about: Subject) -> str:
    """What of the page knows nothing of how runs were declared; empty where they are independent."""
    design = about.settings.design
    if design == "independent":
        return ""
    declared = "as paired" if design == "paired" else "as those of a system against a fixed baseline"
    return about.filled(
        "{Runs} were declared {declared}: the verdict, the sources of the variance and the plan go by that. Observed"
        " differences, published p-values, draws and the median {run} do not: they take all {runs} as independent.",
        declared=declared,
    )


def apart_sentence(about: Subject, apart: ApartRun) -> str:
    """A run unlike the others of its system, and what is said without it."""
    found, notation = apart.without, about.notation
    without = found.note
    if found.p_value == found.p_value:
        interval = f"{level(about.settings.confidence)} interval {notation.interval(found.low, found.high)}"
        without = f"{notation.difference(found.statistic)} {about.metric} ({interval}, {p_equals(found.p_value)})."
    return about.filled(
        "{Run} {key} of {whose} stands apart: {score} {metric}, the others {others} on average. Without it: {without}"
        " It stays in; leave {a_run} out only for a reason that does not come from its score.",
        key=apart.run, whose=apart.system, score=notation.number(apart.score), others=notation.number(apart.others),
        without=without,
    )  # fmt: skip


NEAR = (
    "Near: within half the difference of the systems' averages, so that a reader of the two medians sees them in the"
    " right order. An even number of {runs} has two in the middle; the upper one is taken, which is why it does not do"
    " better than the odd number before it."
)


def median_section(about: Subject, median: pd.DataFrame, wanted: float | None = None) -> Section:
    """How often the median of k runs is near the mean, and from how many runs on it stands for its system.

    Parameters
    ----------
    median
        From ``median_convergence``.
    wanted
        How often it has to be near; None where nobody has said.
    """

    def figure() -> go.Figure:
        from mteval.figures.planning import median_curves

        return median_curves(median, about.colors, wanted or 0.95, about.runs)

    shown, fewest = dict(zip(about.keys, about.systems, strict=True)), runs_until_representative(median, wanted or 0.95)
    within = {
        f"within_{side}": rows["within"].array for side, (_, rows) in enumerate(median.groupby("system", sort=False))
    }
    frame = pd.DataFrame({"k": median["k"].unique(), **within})
    columns = [Column(key, shown[system], "share") for key, system in zip(within, fewest, strict=True)]
    most = int(frame["k"].max())
    return Section(
        "median",
        about.filled("How often the median {run} lies within half the difference of its system's mean"),
        ()
        if wanted is None
        else tuple(_median_sentence(about, shown[key], n, wanted, most) for key, n in fewest.items()),
        Table((Column("k", about.runs.nouns, "count"), *columns), frame),
        figure,
        about.filled(NEAR),
    )


def median_refusal(about: Subject, unknown_spread: str) -> str:
    """Why nothing can be said of the median run; empty where something can.

    Parameters
    ----------
    unknown_spread
        A template of why the runs do not show how much runs differ; empty where they do.
    """
    if unknown_spread:
        return about.filled(f"{unknown_spread} So nothing can be said of the median of other {{runs}}.")
    if about.pool.difference == 0:
        return (
            "The systems score the same on average. A median is called representative where it lies within half their"
            " difference of the mean, which is nothing here."
        )
    return ""


def _median_sentence(about: Subject, system: str, runs: int | None, share: float, most: int) -> str:
    """From how many runs on the median run stands for its system."""
    start = "{whose}: if these {runs} show how much {runs} vary, "
    if runs is None:
        text = (
            "even the median of {most} lies within half the systems' difference of the true mean less often than"
            " {share}; do not take one {run} for the system."
        )
    elif runs == 1:
        text = (
            "any single {run} lies within half the systems' difference of the true mean at least {share} of the time."
        )
    else:
        text = (
            "the median of {fewest} or more lies within half the systems' difference of the true mean at least {share}"
            " of the time: representative enough for manual analysis."
        )
    noun = about.runs.noun
    return about.filled(
        start + text, whose=system, most=counted(most, noun), fewest=counted(runs or 0, noun), share=level(share)
    )
