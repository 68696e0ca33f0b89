"""The figures of a report and of the pages that show the same."""

from collections.abc import Callable, Sequence
from functools import partial

import plotly.graph_objects as go

from mteval.analysis.results import Results
from mteval.claim import Claim
from mteval.companions import kept_beside
from mteval.figures.claim_forest import claim_forest
from mteval.figures.forest import forest
from mteval.figures.histogram import run_histogram
from mteval.figures.runs import run_strip
from mteval.figures.style import system_colors
from mteval.figures.words import in_words
from mteval.reporting.human_figures import drawn_of_people
from mteval.reporting.prospects import Shown, prospects_shown

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


def _figure(show: Callable[[], Shown]) -> go.Figure:
    return show()[0]


def colors_of(results: Results) -> dict[str, str]:
    """The colour of each system."""
    return dict(system_colors([system.key for system in results.experiment.systems]))
