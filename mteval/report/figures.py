"""The figures of what people said, on their page, in reports and for programs.

What other runs would show, and what it would take: figures of a report, with what they say.

The figures of a report and of the pages that show the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

import pandas as pd
import plotly.graph_objects as go

from mteval.analysis.people.gold import GOLD_TESTS, Gold
from mteval.analysis.people.human_evaluation import HumanEvaluation
from mteval.analysis.people.meta import MEASURES
from mteval.analysis.people.raters import RAW, rater_variance
from mteval.analysis.replication.differences import replication
from mteval.analysis.replication.planning import (
    RUNS_PLANNED,
    Prospect,
    plan_from,
    plan_of_looks,
    planned_sizes,
    power_frame,
    usual_wish,
)
from mteval.analysis.replication.pool import variance_frame
from mteval.analysis.results import Results
from mteval.answers.people import percent, rater_bars_sentence
from mteval.answers.planner import look_power_sentence
from mteval.answers.replication import (
    ASSUMPTION,
    EACH,
    advice_sentence,
    level_sentence,
    outlook_sentence,
    plan_sentences,
    undeclared_sentence,
)
from mteval.base.companions import kept_beside
from mteval.base.errors import MtevalError
from mteval.base.words import counted
from mteval.figures.forest import claim_forest, forest
from mteval.figures.people import Estimate, estimates, gold_matrix, rater_bars
from mteval.figures.planning import power_curves, variance_bars
from mteval.figures.runs import run_histogram, run_strip
from mteval.figures.spread import difference_ridges
from mteval.figures.style import in_words, system_colors
from mteval.values.claim import Claim
from mteval.values.notation import fixed
from mteval.values.run_words import Wording

Names = Mapping[str, str]
Shown = tuple[go.Figure, str]
MOST_DIFFERENCES = 12  # of which a figure shows where their variance comes from


def gold_figure(gold: Gold, level: float) -> go.Figure:
    """Which systems people tell apart, all pairs as a matrix."""
    return gold_matrix(gold.cells(level), gold.systems)


def accuracy_figure(accuracy: pd.DataFrame, names: Names) -> go.Figure:
    """How often tests conclude what people do at one level, a row a metric, a series a test."""
    return estimates(list(_accuracies(accuracy, names)), "Pairs concluded as people do, %")


def _accuracies(accuracy: pd.DataFrame, names: Names) -> Iterator[Estimate]:
    has_sides = accuracy["side"].nunique() > 1
    for row in accuracy[accuracy["n_pairs"] > 0].to_dict("records"):
        name, test = names[row["metric"]], GOLD_TESTS[row["procedure"]] + (f", {row['side']}" if has_sides else "")
        share, low, high = (100 * float(row[column]) for column in ("accuracy", "low", "high"))
        said = f"{name}, {test}: {row['correct']} of {counted(row['n_pairs'], 'pair')}, {percent(row['accuracy'])}%"
        yield Estimate(name, test, share, low, high, said)


def agreement_figure(frame: pd.DataFrame, measure: str, names: Names) -> go.Figure:
    """How metrics agree with people by one measure."""
    rows = frame[frame["measure"] == measure]
    return estimates(list(_agreements(rows, names)), MEASURES[measure])


def _agreements(rows: pd.DataFrame, names: Names) -> Iterator[Estimate]:
    for row in rows.to_dict("records"):
        name = names[row["metric"]]
        interval = f"{fixed(row['low'], 3)} to {fixed(row['high'], 3)}"
        said = f"{name}: {fixed(row['value'], 3)}, {interval}, cluster {row['rank']}"
        yield Estimate(name, "", row["value"], row["low"], row["high"], said)


def raters_figure(raters: pd.DataFrame) -> Shown | None:
    """Where the variance of the largest differences comes from, of raw judgements on segments, and what that says; None
    without answers.
    """
    rows = raters[(raters["form"] == RAW) & (raters["unit"] == "segment") & raters["p_value"].notna()]
    largest = rows.sort_values("difference", ascending=False, kind="stable").head(MOST_DIFFERENCES)
    variance = rater_variance(largest)
    if variance.empty:
        return None
    return rater_bars(variance, str(raters["scale"].iloc[0])), rater_bars_sentence(largest["one"].tolist())


def human_figures(people: HumanEvaluation) -> dict[str, Callable[[], go.Figure | None]]:
    """What draws each figure, by name; it gives None where the judgements have no answer."""
    level = people.choices.levels[0]
    figures: dict[str, Callable[[], go.Figure | None]] = {"gold": lambda: gold_figure(people.gold, level)}
    if people.scored:
        figures["tests"] = lambda: accuracy_figure(people.accuracy_at(level), people.names)
        figures |= {measure: partial(_agreement, people, measure) for measure in MEASURES}
    return {**figures, "raters": lambda: (raters_figure(people.raters) or (None,))[0]}


def _agreement(people: HumanEvaluation, measure: str) -> go.Figure:
    return agreement_figure(people.agreement.frame, measure, people.names)


def drawn_of_people(people: HumanEvaluation) -> dict[str, go.Figure]:
    """Those that a report shows, where the judgements have an answer."""
    figures: dict[str, go.Figure] = {}
    for name, draw in human_figures(people).items():
        with suppress(MtevalError):
            figure = draw()
            figures |= {} if figure is None else {f"people-{name}": figure}
    return figures


ProspectsShown = tuple[go.Figure, str]


def prospects_shown(results: Results, metric: str) -> dict[str, Callable[[], ProspectsShown]]:
    """By name what makes a figure with what it says: spread of the difference, sources of its variance, power."""
    here = (results.test_set.name, metric)
    prospects = [one for one in results.evaluation.prospects if (one.test_set, one.metric) == here]
    return {
        _name(results, prospect, what): partial(_in_words, results, prospect, show)
        for prospect in prospects
        for what, show in _SHOWN.items()
    }


def _in_words(
    results: Results, prospect: Prospect, show: Callable[[Results, Prospect], ProspectsShown]
) -> ProspectsShown:
    """A figure and its text, which speak of runs in the user's word."""
    figure, text = show(results, prospect)
    spec = results.spec(prospect.metric)
    said = Wording(results.run_word, (prospect.baseline, prospect.system, spec.name))
    return in_words(figure, said), said(text)


