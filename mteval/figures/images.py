"""Figures as SVG and PNG, drawn by Chromium without a window."""

import asyncio
import os
import re
import signal
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import kaleido
import plotly.graph_objects as go
import plotly.io as pio
from choreographer.browsers.chromium import Chromium
from choreographer.errors import BrowserClosedError, BrowserDepsError, BrowserFailedError, ChromeNotFoundError

from mteval.base.errors import MissingDependencyError

FORMATS = ("svg", "png")
WIDTH = 900
PAGES = 2  # of the browser that draws: two cores are common
PRINTED: Mapping[str, Any] = {"template": pio.templates["none"].to_plotly_json(), "paper_bgcolor": "#ffffff"}
PRINTED_AXIS: Mapping[str, str] = {"gridcolor": "#e3e8ec", "linecolor": "#b9c2c9", "zerolinecolor": "#b9c2c9"}
RANDOM_ID = re.compile(rb'(?:(?<= id="defs-)|(?<= trace))[0-9a-f]{6}(?=")')
SECONDS_TO_START = 60.0
SECONDS_A_FIGURE = 60.0  # in one format, on a busy machine
PNG_SCALE = 2  # two dots a pixel, so that print is sharp
FAILURES = (BrowserClosedError, BrowserDepsError, BrowserFailedError, ChromeNotFoundError, TimeoutError)
REMEDY = (
    "SVG and PNG figures need Chromium or Chrome, which is missing or does not respond ({reason}). Install it (Debian,"
    " Ubuntu: apt-get install chromium), or set BROWSER_PATH to its program."
)


def require_browser() -> None:
    """Raise an error if no browser is installed.

    Raises
    ------
    MissingDependencyError
        If none is found.
    """
    with suppress(ChromeNotFoundError):
        if Chromium.find_browser(skip_local=False):
            return
    raise MissingDependencyError(REMEDY.format(reason="not found"))


def images(figures: Mapping[str, go.Figure], formats: Sequence[str] = FORMATS, width: int = WIDTH) -> dict[str, bytes]:
    """Return every figure in every format, for print, by name with the format as suffix.

    Raises
    ------
    MissingDependencyError
        If there is no browser, or none that responds in time.
    """
    require_browser()
    result: dict[str, bytes] = {}
    failures: list[BaseException] = []

    def work() -> None:
        try:
            result.update(asyncio.run(_drawn(figures, formats, width)))
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work)  # the caller's thread may have an event loop that runs already
    thread.start()
    thread.join()
    for failure in failures:
        if isinstance(failure, FAILURES):
            raise MissingDependencyError(REMEDY.format(reason=str(failure).split("\n")[0])) from failure
        raise failure
    return result


def for_print(figure: go.Figure) -> dict[str, Any]:
    """Return what Plotly draws, with colours for print.

    Plain values: another figure would check all of them once more, which takes longer than to draw them.
    """
    printed: dict[str, Any] = figure.to_dict()
    font = {**printed["layout"].get("font", {}), "color": "#1d2730"}
    layout = {**printed["layout"], **PRINTED, "font": font}
    for name, value in layout.items():
        if name[1:].startswith("axis"):  # xaxis, yaxis2 …
            layout[name] = {**value, **PRINTED_AXIS}
    return {**printed, "layout": layout}


def with_fixed_ids(svg: bytes) -> bytes:
    """Return an SVG with fixed IDs in place of Plotly's random ones."""
    for number, random_id in enumerate(dict.fromkeys(RANDOM_ID.findall(svg))):
        # Colours and coordinates may look like an ID
        svg = re.sub(rb"(?<![#\d.])" + random_id, b"n%d" % number, svg)
    return svg


async def _drawn(figures: Mapping[str, go.Figure], formats: Sequence[str], width: int) -> dict[str, bytes]:
    """Draw all figures, as many at a time as the browser has pages."""
    async with _browser() as drawing:

        async def draw(name: str, form: str) -> tuple[str, bytes]:
            options: dict[str, Any] = {
                "format": form,
                "width": width,
                "scale": PNG_SCALE if form == "png" else 1,
                "height": figures[name].layout.height,
            }
            drawn = await drawing.calc_fig(for_print(figures[name]), opts=options)
            if form == "svg":
                drawn = with_fixed_ids(drawn)
            return f"{name}.{form}", drawn

        async with _at_most(SECONDS_A_FIGURE * len(figures) * len(formats)):
            return dict(await asyncio.gather(*(draw(name, form) for name in figures for form in formats)))


@asynccontextmanager
async def _browser() -> AsyncIterator[Any]:
    """Start a browser that draws; kill it on any failure, since one that hangs cannot be closed."""
    pages = kaleido.PageGenerator(mathjax=False)  # it would be fetched from the network
    drawing = kaleido.Kaleido(n=PAGES, page_generator=pages, timeout=None)
    try:
        async with _at_most(SECONDS_TO_START):
            await drawing.open()
        yield drawing
    except BaseException:
        _kill(drawing)
        raise
    finally:
        try:
            async with _at_most(20.0):
                await drawing.close()
        except TimeoutError:  # e.g. a browser that crashed: what was drawn is whole
            _kill(drawing)


@asynccontextmanager
async def _at_most(seconds: float) -> AsyncIterator[None]:
    """Raise ``TimeoutError`` if it takes longer, even if the cancellation is swallowed."""
    try:
        async with asyncio.timeout(seconds) as limit:
            yield
    except BaseException as error:
        if limit.expired():
            raise TimeoutError(f"no answer within {seconds:g} s") from error
        raise


def _kill(drawing: kaleido.Kaleido) -> None:
    """Kill the browser and its process group."""
    process = getattr(drawing, "subprocess", None)
    if process is None or process.poll() is not None:
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
