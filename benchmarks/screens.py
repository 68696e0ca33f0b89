"""Look at every page with Chromium: words, clicks from drop to verdict, what is cut off, and whether verdicts are true.

``python -m benchmarks.screens FOLDER`` writes a screenshot of every page, tab and size, and ``screens.md``. ``--tree``
names the root of another version, e.g. a worktree of an earlier release, whose pages are looked at instead. With
``--words`` it only counts words and clicks, which takes minutes; ``screens.md`` beside this file is such a count.
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
from tests.browser.steps import at_rest, unchanging
from tests.pages.conftest import systems

Texts = dict[str, str]
LOOKS: Sequence[tuple[int, int, Scheme]] = ((1280, 900, "light"), (1920, 1080, "dark"), (400, 860, "light"))
PAGES = ("Load", "Scores", "Significance", "Replication", "Segments", "People", "Annotate", "Report")
SAMPLE = "sample"
ONE_SYSTEM = "one system"
FOR_FOLDERS = "[data-testid=stFileUploaderDropzoneInput][webkitdirectory]"
# Of one system, or beside those of many; not the example on the first page.
VERDICT = ".mt-verdict:visible:not(.st-key-first-page *), table.mt-crossed:visible"
DATA_CHECK = "h3:has-text('Data check'):visible"  # a single system stays on Load
SECONDS = 300  # until the verdict is there, on a busy machine
MOST_PIXELS = 6_000  # of a screenshot
WORD = re.compile(r"[^\W\d_]{2,}")
NUMBER = re.compile(r"(?<![\w.])(<\s|>\s|)[-−+±]?(\d[\d,]*(?:\.\d+)?)(?!\w)")
# What is read without opening anything: canvases, hidden texts and closed menus are not.
READ = """() => (document.querySelector('[data-testid=stMain]')?.innerText ?? '')"""
FOLDED = "[data-testid=stMain] [data-testid=stExpander] details:not([open]) > summary:visible"


def _in_documents(n: int) -> Texts:
    """Return two systems of three runs whose few segments are in ``n`` documents."""
    files = systems(baseline=3, better=3)
    n_segments = len(files["refs.txt"].splitlines())
    documents = [f"doc{segment * n // n_segments}\n" for segment in range(n_segments)]
    files["documents.txt"] = "".join(documents)
    return files


def _in_three_languages() -> Texts:
    """Return three systems of three runs with three language pairs; their verdicts form a grid."""
    texts = {}
    for pair in ("cs-en", "de-en", "fr-en"):
        for path, text in systems(baseline=3, better=3, best=3).items():
            texts[f"{pair}/{path}"] = text
    return texts


def _identical() -> Texts:
    """Return a system of three runs, and a copy of it."""
    files = systems(baseline=3)
    copies = {name.replace("baseline", "copy"): text for name, text in files.items() if "baseline" in name}
    return {**files, **copies}


def _partly_scored() -> Texts:
    """Return two systems of one run with scores of every third segment."""
    files = systems(baseline=1, better=1)
    rows = []
    for name, text in files.items():
        system, separator, _ = name.partition("/")
        if not separator:  # the references
            continue
        for number, line in enumerate(text.splitlines()):
            score = len(line) % 17 if number % 3 == 0 else None
            rows.append(f"{system}\t{score}\n")
    return {**files, "quality.seg.score": "".join(rows)}


def _in_folder(name: str) -> Texts:
    """Return the texts in a folder of the example data, by their paths in it."""
    folder = data_directory() / name
    texts = {}
    for path in sorted(folder.glob("**/*")):
        if path.is_file():
            texts[path.relative_to(folder).as_posix()] = path.read_text(encoding="utf-8")
    return texts


CASES: Mapping[str, Any] = {
    SAMPLE: dict,
    "3 systems x 3 runs": lambda: _in_folder("multeval-example"),
    "12 systems": lambda: _in_folder("wmt23-he-en"),
    "3 language pairs": _in_three_languages,
    ONE_SYSTEM: lambda: systems(baseline=3),
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
    options = parser.parse_args()
    looks = () if options.words else LOOKS
    options.folder.mkdir(parents=True, exist_ok=True)
    result_of = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"])
        for case in options.cases:
            result = _looked_at(browser, case, options.tree.resolve(), options.folder, options.pages, looks)
            result_of[case] = result
            (options.folder / "screens.json").write_text(json.dumps(result_of, indent=1), encoding="utf-8")
            print(_page({case: result}, bool(looks)), flush=True)
        browser.close()
    (options.folder / "screens.md").write_text(_page(result_of, bool(looks)), encoding="utf-8")


def _chromium() -> str | None:
    """Return the path of the system's Chromium, None if it has none: Playwright then takes its own."""
    for path in ("/usr/bin/chromium", "/usr/bin/chromium-headless-shell"):
        if Path(path).exists():
            return path
    return None


