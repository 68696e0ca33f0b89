"""A report of an experiment with hostile names: its files, their replay, and the page in a browser without network."""

import csv
import io
import json
import os
import shutil
import xml.etree.ElementTree as ElementTree
import zipfile
from dataclasses import replace
from itertools import product
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, Playwright

from mteval.analysis.evaluation import Evaluation, evaluate
from mteval.analysis.results import Results, overview
from mteval.analysis.scoring import Work
from mteval.base.errors import MissingDependencyError
from mteval.cli import main
from mteval.figures.images import images
from mteval.readers.assembly.experiment import assemble
from mteval.readers.disk import Loaded
from mteval.readers.documents import InputFile
from mteval.readers.formats.uploads import unpack
from mteval.readers.replays import experiment_among, read_experiment
from mteval.readers.workspace import Workspace
from mteval.render.bundle import MANIFEST
from mteval.report.numbers import OPTIONAL
from mteval.report.package import KINDS, Package, everything, figure_files
from mteval.report.page import html_report, report_figures
from mteval.report.paper_table import LatexChoice, latex
from mteval.values.settings import Settings
from tests.browser.steps import PATIENCE

SENTENCE = "the quick brown fox jumps over the lazy dog while it rains on every roof of this old town"
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
SETTINGS = Settings(
    metrics=("bleu", "ter"),
    options={"bleu": {"lowercase": True}},
    n_bootstrap=30,
    n_shuffles=50,
    seed=7,
    confidence=0.9,
)


def uploads() -> list[InputFile]:
    """Thirty segments, a development set, and two systems of three runs, each of which lacks some words."""
    words = SENTENCE.split()
    references = [" ".join(words[i % 5 :]) for i in range(30)]
    files = {}
    for name, size in (("dev", 9), ("test", 30)):
        files[f"../x/ref.{name}.txt"] = "\n".join(references[:size])
        for system, run in product(("base", "other"), range(3)):
            lines = [thinned(line, 4 + (system == "other") + run, n) for n, line in enumerate(references[:size])]
            files[f"../x/{system}/{name}.opt{run}.txt"] = "\r\n".join(lines) + "\n"
    return [InputFile(name, text.encode()) for name, text in files.items()]


def thinned(line: str, every: int, start: int) -> str:
    return " ".join(word for place, word in enumerate(line.split()) if (place + start) % every)


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    """The uploads, one system renamed."""
    work = Workspace().add(uploads())
    work = work.edit({row: {"system": HOSTILE} for row, slot in enumerate(work.slots) if slot.system == "other"})
    experiment = work.experiment("base")
    assert experiment is not None
    return work.loaded(experiment)


@pytest.fixture(scope="module")
def results(loaded: Loaded) -> Results:
    """Of the test set."""
    evaluation = evaluate(loaded.experiment, SETTINGS, Work())
    return Results(loaded.experiment, evaluation, loaded.experiment.test_set("test"))


@pytest.fixture(scope="module")
def package(results: Results, loaded: Loaded) -> Package:
    """All files."""
    return everything(results, loaded, LatexChoice())


def same_numbers(first: Evaluation, second: Evaluation) -> None:
    """Equal bit for bit, but for the time that it took."""
    for name in ("scores", "summary", "resampled", "comparisons"):
        frames = [getattr(one, name) for one in (first, second)]
        pd.testing.assert_frame_equal(*frames, check_exact=True)
    assert first.signatures == second.signatures


def unpacked(package: Package, results: Results, folder: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(package.zipped(results))) as archive:
        archive.extractall(folder)
    return folder


def test_the_archive_replays_bit_for_bit(results: Results, package: Package, tmp_path: Path) -> None:
    replay = read_experiment(unpacked(package, results, tmp_path) / "experiment.toml")
    assert replay.file.settings == SETTINGS
    assert replay.loaded.experiment.digest == results.experiment.digest
    same_numbers(evaluate(replay.loaded.experiment, replay.file.settings, Work()), results.evaluation)


