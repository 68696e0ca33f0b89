"""Sources of variance, power, and plans for the next experiment."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import pandas as pd

from mteval import figures
from mteval.analysis.replication import planning
from mteval.analysis.replication.planning import Plan, Wish, replication
from mteval.analysis.replication.pool import Pool, Prospect, Variation, uncertainty_frame, variance_frame
from mteval.analysis.results import Results
from mteval.answers.replication import Subject, spread_section
from mteval.answers.runs import larger_source
from mteval.answers.section import Column, Section, Table, headed, noted
from mteval.base.store import kept_beside
from mteval.base.words import agreeing, counted, listed, plural
from mteval.stats.planning import LookPower
from mteval.stats.procedures.randomization import units_needed
from mteval.values.notation import fixed, level, percent, significant
from mteval.values.run_words import RunWord
from mteval.values.settings import SPENDING_NAMES, Design, LookPlan, looks_in_words

_EACH_SHIFTS = (
    "{Runs}: {a_run} shifts all segments together. Test set: segments shift all {runs} together. {Runs} × test set:"
    " {a_run} shifts single segments."
)


def variance_section(about: Subject, variation: Variation) -> Section:
    """Return the sources of variance of a score and of a difference, with advice."""
    named = variance_frame(about.pool, variation, about.systems, about.runs)
    sources = [str(source) for source in named["source"].unique()]
    rows = [
        {"what": what, "s": float(parts["variance"].sum()) ** 0.5, **dict(zip(sources, parts["share"], strict=True))}
        for what, parts in named.groupby("what", sort=False)
    ]
    frame, shares = pd.DataFrame(rows), (headed(source, source, "share") for source in sources)
    columns = [headed("what", "variance of", "word"), Column("s", "SD", "number"), *shares]
    advice = advice_sentence(about, [float(rows[-1][source]) for source in sources])
    table, how = Table(tuple(columns), frame, is_folded=True, notation=about.notation), (about.metric, about.notation)
    section = Section("variance", "Where the variance comes from", (advice,), table, legend=about.filled(_EACH_SHIFTS))
    return replace(section, figure=lambda: figures.planning.variance_bars(named, *how))


def uncertainty_section(about: Subject, pool: Pool, variation: Variation) -> Section:
    """Return how precisely the standard deviations are known."""
    columns = (
        Column("source", "Standard deviation"),
        headed("standard_deviation", "estimate"),
        headed("df", "degrees of freedom", write=lambda row: f"{round(row['df'], 1):,g}"),
        Column("range", "95% CI", "range", "Chi-square interval.", ("low", "high")),
    )
    frame = uncertainty_frame(pool, variation, about.systems, about.runs)
    caption = f"How precisely the standard deviations are known ({about.metric})"
    return Section("uncertainty", "", table=Table(columns, frame, caption, notation=about.notation.finer))


def advice_sentence(about: Subject, shares: Sequence[float]) -> str:
    """Return whether more runs or more segments would help, from the shares of runs, test set and both."""
    runs, test_set, both = shares
    text = {
        "runs": "Make more {runs}: they cause {of_runs} of the uncertainty.",
        "test set": "Get more {unit}s: they cause {of_test_set} of the uncertainty.",
        "both": "More {runs} and more {unit}s would both help. {of_runs} of the uncertainty comes from {runs},"
        " {of_test_set} from the test set, {of_both} from both.",
    }[larger_source(runs + both, test_set + both)]
    return about.filled(
        text, unit=about.pool.unit, of_runs=percent(runs), of_test_set=percent(test_set), of_both=percent(both)
    )


_LOSES_POWER = (
    "With {made} per system or fewer, a larger test set can reduce power, because the variance over {runs} is"
    " uncertain. Add {runs}."
)
_NO_SAMPLES = "How samples of one model vary is unknown, so the plan takes all variation as that of the test set."
TABLED = (1, 2, 3, 5, 10, 20, 50)  # numbers of runs, of those that a curve has


def plan_words(plan: LookPlan) -> str:
    """Return the levels and error rates of a plan of interim analyses."""
    pairs = zip(plan.looks, plan.levels, strict=True)
    levels = ", ".join(f"{significant(100 * one, 2)}% at {number}" for number, one in pairs)
    return (
        f"Levels ({SPENDING_NAMES[plan.spending]}): {levels}. At most {percent(plan.attained)} false positives over all"
        f" analyses, {percent(plan.beyond)} in extreme settings. Testing at {level(plan.level)} each time gives up to"
        f" {percent(plan.unplanned)}."
    )


def _look_power_sentence(plan: LookPlan, power: LookPower, what: str, runs: RunWord) -> str:
    """Return the power after each interim analysis, and the mean number of runs."""
    by_look = [f"{percent(share, 0)} by {number}" for number, share in zip(plan.looks, power.found, strict=True)]
    return (
        f"With interim analyses at {looks_in_words(plan.looks, runs.nouns)} per system, the power for {what} is"
        f" {listed(by_look)} {runs.nouns}. On average, {fixed(power.mean_runs, 1)} of"
        f" {counted(plan.looks[-1], runs.noun)} are needed."
    )


def unplanned_sentence(seen: Sequence[int], runs: RunWord) -> str:
    """Return a warning that the same systems were scored before with fewer runs."""
    counts = f"{listed([str(number) for number in seen])} {runs.noun if list(seen) == [1] else runs.nouns}"
    return (
        f"You scored these systems before with {counts} each. If you added {runs.nouns} because of those results, p"
        " (both) is too small: choose “Interim analyses” in the settings."
    )


def planned_runs(design: Design, runs: RunWord, number: int | None = None) -> str:
    """Return the unit that a plan counts, or a number of them."""
    made, pairs = (runs.nouns, "pairs") if number is None else (counted(number, runs.noun), counted(number, "pair"))
    return {
        "paired": f"{pairs} of {runs.nouns}", "fixed": f"{made} of the system",
        "released": f"{counted(number, 'sample') if number else 'samples'} per model",
    }.get(design, f"{made} per system")  # fmt: skip


def _wanted(about: Subject, wish: Wish) -> str:
    return f"a true difference of {about.notation.chosen(wish.target)} {about.metric}"


def plan_section(
    about: Subject, plan: Plan, power: pd.DataFrame, looks: LookPower | None = None, tabled: Collection[int] = TABLED
) -> Section:
    """Return the plan: required runs and segments, power by both, and the power of interim analyses.

    Parameters
    ----------
    power
        From ``power_frame``.
    looks
        Power of the interim analyses in the settings, if any are planned.
    tabled
        The numbers of runs in the table.
    """
    planned = planned_runs(plan.design, about.runs)
    columns = (
        headed("n_runs", about.runs.nouns, "count", help=f"{planned.capitalize()}."),
        headed("n_units", plural(plan.unit), "count", help="Size of the test set."),
        headed("power", "power", "chance", help="Probability of detecting the target."),
        headed("detectable", "detectable", help=f"Smallest difference detectable at {level(plan.wish.power)} power."),
    )
    lead, notes, look_plan = plan_sentences(about, plan), [], about.settings.look_plan
    if looks is not None and look_plan is not None:
        lead.append(_look_power_sentence(look_plan, looks, _wanted(about, plan.wish), about.runs))
        notes.append(plan_words(look_plan))
    if (losing := planning.runs_that_lose_power(power)) is not None:
        notes.append(about.filled(_LOSES_POWER, made=counted(losing, about.runs.noun)))
    if power["n_runs"].max() == 1:
        notes.append(_NO_SAMPLES)
    notes += _too_few_for_family(about, plan, power)
    rows, how = power[power["n_runs"].isin(tabled)], (power, plan.wish.power, plan.unit, planned, about.runs)
    table = Table(columns, rows, groups="n_units", is_folded=True, notation=about.notation)
    legend, said = _power_legend(about, plan), noted(*notes)
    return Section("power", "Plan", tuple(lead), table, lambda: figures.planning.power_curves(*how), legend, said)


def _too_few_for_family(about: Subject, plan: Plan, power: pd.DataFrame) -> Iterator[str]:
    """Yield that the present runs cannot carry so many comparisons, and what would; nothing if they can."""
    n_compared = _n_compared(about, plan)
    here = power[(power["n_runs"] == plan.n_runs) & (power["n_units"] == plan.n_units)]["power"]
    if n_compared < 2 or here.empty or here.iloc[0] >= 0.5:  # power
        return
    made, share = planned_runs(plan.design, about.runs, plan.n_runs), percent(here.iloc[0], 0)
    text = f"{made} cannot carry {counted(n_compared, 'comparison')}: the power for this target is {share}."
    enough = planned_runs(plan.design, about.runs, plan.runs)
    then = f"{enough} would reach {level(plan.wish.power)}; comparing fewer systems helps, too."
    yield f"{text} {'Compare fewer systems, or use a larger test set.' if plan.runs is None else then}"


def _n_compared(about: Subject, plan: Plan) -> int:
    """Return the number of systems that Holm's first step of the wish is for."""
    return round(about.settings.level / plan.wish.level)


