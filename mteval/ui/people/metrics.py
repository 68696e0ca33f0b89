"""Which metric agrees with people? The measures of the WMT metrics task, with intervals and clusters."""

from collections.abc import Iterator

import pandas as pd
import streamlit as st

from mteval.analysis.people.beside import MEASURES
from mteval.analysis.people.judged_values import HumanScores
from mteval.analysis.people.meta import Agreement, agreement_with_people
from mteval.analysis.tests.significance import unit_of
from mteval.analysis.work import Work
from mteval.counts import counted
from mteval.export.people import agreement_cells, measure_cells
from mteval.figures.estimates import Estimate, estimates
from mteval.notation import fixed
from mteval.ui.parts import messages
from mteval.ui.parts.charts import chart
from mteval.ui.parts.choices import choose
from mteval.ui.parts.markup import show, tag
from mteval.ui.people.plan import Plan
from mteval.ui.people.tables import save_csv, show_cells

SAID = {
    "pairwise_accuracy": "Share of pairs of systems that metric and people order alike (Kocmi et al. 2021).",
    "soft_pairwise_accuracy": "One less the mean distance of the one-sided p-values of the paired permutation test on"
    " segments, by metric and by people (Thompson et al. 2024).",
    "system_pearson": "Linear correlation of system scores.",
    "system_kendall": "Rank correlation of system scores, corrected for ties.",
    "acc_eq": "Share of pairs of a segment's outputs that metric and people order alike or both tie, a metric's tie"
    " being a difference up to the threshold that makes most pairs right, averaged over segments (Deutsch et al."
    " 2023).",
    "segment_pearson": "Linear correlation over all outputs.",
    "segment_kendall": "Rank correlation over all outputs, corrected for ties.",
}


SHORT = {  # where all stand side by side
    "pairwise_accuracy": "pairwise",
    "soft_pairwise_accuracy": "soft",
    "system_pearson": "r systems",
    "system_kendall": "tau systems",
    "acc_eq": "tied",
    "segment_pearson": "r segments",
    "segment_kendall": "tau segments",
}


def metrics_tab(plan: Plan) -> None:
    """One measure with intervals, and all measures as a table."""
    if not plan.has_metrics:
        messages.say(
            "note", "Load the outputs that were judged, or scores of them, to see which metric agrees with people."
        )
        return
    measure = choose("Measure", list(MEASURES), "people-measure", format_func=MEASURES.__getitem__, width=320)
    scorer, frame, scale, settings = plan.scorer(), plan.frame, plan.scales[0], plan.settings

    def compute(work: Work) -> Agreement:
        scored = scorer(work)
        human = HumanScores.of(frame, scale, scored[0].test_set)
        return agreement_with_people(scored, human, unit_of(scored[0], settings), settings, work)

    agreement = plan.asked("metrics", "", compute)
    if agreement is not None:
        _show(plan, agreement, measure)


def _show(plan: Plan, agreement: Agreement, measure: str) -> None:
    rows = agreement.frame[agreement.frame["measure"] == measure]
    show(tag("p", SAID[measure]))
    chart(estimates(list(_points(rows, plan.names)), MEASURES[measure]), "people-agreement")
    systems, segments = counted(len(agreement.systems), "system"), counted(agreement.n_segments, "segment")
    show_cells(agreement_cells(rows, plan.names), f"{MEASURES[measure]} on {systems} and {segments}")
    show(
        tag(
            "p",
            f"Intervals are of {counted(plan.settings.n_bootstrap, 'replicate')} of the"
            f" {counted(agreement.n_units, agreement.unit)} that were judged and scored by all, people and metrics"
            " drawn together; the systems are taken as given. A new cluster begins with the first metric that differs"
            " significantly from one of the cluster before it, adjusted by Holm over the pairs of metrics.",
            class_="mt-quiet",
        )
    )
    show_cells(measure_cells(agreement.frame, SHORT, plan.names), "Every measure; numbers of clusters in brackets")
    with st.container(horizontal=True):
        save_csv("Agreement as CSV", agreement.frame, "agreement-with-people")
        save_csv("Pairs of metrics as CSV", agreement.pairs, "pairs-of-metrics")


def _points(rows: pd.DataFrame, names: dict[str, str]) -> Iterator[Estimate]:
    for row in rows.to_dict("records"):
        name = names[row["metric"]]
        interval = f"{fixed(row['low'], 3)} to {fixed(row['high'], 3)}"
        said = f"{name}: {fixed(row['value'], 3)}, {interval}, cluster {row['rank']}"
        yield Estimate(name, "", row["value"], row["low"], row["high"], said)
