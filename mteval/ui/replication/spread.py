"""Clark et al.'s Figure 2 on the page: which differences would have been observed with how many runs.

Try your luck: draw one experiment after the other and see what each would have concluded.

Where the variance of a score and of a difference comes from, and what to do about it.

When is the median run representative enough for people to read it?
"""

import pandas as pd
import streamlit as st

from mteval.analysis.replication.differences import (
    Replication,
    median_convergence,
    replication,
    runs_until_representative,
)
from mteval.analysis.replication.draws import extent_of, numbers_to_draw, odds
from mteval.analysis.replication.pool import Pool, pool_of, uncertainty_frame, variance_frame, variation_of
from mteval.answers.draws import OUTLOOK_COLUMNS, latest_draw, outlook_cells, tally
from mteval.answers.replication import (
    ASSUMPTION,
    advice_sentence,
    median_refusal,
    median_sentence,
    no_draws_sentence,
    outlook_sentence,
    truth_sentence,
)
from mteval.base.errors import MtevalError
from mteval.figures.luck import luck_histogram
from mteval.figures.planning import median_curves, variance_bars
from mteval.figures.spread import difference_ridges, difference_slider
from mteval.figures.style import in_words, system_colors
from mteval.render.html import Markup, table, tag
from mteval.stats.procedures.registry import answering
from mteval.stats.runs import copies_or_single_runs
from mteval.ui.parts import messages
from mteval.ui.parts.choices import SURVIVES, choose
from mteval.ui.parts.tables import chart
from mteval.ui.replication.pool import Chosen, scored_on
from mteval.ui.replication.verdict import MANY, Series, draw_what_is_wanted, known_verdict, procedures_for, series_of
from mteval.ui.session.progress import ask
from mteval.ui.setup.words import tell
from mteval.values.notation import level


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


EXPLANATION = (
    "Runs: another run shifts all segments together. Test set: other segments shift all runs together. Runs × test set:"
    " what a run does to single segments; more of either average it out."
)


def variance_tab(chosen: Chosen) -> None:
    """Stacked bars, one sentence of advice, and how well the components are known."""
    pool = chosen.pool
    try:
        variation = variation_of(pool)
    except MtevalError as error:
        messages.say("note", chosen.said(str(error)))
        return
    frame = variance_frame(pool, variation)
    last = frame[frame["what"] == frame["what"].iloc[-1]]
    shares = dict(zip(last["source"], last["share"], strict=True))
    tell(tag("p", chosen.said(advice_sentence(shares, pool.unit, pool.sizes, variation.design))))
    chart(in_words(variance_bars(frame, chosen.metric_name, chosen.notation), chosen.said), "variance")
    tell(tag("p", chosen.said(EXPLANATION), class_="mt-quiet"))
    finer = chosen.notation.finer
    rows = [
        (
            chosen.said(row["source"]), finer.number(row["standard_deviation"]), f"{round(row['df'], 1):,g}",
            finer.range(row["low"], row["high"]),
        )
        for row in uncertainty_frame(pool, variation).to_dict("records")
    ]  # fmt: skip
    caption = f"How well the standard deviations are known (95% chi-square intervals, {chosen.metric_name})."
    tell(table(("Standard deviation", "estimate", "degrees of freedom", "may be"), rows, caption=caption))


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
