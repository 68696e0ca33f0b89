"""Measure waiting times in the dashboard with Chromium. Writes ``dashboard.md`` beside this file.

Usage: ``python -m benchmarks.dashboard [--rounds N]`` from the root of the repository. Kernels are compiled beforehand,
nothing else is cached. An empty page, served by Streamlit alone, says what machine and browser need in any case.
"""

import argparse
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from benchmarks.example import data_directory, distinct_outputs
from benchmarks.report import duration, machine
from benchmarks.served import started
from mteval.base.kernels import code_directory
from tests.browser.steps import at_rest

RESULTS = Path(__file__).with_name("dashboard.md")
EMPTY = 'import streamlit as st\nst.title("Empty")\n'
SHUFFLES = (500, 10_000)  # taken in turn, a little more each time
PATIENCE = 600_000  # milliseconds
FOR_FOLDERS = "[data-testid=stFileUploaderDropzoneInput][webkitdirectory]"
# Of one system, or beside those of many; not the example on the first page.
VERDICT = ".mt-verdict:visible:not(.st-key-first-page *), table.mt-crossed:visible"
SCORES = "table.mt-overview, table.mt-crossed"
CHANGED = f"old => {{ const table = document.querySelector('{SCORES}'); return table && table.innerText !== old }}"
# Tasks.
EMPTY_PAGE = "an empty page of Streamlit"
FIRST_PAGE = "first page, a fresh server"
SAMPLE = "sample experiment, 60 runs: click to verdict"
EXAMPLE = "drop to verdict: MultEval's example, 9 outputs"
MANY_SYSTEMS = "drop to verdict: 50 systems of 5 runs, 500 segments"
MANY_SEGMENTS = "drop to verdict: 2 systems of 2 runs, 100,000 segments"
OTHER_SHUFFLES = "changed number of shuffles"
WHOLE_REPORT = "whole report of 12 systems"
WANTED = {FIRST_PAGE: 2.0, OTHER_SHUFFLES: 0.3, SAMPLE: 5.0, WHOLE_REPORT: 10.0}  # seconds
OPENED = {  # tabs by page, each opened for the first time in a session that has scored
    "Significance": ("Equivalence", "Compare all tests"),
    "Replication": ("Planner",),
    "Segments": ("Words",),
}
A_CLICK = 1.0  # seconds until a page or tab is there, or says how far its work is
THERE = """() => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'
  || document.querySelector('.mt-doing')"""


def main() -> None:
    """Measure, print, write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as scratch:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        times_of = _visits(browser, rounds)
        for task, folder in _folders(Path(scratch)):
            times_of[task] = [_dropped(browser, folder) for _ in range(rounds)]
        times_of[OTHER_SHUFFLES] = _shuffles(browser, 4 * rounds)
        times_of.update(_openings(browser, rounds))
        times_of[WHOLE_REPORT] = _reports(browser, rounds)
        browser.close()
    RESULTS.write_text(_page(times_of), encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


def _folders(scratch: Path) -> Iterator[tuple[str, Path]]:
    """Yield what is dropped, with a folder of its files; sentences of different outputs differ."""
    yield EXAMPLE, data_directory() / "multeval-example"
    for task, n_systems, n_runs, n_segments in (
        (MANY_SYSTEMS, 50, 5, 500),
        (MANY_SEGMENTS, 2, 2, 100_000),
    ):
        folder = scratch / str(n_systems)
        (test_set,) = distinct_outputs(n_systems, n_runs, n_segments).test_sets
        lines_of = {"reference.txt": [references[0] for references in test_set.references]}
        for run in test_set.runs:
            lines_of[f"{run.system}/run{run.key}.txt"] = list(run.hypotheses)
        for name, lines in lines_of.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        yield task, folder


def _visits(browser: Browser, rounds: int) -> dict[str, list[float]]:
    """Time an empty page and the first page in turn, then the sample experiment from the click."""
    times_of: dict[str, list[float]] = {EMPTY_PAGE: [], FIRST_PAGE: [], SAMPLE: []}
    for _ in range(rounds):
        with _empty_server() as address:
            _, waited = _visit(browser, address, "Empty")
            times_of[EMPTY_PAGE].append(waited)
        with _server() as address:
            page, waited = _visit(browser, address, "Load an experiment")
            times_of[FIRST_PAGE].append(waited)
            times_of[SAMPLE].append(_sample(page))
    return times_of


def _sample(page: Page) -> float:
    """Return the seconds from the button to the verdict, with an empty cache."""
    page.wait_for_timeout(5_000)  # kernels are loaded meanwhile, as they are while somebody reads
    page.get_by_role("button", name="Try the sample experiment").click()
    start = time.perf_counter()
    page.locator(VERDICT).first.wait_for(timeout=PATIENCE)
    return time.perf_counter() - start


def _dropped(browser: Browser, folder: Path) -> float:
    """Return the seconds from dropping a folder to the verdict."""
    with _loaded(browser, folder) as (_, waited):
        return waited


@contextmanager
def _loaded(browser: Browser, folder: Path) -> Iterator[tuple[Page, float]]:
    """Drop a folder on a new server; yield the page with the verdict, and how long it took."""
    with _server() as address:
        page, _ = _visit(browser, address, "Load an experiment")
        page.wait_for_timeout(5_000)
        start = time.perf_counter()
        page.locator(FOR_FOLDERS).set_input_files(folder)
        page.locator(VERDICT).first.wait_for(timeout=PATIENCE)
        waited = time.perf_counter() - start
        yield page, waited
        page.context.close()


def _openings(browser: Browser, rounds: int) -> dict[str, list[float]]:
    """Time pages and tabs of the sample experiment at first opening, until content or progress is shown."""
    times_of: dict[str, list[float]] = {}
    for _ in range(rounds):
        with _server() as address:
            page, _ = _visit(browser, address, "Load an experiment")
            _sample(page)
            for name, tabs in OPENED.items():
                link = page.get_by_test_id("stSidebar").get_by_role("link", name=name)
                heading = page.get_by_role("heading", level=1).filter(has_text=name)
                waited = _click(page, link, heading)
                times_of.setdefault(f"{name}, opened", []).append(waited)
                for tab in tabs:
                    content = page.get_by_role("tabpanel", name=tab).get_by_test_id("stElementContainer").first
                    waited = _click(page, page.get_by_role("tab", name=tab), content)
                    times_of.setdefault(f"{name}: {tab}, opened", []).append(waited)
                    expect(page.locator(".mt-doing")).to_have_count(0)
            page.context.close()
    return times_of


def _click(page: Page, element: Locator, first: Locator) -> float:
    """Return the seconds from a click until its result, which begins with ``first``, or progress is shown."""
    element.wait_for()
    page.wait_for_timeout(1_000)
    start = time.perf_counter()
    element.click()
    first.wait_for()
    page.wait_for_function(THERE, polling=10)
    return time.perf_counter() - start


def _shuffles(browser: Browser, rounds: int) -> list[float]:
    """Time MultEval's example: from the key that confirms another number of shuffles to the new table."""
    times = []
    with _loaded(browser, data_directory() / "multeval-example") as (page, _):
        page.get_by_test_id("stSidebar").get_by_text("Settings", exact=True).click()
        at_rest(page)
        for turn in range(rounds):
            page.wait_for_timeout(1_000)
            scores_before = page.locator(SCORES).first.inner_text()
            box = page.get_by_role("spinbutton", name="Shuffles", exact=True)
            box.fill(str(SHUFFLES[turn % 2] + 37 * turn))
            start = time.perf_counter()
            box.press("Enter")
            page.wait_for_function(CHANGED, arg=scores_before, polling=10)
            times.append(time.perf_counter() - start)
    return times[2:]  # the first of either meet cold code


