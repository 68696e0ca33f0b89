"""When is the median run representative enough for people to read it?"""

import streamlit as st

from mteval.analysis.replication.differences import median_convergence, runs_until_representative
from mteval.analysis.replication.pool import Pool, pool_of
from mteval.errors import MtevalError
from mteval.export.prose.replication import median_refusal, median_sentence
from mteval.figures.median import median_curves
from mteval.figures.style import system_colors
from mteval.figures.words import in_words
from mteval.notation import level
from mteval.stats.runs import copies_or_single_runs
from mteval.ui.parts import messages
from mteval.ui.parts.charts import chart
from mteval.ui.parts.choices import SURVIVES, choose
from mteval.ui.parts.markup import tag
from mteval.ui.replication.pool import Chosen, scored_on
from mteval.ui.setup.words import tell

NOWHERE = "none"
NEAR = (
    "Near: within half the difference of the systems' averages, so that a reader of the two medians sees them in the"
    " right order. An even number of runs has two in the middle; the upper one is taken, which is why it does not do"
    " better than the odd number before it."
)


def median_tab(chosen: Chosen) -> None:
    """The curve, and from how many runs on the median stands for its system."""
    pool = chosen.pool
    refusal = median_refusal(copies_or_single_runs(*pool.statistics), pool.expected)
    if refusal:
        messages.say("note", chosen.said(refusal))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = st.select_slider(
            "Representative where this often near the mean", (0.8, 0.9, 0.95, 0.99), 0.95,
            format_func=level, key="median-share", width=320, **SURVIVES,
        )  # fmt: skip
        elsewhere = _choose_elsewhere(chosen)
    most = min(pool.sizes)
    frame = median_convergence(pool, most, elsewhere)
    for system, runs in runs_until_representative(frame, wanted).items():
        tell(tag("p", chosen.said(median_sentence(system, runs, wanted, most))))
    colors = system_colors([system.key for system in chosen.experiment.systems])
    chart(in_words(median_curves(frame, colors, wanted), chosen.said), "median")
    tell(
        tag(
            "p",
            chosen.said(NEAR),
            class_="mt-quiet",
        )
    )


def _choose_elsewhere(chosen: Chosen) -> Pool | None:
    """Another test set on which the run chosen here is looked at, where it has the same runs."""
    pool = chosen.pool
    keys = [pool.run_keys(side) for side in (0, 1)]
    others = [
        other.name
        for other in chosen.experiment.test_sets
        if other.name != chosen.test_set.name
        and [tuple(run.key for run in other.runs_of(key)) for key in (pool.baseline, pool.system)] == keys
    ]
    if not others:
        return None
    name = choose("Choose the median here, read it on", [NOWHERE, *others], "median-elsewhere", width=260)
    if name not in others:
        return None
    scored = scored_on(chosen.experiment.test_set(name), pool.scored.metric, chosen.settings)
    try:
        return None if scored is None else pool_of(scored, pool.baseline, pool.system, chosen.settings)
    except MtevalError:
        return None
