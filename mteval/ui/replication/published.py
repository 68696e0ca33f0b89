"""Clark et al.'s Table 2 on the page: what p-value would have been published with other runs?"""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from mteval.analysis.replication.draws import published
from mteval.counts import counted
from mteval.export.replication import published_cells
from mteval.figures.published import p_value_ranges
from mteval.notation import level, p_value, percent
from mteval.stats.procedures.registry import on_draws
from mteval.ui.parts.choices import choose_some
from mteval.ui.parts.markup import Markup, show, tag
from mteval.ui.parts.tables import table
from mteval.ui.replication.pool import Chosen
from mteval.ui.session.progress import ask

USUAL = (3, 5, 10, 50)
PLOT = {"displayModeBar": False}


def published_tab(chosen: Chosen) -> None:
    """The draws' p-values as picture and table, with the share of conclusions."""
    pool, settings = chosen.pool, chosen.settings
    specs, largest = on_draws(), min(pool.sizes)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        numbers = choose_some(
            "Runs of each system in a draw",
            range(1, largest + 1),
            f"published-numbers-{largest}",
            default=[n for n in USUAL if n <= largest] or [1],
            width=340,
        )
        n_draws = int(
            st.number_input(
                "Draws", 10, 10_000, 250, step=50, key="published-draws", persist_state="session", width=140
            )
        )
    numbers = sorted(numbers)
    computed = ask(
        "published",
        f"published {numbers} {n_draws} {chosen.key}",
        lambda work: published(pool, numbers, n_draws, tuple(specs), settings, work),
        settings.workers,
    )
    if computed is None:
        return
    frame, trials = computed
    alpha, names = 1 - settings.confidence, {key: spec.short_name_on(pool.unit) for key, spec in specs.items()}
    st.plotly_chart(p_value_ranges(frame, names, alpha), config=PLOT, key="published")
    show(tag("p", _legend(settings.n_shuffles), class_="mt-quiet"))
    show(_ranges(frame, names))
    show(_conclusions(frame, alpha, names))
    st.download_button(
        "Every draw as CSV", lambda: _csv(trials), "mteval-draws.csv", "text/csv", on_click="ignore",
        icon=":material/download:", key="download-draws",
    )  # fmt: skip


def _legend(n_shuffles: int) -> str:
    return (
        f"Dot: median p of the draws; bar: their middle 95%. {counted(n_shuffles, 'shuffle')}. The exchange of outputs"
        " is what the paper does; like the next row it takes the runs as given. The permutation of runs and Welch's"
        " test take the test set as given. Two-way accounts for both."
    )


def _ranges(frame: pd.DataFrame, names: Mapping[str, str]) -> Markup:
    header = ("Runs each", "Baseline", "System", *(names[key] for key in frame["procedure"].unique()))
    caption = "p-values: single runs, then the middle 95% over the random draws."
    return table(header, list(published_cells(frame)), n_words=3, caption=caption)


def _conclusions(frame: pd.DataFrame, alpha: float, names: Mapping[str, str]) -> Markup:
    rows = [
        (
            f"{row['n']} each", names[row["procedure"]], percent(row["right"]), percent(row["open"]),
            percent(row["wrong"]), p_value(row["p_median"]),
        )
        for row in frame[frame["baseline_run"] == "random"].to_dict("records")
    ]  # fmt: skip
    caption = f"What the random draws would have concluded at the {level(alpha)} level."
    header = ("Runs", "Procedure", "right conclusion", "no conclusion", "wrong conclusion", "median p")
    return table(header, rows, n_words=2, caption=caption)


def _csv(trials: pd.DataFrame) -> str:
    joined = {key: trials[key].map("+".join) for key in ("baseline_runs", "system_runs")}
    return str(trials.assign(**joined).to_csv(index=False))
