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
from mteval.analysis.replication.planning import Replication, runs_until_representative
from mteval.analysis.replication.pool import Runs
from mteval.answers.section import Cell, Column, Row, Section, Table, headed, noted
from mteval.base.words import agreeing, all_counted, counted, listed
from mteval.metrics.base import MetricSpec
from mteval.stats.procedures.classical import RUN_PERMUTATION, smallest_p_value
from mteval.stats.procedures.registry import on_draws, procedures_in
from mteval.stats.replication import MOST_COMBINATIONS
from mteval.values.notation import DASH, Notation, chance, level, p_equals, p_value
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings
from mteval.values.verdict import Role, Verdict

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


def spread_section(about: Subject, found: Replication, *, one_by_one: bool = False) -> Section:
    """Return Clark et al.'s Figure 2: the differences observed with k runs per system.

    Parameters
    ----------
    one_by_one
        Whether the figure shows one k at a time.
    """
    fewest = min(about.pool.sizes)
    is_drawn, title = fewest >= FEWEST_FOR_BARS, about.filled("Difference by number of {runs}")
    table = Table(_outlook_columns(about), found.outlook, is_folded=is_drawn, notation=about.notation)
    section = Section("replication", title, (outlook_sentence(about, found.outlook),), table)
    if not is_drawn:
        return section
    legend = f"Bars: combinations of these {{runs}}, orange in the wrong order. Line: new {{runs}}, {ASSUMPTION}."
    if found.outlook["k"].max() > fewest / 2:
        legend += " Beyond half of the {runs}, combinations overlap and vary too little."
    legend = f"{about.filled(legend)} {undeclared_sentence(about)}".rstrip()
    draw = figures.spread.difference_slider if one_by_one else figures.spread.difference_ridges
    drawn = found.frequencies, found.outlook, about.quantity, about.notation, about.runs
    return replace(section, figure=partial(draw, *drawn), legend=legend)


def _outlook_columns(about: Subject) -> tuple[Column, ...]:
    new, confidence = f"of new {{runs}}, {ASSUMPTION}", level(about.settings.confidence)
    columns = (
        headed("k", about.runs.nouns, "count", help="{Runs} per system."),
        Column("standard_deviation", "SD", "number", f"Standard deviation of the difference {new}."),
        Column("range", "95% range", "interval", f"Central 95% of the differences {new}.", ("low", "high")),
        headed("wrong_sign", "wrong order", "chance", help=f"Probability of the wrong order {new}."),
        Column("risk", f"{confidence} CI", "chance", "Confidence interval of the probability of the wrong order.",
               ("risk_low", "risk_high")),
        headed("at_least_half", "at least half", "chance", help=f"Probability of at least half the difference {new}."),
        Column("pool_standard_deviation", "SD (these)", "number",
               "Standard deviation over the combinations of these {runs}."),
        headed("pool_wrong_sign", "reversed (these)", "share", write=reversed_of,
               help="Combinations of these {runs} in the wrong order."),
    )  # fmt: skip
    return tuple(replace(column, help=about.filled(column.help)) for column in columns)


def reversed_of(row: Row) -> str:
    """Return how many combinations of these runs, all or some drawn, are in the wrong order: ``3 of 9``."""
    share, n = row["pool_wrong_sign"], row["n_combinations"] if row["is_exact"] else MOST_COMBINATIONS
    return DASH if share != share else f"{round(share * n):,} of {n:,}{'' if row['is_exact'] else ' drawn'}"


def outlook_sentence(about: Subject, outlook: pd.DataFrame) -> str:
    """Return the risk of the wrong order with one run each, when it falls below 1%, and how well it is known."""
    rows, noun = outlook.to_dict("records"), about.runs.noun
    first, last = rows[0], rows[-1]
    risk, low, high = first["wrong_sign"], first["risk_low"], first["risk_high"]
    if risk != risk and first["expected"] != 0:
        return about.filled("These {runs} cannot show how much {runs} vary, nor how often the order would be reversed.")
    if risk != risk:
        return "Both systems score the same on average: there is no order to reverse."
    text, safe = "", [row["k"] for row in rows if row["wrong_sign"] < WELL_KNOWN]
    if risk >= WELL_KNOWN and safe:
        text = f" With {counted(safe[0], noun)} each, fewer than 1 in 100."
    elif risk >= WELL_KNOWN and len(rows) > 1:
        text = f" With {counted(last['k'], noun)} each, still {chance(last['wrong_sign'])}."
    few = ": too few {runs} to say." if high > 0.5 else "."
    wrong = "With one {run} each, {share} would rank {baseline} and {system} the wrong way round."
    known = f"The risk with one {{run}} could be anywhere from {chance(low)} to {chance(high)}{few}"
    return f"{about.filled(wrong, share=in_ten(risk))}{text} {about.filled(known)}"