def _name(results: Results, prospect: Prospect, what: str) -> str:
    """The system stands in it where there are several."""
    several = len(results.systems) > 2
    return f"{prospect.metric}-{what}-{prospect.system}" if several else f"{prospect.metric}-{what}"


def _spread(results: Results, prospect: Prospect) -> ProspectsShown:
    spec, settings = results.spec(prospect.metric), results.settings
    found = replication(prospect, settings, min(prospect.sizes))
    quantity = f"{spec.name} of {prospect.system} − {spec.name} of {prospect.baseline}"
    figure = difference_ridges(found.frequencies, found.outlook, quantity, spec.notation)
    said = outlook_sentence(
        found.outlook, prospect.system, prospect.baseline, spec.name, spec.notation, settings.confidence
    )
    help_text = f"Filled: the runs at hand, in every combination. Line: that many new runs, {ASSUMPTION}."
    if prospect.variation.design != "independent":
        help_text += f" {undeclared_sentence(prospect.variation.design)}"
    return figure, f"{said} {help_text}"


def _variance(results: Results, prospect: Prospect) -> ProspectsShown:
    spec = results.spec(prospect.metric)
    frame = variance_frame(prospect, prospect.variation)
    last = frame[frame["what"] == frame["what"].iloc[-1]]
    shares = dict(zip(last["source"], last["share"], strict=True))
    said = advice_sentence(shares, prospect.unit, prospect.sizes, prospect.variation.design)
    return variance_bars(frame, spec.name, spec.notation), said


def _power(results: Results, prospect: Prospect) -> ProspectsShown:
    spec, unit, settings = results.spec(prospect.metric), prospect.unit, results.settings
    n_compared = len(results.systems) - 1
    wish = usual_wish(spec.notation, settings, n_compared)
    variation, n_units = prospect.variation, prospect.n_units
    frame = power_frame(variation.sources, RUNS_PLANNED, planned_sizes(n_units), wish)
    found = plan_from(prospect, variation, wish)
    said = " ".join([*plan_sentences(found, spec.name, unit, spec.notation), level_sentence(wish.level, n_compared)])
    if settings.look_plan is not None:
        looks = plan_of_looks(variation.sources, n_units, wish, settings.look_plan, n_compared)
        what = f"a true difference of {spec.notation.chosen(wish.target)} {spec.name}"
        said += f" {look_power_sentence(settings.look_plan, looks.found, looks.mean_runs, what, settings.runs)}"
    each = EACH[variation.design].lower()
    return power_curves(frame, wish.power, unit).update_xaxes(title_text=each), said


