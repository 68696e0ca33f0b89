"""Look at every page with Chromium: words, clicks from drop to verdict, what is cut off, and whether verdicts are true.

``python -m benchmarks.screens FOLDER`` writes a screenshot of every page, tab and size, and ``screens.md``. ``--tree``
names the root of another version, e.g. a worktree of an earlier release, whose pages are looked at instead.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Page, sync_playwright

from benchmarks.example import ROOT, data_directory
from benchmarks.served import started
from tests.browser.places import MISPLACED, Scheme, look, wider_than_their_container
from tests.browser.steps import at_rest
from tests.pages.conftest import systems

Texts = dict[str, str]
LOOKS: Sequence[tuple[int, int, Scheme]] = ((1280, 900, "light"), (1920, 1080, "dark"), (400, 860, "light"))
PAGES = ("Load", "Scores", "Significance", "Replication", "Segments", "People", "Annotate", "Report")
SAMPLE = "sample"
FOR_FOLDERS = "[data-testid=stFileUploaderDropzoneInput][webkitdirectory]"
VERDICT = ".mt-verdict:visible, table.mt-crossed:visible"  # of one system, or beside those of many
SECONDS = 100  # until the verdict is there
MOST_PIXELS = 6_000  # of a screenshot
WORD = re.compile(r"[^\W\d_]{2,}")
NUMBER = re.compile(r"(?<![\w.])(<\s|>\s|)[-−+±]?(\d[\d,]*(?:\.\d+)?)(?!\w)")
# What is read without opening anything: canvases, hidden texts and closed menus are not.
READ = """() => (document.querySelector('[data-testid=stMain]')?.innerText ?? '')"""
FOLDED = "[data-testid=stMain] [data-testid=stExpander] details:not([open]) > summary:visible"


def _in_documents(n: int) -> Texts:
    """Return two systems of three runs whose few segments are in ``n`` documents."""
    files = systems(baseline=3, better=3)
    lines = len(files["refs.txt"].splitlines())
    return {**files, "documents.txt": "".join(f"doc{min(line * n // lines, n - 1)}\n" for line in range(lines))}


def _identical() -> Texts:
    files = systems(baseline=3)
    copies = {name.replace("baseline", "copy"): text for name, text in files.items() if "baseline" in name}
    return {**files, **copies}


def _partly_scored() -> Texts:
    """Return two systems of one run with scores of every third segment."""
    files = systems(baseline=1, better=1)
    rows = [
        f"{name.split('/')[0]}\t{None if line % 3 else len(text) % 17}\n"
        for name in files
        if "/" in name
        for line, text in enumerate(files[name].splitlines())
    ]
    return {**files, "quality.seg.score": "".join(rows)}


def _of(folder: str, pattern: str = "**/*") -> Texts:
    root = data_directory() / folder
    paths = sorted(path for path in root.glob(pattern) if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}


CASES: Mapping[str, Any] = {
    SAMPLE: dict,
    "3 systems x 3 runs": lambda: _of("multeval-example"),
    "12 systems": lambda: _of("wmt23-he-en"),
    "two runs": lambda: systems(baseline=2, better=2),
    "one run": lambda: systems(baseline=1, better=1),
    "tiny documents": lambda: _in_documents(3),
    "identical": _identical,
    "partly scored": _partly_scored,
}


def main() -> None:
    """Look at all pages of the chosen cases, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tree", type=Path, default=ROOT)
    parser.add_argument("--cases", nargs="*", choices=CASES, default=list(CASES))
    parser.add_argument("--pages", nargs="*", choices=PAGES, default=list(PAGES))
    parser.add_argument("--words", action="store_true", help="count words and clicks alone")
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    found = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"])
        for name in chosen.cases:
            looks = () if chosen.words else LOOKS
            found[name] = _looked_at(browser, name, chosen.tree.resolve(), chosen.folder, chosen.pages, looks)
            (chosen.folder / "screens.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
            print(_page({name: found[name]}), flush=True)
        browser.close()
    (chosen.folder / "screens.md").write_text(_page(found), encoding="utf-8")


def _chromium() -> str | None:
    known = (Path("/usr/bin/chromium"), Path("/usr/bin/chromium-headless-shell"))
    return next((str(path) for path in known if path.exists()), None)


def _looked_at(
    browser: Browser, name: str, tree: Path, shots: Path, pages: Sequence[str], looks: Sequence[tuple[int, int, Scheme]]
) -> dict[str, Any]:
    """Return what a case shows, by page; its screenshots go into a folder."""
    with tempfile.TemporaryDirectory() as scratch, _dropped(browser, name, tree, Path(scratch)) as (page, clicks):
        result: dict[str, Any] = {"clicks": clicks, "words": {}, "first": {}, "cut off": [], "untrue": []}
        if looks:
            result["untrue"] = _untrue(page, name, tree, Path(scratch))
        for title in pages:
            link = page.get_by_test_id("stSidebar").get_by_role("link", name=title, exact=True)
            look(page, *LOOKS[0])
            if not link.count():
                continue
            link.click()
            page.get_by_role("heading", level=1, name=re.compile(f"^{title}")).wait_for()
            _settle(page)
            result["words"][title] = 0
            read = set[str]()
            for tab in _tabs(page) or [""]:
                look(page, *LOOKS[0])
                if tab:
                    page.get_by_role("tab", name=tab, exact=True).first.click()
                    _settle(page)
                lines = [line for line in page.evaluate(READ).splitlines() if line.strip() and line not in read]
                read |= {*lines}
                result["words"][title] += sum(len(WORD.findall(line)) for line in lines)
                result["first"].setdefault(title, result["words"][title])
                _shoot(page, shots / _file(name, title, tab, ""))
                if looks:
                    _unfold(page)
                failed = page.get_by_test_id("stException").all_inner_texts()
                result["untrue"] += [f"{title}, {tab}: {text}" for text in failed]
                for size in looks:
                    look(page, *size)
                    _settle(page)
                    cut = wider_than_their_container(page)
                    cut += page.evaluate(MISPLACED, 2)
                    result["cut off"] += [[title, tab, size[0], *one] for one in cut]
                    _shoot(page, shots / _file(name, title, tab, f"-{size[0]}-{size[2]}"))
        return result


def _file(*parts: str) -> str:
    return re.sub(r"[^\w-]+", "-", "-".join(filter(None, parts[:-1])) + parts[-1]).lower() + ".png"


@contextmanager
def _dropped(browser: Browser, name: str, tree: Path, scratch: Path) -> Iterator[tuple[Page, int]]:
    """Serve a version, drop the files of a case, and yield the page with its verdict and the clicks it took."""
    files = CASES[name]()
    for path, text in files.items():
        (scratch / "files" / path).parent.mkdir(parents=True, exist_ok=True)
        (scratch / "files" / path).write_text(text, encoding="utf-8")
    with started(scratch, tree, PYTHONPATH=str(tree)) as (host, _):
        context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
        page = context.new_page()
        page.set_default_timeout(SECONDS * 1000)
        page.goto(f"http://{host}")
        page.get_by_role("heading", name="Load an experiment").wait_for()
        if name == SAMPLE:
            page.get_by_role("button", name="Try the sample experiment").click()
        else:
            page.locator(FOR_FOLDERS).set_input_files(scratch / "files")
        yield page, _clicks_to_verdict(page)
        context.close()


def _clicks_to_verdict(page: Page) -> int:
    """Press what starts the scoring until a verdict is seen, and return how often that took."""
    deadline, clicks, quiet_since = time.monotonic() + SECONDS, 0, time.monotonic()
    start = page.get_by_test_id("stMain").get_by_role("button", name=re.compile("^Score "))
    while not page.locator(VERDICT).count():
        assert time.monotonic() < deadline, "no verdict"
        if not start.count() or not start.first.is_enabled():
            quiet_since = time.monotonic()
        elif time.monotonic() - quiet_since > 3:
            start.first.click()
            clicks, quiet_since = clicks + 1, time.monotonic()
        time.sleep(0.2)
    return clicks


def _settle(page: Page) -> None:
    """Wait until nothing is computed any more and figures are drawn."""
    at_rest(page)
    deadline = time.monotonic() + SECONDS
    while page.locator(".mt-doing").count() and time.monotonic() < deadline:
        time.sleep(0.2)
    at_rest(page)
    page.wait_for_timeout(500)


def _tabs(page: Page) -> list[str]:
    """Return the tabs of the page, which are read one after the other."""
    return page.locator("[data-testid=stMain] [role=tablist]:visible").first.get_by_role("tab").all_inner_texts()


def _unfold(page: Page) -> None:
    """Open what is folded, once each; a menu that closes again is left."""
    for _ in range(20):
        folded = page.locator(FOLDED)
        if not folded.count():
            return
        try:
            folded.first.click(timeout=5_000)
        except Error:
            return
        _settle(page)


def _shoot(page: Page, path: Path) -> None:
    """Take a screenshot of the whole page."""
    size = page.viewport_size
    assert size is not None
    tall = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({**size, "height": min(max(tall, size["height"]), MOST_PIXELS)})
    page.wait_for_timeout(300)
    page.screenshot(path=path)
    page.set_viewport_size(size)


def _untrue(page: Page, name: str, tree: Path, scratch: Path) -> list[str]:
    """Return the numbers in the verdicts of the page that are not among the JSON values of the command line."""
    _settle(page)
    _unfold(page)
    shown = page.locator(".mt-verdict:visible, table.mt-ranking:visible tr").all_inner_texts()
    folder = tree / "sample_data" if name == SAMPLE else scratch / "files"
    command = [sys.executable, "-m", "mteval", "eval", "--files", str(folder), "--json", "-", "--quiet"]
    environment = os.environ | {"PYTHONPATH": str(tree), "MTEVAL_HOME": str(scratch / "home")}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tree, env=environment, check=False)
    if done.returncode:
        return [f"mteval eval failed: {done.stderr[-300:]}"]
    told = json.loads(done.stdout)
    parts = ("verdicts", "summary", "coverage", "simultaneous", "ranks", "findings")
    known = [value for part in parts for value in _values(told.get(part))]
    known += [100 * told["settings"]["confidence"], *map(float, range(1, 31))]
    words = {one["verdict"] for one in told["verdicts"]}
    wrong = [
        f"{found[0]} in “{' '.join(text.split())[:160]}”"
        for text in shown
        for found in NUMBER.finditer(text)
        if not any(_is_rounded(value, found[2], found[1]) for value in known)
    ]
    read = page.evaluate(READ)
    return wrong + [
        f"verdict “{word}” is not on the page" for word in words if _primary_has(told, word) and word not in read
    ]


