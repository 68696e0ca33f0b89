"""What other runs of two systems would show: differences, the median run, p-values, and one experiment at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter
from typing import Any

import pandas as pd

from mteval import figures
from mteval.analysis.replication.draws import ALL, RANDOM
from mteval.analysis.replication.planning import (
    Replication,
    runs_until_representative,
    wrong_order_on_new_units,
)
from mteval.analysis.replication.pool import Runs
from mteval.answers.section import Cell, Column, Row, Section, Table, headed, noted
from mteval.base.words import agreeing, all_counted, counted, listed, plural
from mteval.metrics.base import MetricSpec
from mteval.stats.procedures.classical import RUN_PERMUTATION, smallest_p_value
from mteval.stats.procedures.registry import on_draws, procedures_in
from mteval.stats.replication import MOST_COMBINATIONS
from mteval.values.notation import DASH, Notation, chance, level, p_equals, p_value
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings
from mteval.values.verdict import Verdict, conclusions_by_key

ASSUMPTION = "if these averages were the true ones"
FEWEST_FOR_BARS = 3  # runs per system; with two there are four combinations, which show no distribution
WELL_KNOWN = 0.01  # a risk below it is not worth more runs


@dataclass(frozen=True)
class Subject:
    """Two systems whose runs are compared by one metric, and their names.

    Parameters
    ----------
    pool
        All runs at hand.
    names
        Shown names by key, if different.
    order
        Keys of all systems of the experiment, which sets their colours; these two by default.
    """

    pool: Runs
    spec: MetricSpec
    settings: Settings
    names: Mapping[str, str] = field(default_factory=dict)
    order: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, str]:
        """Keys of the baseline and the system."""
        return self.pool.baseline, self.pool.system

    @property
    def systems(self) -> tuple[str, str]:
        """Shown names of the baseline and the system."""
        baseline, system = (self.names.get(key, key) for key in self.keys)
        return baseline, system

    @property
    def metric(self) -> str:
        """Shown name of the metric."""
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
        """Title of an axis of differences, without the unit."""
        baseline, system = self.systems
        return f"{self.metric} of {system} − {self.metric} of {baseline}"

    @property
    def procedures(self) -> dict[str, str]:
        """The procedures that can test draws of runs: names by key."""
        specs = procedures_in(self.runs, self.pool.unit)
        return {key: specs[key].name for key in on_draws()}

    @property
    def colors(self) -> dict[str, str]:
        """Colour of each system, by key."""
        return dict(figures.colors.system_colors(self.order or self.keys))

    def filled(self, template: str, **fields: str) -> str:
        """Return a template with the names, the metric and the words for runs filled in."""
        baseline, system = self.systems
        return self.runs.filled(template, baseline=baseline, system=system, metric=self.metric, **fields)


def spread_section(subject: Subject, replication: Replication, *, one_by_one: bool = False) -> Section:
    """Return Clark et al.'s Figure 2: the differences observed with k runs per system.

    Parameters
    ----------
    one_by_one
        Whether the figure shows one k at a time.
    """
    outlook = replication.outlook
    fewest_runs = min(subject.pool.sizes)
    has_figure = fewest_runs >= FEWEST_FOR_BARS
    section = Section(
        "replication",
        subject.filled("Difference by number of {runs}"),
        lead=(outlook_sentence(subject, outlook),),
        table=Table(_outlook_columns(subject), outlook, is_folded=has_figure, notation=subject.notation),
    )
    if not has_figure:
        return section

    legend = f"Bars: combinations of these {{runs}}, orange in the wrong order. Line: new {{runs}}, {ASSUMPTION}."
    if outlook["k"].max() > fewest_runs / 2:
        legend += " Beyond half of the {runs}, combinations overlap and vary too little."
    legend = f"{subject.filled(legend)} {undeclared_sentence(subject)}".rstrip()

    draw_figure = figures.spread.difference_slider if one_by_one else figures.spread.difference_ridges
    figure = partial(draw_figure, replication.frequencies, outlook, subject.quantity, subject.notation, subject.runs)
    return replace(section, figure=figure, legend=legend)


def _outlook_columns(subject: Subject) -> tuple[Column, ...]:
    """Return the columns of the outlook: for new runs, then for the combinations of these runs."""
    of_new_runs = f"of new {{runs}}, {ASSUMPTION}"
    confidence = level(subject.settings.confidence)
    columns = (
        headed("k", subject.runs.nouns, "count", help="{Runs} per system."),
        Column("standard_deviation", "SD", "number", help=f"Standard deviation of the difference {of_new_runs}."),
        Column(
            "range",
            "95% range",
            "interval",
            help=f"Central 95% of the differences {of_new_runs}.",
            fields=("low", "high"),
        ),
        headed("wrong_sign", "wrong order", "chance", help=f"Probability of the wrong order {of_new_runs}."),
        Column(
            "risk",
            f"{confidence} CI",
            "chance",
            help="Confidence interval of the probability of the wrong order.",
            fields=("risk_low", "risk_high"),
        ),
        headed(
            "at_least_half",
            "at least half",
            "chance",
            help=f"Probability of at least half the difference {of_new_runs}.",
        ),
        Column(
            "pool_standard_deviation",
            "SD (these)",
            "number",
            help="Standard deviation over the combinations of these {runs}.",
        ),
        headed(
            "pool_wrong_sign",
            "reversed (these)",
            "share",
            help="Combinations of these {runs} in the wrong order.",
            write=reversed_of,
        ),
    )
    return tuple(replace(column, help=subject.filled(column.help)) for column in columns)


def reversed_of(row: Row) -> str:
    """Return how many combinations of these runs, all or some drawn, are in the wrong order: ``3 of 9``."""
    share = row["pool_wrong_sign"]
    if share != share:
        return DASH
    if row["is_exact"]:
        n_combinations = row["n_combinations"]
        return f"{round(share * n_combinations):,} of {n_combinations:,}"
    return f"{round(share * MOST_COMBINATIONS):,} of {MOST_COMBINATIONS:,} drawn"


def outlook_sentence(subject: Subject, outlook: pd.DataFrame) -> str:
    """Return the risk of the wrong order with one run each, when it falls below 1%, and how well it is known."""
    rows = outlook.to_dict("records")
    noun = subject.runs.noun
    single_runs = rows[0]
    risk = single_runs["wrong_sign"]
    if risk != risk:
        if single_runs["expected"] == 0:
            return "Both systems score the same on average: there is no order to reverse."
        return subject.filled(
            "These {runs} cannot show how much {runs} vary, nor how often the order would be reversed."
        )
    wrong = subject.filled(
        "With one {run} each, {share} would rank {baseline} and {system} the wrong way round on this test set.",
        share=in_ten(risk),
    )
    risk_elsewhere = wrong_order_on_new_units(subject.pool)
    if risk_elsewhere == risk_elsewhere:
        wrong += f" On new {plural(subject.pool.unit)} of the same kind, {in_ten(risk_elsewhere)}."

    # From how many runs on the risk is too small to matter; said only if one run each is not enough.
    with_more_runs = ""
    if risk >= WELL_KNOWN:
        enough = [row["k"] for row in rows if row["wrong_sign"] < WELL_KNOWN]
        if enough:
            with_more_runs = f" With {counted(enough[0], noun)} each, fewer than 1 in 100."
        elif len(rows) > 1:
            most = rows[-1]
            with_more_runs = f" With {counted(most['k'], noun)} each, still {chance(most['wrong_sign'])}."

    low = single_runs["risk_low"]
    high = single_runs["risk_high"]
    known = f"The risk with one {{run}} could be anywhere from {chance(low)} to {chance(high)}"
    known += ": too few {runs} to say." if high > 0.5 else "."
    return f"{wrong}{with_more_runs} {subject.filled(known)}"


def in_ten(share: float) -> str:
    """Return a probability as ``about 3 experiments in 10``."""
    if share < WELL_KNOWN:
        return "fewer than 1 experiment in 100"
    if share <= 0.15:
        return f"about 1 experiment in {round(1 / share):,}"
    return f"about {round(10 * share)} experiments in 10"


def undeclared_sentence(subject: Subject) -> str:
    """Return a note on results that ignore how runs were declared; empty if runs are independent."""
    match subject.settings.design:
        case "paired":
            declared = "paired"
        case "fixed":
            declared = "compared with a fixed baseline"
        case _:
            return ""
    text = (
        "{Runs} were declared as {declared}. The verdict, the variance and the plan use that. Draws and the median"
        " {run} treat all {runs} as independent."
    )
    return subject.filled(text, declared=declared)


NEAR = "Near: within half the difference of the two averages, so that two medians rank the systems correctly."


def median_section(subject: Subject, median: pd.DataFrame, wanted: float | None = None) -> Section:
    """Return how often the median of k runs is near the mean, and from how many runs on it represents its system.

    Parameters
    ----------
    median
        From ``median_convergence``.
    wanted
        Required probability that the median is near; None for the default.
    """
    share = wanted or 0.95
    shown_names = dict(zip(subject.keys, subject.systems, strict=True))
    fewest_runs = runs_until_representative(median, share)

    # One row per k, one column per system.
    frame = pd.DataFrame({"k": median["k"].unique()})
    columns = [headed("k", subject.runs.nouns, "count")]
    for side, (system, rows) in enumerate(median.groupby("system", sort=False)):
        frame[f"within_{side}"] = rows["within"].array
        columns.append(Column(f"within_{side}", shown_names[str(system)], "chance"))

    lead: list[str] = []
    if wanted is not None:
        most_runs = int(frame["k"].max())
        systems_needing: dict[int | None, list[str]] = {}  # so many runs
        for system, n_runs in fewest_runs.items():
            systems_needing.setdefault(n_runs, []).append(shown_names[system])
        for n_runs, names in systems_needing.items():
            lead.append(_median_sentence(subject, listed(names), n_runs, wanted, most_runs))
    return Section(
        "median",
        subject.filled("How often the median {run} is near its system's mean"),
        lead=tuple(lead),
        table=Table(tuple(columns), frame, is_folded=True),
        figure=lambda: figures.planning.median_curves(median, subject.colors, share, subject.runs),
        legend=NEAR,
    )


PUBLISHED_DRAWS = 250  # for each number of runs


def published_section(subject: Subject, published: pd.DataFrame, n_draws: int) -> Section:
    """Return Clark et al.'s Table 2: which runs, and for each procedure p or the central 95% of p."""
    alpha = subject.settings.level
    case_fields = ["n", "baseline_run", "system_run"]

    # One row per case, that is number and choice of runs, with a column per procedure.
    rows = []
    for case, answers in published.groupby(case_fields, sort=False):
        row = dict(zip(case_fields, case, strict=True))
        for answer in answers.to_dict("records"):
            row[answer["procedure"]] = _p_range(answer)
        rows.append(row)
    columns = [headed("n", subject.runs.nouns, "word", help=subject.filled("{Runs} per system."))]
    for side in ("baseline", "system"):
        columns.append(headed(f"{side}_run", side, "word"))
    for procedure in published["procedure"].unique():
        columns.append(headed(procedure, subject.procedures[procedure], "p", write=itemgetter(procedure)))

    in_papers = listed([subject.procedures[key] for key, spec in on_draws().items() if spec.reproduces])
    shuffles = counted(subject.settings.n_shuffles, "shuffle")
    draws = counted(n_draws, "draw")
    return Section(
        "published",
        subject.filled("p-values with fewer {runs}"),
        table=Table(tuple(columns), pd.DataFrame(rows), f"p, or the central 95% of {draws}", is_folded=True),
        figure=lambda: figures.luck.p_value_ranges(published, subject.procedures, alpha, subject.runs),
        legend=f"Dot: median of {draws}. Bar: central 95% ({shuffles}). Used in papers: {in_papers}.",
    )


