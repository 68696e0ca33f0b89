"""Sources of variance, power, and plans for the next experiment."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from mteval import figures
from mteval.analysis.replication import planning
from mteval.analysis.replication.planning import Plan, Wish, replication
from mteval.analysis.replication.pool import Pool, uncertainty_frame, variance_frame
from mteval.analysis.replication.variation import Prospect, Variation
from mteval.analysis.results import Results
from mteval.answers.replication import Subject, spread_section
from mteval.answers.runs import larger_source
from mteval.answers.section import Column, Row, Section, Table, headed, noted
from mteval.base.store import kept_beside
from mteval.base.words import agreeing, counted, listed, plural
from mteval.metrics.base import MetricSpec
from mteval.stats.planning import LookPower
from mteval.stats.procedures.randomization import units_needed
from mteval.values.notation import fixed, level, percent, significant
from mteval.values.run_words import RunWord
from mteval.values.settings import SPENDING_NAMES, Design, LookPlan, looks_in_words

if TYPE_CHECKING:
    import plotly.graph_objects as go

TABLED = (1, 2, 3, 5, 10, 20, 50)  # numbers of runs, of those that a curve has
FEWEST_EARLIER = 2  # systems in earlier experiments, for a description
MOST_SPREADS = 4  # that are listed one by one
ENOUGH_POWER = 0.5  # for several comparisons
_EACH_SHIFTS = (
    "{Runs}: {a_run} shifts all segments together. Test set: segments shift all {runs} together. {Runs} × test set:"
    " {a_run} shifts single segments."
)
_ADVICE = {
    "runs": "Make more {runs}: they cause {of_runs} of the uncertainty.",
    "test set": "Get more {unit}s: they cause {of_test_set} of the uncertainty.",
    "both": "More {runs} and more {unit}s would both help. {of_runs} of the uncertainty comes from {runs},"
    " {of_test_set} from the test set, {of_both} from both.",
}
_LOSES_POWER = (
    "With {made} per system or fewer, a larger test set can reduce power, because the variance over {runs} is"
    " uncertain. Add {runs}."
)
_NO_SAMPLES = "It is unknown how much samples of one model vary, so the plan attributes all variation to the test set."


def variance_section(subject: Subject, variation: Variation) -> Section:
    """Return the sources of variance of a score and of a difference, with advice."""
    variances = variance_frame(subject.pool, variation, subject.systems, subject.runs)
    sources = [str(source) for source in variances["source"].unique()]
    # One row per quantity, the difference last; one column per source.
    rows = []
    for quantity, parts in variances.groupby("what", sort=False):
        deviation = float(parts["variance"].sum()) ** 0.5
        rows.append({"what": quantity, "s": deviation, **dict(zip(sources, parts["share"], strict=True))})
    advice = advice_sentence(subject, [float(rows[-1][source]) for source in sources])

    columns = [headed("what", "variance of", "word"), Column("s", "SD", "number")]
    columns += [headed(source, source, "share") for source in sources]
    table = Table(tuple(columns), pd.DataFrame(rows), is_folded=True, notation=subject.notation)

    def figure() -> go.Figure:
        return figures.planning.variance_bars(variances, subject.metric, subject.notation)

    legend = subject.filled(_EACH_SHIFTS)
    return Section("variance", "Where the variance comes from", (advice,), table, figure, legend)


def uncertainty_section(subject: Subject, pool: Pool, variation: Variation) -> Section:
    """Return how precisely the standard deviations are known."""
    columns = (
        Column("source", "Standard deviation"),
        headed("standard_deviation", "estimate"),
        headed("df", "degrees of freedom", write=_degrees_of_freedom),
        Column("range", "95% CI", "range", "Chi-square interval.", ("low", "high")),
    )
    frame = uncertainty_frame(pool, variation, subject.systems, subject.runs)
    caption = f"How precisely the standard deviations are known ({subject.metric})"
    return Section("uncertainty", "", table=Table(columns, frame, caption, notation=subject.notation.finer))


def _degrees_of_freedom(row: Row) -> str:
    return f"{round(row['df'], 1):,g}"


def advice_sentence(subject: Subject, shares: Sequence[float]) -> str:
    """Return whether more runs or more segments would help, from the shares of runs, test set and both."""
    of_runs, of_test_set, of_both = shares
    # More runs and more segments both reduce the share of their interaction, so it is added to each side.
    source = larger_source(of_runs + of_both, of_test_set + of_both)
    return subject.filled(
        _ADVICE[source],
        unit=subject.pool.unit,
        of_runs=percent(of_runs),
        of_test_set=percent(of_test_set),
        of_both=percent(of_both),
    )


def plan_words(plan: LookPlan) -> str:
    """Return the levels and error rates of a plan of interim analyses."""
    levels = []
    for number, level_at_look in zip(plan.looks, plan.levels, strict=True):
        levels.append(f"{significant(100 * level_at_look, 2)}% at {number}")
    return (
        f"Levels ({SPENDING_NAMES[plan.spending]}): {', '.join(levels)}. At most {percent(plan.attained)} false"
        f" positives over all analyses, {percent(plan.beyond)} in extreme settings. Testing at {level(plan.level)} each"
        f" time gives up to {percent(plan.unplanned)}."
    )


def _look_power_sentence(plan: LookPlan, power: LookPower, target: str, runs: RunWord) -> str:
    """Return the power after each interim analysis, and the mean number of runs."""
    by_look = [f"{percent(share, 0)} by {number}" for number, share in zip(plan.looks, power.detected, strict=True)]
    return (
        f"With interim analyses at {looks_in_words(plan.looks, runs.nouns)} per system, the power for {target} is"
        f" {listed(by_look)} {runs.nouns}. On average, {fixed(power.mean_runs, 1)} of"
        f" {counted(plan.looks[-1], runs.noun)} are needed."
    )


def unplanned_sentence(seen: Sequence[int], runs: RunWord) -> str:
    """Return a warning that the same systems were scored before with fewer runs.

    Parameters
    ----------
    seen
        Those numbers of runs.
    """
    noun = runs.noun if list(seen) == [1] else runs.nouns
    counts = f"{listed([str(number) for number in seen])} {noun}"
    return (
        f"You scored these systems before with {counts} each. If you added {runs.nouns} because of those results,"
        " p_run is too small: choose “Interim analyses” in the settings."
    )


def history_sentence(earlier: Sequence[float], present: Sequence[float], metric: MetricSpec, runs: RunWord) -> str:
    """Return how much runs differed in earlier experiments, beside these; empty without several of both.

    A description, no prior: no number depends on it.

    Parameters
    ----------
    earlier, present
        Standard deviations over runs by the metric on this test set, one per system.
    """
    if len(earlier) < FEWEST_EARLIER or not present:
        return ""
    number = metric.notation.number
    usual = f"{number(min(earlier))} to {number(max(earlier))}"
    spreads = listed([number(spread) for spread in present])
    if len(present) > MOST_SPREADS:
        spreads = f"{number(min(present))} to {number(max(present))}"
    return runs.filled(
        "In your earlier experiments on this test set, {runs} differ by {usual} {metric} (SD, {n}); these by {these}.",
        usual=usual,
        metric=metric.name,
        n=counted(len(earlier), "system"),
        these=spreads,
    )


def planned_runs(design: Design, runs: RunWord, number: int | None = None) -> str:
    """Return the unit that a plan counts, or a number of them."""
    match design:
        case "paired":
            pairs = "pairs" if number is None else counted(number, "pair")
            return f"{pairs} of {runs.nouns}"
        case "released":
            samples = counted(number, "sample") if number else "samples"
            return f"{samples} per model"
    runs_in_words = runs.nouns if number is None else counted(number, runs.noun)
    if design == "fixed":
        return f"{runs_in_words} of the system"
    return f"{runs_in_words} per system"


def _target_in_words(subject: Subject, wish: Wish) -> str:
    return f"a true difference of {subject.notation.chosen(wish.target)} {subject.metric}"


def plan_section(
    subject: Subject, plan: Plan, power: pd.DataFrame, looks: LookPower | None = None, tabled: Collection[int] = TABLED
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
    runs = subject.runs
    lead = plan_sentences(subject, plan)
    notes = []
    look_plan = subject.settings.look_plan
    if looks is not None and look_plan is not None:
        lead.append(_look_power_sentence(look_plan, looks, _target_in_words(subject, plan.wish), runs))
        notes.append(plan_words(look_plan))
    losing_runs = planning.runs_that_lose_power(power)
    if losing_runs is not None:
        notes.append(subject.filled(_LOSES_POWER, made=counted(losing_runs, runs.noun)))
    if power["n_runs"].max() == 1:
        notes.append(_NO_SAMPLES)
    notes.append(_too_few_for_family(subject, plan, power))

    planned = planned_runs(plan.design, runs)
    detectable_help = f"Smallest difference detectable at {level(plan.wish.power)} power."
    columns = (
        headed("n_runs", runs.nouns, "count", help=f"{planned.capitalize()}."),
        headed("n_units", plural(plan.unit), "count", help="Size of the test set."),
        headed("power", "power", "chance", help="Probability of detecting the target."),
        headed("detectable", "detectable", help=detectable_help),
    )
    rows = power[power["n_runs"].isin(tabled)]
    table = Table(columns, rows, groups="n_units", is_folded=True, notation=subject.notation)

    def figure() -> go.Figure:
        return figures.planning.power_curves(power, plan.wish.power, plan.unit, planned, runs)

    return Section("power", "Plan", tuple(lead), table, figure, _power_legend(subject, plan), noted(*notes))


def _too_few_for_family(subject: Subject, plan: Plan, power: pd.DataFrame) -> str:
    """Return that the present runs are too few for so many comparisons, and how many are enough; empty if they are."""
    n_compared = _n_compared(subject, plan)
    present = power[(power["n_runs"] == plan.n_runs) & (power["n_units"] == plan.n_units)]["power"]
    if n_compared < 2 or present.empty or present.iloc[0] >= ENOUGH_POWER:
        return ""
    text = (
        f"{planned_runs(plan.design, subject.runs, plan.n_runs)} are too few for {counted(n_compared, 'comparison')}:"
        f" the power for this target is {percent(present.iloc[0], 0)}."
    )
    if plan.runs is None:
        return f"{text} Compare fewer systems, or use a larger test set."
    enough = planned_runs(plan.design, subject.runs, plan.runs)
    return f"{text} {enough} would reach {level(plan.wish.power)}; comparing fewer systems helps, too."


def _n_compared(subject: Subject, plan: Plan) -> int:
    """Return the number of systems that Holm's first step of the wish is for."""
    return round(subject.settings.level / plan.wish.level)


