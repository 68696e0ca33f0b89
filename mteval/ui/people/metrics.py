"""Which metric agrees with people? The measures of the WMT metrics task, with intervals and clusters."""

import streamlit as st

from mteval.analysis.people.beside import MEASURES
from mteval.analysis.people.judged_values import HumanScores
from mteval.analysis.people.meta import Agreement, agreement_with_people
from mteval.analysis.tests.significance import unit_of
from mteval.analysis.work import Work
from mteval.counts import counted
from mteval.export.people import agreement_cells, measure_cells
from mteval.export.prose.human_answers import EVERY_MEASURE, MEANINGS, SHORT_MEASURES, agreement_sentence
from mteval.reporting.human_figures import agreement_figure
from mteval.ui.parts import messages
from mteval.ui.parts.charts import chart
from mteval.ui.parts.choices import choose
from mteval.ui.parts.markup import show, tag
from mteval.ui.people.plan import Plan
from mteval.ui.people.tables import save_csv, show_cells


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
    show(tag("p", MEANINGS[measure]))
    chart(agreement_figure(agreement.frame, measure, plan.names), "people-agreement")
    systems, segments = counted(len(agreement.systems), "system"), counted(agreement.n_segments, "segment")
    show_cells(agreement_cells(rows, plan.names), f"{MEASURES[measure]} on {systems} and {segments}")
    rests_on = agreement_sentence(plan.settings.n_bootstrap, agreement.n_units, agreement.unit)
    show(tag("p", rests_on, class_="mt-quiet"))
    show_cells(measure_cells(agreement.frame, SHORT_MEASURES, plan.names), EVERY_MEASURE)
    with st.container(horizontal=True):
        save_csv("Agreement as CSV", agreement.frame, "agreement-with-people")
        save_csv("Pairs of metrics as CSV", agreement.pairs, "pairs-of-metrics")