def _primary_has(told: Mapping[str, Any], word: str) -> bool:
    first = told["settings"]["metrics"][0]
    return any(one["verdict"] == word and one["metric"] == first for one in told["verdicts"])


def _values(told: Any) -> Iterator[float]:
    """Yield all numbers of a JSON value, without signs, also those within its texts."""
    if isinstance(told, dict):
        told = list(told.values())
    if isinstance(told, list):
        for one in told:
            yield from _values(one)
    elif isinstance(told, str):
        yield from (float(found[2].replace(",", "")) for found in NUMBER.finditer(told))
    elif told is not None and not isinstance(told, bool):
        yield abs(float(told))


def _is_rounded(value: float, written: str, side: str = "") -> bool:
    """Return whether a number is written as this value is to as many digits, or names the side that it is on."""
    digits = len(written.partition(".")[2])
    number = float(written.replace(",", ""))
    if side:
        return value < number if side[0] == "<" else value > number
    return any(abs(factor * value - number) <= 0.5 * 10.0**-digits + 1e-9 for factor in (1.0, 100.0))


def _page(found: Mapping[str, Mapping[str, Any]]) -> str:
    lines = ["# What the pages show", "", "Words read without opening anything: first tab / all tabs.", ""]
    lines += [f"| case | clicks | {' | '.join(PAGES)} | cut off | untrue |", "|---|" + "---:|" * (len(PAGES) + 3)]
    for name, one in found.items():
        words = " | ".join(f"{one['first'].get(page, '')} / {one['words'].get(page, '')}" for page in PAGES)
        lines.append(f"| {name} | {one['clicks']} | {words} | {len(one['cut off'])} | {len(one['untrue'])} |")
    lines += ["", *(f"- {name}: {wrong}" for name, one in found.items() for wrong in [*one["untrue"], *one["cut off"]])]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
