"""The report page in a real browser: what it hands out, dropped again, is the same experiment."""

import hashlib
import json
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

COMPILING = 300_000  # milliseconds: the first work after an installation waits for the compiler
SENTENCE = "the quick brown fox jumps over the lazy dog while it rains on every roof of this old town"


def files(folder: Path) -> list[Path]:
    """References and two runs of two systems."""
    references = [" ".join(SENTENCE.split()[i % 7 :]) for i in range(30)]
    texts = {"refs.txt": references}
    for number, name in enumerate(("base.opt0", "base.opt1", "new.opt0", "new.opt1")):
        texts[f"{name}.txt"] = [" ".join(line.split()[: 8 + (i + number) % 5]) for i, line in enumerate(references)]
    for name, lines in texts.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return [folder / name for name in texts]


def drop(page: Page, paths: list[Path]) -> None:
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(paths)
    page.get_by_role("heading", name="Check of the data").wait_for()


def score_and_report(page: Page) -> str:
    """Compute, open the report page and give the source of its table."""
    page.get_by_test_id("stMain").get_by_role("button", name="Score and compare").click()
    page.get_by_role("heading", name="All metrics").wait_for(timeout=COMPILING)
    page.get_by_role("link", name="Report").click()
    page.get_by_text("LaTeX source").click()
    return page.get_by_test_id("stExpander").get_by_test_id("stCode").last.inner_text()


def test_everything_is_handed_out_and_dropped_again_gives_the_same_table(page: Page, tmp_path: Path) -> None:
    drop(page, files(tmp_path))
    table = score_and_report(page)
    assert "toprule" in table
    assert "seed 12345" in table
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Everything").click()
    path = tmp_path / "all.zip"
    downloading.value.save_as(path)
    with zipfile.ZipFile(path) as archive:
        listed = json.loads(archive.read("manifest.json"))["files"]
        assert {one["path"] for one in listed} | {"manifest.json"} == set(archive.namelist())
        for one in listed:
            assert hashlib.sha256(archive.read(one["path"])).hexdigest() == one["sha256"]
        assert archive.read("table.tex").decode().split() == table.split()

    page.goto(page.url.split("/report")[0] + "/?seed=4711")  # a session of its own, with another seed in the address
    page.get_by_role("heading", name="Load an experiment").wait_for()
    drop(page, [path])
    expect(page.get_by_text("experiment.toml says what its files are")).to_be_visible()
    assert score_and_report(page).split() == table.split()
