"""The report page in a real browser: what it hands out, dropped again, is the same experiment."""

import hashlib
import json
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import drop, score, show_load

pytestmark = pytest.mark.browser

SENTENCE = "the quick brown fox jumps over the lazy dog while it rains on every roof of this old town"


def write_files(folder: Path) -> list[Path]:
    """References and two runs of two systems, each run with its own lengths of sentences."""
    words = SENTENCE.split()
    references = [words[start % 7 :] for start in range(30)]
    sentences_of = {"refs": references}
    for number, name in enumerate(("base.opt0", "base.opt1", "new.opt0", "new.opt1")):
        sentences_of[name] = [sentence[: 8 + (place + number) % 5] for place, sentence in enumerate(references)]

    paths = []
    for name, sentences in sentences_of.items():
        path = folder / f"{name}.txt"
        path.write_text("".join(f"{' '.join(sentence)}\n" for sentence in sentences))
        paths.append(path)
    return paths


def score_and_report(page: Page) -> str:
    """Compute, open the report page and give the source of its table."""
    score(page)
    page.get_by_role("link", name="Report").click()
    page.get_by_text("LaTeX source").click()
    source = page.get_by_test_id("stExpander").get_by_test_id("stCode").last
    expect(source).to_contain_text("bottomrule")
    return source.inner_text()


def download_everything(page: Page, path: Path) -> None:
    """Save what the button gives that hands out all files at once."""
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Everything").click()
    downloading.value.save_as(path)


def test_everything_is_handed_out_and_dropped_again_gives_the_same_table(page: Page, tmp_path: Path) -> None:
    drop(page, write_files(tmp_path))
    table = score_and_report(page)
    assert "% seed: 12345" in table

    everything = tmp_path / "all.zip"
    download_everything(page, everything)
    with zipfile.ZipFile(everything) as archive:
        files = json.loads(archive.read("manifest.json"))["files"]
        paths = {file["path"] for file in files}
        assert paths | {"manifest.json"} == set(archive.namelist())
        for file in files:
            assert hashlib.sha256(archive.read(file["path"])).hexdigest() == file["sha256"]
        assert archive.read("table.tex").decode().split() == table.split()

    # In a session of its own, another seed in the address gives way to the one in the files.
    first_page = page.url.split("/report")[0]
    page.goto(f"{first_page}/?seed=4711")
    page.get_by_role("heading", name="Load an experiment").wait_for()
    drop(page, [everything])
    show_load(page)
    page.get_by_text("4 outputs, 1 reference").click()
    expect(page.get_by_text("come from experiment.toml")).to_be_visible()
    assert score_and_report(page).split() == table.split()
