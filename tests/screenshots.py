"""Take the pictures of the documentation from the app itself: ``python -m tests.screenshots``, or ``bin/screenshots``.

They show the sample, in the light theme, 1,280 pixels wide. Names of pictures choose among them.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page, sync_playwright

from tests.browser.conftest import free_port, wait_until_up
from tests.browser.steps import COMPILING, go_to, score, scored, unchanging
from tests.conftest import ROOT, STILL, chromium

IMAGES = ROOT / "docs" / "images"
WIDTH = 1280
HEIGHT = 2400  # the window is as high as a page, so that nothing is scrolled
N_COLORS = 128  # a picture of flat colours loses nothing that the eye sees, and two thirds of its bytes
MARGIN = 12
VERDICT = ".mt-verdict:visible"
TEXTS = ".mt-texts:visible"
THREE_RUNS = ["reference.test.txt", "source.test.txt", "documents.test.txt"]
THREE_RUNS += [f"{system}/test.opt{run:02}.txt" for system in ("baseline", "reordering") for run in range(3)]


@contextmanager
def app_with(files: list[str], folder: Path) -> Iterator[str]:
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


def crop(page: Page, name: str, first: Locator, last: Locator) -> None:
    """Save what is between two elements, whole lines of the main part of the page."""
    unchanging(page)
    top = first.bounding_box()
    bottom = last.bounding_box()
    assert top is not None
    assert bottom is not None
    sidebar = page.get_by_test_id("stSidebar").bounding_box()
    left = sidebar["x"] + sidebar["width"] if sidebar else 0
    y = top["y"] - MARGIN
    clip = {"x": left, "y": y, "width": WIDTH - left, "height": bottom["y"] + bottom["height"] + MARGIN - y}
    path = IMAGES / f"{name}.png"
    page.screenshot(path=path, clip=clip)
    Image.open(path).convert("RGB").quantize(N_COLORS).save(path, optimize=True)


def heading(page: Page, name: str | re.Pattern[str]) -> Locator:
    """A heading of the page, exactly so called."""
    return page.get_by_role("heading", name=name, exact=True).first


def scores(page: Page) -> None:
    """Scores of the sample's thirty runs: the verdict, the runs and the table."""
    page.get_by_role("button", name="Try the sample").click()
    scored(page)
    crop(page, "scores", heading(page, "On test"), page.locator("table.mt-overview:visible").first)


def tutorial_scores(page: Page) -> None:
    """The verdict and the runs of three runs per system."""
    score(page)
    last = page.get_by_text("Thick bar: ±1 SD (training)").first
    crop(page, "tutorial-scores", page.locator(VERDICT).first, last)


def tutorial_segments(page: Page) -> None:
    """The segment on which the two systems differ most."""
    score(page)
    go_to(page, "Segments")
    page.get_by_role("spinbutton", name="Segment", exact=True).wait_for()
    page.locator(TEXTS).first.wait_for()
    crop(page, "tutorial-segments", page.locator(TEXTS).first, page.locator(".st-key-segment-tabs"))


def tutorial_replication(page: Page) -> None:
    """What other numbers of runs would show."""
    score(page)
    go_to(page, "Replication")
    figure = page.locator(".js-plotly-plot:visible").first
    figure.wait_for()
    first = page.get_by_text("With one run each").first
    crop(page, "tutorial-replication", first, figure)


Picture = Callable[[Page], None]
PICTURES: dict[str, tuple[list[str], Picture]] = {
    "scores": ([], scores),
    "tutorial-scores": (THREE_RUNS, tutorial_scores),
    "tutorial-segments": (THREE_RUNS, tutorial_segments),
    "tutorial-replication": (THREE_RUNS, tutorial_replication),
}


def main() -> None:
    """Take the pictures that are named, else all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    names = parser.parse_args().names or list(PICTURES)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for name in names:
            files, take = PICTURES[name]
            with tempfile.TemporaryDirectory() as folder, app_with(files, Path(folder)) as address:
                context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
                context.set_default_timeout(COMPILING)
                context.add_init_script(STILL)
                page = context.new_page()
                page.goto(address)
                take(page)
                context.close()
        browser.close()


if __name__ == "__main__":
    main()
