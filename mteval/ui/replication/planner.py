"""The planner: what the next experiment would find, from these runs or from numbers typed in."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from mteval.analysis.replication.planning import (
    RUNS_PLANNED,
    Wish,
    plan,
    plan_of_looks,
    planned_sizes,
    power_frame,
    runs_that_lose_power,
    splits_frame,
    usual_wish,
)
from mteval.analysis.replication.pool import variation_of
from mteval.answers.planner import look_power_sentence, plan_words
from mteval.answers.replication import EACH, level_sentence, plan_sentences, power_loss_sentence
from mteval.base.errors import MtevalError
from mteval.base.words import counted
from mteval.figures.planning import detectable_curves, power_curves
from mteval.figures.style import in_words
from mteval.render.html import Markup, table, tag
from mteval.stats.planning import Sources
from mteval.ui.parts import messages
from mteval.ui.parts.choices import SURVIVES
from mteval.ui.parts.tables import as_label, chart
from mteval.ui.replication.pool import Chosen
from mteval.ui.session.memory import remembered
from mteval.ui.setup.words import said, tell
from mteval.values.notation import Notation, level, percent
from mteval.values.settings import Design

TABLED = (2, 3, 5, 10, 20, 50)
POWER_KEY, RUNS_KEY = "planner-power", "planner-runs"


@dataclass(frozen=True)
class _Basis:
    """What is planned from: variances, by what factors those of the runs are uncertain, and the test set's size."""

    sources: Sources
    factors: tuple[float, float]
    n_units: int
    unit: str
    design: Design = "independent"


def planner_tab(chosen: Chosen) -> None:
    """Curves and table of power, what the wish takes, and what unequal numbers of runs cost."""
    basis = _choose_basis(chosen)
    if basis is None:
        return
    wish, n_runs = _choose_wish(chosen, basis.design)
    found = plan(basis.sources, basis.factors, basis.n_units, n_runs, wish, basis.design)
    name, notation = chosen.metric_name, chosen.notation
    first, second = map(chosen.said, plan_sentences(found, name, basis.unit, notation))
    messages.say("warning" if found.runs is None else "good", first)
    messages.say("warning" if found.units is None else "good", second)
    sizes = planned_sizes(basis.n_units)
    frame = power_frame(basis.sources, RUNS_PLANNED, sizes, wish)
    left, right = st.columns(2)
    with left:
        chart(_drawn(power_curves(frame, wish.power, basis.unit), basis, chosen), "power")
    curves = detectable_curves(frame, wish.target, basis.unit, name, notation)
    with right:
        chart(_drawn(curves, basis, chosen), "detectable")
    rows = [
        (str(n), *(f"{percent(row.power)}  ({notation.number(row.detectable)})" for row in _records(rows_)))
        for n, rows_ in frame[frame["n_runs"].isin(TABLED)].groupby("n_runs")
    ]
    header = (chosen.said(EACH[basis.design]), *(f"{counted(size, basis.unit)}" for size in sizes))
    target = f"{notation.chosen(wish.target)} {name}"
    caption = f"Power to find {target}, and the difference found with {level(wish.power)} power."
    tell(table(header, rows, n_words=0, caption=caption))
    if basis.design == "independent":
        tell(_splits(basis, wish, n_runs, chosen))
    _looks(basis, wish, chosen)
    losing = runs_that_lose_power(frame)
    if losing is not None:
        messages.say("note", chosen.said(power_loss_sentence(losing, basis.unit)))
    tell(tag("p", _remark(basis.unit, wish.level, chosen), class_="mt-quiet"))


def _drawn(figure: go.Figure, basis: _Basis, chosen: Chosen) -> go.Figure:
    """A figure whose axis says what is counted."""
    return in_words(figure.update_xaxes(title_text=EACH[basis.design].lower()), chosen.said)


def _records(frame: pd.DataFrame) -> Iterator[Any]:
    """Rows of a frame, which have no static types."""
    yield from frame.itertuples()


def _remark(unit: str, test_level: float, chosen: Chosen) -> str:
    text = (
        f"Power of the two-way procedure, found in the right direction. {level_sentence(test_level, chosen.n_compared)}"
        " The target is a difference that would matter, chosen beforehand: with the observed one, power says nothing"
        " that p has not said."
    )
    if unit == "document":
        text += " The test set is counted in documents because its sentences are not independent within them."
    return text