def _p_range(row: Mapping[Any, Any]) -> str:
    """Return ``0.130``, or ``< 0.001 to 0.701`` over several draws; a dash if the procedure gives no answer."""
    if row["n_draws"] == 1 or row["p_low"] != row["p_low"]:
        return p_value(row["p_median"])
    return f"{p_value(row['p_low'])} to {p_value(row['p_high'])}"


def conclusions_section(subject: Subject, published: pd.DataFrame) -> Section:
    """Return what the draws would have concluded by each procedure."""
    is_drawn = published["baseline_run"].isin((RANDOM, ALL))
    alpha = level(subject.settings.level)
    columns = (
        Column("n", subject.runs.nouns.capitalize(), write=lambda row: f"{row['n']} each"),
        Column("procedure", "Procedure", write=lambda row: subject.procedures[row["procedure"]]),
        Column("n_draws", "Draws", "count"),
        *(headed(key, name, "share") for key, name in subject.notation.conclusions.items()),
        headed("p_median", "median p", "p"),
    )
    caption = f"Conclusions of the draws at {alpha}, each as the only comparison of its paper."
    return Section("conclusions", "", table=Table(columns, published[is_drawn], caption, is_folded=True))


def truth_sentence(subject: Subject, verdict: Verdict | None) -> str:
    """Return which of the conclusions is right, and on what assumption; that none is known if the verdict is open."""
    if verdict is None:
        return ""
    match verdict.both:
        case "open":
            why = "luck could explain the difference between all {runs}"
        case "refused":
            why = "these {runs} give no verdict"
        case "ruled out" if verdict.is_provisional:
            why = "the verdict from two {runs} is provisional"
        case "ruled out":
            direction = "worse"
            if verdict.improvement > 0:
                direction = "better"
            right = verdict.notation.conclusions[direction]
            return f"The right conclusion is “{right}”, {ASSUMPTION}."
    return subject.filled(f"Which conclusion is right is unknown: {why}.")


