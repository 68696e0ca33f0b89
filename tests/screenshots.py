"""Take the pictures of the documentation from the app itself: ``python -m tests.screenshots``, or ``bin/screenshots``.

They show the sample. Names of pictures choose among them.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page, sync_playwright

from tests.browser.conftest import free_port, wait_until_up
from tests.browser.places import Scheme
from tests.browser.steps import COMPILING, go_to, score, scored, unchanging
from tests.conftest import ROOT, STILL, chromium

IMAGES = ROOT / "docs" / "images"
HEIGHT = 2400  # the window is as high as a page, so that nothing is scrolled
N_COLORS = 128  # a picture of flat colours loses nothing that the eye sees, and two thirds of its bytes
MARGIN = 12
VERDICT = ".mt-verdict:visible"
MEANING = "Thick bar: ±1 SD (training)"  # below the runs
TEXTS = ".mt-texts:visible"
THREE_RUNS = ["reference.test.txt", "source.test.txt", "documents.test.txt"]
THREE_RUNS += [f"{system}/test.opt{run:02}.txt" for system in ("baseline", "reordering") for run in range(3)]


@contextmanager
def app_with(files: Sequence[str], folder: Path) -> Iterator[str]:
    """Start ``mteval app`` with files of the sample, or without; the address that it prints, or its first page."""
    port = free_port()
    paths = [f"sample_data/{name}" for name in files]
    command = [sys.executable, "-m", "mteval", "app", *paths, "--no-browser", f"--port={port}"]
    environment = os.environ | {"MTEVAL_HOME": str(folder), "MTEVAL_DATABASE": ""}
    address = f"http://127.0.0.1:{port}"
    log = folder / "log.txt"
    with log.open("w") as out:
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT)
    try:
        wait_until_up(f"{address}/_stcore/health", server, log)
        printed = re.search(r"http://\S+/\?\S+", log.read_text())
        yield printed[0] if printed else address
    finally:
        server.kill()
        server.wait()


Part = tuple[Locator, Locator]  # the first and the last element that a picture shows


@dataclass(frozen=True)
class Picture:
    """A part of a page, as a browser shows it in a theme and at a width.

    Parameters
    ----------
    part
        Function that goes to the page and returns its part.
    files
        Files of the sample that the app starts with; none if the page is to load the sample.
    n_dots
        Dots of the picture per pixel of the page, in each direction.
    """

    part: Callable[[Page], Part]
    files: Sequence[str] = ()
    width: int = 1280
    n_dots: int = 1
    scheme: Scheme = "light"


def crop(page: Page, name: str, part: Part) -> None:
    """Save a part, whole lines of the main part of the page."""
    unchanging(page)
    first, last = (element.bounding_box() for element in part)
    assert first is not None
    assert last is not None
    sidebar = page.get_by_test_id("stSidebar").bounding_box()
    left = max(0, sidebar["x"] + sidebar["width"]) if sidebar else 0  # beside it, it is closed
    y = first["y"] - MARGIN
    width = page.evaluate("window.innerWidth") - left
    clip = {"x": left, "y": y, "width": width, "height": last["y"] + last["height"] + MARGIN - y}
    path = IMAGES / f"{name}.png"
    page.screenshot(path=path, clip=clip)
    Image.open(path).convert("RGB").quantize(N_COLORS).save(path, optimize=True)


def heading(page: Page, name: str | re.Pattern[str]) -> Locator:
    """A heading of the page, exactly so called."""
    return page.get_by_role("heading", name=name, exact=True).first


def sample_scored(page: Page) -> None:
    """Load the sample's thirty runs per system, and score them."""
    page.get_by_role("button", name="Try the sample").click()
    scored(page)


def verdict(page: Page) -> Part:
    """The verdict on the sample, and its runs."""
    sample_scored(page)
    return page.locator(VERDICT).first, page.get_by_text(MEANING).first


def scores(page: Page) -> Part:
    """The verdict on the sample, its runs and the table."""
    sample_scored(page)
    return heading(page, "On test"), page.locator("table.mt-overview:visible").first


def tutorial_scores(page: Page) -> Part:
    """The verdict and the runs of three runs per system."""
    score(page)
    return page.locator(VERDICT).first, page.get_by_text(MEANING).first


def tutorial_segments(page: Page) -> Part:
    """The segment on which the two systems differ most."""
    score(page)
    go_to(page, "Segments")
    page.get_by_role("spinbutton", name="Segment", exact=True).wait_for()
    page.locator(TEXTS).first.wait_for()
    return page.locator(TEXTS).first, page.locator(".st-key-segment-tabs")


def tutorial_replication(page: Page) -> Part:
    """What other numbers of runs would show."""
    score(page)
    go_to(page, "Replication")
    figure = page.locator(".js-plotly-plot:visible").first
    figure.wait_for()
    return page.get_by_text("With one run each").first, figure


PICTURES: dict[str, Picture] = {
    "verdict": Picture(verdict, width=760, n_dots=2),  # also for phones, so narrow and with fine dots
    "verdict-dark": Picture(verdict, width=760, n_dots=2, scheme="dark"),
    "scores": Picture(scores),
    "tutorial-scores": Picture(tutorial_scores, THREE_RUNS),
    "tutorial-segments": Picture(tutorial_segments, THREE_RUNS),
    "tutorial-replication": Picture(tutorial_replication, THREE_RUNS),
}


def main() -> None:
    """Take the pictures that are named, else all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    names = parser.parse_args().names or list(PICTURES)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for name in names:
            picture = PICTURES[name]
            with tempfile.TemporaryDirectory() as folder, app_with(picture.files, Path(folder)) as address:
                context = browser.new_context(
                    viewport={"width": picture.width, "height": HEIGHT},
                    device_scale_factor=picture.n_dots,
                    color_scheme=picture.scheme,
                )
                context.set_default_timeout(COMPILING)
                context.add_init_script(STILL)
                page = context.new_page()
                page.goto(address)
                crop(page, name, picture.part(page))
                context.close()
        browser.close()


if __name__ == "__main__":
    main()
