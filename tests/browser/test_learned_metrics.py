"""Learned metrics in a real browser, by their real package: scores and errors seen, a tab that is closed, a stop."""

import json
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import cycle, islice
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.served import library_in
from mteval.cli import main
from mteval.metrics.neural.panel import keep_judgements
from mteval.report.kept_experiment import opened
from tests.browser.conftest import serving
from tests.browser.steps import PATIENCE, at_rest, drop, eventually, place_of, score, shown_table
from tests.metrics.neural.conftest import SAMPLE

pytestmark = [pytest.mark.browser, pytest.mark.long]

FEW, MANY = 12, 1200  # segments: those take a moment, these several requests to a model
KINDS = {"COMET": "regression", "kiwi": "kiwi", "xcomet": "xcomet"}
STYLES = "marks => [...new Set(marks.map(mark => getComputedStyle(mark).textDecorationStyle))]"
FAST = "shuffles=99&replicates=50"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server keeps everything."""
    return tmp_path_factory.mktemp("learned")


@pytest.fixture(scope="module")
def models(tiny_models: Path) -> str:
    """All kinds of models, named as the environment names them."""
    return ":".join(f"{name.lower()}={tiny_models / kind}" for name, kind in KINDS.items())


@pytest.fixture(scope="module")
def server(folder: Path, models: str) -> Iterator[str]:
    """The app where the models are named."""
    with serving(folder, MTEVAL_COMET=models, MTEVAL_HOME=str(folder / "home")) as address:
        yield address


def files(folder: Path, n_segments: int) -> dict[str, Path]:
    """Two systems of two runs with source and reference, by name, with sentences that no model has judged."""
    names = {"src": "source.test.txt", "ref": "reference.test.txt"}
    names |= {
        f"{system}.opt{run}": f"{system}/test.opt0{run}.txt" for system in ("baseline", "reordering") for run in (0, 1)
    }
    found = {}
    inside = Path(mkdtemp(dir=folder))
    for name, of in names.items():
        lines = islice(cycle((SAMPLE / of).read_text(encoding="utf-8").splitlines()), n_segments)
        found[name] = inside / f"{name}.txt"
        found[name].write_text("".join(f"{line} {n} {inside.name}\n" for n, line in enumerate(lines)), encoding="utf-8")
    return found


def visit(browser: Browser, address: str) -> Page:
    """A browser that has never been here."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(address)
    return page