def _looked_at(
    browser: Browser, name: str, tree: Path, shots: Path, pages: Sequence[str], looks: Sequence[tuple[int, int, Scheme]]
) -> dict[str, Any]:
    """Return what a case shows, by page; its screenshots go into a folder."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        _dropped(browser, name, tree, Path(scratch)) as (page, clicks, n_before),
    ):
        result: dict[str, Any] = {"clicks": clicks, "words": {}, "first": {}, "cut off": [], "untrue": []}
        result["folded"] = {}
        result["before files"] = n_before
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
            lines_read = set[str]()  # on all tabs so far: what stands above them is counted once
            numbers = [_new_words(page, lines_read) for _ in _each_tab(page)]
            result["first"][title] = numbers[0]
            result["words"][title] = sum(numbers)
            n_folded = 0
            for tab in _each_tab(page):
                if looks:
                    _shoot(page, shots / _file(name, title, tab))
                _unfold(page)
                n_folded += _new_words(page, lines_read)
                for error in page.get_by_test_id("stException").all_inner_texts():
                    result["untrue"].append(f"{title}, {tab}: {error}")
                for width, height, scheme in looks:
                    look(page, width, height, scheme)
                    _settle(page)
                    elements = wider_than_their_container(page)
                    elements += page.evaluate(MISPLACED, 2)
                    result["cut off"] += [[title, tab, width, *element] for element in elements]
                    _shoot(page, shots / _file(name, title, tab, f"-{width}-{scheme}"))
            result["folded"][title] = n_folded
        return result


def _new_words(page: Page, lines_read: set[str]) -> int:
    """Return the number of visible words on lines that have not been read before, and add these lines."""
    new_lines = [line for line in page.evaluate(READ).splitlines() if line not in lines_read]
    lines_read.update(new_lines)
    return sum(len(WORD.findall(line)) for line in new_lines)


def _file(name: str, title: str, tab: str, end: str = "") -> str:
    """Return the name of a screenshot: case, page and tab, if there are tabs, with anything that is no letter as -."""
    parts = [name, title]
    if tab:
        parts.append(tab)
    return re.sub(r"[^\w-]+", "-", "-".join(parts) + end).lower() + ".png"


@contextmanager
def _dropped(browser: Browser, name: str, tree: Path, scratch: Path) -> Iterator[tuple[Page, int, int]]:
    """Serve a version, drop the files of a case, and yield the page with its verdict.

    With it come the clicks that the verdict took, and the number of words on the first page before there were files.
    """
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
        _settle(page)
        n_before = _new_words(page, set())
        if name == SAMPLE:
            page.get_by_role("button", name="Try the sample experiment").click()
        else:
            page.locator(FOR_FOLDERS).set_input_files(scratch / "files")
        seen = DATA_CHECK if name == ONE_SYSTEM else VERDICT
        yield page, _clicks_until(page, seen), n_before
        context.close()


def _clicks_until(page: Page, seen: str) -> int:
    """Press what starts the scoring until a verdict or a table is seen, and return how often that took."""
    clicks = 0
    deadline = time.monotonic() + SECONDS
    waiting_since = time.monotonic()  # when the button was seen that can be pressed
    start = page.get_by_test_id("stMain").get_by_role("button", name=re.compile("^Score "))
    while not page.locator(seen).count():
        assert time.monotonic() < deadline, f"no {seen}"
        if not start.count() or not start.first.is_enabled():
            waiting_since = time.monotonic()
        elif time.monotonic() - waiting_since > 3:
            start.first.click()
            clicks += 1
            waiting_since = time.monotonic()
        time.sleep(0.2)
    return clicks


def _settle(page: Page) -> None:
    """Wait until nothing is computed any more and figures are drawn."""
    at_rest(page)
    deadline = time.monotonic() + SECONDS
    while page.locator(".mt-doing").count() and time.monotonic() < deadline:
        time.sleep(0.2)
    at_rest(page)
    unchanging(page, 1)


def _each_tab(page: Page) -> Iterator[str]:
    """Yield the name of each tab of the page once it is open on a laptop; an empty one if there are no tabs."""
    tabs = _tabs(page) or [""]
    for tab in tabs:
        look(page, *LOOKS[0])
        if tab:
            page.get_by_role("tab", name=tab, exact=True).first.click()
        _settle(page)
        yield tab


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
    height_of_content = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    height = min(max(height_of_content, size["height"]), MOST_PIXELS)
    page.set_viewport_size({"width": size["width"], "height": height})
    page.wait_for_timeout(300)
    page.screenshot(path=path)
    page.set_viewport_size(size)


def _untrue(page: Page, name: str, tree: Path, scratch: Path) -> list[str]:
    """Return the numbers in the verdicts of the page that are not among the JSON values of the command line."""
    _settle(page)
    _unfold(page)
    folder = tree / "sample_data" if name == SAMPLE else scratch / "files"
    command = [sys.executable, "-m", "mteval", "eval", "--files", str(folder), "--json", "-", "--quiet"]
    environment = os.environ | {"PYTHONPATH": str(tree), "MTEVAL_HOME": str(scratch / "home")}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tree, env=environment, check=False)
    if done.returncode:
        return [f"mteval eval failed: {done.stderr[-300:]}"]
    results = json.loads(done.stdout)

    known = [100 * results["settings"]["confidence"], *map(float, range(1, 31))]  # and how many there are of something
    for part in ("verdicts", "summary", "coverage", "simultaneous", "ranks", "findings"):
        known += _values(results.get(part))
    untrue = []
    for text in page.locator(".mt-verdict:visible, table.mt-ranking:visible tr").all_inner_texts():
        for match in NUMBER.finditer(text):
            side, number = match.groups()
            if not any(_is_rounded(value, number, side) for value in known):
                untrue.append(f"{match[0]} in “{' '.join(text.split())[:160]}”")

    text_of_page = page.evaluate(READ)
    primary_metric = results["settings"]["metrics"][0]
    words = {verdict["verdict"] for verdict in results["verdicts"] if verdict["metric"] == primary_metric}
    untrue += [f"verdict “{word}” is not on the page" for word in words if word not in text_of_page]
    return untrue


def _values(value: Any) -> Iterator[float]:
    """Yield all numbers of a JSON value, without signs, also those within its texts."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _values(item)
    elif isinstance(value, str):
        for match in NUMBER.finditer(value):
            yield float(match[2].replace(",", ""))
    elif value is not None and not isinstance(value, bool):
        yield abs(float(value))