def _choose_basis(chosen: Chosen) -> _Basis | None:
    source = st.segmented_control(
        "Plan from",
        ("These runs", "Typed numbers"),
        default="These runs",
        format_func=chosen.said,
        required=True,
        key="planner-basis",
        **SURVIVES,
    )
    if source == "Typed numbers":
        return _typed(chosen)
    try:
        variation = variation_of(chosen.pool)
    except MtevalError as error:
        messages.say("note", chosen.said(f"{error} Type numbers in instead."))
        return None
    return _Basis(variation.sources, variation.run_factors, chosen.pool.n_units, chosen.pool.unit, variation.design)


def _typed(chosen: Chosen) -> _Basis:
    columns = st.columns(4)
    asked = ("s between runs, baseline", "s between runs, system", "s of the difference from the test set")
    labels = [chosen.said(label) for label in asked]
    step = chosen.notation.step
    values = [
        float(
            column.number_input(
                label,
                0.0,
                None,
                4 * step,
                step=step / 2,
                format="%g",
                key=f"planner-typed-{number}-{step:g}",
                **SURVIVES,
            )
        )
        for number, (column, label) in enumerate(zip(columns[:3], labels, strict=True))
    ]
    n_segments = int(
        columns[3].number_input(
            "for so many segments",
            2,
            10_000_000,
            chosen.test_set.n_segments,
            step=100,
            key=f"planner-segments-{chosen.test_set.n_segments}",
            **SURVIVES,
        )
    )
    return _Basis(Sources.typed((values[0], values[1]), values[2], n_segments), (1.0, 1.0), n_segments, "segment")


def target_key(notation: Notation) -> str:
    """Of the field with the difference to be found."""
    return f"planner-target-{notation.step:g}"


def wish_of_session(chosen: Chosen) -> Wish:
    """What should be found: as chosen in the planner, or as it starts there."""
    usual = usual_wish(chosen.notation, chosen.settings, chosen.n_compared)
    target = st.session_state.get(target_key(chosen.notation), usual.target)
    share = st.session_state.get(POWER_KEY, usual.power)
    return Wish(float(target), float(share), usual.level)


def _choose_wish(chosen: Chosen, design: Design) -> tuple[Wish, int]:
    step, usual = chosen.notation.step, usual_wish(chosen.notation, chosen.settings, chosen.n_compared)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        target = st.number_input(
            f"Difference to find ({as_label(chosen.metric_name)})", step / 1_000, None, usual.target, step=step,
            format="%g", key=target_key(chosen.notation), width=220, **SURVIVES,
            help="The smallest true difference that would matter to you; not the one observed.",
        )  # fmt: skip
        power = st.select_slider(
            "Power", (0.5, 0.7, 0.8, 0.9, 0.95), usual.power, format_func=level, key=POWER_KEY, width=220,
            **SURVIVES,
        )  # fmt: skip
        n_runs = st.number_input(chosen.said(EACH[design]), 2, 1_000, 5, key=RUNS_KEY, width=180, **SURVIVES)
    return Wish(float(target), float(power), usual.level), int(n_runs)


def _looks(basis: _Basis, wish: Wish, chosen: Chosen) -> None:
    """What the planned looks of the settings find; nothing where none are planned."""
    looks = chosen.settings.look_plan
    if looks is None:
        return
    found = remembered(
        ("looks", basis.sources, basis.n_units, wish, looks),
        lambda: plan_of_looks(basis.sources, basis.n_units, wish, looks, chosen.n_compared),
    )
    what = f"a true difference of {chosen.notation.chosen(wish.target)} {chosen.metric_name}"
    messages.say("note", said(look_power_sentence(looks, found.found, found.mean_runs, what, chosen.settings.runs)))
    tell(tag("p", plan_words(looks), class_="mt-quiet"))


def _splits(basis: _Basis, wish: Wish, n_runs: int, chosen: Chosen) -> Markup:
    """What other divisions of the same number of runs would find; a few of them."""
    notation = chosen.notation
    frame = splits_frame(basis.sources, 2 * n_runs, basis.n_units, wish)
    wanted = {round(2 + share * (2 * n_runs - 4)) for share in (0, 0.25, 0.5, 0.75, 1)}
    rows = [
        (f"{row.n_baseline} and {row.n_system}", percent(row.power), notation.number(row.detectable))
        for row in _records(frame)
        if row.n_baseline in wanted
    ]
    caption = chosen.said(
        f"What other divisions of {counted(2 * n_runs, 'run')} would find, on {counted(basis.n_units, basis.unit)}."
    )
    return table(("Baseline and system", "power", "detectable difference"), rows, caption=caption)
