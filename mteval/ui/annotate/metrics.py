"""The two questions asked of what people said, as of any metric, and the way to make it one.

People and metrics side by side, segment by segment.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from math import isnan

import pandas as pd
import streamlit as st

from mteval.analysis.people.judgements import ASPECT_NAMES, ASPECT_NOTATION, ASPECTS, human_metrics
from mteval.analysis.people.results import correlation_frame, metric_pairs
from mteval.analysis.results import Results
from mteval.analysis.scoring import score_experiment
from mteval.analysis.summary import scores_frame
from mteval.analysis.two_answers import TwoAnswers, two_answers
from mteval.analysis.work import Work
from mteval.annotations import Campaign, Task
from mteval.base.characters import visible
from mteval.base.words import counted
from mteval.figures.people import difference_scatter
from mteval.figures.style import system_colors
from mteval.metrics import catalog
from mteval.metrics.base import MetricSpec
from mteval.metrics.imported import Imported, imported_spec
from mteval.render.html import table
from mteval.ui.parts import messages
from mteval.ui.parts.choices import SURVIVES
from mteval.ui.parts.tables import chart, show
from mteval.ui.session import evaluation
from mteval.ui.session.evaluation import evaluation_key
from mteval.ui.session.memory import remembered, scored_on
from mteval.ui.setup.words import said
from mteval.ui.setup.workspace import add_scores, loaded_experiment, remove_scores, workspace
from mteval.values.given import GivenMetric
from mteval.values.notation import p_value, signed
from mteval.values.settings import Settings

RUN = ("metric", "test_set", "system", "run")  # columns that tell means apart


def human_answers(campaign: Campaign, tasks: Sequence[Task], results: Results) -> None:
    """Could luck explain the difference that people saw? From the random sample alone."""
    st.subheader("Is the difference that people saw real?", anchor=False)
    metrics = human_metrics(campaign, tasks, results.experiment)
    if not metrics:
        messages.say("note", "No segment of the random sample is done, and the others say nothing about averages.")
        return
    _answer_both(metrics, results)
    _use(campaign, metrics)


def _use(campaign: Campaign, metrics: Sequence[GivenMetric]) -> None:
    """What people said so far as a metric of the experiment, for all pages."""
    origin = campaign.uid[:12]
    is_used = workspace().has_scores(origin)
    with st.container(horizontal=True):
        st.button(
            "Use what was said until now" if is_used else "Use as a metric",
            icon=":material/refresh:" if is_used else ":material/add_chart:",
            on_click=add_scores,
            args=(origin, metrics),
            key="use-as-metric",
        )
        if is_used:
            st.button(
                "Remove the metric",
                icon=":material/delete:",
                on_click=remove_scores,
                args=(origin,),
                key="remove-metric",
                type="tertiary",
            )
    if is_used:
        messages.say(
            "note",
            "What was said when the button was pressed is a metric like any other, in tables, tests and segments, once"
            " the systems are scored again. What is said later does not change it: press again.",
        )


def _answer_both(metrics: Sequence[GivenMetric], results: Results) -> None:
    """One row a metric and system with both p-values, as for any metric, and the remarks on them."""
    settings, baseline = results.settings, results.experiment.baseline
    given, means = _answers(metrics, results)
    if not given:
        messages.say("note", f"No score is given for both {baseline} and another system.")
        return
    specs = {metric.key: imported_spec(metric) for metric in metrics}
    rows = [_row(specs[answers.both.asked.metric], answers) for answers in given]
    head = ("Metric", "System", "Difference", "p, test-set luck", "p, both kinds", "Interval, both kinds")
    caption = f"Against {baseline}, {counted(settings.n_shuffles, 'shuffle')}, before a correction for several systems."
    show(table(head, rows, n_words=2, caption=caption))
    by_note: dict[str, dict[str, None]] = {}
    for compared in chain.from_iterable(given):
        if compared.answered.note:
            by_note.setdefault(compared.answered.note, {})[compared.asked.system] = None
    for note, systems in by_note.items():
        messages.say("note", f"{', '.join(systems)}: {note}")
    _averages(metrics, means)


def _averages(metrics: Sequence[GivenMetric], means: pd.DataFrame) -> None:
    """The mean of each run that was judged, and what it rests on."""
    given = {(metric.key, one.test_set, one.system, one.run): one for metric in metrics for one in metric.scores}
    specs = {metric.key: imported_spec(metric) for metric in metrics}
    rows = []
    for row in means.to_dict("records"):
        spec, counts = specs[row["metric"]], given[tuple(row[name] for name in RUN)].judgements or ()
        n_judged = str(sum(count > 0 for count in counts)), str(sum(counts))
        rows.append((spec.name, row["system"], row["run"], *n_judged, spec.notation.number(row["score"])))
    head = ("Metric", "System", said("Run"), "Segments", "Judgements", "Mean")
    caption = said("Means of the runs over the random sample, as far as it was judged.")
    show(table(head, rows, n_words=3, caption=caption))


def _row(spec: MetricSpec, answers: TwoAnswers) -> tuple[str, ...]:
    """Both answers on one system."""
    first, both, notation = answers.test_set_luck.answered, answers.both.answered, spec.notation
    return (
        spec.name, answers.both.asked.system, notation.difference(both.difference), p_value(first.p_value),
        p_value(both.p_value), notation.interval(both.low, both.high),
    )  # fmt: skip


def _answers(metrics: Sequence[GivenMetric], results: Results) -> tuple[tuple[TwoAnswers, ...], pd.DataFrame]:
    """The answers that there are, and averages; the last ones are kept, since a page is drawn again at every click."""
    settings, experiment = results.settings, results.experiment
    key = ("people", evaluation_key(experiment, settings), *(metric.digest for metric in metrics))

    def compute() -> tuple[tuple[TwoAnswers, ...], pd.DataFrame]:
        scored = score_experiment(experiment, [Imported(metric) for metric in metrics], Work())
        answers = two_answers(experiment, scored, settings, Work())
        given = tuple(pair for pair in answers if not isnan(pair.both.answered.difference))
        return given, scores_frame(scored).dropna(subset="score")

    return remembered(key, compute)


def against_metrics(
    campaign: Campaign, judged: pd.DataFrame, tasks: Sequence[Task], pair: tuple[int, int] | None, settings: Settings
) -> None:
    """People and metrics side by side, where the annotated outputs are loaded and scored."""
    if pair is None:
        return
    st.subheader("People and metrics", anchor=False)
    results = _results(settings)
    if results is None:
        messages.say("note", "Load the files of this campaign and score them to see the metrics beside the people.")
        return
    scored = [by for test_set in results.experiment.test_sets for by in scored_on(results.on(test_set))]
    pairs = metric_pairs(campaign, judged, scored, pair)
    if pairs.empty:
        messages.say("note", "The outputs that were annotated are not among those loaded now.")
        return
    first, second = (campaign.outputs[output].system for output in pair)
    frame = correlation_frame(pairs)
    specs = catalog(results.experiment.given)
    rows = [
        (
            ASPECT_NAMES[row["aspect"]], specs[row["metric"]].name, str(row["n_segments"]),
            ASPECT_NOTATION.difference(row["human_difference"]),
            specs[row["metric"]].notation.difference(row["metric_difference"]), signed(row["pearson"], 2),
            signed(row["kendall"], 2),
        )
        for row in frame.to_dict("records")
    ]  # fmt: skip
    head = ("People", "Metric", "Segments", "People's difference", "Metric's difference", "Pearson", "Kendall")
    show(
        table(
            head,
            rows,
            n_words=2,
            caption=f"Mean difference a segment, positive where {second} is better than {first}, and the correlation of"
            " the two over segments.",
        )
    )
    _scatter(campaign, pairs, (first, second), specs)
    human_answers(campaign, tasks, results)


def _results(settings: Settings) -> Results | None:
    experiment = loaded_experiment()
    return None if experiment is None else evaluation.current(experiment, settings)


def _scatter(
    campaign: Campaign, pairs: pd.DataFrame, systems: tuple[str, str], specs: Mapping[str, MetricSpec]
) -> None:
    aspects, metrics = list(ASPECTS[campaign.way]), list(dict.fromkeys(pairs["metric"]))
    with st.container(horizontal=True):
        aspect = aspects[0]
        if len(aspects) > 1:
            aspect = st.selectbox(
                "People", aspects, format_func=ASPECT_NAMES.__getitem__, key="scatter-aspect", width=240, **SURVIVES
            )
        metric = st.selectbox(
            "Metric",
            metrics,
            format_func=lambda key: visible(specs[key].name),
            key="scatter-metric",
            width=240,
            **SURVIVES,
        )
    shown = pairs[(pairs["aspect"] == aspect) & (pairs["metric"] == metric)]
    better = f"{systems[1]} better than {systems[0]}"
    figure = difference_scatter(
        shown,
        f"{ASPECT_NAMES[aspect]}: {better}",
        f"{specs[metric].name}: {better}",
        system_colors(systems)[systems[1]],
        (ASPECT_NOTATION, specs[metric].notation),
    )
    chart(figure, "human-scatter")