def in_ten(share: float) -> str:
    """Return a probability as ``about 3 experiments in 10``."""
    if share < WELL_KNOWN:
        return "fewer than 1 experiment in 100"
    if share <= 0.15:
        return f"about 1 experiment in {round(1 / share):,}"
    return f"about {round(10 * share)} experiments in 10"


def undeclared_sentence(about: Subject) -> str:
    """Return a note on results that ignore how runs were declared; empty if runs are independent."""
    declared = {"paired": "paired", "fixed": "compared with a fixed baseline"}.get(about.settings.design)
    text = (
        "{Runs} were declared as {declared}. The verdict, the variance and the plan use that. Draws and the median"
        " {run} treat all {runs} as independent."
    )
    return about.filled(text, declared=declared) if declared else ""


NEAR = "Near: within half the difference of the two averages, so that two medians rank the systems correctly."


def median_section(about: Subject, median: pd.DataFrame, wanted: float | None = None) -> Section:
    """Return how often the median of k runs is near the mean, and from how many runs on it represents its system.

    Parameters
    ----------
    median
        From ``median_convergence``.
    wanted
        Required probability that the median is near; None for the default.
    """
    shown, fewest = dict(zip(about.keys, about.systems, strict=True)), runs_until_representative(median, wanted or 0.95)
    within = [(f"within_{side}", rows) for side, (_, rows) in enumerate(median.groupby("system", sort=False))]
    frame = pd.DataFrame({"k": median["k"].unique(), **{key: rows["within"].array for key, rows in within}})
    columns = [Column(key, shown[system], "chance") for (key, _), system in zip(within, fewest, strict=True)]
    most = int(frame["k"].max())
    says = () if wanted is None else (_median_sentence(about, shown[key], n, wanted, most) for key, n in fewest.items())
    title = about.filled("How often the median {run} is near its system's mean")
    table = Table((headed("k", about.runs.nouns, "count"), *columns), frame, is_folded=True)
    how = median, about.colors, wanted or 0.95, about.runs
    return Section("median", title, tuple(says), table, lambda: figures.planning.median_curves(*how), NEAR)


PUBLISHED_DRAWS = 250  # for each number of runs
_ROLES: Mapping[str, Role] = {"better": "apart", "open": "open", "worse": "bad"}  # with the colours of the figure


def published_section(about: Subject, published: pd.DataFrame, n_draws: int) -> Section:
    """Return Clark et al.'s Table 2: which runs, and for each procedure p or the central 95% of p."""
    alpha, cases = 1 - about.settings.confidence, ["n", "baseline_run", "system_run"]
    rows = [
        dict(zip(cases, case, strict=True)) | {row["procedure"]: _p_range(row) for row in found.to_dict("records")}
        for case, found in published.groupby(cases, sort=False)
    ]
    columns = (
        headed("n", about.runs.nouns, "word", help=about.filled("{Runs} per system.")),
        *(headed(key, key.removesuffix("_run"), "word") for key in cases[1:]),
        *(headed(key, about.procedures[key], "p", write=itemgetter(key)) for key in published["procedure"].unique()),
    )
    in_papers = listed([about.procedures[key] for key, spec in on_draws().items() if spec.reproduces])
    shuffles, draws = counted(about.settings.n_shuffles, "shuffle"), counted(n_draws, "draw")
    title = about.filled("p-values: single {runs}, then the central 95% of {draws}", draws=draws)
    legend = f"Dot: median p of the draws. Bar: central 95% ({shuffles}). Used in papers: {in_papers}."
    table, how = Table(columns, pd.DataFrame(rows), is_folded=True), (published, about.procedures, alpha, about.runs)
    return Section("published", title, (), table, lambda: figures.luck.p_value_ranges(*how), legend)


def _p_range(row: Mapping[Any, Any]) -> str:
    """Return ``0.130``, or ``< 0.001 to 0.701`` over several draws; a dash if the procedure gives no answer."""
    if row["n_draws"] == 1 or row["p_low"] != row["p_low"]:
        return p_value(row["p_median"])
    return f"{p_value(row['p_low'])} to {p_value(row['p_high'])}"


def conclusions_section(about: Subject, published: pd.DataFrame) -> Section:
    """Return what the draws would have concluded by each procedure."""
    several, alpha = published[published["baseline_run"].isin((RANDOM, ALL))], level(1 - about.settings.confidence)
    columns = (
        Column("n", about.runs.nouns.capitalize(), write=lambda row: f"{row['n']} each"),
        Column("procedure", "Procedure", write=lambda row: about.procedures[row["procedure"]]),
        Column("n_draws", "Draws", "count"),
        *(headed(key, name, "share") for key, name in about.notation.conclusions.items()),
        headed("p_median", "median p", "p"),
    )
    caption = f"Conclusions of the draws at {alpha}, each as its paper's only comparison."
    return Section("conclusions", "", table=Table(columns, several, caption, is_folded=True))


