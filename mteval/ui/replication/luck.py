"""Try your luck: draw one experiment after the other and see what each would have concluded. Made for a lab meeting."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from mteval.analysis.replication.draws import lucky_draws, odds, shares, trials
from mteval.analysis.work import Work
from mteval.counts import all_counted, counted
from mteval.export.prose.replication import CONCLUSION_WORDS
from mteval.figures.luck import CONCLUSION_NAMES, luck_histogram
from mteval.notation import p_equals, percent
from mteval.parallel import Engine
from mteval.stats.procedures.registry import answering, on_draws
from mteval.ui.parts.choices import choose
from mteval.ui.parts.markup import Markup, show, tag
from mteval.ui.parts.tables import table
from mteval.ui.replication.pool import Chosen
from mteval.ui.session.memory import of_session
from mteval.ui.session.progress import ask

STYLE = Path(__file__).with_name("luck.css")
PRESENTER_STYLE = Path(__file__).with_name("presenter.css")
PRESENTING = "presenting"
MANY = 100


@dataclass
class Series:
    """The draws of one session for one pool, number of runs and procedure.

    Parameters
    ----------
    n_wanted
        So many draws should there be; the next run of the page makes what is missing.
    first
        Number of the first draw in the endless series; starting over goes on in it, so that luck does not repeat.
    """

    n_wanted: int = 0
    first: int = 0
    drawn: list[pd.DataFrame] = field(default_factory=list)

    def add(self, count: int) -> None:
        """Draw more."""
        self.n_wanted += count

    def start_over(self) -> None:
        """Forget the draws."""
        self.first += self.n_wanted
        self.n_wanted = 0
        self.drawn.clear()

    @property
    def frame(self) -> pd.DataFrame:
        """All draws in order."""
        return (
            pd.concat(self.drawn, ignore_index=True)
            if self.drawn
            else pd.DataFrame({"difference": [], "conclusion": []})
        )


def is_presenting() -> bool:
    """Whether the draws have the screen to themselves."""
    return bool(st.session_state.get(PRESENTING, False))


def luck_tab(chosen: Chosen) -> None:
    """Buttons, the latest draw in large type, the growing histogram, and the shares beside what enumeration says."""
    st.html(STYLE)
    is_large = is_presenting()
    if is_large:
        st.html(PRESENTER_STYLE)
    k, procedure = _choose(chosen)
    series = _series(chosen, k, procedure)
    _buttons(series)
    _draw_what_is_wanted(series, chosen, k, procedure)
    drawn = series.frame
    expected_odds = ask(
        "luck", f"odds {k} {procedure} {chosen.key}",
        lambda work: odds(chosen.pool, k, (procedure,), chosen.settings, work), chosen.settings.workers,
    )  # fmt: skip
    _show(_latest(chosen, drawn), is_large)
    figure = luck_histogram(
        drawn, _extent(chosen, k), chosen.pool.expected, chosen.difference_name, chosen.notation, is_large=is_large
    )
    st.plotly_chart(figure, config={"displayModeBar": False}, key="luck")
    _show(_tally(drawn, expected_odds), is_large)


def _choose(chosen: Chosen) -> tuple[int, str]:
    """How many runs of each system are drawn, and the test that judges them."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="luck-choice"):
        largest = min(chosen.pool.sizes)
        k = int(st.number_input("Runs of each system", 1, largest, 1, key=f"luck-runs-{largest}", width=180))
        specs = {key: spec for key, spec in on_draws().items() if spec.min_runs <= k}
        unit = chosen.pool.unit
        procedure = choose(
            "Test", list(specs), f"luck-procedure-{k > 1}", default=answering("test-set", unit).key, width=260,
            format_func=lambda key: specs[key].short_name_on(unit),
        )  # fmt: skip
    return k, procedure


def _series(chosen: Chosen, k: int, procedure: str) -> Series:
    """The series of this choice; those of others are kept as well."""
    memory: dict[str, Series] = of_session("luck-series", dict)
    return memory.setdefault(f"{k} {procedure} {chosen.key}", Series())


def _buttons(series: Series) -> None:
    with st.container(horizontal=True, key="luck-buttons"):
        st.button(
            "Draw",
            icon=":material/casino:",
            type="primary",
            on_click=series.add,
            args=(1,),
            key="luck-draw",
            shortcut="d",
        )
        st.button(f"Draw {MANY}", on_click=series.add, args=(MANY,), key="luck-draw-many")
        st.button("Start over", icon=":material/restart_alt:", on_click=series.start_over, key="luck-restart")
        st.button(
            "Leave" if is_presenting() else "Present",
            icon=":material/close_fullscreen:" if is_presenting() else ":material/slideshow:",
            on_click=_toggle,
            key="luck-present",
            help="Large type and nothing else on the screen.",
        )


def _toggle() -> None:
    st.session_state[PRESENTING] = not is_presenting()


def _draw_what_is_wanted(series: Series, chosen: Chosen, k: int, procedure: str) -> None:
    n_drawn = sum(map(len, series.drawn))
    if n_drawn >= series.n_wanted:
        return
    numbers = range(series.first + n_drawn, series.first + series.n_wanted)
    with st.spinner(f"Drawing {len(numbers)}", show_time=False):
        draws = lucky_draws(chosen.pool, k, numbers, chosen.settings)
        work = Work(Engine(chosen.settings.workers))
        series.drawn.append(trials(chosen.pool, draws, (procedure,), chosen.settings, work))


def _extent(chosen: Chosen, k: int) -> tuple[float, float]:
    """The lowest and highest difference that k runs of each system can show."""
    one, other = (np.sort(scores) for scores in chosen.pool.scores)
    return float(other[:k].mean() - one[-k:].mean()), float(other[-k:].mean() - one[:k].mean())


def _latest(chosen: Chosen, drawn: pd.DataFrame) -> Markup:
    """The difference that one would have published, its p-value and the conclusion."""
    if drawn.empty:
        return tag("div", tag("span", "Which runs will you happen to have? Draw."), class_="mt-luck")
    last = drawn.iloc[-1]
    conclusion = last["conclusion"]
    runs = (
        f"{chosen.pool.baseline}: run {', '.join(last['baseline_runs'])} · {chosen.pool.system}: run"
        f" {', '.join(last['system_runs'])}"
    )
    return tag(
        "div",
        tag("b", f"{chosen.notation.difference(float(last['difference']))} {chosen.metric_name}"),
        tag("span", p_equals(float(last["p_value"]))),
        tag("span", CONCLUSION_WORDS[conclusion], class_=f"mt-{conclusion}"),
        tag("small", runs),
        class_="mt-luck",
    )


def _tally(drawn: pd.DataFrame, expected: pd.DataFrame | None) -> Markup:
    """Shares of the conclusions so far, beside what all combinations of runs say."""
    so_far = shares(drawn)
    row = None if expected is None else expected.iloc[0]
    header = ["Conclusion", f"so far ({len(drawn):,})"]
    if row is not None:
        header.append(
            all_counted(row["n_draws"], "combination") if row["is_exact"] else counted(row["n_draws"], "other draw")
        )
    rows = [
        (name, percent(share), *(() if row is None else (percent(float(row[key])),)))
        for (key, name), share in zip(CONCLUSION_NAMES.items(), so_far, strict=True)
    ]
    return table(header, rows, caption="What these experiments would have concluded.")


def _show(markup: Markup, is_large: bool) -> None:
    show(tag("div", markup, class_="mt-large") if is_large else markup)
