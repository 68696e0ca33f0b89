"""Which systems do people tell apart? The matrix of all pairs (Graham et al. 2014, Figure 7)."""

import streamlit as st

from mteval.analysis.people.gold import GOLD_TESTS, JUDGED_UNITS, Gold
from mteval.control_characters import visible
from mteval.export.prose.human_answers import alone_sentence, gold_extent, told_apart
from mteval.reporting.human_figures import gold_figure
from mteval.ui.parts.charts import chart
from mteval.ui.parts.markup import show, tag
from mteval.ui.people.plan import Plan
from mteval.ui.people.tables import choose_level, save_csv


def gold_tab(plan: Plan) -> None:
    """The matrix, what it says in words, and its numbers."""
    gold = plan.gold()
    if gold is None:
        return
    level = choose_level("people-gold-level")
    cells = gold.cells(level)
    left, right = st.columns([7, 3])
    with st.expander("Words for the paper", icon=":material/notes:"):
        st.code(visible(plan.methods), language=None, wrap_lines=True)
    with left:
        chart(gold_figure(gold, level), "people-gold")
    with right:
        _words(plan, gold, level)
        save_csv("Pairs as CSV", cells, "human-gold")


def _words(plan: Plan, gold: Gold, level: float) -> None:
    conclusions = gold.conclusions(level)
    quiet = [*gold_extent(gold.first, gold.second, GOLD_TESTS[gold.test], gold.unit)]
    if gold.unit == JUDGED_UNITS[0] and plan.people.frame["document"].notna().all():
        quiet.append("Judgements of one document are not independent; documents as units take them as one.")
    quiet.append(alone_sentence(conclusions, gold.systems))
    show(tag("p", told_apart(conclusions, level)), *(tag("p", text, class_="mt-quiet") for text in quiet if text))