def _power_legend(subject: Subject, plan: Plan) -> str:
    """Return which test has this power, at which level, and how many units it needs."""
    n_compared = _n_compared(subject, plan)
    at = level(plan.wish.level)
    if n_compared > 1:
        at = f"{percent(plan.wish.level, 2)} (Holm, {counted(n_compared, 'system')})"
    test = "a test of these two models" if plan.design == "released" else "the two-way test"
    text = f"Power of {test}, two-sided at {at}."
    n_needed = units_needed(plan.wish.level)
    if plan.n_units < n_needed:
        text += f" A verdict needs at least {counted(n_needed, plan.unit)}."
    return text


@kept_beside  # the page of a report and its files show the same ones
def prospect_sections(results: Results, metric: str) -> list[Section]:
    """Return for each system what other runs would show, the sources of variance, and the power."""
    order = tuple(system.key for system in results.experiment.systems)
    n_compared = len(results.systems) - 1
    sections: list[Section] = []
    for prospect in results.evaluation.prospects:
        if prospect.test_set != results.test_set.name or prospect.metric != metric:
            continue
        subject = Subject(prospect, results.spec(metric), results.settings, order=order)
        for section in _sections_of_prospect(subject, prospect, n_compared):
            key = f"{metric}-{section.key}"
            title = section.title
            if n_compared > 1:  # several systems need their names
                key = f"{key}-{prospect.system}"
                title = f"{prospect.system}: {title}"
            sections.append(replace(section, key=key, title=title))
    return sections


