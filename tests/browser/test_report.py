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


def files(folder: Path) -> list[Path]:
    """References and two runs of two systems."""
    references = [" ".join(SENTENCE.split()[i % 7 :]) for i in range(30)]
    texts = {"refs.txt": references}
    for number, name in enumerate(("base.opt0", "base.opt1", "new.opt0", "new.opt1")):
        texts[f"{name}.txt"] = [" ".join(line.split()[: 8 + (i + number) % 5]) for i, line in enumerate(references)]
    for name, lines in texts.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return [folder / name for name in texts]


def score_and_report(page: Page) -> str:
    """Compute, open the report page and give the source of its table."""
    score(page)
    page.get_by_role("link", name="Report").click()
    page.get_by_text("LaTeX source").click()
    source = page.get_by_test_id("stExpander").get_by_test_id("stCode").last
    expect(source).to_contain_text("bottomrule")
    return source.inner_text()


def test_everything_is_handed_out_and_dropped_again_gives_the_same_table(page: Page, tmp_path: Path) -> None:
    drop(page, files(tmp_path))
    table = score_and_report(page)
    assert "% seed: 12345" in table
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
    show_load(page)
    page.get_by_text("4 outputs, 1 reference").click()
    expect(page.get_by_text("come from experiment.toml")).to_be_visible()
    assert score_and_report(page).split() == table.split()