def truth_sentence(about: Subject, verdict: Verdict | None) -> str:
    """Return which of the conclusions is right, and on what assumption; that none is known if the verdict is open."""
    if verdict is None:
        return ""
    if verdict.both == "ruled out" and not verdict.is_provisional:
        right = verdict.notation.conclusions["better" if verdict.improvement > 0 else "worse"]
        return f"The right conclusion is “{right}”, {ASSUMPTION}."
    why = {
        "open": "luck could explain the difference between all {runs}",
        "refused": "these {runs} give no verdict",
        "ruled out": "the verdict from two {runs} is provisional",
    }[verdict.both]
    return about.filled(f"Which conclusion is right is unknown: {why}.")


Test = tuple[str, int, tuple[float, float]]  # procedure, runs per system, lowest and highest possible difference


def draws_section(
    about: Subject, drawn: pd.DataFrame, test: Test, odds: pd.DataFrame | None, verdict: Verdict | None
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
    answered, names = drawn["conclusion"].dropna(), about.notation.conclusions
    rows = pd.DataFrame({"conclusion": list(names), "drawn": [float((answered == key).mean()) for key in names]})

    def named(row: Row) -> Cell:
        return Cell(names[row["conclusion"]], shape="■", role=_ROLES[row["conclusion"]])

    columns = [Column("conclusion", "", "verdict", write=named), headed("drawn", f"so far ({len(drawn):,})", "share")]
    if odds is not None:
        row, n_draws = odds.iloc[0], int(odds["n_draws"].iloc[0])
        name = all_counted(n_draws, "combination") if row["is_exact"] else counted(n_draws, "other draw")
        rows = rows.assign(odds=[float(row[key]) for key in names])
        columns.append(Column("odds", name, "share"))
    procedure, k, extent = test
    how = extent, about.pool.difference, about.quantity, about.notation, about.runs
    return Section(
        "draws", "", _latest(about, drawn),
        Table(tuple(columns), rows, "Conclusions of these experiments"),
        lambda: figures.luck.luck_histogram(drawn, *how),
        notes=noted(truth_sentence(about, verdict), _bound_sentence(about, procedure, k)),
    )  # fmt: skip


def _bound_sentence(about: Subject, procedure: str, k: int) -> str:
    """Return that a permutation of so few runs cannot be significant; else empty."""
    smallest = smallest_p_value(k, k, "two-sided")
    if procedure != RUN_PERMUTATION.key or smallest <= 1 - about.settings.confidence:
        return ""
    return f"With {counted(k, about.runs.noun)} per system this test cannot give p below {p_value(smallest)}."


def _latest(about: Subject, drawn: pd.DataFrame) -> tuple[str, ...]:
    """Return what the last draw would have published: difference, p-value, conclusion, and its runs."""
    if drawn.empty:
        return (about.filled("Which {runs} will you get? Draw."),)
    last, (baseline, system) = drawn.iloc[-1], about.systems
    better, worse = about.notation.comparatives
    published = {
        "better": f"{system} is {better} than {baseline}", "worse": f"{system} is {worse} than {baseline}",
        "open": "no clear difference",
    }  # fmt: skip
    conclusion, difference = last["conclusion"], about.notation.difference(float(last["difference"]))
    says = "The test gives no result." if conclusion is None else f"Published: {published[conclusion]}."
    drawn_runs = zip(about.systems, (last["baseline_runs"], last["system_runs"]), strict=True)
    named = (
        (name, agreeing(len(keys), about.runs.noun, about.runs.nouns), ", ".join(keys)) for name, keys in drawn_runs
    )
    whose = " · ".join(f"{name}: {noun} {keys}" for name, noun, keys in named)
    return f"{difference} {about.metric}, {p_equals(float(last['p_value']))}. {says}", whose


def median_refusal(about: Subject, unknown_spread: str) -> str:
    """Return why the median run is unavailable; empty if it is available.

    Parameters
    ----------
    unknown_spread
        A template of why the variation between runs is unknown; empty if it is known.
    """
    if unknown_spread:
        return about.filled(f"{unknown_spread} So the median of other {{runs}} is unknown.")
    return "The systems score the same on average, so no median can be near." if about.pool.difference == 0 else ""


def _median_sentence(about: Subject, system: str, runs: int | None, share: float, most: int) -> str:
    """Return from how many runs on the median run represents its system."""
    text = {
        None: "even the median of {most} is near the mean less than {share} of the time. Don't use it for analysis.",
        1: "any single {run} is near the mean at least {share} of the time.",
    }.get(runs, "the median of {fewest} or more is near the mean at least {share} of the time.")
    noun = about.runs.noun
    return about.filled(
        f"{{whose}}: {text}", whose=system, most=counted(most, noun), fewest=counted(runs or 0, noun),
        share=level(share),
    )  # fmt: skip