def _sections_of_prospect(subject: Subject, prospect: Prospect, n_compared: int) -> Iterator[Section]:
    """Yield the spread over runs, the sources of variance and the plan of one comparison."""
    settings = subject.settings
    variation = prospect.variation
    n_units = prospect.n_units
    yield spread_section(subject, replication(prospect, settings, min(prospect.sizes)))
    yield variance_section(subject, variation)

    wish = planning.usual_wish(subject.notation, settings, n_compared)
    numbers = planning.numbers_planned(variation.planned)
    power = planning.power_frame(variation.planned, numbers, planning.planned_sizes(n_units), wish)
    looks = None
    if settings.look_plan is not None:
        looks = planning.plan_of_looks(variation.planned, n_units, wish, settings.look_plan, n_compared)
    yield plan_section(subject, planning.plan_from(prospect, variation, wish), power, looks)


def detectable_section(subject: Subject, plan: Plan, power: pd.DataFrame) -> Section:
    """Return the smallest difference that is detectable with the wanted power."""
    planned = planned_runs(plan.design, subject.runs)

    def figure() -> go.Figure:
        return figures.planning.detectable_curves(
            power, plan.wish.target, plan.unit, subject.metric, subject.notation, planned, subject.runs
        )

    title = f"Smallest difference detectable at {level(plan.wish.power)} power"
    return Section("detectable", title, figure=figure)


