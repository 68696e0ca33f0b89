"""Write the calibration page: words, tables, checks and picture."""

import shutil
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchmarks.calibration_limits import limits
from benchmarks.calibration_words import (
    LEVEL,
    SETTINGS,
    bounds,
    checks,
    fine_percent,
    paragraph,
    percent,
    practice,
    setup,
    summary,
)
from benchmarks.example import ROOT
from benchmarks.simulation import EFFECT
from benchmarks.two_way_grid import LEVELS
from mteval.figures.colors import PALETTE
from mteval.figures.style import plain

PAGE = ROOT / "docs" / "calibration.md"
PICTURE = ROOT / "docs" / "images" / "calibration.png"
WIDTH = 1300
POWER = (
    "For the mean metric the difference is 2.5 times its true standard error (test set and runs). A test that knew this"
    " error would detect it 71% of the time. For BLEU the two systems of the sample experiment are compared, 0.9 points"
    " apart. More power than two-way's is meaningful only if the tables above show at most 7%."
)
RUNS = ("1", "2", "2 and 10", "3", "3 and 10", "5", "10")
PROCEDURES = (
    "ar-segment",
    "bootstrap-shift",
    "paired-bootstrap",
    "bootstrap-rm2005",
    "sign",
    "wilcoxon",
    "paired-t",
    "ar-output",
    "MultEval's shuffle",
    "run-permutation",
    "welch",
    "two-level bootstrap",
    "two-way",
)
DRAWN = ("ar-segment", "ar-output", "MultEval's shuffle", "welch", "run-permutation", "two-way")


def write(frame: pd.DataFrame) -> None:
    """Write the page and its picture from the rows that ``benchmarks.calibration`` makes."""
    frame = frame.assign(runs=_runs(frame), setting=_setting(frame))
    PAGE.write_text("\n".join(_lines(frame)) + "\n", encoding="utf-8")
    _draw(frame)


def _runs(frame: pd.DataFrame) -> pd.Series:
    """Return the numbers of runs of each row: one number if both systems have as many."""
    baseline = frame["n_baseline"].astype(str)
    system = frame["n_system"].astype(str)
    return baseline.where(baseline == system, baseline + " and " + system)


def _setting(frame: pd.DataFrame) -> pd.Series:
    """Return the setting that each row belongs to, a key of ``SETTINGS``."""
    columns = zip(frame["kind"], frame["ratio"], frame["inter"], strict=True)
    return pd.Series([_name_of_setting(kind, ratio, inter) for kind, ratio, inter in columns])


def _name_of_setting(kind: str, ratio: float, inter: float) -> str:
    if ratio >= 5:
        runs = "much run noise"
    elif kind == "BLEU":
        runs = "BLEU"
    elif ratio == 0:
        runs = "equal runs"
    else:
        runs = "some run noise"
    systems = "unlike" if inter else "alike"
    return f"{runs}, {systems}"


def _lines(frame: pd.DataFrame) -> Iterator[str]:
    yield from ("# Calibration: error rates and power of every test", "", *summary(frame), "")
    yield from ("## The simulation", "", *setup(frame), "")
    yield from ("![Rejections at 5% without a true difference](images/calibration.png)", "")
    yield from ("Equal numbers of runs, equal run noise, normal scores. The dotted line is the nominal 5%.", "")
    yield from ("## Recommendations", "", *practice(frame), "")
    yield from ("## Requirements for two-way", "", *checks(frame), "", *bounds(frame, EFFECT), "")
    yield from ("## Largest sizes at lower levels", "", *largest_sizes(frame), "")
    yield from limits()
    yield from ("## Rejections at 5% without a true difference, highest of the cells", "")
    for key, words in SETTINGS.items():
        yield from _table(frame[frame["setting"] == key], words, "rate", "max")
    yield from ("## Power: rejections with a true difference, mean of the cells", "", *paragraph(POWER), "")
    for key, words in SETTINGS.items():
        yield from _table(frame[frame["setting"] == key], words, "power", "mean")


def largest_sizes(frame: pd.DataFrame) -> Iterator[str]:
    """Yield a table of the largest size of every procedure at every level."""
    fewest = frame[["n_baseline", "n_system"]].min(axis=1)
    sides = {"3 runs or more": fewest >= 3, "5 runs or more": fewest >= 5}
    columns = [f"{runs}: {100 * level:g}%" for runs in sides for level in LEVELS.values()]
    yield from paragraph(
        "The highest rate over all cells, those with run noise included. At 0.1%, 2,000 experiments have a Monte Carlo"
        " error of 0.07 points, and the highest of many cells is above its expectation. `two-way` as printed:"
    )
    yield from ("", f"| procedure | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|")
    largest_of_sides = [frame[is_side].groupby("procedure")[list(LEVELS)].max() for is_side in sides.values()]
    for procedure in PROCEDURES:
        cells = []
        for largest in largest_of_sides:
            cells += [fine_percent(largest.loc[procedure, level]) for level in LEVELS]
        yield f"| {procedure} | {' | '.join(cells)} |"


