"""Where the variance of a difference comes from, and what the next experiment would find: plans, power, looks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import pandas as pd

from mteval import figures
from mteval.analysis.replication import planning
from mteval.analysis.replication.differences import replication
from mteval.analysis.replication.planning import Plan, Prospect, Wish
from mteval.analysis.replication.pool import Pool, Variation, uncertainty_frame, variance_frame
from mteval.analysis.results import Results
from mteval.answers.replication import Subject, spread_section
from mteval.answers.runs import larger_source
from mteval.answers.section import Column, Section, Table, noted
from mteval.base.store import kept_beside
from mteval.base.words import agreeing, counted, listed, plural
from mteval.stats.planning import LookPower
from mteval.values.notation import fixed, level, percent, significant
from mteval.values.run_words import RunWord
from mteval.values.settings import SPENDING_NAMES, Design, LookPlan, looks_in_words


def variance_section(about: Subject, variation: Variation) -> Section:
    """Where the variance of a score and of a difference comes from, and what to do about it."""
    named = variance_frame(about.pool, variation, about.systems, about.runs)

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
        lambda: figures.planning.variance_bars(named, about.metric, about.notation),
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


TABLED = (2, 3, 5, 10, 20, 50)  # numbers of runs, of those that a curve has


def plan_words(plan: LookPlan) -> str:
    """What a plan holds, for who chooses it."""
    levels = ", ".join(
        f"{number}: {significant(100 * one, 2)}%" for number, one in zip(plan.looks, plan.levels, strict=True)
    )
    return (
        f"Levels by number of runs ({SPENDING_NAMES[plan.spending]}) {levels}. Over all looks at most"
        f" {percent(plan.attained)} of experiments without a difference claim one, where runs shift up to five times"
        f" the noise of one and up to 5:1 between the systems; up to {percent(plan.beyond)} in harder settings."
        f" Testing at {level(plan.level)} at every look claims up to {percent(plan.unplanned)}."
    )


def _look_power_sentence(plan: LookPlan, power: LookPower, what: str, runs: RunWord) -> str:
    """What a plan finds, look by look, and how many runs it takes on average."""
    by_look = [f"{percent(share, 0)} by {number}" for number, share in zip(plan.looks, power.found, strict=True)]
    return (
        f"With looks at {looks_in_words(plan.looks, runs.nouns)} of each system {what} is found with probability"
        f" {listed(by_look)} {runs.nouns}; on average {fixed(power.mean_runs, 1)} of the"
        f" {counted(plan.looks[-1], runs.noun)} are made."
    )


def unplanned_sentence(seen: Sequence[int], runs: RunWord) -> str:
    """What it means that the same systems were scored before with fewer runs."""
    counts = f"{listed([str(number) for number in seen])} {runs.noun if list(seen) == [1] else runs.nouns}"
    return (
        f"These systems were scored before with {counts} of each. If {runs.nouns} were added because of what was seen"
        " then, p of both kinds of luck is too small: say so in the settings, under “Runs added after looking”."
    )


def planned_runs(design: Design, runs: RunWord, number: int | None = None) -> str:
    """What a plan counts, or so many of it."""
    made, pairs = (runs.nouns, "pairs") if number is None else (counted(number, runs.noun), counted(number, "pair"))
    return {
        "independent": f"{made} of each system", "paired": f"{pairs} of {runs.nouns}", "fixed": f"{made} of the system"
    }[design]  # fmt: skip


def _wanted(about: Subject, wish: Wish) -> str:
    return f"a true difference of {about.notation.chosen(wish.target)} {about.metric}"


def plan_section(
    about: Subject,
    plan: Plan,
    power: pd.DataFrame,
    looks: LookPower | None = None,
    tabled: Collection[int] = TABLED,
) -> Section:
    """What the wish takes, power by number of runs and size of the test set, and what planned looks find.

    Parameters
    ----------
    power
        From ``power_frame``.
    looks
        What the looks of the settings find, where some are planned.
    tabled
        The numbers of runs that the table has.
    """
    planned = planned_runs(plan.design, about.runs)

    columns = (
        Column("n_runs", about.runs.nouns, "count", f"{planned.capitalize()}."),
        Column("n_units", plural(plan.unit), "count", "Size of the test set."),
        Column("power", "power", "share", "Probability of finding the target."),
        Column("detectable", "detectable", "number", f"Difference found with {level(plan.wish.power)} power."),
    )
    lead, notes, look_plan = plan_sentences(about, plan), [], about.settings.look_plan
    if looks is not None and look_plan is not None:
        lead.append(_look_power_sentence(look_plan, looks, _wanted(about, plan.wish), about.runs))
        notes.append(plan_words(look_plan))
    losing = planning.runs_that_lose_power(power)
    if losing is not None:
        text = (
            "With {made} of each system or fewer, a larger test set can have less power here. The {units} that it adds"
            " take away the uncertainty that is well known; what is left comes from {runs}, so few of which say little"
            " of how much they vary, and the test has to allow for that. More {runs} mend it."
        )
        notes.append(about.filled(text, made=counted(losing, about.runs.noun), units=plural(plan.unit)))
    rows = power[power["n_runs"].isin(tabled)]
    table = Table(columns, rows, groups="n_units", is_folded=True, notation=about.notation)
    curves = plan.wish.power, plan.unit, planned, about.runs
    return Section(
        "power", "Plan", tuple(lead), table, lambda: figures.planning.power_curves(power, *curves),
        _power_legend(about, plan), noted(*notes),
    )  # fmt: skip


def _power_legend(about: Subject, plan: Plan) -> str:
    alpha = 1 - about.settings.confidence
    n_compared = round(alpha / plan.wish.level)
    made = f"Two-sided at the {level(plan.wish.level)} level of the settings."
    if n_compared > 1:
        made = (
            f"Two-sided at {percent(plan.wish.level, 2)}: the {level(alpha)} of the settings over"
            f" {counted(n_compared, 'system')} compared with the baseline, the strictest step of Holm's correction."
        )
    text = (
        f"Power of the two-way procedure, found in the right direction. {made} The target is a difference that would"
        " matter, chosen beforehand: with the observed one, power says nothing that p has not said."
    )
    if plan.unit == "document":
        text += " The test set is counted in documents because its sentences are not independent within them."
    return text


@kept_beside  # the page of a report and its files show the same ones
def prospect_sections(results: Results, metric: str) -> list[Section]:
    """What other runs would show and what it would take: of each system the difference, its variance and the power."""
    here, order = (results.test_set.name, metric), tuple(system.key for system in results.experiment.systems)
    n_compared = len(results.systems) - 1
    found: list[Section] = []
    for prospect in (one for one in results.evaluation.prospects if (one.test_set, one.metric) == here):
        about = Subject(prospect, results.spec(metric), results.settings, order=order)
        for section in _prospect(about, prospect, n_compared):
            one = replace(section, key=f"{metric}-{section.key}")
            if n_compared > 1:  # which system is said where there are several
                one = replace(one, key=f"{one.key}-{prospect.system}", title=f"{prospect.system}: {one.title}")
            found.append(one)
    return found


def _prospect(about: Subject, prospect: Prospect, n_compared: int) -> Iterator[Section]:
    settings, variation, n_units = about.settings, prospect.variation, prospect.n_units
    yield spread_section(about, replication(prospect, settings, min(prospect.sizes)))
    yield variance_section(about, variation)
    wish = planning.usual_wish(about.notation, settings, n_compared)
    power = planning.power_frame(variation.sources, planning.RUNS_PLANNED, planning.planned_sizes(n_units), wish)
    plan = settings.look_plan
    looks = None if plan is None else planning.plan_of_looks(variation.sources, n_units, wish, plan, n_compared)
    yield plan_section(about, planning.plan_from(prospect, variation, wish), power, looks)


def detectable_section(about: Subject, plan: Plan, power: pd.DataFrame) -> Section:
    """The smallest difference that is found with the wanted power."""
    how = plan.wish.target, plan.unit, about.metric, about.notation, planned_runs(plan.design, about.runs), about.runs
    return Section(
        "detectable", f"Difference found with {level(plan.wish.power)} power",
        figure=lambda: figures.planning.detectable_curves(power, *how),
    )  # fmt: skip


def splits_section(about: Subject, plan: Plan, splits: pd.DataFrame) -> Section:
    """What other divisions of the same number of runs would find; a few of them.

    ``splits`` is from ``splits_frame``, of twice as many runs as the plan has.
    """
    total = 2 * plan.n_runs
    wanted = {round(2 + share * (total - 4)) for share in (0, 0.25, 0.5, 0.75, 1)}
    columns = (
        Column("n_baseline", "Baseline and system", write=lambda row: f"{row['n_baseline']} and {row['n_system']}"),
        Column("power", "power", "share"),
        Column("detectable", "detectable difference", "number"),
    )
    made, units = counted(total, about.runs.noun), counted(plan.n_units, plan.unit)
    caption = f"What other divisions of {made} would find, on {units}."
    rows = splits[splits["n_baseline"].isin(wanted)]
    return Section("splits", "", table=Table(columns, rows, caption, notation=about.notation))


def plan_sentences(about: Subject, plan: Plan) -> list[str]:
    """What the wish takes: runs on this test set, the range that the runs at hand leave, test set for these runs."""
    runs, units = about.runs, counted(plan.n_units, plan.unit)
    what = f"{_wanted(about, plan.wish)} with {level(plan.wish.power)} power"
    if plan.runs is None:
        first = (
            f"No number of {runs.nouns} suffices to find {what} on {units}: even endless {runs.nouns} reveal only"
            f" differences above {about.notation.number(plan.detectable_at_best)} with that power."
        )
    else:
        first = (
            f"{planned_runs(plan.design, runs, plan.runs)} {agreeing(plan.runs, 'finds', 'find')} {what} on {units}."
        )
        if (plan.runs_if_less, plan.runs_if_more) != (plan.runs, plan.runs):
            less, more = (
                f"more {runs.nouns} than can be made" if n is None else counted(n, runs.noun)
                for n in (plan.runs_if_less, plan.runs_if_more)
            )
            first += f" How much {runs.nouns} vary is itself uncertain: between {less} and {more} may be needed."
    these = f"With {planned_runs(plan.design, runs, plan.n_runs)}"
    if plan.units is None:
        return [first, f"{these} no test set is large enough for it."]
    second = f"{these} a test set of {counted(plan.units, plan.unit)} suffices."
    if plan.n_units > plan.units and (plan.runs is None or plan.runs > plan.n_runs):
        second += f" One of {units} does not: so few {runs.nouns} say too little of how much {runs.nouns} vary."
    return [first, second]


def convince_sentence(about: Subject, plan: Plan) -> str:
    """How many more runs or units than the plan's it takes."""
    n_runs, runs = plan.n_runs, about.runs
    what = f"To find {_wanted(about, plan.wish)} with {level(plan.wish.power)} power"
    if plan.runs is not None and plan.runs <= n_runs:
        return f"{what}, these {runs.nouns} on this test set suffice."
    made = (
        f"no number of {runs.nouns} suffices on {counted(plan.n_units, plan.unit)}"
        if plan.runs is None
        else f"it takes {planned_runs(plan.design, runs, plan.runs)}, {plan.runs - n_runs:,} more"
    )
    if plan.units is None:
        units = f"with these {runs.nouns} no test set is large enough"
    elif plan.units <= plan.n_units:
        units = f"more of the test set would not help: so few {runs.nouns} say too little of how much {runs.nouns} vary"
    else:
        more, made_now = plan.units - plan.n_units, planned_runs(plan.design, runs, n_runs)
        units = f"with {made_now} it takes {counted(plan.units, plan.unit)}, {more:,} more"
    return f"{what}, {made}; {units}."
