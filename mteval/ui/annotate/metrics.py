"""People and metrics side by side, segment by segment."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from mteval.analysis.people.judgements import ASPECT_NAMES, ASPECT_NOTATION, ASPECTS
from mteval.analysis.people.results import correlation_frame, metric_pairs
from mteval.analysis.results import Results
from mteval.annotations import Campaign, Task
from mteval.control_characters import visible
from mteval.figures.human import difference_scatter
from mteval.figures.style import system_colors
from mteval.metrics import catalog
from mteval.metrics.base import MetricSpec
from mteval.notation import signed
from mteval.settings import Settings
from mteval.ui.annotate.luck import human_answers
from mteval.ui.parts import messages
from mteval.ui.parts.charts import chart
from mteval.ui.parts.choices import SURVIVES
from mteval.ui.parts.markup import show
from mteval.ui.parts.tables import table
from mteval.ui.session import evaluation
from mteval.ui.session.statistics import scored_on
from mteval.ui.setup.workspace import loaded_experiment


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