Test = tuple[str, int, tuple[float, float]]  # procedure, runs per system, lowest and highest possible difference


def draws_section(
    subject: Subject, drawn: pd.DataFrame, test: Test, odds: pd.DataFrame | None, verdict: Verdict | None
) -> Section:
    """Return what the last draw would have published, all draws so far, and all combinations.

    Parameters
    ----------
    drawn
        Has the columns of ``analysis.replication.draws.trials``.
    test
        How the draws are tested.
    odds
        One row with the columns ``ODDS``; None until it is known.
    """
    procedure, k, possible_differences = test
    names = conclusions_by_key(subject.notation)

    def named_conclusion(row: Row) -> Cell:
        return Cell.of(names[row["conclusion"]])

    # One row per conclusion: its share of the draws so far, and of all combinations.
    conclusions = drawn["conclusion"].dropna()
    frame = pd.DataFrame({"conclusion": list(names)})
    frame["drawn"] = [float((conclusions == key).mean()) for key in names]
    columns = [
        Column("conclusion", "", "verdict", write=named_conclusion),
        headed("drawn", f"so far ({len(drawn):,})", "share"),
    ]
    if odds is not None:
        only_row = odds.iloc[0]
        n_draws = int(only_row["n_draws"])
        heading = counted(n_draws, "other draw")
        if only_row["is_exact"]:
            heading = all_counted(n_draws, "combination")
        frame["odds"] = [float(only_row[key]) for key in names]
        columns.append(Column("odds", heading, "share"))

    return Section(
        "draws",
        "",
        lead=_latest(subject, drawn),
        table=Table(tuple(columns), frame, "Conclusions of these experiments"),
        figure=lambda: figures.luck.luck_histogram(
            drawn, possible_differences, subject.pool.difference, subject.quantity, subject.notation, subject.runs
        ),
        notes=noted(truth_sentence(subject, verdict), _bound_sentence(subject, procedure, k)),
    )