def splits_section(subject: Subject, plan: Plan, splits: pd.DataFrame) -> Section:
    """Return the power of other divisions of the same number of runs.

    Parameters
    ----------
    splits
        From ``splits_frame``, of twice as many runs as the plan has.
    """
    total = 2 * plan.n_runs
    # The most uneven divisions, which leave two runs, the even one, and those halfway between
    shown = {round(2 + share * (total - 4)) for share in (0, 0.25, 0.5, 0.75, 1)}
    rows = splits[splits["n_baseline"].isin(shown)]
    columns = (
        Column("n_baseline", "Baseline and system", write=_division),
        headed("power", "power", "chance"),
        headed("detectable", "detectable difference"),
    )
    title = f"Other ways to divide {counted(total, subject.runs.noun)}, on {counted(plan.n_units, plan.unit)}"
    return Section("splits", title, table=Table(columns, rows, notation=subject.notation), is_detail=True)


def _division(row: Row) -> str:
    return f"{row['n_baseline']} and {row['n_system']}"


def plan_sentences(subject: Subject, plan: Plan) -> list[str]:
    """Return the runs needed on this test set, and the test set needed for these runs."""
    return [_runs_sentence(subject, plan), _units_sentence(subject, plan)]


def _runs_sentence(subject: Subject, plan: Plan) -> str:
    """Return the runs needed on this test set, and their bounds."""
    nouns = subject.runs.nouns
    units = counted(plan.n_units, plan.unit)
    target = f"{_target_in_words(subject, plan.wish)} with {level(plan.wish.power)} power"
    if plan.runs is None:
        return (
            f"No number of {nouns} detects {target} on {units}. Even with unlimited {nouns}, only"
            f" differences above {subject.notation.number(plan.detectable_at_best)} are detectable."
        )
    needed = planned_runs(plan.design, subject.runs, plan.runs)
    text = f"{needed} {agreeing(plan.runs, 'detects', 'detect')} {target} on {units}."
    if not plan.is_estimated:
        return text
    return f"{text} {_range_sentence(subject, plan)}"


def _range_sentence(subject: Subject, plan: Plan) -> str:
    """Return the range of runs that may be needed, and what is known about the variance between runs."""
    nouns = subject.runs.nouns
    if plan.runs_if_less == plan.runs_if_more:
        text = "The variances are uncertain, but in about 9 of 10 cases this number is still right."
    else:
        less = _number_of_runs(plan.runs_if_less, nouns)
        more = _number_of_runs(plan.runs_if_more, nouns)
        text = f"The variances are uncertain: in about 9 of 10 cases, the number needed is {less} to {more}."
    if plan.is_noise:
        text += f" These {nouns} vary no more than the noise of single outputs."
    alone = plan.run_deviation
    elsewhere = plan.run_deviation_elsewhere
    if alone is not None and elsewhere is not None and elsewhere > alone:
        number = subject.notation.number
        text += (
            f" The SD of the difference between {nouns} is {number(elsewhere)} based on all test sets, but"
            f" {number(alone)} based on this one alone. The plan uses the larger."
        )
    return text


def _number_of_runs(number: int | None, nouns: str) -> str:
    if number is None:
        return f"too many {nouns}"
    return f"{number:,}"


def _units_sentence(subject: Subject, plan: Plan) -> str:
    """Return the size of the test set needed for these runs."""
    these_runs = planned_runs(plan.design, subject.runs, plan.n_runs)
    if plan.units is None:
        return f"With {these_runs}, no test set is large enough."
    text = f"With {these_runs}, {counted(plan.units, plan.unit)} {agreeing(plan.units, 'is', 'are')} enough."
    needs_more_runs = plan.runs is None or plan.runs > plan.n_runs
    if plan.n_units > plan.units and needs_more_runs:
        units = counted(plan.n_units, plan.unit)
        text += f" More ({units}) can be worse: so few {subject.runs.nouns} leave their variance unknown."
    return text


def convince_sentence(subject: Subject, plan: Plan) -> str:
    """Return how many more runs or units than the plan's the target takes."""
    nouns = subject.runs.nouns
    goal = f"detect {_target_in_words(subject, plan.wish)} with {level(plan.wish.power)} power"
    if plan.runs is not None and plan.runs <= plan.n_runs:
        return f"These {nouns} on this test set are enough to {goal}."
    needed = []
    if plan.runs is not None:
        needed.append(f"{planned_runs(plan.design, subject.runs, plan.runs)} ({plan.runs - plan.n_runs:,} more)")
    if plan.units is not None and plan.units > plan.n_units:
        needed.append(f"{counted(plan.units, plan.unit)} ({plan.units - plan.n_units:,} more)")
    if not needed:
        return f"Neither more {nouns} nor a larger test set alone is enough to {goal}."
    text = f"To {goal}, you need {' or '.join(needed)}"
    if len(needed) > 1:
        return f"{text}."
    if plan.runs is None:
        return f"{text}; more {nouns} are not enough."
    return f"{text}; a larger test set is not enough."
