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

FEW = 12  # segments, which take a moment
MANY = 1200  # segments, which take several requests to a model
KINDS = {"COMET": "regression", "kiwi": "kiwi", "xcomet": "xcomet"}  # of models, by the names of metrics
SYSTEMS = ("baseline", "reordering")
RUNS = (0, 1)
STYLES = "marks => [...new Set(marks.map(mark => getComputedStyle(mark).textDecorationStyle))]"
FAST = "shuffles=99&replicates=50"
# That nothing more happens shows in no condition to wait for. Seconds, in which a model that went on would have judged:
STOPPED_FOR = 2


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


def write_files(folder: Path, n_segments: int) -> dict[str, Path]:
    """Two systems of two runs with source and reference, by name, with sentences that no model has judged."""
    part_of_sample = {"src": "source.test.txt", "ref": "reference.test.txt"}
    for system in SYSTEMS:
        for run in RUNS:
            part_of_sample[f"{system}.opt{run}"] = f"{system}/test.opt0{run}.txt"

    paths = {}
    new_folder = Path(mkdtemp(dir=folder))
    for name, part in part_of_sample.items():
        sentences = (SAMPLE / part).read_text(encoding="utf-8").splitlines()
        paths[name] = new_folder / f"{name}.txt"
        with paths[name].open("w", encoding="utf-8") as file:
            for number, sentence in enumerate(islice(cycle(sentences), n_segments)):
                # The name of the new folder makes the sentence one of this test alone.
                file.write(f"{sentence} {number} {new_folder.name}\n")
    return paths


def visit(browser: Browser, address: str) -> Page:
    """A browser that has never been here."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(address)
    return page


def test_scores_of_three_kinds_of_models_and_the_errors_that_one_finds(
    browser: Browser, server: str, folder: Path, models: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = write_files(folder, FEW)
    page = visit(browser, f"{server}/?primary=xcomet&metrics=COMET&metrics=kiwi&{FAST}")
    drop(page, list(paths.values()))
    score(page)
    table = shown_table(page)
    assert {metric for metric, _ in table} == set(KINDS)

    # The command line finds the same means; it keeps what models said where the server does, and loads none again.
    monkeypatch.setenv("MTEVAL_COMET", models)
    monkeypatch.setenv("MTEVAL_CACHE", str(folder / "cache"))
    # Marks of luck ruled out aside: sentences differ from test to test
    means_on_page = {key: cells[1].replace("−", "-").rstrip("†‡") for key, cells in table.items()}
    assert means_on_page == means_on_command_line(paths, folder / "out.json")

    page.get_by_role("link", name="Segments").click()
    marks = page.locator("mark[class*=mt-]")
    marks.first.wait_for()
    assert set(marks.evaluate_all(STYLES)) <= {"solid", "dotted", "double", "dashed", "wavy"}
    expect(page.get_by_text(re.compile(r"\d+ errors?: “"))).not_to_have_count(0)

    page.get_by_role("link", name="People").click()
    expect(page.get_by_text(f"bootstrap CI over {FEW} segments")).to_be_visible()
    start_campaign_with_errors_of_the_model(page)
    assert origins_of_marks(folder) == {"xcomet"}
    page.context.close()


def start_campaign_with_errors_of_the_model(page: Page) -> None:
    """Start a campaign in which the errors that the model finds stand marked before anybody reads."""
    page.get_by_role("link", name="Annotate").click()
    page.get_by_role("button", name="Start campaign", exact=True).click()
    page.get_by_role("radiogroup", name="Task").get_by_text("Error spans and a score", exact=True).click()
    expect(page.get_by_role("textbox", name="Name")).to_have_value("Error spans and a score")
    page.set_viewport_size({"width": 1280, "height": 1400})  # a list of options closes where the page moves

    pre_marked = page.get_by_role("combobox", name="Pre-mark errors with")
    place_of(pre_marked)
    pre_marked.click()
    page.get_by_role("option", name="xcomet").click()
    expect(pre_marked).to_have_value("xcomet")

    annotators = page.get_by_role("combobox", name="Annotators")
    annotators.fill("ann")
    annotators.press("Enter")
    annotators.press("Escape")
    page.get_by_role("button", name="Start campaign").click()
    expect(page.get_by_text(f"with {FEW} segments")).to_be_visible()


def origins_of_marks(folder: Path) -> set[str]:
    """What marked errors in the campaigns of the server."""
    with closing(sqlite3.connect(folder / "home" / "annotations.sqlite")) as database:
        return {origin for (origin,) in database.execute("SELECT origin FROM marks")}


def means_on_command_line(paths: dict[str, Path], out: Path) -> dict[tuple[str, str], str]:
    """The means of the same files on the command line, by metric and system, with two decimals."""
    words = ["eval", "--source", str(paths["src"]), "--refs", str(paths["ref"])]
    for system in SYSTEMS:
        words += ["--system", system]
        words += [str(paths[f"{system}.opt{run}"]) for run in RUNS]
    words += ["--metrics", "xcomet", "comet", "kiwi", "--convention", "sacrebleu"]
    words += ["--boot-samples", "50", "--ar-shuffles", "99", "--json", str(out)]
    assert main(words) == 0

    name_of = {name.lower(): name for name in KINDS}
    means = {}
    for row in json.loads(out.read_text(encoding="utf-8"))["summary"]:
        means[name_of[row["metric"]], row["system"]] = f"{row['mean']:.2f}"
    return means


@contextmanager
def at_work(folder: Path, page: Page, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Score what was dropped, and keep models from finishing meanwhile: what they say can't be kept before the end."""
    monkeypatch.setenv("MTEVAL_CACHE", str(folder / "cache"))
    keep_judgements({})  # makes the table, so that it can be locked
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
    drop(page, list(write_files(folder, MANY).values()))
    library = library_in(folder)
    with at_work(folder, page, monkeypatch):
        link = parse_qs(urlsplit(page.url).query)["experiment"][0]
        page.context.close()
        assert opened(library.content(link)).results is None
    eventually(lambda: opened(library.content(link)).results is not None, "the work ended with its tab")

    # A reader finds all scores and a complete page, on which nothing is left to compute.
    other = visit(browser, f"{server}/scores?key={library.entry(link).reader}")
    assert {metric for metric, _ in shown_table(other)} == {"COMET", "kiwi"}
    expect(other.get_by_role("button", name="Download run scores")).to_be_visible()
    expect(other.get_by_role("button", name=re.compile("Score (and compare|COMET|kiwi)"))).to_have_count(0)
    other.context.close()


def test_a_model_that_is_told_to_stop_judges_nothing_more(
    browser: Browser, server: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = visit(browser, f"{server}/?primary=xcomet&metrics=kiwi&{FAST}")
    drop(page, list(write_files(folder, MANY).values()))
    with at_work(folder, page, monkeypatch):
        page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped. Scores computed so far are kept.")).to_be_visible()
    at_rest(page)
    n_before = n_judged(folder)
    time.sleep(STOPPED_FOR)
    assert n_judged(folder) == n_before
    page.context.close()


def n_judged(folder: Path) -> int:
    """How many samples models have judged."""
    with closing(sqlite3.connect(folder / "cache" / "judgements.sqlite")) as database:
        (count,) = database.execute("SELECT COUNT(*) FROM judgements").fetchone()
    return int(count)