def test_the_command_line_replays_it_bit_for_bit(
    results: Results, package: Package, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = unpacked(package, results, tmp_path)
    assert main(["run", str(folder / "experiment.toml"), "--json", str(folder / "again.json")]) == 0
    first, again = (json.loads((folder / name).read_text()) for name in ("numbers.json", "again.json"))
    # The files are the same ones in another place
    assert len(first.pop("files")) == len(again.pop("files"))
    assert first == again
    assert "test (test), 30 segments" in capsys.readouterr().out


def test_the_dropped_archive_is_the_experiment_again(results: Results, package: Package) -> None:
    dropped = experiment_among(*unpack([InputFile("all.zip", package.zipped(results))]))
    assert dropped is not None
    assert dropped.file is not None
    assert dropped.problems == ()
    assembly = assemble(dropped.documents, replace(dropped.file.edits, slots=dropped.slots), dropped.file.baseline)
    assert assembly.experiment is not None
    assert assembly.experiment.digest == results.experiment.digest
    assert dropped.file.settings == SETTINGS


def test_every_kind_of_file_is_there_and_no_path_leaves_the_archive(package: Package) -> None:
    optional = {f"{name}.csv" for name in OPTIONAL} - {
        "intervals.csv",
        "parts.csv",
    }  # one test set beside the tuning set, two systems, no samples
    optional |= set(KINDS["leaderboard"])  # of four systems and more
    optional |= {"grid.csv", "verdicts_by_people.csv"}  # of several test sets, and with human scores
    assert {name for names in KINDS.values() for name in names} - optional <= set(package.files)
    assert not optional & set(package.files)
    assert [name for name in package.files if name.startswith("/") or ".." in name.split("/")] == []
    inputs = {name for name in package.files if name.startswith("inputs/")}
    assert "inputs/ref.test.txt" in inputs
    assert "inputs/base/dev.opt1.txt" in inputs
    assert len(inputs) == 14


def test_some_kinds_of_files_can_be_chosen(results: Results, loaded: Loaded) -> None:
    assert set(everything(results, loaded, LatexChoice(), ["latex", "json"]).files) == {"table.tex", "numbers.json"}


def test_csv_and_workbook_hold_the_numbers_of_the_evaluation(results: Results, package: Package) -> None:
    rows = list(csv.DictReader(io.StringIO(package.files["table.csv"].decode())))
    means = dict(zip(overview(results)["system"], overview(results)["mean"], strict=True))
    assert {row["system"]: float(row["mean"]) for row in rows} == means
    book = openpyxl.load_workbook(io.BytesIO(package.files["numbers.xlsx"]))
    frames = ["scores", "summary", "comparisons", "coverage", "verdicts", "intervals", "parts"]
    assert book.sheetnames == ["table on test", *frames, "about"]
    scores = list(book["scores"].values)
    assert scores[0] == tuple(results.evaluation.scores.columns)
    assert [row[4] for row in scores[1:]] == pytest.approx(results.evaluation.scores["score"].tolist(), rel=1e-14)
    assert HOSTILE in {row[1] for row in scores[1:]}


def test_rows_and_columns_of_the_table_are_chosen(results: Results) -> None:
    text = latex(results, LatexChoice(columns=("average", "p_run"), metrics=["ter"], systems=["base"]))
    assert "TER" in text
    assert "BLEU" not in text
    assert r"\midrule" in text
    assert "script" not in text
    assert r"\begin{tabular}{llrr}" in text


def opened(browser: Browser, path: Path, scheme: str) -> tuple[Page, list[str]]:
    """The file in a browser that has no network; what it says, asks for and shows goes into the list."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1200, "height": 900})
    context.set_offline(True)
    page, noticed = context.new_page(), list[str]()
    page.set_default_timeout(PATIENCE * 1000)
    page.on("dialog", lambda dialog: (noticed.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: noticed.append(f"error {error}"))
    page.on("console", lambda message: noticed.append(f"console {message.text}"))
    page.on("request", lambda request: noticed.append(f"request {request.url}"))
    page.goto(path.as_uri())
    page.locator(".mt-figure .main-svg").first.wait_for()
    return page, [one for one in noticed if one != f"request {path.as_uri()}"]


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_opens_without_network_and_shows_its_figures(
    results: Results, browser: Browser, tmp_path: Path, scheme: str
) -> None:
    path = tmp_path / "report.html"
    path.write_text(html_report(results), encoding="utf-8")
    page, noticed = opened(browser, path, scheme)
    assert noticed == []
    figures = page.locator("[data-figure]")
    assert figures.count() == len(report_figures(results)) == 7
    for place in range(figures.count()):
        assert figures.nth(place).locator(".trace").count() > 0
    color = page.evaluate("getComputedStyle(document.querySelector('.xtick text')).fill")
    assert color == page.evaluate("getComputedStyle(document.body).color")
    brightness = sum(int(part) for part in color.removeprefix("rgb(").removesuffix(")").split(","))
    assert (brightness > 384) == (scheme == "dark")
    assert HOSTILE in page.locator("body").inner_text()
    page.context.close()


@pytest.mark.browser
def test_on_paper_no_column_is_cut_off_and_nothing_is_folded_away(
    results: Results, browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_text(html_report(results), encoding="utf-8")
    page, _ = opened(browser, path, "light")
    page.set_viewport_size({"width": 700, "height": 1000})  # that of a sheet of A4 within its margins
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    beyond = "[...document.querySelectorAll('th, td')].filter((one) => one.getBoundingClientRect().right > 701).length"
    page.wait_for_function(f"{beyond} === 0")  # the layout for paper may take a moment
    assert page.locator("th", has_text="p_run").count() > 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0
    page.context.close()


@pytest.fixture
def _browser_for_figures(monkeypatch: pytest.MonkeyPatch, playwright: Playwright) -> None:
    """Where the system has no browser, the tests' own draws the figures."""
    if not any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome", "chrome")):
        monkeypatch.setenv("BROWSER_PATH", playwright.chromium.executable_path)


@pytest.mark.browser
@pytest.mark.usefixtures("_browser_for_figures")
def test_figures_are_drawn_as_svg_and_png(results: Results) -> None:
    name, figure = next(iter(report_figures(results).items()))
    drawn = images({name: figure})
    assert set(drawn) == {f"{name}.svg", f"{name}.png"}
    root = ElementTree.fromstring(drawn[f"{name}.svg"])
    assert root.tag.endswith("svg")
    texts = {"".join(one.itertext()) for one in root.iter() if one.tag.endswith("text")}
    assert "BLEU (points)" in texts
    assert not [one for one in root.iter() if one.tag.endswith(("script", "image"))]
    assert drawn[f"{name}.png"].startswith(b"\x89PNG")
    assert int.from_bytes(drawn[f"{name}.png"][16:20]) == 1800


def test_without_a_browser_the_report_says_what_is_missing(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mteval.figures.images.Chromium.find_browser", lambda **_: None)
    made = figure_files(results)
    assert made.files == {}
    assert "apt-get install chromium" in made.missing[0]
    assert json.loads(made.placed(Path("to"), results)[Path("to") / MANIFEST])["missing"] == list(made.missing)


def test_a_browser_that_does_not_start_is_named_as_the_reason(
    results: Results, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "broken"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER_PATH", os.fspath(program))
    with pytest.raises(MissingDependencyError, match="does not respond"):
        images(dict([next(iter(report_figures(results).items()))]), ["svg"])


def test_a_browser_that_never_answers_costs_the_figures_alone_and_is_ended(
    results: Results, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program, told = tmp_path / "silent", tmp_path / "pid"
    program.write_text(f"#!/bin/sh\necho $$ > {told}\nexec sleep 600\n")
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER_PATH", os.fspath(program))
    monkeypatch.setattr("mteval.figures.images.SECONDS_TO_START", 3.0)
    made = figure_files(results)
    assert made.files == {}
    assert "no answer within 3 s" in made.missing[0]
    with pytest.raises(ProcessLookupError):
        os.kill(int(told.read_text()), 0)


@pytest.mark.browser
@pytest.mark.usefixtures("_browser_for_figures")
def test_a_browser_that_stops_while_it_draws_is_not_waited_for(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mteval.figures.images.SECONDS_A_FIGURE", 0.001)
    with pytest.raises(MissingDependencyError, match="no answer within"):
        images(dict([next(iter(report_figures(results).items()))]), ["svg"])