def _reports(browser: Browser, rounds: int) -> list[float]:
    """Time twelve systems of WMT 2023, scored: from the click on “Everything” until the archive has arrived."""
    times = []
    with _loaded(browser, data_directory() / "wmt23-he-en") as (page, _):
        page.get_by_test_id("stSidebar").get_by_role("link", name="Report").click()
        everything = page.get_by_role("button", name="Everything")
        everything.wait_for()
        for _ in range(rounds):
            page.wait_for_timeout(1_000)
            start = time.perf_counter()
            with page.expect_download(timeout=PATIENCE) as archive:
                everything.click()
            archive.value.path()
            times.append(time.perf_counter() - start)
    return times


def _visit(browser: Browser, address: str, heading: str) -> tuple[Page, float]:
    """Return a page in a new window, and the seconds until its heading is shown."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(PATIENCE)
    start = time.perf_counter()
    page.goto(address)
    page.get_by_role("heading", name=heading).wait_for()
    return page, time.perf_counter() - start


@contextmanager
def _server() -> Iterator[str]:
    """Yield the address of a new server with an empty cache."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        caches = {"MTEVAL_CACHE": f"{folder}/cache", "NUMBA_CACHE_DIR": str(code_directory())}
        with started(Path(folder), **caches) as (place, _):
            yield f"http://{place}"


@contextmanager
def _empty_server() -> Iterator[str]:
    """Yield the address of a page of Streamlit with nothing but a title."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "empty.py").write_text(EMPTY)
        command = [sys.executable, "-m", "streamlit", "run", "empty.py", "--server.headless=true"]
        command += ["--browser.gatherUsageStats=false", f"--server.port={address.rpartition(':')[2]}"]
        quiet = subprocess.DEVNULL
        with subprocess.Popen(command, cwd=folder, stdout=quiet, stderr=quiet) as server:
            try:
                while not _answers(f"{address}/_stcore/health"):
                    time.sleep(0.02)
                yield address
            finally:
                server.kill()


def _answers(address: str) -> bool:
    try:
        urllib.request.urlopen(address, timeout=1).close()
    except OSError:
        return False
    return True


def chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def _page(times_of: dict[str, list[float]]) -> str:
    """Return the table, with the seconds that are wanted where a task has such."""
    lines = [
        "# Waiting times in the dashboard",
        "",
        f"{machine()}, Chromium on the same machine. MultEval's example for the shuffles.",
        "",
        "| task | median | shortest | longest | wanted |",
        "|---|---|---|---|---|",
    ]
    for task, times in times_of.items():
        wanted = ""
        if task.endswith("opened"):
            wanted = duration(A_CLICK)
        elif task in WANTED:
            wanted = duration(WANTED[task])
        cells = [task, duration(statistics.median(times)), duration(min(times)), duration(max(times)), wanted]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