def _is_rounded(value: float, written: str, side: str = "") -> bool:
    """Return whether a number is written as this value is to as many digits, or names the side that it is on."""
    number = float(written.replace(",", ""))
    if side.startswith("<"):
        return value < number
    if side.startswith(">"):
        return value > number
    n_decimals = len(written.partition(".")[2])
    tolerance = 0.5 * 10.0**-n_decimals + 1e-9
    return abs(value - number) <= tolerance or abs(100 * value - number) <= tolerance  # as it is, or in percent


def _page(result_of: Mapping[str, Mapping[str, Any]], is_looked_at: bool) -> str:
    """Return the table of all cases, and below it what is untrue or cut off in each if pages were looked at."""
    n_before = max(result["before files"] for result in result_of.values())
    heads = ["case", "clicks", *PAGES]
    if is_looked_at:
        heads += ["cut off", "untrue"]
    lines = [
        "# What the pages show",
        "",
        f"The first page has {n_before} words without files. Cells: words of the first tab / all tabs + folded.",
        "A line that is on several tabs counts once. Clicks are those from the files to the verdict.",
        "",
        f"| {' | '.join(heads)} |",
        "|---|" + "---:|" * (len(heads) - 1),
    ]
    for case, result in result_of.items():
        cells = [case, str(result["clicks"])]
        for title in PAGES:
            if title in result["words"]:
                cells.append(f"{result['first'][title]} / {result['words'][title]} + {result['folded'][title]}")
            else:
                cells.append("")
        if is_looked_at:
            cells += [str(len(result["cut off"])), str(len(result["untrue"]))]
        lines.append(f"| {' | '.join(cells)} |")
    problems = []
    for case, result in result_of.items():
        for problem in (*result["untrue"], *result["cut off"]):
            problems.append(f"- {case}: {problem}")
    if problems:
        lines += ["", *problems]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