def _power_legend(about: Subject, plan: Plan) -> str:
    n_compared = _n_compared(about, plan)
    holm = f"{percent(plan.wish.level, 2)} (Holm, {counted(n_compared, 'system')})"
    at = holm if n_compared > 1 else level(plan.wish.level)
    test = "a test of these two models" if plan.design == "released" else "the two-way test"
    needed = units_needed(plan.wish.level)
    few = f" A verdict needs at least {counted(needed, plan.unit)}." if plan.n_units < needed else ""
    return f"Power of {test}, two-sided at {at}.{few}"


@kept_beside  # the page of a report and its files show the same ones
def prospect_sections(results: Results, metric: str) -> list[Section]:
    """Return for each system what other runs would show, the sources of variance, and the power."""
    here, order = (results.test_set.name, metric), tuple(system.key for system in results.experiment.systems)
    n_compared = len(results.systems) - 1
    found: list[Section] = []
    for prospect in (one for one in results.evaluation.prospects if (one.test_set, one.metric) == here):
        about = Subject(prospect, results.spec(metric), results.settings, order=order)
        for section in _prospect(about, prospect, n_compared):
            one = replace(section, key=f"{metric}-{section.key}")
            if n_compared > 1:  # several systems need their names
                one = replace(one, key=f"{one.key}-{prospect.system}", title=f"{prospect.system}: {one.title}")
            found.append(one)
    return found