def _table(frame: pd.DataFrame, title: str, column: str, how: str) -> Iterator[str]:
    """Yield a table with a row per procedure and a column per numbers of runs."""
    shares = frame.groupby(["procedure", "runs"])[column].agg(how)
    runs = [name for name in RUNS if name in set(frame["runs"])]
    yield f"**{title[:1].upper()}{title[1:]}**"
    yield ""
    yield "| procedure | " + " | ".join(runs) + " |"
    yield "|---" * (len(runs) + 1) + "|"
    for procedure in dict.fromkeys((*PROCEDURES, *frame["procedure"])):
        cells = [percent(shares.get((procedure, name), float("nan"))) for name in runs]
        if any(cell != "–" for cell in cells):
            yield f"| {procedure} | " + " | ".join(cells) + " |"
    yield ""


def _draw(frame: pd.DataFrame) -> None:
    """Draw the picture in the browser that the tests use."""
    from playwright.sync_api import sync_playwright

    rows = {0.0: "systems alike", 1.5: "systems differ by segment"}
    columns = {runs: f"{runs} runs" for runs in ("2", "3", "5", "10")}
    is_drawn = (frame["kind"] == "normal") & (frame["spread"] == "equal") & frame["runs"].isin(columns)
    rates = frame[is_drawn]
    rates = rates.assign(row=rates["inter"].map(rows), column=rates["runs"].map(columns))
    names = {procedure: procedure for procedure in DRAWN}
    figure = calibration_figure(rates, names, list(rows.values()), list(columns.values()), LEVEL)
    figure.update_layout(width=WIDTH)
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH + 20, "height": int(figure.layout.height) + 20})
        page.set_content(figure.to_html(include_plotlyjs=True, config={"displayModeBar": False}))
        page.locator(".js-plotly-plot").screenshot(path=PICTURE)
        browser.close()


SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star")
PANEL_HEIGHT = 300


def calibration_figure(
    rates: pd.DataFrame, names: Mapping[str, str], rows: Sequence[str], columns: Sequence[str], level: float
) -> go.Figure:
    """Plot rejection rates against run noise, with one panel per row and column, and one line per procedure.

    Parameters
    ----------
    rates
        Columns ``procedure, row, column, ratio, rate`` (rate between 0 and 1).
    names
        From procedure to its name, in the order of the legend; others are not drawn.
    rows, columns
        Titles of the panels; values of ``row`` and ``column``.
    level
        Nominal level, drawn as a line.
    """
    figure = make_subplots(
        len(rows),
        len(columns),
        shared_xaxes=True,
        shared_yaxes=True,
        column_titles=[plain(column) for column in columns],
        row_titles=[plain(row) for row in rows],
        horizontal_spacing=0.025,
        vertical_spacing=0.07,
    )
    ratios = sorted(rates["ratio"].unique())
    for index, (key, name) in enumerate(names.items()):
        style = {"color": PALETTE[index % len(PALETTE)], "symbol": SYMBOLS[index % len(SYMBOLS)]}
        for row, row_name in enumerate(rows, start=1):
            for column, column_name in enumerate(columns, start=1):
                is_in_panel = (rates["row"] == row_name) & (rates["column"] == column_name)
                of_procedure = rates[(rates["procedure"] == key) & is_in_panel].sort_values("ratio")
                trace = _line(of_procedure, ratios, name, style, is_first=row == column == 1)
                figure.add_trace(trace, row=row, col=column)
    figure.add_hline(y=100 * level, line={"dash": "dot", "width": 1.5, "color": "rgba(128,128,128,0.9)"})
    figure.update_xaxes(tickvals=list(range(len(ratios))), ticktext=[f"{ratio:g}" for ratio in ratios])
    for column in range(1, len(columns) + 1):
        figure.update_xaxes(title_text="run noise", row=len(rows), col=column)
    figure.update_yaxes(range=[0, 100], ticksuffix="%", showgrid=True)
    figure.update_layout(
        height=90 + PANEL_HEIGHT * len(rows),
        font={"size": 14},
        margin={"l": 50, "r": 40, "t": 60, "b": 100},
        legend={"orientation": "h", "x": 0, "y": -0.13, "yanchor": "top"},
        template="plotly_white",
    )
    return figure


def _line(
    panel: pd.DataFrame, ratios: Sequence[float], name: str, style: Mapping[str, str], *, is_first: bool
) -> go.Scatter:
    """Draw one procedure; ratios are at equal distances, because they are settings, not a scale."""
    return go.Scatter(
        x=[ratios.index(ratio) for ratio in panel["ratio"]],
        y=100 * panel["rate"],
        mode="lines+markers",
        name=plain(name),
        legendgroup=name,
        showlegend=is_first,
        line={"color": style["color"], "width": 2},
        marker={"symbol": style["symbol"], "size": 9},
    )
