"""Measure waiting times in the dashboard with Chromium. Writes ``dashboard.md`` beside this file.

Usage: ``python -m benchmarks.dashboard [--rounds N]`` from the root of the repository. Kernels are compiled beforehand,
nothing else is cached. An empty page, served by Streamlit alone, says what machine and browser need in any case.
"""

import argparse
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from benchmarks.example import ROOT, data_directory
from benchmarks.report import duration, machine
from mteval.base.kernels import code_directory

RESULTS = Path(__file__).with_name("dashboard.md")
EMPTY = 'import streamlit as st\nst.title("Empty")\n'
SHUFFLES = (500, 10_000)  # taken in turn, a little more each time
PATIENCE = 300_000  # milliseconds
CHANGED = "old => { const one = document.querySelector('table.mt-overview'); return one && one.innerText !== old }"
WANTED = {
    "first page, a fresh server": 2.0,
    "changed number of shuffles": 0.3,
    "sample experiment, 60 runs": 5.0,
    "whole report of 12 systems": 10.0,
}
OPENED = {  # tabs by page, each opened for the first time in a session that has scored
    "Significance": ("All procedures", "All pairs", "False alarms"),
    "Replication": ("Published p-value", "Try your luck", "Planner"),
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
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"])
        found = _visits(browser, rounds) | _example(browser, 4 * rounds) | _openings(browser, rounds)
        found |= _reports(browser, rounds)
        browser.close()
    RESULTS.write_text(_page(found), encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


def _visits(browser: Browser, rounds: int) -> dict[str, list[float]]:
    """Time an empty page and the first page in turn, then the sample experiment from the click."""
    tasks = ("an empty page of Streamlit", "first page, a fresh server", "sample experiment, 60 runs")
    found: dict[str, list[float]] = {task: [] for task in tasks}
    for _ in range(rounds):
        with _empty_server() as address:
            found["an empty page of Streamlit"].append(_visit(browser, address, "Empty")[1])
        with _server() as address:
            page, waited = _visit(browser, address, "Load an experiment")
            found["first page, a fresh server"].append(waited)
            found["sample experiment, 60 runs"].append(_sample(page))
    return found


def _sample(page: Page) -> float:
    """Return the seconds from the button to the table of scores, with an empty cache."""
    page.get_by_role("button", name="Try the sample experiment").click()
    page.get_by_role("heading", name="Data check").wait_for()
    page.wait_for_timeout(5_000)  # kernels are loaded meanwhile, as they are while somebody reads
    page.get_by_test_id("stMain").get_by_role("button", name="Score and compare").click()
    start = time.perf_counter()
    page.locator("table.mt-overview").wait_for(timeout=PATIENCE)
    return time.perf_counter() - start


def _openings(browser: Browser, rounds: int) -> dict[str, list[float]]:
    """Time pages and tabs of the sample experiment at first opening, until content or progress is shown."""
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        with _server() as address:
            page, _ = _visit(browser, address, "Load an experiment")
            _sample(page)
            for name, tabs in OPENED.items():
                link = page.get_by_test_id("stSidebar").get_by_role("link", name=name)
                opened = _click(page, link, page.get_by_role("heading", name=name, exact=True))
                found.setdefault(f"{name}, opened", []).append(opened)
                for tab in tabs:
                    content = page.get_by_role("tabpanel", name=tab).get_by_test_id("stElementContainer").first
                    opened = _click(page, page.get_by_role("tab", name=tab), content)
                    found.setdefault(f"{name}: {tab}, opened", []).append(opened)
                    expect(page.locator(".mt-doing")).to_have_count(0)
    return found


def _click(page: Page, what: Locator, first: Locator) -> float:
    """Return the seconds from a click until its result, which begins with ``first``, or progress is shown."""
    what.wait_for()
    page.wait_for_timeout(1_000)
    start = time.perf_counter()
    what.click()
    first.wait_for()
    page.wait_for_function(THERE, polling=10)
    return time.perf_counter() - start


def _example(browser: Browser, rounds: int) -> dict[str, list[float]]:
    """MultEval's example: from the key that confirms another number of shuffles to the new table."""
    times = []
    with _server() as address:
        page, _ = _visit(browser, address, "Load an experiment")
        expect(page.get_by_test_id("stFileUploaderDropzoneInput")).to_have_count(2)
        files = sorted((data_directory() / "multeval-example").iterdir())
        page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(files)
        page.get_by_role("button", name="Use MultEval convention").click()
        expect(page.get_by_text("Consider the")).to_have_count(0)
        page.get_by_test_id("stMain").get_by_role("button", name="Score and compare").click()
        page.locator("table.mt-overview").wait_for(timeout=PATIENCE)
        page.get_by_test_id("stSidebar").get_by_text("Resampling and tests").click()
        for turn in range(rounds):
            page.wait_for_timeout(1_000)
            before = page.locator("table.mt-overview").inner_text()
            box = page.get_by_role("spinbutton", name="Shuffles")
            box.fill(str(SHUFFLES[turn % 2] + 37 * turn))
            start = time.perf_counter()
            box.press("Enter")
            page.wait_for_function(CHANGED, arg=before, polling=10)
            times.append(time.perf_counter() - start)
    return {"changed number of shuffles": times[2:]}  # the first of either meet cold code


def _reports(browser: Browser, rounds: int) -> dict[str, list[float]]:
    """Twelve systems of WMT 2023, scored: from the click on “Everything” until the archive has arrived."""
    folder, times = data_directory() / "wmt23-he-en", []
    with _server() as address:
        page, _ = _visit(browser, address, "Load an experiment")
        expect(page.get_by_test_id("stFileUploaderDropzoneInput")).to_have_count(2)
        files = [folder / "refA.en.txt", *sorted((folder / "system-outputs").iterdir())]
        page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(files)
        page.get_by_role("heading", name="Data check").wait_for()
        page.get_by_test_id("stMain").get_by_role("button", name="Score and compare").click()
        page.locator("table.mt-crossed").first.wait_for(timeout=PATIENCE)
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
    return {"whole report of 12 systems": times}


def _visit(browser: Browser, address: str, heading: str) -> tuple[Page, float]:
    """Return a page in a new window, and the seconds until its heading is shown."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    start = time.perf_counter()
    page.goto(address)
    page.get_by_role("heading", name=heading).wait_for()
    return page, time.perf_counter() - start


def _server() -> AbstractContextManager[str]:
    return _serving(lambda port: ["mteval.ui.server", "app.py", f"--port={port}"], ROOT)


@contextmanager
def _empty_server() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "empty.py").write_text(EMPTY)
        command = ["streamlit", "run", "empty.py", "--server.headless=true", "--browser.gatherUsageStats=false"]
        with _serving(lambda port: [*command, f"--server.port={port}"], Path(folder)) as address:
            yield address


@contextmanager
def _serving(module: Callable[[int], Sequence[str]], folder: Path) -> Iterator[str]:
    """Yield the address of a new server with an empty cache."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        environment = os.environ | {"MTEVAL_CACHE": cache, "NUMBA_CACHE_DIR": str(code_directory())}
        server = subprocess.Popen(
            [sys.executable, "-m", *module(port)],
            cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            while not _answers(f"http://127.0.0.1:{port}/_stcore/health"):
                time.sleep(0.02)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.kill()
            server.wait()


def _answers(address: str) -> bool:
    try:
        urllib.request.urlopen(address, timeout=1).close()
    except OSError:
        return False
    return True


def _chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def _page(found: dict[str, list[float]]) -> str:
    lines = [
        "# Waiting times in the dashboard",
        "",
        f"{machine()}, Chromium on the same machine. MultEval's example for the shuffles.",
        "",
        "| task | median | shortest | longest | wanted |",
        "|---|---|---|---|---|",
    ]
    for task, times in found.items():
        most = A_CLICK if task.endswith("opened") else WANTED.get(task)
        wanted = "" if most is None else duration(most)
        cells = map(duration, (statistics.median(times), min(times), max(times)))
        lines.append(f"| {task} | {' | '.join(cells)} | {wanted} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