def _bound_sentence(subject: Subject, procedure: str, k: int) -> str:
    """Return that a permutation of so few runs cannot be significant; else empty."""
    smallest = smallest_p_value(k, k, "two-sided")
    if procedure != RUN_PERMUTATION.key or smallest <= subject.settings.level:
        return ""
    return f"With {counted(k, subject.runs.noun)} per system this test cannot give p below {p_value(smallest)}."


def _latest(subject: Subject, drawn: pd.DataFrame) -> tuple[str, ...]:
    """Return what the last draw would have published: difference, p-value, conclusion, and its runs."""
    if drawn.empty:
        return (subject.filled("Which {runs} will you get? Draw."),)
    last = drawn.iloc[-1]
    baseline, system = subject.systems
    better, worse = subject.notation.comparatives
    match last["conclusion"]:
        case "better":
            published = f"Published: {system} is {better} than {baseline}."
        case "worse":
            published = f"Published: {system} is {worse} than {baseline}."
        case "open":
            published = "Published: no clear difference."
        case _:
            published = "The test gives no result."
    difference = subject.notation.difference(float(last["difference"]))

    drawn_runs = []
    for name, keys in ((baseline, last["baseline_runs"]), (system, last["system_runs"])):
        noun = agreeing(len(keys), subject.runs.noun, subject.runs.nouns)
        drawn_runs.append(f"{name}: {noun} {', '.join(keys)}")
    result = f"{difference} {subject.metric}, {p_equals(float(last['p_value']))}. {published}"
    return result, " · ".join(drawn_runs)


def median_refusal(subject: Subject, unknown_spread: str) -> str:
    """Return why the median run is unavailable; empty if it is available.

    Parameters
    ----------
    unknown_spread
        A template of why the variation between runs is unknown; empty if it is known.
    """
    if unknown_spread:
        return subject.filled(f"{unknown_spread} So the median of other {{runs}} is unknown.")
    if subject.pool.difference == 0:
        return "The systems score the same on average, so no median can be near."
    return ""


def _median_sentence(subject: Subject, systems: str, n_runs: int | None, share: float, most_runs: int) -> str:
    """Return from how many runs on the median run represents these systems; None if not even with most runs."""
    match n_runs:
        case None:
            text = (
                "{whose}: even the median of {most} is near the mean less than {share} of the time. Don't use it for"
                " analysis."
            )
            most = counted(most_runs, subject.runs.noun)
            return subject.filled(text, whose=systems, most=most, share=level(share))
        case 1:
            text = "{whose}: any single {run} is near the mean at least {share} of the time."
            return subject.filled(text, whose=systems, share=level(share))
    text = "{whose}: the median of {fewest} or more is near the mean at least {share} of the time."
    return subject.filled(text, whose=systems, fewest=counted(n_runs, subject.runs.noun), share=level(share))