_SHOWN: Mapping[str, Callable[[Results, Prospect], ProspectsShown]] = {
    "replication": _spread,
    "variance": _variance,
    "power": _power,
}


Draw = Callable[[], go.Figure]
FEWEST_IN_HISTOGRAM = 5  # runs


def strip_figure(results: Results, metric: str) -> go.Figure:
    """Every run's score by one metric, with both kinds of spread."""
    order = [system.key for system in results.experiment.systems]
    summary = results.rows(results.evaluation.summary, metric)
    summary = summary.sort_values("system", key=lambda column: column.map(order.index))
    scores, spec = results.rows(results.evaluation.scores, metric), results.spec(metric)
    return in_words(run_strip(scores, summary, colors_of(results), spec.name, spec.notation), results.said)


@kept_beside  # the page of a report and its files show the same ones
def forest_figure(results: Results, metric: str) -> go.Figure:
    """How far each system is from the baseline by one metric, with both kinds of luck; ranks by the primary one."""
    ranking = results.ranking
    return forest(
        results.verdicts(metric),
        ranking if ranking is not None and ranking.metric == metric else None,
        results.settings.confidence,
    )


def histogram_figure(results: Results, metric: str, systems: Sequence[str] | None = None) -> go.Figure:
    """Clark et al.'s Figure 1: run scores of the systems, of all where none is named."""
    chosen = results.systems if systems is None else systems
    scores, spec = results.rows(results.evaluation.scores, metric), results.spec(metric)
    return in_words(run_histogram(scores, chosen, colors_of(results), spec.name, spec.notation), results.said)


def shows_runs(results: Results) -> bool:
    """Whether the runs show what the forest does not; many systems with one run each show no more."""
    return not results.has_many_systems or max(results.run_counts) > 1


def shows_histogram(results: Results) -> bool:
    """Whether a system has so many runs that their counts have a shape."""
    return max(results.run_counts) >= FEWEST_IN_HISTOGRAM


def claims_shown(results: Results) -> list[Claim]:
    """Over several test sets by the primary metric; of many systems those that are shown to differ."""
    primary = [claim for claim in results.evaluation.claims if claim.metric == results.metrics[0]]
    return [claim for claim in primary if claim.conclusion.is_shown or not results.has_many_systems]


def report_figures(results: Results) -> dict[str, go.Figure]:
    """All figures by name; of those about people the ones that their judgements have an answer for."""
    figures = {name: draw() for name, draw in figures_to_draw(results).items()}
    return figures if results.people is None else {**figures, **drawn_of_people(results.people)}


def figures_to_draw(results: Results) -> dict[str, Draw]:
    """What draws each figure, by name; for each metric: of many systems the forest, the runs, their histogram, other
    runs."""
    figures: dict[str, Draw] = {}
    for metric in results.metrics:
        if results.has_many_systems and results.verdicts(metric):
            figures[f"{metric}-forest"] = partial(forest_figure, results, metric)
        if shows_runs(results):
            figures[f"{metric}-runs"] = partial(strip_figure, results, metric)
        if shows_histogram(results):
            figures[f"{metric}-histogram"] = partial(histogram_figure, results, metric)
        figures |= {name: partial(_figure, show) for name, show in prospects_shown(results, metric).items()}
    for claim in claims_shown(results):
        several = f"-{claim.system}" if len(results.systems) > 2 else ""
        figures[f"{claim.metric}-claim{several}"] = partial(claim_forest, claim, results.settings.confidence)
    return figures


def _figure(show: Callable[[], ProspectsShown]) -> go.Figure:
    return show()[0]


def colors_of(results: Results) -> dict[str, str]:
    """The colour of each system."""
    return dict(system_colors([system.key for system in results.experiment.systems]))