def test_scores_of_three_kinds_of_models_and_the_errors_that_one_finds(
    browser: Browser, server: str, folder: Path, models: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = files(folder, FEW)
    page = visit(browser, f"{server}/?primary=xcomet&metrics=COMET&metrics=kiwi&{FAST}")
    drop(page, list(named.values()))
    score(page)
    table = shown_table(page)
    assert {metric for metric, _ in table} == set(KINDS)
    monkeypatch.setenv("MTEVAL_COMET", models)
    monkeypatch.setenv("MTEVAL_CACHE", str(folder / "cache"))  # what models said is kept, so that none is loaded again
    said = printed(named, folder / "out.json")
    assert {key: cells[1].replace("−", "-") for key, cells in table.items()} == said

    page.get_by_role("link", name="Segments").click()
    marks = page.locator("mark[class*=mt-]")
    marks.first.wait_for()
    assert set(marks.evaluate_all(STYLES)) <= {"solid", "dotted", "double", "dashed", "wavy"}
    expect(page.get_by_text(re.compile(r"\d+ errors?: “"))).not_to_have_count(0)
    page.get_by_role("link", name="People").click()
    expect(page.get_by_text(f"bootstrap CI over {FEW} segments")).to_be_visible()
    start_from_its_errors(page)
    assert origins_of_marks(folder) == {"xcomet"}
    page.context.close()


def start_from_its_errors(page: Page) -> None:
    """Start a campaign in which the errors that the model finds stand marked before anybody reads."""
    page.get_by_role("link", name="Annotate").click()
    page.get_by_role("button", name="Start campaign", exact=True).click()
    page.get_by_role("radiogroup", name="Task").get_by_text("Error spans and a score", exact=True).click()
    expect(page.get_by_role("textbox", name="Name")).to_have_value("Error spans and a score")
    page.set_viewport_size({"width": 1280, "height": 1400})  # a list of options closes where the page moves
    finder, annotators = (page.get_by_role("combobox", name=name) for name in ("Pre-mark errors with", "Annotators"))
    place_of(finder)
    finder.click()
    page.get_by_role("option", name="xcomet").click()
    expect(finder).to_have_value("xcomet")
    annotators.fill("ann")
    annotators.press("Enter")
    annotators.press("Escape")
    page.get_by_role("button", name="Start campaign").click()
    expect(page.get_by_text(f"with {FEW} segments")).to_be_visible()


def origins_of_marks(folder: Path) -> set[str]:
    """What marked errors in the campaigns of the server."""
    with sqlite3.connect(folder / "home" / "annotations.sqlite") as database:
        return {origin for (origin,) in database.execute("SELECT origin FROM marks")}


def printed(named: dict[str, Path], out: Path) -> dict[tuple[str, str], str]:
    """The averages of the same files on the command line, by metric and system."""
    words = ["eval", "--source", str(named["src"]), "--refs", str(named["ref"])]
    for system in ("baseline", "reordering"):
        words += ["--system", system, *(str(named[f"{system}.opt{run}"]) for run in (0, 1))]
    words += ["--metrics", "xcomet", "comet", "kiwi", "--convention", "sacrebleu"]
    assert main([*words, "--boot-samples", "50", "--ar-shuffles", "99", "--json", str(out)]) == 0
    names = {name.lower(): name for name in KINDS}
    rows = json.loads(out.read_text(encoding="utf-8"))["summary"]
    return {(names[row["metric"]], row["system"]): f"{row['mean']:.2f}" for row in rows}


@contextmanager
def at_work(folder: Path, page: Page, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Score what was dropped, and keep models from finishing meanwhile: what they say can't be kept before the end."""
    monkeypatch.setenv("MTEVAL_CACHE", str(folder / "cache"))
    keep_judgements({})  # the table is there
    with closing(sqlite3.connect(folder / "cache" / "judgements.sqlite", isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        page.get_by_test_id("stMain").get_by_role("button", name="Score and compare").click()
        expect(page.get_by_text(re.compile(r"^Scoring \w+ on test"))).to_be_visible()
        expect(page).to_have_url(re.compile("experiment="))
        yield


def test_scoring_goes_on_when_the_tab_is_closed(
    browser: Browser, server: str, folder: Path, models: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MTEVAL_COMET", models)
    page = visit(browser, f"{server}/?primary=COMET&metrics=kiwi&{FAST}")
    drop(page, list(files(folder, MANY).values()))
    library = library_in(folder)
    with at_work(folder, page, monkeypatch):
        link = parse_qs(urlsplit(page.url).query)["experiment"][0]
        page.context.close()
        assert opened(library.content(link)).results is None
    eventually(lambda: opened(library.content(link)).results is not None, "the work ended with its tab")
    other = visit(browser, f"{server}/scores?key={library.entry(link).reader}")
    assert {metric for metric, _ in shown_table(other)} == {"COMET", "kiwi"}
    expect(other.get_by_role("button", name="Download run scores")).to_be_visible()  # the page is complete
    expect(other.get_by_role("button", name=re.compile("Score (and compare|COMET|kiwi)"))).to_have_count(0)
    other.context.close()


def test_a_model_that_is_told_to_stop_judges_nothing_more(
    browser: Browser, server: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = visit(browser, f"{server}/?primary=xcomet&metrics=kiwi&{FAST}")
    drop(page, list(files(folder, MANY).values()))
    with at_work(folder, page, monkeypatch):
        page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped. Scores computed so far are kept.")).to_be_visible()
    at_rest(page)
    before = n_judged(folder)
    time.sleep(2)
    assert n_judged(folder) == before
    page.context.close()


def n_judged(folder: Path) -> int:
    """How many samples models have judged."""
    with sqlite3.connect(folder / "cache" / "judgements.sqlite") as database:
        return int(database.execute("SELECT COUNT(*) FROM judgements").fetchone()[0])
