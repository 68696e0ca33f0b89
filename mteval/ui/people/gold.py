"""Which systems do people tell apart? The matrix of all pairs (Graham et al. 2014, Figure 7)."""

import streamlit as st

from mteval.analysis.people.gold import GOLD_TESTS, JUDGED_UNITS, Gold
from mteval.counts import counted, counted_part
from mteval.figures.human import gold_matrix
from mteval.notation import level as written_level
from mteval.ui.parts.charts import chart
from mteval.ui.parts.markup import show, tag
from mteval.ui.people.plan import UNITS, Plan
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
        st.code(plan.methods, language=None, wrap_lines=True)
    with left:
        chart(gold_matrix(cells, gold.systems), "people-gold")
    with right:
        _words(plan, gold, level)
        save_csv("Pairs as CSV", cells, "human-gold")


def _words(plan: Plan, gold: Gold, level: float) -> None:
    conclusions = gold.conclusions(level)
    n_apart = sum(sign != 0 for sign in conclusions.values())
    counts = gold.first[["n_one", "n_other"]].to_numpy()
    sizes = f"{counts.min():,} to {counts.max():,}" if counts.min() < counts.max() else f"{counts.min():,}"
    show(
        tag(
            "p",
            f"People tell apart {counted_part(n_apart, len(conclusions), 'pair')} at {written_level(level)}.",
        ),
        tag(
            "p",
            f"{GOLD_TESTS[gold.test]}, one-sided in either direction, {UNITS.get(gold.unit, gold.unit)} as units;"
            f" {sizes} for each system. Systems from best to worst by the mean"
            f" {gold.first['scale'].iloc[0]}. p-values are not adjusted for the number of pairs, as in the paper.",
            class_="mt-quiet",
        ),
    )
    if gold.unit == JUDGED_UNITS[0] and plan.people.frame["document"].notna().all():
        text = "Judgements of one document are not independent; documents as units take them as one."
        show(tag("p", text, class_="mt-quiet"))
    if gold.second is not None:
        second = gold.second["scale"].iloc[0]
        text = f"Where {gold.first['scale'].iloc[0]} tells neither apart, {second} decides."
        show(tag("p", text, class_="mt-quiet"))
    apart = {system for pair, sign in conclusions.items() if sign for system in pair}
    alone = [system for system in gold.systems if system not in apart]
    if alone:
        shown = counted(len(alone), "system")
        show(tag("p", f"{shown} told apart from no other: {', '.join(alone)}.", class_="mt-quiet"))
