"""What other runs would show, and what it would take: figures of a report, with what they say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import plotly.graph_objects as go

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
from mteval.figures.planning import power_curves, variance_bars
from mteval.figures.spread import difference_ridges
from mteval.figures.style import in_words
from mteval.values.run_words import Wording

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
