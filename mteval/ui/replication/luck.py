"""Try your luck: draw one experiment after the other and see what each would have concluded."""

import pandas as pd
import streamlit as st

from mteval.analysis.replication.combinations import extent_of, numbers_to_draw
from mteval.analysis.replication.draws import odds
from mteval.export.prose.replication import no_draws_sentence, truth_sentence
from mteval.export.replication import latest_draw, tally
from mteval.figures.luck import luck_histogram
from mteval.figures.words import in_words
from mteval.stats.procedures.registry import answering
from mteval.ui.parts import messages
from mteval.ui.parts.charts import chart
from mteval.ui.parts.choices import choose
from mteval.ui.parts.markup import tag
from mteval.ui.replication.pool import Chosen
from mteval.ui.replication.series import MANY, Series, draw_what_is_wanted, procedures_for, series_of
from mteval.ui.replication.verdict import known_verdict
from mteval.ui.session.progress import ask
from mteval.ui.setup.words import tell

RUNS_KEY = "luck-runs"


def luck_tab(chosen: Chosen) -> None:
    """Buttons, the latest draw, the growing histogram, and the shares beside what enumeration says."""
    if not numbers_to_draw(chosen.pool.sizes):
        messages.say("note", chosen.said(no_draws_sentence()))
        return
    k, procedure = choose_draws(chosen)
    series = series_of(chosen, k, procedure)
    _buttons(series)
    draw_what_is_wanted(series, chosen, k, procedure)
    drawn, pool = series.frame, chosen.pool
    expected_odds = odds_of(chosen, k, procedure)
    tell(latest_draw(drawn, pool.system, pool.baseline, chosen.metric_name, chosen.notation, chosen.said.runs))
    figure = luck_histogram(drawn, extent_of(pool, k), pool.expected, chosen.difference_name, chosen.notation)
    chart(in_words(figure, chosen.said), "luck")
    tell(tally(drawn, expected_odds, chosen.notation))
    tell(tag("p", chosen.said(truth_sentence(known_verdict(chosen))), class_="mt-quiet"))


def odds_of(chosen: Chosen, k: int, procedure: str) -> pd.DataFrame | None:
    """What all combinations of runs would have concluded; None until it is known."""
    return ask(
        "luck", f"odds {k} {procedure} {chosen.key}",
        lambda work: odds(chosen.pool, k, (procedure,), chosen.settings, work), chosen.settings.workers,
    )  # fmt: skip


def choose_draws(chosen: Chosen) -> tuple[int, str]:
    """How many runs of each system are drawn, and the test that judges them."""
    unit, sizes = chosen.pool.unit, chosen.pool.sizes
    with st.container(horizontal=True, vertical_alignment="bottom", key="luck-choice"):
        k = choose(chosen.said("Runs of each system"), numbers_to_draw(sizes), RUNS_KEY, width=180)
        specs = procedures_for(k)
        procedure = choose(
            "Test", list(specs), "luck-procedure", default=answering("test-set", unit).key, width=260,
            format_func=lambda key: specs[key].short_name_on(unit),
        )  # fmt: skip
    return k, procedure


def _buttons(series: Series) -> None:
    with st.container(horizontal=True, key="luck-buttons"):
        st.button(
            "Draw", icon=":material/casino:", type="primary", on_click=series.add, args=(1,), key="luck-draw",
            shortcut="d",
        )  # fmt: skip
        st.button(f"Draw {MANY}", on_click=series.add, args=(MANY,), key="luck-draw-many")
        st.button("Start over", icon=":material/restart_alt:", on_click=series.start_over, key="luck-restart")
