"""Clark et al.'s Figure 2 on the page: which differences would have been observed with how many runs."""

import pandas as pd
import streamlit as st

from mteval.analysis.replication.differences import Replication, replication
from mteval.export.prose.replication import ASSUMPTION, outlook_sentence
from mteval.export.replication import OUTLOOK_COLUMNS, outlook_cells
from mteval.figures.spread import difference_ridges, difference_slider
from mteval.figures.words import in_words
from mteval.notation import level
from mteval.stats.runs import copies_or_single_runs
from mteval.ui.parts import messages
from mteval.ui.parts.charts import chart
from mteval.ui.parts.choices import SURVIVES
from mteval.ui.parts.markup import Markup, tag
from mteval.ui.parts.tables import table
from mteval.ui.replication.pool import Chosen
from mteval.ui.session.progress import ask
from mteval.ui.setup.words import tell


def spread_tab(chosen: Chosen) -> None:
    """The picture, one number of runs at a time if wanted, and the numbers under it."""
    pool = chosen.pool
    refusal = copies_or_single_runs(*pool.statistics)
    if refusal:
        messages.say("warning", chosen.said(f"{refusal} So nothing can be said of other runs."))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        most = _choose_most(chosen)
        view = st.segmented_control(
            "View", ("All", "One at a time"), default="All", required=True, key="spread-view", **SURVIVES
        )
    replicated = ask("spread", f"spread {most} {chosen.key}", lambda work: replication(pool, chosen.settings, most))
    if replicated is None:
        return
    draw = difference_ridges if view == "All" else difference_slider
    figure = draw(replicated.frequencies, replicated.outlook, chosen.difference_name, chosen.notation)
    chart(in_words(figure, chosen.said), f"spread-{view}")
    sentence = outlook_sentence(
        replicated.outlook, pool.system, pool.baseline, chosen.metric_name, chosen.notation,
        chosen.settings.confidence,
    )  # fmt: skip
    tell(tag("p", chosen.said(sentence)))
    tell(tag("p", chosen.said(_legend(most, min(pool.sizes))), class_="mt-quiet"))
    tell(_numbers(chosen, replicated))
    _download(replicated.outlook)


def _choose_most(chosen: Chosen) -> int:
    largest = min(chosen.pool.sizes)
    return int(
        st.slider(
            chosen.said("Up to how many runs of each system"),
            1,
            largest,
            largest,
            key=f"spread-most-{largest}",
            **SURVIVES,
            width=320,
        )
    )


def _legend(most: int, largest: int) -> str:
    text = (
        "Filled: differences between the averages of that many of these runs, all combinations or 50,000 of them;"
        " orange where they show the other order than all runs. Line: that many fresh runs of each system, "
        f"{ASSUMPTION}, which the table gives first."
    )
    if most > largest / 2:
        text += " Beyond half of the runs the combinations overlap, and their spread is too small by √(1 − k/n)."
    return text


def _numbers(chosen: Chosen, found: Replication) -> Markup:
    expected = chosen.notation.difference(chosen.pool.expected)
    caption = (
        f"Difference in {chosen.metric_name} by number of runs, {expected} with all of them. For fresh runs,"
        f" {ASSUMPTION}: standard deviation, 95% range, probability of the other order with the"
        f" {level(chosen.settings.confidence)} interval that these runs leave it, and of at least half the difference."
    )
    head = [chosen.said(column) for column in OUTLOOK_COLUMNS]
    return table(head, list(outlook_cells(found.outlook, chosen.notation)), n_words=0, caption=chosen.said(caption))


def _download(outlook: pd.DataFrame) -> None:
    st.download_button(
        "Numbers as CSV", lambda: outlook.to_csv(index=False), "mteval-replication.csv", "text/csv", on_click="ignore",
        icon=":material/download:", key="download-spread",
    )  # fmt: skip
