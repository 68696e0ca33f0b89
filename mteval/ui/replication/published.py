"""Clark et al.'s Table 2 on the page: what p-value would have been published with other runs?"""

from collections.abc import Mapping
from typing import get_args

import pandas as pd
import streamlit as st

from mteval.analysis.replication.combinations import numbers_to_draw, usual_numbers
from mteval.analysis.replication.draws import ALL, RANDOM, published
from mteval.counts import counted
from mteval.export.prose.replication import procedures_sentence, truth_sentence
from mteval.export.replication import published_cells
from mteval.figures.published import p_value_ranges
from mteval.figures.words import in_words
from mteval.notation import level, p_value, percent
from mteval.run_words import Wording
from mteval.stats.procedures.registry import on_draws
from mteval.stats.procedures.spec import Luck
from mteval.ui.parts import messages
from mteval.ui.parts.charts import chart
from mteval.ui.parts.choices import choose_some
from mteval.ui.parts.markup import Markup, tag
from mteval.ui.parts.tables import table
from mteval.ui.replication.pool import Chosen
from mteval.ui.replication.verdict import known_verdict
from mteval.ui.session.progress import ask
from mteval.ui.setup.words import tell

SEVERAL = (RANDOM, ALL)
ONE_COMBINATION = (
    "With one run of each system there is one combination of runs, so no other p-value could have been published from"
    " these. Load more runs of each system."
)


def published_tab(chosen: Chosen) -> None:
    """The draws' p-values as picture and table, with the share of conclusions."""
    pool, settings = chosen.pool, chosen.settings
    specs, offered = on_draws(), numbers_to_draw(pool.sizes)
    if not offered:
        messages.say("note", chosen.said(ONE_COMBINATION))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        numbers = choose_some(
            chosen.said("Runs of each system in a draw"),
            offered,
            f"published-numbers-{pool.sizes}",
            default=usual_numbers(pool.sizes),
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
    chart(in_words(p_value_ranges(frame, names, alpha), chosen.said), "published")
    tell(tag("p", chosen.said(_legend(settings.n_shuffles, pool.unit)), class_="mt-quiet"))
    tell(_ranges(frame, names, chosen.said))
    tell(_conclusions(frame, alpha, names, chosen))
    tell(tag("p", chosen.said(truth_sentence(known_verdict(chosen))), class_="mt-quiet"))
    st.download_button(
        "Every draw as CSV", lambda: _csv(trials), "mteval-draws.csv", "text/csv", on_click="ignore",
        icon=":material/download:", key="download-draws",
    )  # fmt: skip


def _legend(n_shuffles: int, unit: str) -> str:
    """What the picture shows and what its rows measure, from what the procedures say of themselves."""
    specs = [(spec, spec.short_name_on(unit)) for spec in on_draws().values()]
    by_luck = {luck: [name for spec, name in specs if spec.luck == luck] for luck in get_args(Luck)}
    said = procedures_sentence(by_luck, [name for spec, name in specs if spec.reproduces])
    return f"Dot: median p of the draws; bar: their middle 95%. {counted(n_shuffles, 'shuffle')}. {said}"


def _ranges(frame: pd.DataFrame, names: Mapping[str, str], said: Wording) -> Markup:
    header = (said("Runs each"), "Baseline", "System", *(names[key] for key in frame["procedure"].unique()))
    caption = said("p-values: single runs, then the middle 95% over the draws.")
    return table(header, list(published_cells(frame)), n_words=3, caption=caption)


def _conclusions(frame: pd.DataFrame, alpha: float, names: Mapping[str, str], chosen: Chosen) -> Markup:
    notation = chosen.notation
    rows = [
        (
            f"{row['n']} each", names[row["procedure"]], f"{row['n_draws']:,}",
            *(percent(row[key]) for key in notation.conclusions), p_value(row["p_median"]),
        )
        for row in frame[frame["baseline_run"].isin(SEVERAL)].to_dict("records")
    ]  # fmt: skip
    caption = (
        f"What the draws would have concluded at the {level(alpha)} level, each as the one comparison of its paper."
    )
    header = (chosen.said("Runs"), "Procedure", "draws", *notation.conclusions.values(), "median p")
    return table(header, rows, n_words=2, caption=caption)


def _csv(trials: pd.DataFrame) -> str:
    joined = {key: trials[key].map("+".join) for key in ("baseline_runs", "system_runs")}
    return str(trials.assign(**joined).to_csv(index=False))