def _prospect(about: Subject, prospect: Prospect, n_compared: int) -> Iterator[Section]:
    settings, variation, n_units = about.settings, prospect.variation, prospect.n_units
    yield spread_section(about, replication(prospect, settings, min(prospect.sizes)))
    yield variance_section(about, variation)
    wish = planning.usual_wish(about.notation, settings, n_compared)
    numbers, sizes = planning.numbers_planned(variation.sources), planning.planned_sizes(n_units)
    power = planning.power_frame(variation.sources, numbers, sizes, wish)
    plan = settings.look_plan
    looks = None if plan is None else planning.plan_of_looks(variation.sources, n_units, wish, plan, n_compared)
    yield plan_section(about, planning.plan_from(prospect, variation, wish), power, looks)


def detectable_section(about: Subject, plan: Plan, power: pd.DataFrame) -> Section:
    """Return the smallest difference that is detectable with the wanted power."""
    how = plan.wish.target, plan.unit, about.metric, about.notation, planned_runs(plan.design, about.runs), about.runs
    title = f"Smallest difference detectable at {level(plan.wish.power)} power"
    return Section("detectable", title, figure=lambda: figures.planning.detectable_curves(power, *how))


def splits_section(about: Subject, plan: Plan, splits: pd.DataFrame) -> Section:
    """Return the power of other divisions of the same number of runs.

    Parameters
    ----------
    splits
        From ``splits_frame``, of twice as many runs as the plan has.
    """
    total = 2 * plan.n_runs
    wanted = {round(2 + share * (total - 4)) for share in (0, 0.25, 0.5, 0.75, 1)}
    columns = (
        Column("n_baseline", "Baseline and system", write=lambda row: f"{row['n_baseline']} and {row['n_system']}"),
        headed("power", "power", "chance"),
        headed("detectable", "detectable difference"),
    )
    title = f"Other divisions of {counted(total, about.runs.noun)}, on {counted(plan.n_units, plan.unit)}"
    rows = splits[splits["n_baseline"].isin(wanted)]
    return Section("splits", title, table=Table(columns, rows, notation=about.notation), is_detail=True)


def plan_sentences(about: Subject, plan: Plan) -> list[str]:
    """Return the runs needed on this test set, and the test set needed for these runs."""
    runs, units = about.runs, counted(plan.n_units, plan.unit)
    what = f"{_wanted(about, plan.wish)} with {level(plan.wish.power)} power"
    these = planned_runs(plan.design, runs, plan.n_runs)
    if plan.runs is None:
        first = (
            f"No number of {runs.nouns} detects {what} on {units}. Even with unlimited {runs.nouns}, only"
            f" differences above {about.notation.number(plan.detectable_at_best)} are detectable."
        )
    else:
        needed = planned_runs(plan.design, runs, plan.runs)
        first = f"{needed} {agreeing(plan.runs, 'detects', 'detect')} {what} on {units}."
        bounds = plan.runs_if_less, plan.runs_if_more
        if bounds != (plan.runs, plan.runs):
            less, more = (f"too many {runs.nouns}" if n is None else f"{n:,}" for n in bounds)
            first += f" That could be {less} to {more}: these {runs.nouns} leave their variance uncertain."
    if plan.units is None:
        return [first, f"With {these}, no test set is large enough."]
    second = f"With {these}, {counted(plan.units, plan.unit)} {agreeing(plan.units, 'is', 'are')} enough."
    if plan.n_units > plan.units and (plan.runs is None or plan.runs > plan.n_runs):
        second += f" More ({units}) can be worse: so few {runs.nouns} leave their variance unknown."
    return [first, second]


def convince_sentence(about: Subject, plan: Plan) -> str:
    """Return how many more runs or units than the plan's the target takes."""
    runs = about.runs
    what = f"detect {_wanted(about, plan.wish)} with {level(plan.wish.power)} power"
    if plan.runs is not None and plan.runs <= plan.n_runs:
        return f"These {runs.nouns} on this test set are enough to {what}."
    needed = []
    if plan.runs is not None:
        needed.append(f"{planned_runs(plan.design, runs, plan.runs)} ({plan.runs - plan.n_runs:,} more)")
    if plan.units is not None and plan.units > plan.n_units:
        needed.append(f"{counted(plan.units, plan.unit)} ({plan.units - plan.n_units:,} more)")
    if not needed:
        return f"Neither more {runs.nouns} nor a larger test set alone is enough to {what}."
    instead = f"more {runs.nouns} are not enough" if plan.runs is None else "a larger test set is not enough"
    return f"To {what}, you need {' or '.join(needed)}{'' if len(needed) > 1 else f'; {instead}'}."
